"""One run on several workers: each worker merges its forests, then a tree of merges joins all.

Balduzzi et al. 2018, section 2, distribute the edges in the same way, but send the representative
of every vertex up the tree. Here only edges of forests are sent.

Dask, Ray and pools of processes make the forests of their partitions. The class :class:`Run` merges
them on an :class:`~cc_rapids.integrations.distributed.protocol.Executor`. Progress is reported by a
bar on a terminal, a callback, or lines in the log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...incremental.progress import DistributedProgress, Reporter
from ...ledger import Ledger
from .forests import Ends, merged
from .protocol import Executor, Handle


@dataclass(frozen=True)
class Run:
    """One run on several workers."""

    tasks: Executor
    id_names: Ends  # the caller's names of the columns of ids
    nulls: str  # "raise" or "drop": what to do with an edge that has a null end
    options: dict[str, Any]  # the design and the engine
    watch: Reporter
    parts_name: str  # how errors name the parts that the forests are made from
    # the row count of each part, or an array of counts, from tasks that do not use the forests
    counts: list[Handle] = field(default_factory=list)

    def merge(self, first: Handle, second: Handle, home: str | None = None) -> Handle:
        """Merge two forests, on a preferred worker."""
        return self.tasks.submit(merged, self.id_names, self.options, first, second, worker=home)

    def fold(self, leaves: Iterable[Handle], total: int | None) -> list[tuple[str, Handle]]:
        """Merge the forests of each worker; return the names of the workers and their forests.

        Two forests of the same number of partitions on one worker are merged as soon as both exist.
        A worker with k partitions therefore holds at most about log2(k) forests. A merged forest is
        released. If its worker is lost, the forest is computed from its partition again.

        ``leaves`` are the forests of the partitions, in the order in which their tasks end.
        ``total`` is the number of partitions for the progress display; None if it is unknown.
        """
        # for each worker, its forests; a forest with level k is made from 2^k partitions
        piles: dict[str, list[tuple[int, Handle]]] = defaultdict(list)
        for done, forest in enumerate(leaves, 1):
            [home] = self.tasks.places([forest])
            pile, level = piles[home], 0
            while pile and pile[-1][0] == level:
                _, earlier = pile.pop()
                forest = self.merge(earlier, forest, home)
                level += 1
            pile.append((level, forest))
            self.watch.report(done, total, partial(DistributedProgress, "forests", done, total))
        folded = []
        for home, pile in sorted(piles.items()):
            _, forest = pile.pop()
            while pile:  # the forests of the fewest partitions come first
                _, earlier = pile.pop()
                forest = self.merge(earlier, forest, home)
            folded.append((home, forest))
        return folded

    def tree(self, forests: list[Handle]) -> Handle:
        """Merge forests pairwise, level by level, into one.

        The caller should keep the handles of the forests until the answer is complete. If a worker
        is then lost, only its own partitions and some merges are repeated.
        """
        level = 0
        while len(forests) > 1:
            level += 1
            pairs = zip(forests[::2], forests[1::2], strict=False)
            merges = [self.merge(*pair) for pair in pairs]
            stage, total = f"merges, level {level}", len(merges)
            for done, _ in enumerate(self.tasks.completed(merges), 1):
                self.watch.report(done, total, partial(DistributedProgress, stage, done, total))
            unpaired = forests[2 * len(merges) :]  # at most one
            forests = merges + unpaired
        return forests[0]

    def by_vertices(
        self,
        forests: list[Handle],
        owners: Any,
        room: int | None,
        vertex_range: range | None,
        num_vertices: int | None,
        rows: int | None = None,
    ) -> tuple[list[Handle], dict[str, Any]]:
        """Solve forests with distributed vertices; return the answers of the parts, and the facts.

        For the arguments, see :func:`.vertices.distributed` and :meth:`facts`.
        """
        from .vertices import distributed  # pools of processes do not need it

        tasks, ids, options = self.tasks, self.id_names, self.options
        answers, facts = distributed(
            tasks, forests, ids, owners, room, vertex_range, num_vertices, options, self.watch
        )
        return answers, self.facts(facts, "vertices", len(answers), rows=rows)

    def facts(
        self,
        solved: dict[str, Any],
        partition: str,
        workers: int,
        rows: int | None = None,
        **more: str,
    ) -> dict[str, Any]:
        """Return the facts ``solved`` of an answer, and the facts of the run.

        Raise a LedgerError unless its ledger has ``rows`` rows, by default the sum of ``counts``.
        """
        if rows is None:
            rows = sum(int(np.sum(counts)) for counts in self.tasks.gather(self.counts))
        Ledger.of_facts(solved["ledger"])._replace(given=rows).check(self.parts_name)
        run_facts = {"partition": partition, "workers": workers, **more}
        return solved | run_facts | {"seconds": self.watch.seconds}
