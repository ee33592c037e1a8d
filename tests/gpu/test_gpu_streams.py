"""Streams on the GPU: Parquet read by cuDF row group by row group, within a memory limit."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from support.stream_inputs import parts, same, table, words

import cc_rapids
from cc_rapids import Connectivity, components_at, oracle, stream_components

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("kind", ["integers", "far", "words"])
@pytest.mark.parametrize("write", [pq.write_table, pyarrow.csv.write_csv], ids=["parquet", "csv"])
def test_files_give_what_one_frame_gives(cudf, tmp_path, kind, write):
    edges = table(low=-(2**62) if kind == "far" else 0)
    edges = words(edges) if kind == "words" else edges
    paths = parts(edges, tmp_path, write=write)
    found = stream_components(paths, engine="cuda")
    assert found.summary()["engine"] == "cuda"
    assert isinstance(found.labels(), pa.Table)
    same(found, edges)


def test_frames_one_after_the_other_and_a_checkpoint(cudf, tmp_path):
    src, dst = np.random.default_rng(3).integers(0, 20_000, (2, 30_000)).astype(np.int32)
    frame = cudf.DataFrame({"src": src, "dst": dst})
    chunks = (frame[at : at + 7000] for at in range(0, len(frame), 7000))
    labels = stream_components(chunks, num_vertices=20_000).labels()
    assert isinstance(labels, cudf.DataFrame)
    expected = oracle.union_find(src, dst, 20_000)
    np.testing.assert_array_equal(labels["labels"].to_numpy(), expected)
    frame.to_parquet(tmp_path / "a.parquet", row_group_size_rows=5000)
    saved = {"checkpoint": tmp_path / "saved", "checkpoint_every": 0, "num_vertices": 20_000}
    for engine in ("cuda", "threads"):  # the second goes on from what the first has saved
        found = stream_components(tmp_path / "a.parquet", engine=engine, **saved)
        np.testing.assert_array_equal(np.asarray(found.labels()["labels"]), expected)
    with pytest.raises(cc_rapids.InputError, match=r"outside 0\.\.99 of num_vertices=100"):
        stream_components(tmp_path / "a.parquet", engine="cuda", num_vertices=100)


def test_a_list_larger_than_its_memory(cudf, tmp_path):
    import cupy
    import rmm.statistics

    m, n, limit = 8_000_000, 100_000, 40 << 20
    src, dst = np.random.default_rng(4).integers(0, n, (2, m)).astype(np.int32)
    pq.write_table(
        pa.table({"src": src, "dst": dst}), tmp_path / "a.parquet", row_group_size=200_000
    )
    cupy.cuda.Device().synchronize()
    with rmm.statistics.statistics():
        found = stream_components(
            tmp_path / "a.parquet", engine="cuda", num_vertices=n, memory_limit=limit
        )
        peak = rmm.statistics.get_statistics().peak_bytes
    assert peak <= limit < src.nbytes + dst.nbytes
    np.testing.assert_array_equal(
        np.asarray(found.labels()["labels"]), oracle.union_find(src, dst, n)
    )


@pytest.mark.parametrize("count", [None, 3000])
@pytest.mark.parametrize(("window", "small"), [(1, 0), (1200, 0), (1200, 1000), (1 << 23, 1 << 20)])
def test_batches_at_once(cudf, tuned, window, small, count):
    """Lent one by one, together, and copied together; CuPy's arrays, and cuDF's columns."""
    tuned(batch_window_edges=window, joined_batch_edges=small)
    cupy = pytest.importorskip("cupy")
    src, dst = np.random.default_rng(6).integers(0, 3000, (2, 2500))
    frame = cudf.DataFrame({"src": src, "dst": dst})
    frames = [frame[at : at + 250] for at in range(0, 1500, 250)]
    pairs = [(cupy.asarray(src[at:][:400]), cupy.asarray(dst[at:][:400])) for at in (1500, 1900)]
    narrow = cudf.DataFrame({"src": src[2300:].astype(np.int16), "dst": dst[2300:]})
    seen = Connectivity(count).insert(iter([*frames, *pairs, narrow]))
    assert "2,500 edges in 9 batches" in repr(seen)
    found = seen.components().labels()
    expected = oracle.union_find(src, dst, 3000)
    np.testing.assert_array_equal(found["labels"].to_numpy(), expected[found["vertex"].to_numpy()])
    assert len(found) == (count or np.unique([src, dst]).size)
    if count:
        with pytest.raises(cc_rapids.InputError, match="of 2 batches"):
            seen.insert(iter([frame[:3], cudf.DataFrame({"src": [1], "dst": [3000]})]))
        assert "2,500 edges in 9 batches" in repr(seen)


def test_batches_and_cuts(cudf):
    src, dst = np.random.default_rng(5).integers(0, 3000, (2, 2500))
    frame = cudf.DataFrame({"src": src, "dst": dst, "weight": np.arange(2500) / 2500})
    seen = Connectivity(3000)
    for at in range(0, 2500, 500):
        seen.insert(frame[at : at + 500])
    np.testing.assert_array_equal(
        seen.components().labels()["labels"].to_numpy(), oracle.union_find(src, dst, 3000)
    )
    with pytest.raises(cc_rapids.InputError, match=r"outside 0\.\.2999"):
        seen.insert(cudf.DataFrame({"src": [1], "dst": [3000]}))
    assert seen.num_vertices == 3000
    cuts = components_at(frame, weight="weight", thresholds=[0.9, 0.5])
    assert len(cuts) == 2


SIDES = ["kind", "id"], ["other", "other_id"]


def keyed(cudf, m=4000, seed=5):
    """Edges between ids of two columns, of strings and of integers far apart."""
    random = np.random.default_rng(seed)
    words = np.array(["user", "card", "é", ""])[random.integers(0, 4, (2, m))]
    ids = random.integers(-900, 900, (2, m)) * 2**52
    columns = [words[0], ids[0], words[1], ids[1]]
    return cudf.DataFrame(dict(zip([*SIDES[0], *SIDES[1]], columns, strict=True)))


def same_frames(found, want):
    for name in ("labels", "sizes"):
        one, other = getattr(found, name)(), getattr(want, name)()
        assert type(one) is type(other)
        assert one.to_arrow().equals(other.to_arrow())


def test_batches_of_ids_of_several_columns(cudf, tmp_path):
    frame = keyed(cudf)
    want = cc_rapids.components(frame, *SIDES)
    seen = Connectivity()
    for first, last in ((0, 0), (0, 1500), (1500, 1501), (1501, 4000)):
        seen.insert(frame[first:last], *SIDES)
    assert "on cuda" in repr(seen)
    same_frames(seen.components(), want)
    assert bool(seen.connected(frame, *SIDES).all())
    strange = frame[:3].assign(other="nobody")
    assert not bool(seen.connected(strange, *SIDES, missing="false").any())
    with pytest.raises(cc_rapids.UnknownVertexError, match="3 of 3 ids in 'other, other_id'"):
        seen.connected(strange, *SIDES)
    first = frame[["kind", "id"]]
    labels = want.component_of(first).to_arrow()
    assert seen.components().component_of(first).to_arrow().equals(labels)
    seen.save(tmp_path / "seen")
    for engine in ("cuda", "threads"):
        loaded = Connectivity.load(tmp_path / "seen", engine=engine)
        assert len(loaded.insert(frame, *SIDES)) == len(want)


@pytest.mark.parametrize("kind", ["cudf", "pandas"])
def test_streams_of_ids_of_several_columns(cudf, kind, tmp_path):
    frame = keyed(cudf)
    frame = frame if kind == "cudf" else frame.to_pandas()
    want = cc_rapids.components(frame, *SIDES)
    parts = [frame[at : at + 900] for at in range(0, len(frame), 900)]
    named = frame[:2][["kind", "id"]].assign(kind="alone")
    options = {"engine": "cuda", "checkpoint": tmp_path / "far", "checkpoint_every": 0}
    for _ in range(2):
        found = stream_components(iter(parts), *SIDES, **options)
        assert found.summary()["engine"] == "cuda"
        assert len(found) == len(want)
        assert found.labels()["labels"].to_numpy().tolist() == (
            want.labels()["labels"].to_numpy().tolist()
        )
    more = stream_components(iter(parts), *SIDES, vertices=named, engine="cuda")
    assert len(more) == len(cc_rapids.components(frame, *SIDES, vertices=named))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_of_ids_of_several_columns(cudf, kind, tmp_path):
    table = keyed(cudf, 3000).to_arrow()
    weighed = table.append_column("weight", pa.array(np.arange(3000) % 3))
    write = pq.write_table if kind == "parquet" else pyarrow.csv.write_csv
    write(weighed.slice(0, 1000), tmp_path / f"0.{kind}")
    write(weighed.slice(1000), tmp_path / f"1.{kind}")
    paths, on = [tmp_path / f"{k}.{kind}" for k in range(2)], {"engine": "cuda"}
    found = stream_components(paths, *SIDES, vertices=[("none", 1)], **on)
    assert found.audit(paths, *SIDES, vertices=[("none", 1)]).edges == 3000
    cuts = components_at(paths, *SIDES, thresholds=[2, 0], **on)
    assert cuts == components_at(weighed, *SIDES, thresholds=[2, 0])
    assert isinstance(cuts.merges(), pa.Table)
    seen = Connectivity(**on).insert(paths[0], *SIDES).insert(paths[1], *SIDES)
    assert seen.components() == cuts.at(0)


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_batches_without_rows(cudf, tmp_path):
    none, path = cudf.DataFrame({"src": [], "dst": []}), tmp_path / "none.csv"
    path.write_text("")
    for given in (None, [3], cudf.Series([3]), cudf.Series(["a"])):
        seen = Connectivity(vertices=given).insert(none)
        assert isinstance(seen.components().labels(), cudf.DataFrame)
    assert isinstance(Connectivity(engine="cuda").insert(path).components().labels(), pa.Table)
    with pytest.raises(cc_rapids.NullsError, match="1 null in 2 rows: fill or drop them first"):
        Connectivity(vertices=cudf.Series([1, None]))


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_columns_of_files_are_decided_as_on_threads(cudf, tmp_path):
    """Row groups that cuDF reads: known pairs, names that are given, floats, and no rows."""
    path = tmp_path / "a.parquet"
    columns = {"score": [0.5, 0.25], "unique_id_l": [1, 4], "unique_id_r": [2, 5]}
    pq.write_table(pa.table(columns), path)
    found = stream_components(path, engine="cuda")
    assert found.labels()["vertex"].to_pylist() == [1, 2, 4, 5]
    assert found.summary()["taken"][0]["columns"] == ["unique_id_l", "unique_id_r"]
    with pytest.raises(cc_rapids.MissingColumnError, match="it has score, unique_id_l"):
        stream_components(path, "src", "dst", engine="cuda")
    with pytest.raises(cc_rapids.ColumnTypeError, match=r"row 0 \(from 0\): column 'score'"):
        stream_components(path, "score", "unique_id_l", engine="cuda")
    pq.write_table(pa.table(columns).slice(0, 0), path)
    for paths in (path, [path, path]):
        labels = stream_components(paths, engine="cuda").labels()
        assert isinstance(labels, pa.Table)
        assert labels.num_rows == 0


def test_categories_before_text_are_strings(cudf, tmp_path):
    words = [pa.array(column).dictionary_encode() for column in (["1", "7"], ["2", "ann"])]
    pq.write_table(pa.table(words, ["src", "dst"]), tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("src,dst\n2,3\n7,8\n")
    found = stream_components([tmp_path / "a.parquet", tmp_path / "b.csv"], engine="cuda")
    assert found.labels()["vertex"].to_pylist() == ["1", "2", "3", "7", "8", "ann"]


def test_files_are_inserted_into_a_state_on_the_device(cudf, tmp_path):
    edges = table()
    parts(edges, tmp_path, write=pq.write_table)
    frame = cudf.DataFrame({"src": [1], "dst": [2]})
    first = pa.table({"src": [1], "dst": [2]})
    seen = Connectivity().insert(frame).insert(str(tmp_path / "*.parquet"))
    assert seen.components().summary()["engine"] == "cuda"
    assert seen.components() == cc_rapids.components(pa.concat_tables([first, edges]))


@pytest.mark.parametrize("step", [1, 10**12], ids=["close", "hashed"])
def test_batches_of_integers_are_numbered_and_ordered_as_on_threads(cudf, step):
    seen, host = Connectivity(), Connectivity(engine="cpu")
    random = np.random.default_rng(6)
    for most in (300, 3000, 30_000):
        src, dst = random.integers(-most, most, (2, 2000)) * step
        seen.insert(cudf.DataFrame({"src": src, "dst": dst}))
        host.insert((src, dst))
        expected = host.components().labels()
        labels = seen.components().labels()
        assert labels["vertex"].to_arrow().to_pylist() == expected.vertex.tolist()
        assert labels["labels"].to_arrow().to_pylist() == expected.labels.tolist()
