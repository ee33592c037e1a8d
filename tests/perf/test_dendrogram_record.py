"""The benchmark of dendrograms, and what its newest records say."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    monkeypatch.delitem(sys.modules, "dendrogram", raising=False)
    import dendrogram

    return dendrogram


def test_a_record_of_each_job_is_kept(benchmark, monkeypatch, tmp_path):
    sizes = ["--runs", "1", "--edges", "4000", "--points", "60", "--vertices", "500"]
    monkeypatch.setattr(sys, "argv", ["dendrogram", "--out", str(tmp_path), *sizes])
    benchmark.main()
    lines = (tmp_path / "dendrogram.jsonl").read_text().splitlines()
    rows = {row["job"]: row for row in map(json.loads, lines)}
    assert list(rows) == ["cuts", "linkage", "tree"]
    assert rows["cuts"]["thresholds"] == 10
    assert rows["cuts"]["parts"] > rows["cuts"]["split_components"] == 1
    assert rows["linkage"]["pairs"] == 60 * 59 // 2
    assert rows["tree"]["vertices"] == 500


def test_cuts_of_a_forest_take_less_time_than_those_of_all_edges(benchmark):
    rows = benchmark.records.load("dendrogram")
    newest = {row["engine"]: row for row in rows if row["job"] == "cuts"}
    assert "threads" in newest
    assert all(row["times_faster"] >= 2 for row in newest.values())
