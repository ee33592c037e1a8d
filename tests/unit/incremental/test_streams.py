"""Edges read in chunks: the same answers as from one frame, within the memory that is allowed."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from support.stream_inputs import SMALL, parts, same, table, words

import cc_rapids
import cc_rapids.incremental.progress
from cc_rapids import stream_components
from cc_rapids.data.files import delimited

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("kind", ["near", "sparse", "unsigned", "words"])
@pytest.mark.parametrize("write", [pq.write_table, pyarrow.csv.write_csv], ids=["parquet", "csv"])
def test_files_give_what_one_frame_gives(kind, write, tmp_path):
    edges = table(low={"sparse": -(2**62), "near": 0}.get(kind, 2**20))
    if kind == "unsigned":
        edges = pa.table(
            {
                name: edges[name].to_numpy().astype(np.uint64) + np.uint64(2**63)
                for name in edges.column_names
            }
        )
    edges = words(edges) if kind == "words" else edges
    paths = parts(edges, tmp_path, write=write)
    limit = SMALL if write is pq.write_table and kind != "words" else "100MiB"
    same(cc_rapids.components(paths, memory_limit=limit), edges)
    same(cc_rapids.components(str(tmp_path / "*")), edges)
    same(cc_rapids.components([Path(path) for path in paths]), edges)


def test_other_files_in_pieces_and_whole(tmp_path):
    edges = table(ids=3000)
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), edges.schema) as writer:
        writer.write_table(edges, max_chunksize=777)
    with pa.ipc.new_stream(str(tmp_path / "b.arrow"), edges.schema) as writer:
        writer.write_table(edges, max_chunksize=777)
    pyarrow.csv.write_csv(edges, tmp_path / "c.csv")
    np.savez(tmp_path / "d.npz", src=edges["src"], dst=edges["dst"], num_vertices=3500)
    for name in ("a.arrow", "b.arrow", "c.csv"):
        same(stream_components(tmp_path / name), edges)
    same(stream_components(tmp_path / "d.npz"), edges, num_vertices=3500)
    both = stream_components([tmp_path / "a.arrow", tmp_path / "d.npz"])
    same(both, pa.concat_tables([edges, edges]), num_vertices=3500)
    with pytest.raises(cc_rapids.CapacityError, match=r"read as a whole.*convert"):
        stream_components(tmp_path / "d.npz", memory_limit="32.2MiB", num_vertices=3500)


def test_datasets_readers_and_iterables(tmp_path):
    edges = table()
    parts(edges, tmp_path)
    frame = edges.to_pandas()
    dataset = pyarrow.dataset.dataset(tmp_path)
    same(cc_rapids.components(dataset), edges)
    same(cc_rapids.components(dataset, memory_limit=SMALL), edges)
    same(cc_rapids.components(edges.to_reader(700)), edges)
    same(cc_rapids.components(edges.slice(a, 900) for a in range(0, 9000, 900)), edges)
    found = cc_rapids.components([frame.iloc[:4000], frame.iloc[4000:]], memory_limit=SMALL)
    assert isinstance(found.labels(), pd.DataFrame)
    assert found.labels().equals(cc_rapids.components(frame).labels())
    pair = edges["src"].to_numpy(), edges["dst"].to_numpy()
    whole = cc_rapids.components(pair, memory_limit=SMALL)
    assert (whole.labels().labels == cc_rapids.components(pair).labels().labels).all()
    part = cc_rapids.components(dataset.filter(pyarrow.dataset.field("src") < 100))
    same(part, edges.filter(pa.compute.less(edges["src"], 100)))


def test_vertices_and_nulls_and_labels(tmp_path):
    edges = pa.table({"a": pa.array([1, 2, None]), "b": pa.array([2, 3, 4])})
    parts(edges, tmp_path, count=2)
    pattern = str(tmp_path / "*.parquet")
    found = cc_rapids.components(pattern, "a", "b", nulls="drop", num_vertices=6, labels="dense")
    assert found.labels()["labels"].to_pylist() == [0, 1, 1, 1, 2, 3]
    assert found.summary()["dropped"] == 1
    named = cc_rapids.components(pattern, "b", "a", nulls="drop", vertices=np.array([77, 3]))
    assert named.labels()["vertex"].to_pylist() == [1, 2, 3, 77]
    with pytest.raises(cc_rapids.NullsError):
        cc_rapids.components(pattern, "a", "b")


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_an_empty_stream_has_no_components(tmp_path):
    assert len(cc_rapids.components(iter([]))) == 0
    assert len(cc_rapids.components(iter([]), num_vertices=3)) == 3
    pq.write_table(table(edges=0), tmp_path / "none.parquet")
    assert len(cc_rapids.components([tmp_path / "none.parquet"])) == 0


def test_what_cannot_be_streamed_is_said(tmp_path):
    parts(table(), tmp_path)
    pattern = str(tmp_path / "*.parquet")
    with pytest.raises(cc_rapids.FormatError, match=r"no file matches"):
        cc_rapids.components(str(tmp_path / "*.csv"))
    with pytest.raises(cc_rapids.MissingColumnError, match="'who'"):
        cc_rapids.components(pattern, "who", "dst")
    with pytest.raises(cc_rapids.InputError, match="are not kept, but a spanning forest"):
        cc_rapids.components(pattern, forest=True, memory_limit="1GB")
    with pytest.raises(TypeError, match="'memory_limits'"):
        cc_rapids.components(pattern, memory_limits=3)
    with pytest.raises(cc_rapids.DesignError, match="sample"):
        cc_rapids.components(pattern, design="kout+async+halve")
    (tmp_path / "a.csv").write_text("src,dst\n1,2\n")
    (tmp_path / "b.csv").write_text("src,dst\n1,x\n")
    with pytest.raises(cc_rapids.FormatError, match=r"b.csv, from line 2 on: some ids are text"):
        cc_rapids.Connectivity().insert([tmp_path / "a.csv"]).insert([tmp_path / "b.csv"])


@pytest.mark.parametrize("nothing", ["", "src,dst\n", "src,dst\n,\n"])
def test_integers_that_meet_text_are_read_again_as_text(tmp_path, nothing):
    paths = [tmp_path / f"{k}.csv" for k in range(3)]
    for path, text in zip(
        paths, [nothing, "src,dst\n1,2\n2,7\n", "src,dst\n1,x\n007,7"], strict=True
    ):
        path.write_text(text)
    limited = {"memory_limit": "1GB", "nulls": "drop", "checkpoint_every": 0}
    checkpoint = tmp_path / "state"
    cc_rapids.components(paths[:2], **limited, checkpoint=checkpoint)  # of integers
    found = [cc_rapids.components(paths, nulls="drop")]
    found += [cc_rapids.components(paths, **limited, checkpoint=checkpoint) for _ in range(2)]
    found.append(cc_rapids.Connectivity().insert(paths, nulls="drop").components())
    for one in found:
        assert one.labels()["vertex"].to_pylist() == ["007", "1", "2", "7", "x"]
        assert len(one) == 1


def test_integers_after_words_such_as_na_are_read_again_as_integers(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(delimited, "BLOCK", 24)
    path, checkpoint = tmp_path / "e.csv", tmp_path / "state"
    path.write_text("src,dst\n" + "1,NA\n" * 20 + "2,7\n")
    limited = {"memory_limit": "1GB", "nulls": "drop", "checkpoint_every": 0}
    with caplog.at_level("INFO"):
        stream_components(path, **limited, checkpoint=checkpoint)
    assert "again, with the types of the first ids\n" in caplog.text
    resumed = stream_components(path, **limited, checkpoint=checkpoint)
    assert resumed.summary()["resumed"].endswith("all of the input then; no more since")
    assert resumed.labels()["vertex"].to_pylist() == [2, 7]


def test_edges_are_counted_beyond_32_bits(monkeypatch):
    from cc_rapids.incremental import stream

    begun = stream.initial_state

    def many(engine, count, *named):
        from dataclasses import replace

        return replace(begun(engine, count, *named), edges=2**32 - 1)

    monkeypatch.setattr(stream, "initial_state", many)
    assert cc_rapids.components(iter([([0], [1])])).summary()["edges"] == 2**32


def test_addresses_are_read_by_fsspec(tmp_path):
    edges = table()
    parts(edges, tmp_path)
    try:
        import fsspec  # noqa: F401
    except ImportError:
        with pytest.raises(cc_rapids.MissingExtraError, match="pip install fsspec"):
            cc_rapids.components(f"file://{tmp_path}/*.parquet")
        return
    same(cc_rapids.components(f"file://{tmp_path}/*.parquet", memory_limit=SMALL), edges)
