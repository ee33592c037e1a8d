"""install() and cugraph.dask's function: ours on the workers, or the original with one log line."""

import logging
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from dask_graphs import as_text, expected, parts, random_frame

import cc_rapids


class Graph:
    """What a graph of cuGraph over several GPUs holds; its vertices are renumbered in any case."""

    renumbered = True

    def __init__(self, frame, source="src", destination="dst", directed=False):
        self.input_df, self.edgelist, self.directed = frame, None, directed
        self.source_columns, self.destination_columns = source, destination

    def is_directed(self):
        return self.directed


@pytest.fixture
def dcg(monkeypatch):
    """A module in the place of cugraph.dask, with cc_rapids installed."""

    def weakly_connected_components(input_graph):
        if input_graph.is_directed():
            raise ValueError("input graph must be undirected")
        return "original", input_graph

    modules = {name: ModuleType(name) for name in ("cugraph", "cugraph.dask")}
    modules["cugraph.dask"].weakly_connected_components = weakly_connected_components
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    with cc_rapids.installed():
        yield modules["cugraph.dask"]
    assert modules["cugraph.dask"].weakly_connected_components is weakly_connected_components


def test_labels_are_by_the_ids_that_the_graph_was_made_from(client, dcg):
    frame = random_frame()
    vertex, least = expected(frame)
    graph = Graph(parts(frame.rename(columns={"src": "from", "dst": "to"}), 3), "from", "to")
    labels = dcg.weakly_connected_components(input_graph=graph)
    assert sorted(labels.columns) == ["labels", "vertex"]
    assert labels.npartitions == 2
    found = labels.compute()
    assert found["vertex"].tolist() == vertex.tolist()
    assert found["labels"].tolist() == least.tolist()
    texts = dcg.weakly_connected_components(Graph(parts(as_text(frame), 3), ["src"], ["dst"]))
    groups = texts.compute().groupby("labels")["vertex"].agg(set)
    sizes = np.unique(least, return_counts=True)[1]
    assert sorted(map(len, groups)) == sorted(sizes)


def test_graphs_that_ours_cannot_read_go_to_the_original_with_one_line(client, dcg, caplog):
    caplog.set_level(logging.INFO, logger="cc_rapids.integrations")
    graph = Graph(None)
    assert dcg.weakly_connected_components(graph) == ("original", graph)
    [line] = caplog.messages
    handed = "passed to the original cugraph.dask.weakly_connected_components: the graph no longer"
    assert line.startswith(handed)
    frame = parts(pd.DataFrame({"src": [1], "dst": [2]}), 1)
    with pytest.raises(ValueError, match=r"^input graph must be undirected$"):
        dcg.weakly_connected_components(Graph(frame, directed=True))


def test_without_a_client_it_goes_to_the_original(dcg, caplog):
    caplog.set_level(logging.INFO, logger="cc_rapids.integrations")
    graph = Graph(parts(random_frame(), 2))
    assert dcg.weakly_connected_components(graph) == ("original", graph)
    [line] = caplog.messages
    assert "no cluster is connected" in line
