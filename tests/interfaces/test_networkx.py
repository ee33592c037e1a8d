"""The NetworkX backend: its own test suite, and its answers on graphs of every kind."""

import os
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_properties import quick

from cc_rapids.interfaces import networkx as backend
from cc_rapids.interfaces import networkx_info

BACKEND = {"backend": "cc_rapids"}
KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
NODES = [0, 1, -5, 2**70, "a", "b", ("a", 1), frozenset({1, 2}), 1.5, True, "", (), object()]

COUNTER = """
import atexit
from cc_rapids.interfaces import networkx as backend
from cc_rapids.interfaces.networkx_info import FUNCTIONS

calls = dict.fromkeys(FUNCTIONS, 0)

def counted(name, function):
    def call(*args, **kwargs):
        calls[name] += 1
        return function(*args, **kwargs)
    return call

for name in FUNCTIONS:
    setattr(backend, name, counted(name, getattr(backend, name)))
atexit.register(lambda: print("CALLS", calls))
"""


def test_the_suite_of_networkx(tmp_path):
    (tmp_path / "counter.py").write_text(COUNTER)
    own = {
        "NETWORKX_TEST_BACKEND": "cc_rapids",
        "NETWORKX_FALLBACK_TO_NX": "True",
        "PYTHONPATH": str(tmp_path),
    }
    root = str(Path(nx.__file__).parent)
    pytest_ = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "counter", "-q"]
    options = ["-c", os.devnull, "--rootdir", root, "--pyargs", "networkx.algorithms.components"]
    run = subprocess.run(
        [*pytest_, *options], env=os.environ | own, capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    assert int(re.search(r"(\d+) passed", run.stdout)[1]) >= 50
    calls = re.search(r"CALLS (.*)", run.stdout)[1]
    assert ": 0" not in calls, calls


@st.composite
def graphs(draw):
    """A graph of any kind, with isolated nodes, self-loops and parallel edges."""
    graph = draw(st.sampled_from(KINDS))()
    nodes = st.sampled_from(NODES)
    graph.add_nodes_from(draw(st.lists(nodes, max_size=6)))
    graph.add_edges_from(draw(st.lists(st.tuples(nodes, nodes), max_size=10)))
    return graph


def check(graph):
    """All functions for a graph of this kind, as NetworkX answers them."""
    weak = "weakly_" if graph.is_directed() else ""
    each = getattr(nx, f"{weak}connected_components")
    theirs, ours = list(each(graph)), list(each(graph, **BACKEND))
    assert ours == theirs
    assert all(type(part) is set for part in ours)
    identities = {id(node) for node in graph}
    assert all(id(node) in identities for part in ours for node in part)
    assert getattr(nx, f"number_{weak}connected_components")(graph, **BACKEND) == len(theirs)
    if len(graph):
        expected = len(theirs) == 1
        assert getattr(nx, f"is_{weak}connected")(graph, **BACKEND) is expected
    if not weak:
        for node in graph:
            mine = nx.node_connected_component(graph, node, **BACKEND)
            assert mine == nx.node_connected_component(graph, node)


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """No word of NetworkX's when it uses a graph that it has converted before."""
    monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"})


@quick
@given(graphs())
def test_graphs_of_every_kind(graph):
    check(graph)


@pytest.mark.parametrize("kind", KINDS)
def test_views_are_converted_as_they_show_themselves(kind):
    graph = kind(nx.path_graph(10))
    check(graph.subgraph([1, 2, 5, 9, 8]))
    check(nx.subgraph_view(graph, filter_node=lambda n: n != 4, filter_edge=lambda *e: 7 not in e))
    check(graph.reverse() if graph.is_directed() else graph.copy(as_view=True))


@pytest.mark.parametrize("kind", KINDS)
def test_the_null_graph(kind):
    weak = "weakly_" if kind().is_directed() else ""
    check(kind())
    with pytest.raises(nx.NetworkXPointlessConcept, match="undefined for the null graph"):
        getattr(nx, f"is_{weak}connected")(kind(), **BACKEND)


def test_the_wrong_kind_of_graph_is_refused_as_by_networkx():
    for name in networkx_info.FUNCTIONS:
        graph = nx.Graph() if "weakly" in name else nx.DiGraph()
        graph.add_edge(1, 2)
        more = [1] if name.startswith("node") else []
        with pytest.raises(nx.NetworkXNotImplemented):
            getattr(nx, name)(graph, *more, **BACKEND)


def test_a_missing_node_is_a_key_error():
    for missing in (7, "x"):
        with pytest.raises(KeyError):
            nx.node_connected_component(nx.path_graph(3), missing, **BACKEND)


def test_sets_are_fresh():
    graph = nx.path_graph(3)
    for part in nx.connected_components(graph, **BACKEND):
        part.clear()
    assert list(nx.connected_components(graph, **BACKEND)) == [{0, 1, 2}]


@pytest.fixture
def conversions(monkeypatch):
    """The graphs that were converted."""
    done = []
    real = backend.convert_from_nx

    def counted(graph, *args, **kwargs):
        done.append(graph)
        return real(graph, *args, **kwargs)

    monkeypatch.setattr(backend, "convert_from_nx", counted)
    return done


def test_a_graph_is_converted_once_and_again_when_it_has_changed(conversions):
    graph = nx.path_graph(5)
    for _ in range(3):
        assert nx.number_connected_components(graph, **BACKEND) == 1
        assert nx.is_connected(graph, **BACKEND)
    assert len(conversions) == 1
    graph.remove_edge(1, 2)
    assert nx.number_connected_components(graph, **BACKEND) == 2
    assert len(conversions) == 2


def test_small_graphs_are_declined_with_the_reason(monkeypatch):
    graph, cached = nx.path_graph(5), nx.path_graph(5)
    assert "5 nodes take less time" in backend.should_run("is_connected", (graph,), {})
    nx.is_connected(cached, **BACKEND)
    assert backend.should_run("is_connected", (cached,), {}) is True
    monkeypatch.setattr(backend, "LEAST_NODES", 3)
    assert backend.should_run("is_connected", (), {"G": graph}) is True
    words = nx.relabel_nodes(graph, str)
    assert "looking the nodes up" in backend.should_run("is_connected", (words,), {})
    assert "faster" in backend.should_run("node_connected_component", (graph, 1), {})
    assert backend.can_run("is_connected", (graph,), {}) is True
    assert backend.can_run("shortest_path", (graph,), {}) == "cc_rapids has no shortest_path"


def test_large_graphs_run_by_priority(monkeypatch, conversions):
    monkeypatch.setattr(nx.config.backend_priority, "algos", ["cc_rapids"])
    monkeypatch.setattr(backend, "LEAST_NODES", 4)
    assert nx.number_connected_components(nx.path_graph(3)) == 1
    assert conversions == []
    assert nx.number_connected_components(nx.path_graph(5)) == 1
    assert len(conversions) == 1


def test_a_converted_graph_stands_for_its_original():
    graph = nx.Graph([(1, 2, {"weight": 3})])
    own = backend.convert_from_nx(graph)
    assert list(nx.connected_components(own)) == [{1, 2}]
    assert backend.convert_to_nx(own) is graph
    assert backend.convert_to_nx([1]) == [1]


def test_the_information_imports_nothing():
    code = (
        "import sys; from cc_rapids.interfaces.networkx_info import get_info; get_info();"
        "print({'numba', 'numpy', 'networkx', 'cupy', 'cudf'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
    info = networkx_info.get_info()
    assert all(callable(getattr(backend, name)) for name in info["functions"])
