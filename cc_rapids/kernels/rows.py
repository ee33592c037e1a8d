"""Rows: samples and a finish phase that need an adjacency list, in which both directions stand.

offsets : (n + 1,) and indices : (m,), integers: entry e of row v, offsets[v] <= e < offsets[v + 1],
          is an edge from v to indices[e].
"""

from typing import Any

import numpy as np

from ..catalog import choice
from ..reading import every
from .sample import LOW_WORD, SPREAD, Sample

ONE, SHORT = np.uint64(1), 16  # entries that one thread of a group links, one after the other
WARP = 32  # threads that exchange values run together
SWITCH = ("on", "off")


def first_ones(on: Any) -> Any:
    """The first entries of a row, in order."""

    @on.device
    def pick(v, j, degree):
        return j

    return pick


def random_ones(on: Any) -> Any:
    """The first entry of a row, then any, by a hash of the vertex."""

    @on.device
    def pick(v, j, degree):
        return np.uint64(0) if j == 0 else (((v + j) * SPREAD) & LOW_WORD) % degree

    return pick


def link_entry(on: Any, vertex: type, join: Any, pick: Any) -> Any:
    """Link a vertex and the j-th neighbour of those to be picked, if it has so many."""

    @on.device
    def link(v, j, offsets, indices, parent, extra, chosen):
        first = np.uint64(offsets[v])
        degree = np.uint64(offsets[v + ONE]) - first
        if j < degree:
            e = first + pick(v, j, degree)
            join(parent, extra, chosen, vertex(v), vertex(indices[e]), e)

    return link


def by_entry(on: Any, link: Any) -> Any:
    """A thread for each of k neighbours of each vertex, those of one vertex side by side."""

    @on.each
    def link_some(i, j, k, offsets, indices, parent, extra, chosen):
        v, more = i // np.uint64(k), i % np.uint64(k)
        link(v, np.uint64(j) + more, offsets, indices, parent, extra, chosen)

    return link_some


def by_vertex(on: Any, link: Any) -> Any:
    """A thread for each vertex, which links its neighbours one after the other."""

    @on.each
    def link_each(v, k, offsets, indices, parent, extra, chosen):
        j = np.uint64(0)
        while j < np.uint64(k):
            link(v, j, offsets, indices, parent, extra, chosen)
            j += ONE

    return link_each


