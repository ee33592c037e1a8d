"""The words of engine=, and the engine for edges in files."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import cc_rapids
from cc_rapids import EngineError, backends
from cc_rapids.backends import choice
from cc_rapids.data import streams
from cc_rapids.data.files import opening
from cc_rapids.errors import InputError
from cc_rapids.tools.cli import options

FRAME = pd.DataFrame({"src": [1, 2], "dst": [2, 3]})


@pytest.fixture
def gpu(monkeypatch):
    """A machine that seems to have a GPU, which then cannot be opened."""
    monkeypatch.setattr(choice, "has_gpu", lambda: True)
    monkeypatch.setattr("cc_rapids.incremental.stream.has_gpu", lambda: True)


def test_words_of_engines():
    for word in ("auto", "cpu", "threads", None):
        assert cc_rapids.components(FRAME, engine=word).summary()["engine"] == "threads"
        assert cc_rapids.Connectivity(engine=word).insert(FRAME).num_components == 1
    assert backends.get("cpu") is backends.get("threads")
    assert backends.named("gpu") == "cuda"
    with pytest.raises(EngineError, match="'gpus'"):
        cc_rapids.components(FRAME, engine="gpus")
    for words in (["cpu"], 1):
        with pytest.raises(EngineError):
            cc_rapids.components(FRAME, engine=words)


def test_the_command_line_has_the_same_words():
    assert options.ENGINES == backends.WORDS


def test_the_gpu_takes_what_pays_for_its_start(gpu, monkeypatch):
    monkeypatch.delitem(sys.modules, "cudf", raising=False)
    assert choice.choose(1e6).engine == "threads"
    assert choice.choose(1e9).engine == "cuda"
    assert choice.choose(None).engine == "threads"
    assert "s on threads, and" in choice.choose(1e9).reason
    cold = choice.choose(50e6)
    monkeypatch.setitem(sys.modules, "cudf", object())
    assert (cold.engine, choice.choose(50e6).engine) == ("threads", "cuda")
    assert choice.choose(1e12, rate=choice.GPU_RATE).engine == "threads"  # it costs its edges, too


def test_without_a_gpu_threads_run(monkeypatch):
    monkeypatch.setattr(choice, "has_gpu", lambda: False)
    assert choice.choose(1e12) == choice.EngineChoice("threads", "no GPU with cuDF was found")


def test_plans_of_files_say_why(gpu, tmp_path):
    pq.write_table(pa.table({"src": [1], "dst": [2]}), tmp_path / "edges.parquet")
    plan = cc_rapids.stream_components(tmp_path, explain=True)
    assert plan.engine == "threads"
    assert "s on the GPU with startup" in str(plan)
    named = cc_rapids.stream_components(tmp_path, explain=True, engine="cpu")
    assert "as named" in str(named)


def test_files_are_listed_and_measured_once(gpu, tmp_path, monkeypatch):
    for k in range(3):
        pq.write_table(pa.table({"src": [k], "dst": [k + 1]}), tmp_path / f"{k}.parquet")
    listed, measured = [], []
    expanded, facts = opening.expanded, streams.parquet_facts
    monkeypatch.setattr(opening, "expanded", lambda path: (listed.append(path), expanded(path))[1])
    monkeypatch.setattr(
        streams, "parquet_facts", lambda *given: (measured.append(1), facts(*given))[1]
    )
    plan = cc_rapids.stream_components(tmp_path, explain=True)
    assert (plan.pieces, plan.edges, plan.vertices) == (3, 3, 4)
    assert (len(listed), len(measured)) == (1, 3)
    found = cc_rapids.stream_components(tmp_path, progress=lambda told: None)
    assert len(found) == 1
    assert (len(listed), len(measured)) == (2, 6)


def test_a_gpu_that_cannot_be_opened_leaves_it_to_threads(gpu, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(choice, "THREADS_RATE", 1e-9)
    monkeypatch.setattr(choice.choose, "__defaults__", (1e-9,))
    path = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"src": [1], "dst": [2]}), path)
    caplog.set_level("INFO", "cc_rapids")
    opened = backends.opened

    def without_a_gpu(name):
        if name == "cuda":
            raise EngineError("the driver is too old")
        return opened(name)

    monkeypatch.setattr(backends, "opened", without_a_gpu)
    assert cc_rapids.components(path).summary()["engine"] == "threads"
    assert "on threads: the driver is too old" in caplog.text


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
@pytest.mark.parametrize("limit", [None, "64MiB"])
def test_answers_for_files_are_frames_of_the_named_library(library, limit, tmp_path):
    path = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"src": ["a", "b"], "dst": ["b", "c"]}), path)
    extra = {} if limit is None else {"memory_limit": limit}
    for edges in (path, f"{tmp_path}/*.parquet"):
        labels = cc_rapids.components(edges, frames=library, **extra).labels()
        assert type(labels).__module__.split(".")[0] == {"pyarrow": "pyarrow"}.get(library, library)
        assert np.asarray(labels["vertex"]).tolist() == ["a", "b", "c"]


def test_frames_are_for_files_alone(tmp_path):
    with pytest.raises(InputError, match="library of frames"):
        cc_rapids.components(tmp_path, frames="arrow")
    with pytest.raises(InputError, match="frames= is for files"):
        cc_rapids.components(FRAME, frames="polars")
    with pytest.raises(InputError, match="frames= is for files"):
        cc_rapids.components([FRAME, FRAME], frames="polars")


WEIGHED = pd.DataFrame({"left": ["a", "b", "x"], "right": ["b", "c", "y"], "w": [0.9, 0.5, 0.95]})


@pytest.mark.slow
@pytest.mark.parametrize("extra", [{}, {"memory_limit": "1GiB"}])
@pytest.mark.parametrize("bound", [{}, {"weight": "w", "at_least": 0.8}])
def test_frames_of_files_and_readers_with_a_bound(extra, bound, tmp_path):
    csv, tsv, arrow = (tmp_path / f"pairs.{kind}" for kind in ("csv", "tsv", "arrow"))
    WEIGHED.to_csv(csv, index=False)
    WEIGHED.to_csv(tsv, index=False, sep="\t")
    feather.write_feather(WEIGHED, str(arrow))
    forms = [csv, tsv, arrow, [csv, arrow], pa.Table.from_pandas(WEIGHED).to_reader()]
    for edges in forms:
        found = cc_rapids.components(edges, "left", "right", frames="polars", **bound, **extra)
        assert isinstance(found.labels(), pl.DataFrame)
        assert found.labels()["vertex"].to_list() == (list("abxy") if bound else list("abcxy"))
        own = cc_rapids.components(csv, "left", "right", **bound, **extra)
        assert isinstance(own.labels(), pa.Table)
