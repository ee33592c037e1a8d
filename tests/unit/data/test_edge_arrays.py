"""Edges as one array, as a tensor by DLPack, and as a mapping of columns; and graphs refused."""

from collections import deque

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids import components, errors

ROWS = np.array([[5, 2], [2, 7], [9, 9]])
VERTEX, LABELS = [2, 5, 7, 9], [2, 2, 2, 9]


class Tensor:
    """What a library of tensors has, at the least."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Unwilling(Tensor):
    """A tensor that requires a gradient."""

    def __dlpack__(self, **options):
        raise BufferError("Can't export tensors that require gradient")


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, Tensor, lambda a: a[::1, ::1]])
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
@pytest.mark.parametrize("turned", [False, True])
def test_an_array_is_edges_by_its_shape(engine, make, dtype, turned):
    array = np.ascontiguousarray(ROWS.T if turned else ROWS).astype(dtype)
    before = array.copy()
    found = components(make(array), engine=engine)
    assert found.labels()._asdict()["vertex"].dtype == dtype
    assert [side.tolist() for side in found.labels()] == [VERTEX, LABELS]
    assert (array == before).all()
    found.audit(make(array))


def test_memory_maps_are_items_of_a_stream(tmp_path):
    array = np.memmap(tmp_path / "m", ROWS.dtype, "w+", shape=ROWS.shape)
    array[:] = ROWS
    for item in (array, tuple(array.T)):
        assert cc_rapids.stream_components(iter([item])).labels().vertex.tolist() == VERTEX


def test_two_by_two_are_two_edges():
    square = np.array([[1, 2], [3, 4]])
    for edges in (square, Tensor(square)):
        assert components(edges).labels().labels.tolist() == [1, 1, 3, 3]


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
def test_no_edges(shape):
    assert len(components(np.zeros(shape, np.int64))) == 0


@pytest.mark.parametrize("shape", [(3, 3), (5,), (0, 0), (2, 2, 2), (1, 3), ()])
@pytest.mark.parametrize("make", [np.asarray, Tensor])
def test_other_shapes_are_refused(shape, make):
    with pytest.raises(errors.InputError) as raised:
        components(make(np.zeros(shape, np.int64)))
    assert str(shape) in str(raised.value)
    assert "pair of arrays" in str(raised.value)


def test_what_an_array_holds_is_checked_as_in_a_pair():
    with pytest.raises(errors.ColumnTypeError, match="float64"):
        components(ROWS.astype(float))
    with pytest.raises(errors.InputError, match="several"):
        components(ROWS, ["a", "b"], ["c", "d"])
    with pytest.raises(errors.InputError, match=r"Unwilling.*gradient.*detach"):
        components(Unwilling(ROWS))
    assert components(np.array([["b", "a"], ["c", "c"]])).labels().vertex.tolist() == list("abc")
    huge = np.array([[2**64 - 1, 0], [3, 0]], np.uint64)
    assert components(huge).labels().vertex.tolist() == [0, 3, 2**64 - 1]


def test_arrays_in_other_calls():
    assert components(ROWS, memory_limit="64MiB").labels().labels.tolist() == LABELS
    seen = cc_rapids.Connectivity().insert(Tensor(ROWS.T))
    assert seen.connected(ROWS[:, ::-1]).tolist() == [True, True, True]
    weights = np.array([0.9, 0.1, 0.5])
    cuts = cc_rapids.components_at(ROWS, weight=weights, thresholds=[0.5])
    assert len(cuts.at(0.5)) == 3
    assert len(components(ROWS, vertices=[100])) == 3
    assert len(cc_rapids.spanning_forest(ROWS).row) == 2
    with pytest.raises(errors.MissingColumnError, match="weight"):
        cc_rapids.components_at(ROWS, thresholds=[0.5])


def test_tensors_in_a_pair():
    pair = Tensor(ROWS[:, 0].copy()), Tensor(ROWS[:, 1].copy())
    assert components(pair).labels().labels.tolist() == LABELS


COLUMNS = {
    "lists": (list, cc_rapids.data.edge_input.Labels),
    "arrays": (np.array, cc_rapids.data.edge_input.Labels),
    "pandas": (pd.Series, pd.DataFrame),
    "polars": (pl.Series, pl.DataFrame),
    "pyarrow": (pa.array, pa.Table),
}


@pytest.mark.parametrize(("column", "frame"), COLUMNS.values(), ids=COLUMNS)
def test_a_mapping_of_columns_is_read_by_name(engine, column, frame):
    edges = {"b": column([2, 7, 9]), "w": column([1, 2, 3]), "a": column([5, 2, 9])}
    found = components(edges, "a", "b", engine=engine)
    assert type(found.labels()) is frame
    assert found.component_of([5, 7]) is not None
    assert [found.component_of(vertex) for vertex in VERTEX] == LABELS
    assert list(edges) == ["b", "w", "a"]


def test_a_mapping_has_weights_nulls_and_chunks():
    edges = {"src": [5, 2, None], "dst": [2, 7, 9], "weight": [0.9, 0.1, 0.5]}
    with pytest.raises(errors.NullsError, match="'src' has 1 null"):
        components(edges)
    assert components(edges, nulls="drop").summary()["dropped"] == 1
    whole = {name: values[:2] for name, values in edges.items()}
    assert len(cc_rapids.components_at(whole, thresholds=[0.5]).at(0.5)) == 2
    assert len(components(whole, memory_limit="64MiB")) == 1
    seen = cc_rapids.Connectivity().insert(whole)
    assert seen.process(whole | {"query": [True, True]}).tolist() == [True, True]


def test_a_mapping_with_ids_of_several_columns():
    edges = {"a": ["x", "y"], "b": np.array([1, 2]), "c": ["y", "z"], "d": [2, 3]}
    found = components(edges, ["a", "b"], ["c", "d"])
    assert isinstance(found.labels(), pa.Table)
    assert found.component_of(("z", 3)) == 0
    in_chunks = components(edges, ["a", "b"], ["c", "d"], memory_limit="64MiB")
    assert in_chunks.labels().equals(found.labels())
    with pytest.raises(errors.InputError, match="'a' has 2 ids and 'd' has 1"):
        components(edges | {"d": [2]}, ["a", "b"], ["c", "d"])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_series_of_ids_of_several_columns_are_answered_by_their_library(frame):
    columns = {"a": ["x", "y", None], "b": [1, 2, 3], "c": ["y", "z", "z"], "d": [2, 3, 3]}
    whole = frame(columns)
    edges = {name: whole[name] for name in columns}
    found = components(edges, ["a", "b"], ["c", "d"], nulls="drop")
    assert type(found.labels()) is frame
    assert (len(found.labels()), found.summary()["dropped"]) == (3, 1)


def test_mappings_that_are_no_edges():
    with pytest.raises(errors.MissingColumnError, match=r"which two columns .* a, b, c"):
        components({"a": [1], "b": [2], "c": [3]})
    with pytest.raises(errors.MissingColumnError, match="the mapping has 0 columns"):
        components({})
    with pytest.raises(errors.InputError, match="'src' has 1 ids and 'dst' has 2"):
        components({"src": [1], "dst": [1, 2]})


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("door", [cc_rapids.components, cc_rapids.stream_components])
def test_matrices_and_deques_are_read_as_arrays_are(door):
    assert door(np.matrix([[1, 2], [2, 3], [5, 6]])).num_components == 2
    assert door((deque([1, 2, 5]), deque([2, 3, 6]))).num_components == 2
    assert door(iter([(deque(["a"]), deque(["b"]))])).num_components == 1
