"""Sampling rules and kernels that link rows of adjacency lists with both directions of each edge.

offsets : (n + 1,) integers, and indices : (m,) integers. Entry e of row v is an edge from v to
          indices[e], where offsets[v] <= e < offsets[v + 1].
out_of_range : (1,), set to 1 when an entry that is not a vertex is skipped.
"""

from typing import Any

import numpy as np

from .edges import entries_of, every
from .giant import LOW_WORD, SPREAD, probed_vertex
from .sampling import Sample
from .spec import sampling_rule

ONE, SHORT = np.uint64(1), 16  # maximum length of a row whose entries one thread links
WARP = 32  # link_first_two exchanges values within whole warps
SWITCH = ("on", "off")


def first_ones(on: Any) -> Any:
    """Return the j-th picked entry of a row: its j-th entry."""

    @on.device
    def pick(v, j, degree):
        return j

    return pick


def random_ones(on: Any) -> Any:
    """Return the j-th picked entry of a row: entry 0 for j = 0, then hashed (random) entries."""

    @on.device
    def pick(v, j, degree):
        return np.uint64(0) if j == 0 else (((v + j) * SPREAD) & LOW_WORD) % degree

    return pick


def link_neighbour(on: Any, vertex: type, join: Any) -> Any:
    """Link vertex v and ``indices[e]`` if that is a vertex; otherwise set ``out_of_range``."""

    @on.device
    def link(v, e, indices, parent, aux, hook_edge, out_of_range):
        w = np.uint64(indices[e])
        if w < np.uint64(parent.size):
            join(parent, aux, hook_edge, vertex(v), vertex(w), e)
        else:
            out_of_range[0] = 1

    return link


def link_entry(on: Any, link: Any, pick: Any) -> Any:
    """Link a vertex and the j-th of its picked neighbours, if it has more than j neighbours."""
    entries = entries_of(on)

    @on.device
    def link_entry(v, j, offsets, indices, *trees_and_flag):
        first, last = entries(offsets, indices, v)
        if j < last - first:
            link(v, first + pick(v, j, last - first), indices, *trees_and_flag)

    return link_entry


def by_entry(on: Any, link: Any) -> Any:
    """Link picked neighbours j .. j + k - 1 of each vertex, with one thread per neighbour."""

    @on.elementwise
    def link_some(i, j, k, *rows_trees_and_flag):
        v, offset = i // np.uint64(k), i % np.uint64(k)
        link(v, np.uint64(j) + offset, *rows_trees_and_flag)

    return link_some


def by_vertex(on: Any, link: Any) -> Any:
    """Link the first k picked neighbours of each vertex in sequence, with one thread per vertex."""

    @on.elementwise
    def link_each(v, k, *rows_trees_and_flag):
        j = np.uint64(0)
        while j < np.uint64(k):
            link(v, j, *rows_trees_and_flag)
            j += ONE

    return link_each


