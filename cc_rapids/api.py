"""The functions that users call."""

from __future__ import annotations

import logging
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, overload

from .algorithms.design import Design
from .backends import Backend
from .backends.choice import choose
from .data.adapters import adapter_of
from .data.edge_input import EdgeInput, ReadRequest
from .data.foreign import opened, with_own_weights
from .data.frame_build import frame_of_table
from .data.read import check_text, in_memory, named_ends, read
from .data.reading import Reading
from .data.text_options import COMMENTS, KEYWORDS, TextOptions
from .data.weights import weighted
from .data.within import read_within
from .errors import InputError, shown
from .graph.plain_weights import plain_weights
from .options import CHUNKED, Options, check_chunked, with_ends, with_weights, within_bound
from .results.answer import Answer, Facts
from .results.components import Components
from .results.lookup import warn_of_no_edges
from .solver.choose import Plan
from .solver.solve import explain, solve

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .data.read import Side
    from .data.typed import GivenT, Lazy, MadeT, Series
    from .incremental.stream import StreamPlan
    from .results.on_devices import SpreadComponents
    from .results.typed import ArrayComponents, ComponentsOptions

    Array = NDArray[np.generic]

log = logging.getLogger(__name__)


@overload  # the options are those of the function itself
def components(
    edges: Any,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[True],
    **options: Unpack[ComponentsOptions],
) -> Plan: ...
@overload
def components(
    edges: GivenT,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[ComponentsOptions],
) -> Components[GivenT]: ...
@overload
def components(
    edges: tuple[Series[MadeT], Series[MadeT]] | Lazy[MadeT],
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[ComponentsOptions],
) -> Components[MadeT]: ...
@overload
def components(
    edges: tuple[Array, Array] | tuple[Sequence[Any], Sequence[Any]] | Array,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[ComponentsOptions],
) -> ArrayComponents: ...
@overload
def components(
    edges: Any,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[ComponentsOptions],
) -> Components[Any]: ...
@overload
def components(
    edges: Any,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: bool,
    **options: Unpack[ComponentsOptions],
) -> Components[Any] | Plan | StreamPlan: ...
def components(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = COMMENTS,
    format: str | None = None,
    weight: Any = None,
    at_least: float | None = None,
    at_most: float | None = None,
    labels: str = "min",
    nulls: str = "raise",
    design: str | Design = "auto",
    engine: str | None = None,
    frames: str | None = None,
    memory: str = "device",
    forest: bool | str = False,
    devices: str | Sequence[int] | None = None,
    explain: bool = False,
    **chunked: Any,
) -> Components | SpreadComponents | Plan | StreamPlan:
    """Find the connected components of an edge list.

    Directions, duplicates and the order of the edges do not matter; a self-loop adds its vertex.
    The input is never changed. Columns of integers close together are read in place: the list is
    not renumbered, symmetrised, sorted or copied (a host frame is copied to the GPU once if
    ``engine="cuda"``).

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        A cuDF, pandas, Polars or PyArrow frame, or a DuckDB relation; a tuple ``(source,
        destination)`` of lists, series, NumPy or CuPy arrays, or objects with
        ``__cuda_array_interface__``, of equal length; a list of edges, each a pair of ids, such as
        ``[(1, 2), (3, 4)]``; an array or tensor (``__dlpack__``) of shape (edges, 2)
        or (2, edges), where of (2, 2) each row is an edge; a mapping of names to columns; a SciPy
        or CuPy sparse matrix (n, n), whose stored entries are edges; a graph of NetworkX, igraph or
        cuGraph, with its own vertices; or the path of a csv, tsv, SNAP text, Matrix Market or
        Parquet file. Ids are integers of any width, signed or unsigned, strings, or categories,
        which are read as their values. The following need not fit into memory: a folder, a pattern
        or list of paths, an address (fsspec), an iterable (or a list) of frames or of tuples of two
        columns, a pyarrow dataset or RecordBatchReader.
    source, destination : str, or lists of str of equal length, optional
        The columns with the two ends of each edge. Several columns together form one id, and rows
        compare column by column. By default a known pair of names: src and dst, source and target,
        from and to, left and right, u and v, id_l and id_r, unique_id_l and unique_id_r (with
        source_dataset_l and source_dataset_r, if these stand beside them) and others of
        :doc:`/guides/inputs`; or else the only two columns.
    vertices : column, array or range, optional
        Vertices to include even if no edge names them (a frame or tuples, for ids of several
        columns).
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    weight : str, or (m,) array, optional
        The column of weights, or for arrays and lists the weights, of numbers; for ``at_least`` and
        ``at_most``, or for ``forest="min"`` and ``forest="max"``. By default the values of a
        matrix, and ``"weight"`` of the edges of a graph.
    at_least, at_most : float, optional
        Read only the edges with such a weight; of the others, and of those whose weight is null or
        nan, the vertices are not included either. The answer keeps the bounds, and applies them to
        edges that it is given later. Of Parquet files and datasets, row groups without
        such edges are not read. 32-bit floats are compared as such; integers exactly, whatever the
        bound.
    labels : {"min", "max", "dense", "size", ...}
        The default kind of labels of :meth:`Components.labels`.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end: raise an error, or drop the edge and count it.
    design : str or Design
        The name of the algorithm, such as ``"none+async+halve"`` (see :func:`cc_rapids.designs`).
        ``"auto"`` selects the fastest one by measured rules; ``"auto(rule=paper)"`` follows the
        decision tree of Hong et al. 2020.
    engine : {"auto", "gpu", "cpu", "cuda", "threads"}, optional
        Where to run. By default, and by ``"auto"``, where the edges are; edges in files go to the
        GPU if that takes less time, its start included. ``"gpu"`` is ``"cuda"``, and ``"cpu"`` is
        ``"threads"``.
    frames : {"pyarrow", "cudf", "pandas", "polars"}, optional
        The library of the frames of answers for files, which are PyArrow's by default.

    Returns
    -------
    Components
        The components. The memory beyond the input, for integers close together, is at most 4 n + n
        / 8 + answer + 8 MiB, where n is the number of integers from the least id to the greatest (8
        n in place of 4 n if n exceeds 2^32); :func:`cc_rapids.memory_bound` documents the full
        formula. For other ids see :mod:`cc_rapids.ids.encode`; ``explain=True`` returns the amount.

    Other Parameters
    ----------------
    header : bool, optional
        Whether the first line of a csv, tsv or SNAP file names its columns. By default it is a
        header if it contains given or known names, and an edge if its ends are numbers like those
        of the next line; a line that may be either raises an error.
    delimiter : str, optional
        The character between fields of a text file, or a blank for runs of blanks and tabs. By
        default it is the one of comma, tab, semicolon and pipe that splits each of the first twenty
        records into the same number of fields, of two or more, and else runs of blanks, whatever
        the suffix; two that do raise an error.
    encoding : str, optional
        The encoding of a text file, by default that of its byte order mark, or UTF-8.
    comment : str or None
        The letters that begin comments in a text file, by default ``#`` and ``%``. Comments stand
        before the first record; a later line is an edge, whatever it begins with.
    format : str, optional
        The format of files, such as ``"csv"`` or ``"mtx"``, by default that of their suffixes, or
        else of their first bytes.
    memory : {"device", "pinned", "zero-copy"}
        The memory from which GPU kernels read the edges, and the rows or the matrix that a design
        makes from them. ``"device"``: GPU memory. ``"pinned"``: GPU memory, to which edges are
        copied through pinned host memory, which is faster; edges that are already on the device
        stay there. ``"zero-copy"``: kernels read pinned host memory over the bus, so that integers
        which are used as vertices directly take no GPU memory (renumbered ids, and rows, are made
        on the GPU first). NumPy arrays in pinned memory (``cupyx.empty_pinned``) are used in place,
        all others are copied to it. On threads all three are ordinary memory.
    forest : bool, or {"min", "max"}
        Record the edges of a spanning forest, for :meth:`Components.forest`. This takes one more
        integer per vertex, but no second run. ``"min"`` and ``"max"``: those of the minimum or the
        maximum spanning forest by ``weight``, see :func:`cc_rapids.minimum_spanning_forest`.
    devices : "all", or list of int, optional
        Run on several GPUs of this machine, without a cluster: see :doc:`/larger`. The answer is a
        :class:`~cc_rapids.SpreadComponents`. Edges may be on one GPU or on the
        host, and are spread over as many GPUs as pay; or a list of frames or tuples of two
        columns, one for each GPU, which stay there. Ids are integers close together.
    explain : bool
        Return the :class:`~cc_rapids.solver.choose.Plan` instead of running: how the ids would be
        encoded, which design would run and why, and the most memory that it would take.
    **chunked
        ``memory_limit``, ``progress``, ``checkpoint`` and ``checkpoint_every`` read a file or frame
        in chunks. See :func:`cc_rapids.stream_components` for them and for ``unreadable``.

    Raises
    ------
    InputError
        The edges or an argument cannot be used (also ColumnTypeError, NullsError,
        MissingColumnError, FormatError, DesignError).
    CapacityError
        The range of the ids needs more memory than is available, or a design needs memory for each
        pair of vertices, which does not fit.
    EngineError
        The engine is unknown or this machine cannot run it.
    LedgerError
        Rows were lost or repeated between the input and the kernels: see
        :attr:`Components.ledger`.

    See Also
    --------
    stream_components : Find components of edges that do not fit into memory.
    Connectivity : Insert edges in batches, with queries among them.
    components_at : Find components of weighted edges at several thresholds.
    spanning_forest : Find edges that join the components without a cycle.
    minimum_spanning_forest : Find such edges of the least weight.
    memory_bound : Return the most bytes that a run takes.

    Examples
    --------
    >>> import numpy as np, cc_rapids
    >>> far = np.array([-(2**62), 7]), np.array([7, 2**60])
    >>> cc_rapids.components(far).summary()["ids"]
    'hash slots'
    >>> found = cc_rapids.components((np.array([0, 4]), np.array([1, 5])), num_vertices=6)
    >>> len(found)
    4
    >>> found.labels("dense").labels
    array([0, 0, 1, 2, 3, 3], dtype=int32)
    """
    if chunked:
        check_chunked(chunked)
    weighs = isinstance(forest, str) or at_least is not None or at_most is not None
    if weighs:
        edges, weight = with_own_weights(edges, weight)
    options = Options.check(
        source=source,
        destination=destination,
        vertices=vertices,
        num_vertices=num_vertices,
        header=header,
        delimiter=delimiter,
        encoding=encoding,
        comment=comment,
        format=format,
        weight=weight,
        at_least=at_least,
        at_most=at_most,
        labels=labels,
        nulls=nulls,
        design=design,
        engine=engine,
        frames=frames,
        memory=memory,
        forest=forest,
        devices=devices,
        explain=explain,
        **chunked,
    )
    if options.devices is not None:
        from .several_gpus import find_on_devices  # most runs are on one

        return find_on_devices(edges, options)
    return find_components(edges, options)


