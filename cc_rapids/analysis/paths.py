"""Paths between vertices along the spanning forest of an answer."""

from __future__ import annotations

from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.paths import Chains, order_from_weakest, shortest_path
from ..algorithms.rooted_forest import rooted, word_of
from ..backends import Array
from ..data.arguments import check_count, check_flag
from ..data.edge_input import EdgeInput
from ..data.read import read_pairs
from ..data.row_index import spread
from ..data.text_options import TextOptions
from ..data.within import AsFound, read_for_answer, with_bounds
from ..errors import CapacityError, InputError, counted, id_shown
from ..graph.edges import BorrowedEdges
from ..results.answer import Answer
from ..results.forest_columns import columns_of_edges
from ..results.lookup import rows_of_borrowed, rows_of_edges, rows_of_forest
from ..solver.run import any_forest
from .audits import prove, shown_labels
from .pairs import rows_of_joined

if TYPE_CHECKING:
    from ..verify.paths import PathsAudit


# estimates of temporary memory
BYTES_PER_PAIR, BYTES_PER_PATH_EDGE = 160, 112
WORDS_PER_VERTEX = 45  # to root a forest; a word has 4 bytes, or 8 for 2^30 or more vertices
FEWER_PAIRS = "pass fewer pairs at a time"
SMALLER_FOREST = (
    "pass components() only the edges you need, or use path(first, second, edges, shortest=True)"
)


class HeavyPaths(NamedTuple):
    """The forest of an answer, rooted at the least vertices and split into heavy paths.

    Attributes
    ----------
    chains : Chains
        The heavy paths.
    row, weights : (t,) arrays of numbers, or None
        The row in the caller's list and the weight of each forest edge, weakest first; None if the
        forest has no weights.
    order : (t,) array of integers, or None
        The positions of the edges in the forest, weakest first; None if the forest has no weights.
    """

    chains: Chains
    row: Array | None
    weights: Array | None
    order: Array | None


