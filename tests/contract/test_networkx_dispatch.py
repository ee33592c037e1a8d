"""How NetworkX meets the backend: entry points, its own suite, conversions, and when to decline."""

import logging
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import entry_points

import networkx as nx
import pytest
from test_networkx import DIRECTED, FUNCTIONS, OURS, UNDIRECTED, _reuse_without_a_warning, agree

from cc_rapids.integrations import networkx as backend
from cc_rapids.integrations import networkx_info

__all__ = ["_reuse_without_a_warning"]  # a fixture for every test here


@pytest.fixture
def conversions(monkeypatch):
    """The graphs that are converted from here on."""
    seen, convert = [], backend.convert_from_nx

    def counting(graph, **options):
        seen.append(graph)
        return convert(graph, **options)

    monkeypatch.setattr(backend, "convert_from_nx", counting)
    return seen


@pytest.fixture
def small(tuned):
    """A threshold that the graphs of a test pass."""
    tuned(networkx_nodes=4)


def test_networkx_finds_the_backend_and_its_functions():
    [door] = entry_points(group="networkx.backends", name="cc_rapids")
    assert door.load() is backend
    [info] = entry_points(group="networkx.backend_info", name="cc_rapids")
    assert info.load() is networkx_info.get_info
    assert set(networkx_info.get_info()["functions"]) == FUNCTIONS
    for name in FUNCTIONS:
        assert "cc_rapids" in nx.utils.backends._registered_algorithms[name].backends
        assert callable(getattr(backend, name))
        assert "cc_rapids : Connected components on CPU threads" in getattr(nx, name).__doc__


def test_the_backend_has_no_other_function_of_networkx():
    ours = {name for name in nx.utils.backends._registered_algorithms if hasattr(backend, name)}
    assert ours == FUNCTIONS


def test_what_networkx_reads_on_its_own_import_is_light():
    code = (
        "import sys; before = set(sys.modules)\n"
        "from importlib.metadata import entry_points\n"
        "[info] = entry_points(group='networkx.backend_info', name='cc_rapids')\n"
        "assert info.load()()['functions']\n"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) - sys.stdlib_module_names == {"cc_rapids"}


def test_importing_networkx_loads_neither_numba_nor_the_backend():
    code = "import sys, networkx; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert "cc_rapids.integrations.networkx_info" in loaded
    heavy = {"cudf", "cupy", "llvmlite", "numba", "numpy", "pyarrow"}
    assert loaded.isdisjoint({"cc_rapids.api", "cc_rapids.integrations.networkx", *heavy})


