"""Labels attached to frames: of the type that labels() gives, null where the vertex is."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.as_lists import columns
from support.releases import before
from support.text_columns import TEXT, types

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
    with pytest.raises(errors.NullsError, match="1 of 3 rows has nulls in 'vertex'") as raised:
        found.attach(make())
    assert "drop" not in str(raised.value)
    assert "missing='null'" in str(raised.value)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_row_with_a_null_in_any_of_its_columns_has_no_label(engine, make):
    edges = pd.DataFrame({"a": ["x"], "b": [1], "c": ["y"], "d": [2]})
    found = components(edges, ["a", "b"], ["c", "d"], labels="min", engine=engine)
    frame = make({"p": ["y", None, "x", "x"], "q": [2, 1, 1, 3]})
    attached = found.attach(frame, on=["p", "q"], missing="null")
    assert plain(attached["a_labels"]) == ["x", None, "x", None]
    assert plain(attached["b_labels"]) == [1, None, 1, None]
    with pytest.raises(errors.NullsError, match="1 of 4 rows has nulls in 'p', 'q'"):
        found.attach(frame, on=["p", "q"])


def test_the_numbers_of_columns_of_ids_and_of_on_differ():
    frame = pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["u"], "d": ["v"]})
    with pytest.raises(errors.InputError, match="1 column, but on= names 2: pass on='a'"):
        components(frame, "a", "b").attach(frame, on=["a", "b"])
    with pytest.raises(errors.InputError, match="2 columns, but on= names 1: pass a list of 2"):
        components(frame, ["a", "b"], ["c", "d"]).attach(frame, on="a")
    empty = frame[:0].astype(int)
    with pytest.raises(errors.InputError, match="2 columns, but on= names 1: pass a list of 2"):
        components(empty, ["a", "b"], ["c", "d"]).attach(frame, on="a")


@pytest.mark.parametrize(
    ("vertex", "asked", "spelling"),
    [("7", "007", "without"), ("0", "000", "without"), ("007", "7", "with"), ("000", "0", "with")],
)
def test_ids_that_differ_by_leading_zeros_are_shown(vertex, asked, spelling):
    found, frame = components(([vertex], ["a"])), pl.DataFrame({"id": [asked, "a", "x"]})
    with pytest.warns(errors.CcRapidsWarning, match=f"1 of 3 ids in 'id' .* {spelling} leading z"):
        labels = found.attach(frame, on="id", missing="null")["labels"]
    assert labels.is_null().to_list() == [True, False, True]


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
    with pytest.raises(errors.MissingColumnError, match=r"no column 'vertex' .* there are 0, 1;"):
        found.attach(frame)
    with pytest.raises(errors.InputError, match="has a column 1 already: pass name="):
        found.attach(frame, on=0, name=1)
    for make, kind in ((pl.DataFrame, "polars DataFrame"), (pa.table, "pyarrow Table")):
        with pytest.raises(errors.InputError, match=f"names of a {kind} must be strings, .*name=7"):
            found.attach(make({"vertex": [1]}), name=7)


def test_names_that_frames_have_themselves():
    frame = pd.DataFrame({"vertex": [2], "column_names": [0], "_fields": [0], "collect": [0]})
    assert columns(components(([1], [2])).attach(frame)) == [[2], [0], [0], [0], [1]]


def test_what_is_no_frame_is_refused():
    found = components(([1], [2]))
    for frame in (pd.Series([1]), found.labels(), [1]):
        with pytest.raises(errors.InputError, match=f"cannot be a {type(frame).__name__}: pass"):
            found.attach(frame)


def test_a_lazy_frame_is_collected():
    attached = components(([1], [2])).attach(pl.LazyFrame({"vertex": [2], "w": [0]}))
    assert attached.equals(pl.DataFrame({"vertex": [2], "w": [0], "labels": [1]}))


def test_the_default_name_is_told_as_such_and_others_get_the_nearest():
    found, frame = components(([1], [2])), pd.DataFrame({"vertices": [1], "weight": [2]})
    says = "no column 'vertex' .*: 'vertex' is the name by default, and there are vertices, weight;"
    with pytest.raises(errors.MissingColumnError, match=f"{says} name the column with on="):
        found.attach(frame)
    with pytest.raises(errors.MissingColumnError, match=r"'verices' .* did you mean 'vertices'\?"):
        found.attach(frame, on="verices")


def test_writing_into_an_attached_frame_leaves_the_given_one():
    frame = pd.DataFrame({"vertex": [2], "w": [0]})
    attached = components(([1], [2])).attach(frame)
    attached.loc[0, "w"] = 7
    assert columns(frame) == [[2], [0]]


@pytest.mark.parametrize("missing", ["raise", "null"])
def test_floats_with_nulls_are_told_to_be_cast(missing):
    with pytest.raises(errors.ColumnTypeError, match=r"'vertex' is float64 .* pandas .astype"):
        components(([1], [2])).attach(pd.DataFrame({"vertex": [1, None]}), missing=missing)


@pytest.mark.parametrize("make", WORDS.values(), ids=WORDS)
def test_words_without_edges_are_their_own_labels(engine, make):
    edges = components((make(["b"]), make(["a"])), engine=engine)
    frame = framed(make(["b", "c", "a", "c"]))
    attached = edges.attach(frame, missing="self")
    assert plain(attached["labels"]) == ["a", "c", "a", "c"]
    kind, usual = types(attached)[1], types(edges.labels())[1]
    assert kind == usual or (kind.name == usual.name == "category")  # with one word more
    with pytest.raises(errors.NullsError, match=r"1 of 3 rows has nulls .*nulls='null'"):
        edges.attach(framed(make(["b", None, "c"])), missing="self")
    attached = edges.attach(framed(make(["b", None, "c"])), missing="self", nulls="null")
    assert plain(attached["labels"]) == ["a", None, "c"]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("min", [-9, 4, 2, -9, 2, 7]),
        ("max", [-9, 4, 5, -9, 5, 9]),
        ("dense", [2, 3, 0, 2, 0, 1]),
        ("size", [2, 3, 1, 2, 1, 0]),
    ],
)
def test_numbers_without_edges_have_labels_of_their_own(engine, make, kind, labels):
    found = components(([5, 7, 8], [2, 8, 9]), labels=kind, engine=engine)
    frame = make({"vertex": [-9, 4, 5, -9, 2, 8]})
    assert plain(found.attach(frame, missing="self")["labels"]) == labels
    usual = found.attach(make({"vertex": [5]}))
    assert types(found.attach(frame, missing="self"))[1] == types(usual)[1]


@pytest.mark.filterwarnings("ignore:no id in")
@pytest.mark.parametrize("kind", ["min", "max", "dense", "size"])
@pytest.mark.parametrize("edges", [([], []), ([1], [2])], ids=["none", "one"])
def test_attached_labels_are_those_with_the_vertices_named(engine, kind, edges):
    ids = np.array([7, 3, 9, 3, 7, 2**40])
    found = components(edges, labels=kind, engine=engine)
    want = components(edges, labels=kind, vertices=ids, engine=engine)
    frame = pd.DataFrame({"vertex": ids})
    assert found.attach(frame, missing="self").equals(want.attach(frame))


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("kind", ["min", "max", "dense", "size"])
def test_ids_of_several_columns_without_edges(engine, make, kind):
    edges = pd.DataFrame({"a": ["x"], "b": [5], "c": ["y"], "d": [2]})
    found = components(edges, ["a", "b"], ["c", "d"], labels=kind, engine=engine)
    frame = make({"p": ["z", "y", "x", None, "a", "z"], "q": [1, 2, 9, 1, 3, 1]})
    attached = found.attach(frame, on=["p", "q"], missing="self", nulls="null")
    if kind in ("dense", "size"):
        assert plain(attached["labels"]) == [3, 0, 2, None, 1, 3]
        return
    words, numbers = (plain(attached[f"{key}_labels"]) for key in ("a", "b"))
    own = ("x", 5) if kind == "min" else ("y", 2)
    want = [("z", 1), own, ("x", 9), (None, None), ("a", 3), ("z", 1)]
    assert list(zip(words, numbers, strict=True)) == want


@pytest.mark.parametrize(
    ("edges", "own", "wanted"),
    [
        (np.int32, [2**31, 1], "int64"),
        (np.int8, np.array([300, 1], np.int16), "int16"),
        (np.uint32, [-1, 1], "int64"),
        (np.int64, np.array([2**63, 1], np.uint64), "uint64"),
        (np.uint64, [5, 1], "int64"),
        (np.int64, np.array([5, 1], np.int8), "int64"),
    ],
)
def test_own_labels_widen_the_type_as_a_second_column_would(engine, edges, own, wanted):
    found = components((np.array([1], edges), np.array([2], edges)), engine=engine)
    attached = found.attach(pd.DataFrame({"vertex": own}), missing="self")
    assert str(attached["labels"].dtype) == wanted
    assert attached["labels"].tolist() == [int(own[0]), 1]


def test_own_labels_that_no_type_holds_are_refused():
    found = components((np.array([-1]), np.array([2])))
    frame = pd.DataFrame({"vertex": np.array([2**63, 2], np.uint64)})
    with pytest.raises(errors.ColumnTypeError, match="no integer type holds both"):
        found.attach(frame, missing="self")


@pytest.mark.parametrize("kind", ["min", "dense"])
def test_nulls_beside_own_labels(engine, kind):
    found = components(([1], [2]), labels=kind, engine=engine)
    for make in NULLS.values():
        attached = found.attach(make(), missing="self", nulls="null")
        assert plain(attached["labels"]) == [1, None, 1] if kind == "min" else [0, None, 0]
        with pytest.raises(errors.NullsError, match="nulls='null'"):
            found.attach(make(), missing="self")
        with pytest.raises(errors.NullsError):
            found.attach(make(), missing="null", nulls="raise")
    frame = pd.DataFrame({"vertex": pd.Series([None, None], dtype="Int64")})
    attached = found.attach(frame, missing="self", nulls="null")
    assert plain(attached["labels"]) == [None, None]
    with pytest.raises(errors.InputError, match="unknown nulls policy 'drop'"):
        found.attach(frame, nulls="drop")
    with pytest.raises(errors.UnknownVertexError, match=": 3;"):
        found.attach(pd.DataFrame({"vertex": pd.Series([None, 3], dtype="Int64")}), nulls="null")


def test_no_edges_at_all_leave_every_id_by_itself(engine):
    none = components(pd.DataFrame({"src": [], "dst": []}), engine=engine)
    people = pd.DataFrame({"vertex": ["b", "a", "b"]})
    assert plain(none.attach(people, missing="self")["labels"]) == ["b", "a", "b"]
    none = components(([], []), labels="size", engine=engine)
    assert plain(none.attach(people, missing="self")["labels"]) == [1, 0, 1]


@pytest.mark.parametrize("here", WORDS)
@pytest.mark.parametrize("there", WORDS)
def test_words_of_every_kind_beside_others(here, there):
    found = components((WORDS[there](["b"]), WORDS[there](["a"])))
    attached = found.attach(framed(WORDS[here](["b", "a", None])), missing="null")
    assert plain(attached["labels"]) == ["a", "a", None]


@pytest.mark.parametrize("here", WORDS)
@pytest.mark.parametrize("there", [*WORDS, "views"])
def test_words_of_every_kind_beside_no_edges(here, there):
    categories = here in ("polars Categorical", "polars Enum")
    if categories and there.startswith("pandas") and before("pyarrow", "23"):
        pytest.skip("PyArrow does not hand pandas the categories of Polars")
    views = lambda words: pa.array(words, pa.string_view())  # noqa: E731
    edges = (WORDS | {"views": views})[there]([])
    none = components((edges, edges))
    attached = none.attach(framed(WORDS[here](["b", "a", "b"])), missing="self")
    assert plain(attached["labels"]) == ["b", "a", "b"]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_names_that_no_library_takes(make):
    with pytest.raises(errors.InputError, match="half of a surrogate pair"):
        components(([1], [2])).attach(make({"vertex": [1]}), name="\ud800")


@pytest.mark.parametrize("name", ["x.csv", "y.parquet"])
def test_an_answer_is_not_saved_as_a_table(name, tmp_path):
    with pytest.raises(errors.InputError, match=r"suffix of a table.* labels\(\)\.to_csv"):
        components(([1], [2])).save(tmp_path / name)
    assert not (tmp_path / name).exists()
