"""Answers on a GPU: own labels, equality, cuts and nulls, as on threads."""

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import components, components_at, errors

pytestmark = pytest.mark.gpu
LABELS = ["min", "max", "dense", "size"]
WEIGHTED = {"src": [1, 2, 3, 9], "dst": [2, 3, 4, 9], "weight": [0.9, 0.7, 0.8, 0.1]}


@pytest.fixture(scope="module")
def cudf():
    return pytest.importorskip("cudf")


def listed(frame):
    """The columns of a frame of cuDF's or pandas', nulls as None."""
    host = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    return [[None if pd.isna(v) else v for v in host[name].tolist()] for name in host.columns]


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32", "int64", "uint64", "str", "category"])
def test_own_labels_are_those_of_threads(cudf, kind, dtype):
    plain = "str" if dtype == "category" else dtype
    edges = pd.DataFrame({"src": [5, 7, 8], "dst": [2, 8, 9]}).astype(plain)
    people = pd.DataFrame({"vertex": [4, 5, 4, 2, 8, 100]}).astype(plain)
    want = components(edges, labels=kind).attach(people, missing="self")
    edges, people = edges.astype(dtype), people.astype(dtype)
    found = components(cudf.from_pandas(edges), labels=kind)
    for frame in (cudf.from_pandas(people), people):
        attached = found.attach(frame, missing="self")
        assert isinstance(attached, type(frame))
        assert listed(attached)[1] == listed(want)[1]
    if dtype not in ("str", "category"):
        assert str(attached["labels"].dtype) == str(want["labels"].dtype)


@pytest.mark.parametrize("kind", LABELS)
def test_own_labels_of_several_columns_and_nulls(cudf, kind):
    edges = pd.DataFrame({"a": ["x"], "b": [5], "c": ["y"], "d": [2]})
    ends = ["a", "b"], ["c", "d"]
    people = pd.DataFrame({"p": ["z", "y", "x", None, "a", "z"], "q": [1, 2, 9, 1, 3, 1]})
    options = {"on": ["p", "q"], "missing": "self", "nulls": "null"}
    want = components(edges, *ends, labels=kind).attach(people, **options)
    found = components(cudf.from_pandas(edges), *ends, labels=kind)
    attached = found.attach(cudf.from_pandas(people), **options)
    assert listed(attached) == listed(want)
    with pytest.raises(errors.NullsError, match="1 of 6 rows"):
        found.attach(cudf.from_pandas(people), on=["p", "q"], missing="self")


@pytest.mark.filterwarnings("ignore:no id in")
def test_own_labels_widen(cudf):
    found = components(cudf.DataFrame({"src": np.array([1], np.int32), "dst": [2]}))
    frame = cudf.DataFrame({"vertex": [2**40, 1]})
    assert listed(found.attach(frame, missing="self"))[1] == [2**40, 1]
    mixed = components(cudf.DataFrame({"src": [-1], "dst": [2]}))
    with pytest.raises(errors.ColumnTypeError, match="no integer type"):
        mixed.attach(cudf.DataFrame({"vertex": np.array([2**63], np.uint64)}), missing="self")


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64", "str", "category"])
def test_answers_of_both_engines_are_equal(cudf, dtype):
    frame = pd.DataFrame({"src": [5, 7, 8], "dst": [2, 8, 9]}).astype(dtype)
    there, here = components(cudf.from_pandas(frame), labels="size"), components(frame)
    assert there == here == there
    assert here == components(frame, engine="cuda")
    assert there != components(frame.iloc[:2])
    other = pd.DataFrame({"src": [5, 7, 8], "dst": [2, 8, 2]}).astype(dtype)
    assert there != components(other, vertices=frame["dst"])


