"""The audit of paths: each is a walk by rows of the list, and its weakest row is the weakest.

The components, and a forest by weight, are proved first, by :mod:`cc_rapids.verify.audit`. Here the
edges of the forest are shown to have no cycle. Then a walk along them that meets no vertex twice is
the path, and there is no other. Nothing of what finds paths is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..data.frame_access import column_of, columns_of, numbers_of
from ..errors import InputError, VerificationError, counted
from ..graph.sorting import begins, order_of
from .answer import Answer
from .forests import check_acyclic
from .placed_edges import PlacedEdges

APART = -1
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


class Evidence(NamedTuple):
    """All edges of the paths of some consecutive pairs.

    Attributes
    ----------
    begin, end : int
        The first pair, and the one after the last.
    frame : frame
        As :meth:`cc_rapids.Components.paths` returns it with ``rows=True``, where the first pair
        has the number 0.
    """

    begin: int
    end: int
    frame: Any


@dataclass(frozen=True)
class PathsClaim:
    """The claims about paths that are to be proved.

    Attributes
    ----------
    pairs : EdgeInput
        The pairs.
    found : frame
        A row for each pair, see :meth:`cc_rapids.Components.paths`.
    evidence : iterable of Evidence
        In the order of the pairs, of which it leaves none out.
    forest : (t,) array of integers
        The caller's rows that are the forest.
    greatest : bool or None
        Whether the forest is the one of the greatest weight; None if it has no weights.
    """

    pairs: EdgeInput
    found: Any
    evidence: Iterable[Evidence]
    forest: Any
    greatest: bool | None


def audit(answer: Answer, given: EdgeInput, claim: PathsClaim, backend: Backend) -> tuple[int, int]:
    """Return how many pairs are joined, and how many edges their paths have.

    Parameters
    ----------
    answer : Answer
        The label frame, which is proved already.
    given : EdgeInput
        The edges, read again, with weights if the forest has some.
    claim : PathsClaim
        What is to be proved.
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
        rows = sum(paths.check_evidence(part) for part in claim.evidence)
        return int((paths.length >= 0).sum()), rows


