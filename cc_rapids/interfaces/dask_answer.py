"""The answer of a run on a cluster, which stays on its workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask.dataframe as dd
from distributed import Future

from .dask_tree import Tasks
from .dask_work import chunk, empty_of, same


@dataclass(frozen=True)
class DaskComponents:
    """The connected components of an edge list that is spread over workers.

    ``len()`` is the number of components. Frames are Dask's, of the kind that was given, and lie
    on the workers; nothing comes to the client but what is computed of them.

    Attributes
    ----------
    facts : dict
        What ran and what it found: engine, device, partition, workers, vertices, components,
        dropped (edges left out for nulls), seconds, and for distributed vertices what was sent:
        rounds and bytes.
    """

    facts: dict[str, Any]
    _labels: Any
    _forest: Callable[[], Any] | None = None

    def labels(self) -> Any:
        """The component of each vertex.

        Returns
        -------
        dask frame, columns ``vertex`` and ``labels`` (``0_vertex``, ... for several columns)
            One row a vertex; within a partition in the order of the ids, and in all of them
            together unless vertices are distributed by hash.
        """
        return self._labels

    def sizes(self) -> Any:
        """The number of vertices of each component.

        Returns
        -------
        dask frame, columns ``labels`` (or ``0_labels``, ...) and ``size``, in no order, not
        computed yet
        """
        names = [name for name in self._labels.columns if name.endswith("labels")]
        grouped = self._labels.groupby(names)[self._labels.columns[0]]
        count = grouped.count(split_out=self._labels.npartitions, shuffle_method="tasks")
        return count.to_frame("size").reset_index()

    def forest(self) -> Any:
        """The edges of a spanning forest, which are edges that were given.

        Returns
        -------
        dask frame, columns ``source`` and ``destination`` (``0_source``, ... for several columns)
            One row for each vertex but one of each component. Which ones they are may differ
            from run to run. None if vertices are distributed: no worker holds a forest of all.
        """
        return self._forest() if self._forest else None

    def __len__(self) -> int:
        return int(self.facts["components"])

    def __repr__(self) -> str:
        facts = self.facts
        return (
            f"<DaskComponents: {len(self):,} components of {facts['vertices']:,} vertices, by"
            f" {facts['partition']} on {facts['workers']:,} workers in {facts['seconds']:.3g} s>"
        )


def spread(tasks: Tasks, whole: Future, count: int) -> Any:
    """The first of a pair on one worker, a frame, as a dask frame in runs of rows on all."""
    workers = tasks.workers()
    runs = [tasks.submit(chunk, whole, k, count) for k in range(count)]
    homes = [workers[k % len(workers)] for k in range(count)]
    moved = [tasks.submit(same, run, worker=home) for run, home in zip(runs, homes, strict=True)]
    return framed(tasks, moved)


def framed(tasks: Tasks, futures: list[Future]) -> Any:
    """The dask frame of which these are the partitions."""
    [meta] = tasks.facts([tasks.submit(empty_of, futures[0])])
    return dd.from_delayed(futures, meta=meta, verify_meta=False)
