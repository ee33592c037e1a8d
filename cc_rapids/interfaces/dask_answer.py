"""The answer of a run on a cluster, which stays on its workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
from distributed import Future

from ..data.column import is_cudf
from .dask_tree import Tasks
from .dask_work import chunk, empty_of, same


@dataclass(frozen=True, eq=False)
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
        names = [name for name in self._labels.columns if name not in _ids(self._labels)]
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

    __hash__ = None  # type: ignore[assignment]  # what is equal may differ in all else

    def __eq__(self, other: object) -> bool:
        return self.equals(other) if isinstance(other, DaskComponents) else NotImplemented

    def equals(self, other: Any) -> bool:
        """Return whether another answer of a cluster has the same vertices in the same components.

        The kinds of labels and frames, the partitions and the types of integers may differ. Where
        there are as many vertices and components the workers join both label frames, by a shuffle
        of these, and only counts come here. ``a == b`` says the same. False for what is no
        :class:`DaskComponents`; compute the labels to compare them with other answers.
        """
        if not isinstance(other, DaskComponents):
            return False
        counts = [(len(one), one.facts["vertices"]) for one in (self, other)]
        if counts[0] != counts[1]:
            return False
        if self is other or not counts[0][1]:
            return True
        pair = _comparable(self._labels, other._labels)
        if pair is None:
            return False
        ids = _ids(pair[0])
        theirs = {name: f"other_{name}" for name in pair[1].columns if name not in ids}
        both = pair[0].merge(pair[1].rename(columns=theirs), on=ids, shuffle_method="tasks")
        labels = both[[name for name in both.columns if name not in ids]]
        pairs = labels.drop_duplicates(split_out=both.npartitions, shuffle_method="tasks")
        # all vertices are the same, and each label goes with one of the other's
        rows, pairs = dask.compute(both[ids[0]].count(), pairs.iloc[:, 0].count())
        return (int(pairs), int(rows)) == counts[0]

    def __len__(self) -> int:
        return int(self.facts["components"])

    def __repr__(self) -> str:
        facts = self.facts
        return (
            f"<DaskComponents: {len(self):,} components of {facts['vertices']:,} vertices, by"
            f" {facts['partition']} on {facts['workers']:,} workers in {facts['seconds']:.3g} s>"
        )


def _ids(labels: Any) -> list[str]:
    """The columns of the vertices."""
    return [name for name in labels.columns if name.endswith("vertex")]


def _comparable(one: Any, other: Any) -> tuple[Any, Any] | None:
    """Two label frames of one library and one type of each id, not computed; None if no vertex of
    one can be in the other.
    """
    if _ids(one) != _ids(other):
        return None
    if is_cudf(one._meta) != is_cudf(other._meta):
        one, other = (frame.to_backend("pandas") for frame in (one, other))
    kinds: dict[str, Any] = {}
    for name in _ids(one):
        columns = one[name], other[name]
        dtypes = [getattr(column.dtype, "numpy_dtype", column.dtype) for column in columns]
        numbers = [dtype.kind in "iu" for dtype in dtypes]
        if numbers[0] != numbers[1]:
            return None
        kinds[name] = np.result_type(*dtypes) if all(numbers) else "str"
        if kinds[name] == np.float64:  # of uint64 and a signed type
            [signed] = [c for c, dtype in zip(columns, dtypes, strict=True) if dtype.kind == "i"]
            if int(signed.min().compute()) < 0:
                return None
            kinds[name] = np.uint64
    return one.astype(kinds), other.astype(kinds)


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
