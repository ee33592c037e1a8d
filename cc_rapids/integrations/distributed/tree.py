"""A tree of merges: each worker merges its forests, then workers merge theirs pairwise.

Balduzzi et al. 2018, section 2, distribute the edges in the same way, and send the representative
of every vertex up a tree. Here only the edges of forests are sent, so edges that join nothing stay
where they are.

Progress is reported by a bar on a terminal, a call, or lines in the log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...incremental.progress import DistributedProgress, Reporter
from .forests import Ends, merged
from .protocol import Executor, Handle


@dataclass(frozen=True)
class Merges:
    """The merges of one run.

    Attributes
    ----------
    called : pair of columns
        The caller's names of the columns of ids, for errors.
    options : dict
        The design and the engine.
    """

    tasks: Executor
    called: Ends
    options: dict[str, Any]
    watch: Reporter

    def merge(self, first: Handle, second: Handle, home: str | None = None) -> Handle:
        """Merge two forests, on a preferred worker."""
        return self.tasks.submit(merged, first, second, self.called, self.options, worker=home)

    def fold(self, leaves: Iterable[Handle], total: int | None) -> list[tuple[str, Handle]]:
        """Return one forest for each worker, of those of its partitions, with the worker's name.

        Two forests of equally many partitions on one worker are merged as soon as both exist, so
        the number of forests that a worker holds is at most the logarithm of that of its
        partitions. A forest that was merged is released, and made from its partition again if its
        worker is lost.

        Parameters
        ----------
        leaves : iterable
            The forests of the partitions, as each of them is complete.
        """
        piles: dict[str, list[tuple[int, Handle]]] = defaultdict(list)
        for done, leaf in enumerate(leaves, 1):
            [home] = self.tasks.places([leaf])
            pile = piles[home]
            pile.append((0, leaf))
            while len(pile) > 1 and pile[-1][0] == pile[-2][0]:
                (level, right), (_, left) = pile.pop(), pile.pop()
                pile.append((level + 1, self.merge(left, right, home)))
            progress = partial(DistributedProgress, "forests", done, total)
            self.watch.report(done, total, progress)
        return [(home, self._merge_pile(pile, home)) for home, pile in sorted(piles.items())]

    def _merge_pile(self, pile: list[tuple[int, Handle]], home: str) -> Handle:
        merged = pile.pop()[1]
        while pile:
            merged = self.merge(pile.pop()[1], merged, home)
        return merged

    def tree(self, forests: list[Handle]) -> Handle:
        """Merge pairs, pairs of pairs and so on into one forest of all.

        The caller should hold the forests until the answer is complete: then the loss of a worker
        costs its own partitions and some merges, but no partition of another worker.
        """
        level, count = forests, 0
        while len(level) > 1:
            count += 1
            pairs = [self.merge(*pair) for pair in zip(level[::2], level[1::2], strict=False)]
            stage, total = f"merges, level {count}", len(pairs)
            for done, _ in enumerate(self.tasks.completed(pairs), 1):
                self.watch.report(done, total, partial(DistributedProgress, stage, done, total))
            level = pairs + level[len(level) - len(level) % 2 :]
        return level[0]