class ForestPaths:
    """The paths along the spanning forest of an answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def between(
        self, pairs: Any, source: Any, destination: Any, *, rows: Any, limit: Any, **text: Any
    ) -> Any:
        """Return one row per pair: see :meth:`cc_rapids.Components.paths`."""
        self.answer.check_forest("paths(pairs)")
        returns_edges = check_flag("rows", rows)
        max_edges = None if limit is None else check_count("limit", limit)
        if max_edges is not None and not returns_edges:
            raise InputError("limit= bounds the edges of paths: pass rows=True, or no limit=")
        given = self._read_pairs(pairs, source, destination, TextOptions.among(text))
        first, second = rows_of_edges(self.answer, given)
        with self.answer.backend.scope():
            length, weakest = self._lengths_and_weakest(first, second)
            if returns_edges:
                return self.answer.frame(self._rows_of_paths(first, second, length, max_edges))
            return self.answer.frame({"length": length} | self._columns_of_weakest(weakest))

    def path(
        self,
        first: Any,
        second: Any,
        edges: Any,
        source: Any,
        destination: Any,
        *,
        weight: Any,
        shortest: Any,
    ) -> Any:
        """Return the edges of the path between two vertices: see Components.path.

        The path is along the forest, unless ``edges`` has an edge that joins both vertices. If
        ``shortest``, it is a shortest path along ``edges``.
        """
        fewest = check_flag("shortest", shortest)
        if edges is None:
            if fewest:
                raise InputError("shortest=True searches all edges: pass edges=, too")
            passed = {"source": source is not None, "destination": destination is not None}
            passed["weight"] = not isinstance(weight, AsFound)
            if names := " and ".join(f"{name}=" for name in passed if passed[name]):
                raise InputError(f"{names} describe edges=: pass edges=, too, or leave out {names}")
            self.answer.check_forest("path(first, second)")
        with self.answer.backend.scope():
            ends = rows_of_joined(self.answer, first, second, "components, which no path joins")
        if edges is not None:
            self.answer.check_edges(edges)
            bound, options = self.answer.given.bound, {"what": "path(..., edges)", "nulls": "drop"}
            given = read_for_answer(edges, source, destination, bound, weight, **options)
            rows = self._rows_of_path(given, ends, fewest)
            if rows is not None:
                return self._frame_of_rows(given, rows)
            if fewest:
                raise InputError(
                    f"no path of these {given.src.size:,} edges joins the two vertices: pass all"
                    " edges that the answer was computed from"
                )
            self.answer.check_forest("path(first, second, edges)")
        with self.answer.backend.scope():
            if bool(self.trees[ends[0]] != self.trees[ends[1]]):
                raise InputError(
                    f"only pairs of must_link= join {id_shown(first)} and {id_shown(second)}; these"
                    " pairs are not rows of the edges, so paths cannot contain them"
                )
            first_end, second_end = (self.answer.backend.asarray(np.array([end])) for end in ends)
            length, _ = self._lengths_and_weakest(first_end, second_end)
            _, _, edge = self._edges_along(first_end, second_end, length)
            return self.answer.frame(self.answer.columns_of_forest(edge))

    def audit(
        self,
        found: Any,
        pairs: Any,
        edges: Any,
        source: Any,
        destination: Any,
        *,
        columns: tuple[Any, Any],
        rows: Any,
        **given: Any,
    ) -> PathsAudit:
        """Audit paths between the ``columns`` of ``pairs``: see :meth:`Components.audit_paths`."""
        from ..verify.audit import read_again
        from ..verify.paths import PathsAudit, PathsClaim, audit  # runs do not need this import
        from ..verify.shown_rows import ShownRows

        self.answer.check_forest("audit_paths(found, pairs, edges)")
        started, greatest = perf_counter(), self.answer.facts.greatest
        width = max(len(self.answer.given.src.key_columns), 1)
        proof = prove(self.answer, edges, source, destination, forest=True, **given)
        options = with_bounds(self.answer.given.bound, given, "audit_paths(found, pairs, edges)")
        reread = read_again(edges, source, destination, greatest=greatest, **options)
        queries = self._read_pairs(pairs, *columns, TextOptions.among(given))
        shown = None if rows is None else ShownRows(rows, "paths", width)
        forest = ShownRows(self.answer.forest_frame(), "forest", width).rows()
        claim = PathsClaim(queries, found, shown, forest, greatest)
        joined, path_edges = audit(shown_labels(self.answer), reread, claim, self.answer.backend)
        if shown is not None:
            shown.check_index(edges)
        counts = proof.edges, proof.vertices, proof.components, queries.src.size, joined
        return PathsAudit(*counts, path_edges, perf_counter() - started)

    def _read_pairs(
        self, pairs: Any, source: Any, destination: Any, options: TextOptions
    ) -> EdgeInput:
        """Read pairs of vertices; raise an error if there is too little memory for them."""
        id_width = len(self.answer.given.src.key_columns) or 1
        methods = "paths()", "path(first, second)"  # for an error about two single ids
        given = read_pairs(pairs, source, destination, options, id_width, methods)
        count = given.src.size
        self.answer.backend.check_capacity(
            count * BYTES_PER_PAIR, f"the paths of {counted(count, 'pair')}", FEWER_PAIRS
        )
        return given

    def _rows_of_path(self, given: EdgeInput, ends: list[int], fewest: bool) -> Array | None:
        """Return the rows of the edges of a path between two vertices; None if there is no path.

        If ``fewest``, this is a shortest path along the given edges. Otherwise only an edge that
        joins both vertices counts as a path. ``ends`` are the rows of both vertices in the answer.
        """
        backend, xp = self.answer.backend, self.answer.backend.xp
        with BorrowedEdges(backend, given) as (source_ids, destination_ids, *_):
            src, src_valid = rows_of_borrowed(self.answer, given.src, source_ids, "null")
            dst, dst_valid = rows_of_borrowed(self.answer, given.dst, destination_ids, "null")
            component, (first, second) = self.answer.dense, ends
            inside = src_valid & dst_valid & (component[src] == component[first])
            rows = xp.flatnonzero(inside & (component[dst] == component[first]))
            src, dst = src[rows], dst[rows]
            if first == second:
                return rows[:0]  # a path without edges
            if fewest:
                path = shortest_path(src, dst, self.answer.forest.vertices, first, second, backend)
                return None if path is None else rows[xp.asarray(path, np.int64)]
            joins = ((src == first) & (dst == second)) | ((src == second) & (dst == first))
            first_edge = rows[xp.flatnonzero(joins)[:1]]
            return first_edge if first_edge.size else None

    def _frame_of_rows(self, given: EdgeInput, rows: Array) -> Any:
        """Return the given rows of an edge list, as a frame of the list's library."""
        with self.answer.backend.scope():
            columns = columns_of_edges(given, self.answer.bring(rows, given.on_device))
            name_of = self.answer.given.output_name
            frame = given.make_frame({name_of(name): column for name, column in columns.items()})
            return given.answer(frame)

    def _lengths_and_weakest(self, first: Array, second: Array) -> tuple[Array, Array]:
        """Return the length of each path, and the rank of its weakest edge.

        Ranks are positions in the arrays of ``heavy_paths``, the weakest edge of the forest first.
        They are -1 for paths without edges or weights. The length is -1 if there is no path.
        """
        joined = self.trees[first] == self.trees[second]
        return self.heavy_paths.chains.between(first, second, joined, self.answer.backend.xp)

    def weakest_weights(self, first: Array, second: Array) -> tuple[Array, Array]:
        """Return the weakest weight of each path, and a mask of the paths that have edges.

        ``first`` and ``second`` are the rows in the answer of both vertices of each pair.
        """
        if not self.answer.forest.vertices:
            dtype, xp = self.answer.columns_of_forest()["weight"].dtype, self.answer.backend.xp
            return xp.zeros(first.size, dtype), xp.zeros(first.size, bool)
        _, weakest = self._lengths_and_weakest(first, second)
        return self._columns_of_weakest(weakest)["weakest_weight"], weakest >= 0

    def _columns_of_weakest(self, weakest: Array) -> dict[str, Array]:
        """Return the columns that show the weakest edge of each path; none without weights.

        ``weakest`` are the ranks of these edges, -1 for a pair that has none.
        """
        xp, (_, row_of_rank, weights, order) = self.answer.backend.xp, self.heavy_paths
        if row_of_rank is None or weights is None or order is None:  # all three, without weights
            return {}
        has_edges = weakest >= 0
        ranks, paths = weakest[has_edges], xp.flatnonzero(has_edges)
        rows, weight = xp.full(weakest.size, -1, np.int64), xp.zeros(weakest.size, weights.dtype)
        rows[paths], weight[paths] = row_of_rank[ranks], weights[ranks]
        columns = {"weakest_row": rows}
        labels = self.answer.columns_of_forest(order[ranks]).get("index")
        if labels is not None:  # null for paths without edges
            columns["weakest_index"] = spread(labels, self.answer.home(has_edges))
        return columns | {"weakest_weight": weight}

    def _rows_of_paths(
        self, first: Array, second: Array, length: Array, max_edges: int | None
    ) -> dict[str, Any]:
        """Return the columns of the edges of all paths, or raise an error if there are too many."""
        backend, total = self.answer.backend, int(length[length > 0].sum())
        if max_edges is not None and total > max_edges:
            raise CapacityError(
                f"the paths of these {counted(length.size, 'pair')} have {counted(total, 'edge')},"
                f" but limit={max_edges:,}: pass fewer pairs, or a higher limit"
            )
        needed, what = total * BYTES_PER_PATH_EDGE, f"the {counted(total, 'edge')} of these paths"
        backend.check_capacity(needed, what, FEWER_PAIRS)
        pair, step, edge = self._edges_along(first, second, length)
        numbers = {"pair": self.answer.home(pair), "step": self.answer.home(step)}
        return numbers | self.answer.columns_of_forest(edge)

    def _edges_along(
        self, first: Array, second: Array, length: Array
    ) -> tuple[Array, Array, Array]:
        """Return, for each edge of each path, its pair, step, and position in the forest."""
        chains, order = self.heavy_paths.chains, self.heavy_paths.order
        pair, step, rank = chains.edges_along(first, second, length, self.answer.backend.xp)
        return pair, step, rank if order is None else order[rank]

    @cached_property
    def trees(self) -> Array:
        """The tree of each vertex, as the number of its component, ``answer.dense``.

        If pairs of ``must_link`` join several trees, it is the least vertex of the tree instead.
        """
        answer, backend = self.answer, self.answer.backend
        if answer.ruled is None or not answer.ruled.must[0].size:
            return answer.dense
        n, ((src, dst), _) = answer.forest.vertices, rows_of_forest(answer)
        if not src.size:
            return backend.xp.arange(n)
        _, tree_of_vertex = any_forest(src, dst, n, backend)
        return tree_of_vertex

    @cached_property
    def heavy_paths(self) -> HeavyPaths:
        """The rooted forest, split into heavy paths."""
        backend, n = self.answer.backend, self.answer.forest.vertices
        word = np.dtype(f"i{np.dtype(word_of(n)).itemsize}")
        needed = n * WORDS_PER_VERTEX * word.itemsize
        backend.check_capacity(needed, f"rooting the forest of {n:,} vertices", SMALLER_FOREST)
        (src, dst), columns = rows_of_forest(self.answer)
        xp = backend.xp
        vertex, least = xp.arange(n), self.trees
        if self.trees is self.answer.dense:  # numbers of components, not least vertices
            vertex, least = self.answer.rows()
        roots = xp.flatnonzero(vertex == least)
        row = weights = order = None
        if "weight" in columns:
            row, weights = (backend.asarray(columns[name]) for name in ("row", "weight"))
            is_min_forest = not self.answer.facts.greatest
            order = order_from_weakest(weights, heavy_is_weak=is_min_forest, xp=xp).astype(word)
            row, weights = row[order], weights[order]
        forest = rooted(src, dst, roots, n, backend)
        return HeavyPaths(Chains.of(forest, order, xp), row, weights, order)
