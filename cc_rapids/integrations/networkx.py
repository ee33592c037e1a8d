"""The NetworkX backend ``cc_rapids``: components, sides, bridges, and spanning trees by weight.

>>> import networkx as nx
>>> nx.number_connected_components(nx.path_graph(5), backend="cc_rapids")
1

NetworkX's dictionaries are converted once, to two arrays of positions in the list of nodes.
NetworkX caches the resulting :class:`Graph` until its own graph changes, and the Graph caches its
answer. The conversion takes most of the time, also on threads.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from inspect import signature
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..api import bridges as bridges_of
from ..api import components
from ..api import is_bipartite as has_two_colors
from ..tuning import tuning
from .networkx_trees import (
    Attributes,
    maximum_spanning_edges,
    maximum_spanning_tree,
    minimum_spanning_edges,
    minimum_spanning_tree,
)

Places = npt.NDArray[np.int64]

# Where NetworkX may be done early; is_connected may, too, but by connected_components
EARLY = {
    "node_connected_component": "walks one component",
    "is_bipartite": "stops at the first odd cycle",
}
FROM_ROOT = "walks one component"  # bridges and has_bridges of a root

TREES = {
    function.__name__: function
    for function in (
        minimum_spanning_edges,
        maximum_spanning_edges,
        minimum_spanning_tree,
        maximum_spanning_tree,
    )
}

# From benchmarks/records/networkx_gain.jsonl: within both, no kind of graph loses a tenth by being
# converted, and most gain; a graph that is converted already is always taken
DENSEST = 20  # neighbours a node: NetworkX leaves off once it has met all nodes


class Graph:
    """An immutable graph: nodes, and edges between their positions.

    Parameters
    ----------
    nodes : list of hashables
        Distinct nodes. The list and the arrays are kept, not copied.
    src, dst : (m,) arrays of integers
        The positions of both ends of each edge in ``nodes``. Undirected edges may be there once, or
        in both directions, and parallel edges are one edge.
    directed : bool
        Whether NetworkX's functions for directed graphs accept it, or those for undirected ones.
    attributes : Attributes, optional
        Those of the graph that it was made of; then the arrays are of its edges in their order.
    parallel : (m,) array of bool, optional
        Whether each edge stands for several of a multigraph, and so is no bridge.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> graph = Graph(["a", "b", "c"], np.array([0]), np.array([2]))
    >>> list(map(sorted, nx.connected_components(graph)))
    [['a', 'c'], ['b']]
    """

    __networkx_backend__ = "cc_rapids"

    def __init__(
        self,
        nodes: list[Any],
        src: Places,
        dst: Places,
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
        return node in self._place

    def __repr__(self) -> str:
        kind = "directed" if self._directed else "undirected"
        return f"<Graph of cc_rapids: {len(self):,} nodes, {kind}>"

    def is_directed(self) -> bool:
        """Return whether the graph is directed."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Return whether there are keys of parallel edges; without attributes they are merged."""
        return self.attributes is not None and bool(self.attributes.kind().is_multigraph())

    @property
    def _with_attributes(self) -> Graph:
        """The graph, or one of its edges as NetworkX orders them, without attributes."""
        if self.attributes is not None:
            return self
        return convert_from_nx(convert_to_nx(self), preserve_edge_attrs=True)

    @cached_property
    def _place(self) -> dict[Any, int]:
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def _solved(self) -> tuple[int, Any]:
        """The number of components, and the component of each node, in the order of first nodes."""
        import networkx as nx

        engine = nx.config.backends.cc_rapids.engine
        found = components((self.src, self.dst), num_vertices=len(self), engine=engine)
        return len(found), found.labels("dense").labels

    @cached_property
    def _is_bipartite(self) -> bool:
        """True if no cycle has an odd number of edges."""
        import networkx as nx

        engine = nx.config.backends.cc_rapids.engine
        edges = self.src, self.dst
        return bool(has_two_colors(edges, num_vertices=len(self), engine=engine))

    @cached_property
    def _bridges(self) -> tuple[Places, Places]:
        """The places of both ends of each bridge, in the order of NetworkX's edges."""
        import networkx as nx

        ends = [side.astype(np.int64) for side in (self.src, self.dst)]
        lower, upper = np.minimum(*ends), np.maximum(*ends)
        keys = lower * len(self) + upper
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        engine = nx.config.backends.cc_rapids.engine
        once = lower[first], upper[first]
        found = bridges_of(once, num_vertices=len(self), engine=engine).row
        if self.attributes is not None:  # each edge is listed once, so that these are parallel
            found = found[counts[found] == 1]
        rows = first[found]
        if self._parallel is not None:
            rows = rows[~self._parallel[rows]]
        rows = rows[np.lexsort((rows, lower[rows]))]
        return lower[rows], upper[rows]

    @cached_property
    def _grouped(self) -> tuple[list[Any], list[int]]:
        """The nodes in the order of their components, and where each component starts."""
        count, labels = self._solved
        order = np.argsort(labels, kind="stable")
        nodes = np.fromiter(self.nodes, object, len(self))[order].tolist()
        return nodes, [0, *np.cumsum(np.bincount(labels, minlength=count)).tolist()]


