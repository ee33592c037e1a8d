"""Pack a flat forest for transfer to another device, and merge one forest into another.

Most vertices belong to the giant component, the largest tree, and are sent as one bit each. The
other vertices that have a parent are sent as pairs.

parent : (n,) unsigned, a flat forest, shared by all threads. parent[v] <= v always.
aux    : unused; see union.py.
root_word : [count << 48 | root] of the giant component; see giant.py.
octets : the bit set of the giant component's vertices, as bytes.
vertices, roots : (capacity,) the pairs of a vertex outside the giant component and its root.
pack_count : (1,) int64, the number of pairs, which may exceed the capacity; initially 0.
"""

from typing import Any

import numpy as np

from . import find, union
from .giant import giant_of

ONE = np.uint8(1)
FIRST, NEXT, THREE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(3), np.uint64(8)


def pack(on: Any, vertex: type) -> Any:
    """Write the bits of the giant component, and the pairs of the other vertices with a parent.

    A thread owns whole bytes of the set, and reserves the pairs of a byte with one atomic. Pairs
    beyond the capacity are counted but not written.
    """
    giant, add = giant_of(on, vertex), on.atomic_add

    @on.grid_stride
    def pack(b, end, step, n, parent, root_word, octets, vertices, roots, pack_count):
        while b < end:
            octet, bit, others = np.uint8(0), np.uint8(1), np.int64(0)
            v, last = b << THREE, min((b << THREE) + EIGHT, np.uint64(n))
            while v < last:
                r = parent[v]
                if r == giant(root_word):
                    octet |= bit
                elif r != v:
                    others += np.int64(1)
                bit = np.uint8(bit << ONE)
                v += NEXT
            octets[b] = octet
            if others != np.int64(0):  # write the pairs of this byte from position k on
                k, v = np.uint64(add(pack_count, FIRST, others)), b << THREE
                while v < last:
                    r = parent[v]
                    if r != v and r != giant(root_word):
                        if k < np.uint64(vertices.size):
                            vertices[k], roots[k] = v, r
                        k += NEXT
                    v += NEXT
            b += step

    return pack


def _link(on: Any, vertex: type) -> Any:
    """Return a function that links two vertices, by the design async+halve."""
    return union.asynchronous(on, vertex, find.halve(on))


def link_giant(on: Any, vertex: type) -> Any:
    """Link the vertices of another forest's giant component, given as bits, with its root.

    ``giant`` is this root. Most of these vertices already have the root of ``giant`` as parent in
    this forest. They need no link: only their parents are read, in ascending order.
    """
    link, climb = _link(on, vertex), find.halve(on)

    @on.grid_stride
    def link_giant(b, end, step, giant, parent, aux, octets):
        while b < end:
            octet, v = octets[b], b << THREE
            if octet != np.uint8(0):
                r = climb(parent, vertex(giant))
                while octet != np.uint8(0):
                    if octet & ONE != 0:
                        p = parent[v]
                        if p != r:
                            link(parent, aux, p, r)
                    octet, v = np.uint8(octet >> ONE), v + NEXT
            b += step

    return link_giant


def link_pairs(on: Any, vertex: type) -> Any:
    """Link each vertex outside another forest's giant component with its root in that forest."""
    link = _link(on, vertex)

    @on.elementwise
    def link_pairs(k, parent, aux, vertices, roots):
        link(parent, aux, vertices[k], roots[k])

    return link_pairs


def link_parents(on: Any, vertex: type) -> Any:
    """Link each vertex with its parent in another flat forest.

    This merges the components of both forests. ``parent[v]`` may be stale: an earlier parent of v
    is in the same tree. A root of the other forest is its own parent and needs no link.
    """
    link = _link(on, vertex)

    @on.elementwise
    def link_parents(v, parent, aux, other):
        p, q = parent[v], other[v]
        if p != q and q != v:
            link(parent, aux, p, q)

    return link_parents
