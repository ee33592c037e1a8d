"""Graphs of NetworkX as two arrays of node positions, with cached answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from ..api import articulation_points as articulation_points_of
from ..api import bridges as bridges_of
from ..api import components
from ..api import is_bipartite as has_two_colors

Positions = npt.NDArray[np.int64]  # of nodes, in Graph.nodes


@dataclass(frozen=True)
class Attributes:
    """The nodes, edges and attribute dictionaries of a graph of NetworkX, which are not copied."""

    kind: Any  # the class of the graph
    graph: dict[Any, Any]  # the attributes of the graph
    nodes: list[tuple[Any, dict[Any, Any]]]
    # (u, v, attributes), or (u, v, key, attributes) for a multigraph, in NetworkX's order
    edges: list[tuple[Any, ...]]

    @classmethod
    def of(cls, graph: Any) -> Attributes:
        """Return the attributes of a graph or view of NetworkX."""
        keys = {"keys": True} if graph.is_multigraph() else {}
        edges = list(graph.edges(data=True, **keys))
        return cls(graph.__class__, graph.graph, list(graph.nodes.items()), edges)

    def graph_of(self, edges: list[tuple[Any, ...]]) -> Any:
        """Return a graph of NetworkX with these edges, and with all nodes and attributes."""
        graph = self.kind()
        graph.graph.update(self.graph)
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(edges)
        return graph


class Graph:
    """An immutable graph: nodes, and edges between their positions.

    Parameters
    ----------
    nodes : list of hashables
        Distinct nodes. Neither this list nor the arrays are copied.
    src, dst : (m,) arrays of integers
        The positions in ``nodes`` of both ends of each edge. Undirected edges may be listed once or
        in both directions. Parallel edges count as one edge.
    directed : bool
        Whether NetworkX treats the graph as directed.
    attributes : Attributes, optional
        The attributes of the original graph. If they are passed, ``src`` and ``dst`` have the order
        of its edges.
    parallel : (m,) array of bool, optional
        Whether each edge represents several edges of a multigraph. Such an edge is not a bridge.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> graph = Graph(["a", "b", "c"], np.array([0]), np.array([2]))
    >>> list(map(sorted, nx.connected_components(graph)))
    [['a', 'c'], ['b']]
    """

    nodes: list[Any]
    src: Positions
    dst: Positions
    attributes: Any

    __networkx_backend__ = "cc_rapids"

    def __init__(
        self,
        nodes: list[Any],
        src: Positions,
        dst: Positions,
        *,
        directed: bool = False,
        attributes: Any = None,
        parallel: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        self.nodes, self.src, self.dst, self._directed = nodes, src, dst, directed
        self.attributes, self._parallel = attributes, parallel

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: Hashable) -> bool:
        return node in self.position_of

    def __repr__(self) -> str:
        kind = "directed" if self._directed else "undirected"
        return f"<Graph of cc_rapids: {len(self):,} nodes, {kind}>"

    def is_directed(self) -> bool:
        """Return whether the graph is directed."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Return whether edges have keys; without attributes, parallel edges are merged."""
        return self.attributes is not None and bool(self.attributes.kind().is_multigraph())

    @property
    def with_attributes(self) -> Graph:
        """The graph itself if it has attributes, otherwise a copy with empty attributes."""
        if self.attributes is not None:
            return self
        return convert_from_nx(convert_to_nx(self), preserve_edge_attrs=True)

    @cached_property
    def position_of(self) -> dict[Any, int]:
        """The position of each node in ``nodes``."""
        return {node: position for position, node in enumerate(self.nodes)}

    @cached_property
    def solved(self) -> tuple[int, Any]:
        """The number of components, and the component of each node.

        Components are numbered in the order of their first nodes.
        """
        edges, engine = (self.src, self.dst), nx.config.backends.cc_rapids.engine
        result = components(edges, num_vertices=len(self), engine=engine)
        return len(result), result.labels("dense").labels

    @cached_property
    def is_bipartite(self) -> bool:
        """True if the graph is bipartite."""
        edges, engine = (self.src, self.dst), nx.config.backends.cc_rapids.engine
        return bool(has_two_colors(edges, num_vertices=len(self), engine=engine))

    @cached_property
    def bridges(self) -> tuple[Positions, Positions]:
        """The positions of both ends of each bridge, in the order of NetworkX's edges."""
        ends = [side.astype(np.int64) for side in (self.src, self.dst)]
        lower, upper = np.minimum(*ends), np.maximum(*ends)
        codes = lower * len(self) + upper  # one integer per edge, the same in both directions
        _, first_rows, counts = np.unique(codes, return_index=True, return_counts=True)
        engine = nx.config.backends.cc_rapids.engine
        distinct_edges = lower[first_rows], upper[first_rows]
        candidates = bridges_of(distinct_edges, num_vertices=len(self), engine=engine).row
        # Parallel edges are no bridges. A graph with attributes lists each edge once, so an edge
        # whose pair of nodes occurs again is parallel
        if self.attributes is not None:
            candidates = candidates[counts[candidates] == 1]
        rows = first_rows[candidates]
        if self._parallel is not None:
            rows = rows[~self._parallel[rows]]
        # NetworkX orders edges by the lower node, and the edges of a node by their rows
        rows = rows[np.lexsort((rows, lower[rows]))]
        return lower[rows], upper[rows]

    @cached_property
    def articulation_points(self) -> list[int]:
        """The positions of the articulation points, in ascending order."""
        edges, engine = (self.src, self.dst), nx.config.backends.cc_rapids.engine
        points = articulation_points_of(edges, num_vertices=len(self), engine=engine)
        return list(points.vertex.tolist())

    @cached_property
    def grouped(self) -> tuple[list[Any], list[int]]:
        """The nodes sorted by component, and the position where each component starts."""
        count, labels = self.solved
        order = np.argsort(labels, kind="stable")
        nodes = np.fromiter(self.nodes, object, len(self))[order].tolist()
        return nodes, [0, *np.cumsum(np.bincount(labels, minlength=count)).tolist()]


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: dict[Any, Any] | None = None,
    preserve_edge_attrs: bool = False,
    **_: Any,
) -> Graph:
    """Convert a graph or view of NetworkX to a :class:`Graph`.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        The graph. Its node objects are not copied.
    edge_attrs, preserve_edge_attrs
        The edge attributes that NetworkX requests. If any attribute is requested, the result refers
        to all attribute dictionaries of the graph.
    **_
        Requests for attributes of nodes and of the graph. They are kept if edge attributes are.

    Examples
    --------
    >>> import networkx as nx
    >>> convert_from_nx(nx.DiGraph([("a", "b")]))
    <Graph of cc_rapids: 2 nodes, directed>
    """
    adjacency = dict(graph.adjacency())  # .adj would wrap every row
    nodes, rows = list(adjacency), list(adjacency.values())  # a row has the neighbours of a node
    parallel = None
    if graph.is_multigraph() and not graph.is_directed():  # directed graphs have no bridges
        edge_groups = chain.from_iterable(row.values() for row in rows)
        parallel = np.fromiter((len(edges_by_key) > 1 for edges_by_key in edge_groups), bool)
    if hasattr(graph, "_graph"):
        # A view does not notice changes of its graph, so NetworkX must not cache the converted view
        graph.__networkx_cache__ = None
        rows = list(map(list, rows))  # len() of a filtered row may count filtered items, too
    if edge_attrs or preserve_edge_attrs:
        attributes = Attributes.of(graph)
        sources, targets = ([edge[side] for edge in attributes.edges] for side in (0, 1))
        src = _positions(nodes, [sources], len(sources))
        dst = _positions(nodes, [targets], len(targets))
        return Graph(nodes, src, dst, directed=graph.is_directed(), attributes=attributes)
    degrees = np.fromiter(map(len, rows), np.int64, len(rows))
    src = np.repeat(np.arange(len(nodes)), degrees)
    dst = _positions(nodes, rows, src.size)
    return Graph(nodes, src, dst, directed=graph.is_directed(), parallel=parallel)


