"""A tree of merges: each worker merges its forests, then workers merge theirs pairwise.

Balduzzi et al. 2018, section 2, distribute the edges in the same way, and send the representative
of every vertex up a tree. Here only the edges of forests are sent, so edges that join nothing stay
where they are; Dask sends the smaller of two forests to the worker of the larger.

Progress is reported by a bar on a terminal, a call, or lines in the log. The dashboard shows
the same tasks by their names, which begin with ``cc_rapids``.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from distributed import Client, Future, as_completed

from ...incremental.progress import Reporter


@dataclass(frozen=True)
class DaskProgress:
    """The progress of a run on a cluster.

    Attributes
    ----------
    stage : str
        The current stage, such as ``"forests"`` or ``"hooks, round 2"``.
    done, total : int
        Tasks of that stage.
    seconds : float
        Seconds since the run began.

    See Also
    --------
    cc_rapids.dask.components : Call ``progress`` with this.
    cc_rapids.StreamProgress : The progress of a stream.
    """

    stage: str
    done: int
    total: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.stage}: {self.done:,} of {self.total:,}, {self.seconds:,.1f} s"


FAILED = ("error", "cancelled")
Merge = Callable[[Future, Future, str | None], Future]


class Tasks:
    """The tasks of one run, with unique keys that the dashboard groups by prefix."""

    def __init__(self, client: Client) -> None:
        self.client, self._run, self._count = client, uuid.uuid4().hex[:12], 0
        self._held: WeakValueDictionary[str, Future] = WeakValueDictionary()

    @contextmanager
    def all_or_none(self) -> Iterator[Tasks]:
        """Release the tasks made in the context if it fails, so that the workers free them.

        Otherwise the stack frames of an error would keep its futures for as long as the error
        exists. They are not cancelled: that would end the scheduler's connection to the client if a
        task depends on one of them whose own future has been released.
        """
        before = set(self._held)
        try:
            yield self
        except BaseException:
            for key, future in list(self._held.items()):
                if key not in before:
                    future.release()
            raise

    def submit(
        self, function: Any, *arguments: Any, worker: str | None = None, pinned: bool = False
    ) -> Future:
        """Return the future of a call, on a preferred worker, or a required one if pinned."""
        found: Future = self.client.submit(
            function,
            *arguments,
            key=self.key(function),
            workers=None if worker is None else [worker],
            allow_other_workers=worker is not None and not pinned,
            priority=1,
        )
        self._held[found.key] = found
        return found

    def compute(self, calls: list[Any]) -> list[Future]:
        """Return the futures of lazy calls, with keys of this run."""
        found: list[Future] = self.client.compute(calls)
        self._held.update((future.key, future) for future in found)
        return found

    def key(self, function: Any) -> str:
        """Return a new key for a call, with the name shown by the dashboard."""
        self._count += 1
        name = function.__name__.strip("_").replace("_", "-")
        return f"cc_rapids-{name}-{self._run}-{self._count}"

    def facts(self, futures: list[Future]) -> list[Any]:
        """Return the results of small tasks; raise the error of a worker."""
        return list(self.client.gather(futures))

    def workers(self) -> list[str]:
        """Return the addresses of the workers; wait for the first one if there is none.

        A worker that is too busy to respond counts as lost until it responds.
        """
        while True:
            found = sorted(self.client.scheduler_info(n_workers=-1)["workers"])
            if found:
                return found
            self.client.wait_for_workers(1)


def fold(
    client: Client,
    leaves: list[Future],
    merge: Merge,
    watch: Reporter,
    fail: Callable[[Future], object] = Future.result,
) -> list[tuple[str, Future]]:
    """Return one forest for each worker, of those of its partitions, with the worker's address.

    Two forests of equally many partitions on one worker are merged as soon as both exist, so the
    number of forests that a worker holds is at most the logarithm of that of its partitions.
    ``leaves`` is emptied: a forest that was merged is released, and made from its partition again
    if its worker is lost. ``fail`` raises the error of a leaf that has one.
    """
    piles: dict[str, list[tuple[int, Future]]] = defaultdict(list)
    total, waiting = len(leaves), as_completed(leaves)
    leaves.clear()
    for done, leaf in enumerate(waiting, 1):
        if leaf.status in FAILED:
            fail(leaf)
        home = next(iter(client.who_has([leaf]).get(leaf.key, ())), "")
        pile = piles[home]
        pile.append((0, leaf))
        while len(pile) > 1 and pile[-1][0] == pile[-2][0]:
            (level, right), (_, left) = pile.pop(), pile.pop()
            pile.append((level + 1, merge(left, right, home or None)))
        watch.report(done, total, partial(DaskProgress, "forests", done, total))
    return [(home, _one(pile, merge, home)) for home, pile in sorted(piles.items())]


def _one(pile: list[tuple[int, Future]], merge: Merge, home: str) -> Future:
    found = pile.pop()[1]
    while pile:
        found = merge(pile.pop()[1], found, home or None)
    return found


def tree(forests: list[Future], merge: Merge, watch: Reporter) -> Future:
    """Merge pairs, pairs of pairs and so on into one forest of all.

    The caller should hold the forests until the answer is complete: then the loss of a worker costs
    its own partitions and some merges, but no partition of another worker.
    """
    level, count = forests, 0
    while len(level) > 1:
        count += 1
        pairs = [merge(*pair, None) for pair in zip(level[::2], level[1::2], strict=False)]
        _wait(pairs, f"merges, level {count}", watch)
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


def _wait(futures: list[Future], stage: str, watch: Reporter) -> None:
    total = len(futures)
    for done, future in enumerate(as_completed(futures), 1):
        if future.status in FAILED:
            future.result()
        watch.report(done, total, partial(DaskProgress, stage, done, total))
