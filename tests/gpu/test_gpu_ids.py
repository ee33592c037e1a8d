"""Ids of every kind in real cuDF frames: against cuGraph, pandas and the answer on threads."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from support import sizes
from support.encodings import ENCODINGS, force_encoding

import cc_rapids
from cc_rapids import errors
from cc_rapids.ids import hash_table
from cc_rapids.tools import doctor

pytestmark = pytest.mark.gpu
WAYS = [way for way in ENCODINGS if way != "bit map, paged"]  # which only threads use


@pytest.fixture(scope="module")
def cudf():
    return pytest.importorskip("cudf")


def both(cudf, edges, *names, **options):
    """The answer of the device, after it was compared with that of threads."""
    found = cc_rapids.components(cudf.from_pandas(edges), *names, **options)
    with sizes.override(library_strings=0):  # PyArrow numbers few strings on threads alone
        host = cc_rapids.components(edges, *names, **options)
    assert found.summary()["engine"] == "cuda"
    assert found.summary()["ids"] == host.summary()["ids"]
    for ask in ("labels", "sizes", "largest", "representatives", "filter", "size_histogram"):
        ours, theirs = getattr(found, ask)(), getattr(host, ask)()
        assert isinstance(ours, cudf.DataFrame)
        pd.testing.assert_frame_equal(ours.to_pandas(), theirs, check_dtype=False)
    for kind in ("dense", "size"):
        ours = found.labels(kind).to_pandas()
        pd.testing.assert_frame_equal(ours, host.labels(kind), check_dtype=False)
    return found


def hashed(n, m, seed=0):
    random = np.random.default_rng(seed)
    ids = random.integers(-(2**63), 2**63 - 1, n)
    return pd.DataFrame(
        {"src": ids[random.integers(0, n, m)], "dst": ids[random.integers(0, n, m)]}
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("m", [1, 500, 200_000])
def test_every_way(cudf, monkeypatch, way, m):
    force_encoding(monkeypatch, way)
    random = np.random.default_rng(m)
    low = -500
    edges = pd.DataFrame(low + random.integers(0, 3 * m + 2, (m, 2)), columns=["src", "dst"])
    found = both(cudf, edges, vertices=[low, 1, 7])
    assert found.summary()["ids"] == way


@pytest.mark.parametrize("seed", range(5))
def test_hashed_ids_against_cugraph(cudf, seed):
    edges = cudf.from_pandas(hashed(300_000, 400_000, seed))
    found = cc_rapids.components(edges)
    assert found.summary()["ids"] == "hash slots"
    cc_rapids.oracle.against_cugraph(edges, found.labels())
    assert found.labels()["vertex"].is_monotonic_increasing
    both(cudf, hashed(300_000, 400_000, seed))


def test_ids_that_are_found_in_blocks_of_the_table(cudf):
    with sizes.override(blocked_ids=1):
        edges = hashed(300_000, 400_000)
        both(cudf, edges)
        edges["dst"] = np.where(np.arange(400_000) % 3, edges["dst"], edges["dst"][1])
        both(cudf, edges)
        found = cc_rapids.components(cudf.from_pandas(edges), forest=True)
        assert len(found.forest()) == found.num_vertices - len(found)
    long = cudf.from_pandas(hashed(20_000_000, 24_000_000))
    found = cc_rapids.connected_components(long)
    with sizes.override(blocked_ids=1 << 40):
        expected = cc_rapids.connected_components(long)
    for column in ("vertex", "labels"):
        assert (found[column] == expected[column]).all()


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_the_ends_of_64_bits(cudf, dtype):
    kind = np.iinfo(dtype)
    ends = np.array([kind.min, kind.max, kind.max - 1, kind.min + 1, 9, 7], dtype)
    edges = pd.DataFrame({"src": ends[[0, 2, 4]], "dst": ends[[1, 3, 4]]})
    assert len(both(cudf, edges)) == 3


def test_the_number_of_different_ids_is_estimated_closely():
    backend = cc_rapids.backends.get("cuda")
    for different in (1, 1000, 30_000, 3_000_000):
        column = backend.asarray((np.arange(4_000_000) % different) * 10**12 - 2**60)
        assert hash_table._estimate_ids([column], backend) == pytest.approx(
            different, rel=0.03, abs=1
        )


def test_a_table_that_is_too_small_grows(cudf, monkeypatch):
    monkeypatch.setattr(hash_table, "_estimate_ids", lambda columns, engine: 50)
    both(cudf, hashed(20_000, 40_000))


def test_strings_and_categories(cudf):
    random = np.random.default_rng(2)
    words = np.array([f"word {k * 7919 % 10007} é" for k in range(3000)], object)
    edges = pd.DataFrame({side: words[random.integers(0, 3000, 2500)] for side in ("src", "dst")})
    found = both(cudf, edges, vertices=["zz", "word 1 é"])
    assert found.component_of(edges["src"][0]) == found.component_of(edges["dst"][0])
    with pytest.raises(errors.UnknownVertexError, match=r"1 of 1 .* no word"):
        found.component_of("no word")
    categories = cudf.from_pandas(edges).astype("category")
    labels = cc_rapids.connected_components(categories)
    assert isinstance(labels["vertex"].dtype, cudf.CategoricalDtype)
    expected = cc_rapids.connected_components(edges)
    pd.testing.assert_frame_equal(labels.astype("str").to_pandas(), expected, check_dtype=False)


def test_categories_of_integers(cudf):
    edges = cudf.DataFrame({"src": [5, -3, 9], "dst": [7, 5, 9]}).astype("category")
    labels = cc_rapids.connected_components(edges)
    assert labels.to_pandas().to_numpy().tolist() == [[-3, -3], [5, -3], [7, -3], [9, 9]]


@pytest.mark.parametrize("wide", [False, True])
def test_several_columns(cudf, wide):
    random = np.random.default_rng(5)
    kinds = np.array(["item", "user", "card"], object)
    ids = random.integers(-(2**62), 2**62, 400) if wide else np.arange(400) - 30
    columns = {}
    for side in ("a", "b"):
        columns[f"{side}_kind"] = kinds[random.integers(0, 3, 500)]
        columns[f"{side}_id"] = ids[random.integers(0, 400, 500)]
    edges = pd.DataFrame(columns)
    found = both(cudf, edges, ["a_kind", "a_id"], ["b_kind", "b_id"])
    frame = cudf.from_pandas(edges)
    attached = found.attach(frame, on=["a_kind", "a_id"])
    again = found.attach(frame, on=["b_kind", "b_id"])
    assert (attached["labels"] == again["labels"]).all()


def test_sides_of_different_types(cudf):
    edges = pd.DataFrame({"src": np.array([1, 2**31 - 1], np.int32), "dst": [2**62, -5]})
    both(cudf, edges)


def test_explain_runs_nothing(cudf):
    import rmm.statistics

    edges = cudf.from_pandas(hashed(1000, 50_000))
    with rmm.statistics.statistics():
        plan = cc_rapids.components(edges, explain=True)
        assert rmm.statistics.get_statistics().peak_bytes < 1 << 20
    assert (plan.engine, plan.ids) == ("cuda", "hash slots")
    assert "a word or a bit each" in str(plan)
    with rmm.statistics.statistics():
        labels = cc_rapids.connected_components(edges)
        assert rmm.statistics.get_statistics().peak_bytes <= plan.bytes + (1 << 20)
    assert len(labels) <= plan.vertices


def test_attach_and_look_up_on_the_device(cudf):
    edges = cudf.DataFrame({"src": [5, 2, 9, None], "dst": [2, 7, 9, 1]}, index=[4, 3, 2, 1])
    found = cc_rapids.components(edges, nulls="drop")
    attached = found.attach(edges.dropna(), on="dst", name="group")
    assert attached["group"].to_pandas().to_dict() == {4: 2, 3: 2, 2: 9}
    asked = cudf.DataFrame({"vertex": [7, 8]})
    assert found.attach(asked, missing="null")["labels"].to_arrow().to_pylist() == [2, None]
    with pytest.raises(errors.UnknownVertexError, match=r"1 of 2 ids in .vertex. .* 8"):
        found.attach(asked)
    assert found.component_of(cudf.Series([9, 5])).to_arrow().to_pylist() == [9, 2]
    assert found.subset(2).to_arrow().to_pylist() == [2, 5, 7]
    by = cudf.DataFrame({"vertex": [5, 7], "score": [1.0, None]})
    assert found.representatives(by)["vertex"].to_arrow().to_pylist() == [5, 9]


SCORES = {
    "integers": [3, 9, 1],
    "booleans": [False, True, False],
    "dates": pd.to_datetime(["2026-01-02", "2026-03-04", "2026-01-01"]),
    "words": ["b", "c", "a"],
    "categories": pd.Categorical(["mid", "top", "low"], ["low", "mid", "top"], ordered=True),
}


@pytest.mark.parametrize("kind", SCORES)
def test_the_best_of_any_scores_represents(cudf, kind):
    found = cc_rapids.components(cudf.DataFrame({"src": [1, 2], "dst": [2, 3]}))
    by = pd.DataFrame({"vertex": [1, 2, 3], "score": SCORES[kind]})
    for rows in ([0, 1, 2], [2, 1, 0, 2]):  # the last of them twice
        best = found.representatives(cudf.from_pandas(by.iloc[rows]))
        assert best["vertex"].to_arrow().to_pylist() == [2]
        least = found.representatives(cudf.from_pandas(by.iloc[rows]), ascending=True)
        assert least["vertex"].to_arrow().to_pylist() == [3 if kind != "booleans" else 1]


def test_null_ids_have_null_labels(cudf):
    found = cc_rapids.components(cudf.DataFrame({"src": ["a", "b"], "dst": ["b", "c"]}))
    asked = cudf.DataFrame({"vertex": ["c", None, "z"], "other": [1, 2, 3]})
    attached = found.attach(asked, missing="null")
    assert attached["labels"].to_arrow().to_pylist() == ["a", None, None]
    with pytest.raises(errors.NullsError, match="1 of 3 rows has nulls in 'vertex'"):
        found.attach(asked)
    assert len(found.attach(asked[:0])) == 0


def test_tuples_are_ids_of_several_columns(cudf):
    edges = cudf.DataFrame({"a": [1, 2], "b": [1, 2], "c": [1, 1], "d": [2, 3]})
    columns = ["a", "b"], ["c", "d"]
    found = cc_rapids.components(edges, *columns, vertices=[(7, 8)])
    assert len(found) == 3
    assert found.component_of((2, 2)) == 1
    found = cc_rapids.components(edges, *columns, vertices=[(7, 8)], labels="min")
    assert found.component_of((2, 2)) == (1, 3)
    both_ids = found.component_of([(1, 1), (7, 8)])
    assert [column.to_arrow().to_pylist() for column in _columns(both_ids)] == [[1, 7], [1, 8]]


def _columns(frame):
    return [frame[name] for name in frame.columns]


@pytest.mark.parametrize("lies", ["cudf", "host"])
@pytest.mark.parametrize("vertices", [[3, 1], ["b", "a"]])
@pytest.mark.parametrize("dtype", ["float64", "int32", "str"])
def test_edges_without_rows_are_of_any_kind(cudf, dtype, vertices, lies):
    none = cudf.DataFrame({name: cudf.Series([], dtype=dtype) for name in ("src", "dst")})
    ids = cudf.Series(vertices) if lies == "cudf" else vertices
    found = cc_rapids.components(none, vertices=ids, forest=True)
    assert found.labels()["vertex"].to_arrow().to_pylist() == sorted(vertices)
    assert isinstance(found.forest(), cudf.DataFrame)
    assert found.forest().shape == (0, 3)
    assert found.audit(none, vertices=ids).components == 2
    assert found.component_of(vertices[0]) == vertices[0]


def test_the_accessor_of_cudf(cudf):
    import cc_rapids.accessor

    assert cc_rapids.accessor.register()[:2] == ["pandas", "cudf"]  # and Polars, where it is
    edges = cudf.DataFrame({"a": [5, 2, 9], "b": [2, 7, 9]})
    assert edges.cc.labels("a", "b")["labels"].to_arrow().to_pylist() == [2, 2, 2, 9]
    assert len(edges.cc.sizes("a", "b")) == 2
    assert not hasattr(edges[["a"]], "cc")


def test_under_cudf_pandas(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import pandas as pd
        import cc_rapids, cc_rapids.accessor

        edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        found = cc_rapids.components(edges)
        print(found.summary()["engine"], type(found.labels()) is pd.DataFrame)
        print(edges.cc.components().summary()["engine"], edges.cc.labels()["labels"].tolist())
        """)
    )
    run = subprocess.run(
        [sys.executable, "-m", "cudf.pandas", str(script)], capture_output=True, text=True
    )
    assert run.stdout.split("\n")[:2] == ["cuda True", "cuda [2, 2, 2, 9]"], run.stderr[-2000:]


def test_rapids_doctor():
    assert "on cuda" in doctor.check(verbose=True)
