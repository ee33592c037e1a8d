"""The method of answers that tells why two vertices are in one component: paths of the forest."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.paths import Chains, order_from_weakest, shortest_path
from ..algorithms.rooted_forest import rooted, word_of
from ..backends import Array
from ..data.arguments import check_count, check_flag
from ..data.edge_input import EdgeInput
from ..data.read import check_one_id, read_pairs
from ..data.row_index import spread
from ..data.within import AS_FOUND, AsFound, bound_of_list, edges_asked, with_bounds
from ..errors import CapacityError, InputError, counted, id_shown
from ..graph.edges import LentOn
from .lookup import Lookup

if TYPE_CHECKING:
    from ..verify.audit import Audit
    from ..verify.label_frame import LabelFrame
    from ..verify.paths import PathsAudit
    from .components import Facts


# Bytes, and words of 4 bytes (8 beyond 2^30 vertices), that are taken while something is found:
BYTES_OF_PAIR, BYTES_OF_ROW = 160, 112  # a pair of ids, and an edge of a path
WORDS_OF_VERTEX = 45  # a vertex of a forest that is rooted
FEWER = "pass fewer pairs at a time"
PARTS = "find the forest of some components alone, or path(first, second, edges, shortest=True)"


class Walked(NamedTuple):
    """The forest of an answer in chains, rooted at the least vertices.

    Attributes
    ----------
    chains : Chains
    row, weights : (t,) arrays of numbers, or None
        The row in the caller's list, and the weight, of each edge, from the weakest to the
        strongest; None if the forest has no weights.
    order : (t,) array of integers, or None
        The edges in that order.
    """

    chains: Chains
    row: Array | None
    weights: Array | None
    order: Array | None


class Paths(Lookup):
    """An answer whose spanning forest has a path between any two vertices of a component."""

    _dense: Array
    _facts: Facts
    _check_forest: Callable[[str], None]
    _columns_of_forest: Callable[..., dict[str, Any]]
    _places_of_forest: Callable[[], tuple[list[Array], dict[str, Any]]]
    _home: Callable[[Any], Any]
    _as_answer: Callable[[], LabelFrame]
    audit: Callable[..., Audit]
    forest: Callable[[], Any]
    _places_of_edges: Callable[[EdgeInput], tuple[Array, Array]]
    _ends_of_rows: Callable[[EdgeInput, Any], dict[str, Any]]

    def paths(
        self,
        pairs: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        rows: bool = False,
        limit: int | None = None,
        header: bool | None = None,
    ) -> Any:
        """Return the length, and the weakest edge, of the path along the forest of each pair.

        There is one path along the forest between two vertices of a component. Its weakest edge
        is the one of the least weight in a forest of greatest weight, and of the greatest weight in
        one of least weight; of equal weights, the one of the least row. No other path between the
        two has a stronger weakest edge.

        The rooted forest is kept for further calls: 20 bytes a vertex, for a forest by weight 45
        and a weight, twice that beyond 2^30 vertices. To find it takes up to 180 bytes a vertex
        once, the lengths 160 a pair, and ``rows=True`` 112 an edge, strings not counted: if less
        is free, nothing is begun. How deep the trees are makes no difference.

        Parameters
        ----------
        pairs : frame, pair of columns, list of pairs or file
            Pairs of vertices, in any form that :func:`cc_rapids.components` accepts; not changed.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        rows : bool
            Return all edges of the paths instead.
        limit : int, optional
            The most edges to return with ``rows=True``; by default as many as fit into memory.
        header : bool, optional
            As for :func:`cc_rapids.components`.

        Returns
        -------
        frame of the kind of the edges
            A row for each pair, in their order. Column ``length`` (int64): the number of edges of
            the path; 0 for a pair of the same vertex, and -1 for one in two components. For a
            forest by weight also ``weakest_row`` (int64, as ``row`` of :meth:`Components.forest`;
            -1 where the path has no edge) and ``weakest_weight`` (of the type of the weights; 0
            there).

            With ``rows=True`` a row for each edge of each path: ``pair`` (int64, the number of the
            pair, from 0), ``step`` (int64, the number of edges of the path before this one), and
            the columns of :meth:`Components.forest`. Paths are in the order of the pairs, and edges
            in order from the source of the pair to its destination; ends are as in the list of
            edges, so some edges are passed backwards.

        Raises
        ------
        InputError
            The answer was found without ``forest=``, or ``limit`` is passed without ``rows=True``.
        CapacityError
            The paths have more edges than ``limit``, or than fit into memory; names their number.
            They are counted before any is returned. Or the forest, or the pairs, do not fit.
        UnknownVertexError
            Some ids are not vertices; names their number and the first of them.
        NullsError
            An id of a pair is null.
        ArgumentTypeError
            The pairs are two single ids.

        See Also
        --------
        Components.forest : The edges of the forest.
        Components.connected : Only whether pairs are in one component.
        Components.audit_paths : Prove the paths from the edges.

        Notes
        -----
        Sleator and Tarjan, "A data structure for dynamic trees", JCSS 1983: paths in heavy chains,
        of which any path has at most 2 log2 n. Reid-Miller, "List ranking and list scan on the Cray
        C-90", SPAA 1994: how the forest is rooted.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 8], "weight": [0.9, 0.6, 0.7]})
        >>> found = cc_rapids.components(edges, weight="weight", forest="max")
        >>> found.paths(([5, 7, 9], [7, 2, 2]))
           length  weakest_row  weakest_weight
        0       2            1             0.6
        1       1            1             0.6
        2      -1           -1             0.0
        >>> found.paths(([5], [7]), rows=True)
           pair  step  row  source  destination  weight
        0     0     0    0       5            2     0.9
        1     0     1    1       2            7     0.6
        """
        self._check_forest("paths(pairs)")
        whole = check_flag("rows", rows)
        most = None if limit is None else check_count("limit", limit)
        if most is not None and not whole:
            raise InputError("limit= bounds the edges of paths: pass rows=True, or leave it out")
        given = self._read_pairs(pairs, source, destination, header)
        first, second = self._places_of_edges(given)
        with self._backend.scope():
            length, place = self._lengths_and_places(first, second)
            if whole:
                return self._frame(self._rows_of_paths(first, second, length, most))
            return self._frame({"length": length} | self._weakest_at(place))

    def path(
        self,
        first: Any,
        second: Any,
        edges: Any = None,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        weight: Any = AS_FOUND,
        shortest: bool = False,
    ) -> Any:
        """Return the edges of a path between two vertices of a component, in order.

        By default this is the path along the forest, in a forest of greatest weight one whose
        weakest edge is the strongest. If an edge of ``edges`` joins the two, it is that edge alone.

        Parameters
        ----------
        first, second : id
            Two ids; tuples, for ids of several columns.
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path, optional
            The edges of the answer, or others between its vertices; those with a null end, or an
            end that is no vertex, are passed over. The forest is needed if they are left out, or
            if none of them joins the two.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, (m,) array of numbers, or None
            The weights of ``edges``, of which those outside the bounds of this answer are passed
            over: by default the column by which it was found. None says that the list has only
            edges within the bounds.
        shortest : bool
            Return a path of the fewest ``edges``: of several the one whose first edge has the least
            row, of these whose second edge has, and so on. Every level of the search costs about
            the same for few edges as for a thousand, so long paths take longest.

        Returns
        -------
        frame
            The columns of :meth:`Components.forest`, with ends as in the list of edges, and
            ``weight`` if the answer or this call names weights. Rows are positions in ``edges`` if
            edges of theirs are returned, whose kind the frame then has. Without rows for a vertex
            and itself.

        Raises
        ------
        InputError
            No path joins the two; ``shortest=True`` is passed without ``edges``; the answer was
            found without ``forest=``, which is needed; or it was found with bounds of a weight, and
            ``edges`` lack its column (MissingColumnError) or need ``weight``.
        UnknownVertexError
            An id is not a vertex of this answer.
        ArgumentTypeError
            An argument is not one id.

        See Also
        --------
        Components.paths : The lengths and weakest edges of many pairs.
        cc_rapids.oracle.walk : A shortest path, found one edge after the other.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 7, 7], "dst": [2, 7, 8, 5]})
        >>> found = cc_rapids.components(edges[:3], forest=True)
        >>> found.path(8, 5)
           row  source  destination
        0    2       7            8
        1    1       2            7
        2    0       5            2
        >>> found.path(8, 5, edges, shortest=True)
           row  source  destination
        0    2       7            8
        1    3       7            5
        """
        fewest = check_flag("shortest", shortest)
        if edges is None and fewest:
            raise InputError("shortest=True searches all edges: pass edges=, too")
        if edges is None:
            if not isinstance(weight, AsFound):
                raise InputError("weight= is for edges=, which are not passed: leave it out")
            self._check_forest("path(first, second)")
        with self._backend.scope():
            ends = []
            for name, vertex in (("first", first), ("second", second)):
                check_one_id(name, vertex, "paths()")
                ends.append(int(self._places(self._one(vertex), "raise")[0][0]))
        if edges is not None:
            given = self._read_edges(edges, source, destination, weight, "path(..., edges)")
            rows = self._rows_of_path(given, ends, fewest)
            if rows is not None:
                return self._rows_of(given, rows)
            self._check_forest("path(first, second, edges)")
        with self._backend.scope():
            tree = self._dense
            if bool(tree[ends[0]] != tree[ends[1]]):
                raise InputError(
                    f"{id_shown(first)} and {id_shown(second)} are in two components, which no path"
                    " joins: same_component(first, second) tells that"
                )
            first_end, second_end = (self._backend.asarray(np.array([end])) for end in ends)
            length = self._lengths_and_places(first_end, second_end)[0]
            edge = self._edges_along(first_end, second_end, length)[2]
            return self._frame(self._columns_of_forest(edge))

    def audit_paths(
        self,
        found: Any,
        pairs: Any,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        columns: tuple[Any, Any] = (None, None),
        rows: Any = None,
        **given: Any,
    ) -> PathsAudit:
        """Prove from the edges that what :meth:`paths` has returned is right.

        The components and the forest are proved first, see :meth:`Components.audit`. Between two
        vertices of a component there is one path along the forest. Its length and its weakest row
        are looked up in trees that the audit roots itself, on one thread of the host; they must be
        those of the frame. If the edges of all paths are passed, each must be one of the forest,
        have the ends and the weight of the list, and go on where the one before ends, from the
        first vertex of its pair to the second: a walk as long as the path is the path. Nothing of
        what finds paths is used.

        The cost is that of the components and the forest, log2 n steps a pair however long paths
        are, some 90 bytes for each id from the least to the greatest, or for each vertex if ids are
        far apart, and a pass over the edges of paths that are passed.

        Parameters
        ----------
        found : frame
            What ``paths(pairs)`` has returned.
        pairs : frame, pair of columns, list of pairs or file
            The pairs.
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            The edges of the answer.
        source, destination : str, or lists of str of equal length, optional
            The columns of the edges, as for :func:`cc_rapids.components`.
        columns : (source, destination), optional
            The columns of the pairs, as for :meth:`paths`.
        rows : frame, optional
            What ``paths(pairs, rows=True)`` has returned; it is then proved, too.
        **given
            ``vertices``, ``num_vertices``, ``nulls``, ``header`` and ``weight``, as for the answer.

        Returns
        -------
        PathsAudit
            The proof: the numbers of edges, vertices, components, pairs, and edges of paths.

        Raises
        ------
        VerificationError
            The answer is wrong; names the first edge, vertex, pair or row of a path that says so.
        InputError
            The answer was found without ``forest=``; ``weight`` is left out, of a forest by weight;
            the edges or an argument cannot be used; or an id of a pair is no vertex.

        See Also
        --------
        Components.audit : Prove the components alone.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 8], "weight": [0.9, 0.6, 0.7]})
        >>> found, pairs = cc_rapids.components(edges, weight="weight", forest="max"), ([5], [7])
        >>> print(found.audit_paths(found.paths(pairs), pairs, edges, weight="weight"))
        right: 1 path of 2 edges for 1 pair, by 3 edges
        """
        from ..verify.audit import read_again
        from ..verify.paths import PathsAudit, PathsClaim, audit  # a run needs none of this
        from ..verify.shown_rows import ShownRows

        self._check_forest("audit_paths(found, pairs, edges)")
        started, greatest = perf_counter(), self._facts.greatest
        width = max(len(self._given.src.key_columns), 1)
        proof = self.audit(edges, source, destination, forest=True, **given)
        own = with_bounds(self._given.bound, given, "audit_paths(found, pairs, edges)")
        again = read_again(edges, source, destination, greatest=greatest, **own)
        asked = self._read_pairs(pairs, *columns, given.get("header"))
        shown = None if rows is None else ShownRows(rows, "paths", width)
        forest = ShownRows(self.forest(), "forest", width).rows()
        claim = PathsClaim(asked, found, shown, forest, greatest)
        joined, steps = audit(self._as_answer(), again, claim, self._backend)
        if shown is not None:
            shown.check_index(edges)
        counts = proof.edges, proof.vertices, proof.components, asked.src.size, joined, steps
        return PathsAudit(*counts, perf_counter() - started)

    def _read_pairs(
        self, pairs: Any, source: Any, destination: Any, header: bool | None
    ) -> EdgeInput:
        """Return pairs whose paths are asked for, if there is memory for them."""
        width = len(self._given.src.key_columns) or 1
        asked = "paths()", "path(first, second)"
        given = read_pairs(pairs, source, destination, header, width, asked)
        many = given.src.size
        self._backend.check_capacity(
            many * BYTES_OF_PAIR, f"the paths of {counted(many, 'pair')}", FEWER
        )
        return given

    def _read_edges(
        self, edges: Any, source: Any, destination: Any, weight: Any, what: str
    ) -> EdgeInput:
        """Return edges within the bounds of this answer, without those with a null."""
        bound = bound_of_list(self._given.bound, weight, what)
        named = not isinstance(weight, AsFound)
        return edges_asked(edges, source, destination, bound, named=named, what=what, nulls="drop")

    def _rows_of_path(self, given: EdgeInput, ends: list[int], fewest: bool) -> Array | None:
        """Return the rows of edges that are a path, of the fewest or of one; None without one.

        Raises
        ------
        InputError
            There is no path of the fewest.
        """
        backend, xp = self._backend, self._backend.xp
        with LentOn(backend, given) as columns:
            sides = zip((given.src, given.dst), columns, strict=False)
            (src, known), (dst, there) = (self._places_of(*side, "null") for side in sides)
            near = xp.flatnonzero(known & there)
            src, dst, (first, second) = src[near], dst[near], ends
            if first == second:
                return near[:0]
            if fewest:
                path = shortest_path(src, dst, self._forest.vertices, first, second, backend)
                if path is None:
                    raise InputError(
                        f"no path of these {given.src.size:,} edges joins the two vertices: pass"
                        " edges= that the answer was found by"
                    )
                return near[xp.asarray(path, np.int64)]
            joins = ((src == first) & (dst == second)) | ((src == second) & (dst == first))
            direct = near[xp.flatnonzero(joins)[:1]]
            return direct if direct.size else None

    def _rows_of(self, given: EdgeInput, rows: Array) -> Any:
        """Return a frame of some rows of a list of edges, of its kind."""
        with self._backend.scope():
            columns = self._ends_of_rows(given, self._bring(rows, given.on_device))
            called = self._given.called
            frame = given.make_frame({called(name): column for name, column in columns.items()})
            return given.answer(frame)

    def _lengths_and_places(self, first: Array, second: Array) -> tuple[Array, Array]:
        """Return the lengths of paths, and the places of their weakest edges in the order."""
        joined = self._dense[first] == self._dense[second]
        return self._walked.chains.between(first, second, joined, self._backend.xp)

    def _weakest_at(self, place: Array) -> dict[str, Array]:
        """Return the columns of the edges at places of the order; none if there are no weights."""
        xp, (_, row, weights, order) = self._backend.xp, self._walked
        if row is None or weights is None or order is None:
            return {}
        some = xp.flatnonzero(place >= 0)
        rows, least = xp.full(place.size, -1, np.int64), xp.zeros(place.size, weights.dtype)
        rows[some], least[some] = row[place[some]], weights[place[some]]
        columns = {"weakest_row": rows}
        labels = self._columns_of_forest(order[place[some]]).get("index")
        if labels is not None:
            columns["weakest_index"] = spread(labels, self._home(place >= 0))
        return columns | {"weakest_weight": least}

    def _rows_of_paths(
        self, first: Array, second: Array, length: Array, most: int | None
    ) -> dict[str, Any]:
        """Return the columns of all edges of paths, of which there may be so many at most."""
        backend, total = self._backend, int(length[length > 0].sum())
        if most is not None and total > most:
            raise CapacityError(
                f"the paths of these {counted(length.size, 'pair')} have {counted(total, 'edge')},"
                f" and limit={most:,}: pass fewer pairs, or a higher limit"
            )
        took = total * BYTES_OF_ROW
        backend.check_capacity(took, f"the {counted(total, 'edge')} of these paths", FEWER)
        pair, step, edge = self._edges_along(first, second, length)
        numbers = {"pair": self._home(pair), "step": self._home(step)}
        return numbers | self._columns_of_forest(edge)

    def _edges_along(
        self, first: Array, second: Array, length: Array
    ) -> tuple[Array, Array, Array]:
        """Return for each edge of paths its pair, its step, and its index in the forest."""
        chains, order = self._walked.chains, self._walked.order
        pair, step, place = chains.along(first, second, length, self._backend.xp)
        return pair, step, place if order is None else order[place]

    @cached_property
    def _walked(self) -> Walked:
        """The rooted forest in chains."""
        backend, n = self._backend, self._forest.vertices
        small = np.dtype(f"i{np.dtype(word_of(n)).itemsize}")
        took = n * WORDS_OF_VERTEX * small.itemsize
        backend.check_capacity(took, f"rooting the forest of {n:,} vertices", PARTS)
        (src, dst), columns = self._places_of_forest()
        xp = backend.xp
        vertex, least = self._rows()
        roots = xp.flatnonzero(vertex == least)
        row = weights = order = None
        if "weight" in columns:
            row, weights = (backend.asarray(columns[name]) for name in ("row", "weight"))
            order = order_from_weakest(weights, not self._facts.greatest, xp)
            order = order.astype(small)
            row, weights = row[order], weights[order]
        forest = rooted(src, dst, roots, n, backend)
        return Walked(Chains.of(forest, order, xp), row, weights, order)
