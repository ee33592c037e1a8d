"""The benchmark of Parquet files, and what its newest records say."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import files

    return files


def test_a_record_of_each_kind_of_ids_is_kept(benchmark, monkeypatch, tmp_path):
    pytest.importorskip("polars")
    command = ["files", "--out", str(tmp_path), "--runs", "1", "--edges", "20000"]
    monkeypatch.setattr(sys, "argv", command)
    benchmark.main()
    rows = [json.loads(line) for line in (tmp_path / "files.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in rows] == list(benchmark.KINDS)
    assert len({(row["vertices"], row["components"]) for row in rows}) == 1
    assert all(f"{way}_ms" in row for row in rows for way in benchmark.WAYS)
    assert "| reading alone |" in benchmark.table(tmp_path)


def newest_of(benchmark):
    """The newest record of each kind of ids, of the whole list."""
    rows = benchmark.records.load("files")
    newest = {row["kind"]: row for row in rows if row["edges"] == benchmark.EDGES}
    assert set(newest) == set(benchmark.KINDS)
    return newest.values()


def test_batches_take_at_most_half_as_long_again_as_the_whole_frame(benchmark):
    assert all(row["of_solve"]["insert"] <= 1.5 for row in newest_of(benchmark))


def test_patterns_and_streams_take_at_most_so_much_of_the_whole_frame(benchmark):
    assert all(row["of_solve"]["pattern"] <= 1.5 for row in newest_of(benchmark))
    assert all(row["of_solve"]["stream"] <= 3 for row in newest_of(benchmark))
