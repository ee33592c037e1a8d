"""``cc-rapids bridges`` and ``cc-rapids forest`` against NetworkX."""

import json
import re

import networkx as nx
import pandas as pd
import pytest
from click.testing import CliRunner

from cc_rapids.cli import main
from cc_rapids.tools.cli.edge_rows import BLOCKS, POINTS

EDGES = pd.DataFrame(
    {
        "src": ["007", "b", "c", None, "c", "d", "e", "f", "f"],
        "dst": ["b", "c", "007", "b", "d", "e", "f", "d", "x"],
        "w": [0.5, 0.9, 0.7, 0.8, 0.1, 0.6, 0.6, 0.4, None],
    }
)


def graph_of(edges):
    graph = nx.Graph()
    for row, edge in edges.iterrows():
        graph.add_edge(edge.src, edge.dst, row=row, w=edge.w)
    return graph


@pytest.fixture(params=[1, 2], ids=["one file", "two files"])
def files(request, tmp_path):
    """The edges in one file, or divided into two."""
    parts = [EDGES] if request.param == 1 else [EDGES[:5], EDGES[5:]]
    paths = [tmp_path / f"{place}.csv" for place in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        part.to_csv(path, index=False)
    return paths


@pytest.fixture
def rows(run, tmp_path):
    """Run a command, and return the table that it writes and its facts."""

    def write(*words):
        done = run(*words, "--output", tmp_path / "rows.parquet", "--json")
        assert done.exit_code == 0, done.stderr
        facts = json.loads(done.stdout)
        assert facts["ledger"]["given"] == len(EDGES)
        return pd.read_parquet(tmp_path / "rows.parquet"), facts

    return write


BOUNDS = [
    ([], EDGES.w > -1),
    (["--at-least", 0.4], EDGES.w >= 0.4),
    (["--at-most", 0.6], EDGES.w <= 0.6),
]


@pytest.mark.parametrize(("bound", "within"), BOUNDS, ids=lambda given: str(given)[:20])
def test_bridges_and_points_of_networkx(rows, files, bound, within):
    weight = ["--weight", "w", *bound] if bound else []
    within = within | EDGES.w.isna() & (not bound)
    edges = EDGES[within & EDGES.src.notna()]
    graph, words = graph_of(edges), [*files, "--nulls", "drop", *weight]
    found, facts = rows("bridges", *words)
    assert found.row.tolist() == sorted(graph.edges[pair]["row"] for pair in nx.bridges(graph))
    assert (found.source == EDGES.src[found.row].to_numpy()).all()
    assert (found.destination == EDGES.dst[found.row].to_numpy()).all()
    assert facts["bridges"] == len(found)
    assert (facts["vertices"], facts["edges"]) == (len(graph), len(edges))
    points, _ = rows("bridges", *words, "--find", POINTS)
    assert points.vertex.tolist() == sorted(nx.articulation_points(graph))
    blocks, _ = rows("bridges", *words, "--find", BLOCKS)
    expected = {
        frozenset(graph.edges[pair]["row"] for pair in block)
        for block in nx.biconnected_component_edges(graph)
    }
    assert {frozenset(block.row) for _, block in blocks.groupby("labels")} == expected


@pytest.mark.parametrize(("bound", "within"), BOUNDS, ids=lambda given: str(given)[:20])
@pytest.mark.parametrize("maximum", [False, True])
def test_the_forest_of_networkx(rows, files, bound, within, maximum):
    graph = graph_of(EDGES[within & EDGES.src.notna()])
    words = [*files, "--nulls", "drop", "--weight", "w", *bound, *["--maximum"] * maximum]
    found, facts = rows("forest", *words)
    spanning = nx.maximum_spanning_edges if maximum else nx.minimum_spanning_edges
    expected = sorted(data["row"] for *_, data in spanning(graph, weight="w"))
    assert found.row.tolist() == expected
    assert found.weight.tolist() == EDGES.w[expected].tolist()
    assert found.source.tolist() == EDGES.src[expected].tolist()
    assert facts["forest_edges"] == len(expected) == facts["vertices"] - facts["components"]


def test_a_forest_without_weights_connects_all(rows, files):
    found, facts = rows("forest", *files, "--nulls", "drop")
    graph = nx.Graph(list(zip(found.source, found.destination, strict=True)))
    assert facts["file" if len(files) == 1 else "files"] in (str(files[0]), [*map(str, files)])
    assert nx.is_forest(graph)
    assert set(graph) == {*EDGES.src.dropna(), *EDGES.dst}
    assert facts["components"] == nx.number_connected_components(graph) == 1


@pytest.mark.parametrize("command", ["bridges", "forest"])
def test_standard_output_and_failing_writes(run, files, tmp_path, command, full_device, capfd):
    assert run(command, *files, "--nulls", "drop", "--output", "-").exit_code == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == '"row","source","destination"'
    assert len(lines) == {"bridges": 3, "forest": 7}[command]
    kept = tmp_path / "full.csv"
    kept.symlink_to(full_device)
    done = run(command, *files, "--nulls", "drop", "-o", kept)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "No space left on device" in done.stderr
    assert "is the input file" in run(command, *files, "--output", files[0]).stderr


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["bridges"], "--nulls drop drops the edges with a null end"),
        (["forest", "--weight", "w"], "--nulls drop"),
        (["forest", "--weight", "v"], "no column 'v'"),
        (["forest", "--maximum"], "--maximum needs --weight"),
        (["forest", "--at-least", "1"], "name it with --weight"),
        (["bridges", "--weight", "w"], "--weight needs --at-least or --at-most"),
        (["bridges", "--output-format", "csv"], "--output-format needs --output"),
    ],
)
def test_errors_name_options(run, files, words, error):
    done = run(words[0], *files, *words[1:])
    assert (done.exit_code, done.stdout) == (2, "")
    assert error in done.stderr


def test_edges_in_both_directions_give_a_warning(run, tmp_path):
    (tmp_path / "twice.csv").write_text("src,dst\n1,2\n2,1\n2,3\n3,2\n")
    done = run("bridges", tmp_path / "twice.csv")
    assert done.exit_code == 0
    assert done.stderr.startswith("Warning: most edges are listed in both directions")
    assert done.stderr.endswith("list each pair once\n")


def test_null_weights_give_a_warning(run, files):
    assert "1 edge has a null or NaN weight: --nulls drop" in run(
        "forest", *files, "--weight", "w", "--nulls", "drop"
    ).stderr  # fmt: skip


@pytest.mark.parametrize(("options", "total"), [([], 5.0), (["--maximum"], 6.5)])
def test_the_total_weight_of_a_forest(tmp_path, options, total):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("src,dst,w\n1,2,2\n2,3,3\n3,1,3.5\n")
    words = ["forest", str(pairs), "--weight", "w", *options]
    done = CliRunner().invoke(main, [*words, "--json"])
    assert json.loads(done.output)["weight"] == total
    assert re.search(rf"total weight *│ *{total}", CliRunner().invoke(main, words).output)
