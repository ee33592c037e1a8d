"""Advice that works: how to install an extra of a package that no index has."""

import re
from pathlib import Path

import pytest

from cc_rapids.errors import install_advice

ROOT = Path(__file__).parents[2]
TEXTS = ("*.py", "*.md", "*.rst", "*.ipynb")
WHERE = ("cc_rapids", "docs", "examples", "notebooks", "benchmarks")


def texts():
    yield ROOT / "README.md"
    yield ROOT / "CONTRIBUTING.md"
    for folder in WHERE:
        for pattern in TEXTS:
            yield from (ROOT / folder).rglob(pattern)


def test_no_text_installs_the_package_by_its_name():
    named = re.compile(r"(?:pip install|uv add)(?: -\S+)* ['\"\\]*cc[_-]rapids(?![-\w])")
    found = [str(path) for path in texts() if named.search(path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize("extra", ["cu13", "cu12", "plot", "dask", "ray", "delta", "iceberg"])
def test_the_advice_names_extras_that_there_are(extra):
    assert f"\n{extra} = [" in (ROOT / "pyproject.toml").read_text()
    advice = install_advice(extra)
    assert f"pip install '.[{extra}]' in a checkout" in advice
    assert f"pip install 'WHEEL[{extra}]'" in advice
