"""The NetworkX backend: NetworkX's own suite, and NetworkX as the oracle of every answer."""

from fractions import Fraction
from itertools import pairwise
from types import GeneratorType

import networkx as nx
import numpy as np
import pytest

from cc_rapids import EngineError
from cc_rapids.integrations import networkx as backend

UNDIRECTED = ("connected_components", "number_connected_components", "is_connected")
DIRECTED = (
    "weakly_connected_components",
    "number_weakly_connected_components",
    "is_weakly_connected",
)
TREES = {f"{side}_spanning_{what}" for side in ("minimum", "maximum") for what in ("edges", "tree")}
BRIDGES = ("bridges", "has_bridges")
FUNCTIONS = {*UNDIRECTED, *DIRECTED, *TREES, *BRIDGES}
FUNCTIONS |= {
    "partition_spanning_tree",
    "articulation_points",
    "node_connected_component",
    "is_bipartite",
}
OURS = {"backend": "cc_rapids"}


@pytest.fixture(autouse=True)
def _reuse_without_a_warning(monkeypatch):
    """NetworkX warns whenever it takes a graph that is converted already."""
    monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"})


def agree(graph, theirs=None):
    """Every function gives what NetworkX gives; in its order, and fresh."""
    theirs = graph if theirs is None else theirs
    names = DIRECTED if theirs.is_directed() else UNDIRECTED
    every, number, one = (getattr(nx, name) for name in names)
    expected = list(every(theirs, backend="networkx"))
    assert list(every(graph, **OURS)) == expected
    found = number(graph, **OURS)
    assert type(found) is int
    assert found == len(expected)
    assert nx.is_bipartite(graph, **OURS) is nx.is_bipartite(theirs, backend="networkx")
    if not theirs.is_directed():
        agree_on_bridges(graph, theirs, [next(iter(part)) for part in expected])
        points = set(nx.articulation_points(theirs, backend="networkx"))
        assert list(nx.articulation_points(graph, **OURS)) == [v for v in theirs if v in points]
    if expected:
        assert one(graph, **OURS) is (len(expected) == 1)
        if not theirs.is_directed():
            for part in expected:
                assert nx.node_connected_component(graph, next(iter(part)), **OURS) == part
        return
    for options in ({"backend": "networkx"}, OURS):
        with pytest.raises(nx.NetworkXPointlessConcept, match="undefined for the null graph"):
            one(graph if options is OURS else theirs, **options)


def agree_on_bridges(graph, theirs, roots):
    """Bridges are NetworkX's, in its order; those of a root too, whose order is that of a set."""
    expected = list(nx.bridges(theirs, backend="networkx"))
    assert list(nx.bridges(graph, **OURS)) == expected
    assert nx.has_bridges(graph, **OURS) is (expected != [])
    for root in roots:
        if root is not None:
            own = [set(edge) for edge in nx.bridges(theirs, root, backend="networkx")]
            found = [set(edge) for edge in nx.bridges(graph, root=root, **OURS)]
            assert len(found) == len(own)
            assert all(edge in own for edge in found)
            assert nx.has_bridges(graph, root, **OURS) is (own != [])


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        ([], []),
        ([0], []),
        ([0], [(0, 0)]),
        ([3, 1, 2], []),
        ([3, 1, 2], [(2, 1)]),
        ([], [(0, 1), (1, 0), (0, 1), (5, 5), (7, 6)]),
        (["b", ("a", 1), frozenset("x")], [("b", 7), (("a", 1), 2.5)]),
    ],
)
def test_answers_are_networkxs(kind, nodes, edges, engine):
    graph = kind()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    with nx.config.backends.cc_rapids(engine=engine):
        agree(graph)
        agree(backend.convert_from_nx(graph), graph)


