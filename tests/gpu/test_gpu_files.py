"""Files on a GPU: bounds of weights, the engine that auto chooses, frames, and labels written."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import cc_rapids
from cc_rapids.backends import choice

pytestmark = pytest.mark.gpu
RANDOM = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {
        "src": RANDOM.integers(0, 900, 2000),
        "dst": RANDOM.integers(0, 900, 2000),
        "score": np.where(RANDOM.random(2000) < 0.1, np.nan, RANDOM.random(2000)),
    }
)
KEPT = FRAME[FRAME["score"] >= 0.5]


@pytest.fixture
def folder(tmp_path):
    edges = tmp_path / "edges"
    edges.mkdir()
    for k in range(4):
        FRAME.iloc[500 * k : 500 * k + 500].to_parquet(edges / f"{k}.parquet")
    return edges


@pytest.mark.parametrize("width", ["float32", "float64"])
def test_weights_of_cudf_are_bounded(cudf, width):
    frame = FRAME.astype({"score": width})
    kept = frame[frame["score"] >= np.dtype(width).type(0.5)]
    given = cudf.from_pandas(frame, nan_as_null=True)
    found = cc_rapids.components(given, weight="score", at_least=0.5)
    assert isinstance(found.labels(), cudf.DataFrame)
    pd.testing.assert_frame_equal(
        found.labels().to_pandas(), cc_rapids.components(kept.reset_index(drop=True)).labels()
    )
    pair = given["src"].to_cupy(), given["dst"].to_cupy()
    pairs = cc_rapids.components(pair, weight=given["score"], at_least=0.5)
    assert pairs.labels()[0].tolist() == found.labels()["vertex"].to_arrow().to_pylist()


def test_auto_takes_the_gpu_for_files_where_that_pays(cudf, folder, monkeypatch):
    small = cc_rapids.components(folder)
    assert small.summary()["engine"] == "threads"
    monkeypatch.setattr(choice.choose, "__defaults__", (1e-9,))
    monkeypatch.setattr(
        "cc_rapids.incremental.stream.RATES", dict.fromkeys(("range", "integers", "strings"), 1e-9)
    )
    for edges in (folder, folder / "0.parquet"):
        found = cc_rapids.components(edges)
        assert found.summary()["engine"] == "cuda"
        assert type(found.labels()).__module__.startswith("pyarrow")
    assert cc_rapids.components(folder).labels().equals(small.labels())
    frames = cc_rapids.components(folder, frames="cudf", engine="gpu")
    assert isinstance(frames.labels(), cudf.DataFrame)
    assert frames.labels().to_arrow().equals(small.labels(), check_metadata=False)
    bounded = cc_rapids.components(folder, weight="score", at_least=0.5, engine="gpu")
    assert bounded.labels()["vertex"].to_pylist() == np.unique(KEPT[["src", "dst"]]).tolist()


@pytest.mark.parametrize("step", [1, 10**12])
def test_labels_are_written_from_the_device(cudf, tmp_path, step):
    frame = cudf.from_pandas(FRAME[["src", "dst"]] * step)
    found = cc_rapids.components(frame)
    files = found.to_parquet(tmp_path / "labels", rows_per_file=100)
    assert len(files) == -(-found.num_vertices // 100)
    table = pq.read_table(tmp_path / "labels")
    assert table.to_pydict() == found.labels().to_arrow().to_pydict()


@pytest.mark.parametrize("step", [1, 10**12])
def test_batches_of_new_ids_are_numbered_on_the_device(cudf, step):
    seen = cc_rapids.Connectivity()
    rows = FRAME[["src", "dst"]] * step
    for k in range(0, 2000, 250):
        seen.insert(cudf.from_pandas(rows.iloc[k : k + 250]))
    found = seen.components()
    assert found.summary()["engine"] == "cuda"
    pd.testing.assert_frame_equal(
        found.labels().to_pandas(), cc_rapids.components(rows.reset_index(drop=True)).labels()
    )
    assert bool(seen.connected(cudf.from_pandas(rows)).all())


def test_commands_of_tables_find_the_same_on_a_gpu(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.csv").write_text("doc_id,length,email\n5,4,a\n2,9,a\n3,1,\n4,7,b\n")
    (tmp_path / "pairs.csv").write_text("src,dst\n5,2\n2,4\n")
    for engine in ("gpu", "cpu"):
        words = ["docs.csv", "pairs.csv", "--on", "doc_id", "--by", "length"]
        done = run("deduplicate", *words, "--engine", engine, "--output", f"{engine}.csv")
        assert done.exit_code == 0, done.stderr
        words = ["docs.csv", "--key", "email", "--id", "doc_id", "--output", f"{engine}.tsv"]
        done = run("link", *words, "--engine", engine)
        assert done.exit_code == 0, done.stderr
        words = ["calculate", "pairs.csv", "--top", 1, "--engine", engine]
        assert run(*words, "--output", f"{engine}/").exit_code == 0
    for name in ("csv", "tsv"):
        assert (tmp_path / f"gpu.{name}").read_text() == (tmp_path / f"cpu.{name}").read_text()
    assert pq.read_table("gpu").equals(pq.read_table("cpu"))