def find_components(
    edges: Any, options: Options, reading: Reading | None = None
) -> Components | Plan | StreamPlan:
    """Find the components of edges: the body of :func:`components` after its options are checked.

    Streams, edges with options of streams, and files whose ids have several columns are read in
    chunks, by :func:`cc_rapids.stream_components`; without such options, tables that fit into
    memory come back from there as one, and ``reading`` tells how their files were read. All others
    are read as two columns of ids, one
    for each end, or as many as an id has; :func:`~cc_rapids.data.read.read` counts null ends, and
    drops or refuses them. The backend is the one that the caller names, or else that of the memory
    in which the edges lie. On it, :func:`~cc_rapids.solver.solve.solve` makes vertices 0 .. n - 1
    of the ids, and runs a design, which makes a union-find forest of them. With ``explain``,
    :func:`~cc_rapids.solver.solve.explain` makes the same choices, and runs nothing.
    The forest of hashed ids, and of ids of several columns, is brought into the order of the ids at
    last, for the answer to read. The number of components is read back from the GPU: then the run
    has finished. A forest by weight is counted when somebody asks for labels or their number, or
    for the log; its seconds are those of its edges.
    """
    answers, outer = None, None if reading is None else reading.ledger
    adapter = adapter_of(edges)
    options = with_ends(edges, options, adapter)
    bound = options.weight_bound
    if adapter.opens:
        edges = opened(edges)
        adapter = adapter_of(edges)
    if options.frames is not None and not (adapter.is_stream or adapter.has_header):
        raise InputError(
            f"frames= is for files, and edges are a {type(edges).__name__}: leave it out"
        )
    if bound is not None and not options.forest:
        in_chunks = options.chunked or adapter.is_stream or adapter.names_files
        if in_chunks or not _is_numbered(edges):
            bound = None
        if not (in_chunks or _is_numbered(edges)):
            edges, options, ledger = within_bound(edges, options)
            adapter = adapter_of(edges)
            outer = ledger if outer is None else outer.plus(ledger._replace(given=0))
    if options.spanning is not None or (bound is not None and options.forest):
        given, request = edges, ReadRequest(options.source, options.destination)
        edges, options, reading = with_weights(edges, options)
        outer = reading.ledger if reading.taken else None
        answers, adapter = adapter.answers(given, request), adapter_of(edges)
    has_key_columns = adapter.names_files and isinstance(options.source, list)
    named_frames = options.frames is not None
    bounded_files = options.weight_bound is not None and adapter.names_files
    if options.chunked or adapter.is_stream or has_key_columns or named_frames or bounded_files:
        from .incremental.stream import find_in_stream

        return find_in_stream(edges, options, None if options.chunked else find_components)
    weights_of = None
    if options.spanning is not None and bound is None:
        weights_of = plain_weights(adapter, edges, options.spanning.weight)
    source, destination = options.source, options.destination
    named = options.vertices, options.num_vertices, options.nulls, options.text
    if bound is None:
        edge_input = read(edges, source, destination, *named, adapter=adapter)
    else:
        weighs = options.spanning is not None
        edge_input = read_within(edges, source, destination, bound, *named, keeps_weights=weighs)
        edge_input = replace(edge_input, answers=answers or edge_input.answers)
    if options.weight_bound or options.applied_bound or options.spanning:
        edge_input = replace(edge_input, bound=options.remembered())
    taken = () if reading is None else tuple(reading.taken)
    if taken:
        edge_input = replace(edge_input, taken=taken)
    if options.spanning is not None and weights_of is not None:
        found = weights_of() or adapter.weights(edges, options.spanning.weight)
        edge_input = weighted(edge_input, found, options.spanning.name, options.nulls)
        edge_input = replace(edge_input, answers=answers or edge_input.answers)
    choice = choose(edge_input.src.size) if adapter.names_files or taken else None
    backend = options.backend(edge_input.on_device, choice)
    # The columns are lent for as long as kernels read them; the answer keeps the arena's memory.
    with backend.scope() as arena, edge_input.borrow() as (columns, offsets):
        if options.explain:
            return explain(edge_input, columns, offsets, backend, options)
        started = perf_counter()
        copied_at = None
        if backend.on_device and (not edge_input.on_device or options.memory == "zero-copy"):
            columns, offsets = to_device(edge_input, columns, offsets, backend, options.memory)
            copied_at = perf_counter()
        solved = solve(edge_input, columns, offsets, backend, options)
        encoded = solved.encoded
        forest, decoder = encoded.forest, encoded.decoder
        if decoder is None:  # hashed ids, or ids of several columns: not in their order yet
            forest, decoder = encoded.finalise(forest, options.speculates and backend.goes_on)
        done = perf_counter()
    ledger = edge_input.rows
    if outer is not None:  # of a list that the rows are a part of
        ledger = outer.plus(ledger._replace(given=0))
    ledger = ledger._replace(linked=encoded.edges.m).check()
    if edge_input.taken and not ledger.records:
        warn_of_no_edges(edges)
    seconds = {"copy": None if copied_at is None else copied_at - started}
    seconds["compute"] = done - (copied_at or started)
    facts = Facts(
        design=solved.plan.design,
        ids=encoded.name,
        edges=edge_input.src.size,
        memory=options.memory,
        seconds=seconds,
        greatest=None if options.spanning is None else options.spanning.greatest,
        chosen_again=solved.chosen_again,
        ledger=ledger,
    )
    if edge_input.dropped_rows:
        log.info("%d edges with a null end were left out", edge_input.dropped_rows)
    if log.isEnabledFor(logging.INFO):  # for which a forest by weight is counted
        log.info(
            "%s on %s: %d components in %.4f s",
            *(facts.design, backend.name, forest.components, seconds["compute"]),
        )
    chosen, frame = solved.forest_edges, solved.frame
    kind = options.labels
    return Components(
        Answer(edge_input, backend, decoder, forest, kind, facts, chosen, frame, arena)
    )


