"""Labels attached to frames: of the type that labels() gives, null where the vertex is."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from as_lists import columns
from test_frames import TEXT, types

from cc_rapids import components, errors

WORDS = TEXT | {
    "pandas category": lambda words: pd.Series(words, dtype="category"),
    "polars Categorical": lambda words: pl.Series(words, dtype=pl.Categorical),
    "polars Enum": lambda words: pl.Series(words, dtype=pl.Enum(["c", "b", "a"])),
    "pyarrow dictionary": lambda words: pa.chunked_array([pa.array(words).dictionary_encode()]),
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
NULLS = {
    "Int64": lambda: pd.DataFrame({"vertex": pd.Series([2, None, 1], dtype="Int64")}),
    "Int64 of PyArrow": lambda: pd.DataFrame({"vertex": pd.array([2, None, 1], "int64[pyarrow]")}),
    "polars": lambda: pl.DataFrame({"vertex": [2, None, 1]}),
    "pyarrow": lambda: pa.table({"vertex": [2, None, 1]}),
}


def framed(column):
    """A frame with one column, of its library."""
    if isinstance(column, pa.ChunkedArray):
        return pa.table({"vertex": column})
    return nw.from_native(column, series_only=True).alias("vertex").to_frame().to_native()


def plain(column):
    """A column of any kind as a list, with None for what is null."""
    if isinstance(column, pd.Series):
        return [None if pd.isna(value) else value for value in column]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


@pytest.mark.parametrize("missing", ["raise", "null"])
@pytest.mark.parametrize("make", WORDS.values(), ids=WORDS)
def test_attached_words_have_the_type_of_the_labels(make, missing):
    found = components((make(["b", "c"]), make(["a", "c"])))
    attached = found.attach(framed(make(["c", "b", "c"])), missing=missing)
    assert plain(attached["labels"]) == ["c", "a", "c"]
    assert types(attached)[1] == types(found.labels())[1]
    assert types(attached)[1] == types(found.sizes())[0]


@pytest.mark.parametrize("make", WORDS.values(), ids=WORDS)
def test_null_words_have_null_labels_of_that_type(make):
    found = components((make(["b"]), make(["a"])))
    attached = found.attach(framed(make(["b", None, "c", "a"])), missing="null")
    assert plain(attached["labels"]) == ["a", None, None, "a"]
    assert types(attached)[1] == types(found.labels())[1]
    none = found.attach(framed(make([None, None])), missing="null")
    assert plain(none["labels"]) == [None, None]


def test_labels_of_an_enum_join_with_sizes():
    kind = pl.Enum(["c", "b", "a"])
    edges = pl.DataFrame({"src": ["b"], "dst": ["a"]}, schema={"src": kind, "dst": kind})
    found = components(edges)
    joined = found.attach(edges, on="src").join(found.sizes(), on="labels")
    assert joined["size"].to_list() == [2]


@pytest.mark.parametrize("kind", ["min", "dense"])
@pytest.mark.parametrize("make", NULLS.values(), ids=NULLS)
def test_null_ids_have_null_labels(engine, make, kind):
    found = components(([1], [2]), labels=kind, engine=engine)
    label = 1 if kind == "min" else 0
    attached = found.attach(make(), missing="null")
    assert plain(attached["labels"]) == [label, None, label]
    with pytest.raises(errors.NullsError, match="1 of 3 rows have nulls in 'vertex'") as raised:
        found.attach(make())
    assert "drop" not in str(raised.value)
    assert "missing='null'" in str(raised.value)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_row_with_a_null_in_any_of_its_columns_has_no_label(engine, make):
    edges = pd.DataFrame({"a": ["x"], "b": [1], "c": ["y"], "d": [2]})
    found = components(edges, ["a", "b"], ["c", "d"], engine=engine)
    frame = make({"p": ["y", None, "x", "x"], "q": [2, 1, 1, 3]})
    attached = found.attach(frame, on=["p", "q"], missing="null")
    assert plain(attached["0_labels"]) == ["x", None, "x", None]
    assert plain(attached["1_labels"]) == [1, None, 1, None]
    with pytest.raises(errors.NullsError, match="1 of 4 rows have nulls in 'p', 'q'"):
        found.attach(frame, on=["p", "q"])


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("edges", [([], []), (np.array([], str),) * 2], ids=["none", "words"])
@pytest.mark.parametrize("kind", ["min", "dense"])
def test_an_empty_answer_leaves_nulls(engine, edges, make, kind):
    found = components(edges, labels=kind, engine=engine)
    ids = ["a", "b"] if len(edges) and isinstance(edges[0], np.ndarray) else [1, 2]
    attached = found.attach(make({"vertex": ids}), missing="null")
    assert plain(attached["labels"]) == [None, None]


OTHERS = {
    "pandas": pd.DataFrame([[1, 0, 5], [2, 0, 6]], columns=["vertex", "w", "w"]),
    "pyarrow": pa.table([[1, 2], [0, 0], [5, 6]], names=["vertex", "w", "w"]),
}


@pytest.mark.parametrize("frame", OTHERS.values(), ids=OTHERS)
def test_other_columns_may_share_a_name(frame):
    found = components(([1], [2]))
    attached = found.attach(frame)
    assert plain(attached["labels"]) == [1, 1]
    assert attached.shape == (2, 4)
    with pytest.raises(errors.InputError, match="2 columns are called 'w': rename one"):
        found.attach(frame, on="w")


def test_columns_may_be_named_by_numbers():
    found, frame = components(([1], [2])), pd.DataFrame([[2, 0], [1, 0]])
    assert columns(found.attach(frame, on=0, name=7)) == [[2, 1], [0, 0], [1, 1]]
    assert list(found.attach(frame, on=0, name=7)) == [0, 1, 7]
    assert list(frame) == [0, 1]
    with pytest.raises(errors.MissingColumnError, match=r"no column 'vertex' .*, but 0, 1:"):
        found.attach(frame)
    with pytest.raises(errors.InputError, match="has a column 1 already: give name="):
        found.attach(frame, on=0, name=1)
    for make, kind in ((pl.DataFrame, "polars DataFrame"), (pa.table, "pyarrow Table")):
        with pytest.raises(errors.InputError, match=f"of a {kind} are named by strings, .*name=7"):
            found.attach(make({"vertex": [1]}), name=7)


def test_names_that_frames_have_themselves():
    frame = pd.DataFrame({"vertex": [2], "column_names": [0], "_fields": [0], "collect": [0]})
    assert columns(components(([1], [2])).attach(frame)) == [[2], [0], [0], [0], [1]]


def test_what_is_no_frame_is_refused():
    found = components(([1], [2]))
    for frame in (pl.LazyFrame({"vertex": [1]}), pd.Series([1]), found.labels(), [1], "vertex"):
        with pytest.raises(errors.InputError, match=f"cannot be a {type(frame).__name__}: give"):
            found.attach(frame)


def test_writing_into_an_attached_frame_leaves_the_given_one():
    frame = pd.DataFrame({"vertex": [2], "w": [0]})
    attached = components(([1], [2])).attach(frame)
    attached.loc[0, "w"] = 7
    assert columns(frame) == [[2], [0]]


@pytest.mark.parametrize("missing", ["raise", "null"])
def test_floats_with_nulls_are_told_to_be_cast(missing):
    with pytest.raises(errors.ColumnTypeError, match=r"'vertex' is float64 .* pandas .astype"):
        components(([1], [2])).attach(pd.DataFrame({"vertex": [1, None]}), missing=missing)
