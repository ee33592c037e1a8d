"""What is claimed of speed stands on records: the README's table, and the rules of "auto"."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_is_made_from_the_records(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import report

    for make in report.TABLES.values():
        assert make() in README, "run `make figures`"


def test_the_rules_of_auto_name_records_that_exist():
    from cc_rapids.choosing import AUTO

    assert all((ROOT / "benchmarks" / "records" / rule.record).exists() for rule in AUTO)
