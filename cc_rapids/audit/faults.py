"""Faults: the first counter-example, in the words of the caller's ids."""

from __future__ import annotations

from typing import Any

from ..bits import WORD
from ..edges import Edges
from ..given import Given
from .places import Places, in_words


class Faults:
    """What is wrong with an answer, told of an edge or of a vertex."""

    def __init__(self, places: Places) -> None:
        self.places, self.forest = places, places.forest

    def edge(self, given: Given, columns: list[Any], ends: Edges, e: int, rows: int) -> str:
        """An edge of a chunk that came after so many rows: its ends differ, or are no vertices."""
        several = bool(self.places.column.parts)
        names = [
            in_words([part[e : e + 1] for part in side] if several else side[e : e + 1], several)
            for side in columns[:2]
        ]
        row = rows + (e if given.kept is None else int(given.kept()[e]))
        what = f"edge {row:,} joins {names[0]} and {names[1]}"
        vertices = [int(end[e]) - ends.low for end in (ends.src, ends.dst)]
        missing = [name for v, name in zip(vertices, names, strict=True) if not self._there(v)]
        if missing:
            *others, last = dict.fromkeys(missing)
            verb = "have" if others else "has"
            return f"{what}, and {' and '.join([*others, last])} {verb} no label"
        return f"{what}, which have the labels {' and '.join(map(self._label, vertices))}"

    def missing(self, v: int) -> str:
        """A vertex that edges name, and the answer does not."""
        return f"vertex {self.places.name(v)} has no label"

    def label(self, v: int) -> str:
        """A label that is no vertex, or not the least one."""
        says, own = self._labelled(v), int(self.forest.parent[v])
        if not self._there(own):
            return f"{says}, which is no vertex"
        return (
            f"{says}, which itself has the label {self._label(own)}: the least vertex of a"
            " component labels itself and the others"
        )

    def merged(self, v: int) -> str:
        """A vertex that shares a label with others, and no path with it."""
        return f"{self._labelled(v)}, and no path joins the two"

    def foreign(self, v: int) -> str:
        """A vertex out of nowhere."""
        return (
            f"vertex {self.places.name(v)} has a label, and nothing names it (vertices without"
            " edges are named by vertices= or num_vertices=, as when they were found)"
        )

    def _labelled(self, v: int) -> str:
        return f"vertex {self.places.name(v)} has the label {self._label(v)}"

    def _label(self, v: int) -> str:
        label = int(self.forest.parent[v])
        return self.places.name(label) if label < self.forest.n else "of no vertex"

    def _there(self, v: int) -> bool:
        if not 0 <= v < self.forest.n:
            return False
        return bool(int(self.forest.seen[v // WORD]) >> v % WORD & 1)
