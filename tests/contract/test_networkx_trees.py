"""Spanning trees of NetworkX's backend: edges, order, attributes and errors of NetworkX's own."""

from fractions import Fraction
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_networkx import OURS, _reuse_without_a_warning
from test_networkx_properties import quick

from cc_rapids.integrations import networkx as backend

__all__ = ["_reuse_without_a_warning"]  # a fixture for every test here

THEIRS = {"backend": "networkx"}
EDGES = (nx.minimum_spanning_edges, nx.maximum_spanning_edges)
TREES = (nx.minimum_spanning_tree, nx.maximum_spanning_tree)
NAN = float("nan")

# Weights as users mix them: each list is drawn from by itself, as NetworkX must compare them
WEIGHTS = [
    st.integers(-2, 2),
    st.sampled_from([0.0, -0.0, 1.5, float("inf"), -float("inf"), NAN]),
    st.booleans(),
    st.sampled_from([1, 1.5, 2**53, 2.0**53, 2**53 + 1, NAN]),
    st.sampled_from([Fraction(1, 3), 10**30, -(10**30), 2]),
    st.sampled_from([np.float32(1.5), np.float64(1.5), np.int64(1), np.uint64(2**64 - 1)]),
]


def agree(graph, theirs=None, **options):
    """Every function gives what NetworkX gives, in its order, with its attributes."""
    theirs = graph if theirs is None else theirs
    for function, keys, data in product(EDGES, (True, False), (True, False)):
        asked = options | {"keys": keys, "data": data}
        found = list(function(graph, **asked, **OURS))
        assert found == list(function(theirs, **asked, **THEIRS))
    for function in TREES:
        found, expected = function(graph, **options, **OURS), function(theirs, **options, **THEIRS)
        assert type(found) is type(expected)
        assert found.graph == expected.graph
        assert list(found.nodes.items()) == list(expected.nodes.items())
        assert list(found.edges(data=True)) == list(expected.edges(data=True))
        assert found.adj == expected.adj


@st.composite
def graphs(draw):
    graph = draw(st.sampled_from([nx.Graph, nx.MultiGraph]))(name="some")
    weights = draw(st.sampled_from(WEIGHTS))
    graph.add_nodes_from(draw(st.lists(st.integers(0, 6))), color="red")
    for edge in draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20)):
        graph.add_edge(*edge, **draw(st.sampled_from([{}, {"note": "x"}])))
        if draw(st.booleans()):
            graph.add_edge(*edge, weight=draw(weights))
    return graph


@pytest.mark.slow
@quick
@given(graphs())
def test_edges_and_trees_are_networkxs_to_the_letter(graph):
    agree(graph, ignore_nan=True)
    agree(backend.convert_from_nx(graph, preserve_edge_attrs=True), graph, ignore_nan=True)


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_attributes_are_the_graphs_own(kind):
    graph = kind([("a", "b"), ("c", "b")])
    for function in EDGES:
        found = {(u, v): d for u, v, *_, d in function(graph, **OURS)}
        for u, v, own in graph.edges(data=True):
            assert found[u, v] is own
    tree = nx.minimum_spanning_tree(graph, **OURS)
    tree.nodes["a"]["color"] = "red"
    assert graph.nodes["a"] == {}


def test_weights_that_change_in_place_count():
    graph = nx.cycle_graph(4)
    agree(graph)
    for u, v in graph.edges:
        graph.edges[u, v]["weight"] = -u
    agree(graph)
    agree(graph, weight="another")


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("other", [1.0, Fraction(1)])
def test_nan_is_refused_in_networkxs_words_when_edges_are_taken(kind, other):
    graph = kind()
    graph.add_edge(0, 1, weight=other)
    graph.add_edge(1, 2, weight=NAN)
    for function in EDGES:
        said = []
        for options in (THEIRS, OURS):
            found = function(graph, **options)
            with pytest.raises(ValueError, match="NaN found as an edge weight") as raised:
                next(found)
            said.append(str(raised.value))
        assert said[0] == said[1]
    agree(graph, ignore_nan=True)


@pytest.mark.parametrize("weights", [("a", "b"), (1, "a"), (None, 1)])
def test_what_has_no_order_is_a_type_error(weights):
    graph = nx.Graph()
    for k, weight in enumerate(weights):
        graph.add_edge(k, k + 1, weight=weight)
    for options in (THEIRS, OURS):
        with pytest.raises(TypeError):
            list(nx.minimum_spanning_edges(graph, **options))


