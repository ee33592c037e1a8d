"""The README's table is what the records say, and its six lines run."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_is_made_from_the_records(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import report

    assert report.table() in README, "run `make figures`"


def test_the_lines_of_code_run():
    pytest.importorskip("pandas")
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(code.replace("import cudf", "import pandas as cudf"), names)
    assert len(names["found"]) == 2
    assert names["found"].labels()["labels"].tolist() == [2, 2, 2, 9]


def test_it_is_one_screen():
    assert len(README.splitlines()) <= 90
