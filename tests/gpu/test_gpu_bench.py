"""The benchmark, evaluations and the papers' experiments on a real GPU, with cuGraph if there."""

import importlib.util
import json
import pathlib
import sys

import pytest

from cc_rapids import backends, generators
from cc_rapids.backends import MEMORY
from cc_rapids.tools import bench, evaluate
from cc_rapids.tools.generators import pieces

pytestmark = pytest.mark.gpu

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def cuda():
    return backends.get("cuda")


def test_device_and_wall_time_apart(cuda):
    graph = generators.reference("kron21", 12, engine="cuda")
    found = list(bench.measure(graph, cuda, ["auto", "kout+async+halve"]))
    assert len(found) == 8
    for row in found:
        assert row["checked"]
        assert row["job_device_ms"]["runs"] == row["solve_device_ms"]["runs"] == 9
        assert 0 < row["solve_device_ms"]["least"] <= row["solve_wall_ms"]["greatest"]
        assert row["inputs"] == 10
        if "H100" in cuda.device_name:
            assert 0 <= row["paper"]["of_limit"] <= 1  # of so small a graph nearly nothing
        if importlib.util.find_spec("cugraph") and row["form"] == "coo":  # rows: no parallel ones
            assert row["peer"].get("same_partition"), row["peer"]


def test_kinds_of_memory_over_a_folder(cuda, tmp_path):
    src, dst = pieces.gnm(300, 2000).gather()
    rows = "".join(f"{u},{v}\n" for u, v in zip(src, dst, strict=True))
    (tmp_path / "gnm.csv").write_text("src,dst\n" + rows)
    plan = evaluate.Plan(["none+async+halve", "owner", "dense"], memory=MEMORY, rounds=3)
    found = list(evaluate.evaluate(evaluate.sources(tmp_path), plan, cuda))
    assert [row["memory"] for row in found] == [*MEMORY] * 3
    assert all(row["checked"] and row["device_ms"]["runs"] == 3 for row in found)
    (row,) = evaluate.evaluate(
        evaluate.sources(tmp_path), evaluate.Plan(["owner"], threads=[2]), cuda
    )
    assert "leave out threads=" in row["not_run"]


def test_the_experiments_run(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import papers

    monkeypatch.setattr(papers, "DENSITIES", (0.01, 0.5))
    words = "--scale", 9, "--runs", 2, "--seconds", 400, "--out", tmp_path
    monkeypatch.setattr(sys, "argv", ["papers.py", *map(str, words)])
    papers.main()
    rows = [json.loads(line) for line in (tmp_path / "papers.jsonl").read_text().splitlines()]
    assert {row.get("experiment") for row in rows} >= {"sutton", "cong", "lehr"}
    assert all(row["right"] for row in rows if "right" in row)
    assert not any("not_run" in row for row in rows)
