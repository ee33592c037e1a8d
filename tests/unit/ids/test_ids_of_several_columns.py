"""Ids of several columns, as columns and as rows, where vertices are asked for and named."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.as_lists import columns

from cc_rapids import components, errors

ENDS = ["a", "b"], ["c", "d"]
NUMBERS = pd.DataFrame({"a": [1, 2], "b": [1, 2], "c": [1, 1], "d": [2, 3]})
MIXED = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": ["y", "z"], "d": [7, -3]})
ROWS = {
    "tuples": [(1, 1), (2, 2)],
    "lists, one a column": [[1, 2], [1, 2]],
    "arrays, one a column": [np.array([1, 2]), np.array([1, 2])],
    "an array": np.array([[1, 1], [2, 2]]),
    "pandas": pd.DataFrame({"p": [1, 2], "q": [1, 2]}),
    "polars": pl.DataFrame({"p": [1, 2], "q": [1, 2]}),
    "lazy": pl.LazyFrame({"p": [1, 2], "q": [1, 2]}),
    "pyarrow": pa.table({"p": [1, 2], "q": [1, 2]}),
}


@pytest.mark.parametrize("asked", ROWS.values(), ids=ROWS)
def test_ids_are_rows_or_columns(engine, asked):
    found = components(NUMBERS, *ENDS, labels="min", engine=engine)
    assert columns(found.component_of(asked)) == [[1, 1], [1, 3]]
    named = components(NUMBERS + 5, *ENDS, labels="min", vertices=asked, engine=engine)
    assert columns(named.subset((2, 2))) == [[2], [2]]
    assert len(named) == 4


def test_a_tuple_in_a_list_is_an_id_and_a_tuple_alone_is_one():
    found = components(MIXED, *ENDS, labels="min")
    assert found.component_of(("y", 7)) == ("x", 1)
    assert columns(found.component_of([("y", 7), ("z", -3)])) == [["x", "y"], [1, 2]]
    named = components(MIXED, *ENDS, labels="min", vertices=[("q", 8), ("q", 9), ("q", 10)])
    assert columns(named.subset(("q", 10))) == [["q"], [10]]


@pytest.mark.parametrize("frame", [MIXED, NUMBERS], ids=["strings", "numbers"])
@pytest.mark.parametrize(
    "none", [[], np.empty((0, 2)), np.array([]), pd.DataFrame({"p": [], "q": []})]
)
def test_no_ids_are_an_empty_answer(frame, none):
    found = components(frame, *ENDS, labels="min", vertices=none)
    usual = found.component_of([(frame["a"][0], frame["b"][0])])
    empty = found.component_of(none)
    assert columns(empty) == [[], []]
    assert list(empty.dtypes) == list(usual.dtypes)


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        ([(1, 1, 1), (2, 2)], r"1 of 2 vertices is not a tuple of 2 items, such as \(1, 1, 1\)"),
        ([(1, 1), [2, 2]], r"1 of 2 vertices is not a tuple of 2 items, such as \[2, 2\]"),
        ([[1], [2], [3]], "vertices have 3 columns, but the edges have 2 per side"),
        (np.ones((2, 3), int), "vertices have 3 columns, but the edges have 2 per side"),
        ([[1, 2, 3], [1]], "the columns of vertices have 3, 1 rows"),
        (np.array([1, 2]), r"cannot be a ndarray of shape \(2,\), because an id has 2 columns"),
        (pd.Series([1, 2]), "cannot be a Series of shape"),
        ({1, 2}, "cannot be a set, because"),
    ],
)
def test_ids_of_other_shapes_are_refused(ids, says):
    found = components(NUMBERS, *ENDS, labels="min")
    with pytest.raises(errors.InputError, match=says):
        found.component_of(ids)
    with pytest.raises(errors.InputError, match=says):
        components(NUMBERS, *ENDS, labels="min", vertices=ids)
