"""Exchanges between parts: what goes from each to each in one batch, and what it weighs."""

from __future__ import annotations

from collections.abc import Sequence
from operator import getitem

import numpy as np
from distributed import Future

from .dask_owners import Owner
from .dask_parts import grand, joined, replaced, sizes, told, wanted, weight
from .dask_progress import Watch
from .dask_tree import Tasks


class Exchange:
    """Batches between the parts 0 .. count - 1.

    Attributes
    ----------
    bytes : (count, count) int64
        What each part has sent to each other one, by the columns of the frames.
    batches : int
        How often all parts waited for one another.
    """

    def __init__(self, tasks: Tasks, owner: Owner, count: int, watch: Watch) -> None:
        self.tasks, self.owner, self.count, self.watch = tasks, owner, count, watch
        self.bytes = np.zeros((count, count), np.int64)
        self.batches = 0

    def send(self, boxes: list[Future], homes: Sequence[int] | None, stage: str) -> list[Future]:
        """What each part gets of some boxes, in one frame.

        Parameters
        ----------
        homes : sequence of int, optional
            The part where each box lies: for each that of which it holds most, if None.
        """
        found = self._sizes(boxes, stage)
        pieces: list[list[Future]] = [[] for _ in range(self.count)]
        for number, (box, rows) in enumerate(zip(boxes, found, strict=True)):
            weights = [size for _, size in rows]
            home = int(np.argmax(weights)) if homes is None else homes[number]
            for part, (filled, size) in enumerate(rows):
                if filled or number == part % len(boxes):  # one at least, for the types
                    pieces[part].append(self.tasks.submit(getitem, box, part))
                if part != home:
                    self.bytes[home, part] += size
        return [self.tasks.submit(joined, *some) for some in pieces]

    def _sizes(self, boxes: list[Future], stage: str) -> list[list[tuple[int, int]]]:
        self.batches += 1
        found = self.tasks.facts([self.tasks.submit(sizes, box) for box in boxes])
        self.watch.report(stage, self.batches, self.batches)
        return found

    def find(self, frames: list[Future], by: str, tables: list[Future], stage: str) -> list[Future]:
        """Frames whose ids in one column are replaced by what their owners' tables say."""
        answers = self._ask(frames, by, tables, stage)
        return [
            self.tasks.submit(replaced, frame, by, *answers[part])
            for part, frame in enumerate(frames)
        ]

    def further(self, tables: list[Future], stage: str) -> list[Future]:
        """Tables with what their owners say of the labels beside them."""
        answers = self._ask(tables, "labels", tables, stage)
        return [
            self.tasks.submit(grand, table, *answers[part]) for part, table in enumerate(tables)
        ]

    def _ask(
        self, frames: list[Future], by: str, tables: list[Future], stage: str
    ) -> list[list[Future]]:
        """The answers that each part gets: a batch of questions, and one of answers."""
        submit, owner = self.tasks.submit, self.owner
        boxes = [submit(wanted, frame, by, owner, self.count) for frame in frames]
        answers: list[list[Future]] = [[] for _ in range(self.count)]
        weights: dict[tuple[int, int], Future] = {}
        for part, rows in enumerate(self._sizes(boxes, stage)):
            for other, (filled, size) in enumerate(rows):
                if not filled:
                    continue
                answer = submit(told, submit(getitem, boxes[part], other), tables[other])
                answers[part].append(answer)
                if other != part:
                    self.bytes[part, other] += size
                    weights[other, part] = submit(weight, answer)
        for pair, size in zip(weights, self.tasks.facts(list(weights.values())), strict=True):
            self.bytes[pair] += size
        self.batches += 1
        return answers
