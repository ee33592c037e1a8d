"""What holds for every graph of NetworkX, its views, and after every change: NetworkX's answer."""

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_networkx import _reuse_without_a_warning, agree

__all__ = ["_reuse_without_a_warning"]  # a fixture for every test here

quick = settings(
    max_examples=60,
    deadline=None,  # the first example compiles for a second
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
SCALARS = st.integers(-3, 12) | st.integers() | st.text(max_size=2) | st.booleans()
HASHABLES = (
    SCALARS
    | st.floats()
    | st.tuples(SCALARS, SCALARS)
    | st.frozensets(SCALARS, max_size=2)
    | st.binary(max_size=1)
)
NODES = st.lists(st.integers(-3, 12) | st.integers(), max_size=12) | st.lists(
    HASHABLES, max_size=12
)


@st.composite
def graphs(draw):
    """A graph of any kind; some of its nodes have no edge, some have loops."""
    graph = draw(st.sampled_from(KINDS))()
    nodes = draw(NODES)
    graph.add_nodes_from(nodes)
    if nodes:
        node = st.sampled_from(nodes)
        graph.add_edges_from(draw(st.lists(st.tuples(node, node), max_size=15)))
    return graph


@st.composite
def views(draw, graph):
    """A view of a graph, or of a view of it."""
    nodes = list(graph)
    kept = draw(st.sets(st.sampled_from(range(len(nodes))))) if nodes else set()
    hidden = {id(node) for k, node in enumerate(nodes) if k not in kept}
    cut = draw(st.integers(0, 3))
    place = {node: k for k, node in enumerate(nodes)}
    makers = [
        lambda: graph.subgraph([nodes[k] for k in kept]),
        lambda: nx.subgraph_view(graph, filter_node=lambda node: id(node) not in hidden),
        lambda: nx.subgraph_view(
            graph, filter_edge=lambda u, v, *_: (place.get(u, 0) + place.get(v, 0)) % 4 != cut
        ),
        lambda: graph.to_undirected(as_view=True),
        lambda: graph.to_directed(as_view=True),
        lambda: nx.restricted_view(graph, [nodes[k] for k in kept], []),
    ]
    if graph.is_directed():
        makers.append(lambda: graph.reverse(copy=False))
    view = draw(st.sampled_from(makers))()
    return draw(views(view)) if draw(st.booleans()) else view


@st.composite
def changes(draw, graph):
    """Something that is done to a graph."""
    if not len(graph):
        return lambda: graph.add_edge("new", "other")
    u, v = (draw(st.sampled_from(list(graph))) for _ in range(2))
    cuts = [
        lambda: graph.remove_node(u),
        lambda: graph.add_node("new"),
        lambda: graph.add_edge(u, v),
        lambda: graph.add_edges_from([(u, "new"), (v, v)]),
        lambda: graph.remove_edges_from(list(graph.edges(u))),
    ]
    return draw(st.sampled_from(cuts))


@pytest.mark.slow
@quick
@given(st.data())
def test_every_graph(data):
    agree(data.draw(graphs()))


@pytest.mark.slow
@quick
@given(st.data())
def test_every_graph_after_every_change(data):
    graph = data.draw(graphs())
    agree(graph)
    for _ in range(data.draw(st.integers(1, 4))):
        data.draw(changes(graph))()
        agree(graph)


@pytest.mark.slow
@quick
@given(st.data())
def test_every_view_before_and_after_a_change_of_its_graph(data):
    graph = data.draw(graphs())
    view = data.draw(views(graph))
    agree(view)
    data.draw(changes(graph))()
    agree(view)
