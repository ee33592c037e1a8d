"""The index of pandas frames: beside the rows of answers, and on both sides of weights."""

import copy

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import bipartition, bridges
from cc_rapids.errors import InputError

EDGES = pd.DataFrame(
    {"src": [1, 2, 3, 3, 8], "dst": [2, 3, 1, 4, 9], "w": [0.9, 0.8, 0.7, 0.6, 0.5]}
)
LABELS = {
    "of a filtered frame": [0, 2, 3, 5, 8],
    "strings": list("vwxyz"),
    "times": pd.date_range("2020-01-01", periods=5, tz="UTC"),
    "several levels": pd.MultiIndex.from_tuples([(k % 2, "abcde"[k]) for k in range(5)]),
    "a range from 10": range(10, 15),
    "repeated": [7, 7, 7, 8, 8],
}


@pytest.mark.parametrize("name", LABELS)
def test_rows_are_named_by_the_index_too(name, tmp_path):
    frame = EDGES.set_axis(LABELS[name])
    labels = frame.index.tolist()
    found = cc_rapids.components(frame, weight="w", forest="max")
    shown = {
        "forest": found.forest(),
        "a copy's": copy.copy(found).forest(),
        "path": found.path(1, 4),
        "shortest": found.path(1, 4, frame, shortest=True),
        "paths": found.paths(([1, 8], [4, 9]), rows=True),
        "within": cc_rapids.components(frame, weight="w", at_least=0.75, forest=True).forest(),
        "bridges": bridges(frame),
        "odd cycles": bipartition(frame).odd_cycles(),
    }
    for what, rows in shown.items():
        assert rows["index"].tolist() == [labels[k] for k in rows["row"]], what
        assert list(rows).index("index") == list(rows).index("row") + 1
        assert len(rows)
    weakest = found.paths(([1, 1, 8], [4, 8, 9]))
    assert weakest["weakest_row"].tolist() == [3, -1, 4]
    assert weakest["weakest_index"].isna().tolist() == [False, True, False]
    assert weakest["weakest_index"].tolist()[::2] == [labels[3], labels[4]]
    report = cc_rapids.components(frame, vertices=[99]).report(frame, weight="w").components()
    assert report["weakest_index"].tolist()[:2] == [labels[3], labels[4]]
    assert report["weakest_index"].isna().tolist() == [False, False, True]
    assert found.audit(frame, weight="w", forest="max", bridges=shown["bridges"]).edges == 5


@pytest.mark.parametrize("index", [range(5), np.arange(5), pd.Index(range(5), dtype="int32")])
def test_an_index_that_counts_from_0_is_not_shown(index):
    frame = EDGES.set_axis(index)
    found = cc_rapids.components(frame, weight="w", forest="max")
    assert "index" not in found.forest()
    assert "weakest_index" not in found.paths(([1], [4]))
    assert "weakest_index" not in found.report(frame, weight="w").components()


@pytest.mark.parametrize("labels", [[0, "b", 2, 3, 4], [0, None, 2, 3, 4], [0, 2, 1, 3, 4]])
@pytest.mark.parametrize("dtype", ["Int64", object])
def test_an_index_that_only_begins_and_ends_like_a_count_is_shown(labels, dtype):
    index = pd.Index(labels, dtype=object if "b" in labels else dtype)
    forest = cc_rapids.components(EDGES.set_axis(index), weight="w", forest="max").forest()
    assert forest["index"].tolist() == [index[row] for row in forest["row"]]


def test_rows_that_were_dropped_keep_their_labels():
    frame = EDGES.astype({"src": "Int64"}).set_axis(list("vwxyz"))
    frame.loc["v", "src"] = pd.NA
    found = cc_rapids.components(frame, weight="w", forest="max", nulls="drop").forest()
    assert found["index"].tolist() == list("wxyz")


SERIES = EDGES["w"].sort_values()
CALLS = {
    "bound": lambda e, w: cc_rapids.components(e, weight=w, at_least=0.7),
    "chunks": lambda e, w: cc_rapids.components(e, weight=w, at_least=0.7, memory_limit="64MiB"),
    "forest": lambda e, w: cc_rapids.minimum_spanning_forest(e, weight=w),
    "within": lambda e, w: cc_rapids.spanning_forest(e, weight=w, at_least=0.7),
    "cuts": lambda e, w: cc_rapids.components_at(e, weight=w, thresholds=[0.7]),
    "report": lambda e, w: cc_rapids.components(e).report(e, weight=w),
    "path": lambda e, w: cc_rapids.components(e).path(1, 2, e, weight=w),
    "audit": lambda e, w: cc_rapids.components(EDGES, weight="w", forest="max").audit(
        e, weight=w, forest="max"
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "weight",
    [SERIES, EDGES["w"].set_axis(range(1, 6)), EDGES["w"].iloc[:4]],
    ids=["order", "labels", "few"],
)
@pytest.mark.parametrize("form", ["frame", "pair", "mapping"])
def test_weights_with_another_index_are_refused(call, weight, form):
    forms = {"pair": (EDGES["src"], EDGES["dst"]), "mapping": {n: EDGES[n] for n in ("src", "dst")}}
    edges = forms.get(form, EDGES)
    with pytest.raises(
        InputError, match=r"another index \(.* than the edges \(RangeIndex of 5 rows"
    ):
        CALLS[call](edges, weight)
    CALLS[call](edges, EDGES["w"].to_numpy())
    CALLS[call](edges, EDGES["w"].copy())


def test_a_number_of_vertices_in_a_file_is_a_count(tmp_path):
    ends = {"src": np.array([0, 1]), "dst": np.array([1, 2])}
    for count in (2.7, np.inf, -1, "3", [3, 4], True):
        np.savez(tmp_path / "e.npz", num_vertices=count, **ends)
        with pytest.raises(cc_rapids.FormatError, match="expected one integer of at least 0"):
            cc_rapids.components(tmp_path / "e.npz")
    np.savez(tmp_path / "e.npz", num_vertices=4, **ends)
    assert len(cc_rapids.components(tmp_path / "e.npz")) == 2
    for call in (cc_rapids.components, cc_rapids.stream_components):
        with pytest.raises(InputError, match="num_vertices must be a count"):
            call(str(tmp_path / "e.npz"), num_vertices=2.7)
    with pytest.raises(InputError, match="num_vertices must be a count"):
        cc_rapids.Connectivity(num_vertices=2.7)
