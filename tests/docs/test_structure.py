"""The parts of the documentation: every page is in one, with a sentence that says what it is."""

import re
import runpy
from pathlib import Path

import pytest

import cc_rapids

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INDEX = (DOCS / "index.md").read_text(encoding="utf-8")
GROUPS = runpy.run_path(str(DOCS / "api_groups.py"))["GROUPS"]


def listed():
    """The pages of each part in the tree."""
    found = {}
    for block in re.findall(r"```\{toctree\}\n(.*?)```", INDEX, re.DOTALL):
        caption = re.search(r"^:caption: (.*)$", block, re.MULTILINE)[1]
        found[caption] = re.findall(r"^(?!:)(\S+)$", block, re.MULTILINE)
    return found


def test_no_page_is_in_two_parts():
    names = [name for pages in listed().values() for name in pages]
    assert len(names) == len(set(names))


def test_every_notebook_and_guide_is_in_a_part():
    names = {name for pages in listed().values() for name in pages}
    assert {f"notebooks/{path.stem}" for path in ROOT.glob("notebooks/*.ipynb")} <= names
    assert {f"guides/{path.stem}" for path in DOCS.glob("guides/*.md")} <= names


def test_each_environment_variable_is_on_its_page_and_no_other():
    sources = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "cc_rapids").rglob("*.py")
    )
    page = (DOCS / "environment.md").read_text(encoding="utf-8")
    named = re.compile(r"(?<![A-Z])_?CC_RAPIDS_[A-Z_]+\b")
    assert set(named.findall(sources)) == set(named.findall(page))
    others = set(re.findall(r"^\| `((?!CC_RAPIDS)[A-Z_]+)` \|", page, re.MULTILINE))
    assert {"CUDA_VISIBLE_DEVICES", "NETWORKX_BACKEND_PRIORITY"} <= others


@pytest.mark.parametrize("name", GROUPS)
def test_the_api_page_of_a_class_has_each_of_its_methods_once(name):
    names = [one for names in GROUPS[name].values() for one in names]
    public = {one for one in dir(getattr(cc_rapids, name)) if not one.startswith("_")}
    assert sorted(names) == sorted(public)
