"""The lines of the page for users of other libraries give the results of these libraries."""

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from scipy.sparse import csgraph

import cc_rapids

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "migrate.md"
SECTIONS = {
    title: [tuple(re.findall(r"`([^`]+)`", cell)[0] for cell in row) for row in rows]
    for title, rows in (
        (
            section.partition("\n")[0],
            re.findall(r"^\| (`.+`) \| (`.+`) \| [^|]+ \|$", section, re.M),
        )
        for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    )
}
POINTS = np.array([[0.0], [0.4], [0.7], [2.0], [2.3], [5.0]])


def sets(groups):
    """Groups of vertices as sorted lists."""
    return sorted(sorted(group) for group in groups)


def members(found):
    """The vertices of each component of an answer."""
    return sets(vertices.tolist() for _, vertices in found)


def keys(found):
    """The same, for ids of several columns."""
    return sets(map(tuple, vertices.values.tolist()) for _, vertices in found)


def parts(labels):
    """The positions with each label, of an array of labels."""
    return sets(np.flatnonzero(labels == label).tolist() for label in np.unique(labels))


def pairs_of(edges):
    return sorted(tuple(sorted(edge[:2])) for edge in edges)


def ends(frame):
    return pairs_of(zip(frame.source.tolist(), frame.destination.tolist(), strict=True))


def clusters(frame):
    return frame.iloc[:, -1].tolist()


def weights(forest):
    return sorted(np.asarray(forest.weight).tolist())


def labelled(table):
    """The vertices of each label, in an Arrow table with the labels as its last column."""
    vertices, labels = (np.array(column) for column in (table.column(0), table.columns[-1]))
    return sets(vertices[labels == label].tolist() for label in np.unique(labels))


CHAIN = [[1, 2, 3, 4], [8, 9]]
ISOLATED = [[0], [1, 2, 3, 4], [5], [6], [7], [8, 9]]
BRIDGES = [(1, 2), (2, 3), (3, 4), (8, 9)]
NEAR = [[0, 1, 2], [3, 4], [5]]

# For each line of cc_rapids: how to show its result, the result, and how to show that of the peer
EXPECTED = {
    "Splink": [
        (keys, [[("crm", 1), ("crm", 2), ("web", 2)]], None),
        (clusters, [0, 0, 1, 2, 0, 3], None),
        (lambda cuts: [len(cuts.at(0.95)), len(cuts.at(0.9))], [4, 3], None),
        (lambda linked: clusters(linked.labels()), [0, 1, 2, 3, 0, 4], None),
        (lambda frame: frame["row"].tolist(), [0, 1], None),
        (lambda frame: frame[["size", "edges", "bridges"]].values.tolist(), [[3, 2, 2]], None),
    ],
    "GraphFrames": [
        (labelled, [[1, 2, 3, 4], [7], [8, 9]], None),
        (labelled, CHAIN, None),
        (lambda table: table["size"].to_pylist(), [4, 2, 1], None),
    ],
    "NetworkX": [
        (members, CHAIN, sets),
        (int, 2, int),
        (sorted, CHAIN[0], sorted),
        (lambda frame: frame["vertex"].tolist(), CHAIN[0], sorted),
        (bool, True, bool),
        (lambda path: [1, *path["destination"]], CHAIN[0], list),
        (lambda edges: pairs_of(edges[["src", "dst"]].values.tolist()), [(8, 9)], pairs_of),
        (ends, BRIDGES, pairs_of),
        (lambda frame: frame["vertex"].tolist(), [2, 3], sorted),
        (clusters, [0, 1, 2, 3], lambda parts: [k for k, part in enumerate(parts) if len(part)]),
        (members, [[v] for v in (1, 2, 3, 4, 8, 9)], sets),
        (bool, True, bool),
        (
            lambda frame: frame["color"].tolist(),
            [0, 1, 0, 1, 0, 1],
            lambda colors: [1 - colors[v] for v in range(1, 10) if v in colors],
        ),
        (ends, BRIDGES, pairs_of),
    ],
    "igraph": [
        (members, CHAIN, lambda found: sets([found.graph.vs[k]["name"] for k in c] for c in found)),
        (parts, [[0, 1, 2, 3], [4, 5]], lambda membership: parts(np.array(membership))),
        (lambda sizes: sizes.size.tolist(), [4, 2], lambda sizes: sorted(sizes, reverse=True)),
        (sorted, CHAIN[0], lambda numbers: [number + 1 for number in sorted(numbers)]),
        (list, [0, 1, 2, 3], sorted),
        (list, [2, 3], lambda numbers: [number + 1 for number in sorted(numbers)]),
        (lambda frame: len(set(frame.labels.tolist())), 4, len),
        (bool, True, bool),
        (weights, [0.6, 0.7, 0.8, 0.9], lambda tree: sorted(tree.es["weight"])),
    ],
    "SciPy": [
        (lambda labels: parts(labels.labels), ISOLATED, lambda found: parts(found[1])),
        (weights, [0.6, 0.7, 0.8, 0.9], lambda tree: sorted(tree.data)),
        (len, 0, lambda sets: sets.n_subsets - 4),
        (len, 1, int),
        (bool, True, bool),
        (repr, "<Dendrogram: 4 merges of 10 vertices to 6 components, from 0.6 to 0.9>", None),
        (lambda labels: len(set(labels.labels.tolist())), 8, None),
    ],
    "scikit-learn": [
        (members, NEAR, lambda found: parts(found[1])),
        (members, NEAR, None),
        (lambda labels: labels.labels.tolist(), [0, 0, 0, 1, 1, -1], list),
        (list, [0, 0, 0, 1, 1, -1], list),
        (lambda labels: parts(labels.labels), NEAR, None),
        (float, 1.0, float),
    ],
    "cuGraph": [
        (len, 4, None),
        (clusters, [1, 1, 1, 1, 8, 8], None),
        (ends, BRIDGES, None),
        (lambda edges: edges["dst"].tolist(), [9], None),
    ],
    "NeMo Curator": [
        (None, None, None),
        (lambda stage: type(stage).__module__, "cc_rapids.integrations.curator", None),
        (len, 2, None),
        (lambda frame: frame.iloc[:, 0].tolist(), [2, 8], None),
    ],
}


