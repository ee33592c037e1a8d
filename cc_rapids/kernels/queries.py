"""Concurrent insertions and connectivity queries over the trees of earlier batches.

trees   : (n,) unsigned, the array in which ``find`` climbs: the parents, or the words of the rule
          jtb, which contain a rank and a parent.
queries : (m,) uint8, not 0 where a row is a query.
answers : (m,) uint8; each element is written by its row only.
strays  : (1,) uint64, a flag, set to ``mark`` if an id is not one of the vertices 0 .. n - 1.

A query may or may not see a concurrent link. It answers true for endpoints that earlier batches
connected, and false for endpoints that are in two trees after the batch. So the answers are
linearizable: they match some sequential order of the rows. This requires that no vertex leaves its
tree, which holds for all rules but splice. Hong et al. 2020, 3.6 and Algorithm 3.
"""

from typing import Any

import numpy as np

from .primitives import none_of


def same(on: Any, word: type, low: Any, find: Any) -> Any:
    """Return whether two vertices are in one tree, while other threads link.

    The answer is False only if both are observed as roots, one after the other. A compare-and-swap
    of ``none`` for ``none`` changes nothing; it reads the parent past the caches. If a root was
    hooked meanwhile, the climb continues from its parent. Each vertex is hooked once, so the loop
    ends. ``low`` is the bit mask of the parent in an element of ``trees``.
    """
    cas, none = on.atomic_cas, none_of(word)

    @on.device
    def same(trees, u, v):
        u, v = find(trees, u), find(trees, v)
        while u != v:
            p, q = cas(trees, u, none, none) & low, cas(trees, v, none, none) & low
            if p == u and q == v:
                return False
            u, v = find(trees, p), find(trees, q)
        return True

    return same


def insert_or_query(on: Any, vertex: type, word: type, join: Any, load_edge: Any, same: Any) -> Any:
    """Answer queries and link edges concurrently; skip strays (see :func:`note_strays`)."""

    @on.elementwise
    def insert_or_query(e, src, dst, n, parent, aux, trees, queries, answers):
        u, v = load_edge(e, src, dst, 0, n)
        if max(u, v) >= n:
            return
        if queries[e] != 0:
            answers[e] = same(trees, word(u), word(v))
        elif u != v:
            # no edge is recorded: ``parent`` fills the place of the hook edges, unused
            join(parent, aux, parent, vertex(u), vertex(v), e)

    return insert_or_query


def ask(on: Any, vertex: type, find: Any) -> Any:
    """Write whether the endpoints of each row are in one tree, while nothing is linked."""

    @on.elementwise
    def ask(i, src, dst, parent, answers):
        answers[i] = find(parent, vertex(src[i])) == find(parent, vertex(dst[i]))

    return ask


def is_stray(on: Any) -> Any:
    """Return whether an endpoint of a row is not one of the n vertices."""

    @on.device
    def is_stray(src, dst, i, n):
        return max(np.uint64(np.int64(src[i])), np.uint64(np.int64(dst[i]))) >= np.uint64(n)

    return is_stray


def note_strays(on: Any) -> Any:
    """Set ``strays`` if an endpoint of a row is not one of the n vertices."""
    strays_at = is_stray(on)

    @on.elementwise
    def note_strays(i, src, dst, n, mark, strays):
        if strays_at(src, dst, i, n):
            strays[0] = np.uint64(mark)

    return note_strays


def copy_and_note_strays(on: Any) -> Any:
    """Copy the array ``words`` and note the strays of m rows, in one launch instead of two."""
    strays_at = is_stray(on)

    @on.elementwise
    def copy_and_note_strays(i, words, copies, m, src, dst, n, mark, strays):
        if i < np.uint64(words.size):
            copies[i] = words[i]
        if i < np.uint64(m) and strays_at(src, dst, i, n):
            strays[0] = np.uint64(mark)

    return copy_and_note_strays


def ask_ids(on: Any, vertex: type, find: Any) -> Any:
    """Answer queries as ``ask`` does, but set ``strays`` for ids that are not vertices."""

    @on.elementwise
    def ask_ids(i, src, dst, n, parent, answers, mark, strays):
        u, v = np.uint64(np.int64(src[i])), np.uint64(np.int64(dst[i]))
        if max(u, v) >= np.uint64(n):
            strays[0] = np.uint64(mark)
        else:
            answers[i] = find(parent, vertex(u)) == find(parent, vertex(v))

    return ask_ids
