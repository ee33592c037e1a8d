"""Real cuDF frames on a real GPU, with SciPy and cuGraph as oracles."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import cc_rapids
from cc_rapids import errors
from cc_rapids.data import cudf_columns

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def cudf():
    return pytest.importorskip("cudf")


def random_edges(n, m, dtype=np.int32, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, n, m).astype(dtype), rng.integers(0, n, m).astype(dtype)


def expected(src, dst, low=0):
    """The vertices that occur, and the least id of each one's component, by SciPy."""
    import scipy.sparse as sp

    n = int(max(src.max(), dst.max())) - low + 1
    at = (src.astype(np.int64) - low, dst.astype(np.int64) - low)
    matrix = sp.coo_matrix((np.ones(src.size, np.int8), at), shape=(n, n))
    _, dense = sp.csgraph.connected_components(matrix, directed=False)
    _, first = np.unique(dense, return_index=True)
    occur = np.unique(np.concatenate(at))
    return occur + low, first[dense][occur] + low


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint32, np.uint64])
@pytest.mark.parametrize("m", [1, 60, 5000])
def test_labels_of_cudf_frames(cudf, dtype, m):
    src, dst = random_edges(100 if dtype is np.int8 else 4000, m, dtype)
    frame = cudf.DataFrame({"src": src, "dst": dst})
    found = cc_rapids.components(frame)
    labels = found.labels()
    vertex, least = expected(src, dst)
    assert isinstance(labels, cudf.DataFrame)
    assert labels["vertex"].dtype == dtype
    assert labels["labels"].dtype == dtype
    assert labels["vertex"].to_numpy().tolist() == vertex.tolist()
    assert labels["labels"].to_numpy().tolist() == least.tolist()
    assert found.summary()["engine"] == "cuda"
    assert found.sizes()["size"].sum() == len(vertex)
    assert len(found.largest()) == found.summary()["largest"]
    for kind in ("dense", "size"):
        other = found.labels(kind)["labels"].to_numpy()
        assert len(set(zip(other, least, strict=True))) == len(found)


@pytest.mark.parametrize("m", [3, 50_000])
def test_label_frames_are_frames_as_cudf_makes_them(cudf, m):
    src, dst = random_edges(2 * m, m)
    labels = cc_rapids.connected_components(cudf.DataFrame({"src": src, "dst": dst}))
    vertex, least = expected(src, dst)
    own = cudf.DataFrame({"vertex": vertex, "labels": least}).astype(np.int32)
    plain = cudf.DataFrame._from_data(dict(labels._data))
    for mine, theirs in ((labels, plain), (labels.index, plain.index), (labels._data, plain._data)):
        assert type(mine) is type(theirs)
        assert vars(theirs).keys() - vars(mine).keys() <= {"_grouped_data"}  # known when asked for
        assert not vars(mine).keys() - vars(theirs).keys()
    for frame in (labels, labels.copy(), pickle.loads(pickle.dumps(labels)), labels[:]):
        cudf.testing.assert_frame_equal(frame, own)
        assert frame.flags.allows_duplicate_labels
        assert frame.attrs == {}
    assert int(labels.memory_usage(index=False).sum()) == 8 * len(own)
    labels["size"] = 1
    labels.attrs["made"] = "here"
    labels.flags.allows_duplicate_labels = False
    again = cc_rapids.connected_components(cudf.DataFrame({"src": src, "dst": dst}))
    assert list(again.columns) == ["vertex", "labels"]
    assert again.attrs == {}
    assert again.flags.allows_duplicate_labels
    merged = again.merge(own, on="vertex", suffixes=("", "_own"))
    assert bool((merged["labels"] == merged["labels_own"]).all())


@pytest.mark.parametrize("kind", ["int32", "uint64", "str", "category"])
def test_answers_for_slices(cudf, kind):
    src, dst = random_edges(300, 1000, np.uint64)
    frame = cudf.DataFrame({"src": src, "dst": dst}).astype(kind).iloc[137:921]
    labels = cc_rapids.components(frame).labels()
    expected = cc_rapids.components(frame.to_pandas(), engine="threads").labels()
    for name in ("vertex", "labels"):
        assert labels[name].to_arrow().to_pylist() == list(expected[name])
    assert labels.flags.allows_duplicate_labels
    assert len(cc_rapids.components(frame[:0]).labels()) == 0


def test_answers_for_columns_with_nulls(cudf):
    src, dst = random_edges(300, 784, np.uint64)
    holes = cudf.DataFrame({"src": src, "dst": dst})
    holes["dst"] = holes["dst"].where(cudf.Series(np.arange(784) != 3))
    with pytest.raises(errors.NullsError, match="1 null in 784 rows"):
        cc_rapids.components(holes)
    found = cc_rapids.components(holes, nulls="drop").labels()
    expected = cc_rapids.components(holes.drop(3), engine="threads").labels()
    cudf.testing.assert_frame_equal(found, expected)