@choice(
    "sample",
    "kout",
    takes=("join",),
    options={
        "k": 2,
        "pick": ("first", "random"),
        "coalesce": SWITCH,
        "reorganise": SWITCH,
        "gather": SWITCH,
    },
    variants=("kout", "kout(pick=random)"),
    rows=True,
    paper="k-out sampling, Hong et al. 2020, Algorithm 4 and 3.5; Sutton et al. 2018",
)
def kout(
    on: Any, vertex: type, join: Any, k: int, pick: str, coalesce: str, reorganise: str, gather: str
) -> Sample:
    """Link k neighbours of each vertex, the first ones or some.

    ``coalesce``: neighbouring threads take the entries of one row, in one pass instead of k;
    ``reorganise``: pairs of threads read two entries of two rows side by side and swap them (k=2,
    on a GPU); ``gather``: the rows outside the giant are listed before they are finished.
    """
    one = link_entry(on, vertex, join, {"first": first_ones, "random": random_ones}[pick](on))
    link_some, link_each = by_entry(on, one), by_vertex(on, one)
    link_pairs = pairs(on, vertex, join) if on.swap_pairs and (k, pick) == (2, "first") else None

    def link(work: Any) -> None:
        if coalesce == "off":
            for j in range(k):
                link_some(work.n, j, 1, *work.rows, *work.trees)
        elif reorganise == "off":
            link_some(work.n * k, 0, k, *work.rows, *work.trees)
        elif link_pairs:
            link_pairs(-(-work.n // WARP) * WARP, work.n, *work.rows, *work.trees)
        else:
            link_each(work.n, k, *work.rows, *work.trees)

    return Sample(link, left=every(on), gather=gather == "on")


def pairs(on: Any, vertex: type, join: Any) -> Any:
    """Link the first two neighbours of each vertex, read by pairs of threads side by side.

    Thread 2t reads the first entry of its own row and of its neighbour's, thread 2t + 1 the second
    ones; then each gives the other what it needs. Runs for whole warps, beyond n too.
    """
    swap = on.swap_pairs

    @on.each
    def link_pairs(i, n, offsets, indices, parent, extra, chosen):
        odd, none = i & ONE, np.int64(-1)
        mine = theirs = none
        for side in range(2):
            v = (i ^ odd) + np.uint64(side)
            if v < np.uint64(n):
                e = np.uint64(offsets[v]) + odd
                if e < np.uint64(offsets[v + ONE]):
                    if np.uint64(side) == odd:
                        mine = np.int64(indices[e])
                    else:
                        theirs = np.int64(indices[e])
        other = swap(theirs)
        if i < np.uint64(n):
            e = np.uint64(offsets[i])
            if mine != none:
                join(parent, extra, chosen, vertex(i), vertex(mine), e + odd)
            if other != none:
                join(parent, extra, chosen, vertex(i), vertex(other), e + ONE - odd)

    return link_pairs


@choice(
    "sample",
    "hook",
    takes=("join", "note"),
    options={"n": 4, "gather": SWITCH},
    rows=True,
    paper="hook-based sampling (HB), Hong et al. 2020, 3.3 and Algorithm 5",
)
def hook(on: Any, vertex: type, join: Any, note: Any, n: int, gather: str) -> Sample:
    """Point each vertex at its first neighbour if that is smaller, then link n of each root.

    Algorithm 5 says ``labels[v] != v`` where 3.3 says that the roots are what is linked: so it is.
    """

    @on.each
    def hook_first(v, offsets, indices, parent, extra, chosen):
        e = np.uint64(offsets[v])
        if e < np.uint64(offsets[v + ONE]) and np.uint64(indices[e]) < v:
            parent[v] = vertex(indices[e])
            note(chosen, v, e)

    @on.each
    def link_roots(v, most, offsets, indices, parent, extra, chosen):
        e = np.uint64(offsets[v])
        last = min(e + np.uint64(most), np.uint64(offsets[v + ONE]))
        if parent[v] == v:
            while e < last:
                join(parent, extra, chosen, vertex(v), vertex(indices[e]), e)
                e += ONE

    def before(work: Any) -> None:
        hook_first(work.n, *work.rows, *work.trees)

    def link(work: Any) -> None:
        link_roots(work.n, n, *work.rows, *work.trees)

    return Sample(link, before, left=every(on), gather=gather == "on")


def every_row(on: Any, vertex: type, finish: Any) -> Any:
    """Link the edges of ``count[0]`` listed rows; a group's threads take entries of one in turn."""
    group = np.uint64(on.group)

    @on.sweep
    def every_row(i, n, step, count, listed, offsets, indices, *trees_and_notes):
        while i < np.uint64(count[0]) * group:
            v = np.uint64(listed[i // group])
            e, last = np.uint64(offsets[v]) + i % group, np.uint64(offsets[v + ONE])
            while e < last:
                finish(vertex(v), vertex(indices[e]), e, *trees_and_notes)
                e += group
            i += step

    return every_row


def most_in_a_row(on: Any) -> Any:
    """The entries of a short row: any number, where no thread waits for its neighbours."""
    return np.uint64(SHORT if on.group > 1 else 1 << 62)


def short_rows(on: Any, wide: type, one: Any) -> Any:
    """Link the entries of a row, or if they are many, raise a flag; ``once``: those to smaller."""
    short = most_in_a_row(on)

    @on.each
    def short_rows(v, once, many, offsets, indices, *trees):
        e, last = np.uint64(offsets[v]), np.uint64(offsets[v + ONE])
        if last - e > short:
            e, many[0] = last, 1
        while e < last:
            w = wide(indices[e])
            if w <= v or once == 0:
                one(wide(v), w, e, *trees)
            e += ONE

    return short_rows


def long_rows(on: Any, one: Any, ends: Any, row: Any) -> Any:
    """Link the entries of those rows by a thread each, if there are such rows."""
    short = most_in_a_row(on)

    @on.sweep
    def long_rows(first, n, step, once, many, offsets, indices, low, count, *trees):
        e = first
        while e < n and many[0] != 0:
            v = row(offsets, count, e)
            u, w = ends(e, offsets, indices, low, count)
            few = np.uint64(offsets[v + ONE]) - np.uint64(offsets[v]) <= short
            if not few and (w <= u or once == 0):
                one(u, w, e, count, *trees)
            e += step

    return long_rows
