"""Exchanges between parts: what goes from each to each in one batch, and what it weighs."""

from __future__ import annotations

from collections.abc import Sequence
from operator import getitem
from typing import Any

import numpy as np
from distributed import Future

from .dask_owners import Owner
from .dask_parts import arrived, grand, replaced, sizes, told, wanted, weight
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
    workers : list of str or None
        The worker that each part prefers: of those left that which sends it most at first.
    """

    def __init__(self, tasks: Tasks, owner: Owner, count: int, watch: Watch) -> None:
        self.tasks, self.owner, self.count, self.watch = tasks, owner, count, watch
        self.bytes = np.zeros((count, count), np.int64)
        self.batches = 0
        self.workers: list[str | None] = [None] * count

    def on(self, part: int, function: Any, *arguments: Any) -> Future:
        """The future of a call for a part, on its worker if that is there."""
        return self.tasks.submit(function, *arguments, worker=self.workers[part])

    def send(
        self, boxes: list[Future], by: str, homes: Sequence[int] | None, stage: str
    ) -> list[Future]:
        """What each part gets of some boxes, in one frame.

        Parameters
        ----------
        by : str
            The column whose owners get the rows.
        homes : sequence of int, optional
            The part where each box lies; if None they lie on any worker, and each part is given
            one to prefer.
        """
        found = self._sizes(boxes, stage)
        places: Sequence[str | None] = (
            self._settle(boxes, found) if homes is None else [self.workers[home] for home in homes]
        )
        pieces: list[list[Future]] = [[] for _ in range(self.count)]
        for number, (box, rows) in enumerate(zip(boxes, found, strict=True)):
            home = self.workers.index(places[number]) if homes is None else homes[number]
            for part, (filled, size) in enumerate(rows):
                if filled or number == part % len(boxes):  # one at least, for the types
                    taken = self.tasks.submit(getitem, box, part, worker=places[number])
                    pieces[part].append(taken)
                if part != home:
                    self.bytes[home, part] += size
        return [
            self.on(part, arrived, self.owner, by, part, *some) for part, some in enumerate(pieces)
        ]

    def _settle(self, boxes: list[Future], found: list[list[tuple[int, int]]]) -> list[str | None]:
        """Give each part a worker, and say where the boxes lie."""
        held = self.tasks.client.who_has(boxes)
        places = [next(iter(held[box.key]), "") for box in boxes]
        weights: dict[tuple[int, str], int] = {
            (part, name): 0 for part in range(self.count) for name in self.tasks.workers()
        }
        for rows, place in zip(found, places, strict=True):
            for part, (_, size) in enumerate(rows):
                if (part, place) in weights:
                    weights[part, place] += size
        while weights:
            part, name = max(weights, key=lambda pair: weights[pair])
            self.workers[part] = name
            weights = {
                pair: w for pair, w in weights.items() if pair[0] != part and pair[1] != name
            }
        return [place if place in self.workers else self.workers[0] for place in places]

    def _sizes(self, boxes: list[Future], stage: str) -> list[list[tuple[int, int]]]:
        self.batches += 1
        found = self.tasks.facts([self.tasks.submit(sizes, box) for box in boxes])
        self.watch.report(stage, self.batches, self.batches)
        return found

    def find(self, frames: list[Future], by: str, tables: list[Future], stage: str) -> list[Future]:
        """Frames whose ids in one column are replaced by what their owners' tables say."""
        answers = self._ask(frames, by, tables, stage)
        return [
            self.on(part, replaced, frame, by, *answers[part]) for part, frame in enumerate(frames)
        ]

    def further(self, tables: list[Future], stage: str) -> list[Future]:
        """Tables with what their owners say of the labels beside them."""
        answers = self._ask(tables, "labels", tables, stage)
        return [self.on(part, grand, table, *answers[part]) for part, table in enumerate(tables)]

    def _ask(
        self, frames: list[Future], by: str, tables: list[Future], stage: str
    ) -> list[list[Future]]:
        """The answers that each part gets: a batch of questions, and one of answers."""
        boxes = [
            self.on(part, wanted, frame, by, self.owner, self.count)
            for part, frame in enumerate(frames)
        ]
        answers: list[list[Future]] = [[] for _ in range(self.count)]
        weights: dict[tuple[int, int], Future] = {}
        for part, rows in enumerate(self._sizes(boxes, stage)):
            for other, (filled, size) in enumerate(rows):
                if not filled:
                    continue
                asked = self.on(part, getitem, boxes[part], other)
                answer = self.on(other, told, asked, tables[other])
                answers[part].append(answer)
                if other != part:
                    self.bytes[part, other] += size
                    weights[other, part] = self.on(other, weight, answer)
        for pair, size in zip(weights, self.tasks.facts(list(weights.values())), strict=True):
            self.bytes[pair] += size
        self.batches += 1
        return answers
