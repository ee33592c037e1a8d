"""One run on a cluster: forests of all partitions, and how they become an answer."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from operator import getitem
from typing import Any

import dask
import dask.dataframe as dd
from distributed import Future

from ..errors import EngineError
from .dask_answer import DaskComponents, framed, spread
from .dask_gather import by_gather, reason_not_to
from .dask_parts import described
from .dask_progress import Watch
from .dask_tree import Tasks, fold, tree
from .dask_vertices import distributed
from .dask_work import Side, edges_of, labelled, listed, local_forest, loops, merged

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Run:
    """One run on a cluster."""

    tasks: Tasks
    source: Side
    destination: Side
    nulls: str
    options: dict[str, Any]

    def leaves(self, edges: Any, vertices: Any) -> list[Future]:
        """The forests of all partitions, of vertices too if those are Dask's."""
        names = [*listed(self.source), *listed(self.destination)]
        ends = self.source, self.destination, self.nulls, self.options
        parts = edges[list(dict.fromkeys(names))].to_delayed()
        found = [self._later(local_forest, part, *ends) for part in parts]
        if vertices is not None:
            named = _parts_of(vertices, edges._meta)
            found += [self._later(loops, part, self.source, self.options) for part in named]
        return list(self.tasks.client.compute(found))

    def _later(self, function: Any, *arguments: Any) -> Any:
        """A call that is not made yet."""
        call = dask.delayed(function, pure=False)
        return call(*arguments, dask_key_name=self.tasks.key(function))

    def merge(self, first: Future, second: Future, home: str | None) -> Future:
        """The forest of two."""
        return self.tasks.submit(merged, first, second, self.source, self.options, worker=home)

    def by_edges(
        self,
        edges: Any,
        labels: str,
        named: dict[str, Any],
        vertices: Any,
        combine: str,
        watch: Watch,
    ) -> DaskComponents:
        """The answer by a tree of forests, or by an all-gather of them."""
        tasks = self.tasks
        leaves = self.leaves(edges, vertices if is_dask(vertices) else None)
        held = fold(tasks.client, leaves, self.merge, watch)
        homes, forests = [home for home, _ in held], [forest for _, forest in held]
        del held
        if combine != "tree":
            answer = self._gathered(homes, forests, labels, named, combine == "gather", watch)
            if answer:
                return answer
        root = tree(forests, self.merge, watch)
        whole = tasks.submit(labelled, root, self.source, labels, named, self.options)
        [facts] = tasks.facts([tasks.submit(getitem, whole, 1)])
        count = len(tasks.workers())
        spent = {"combine": "tree", "seconds": watch.seconds}
        facts |= {"partition": "edges", "workers": count} | spent
        return DaskComponents(facts, spread(tasks, whole, count), lambda: self._forest(root))

    def _forest(self, root: Future) -> Any:
        return framed(self.tasks, [self.tasks.submit(edges_of, root, self.source)])

    def _gathered(
        self,
        homes: list[str],
        forests: list[Future],
        labels: str,
        named: dict[str, Any],
        forced: bool,
        watch: Watch,
    ) -> DaskComponents | None:
        """The answer by an all-gather; None, and a line in the log, if there is a reason not to.

        An EngineError says the reason if it is insisted upon.
        """
        tasks = self.tasks
        several = not isinstance(self.source, str)
        facts = [] if several else tasks.facts([tasks.submit(described, one) for one in forests])
        reason = "ids have several columns"
        reason = reason if several else reason_not_to(tasks, homes, facts, forced)
        if reason and forced:
            raise EngineError(f"combine='gather' cannot be had: {reason}; take combine='tree'")
        if reason:
            log.debug("forests go up the tree: %s", reason)
            return None
        runs = by_gather(tasks, forests, homes, facts, labels, named, self.options)
        if runs is None:
            return None
        watch.report("gathered", 1, 1)
        [told] = tasks.facts([tasks.submit(getitem, runs[0], 1)])
        told |= {"partition": "edges", "workers": len(homes), "combine": "gather"}
        answers = [tasks.submit(getitem, run, 0) for run in runs]
        silent = Watch(False)
        return DaskComponents(
            told | {"seconds": watch.seconds},
            framed(tasks, answers),
            lambda: self._forest(tree(forests, self.merge, silent)),
        )

    def by_vertices(
        self, edges: Any, vertices: Any, count: int | None, owners: Any, room: Any, watch: Watch
    ) -> DaskComponents:
        """The answer where no worker holds all vertices."""
        tasks, run = self.tasks, vertices if isinstance(vertices, range) else None
        leaves = self.leaves(edges, vertices if run is None else None)
        held = [one for _, one in fold(tasks.client, leaves, self.merge, watch)]
        answers, facts = distributed(tasks, held, owners, room, run, count, self.options, watch)
        told = {"partition": "vertices", "workers": len(answers), "seconds": watch.seconds}
        return DaskComponents(facts | told, framed(tasks, answers))


def is_dask(thing: Any) -> bool:
    """Whether it is a frame or series of Dask's."""
    return isinstance(thing, dd.DataFrame | dd.Series)


def _parts_of(vertices: Any, meta: Any) -> list[Any]:
    """Frames of vertices, not made yet."""
    if is_dask(vertices):
        return list(vertices.to_delayed())
    return [dask.delayed(type(meta), pure=False)({"vertex": vertices})]
