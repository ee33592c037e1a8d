"""Faults: the first counter-example, in the words of the caller's ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array
from ..data.edge_input import Given
from .answer import IDS, Answer
from .ids import in_words


class Faults:
    """What is wrong with an answer, told of an edge or of a vertex."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.engine = answer, answer.engine

    def edge(
        self, given: Given, columns: list[Any], offsets: Array | None, e: int, row: int
    ) -> str:
        """An edge whose ends differ, or are no vertices; ``row`` is what the caller calls it."""
        sides = [self._end(given, column, e) for column in columns[:2]]
        if offsets is not None:
            at = int(np.searchsorted(self.engine.to_host(offsets), e, side="right")) - 1
            sides[0] = self.engine.xp.asarray([at])
        several = self.answer.several
        names = [in_words(side, several) for side in sides]
        slots = [int(self.answer.find(side)[0]) for side in sides]
        what = f"edge {row:,} joins {names[0]} and {names[1]}"
        pairs = zip(slots, names, strict=True)
        missing = [name for slot, name in pairs if not self.answer.is_vertex(slot)]
        if missing:
            *others, last = dict.fromkeys(missing)
            verb = "have" if others else "has"
            return f"{what}, and {' and '.join([*others, last])} {verb} no label"
        return f"{what}, which have the labels {' and '.join(map(self.answer.label, slots))}"

    def label(self, v: int) -> str:
        """A label that does not label itself, or is not the least vertex, or the greatest."""
        own = int(self.answer.own[v])
        if not self.answer.is_vertex(own):
            return f"{self._labelled(v)}, which is no vertex"
        extreme = "greatest" if self.answer.kind == "max" else "least"
        return (
            f"{self._labelled(v)}, which itself has the label {self.answer.label(own)}: the"
            f" {extreme} vertex of a component labels itself and the others"
        )

    def merged(self, v: int) -> str:
        """A vertex that shares a label with others, and no path with it."""
        shares = "" if self.answer.kind in IDS else " as " + self._head(v)
        return f"{self._labelled(v)}{shares}, and no path joins the two"

    def foreign(self, v: int) -> str:
        """A vertex out of nowhere."""
        return (
            f"vertex {self.answer.name(v)} has a label, and nothing names it (vertices without"
            " edges are named by vertices= or num_vertices=, as when they were found)"
        )

    def lost(self, v: int) -> str:
        """A tree of the audit that is none: nothing is proved by it."""
        return (
            f"the audit itself has failed: its trees are in no order at vertex"
            f" {self.answer.name(v)}, so that it proves nothing"
        )

    def _end(self, given: Given, column: Any, e: int) -> Any:
        """One id of a lent column, or of several."""
        return [part[e : e + 1] for part in column] if given.src.parts else column[e : e + 1]

    def _head(self, v: int) -> str:
        return self.answer.name(int(self.answer.own[v]))

    def _labelled(self, v: int) -> str:
        return f"vertex {self.answer.name(v)} has the label {self.answer.label(v)}"
