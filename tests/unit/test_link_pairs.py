"""Clusters of scored pairs under rules: kinds of ids and frames, arguments and errors."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids.analysis import rules

PAIRS = {"src": [1, 2, 2, 5], "dst": [11, 11, 12, 12], "w": [0.8, 0.9, 0.7, 0.6]}
SETS = {"v": [1, 2, 5, 11, 12], "d": ["a", "a", "a", "b", "b"]}
CLUSTERS = {1: 1, 2: 2, 11: 2, 5: 5, 12: 5}


def labels_of(found):
    labels = found.labels()
    get = labels.__getitem__ if not isinstance(labels, tuple) else labels._asdict().__getitem__
    return dict(
        zip(list(map(_plain, get("vertex"))), list(map(_plain, get("labels"))), strict=True)
    )


def _plain(value):
    value = value.as_py() if hasattr(value, "as_py") else value
    return value.item() if hasattr(value, "item") else value


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_each_library_give_clusters_and_refused_rows(make):
    found = cc_rapids.link_pairs(make(PAIRS), weight="w", datasets=make(SETS))
    assert labels_of(found) == CLUSTERS
    refused = found.refused()
    assert isinstance(refused, type(make(PAIRS)))
    rule = refused["rule"]
    assert (
        rule.tolist()
        if hasattr(rule, "tolist")
        else rule.to_pylist()
        if hasattr(rule, "to_pylist")
        else rule.to_list()
    ) == ["per_dataset"] * 2


def test_a_relation_of_duckdb_gives_relations():
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    pairs, sets = pa.table(PAIRS), pa.table(SETS)
    con.register("pairs", pairs)
    con.register("sets", sets)
    found = cc_rapids.link_pairs(con.table("pairs"), weight="w", datasets=con.table("sets"))
    assert found.labels().fetchall() == sorted(CLUSTERS.items())
    assert found.refused().select("row, rule").fetchall() == [
        (0, "per_dataset"),
        (2, "per_dataset"),
    ]


def test_arrays_and_a_pair_of_arrays_as_datasets():
    ends = np.array(PAIRS["src"]), np.array(PAIRS["dst"])
    sets = np.array(SETS["v"]), np.array(SETS["d"])
    found = cc_rapids.link_pairs(ends, weight=np.array(PAIRS["w"]), datasets=sets)
    assert labels_of(found) == CLUSTERS
    assert found.refused().row.tolist() == [0, 2]


def test_the_dataset_may_be_a_column_of_a_composite_id():
    pairs = pd.DataFrame({
        "source_dataset_l": ["a", "a", "b"], "unique_id_l": [1, 2, 1],
        "source_dataset_r": ["b", "b", "c"], "unique_id_r": [1, 1, 7], "score": [3, 4, 5],
    })  # fmt: skip
    records = pd.DataFrame({"source_dataset": ["a", "a", "b", "c"], "unique_id": [1, 2, 1, 7]})
    found = cc_rapids.link_pairs(pairs, weight="score", vertices=records, datasets="source_dataset")
    assert found.sizes()["size"].tolist() == [3, 1]
    refused = found.refused()
    assert refused[["source_dataset_source", "unique_id_source"]].values.tolist() == [["a", 1]]
    assert found.component_of(("a", 1)) == refused["source_labels"].tolist()[0]
    assert found.component_of(("b", 1)) == refused["destination_labels"].tolist()[0]
    found.audit(pairs, vertices=records)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, dict])
def test_pairs_of_rules_have_the_columns_of_the_edges(make):
    """Rows that were chosen from the pairs, with all their columns, of one or two for an id."""
    pairs = pd.DataFrame(
        {"k_a": ["x", "y"], "n_a": [1, 2], "k_b": ["y", "z"], "n_b": [2, 3], "w": [0.5, 0.9]}
    )
    some = make({name: values[1:] for name, values in pairs.to_dict("list").items()})
    for ends in (("n_a", "n_b"), (["k_a", "n_a"], ["k_b", "n_b"])):
        apart = cc_rapids.link_pairs(pairs, *ends, weight="w", cannot_link=some)
        assert apart.refused()["row"].tolist() == [1]
        together = cc_rapids.link_pairs(pairs, *ends, weight="w", must_link=some, max_size=2)
        assert together.refused()["row"].tolist() == [0]


def test_datasets_of_no_vertex_are_an_error():
    """Columns in the other order, or ids spelled in another way: the rule would hold for none."""
    pairs = pd.DataFrame({"src": ["a"], "dst": ["b"], "w": [0.9]})
    owners = pd.DataFrame({"id": ["a", "b"], "owner": ["x", "x"]})
    for datasets in (owners[["owner", "id"]], owners.assign(id=owners.id.str.upper())):
        with pytest.raises(cc_rapids.InputError, match=r"no vertex of the edges.* spelled alike"):
            cc_rapids.link_pairs(pairs, weight="w", datasets=datasets)
    assert len(cc_rapids.link_pairs(pairs, weight="w", datasets=owners)) == 2


def test_nulls_and_unknown_records_have_no_rule():
    sets = pd.DataFrame({"v": [1, 2, 99, 11], "d": ["a", None, "a", None]})
    with pytest.warns(cc_rapids.CcRapidsWarning, match="of 1 pair of cannot_link=, none"):
        found = cc_rapids.link_pairs(
            pd.DataFrame(PAIRS), weight="w", datasets=sets, cannot_link=[(1, 77)]
        )
    assert (len(found), len(found.refused())) == (1, 0)


def test_rules_as_a_graph_with_a_lone_node():
    graph = nx.Graph([(1, 11)])
    graph.add_node(2)
    assert labels_of(cc_rapids.link_pairs(pd.DataFrame(PAIRS), weight="w", must_link=graph))[1] == 1
    found = cc_rapids.link_pairs(pd.DataFrame(PAIRS), weight="w", cannot_link=graph)
    assert labels_of(found)[1] != labels_of(found)[11]


def test_limits_by_dataset():
    sets = pd.DataFrame(SETS)
    found = cc_rapids.link_pairs(
        pd.DataFrame(PAIRS), weight="w", datasets=sets, per_dataset={"a": 2}
    )
    assert labels_of(found) == {1: 1, 2: 1, 11: 1, 12: 1, 5: 5}


def test_the_dendrogram_gives_the_clusters_at_each_threshold():
    pairs = pd.DataFrame(PAIRS)
    found = cc_rapids.link_pairs(pairs, weight="w", datasets=pd.DataFrame(SETS))
    at = cc_rapids.link_pairs(
        pairs, weight="w", at_least=0.7, datasets=pd.DataFrame(SETS), vertices=SETS["v"]
    )
    tree, options = found.dendrogram(), {"weight": "w", "vertices": SETS["v"]}
    best = tree.best(([1, 2, 11], [1, 2, 2]), missing="self").components
    for cut in (tree.at(0.7), pickle.loads(pickle.dumps(tree.cuts([0.9, 0.7]))).at(0.7)):
        for mine, other in ((cut.labels(), at.labels()), (cut.refused(), at.refused())):
            pd.testing.assert_frame_equal(mine, other)
        assert str(cut.audit(pairs, **options)) == str(at.audit(pairs, **options))
        assert repr(cut).endswith("; 1 pair accepted, 2 refused, on threads>")
        assert cut.forest().equals(at.forest())
    assert (len(best.refused()), len(best.forest())) == (0, 1)  # at 0.9
    parts = tree.split(1).parts
    assert parts.refused()["source_labels"].tolist() == [1, 2]
    assert (
        repr(parts)
        == "<LinkedPairs: 5 clusters of 5 vertices; 0 pairs accepted, 2 refused, on threads>"
    )


def test_a_dendrogram_leaves_out_pairs_that_must_be_linked():
    found = cc_rapids.link_pairs(pd.DataFrame(PAIRS), weight="w", must_link=[(1, 5)], max_size=3)
    cut = found.dendrogram().at(0.9)
    assert repr(cut) == "<LinkedPairs: 4 clusters of 5 vertices; 1 pair accepted, on threads>"
    for call in (cut.refused, lambda: cut.audit(pd.DataFrame(PAIRS))):
        with pytest.raises(cc_rapids.InputError, match=r"link_pairs\(.*, at_least=0.9\)"):
            call()
    lengths = found.paths([(1, 5), (1, 11), (2, 11)])
    assert lengths["length"].tolist() == [-1, -1, 1]
    with pytest.raises(cc_rapids.InputError, match="only pairs of must_link= join 1 and 5"):
        found.path(1, 5)


def test_a_file_is_loaded_by_its_type(tmp_path):
    found = cc_rapids.link_pairs(pd.DataFrame(PAIRS), weight="w", max_size=3)
    found.save(tmp_path / "pairs")
    assert cc_rapids.LinkedPairs.load(tmp_path / "pairs") == found
    with pytest.raises(cc_rapids.FormatError, match="is of type LinkedPairs, not LinkedRecords"):
        cc_rapids.LinkedRecords.load(tmp_path / "pairs")


def saved(found, path):
    found.save(path)
    return cc_rapids.Components.load(path)


RULES = {
    "datasets": {"datasets": pd.DataFrame(SETS)},
    "must_link": {"must_link": [(1, 12), (12, 1), (5, 12)], "max_size": 3},
    "cannot_link": {"cannot_link": [(1, 2), (5, 11)]},
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("names", [str, int], ids=["strings", "integers"])
def test_copies_without_edges_keep_rules_and_refused_rows(rules, names, tmp_path):
    pairs = pd.DataFrame(PAIRS)
    for name in ("src", "dst"):
        pairs[name] = pairs[name].astype(names)
    if names is str and "datasets" not in rules:
        rules = {
            name: [(str(one), str(other)) for one, other in rule] if name != "max_size" else rule
            for name, rule in rules.items()
        }
    elif names is str:
        rules = {"datasets": pd.DataFrame(SETS).astype({"v": str})}
    found = cc_rapids.link_pairs(pairs, weight="w", **rules)
    assert len(found.refused())
    for again in (pickle.loads(pickle.dumps(found)), saved(found, tmp_path / "found")):
        assert again == found
        pd.testing.assert_frame_equal(again.refused(), found.refused())
        assert repr(again) == repr(found)
        assert str(again.audit(pairs, weight="w")) == str(found.audit(pairs, weight="w"))
        assert saved(again, tmp_path / "again").refused().equals(found.refused())


@pytest.mark.parametrize(("arguments", "error", "words"), [
    ({"datasets": "d"}, cc_rapids.InputError, "names a column of vertices="),
    ({"datasets": "e", "vertices": pd.DataFrame(SETS)}, cc_rapids.MissingColumnError, "no column"),
    ({"datasets": 3}, cc_rapids.ArgumentTypeError, "must be the name of a column"),
    ({"datasets": pd.DataFrame({"v": [1, 1], "d": [1, 2]})}, cc_rapids.InputError, "second data"),
    ({"datasets": ([1, 2], [1])}, cc_rapids.InputError, "pass one value"),
    ({"datasets": {1: "a", 2: "b"}}, cc_rapids.ColumnTypeError, "datasets= has 'b' as column 2"),
    ({"per_dataset": 2}, cc_rapids.InputError, "pass datasets= as well"),
    ({"per_dataset": 0, "datasets": SETS}, cc_rapids.InputError, "positive integer"),
    ({"per_dataset": {"z": 1}, "datasets": SETS}, cc_rapids.InputError, "no record has"),
    ({"max_size": 0}, cc_rapids.InputError, "max_size= must be a positive"),
    ({"cannot_link": [(1, 1)]}, cc_rapids.InputError, "one record twice"),
    ({"cannot_link": {"q": [1], "r": [2], "id": [3]}}, cc_rapids.MissingColumnError,
     "cannot_link= has the columns q, r, id: call .* as in the edges, src and dst"),
    ({"must_link": [(1, 77)]}, cc_rapids.UnknownVertexError, "include them in vertices="),
    ({"must_link": [(1, 2), (2, 11)], "max_size": 2}, cc_rapids.InputError, "puts 2 and 11"),
    ({"memory_limit": "1GB"}, cc_rapids.ArgumentTypeError, "unknown argument"),
    ({"max_sise": 3}, cc_rapids.ArgumentTypeError, "max_size"),
])  # fmt: skip
def test_wrong_arguments_name_the_way_out(arguments, error, words):
    with pytest.raises(error, match=words):
        cc_rapids.link_pairs(pd.DataFrame(PAIRS), weight="w", **arguments)


def test_pairs_without_weights_are_refused():
    with pytest.raises(cc_rapids.InputError, match="pass weight="):
        cc_rapids.link_pairs([(1, 2)])


@pytest.mark.parametrize(("sound", "forests"), [(0, 0), (1, 1)])
def test_a_forest_is_computed_only_for_components_that_break_no_rule(monkeypatch, sound, forests):
    calls, compute = [], rules.rows_of_forest
    monkeypatch.setattr(rules, "rows_of_forest", lambda *args: calls.append(args) or compute(*args))
    pairs = {"src": [1, 2, 2, 5] + [20] * sound, "dst": [11, 11, 12, 12] + [21] * sound}
    pairs = pd.DataFrame(pairs | {"w": [0.8, 0.9, 0.7, 0.6] + [0.1] * sound})
    found = cc_rapids.link_pairs(pairs, weight="w", datasets=pd.DataFrame(SETS))
    assert len(calls) == forests
    assert found.forest()["row"].tolist() == [1, 3] + [4] * sound
