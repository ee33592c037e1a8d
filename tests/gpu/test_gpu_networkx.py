"""The NetworkX backend on a real GPU, with NetworkX as the oracle."""

import numpy as np
import pytest

pytestmark = pytest.mark.gpu


@pytest.fixture
def nx():
    nx = pytest.importorskip("networkx")
    if "cc_rapids" not in nx.config.backends:
        pytest.skip("NetworkX does not know the backend: install cc_rapids, pip install -e .")
    with nx.config(warnings_to_ignore={"cache"}), nx.config.backends.cc_rapids(engine="cuda"):
        yield nx


@pytest.mark.parametrize("name", [int, str])
@pytest.mark.parametrize("degree", [0, 1, 4])
def test_components_on_the_gpu_are_networkxs(nx, name, degree, caplog):
    caplog.set_level("INFO", "cc_rapids.api")
    n = 50_000
    rng = np.random.default_rng(degree)
    ends = rng.integers(0, n, (2, n * degree // 2)).tolist()
    for kind, function in (
        (nx.Graph, nx.connected_components),
        (nx.DiGraph, nx.weakly_connected_components),
    ):
        graph = kind()
        graph.add_nodes_from(map(name, range(n)))
        graph.add_edges_from(zip(*(map(name, side) for side in ends), strict=True))
        expected = list(function(graph, backend="networkx"))
        assert list(function(graph, backend="cc_rapids")) == expected
    assert [" on cuda: " in record.message for record in caplog.records] == [True, True]


def test_no_node_and_one_node_on_the_gpu(nx):
    assert nx.number_connected_components(nx.empty_graph(0), backend="cc_rapids") == 0
    assert nx.is_connected(nx.empty_graph(1), backend="cc_rapids") is True
    assert nx.number_connected_components(nx.empty_graph(3), backend="cc_rapids") == 3
