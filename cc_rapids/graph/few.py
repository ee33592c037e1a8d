"""Few vertices of a flat forest on the host, counted and gathered by NumPy.

These functions find what kernels do (kernels/forest.py, scan.py, gather.py), which a new machine
would have to compile for a list that NumPy answers in less than a millisecond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.primitives import RANK_BLOCK, WORD

if TYPE_CHECKING:
    from ..backends import Array

PIECE = 1 << 14  # vertices that are looked at together: a few bytes for each are within any limit
BLOCK = RANK_BLOCK * WORD  # vertices
ALL = (1 << 64) - 1  # ids wrap around, as those of kernels do


def count(parent: Array, present: Array, before: Array, totals: Array) -> None:
    """Add the vertices that have a parent to the set, rank it, and count vertices and components.

    ``before`` becomes for each block of words how many members of the set come before it.
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
    """Return the id of each vertex that occurs, and the least of its component, from ``low``."""
    vertices = np.flatnonzero(_members(present, parent.size))
    columns = np.empty((2, vertices.size), dtype)
    columns[0], columns[1] = vertices, parent[vertices]
    columns += np.uint64(low & ALL).astype(dtype)
    return columns[0], columns[1]


def dense(
    parent: Array, present: Array, low: int, dtype: Any, labels: np.dtype[Any]
) -> tuple[Array, Array]:
    """Return the id of each vertex that occurs, and its component by rank of least vertices."""
    occur = _members(present, parent.size)
    vertices = np.flatnonzero(occur)
    roots = occur & (parent == np.arange(parent.size, dtype=parent.dtype))
    numbers = np.cumsum(roots, dtype=labels) - labels.type(1)
    ids = vertices.astype(dtype)
    ids += np.uint64(low & ALL).astype(dtype)
    return ids, numbers[parent[vertices]]


def _members(words: Array, n: int) -> Array:
    """Return whether each of the first vertices is in a set."""
    return np.unpackbits(words.view(np.uint8), count=n, bitorder="little").view(bool)
