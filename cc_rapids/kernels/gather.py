"""Gather the columns of an answer from a flat forest: id and label of each vertex that occurs.

present, before : the vertices that occur, as bits, and for each block of 8 words the number before
               it (see scan.py), so that a vertex's rank in the set is one look-up and at most 8
               counts of bits.
roots, ...   : the same for the roots, one a component.
"""

from typing import Any

import numpy as np

from . import primitives

BIT, FIVE, LAST, NEXT = np.uint32(1), np.uint64(5), np.uint64(31), np.uint64(1)
BLOCK_VERTICES = np.uint64(primitives.RANK_BLOCK * primitives.WORD)  # vertices of a block of words
TOGETHER = 1 << 8  # blocks that a CPU thread takes at a time


def mark_roots(on: Any, vertex: type) -> Any:
    """Mark the roots of all vertices that occur."""
    has, mark = primitives.has(on), primitives.mark(on)

    @on.elementwise
    def mark_roots(v, parent, present, roots):
        if parent[v] == v and has(present, vertex(v)):
            mark(roots, vertex(v))

    return mark_roots


def min_label(on: Any) -> Any:
    """Return the label of a component: the id of its root, which is its least vertex."""

    @on.device
    def label(r, low, roots, before_roots):
        return np.int64(r) + low

    return label


def dense_label(on: Any) -> Any:
    """Return the label of a component: the rank of its root among the roots."""
    rank = primitives.rank(on)

    @on.device
    def label(r, low, roots, before_roots):
        return rank(roots, before_roots, r)

    return label


def gather(on: Any, label: Any) -> Any:
    """Write the rows of the answer: the id of each vertex that occurs, in order, and its label.

    The lanes of a warp look at a word of the set together, each at one bit, and count those before
    it while they go through a block of words. Without lanes one thread does so bit by bit. Rows for
    which no memory is allocated are left out.
    """
    ones, warp_size = primitives.count(on), np.uint64(on.warp_size)

    @on.elementwise
    def gather(i, n, parent, present, before, low, roots, before_roots, ids, labels):
        b = i // warp_size
        v, last = b * BLOCK_VERTICES + i % warp_size, min((b + NEXT) * BLOCK_VERTICES, np.uint64(n))
        come = np.uint64(before[b])
        while v < last:
            word, below = present[v >> FIVE], np.uint32((BIT << np.uint32(v & LAST)) - BIT)
            if word & (below + BIT) != 0:
                k = come + np.uint64(ones(np.uint32(word & below)))
                if k < np.uint64(ids.size):
                    ids[k] = np.int64(v) + low
                    labels[k] = label(parent[v], low, roots, before_roots)
            v += warp_size
            if v & LAST < warp_size:
                come += np.uint64(ones(word))

    gather.together = TOGETHER
    return gather


def decode_rows(on: Any) -> Any:
    """Write the id of each vertex and that of its root, where all vertices occur."""

    @on.elementwise
    def decode_rows(v, held, parent, ids, labels):
        ids[v], labels[v] = held[v], held[parent[v]]

    return decode_rows


def edges_of_rows(on: Any) -> Any:
    """Write the number of each of some rows of an edge list, its ends, and its weight if any."""

    @on.elementwise
    def edges_of_rows(i, rows, src, dst, weights, row, source, destination, weight):
        e = rows[i]
        row[i], source[i], destination[i] = e, src[e], dst[e]
        if i < np.uint64(weight.size):
            weight[i] = weights[e]

    return edges_of_rows
