"""What audits cost, by the newest record: at most one and a half times the run on each graph."""

import json
import sys
from pathlib import Path

from cc_rapids.generators import REFERENCES

RECORDS = Path(__file__).parents[2] / "benchmarks" / "records" / "audit.jsonl"


def test_the_newest_record_of_a_gpu_is_within_bound(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(RECORDS.parents[1]), *sys.path])
    import run

    lines = map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines())
    gpus = [line for line in lines if "rows" in line and line["device"].startswith("NVIDIA")]
    assert gpus, "no record yet: python benchmarks/audit.py"
    newest = gpus[-1]
    rows = {row["graph"]: row for row in newest["rows"] if row["named"] == "as they are"}
    assert rows.keys() == set(run.GRAPHS)
    assert newest["bound"] == 1.5
    for name, row in rows.items():
        assert row["m"] == REFERENCES[name].edges or name == "road"
        for times in ("ms", "device_ms"):
            run, audit = (row[f"{work}_{times}"]["median"] for work in ("run", "audit"))
            assert audit <= newest["bound"] * run, f"{name}: {audit} of {run} ms"
        assert row["within_bound"]