def connected_components(G: Graph) -> Iterator[set[Any]]:  # noqa: N803 (NetworkX's name)
    """Yield a new set of nodes for each component, in the order of their first nodes.

    Parameters
    ----------
    G : Graph

    Yields
    ------
    set
        Of the very objects that the graph was made of.
    """
    nodes, starts = G._grouped
    for first, last in pairwise(starts):
        yield set(nodes[first:last])


def number_connected_components(G: Graph) -> int:  # noqa: N803
    """Return the number of components.

    Parameters
    ----------
    G : Graph

    Returns
    -------
    int
    """
    return G._solved[0]


def is_connected(G: Graph) -> bool:  # noqa: N803
    """Return whether there is one component.

    Parameters
    ----------
    G : Graph

    Returns
    -------
    bool

    Raises
    ------
    networkx.NetworkXPointlessConcept
        The graph has no nodes.
    """
    if not len(G):
        import networkx as nx

        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G) == 1


def node_connected_component(G: Graph, n: Hashable) -> set[Any]:  # noqa: N803
    """Return a new set of the nodes in the component of a node.

    Parameters
    ----------
    G : Graph
    n : hashable
        A node.

    Returns
    -------
    set
        Of the very objects that the graph was made of.

    Raises
    ------
    KeyError
        The node is not in the graph.
    """
    place = G._place[n]
    nodes, starts = G._grouped
    component = int(G._solved[1][place])
    return set(nodes[starts[component] : starts[component + 1]])


def is_bipartite(G: Graph) -> bool:  # noqa: N803
    """Return whether the nodes have two colours, so that no edge joins nodes of one.

    Parameters
    ----------
    G : Graph

    Returns
    -------
    bool
    """
    return G._is_bipartite


def bridges(G: Graph, root: Hashable = None) -> Iterator[tuple[Any, Any]]:  # noqa: N803
    """Yield the bridges, in the order of the edges of NetworkX's graph.

    With a root, NetworkX's own order is that of a set, and so is the direction of its edges.

    Parameters
    ----------
    G : Graph
    root : hashable, optional
        A node: only the bridges in its component are yielded.

    Yields
    ------
    tuple
        The two nodes of an edge, first the one that comes first in the graph.

    Raises
    ------
    networkx.NodeNotFound
        The root is not in the graph.
    """
    lower, upper = G._bridges if root is None else _bridges_around(G, root)
    name = G.nodes.__getitem__
    yield from zip(map(name, lower.tolist()), map(name, upper.tolist()), strict=True)


def _bridges_around(graph: Graph, root: Hashable) -> tuple[Places, Places]:
    """Return the places of both ends of each bridge in the component of a node."""
    try:
        place = graph._place[root]
    except (KeyError, TypeError):  # NetworkX looks for nodes that have no hash, too
        import networkx as nx

        raise nx.NodeNotFound(f"Root node {root} is not in graph") from None
    labels = graph._solved[1]
    lower, upper = graph._bridges
    within = labels[lower] == labels[place]
    return lower[within], upper[within]


def has_bridges(G: Graph, root: Hashable = None) -> bool:  # noqa: N803
    """Return whether there is a bridge.

    Parameters
    ----------
    G : Graph
    root : hashable, optional
        As for :func:`bridges`.

    Returns
    -------
    bool

    Raises
    ------
    networkx.NodeNotFound
        The root is not in the graph.
    """
    return any(True for _ in bridges(G, root))


# NetworkX has looked at the direction before it calls one of these, and here it does not matter
weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: dict[Any, Any] | None = None,
    preserve_edge_attrs: bool = False,
    **_: Any,
) -> Graph:
    """Return a :class:`Graph` of NetworkX's graph, or of a view of one.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Its nodes are not copied.
    edge_attrs, preserve_edge_attrs
        The attributes of edges that NetworkX requests. With any, all attributes are kept, as the
        dictionaries that they are in.
    **_
        What else NetworkX requests, which is kept with these.

    Examples
    --------
    >>> import networkx as nx
    >>> convert_from_nx(nx.DiGraph([("a", "b")]))
    <Graph of cc_rapids: 2 nodes, directed>
    """
    adjacency = graph._adj  # what NetworkX's own search walks; .adj would wrap every row
    nodes, rows = list(adjacency), list(adjacency.values())
    parallel = None
    if graph.is_multigraph() and not graph.is_directed():
        keys = chain.from_iterable(row.values() for row in rows)
        parallel = np.fromiter((len(several) > 1 for several in keys), bool)
    if hasattr(graph, "_graph"):
        # A view is not told when its graph changes, so NetworkX would keep it converted for ever
        graph.__networkx_cache__ = None
        rows = list(map(list, rows))  # the length of a filtered row may count more than it has
    if edge_attrs or preserve_edge_attrs:
        held = Attributes.of(graph)
        ends = ([edge[side] for edge in held.edges] for side in (0, 1))
        src, dst = (_places(nodes, [side], len(side)) for side in ends)
        return Graph(nodes, src, dst, directed=graph.is_directed(), attributes=held)
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    src = np.repeat(np.arange(len(nodes)), sizes)
    dst = _places(nodes, rows, src.size)
    return Graph(nodes, src, dst, directed=graph.is_directed(), parallel=parallel)