def _positions(nodes: list[Any], rows: list[Iterable[Any]], size: int) -> Positions:
    """Return the position in ``nodes`` of each neighbour in the rows, ``size`` in all.

    Nodes that are integers or have distinct hashes are looked up in arrays, others in a dictionary.
    """
    if set(map(type, nodes)) == {int}:
        with suppress(OverflowError, TypeError):  # too many bits, or a neighbour like 1 + 0j
            ids = np.fromiter(nodes, np.int64, len(nodes))
            return _index_in(ids, np.fromiter(chain.from_iterable(rows), np.int64, size))
    hashes = np.fromiter(map(hash, nodes), np.int64, len(nodes))
    neighbours = chain.from_iterable(rows)
    ordered = np.sort(hashes)
    if (ordered[1:] != ordered[:-1]).all():  # distinct, so that equal hashes mean equal nodes
        return _index_in(hashes, np.fromiter(map(hash, neighbours), np.int64, size))
    position_of = {node: k for k, node in enumerate(nodes)}
    return np.fromiter(map(position_of.__getitem__, neighbours), np.int64, size)


def _index_in(distinct: Positions, numbers: Positions) -> Positions:
    """Return the position of each of ``numbers`` in ``distinct``."""
    if np.array_equal(distinct, np.arange(distinct.size)):  # each number is its own position
        return numbers
    import pyarrow as pa
    import pyarrow.compute as pc

    positions: Positions = pc.index_in(pa.array(numbers), value_set=pa.array(distinct)).to_numpy()
    return positions.astype(np.int64)


def convert_to_nx(obj: Any, **_: Any) -> Any:
    """Convert a :class:`Graph` to a graph of NetworkX; return any other object unchanged.

    NetworkX also passes answers of functions, which are plain Python objects. A graph without
    attributes has no parallel edges.
    """
    if not isinstance(obj, Graph):
        return obj
    if obj.attributes is not None:
        return obj.attributes.graph_of(obj.attributes.edges)
    graph = nx.DiGraph() if obj.is_directed() else nx.Graph()
    graph.add_nodes_from(obj.nodes)
    name = obj.nodes.__getitem__
    graph.add_edges_from(zip(map(name, obj.src), map(name, obj.dst), strict=True))
    return graph
