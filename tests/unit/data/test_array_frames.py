"""Frames of a library that neither Arrow nor narwhals supports: columns in, frames out."""

import numpy as np
import pyarrow.parquet as pq
import pytest

import cc_rapids
from cc_rapids.data import kinds
from cc_rapids.data.adapters import adapter_of


class Series:
    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def to_numpy(self):
        return self.values


class Frame:
    def __init__(self, columns):
        self.arrays = {name: np.ma.asarray(column) for name, column in columns.items()}

    @property
    def columns(self):
        return list(self.arrays)

    def __getitem__(self, name):
        return Series(self.arrays[name])


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    library = kinds.FrameLibrary(lambda frame, name: frame[name].to_numpy(), Frame)
    monkeypatch.setitem(kinds.FRAME_LIBRARIES, Frame.__module__.partition(".")[0], library)


def edges():
    return Frame({"src": [5, 2, 9, 11], "dst": [2, 7, 9, 12], "w": [1.0, 0.5, 0.2, 0.9]})


def lists(frame):
    assert type(frame) is Frame
    return {name: column.tolist() for name, column in frame.arrays.items()}


LABELS = {"vertex": [2, 5, 7, 9, 11, 12], "labels": [2, 2, 2, 9, 11, 11]}


@pytest.mark.parametrize("made", [edges, lambda: [edges(), edges()], lambda: iter([edges()])])
def test_labels_of_frames_and_of_batches_are_frames(made):
    assert lists(cc_rapids.components(made()).labels()) == LABELS
    assert lists(cc_rapids.stream_components(made()).labels()) == LABELS
    assert type(adapter_of(edges())).__name__ == "ArrayFrames"


def test_bounds_on_weights_and_forests():
    expected = {"vertex": [2, 5, 7, 11, 12], "labels": [2, 2, 2, 11, 11]}
    for weight in ("w", edges()["w"]):
        found = cc_rapids.components(edges(), weight=weight, at_least=0.4)
        assert lists(found.labels()) == expected
    assert lists(cc_rapids.components([edges()], weight="w", at_least=0.4).labels()) == expected
    assert lists(cc_rapids.bridges(edges()))["row"] == [0, 1, 3]


def test_text_and_composite_ids():
    words = Frame({"a": ["x", "yy"], "b": ["yy", "z"]})
    assert lists(cc_rapids.components(words).labels())["labels"] == ["x"] * 3
    pairs = Frame({"a": [1, 2], "b": [2, 3], "c": [2, 3], "d": [1, 2]})
    found = cc_rapids.components(pairs, ["a", "b"], ["c", "d"])
    assert lists(found.labels())["labels"] == [0, 0, 1, 1]


def test_answers_about_frames():
    found, records = cc_rapids.components(edges()), Frame({"vertex": [7, 99, 9], "x": [3, 1, 2]})
    assert lists(found.attach(edges(), on="dst"))["labels"] == [2, 2, 9, 11]
    assert lists(found.attach(records, missing="null"))["labels"] == [2, None, 9]
    assert found.component_of(edges()["src"]).tolist() == [2, 2, 9, 11]
    assert found.connected(edges()).tolist() == [True] * 4
    assert lists(found.edges(9, edges()))["dst"] == [9]
    ids = Frame({"vertex": [5, 2, 9], "x": [1, 2, 3]})
    assert lists(found.deduplicate(ids, by="x"))["vertex"] == [2, 9]
    assert lists(found.duplicates(ids, by="x"))["kept_vertex"] == [2]
    assert found.audit(edges())


def test_records_are_linked_by_key():
    people = Frame({"mail": ["a", "b", "a"]})
    assert lists(cc_rapids.link_records(people, keys=["mail"]).labels())["labels"] == [0, 1, 0]


@pytest.mark.parametrize("ids", [[5, 2], ["x", "yy"]])
def test_saved_answers_are_frames_again(tmp_path, ids):
    found = cc_rapids.components(Frame({"src": ids[:1], "dst": ids[1:]}))
    found.save(tmp_path / "answer")
    loaded = cc_rapids.Components.load(tmp_path / "answer")
    assert lists(loaded.labels()) == lists(found.labels())
    found.to_parquet(tmp_path / "labels.parquet")
    assert pq.read_table(tmp_path / "labels.parquet")["vertex"].to_pylist() == sorted(ids)


def test_what_is_missing_is_named():
    with pytest.raises(cc_rapids.MissingColumnError, match="unknown column 'q': one of dst, src"):
        cc_rapids.components(edges(), "q", "dst")
    with pytest.raises(cc_rapids.NullsError, match="column 'src' has 1 null"):
        cc_rapids.components(Frame({"src": np.array(["a", None]), "dst": ["b", "c"]}))
