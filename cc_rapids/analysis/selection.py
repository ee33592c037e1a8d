"""Subsets of an answer by vertex, component and size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..backends import Array
from ..data.arguments import check_count
from ..data.frame_access import answer_column, on_host, rows_between, values_of
from ..data.key_names import are_usable
from ..errors import InputError, counted, shown
from ..results import preview
from ..results.answer import Answer
from ..results.best import NO_KEY, sort_keys, update_best
from ..results.lookup import (
    check_one_each,
    ids_of,
    rows_of_ids,
    warn_of_no_scores,
    warn_of_unmatched,
)
from ..results.scores import ordered, vertices_and_scores


def in_sizes(answer: Answer, min_size: int = 1, max_size: int | None = None) -> Any:
    """Return the vertices of components by size: see :meth:`cc_rapids.Components.filter`."""
    with answer.backend.scope():
        keep = _within(answer, min_size, max_size)
        rows = answer.backend.xp.flatnonzero(keep[answer.dense])
        return answer.frame(answer.vertex(rows) | answer.label(rows))


def _within(answer: Answer, min_size: Any, max_size: Any) -> Array:
    """Return a mask of the components whose size is within bounds."""
    sizes = {"min_size": min_size} | ({} if max_size is None else {"max_size": max_size})
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int | np.integer):
            raise InputError(f"{name} must be a number of vertices, not {shown(size)}")
    keep = answer.counts >= min_size
    return keep if max_size is None else keep & (answer.counts <= max_size)


def subset(answer: Answer, label: Any) -> Any:
    """Return the vertices of one component: see :meth:`cc_rapids.Components.subset`."""
    with answer.backend.scope():
        rows = answer.backend.xp.flatnonzero(answer.dense == answer.component(label))
        frame = answer.in_memory_frame(answer.vertex(rows))
        return answer.given.answer(answer_column(frame, "vertex"))


def members(answer: Answer) -> Any:
    """Return the vertices of each component: see :meth:`cc_rapids.Components.members`."""
    with answer.backend.scope():
        order = answer.backend.xp.argsort(answer.dense, kind="stable")
        return answer.frame(answer.label(order) | answer.vertex(order))


def representatives(answer: Answer, by: Any = None, ascending: bool = False) -> Any:
    """Return one vertex of each component: see :meth:`cc_rapids.Components.representatives`."""
    with answer.backend.scope():
        rows = answer.least_rows
        if by is not None:
            rows = _best_of_scores(answer, by, ascending, rows)
        return answer.frame(answer.vertex(rows) | answer.label(rows))


def _best_of_scores(answer: Answer, by: Any, ascending: bool, least: Array) -> Array:
    """Return the row of the best-scored vertex of each component, as int64.

    ``least`` has the row of the least vertex of each component, which is the default if no vertex
    of the component has a valid score.
    """
    given = answer.given
    vertices, scores = vertices_and_scores(by, len(given.src.key_columns), given.key_names)
    ids = ids_of(answer, vertices)
    rows, is_vertex = rows_of_ids(answer, ids, "null")
    warn_of_unmatched(answer, ids, is_vertex, "")
    values, valid = map(answer.backend.asarray, ordered(scores))
    warn_of_no_scores(valid, "by=", "the least id of each component is returned")
    check_one_each("by=", rows.size, values.size, "score")
    rows, keys = rows[is_vertex], sort_keys(values, ascending, answer.backend.xp)[is_vertex]
    # Two entries per component: the best key, and its row. NO_KEY marks a default row.
    best = answer.backend.fill(answer.backend.empty(2 * least.size, np.uint64), 0xFF)
    best_rows = best[1::2]
    best_rows[:] = least.astype(np.uint64) | NO_KEY
    has_key = valid[is_vertex]
    update_best(answer.dense[rows], best, rows.astype(np.uint64), keys, has_key, answer.backend)
    return (best_rows & ~NO_KEY).astype(np.int64)


def size_histogram(answer: Answer) -> Any:
    """Count the components of each size: see :meth:`cc_rapids.Components.size_histogram`."""
    with answer.backend.scope():
        size, count = answer.backend.xp.unique(answer.counts, return_counts=True)
        return answer.frame({"size": size, "components": count.astype(np.int64)})


def sizes(
    answer: Answer, count: int | None = None, min_size: int = 1, max_size: int | None = None
) -> Any:
    """Return the size of each component: see :meth:`cc_rapids.Components.sizes`."""
    count = None if count is None else check_count("count", count)
    with answer.backend.scope():
        keep = _within(answer, min_size, max_size)
        order = answer.by_size[keep[answer.by_size]][:count]
        label = answer.kind.columns(answer, "labels", answer.kind.of_component(answer, order))
        return answer.frame(label | {"size": answer.counts[order]})


def largest(answer: Answer, count: int = 1) -> Any:
    """Return the vertices of the largest components: see :meth:`cc_rapids.Components.largest`."""
    count = check_count("count", count)
    with answer.backend.scope():
        vertex, label = answer.kind.vertices_and_labels(answer)  # of each row
        if count < len(answer):
            is_large = answer.backend.xp.zeros(len(answer), bool)
            is_large[answer.by_size[:count]] = True
            is_member = is_large[answer.dense]
            vertex, label = vertex[is_member], label[is_member]
        labels = answer.kind.columns(answer, "labels", label)
        return answer.frame(answer.columns("vertex", vertex) | labels)


def groups(answer: Answer) -> Iterator[tuple[Any, Any]]:
    """Yield the label and the vertices of each component, in the order of the least ids.

    The vertices are copied to the host in blocks of whole components.
    """
    with answer.backend.scope():
        xp, count = answer.backend.xp, answer.forest.components
        vertex, component = answer.numbered
        order = xp.argsort(component, kind="stable")
        labels = answer.kind.of_component(answer, xp.arange(count))
        # the rows of component k are order[ends[k - 1] : ends[k]]
        ends = answer.backend.to_host(xp.cumsum(answer.counts))
    first = first_place = 0  # the first component of a block, and its place in ``order``
    while first < count:
        stop = int(np.searchsorted(ends, first_place + preview.ITERATED_ROWS, side="right"))
        stop = max(stop, first + 1)  # at least one component
        block, stop_place = slice(first, stop), int(ends[stop - 1])
        with answer.backend.scope():
            rows = order[first_place:stop_place]
            frame = on_host(answer.in_memory_frame(answer.columns("vertex", vertex[rows])))
            ids = answer_column(frame, "vertex")
            columns = answer.kind.columns(answer, "labels", labels[block])
            label_frame = answer.in_memory_frame(columns | {"size": answer.counts[block]})
            labels_of_block = values_of(answer_column(on_host(label_frame), "labels"))
        begin = 0  # where the component begins in the block
        for label, end in zip(labels_of_block, (ends[block] - first_place).tolist(), strict=True):
            yield label, rows_between(ids, begin, end)
            begin = end
        first, first_place = stop, stop_place


def renamed(answer: Answer, names: Any) -> Answer:
    """Return an answer with other id names: see :meth:`cc_rapids.Components.with_key_names`."""
    width = len(answer.given.src.key_columns)  # 0 for ids of one column
    key_names = () if names is None else names
    if not isinstance(key_names, list | tuple) or (key_names and not are_usable(key_names)):
        raise InputError(
            f"names={shown(names)} cannot name the columns of an id: pass distinct strings; columns"
            " of answers, such as 'size' and 'kind_size', are reserved"
        )
    if key_names and len(key_names) != width:
        remedy = "pass one name for each column" if width else "leave out names="
        raise InputError(
            f"names= has {counted(len(key_names), 'name')}, but ids have"
            f" {counted(max(width, 1), 'column')}: {remedy}"
        )
    return answer.with_key_names(key_names)
