"""Batches of edges whose ids have several columns: the same answers as of all edges at once."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from support.as_lists import columns

from cc_rapids import Connectivity, components
from cc_rapids.data.files import archive
from cc_rapids.errors import (
    ColumnTypeError,
    FormatError,
    InputError,
    MissingColumnError,
    NullsError,
    UnknownVertexError,
)

SIDES = ["a", "b", "e"], ["c", "d", "f"]
WORDS = np.array(["x", "é", "", "ab", "z z"])


def edges(m=60, seed=0):
    random = np.random.default_rng(seed)
    small, words, far = (
        random.integers(-3, 3, (2, m)).astype(np.int16),
        WORDS[random.integers(0, WORDS.size, (2, m))],
        random.integers(0, 4, (2, m)) * 2**61,
    )
    sides = [(small[k], words[k], far[k].astype(np.uint64)) for k in range(2)]
    names = [*SIDES[0], *SIDES[1]]
    return pd.DataFrame(dict(zip(names, [*sides[0], *sides[1]], strict=True)))


KINDS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("labels", ["min", "max", "dense", "size"])
def test_batches_give_what_one_frame_gives(kind, labels, engine):
    frame = edges()
    seen = Connectivity(engine=engine)
    for first, last in ((0, 0), (0, 25), (25, 26), (26, 60)):
        seen.insert(kind(frame[first:last]), *SIDES)
    found, whole = seen.components(labels), components(kind(frame), *SIDES, labels=labels)
    for name in ("labels", "sizes"):
        one, other = getattr(found, name)(), getattr(whole, name)()
        assert type(one) is type(other)
        assert columns(one) == columns(other)
        assert getattr(one, "schema", list(one)) == getattr(other, "schema", list(other))
    assert seen.num_vertices == len(whole.labels())
    assert found.summary()["ids"] == "rows, sorted ids"


PAIRS = ["a", "b"], ["c", "d"]
FEW = pd.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "x"], "c": [1, 2, 3], "d": ["y", "y", "x"]})


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_batches_of_files(suffix, tmp_path):
    path, few = tmp_path / f"few.{suffix}", pa.Table.from_pandas(FEW, preserve_index=False)
    (pyarrow.csv.write_csv if suffix == "csv" else pq.write_table)(few, path)
    seen = Connectivity().insert(path, *PAIRS)
    assert columns(seen.components().labels()) == columns(components(few, *PAIRS).labels())
    assert set(seen.components().summary()["taken"][0]["columns"]) == {"a", "b", "c", "d"}
    assert seen.connected(path, *PAIRS).tolist() == [True] * 3
    with pytest.raises(MissingColumnError, match="has no column 'z'"):
        seen.insert(path, ["a", "z"], PAIRS[1])
    with pytest.raises(InputError, match="source names 2 columns and destination 1"):
        seen.insert(path, PAIRS[0], ["c"])
    assert len(Connectivity().insert(path, ["a"], ["c"])) == 1


def test_queries_look_ids_up_by_all_of_their_columns(engine):
    seen = Connectivity(engine=engine).insert(FEW[:2], *PAIRS).insert(FEW[2:], *PAIRS)
    assert len(seen) == 2
    asked = pd.DataFrame({"a": [1, 1, 1], "b": ["x"] * 3, "c": [2, 2, 9], "d": ["y", "x", "x"]})
    asked.index = [7, 5, 3]
    answer = seen.connected(asked[:2], *PAIRS)
    assert answer.tolist() == [True, False]
    assert answer.index.tolist() == [7, 5]
    with pytest.raises(UnknownVertexError, match=r"1 of 3 ids in 'c, d' .*: \(9, 'x'\)"):
        seen.connected(asked, *PAIRS)
    assert seen.connected(asked, *PAIRS, missing="false").tolist() == [True, False, False]
    found = seen.components(labels="min")
    assert found.component_of((3, "x")) == (2, "x")
    assert columns(found.component_of([(2, "y"), (2, "x")])) == [[1, 2], ["x", "x"]]
    assert columns(found.attach(FEW[["a", "b"]], on=["a", "b"]))[2:] == [[1, 1, 2], ["x"] * 3]


def test_insertions_and_queries_in_one_batch(engine):
    rows = FEW.assign(query=[False, True, True])
    seen = Connectivity(vertices=[(2, "y"), (2, "x"), (3, "x")], engine=engine)
    assert seen.process(rows, *PAIRS).tolist() == [False, False]
    assert seen.num_vertices == 5
    assert len(seen.insert(iter([FEW[:1], FEW[1:]]), *PAIRS)) == 2


NAMED = {
    "tuples": [(5, "q"), (1, "x")],
    "columns": [[5, 1], ["q", "x"]],
    "pandas": pd.DataFrame({"p": [5, 1], "q": ["q", "x"]}),
    "lazy": pl.LazyFrame({"p": [5, 1], "q": ["q", "x"]}),
    "pyarrow": pa.table({"p": [5, 1], "q": ["q", "x"]}),
}


@pytest.mark.parametrize("named", NAMED.values(), ids=NAMED)
def test_vertices_that_are_there_from_the_start(named):
    seen = Connectivity(vertices=named)
    assert columns(seen.components().labels()) == [[1, 5], ["x", "q"], [0, 1]]
    seen.insert(FEW, *PAIRS)
    assert columns(seen.components().labels()) == columns(
        components(FEW, *PAIRS, vertices=named).labels()
    )


def test_vertices_are_rows_of_an_array():
    seen = Connectivity(vertices=np.array([[5, 1], [1, 2]]))
    assert columns(seen.components().labels()) == [[1, 5], [2, 1], [0, 1]]


@pytest.mark.parametrize("none", [FEW[:0][["a", "b"]], [], np.empty((0, 2))])
def test_no_ids_say_nothing(none):
    seen = Connectivity(vertices=none)
    assert len(seen) == len(seen.insert(FEW[:0], *PAIRS)) == 0
    assert columns(seen.components().labels()) == [[]] * 3
    assert len(seen.insert(FEW, *PAIRS).insert(([], []))) == 2
    alone = Connectivity().insert(FEW[:0], *PAIRS).insert(([1], [2]))
    assert alone.components().labels().vertex.tolist() == [1, 2]


def test_nulls_are_refused_or_left_out():
    holes = FEW.assign(b=["x", None, "x"])
    with pytest.raises(NullsError, match="'b' has 1 null in 3 rows"):
        Connectivity().insert(holes, *PAIRS)
    seen = Connectivity().insert(holes, *PAIRS, nulls="drop")
    assert seen.components().summary()["dropped"] == 1
    assert columns(seen.components().labels()) == columns(
        components(holes, *PAIRS, nulls="drop").labels()
    )


def test_other_columns_than_so_far_are_refused_and_change_nothing():
    seen = Connectivity().insert(FEW, *PAIRS)
    before = repr(seen)
    with pytest.raises(
        InputError, match=r"1 column per side \(a\), but the 5 vertices .* 2 columns"
    ):
        seen.insert(FEW, "a", "c")
    with pytest.raises(InputError, match=r"1 column per side \(src\)"):
        seen.connected(([1], [2]))
    says = f"'b' is {FEW['b'].dtype}, but the 5 vertices so far are integers"
    with pytest.raises(ColumnTypeError, match=says):
        seen.insert(FEW, ["b", "a"], ["d", "c"])
    with pytest.raises(InputError, match=r"2 columns per side .* num_vertices= is for ids of one"):
        Connectivity(9).insert(FEW, *PAIRS)
    with pytest.raises(InputError, match="source names 2 columns and destination 1"):
        seen.insert(FEW, ["a", "b"], ["c"])
    assert repr(seen) == before
    alone = Connectivity().insert(([1], [2]))
    with pytest.raises(InputError, match="but the 2 vertices so far have 1 column"):
        alone.insert(FEW, *PAIRS)


@pytest.mark.parametrize(("first", "later"), [(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)])
@pytest.mark.parametrize("form", [pyarrow.dataset.dataset, str])
def test_files_of_other_columns_than_so_far_are_refused(tmp_path, form, first, later):
    path = tmp_path / "e.parquet"
    edges().to_parquet(path)
    sides = {width: [list(side[:width]) for side in SIDES] for width in (first, later)}
    seen = Connectivity().insert(form(path), *sides[first])
    before = repr(seen)
    says = f"ids have {later} columns? per side.* ha(s|ve) {first}"
    with pytest.raises(InputError, match=says):
        seen.insert(form(path), *sides[later])
    assert repr(seen) == before


def test_values_far_apart_and_of_types_that_grow():
    first = pd.DataFrame({"a": [-(2**62)], "b": [1], "c": [7], "d": [2**63 - 1]})
    second = first.assign(a=[7], b=np.array([2**64 - 1], np.uint64))
    seen = Connectivity().insert(first, *PAIRS).insert(second, *PAIRS)
    both = seen.components().labels()
    assert columns(both)[:2] == [[-(2**62), 7, 7], [1, 2**63 - 1, 2**64 - 1]]
    assert both.dtypes.tolist() == ["int64", "uint64", "int32"]
    with pytest.raises(ColumnTypeError, match="no integer type holds both"):
        seen.insert(first.assign(b=[-1]), *PAIRS)


@pytest.mark.parametrize("count", [0, 60])
def test_save_and_load(count, engine, tmp_path):
    frame, path = edges(), tmp_path / "seen"
    seen = Connectivity().insert(frame[:count], *SIDES)
    seen.save(path)
    loaded = Connectivity.load(path, engine=engine)
    assert repr(loaded).partition(" on ")[0] == repr(seen).partition(" on ")[0]
    assert columns(loaded.components().labels()) == columns(seen.components().labels())
    more = edges(seed=1)
    loaded.insert(more, *SIDES)
    whole = components(pd.concat([frame[:count], more]), *SIDES)
    assert columns(loaded.components().labels()) == columns(whole.labels())


def test_a_file_that_lies_about_its_columns_is_refused(tmp_path):
    path = tmp_path / "seen.npz"
    Connectivity().insert(FEW, *PAIRS).save(path)
    words, parts = archive.read(path)
    for changed in (
        {"0_ranks": parts["0_ranks"] + 3},
        {"0_ranks": parts["0_ranks"][:-1]},
        {"1_ranks": np.roll(parts["1_ranks"], 1)},
        {"1_ranks": parts["1_ranks"] * 0},
    ):
        archive.write(path, words, parts | changed)
        with pytest.raises(FormatError, match="is damaged"):
            Connectivity.load(path)
    archive.write(path, words | {"columns": words["columns"] * 2}, parts)
    with pytest.raises(FormatError, match="is damaged"):
        Connectivity.load(path)
