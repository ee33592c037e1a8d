"""Rooted forests, by the Euler tours of their trees.

An edge has two *arcs*, one in each direction. A tour passes the arc down and later the arc up.
Parallel list ranking computes the position of each arc in the tour, so the number of passes does
not depend on the shape of the forest (see :mod:`cc_rapids.kernels.tours`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..kernels import forest as trees
from ..kernels import tours

NO_EDGE = -1


@dataclass(frozen=True)
class RootedForest:
    """A spanning forest whose edges have a direction, away from the root of each tree.

    The arrays are int32 if there are fewer than 2^30 vertices, and int64 otherwise. The tour enters
    the descendants of a vertex after it enters the vertex, and before it leaves the vertex. In a
    tree without a root, ``enters`` and ``leaves`` are -1.
    """

    child: Array  # (t,) the lower endpoint of each edge
    parent: Array  # (n,) the parent; a root, or a vertex without an edge, is its own parent
    parent_edge: Array  # (n,) the index of the edge to the parent; NO_EDGE if there is none
    enters: Array  # (n,) the position in the tour at which a vertex is entered
    leaves: Array  # (n,) the position in the tour at which a vertex is left
    # (a,), a <= 2 n: for each position of the tour, the number of downward arcs up to this
    # position; one downward arc leads to each root
    descents: Array
    backend: Backend  # of the arrays

    def below(self, vertices: Array, tops: Array) -> Array:
        """Return a mask: whether ``vertices[i]`` is ``tops[i]`` or a descendant of ``tops[i]``."""
        entered = self.enters[vertices]
        return (self.enters[tops] <= entered) & (entered < self.leaves[tops])

    @cached_property
    def depth(self) -> Array:
        """The number of edges from each vertex to its root; 0 in a tree without a root."""
        depth, word = self.backend.empty(self.parent.size, self.parent.dtype), self._word
        measure = self.backend.kernel(tours.measure_depth, word)
        measure(depth.size, self.enters.view(word), self.descents.view(word), depth.view(word))
        return depth

    def preorder(self) -> tuple[Array, Array]:
        """Return the preorder number and the subtree size of each vertex.

        The descendants of a vertex have the numbers that follow the number of the vertex. Number
        and size are 0 in a tree without a root.

        Examples
        --------
        >>> import cc_rapids
        >>> ends = np.array([3, 1, 0]), np.array([1, 0, 2])
        >>> path = rooted(*ends, np.array([0]), 4, cc_rapids.backends.get("threads"))
        >>> number, size = path.preorder()
        >>> size
        array([4, 2, 1, 1], dtype=int32)
        """
        backend, n, word = self.backend, self.parent.size, self._word
        number, size = (backend.fill(backend.empty(n, word), 0) for _ in range(2))
        tour = (array.view(word) for array in (self.enters, self.leaves, self.descents))
        backend.kernel(tours.number_subtrees, word)(n, *tour, number, size)
        return number.view(self.parent.dtype), size.view(self.parent.dtype)

    @property
    def _word(self) -> Any:
        """The unsigned type as which kernels read the arrays."""
        return word_of(self.parent.size)


def word_of(n: int) -> Any:
    """Return np.uint32 if the numbers of 2 n arcs fit an int32; otherwise np.uint64."""
    return np.uint32 if n < 1 << 30 else np.uint64


def rooted(src: Array, dst: Array, roots: Array, n: int, backend: Backend) -> RootedForest:
    """Return a forest whose trees are rooted at the vertices ``roots``.

    ``src`` and ``dst``, (t,) arrays of integers, are the endpoints of the forest's edges, among n
    vertices. ``roots`` has one vertex of each tree; a tree without edges may be left out. The other
    arrays are those of :mod:`cc_rapids.kernels.tours`.
    """
    xp, word, t = backend.xp, word_of(n), int(src.size)
    signed = np.dtype(f"i{np.dtype(word).itemsize}")
    edges = t + int(roots.size)  # a virtual vertex has an edge to each root
    counts = xp.zeros(n + 1, word)
    backend.kernel(tours.count_arcs, word)(t, src, dst, counts)
    counts[roots] += word(1)
    starts = xp.cumsum(counts, dtype=word)  # the ends; ``place_arcs`` counts down to the starts
    arcs, twins = backend.empty(t, word), backend.empty(2 * edges, word)
    ends = src, dst, roots
    backend.kernel(tours.place_arcs, word)(edges, *ends, starts, arcs, twins)
    tour = backend.empty(2 * edges, word)
    backend.kernel(tours.link_arcs, word)(edges, *ends, starts, arcs, twins, tour)
    _rank_arcs(tour, edges + t, backend)  # from the arc to the first root: arcs to roots are last
    child, parent = backend.empty(t, word), backend.empty(n, word)
    backend.kernel(trees.init_singletons, word)(n, parent)
    parent_edge, enters, leaves = (backend.fill(backend.empty(n, word), 0xFF) for _ in range(3))
    descends = xp.zeros(2 * edges, np.uint8)
    backend.kernel(tours.orient, word)(
        edges, *ends, arcs, twins, tour, child, parent, parent_edge, enters, leaves, descends
    )
    descents = xp.cumsum(descends, dtype=word)
    child, parent, parent_edge, enters, leaves, descents = (
        column.view(signed) for column in (child, parent, parent_edge, enters, leaves, descents)
    )
    return RootedForest(child, parent, parent_edge, enters, leaves, descents, backend)


def _rank_arcs(tour: Array, first: int, backend: Backend) -> None:
    """Replace the successor of each arc of a tour by the position of the arc (list ranking).

    ``tour``, unsigned integers, has for each arc the arc that follows it in the tour; all bits are
    set for the last arc. ``first`` is the first arc of the tour.
    """
    xp, word, size = backend.xp, tour.dtype.type, int(tour.size)
    if not size:
        return
    sublists = -(-size >> tours.SHIFT)  # one begins in each block of arcs; see kernels.tours
    counts, following = backend.empty(sublists, word), xp.full(sublists + 1, sublists, word)
    backend.kernel(tours.measure, word)(sublists, first, tour, counts, following)
    # Pointer jumping: sublist ``following[k]`` begins ``to_end[k]`` arcs after sublist k. A round
    # doubles the number of sublists between them. At last, all point to the end of the tour, for
    # which the last element stands.
    to_end = xp.zeros(sublists + 1, word)
    to_end[:-1] = counts
    for _ in range(sublists.bit_length()):
        to_end = to_end + to_end[following]
        following = following[following]
    backend.kernel(tours.number, word)(sublists, first, size - to_end[:-1], tour)
