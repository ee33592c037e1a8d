"""The scripts of benchmarks as modules."""

import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    """Let tests import the scripts by their names."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if "benchmarks" in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
