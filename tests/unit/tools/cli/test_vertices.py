"""Vertices without edges, from a table or by their number: calculated, and verified."""

import networkx as nx
import pandas as pd
import pytest

EDGES = pd.DataFrame({"src": ["007", "b", None, "c"], "dst": ["b", "d", "x", "c"]})
PEOPLE = pd.DataFrame({"name": list("pqrs"), "id": ["007", "1", "z", "c"]})
NUMBERS = pd.DataFrame({"src": [4, 1], "dst": [1, 7]})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    EDGES.to_csv("edges.csv", index=False)
    EDGES[:2].to_csv("a.csv", index=False)
    EDGES[2:].to_csv("b.csv", index=False)
    PEOPLE.to_csv("people.csv", index=False)
    PEOPLE[["id"]].to_parquet("ids.parquet")
    NUMBERS.to_csv("numbers.csv", index=False)
    pd.DataFrame({"id": [9, 4]}).to_csv("more.csv", index=False)
    return tmp_path


def expected(edges, vertices):
    """The labels of NetworkX."""
    graph = nx.Graph(list(edges.dropna().itertuples(index=False)))
    graph.add_nodes_from(vertices)
    return {v: min(part) for part in nx.connected_components(graph) for v in part}


@pytest.mark.parametrize(
    "words",
    [
        ["edges.csv", "--vertices", "people.csv", "--on", "id"],
        ["edges.csv", "--vertices", "ids.parquet"],
        ["a.csv", "b.csv", "--vertices", "people.csv", "--on", "id"],
        ["edges.csv", "--vertices", "ids.parquet", "--memory-limit", "1GiB"],
    ],
    ids=lambda words: "-".join(words[:3]),
)
def test_a_table_of_vertices(run, folder, words):
    place = words.index("--vertices")
    words = [*words, "--nulls", "drop"]
    assert run("calculate", *words, "--output", "labels.parquet").exit_code == 0
    labels = pd.read_parquet("labels.parquet")
    assert dict(zip(labels.vertex, labels.labels, strict=True)) == expected(EDGES, PEOPLE.id)
    files = words[:place]
    done = run("verify", *files, "labels.parquet", *words[place:])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("right: 4 components of 6 vertices, by 3 edges\n")
    done = run("verify", *files, "labels.parquet", "--nulls", "drop")
    assert done.exit_code == 1
    assert (
        "has a label, but no edge names it (pass vertices without edges as --vertices"
        in done.stdout
    )


@pytest.mark.parametrize(
    ("words", "vertices"),
    [(["--vertices", "more.csv"], [9, 4]), (["--num-vertices", "9"], range(9))],
)
def test_numbers(run, folder, words, vertices):
    assert run("calculate", "numbers.csv", *words, "--output", "l.parquet").exit_code == 0
    labels = pd.read_parquet("l.parquet")
    assert dict(zip(labels.vertex, labels.labels, strict=True)) == expected(NUMBERS, vertices)
    assert run("verify", "numbers.csv", "l.parquet", *words).exit_code == 0


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["--vertices", "people.csv"],
            "people.csv has the columns name, id: name the column of ids with --on",
        ),
        (["--vertices", "people.csv", "--on", "ids"], "did you mean 'id'?"),
        (["--vertices", "people.csv", "--on", "id", "--num-vertices", "3"], "exclude each other"),
        (["--on", "id"], "--on names the ids of --vertices"),
        (["--vertices", "none.csv"], "none.csv does not exist"),
        (["--vertices", "people.csv", "--on", "id"], "vertices are large_string, but column"),
        (["--vertices", "nulls.csv", "--on", "id"], "--vertices has 1 null in 2 rows"),
    ],
)
@pytest.mark.parametrize("command", ["calculate", "verify"])
def test_errors_name_options(run, folder, command, words, error):
    (folder / "nulls.csv").write_text("id,n\n1,2\n,3\n")
    (folder / "l.csv").write_text("vertex,labels\n1,1\n4,1\n7,1\n")
    done = run(command, "numbers.csv", *["l.csv"] * (command == "verify"), *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert error in done.stderr
