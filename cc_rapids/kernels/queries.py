"""Insertions and queries over the trees that earlier batches left.

trees   : (n,) unsigned, what finds climb: the parents, or jtb's words of rank and parent.
queries : (m,) uint8, not 0 where a row asks; answers: (m,) uint8, each written by its row alone.

While others link, a query may see them or not. Of two ends that earlier batches joined it never
says that they are apart, and of two that the batch leaves apart never that they are joined; so its
answers are those of an order in which its rows may have come. That holds where no vertex leaves its
tree: all rules but splice. Hong et al. 2020, 3.6 and Algorithm 3.

strays  : (1,) uint64, set to ``mark`` once an id is none of the vertices 0 .. n - 1.
"""

from typing import Any

import numpy as np

from .primitives import none_of


def same(on: Any, word: type, low: Any, find: Any) -> Any:
    """Return whether two vertices are in one tree, while others link.

    Two ends differ only if both are seen to be roots still, the second after the first: by a swap
    that never holds, which reads past caches and writes nothing. A root that was hooked meanwhile
    is climbed from, and each is hooked once: so the loop ends.
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
    """Find both ends of a query, and link those of an insertion, all at the same time."""

    @on.elementwise
    def insert_or_query(e, src, dst, n, parent, aux, trees, queries, answers):
        u, v = load_edge(e, src, dst, 0, n)
        if max(u, v) >= n:
            return
        if queries[e] != 0:
            answers[e] = same(trees, word(u), word(v))
        elif u != v:
            join(parent, aux, parent, vertex(u), vertex(v), e)

    return insert_or_query


def ask(on: Any, vertex: type, find: Any) -> Any:
    """Write whether the two ends of each row are in one tree, while nothing is linked."""

    @on.elementwise
    def ask(i, src, dst, parent, answers):
        answers[i] = find(parent, vertex(src[i])) == find(parent, vertex(dst[i]))

    return ask


def is_stray(on: Any) -> Any:
    """Return whether an end of a row is beyond the n vertices."""

    @on.device
    def is_stray(src, dst, i, n):
        return max(np.uint64(np.int64(src[i])), np.uint64(np.int64(dst[i]))) >= np.uint64(n)

    return is_stray


def note_strays(on: Any) -> Any:
    """Note whether an end of a row is beyond the n vertices."""
    strays_at = is_stray(on)

    @on.elementwise
    def note_strays(i, src, dst, n, mark, strays):
        if strays_at(src, dst, i, n):
            strays[0] = np.uint64(mark)

    return note_strays


def copy_and_note_strays(on: Any) -> Any:
    """Copy the words of trees, and note whether an end of one of ``m`` rows is beyond them."""
    strays_at = is_stray(on)

    @on.elementwise
    def copy_and_note_strays(i, words, copies, m, src, dst, n, mark, strays):
        if i < np.uint64(words.size):
            copies[i] = words[i]
        if i < np.uint64(m) and strays_at(src, dst, i, n):
            strays[0] = np.uint64(mark)

    return copy_and_note_strays


def ask_ids(on: Any, vertex: type, find: Any) -> Any:
    """Write the same as ``ask`` for ids that are vertices, and note whether one is not."""

    @on.elementwise
    def ask_ids(i, src, dst, n, parent, answers, mark, strays):
        u, v = np.uint64(np.int64(src[i])), np.uint64(np.int64(dst[i]))
        if max(u, v) >= np.uint64(n):
            strays[0] = np.uint64(mark)
        else:
            answers[i] = find(parent, vertex(u)) == find(parent, vertex(v))

    return ask_ids
