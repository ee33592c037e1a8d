"""The benchmark of stable ids and two sides, and what its newest records say."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import numbers_and_sides

    return numbers_and_sides


def test_a_record_of_each_job_is_kept(benchmark, monkeypatch, tmp_path):
    sizes = ["--runs", "1", "--pairs", "2000", "--edges", "5000"]
    monkeypatch.setattr(sys, "argv", ["numbers_and_sides", "--out", str(tmp_path), *sizes])
    benchmark.main()
    lines = (tmp_path / "numbers_and_sides.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["job"] for row in rows] == list(benchmark.WAYS)
    assert all(f"{way}_ms" in row for row in rows for way in benchmark.WAYS[row["job"]])
    assert rows[0]["births"] * rows[0]["deaths"] > 0
    assert rows[1]["odd_cycle"] % 2
    table = benchmark.table(tmp_path)
    assert "merges and groups of pandas" in table
    assert "| NetworkX, of 25 times fewer edges |" in table


def test_numbers_and_sides_are_found_faster_than_by_hand(benchmark):
    newest = benchmark.newest()
    rows = {row["job"]: row for row in newest if row["engine"] == "threads"}
    assert set(rows) == set(benchmark.WAYS)
    for job, row in rows.items():
        assert row["m"] == {"numbers": benchmark.PAIRS, "sides": benchmark.EDGES}[job]
        by_hand = set(benchmark.WAYS[job]) - {"solve", "ours", "odd"}
        assert all(row[f"{way}_ms"]["median"] > row["ours_ms"]["median"] for way in by_hand)