def test_frames_with_other_attributes_are_made_in_cudfs_own_way(cudf):
    import cupy

    class Named(cudf.DataFrame):
        @classmethod
        def _from_data(cls, data, **given):
            made = super()._from_data(data, **given)
            vars(made)["source"] = "a list"
            return made

    labels = cudf_columns.make_frame(Named, {"labels": cupy.arange(3)})
    assert type(labels) is Named
    assert labels.source == "a list"
    assert labels["labels"].to_numpy().tolist() == [0, 1, 2]


def test_a_million_edges_against_cugraph(cudf):
    cugraph = pytest.importorskip("cugraph")
    src, dst = random_edges(900_000, 1_000_000)
    frame = cudf.DataFrame({"src": src, "dst": dst})
    ours = cc_rapids.connected_components(frame)
    graph = cugraph.Graph()
    graph.from_cudf_edgelist(frame, source="src", destination="dst", renumber=True)
    theirs = cugraph.weakly_connected_components(graph)
    both = ours.merge(theirs, on="vertex", suffixes=("", "_theirs"))
    assert len(both) == len(ours) == len(theirs)
    pairs = both[["labels", "labels_theirs"]].drop_duplicates()
    assert len(pairs) == both["labels"].nunique() == both["labels_theirs"].nunique()


def test_slices_are_read_in_place(cudf):
    src, dst = random_edges(300, 1000, np.int64)
    frame = cudf.DataFrame({"src": src, "dst": dst}).iloc[137:921]
    labels = cc_rapids.connected_components(frame)
    vertex, least = expected(src[137:921], dst[137:921])
    assert labels["vertex"].to_numpy().tolist() == vertex.tolist()
    assert labels["labels"].to_numpy().tolist() == least.tolist()


def test_negative_ids(cudf):
    frame = cudf.DataFrame({"src": [-7, 3, 5], "dst": [-5, 3, -7]})
    labels = cc_rapids.connected_components(frame)
    assert labels["vertex"].to_numpy().tolist() == [-7, -5, 3, 5]
    assert labels["labels"].to_numpy().tolist() == [-7, -7, 3, -7]


def test_strings_stay_on_the_device(cudf):
    frame = cudf.DataFrame({"src": ["pear", "fig", "kiwi"], "dst": ["apple", "date", "kiwi"]})
    labels = cc_rapids.connected_components(frame)
    assert labels["vertex"].to_arrow().to_pylist() == ["apple", "date", "fig", "kiwi", "pear"]
    assert labels["labels"].to_arrow().to_pylist() == ["apple", "date", "date", "kiwi", "apple"]
    assert cc_rapids.components(frame).largest()["vertex"].to_arrow().to_pylist() == [
        "apple",
        "pear",
    ]


def test_nulls(cudf):
    frame = cudf.DataFrame({"src": [1, None, 3, 4], "dst": [2, 3, None, 5]})
    with pytest.raises(errors.NullsError, match="'src' has 1 null in 4 rows"):
        cc_rapids.components(frame)
    found = cc_rapids.components(frame, nulls="drop")
    assert found.summary()["dropped"] == 2
    assert found.labels()["labels"].to_numpy().tolist() == [1, 1, 4, 4]


def test_floats_and_booleans_are_refused(cudf):
    for values in ([1.0, 2.0], [True, False]):
        with pytest.raises(errors.ColumnTypeError, match="column 'src' is"):
            cc_rapids.components(cudf.DataFrame({"src": values, "dst": [1, 2]}))


def test_vertices_and_empty_frames(cudf):
    frame = cudf.DataFrame({"src": [4], "dst": [2]})
    named = cc_rapids.connected_components(frame, vertices=cudf.Series([9, 2]))
    assert named["vertex"].to_numpy().tolist() == [2, 4, 9]
    assert len(cc_rapids.components(frame, num_vertices=8)) == 7
    empty = cc_rapids.components(frame.head(0))
    assert len(empty) == 0
    assert len(empty.labels()) == 0
    assert len(empty.sizes()) == len(empty.largest()) == 0


def test_cupy_arrays_and_matrices():
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse as sparse

    src, dst = random_edges(500, 400)
    vertex, least = expected(src, dst)
    pair = cc_rapids.connected_components((cupy.asarray(src), cupy.asarray(dst)))
    assert isinstance(pair.labels, cupy.ndarray)
    assert pair.vertex.get().tolist() == vertex.tolist()
    assert pair.labels.get().tolist() == least.tolist()
    ones = cupy.ones(src.size, np.float32)
    matrix = sparse.coo_matrix((ones, (cupy.asarray(src), cupy.asarray(dst))), shape=(500, 500))
    for form in (matrix, matrix.tocsr(), matrix.tocsc()):
        assert cc_rapids.connected_components(form).labels[vertex].get().tolist() == least.tolist()


