"""Answer: from the flat forest to the columns that the caller gets.

seen, before : a set of vertices as bits, and for each word how many of the set come before it, so
               that a vertex's rank in the set is one look-up and one count of bits.
root         : (k,) the root of each vertex that occurs, in the order of the vertices.
"""

from typing import Any

import numpy as np

from . import bits


def complete(on: Any, vertex: type) -> Any:
    """Add the vertices that have a parent to the set, a word at a time, so that no bit is lost."""

    @on.each
    def complete(w, n, parent, seen):
        word = seen[w]
        v, one = w * np.uint64(bits.WORD), bits.ONE
        last = min(v + np.uint64(bits.WORD), np.uint64(n))
        while v < last:
            if parent[v] != v:
                word |= one
            one = np.uint32(one << bits.ONE)
            v += np.uint64(1)
        seen[w] = word

    return complete


def count_words(on: Any) -> Any:
    """before[w + 1] = the bits of word w; a running sum then makes them ranks."""
    count = bits.count(on)

    @on.each
    def count_words(w, seen, before):
        before[w + np.uint64(1)] = count(seen[w])
        if w == 0:
            before[w] = 0

    return count_words


def gather(on: Any, vertex: type) -> Any:
    """The vertices that occur, in order, and the root of each."""
    has, rank = bits.has(on), bits.rank(on)

    @on.each
    def gather(v, parent, seen, before, vertices, root):
        if has(seen, vertex(v)):
            k = rank(seen, before, vertex(v))
            vertices[k] = v
            root[k] = parent[v]

    return gather


def mark_roots(on: Any) -> Any:
    """The set of the roots."""
    mark = bits.mark(on)

    @on.each
    def mark_roots(i, root, roots):
        mark(roots, root[i])

    return mark_roots


def ids(on: Any) -> Any:
    """Vertices back to ids."""

    @on.each
    def ids(i, vertices, low, out):
        out[i] = np.int64(vertices[i]) + low

    return ids


def consecutive_ids(on: Any) -> Any:
    """The ids low, low + 1, ... where every vertex occurs."""

    @on.each
    def consecutive_ids(i, low, out):
        out[i] = np.int64(i) + low

    return consecutive_ids


def dense(on: Any) -> Any:
    """The rank of each vertex's root among the roots: 0 .. components - 1."""
    rank = bits.rank(on)

    @on.each
    def dense(i, root, roots, before, out):
        out[i] = rank(roots, before, root[i])

    return dense


def look_up(on: Any) -> Any:
    """out[i] = table[out[i]]: other names for dense labels."""

    @on.each
    def look_up(i, table, out):
        out[i] = table[out[i]]

    return look_up