@sampling_rule(
    "kout",
    requires=("join",),
    options={
        "k": 2,
        "pick": ("first", "random"),
        "coalesce": SWITCH,
        "reorganise": SWITCH,
        "gather": SWITCH,
    },
    variants=("kout", "kout(pick=random)"),
    needs_csr=True,
    paper="k-out sampling, Hong et al. 2020, Algorithm 4 and 3.5; Sutton et al. 2018",
)
def kout(
    on: Any, vertex: type, join: Any, k: int, pick: str, coalesce: str, reorganise: str, gather: str
) -> Sample:
    """Link k neighbours of each vertex, the first ones or random ones.

    ``coalesce``: adjacent threads process the entries of one row, in one pass instead of k.
    ``reorganise``: pairs of threads read their two rows together (k=2, on a GPU).
    ``gather``: list the rows outside the giant component before the finish phase.
    """
    picked = {"first": first_ones, "random": random_ones}[pick](on)
    link_one = link_entry(on, link_neighbour(on, vertex, join), picked)
    link_some, link_each = by_entry(on, link_one), by_vertex(on, link_one)
    link_pairs = None
    if on.warp_shuffle_xor and (k, pick) == (2, "first"):
        link_pairs = link_first_two(on, vertex, join)

    def link(state: Any) -> None:
        rows_and_trees = *state.csr.arrays, *state.trees, state.flags.out_of_range
        if coalesce == "off":
            for j in range(k):
                link_some(state.n, j, 1, *rows_and_trees)  # neighbour j
        elif reorganise == "off":
            link_some(state.n * k, 0, k, *rows_and_trees)  # neighbours 0 .. k - 1
        elif link_pairs:
            link_pairs(-(-state.n // WARP) * WARP, state.n, *rows_and_trees)  # whole warps
        else:
            link_each(state.n, k, *rows_and_trees)

    return Sample(link, left=every(on), gather=gather == "on")


def link_first_two(on: Any, vertex: type, join: Any) -> Any:
    """Link the first two neighbours of each vertex, which pairs of threads load coalesced.

    Thread 2t reads the first entries of rows 2t and 2t + 1, and thread 2t + 1 reads the second
    entries. Each thread keeps the neighbour from its own row, and sends the neighbour from the
    other row to the other thread. All threads of a warp must exchange values, so the kernel is
    launched for whole warps, also beyond n.
    """
    swap, entries = on.warp_shuffle_xor, entries_of(on)

    @on.elementwise
    def link_first_two(i, n, offsets, indices, parent, aux, hook_edge, out_of_range):
        parity, none, first_entry = i & ONE, np.int64(-1), np.uint64(0)
        own = to_send = none
        for row in range(2):
            v = (i ^ parity) + np.uint64(row)  # vertex 2t, then vertex 2t + 1
            if v < np.uint64(n):
                e, last = entries(offsets, indices, v)
                w = none
                if e + parity < last:
                    w = np.int64(indices[e + parity])
                    if np.uint64(w) >= np.uint64(n):
                        out_of_range[0], w = 1, none
                if np.uint64(row) == parity:
                    own, first_entry = w, e
                else:
                    to_send = w
        received = swap(to_send)
        if own != none:
            join(parent, aux, hook_edge, vertex(i), vertex(own), first_entry + parity)
        if received != none:
            join(parent, aux, hook_edge, vertex(i), vertex(received), first_entry + ONE - parity)

    return link_first_two


@sampling_rule(
    "hook",
    requires=("join", "note"),
    options={"n": 4, "gather": SWITCH},
    needs_csr=True,
    paper="hook-based sampling (HB), Hong et al. 2020, 3.3 and Algorithm 5",
)
def hook(on: Any, vertex: type, join: Any, record_hook: Any, n: int, gather: str) -> Sample:
    """Point each vertex at its first neighbour if that is smaller, then link n neighbours per root.

    Algorithm 5 links vertices with ``labels[v] != v``; section 3.3 and this rule link roots. The
    array ``aux`` is built after the first pass. All edges remain; ``gather`` is as in ``Sample``.
    """
    entries, link_one = entries_of(on), link_neighbour(on, vertex, join)

    @on.elementwise
    def hook_first(v, offsets, indices, parent, aux, hook_edge):
        e, last = entries(offsets, indices, v)
        w = np.uint64(indices[e]) if e < last else v
        if w < v:
            parent[v] = vertex(w)
            record_hook(hook_edge, v, e)

    @on.elementwise
    def link_roots(v, most, offsets, indices, parent, aux, hook_edge, out_of_range):
        e, last = entries(offsets, indices, v)
        last = min(e + np.uint64(most), last)
        if parent[v] == v:
            while e < last:
                link_one(v, e, indices, parent, aux, hook_edge, out_of_range)
                e += ONE

    def before(state: Any) -> None:
        hook_first(state.n, *state.csr.arrays, *state.trees)

    def link(state: Any) -> None:
        link_roots(state.n, n, *state.csr.arrays, *state.trees, state.flags.out_of_range)

    return Sample(link, before, left=every(on), gather=gather == "on")


def every_row(on: Any, vertex: type, link_outside: Any) -> Any:
    """Link the edges of the first ``count[0]`` rows of ``rows_outside``, by groups of threads.

    ``threads_per_row`` threads share a row. The kernel is launched for all n rows, because the host
    does not know ``count``; the loop ends after ``count[0]`` rows.
    """
    threads_per_row, entries = np.uint64(on.threads_per_row), entries_of(on)

    @on.grid_stride
    def every_row(
        i, n, step, count, rows_outside, out_of_range, offsets, indices, *trees_and_flags
    ):
        while i < np.uint64(count[0]) * threads_per_row:
            v = np.uint64(rows_outside[i // threads_per_row])
            e, last = entries(offsets, indices, v)
            e += i % threads_per_row
            while e < last:
                w = np.uint64(indices[e])
                if w < np.uint64(offsets.size) - ONE:
                    link_outside(vertex(v), vertex(w), e, *trees_and_flags)
                else:
                    out_of_range[0] = 1
                e += threads_per_row
            i += step

    return every_row


def max_short_length(on: Any) -> Any:
    """Return the maximum length of a short row; unlimited if threads do not run in lockstep."""
    return np.uint64(SHORT if on.threads_per_row > 1 else 1 << 62)


def short_rows(on: Any, wide: type, link_one: Any) -> Any:
    """Link the entries of short rows, and set ``many`` if there are long rows.

    If ``symmetric``, only entries to smaller or equal vertices are linked.
    """
    short, entries = max_short_length(on), entries_of(on)

    @on.elementwise
    def short_rows(v, symmetric, many, offsets, indices, *trees):
        e, last = entries(offsets, indices, v)
        if last - e > short:
            e, many[0] = last, 1
        while e < last:
            w = wide(indices[e])
            if w <= v or symmetric == 0:
                link_one(wide(v), w, e, *trees)
            e += ONE

    return short_rows


def long_rows(on: Any, wide: type, link_one: Any, row_of: Any) -> Any:
    """Link the entries of long rows, one thread per entry, if ``many`` is set.

    A thread looks up the row of an entry only if the entry is beyond the row of its previous entry.
    ``n`` is the number of entries, and ``count`` the number of rows.
    """
    short, entries = max_short_length(on), entries_of(on)

    @on.grid_stride
    def long_rows(first, n, step, symmetric, many, offsets, indices, low, count, *trees):
        e, v, begin, end = first, np.uint64(0), np.uint64(0), np.uint64(0)
        while e < n and many[0] != 0:
            if e >= end:
                v = row_of(offsets, count, e)
                begin, end = entries(offsets, indices, v)
            if end - begin > short:
                u, w = wide(v), wide(indices[e])
                if w <= u or symmetric == 0:
                    link_one(u, w, e, count, *trees)
            e += step

    return long_rows


def first_roots(on: Any) -> Any:
    """Write the last vertex of each climb along smaller first neighbours.

    Climb i starts at the i-th vertex of ``giant.probed_vertex``, and ends at a vertex whose first
    neighbour is not smaller. The first pass of hook sampling would make this vertex the root of the
    probed vertex. The share of the most frequent root therefore shows how many vertices the pass
    would join into one tree, without making the trees.
    """
    entries, probed = entries_of(on), probed_vertex(on)

    @on.elementwise
    def first_roots(i, n, offsets, indices, roots):
        v, descends = probed(i, n), True
        while descends:
            e, last = entries(offsets, indices, v)
            w = np.uint64(indices[e]) if e < last else v
            descends = w < v
            v = min(v, w)
        roots[i] = v

    return first_roots