def test_host_frames_go_to_the_gpu_when_asked():
    import pandas as pd

    src, dst = random_edges(500, 400)
    vertex, least = expected(src, dst)
    found = cc_rapids.components(pd.DataFrame({"src": src, "dst": dst}), engine="cuda")
    labels = found.labels()
    assert isinstance(labels, pd.DataFrame)
    assert labels["vertex"].tolist() == vertex.tolist()
    assert labels["labels"].tolist() == least.tolist()
    assert found.summary()["seconds"]["copy"] > 0


def test_device_frames_run_on_threads_when_asked(cudf):
    frame = cudf.DataFrame({"src": [5, 2], "dst": [2, 7]})
    labels = cc_rapids.connected_components(frame, engine="threads")
    assert isinstance(labels, cudf.DataFrame)
    assert labels["labels"].to_numpy().tolist() == [2, 2, 2]


SPILLED = """
import cudf
import cc_rapids

numbers = cudf.DataFrame({"src": [5, 2] * 1000, "dst": [2, 7] * 1000})
words = cudf.DataFrame({"src": ["e", "b"] * 1000, "dst": ["b", "g"] * 1000})
for frame, least in ((numbers, 2), (words, "b")):
    for name in frame.columns:
        owner = frame[name]._column.data.owner
        if owner.spillable:
            owner.spill(target="cpu")
    for _ in range(2):
        labels = cc_rapids.connected_components(frame)
        assert labels["labels"].to_arrow().to_pylist() == [least] * 3, labels
"""


def test_spilled_columns_come_back(cudf):
    """With cuDF's spilling on, which a process decides when it first needs memory."""
    settings = os.environ | {"CUDF_SPILL": "on", "CUDF_SPILL_ON_DEMAND": "off"}
    subprocess.run([sys.executable, "-c", SPILLED], env=settings, check=True)


def test_memory_stays_in_bounds(cudf):
    import rmm
    import rmm.statistics

    n, m = 3_000_000, 4_000_000
    src, dst = random_edges(n, m)
    frame = cudf.DataFrame({"src": src, "dst": dst})
    cc_rapids.connected_components(frame.head(10))
    before = rmm.mr.get_current_device_resource()
    rmm.statistics.enable_statistics()
    try:
        with rmm.statistics.statistics():
            labels = cc_rapids.connected_components(frame)
            peak = rmm.statistics.get_statistics().peak_bytes
    finally:
        rmm.mr.set_current_device_resource(before)
    assert len(labels) < n
    assert peak <= cc_rapids.memory_bound(n, 8 * len(labels), m)


def test_streams_and_threads_of_the_caller():
    from concurrent.futures import ThreadPoolExecutor

    import cupy

    def work(seed):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            src, dst = random_edges(3000, 2500, seed=seed)
            pair = cupy.asarray(src), cupy.asarray(dst)
            labels = cc_rapids.connected_components(pair).labels
            stream.synchronize()
            return labels.get().tolist() == expected(src, dst)[1].tolist()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(32)))


@pytest.mark.parametrize(
    "ask",
    [
        lambda found: found.sizes(),
        lambda found: found.filter(max_size=1),
        lambda found: found.labels("size"),
        lambda found: found.members(),
        lambda found: found.size_histogram(),
        lambda found: len(found.largest()),
    ],
    ids=["sizes", "filter", "labels", "members", "size_histogram", "largest"],
)
def test_questions_about_many_components_take_memory_by_the_vertex(cudf, ask):
    import rmm

    n = 1 << 20
    pairs = np.arange(0, n, 2, dtype=np.int32)
    found = cc_rapids.components(cudf.DataFrame({"src": pairs, "dst": pairs + 1}))
    found.labels()
    before = rmm.mr.get_current_device_resource()
    rmm.statistics.enable_statistics()
    try:
        with rmm.statistics.statistics():
            ask(found)
            peak = rmm.statistics.get_statistics().peak_bytes
    finally:
        rmm.mr.set_current_device_resource(before)
    assert peak < 100 * n


def test_errors_name_the_columns_of_series(cudf):
    rows = cc_rapids.Csr(cudf.Series([0, 1, 2]), cudf.Series([1, 9]))
    with pytest.raises(errors.InputError, match="'indices' holds 9"):
        cc_rapids.components(rows)
    with pytest.raises(errors.NullsError, match="column 'dst' has 1 null"):
        cc_rapids.components((cudf.Series([1, 2]), cudf.Series([2, None])))


def test_an_index_of_several_levels_is_not_kept(cudf):
    frame = cudf.DataFrame({"src": [1, 2], "dst": [2, 3], "a": [1, 2], "b": [3, 4]})
    found = cc_rapids.components(frame.set_index(["a", "b"]), forest=True)
    assert found.answer.given.index is None
    assert "index" not in found.forest().columns
