"""The NetworkX backend ``cc_rapids``: components, two colours, cut edges and nodes, spanning trees.

>>> import networkx as nx
>>> nx.number_connected_components(nx.path_graph(5), backend="cc_rapids")
1

NetworkX's dictionaries are converted once, to two arrays of positions in the list of nodes.
NetworkX caches the resulting :class:`Graph` until its own graph changes, and the Graph caches its
answer. The conversion takes most of the time, even on threads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from inspect import signature
from itertools import pairwise
from typing import Any

import networkx as nx

from .networkx_graph import Graph
from .networkx_graph import convert_from_nx as convert_from_nx  # NetworkX looks for both here
from .networkx_graph import convert_to_nx as convert_to_nx
from .networkx_trees import (
    maximum_spanning_edges,
    maximum_spanning_tree,
    minimum_spanning_edges,
    minimum_spanning_tree,
    partition_spanning_tree,
    weights_differ,
)

# The smallest graph that NetworkX passes to this backend by itself; see networkx_gain.jsonl
MIN_NODES = 100_000

# Functions that NetworkX may finish without visiting every edge. This also applies to is_connected.
# NetworkX's is_connected calls connected_components, so is_connected is not listed.
STOPS_EARLY = {
    "node_connected_component": "walks one component",
    "is_bipartite": "stops at the first odd cycle",
}

TREES: dict[str, Callable[..., Any]] = {
    "minimum_spanning_edges": minimum_spanning_edges,
    "maximum_spanning_edges": maximum_spanning_edges,
    "minimum_spanning_tree": minimum_spanning_tree,
    "maximum_spanning_tree": maximum_spanning_tree,
}

SORTS_EDGES = {*TREES, partition_spanning_tree.__name__}

# The greatest mean number of neighbours per node for which a conversion pays off. If a graph has at
# least MIN_NODES nodes and at most this mean, the backend is at most 10 % slower than NetworkX, and
# faster for most kinds of graphs (benchmarks/records/networkx_gain.jsonl). NetworkX stops once it
# has visited all nodes: on denser graphs, most edges are left by then.
MAX_NEIGHBOURS = 20


def connected_components(G: Graph) -> Iterator[set[Any]]:  # noqa: N803 (NetworkX's name)
    """Yield a new set of nodes for each component, in the order of their first nodes.

    Yields
    ------
    set
        The node objects of the caller's graph.
    """
    nodes, starts = G.grouped
    for start, end in pairwise(starts):
        yield set(nodes[start:end])


def number_connected_components(G: Graph) -> int:  # noqa: N803
    """Return the number of components."""
    count, _ = G.solved
    return count


def is_connected(G: Graph) -> bool:  # noqa: N803
    """Return whether the graph has exactly one component.

    Raises
    ------
    networkx.NetworkXPointlessConcept
        The graph has no nodes.
    """
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G) == 1


def node_connected_component(G: Graph, n: Hashable) -> set[Any]:  # noqa: N803
    """Return a new set of the nodes in the component of a node.

    Returns
    -------
    set
        The node objects of the caller's graph.

    Raises
    ------
    KeyError
        The node is not in the graph.
    """
    position = G.position_of[n]
    nodes, starts = G.grouped
    _, labels = G.solved
    component = int(labels[position])
    return set(nodes[starts[component] : starts[component + 1]])


def is_bipartite(G: Graph) -> bool:  # noqa: N803
    """Return whether the graph is bipartite."""
    return G.is_bipartite


def bridges(G: Graph, root: Hashable = None) -> Iterator[tuple[Any, Any]]:  # noqa: N803
    """Yield the bridges, in the order of the edges of NetworkX's graph.

    If there is a root, only the bridges in its component are yielded. NetworkX itself then yields
    them in any order and direction.

    Yields
    ------
    tuple
        The two nodes of an edge, in their order in the graph.

    Raises
    ------
    networkx.NodeNotFound
        The root is not in the graph.
    """
    try:  # raise an error before the graph is solved
        position = None if root is None else G.position_of[root]
    except (KeyError, TypeError):  # NetworkX raises the same error for objects without a hash
        raise nx.NodeNotFound(f"Root node {root} is not in graph") from None
    lower, upper = G.bridges
    if position is not None:
        _, labels = G.solved
        is_in_component = labels[lower] == labels[position]
        lower, upper = lower[is_in_component], upper[is_in_component]
    node_at = G.nodes.__getitem__
    yield from zip(map(node_at, lower.tolist()), map(node_at, upper.tolist()), strict=True)


def has_bridges(G: Graph, root: Hashable = None) -> bool:  # noqa: N803
    """Return whether the graph has a bridge, in the component of the root if there is one."""
    return any(True for _ in bridges(G, root))


def articulation_points(G: Graph) -> Iterator[Any]:  # noqa: N803
    """Yield the articulation points, in the order of the nodes of the graph.

    NetworkX itself yields the points in the order of a depth-first search.

    Yields
    ------
    node
        A node whose removal splits its component.
    """
    yield from map(G.nodes.__getitem__, G.articulation_points)


# NetworkX checks the direction before it calls these functions, which ignore it
weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True if the backend gives NetworkX's answer, otherwise the reason why it cannot.

    Only the order of articulation points, and of bridges with a root, may differ. The arguments of
    the function ``name`` include NetworkX's graph.

    Examples
    --------
    >>> import networkx as nx
    >>> can_run("minimum_spanning_tree", (nx.path_graph(5),), {"algorithm": "prim"})
    "algorithm='prim' may take other edges of equal weight than 'kruskal'"
    """
    if name not in TREES:
        return True
    arguments = signature(TREES[name]).bind(*args, **kwargs)
    arguments.apply_defaults()
    algorithm, weight = (arguments.arguments[option] for option in ("algorithm", "weight"))
    if algorithm not in ("kruskal", "prim"):
        return f"{algorithm=} takes other edges of equal weight than 'kruskal', in another order"
    if weight is None:
        return "with weight=None, NetworkX passes neither attributes nor edge keys to a backend"
    graph, ignore_nan = arguments.arguments["G"], arguments.arguments["ignore_nan"]
    if algorithm == "prim" and not weights_differ(graph, weight, ignore_nan):
        return "algorithm='prim' may take other edges of equal weight than 'kruskal'"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True if the backend is faster than NetworkX for a graph, otherwise the reason.

    The arguments are as for :func:`can_run`.

    Examples
    --------
    >>> import networkx as nx
    >>> should_run("connected_components", (nx.path_graph(5),), {})
    'converting pays off from 100,000 nodes, but the graph has 5'
    """
    graph = args[0] if args else kwargs["G"]
    cache = getattr(graph, "__networkx_cache__", None) or {}
    if "cc_rapids" in cache.get("backends", {}):
        return True
    if name in STOPS_EARLY:
        return f"NetworkX {STOPS_EARLY[name]}, but a conversion walks every edge"
    root = args[1] if len(args) > 1 else kwargs.get("root")
    if name in ("bridges", "has_bridges") and root is not None:
        return "NetworkX walks one component, but a conversion walks every edge"
    n = len(graph)
    if n < MIN_NODES:
        return f"converting pays off from {MIN_NODES:,} nodes, but the graph has {n:,}"
    if name in SORTS_EDGES:  # then NetworkX visits every edge, too
        return True
    neighbours = sum(len(row) for _, row in graph.adjacency())
    if neighbours > MAX_NEIGHBOURS * n:
        return (
            f"converting pays off up to {MAX_NEIGHBOURS} neighbours per node, but the graph has"
            f" {neighbours / n:.0f}"
        )
    return True
