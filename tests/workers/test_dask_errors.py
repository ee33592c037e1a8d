"""What cannot be used is said by errors of ours, alike for spread edges and spread vertices."""

import os

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from distributed import get_worker
from support.choices import each, some

import cc_rapids.dask
from cc_rapids import errors

EDGES = pd.DataFrame({"src": [1, 2, 5], "dst": [2, 3, 5], "weight": [0.5, 1.0, 2.0]})
BOTH = some("partition", ["edges", "vertices"], usual=["vertices"])


def spread(frame=EDGES):
    return dd.from_pandas(frame, npartitions=2, sort=False)


def refused(error, words, edges, *sides, **options):
    with pytest.raises(error, match=words) as raised:
        cc_rapids.dask.components(edges, *sides, **options)
    message = str(raised.value)
    assert type(raised.value) is error
    assert len(message) < 600
    assert "\n" not in message


LACKING = {
    "more columns": lambda: dd.from_map(
        lambda k: [EDGES, EDGES[["src", "weight"]]][k], range(2), meta=EDGES[:0]
    ),
    "no other columns": lambda: dd.from_map(
        lambda k: [EDGES[["src", "dst"]], EDGES[["src"]]][k],
        range(2),
        meta=EDGES[["src", "dst"]][:0],
    ),
    "delayed": lambda: dd.from_delayed(
        [dask.delayed(EDGES), dask.delayed(EDGES[["src"]])], meta=EDGES[:0], verify_meta=False
    ),
}


@BOTH
@pytest.mark.parametrize("frame", LACKING.values(), ids=LACKING)
def test_a_partition_that_lacks_a_column(client, partition, frame):
    words = "a partition has no column 'dst'"
    refused(errors.MissingColumnError, words, frame(), partition=partition)


@BOTH
def test_files_of_which_one_lacks_a_column(client, partition, tmp_path):
    EDGES.to_parquet(tmp_path / "a.parquet")
    EDGES[["src"]].to_parquet(tmp_path / "b.parquet")
    frame = dd.read_parquet(str(tmp_path / "*.parquet"))
    refused(errors.MissingColumnError, "no column 'dst'", frame, partition=partition)


@BOTH
def test_columns_that_no_partition_has(client, partition):
    how = {"partition": partition}
    refused(errors.MissingColumnError, "'who'", spread(), "who", **how)
    refused(errors.MissingColumnError, "'dts'", spread(), "src", "dts", **how)
    refused(errors.InputError, "both 'src'", spread(), "src", "src", **how)
    refused(errors.InputError, "2 columns and destination 1", spread(), ["src", "w"], "dst", **how)


NO_FRAMES = {
    "list": ([1, 2], "a list of 2"),
    "none": (None, "None"),
    "array": (np.zeros((2, 2), int), "a numpy ndarray"),
    "dict": ({"src": [1], "dst": [2]}, "a dict of 2"),
    "series": (EDGES["src"], "a pandas Series"),
    "string": ("src", "'src'"),
    "Polars": (pl.DataFrame({"src": [1], "dst": [2]}), "a polars DataFrame"),
    "PyArrow": (pa.table({"src": [1], "dst": [2]}), "a pyarrow Table"),
}


@each(partition=["edges", "vertices"], name=NO_FRAMES)
def test_a_partition_that_is_no_frame(client, partition, name):
    thing, words = NO_FRAMES[name]
    for columns in (["src", "dst"], ["src", "dst", "weight"]):
        pieces = EDGES[columns], EDGES[columns], thing
        how = {"meta": pieces[0][:0], "enforce_metadata": False}
        edges = dd.from_map(lambda k, pieces=pieces: pieces[k], range(3), **how)
        told = f"partition 2 of the edges is {words}, not a frame"
        refused(errors.ArgumentTypeError, told, edges, partition=partition)


@each(partition=["edges", "vertices"], name=["list", "none", "array", "Polars"])
def test_a_partition_of_vertices_that_is_no_frame(client, partition, name):
    thing, words = NO_FRAMES[name]
    how = {"meta": EDGES["src"][:0], "enforce_metadata": False}
    named = dd.from_map(lambda k: [EDGES["src"], thing][k], range(2), **how)
    told = f"partition 1 of the vertices is {words}, not a frame"
    refused(errors.ArgumentTypeError, told, spread(), vertices=named, partition=partition)


@BOTH
def test_errors_of_what_makes_partitions_come_as_they_are(client, partition):
    def make(k):
        raise TypeError("a word of its own")

    edges = dd.from_map(make, range(2), meta=EDGES[:0], enforce_metadata=False)
    with pytest.raises(TypeError, match="a word of its own"):
        cc_rapids.dask.components(edges, partition=partition)


