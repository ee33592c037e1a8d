"""The benchmark of thresholds, and what its newest records say."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    monkeypatch.delitem(sys.modules, "thresholds", raising=False)
    import thresholds

    return thresholds


def test_a_record_is_kept_whose_cuts_are_those_of_separate_runs(benchmark, monkeypatch, tmp_path):
    command = ["thresholds", "--out", str(tmp_path), "--runs", "1", "--edges", "4000"]
    monkeypatch.setattr(sys, "argv", command)
    benchmark.main()
    row = json.loads((tmp_path / "thresholds.jsonl").read_text())
    assert row["thresholds"] == len(row["components"]) == 10
    assert row["components"] == sorted(row["components"], reverse=True)


def test_ten_thresholds_take_less_time_than_ten_runs(benchmark):
    rows = benchmark.records.load("thresholds")
    newest = {row["engine"]: row for row in rows}
    assert "threads" in newest
    assert newest["threads"]["wall_ms"]["least"] <= 150
    assert all(row["times_faster"] >= 2 for row in newest.values())
    assert all(row["labels_times_faster"] >= 1 for row in newest.values())
