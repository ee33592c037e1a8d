"""Plans of five lists beside their runs, by the newest record."""

import json
from pathlib import Path

RECORDS = Path(__file__).parents[2] / "benchmarks" / "records" / "plans.jsonl"


def test_the_newest_record_holds_the_vertices_and_half_to_twice_the_cpu_time():
    newest = json.loads(RECORDS.read_text(encoding="utf-8").splitlines()[-1])
    assert len(newest["rows"]) == 5
    for row in newest["rows"]:
        least, most = row["vertices_planned"]
        assert least <= row["vertices"] <= most
        assert 0.5 <= row["cpu_ratio"] <= 2
        assert abs(row["edges_planned"] / row["edges"] - 1) < 0.05
