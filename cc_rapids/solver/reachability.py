"""The minimum spanning forest of a neighbour array or a matrix by mutual reachability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms import boruvka
from ..algorithms.boruvka import WeightOrder
from ..algorithms.prim import prim
from ..algorithms.rooted_forest import rooted, word_of
from ..backends import Array, Backend
from ..data.neighbors import Neighbors
from ..graph.forest import Forest
from ..graph.sorting import order_of_integers, stable_order
from ..kernels import reachability as kernels
from ..kernels.neighbors import ANY_ORDER
from .neighbors import NeighborRules, entries_of

PIECE = 128  # points whose core distances are computed together


@dataclass(frozen=True)
class ReachabilityForest:
    """A spanning forest of points, with edges in the order of their merges.

    Each tree is rooted at its least point. The parent of a vertex is less than the vertex.

    Attributes
    ----------
    vertex_of : (n,) array of integers
        The vertex of each point.
    parent, child : (t,) arrays of integers
        The endpoints of the edges.
    heights : (t,) array of float64
        The mutual reachability of the endpoints, in ascending order; all are finite.
    """

    vertex_of: Array
    parent: Array
    child: Array
    heights: Array


def reachability_forest(
    neighbors: Neighbors, min_samples: int, backend: Backend, scale: float = 1.0
) -> ReachabilityForest:
    """Compute the minimum spanning forest by mutual reachability.

    The weight of an entry is the greatest of its distance and the core distances of both points. No
    list of edges or weights is built. The core distance of a point is the distance of its neighbour
    number ``min_samples``; the point itself is number 1, even if its row does not list it. Infinite
    and missing distances join nothing. The entries of a point with fewer than ``min_samples``
    neighbours join nothing either.

    Parameters
    ----------
    neighbors : Neighbors
        With distances of float32 or float64.
    min_samples : int
    backend : Backend
    scale : float
        The divisor of the distances, applied after the core distances have been computed.

    Raises
    ------
    InputError
        A neighbour is not a point, or an array changed during the run.

    Notes
    -----
    Vertices are the points in a preorder of the trees. Edges of equal height are sorted by their
    depth, and then by the position of their entries.
    """
    n, dtype = neighbors.n, np.dtype(neighbors.distances.dtype)
    width = 8 * dtype.itemsize
    forest = Forest(backend, n, all_present=True)
    rules = NeighborRules(float(np.finfo(dtype).max), min_samples=min_samples)
    edges, described, weights, *_ = entries_of(neighbors, rules, forest, reach=True)
    order, load_edge = boruvka.order_of(dtype, backend), backend.kernel(edges.form.load, edges.wide)
    sign = np.uint64(1 << (width - 1))  # the sign bit
    bits = weights.view(f"u{dtype.itemsize}")
    core = backend.kernel(kernels.core_distances, order)
    core(described.reach.size, min_samples - 1, described.src, bits, described.reach)
    if scale != 1.0:
        bits = (weights / dtype.type(scale)).view(bits.dtype)
    # whether distance e is element e in memory, as index e is unless the form is ANY_ORDER
    in_order = neighbors.steps[:2] == neighbors.steps[2:] and edges.form is not ANY_ORDER
    weigh = backend.kernel(kernels.mutual_reachability, order, load_edge, in_order)
    contains_row = width <= boruvka.HALF and edges.m < 1 << boruvka.HALF  # see WeightOrder.of
    rows = boruvka.solve(edges, forest, n, WeightOrder(bits, weigh, contains_row)).rows
    sources, targets = (backend.empty(rows.size, forest.vertex) for _ in range(2))
    codes = backend.empty(rows.size, np.uint64)
    write = backend.kernel(kernels.write_edges, weigh, load_edge)
    write(rows.size, rows, bits, edges.src, edges.dst, n, sources, targets, codes)
    if not forest.complete:
        raise neighbors.given.changed()
    xp = backend.xp
    roots = xp.flatnonzero(forest.parent == xp.arange(n, dtype=forest.vertex))
    tree = rooted(sources, targets, roots, n, backend)
    # Edges of equal height are in the order of their depth, so that parents precede children.
    by_depth = order_of_integers(tree.depth[tree.child], n, xp)
    by_height = by_depth[stable_order(codes[by_depth], xp)]
    codes, child = codes[by_height], tree.child[by_height]
    # The codes are bits of floats, changed so that integers sort like floats: undo the change.
    codes = xp.where(codes < sign, ~codes, codes ^ sign).astype(bits.dtype)  # below: negative
    heights = codes.view(dtype).astype(np.float64)
    vertex, *_ = tree.preorder()
    parent = vertex[tree.parent[child]]
    return ReachabilityForest(vertex, parent, vertex[child], heights)


def complete_forest(
    neighbors: Neighbors, min_samples: int, backend: Backend, scale: float, from_source: bool
) -> ReachabilityForest:
    """Compute the forest of all points by Prim's algorithm on the host, in scikit-learn's order.

    Vertices are the points in the order in which they are added. Edges are in the order of
    ``np.argsort``, even those of equal height.

    Parameters
    ----------
    neighbors : Neighbors
        With all distances; those of points to themselves are not read.
    min_samples : int
    backend : Backend
    scale : float
        The divisor of the distances, applied after the core distances have been computed.
    from_source : bool
        True if the parent of a point is its nearest point in the tree, False if it is the point
        that was added before it.
    """
    memory = neighbors.distances
    memory = memory.get() if hasattr(memory, "get") else memory  # on the host
    strides = [step * memory.itemsize for step in neighbors.steps[2:]]  # of rows and columns
    matrix = np.lib.stride_tricks.as_strided(memory, (neighbors.n, neighbors.n), strides)
    order, source, weights = prim(matrix, _core_distances(matrix, min_samples), scale, from_source)
    child = np.flatnonzero(weights < np.inf)
    child = child[np.argsort(weights[child])]
    vertex = np.empty_like(order)
    vertex[order] = np.arange(order.size)
    ids = (array.astype(word_of(order.size)) for array in (vertex, source[child], child))
    return ReachabilityForest(*map(backend.asarray, (*ids, weights[child])))


def _core_distances(matrix: Any, min_samples: int) -> Any:
    """Return the core distance of each point; the distance of a point to itself counts as 0."""
    core, position = np.empty(matrix.shape[0]), min_samples - 1
    for start in range(0, core.size, PIECE):
        piece = matrix[start : start + PIECE].astype(np.float64, order="C")
        rows = np.arange(len(piece))
        piece[rows, start + rows] = 0
        piece.partition(position, axis=1)
        core[start + rows] = piece[:, position]
    return core