def _places(nodes: list[Any], rows: list[Iterable[Any]], size: int) -> Places:
    """Return the position of each neighbour among the nodes, by unique integers of nodes."""
    if set(map(type, nodes)) == {int}:
        with suppress(OverflowError, TypeError):  # beyond 64 bits, or of a type that only equals
            ids = np.fromiter(nodes, np.int64, len(nodes))
            return _matched(ids, np.fromiter(chain.from_iterable(rows), np.int64, size))
    hashes = np.fromiter(map(hash, nodes), np.int64, len(nodes))
    neighbours = chain.from_iterable(rows)
    ordered = np.sort(hashes)
    if (ordered[1:] != ordered[:-1]).all():  # then equal hashes mean equal nodes
        return _matched(hashes, np.fromiter(map(hash, neighbours), np.int64, size))
    place = {node: k for k, node in enumerate(nodes)}
    return np.fromiter(map(place.__getitem__, neighbours), np.int64, size)


def _matched(distinct: Places, numbers: Places) -> Places:
    """Return the position of each number among distinct ones."""
    if np.array_equal(distinct, np.arange(distinct.size)):
        return numbers
    import pyarrow as pa
    import pyarrow.compute as pc

    found: Places = pc.index_in(pa.array(numbers), value_set=pa.array(distinct)).to_numpy()
    return found.astype(np.int64)


def convert_to_nx(obj: Any, **_: Any) -> Any:
    """Return NetworkX's graph of a :class:`Graph`; anything else as it is.

    Without attributes, there are no parallel edges.

    Parameters
    ----------
    obj : Graph or any other object
        NetworkX also asks about answers, which are plain Python objects.

    Returns
    -------
    networkx.Graph or networkx.DiGraph, or ``obj``
    """
    if not isinstance(obj, Graph):
        return obj
    import networkx as nx

    if (held := obj.attributes) is not None:
        graph = held.kind()
        graph.graph.update(held.graph)
        graph.add_nodes_from(held.nodes)
        graph.add_edges_from(held.edges)
        return graph
    graph = nx.DiGraph() if obj.is_directed() else nx.Graph()
    graph.add_nodes_from(obj.nodes)
    name = obj.nodes.__getitem__
    graph.add_edges_from(zip(map(name, obj.src), map(name, obj.dst), strict=True))
    return graph


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True if answers are those of NetworkX to the letter, otherwise the reason.

    Parameters
    ----------
    name : str
        The function.
    args, kwargs
        Its arguments, the graph not converted yet.

    Returns
    -------
    True, or str

    Examples
    --------
    >>> import networkx as nx
    >>> can_run("minimum_spanning_tree", (nx.path_graph(5),), {"algorithm": "prim"})
    "algorithm='prim' takes other edges of equal weight, in another order, than 'kruskal'"
    """
    if name not in TREES:
        return True
    asked = signature(TREES[name]).bind(*args, **kwargs)
    asked.apply_defaults()
    if (algorithm := asked.arguments["algorithm"]) != "kruskal":
        return f"{algorithm=} takes other edges of equal weight, in another order, than 'kruskal'"
    if asked.arguments["weight"] is None:
        return "NetworkX asks for no attributes with weight=None, and so for no keys of edges"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True if the backend is faster than NetworkX for a graph, otherwise the reason.

    Parameters
    ----------
    name : str
        The function.
    args, kwargs
        Its arguments, the graph not converted yet.

    Returns
    -------
    True, or str

    Examples
    --------
    >>> import networkx as nx
    >>> should_run("connected_components", (nx.path_graph(5),), {})
    '5 nodes take NetworkX no longer than a conversion, which gains from 100,000'
    """
    graph = args[0] if args else kwargs["G"]
    converted = getattr(graph, "__networkx_cache__", None) or {}
    if "cc_rapids" in converted.get("backends", {}):
        return True
    if name in EARLY:
        return f"NetworkX {EARLY[name]}, and a conversion walks every edge"
    if (*args[1:], kwargs.get("root"))[0] is not None:
        return f"NetworkX {FROM_ROOT}, and a conversion walks every edge"
    n = len(graph)
    least = tuning.networkx_nodes
    if n < least:
        return f"{n:,} nodes take NetworkX no longer than a conversion, which gains from {least:,}"
    if name in TREES:  # NetworkX sorts all edges, and looks at each
        return True
    if (size := sum(map(len, graph._adj.values()))) > DENSEST * n:
        return (
            f"{size / n:.0f} neighbours a node are converted, and NetworkX stops once it has met"
            f" all nodes: a conversion gains up to {DENSEST}"
        )
    return True