def test_directed_graphs_are_refused_as_networkx_does():
    for kind, function in product((nx.DiGraph, nx.MultiDiGraph), (*EDGES, *TREES)):
        for options in (THEIRS, OURS):
            with pytest.raises(nx.NetworkXNotImplemented, match="not implemented for directed"):
                function(kind([(0, 1)]), **options)


@pytest.mark.parametrize("options", [{"algorithm": "prim"}, {"algorithm": []}, {"weight": None}])
def test_other_algorithms_stay_with_networkx(options):
    graph = nx.path_graph(3)
    for function in (*EDGES, *TREES):
        assert isinstance(backend.can_run(function.name, (graph,), options), str)
        assert backend.can_run(function.name, (), {"G": graph}) is True
        with pytest.raises(NotImplementedError):
            function(graph, **options, **OURS)


NODES = [range(9), [f"v{k}" for k in range(9)], [(k % 2, k << 40) for k in range(9)]]


@st.composite
def graphs_of_different_weights(draw):
    graph = draw(st.sampled_from([nx.Graph, nx.MultiGraph]))(name="some")
    nodes = draw(st.sampled_from(NODES))
    graph.add_nodes_from(draw(st.lists(st.sampled_from(nodes))), color="red")
    weights = draw(st.lists(st.one_of(st.integers(), st.floats()), unique=True, max_size=20))
    for weight in weights:
        graph.add_edge(draw(st.sampled_from(nodes)), draw(st.sampled_from(nodes)), weight=weight)
    return graph


@pytest.mark.slow
@quick
@given(graphs_of_different_weights())
def test_edges_of_different_weights_come_in_the_order_of_prim(graph):
    agree(graph, algorithm="prim", ignore_nan=True)
    held = backend.convert_from_nx(graph, preserve_edge_attrs=True)
    agree(held, graph, algorithm="prim", ignore_nan=True)


@quick
@given(graphs(), st.lists(st.sampled_from([None, *nx.EdgePartition]), min_size=60, max_size=60))
def test_edges_are_included_and_excluded_as_in_networkx(graph, states):
    for (*_, attributes), state in zip(graph.edges(data=True), states, strict=False):
        attributes["partition"] = state
    for given_, minimum in product((graph, nx.DiGraph(graph)), (True, False)):
        options = {"minimum": minimum, "ignore_nan": True}
        found = nx.partition_spanning_tree(given_, **options, **OURS)
        expected = nx.partition_spanning_tree(given_, **options, **THEIRS)
        assert list(found.edges(data=True)) == list(expected.edges(data=True))
        assert list(found.nodes.items()) == list(expected.nodes.items())
        assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("weights", "options", "taken"),
    [
        ([1, 2], {}, True),
        ([1, 1.0], {}, False),
        ([None, 1], {}, False),  # an edge without a weight has weight 1
        ([NAN, 2], {}, False),
        ([NAN, 2], {"ignore_nan": True}, True),
    ],
)
def test_prim_takes_edges_of_different_weights_alone(weights, options, taken):
    graph = nx.Graph()
    for k, weight in enumerate(weights):
        graph.add_edge(k, k + 1, **({} if weight is None else {"weight": weight}))
    found = backend.can_run("minimum_spanning_tree", (graph,), {"algorithm": "prim"} | options)
    assert found is True if taken else "other edges of equal weight" in found


def test_a_view_follows_its_graph():
    graph = nx.path_graph(8)
    view = nx.subgraph_view(graph, filter_edge=lambda u, v: u + v != 3)
    agree(view)
    graph.remove_edge(4, 5)
    agree(view)


def test_graphs_without_attributes_have_weights_of_one():
    graph = nx.gnm_random_graph(20, 60, seed=3)
    agree(backend.convert_from_nx(graph), graph)
    once = backend.Graph(list("abc"), np.array([2]), np.array([0]))
    assert list(nx.minimum_spanning_edges(once)) == [("a", "c", {})]


def test_attributes_go_back_to_networkx():
    graph = nx.MultiGraph([(0, 1), (1, 0)], name="some")
    graph.add_node("alone", color="red")
    ours = backend.convert_from_nx(graph, preserve_edge_attrs=True)
    assert ours.is_multigraph()
    assert nx.utils.graphs_equal(backend.convert_to_nx(ours), graph)
    assert list(nx.connected_components(ours)) == [{0, 1}, {"alone"}]


@pytest.mark.slow
def test_engines_agree(engine):
    graph = nx.gnm_random_graph(60, 200, seed=2)
    for k, (u, v) in enumerate(graph.edges):
        graph.edges[u, v]["weight"] = k * 37 % 11
    with nx.config.backends.cc_rapids(engine=engine):
        agree(graph)