def _is_numbered(edges: Any) -> bool:
    """Return whether edges are in memory, so that those within a bound keep their row numbers."""
    return adapter_of(edges).has_rows and not hasattr(type(edges), "collect")


def spanning_forest(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find a spanning forest: edges that join the same vertices as all, without a cycle.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`components`.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`.

    Returns
    -------
    frame of the caller's kind
        See :meth:`Components.forest`; the number of rows is that of vertices minus that of
        components. With ``explain=True``, the plan instead.

    Raises
    ------
    DesignError
        The design hooks vertices that are not roots, or splices; also all errors of
        :func:`components`.

    See Also
    --------
    components : Find the components, and also the forest with ``forest=True``.
    minimum_spanning_forest : Find the one of the least weight.
    Components.forest : Return the spanning forest of an answer.

    Notes
    -----
    Hong et al. 2020, Algorithm 2: an edge of the forest belongs to the root that it hooked.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"a": [1, 2, 3, 3], "b": [2, 3, 1, 1]})
    >>> len(cc_rapids.spanning_forest(edges, "a", "b"))
    2
    """
    _check_forest(options, True)
    options["forest"] = True
    found = components(edges, source, destination, **options)
    return found.forest() if isinstance(found, Components) else found


def bipartition(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find two colours of the vertices, so that both ends of each edge have different ones.

    A component has such colours if it has no cycle of an odd number of edges, and is then
    *bipartite*. A self-loop is an odd cycle.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`components`; not changed. They fit into memory, as they are read twice.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`. Rows of cycles are positions in the list, also with ``at_least``
        or ``at_most``.

    Returns
    -------
    Bipartition
        The colours, and an odd cycle for each component that has one. Beside the components, this
        takes about 48 bytes an edge while it runs, and then 1 byte a vertex. With
        ``explain=True``, the plan of the components instead.

    Raises
    ------
    InputError
        The edges are read in chunks; also all errors of :func:`components`.

    See Also
    --------
    is_bipartite : Return whether there are colours for all vertices.
    spanning_forest : Find edges without any cycle.

    Notes
    -----
    A component is not bipartite if, in the double cover of the graph, the two vertices that stand
    for one of its vertices are joined: see :mod:`cc_rapids.algorithms.bipartition`.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> likes = pd.DataFrame({"src": ["ann", "bob", "bob"], "dst": ["tea", "tea", "jam"]})
    >>> cc_rapids.bipartition(likes).colors()
      vertex  color
    0    ann      0
    1    bob      0
    2    jam      1
    3    tea      1
    """
    from .analysis.bipartition import Bipartition  # most runs look for no colours

    edges = _opened_with(edges, options)
    _check_second_run(edges, options)
    edges, source, destination = _in_rows(edges, source, destination, options)
    found = components(edges, source, destination, **options)
    if not isinstance(found, Components):
        return found
    return Bipartition(found, _options_of_second_run(options))


def _opened_with(edges: Any, options: dict[str, Any]) -> Any:
    """Return edges, opened; the weights of their own become an option, if there are bounds."""
    bounded = any(options.get(name) is not None for name in ("at_least", "at_most"))
    if not bounded:
        return opened(edges)
    edges, options["weight"] = with_own_weights(edges, options.get("weight"))
    return edges


def _in_rows(
    edges: Any, source: Any, destination: Any, options: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """Return edges in memory and their columns, if an answer numbers rows of those within bounds.

    Files become a table, and a lazy frame is collected. Options that were used are removed.
    """
    adapter = adapter_of(edges)
    bounded = any(options.get(name) is not None for name in ("at_least", "at_most"))
    streamed = adapter.is_stream and not adapter.becomes_table
    in_pieces = streamed or not options.keys().isdisjoint(CHUNKED)
    if not bounded or in_pieces or _is_numbered(edges):
        return edges, source, destination
    source, destination = named_ends(edges, source, destination, options.get("weight"))
    text = TextOptions.among(options)
    check_text(adapter, edges, text)
    request = ReadRequest(source, destination, options.get("nulls", "raise"), text)
    table, sides = in_memory(adapter, edges, request, options.get("weight"), Reading())
    if sides is None:
        return table, source, destination
    for name in KEYWORDS:
        options.pop(name, None)
    if not (adapter.is_stream or adapter.names_files):
        return table, *sides  # for which frames= is refused
    library = options.pop("frames", None)
    return (table if library in (None, "pyarrow") else frame_of_table(table, library)), *sides


def _check_forest(options: dict[str, Any], wanted: bool | str) -> None:
    """Raise an InputError if another forest is requested than the one that a function finds."""
    given = options.get("forest", wanted)
    if type(given) is not type(wanted) or given != wanted:
        raise InputError(
            f"forest={shown(given)} is another forest than the one of this function: leave it out,"
            " or use components(..., forest=), spanning_forest(), minimum_spanning_forest() or"
            " maximum_spanning_forest()"
        )


def _check_second_run(edges: Any, options: dict[str, Any]) -> None:
    """Raise an InputError for edges, and options of them, that are not in one table on a device."""
    if options.get("devices") is not None:
        raise InputError(
            "devices= is for components(), which needs no edges afterwards: leave it out, as this"
            " function reads them again on one device"
        )
    if options.get("explain") is True:
        return
    adapter, chunked = adapter_of(edges), [name for name in CHUNKED if name in options]
    if adapter.is_stream and not adapter.becomes_table:
        raise InputError(
            f"edges are a {type(edges).__name__} of frames, which are read in chunks and not kept,"
            " and all are needed twice for this function: read them into one frame"
        )
    if chunked:
        raise InputError(
            f"{chunked[0]}= makes edges be read in chunks, which are not kept, and all are needed"
            " twice for this function: leave it out"
        )


def _options_of_second_run(options: dict[str, Any]) -> Options:
    """Return the options for edges that are made from an answer: the design and the memory."""
    runs = {name: options[name] for name in ("design", "memory") if name in options}
    return Options.check(**runs)


def is_bipartite(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Return whether no cycle of the edges has an odd number of edges.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`bipartition`.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`.

    Returns
    -------
    bool
        True also without edges; False if an edge is a self-loop. With ``explain=True``, the plan
        instead.

    Raises
    ------
    InputError
        As for :func:`bipartition`.

    See Also
    --------
    bipartition : Find the colours, and the odd cycles.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.is_bipartite(([1, 2, 3, 4], [2, 3, 4, 1]))
    True
    >>> cc_rapids.is_bipartite(([1, 2, 3], [2, 3, 1]))
    False
    """
    found = bipartition(edges, source, destination, **options)
    return found if options.get("explain") else found.is_bipartite


def bridges(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find the bridges: the edges without which a component would fall into two.

    An edge that the list holds twice, in either direction, is no bridge, nor is a self-loop.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, graph, or path
        As for :func:`components`; not changed. Not matrices and graphs of cuGraph, which may name
        an edge at both ends. They fit into memory, as they are read twice.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`. Rows are positions in the list, also with ``at_least`` or
        ``at_most``; labels of a pandas index stand beside them.

    Returns
    -------
    frame of the caller's kind
        Columns ``row``, ``source`` and ``destination`` as of :meth:`Components.forest`, in the
        order of the rows. With ``explain=True``, the plan of the components instead.

    Raises
    ------
    InputError
        The edges are read in chunks, or are a matrix or a graph of cuGraph; also all errors of
        :func:`components`.

    See Also
    --------
    two_edge_connected_components : Find the classes of vertices between them.
    articulation_points : Find such vertices.
    spanning_forest : Find edges without any cycle, among which all bridges are.
    Components.audit : Prove the frame, as ``bridges=``.

    Notes
    -----
    Tarjan and Vishkin 1985: see :mod:`cc_rapids.algorithms.bridges`. It takes some 90 bytes a
    vertex (twice as many from 2^30 of them on) and 26 bytes an edge, besides the components.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3, 3], "dst": [2, 3, 1, 4]})
    >>> cc_rapids.bridges(edges)
       row  source  destination
    0    3       3            4
    """
    from .analysis.bridges import bridges_of, check_listed_once  # most runs look for no bridges

    check_listed_once(opened(edges))
    edges = _opened_with(edges, options)
    _check_second_run(edges, options)
    source, destination = named_ends(edges, source, destination, options.get("weight"))
    given, request = edges, ReadRequest(source, destination)
    edges, source, destination = _in_rows(edges, source, destination, options)
    found = components(edges, source, destination, **options)
    if not isinstance(found, Components):
        return found
    made, answers = bridges_of(found.answer), adapter_of(given).answers(given, request)
    return made if answers is None or edges is given else answers(made)


def two_edge_connected_components(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find the classes of vertices that stay joined whichever edge is left out.

    They are the components of the edges that are no bridges. A vertex that only bridges or
    self-loops name is a class of its own.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, or path
        As for :func:`bridges`.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`, without ``forest``.

    Returns
    -------
    Components
        With all vertices of the edges. Its ``audit()`` takes the edges that are no bridges, and all
        vertices as ``vertices=``. With ``explain=True``, the plan of the components instead.

    Raises
    ------
    InputError
        As for :func:`bridges`; also if a forest is requested.

    See Also
    --------
    bridges : Find the edges between the classes.
    components : Find the components of all edges.

    Examples
    --------
    >>> import cc_rapids
    >>> found = cc_rapids.two_edge_connected_components(([1, 2, 3, 3], [2, 3, 1, 4]))
    >>> found.labels()
    Labels(vertex=array([1, 2, 3, 4]), labels=array([1, 1, 1, 4]))
    """
    from .analysis.bridges import check_listed_once, without_bridges

    check_listed_once(opened(edges))
    edges = _opened_with(edges, options)
    _check_second_run(edges, options)
    forest = options.get("forest", False)
    if isinstance(forest, bool | str) and forest:
        raise InputError("forest= is for components(...): classes have no forest, leave it out")
    found = components(edges, source, destination, **options)
    if not isinstance(found, Components):
        return found
    return Components(without_bridges(found.answer, _options_of_second_run(options)))


def articulation_points(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find the articulation points: the vertices without which a component would fall apart.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`components`; not changed. They fit into memory, as they are read twice. Edges
        that are there twice, and self-loops, do not matter.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`.

    Returns
    -------
    frame of the caller's kind
        Column ``vertex`` (for ids of several columns as many), in the order of the ids. With
        ``explain=True``, the plan of the components instead.

    Raises
    ------
    InputError
        The edges are read in chunks; also all errors of :func:`components`.

    See Also
    --------
    bridges : Find such edges.

    Notes
    -----
    Dong et al. 2023: see :mod:`cc_rapids.algorithms.bridges`.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3, 3], "dst": [2, 3, 1, 4]})
    >>> cc_rapids.articulation_points(edges)
       vertex
    0       3
    """
    from .analysis.bridges import articulation_points_of

    edges = _opened_with(edges, options)
    _check_second_run(edges, options)
    found = components(edges, source, destination, **options)
    if not isinstance(found, Components):
        return found
    return articulation_points_of(found.answer, _options_of_second_run(options))


def minimum_spanning_forest(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    weight: Any = None,
    **options: Any,
) -> Any:
    """Find the spanning forest of least weight: a minimum spanning tree of each component.

    Among edges of equal weight, those of lower rows are taken first, as Kruskal's algorithm does:
    so the forest is the same on every run and engine.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, or path
        As for :func:`components`; not edges that do not fit into memory.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    weight : str, or (m,) array, optional
        The column of weights, or the weights: integers or floats of up to 64 bits; by default the
        values of a matrix, and ``"weight"`` of the edges of a graph. Infinities are
        weights, and -0.0 equals 0.0. One that is null or nan raises an error; with ``nulls="drop"``
        its edge is dropped with its vertices.
    **options
        As for :func:`components`, without ``design``. Rows are positions in the list, also with
        ``at_least`` or ``at_most``.

    Returns
    -------
    frame of the caller's kind
        See :meth:`Components.forest`: columns ``row``, ``source``, ``destination`` and ``weight``.
        With ``explain=True``, the plan instead.

    Raises
    ------
    NullsError
        A weight is null or nan.
    MissingColumnError, ColumnTypeError, InputError, DesignError
        Weights or an argument cannot be used; also all errors of :func:`components`.

    See Also
    --------
    maximum_spanning_forest : The same for the greatest weight.
    components : Find the components, and also this forest with ``forest="min"``.
    cc_rapids.oracle.kruskal : The same one edge after the other.
    cc_rapids.oracle.certify_forest : Prove that a forest is the one of least weight.

    Notes
    -----
    Rounds of Borůvka's on 64-bit keys of weight and row, lighter edges first, so that most others
    are dropped. They take 16 bytes for each vertex (20 from 2^32 - 1 edges on), 8 more for
    weights of 64 bits, and 16 (24) for each edge between two trees at a time.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3, 8], "dst": [2, 3, 1, 9], "km": [5, 2, 4, 7]})
    >>> cc_rapids.minimum_spanning_forest(edges, weight="km")
       row  source  destination  weight
    0    1       2            3       2
    1    2       3            1       4
    2    3       8            9       7
    """
    _check_forest(options, "min")
    options |= {"weight": weight, "forest": "min"}
    found = components(edges, source, destination, **options)
    return found.forest() if isinstance(found, Components) else found


def maximum_spanning_forest(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    weight: Any = None,
    **options: Any,
) -> Any:
    """Find the spanning forest of greatest weight: a maximum spanning tree of each component.

    Among edges of equal weight, those of lower rows are taken first. The path between two vertices
    along this forest has the greatest least weight of all paths between them.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, or path
        As for :func:`minimum_spanning_forest`.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    weight : str, or (m,) array, optional
        As for :func:`minimum_spanning_forest`.
    **options
        As for :func:`minimum_spanning_forest`.

    Returns
    -------
    frame of the caller's kind
        As for :func:`minimum_spanning_forest`.

    Raises
    ------
    NullsError, MissingColumnError, ColumnTypeError, InputError, DesignError
        As for :func:`minimum_spanning_forest`.

    See Also
    --------
    minimum_spanning_forest : The same for the least weight.
    components_at : Find components of weighted edges at several thresholds.

    Examples
    --------
    >>> import numpy as np, cc_rapids
    >>> edges = np.array([1, 2, 3]), np.array([2, 3, 1])
    >>> found = cc_rapids.maximum_spanning_forest(edges, weight=np.array([0.5, 0.9, 0.7]))
    >>> found.row, found.weight
    (array([1, 2]), array([0.9, 0.7]))
    """
    _check_forest(options, "max")
    options |= {"weight": weight, "forest": "max"}
    found = components(edges, source, destination, **options)
    return found.forest() if isinstance(found, Components) else found


def to_device(
    edge_input: EdgeInput, columns: list[Any], offsets: list[Any], backend: Backend, memory: str
) -> tuple[list[Any], list[Any]]:
    """Copy columns of integers and the offsets of rows to memory that a GPU reads; return them.

    Strings, and ids of several columns, are returned unchanged: their encodings copy them.
    """
    if edge_input.src.strings or edge_input.src.key_columns:
        return columns, offsets
    columns = [backend.placed(column, memory) for column in columns]
    offsets = [backend.placed(column, memory) for column in offsets]
    backend.synchronize()
    return columns, offsets
