"""Answers in files: saved, loaded, and refused where anything is wrong."""

import logging
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.edge_kinds import EDGES, same

import cc_rapids
from cc_rapids import Components, components, errors
from cc_rapids.data.files import archive

KINDS = ["min", "max", "dense", "size", "fingerprint"]
SEVERAL = {"a": ["u", "c"], "b": [7, 3], "c": ["c", "v"], "d": [3, -1]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "found"


def again(found, path, **options):
    """The answer, saved and loaded."""
    found.save(path)
    return Components.load(path, **options)


ENUM = "polars enum"  # which a saved file knows as categories
SAVED = {name: edges for name, edges in EDGES.items() if name != ENUM}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("edges", SAVED.values(), ids=SAVED)
def test_an_answer_is_the_same_after_it_was_saved(engine, path, edges, kind):
    found = components(edges(), engine=engine, labels=kind)
    other = again(found, path, engine=engine)
    assert other == found
    for method in ("labels", "sizes", "members", "largest", "size_histogram", "representatives"):
        same(getattr(other, method)(), getattr(found, method)())
    mine, theirs = found.summary(), other.summary()
    assert mine | {"peak_bytes": 0} == theirs | {"peak_bytes": 0}
    assert repr(other) == repr(found)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
def test_ids_of_several_columns(engine, path, make, order):
    others = [{"a": "c", "b": "d"}[name] for name in order]
    found = components(make(SEVERAL), order, others, engine=engine)
    other = again(found, path)
    same(other.labels(), found.labels())
    assert other == found
    assert other.same_component(*[tuple({"a": "u", "b": 7}[name] for name in order)] * 2)
    same(other.attach(make(SEVERAL), order), found.attach(make(SEVERAL), order))


def test_a_loaded_answer_answers_and_is_audited(path):
    edges = pd.DataFrame({"src": [5, 2, 9, 2**40], "dst": [2, 7, 9, 5]})
    other = again(components(edges), path)
    assert other.component_of([7, 2**40]).tolist() == [2, 2]
    assert other.connected(edges).tolist() == [True] * 4
    assert 9 in other
    assert [label for label, _ in other] == [2, 9]
    other.audit(edges)
    assert pickle.loads(pickle.dumps(other)) == other
    assert again(other, path) == other


@pytest.mark.parametrize("several", [False, True])
def test_the_spanning_forest_is_saved_too(engine, path, several):
    edges = pd.DataFrame({"src": [5, 2, 9, 7], "dst": [2, 7, 9, 5], "k": "x"})
    names = [["src", "k"], ["dst", "k"]] if several else ["src", "dst"]
    found = components(edges, *names, forest=True, engine=engine)
    other = again(found, path)
    same(other.forest(), found.forest())
    same(pickle.loads(pickle.dumps(other)).forest(), found.forest())
    with pytest.raises(errors.InputError, match="forest=True"):
        again(components(edges), path).forest()


def test_answers_of_batches_thresholds_and_files(path, tmp_path):
    seen = cc_rapids.Connectivity().insert(([5, 2], [2, 7]))
    assert again(seen.components(), path) == seen.components()
    (tmp_path / "edges.csv").write_text("src,dst\n5,2\n2,7\n")
    found = components(tmp_path / "edges.csv")
    assert again(found, path).summary()["taken"] == found.summary()["taken"]
    dropped = components(pl.DataFrame({"src": [1, None], "dst": [2, 3]}), nulls="drop")
    assert again(dropped, path).summary()["dropped"] == 1


def test_enumerations_come_back_as_categories(path):
    found = components(EDGES[ENUM]())
    other = again(found, path)
    assert other == found
    assert other.labels()["vertex"].dtype == pl.Categorical


def test_vertices_alone_and_nothing(path):
    found = components(([], []), num_vertices=5)
    assert again(found, path).labels().labels.tolist() == [0, 1, 2, 3, 4]
    huge = components(np.array([[2**64 - 1, 2**64 - 2]], np.uint64))
    assert again(huge, path).labels().vertex.tolist() == [2**64 - 2, 2**64 - 1]
    small = components(np.array([[-3, -1], [-2, -2]], np.int8))
    same(again(small, path).labels(), small.labels())


def test_a_missing_library_is_replaced_by_pyarrow(path, caplog, monkeypatch):
    components(pd.DataFrame({"src": [5], "dst": [2]})).save(path)
    words, arrays = archive.read(path)
    archive.write(path, words | {"answers": {"frame": "cudf", "types": [""]}}, arrays)
    with caplog.at_level(logging.WARNING):
        assert Components.load(path, engine="threads").labels()["vertex"].to_pylist() == [2, 5]
    assert "PyArrow" in caplog.text


def test_what_is_no_saved_answer_is_refused(path):
    components(([5], [2])).save(path)
    seen = path.with_name("seen")
    cc_rapids.Connectivity().insert(([5], [2])).save(seen)
    with pytest.raises(errors.FormatError, match=r"Connectivity\.load\(\)"):
        Components.load(seen)
    with pytest.raises(errors.FormatError, match="connectivity"):
        cc_rapids.Connectivity.load(path)
    with pytest.raises(errors.FormatError, match="no file"):
        Components.load(path.with_name("none"))
    with pytest.raises(errors.ArgumentTypeError, match="path"):
        Components.load(7)
    with pytest.raises(errors.EngineError, match="gpux"):
        Components.load(path, engine="gpux")
    with pytest.raises(errors.OutputError):
        components(([5], [2])).save(path / "below" / "a" / "file")
    assert Components.load(path).labels().vertex.tolist() == [2, 5]


def test_every_byte_of_a_file_counts(path):
    components((["a", "c"], ["b", "d"])).save(path)
    octets = path.read_bytes()
    for at in range(0, len(octets), 7):
        path.write_bytes(octets[:at] + bytes([octets[at] ^ 1]) + octets[at + 1 :])
        with pytest.raises(errors.FormatError):
            Components.load(path)
    for size in (0, 10, len(octets) - 1):
        path.write_bytes(octets[:size])
        with pytest.raises(errors.FormatError):
            Components.load(path)


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ({"labels": "odd"}, {}),
        ({"facts": {"design": "x"}}, {}),
        ({"columns": []}, {}),
        ({"columns": [{"ids": "words"}]}, {}),
        ({"columns": [{"ids": "integers", "dtype": "int8"}]}, {}),
        ({"columns": [{"ids": "integers", "dtype": "float64"}]}, {}),
        ({}, {"parent": np.array([0, 2, 2], np.uint32)}),
        ({}, {"parent": np.array([0, 0], np.uint32)}),
        ({}, {"parent": np.array([0, 0, 2])}),
        ({}, {"0_ids": np.array([5, 2, 900])}),
        ({}, {"0_ids": np.array([2, 2, 900])}),
        ({}, {"forest_row": np.array([0])}),
    ],
)
def test_files_that_contradict_themselves_are_refused(path, said, own):
    components(([2, 900], [5, 900])).save(path)
    words, arrays = archive.read(path)
    archive.write(path, words | said, arrays | own)
    with pytest.raises(errors.FormatError, match="save it again"):
        Components.load(path)


def test_an_answer_is_not_taken_for_a_state(tmp_path):
    cc_rapids.components(([1], [2])).save(tmp_path / "answer")
    with pytest.raises(errors.FormatError, match="it is an answer"):
        cc_rapids.Connectivity.load(tmp_path / "answer")
