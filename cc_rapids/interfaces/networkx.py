"""The NetworkX backend ``cc_rapids``: ``nx.connected_components(G, backend="cc_rapids")``.

NetworkX looks the functions up in this module. A graph is converted once and kept with it by
NetworkX, and the components of a converted graph are found once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np

from ..api import components
from .networkx_info import FUNCTIONS

NAME = "cc_rapids"
LEAST_NODES = 50_000  # benchmarks/records/networkx_gain.jsonl: below, a conversion costs more


class Graph:
    """A graph as two arrays: of NetworkX's graph, the nodes in its order and the edges.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph, or a view of one
        Kept, so that it can be given back; not changed.
    """

    __networkx_backend__ = NAME

    def __init__(self, graph: Any) -> None:
        self.original = graph
        self.nodes: list[Hashable] = list(graph)
        self.index = {node: i for i, node in enumerate(self.nodes)}
        adjacent = graph._adj  # as NetworkX's own algorithms read it; graph.adj is 5 times slower
        rows = [adjacent[node] for node in self.nodes]
        if not isinstance(adjacent, dict):  # a view's rows may hold fewer than they count
            rows = [list(row) for row in rows]
        degrees = np.fromiter(map(len, rows), np.int64, len(rows))
        ends: Iterator[Any] = chain.from_iterable(rows)
        if not _are_their_places(self.nodes):
            ends = map(self.index.__getitem__, ends)
        self.src = np.repeat(np.arange(len(rows)), degrees)
        self.dst = np.fromiter(ends, np.int64, int(degrees.sum()))

    def is_directed(self) -> bool:
        """As of the original."""
        return bool(self.original.is_directed())

    def is_multigraph(self) -> bool:
        """As of the original."""
        return bool(self.original.is_multigraph())

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def found(self) -> Any:
        """The components, of either direction."""
        return components((self.src, self.dst), num_vertices=len(self))

    @cached_property
    def labels(self) -> Any:
        """The component of each node, numbered in the order of their first nodes."""
        return self.found.labels("dense").labels

    @cached_property
    def parts(self) -> list[list[int]]:
        """The places of the nodes of each component."""
        order = np.argsort(self.labels, kind="stable")
        sizes = np.bincount(self.labels, minlength=len(self.found))
        return [part.tolist() for part in np.split(order, np.cumsum(sizes)[:-1])]

    def members(self, label: int) -> set[Hashable]:
        """A new set of the nodes of one component."""
        return set(map(self.nodes.__getitem__, self.parts[label]))


def connected_components(G: Any) -> Iterator[set[Hashable]]:  # noqa: N803
    """A new set for each component, in the order of their first nodes."""
    graph = _graph(G)
    for label in range(len(graph.found)):
        yield graph.members(label)


def number_connected_components(G: Any) -> int:  # noqa: N803
    """How many components there are."""
    return len(_graph(G).found)


def is_connected(G: Any) -> bool:  # noqa: N803
    """Whether there is one component; NetworkXPointlessConcept for the null graph."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return len(_graph(G).found) == 1


def node_connected_component(G: Any, n: Hashable) -> set[Hashable]:  # noqa: N803
    """A new set of the nodes in the component of n; KeyError if there is no n."""
    graph = _graph(G)
    return graph.members(int(graph.labels[graph.index[n]]))


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def convert_from_nx(graph: Any, *args: Any, **kwargs: Any) -> Graph:
    """The two arrays of a graph; weights and attributes play no part."""
    return Graph(graph)


def convert_to_nx(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """The original of a converted graph; anything else as it is."""
    return obj.original if isinstance(obj, Graph) else obj


def can_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """Whether the function is one of ours."""
    return name in FUNCTIONS or f"cc_rapids has no {name}"


def should_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """Whether it would be faster than NetworkX, or why not."""
    graph = args[0] if args else kwargs["G"]
    if isinstance(graph, Graph) or _is_cached(graph):
        return True
    if name == "node_connected_component":
        return "one component is found faster than the graph is converted; converted ones run"
    if len(graph) < LEAST_NODES:
        return f"{len(graph):,} nodes take less time than their conversion; from {LEAST_NODES:,} on"
    if type(next(iter(graph))) is not int:
        return "looking the nodes up takes longer than NetworkX's own search; converted ones run"
    return True


def _are_their_places(nodes: list[Hashable]) -> bool:
    """Whether the nodes are 0, 1, 2, ..., so that they need not be looked up."""
    if set(map(type, nodes)) != {int} or nodes[0] != 0 or nodes[-1] != len(nodes) - 1:
        return False
    return all(map(int.__eq__, nodes, range(len(nodes))))  # type: ignore[arg-type]


def _is_cached(graph: Any) -> bool:
    cache = getattr(graph, "__networkx_cache__", None) or {}
    return NAME in cache.get("backends", {})


def _graph(graph: Any) -> Graph:
    return graph if isinstance(graph, Graph) else Graph(graph)