VERTICES = {
    "floats": ([1.5], errors.ColumnTypeError, "'vertices' is float64"),
    "strings": (["a"], errors.ColumnTypeError, "vertices are .*, but column 'src' is int64"),
    "nulls": ([None, 1], errors.NullsError, "vertices= has 1 null in 2 rows"),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), errors.NullsError, "vertices= has 1 null"),
    "shape": (np.array([[1, 2]]), errors.InputError, r"'vertices' has shape \(1, 2\)"),
    "a number": (5, errors.InputError, r"'vertices' cannot be 5: pass a column"),
    "a set": ({1, 2}, errors.InputError, r"'vertices' cannot be a set of 2: pass a column"),
    "a dict": ({"a": 1}, errors.InputError, "'vertices'"),
    "far": (range(2**70, 2**70 + 2), errors.InputError, "beyond 64-bit integers"),
    "two columns": (spread()[["src", "dst"]], errors.InputError, "vertices have 2 columns, but"),
    "no columns": (
        spread()[[]],
        errors.InputError,
        "vertices have 0 columns, but the edges have 1",
    ),
    "weights": (spread()["weight"], errors.ColumnTypeError, "'vertices' is float64"),
    "words": (
        spread(EDGES.astype("str"))["src"],
        errors.ColumnTypeError,
        "vertices are str.*, but",
    ),
    "an array": (dask.delayed([1]), errors.InputError, "vertices cannot be a Dask Delayed"),
}


@each(partition=["edges", "vertices"], name=VERTICES)
def test_vertices_that_cannot_be_used(client, partition, name):
    vertices, error, words = VERTICES[name]
    refused(error, words, spread(), vertices=vertices, partition=partition)


@BOTH
def test_vertices_that_lie_about_their_columns(client, partition):
    wide = EDGES[["src"]], EDGES[["src", "dst"]]
    meta = EDGES[["src"]][:0]
    named = dd.from_map(lambda k: wide[k], range(2), meta=meta, enforce_metadata=False)
    words = "vertices have 2 columns, but the edges have 1"
    refused(errors.InputError, words, spread(), vertices=named, partition=partition)


@BOTH
def test_strings_have_no_numbers(client, partition):
    text = spread(EDGES[["src", "dst"]].astype("str"))
    for named in ({"num_vertices": 5}, {"vertices": range(5)}):
        refused(errors.InputError, "'src' holds strings, so", text, partition=partition, **named)
    hidden = dd.from_map(
        lambda k: EDGES[["src", "dst"]].astype("str"),
        range(2),
        meta=EDGES[["src", "dst"]].astype("object")[:0],
        enforce_metadata=False,
    )
    refused(errors.InputError, "'src' holds strings", hidden, partition=partition, num_vertices=5)


@BOTH
def test_ids_beyond_those_that_are_counted(client, partition):
    words = "holds the id 5, outside 0..2 of num_vertices=3: pass a larger number, or vertices="
    refused(errors.InputError, words, spread(), partition=partition, num_vertices=3)


@BOTH
def test_a_column_by_any_name_is_called_as_the_caller_does(client, partition):
    pair = EDGES[["src", "dst"]].rename(columns={"src": "from_id", "dst": "to_id"})
    words = "_id' holds the id 5, outside"
    how = {"partition": partition, "num_vertices": 3}
    refused(errors.InputError, words, spread(pair), "from_id", "to_id", **how)


def failing(ids):
    raise KeyError("boom")


OWNERS = {
    "fails": (failing, "owners failed for . ids of type int64: KeyError: 'boom'"),
    "nothing": (lambda ids: None, r"owners returned object of shape \(\) for"),
    "floats": (lambda ids: ids * 0.5, "owners returned float64 of shape"),
    "strings": (lambda ids: "x", r"owners returned <U1 of shape \(\)"),
    "short": (lambda ids: [0] * (len(ids) + 1), "owners returned int64 of shape"),
    "square": (lambda ids: np.zeros((len(ids), 2), int), r"of shape \(., 2\) for"),
    "nulls": (lambda ids: pd.Series([pd.NA] * len(ids), dtype="Int64"), "owners returned"),
    "negative": (lambda ids: ids * 0 - 1, "parts from -1 to -1"),
    "a number": (5, "owners must be 'range', 'hash' or a function of ids, not 5"),
    "bytes": (b"hash", "owners must be 'range', 'hash' or a function of ids"),
    "an array": (
        np.array([0, 1]),
        "owners must be 'range', 'hash' or a function of ids, not a ndarray",
    ),
    "a series": (pd.Series([0, 1]), "a function of ids, not a Series"),
}


@pytest.mark.parametrize("name", OWNERS)
def test_owners_that_cannot_be_used(client, name):
    owners, words = OWNERS[name]
    refused(errors.InputError, words, spread(), partition="vertices", owners=owners)


class Counter:
    def __init__(self):
        self.count = 0

    def __call__(self, ids):
        self.count += 1
        return np.full(len(ids), self.count % 2)


