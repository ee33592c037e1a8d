"""The audit of paths: each has the length and the weakest row that the trees of the forest give.

The components and the forest are proved first, by :mod:`cc_rapids.verify.audit`. There is one path
along a forest between two vertices, so its length and its weakest edge are looked up in trees that
are rooted here, however long it is. A walk of as many edges from the first vertex to the second is
that path. Nothing of what finds paths is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import backends
from ..backends import Array, Backend
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput
from ..data.frame_access import collected, column_of, columns_of, numbers_of
from ..errors import InputError, VerificationError, counted
from ..kernels import audit_paths as kernels
from .label_frame import LabelFrame
from .placed_edges import PlacedEdges
from .shown_rows import ShownRows

NONE = -1  # the weakest row of a path without edges


@dataclass(frozen=True)
class PathsAudit:
    """The result of an audit of paths.

    Attributes
    ----------
    edges, vertices, components : int
        The numbers of edges, vertices and components.
    pairs, joined, rows : int
        The numbers of pairs, of those in one component, and of the edges of all their paths.
    seconds : float
        The duration of the audit, with that of the components.
    """

    edges: int
    vertices: int
    components: int
    pairs: int
    joined: int
    rows: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"right: {counted(self.joined, 'path')} of {counted(self.rows, 'edge')} for"
            f" {counted(self.pairs, 'pair')}, by {counted(self.edges, 'edge')}"
        )


@dataclass(frozen=True)
class PathsClaim:
    """The claims about paths that are to be proved.

    Attributes
    ----------
    pairs : EdgeInput
        The pairs.
    shown_paths : frame
        A row for each pair, see :meth:`cc_rapids.Components.paths`.
    rows : ShownRows, optional
        The edges of all paths, as that returns them with ``rows=True``.
    forest : (t,) array of int64
        The caller's rows that are the forest.
    greatest : bool or None
        Whether the forest is the one of the greatest weight; None if it has no weights.
    """

    pairs: EdgeInput
    shown_paths: Any
    rows: ShownRows | None
    forest: Any
    greatest: bool | None


def audit(
    answer: LabelFrame, given: EdgeInput, claim: PathsClaim, backend: Backend
) -> tuple[int, int]:
    """Return how many pairs are joined, and how many edges their paths have.

    Parameters
    ----------
    answer : LabelFrame
        The label frame, which is proved already.
    given : EdgeInput
        The edges, read again, with weights if the forest has some.
    claim : PathsClaim
        What is to be proved. The forest is proved already.
    backend : Backend
        Of the answer.

    Raises
    ------
    VerificationError
        A claim is wrong; names the first pair or edge of a path that says so.
    InputError
        An id of a pair is no vertex.
    """
    with answer.borrow_for(backend), backend.scope():
        paths = _Paths(answer, given, claim)
        paths.check_lengths()
        if claim.rows is not None:
            paths.check_rows(claim.rows)
        length = paths.length
        return int((length >= 0).sum()), int(length[length > 0].sum())


class _Paths(PlacedEdges):
    """The claims about each pair, and the edges between slots."""

    def __init__(self, answer: LabelFrame, given: EdgeInput, claim: PathsClaim) -> None:
        super().__init__(answer, given)
        self.claim, self.shown_paths = claim, collected(claim.shown_paths)
        self.names = columns_of(self.shown_paths)
        self.length = self._integers("length")
        if self.length.size != claim.pairs.src.size:
            raise VerificationError(
                f"there are paths of {counted(self.length.size, 'pair')}, but"
                f" {claim.pairs.src.size:,} pairs"
            )
        self.first, self.second = self.ends(claim.pairs)
        strange = self.xp.flatnonzero(~self.named(self.first) | ~self.named(self.second))
        if strange.size:
            raise InputError(
                f"{counted(int(strange.size), 'pair')} of {self.length.size:,}, first pair"
                f" {int(strange[0]):,}, name ids that are no vertices of this answer"
            )
        self.weights = None if claim.greatest is None else self.backend.asarray(given.weights)
        if self.weights is not None and "weakest_row" not in self.names:
            raise InputError(
                "the forest has weights, and the frame of paths no columns weakest_row and"
                " weakest_weight: pass what paths(pairs) returns"
            )
        chosen = self.backend.asarray(claim.forest).astype(np.int64)
        self.place = self.places_of_rows(chosen, self._refuse_of_forest)

    def check_lengths(self) -> None:
        """Raise a VerificationError for the first pair whose length or weakest row is wrong."""
        length, weakest = self._measured()
        joined = self.head[self.first] == self.head[self.second]
        self._refuse(
            joined & (self.length < 0), "has no path, but is of two vertices of one component"
        )
        self._refuse(~joined & (self.length >= 0), "has a path, but is of two components")
        wrong = self.xp.flatnonzero(self.length != length)
        if wrong.size:
            k = int(wrong[0])
            raise VerificationError(
                f"pair {k:,} has the length {int(self.length[k]):,}, but its path along the forest"
                f" has {counted(int(length[k]), 'edge')}"
            )
        if self.weights is None:
            return
        xp, weights = self.xp, self.weights[self.place]  # and what there is where a path has none
        rows = xp.concatenate([self.numbers()[self.place], xp.full(1, NONE)])
        weights = xp.concatenate([weights, xp.zeros(1, weights.dtype)])
        shown = self.backend.asarray(self._numbers("weakest_weight"))
        for name, mine, right in (
            ("weakest_row", self._integers("weakest_row"), rows[weakest]),
            ("weakest_weight", shown, weights[weakest]),
        ):
            cast = mine.astype(right.dtype)  # numbers of two types would be compared as floats
            wrong = self.xp.flatnonzero((cast != right) | (cast.astype(mine.dtype) != mine))
            if wrong.size:
                k = int(wrong[0])
                raise VerificationError(
                    f"{name} of pair {k:,} is {mine[k]}, but the weakest edge of its path along the"
                    f" forest says {right[k]}"
                )

    def _measured(self) -> tuple[Array, Array]:
        """Return the length of the path of each pair, and which edge of the forest is the weakest.

        That is the number of edges of the forest where a path has none. One thread of the host
        roots the trees.
        """
        host, n, t = backends.get("threads"), int(self.head.size), int(self.place.size)
        arrays = self.src[self.place], self.dst[self.place], self._ranks(), self.head
        src, dst, ranks, head = (self._on_host(array) for array in arrays)
        starts, joined = np.zeros(n + 2, np.int64), np.zeros(1, np.int64)
        arcs, queue = np.empty(2 * t, np.int64), np.empty(n, np.int64)
        up, jump, rank, least = (np.empty(n, np.int64) for _ in range(4))
        depth = np.full(n, -1, np.int64)
        trees = up, jump, depth, rank, least
        host.kernel(kernels.root_trees)(
            1, src, dst, ranks, head, starts, arcs, queue, *trees, joined
        )
        if joined[0] != self.answer.rows:
            raise VerificationError(
                f"the audit itself has failed: the forest joins {joined[0]:,} of"
                f" {self.answer.rows:,} vertices to the roots, so it proves nothing"
            )
        first, second = (self._on_host(side) for side in (self.first, self.second))
        length, weakest = np.empty(first.size, np.int64), np.full(first.size, t)
        host.kernel(kernels.measure_paths)(first.size, first, second, head, *trees, length, weakest)
        if self.weights is not None:  # back from ranks to edges
            edge = np.append(np.argsort(ranks, kind="stable"), t)
            weakest = edge[weakest]
        return self.backend.asarray(length), self.backend.asarray(weakest)

    def _ranks(self) -> Array:
        """Return the rank of each edge of the forest, 0 for the weakest.

        That is the least weight of a greatest forest, and the greatest of a least one.
        """
        xp = self.xp
        ranks = xp.arange(self.place.size)
        if self.weights is None:
            return ranks
        weights = self.weights[self.place]
        if self.claim.greatest:
            order = xp.argsort(weights, kind="stable")
        else:  # a stable sort of the rows backwards, read backwards
            order = weights.size - 1 - xp.argsort(weights[::-1], kind="stable")[::-1]
        number = xp.empty(order.size, np.int64)
        number[order] = ranks
        return number

    def _on_host(self, array: Array) -> Any:
        return np.ascontiguousarray(self.backend.to_host(array), np.int64)

    def check_rows(self, shown: ShownRows) -> None:
        """Raise a VerificationError for the first row of the edges of all paths that is wrong."""
        xp = self.xp
        pair, step, row = (
            self.backend.asarray(shown.integers(name)) for name in ("pair", "step", "row")
        )
        length = xp.maximum(self.length, 0)
        ends = xp.cumsum(length)
        total = int(ends[-1]) if ends.size else 0
        if row.size != total:
            raise VerificationError(
                f"the lengths of the paths are {counted(total, 'edge')}, and the paths have"
                f" {row.size:,}"
            )
        if not total:
            return
        at = xp.arange(total)
        right = xp.searchsorted(ends, at, side="right")

        def refuse(wrong: Array, words: str) -> None:
            wrong_rows = xp.flatnonzero(wrong)
            if wrong_rows.size:
                k = int(wrong_rows[0])
                raise VerificationError(f"edge {int(row[k]):,}, in row {k:,} of the paths, {words}")

        starts = ends - length
        refuse(pair != right, "is not of the pair that follows from the lengths of the paths")
        refuse(step != at - starts[pair], "does not have the number of edges before it as its step")
        place = self.places_of_rows(row, lambda wrong, _, words: refuse(wrong, words))
        of_forest = xp.zeros(self.src.size, bool)
        of_forest[self.place] = True
        refuse(~of_forest[place], "is not in the forest")
        src, dst = self.src[place], self.dst[place]
        shown.check_ends(self.answer, row, [src, dst])
        if self.weights is not None:
            shown.check_weights(row, self.weights[place], self.backend.asarray)
        # A walk is at the vertex that is left of both ends of its last edge, without the vertex
        # before: an alternating sum.
        sign = 1 - 2 * (step & 1)
        signed = xp.cumsum(sign * (src + dst))
        before = xp.where(starts[pair] > 0, signed[starts[pair] - 1], 0)
        reached = sign * (signed - before - self.first[pair])  # after each edge
        came = src + dst - reached
        refuse((came != src) & (came != dst), "does not go on where the one before it ends")
        some = xp.flatnonzero(length)
        wrong = xp.zeros(total, bool)
        wrong[ends[some] - 1] = reached[ends[some] - 1] != self.second[some]
        refuse(wrong, "does not end at the second vertex of its pair")

    def _numbers(self, name: str) -> Any:
        """Return a column of numbers of the frame of pairs, where it lies."""
        if name not in self.names:
            raise InputError(f"a frame of paths has no column {name!r}: pass what paths() returns")
        values, there = numbers_of(column_of(self.shown_paths, name), f"column {name!r}")
        if not bool(there.all()):
            raise VerificationError(f"column {name!r} of the paths holds nulls")
        return values

    def _integers(self, name: str) -> Array:
        """Return a column of integers of the frame of pairs as an array of the backend."""
        values = self._numbers(name)
        if not is_integer(values.dtype):
            raise VerificationError(f"column {name!r} of the paths is {values.dtype}")
        return self.backend.asarray(values).astype(np.int64)

    def _refuse(self, wrong: Array, words: str) -> None:
        """Raise a VerificationError for the first pair that is wrong."""
        wrong_rows = self.xp.flatnonzero(wrong)
        if wrong_rows.size:
            raise VerificationError(f"pair {int(wrong_rows[0]):,} {words}")

    def _refuse_of_forest(self, wrong: Array, rows: Array, words: str) -> None:
        """Raise a VerificationError for the first row of the forest that is wrong."""
        wrong_rows = self.xp.flatnonzero(wrong)
        if wrong_rows.size:
            raise VerificationError(f"row {int(rows[wrong_rows[0]]):,} of the forest {words}")
