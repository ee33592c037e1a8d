"""The benchmark of linked records, and what its newest record says."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import linked_records

    return linked_records


def test_a_record_of_each_kind_of_keys_is_kept(benchmark, monkeypatch, tmp_path):
    command = ["linked_records", "--out", str(tmp_path), "--runs", "1", "--records", "2000"]
    monkeypatch.setattr(sys, "argv", command)
    benchmark.main()
    lines = (tmp_path / "linked_records.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["kind"] for row in rows] == list(benchmark.KINDS)
    assert len({row["entities"] for row in rows}) == 1


def test_linking_takes_at_most_half_the_time_of_doing_it_by_hand(benchmark):
    rows = benchmark.records.load("linked_records")
    threads = [row for row in rows if row["engine"] == "threads"]
    newest = [row for row in threads if row["commit"] == threads[-1]["commit"]]
    assert {row["kind"] for row in newest} == set(benchmark.KINDS)
    newest += [row for row in rows if row["engine"] == "cuda"]
    assert all(row["times_faster"] >= 2 for row in newest if row["records"] == 1_000_000)
