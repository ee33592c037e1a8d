"""Kernels compiled ahead: those that common jobs launch, and nothing is left to compile."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.choices import some
from support.common_jobs import few_kernels, kernels_of

import cc_rapids
from cc_rapids import backends, datasets
from cc_rapids.backends import compile as compiler
from cc_rapids.backends import dry_run, kernel_cache, shipped
from cc_rapids.backends.compile import signature_of
from cc_rapids.backends.memory import packing
from cc_rapids.backends.threads import Threads
from cc_rapids.tools import ahead

ROOT = Path(cc_rapids.__file__).parents[1]


@pytest.fixture(autouse=True)
def no_wheel(monkeypatch, tmp_path):
    """Nothing is linked from PTX that a wheel has brought."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "none")
    shipped._ptx_texts.cache_clear()
    compiler._recipe.cache_clear()


@pytest.fixture
def launched(monkeypatch):
    """The keys of the kernels that run on threads."""
    keys, launch = set(), Threads.launch

    def noted(self, kernel, n, arguments):
        keys.add((kernel.shape, kernel.part.fingerprint, signature_of(arguments)))
        launch(self, kernel, n, arguments)

    monkeypatch.setattr(Threads, "launch", noted)
    return keys


@pytest.mark.slow
def test_the_kernels_of_the_demo_are_compiled_ahead(launched):
    found = cc_rapids.components(
        datasets.word_ladders("pyarrow"), "word", "neighbour", engine="threads"
    )
    found.summary()
    found.labels()
    found.labels("dense")
    assert launched <= kernels_of("threads").keys()
    assert len(launched) == 3


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("step", [1, 100, 2000])
@pytest.mark.parametrize("m", [200, 300_000, 1_200_000])
def test_the_kernels_of_lists_are_compiled_ahead(launched, dtype, step, m):
    ends = np.random.default_rng(1).integers(0, min(m, 10**6), (2, m), dtype) * dtype(step)
    edges = pd.DataFrame(ends.T, columns=["src", "dst"])
    cc_rapids.connected_components(edges, engine="threads")
    assert launched <= kernels_of("threads").keys()


@pytest.mark.slow
def test_a_gpu_has_the_kernels_of_one_launch():
    kernels = kernels_of("cuda")
    first = [key[2][0] for key, k in kernels.items() if k.part.function.__name__ == "solve"]
    assert set(first) >= {"int32[::1]", "int64[::1]"}
    with dry_run.recorded_launches(dry_run.OneLaunchRecording) as backend:
        edges = np.array([1, 2, 9], np.int32), np.array([2, 3, 5], np.int32)
        cc_rapids.connected_components(edges)
    assert backend.launched.keys() <= kernels.keys()


@pytest.mark.slow
def test_arrays_placed_in_one_allocation_are_contiguous_ones(monkeypatch):
    """A GPU is given where they are and not the arrays, which must ask for the same kernels."""
    asked = []
    layout = packing.Layout([(0, 0, np.int64), (0, 1, np.uint8), (256, 9, np.uint32)])
    words = signature_of((3, packing.PackedArgs(layout, 0)))
    assert words == ("i8", "int64[::1]", "uint8[::1]", "uint32[::1]")

    class StoppedError(Exception):
        pass

    def launch(self, kernel, n, arguments):
        asked.append((kernel.shape, kernel.part.fingerprint, signature_of(arguments)))
        raise StoppedError

    kernels = kernels_of("cuda")
    rehearsal = dry_run.OneLaunchRecording
    monkeypatch.setattr(
        rehearsal, "packed_args", lambda self, whole, layout: [packing.PackedArgs(layout, 0)]
    )
    monkeypatch.setattr(rehearsal, "launch", launch)
    with dry_run.recorded_launches(rehearsal), pytest.raises(StoppedError):
        cc_rapids.connected_components((np.array([1, 2], np.int32), np.array([2, 3], np.int32)))
    assert set(asked) <= kernels.keys()


@pytest.mark.slow
@some(("target", "capability"), [("threads", None), ("cuda", (7, 5))], [("threads", None)])
def test_kernels_are_compiled_once(monkeypatch, own_store, target, capability):
    if target == "cuda":
        pytest.importorskip("numba_cuda", reason="the compiler for GPUs is not installed")
    kernels = few_kernels(target)
    monkeypatch.setattr(ahead, "kernels_of_common_jobs", lambda target: kernels)
    done = [ahead.compile_ahead(target, capability, processes=1) for _ in range(2)]
    assert [one.compiled for one in done] == [len(kernels), 0]
    assert {one.kernels for one in done} == {len(kernels)}
    marks = target == "threads"  # a file says that the common kernels are compiled
    assert kernel_cache.survey().files == len(kernels) + marks


@pytest.mark.slow
def test_what_was_compiled_ahead_is_what_runs(monkeypatch, own_store):
    kernels = few_kernels("threads")
    monkeypatch.setattr(ahead, "kernels_of_common_jobs", lambda engine: kernels)
    ahead.compile_ahead("threads", processes=1)
    on, kept = backends.get("threads"), kernel_cache.survey().files
    start = on.kernel(cc_rapids.kernels.forest.init_singletons, np.uint32)
    start.compiled.clear()
    parent = np.empty(7, np.uint32)
    start(7, parent)
    assert parent.tolist() == list(range(7))
    assert kernel_cache.survey().files == kept


def told(own_store, *words):
    """What the command line says as JSON, with an own kernel cache."""
    given = os.environ | {"PYTHONPATH": str(ROOT), "CC_RAPIDS_CACHE": str(own_store)}
    command = [sys.executable, "-m", "cc_rapids", *words, "--json"]
    return json.loads(subprocess.check_output(command, text=True, env=given))


@pytest.mark.slow
@pytest.mark.extended
def test_nothing_is_left_to_compile(own_store):
    done = told(own_store, "compile", "--engine", "threads", "--processes", "2")
    assert done["compiled"] == done["kernels"] > 40
    file = str(Path(datasets.__file__).with_name("word_ladders.csv"))
    demo = "calculate", file, "--header", "--top", "12", "--engine", "threads"
    assert told(own_store, *demo)["kernels_compiled"] == 0
    assert told(own_store, "compile", "--engine", "threads")["compiled"] == 0
