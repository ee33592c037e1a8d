"""Lists as users hold them on a real GPU: how they are made, and how they are measured."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

import cc_rapids
from cc_rapids import backends, generators
from cc_rapids.solver.choose import HASHED_AT_ONCE
from cc_rapids.tools import bench

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["pairs60M", "bands10M", "pairs1M"])
def test_labels_are_those_by_construction(name):
    graph = generators.reference(name, 17, seed=3, engine="cuda")
    found = cc_rapids.components(graph.edges, num_vertices=graph.num_vertices)
    assert len(found) == graph.components
    labels = backends.get("cuda").to_host(found.labels().labels)
    assert (labels == graph.labels()).all()


@pytest.mark.parametrize("name", ["pairs60M", "records50M"])
def test_making_a_list_takes_little_beyond_it(name):
    pytest.importorskip("rmm")
    cuda, scale = backends.get("cuda"), 22
    generators.reference(name, 10, engine="cuda")
    graph, peak = bench.with_peak(cuda, lambda: generators.reference(name, scale, engine="cuda"))
    columns = sum(column.nbytes for column in graph.edges)
    assert peak <= columns + 8 * ((graph.components or 0) + 1) + (1 << 20)


def test_each_list_is_measured_with_ids_of_each_kind(cudf, tmp_path, monkeypatch):
    for library in ("cugraph", "rmm"):
        if not importlib.util.find_spec(library):
            pytest.skip(f"no {library} here")
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import lists

    words = "--engine", "cuda", "--scale", 14, "--runs", 2, "--peer-runs", 1, "--out", tmp_path
    monkeypatch.setattr(sys, "argv", ["lists.py", *map(str, words)])
    lists.main()
    rows = [json.loads(row) for row in (tmp_path / "lists.jsonl").read_text().splitlines()]
    assert [(row["graph"], row["dtype"]) for row in rows] == [
        (name, ids) for name in lists.LISTS for ids in ("int32", "int64", "hashed")
    ]
    for row in rows:
        assert row["equal_to_cugraph"]
        assert 0 < row["solve_device_ms"]["least"] <= row["solve_wall_ms"]["greatest"]
        assert 0 < row["device_ms"]["least"] <= row["wall_ms"]["greatest"]
        assert row["peak_bytes"] > 0
        # The launch of shorter lists has a table ready, and that of hashed ids one for all ends.
        if row["m"] > HASHED_AT_ONCE and row["dtype"] != "hashed":
            assert row["peak_bytes"] < row["cugraph_peak_bytes"]
        assert row.get("within_bound", row["dtype"] == "hashed")
