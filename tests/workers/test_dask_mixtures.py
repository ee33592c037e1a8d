"""Partitions of different types: the same answer, or the same error, however a run is spread."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from support.choices import some

import cc_rapids
import cc_rapids.dask
from cc_rapids import errors

HUGE = 2**63 + 1
COLUMNS = {
    "int64": pd.Series([1, 10, 2]),
    "int32": pd.Series([1, 10, 3], dtype="int32"),
    "negative": pd.Series([-5, 10, 4]),
    "uint64": pd.Series([1, 10, 5], dtype="uint64"),
    "huge": pd.Series([HUGE, 10, 4], dtype="uint64"),
    "Int64": pd.Series([1, 10, 6], dtype="Int64"),
    "UInt64": pd.Series([1, 10, 6], dtype="UInt64"),
    "arrow": pd.Series([1, 10, 6], dtype="int64[pyarrow]"),
    "numbers": pd.Series([1, 10, 7], dtype="category"),
    "str": pd.Series(["01", "1_0", "b"], dtype="str"),
    "digits": pd.Series(["01", "1_0", "10"], dtype="str"),
    "string": pd.Series(["01", "10", "b"], dtype="string"),
    "object": pd.Series(["01", "10", "é"], dtype="object"),
    "words": pd.Series(["01", "10", "c"], dtype="category"),
    "float": pd.Series([1.0, 10.0, 2.0]),
    "bool": pd.Series([True, False, True]),
    "date": pd.Series(pd.to_datetime(["2020-01-01"] * 3)),
    "no objects": pd.Series([], dtype="object"),
    "no floats": pd.Series([], dtype="float64"),
    "Int64 nulls": pd.Series([pd.NA] * 3, dtype="Int64"),
    "object nulls": pd.Series([None] * 3, dtype="object"),
    "float nulls": pd.Series([np.nan] * 3),
    "category nulls": pd.Series(pd.Categorical([None] * 3, categories=[1, 2])),
    "some nulls": pd.Series(pd.Categorical([2, None, 10])),
}


def piece(name, several=False):
    """A path through the values of a column, as one partition; and as the second of two columns."""
    column = COLUMNS[name]
    frame = pd.DataFrame({"src": column, "dst": column.iloc[::-1].reset_index(drop=True)})
    return frame.assign(a="x", c="x") if several else frame


def spread(*names, several=False):
    meta = piece(names[0], several).iloc[:0]
    return dd.from_map(piece, names, several=several, meta=meta, enforce_metadata=False)


def outcome(names, **options):
    """The labels of a run, or the type and the words of its error."""
    try:
        found = cc_rapids.dask.components(spread(*names), **options)
    except Exception as error:
        return type(error), str(error)
    labels = found.labels().compute()
    ids = zip(labels["vertex"].tolist(), labels["labels"].tolist(), strict=True)
    return sorted(ids), str(labels["vertex"].dtype)


BOTH = ("edges", "vertices")


TOGETHER = [
    (("int64", "int32"), "int64"),
    (("int64", "uint64"), "int64"),
    (("int32", "uint64", "numbers"), "int64"),
    (("negative", "uint64"), "int64"),
    (("int64", "huge"), "uint64"),
    (("huge", "uint64", "int32"), "uint64"),
    (("Int64", "UInt64", "arrow"), "int64"),
    (("no objects", "int64", "no floats"), "int64"),
    (("str", "words", "string"), "str"),
    (("object", "str", "no floats"), "str"),
]


@some(("names", "kind"), TOGETHER, usual=TOGETHER[2::4], ids=str)
def test_partitions_that_go_together(client, names, kind):
    columns = [COLUMNS[name] for name in names if len(COLUMNS[name])]
    plain = [piece(name).astype(object) for name in names]
    chunks = [(list(frame["src"]), list(frame["dst"])) for frame in plain if len(frame)]
    want = cc_rapids.components(iter(chunks)).labels()
    pairs = list(zip(want.vertex.tolist(), want.labels.tolist(), strict=True))
    assert len(pairs) == len(set().union(*columns))
    for partition in BOTH:
        found, dtype = outcome(names, partition=partition)
        assert found == pairs
        assert dtype.startswith(kind) or kind == "str"


MIXED = [("int64", "digits"), ("huge", "string"), ("arrow", "object"), ("numbers", "words")]


@pytest.mark.parametrize(("first", "second"), MIXED)
def test_integers_beside_strings_are_refused(client, first, second):
    orders = (first, second), (second, first, "no objects")
    answers = {outcome(names, partition=partition) for partition in BOTH for names in orders}
    [(error, words)] = answers
    assert error is errors.ColumnTypeError
    assert "column 'src' is " in words
    assert " in some partitions and str" in words


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (("int64", "float"), errors.ColumnTypeError, "'src' is float64 .3 values"),
        (("str", "float"), errors.ColumnTypeError, "'src' is float64 .3 values"),
        (("int64", "bool"), errors.ColumnTypeError, "'src' is bool"),
        (("date", "int64"), errors.ColumnTypeError, "'src' is datetime64"),
        (("huge", "negative"), errors.ColumnTypeError, "from -5 to 9223372036854775809"),
        (("int64", "Int64 nulls"), errors.NullsError, "'src' has 3 nulls in 3 rows"),
        (("int64", "category nulls"), errors.NullsError, "'src' has 3 nulls in 3 rows"),
        (("some nulls", "int64"), errors.NullsError, "'src' has 1 null in 3 rows"),
        (("int64", "object nulls"), errors.InputError, "'src' .* 3 "),
    ],
    ids=str,
)
def test_partitions_that_are_refused(client, names, error, words):
    [(found, message)] = {outcome(names, partition=partition) for partition in BOTH}
    assert issubclass(found, error)
    assert pd.Series([message]).str.contains(words).all()


@pytest.mark.parametrize(
    ("names", "left", "dropped"),
    [
        (("int64", "Int64 nulls"), [1, 2, 10], 3),
        (("float nulls", "int64", "object nulls"), [1, 2, 10], 6),
        (("words", "object nulls"), ["01", "10", "c"], 3),
        (("some nulls", "category nulls"), [2, 10], 4),
        (("object nulls", "float nulls"), [], 6),
    ],
    ids=str,
)
def test_nulls_are_left_out_of_every_partition(client, names, left, dropped):
    for partition in BOTH:
        found = cc_rapids.dask.components(spread(*names), partition=partition, nulls="drop")
        assert sorted(found.labels().compute()["vertex"].tolist()) == left
        assert found.facts["dropped"] == dropped


@pytest.mark.extended
def test_several_columns_are_checked_one_by_one(client):
    sides = ["a", "src"], ["c", "dst"]
    frame = spread("int64", "digits", several=True)
    with pytest.raises(errors.ColumnTypeError, match="'src' is int64 in some partitions and str"):
        cc_rapids.dask.components(frame, *sides)
    found = cc_rapids.dask.components(spread("int64", "huge", several=True), *sides, labels="min")
    labels = found.labels().compute()
    assert labels["1_vertex"].tolist() == [1, 2, 4, 10, HUGE]
    assert labels["1_labels"].tolist() == [1, 1, 4, 10, 4]
    one = cc_rapids.dask.components(spread("int64", "int32"), ["src"], ["dst"])
    assert one.labels().columns.tolist() == ["vertex", "labels"]


def test_loops_of_unlike_columns_stay_exact(client):
    far = 2**62 + 1
    frame = pd.DataFrame({"src": [1, far], "dst": np.array([2, far], np.uint64)})
    for partition in BOTH:
        found = cc_rapids.dask.components(dd.from_pandas(frame, npartitions=1), partition=partition)
        assert sorted(found.labels().compute()["vertex"]) == [1, 2, far]
