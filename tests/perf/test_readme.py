"""What is claimed of speed stands on records: the README's table, and the rules of "auto"."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_is_made_from_the_records(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import report

    for make in report.TABLES.values():
        assert make() in README, "run `make figures`"


def test_the_rules_of_auto_name_records_that_exist():
    from cc_rapids.algorithms.auto import AUTO

    assert all((ROOT / "benchmarks" / "records" / rule.record).exists() for rule in AUTO)


def test_the_newest_records_of_memory_are_within_the_bound(monkeypatch):
    """Of each benchmark that holds memory to the bound: no row of its newest commit is above."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import records

    found = {}
    for path in sorted(records.HERE.glob("*.jsonl")):
        rows = [row for row in records.load(path.stem) if "bound_bytes" in row]
        newest = [row for row in rows if row["commit"] == rows[-1]["commit"]]
        if newest:
            found[path.stem] = newest
            assert all(row["within_bound"] for row in newest)
            assert not any(row["peak_bytes"] > row["bound_bytes"] for row in newest)
            assert records.beyond_bound(newest) == []
    assert "main_job" in found


def test_a_record_above_the_bound_is_seen(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import records
    import report

    row = {"n": 2_097_152, "m": 91_000_000, "vertices": 1_507_453, "dtype": "int64"}
    within, above = row | {"peak_bytes": 41_158_608}, row | {"peak_bytes": 41_158_609}
    assert records.beyond_bound([within, above]) == [above]
    assert report.within([within]).startswith("within `memory_bound`")
    assert report.within([within, above]).startswith("of 1 of 2 rows above `memory_bound`")
    assert records.since("HEAD") in (0, None)
    assert records.since("no commit") is None
