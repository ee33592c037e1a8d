"""The benchmark of spanning forests by weight."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    monkeypatch.delitem(sys.modules, "spanning_forests", raising=False)
    import spanning_forests

    return spanning_forests


def test_a_record_is_kept_of_each_graph(benchmark, monkeypatch, tmp_path):
    """Its forest is proved, and its total is SciPy's where no edge is listed twice."""
    command = [
        "spanning_forests",
        "--out",
        str(tmp_path),
        "--runs",
        "1",
        "--scale",
        "10",
        "--prove",
    ]
    monkeypatch.setattr(sys, "argv", [*command, "--graphs", "road", "kron21"])
    benchmark.main()
    rows = list(map(json.loads, (tmp_path / "spanning_forests.jsonl").read_text().splitlines()))
    assert [row["graph"] for row in rows] == ["road at scale 10.0", "kron21 at scale 10.0"]
    assert all(row["proved"] and row["plan_bytes"] > 0 for row in rows)
    assert rows[0]["peer_total"] == pytest.approx(rows[0]["total"])


def test_the_peer_can_be_left_out(benchmark, monkeypatch, tmp_path):
    command = ["spanning_forests", "--out", str(tmp_path), "--runs", "1", "--scale", "8"]
    monkeypatch.setattr(sys, "argv", [*command, "--graphs", "road", "--no-peer"])
    benchmark.main()
    row = json.loads((tmp_path / "spanning_forests.jsonl").read_text())
    assert not any(name.startswith("peer") or name == "times_faster" for name in row)
