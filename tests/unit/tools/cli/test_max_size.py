"""``cc-rapids calculate --max-size`` against a split by definition."""

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

SIZE = 4


@pytest.fixture(scope="module")
def edges():
    random = np.random.default_rng(4)
    ends = np.char.add("v", random.integers(0, 60, (2, 80)).astype(str))
    edges = pd.DataFrame({"src": ends[0], "dst": ends[1], "w": random.integers(0, 30, 80)})
    edges.loc[3, "src"] = None
    return edges


def parts(tree, greatest):
    """The parts of a spanning tree: all its weakest links are cut until each part is small."""
    weights = {weight for *_, weight in tree.edges.data("w")}
    if len(tree) <= SIZE or len(weights) == 1:
        return [set(tree)]
    weakest = min(weights) if greatest else max(weights)
    kept = nx.Graph()
    kept.add_nodes_from(tree)
    kept.add_edges_from(one for one in tree.edges(data=True) if one[2]["w"] != weakest)
    return [
        part
        for nodes in nx.connected_components(kept)
        for part in parts(kept.subgraph(nodes), greatest)
    ]


@pytest.mark.parametrize("greatest", [True, False])
@pytest.mark.parametrize("several", [False, True])
def test_weakest_links_are_cut(run, tmp_path, edges, greatest, several):
    files = [tmp_path / "a.csv", tmp_path / "b.csv"][: 1 + several]
    for file, rows in zip(files, np.array_split(np.arange(len(edges)), len(files)), strict=True):
        edges.iloc[rows].to_csv(file, index=False)
    bound = ["--at-least", 5] if greatest else ["--at-most", 24]
    words = ["--weight", "w", *bound, "--nulls", "drop", "--max-size", SIZE]
    output = tmp_path / "labels.parquet"
    done = run("calculate", *files, *words, "--output", output, "--json", "--top", 1)
    assert done.exit_code == 0, done.stderr
    within = edges[(edges.w >= 5 if greatest else edges.w <= 24) & edges.src.notna()]
    graph = nx.Graph()
    for src, dst, w in within.sort_values("w", ascending=greatest).itertuples(index=False):
        graph.add_edge(src, dst, w=w)  # the strongest of equal pairs is last
    spanning = nx.maximum_spanning_tree if greatest else nx.minimum_spanning_tree
    tree = spanning(graph, weight="w")
    expected = [
        part
        for nodes in nx.connected_components(tree)
        for part in parts(tree.subgraph(nodes), greatest)
    ]
    labels = pd.read_parquet(output)
    found = labels.groupby("labels").vertex.agg(set)
    assert {frozenset(part) for part in found} == {frozenset(part) for part in expected}
    assert (found.map(min) == found.index).all()
    facts, sizes = json.loads(done.stdout), [len(nodes) for nodes in nx.connected_components(tree)]
    assert facts["split"]["components"] == sum(size > SIZE for size in sizes)
    assert facts["components"] == len(expected)
    assert facts["largest"] == facts["top"][0]["size"] == max(map(len, expected))
    assert facts["ledger"]["linked"] == len(within)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "--max-size splits at the weakest links: name the column of weights with --weight"),
        (["--weight", "w", "--labels", "size"], "leave out --labels"),
        (["--weight", "w", "--memory-limit", "1GiB"], "in memory: leave out --memory-limit"),
        (["--weight", "w"], "--nulls drop"),
        (["--weight", "v"], "has no column 'v'"),
    ],
)
def test_errors_name_options(run, tmp_path, edges, words, error):
    edges.to_csv(tmp_path / "a.csv", index=False)
    done = run("calculate", tmp_path / "a.csv", "--max-size", 3, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert error in done.stderr
