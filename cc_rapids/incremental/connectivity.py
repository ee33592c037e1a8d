"""Incremental connectivity: insert batches of edges, and query between and within batches."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload
from weakref import WeakSet

from .. import backends
from ..algorithms.design import Design
from ..data import html, read
from ..data.adapters import adapter_of
from ..data.arguments import UNREADABLE, check_flag, check_path, check_word
from ..data.edge_input import Lending, ReadRequest
from ..data.end_columns import Side
from ..data.files.opening import paths_of
from ..data.files.text_ids import LateTextError
from ..data.foreign import opened
from ..data.frame_access import collected, rows_of
from ..data.frame_build import column_like
from ..data.text_options import TextKeywords, TextOptions
from ..errors import (
    ArgumentTypeError,
    CcRapidsError,
    InputError,
    add_advice,
    counted,
    listed,
    no_attribute,
)
from ..ids.growing import check_kind
from ..keywords import suggest_keywords, suggest_keywords_of_methods
from ..ledger import Ledger
from ..options import Options
from ..results.answer import Answer, Facts, LabelKind
from ..results.components import Components
from ..results.labels import DEFAULT_KINDS, check_labels
from ..results.lookup import warn_of_no_edges
from ..results.preview import preview, run_facts_html
from . import checkpoint, inputs
from . import state as batches
from .changes import changes, frame_of
from .forgetting import expire, insert_kept, link_kept, remove_pairs, remove_vertices
from .insertions import EdgeArgs, initial_state, insert_all, insert_given, pieces
from .kept import KeptForest
from .state import ConnectivityState

MISSING_IN_REMOVAL, MISSING_IN_QUERY = ("raise", "ignore"), ("raise", "false")
ON_ERROR = ("raise", "keep")

_locks: WeakSet[ForkLock] = WeakSet()


class ForkLock:
    """A reentrant lock that a forked child process replaces by a free lock."""

    rlock: Any  # threading.RLock, which is a function before Python 3.13

    def __init__(self) -> None:
        self.renew()
        _locks.add(self)

    def renew(self) -> None:
        """Replace the lock by a free one."""
        self.rlock = threading.RLock()


def _free_locks() -> None:
    """Free the locks of a forked child process, whose owners are threads of the parent."""
    for lock in list(_locks):
        lock.renew()


os.register_at_fork(after_in_child=_free_locks)


@suggest_keywords_of_methods
class Connectivity:
    """The components of a graph whose edges arrive in batches and may be removed or expire.

    ``len()`` is the number of components. A batch costs one copy of the trees, and work for its own
    edges only. The copy is modified, and replaces the old trees at the end of the batch, so a
    failed or interrupted batch changes nothing.

    The trees take 4 bytes per vertex, or 8 bytes if there are at least 2^32 vertices. Without
    ``num_vertices``, each integer id adds up to 22 bytes. Each string id adds 4 bytes and the
    string itself. For composite ids, this memory is needed for each distinct value of a column, and
    for each distinct beginning of two or more columns. During a batch, all of this memory is
    doubled, and the design takes memory too. On a GPU, a second copy of the trees of up to 64 MiB
    is kept between batches. A removed pair takes 8 bytes until it is inserted again.

    Threads may share an instance. Batches are inserted one after another, and none is lost. A query
    does not wait; it uses all batches that are complete at its start. An instance can be copied and
    pickled in its current state.

    Parameters
    ----------
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1. Without it, insertions add the vertices that
        they name: integers of up to 64 bits, strings, or composite ids of several columns.
    vertices : column, array or range of ids, optional
        Vertices that exist from the start. Composite ids need a frame, a list of tuples, or an
        array with one row per id.
    design : str or Design
        A design that hooks only roots and uses no sample: union-find, ``shiloach-vishkin``, or
        ``liu-tarjan`` with R. ``"auto"`` is ``"none+async+halve"``. On a GPU, for batches with many
        edges per vertex, it is ``rem-cas`` after sampling the batch.
    engine : {"auto", "gpu", "cpu", "cuda", "threads"}, optional
        Where to run. Defaults to the location of the first batch.
    keep_forest : bool
        Keep the edges of a spanning forest, in 16 bytes per vertex. :meth:`remove` then reads other
        edges only if it removes a forest edge. After eight removals of edges outside the forest, an
        index of the forest takes about 20 more bytes for every vertex. If several edges of a batch
        join the same two trees, an arbitrary one of these edges is added to the forest. The batches
        of an iterator are inserted one by one. Other threads wait until the iterator ends, and the
        iterator must not insert edges itself.
    expiry : str, optional
        The column with the expiry time of each edge, for :meth:`expire`: integers, floats or
        datetimes. Datetimes are stored in microseconds, or in nanoseconds if the first batch has
        nanoseconds. Later batches are converted exactly or refused. The kept forest is then a
        maximum spanning forest by expiry time, in 32 bytes per vertex. If there are at least four
        vertices for each edge of a batch, its edges are merged into the forest one by one. For a
        larger batch, Borůvka's algorithm also reads the kept edges. Batches must be frames,
        datasets or files. In text files, times are numbers.

    Raises
    ------
    DesignError
        The design does not support batches.
    InputError, EngineError
        An argument cannot be used.

    See Also
    --------
    cc_rapids.components : Find the components of a whole edge list.
    cc_rapids.stream_components : Find components of edges that do not fit into memory.

    Notes
    -----
    Hong et al. 2020, section 3.6 and Algorithm 3.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> seen = cc_rapids.Connectivity()
    >>> seen.insert(pd.DataFrame({"src": [5, 9], "dst": [2, 9]}))
    <Connectivity: 2 components of 3 vertices; 2 edges in 1 batch, none+async+halve on threads>
    >>> len(seen.insert(([2], [7])))
    2
    >>> seen.connected(([5, 5], [7, 9]))
    array([ True, False])
    >>> seen.components().labels()
    Labels(vertex=array([2, 5, 7, 9]), labels=array([2, 2, 2, 9]))
    """

    @suggest_keywords
    def __init__(
        self,
        num_vertices: int | None = None,
        vertices: Any = None,
        *,
        design: str | Design = "auto",
        engine: str | None = None,
        keep_forest: bool = False,
        expiry: str | None = None,
    ) -> None:
        keep_forest = check_flag("keep_forest", keep_forest) or expiry is not None
        if not (expiry is None or isinstance(expiry, str)):
            raise ArgumentTypeError(
                f"expiry= must be the name of the column of times, not a {type(expiry).__name__}"
            )
        options = Options.check(
            num_vertices=num_vertices, vertices=vertices, design=design, engine=engine
        )
        self._design, self._named_design = options.batch_design, options.named_design
        self._movable = options.engine is None  # the first batch determines the device
        count = read.check_vertices(num_vertices, vertices)
        backend = options.backend()
        forest = KeptForest.empty(backend, expiry) if keep_forest else None
        # the state is immutable and replaced as a whole
        self._state = initial_state(backend, count, vertices, self._movable, kept=forest)
        self._lock = ForkLock()  # for threads that replace the state

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = ForkLock()

    def _install(
        self, before: ConnectivityState, after: ConnectivityState
    ) -> tuple[ConnectivityState, ConnectivityState]:
        """Install the state ``after``, and return the replaced state and the installed state.

        ``after`` was computed from the state ``before``. If other threads or iterators of batches
        have inserted edges since, the current state is merged with ``after``. If edges were removed
        since, or a forest is kept, an InputError is raised instead.
        """
        with self._lock.rlock:
            now = self._state
            if now is not before and (now.removals != before.removals or now.kept is not None):
                raise InputError(
                    "while an iterator was read, edges were removed, or inserted into a kept"
                    " forest, so no batch of the iterator was inserted: pass the batches again"
                )
            if after is not before:  # otherwise there was no batch
                self._state = after if now is before else merged(now, after, before, self._design)
            return now, self._state

    @overload
    def insert(
        self,
        edges: Any,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        nulls: str = "raise",
        return_changes: Literal[False] = False,
        on_error: str = "raise",
        unreadable: str = "raise",
        **text: Unpack[TextKeywords],
    ) -> Connectivity: ...
    @overload
    def insert(
        self,
        edges: Any,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        nulls: str = "raise",
        return_changes: bool,
        on_error: str = "raise",
        unreadable: str = "raise",
        **text: Unpack[TextKeywords],
    ) -> Any: ...
    def insert(
        self,
        edges: Any,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        nulls: str = "raise",
        return_changes: bool = False,
        on_error: str = "raise",
        unreadable: str = "raise",
        **text: Unpack[TextKeywords],
    ) -> Any:
        """Insert a batch of edges.

        Parameters
        ----------
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            One batch, in any form that :func:`cc_rapids.components` accepts, or a sequence of
            batches: an iterator or list of frames or column pairs, an iterator of lists of pairs,
            or the files of a pattern, a folder, a list of paths or a dataset. All batches of a
            sequence are inserted, or none. Consecutive batches of up to 8 M edges in total are read
            before any of them is linked. If they have at most a million edges in total, they are
            linked as one batch. While an iterator is read, other threads and the iterator itself
            may insert edges; at the end, one pass over the vertices merges these insertions. After
            a file, returned frames are PyArrow tables.

            With ``num_vertices``, a GPU may still be reading the edges when this method returns.
            Later work on the default stream of the GPU, such as the work of cuDF and CuPy, starts
            only after the edges are read. Before you write to the columns on another stream or from
            the host, wait for the device, or for an answer such as ``len()``. Otherwise, edges may
            be lost without an error.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`. If both are omitted, and the names of the two
            columns of a file are not recognized, an earlier file must have had the same names.
        nulls : {"raise", "drop"}
            As for :func:`cc_rapids.components`.
        return_changes : bool
            Return the vertices whose label the batch changed, instead of the instance. This takes
            two passes over the trees, and work for the vertices of the components that grew. Other
            vertices are not labelled, and only returned vertices are converted to ids.
        on_error : {"raise", "keep"}
            ``"keep"`` inserts the files of a pattern, a folder or a list of paths one after
            another, each atomically. If a file fails, the files before it stay inserted, and the
            error names them. For paths only.
        unreadable : {"raise", "skip"}
            As for :func:`cc_rapids.stream_components`: ``"skip"`` leaves out files that cannot be
            read, without ``on_error="keep"``. For a pattern, a folder, a list of paths or a dataset
            of files.
        **text
            ``header``, ``delimiter``, ``encoding`` and ``comment``, as for
            :func:`cc_rapids.components`.

        Returns
        -------
        Connectivity
            The instance itself, so that ``len(seen.insert(edges))`` is the number of components.
        frame of the type of the batch, with ``return_changes=True``
            Columns ``vertex``, ``before`` and ``after``, with labels of kind ``"min"``, sorted by
            id. There is one row for each vertex whose label changed, and for each new vertex. For a
            new vertex, ``before`` is null; in arrays, which have no nulls, it is the vertex itself.
            For composite ids, each of these is one column for each column of an id.

        Raises
        ------
        InputError
            The edges cannot be used, or an id is outside ``num_vertices``. Subclasses:
            ColumnTypeError, NullsError and MissingColumnError.

        See Also
        --------
        Connectivity.process : Run insertions and queries in one batch.
        Connectivity.connected : Run queries only.

        Examples
        --------
        >>> import cc_rapids
        >>> seen = cc_rapids.Connectivity(num_vertices=4)
        >>> len(seen), len(seen.insert(([0, 1], [1, 2])))
        (4, 2)
        >>> import pandas as pd
        >>> seen = cc_rapids.Connectivity().insert(pd.DataFrame({"src": [1, 5], "dst": [2, 6]}))
        >>> seen.insert(pd.DataFrame({"src": [2, 9], "dst": [6, 9]}), return_changes=True)
           vertex  before  after
        0       5       5      1
        1       6       5      1
        2       9    <NA>      9
        """
        wants_changes = check_flag("return_changes", return_changes)
        check_word("on_error", on_error, ON_ERROR)
        edge_args = source, destination, nulls, TextOptions.of(text)
        check_word("unreadable policy", unreadable, UNREADABLE)
        skips = unreadable == UNREADABLE[1]
        if skips and on_error == "keep":
            raise InputError(
                "on_error='keep' stops at a file that cannot be read, but unreadable='skip' does"
                " not stop: pass only one of them"
            )
        if on_error == "raise":
            states = self._insert(edges, edge_args, skips)
        else:
            states = self._insert_files(edges, edge_args)
        if not wants_changes:
            return self
        with states[1].backend.scope():
            return frame_of(changes(*states), states[1])

    def _insert(
        self, edges: Any, edge_args: EdgeArgs, skips: bool = False
    ) -> tuple[ConnectivityState, ConnectivityState]:
        """Insert edges atomically; return the states before and after the insertion."""
        source, destination, nulls, options = edge_args
        adapter = adapter_of(edges)
        if adapter.opens:
            edges = opened(edges)
            adapter = adapter_of(edges)
        if skips and not (adapter.is_stream and self._state.kept is None):
            raise ArgumentTypeError(
                "unreadable='skip' is for patterns, folders, lists of paths and datasets of files,"
                " without a kept forest: leave it out"
            )
        if self._state.kept is not None:
            with self._lock.rlock:
                before = self._state
                batches_of_edges = pieces(before, edges, edge_args, self._expiry)
                states = self._install(before, insert_kept(before, batches_of_edges, self._movable))
        elif adapter.is_stream:  # runs the iterator's code without holding the lock
            before = self._state
            states = self._install(before, self._inserted(before, edges, edge_args, skips))
        else:
            given = read.read(
                edges, source, destination, nulls=nulls, options=options, adapter=adapter
            )
            with self._lock.rlock:
                before = self._state
                if given.formats and source is None and destination is None:
                    inputs.check_columns_as_before(given, before.given)
                after = insert_given(before, given, self._named_design, self._movable)
                states = self._install(before, after)
        if states[0].ledger.records == states[1].ledger.records:  # no row was given
            warn_of_no_edges(edges)
        if adapter.is_iterable and adapter.rows(edges, ReadRequest(source, destination)) is None:
            # without a known number of rows, lost rows are not detected
            with self._lock.rlock:
                ledger = self._state.ledger._replace(unchecked=True)
                self._state = replace(self._state, ledger=ledger)
        return states

    def _inserted(
        self, before: ConnectivityState, edges: Any, edge_args: EdgeArgs, skips: bool
    ) -> ConnectivityState:
        """Return the state with a sequence of batches inserted.

        If a file with text ids follows files with integer ids, all files are read again as text.
        If a column begins with words such as NA, which may be text or missing values, the files are
        read again with the type of the first ids after these words.
        """
        source, destination, nulls, options = edge_args
        try:
            return insert_all(before, edges, edge_args, self._named_design, self._movable, skips)
        except LateTextError as error:
            if not error.can_restart or (before.index.n and True in error.text):
                raise  # the integer ids of earlier batches cannot become text
            edge_args = source, destination, nulls, options.with_text(error.text)
            return self._inserted(before, edges, edge_args, skips)

    def _insert_files(
        self, edges: Any, edge_args: EdgeArgs
    ) -> tuple[ConnectivityState, ConnectivityState]:
        """Insert files one after another; return the states before and after all of them.

        An error names the files that stay inserted.
        """
        if not adapter_of(edges).names_files:
            raise ArgumentTypeError(
                "on_error='keep' is for a path, a pattern, a folder or a list of paths: leave it"
                " out, or insert the batches one by one"
            )
        inserted: list[str] = []
        before_all = after = self._state
        for path in paths_of(edges):
            try:
                before, after = self._insert([path], edge_args)
            except BaseException as error:
                inserted_files = f"{counted(len(inserted), 'file')} before it: {listed(inserted)}"
                add_advice(
                    error,
                    f"{path} was not inserted; kept {inserted_files if inserted else 'no file'}",
                )
                raise
            if not inserted:
                before_all = before
            inserted.append(path)
        return before_all, after

    def connected(
        self,
        pairs: Any,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        missing: str = "raise",
        **text: Unpack[TextKeywords],
    ) -> Any:
        """Return whether the two vertices of each pair are in one component.

        Parameters
        ----------
        pairs : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            Pairs of vertices, in any form that :func:`cc_rapids.components` accepts.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        **text
            Options of text files, as for :meth:`insert`.
        missing : {"raise", "false"}
            Raise an error for a pair with an unknown id, or return False for it.

        Returns
        -------
        (m,) column of bool
            A series with the index of the frame, or an array for arrays. A pair of equal vertices
            is True.

        Raises
        ------
        UnknownVertexError
            Some ids are not vertices. The error counts them and shows the first three.

        See Also
        --------
        Connectivity.process : Run queries and insertions in one batch.
        Connectivity.components : Return the components of all vertices.

        Examples
        --------
        >>> import cc_rapids
        >>> seen = cc_rapids.Connectivity().insert((["ann", "bob"], ["bob", "cy"]))
        >>> seen.connected((["ann", "ann"], ["cy", "dan"]), missing="false")
        array([ True, False])
        """
        check_word("policy for unknown ids, missing,", missing, MISSING_IN_QUERY)
        width = self._state.index.width
        given = read.read_pairs(pairs, source, destination, TextOptions.of(text), width)
        state = inputs.placed_for(self._state, given, self._movable)
        with inputs.BorrowedBatch(state.backend, given) as columns:
            check_kind(state.index, given)
            columns = columns[:2]  # without the declared vertices of a graph or file
            answers = batches.query_ids(state, columns)
            if answers is None:  # an id is unknown, or the ids are not vertex numbers
                ends, valid = inputs.ends(state, given, columns, missing)
                answers = batches.query(state, *ends) & valid
            return column_like(pairs, answers, state.backend, given.on_device)

    def same_component(self, first: Any, second: Any, *, missing: str = "raise") -> bool:
        """Return whether two vertices are in one component.

        Parameters
        ----------
        first, second : id
            Two ids; tuples for composite ids.
        missing : {"raise", "false"}
            Raise an error if an id is unknown, or return False.

        Returns
        -------
        bool
            True if the vertices are in one component or equal.

        Raises
        ------
        UnknownVertexError
            An id is not a vertex.
        ArgumentTypeError, InputError
            An argument is not a single id, or is of another kind than the earlier ids.

        See Also
        --------
        Connectivity.connected : Test many pairs.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.Connectivity().insert(([1, 2], [2, 3])).same_component(1, 3)
        True
        """
        check_word("policy for unknown ids, missing,", missing, MISSING_IN_QUERY)
        state, sides = self._state, []
        with state.backend.scope():
            for name, vertex in (("first", first), ("second", second)):
                read.check_one_id(name, vertex)
                given = inputs.one_id(name, vertex)
                check_kind(state.index, given)
                with Lending(given) as (columns, _):
                    sides.append(inputs.ends(state, given, columns[:2], missing))
            (left, left_valid), (right, right_valid) = sides
            answers = batches.query(state, left[0], right[0]) & left_valid & right_valid
        return bool(answers[0])

    def process(
        self,
        batch: Any,
        source: Side | None = None,
        destination: Side | None = None,
        query: Any = "query",
        *,
        missing: str = "raise",
        **text: Unpack[TextKeywords],
    ) -> Any:
        """Run one batch of mixed insertions and queries.

        Every query sees all earlier batches, and knows the vertices of this batch. Whether it also
        sees the insertions of this batch depends on the design. Designs that splice paths
        (``splice``), and designs in rounds (``shiloach-vishkin``, ``liu-tarjan``), run all
        insertions before the queries. With other designs, rows run concurrently, so a query may or
        may not see an insertion of this batch.

        Parameters
        ----------
        batch : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            Rows, in any form that :func:`cc_rapids.components` accepts.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        **text
            Options of text files, as for :meth:`insert`.
        query : str, or (m,) column or array of bool
            A boolean column that marks the rows that are queries, or its name.
        missing : {"raise", "false"}
            As for :meth:`connected`. The error is raised before anything is inserted.

        Returns
        -------
        column of bool, one value for each query in the order of the rows
            A series with the index of these rows, or an array for arrays.

        See Also
        --------
        Connectivity.insert : Insert edges only.
        Connectivity.connected : Run queries only.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> seen = cc_rapids.Connectivity().insert(([1, 2], [2, 3]))
        >>> rows = {"src": [3, 1, 4], "dst": [4, 3, 4], "query": [False, True, True]}
        >>> seen.process(pd.DataFrame(rows)).tolist()
        [True, True]
        """
        check_word("policy for unknown ids, missing,", missing, MISSING_IN_QUERY)
        if self._expiry is not None:
            raise InputError(
                "process() does not accept expiry times: insert() the edges, and call connected()"
            )
        batch = collected(opened(batch))  # only once, so queries and ends have the same rows
        given = inputs.read_rows(batch, source, destination, TextOptions.of(text))
        if not given.rows.records:
            warn_of_no_edges(batch)
        mask = inputs.mask_of_queries(batch, query, given)
        with self._lock.rlock:
            before = self._state
            old = inputs.placed_for(before, given, self._movable)
            with inputs.BorrowedBatch(backend := old.backend, given) as columns:
                # a copy that callers cannot modify, because one mask must split all columns
                is_query = backend.asarray(mask).copy()
                inserted = Ledger(given=int(mask.size) - int(mask.sum()))
                edges = [inputs.rows(column, ~is_query, backend) for column in columns[:2]]
                state, vertices = batches.with_vertices(old, given, [*edges, *columns[2:]])
                edge_ends = vertices[:2]  # the declared vertices of a graph or file follow
                queries = [inputs.rows(column, is_query, backend) for column in columns[:2]]
                query_ends, valid = inputs.ends(state, given, queries, missing)
                if state.kept is None:
                    state, answers_of_queries = batches.insert_and_query(
                        state, self._design, edge_ends, query_ends, is_query
                    )
                else:
                    state = link_kept(state, *edge_ends)
                    answers_of_queries = batches.query(state, *query_ends)
                state = replace(state, ledger=state.ledger.plus(inserted).check())
                # the index of a frame is for all rows, so queries are selected from all rows
                answers_of_rows = backend.xp.zeros(is_query.size, bool)
                answers_of_rows[is_query] = answers_of_queries & valid
                column = column_like(batch, answers_of_rows, backend, given.on_device)
                answers = rows_of(column, is_query, backend)
                self._install(before, state)
        return answers

    def remove(
        self,
        pairs: Any,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        remaining: Any = None,
        missing: str = "raise",
        nulls: str = "raise",
        **text: Unpack[TextKeywords],
    ) -> Connectivity:
        """Remove all edges between pairs of vertices, in both directions.

        All parallel edges of a pair are removed: insert again those that should stay.

        Only components that may have split are solved again, by one pass over the remaining edges.
        With ``keep_forest=True`` or ``expiry=``, these are the components that lose a forest edge.
        The removal of other edges scans the forest; after eight such removals, it only looks up the
        pairs. Without a kept forest, all components of the pairs are solved again. If these
        components contain more than a sixteenth of the vertices, all edges are linked again.
        Otherwise, the edges of other components are skipped. The counts of edges and batches still
        include removed edges.

        Parameters
        ----------
        pairs : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            Pairs of vertices, as for :meth:`connected`. The vertices stay.
        source, destination : str, or lists of str of equal length, optional
            The columns of the pairs and of ``remaining``, as for :func:`cc_rapids.components`.
        remaining : frame, pair of arrays, path, pattern, dataset or iterable, optional
            The remaining edges, read in pieces as by :meth:`insert`. Required if a component may
            split. Pairs of this or an earlier removal may still be among these edges: they are left
            out until they are inserted again. If a removed vertex was inserted again, leave out its
            earlier edges. Other threads wait while the edges are read, and an iterator must not
            insert edges itself.
        missing : {"raise", "ignore"}
            How to handle a pair with an unknown id, or a pair of vertices that are not connected:
            raise an error or ignore the pair. A pair of connected vertices without an edge has no
            effect.
        **text
            Options of text files, as for :meth:`insert`. They also apply to ``remaining``.
        nulls : {"raise", "drop"}
            How to handle edges of ``remaining`` with a null end.

        Returns
        -------
        Connectivity
            The instance itself. An error leaves it unchanged.

        Raises
        ------
        UnknownVertexError
            Some pairs are not edges, or ``remaining`` has unknown vertices.
        InputError
            ``remaining`` is required but missing, inserts edges itself, or has an edge between a
            component that is solved again and another component.

        See Also
        --------
        Connectivity.remove_vertices : Remove vertices with all of their edges.
        Connectivity.expire : Remove edges whose expiry time has passed.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [1, 2, 4], "dst": [2, 3, 5]})
        >>> seen = cc_rapids.Connectivity().insert(edges)
        >>> seen.remove(([3], [2]), remaining=edges).components().labels()["labels"].tolist()
        [1, 1, 3, 4, 4]
        """
        check_word("policy for unknown pairs, missing,", missing, MISSING_IN_REMOVAL)
        width, options = self._state.index.width, TextOptions.of(text)
        function_and_call = "remove()", "remove(([first], [second]))"
        given = read.read_pairs(pairs, source, destination, options, width, function_and_call)
        edge_args = source, destination, nulls, options
        return self._forget(remove_pairs, given, remaining, edge_args, missing)

    def remove_vertices(
        self,
        ids: Any,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        remaining: Any = None,
        missing: str = "raise",
        nulls: str = "raise",
        **text: Unpack[TextKeywords],
    ) -> Connectivity:
        """Remove vertices with all of their edges.

        The ids of these vertices are deleted from memory and are not in later files of
        :meth:`save`. Components are solved again as in :meth:`remove`, except components that only
        lose leaves of the kept forest.

        Parameters
        ----------
        ids : column, array or range of ids
            The vertices to remove, as for ``vertices`` of :class:`Connectivity`.
        source, destination : str, or lists of str of equal length, optional
            The columns of ``remaining``, as for :func:`cc_rapids.components`.
        remaining : frame, pair of arrays, path, pattern, dataset or iterable, optional
            As for :meth:`remove`; edges of the removed vertices are left out.
        missing : {"raise", "ignore"}
            Raise an error for an unknown id, or ignore it.
        **text
            Options of text files, as for :meth:`insert`.
        nulls : {"raise", "drop"}
            How to handle edges of ``remaining`` with a null end.

        Returns
        -------
        Connectivity
            The instance itself. An error leaves it unchanged.

        Raises
        ------
        UnknownVertexError
            Some ids are not vertices, or ``remaining`` has unknown vertices.
        InputError
            ``remaining`` is required but missing, or ``num_vertices=`` fixes the vertices.

        See Also
        --------
        Connectivity.remove : Remove edges only.

        Examples
        --------
        >>> import cc_rapids
        >>> seen = cc_rapids.Connectivity(keep_forest=True).insert(([1, 2, 1], [2, 3, 3]))
        >>> seen.remove_vertices([1], remaining=([2], [3])).components().labels()
        Labels(vertex=array([2, 3]), labels=array([2, 2]))
        """
        check_word("policy for unknown ids, missing,", missing, MISSING_IN_REMOVAL)
        index = self._state.index
        given = inputs.vertices(ids, index.width if index.n else None)
        edge_args = source, destination, nulls, TextOptions.of(text)
        return self._forget(remove_vertices, given, remaining, edge_args, missing)

    def _forget(
        self, forget: Any, given: Any, remaining: Any, edge_args: EdgeArgs, missing: str
    ) -> Connectivity:
        """Remove edges or vertices from the state, and return the instance.

        ``forget`` is :func:`remove_pairs` or :func:`remove_vertices`; ``given`` are the pairs or
        vertices to remove. ``remaining`` are the remaining edges, or None.
        """
        with self._lock.rlock:
            before = self._state
            read_again = partial(pieces, before, remaining, edge_args, self._expiry)
            after = forget(before, given, None if remaining is None else read_again, missing)
            if self._state is not before:  # merging would reinsert the removed edges
                raise InputError(
                    "remaining= inserted or removed edges while it was read, so nothing was"
                    " removed: insert them first, and pass an iterator that inserts and removes"
                    " nothing"
                )
            self._install(before, after)
        return self

    def expire(self, before: Any, *, drop_isolated: bool = False) -> Connectivity:
        """Remove the edges that expire before a time, without reading any other edges.

        Answers then use all edges whose expiry time is at or after ``before``. If an edge with an
        earlier time is inserted later, it expires immediately; its vertices are added.

        Parameters
        ----------
        before : int, float or datetime
            The time, of the type of the ``expiry=`` column. It has no effect if an earlier call
            passed a later time. Datetimes without a time zone are UTC. A datetime in a finer unit
            than the column is compared exactly.
        drop_isolated : bool
            Also remove vertices that have no edge to another vertex.

        Returns
        -------
        Connectivity
            The instance itself.

        Raises
        ------
        ArgumentTypeError, InputError
            ``before`` has another type, no edge was inserted yet, or ``expiry=`` was not set.

        See Also
        --------
        Connectivity.remove : Remove edges by their ends.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> calls = pd.DataFrame({"src": [1, 2, 1], "dst": [2, 3, 3], "until": [10, 30, 20]})
        >>> seen = cc_rapids.Connectivity(expiry="until").insert(calls)
        >>> len(seen.expire(20)), len(seen.expire(21)), len(seen.expire(99, drop_isolated=True))
        (1, 2, 0)
        """
        drop_isolated = check_flag("drop_isolated", drop_isolated)
        if self._expiry is None:
            raise InputError(
                "expire() requires the expiry time of each edge: create the instance by"
                " Connectivity(expiry='COLUMN')"
            )
        with self._lock.rlock:
            self._install(self._state, expire(self._state, before, drop_isolated))
        return self

    def components(self, labels: str | None = None) -> Components:
        """Return a snapshot of the current components; later batches do not change it.

        Parameters
        ----------
        labels : {"min", "max", "dense", "size", ...}, optional
            The default kind of labels of :meth:`Components.labels`.

        Returns
        -------
        Components
            The components of all edges so far, as from :func:`cc_rapids.components`, in new arrays.
            Frames have the type of the latest batch that had rows. If no batch had rows, they have
            the type of the latest batch.

        See Also
        --------
        Connectivity.connected : Return whether pairs of vertices are connected.
        cc_rapids.Components : The components and their methods.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.Connectivity(3).insert(([2], [1])).components().sizes()
        Sizes(labels=array([1, 0]), size=array([2, 1]))
        """
        return snapshot(self._state, self._design, None if labels is None else check_labels(labels))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the complete state to one file atomically.

        Parameters
        ----------
        path : str or path
            The path of the file, without the suffix of a table such as ``.csv``. An existing
            file is replaced. The file has its own format with checksums, and also stores the type
            of frames. If several threads or processes save to one path, one complete file remains.

        Raises
        ------
        OutputError
            The file cannot be written, or the disk is full. An existing file is not changed.
            OutputError is also an OSError.

        See Also
        --------
        Connectivity.load : Load a saved state.

        Examples
        --------
        >>> import cc_rapids, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "seen.npz")
        >>> cc_rapids.Connectivity().insert(([5], [2])).save(path)
        >>> cc_rapids.Connectivity.load(path).connected(([2], [5]))
        array([ True])
        """
        path = check_path("path", path)
        state = self._state
        with state.backend.scope():
            checkpoint.write(path, state, str(self._named_design or "auto"))

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: str | None = None) -> Connectivity:
        """Load a state written by :meth:`save`, on any engine.

        Frames are of the same library as before. If this library is missing, they are of PyArrow,
        and a message is logged. Arrays stay arrays.

        Parameters
        ----------
        path : path
            A file written by :meth:`save`.
        engine : {"auto", "gpu", "cpu", "cuda", "threads"}, optional
            Where to run. Defaults to the location of the next batch.

        Returns
        -------
        Connectivity
            The saved state, with the design of the file.

        Raises
        ------
        FormatError
            The file does not exist, is damaged, has another version, or is of another kind.

        See Also
        --------
        Connectivity.save : Write the complete state to one file.
        """
        path = check_path("path", path)
        runner = backends.get(engine)
        with runner.scope():
            state, design, _ = checkpoint.read(path, runner)
        connectivity = cls(design=design, engine=runner.name)
        connectivity._state = state
        return connectivity

    if not TYPE_CHECKING:  # checkers would accept every name

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, Components, "components()")

    @property
    def _expiry(self) -> str | None:
        """The column of expiry times, if edges expire."""
        kept = self._state.kept
        return None if kept is None else kept.expiry

    @property
    def ledger(self) -> dict[str, Any]:
        """The row counts of all batches: rows given = rows linked + rows left out, by reason.

        The format is as for :attr:`Components.ledger`. ``removed`` counts the pairs that
        :meth:`remove` removed. ``expired`` counts rows that had expired when they were inserted,
        and kept edges that :meth:`expire` removed.
        """
        return self._state.ledger.facts()

    @property
    def num_components(self) -> int:
        """The number of components, including vertices without edges."""
        return _components(self._state)

    @property
    def num_vertices(self) -> int:
        """The number of vertices."""
        return self._state.forest.n

    def __len__(self) -> int:
        return self.num_components

    def __repr__(self) -> str:
        state = self._state
        # On a GPU, repr() launches no kernel, so it shows only a count that is cached.
        count = vars(state).get("components")
        if count is None and not state.backend.on_device:
            with suppress(CcRapidsError, MemoryError):
                count = _components(state)
        counts = "" if count is None else f"{counted(count, 'component')} of "
        return (
            f"<Connectivity: {counts}{counted(state.forest.n, 'vertex', 'vertices')};"
            f" {counted(state.edges, 'edge')} in {counted(state.batches, 'batch', 'batches')},"
            f" {self._design} on {state.backend.name}>"
        )

    def _repr_html_(self) -> str | None:
        return html.panel_or_none(self._panel)

    def _panel(self) -> str:
        state = self._state
        components = snapshot(state, self._design)
        facts = components.summary()
        counts = {"components": len(components), "vertices": state.forest.n}
        counts |= {"edges": state.edges, "batches": state.batches, "largest": facts["largest"]}
        facts["seconds"] = {}  # these are the seconds of the snapshot, not of the batches
        parts = html.facts(counts), preview(components.answer), run_facts_html(facts)
        return html.panel("Connectivity", *parts)


def _components(state: ConnectivityState) -> int:
    """Return the number of components of a state."""
    with state.backend.scope():
        return state.components


def merged(
    state: ConnectivityState, other: ConnectivityState, base: ConnectivityState, design: Design
) -> ConnectivityState:
    """Return the state with the batches of two states that both continue the state ``base``.

    In ``state``, each vertex of ``other`` is linked to the least vertex of its tree in ``other``.
    Answers have the type of the answers of ``other``.
    """
    components = snapshot(other, design, check_labels("min"))
    pairs = components.answer.with_key_names(()).in_memory().label_frame()
    names: list[Any] = ["vertex", "labels"]
    if other.index.width > 1:  # without key names, the columns are 0_vertex, 1_vertex, ...
        names = [[f"{k}_{name}" for k in range(other.index.width)] for name in names]
    given = inputs.read(pairs, *names)
    with inputs.BorrowedBatch(state.backend, given) as columns:
        vertices, ends = batches.with_vertices(state, given, columns)
        linked = batches.insert(vertices, design, *ends[:2])
    dropped = state.given.dropped_rows + other.given.dropped_rows - base.given.dropped_rows
    removed = state.removed
    if removed is not None:
        # Keep the pairs that neither state has inserted again. ``linked.removed`` also lacks the
        # pairs of a vertex and its least vertex, which are not edges of a batch.
        removed = removed[state.backend.xp.isin(removed, state.backend.asarray(other.removed))]
    return replace(
        linked,
        removed=removed,
        ledger=state.ledger.plus(other.ledger.minus(base.ledger)),
        edges=state.edges + other.edges - base.edges,
        batches=state.batches + other.batches - base.batches,
        given=replace(other.given, dropped_rows=dropped),
    )


def snapshot(
    state: ConnectivityState,
    design: Design,
    labels: LabelKind | None = None,
    took: float = 0.0,
    resumed: str | None = None,
) -> Components:
    """Return the components of a state, which is not modified, as an answer.

    The answer reports the design, the seconds that the run took so far, and the description of a
    resumed run.
    """
    with state.backend.scope():
        started = perf_counter()
        forest = state.flat()
        decoder = state.index.decoder(state.given)
        seconds = {"copy": None, "compute": took + perf_counter() - started}
    facts = Facts(
        design=str(design),
        ids=state.index.description,
        edges=state.edges,
        seconds=seconds,
        resumed=resumed,
        ledger=state.ledger.check(),
    )
    kind = labels or DEFAULT_KINDS[bool(state.given.src.key_columns)]
    return Components(Answer(state.given, state.backend, decoder, forest, kind, facts))
