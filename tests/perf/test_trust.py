"""The page on trust says what the tests do."""

import importlib
from pathlib import Path

from support.trials import TRIALS

ROOT = Path(__file__).parents[2]


def test_the_tables_are_made_of_the_trials_and_of_the_records(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    trust = importlib.import_module("trust")
    page = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    assert trust.table() in page
    assert trust.costs() in page


def test_every_number_is_used_where_it_is_said_to_be():
    for name, trial in TRIALS.items():
        text = (ROOT / trial.where).read_text(encoding="utf-8")
        assert f'TRIALS["{name}"].times' in text
