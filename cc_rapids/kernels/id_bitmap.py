"""Bit map over the range of the ids: present ids, their ranks, and the ids in order.

words  : (span // 32 + 1,) uint32, bit i is set if the id low + i occurs.
before : the number of ids before each block of words (see scan.py).
out_of_range : (1,) integers, set to 1 if an id lies outside the range.
"""

from typing import Any

import numpy as np

from . import by_numpy, primitives
from .edges import distance

ONE = np.uint64(1)


def mark_ids(on: Any, vertex: type) -> Any:
    """Mark the ids of a column; set ``out_of_range`` if one lies outside the range."""
    at, mark = distance(on, np.uint64), primitives.mark(on)

    @on.elementwise
    def mark_ids(i, column, low, n, present, out_of_range):
        v = at(column, i, low)
        if v < np.uint64(n):
            mark(present, vertex(v))
        else:
            out_of_range[0] = 1

    def mark_ids_by_numpy(m, column, low, n, present, out_of_range):
        vertices = (column[:m].astype(np.int64) - low).view(np.uint64)
        within = vertices < np.uint64(n)
        by_numpy.mark(present, vertices[within])
        out_of_range[0] |= not within.all()

    mark_ids.by_numpy = mark_ids_by_numpy
    return mark_ids


def mark_range(on: Any, vertex: type) -> Any:
    """Mark the vertices first, first + step, first + 2 step, ..."""
    mark = primitives.mark(on)

    @on.elementwise
    def mark_range(i, first, step, present):
        mark(present, vertex(first + np.int64(i) * step))

    def mark_range_by_numpy(n, first, step, present):
        by_numpy.mark(present, (first + np.arange(n) * step).astype(np.uint64))

    mark_range.by_numpy = mark_range_by_numpy
    return mark_range


def number_ranks(on: Any, vertex: type) -> Any:
    """Write the vertex of each row: the rank of its id in the bit map ``words``.

    The map covers ``size`` ids. An id that is not in the map gets n, which is not a vertex.
    """
    at, has, rank = distance(on, np.uint64), primitives.has(on), primitives.rank(on)

    @on.elementwise
    def number_ranks(i, column, low, size, n, words, before, out):
        d, number = at(column, i, low), np.uint64(n)
        if d < np.uint64(size) and has(words, vertex(d)):
            number = np.uint64(rank(words, before, vertex(d)))
        out[i] = number

    return number_ranks


def members(on: Any) -> Any:
    """Write the ids of the set in order, one word per thread."""
    shift, word_bits, one = np.uint64(5), np.uint32(primitives.WORD), np.uint32(1)
    rank = primitives.rank(on)

    @on.elementwise
    def members(w, words, before, low, ids):
        word, v, b = words[w], w << shift, np.uint32(0)
        if word != 0:
            k = np.uint64(rank(words, before, v))
            while b < word_bits:
                if (word >> b) & one != 0:
                    ids[k] = np.int64(v + np.uint64(b)) + low
                    k += ONE
                b += one

    return members
