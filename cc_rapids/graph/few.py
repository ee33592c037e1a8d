"""Count and gather a few vertices of a flat forest on the host, by NumPy.

These functions do the same as kernels (kernels/forest.py, scan.py, gather.py). A new machine would
have to compile those kernels for a list that NumPy processes in less than a millisecond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.primitives import RANK_BLOCK, WORD

if TYPE_CHECKING:
    from ..backends import Array

PIECE = 1 << 14  # vertices per chunk, which limits temporary memory
BLOCK = RANK_BLOCK * WORD  # vertices per rank block
ALL = (1 << 64) - 1  # ids wrap around modulo 2^64, as in kernels


def count(parent: Array, present: Array, before: Array, totals: Array) -> None:
    """Mark vertices that have a parent as present, rank the set, and count vertices and components.

    ``before`` receives, for each block of words, the number of members before it.
    """
    before[0] = 0
    for first in range(0, parent.size, PIECE):
        part = parent[first : first + PIECE]
        words = present[first // WORD : (first + PIECE) // WORD]
        hooked = part != np.arange(first, first + part.size, dtype=parent.dtype)
        occur = _members(words, part.size) | hooked
        octets = np.packbits(occur, bitorder="little")
        words.view(np.uint8)[: octets.size] |= octets
        totals[0] += np.count_nonzero(occur)
        totals[1] += np.count_nonzero(occur & ~hooked)
        bits, block = np.unpackbits(words.view(np.uint8)), first // BLOCK + 1
        counts = np.add.reduceat(bits, np.arange(0, bits.size, BLOCK), dtype=before.dtype)
        before[block : block + counts.size] = counts
    np.cumsum(before, out=before)


def rows(parent: Array, present: Array, low: int, dtype: Any) -> tuple[Array, Array]:
    """Return the id of each present vertex and of its root; the id of vertex 0 is ``low``."""
    vertices = np.flatnonzero(_members(present, parent.size))
    columns = np.empty((2, vertices.size), dtype)
    columns[0], columns[1] = vertices, parent[vertices]
    columns += np.uint64(low & ALL).astype(dtype)
    return columns[0], columns[1]


def dense(
    parent: Array, present: Array, low: int, dtype: Any, labels: np.dtype[Any]
) -> tuple[Array, Array]:
    """Return the id of each present vertex, and its component numbered by least vertices."""
    occur = _members(present, parent.size)
    vertices = np.flatnonzero(occur)
    roots = occur & (parent == np.arange(parent.size, dtype=parent.dtype))
    numbers = np.cumsum(roots, dtype=labels) - labels.type(1)
    ids = vertices.astype(dtype)
    ids += np.uint64(low & ALL).astype(dtype)
    return ids, numbers[parent[vertices]]


def _members(words: Array, n: int) -> Array:
    """Return whether each of the first n vertices is in a set."""
    return np.unpackbits(words.view(np.uint8), count=n, bitorder="little").view(bool)
