"""Records that share a key, in cuDF frames on a real GPU, against those of the host."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import errors

pytestmark = pytest.mark.gpu
KEYS = ["email", ["name", "birthday"], "flag"]


@pytest.fixture(scope="module")
def cudf():
    return pytest.importorskip("cudf")


def people(size, seed=0):
    """Records of which many share a value, some have none, and ids repeat."""
    rng = np.random.default_rng(seed)
    email = pd.Series([f"user{k}@x.org" for k in rng.integers(0, size, size)], dtype="str")
    email[rng.random(size) < 0.2] = None
    email[rng.random(size) < 0.2] = ""
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 90, size), "D")
    birthday = pd.Series(days).where(rng.random(size) < 0.9)
    flag = pd.Series(rng.random(size) < 0.5).astype("boolean")
    flag[rng.random(size) < 0.999] = pd.NA
    return pd.DataFrame(
        {
            "record_id": rng.integers(-(2**62), 2**62, size)[rng.integers(0, size, size)],
            "email": email,
            "name": pd.Series([f"name {k}" for k in rng.integers(0, size // 4 + 1, size)]),
            "birthday": birthday.astype("M8[ns]"),
            "flag": flag,
        }
    )


@pytest.mark.filterwarnings("ignore:ignore= leaves out no record")  # of one, which has none
@pytest.mark.parametrize("size", [0, 1, 20, 5000])
@pytest.mark.parametrize("named", [None, "record_id", ["record_id", "name"]])
@pytest.mark.parametrize("limit", [None, 2])
def test_entities_are_those_of_the_host(cudf, size, named, limit):
    frame = people(size)
    options = {"id": named, "max_group": limit, "ignore": ["", "name 1", dt.date(1950, 1, 2), True]}
    expected = cc_rapids.link_records(frame, KEYS, **options)
    records = cudf.from_pandas(frame)
    found = cc_rapids.link_records(records, KEYS, **options)
    assert isinstance(found.labels(), cudf.DataFrame)
    assert found == expected
    assert found.summary()["engine"] == "cuda"
    assert found.summary()["keys"] == expected.summary()["keys"]
    attached = found.attach(records)
    assert isinstance(attached, cudf.DataFrame)
    pd.testing.assert_frame_equal(
        attached.to_pandas().filter(like="labels"),
        expected.attach(frame).filter(like="labels"),
        check_dtype=False,
    )


def test_no_column_visits_the_host(cudf, monkeypatch):
    records = cudf.from_pandas(people(5000))

    def refuse(*given, **options):
        raise AssertionError("a column was copied to the host")

    for name in ("to_pandas", "to_arrow", "to_numpy"):
        monkeypatch.setattr(cudf.Series, name, refuse)
        monkeypatch.setattr(cudf.DataFrame, name, refuse, raising=False)
    found = cc_rapids.link_records(records, KEYS, id="record_id", max_group=5)
    assert len(found.attach(records)) == 5000


def test_categories_and_arrays_on_the_device(cudf):
    import cupy

    words = cudf.DataFrame({"k": cudf.Series(["a", "b", "a", None], dtype="category")})
    assert cc_rapids.link_records(words, ["k"]).attach(words)["labels"].to_arrow().to_pylist() == [
        *(0, 1, 0, 3)
    ]
    arrays = {"k": cupy.array([5, 7, 5]), "flag": cupy.array([True, False, False])}
    found = cc_rapids.link_records(arrays, ["k"])
    assert isinstance(found.labels()["labels"], cupy.ndarray)
    attached = found.attach(arrays)
    assert isinstance(attached["labels"], cupy.ndarray)
    assert attached["labels"].tolist() == [0, 1, 0]
    assert len(cc_rapids.link_records(arrays, ["k", "flag"], ignore=[True])) == 1


def test_a_host_frame_is_linked_on_the_gpu_on_request():
    frame = people(2000)
    found = cc_rapids.link_records(frame, KEYS, engine="cuda", max_group=3)
    assert found == cc_rapids.link_records(frame, KEYS, max_group=3)
    assert isinstance(found.attach(frame), pd.DataFrame)


def test_float_keys_of_cudf_are_refused(cudf):
    frame = cudf.DataFrame({"k": [0.5, 0.5]})
    with pytest.raises(errors.ColumnTypeError, match=r"'k' is float64 .*keys must be integers"):
        cc_rapids.link_records(frame, ["k"])


@pytest.mark.parametrize("named", [None, "record_id"])
def test_deduplicated_records_are_those_of_the_host(cudf, named):
    frame = people(500).assign(seen=np.arange(500) % 97)
    options = {"by": "seen", "per": "name"}
    expected = cc_rapids.link_records(frame, KEYS, id=named).deduplicate(frame, **options)
    records = cudf.from_pandas(frame)
    found = cc_rapids.link_records(records, KEYS, id=named)
    best = found.deduplicate(records, **options)
    assert isinstance(best, cudf.DataFrame)
    assert best["seen"].to_pandas().tolist() == expected["seen"].tolist()
    assert best.index.to_pandas().tolist() == expected.index.tolist()


@pytest.mark.parametrize("count", [0, 1, 3, 10**6])
def test_so_many_of_the_largest_are_those_of_the_host(cudf, count):
    frame = people(2000)
    expected = cc_rapids.link_records(frame, KEYS)
    found = cc_rapids.link_records(cudf.from_pandas(frame), KEYS)
    for method in ("sizes", "largest"):
        answer = getattr(found, method)(count)
        assert isinstance(answer, cudf.DataFrame)
        pd.testing.assert_frame_equal(answer.to_pandas(), getattr(expected, method)(count))


def test_shared_values_are_those_of_the_host(cudf):
    frame, options = people(2000), {"id": "record_id", "max_group": 4}
    records = cudf.from_pandas(frame)
    found, expected = (cc_rapids.link_records(one, KEYS, **options) for one in (records, frame))
    points = found.articulation_points(records)
    assert isinstance(points, cudf.DataFrame)
    assert points["vertex"].to_arrow().to_pylist() == (
        expected.articulation_points(frame)["vertex"].tolist()
    )
    label = int(expected.sizes(1)["labels"].iloc[0])
    edges = found.edges(label, records).to_pandas()[["vertex", "key"]]
    assert edges.values.tolist() == expected.edges(label, frame)[["vertex", "key"]].values.tolist()
    first, last = expected.subset(label).iloc[[0, -1]].tolist()
    path = found.explain_pair(first, last, records)
    assert len(path) == len(expected.explain_pair(first, last, frame))
    assert found.audit(records).components == len(expected)
