"""Frames, series, matrices and files in, the caller's own kind of frame out."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components as scipy_components
from support.text_columns import TEXT, types

from cc_rapids import components, connected_components

KINDS = {
    "pandas": (pd.DataFrame, pd.DataFrame),
    "polars": (pl.DataFrame, pl.DataFrame),
    "lazy": (pl.LazyFrame, pl.DataFrame),
    "pyarrow": (pa.table, pa.Table),
}
# Lexicographic order is that of code points: capitals first, accents and emoji last
WORDS_SRC, WORDS_DST = ["b", "é", "\U0001f600", "Z"], ["a", "z", "\uffff", "Z"]
WORDS = ["Z", "a", "b", "z", "é", "\uffff", "\U0001f600"]
LEAST_WORDS = ["Z", "a", "a", "z", "z", "\uffff", "\uffff"]


def rows(answer):
    """The two columns of a frame of any kind, as lists."""
    if isinstance(answer, tuple):
        return [column.tolist() for column in answer]
    frame = nw.from_native(answer)
    return [frame[name].to_list() for name in frame.columns]


@pytest.mark.parametrize(("make", "kind"), KINDS.values(), ids=KINDS)
def test_answers_are_frames_of_the_callers_kind(engine, make, kind):
    edges = make({"w": [0.5, None, 2.0], "from": [-4, 9, 2], "to": [2, 9, 8]})
    found = components(edges, "from", "to", engine=engine)
    for answer in (found.labels(), found.sizes(), found.largest()):
        assert type(answer) is kind
    assert nw.from_native(found.labels()).columns == ["vertex", "labels"]
    assert nw.from_native(found.sizes()).columns == ["labels", "size"]
    assert rows(found.labels()) == [[-4, 2, 8, 9], [-4, -4, -4, 9]]
    assert rows(found.labels("size")) == [[-4, 2, 8, 9], [0, 0, 0, 1]]
    assert rows(found.sizes()) == [[-4, 9], [3, 1]]
    assert rows(found.largest()) == [[-4, 2, 8], [-4, -4, -4]]


@pytest.mark.parametrize("make", [make for make, _ in KINDS.values()], ids=KINDS)
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64"])
def test_ids_keep_their_type_in_frames(make, dtype):
    edges = make({"src": np.array([3, 7], dtype), "dst": np.array([5, 3], dtype)})
    found = components(edges)
    for answer in (found.labels(), found.largest()):
        assert [str(kind).lower() for kind in types(answer)] == [dtype, dtype]
    assert [str(kind).lower() for kind in types(found.sizes())] == [dtype, "int64"]
    assert str(types(found.labels("dense"))[1]).lower() == "int32"


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "int32[pyarrow]"])
def test_nullable_integers_of_pandas_are_ids(dtype):
    edges = pd.DataFrame({"src": [3, 7], "dst": [5, 3]}, dtype=dtype)
    assert rows(connected_components(edges)) == [[3, 5, 7], [3, 3, 3]]


@pytest.mark.parametrize("make", [make for make, _ in KINDS.values()], ids=KINDS)
def test_a_frame_is_as_it_was_afterwards(make):
    given = {"src": [3, 7], "dst": [5, 3], "w": [1.0, None]}
    edges, same = make(given), make(given)
    found = components(edges, vertices=[9], nulls="drop")
    found.labels(), found.sizes(), found.largest()
    if isinstance(edges, pl.LazyFrame):
        edges, same = edges.collect(), same.collect()
    assert edges.equals(same)


def test_rows_of_pandas_are_edges_whatever_their_index():
    edges = pd.DataFrame({"src": [5, 9, 1], "dst": [6, 9, 5]}, index=["x", "x", "y"])
    answer = connected_components(edges)
    assert rows(answer) == [[1, 5, 6, 9], [1, 1, 1, 9]]
    assert answer.index.equals(pd.RangeIndex(4))
    assert rows(connected_components(edges.iloc[::-2])) == [[1, 5, 6], [1, 1, 1]]


def test_columns_may_be_named_by_numbers_and_others_by_anything():
    edges = pd.DataFrame([[0, 3, 5], [0, 5, 8]])
    assert rows(connected_components(edges, 1, 2)) == [[3, 5, 8], [3, 3, 3]]
    found = components(edges, [0, 1], [1, 2], labels="min")
    assert rows(found.component_of([edges[1], edges[2]])) == [[0, 0], [3, 5]]
    nullable = edges.astype("Int64").replace(8, pd.NA)
    assert rows(connected_components(nullable, 1, 2, nulls="drop")) == [[3, 5], [3, 3]]
    twice = pd.DataFrame([[0, 3, 5, 0]], columns=["w", "src", "dst", "w"])
    assert rows(connected_components(twice)) == [[3, 5], [3, 3]]


def test_a_batch_of_pyarrow_is_a_table(engine):
    batch = pa.record_batch({"src": ["b"], "dst": ["a"], "i": [1], "j": [2]})
    answer = connected_components(batch, engine=engine)
    assert (type(answer), rows(answer)) == (pa.Table, [["a", "b"], ["a", "a"]])
    named = batch.select(["src", "j"])
    found = components(batch, ["src", "i"], ["dst", "j"], vertices=named, engine=engine)
    assert rows(found.labels())[:2] == [["a", "b", "b"], [2, 1, 2]]


def test_chunked_and_sliced_columns_are_whole_columns():
    arrow = pa.table({"src": pa.chunked_array([[], [3], [7, 0]], pa.int32()), "dst": [5, 3, 0]})
    assert rows(connected_components(arrow)) == [[0, 3, 5, 7], [0, 3, 3, 3]]
    assert rows(connected_components(arrow.slice(1))) == [[0, 3, 7], [0, 3, 3]]
    polars = pl.concat([pl.from_arrow(arrow)] * 2, rechunk=False)
    assert rows(connected_components(polars)) == [[0, 3, 5, 7], [0, 3, 3, 3]]
    words = pa.table({name: arrow[name].cast(pa.string()) for name in ("src", "dst")})
    assert rows(connected_components(words.slice(1))) == [["0", "3", "7"], ["0", "3", "3"]]


@pytest.mark.parametrize(("make", "kind"), KINDS.values(), ids=KINDS)
def test_a_frame_of_no_rows_is_an_empty_answer(make, kind):
    untyped = {"src": [], "dst": []}  # which pandas reads as floats, and others as null
    for columns in (untyped, {name: np.array([], np.int32) for name in untyped}):
        found = components(make(columns))
        assert len(found) == 0
        for answer in (found.labels(), found.sizes(), found.largest()):
            assert type(answer) is kind
            assert rows(answer) == [[], []]
    assert "int32" in str(types(found.labels())[0]).lower()


SERIES = {
    "pandas": (pd.Series, pd.DataFrame),
    "polars": (pl.Series, pl.DataFrame),
    "pyarrow chunked": (lambda ids: pa.chunked_array([ids]), pa.Table),
    "pyarrow": (pa.array, pa.Table),
}


@pytest.mark.parametrize(("make", "kind"), SERIES.values(), ids=SERIES)
def test_pairs_of_series_give_frames(engine, make, kind):
    found = components((make([3, 7]), make([5, 3])), engine=engine)
    assert type(found.labels()) is kind
    assert rows(found.labels()) == [[3, 5, 7], [3, 3, 3]]
    words = connected_components((make(["b"]), make(["a"])), engine=engine)
    assert type(words) is kind
    assert rows(words) == [["a", "b"], ["a", "a"]]


@pytest.mark.parametrize("make", [make for make, _ in SERIES.values()], ids=SERIES)
def test_nulls_of_pairs_of_series_are_dropped(make):
    missing = pd.Series([5, None, 9], dtype="Int64") if make is pd.Series else make([5, None, 9])
    found = components((missing, make([2, 7, 9])), nulls="drop")
    assert (rows(found.labels()), found.summary()["dropped"]) == ([[2, 5, 9], [2, 2, 9]], 1)


def test_pairs_of_series_are_joined_by_position_not_by_index_or_name():
    src = pd.Series([5, 6], index=[3, 4], name="1")
    dst = pd.Series([6, 8], index=[4, 3], name="1")
    assert rows(connected_components((src, dst))) == [[5, 6, 8], [5, 5, 5]]


@pytest.mark.parametrize(
    "pair",
    [
        (pd.Series([3, 7]), np.array([5, 3])),
        (pd.Series([3, 7]), pl.Series([5, 3])),
        (pa.array([3, 7]), np.array([5, 3])),
        (pd.Index([3, 7]), pd.Index([5, 3])),
        (range(3, 8, 4), [5, 3]),
    ],
    ids=["series and array", "two libraries", "pyarrow and array", "indices", "range and list"],
)
def test_sides_of_other_kinds_are_read_as_arrays(pair):
    assert rows(connected_components(pair)) == [[3, 5, 7], [3, 3, 3]]


@pytest.mark.parametrize("make", TEXT.values(), ids=TEXT)
def test_strings_keep_their_type_and_the_order_of_code_points(make):
    src, dst = make(WORDS_SRC), make(WORDS_DST)
    found = components((src, dst))
    own = getattr(src, "dtype", None) or src.type
    assert rows(found.labels()) == [WORDS, LEAST_WORDS]
    assert types(found.labels()) == types(found.largest()) == [own, own]
    assert types(found.sizes())[0] == own
    assert rows(found.sizes()) == [["a", "z", "\uffff", "Z"], [2, 2, 2, 1]]
    assert rows(found.labels("dense")) == [WORDS, [0, 1, 1, 2, 2, 3, 3]]
    assert rows(found.labels("size")) == [WORDS, [3, 0, 0, 1, 1, 2, 2]]
    assert rows(found.largest()) == [["a", "b"], ["a", "a"]]


@pytest.mark.parametrize("make", TEXT.values(), ids=TEXT)
def test_the_order_of_the_edges_does_not_matter_to_strings(engine, make):
    forth = components((make(WORDS_SRC), make(WORDS_DST)), engine=engine)
    back = components((make(WORDS_DST[::-1]), make(WORDS_SRC[::-1])), engine=engine)
    for kind in ("min", "dense", "size"):
        assert rows(forth.labels(kind)) == rows(back.labels(kind))


@pytest.mark.parametrize("dtype", ["U", object, np.dtypes.StringDType()], ids=str)
def test_strings_of_numpy_are_never_cut(engine, dtype):
    src, dst = np.array(["pear", "fig"], dtype), np.array(["a", "dragonfruit"], dtype)
    answer = connected_components((src, dst), vertices=["elderberries"], engine=engine)
    assert rows(answer) == [
        ["a", "dragonfruit", "elderberries", "fig", "pear"],
        ["a", "dragonfruit", "elderberries", "dragonfruit", "a"],
    ]
    assert all(column.dtype.kind == np.dtype(dtype).kind for column in answer)


def test_strings_of_lists_are_never_cut(engine):
    answer = connected_components((["x"], ["longer"]), engine=engine)
    assert rows(answer) == [["longer", "x"], ["longer", "longer"]]


@pytest.mark.parametrize("empty", [[], np.array([], "U1"), pd.Series([], dtype="str")])
def test_string_edges_take_string_vertices(empty):
    edges = pd.DataFrame({"src": ["b"], "dst": ["d"]})
    assert rows(connected_components(edges, vertices=["c", "b"])) == [
        ["b", "c", "d"],
        ["b", "c", "b"],
    ]
    assert rows(connected_components(edges, vertices=empty)) == [["b", "d"], ["b", "b"]]


MATRICES = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
CLASSES = [getattr(sp, f"{form}_{kind}") for form in MATRICES for kind in ("array", "matrix")]


@pytest.mark.parametrize("make", CLASSES, ids=lambda make: make.__name__)
def test_sparse_matrices_have_all_their_vertices_and_the_labels_of_scipy(engine, make):
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 40, (2, 25))
    matrix = make(sp.coo_array((np.ones(25), (src, dst)), shape=(40, 40)))
    count, dense = scipy_components(matrix, directed=False)
    found = components(matrix, engine=engine, labels="dense")
    assert len(found) == count
    assert rows(found.labels()) == [list(range(40)), dense.tolist()]
    assert found.labels().labels.dtype == dense.dtype


@pytest.mark.parametrize("make", [c for c in CLASSES if c.__name__[:3] not in ("dia", "bsr")])
def test_a_stored_zero_is_an_edge_as_it_is_to_scipy(make):
    matrix = make(sp.coo_array(([1, 0], ([0, 3], [1, 4])), shape=(5, 5)))
    assert rows(connected_components(matrix))[1] == [0, 0, 2, 3, 3]


@pytest.mark.parametrize("make", [sp.bsr_array, sp.bsr_matrix])
def test_zeros_that_fill_blocks_are_no_edges(make):
    dense = np.zeros((6, 6))
    dense[0, 1] = dense[2, 5] = 1
    matrix = make(dense, blocksize=(2, 2))
    assert rows(connected_components(matrix))[1] == [0, 0, 2, 3, 4, 2]
    assert matrix.data.size == 8  # the caller's zeros are still there


def test_matrices_of_no_rows_and_of_no_entries():
    assert rows(connected_components(sp.csr_array((0, 0)))) == [[], []]
    assert rows(connected_components(sp.csr_array((3, 3)))) == [[0, 1, 2], [0, 1, 2]]


FILES = {
    "edges.csv": "src,dst\n5,2\n9,9\n",
    "edges.tsv": "a\tsrc\tdst\n0\t5\t2\n0\t9\t9\n",
    "edges.txt": "# from to\n5 2\n9 9\n",
}


@pytest.mark.parametrize("path", [str, lambda path: path], ids=["str", "Path"])
@pytest.mark.parametrize("name", FILES)
def test_files_give_pyarrow_tables(tmp_path, name, path):
    file = tmp_path / name
    file.write_text(FILES[name])
    answer = connected_components(path(file))
    assert isinstance(answer, pa.Table)
    assert rows(answer) == [[2, 5, 9], [2, 2, 9]]


def test_columns_of_a_file_are_named_like_those_of_a_frame(tmp_path):
    file = tmp_path / "edges.parquet"
    pa.parquet.write_table(pa.table({"u": ["x"], "v": ["y"], "w": ["z"]}), file)
    assert rows(connected_components(file)) == [["x", "y"], ["x", "x"]]
    assert rows(connected_components(file, "w", "v")) == [["y", "z"], ["y", "y"]]


def test_a_matrix_market_file_has_all_the_vertices_of_its_matrix(tmp_path):
    file = tmp_path / "edges.mtx"
    file.write_text("%%MatrixMarket matrix coordinate pattern general\n4 4 1\n3 1\n")
    assert rows(connected_components(file)) == [[1, 2, 3, 4], [1, 2, 1, 4]]
