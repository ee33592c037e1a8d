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
    assert "SciPy: graph + forest, ms" in benchmark.table(tmp_path)
    assert "in the same run as SciPy" in benchmark.short(tmp_path)


def test_the_peer_can_be_left_out(benchmark, monkeypatch, tmp_path):
    command = ["spanning_forests", "--out", str(tmp_path), "--runs", "1", "--scale", "8"]
    monkeypatch.setattr(sys, "argv", [*command, "--graphs", "road", "--no-peer"])
    benchmark.main()
    row = json.loads((tmp_path / "spanning_forests.jsonl").read_text())
    assert not any(name.startswith("peer") or name == "times_faster" for name in row)


def write(folder, *rows):
    """Records, each as a few facts that differ from one of another."""
    time = {"median": 20.0, "runs": 3}
    other = {"device": "a GPU", "engine": "cuda", "graph": "road", "edges": 10**8, "date": "today"}
    other |= {"forest_ms": time, "labels_ms": time, "peer_graph_ms": time, "peer_tree_ms": time}
    other |= {"versions": {"cugraph-cu13": "1"}, "plan_bytes": 5 * 10**6, "total": 1.0}
    lines = [json.dumps(other | {"peer_total": 1.0} | row) for row in rows]
    (folder / "spanning_forests.jsonl").write_text("\n".join(lines))


def test_tables_are_of_one_run_beside_the_peer(benchmark, tmp_path):
    """On a GPU if there is one; what was measured later without the peer is said apart."""
    assert benchmark.table(tmp_path).startswith("Not measured yet")
    old = {"commit": "a1", "times_faster": 9.0}
    new = {"commit": "b2", "times_faster": 2.0}
    write(
        tmp_path,
        old | {"graph": "kron21"},
        new,
        new | {"total": 1.001},
        {"commit": "c3", "times_faster": 7.0, "engine": "threads", "device": "a CPU"},
        {"commit": "c3", "forest_ms": {"median": 12.3, "runs": 3}},
        {"commit": "c3", "engine": "threads", "device": "a CPU"},
    )
    assert [row["commit"] for row in benchmark.newest(tmp_path)] == ["b2"]
    table = benchmark.table(tmp_path)
    assert "| road | 100.0 M | 20.0 | 5.0 G | 20.0 | 20 + 20 | 2.0 x | 5 MB |" in table
    assert "Without cuGraph on the same device, later, at c3 (today): road 12.3 ms." in table
    assert "are cuGraph's to 0.10%" in table
    assert "| road | 100.0 M | 20.0 ms | 20 + 20 ms | 2 x |" in benchmark.short(tmp_path)
    write(tmp_path, new)
    assert "Without" not in benchmark.table(tmp_path)
