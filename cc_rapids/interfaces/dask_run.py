"""One run on a cluster: forests of all partitions, and how they become an answer."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from operator import getitem
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
from distributed import Future

from ..data import column
from ..data.read import Side
from ..errors import (
    ArgumentTypeError,
    CcRapidsError,
    EngineError,
    InputError,
    MissingColumnError,
)
from .dask_answer import DaskComponents, framed, spread
from .dask_gather import by_gather, reason_not_to
from .dask_parts import described
from .dask_progress import Watch
from .dask_tree import Tasks, fold, tree
from .dask_vertices import distributed
from .dask_work import edges_of, labelled, listed, local_forest, loops, merged, not_frame

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Run:
    """One run on a cluster."""

    tasks: Tasks
    source: Side
    destination: Side
    nulls: str
    options: dict[str, Any]
    # of each leaf, by its key: edges or vertices, as they were given, and the partition's number
    _origins: dict[str, tuple[str, Any, int]] = field(default_factory=dict)

    def leaves(self, edges: Any, vertices: Any) -> list[Future]:
        """The forests of all partitions, of vertices too if those are Dask's."""
        names = [*listed(self.source), *listed(self.destination)]
        ends = self.source, self.destination, self.nulls, self.options
        parts = edges[list(dict.fromkeys(names))].to_delayed()
        found = [self._later(local_forest, part, *ends) for part in parts]
        origins = [("edges", edges, k) for k in range(len(parts))]
        if vertices is not None:
            named = _parts_of(vertices, edges._meta)
            found += [self._later(loops, part, self.source, self.options) for part in named]
            origins += [("vertices", vertices, k) for k in range(len(named))]
        leaves = self.tasks.compute(found)
        self._origins.update((leaf.key, one) for leaf, one in zip(leaves, origins, strict=True))
        return leaves

    def _later(self, function: Any, *arguments: Any) -> Any:
        """A call that is not made yet."""
        call = dask.delayed(function, pure=False)
        return call(*arguments, dask_key_name=self.tasks.key(function))

    def folded(self, leaves: list[Future], watch: Watch) -> list[tuple[str, Future]]:
        """One forest for each worker, of those of its partitions.

        Raises
        ------
        MissingColumnError
            A partition lacks a column, as Dask has found when it took the columns of the ids.
        InputError
            Dask could not make Arrow's strings of those of a partition, as it does by default.
        ArgumentTypeError
            A partition is no frame.
        """
        try:
            return fold(self.tasks.client, leaves, self.merge, watch, self._fail)
        except UnicodeEncodeError as error:
            raise InputError(
                "a partition holds a string with half of a surrogate pair, which is no Unicode"
                " text: replace it, such as by .encode('utf-8', 'replace').decode(); with Dask's"
                " option 'dataframe.convert-string' False the error says in which row"
            ) from error
        except KeyError as error:
            names = dict.fromkeys([*listed(self.source), *listed(self.destination)])
            lacking = [repr(name) for name in names if repr(name) in str(error)]
            if isinstance(error, CcRapidsError) or not lacking:
                raise
            raise MissingColumnError(
                f"a partition has no column {', '.join(lacking)}, which the frame is said to have:"
                f" all partitions have the columns of source= and destination= ({error})"
            ) from error

    def _fail(self, leaf: Future) -> None:
        """Raise the error of a leaf, or one that says what its partition is if that is no frame."""
        try:
            leaf.result()
        except (TypeError, AttributeError, LookupError, ValueError) as error:
            if isinstance(error, CcRapidsError):
                raise
            kind = self._kind_of_partition(leaf)
            if not kind:
                raise
            what, _, k = self._origins[leaf.key]
            raise ArgumentTypeError(
                f"partition {k} of the {what} is {kind}, not a frame of pandas or cuDF as its Dask"
                " frame says: mend the function that makes it, or convert it there"
            ) from error

    def _kind_of_partition(self, leaf: Future) -> str:
        """What the partition of a leaf is if it is no frame, found by computing it again."""
        what, given, k = self._origins[leaf.key]
        if not is_dask(given):
            return ""
        [part] = given.partitions[k].to_delayed()
        try:
            [kind] = self.tasks.facts(
                self.tasks.compute([self._later(not_frame, part, what == "vertices")])
            )
        except Exception:  # which it was that failed
            return ""
        return str(kind)

    def merge(self, first: Future, second: Future, home: str | None) -> Future:
        """The forest of two."""
        called = self.source, self.destination
        return self.tasks.submit(merged, first, second, called, self.options, worker=home)

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
        held = self.folded(leaves, watch)
        homes, forests = [home for home, _ in held], [forest for _, forest in held]
        del held
        if combine != "tree":
            answer = self._gathered(homes, forests, labels, named, combine == "gather", watch)
            if answer:
                return answer
        root = tree(forests, self.merge, watch)
        called = self.source, self.destination
        whole = tasks.submit(labelled, root, called, labels, named, self.options)
        [facts] = tasks.facts([tasks.submit(getitem, whole, 1)])
        count = len(tasks.workers())
        spent = {"combine": "tree", "seconds": watch.seconds}
        facts |= {"partition": "edges", "workers": count} | spent
        return DaskComponents(facts, spread(tasks, whole, count), lambda: self._forest([root]))

    def _forest(self, forests: list[Future]) -> Any:
        """The frame of the forest that several are, which may have been merged already."""
        with self.tasks.all_or_none() as tasks:
            root = tree(forests, self.merge, Watch(False))
            return framed(tasks, [tasks.submit(edges_of, root, self.source)])

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
        called = self.source, self.destination
        runs = by_gather(tasks, forests, homes, facts, called, labels, named, self.options)
        if runs is None:
            return None
        watch.report("gathered", 1, 1)
        [told] = tasks.facts([tasks.submit(getitem, runs[0], 1)])
        told |= {"partition": "edges", "workers": len(homes), "combine": "gather"}
        answers = [tasks.submit(getitem, run, 0) for run in runs]
        return DaskComponents(
            told | {"seconds": watch.seconds},
            framed(tasks, answers),
            lambda: self._forest(forests),
        )

    def by_vertices(
        self, edges: Any, vertices: Any, count: int | None, owners: Any, room: Any, watch: Watch
    ) -> DaskComponents:
        """The answer where no worker holds all vertices."""
        tasks, run = self.tasks, vertices if isinstance(vertices, range) else None
        leaves = self.leaves(edges, vertices if run is None else None)
        held = [one for _, one in self.folded(leaves, watch)]
        called = self.source, self.destination
        answers, facts = distributed(
            tasks, held, called, owners, room, run, count, self.options, watch
        )
        told = {"partition": "vertices", "workers": len(answers), "seconds": watch.seconds}
        return DaskComponents(facts | told, framed(tasks, answers))


def is_dask(thing: Any) -> bool:
    """Whether it is a frame or series of Dask's."""
    return isinstance(thing, dd.DataFrame | dd.Series)


def _parts_of(vertices: Any, meta: Any) -> list[Any]:
    """Frames of vertices, not made yet."""
    if is_dask(vertices):
        return list(vertices.to_delayed())
    with column.of("vertices", vertices).lend() as held:
        ids: Any = held
        if hasattr(held, "__cuda_array_interface__"):
            ids = held if column.is_cudf(meta) else held.get()
        elif not column.is_cudf(held):
            ids = np.asarray(held)
        return [dask.delayed(type(meta)({"vertex": ids}))]