def test_uint64_and_int64_do_not_meet_as_floats():
    cupy = pytest.importorskip("cupy")
    signed = cupy.array([2**60, 2**60 + 1])
    unsigned = signed.astype(cupy.uint64)
    assert components((signed, signed)) == components((unsigned, unsigned))
    assert components((signed, signed)) != components((unsigned + 1, unsigned + 1))
    assert components((-signed, signed)) != components((unsigned, unsigned))


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("streamed", [False, True])
def test_cuts_are_those_of_threads(cudf, kind, words, streamed):
    edges = pd.DataFrame(WEIGHTED)
    edges = edges.astype({"src": "str", "dst": "str"}) if words else edges
    there = cudf.from_pandas(edges)
    given = iter([there.iloc[:2], there.iloc[2:]]) if streamed else there
    options = {"thresholds": [0.95, 0.8, 0.7, 0.0], "labels": kind}
    want, found = components_at(edges, **options), components_at(given, **options)
    assert found == want
    assert isinstance(found.merges(), cudf.DataFrame)
    assert listed(found.merges()) == listed(want.merges())
    for level in want.thresholds:
        assert listed(found.labels(level)) == listed(want.labels(level))


def test_cuts_of_several_columns_and_null_weights(cudf):
    rows = {"a": ["x", "y", "x"], "b": [1, 2, 7], "c": ["y", "x", "y"], "d": [2, 1, 7]}
    edges = pd.DataFrame(rows | {"weight": [0.9, None, 0.5]})
    options = {"thresholds": [0.95, 0.9], "nulls": "drop"}
    ends = ["a", "b"], ["c", "d"]
    want = components_at(edges, *ends, **options)
    found = components_at(cudf.from_pandas(edges), *ends, **options)
    assert found == want
    assert listed(found.merges()) == listed(want.merges())
    assert found.at(0.9).summary()["dropped"] == 1


@pytest.mark.parametrize("dtype", ["i1", "i4", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("direction", ["at_least", "at_most"])
@pytest.mark.parametrize("design", ["auto", "jtb+naive"])
def test_large_cuts_are_those_of_threads(cudf, dtype, direction, design):
    rng = np.random.default_rng(0)
    src, dst = rng.integers(-(10**5), 10**5, (2, 200_000))
    weight = rng.integers(0, 100, src.size).astype(dtype)
    options = {"thresholds": [-1, 5, 20.5, 50, 90, 300], "direction": direction}
    ends = pd.DataFrame({"src": src, "dst": dst})
    there = cudf.from_pandas(ends)
    cupy = pytest.importorskip("cupy")
    found = components_at(there, weight=cupy.asarray(weight), design=design, **options)
    want = components_at(ends, weight=weight, **options)
    assert found.at(50).summary()["engine"] == "cuda"
    assert found == want
    assert listed(found.merges()) == listed(want.merges())
    far = there * 10**12
    assert components_at(far, weight=weight, **options) == components_at(
        ends * 10**12, weight=weight, **options
    )


def test_masked_arrays_beside_arrays_of_the_device():
    cupy = pytest.importorskip("cupy")
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    found = components((masked, cupy.array([2, 3, 4])), nulls="drop")
    assert found.summary()["dropped"] == 1
    assert found == components(([1, 3], [2, 4]))
    with pytest.raises(errors.NullsError, match="1 null in 3 rows"):
        components((cupy.array([2, 3, 4]), masked))


def test_series_beside_arrays(cudf):
    cupy = pytest.importorskip("cupy")
    series = cudf.Series([1, None, 3], dtype="int64")
    found = components((series, cupy.array([2, 3, 4])), nulls="drop")
    assert found == components(([1, 3], [2, 4]))
    with pytest.raises(errors.NullsError, match="1 null in 3 rows"):
        cc_rapids.spanning_forest((series, cupy.array([2, 3, 4])))


@pytest.mark.parametrize(
    "values",
    [[0.5, 1.5], [True, False], ["2026-01-01"] * 2, [[1], [2]], [{"x": 1}, {"x": 2}]],
    ids=str,
)
def test_columns_of_other_types_are_errors_of_ours(cudf, values):
    column = cudf.Series(values)
    column = column.astype("datetime64[ns]") if values[0] == "2026-01-01" else column
    frame = cudf.DataFrame({"src": column, "dst": column})
    for job in (
        lambda: components(frame),
        lambda: components((column, column), nulls="drop"),
        lambda: components(([1], [2]), vertices=column),
        lambda: components(([1], [2])).attach(frame, on="src", missing="self"),
        lambda: cc_rapids.Connectivity().insert(frame),
    ):
        with pytest.raises(errors.ColumnTypeError):
            job()
