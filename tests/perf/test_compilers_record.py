"""What the comparison of compilers passes to kernels of either."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import compilers
import records
from support import fake_gpu

WORDS = [90, 0, 0, 7, 4, 4096, 7, 4, 2**64 - 5, 0, 0, 3, 8, 8192, 3, 2**64 - 16]
SIGNATURE = "uint32[::1]", "i8", "int64[:]"


def test_arrays_are_packed_as_each_compiler_takes_them():
    assert compilers.same(WORDS, SIGNATURE) == WORDS
    found = compilers.descriptors(WORDS, SIGNATURE)
    assert found == [90, 4096, 4096, 0, 7, 1, 2**64 - 5, 8192, 8192, 0, 3, 2**64 - 2]


def test_each_compiler_has_its_way():
    assert (
        compilers.ARGUMENTS.keys() == compilers.NEEDS.keys() == compilers.compiler.COMPILERS.keys()
    )


@pytest.mark.slow
def test_the_main_job_has_kernels_of_both_kinds_of_lists():
    assert {"solve", "sampled_scan", "every_edge", "flatten", "gather"} <= set(compilers.launched())


def test_each_list_has_a_record_of_each_compiler(tmp_path, monkeypatch):
    """On a GPU that runs kernels as plain Python, and so does not know who has compiled them."""

    def load(engine, kernel, arguments, device):
        engine.facts[kernel.part.function.__name__] = {"registers": 16}
        return fake_gpu.Gpu._load(engine, kernel, arguments, device)

    names = list(compilers.NEEDS)
    monkeypatch.setattr(compilers, "here", lambda: names)
    monkeypatch.setattr(compilers, "version", lambda name: "1.0")
    monkeypatch.setattr(compilers, "ARGUMENTS", dict.fromkeys(names, compilers.same))
    monkeypatch.setattr(compilers, "GRAPHS", ("kron21", "road"))
    monkeypatch.setattr(compilers.Timed, "_load", load)
    monkeypatch.setattr(compilers.Timed, "elapsed", lambda engine, first, last: 0.5)
    monkeypatch.setattr(compilers.Timed, "in_one_launch", False)
    with fake_gpu.installed():
        compilers.run_all(tmp_path, {"device": "none"}, 2, 4)
    kept = records.load("compilers", tmp_path)
    assert [(row["graph"], row["compiler"]) for row in kept] == [
        (graph, name) for graph in ("1000 edges", "kron21", "road") for name in names
    ]
    for row in kept:
        assert row["right"]
        assert row["kernel_ms"].keys() == row["kernels"].keys() >= {"flatten", "gather"}
        assert row["device_ms"]["median"] == pytest.approx(sum(row["kernel_ms"].values()))