class Named:
    """Equal to another by its name, and so of one hash with it."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Named | int) and hash(self) == hash(other)

    def __hash__(self):
        return hash(self.name)


@pytest.mark.parametrize(
    "nodes",
    [
        range(6),
        [10, 3, -1, -2, 1 << 62, -(1 << 63)],  # -1 and -2 have one hash
        [1 << 63, 1 << 64, (1 << 64) - 1, -(1 << 70), 0, 1],  # beyond 64 bits
        [-1.0, -2.0, 0.5, float("inf"), float("nan"), 3.0],  # one hash for two
        [True, 0, 2, 3, 4, 5],
        [(1 << 61) - 1, "0", 0.5, 0, (), ""],  # hash 0 for three of them
        [Named("a"), Named("b"), Named("c"), "a", "b", 1],
    ],
    ids=lambda nodes: str(nodes[0]) if not isinstance(nodes[0], Named) else "own class",
)
def test_nodes_of_every_kind_are_told_apart_and_come_back_themselves(nodes):
    graph = nx.Graph()
    graph.add_nodes_from(reversed(nodes))
    graph.add_edges_from(pairwise(nodes[:4]))
    agree(graph)
    own = {id(node) for node in graph}
    parts = list(nx.connected_components(graph, **OURS))
    assert sorted(map(len, parts)) == [1, 1, 4]
    assert {id(node) for part in parts for node in part} == own
    assert {id(node) for node in nx.node_connected_component(graph, nodes[0], **OURS)} <= own


@pytest.mark.parametrize("other", [1.0, True, Fraction(1), np.int64(1), 1 + 0j, Named(1)])
def test_an_edge_may_name_a_node_by_its_equal(other):
    for nodes in (range(4), [5, 1, 9, 7]):
        graph = nx.Graph()
        graph.add_nodes_from(nodes)
        graph.add_edge(nodes[3], other)
        assert len(graph) == 4
        agree(graph)
        part = nx.node_connected_component(graph, nodes[3], **OURS)
        assert sorted(map(type, part), key=str) == [int, int]


def test_the_sets_are_generated_and_fresh():
    graph = nx.Graph([("a", "b"), ("c", "d")])
    found = nx.connected_components(graph, **OURS)
    assert isinstance(found, GeneratorType)
    next(found).clear()
    nx.node_connected_component(graph, "c", **OURS).clear()
    agree(graph)


@pytest.mark.parametrize("make", [lambda graph: graph, backend.convert_from_nx])
def test_the_other_direction_is_refused_as_networkx_does(make):
    for kind, names in (
        (nx.DiGraph, [*UNDIRECTED, *BRIDGES, "node_connected_component", "articulation_points"]),
        (nx.MultiDiGraph, [*UNDIRECTED, *BRIDGES, "articulation_points"]),
        (nx.Graph, DIRECTED),
    ):
        for name in names:
            more = (0,) if name.startswith("node") else ()
            with pytest.raises(nx.NetworkXNotImplemented, match=r"not implemented for \w+ type"):
                getattr(nx, name)(make(kind([(0, 1)])), *more, **OURS)


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("edges", [[], [(0, 1)]])
def test_a_missing_node_is_a_key_error(kind, edges):
    for options in ({"backend": "networkx"}, OURS):
        with pytest.raises(KeyError) as raised:
            nx.node_connected_component(kind(edges), 9, **options)
        assert raised.value.args == (9,)
        with pytest.raises(TypeError, match="unhashable"):
            nx.node_connected_component(kind(edges), [], **options)


def test_bridges_are_generated_and_their_root_has_to_be_a_node():
    graph = nx.MultiGraph([("b", "a"), ("b", "c"), ("c", "b"), ("d", "c")])
    found = nx.bridges(graph, **OURS)
    assert isinstance(found, GeneratorType)
    assert list(found) == [("b", "a"), ("c", "d")]
    for options in ({"backend": "networkx"}, OURS):
        for root in ("x", []):
            found = nx.bridges(graph, root, **options)
            for call in (
                lambda found=found: next(found),
                lambda root=root, options=options: nx.has_bridges(graph, root, **options),
            ):
                with pytest.raises(nx.NodeNotFound) as raised:
                    call()
                assert str(raised.value) == f"Root node {root} is not in graph"
    converted = backend.convert_from_nx(graph)
    with pytest.raises(nx.NodeNotFound):
        backend.has_bridges(converted, "x")
    assert not {"bridges", "solved"} & vars(converted).keys()  # nothing has been computed


def test_bridges_of_edges_that_are_given_once_or_twice():
    ends = np.array([2, 0, 3], np.uint8), np.array([0, 2, 1], np.uint8)
    graph = backend.Graph(list("abcd"), *ends)
    assert list(nx.bridges(graph)) == [("a", "c"), ("b", "d")]


def test_parallel_edges_are_no_bridges_in_a_graph_with_attributes():
    graph = nx.MultiGraph([("b", "a"), ("b", "c"), ("c", "b"), ("d", "c")])
    held = backend.convert_from_nx(graph, preserve_edge_attrs=True)
    assert list(nx.bridges(held)) == list(nx.bridges(graph, backend="networkx"))
    held = backend.convert_from_nx(nx.Graph(graph), preserve_edge_attrs=True)
    assert list(nx.bridges(held)) == list(nx.bridges(nx.Graph(graph), backend="networkx"))


def test_a_view_follows_its_graph():
    graph = nx.path_graph(8)
    views = [graph.subgraph(range(5)), nx.subgraph_view(graph, filter_edge=lambda u, v: u + v != 3)]
    for edge in ((2, 3), (3, 4), (6, 7)):
        for view in views:
            agree(view)
        graph.remove_edge(*edge)
    for view in views:
        agree(view)


def test_edges_may_be_given_once_as_places():
    graph = backend.Graph(list("abcd"), np.array([3], np.uint8), np.array([1], np.uint8))
    assert list(nx.connected_components(graph)) == [{"a"}, {"b", "d"}, {"c"}]
    assert repr(graph) == "<Graph of cc_rapids: 4 nodes, undirected>"


def test_an_engine_that_is_not_there_is_an_error_in_words():
    with (
        nx.config.backends.cc_rapids(engine="tpu"),
        pytest.raises(EngineError, match="'tpu'"),
    ):
        nx.number_connected_components(nx.path_graph(3), **OURS)
