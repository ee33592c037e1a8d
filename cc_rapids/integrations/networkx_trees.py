"""Minimum and maximum spanning trees that equal those of NetworkX's Kruskal and Prim algorithms.

For Kruskal's algorithm, NetworkX sorts the edges by weight and keeps the order of ``G.edges`` among
equal weights. From edges in this order, :func:`cc_rapids.minimum_spanning_forest` returns the same
forest. If all weights differ, there is only one minimum spanning forest. Prim's algorithm can then
run on this forest alone: it takes the same edges in the same order as on the whole graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from heapq import heappop, heappush
from itertools import pairwise
from math import isnan
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from ..api import maximum_spanning_forest, minimum_spanning_forest
from .networkx_graph import Graph

# NumPy types, and the types of numbers that they compare as Python does
COMPARED: dict[Any, set[Any]] = {np.int64: {int, bool}, np.float64: {float, np.float64}}


def minimum_spanning_edges(
    G: Graph,  # noqa: N803 (NetworkX's name)
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """Yield the edges of a minimum spanning forest, with Kruskal's algorithm by ascending weight.

    Parameters
    ----------
    G : Graph
    algorithm : {"kruskal", "prim"}
        The order of the edges. Prim's algorithm requires that all weights differ; see
        :func:`weights_differ`.
    weight : hashable
        The name of the weight attribute; edges without it have weight 1.
    keys, data : bool
        Whether to yield the key of a multigraph's edge, and its attributes.
    ignore_nan : bool
        Whether to leave out edges whose weight is NaN, instead of raising an error.

    Yields
    ------
    (u, v, key, attributes), without key or attributes if these are not requested
        An edge. ``attributes`` is the dictionary of the graph, not a copy.

    Raises
    ------
    ValueError
        A weight is NaN.
    """
    yield from _edges(G, algorithm, weight, keys, data, ignore_nan, maximum=False)


def maximum_spanning_edges(
    G: Graph,  # noqa: N803
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """Yield the edges of a maximum spanning forest, with Kruskal's algorithm by descending weight.

    The arguments, tuples and errors are as for :func:`minimum_spanning_edges`.
    """
    yield from _edges(G, algorithm, weight, keys, data, ignore_nan, maximum=True)


def minimum_spanning_tree(
    G: Graph,  # noqa: N803
    weight: Any = "weight",
    algorithm: str = "kruskal",
    ignore_nan: bool = False,
) -> Any:
    """Return a minimum spanning forest as a graph of NetworkX.

    The arguments are as for :func:`minimum_spanning_edges`.

    Returns
    -------
    graph of the class of NetworkX's graph
        A graph with all nodes, and with the attributes of the graph, of nodes and of edges.

    Raises
    ------
    networkx.NetworkXNotImplemented
        The graph is directed.
    ValueError
        A weight is NaN.
    """
    return _tree(G, algorithm, False, weight, ignore_nan)


def maximum_spanning_tree(
    G: Graph,  # noqa: N803
    weight: Any = "weight",
    algorithm: str = "kruskal",
    ignore_nan: bool = False,
) -> Any:
    """Return a maximum spanning forest as a graph, as :func:`minimum_spanning_tree` does."""
    return _tree(G, algorithm, True, weight, ignore_nan)


def partition_spanning_tree(
    G: Graph,  # noqa: N803
    minimum: bool = True,
    weight: Any = "weight",
    partition: Any = "partition",
    ignore_nan: bool = False,
) -> Any:
    """Return a spanning forest with all included edges and no excluded edge, as NetworkX does.

    Parameters
    ----------
    minimum : bool
        Whether to minimise the total weight; otherwise it is maximised.
    partition : hashable
        The name of the attribute with the ``networkx.EdgePartition`` of an edge.
    weight, ignore_nan
        As for :func:`minimum_spanning_edges`.

    Returns
    -------
    graph of the class of NetworkX's graph
        As for :func:`minimum_spanning_tree`.

    Raises
    ------
    ValueError
        A weight is NaN.
    """
    graph, states = G.with_attributes, nx.EdgePartition
    edges = graph.attributes.edges
    values, rows = _comparable_weights(edges, weight, ignore_nan)
    order = _stable_order(values, descending=not minimum)
    edge_states = [edges[row][-1].get(partition) for row in rows.tolist()]
    included, excluded = (
        np.fromiter((state == chosen_state for state in edge_states), np.bool_, rows.size)
        for chosen_state in (states.INCLUDED, states.EXCLUDED)
    )
    # Included edges come first, then other edges by weight. The ranks replace the weights
    others = order[~(included | excluded)[order]]
    ranked_rows = rows[np.concatenate([np.flatnonzero(included), others])]
    forest_ranks = minimum_spanning_forest(
        (graph.src[ranked_rows], graph.dst[ranked_rows]),
        num_vertices=len(graph),
        weight=np.arange(ranked_rows.size),
        engine=nx.config.backends.cc_rapids.engine,
    ).row
    return graph.attributes.graph_of([edges[row] for row in ranked_rows[forest_ranks].tolist()])


def _tree(graph: Graph, algorithm: str, maximum: bool, weight: Any, ignore_nan: bool) -> Any:
    """Return a spanning forest as a graph of NetworkX."""
    if graph.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    edges = list(
        _edges(
            graph, algorithm, weight, keys=True, data=True, ignore_nan=ignore_nan, maximum=maximum
        )
    )
    return graph.with_attributes.attributes.graph_of(edges)


def weights_differ(graph: Any, weight: Any, ignore_nan: bool) -> bool:
    """Return whether all edges of a graph have different weights.

    If ``ignore_nan`` is true, weights that are NaN are left out. Otherwise they count as equal.
    """
    if isinstance(graph, Graph):
        edges = graph.with_attributes.attributes.edges
    else:
        edges = graph.edges(data=True)
    weights = [edge[-1].get(weight, 1) for edge in edges]
    numbers = [number for number in weights if number == number]  # NaN differs from itself
    return len(set(numbers)) == len(numbers if ignore_nan else weights)


def _edges(
    graph: Graph,
    algorithm: str,
    weight: Any,
    keys: bool,
    data: bool,
    ignore_nan: bool,
    maximum: bool,
) -> Iterator[tuple[Any, ...]]:
    """Yield the edges of a spanning forest in the order in which ``algorithm`` chooses them.

    The arguments are those of :func:`minimum_spanning_edges`, and ``maximum``.
    """
    graph = graph.with_attributes
    edges, is_multigraph = graph.attributes.edges, graph.is_multigraph()
    values, rows = _comparable_weights(edges, weight, ignore_nan)  # rows: without NaN
    spanning_forest = maximum_spanning_forest if maximum else minimum_spanning_forest
    forest_rows = spanning_forest(
        (graph.src[rows], graph.dst[rows]),
        num_vertices=len(graph),
        weight=values,
        engine=nx.config.backends.cc_rapids.engine,
    ).row
    in_order = forest_rows[_stable_order(values[forest_rows], descending=maximum)]
    by_weight = [edges[row] for row in rows[in_order].tolist()]
    forest = by_weight if algorithm == "kruskal" else _prim(graph, by_weight)
    for u, v, *key, attributes in forest:
        shown_key = key if is_multigraph and keys else ()
        yield (u, v, *shown_key, attributes) if data else (u, v, *shown_key)


def _prim(graph: Graph, forest: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield the edges of a forest, sorted by weight, in the order of NetworkX's Prim algorithm.

    Each edge leads from a visited node to a new node. As in NetworkX, each tree starts at the node
    that ``pop()`` returns from the set of nodes that are not visited yet.
    """
    neighbours: dict[Any, list[tuple[int, Any]]] = {}
    for rank, (u, v, *_) in enumerate(forest):
        neighbours.setdefault(u, []).append((rank, v))
        neighbours.setdefault(v, []).append((rank, u))
    nodes = set(iter(graph))
    while nodes:
        u = nodes.pop()
        frontier: list[tuple[int, Any, Any]] = []
        visited = {u}
        for rank, v in neighbours.get(u, ()):
            heappush(frontier, (rank, u, v))
        while frontier:
            rank, u, v = heappop(frontier)
            yield (u, v, *forest[rank][2:])
            visited.add(v)
            nodes.discard(v)
            for next_rank, w in neighbours[v]:
                if w not in visited:
                    heappush(frontier, (next_rank, v, w))


