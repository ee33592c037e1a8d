"""Condense a merge tree to the clusters of at least some size, and select clusters.

Vertices are the nodes 0 .. n - 1, and merge k is node n + k, as in :mod:`.dendrogram`. A merge is
*kept* if its cluster has ``least`` vertices or more.

size     : (t,) the number of vertices of each merge.
pointers : (n + t,) a node above each node, or the node itself.
"""

from typing import Any

import numpy as np

HOPS = 16  # pointers that a thread follows before it stores where it is
ZERO, ONE = np.uint64(0), np.uint64(1)
NEITHER, ONE_KEPT, SPLIT = np.uint8(0), np.uint8(1), np.uint8(2)  # which nodes of a merge are kept


def is_kept(on: Any) -> Any:
    """Return whether a node is kept."""

    @on.device
    def is_kept(x, n, least, size):
        return x >= np.uint64(n) and np.uint64(size[x - np.uint64(n)]) >= np.uint64(least)

    return is_kept


def point_up(on: Any, word: type) -> Any:
    """Point both nodes of each merge at it, unless both are kept.

    The pointers are initially the nodes themselves. ``split`` is how many nodes are kept, and
    ``leaving`` the number of vertices outside the kept node; all vertices if both are kept.
    """
    kept = is_kept(on)

    @on.elementwise
    def point_up(k, n, least, first, second, size, pointers, split, leaving):
        a, b = np.uint64(first[k]), np.uint64(second[k])
        keeps_a, keeps_b = kept(a, n, least, size), kept(b, n, least, size)
        left, number = size[k], SPLIT
        if not (keeps_a and keeps_b):
            pointers[a], pointers[b] = word(np.uint64(n) + k), word(np.uint64(n) + k)
            number = NEITHER
            if keeps_a:
                left, number = left - size[a - np.uint64(n)], ONE_KEPT
            elif keeps_b:
                left, number = left - size[b - np.uint64(n)], ONE_KEPT
        split[k], leaving[k] = number, left

    return point_up


def climb(on: Any, word: type, among_kept: bool) -> Any:
    """Move the pointer of each node some steps up, and note any that may fall short.

    Nodes that are not kept move up to the first kept node; kept nodes move up to a node that points
    at itself. Allowed race: a pointer that another thread moves leads to the same node before and
    after. Each step leads up or ends, so the climbs end. The last nodes are the uppermost, so they
    are moved first.
    """
    kept, hops = is_kept(on), np.uint64(HOPS)

    @on.elementwise
    def climb(i, n, least, size, pointers, value, flag):
        x = np.uint64(pointers.size) - ONE - i
        if kept(x, n, least, size) == among_kept:
            pointer, count, moves = np.uint64(pointers[x]), ZERO, True
            while moves and count < hops:
                above = np.uint64(pointers[pointer])
                moves = above != pointer and (among_kept or not kept(pointer, n, least, size))
                if moves:
                    pointer = above
                count += ONE
            pointers[x] = word(pointer)
            if moves:
                flag[0] = value

    return climb


def select_clusters(on: Any) -> Any:
    """Select clusters of a condensed tree, in a single thread.

    Parents have smaller numbers than their children, and cluster 0 is the root, so one pass in
    either direction sees children or parents first. ``options`` are whether only leaves are
    selected, whether the root may be, and the most vertices of a cluster. ``epsilon[0]`` is the
    least distance at which clusters may split, and ``birth`` the distance at which each splits off.

    The mass of a cluster is its stability or, if greater, the mass of its children. The uppermost
    clusters whose children's mass is not greater are selected. A selected cluster below ``epsilon``
    is replaced by its first ancestor above it, ``target``; the root only if it may be selected.

    ``below`` has three words per cluster: the mass, the vertices and the number of its children.
    ``picks`` and ``moved`` are 0 initially. ``chosen`` becomes the selected cluster that contains
    each cluster, and ``label`` its label, -1 for none. ``death`` becomes the greatest death among
    descendants.

    Campello, Moulavi, Zimek and Sander, "Hierarchical density estimates for data clustering,
    visualization, and outlier detection", TKDD 2015. Malzer and Baum, "A hybrid approach to
    hierarchical density-based cluster selection", MFI 2020, for ``epsilon``.
    """

    @on.elementwise
    def select_clusters(
        i,
        options,
        epsilon,
        parent,
        size,
        birth,
        stability,
        below,
        picks,
        moved,
        target,
        chosen,
        label,
        death,
    ):
        clusters, left = np.int64(parent.size), np.int64(parent.size)
        while left > 0:
            left -= 1
            c = left
            at, p, mass = 3 * c, 3 * parent[c], stability[c]
            vertices = np.float64(size[c]) if c > 0 else below[at + 1]
            picks[c] = c > 0 or options[1] != 0
            if options[0] != 0:
                picks[c] = c > 0 and below[at + 2] == 0.0
            elif below[at] > mass or vertices > np.float64(options[2]):
                picks[c], mass = 0, below[at]
            if c > 0:
                below[p] += mass
                below[p + 1] += vertices
                below[p + 2] += 1.0
                death[parent[c]] = max(death[parent[c]], death[c])
        moves = epsilon[0] != 0.0 and picks[0] == 0
        moved[0], c = picks[0], np.int64(1)
        while c < clusters:
            p = parent[c]
            if picks[p] != 0:
                picks[c] = 2
            target[c] = target[p]
            if p == 0:
                target[c] = 0 if options[1] != 0 else c
            elif birth[p] > epsilon[0]:
                target[c] = p
            if picks[c] == 1:
                moved[target[c] if moves and birth[c] < epsilon[0] else c] = 1
            c += 1
        c, count = np.int64(0), np.int64(0)
        while c < clusters:
            chosen[c], label[c] = c, count
            if moved[c] != 0:
                count += 1
            else:
                chosen[c], label[c] = (chosen[parent[c]], label[parent[c]]) if c > 0 else (-1, -1)
            c += 1

    return select_clusters