@pytest.mark.slow
def test_networkx_own_suite_passes_on_the_backend(tmp_path):
    """NetworkX's switch for backends converts every graph of its tests, whatever its size."""
    log = tmp_path / "log"
    options = (
        f"-q -p no:cacheprovider -c {os.devnull} --rootdir {tmp_path} --log-file {log}"
        " --log-file-level DEBUG --doctest-modules --pyargs networkx.algorithms.components"
        " networkx.algorithms.bipartite.basic networkx.algorithms.bipartite.tests.test_basic"
        " networkx.algorithms.tree.mst networkx.algorithms.tree.tests.test_mst"
        " networkx.algorithms.bridges networkx.algorithms.tests.test_bridges"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-m", "not slow", *options.split()],
        env=os.environ
        | {
            "NETWORKX_TEST_BACKEND": "cc_rapids",
            "NETWORKX_FALLBACK_TO_NX": "True",
            "PYTEST_ADDOPTS": "",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    # Nothing skipped, and nothing that the backend expects to fail
    words = r"(\d+) passed(, \d+ deselected)?(, \d+ warnings?)? in .*"
    summary = re.fullmatch(words, ran.stdout.splitlines()[-1])
    assert summary, ran.stdout
    assert int(summary[1]) >= 160
    used = Counter(re.findall(r"Using backend 'cc_rapids' for call to '(\w+)'", log.read_text()))
    assert set(used) == FUNCTIONS
    assert used.total() >= 59


def test_a_graph_is_converted_once_and_solved_once(conversions, caplog):
    caplog.set_level(logging.INFO, "cc_rapids.api")
    graph = nx.path_graph(8)
    for _ in range(3):
        agree(graph)
    assert conversions == [graph]
    solved, *others = caplog.messages
    assert len(others) == 3  # of is_bipartite, bridges and articulation_points
    assert " on threads: 1 components in " in solved


def test_a_change_converts_anew(conversions):
    graph = nx.path_graph(8)
    changes = [
        lambda: graph.remove_edge(3, 4),
        lambda: graph.add_edge(0, 7),
        lambda: graph.remove_node(7),
        lambda: graph.add_node("alone"),
        graph.clear_edges,
        graph.clear,
    ]
    agree(graph)
    for change in changes:
        change()
        agree(graph)
    assert len(conversions) == 1 + len(changes)


def test_small_graphs_stay_with_networkx(conversions, caplog):
    caplog.set_level(logging.DEBUG, "networkx.utils.backends")
    graph = nx.path_graph(5)
    with nx.config(backend_priority=["cc_rapids"]):
        assert nx.number_connected_components(graph) == 1
    assert conversions == []
    reason = "converting pays off from 100,000 nodes, but the graph has 5"
    assert reason in caplog.text


@pytest.mark.usefixtures("small")
def test_large_graphs_are_taken_and_then_every_function(conversions):
    graph = nx.path_graph(5)
    with nx.config(backend_priority=["cc_rapids"]):
        assert nx.node_connected_component(graph, 2) == set(range(5))
        assert conversions == []
        assert nx.number_connected_components(G=graph) == 1
        assert nx.is_connected(graph)
        assert nx.node_connected_component(graph, 3) == set(range(5))
    assert conversions == [graph]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("name", "graph", "reason"),
    [
        ("connected_components", nx.path_graph(3), "the graph has 3"),
        ("connected_components", nx.path_graph(4), None),
        (
            "connected_components",
            nx.complete_graph(22),
            "up to 20 neighbours per node, but the graph has 21",
        ),
        ("number_connected_components", nx.complete_graph(21), None),
        ("minimum_spanning_tree", nx.path_graph(3), "the graph has 3"),
        ("minimum_spanning_tree", nx.complete_graph(22), None),
        ("is_connected", nx.path_graph(4), None),
        ("is_weakly_connected", nx.DiGraph([(0, 1)]), "the graph has 2"),
        ("node_connected_component", nx.path_graph(4), "NetworkX walks one component"),
        ("is_bipartite", nx.path_graph(4), "NetworkX stops at the first odd cycle"),
        ("weakly_connected_components", nx.path_graph(4, nx.DiGraph), None),
        ("bridges", nx.path_graph(4), None),
        ("has_bridges", nx.path_graph(4), None),
        ("articulation_points", nx.path_graph(4), None),
    ],
)
def test_why_a_graph_is_declined(name, graph, reason):
    said = backend.should_run(name, (graph,), {})
    assert said == backend.should_run(name, (), {"G": graph})
    assert said is True if reason is None else reason in said
    number = getattr(nx, (DIRECTED if graph.is_directed() else UNDIRECTED)[1])
    assert number(graph, **OURS) == 1
    assert backend.should_run(name, (graph,), {}) is True


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["bridges", "has_bridges"])
def test_bridges_around_a_root_stay_with_networkx(name):
    for args, kwargs in (((nx.path_graph(4), 0), {}), ((nx.path_graph(4),), {"root": 0})):
        assert "NetworkX walks one component" in backend.should_run(name, args, kwargs)
    assert backend.should_run(name, (nx.path_graph(4),), {"root": None}) is True


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("args", [("kruskal",), ("kruskal", "weight")])
def test_an_algorithm_of_trees_is_no_root(args):
    assert backend.should_run("minimum_spanning_edges", (nx.path_graph(4), *args), {}) is True


def test_its_own_graph_goes_back_to_networkx_for_other_functions():
    for kind in (nx.Graph, nx.DiGraph):
        graph = kind([("a", "b"), ("b", "c")])
        graph.add_node("d")
        ours = backend.convert_from_nx(graph)
        assert backend.convert_to_nx("anything else") == "anything else"
        assert nx.utils.graphs_equal(backend.convert_to_nx(ours), graph)
        assert type(backend.convert_to_nx(ours)) is kind
        assert not ours.is_multigraph()
        assert list(ours) == list(graph)
        assert "c" in ours
        assert "x" not in ours
        with nx.config(fallback_to_nx=True):
            assert nx.number_of_isolates(ours) == 1
