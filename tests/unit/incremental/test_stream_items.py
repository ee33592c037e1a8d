"""Items of iterables whose rows `len()` does not give: each row counts once, or all are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import cc_rapids

SRC, DST, W = [1, 2, 8, 4], [2, 3, 9, 4], [0.1, 0.9, 0.9, 0.9]
FRAME = pl.DataFrame({"src": SRC, "dst": DST, "w": W})
FRAMES = {
    "lazy": FRAME.lazy(),
    "mapping": {"about": "a name", "src": SRC, "dst": np.array(DST), "w": W},
    "record batch": pa.RecordBatch.from_pydict({"src": SRC, "dst": DST, "w": W}),
}
ARRAYS = {"rows": np.array([SRC, DST]).T, "columns": np.array([SRC, DST])}


def weighed(found: cc_rapids.Components) -> tuple[int, dict]:
    return len(found), {k: v for k, v in found.ledger.items() if k != "unchecked"}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_every_kind_are_counted_alone_and_as_items(kind):
    edges, bound = FRAMES[kind], {"weight": "w", "at_least": 0.5}
    doors = [
        cc_rapids.components(edges, **bound),
        cc_rapids.components(edges, **bound, memory_limit="64 MB"),
        cc_rapids.components(iter([edges]), **bound),
        cc_rapids.components_at(iter([edges]), weight="w", thresholds=[0.5]).at(0.5),
    ]
    for found in doors:
        assert weighed(found)[1] == {"given": 4, "linked": 3, "out_of_bounds": 1}
    twice = cc_rapids.components(iter([edges, edges]))
    assert weighed(twice) == (3, {"given": 8, "linked": 8})


def test_lazy_frames_in_a_list_are_batches_that_one_query_each_counts():
    found = cc_rapids.components([FRAMES["lazy"], FRAMES["lazy"]])
    assert (len(found), found.ledger) == (3, {"given": 8, "linked": 8})


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_of_edges_count_as_items_by_their_edges(kind):
    found = cc_rapids.components(iter([ARRAYS[kind], ARRAYS[kind]]))
    assert weighed(found) == (3, {"given": 8, "linked": 8})


def test_a_matrix_among_items_is_refused():
    matrix = scipy.sparse.coo_array(([1, 1], ([0, 1], [1, 2])), (4, 4))
    with pytest.raises(cc_rapids.InputError, match="an item of the edges is a coo_array"):
        cc_rapids.components(iter([matrix]))


@pytest.mark.parametrize("edges", [(SRC, DST), FRAME, {"src": SRC, "dst": DST}], ids=type)
def test_weights_in_chunks_are_as_many_as_the_edges(edges):
    with pytest.raises(cc_rapids.InputError, match="5 weights and 4 edges"):
        cc_rapids.components(edges, weight=np.ones(5), at_least=0, memory_limit="64 MB")


def test_a_mapping_with_ids_of_two_columns_is_read_in_chunks():
    ids = {"a": SRC, "b": ["x"] * 4, "c": DST, "d": ["x"] * 4}
    found = cc_rapids.components(ids, ["a", "b"], ["c", "d"], memory_limit="64 MB")
    assert weighed(found) == (3, {"given": 4, "linked": 4})


def test_a_tuple_of_two_ids_with_weights_says_what_it_is():
    with pytest.raises(cc_rapids.InputError, match="two single ids"):
        cc_rapids.components((1, 2), weight=[0.5], at_least=0)


def test_frames_of_narwhals_can_be_bounded():
    import narwhals

    for frame in (FRAME, pd.DataFrame({"src": SRC, "dst": DST, "w": W})):
        found = cc_rapids.components(narwhals.from_native(frame), weight="w", at_least=0.5)
        assert found.ledger == {"given": 4, "linked": 3, "out_of_bounds": 1}
