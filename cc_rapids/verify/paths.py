"""The audit of paths along a spanning forest.

:mod:`cc_rapids.verify.audit` proves the components and the forest first. A tree has exactly one
path between two vertices. So the audit roots the trees, and computes the length and the weakest
edge of each path. If the answer shows the edges of a path, they must form a walk of this length
from the first vertex of the pair to the second. The audit shares no code with the path queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import backends
from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..errors import InputError, VerificationError, counted, inflected
from ..kernels import audit_paths as kernels
from .forests import stable_order
from .label_frame import LabelFrame
from .placed_edges import PlacedEdges
from .shown_rows import ShownFrame, ShownRows, differing

NO_ROW = -1  # the weakest row of a path without edges


@dataclass(frozen=True)
class PathsAudit:
    """The result of an audit of paths.

    Attributes
    ----------
    edges, vertices, components : int
        The numbers of edges, vertices and components.
    pairs : int
        The number of pairs of vertices.
    joined : int
        The number of pairs within one component, which have a path.
    path_edges : int
        The number of edges of all paths.
    seconds : float
        The duration, including the audit of the components.
    """

    edges: int
    vertices: int
    components: int
    pairs: int
    joined: int
    path_edges: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"right: {counted(self.joined, 'path')} with {counted(self.path_edges, 'edge')} in"
            f" total for {counted(self.pairs, 'pair')}, in a list of"
            f" {counted(self.edges, 'edge')}"
        )


@dataclass(frozen=True)
class PathsClaim:
    """Claims about paths to verify.

    Attributes
    ----------
    pairs : EdgeInput
        The pairs of vertices.
    shown_paths : frame
        One row per pair, as :meth:`cc_rapids.Components.paths` returns it.
    rows : ShownRows, optional
        The edges of all paths, as ``paths(rows=True)`` returns them.
    forest : (t,) array of int64
        The rows of the forest edges in the caller's list.
    greatest : bool or None
        Whether the forest has the greatest weight (True) or the least weight (False); None if the
        forest is not by weight.
    """

    pairs: EdgeInput
    shown_paths: Any
    rows: ShownRows | None
    forest: Any
    greatest: bool | None


def audit(
    answer: LabelFrame, given: EdgeInput, claim: PathsClaim, backend: Backend
) -> tuple[int, int]:
    """Return the number of connected pairs, and the number of edges of their paths.

    The label frame and the forest are already verified. ``given`` are the edges, read again, with
    weights if the forest is by weight. Raise a VerificationError that names the first wrong pair,
    or the first wrong edge of a path.
    """
    with answer.borrow_for(backend), backend.scope():
        paths = _Paths(answer, given, claim)
        paths.check_lengths()
        if claim.rows is not None:
            paths.check_rows(claim.rows)
        length = paths.length
        return int((length >= 0).sum()), int(length[length > 0].sum())


class _Paths(PlacedEdges):
    """The claims about each pair, and the edges as pairs of slots.

    ``place`` has the positions of the forest edges in ``src`` and ``dst``. ``weights`` are the
    weights of all edges, or None if the forest is not by weight. Of each pair, ``first`` and
    ``second`` are the slots of both vertices, and ``length`` is the claimed length of the path.
    """

    def __init__(self, answer: LabelFrame, given: EdgeInput, claim: PathsClaim) -> None:
        super().__init__(answer, given)
        self.claim, self.shown = claim, ShownFrame(claim.shown_paths, "paths")
        self.length = self.backend.asarray(self.shown.integers("length"))
        if self.length.size != claim.pairs.src.size:
            verb = inflected(claim.pairs.src.size, "was", "were")
            raise VerificationError(
                f"the frame has paths for {counted(self.length.size, 'pair')}, but"
                f" {counted(claim.pairs.src.size, 'pair')} {verb} given"
            )
        self.first, self.second = self.ends(claim.pairs)
        are_known = self.are_vertices(self.first) & self.are_vertices(self.second)
        unknown = self.xp.flatnonzero(~are_known)
        if unknown.size:
            verb, first = inflected(int(unknown.size), "contains", "contain"), int(unknown[0])
            raise InputError(
                f"{int(unknown.size):,} of {counted(self.length.size, 'pair')} {verb} ids that are"
                f" not vertices of this answer; the first is pair {first:,}"
            )
        self.weights = None if claim.greatest is None else self.backend.asarray(given.weights)
        if self.weights is not None and "weakest_row" not in self.shown.names:
            raise InputError(
                "the forest has weights, but the frame of paths has no columns weakest_row and"
                " weakest_weight: pass what paths(pairs) returns"
            )
        forest_rows = self.backend.asarray(claim.forest).astype(np.int64)
        self.place = self.places_of(forest_rows, "forest")

    def check_lengths(self) -> None:
        """Raise a VerificationError for the first pair with a wrong length or weakest edge."""
        measured, weakest = self._measure()
        joined = self.component[self.first] == self.component[self.second]
        self._refuse(
            joined & (self.length < 0), "has no path, but both vertices are in one component"
        )
        self._refuse(~joined & (self.length >= 0), "has a path, but joins two components")
        wrong = self.xp.flatnonzero(self.length != measured)
        if wrong.size:
            k = int(wrong[0])
            raise VerificationError(
                f"pair {k:,} has the length {int(self.length[k]):,}, but its path along the forest"
                f" has {counted(int(measured[k]), 'edge')}"
            )
        if self.weights is None:
            return
        xp, weights = self.xp, self.weights[self.place]
        # the last item of both arrays is for paths without edges
        rows = xp.concatenate([self.caller_rows()[self.place], xp.full(1, NO_ROW)])
        weights = xp.concatenate([weights, xp.zeros(1, weights.dtype)])
        for name, shown, expected in (
            ("weakest_row", self.shown.integers("weakest_row"), rows[weakest]),
            ("weakest_weight", self.shown.numbers("weakest_weight"), weights[weakest]),
        ):
            claimed = self.backend.asarray(shown)
            differs = differing(claimed, expected)
            if bool(differs.any()):
                k = int(differs.argmax())
                raise VerificationError(
                    f"{name} of pair {k:,} is {claimed[k]}, but should be {expected[k]}, from the"
                    " weakest edge of its path"
                )

    def _measure(self) -> tuple[Array, Array]:
        """Return the length and the weakest edge of each pair's path, measured on one host thread.

        The length is -1 if the pair is in two components. The weakest edge is an index into
        ``place``, or the size of ``place`` if the path has no edge.
        """
        host, n, t = backends.get("threads"), int(self.component.size), int(self.place.size)
        arrays = self.src[self.place], self.dst[self.place], self._ranks(), self.component
        src, dst, ranks, head = (self._on_host(array) for array in arrays)
        starts, visited = np.zeros(n + 2, np.int64), np.zeros(1, np.int64)
        arcs, queue = np.empty(2 * t, np.int64), np.empty(n, np.int64)
        # cc_rapids.kernels.audit_paths describes all arrays; a kernel of size 1 runs in one thread
        up, jump, rank, least = (np.empty(n, np.int64) for _ in range(4))
        depth = np.full(n, -1, np.int64)
        trees = up, jump, depth, rank, least
        host.kernel(kernels.root_trees)(
            1, src, dst, ranks, head, starts, arcs, queue, *trees, visited
        )
        if visited[0] != self.answer.rows:
            raise VerificationError(
                f"the audit itself has failed: the forest joins {visited[0]:,} of"
                f" {self.answer.rows:,} vertices to the roots, so it proves nothing"
            )
        first, second = (self._on_host(side) for side in (self.first, self.second))
        length, weakest = np.empty(first.size, np.int64), np.full(first.size, t)
        host.kernel(kernels.measure_paths)(first.size, first, second, head, *trees, length, weakest)
        if self.weights is not None:
            edge_of_rank = np.append(np.argsort(ranks, kind="stable"), t)
            weakest = edge_of_rank[weakest]
        return self.backend.asarray(length), self.backend.asarray(weakest)

    def _ranks(self) -> Array:
        """Return the rank of each forest edge from the weakest, which has rank 0.

        In a maximum spanning forest, the weakest edge has the least weight. In a minimum spanning
        forest, it has the greatest weight. Without weights, no weakest edge is checked.
        """
        xp = self.xp
        positions = xp.arange(self.place.size)
        if self.weights is None:
            return positions
        weights = self.weights[self.place]
        order = stable_order(weights, descending=not self.claim.greatest, xp=xp)
        ranks = xp.empty(order.size, np.int64)
        ranks[order] = positions
        return ranks

    def _on_host(self, array: Array) -> Any:
        return np.ascontiguousarray(self.backend.to_host(array), np.int64)

    def check_rows(self, shown: ShownRows) -> None:
        """Raise a VerificationError for the first wrong row of the frame of path edges."""
        xp = self.xp
        pair, step, row = (
            self.backend.asarray(shown.integers(name)) for name in ("pair", "step", "row")
        )
        # the edges of pair k are in the rows starts[k] .. stops[k] - 1
        length = xp.maximum(self.length, 0)  # -1, for a pair without a path, becomes 0
        stops = xp.cumsum(length)
        starts = stops - length
        total = int(stops[-1]) if stops.size else 0
        if row.size != total:
            raise VerificationError(
                f"the lengths of the paths add up to {counted(total, 'edge')}, but the frame of"
                f" path edges has {counted(row.size, 'row')}"
            )
        if not total:
            return
        position = xp.arange(total)
        expected_pair = xp.searchsorted(stops, position, side="right")

        def refuse(wrong: Array, words: str) -> None:
            wrong_rows = xp.flatnonzero(wrong)
            if wrong_rows.size:
                k = int(wrong_rows[0])
                raise VerificationError(f"edge {int(row[k]):,}, in row {k:,} of the paths, {words}")

        refuse(pair != expected_pair, "has another pair than the lengths of the paths imply")
        expected_step = position - starts[pair]
        refuse(step != expected_step, "has a step that is not the number of edges before it")
        caller_rows = self.caller_rows()
        place = xp.searchsorted(caller_rows, row).clip(0, caller_rows.size - 1)
        refuse(caller_rows[place] != row, "is not a row of the edges")
        is_forest_edge = xp.zeros(self.src.size, bool)
        is_forest_edge[self.place] = True
        refuse(~is_forest_edge[place], "is not in the forest")
        src, dst = self.src[place], self.dst[place]
        shown.check_ends(self.answer, row, [src, dst])
        if self.weights is not None:
            shown.check_weights(row, self.weights[place], self.backend.asarray)
        sums = src + dst
        head = self._reached_vertices(sums, step, start=starts[pair], first=self.first[pair])
        tail = sums - head
        refuse((tail != src) & (tail != dst), "does not start where the previous edge ends")
        is_last = position == stops[pair] - 1
        wrong_end = is_last & (head != self.second[pair])
        refuse(wrong_end, "does not end at the second vertex of its pair")

    def _reached_vertices(self, sums: Array, step: Array, start: Array, first: Array) -> Array:
        """Return the vertex to which each path edge leads, if the edges form walks.

        An edge leads from vertex v to src + dst - v. So an alternating sum of src + dst gives all
        vertices of a walk. All arguments have one item per path edge: ``sums`` is src + dst,
        ``step`` is the number of edges before it in its path, ``start`` is the row of the path's
        first edge, and ``first`` is the path's first vertex.
        """
        sign = 1 - 2 * (step & 1)
        signed_sums = self.xp.cumsum(sign * sums)
        before_path = self.xp.where(start > 0, signed_sums[start - 1], 0)
        return sign * (signed_sums - before_path - first)

    def _refuse(self, wrong: Array, words: str) -> None:
        """Raise a VerificationError for the first wrong pair, if there is one."""
        wrong_rows = self.xp.flatnonzero(wrong)
        if wrong_rows.size:
            raise VerificationError(f"pair {int(wrong_rows[0]):,} {words}")