def _stable_order(values: npt.NDArray[Any], descending: bool) -> npt.NDArray[Any]:
    """Return the rows of values in sorted order; equal values are in the order of their rows."""
    if not descending:
        return np.argsort(values, kind="stable")
    # Reversed before and after the stable sort, so that equal values keep their order
    return values.size - 1 - np.argsort(values[::-1], kind="stable")[::-1]


def _comparable_weights(
    edges: list[tuple[Any, ...]], weight: Any, ignore_nan: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return numbers that order edges as their weights do, and the rows of these edges.

    Edges whose weight is NaN are left out. Weights that NumPy does not compare as Python does are
    replaced by their ranks.
    """
    weights = [edge[-1].get(weight, 1) for edge in edges]
    weight_types, size = set(map(type, weights)), len(weights)
    for dtype, python_types in COMPARED.items():
        if weight_types <= python_types:
            with suppress(OverflowError):  # an int of too many bits
                values = np.fromiter(weights, dtype, size)
                rows = _rows_of_numbers(values != values, edges, ignore_nan)  # NaN != NaN
                return values[rows], rows
    is_nan = np.fromiter(map(isnan, weights), np.bool_, size)
    rows = _rows_of_numbers(is_nan, edges, ignore_nan)
    order = sorted(rows.tolist(), key=weights.__getitem__)
    # The rank grows only where the weight grows, so equal weights have equal ranks
    grows = [weights[row] < weights[next_row] for row, next_row in pairwise(order)]
    ranks = np.empty(size, np.int64)
    ranks[order] = np.cumsum([0, *grows])[: len(order)]  # the slice is empty if there are no edges
    return ranks[rows], rows


def _rows_of_numbers(
    is_nan: npt.NDArray[np.bool_], edges: list[tuple[Any, ...]], ignore_nan: bool
) -> npt.NDArray[Any]:
    """Return the rows that are not NaN; raise a ValueError for a NaN unless NaN is ignored."""
    if not ignore_nan and is_nan.any():
        raise ValueError(f"NaN found as an edge weight. Edge {edges[int(is_nan.argmax())]}")
    return np.flatnonzero(~is_nan)