def names(title, folder):
    """The names that the lines of a section use."""
    pairs = pd.DataFrame({"src": [1, 2, 3, 8], "dst": [2, 3, 4, 9], "score": [0.9, 0.6, 0.8, 0.7]})
    made = {"cc_rapids": cc_rapids, "np": np, "csgraph": csgraph, "pairs": pairs}
    made |= {"found": cc_rapids.components(pairs)}
    if title == "Splink":
        made["predictions"] = pd.DataFrame(
            {
                "source_dataset_l": ["crm"] * 3,
                "unique_id_l": [1, 2, 3],
                "source_dataset_r": ["web"] * 3,
                "unique_id_r": [2, 2, 1],
                "match_probability": [0.99, 0.93, 0.4],
            }
        )
        made["records"] = pd.DataFrame(
            {"source_dataset": ["crm"] * 3 + ["web"] * 3, "unique_id": [1, 2, 3, 1, 2, 4]}
        )
    if title == "GraphFrames":
        made["edges"] = pa.table({"src": [1, 2, 3, 8], "dst": [2, 3, 4, 9]})
        made["vertices"] = pa.table({"id": [1, 2, 3, 4, 7, 8, 9]})
    if title == "NetworkX":
        made["nx"] = nx = import_module("networkx")
        made["graph"] = nx.from_pandas_edgelist(pairs, "src", "dst", "score")
    if title == "igraph":
        graph_of = pytest.importorskip("igraph").Graph.TupleList
        made["graph"] = graph_of(pairs.itertuples(index=False), weights=True)
    if title == "SciPy":
        made["DisjointSet"] = import_module("scipy.cluster.hierarchy").DisjointSet
        made["matrix"] = scipy.sparse.csr_matrix((pairs.score, (pairs.src, pairs.dst)), (10, 10))
    if title == "scikit-learn":
        far = np.abs(POINTS - POINTS.T)
        made["graph"] = scipy.sparse.csr_matrix(np.where(far <= 0.5, far, 0))
        indices = np.array([[1], [2], [1], [4], [3], [4]])
        made |= {"matrix": far, "k": 1, "indices": indices, "points": POINTS}
        made["distances"] = np.abs(POINTS[indices[:, 0]] - POINTS)
        made["truth"] = made["found"].labels()
        made["labels"] = made["truth"]["labels"]
        made["true_labels"] = made["labels"]
        if find_spec("sklearn"):
            made["DBSCAN"] = import_module("sklearn.cluster").DBSCAN
            made["HDBSCAN"] = import_module("sklearn.cluster").HDBSCAN
            made["adjusted_rand_score"] = import_module("sklearn.metrics").adjusted_rand_score
    if title == "NeMo Curator":
        edges = pa.table({"_curator_dedup_id_x": [1, 7], "_curator_dedup_id_y": [2, 8]})
        pq.write_table(edges, folder / "edges.parquet")
        made["edges"] = [str(folder / "edges.parquet")]
        made["documents"] = pd.DataFrame({"_curator_dedup_id": [1, 2, 7, 8, 9]})
    return made


def value(line, made):
    """Run a line; return its value, or that of the name that it assigns."""
    name, assigned, _ = line.partition(" = ")
    if assigned and name.isidentifier():
        exec(line, made)
        return made[name]
    if line.startswith("from "):
        return exec(line, made)
    return eval(line, made)


def test_each_peer_has_a_section_and_each_line_an_expectation():
    assert {title: len(rows) for title, rows in SECTIONS.items()} == {
        title: len(rows) for title, rows in EXPECTED.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("title", EXPECTED)
def test_our_lines_give_what_is_expected(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = names(title, tmp_path)
    for (_, line), (shown, expected, _) in zip(SECTIONS[title], EXPECTED[title], strict=True):
        if shown is not None:
            assert shown(value(line, made)) == expected, line
        elif line.startswith("from "):
            value(line, made)


@pytest.mark.slow
@pytest.mark.parametrize("title", ["NetworkX", "igraph", "SciPy", "scikit-learn"])
def test_lines_of_an_installed_peer_give_the_same(title, tmp_path):
    if title == "scikit-learn":
        pytest.importorskip("sklearn")
    made = names(title, tmp_path)
    for (line, _), (_, expected, shown) in zip(SECTIONS[title], EXPECTED[title], strict=True):
        if shown is not None:
            assert shown(value(line, made)) == expected, line