class _Paths(PlacedEdges):
    """The claims about each pair, and the edges between slots."""

    def __init__(self, answer: Answer, given: EdgeInput, claim: PathsClaim) -> None:
        super().__init__(answer, given)
        self.claim, xp = claim, self.xp
        names = columns_of(claim.found)
        self.length = self._numbers_in(claim.found, "length")
        if self.length.size != claim.pairs.src.size:
            raise VerificationError(
                f"there are paths of {counted(self.length.size, 'pair')}, but"
                f" {claim.pairs.src.size:,} pairs"
            )
        self.first, self.second = self.ends(claim.pairs)
        strange = xp.flatnonzero(~self.named(self.first) | ~self.named(self.second))
        if strange.size:
            raise InputError(
                f"{counted(int(strange.size), 'pair')} of {self.length.size:,}, first pair"
                f" {int(strange[0]):,}, name ids that are no vertices of this answer"
            )
        self.weights = self.weakest = None
        if claim.greatest is not None:
            if "weakest_row" not in names:
                raise InputError(
                    "the forest has weights, and the frame of paths no columns weakest_row and"
                    " weakest_weight: pass what paths(pairs) returns"
                )
            self.weights = self.backend.asarray(given.weights)
            self.weakest = tuple(
                self._numbers_in(claim.found, name) for name in ("weakest_row", "weakest_weight")
            )
        chosen = xp.sort(self.backend.asarray(claim.forest).astype(np.int64))
        place = self.places_of_rows(chosen, self._refuse_of_forest)
        self.forest = chosen
        check_acyclic(self.src[place], self.dst[place], answer.ids.n, self.backend)

    def check_lengths(self) -> None:
        """Raise a VerificationError for the first pair whose length or weakest row cannot be."""
        joined = self.head[self.first] == self.head[self.second]
        self._refuse(
            joined & (self.length < 0), "has no path, but is of two vertices of one component"
        )
        self._refuse(~joined & (self.length >= 0), "has a path, but is of two components")
        self._refuse(self.length < APART, "has a length that is not -1, and less than 0")
        same = self.first == self.second
        self._refuse((self.length == 0) != same, "has a length that is 0, or a vertex twice")
        if self.weakest is not None:
            row, weight = self.weakest
            none = self.length <= 0
            wrong = none & ((row != NONE) | (weight != 0))
            self._refuse(wrong, "has no edge, but a weakest row other than -1, or a weight not 0")

    def check_evidence(self, part: Evidence) -> int:
        """Return the number of the edges of some paths, or raise a VerificationError."""
        xp, frame, begin = self.xp, part.frame, part.begin
        pair, step, row = (self._numbers_in(frame, name) for name in ("pair", "step", "row"))
        length = xp.maximum(self.length[part.begin : part.end], 0)
        ends = xp.cumsum(length)
        total = int(ends[-1]) if ends.size else 0
        if pair.size != total:
            raise VerificationError(
                f"the lengths of the paths of pairs {begin:,} to {part.end - 1:,} are"
                f" {total:,} edges, and the paths have {pair.size:,}"
            )
        if not total:
            return 0
        at = xp.arange(total)
        right = xp.searchsorted(ends, at, side="right")

        def refuse(wrong: Array, words: str) -> None:
            found = xp.flatnonzero(wrong)
            if found.size:
                k = int(found[0])
                raise VerificationError(
                    f"edge {int(row[k]):,}, in row {k:,} of the paths of pairs from {begin:,} on,"
                    f" {words}"
                )

        starts = ends - length
        refuse(pair != right, "is not of the pair that follows from the lengths of the paths")
        refuse(step != at - starts[pair], "does not have the number of edges before it as its step")
        place = self.places_of_rows(row, lambda wrong, _, words: refuse(wrong, words))
        spot = xp.searchsorted(self.forest, row)
        outside = self.forest[xp.minimum(spot, self.forest.size - 1)] != row
        refuse(outside | (spot == self.forest.size), "is not in the forest")
        names = columns_of(frame)[3 : 3 + 2 * self.width]
        src, dst = self.ends_of_frame(frame, names)
        refuse((src != self.src[place]) | (dst != self.dst[place]), "has other ends in the edges")
        self._check_walk(src, dst, pair, step, starts, ends, begin, refuse)
        if self.weakest is not None and self.weights is not None:
            self._check_weakest(frame, place, pair, row, length, begin, refuse)
        return total

    def _check_walk(
        self,
        src: Array,
        dst: Array,
        pair: Array,
        step: Array,
        starts: Array,
        ends: Array,
        begin: int,
        refuse: Any,
    ) -> None:
        """Raise a VerificationError unless edges lead from one vertex of each pair to the other.

        A walk is at the vertex that is left of both ends of its last edge, without the vertex
        before: an alternating sum.
        """
        xp = self.xp
        sign = 1 - 2 * (step & 1)
        signed = xp.cumsum(sign * (src + dst))
        before = xp.where(starts[pair] > 0, signed[starts[pair] - 1], 0)
        reached = sign * (signed - before - self.first[begin + pair])  # after each edge
        came = src + dst - reached
        refuse((came != src) & (came != dst), "does not go on where the one before it ends")
        last = ends - 1
        some = xp.flatnonzero(ends > starts)
        wrong = xp.zeros(src.size, bool)
        wrong[last[some]] = reached[last[some]] != self.second[begin + some]
        refuse(wrong, "does not end at the second vertex of its pair")
        order = order_of([pair, reached], xp)
        again = xp.zeros(src.size, bool)
        again[order] = ~begins([pair[order], reached[order]], xp)
        refuse(again | (reached == self.first[begin + pair]), "leads to a vertex for a second time")

    def _check_weakest(
        self,
        frame: Any,
        place: Array,
        pair: Array,
        row: Array,
        length: Array,
        begin: int,
        refuse: Any,
    ) -> None:
        """Raise a VerificationError unless the weakest row of each pair is so."""
        assert self.weakest is not None
        assert self.weights is not None
        weight = self._numbers_in(frame, "weight")
        refuse(weight != self.weights[place], "has another weight in the edges")
        least, of_least = (own[begin + pair] for own in self.weakest)
        here = row == least
        refuse(here & (weight != of_least), "is the weakest of its pair, which has another weight")
        weaker = weight < of_least if self.claim.greatest else weight > of_least
        weaker |= (weight == of_least) & (row < least)
        refuse(weaker, "is weaker than the weakest row of its pair")
        there = length == 0
        there[pair[here]] = True
        wrong = self.xp.flatnonzero(~there)
        if wrong.size:
            k = begin + int(wrong[0])
            raise VerificationError(
                f"the weakest row of pair {k:,}, {int(self.weakest[0][k]):,}, is not on its path"
            )

    def _numbers_in(self, frame: Any, name: str) -> Array:
        """Return a column of numbers of a frame of claims as an array of the backend."""
        if name not in columns_of(frame):
            raise InputError(f"a frame of paths has no column {name!r}: pass what paths() returns")
        column = column_of(frame, name)
        values, there = numbers_of(column, f"column {name!r}")
        if there is not None and not bool(there.all()):
            raise VerificationError(f"column {name!r} of the paths holds nulls")
        return self.backend.asarray(values)

    def _refuse(self, wrong: Array, words: str) -> None:
        """Raise a VerificationError for the first pair that is wrong."""
        found = self.xp.flatnonzero(wrong)
        if found.size:
            raise VerificationError(f"pair {int(found[0]):,} {words}")

    def _refuse_of_forest(self, wrong: Array, rows: Array, words: str) -> None:
        """Raise a VerificationError for the first row of the forest that is wrong."""
        found = self.xp.flatnonzero(wrong)
        if found.size:
            raise VerificationError(f"row {int(rows[found[0]]):,} of the forest {words}")
