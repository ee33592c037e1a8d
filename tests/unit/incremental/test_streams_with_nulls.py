"""Chunks in which ends are missing, as lists and arrays have it: the answer of all rows at once."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from cc_rapids import Connectivity, components, components_at, stream_components
from cc_rapids.errors import ColumnTypeError, NullsError

NAN = float("nan")
ROWS = 9000


def ends(words):
    """Two columns with None in them: here and there, and on one side in the whole middle."""
    random = np.random.default_rng(0)
    columns = [random.integers(0, 700, ROWS).tolist() for _ in range(2)]
    columns[0][2000:6000] = [None] * 4000
    columns[1][6000:] = [None if k % 3 else end for k, end in enumerate(columns[1][6000:])]
    if words:
        columns = [[None if end is None else f"v{end}" for end in side] for side in columns]
    return columns


def listed(missing):
    return lambda side: [missing if end is None else end for end in side]


def objects(missing):
    return lambda side: np.array(listed(missing)(side), object)


def masked(side):
    gaps = [end is None for end in side]
    some = next(end for end in side if end is not None)
    return np.ma.array(
        [some if gap else end for gap, end in zip(gaps, side, strict=True)], mask=gaps
    )


def masked_objects(side):
    return np.ma.array(np.array(side, object), mask=[end is None for end in side])


LISTS = {
    "list": listed(None),
    "list of nan": listed(NAN),
    "list of NA": listed(pd.NA),
    "list of masked": listed(np.ma.masked),
    "masked array": masked,
}
OBJECTS = {
    "objects of None": objects(None),
    "objects of nan": objects(NAN),
    "objects of NA": objects(pd.NA),
    "masked objects": masked_objects,
    "strings": lambda side: np.array(side, np.dtypes.StringDType(na_object=None)),
}
KINDS = [(name, False) for name in LISTS] + [(name, True) for name in LISTS | OBJECTS]


def chunks(pair, rows=500):
    return (tuple(side[at : at + rows] for side in pair) for at in range(0, ROWS, rows))


DOORS = {
    "iterator": lambda pair: components(chunks(pair), nulls="drop"),
    "slices": lambda pair: stream_components(pair, nulls="drop", memory_limit="33MiB"),
    "batches": lambda pair: Connectivity().insert(chunks(pair), nulls="drop").components(),
    "cuts": lambda pair: components_at(pair, weight=[1] * ROWS, thresholds=[1], nulls="drop").at(1),
}


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("kind", "words"), KINDS)
def test_edges_with_a_missing_end_are_left_out(kind, words, door):
    sides = ends(words)
    pair = tuple(map((LISTS | OBJECTS)[kind], sides))
    there = [row for row in zip(*sides, strict=True) if None not in row]
    want = components(tuple(map(list, zip(*there, strict=True))))
    found = DOORS[door](pair)
    assert type(found.labels()) is type(want.labels())
    for one, other in zip(found.labels(), want.labels(), strict=True):
        assert one.tolist() == other.tolist()
    assert found.summary()["dropped"] == ROWS - len(there)
    assert found.summary()["edges"] == len(there)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "words"), KINDS)
def test_they_are_known_again_by_checkpoints_and_audits(kind, words, tmp_path):
    pair = tuple(map((LISTS | OBJECTS)[kind], ends(words)))
    options = {"nulls": "drop", "checkpoint": tmp_path / "far", "checkpoint_every": 0}
    found = [components(chunks(pair), **options) for _ in range(2)]
    assert found[0] == found[1]
    assert found[0].summary()["dropped"] == found[1].summary()["dropped"]
    assert found[1].audit(chunks(pair), nulls="drop").components == len(found[1])


@pytest.mark.parametrize("missing", [None, NAN, pd.NA, np.ma.masked])
@pytest.mark.parametrize("ids", [[1, 2], ["a", "b"]])
def test_a_chunk_may_have_nothing_but_missing_ends(missing, ids):
    gaps = [missing, missing]
    for items in ([(gaps, ids), (ids, ids)], [(ids, ids), (ids, gaps)], [(gaps, gaps)]):
        found = components(iter(items), nulls="drop")
        assert list(found.labels().vertex) == (ids if len(items) > 1 else [])
        assert found.summary()["dropped"] == 2
    with pytest.raises(NullsError, match="'dst' has 2 nulls in 2 rows: nulls='drop'"):
        components(iter([(ids, ids), (ids, gaps)]))


def test_floats_beside_nan_are_no_ids():
    for floats in ([NAN, 1.5], np.array([NAN, NAN])):
        with pytest.raises(ColumnTypeError, match="'src' is float64"):
            components(iter([(floats, [1, 2])]), nulls="drop")


@pytest.mark.parametrize("extra", [{}, {"memory_limit": "1GiB"}])
@pytest.mark.parametrize("kind", ["parquet", "csv", "one file", "dataset", "row groups"])
def test_nulls_of_files_name_the_file_and_the_first_row(kind, extra, tmp_path):
    whole, gaps = tmp_path / "0", tmp_path / "1"
    first, second = pa.table({"a": [1, 2], "b": [2, 3]}), {"a": [1, None, None], "b": [2, 3, 4]}
    suffix = ".csv" if kind == "csv" else ".parquet"
    write = pyarrow.csv.write_csv if kind == "csv" else pq.write_table
    sliced = {"row_group_size": 1} if kind == "row groups" else {}
    write(first, whole.with_suffix(suffix), **sliced)
    write(pa.table(second), gaps.with_suffix(suffix), **sliced)
    edges = gaps.with_suffix(suffix) if kind == "one file" else tmp_path
    edges = pyarrow.dataset.dataset(edges) if kind == "dataset" else edges
    says = rf"{gaps.name}\{suffix}, row 1 \(from 0\): column 'a' has . nulls? in"
    for solve in (components, Connectivity().insert):
        with pytest.raises(NullsError, match=says):
            solve(edges, "a", "b", **(extra if solve is components else {}))
    found = components(edges, "a", "b", nulls="drop", **extra)
    with pytest.raises(NullsError, match=says):
        found.audit(edges, "a", "b")


@pytest.mark.parametrize("ids", ["x,y", "1,2"])
@pytest.mark.parametrize("nulls", [0, 1, 300_000])
@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("name", ["pairs.csv", "pairs.csv.gz"])
def test_rows_without_ids_do_not_fix_the_type(tmp_path, name, ids, nulls, end):
    path = tmp_path / name
    opener = gzip.open if name.endswith(".gz") else open
    with opener(path, "wt") as file:
        file.write("a,b,w\n" + ",,1\n" * nulls + f"{ids},2{end}")
    for bound in {}, {"weight": "w", "at_most": 2}:
        found = stream_components(path, source="a", destination="b", nulls="drop", **bound)
        assert found.num_components == 1, bound
        assert found.ledger["given"] == nulls + 1


@pytest.mark.parametrize("bound", [{}, {"weight": "w", "at_most": 2}])
def test_a_file_without_ids_does_not_fix_the_type_of_others(tmp_path, bound):
    for number, rows in enumerate(["", ",,1\n" * 7, "x,y,1\n"]):
        (tmp_path / f"{number}.csv").write_text("a,b,w\n" + rows)
    names = {"source": "a", "destination": "b", "nulls": "drop"}
    for door in stream_components, components:
        found = door(f"{tmp_path}/*.csv", **names, **bound)
        assert found.num_components == 1
        assert found.ledger["given"] == 8
