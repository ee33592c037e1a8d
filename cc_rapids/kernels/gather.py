"""Gather the columns of an answer: the members of a set in order, with their values.

members, before : the set as bits, and the number of members before each block of 8 words (see
          scan.py), so that the rank of a member takes one load and at most 8 bit counts. For labels
          the members are the present vertices; for a spanning forest they are its edges.
roots, before_roots : the same for the set of roots, one per component; ``min_label`` ignores both.
"""

from typing import Any

import numpy as np

from . import primitives

BIT, FIVE, LAST, NEXT = np.uint32(1), np.uint64(5), np.uint64(31), np.uint64(1)
WORD = np.uint64(primitives.WORD)
BLOCK_MEMBERS = np.uint64(primitives.RANK_BLOCK * primitives.WORD)  # bits of a block of words
BLOCKS_PER_TASK = 1 << 8  # blocks of words per task of a CPU thread


def mark_roots(on: Any, vertex: type) -> Any:
    """Mark the roots that are present."""
    has, mark = primitives.has(on), primitives.mark(on)

    @on.elementwise
    def mark_roots(v, parent, present, roots):
        if parent[v] == v and has(present, vertex(v)):
            mark(roots, vertex(v))

    return mark_roots


def min_label(on: Any) -> Any:
    """Return the label of the component with root r: the id of r, its least vertex."""

    @on.device
    def label(r, low, roots, before_roots):
        return np.int64(r) + low

    return label


def dense_label(on: Any) -> Any:
    """Return the label of the component with root r: the rank of r among all roots."""
    rank = primitives.rank(on)

    @on.device
    def label(r, low, roots, before_roots):
        return rank(roots, before_roots, r)

    return label


def row_of_vertex(on: Any, label: Any) -> Any:
    """Write row k of the label frame, the id of a vertex and its label, if k is within capacity."""

    @on.device
    def write(k, v, parent, low, roots, before_roots, ids, labels):
        if k < np.uint64(ids.size):
            ids[k] = np.int64(v) + low
            labels[k] = label(parent[v], low, roots, before_roots)

    return write


def row_of_edge(on: Any) -> Any:
    """Write edge e as row k of the frame of a spanning forest, if k is within capacity."""

    @on.device
    def write(k, e, src, dst, weights, row, source, destination, weight):
        if k < np.uint64(row.size):
            row[k], source[k], destination[k] = e, src[e], dst[e]
        if k < np.uint64(weight.size):
            weight[k] = weights[e]

    return write


def number_of_member(on: Any) -> Any:
    """Write member v at position k, its rank."""

    @on.device
    def write(k, v, numbers):
        numbers[k] = v

    return write


def gather(on: Any, write: Any) -> Any:
    """Call ``write`` for each member of a set of numbers below ``n``, with its rank.

    A warp processes a block of words: in each step a lane tests one bit of a word and counts the
    set bits before it. On a CPU a warp is one thread. Empty words are skipped.
    """
    ones, warp_size = primitives.count(on), np.uint64(on.warp_size)

    @on.elementwise
    def gather(i, n, members, before, *columns):
        b = i // warp_size
        v, last = b * BLOCK_MEMBERS + i % warp_size, min((b + NEXT) * BLOCK_MEMBERS, np.uint64(n))
        rank = np.uint64(before[b])  # the number of members before the word
        while v < last:
            word, below = members[v >> FIVE], np.uint32((BIT << np.uint32(v & LAST)) - BIT)
            if word == 0:
                v += WORD
                continue
            if word & (below + BIT) != 0:  # below + BIT is the bit of v
                write(rank + np.uint64(ones(np.uint32(word & below))), v, *columns)
            v += warp_size
            if v & LAST < warp_size:  # v is in the next word
                rank += np.uint64(ones(word))

    gather.together = BLOCKS_PER_TASK
    return gather


def decode_rows(on: Any) -> Any:
    """Write the id of each vertex and the id of its root, where all vertices are present."""

    @on.elementwise
    def decode_rows(v, ids_by_vertex, parent, ids, labels):
        ids[v], labels[v] = ids_by_vertex[v], ids_by_vertex[parent[v]]

    def by_numpy(n, ids_by_vertex, parent, ids, labels):
        ids[:n], labels[:n] = ids_by_vertex[:n], ids_by_vertex[parent[:n]]

    decode_rows.by_numpy = by_numpy
    return decode_rows


def edges_of_rows(on: Any, write: Any) -> Any:
    """Write edge ``rows[i]`` as row i of the forest; ``write`` is from :func:`row_of_edge`."""

    @on.elementwise
    def edges_of_rows(i, rows, *columns):
        write(i, np.uint64(rows[i]), *columns)

    return edges_of_rows