UNSTEADY = {
    "by place": lambda ids: np.arange(len(ids)) % 2,
    "by length": lambda ids: (ids + len(ids)) % 2,
    "by the least": lambda ids: ids == ids.min(),
    "by worker": lambda ids: np.full(len(ids), int(get_worker().name) % 2),
    "random": lambda ids: np.random.default_rng().integers(0, 2, len(ids)),
    "by call": Counter(),
}


@each(count=[3, 4000], name=UNSTEADY)
def test_owners_that_depend_on_more_than_the_id(client, name, count):
    ids = np.random.default_rng(count).integers(0, count, (2, count))
    edges = spread(EDGES if count == 3 else pd.DataFrame({"src": ids[0], "dst": ids[1]}))
    words = "owners assigns the id [0-9]+ to part [01] in one call, but to part [01] in another"
    refused(errors.InputError, words, edges, partition="vertices", owners=UNSTEADY[name])


def test_owners_by_the_hash_of_a_process(client):
    """Of 30 ids on each worker: of a few all might have the same hash by chance."""
    ends = np.random.default_rng(0).integers(0, 30, (2, 400)).astype(str)
    frame = pd.DataFrame({"src": ends[0], "dst": ends[1]})
    owners = {"owners": lambda ids: [hash((str(one), os.getpid())) % 2 for one in ids]}
    words = "owners assigns the id '[0-9]+' to part"
    refused(errors.InputError, words, spread(frame), partition="vertices", **owners)


def test_rows_are_asked_about_where_they_arrive(client, monkeypatch):
    from cc_rapids.integrations.distributed import vertices as dask_vertices

    monkeypatch.setattr(dask_vertices, "_check_owner_function", lambda *_: None)
    frame = pd.DataFrame({"src": np.arange(500), "dst": np.arange(1, 501)})
    words = "owners assigns the id [0-9]+ to part"
    owners = {"owners": UNSTEADY["by place"]}
    refused(errors.InputError, words, spread(frame), partition="vertices", **owners)


def test_named_vertices_have_owners_of_their_own(client):
    owners = {"owners": lambda ids: (ids > 90) & (np.arange(len(ids)) % 2 == 1)}
    words = "owners assigns the id 9[0-9] to part"
    how = {"partition": "vertices", "vertices": range(100)}
    refused(errors.InputError, words, spread(), **how, **owners)


def test_owners_that_cannot_be_sent(client):
    import threading

    lock = threading.Lock()
    words = "owners cannot be sent to the workers"
    owners = {"owners": lambda ids: lock and ids % 2}
    refused(errors.InputError, words, spread(), partition="vertices", **owners)


@pytest.mark.extended
def test_owners_may_give_a_list(client):
    options = {"partition": "vertices", "owners": lambda ids: [int(one) % 2 for one in ids]}
    assert len(cc_rapids.dask.components(spread(), **options)) == 2
    assert len(cc_rapids.dask.components(spread(EDGES.iloc[:0]), **options)) == 0


@BOTH
def test_more_vertices_than_fit(client, partition):
    for vertices in ({"num_vertices": 1 << 45}, {"vertices": range(-(1 << 61), 1 << 61)}):
        with pytest.raises(errors.CapacityError, match="GiB"):
            cc_rapids.dask.components(spread(), partition=partition, **vertices)


@each(partition=["edges", "vertices"], strings=[True, False])
def test_halves_of_surrogate_pairs(client, partition, strings):
    bad = pd.DataFrame({"src": ["a", "\ud800"], "dst": ["b", "b"]}, dtype=object)
    with dask.config.set({"dataframe.convert-string": strings}):
        frame = dd.from_map(lambda k: bad, [0, 1], meta=bad[:0])
        words = "half of a surrogate pair"
        refused(errors.InputError, words, frame, partition=partition)


@BOTH
def test_the_columns_are_src_and_dst_by_default(client, partition):
    found = cc_rapids.dask.components(spread(), None, None, partition=partition)
    assert len(found) == 2


@some("partition", ["edges", "vertices"], usual=["edges"])
def test_vertices_of_every_kind(client, partition):
    ids = np.array([7, 1, 9])
    for vertices in (
        list(ids),
        ids.astype("uint64"),
        pd.Series(ids, index=[3, 3, 3]),
        pd.Index(ids),
        spread(pd.DataFrame({"id": ids})),
        spread(pd.DataFrame({"id": ids}))["id"],
        dd.from_pandas(pd.DataFrame(index=ids), npartitions=1).index,
    ):
        found = cc_rapids.dask.components(spread(), vertices=vertices, partition=partition)
        assert sorted(found.labels().compute()["vertex"]) == [1, 2, 3, 5, 7, 9]


@BOTH
def test_vertices_that_are_words(client, partition):
    words = spread(EDGES[["src", "dst"]].astype("str"))
    found = cc_rapids.dask.components(words, vertices=["a", "1"], partition=partition)
    assert sorted(found.labels().compute()["vertex"]) == ["1", "2", "3", "5", "a"]
