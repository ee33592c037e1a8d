"""The method of answers that tells why two vertices are in one component: paths of the forest."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.paths import (
    Jumps,
    edges_between,
    edges_of_paths,
    order_from_weakest,
    shortest_path,
)
from ..algorithms.rooted_forest import RootedForest, rooted
from ..backends import Array
from ..data.arguments import check_count, check_flag
from ..data.edge_input import EdgeInput
from ..data.read import check_one_id, read, read_pairs
from ..errors import CapacityError, InputError, id_shown
from ..graph.edges import LentOn
from .lookup import Lookup

if TYPE_CHECKING:
    from .components import Facts


BYTES_OF_ROW = 72  # of a path, while it is found


class Walked(NamedTuple):
    """The forest of an answer, rooted at the least vertices.

    Attributes
    ----------
    forest : RootedForest
    row : (t,) array of int64
        The row of each edge in the caller's list, ascending.
    weights : (t,) array of numbers, or None
    """

    forest: RootedForest
    row: Array
    weights: Array | None


class Paths(Lookup):
    """An answer whose spanning forest has a path between any two vertices of a component."""

    _dense: Array
    _facts: Facts
    _check_forest: Callable[[str], None]
    _columns_of_forest: Callable[..., dict[str, Any]]
    _places_of_forest: Callable[[], tuple[list[Array], dict[str, Any]]]
    _home: Callable[[Any], Any]
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

        The rooted forest is kept for further calls: 72 bytes a vertex, and 8 more for each bit of
        the number of edges from the deepest vertex to its root (16 beyond 2^31 vertices).

        Parameters
        ----------
        pairs : frame, pair of columns or file
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
            They are counted before any is returned.
        UnknownVertexError
            Some ids are not vertices; names their number and the first of them.
        ArgumentTypeError
            The pairs are two single ids.

        See Also
        --------
        Components.forest : The edges of the forest.
        Components.connected : Only whether pairs are in one component.

        Notes
        -----
        Bender and Farach-Colton, "The level ancestor problem simplified", TCS 2004: jump pointers.

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
        width = len(self._given.src.key_columns) or 1
        asked = "paths()", "path(first, second)"
        given = read_pairs(pairs, source, destination, header, width, asked)
        with LentOn(self._backend, given) as columns:
            sides = zip((given.src, given.dst), columns, strict=False)
            first, second = (self._places_of(side, held, "raise")[0] for side, held in sides)
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
        shortest: bool = False,
    ) -> Any:
        """Return the edges of a path between two vertices of a component, in order.

        By default this is the path along the forest, in a forest of greatest weight one whose
        weakest edge is the strongest. If an edge of ``edges`` joins the two, it is that edge alone.

        Parameters
        ----------
        first, second : id
            Two ids; tuples, for ids of several columns.
        edges : frame, pair of arrays or series, sparse matrix, graph, or path, optional
            The edges of the answer, or others between its vertices; those with a null end, or an
            end that is no vertex, are passed over. The forest is needed if they are left out, or
            if none of them joins the two.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        shortest : bool
            Return a path of the fewest ``edges``: of several the one whose first edge has the least
            row, of these whose second edge has, and so on. Every level of the search costs about
            the same for few edges as for a thousand, so long paths take longest.

        Returns
        -------
        frame
            The columns of :meth:`Components.forest`, with ends as in the list of edges; without
            ``weight`` if ``edges`` are passed, whose rows are then numbered and whose kind the
            frame has if edges of theirs are returned. Without rows for a vertex and itself.

        Raises
        ------
        InputError
            No path joins the two; ``shortest=True`` is passed without ``edges``; or the answer was
            found without ``forest=``, which is needed.
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
            self._check_forest("path(first, second)")
        with self._backend.scope():
            ends = []
            for name, vertex in (("first", first), ("second", second)):
                check_one_id(name, vertex, "paths()")
                ends.append(int(self._places(self._one(vertex), "raise")[0][0]))
        if edges is not None:
            given = read(edges, source, destination, nulls="drop")
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
            edge = edges_between(self._walked.forest, tree, ends[0], ends[1], self._backend.xp)
            columns = self._columns_of_forest(edge)
            if edges is not None:
                columns.pop("weight", None)
            return self._frame(columns)

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
        return self._jumps[0].between(first, second, joined, self._backend.xp)

    def _weakest_at(self, place: Array) -> dict[str, Array]:
        """Return the columns of the edges at places of the order; none if there are no weights."""
        xp, weights = self._backend.xp, self._walked.weights
        if weights is None:
            return {}
        some = xp.flatnonzero(place >= 0)
        edge = self._jumps[1][place[some]]
        row, weight = xp.full(place.size, -1, np.int64), xp.zeros(place.size, weights.dtype)
        row[some], weight[some] = self._walked.row[edge], weights[edge]
        return {"weakest_row": row, "weakest_weight": weight}

    def _rows_of_paths(
        self, first: Array, second: Array, length: Array, most: int | None
    ) -> dict[str, Any]:
        """Return the columns of all edges of paths, of which there may be so many at most."""
        backend, total = self._backend, int(length[length > 0].sum())
        if most is not None and total > most:
            raise CapacityError(
                f"the paths of these {length.size:,} pairs have {total:,} edges, and limit={most:,}"
                ": pass fewer pairs, or a higher limit"
            )
        backend.check_capacity(total * BYTES_OF_ROW, f"the {total:,} edges of these paths")
        forest, jumps = self._walked.forest, self._jumps[0]
        pair, step, edge = edges_of_paths(forest, jumps, first, second, length, backend.xp)
        numbers = {"pair": self._home(pair), "step": self._home(step)}
        return numbers | self._columns_of_forest(edge)

    @cached_property
    def _walked(self) -> Walked:
        """The rooted forest."""
        backend, ((src, dst), columns) = self._backend, self._places_of_forest()
        row, weights = backend.asarray(columns["row"]), columns.get("weight")
        vertex, least = self._rows()
        roots = backend.xp.flatnonzero(vertex == least).astype(np.int64)
        n = int(vertex.size)
        forest = rooted(src, dst, self._dense.astype(np.int64), roots, n, backend.xp)
        return Walked(forest, row, None if weights is None else backend.asarray(weights))

    @cached_property
    def _jumps(self) -> tuple[Jumps, Array]:
        """The ancestors of each vertex, and the edges from the weakest to the strongest."""
        xp, (forest, row, weights) = self._backend.xp, self._walked
        order = xp.arange(row.size)
        if weights is not None:
            order = order_from_weakest(weights, row, not self._facts.greatest, xp)
        return Jumps.of(forest, order, xp), order
