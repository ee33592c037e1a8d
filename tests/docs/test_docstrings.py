"""Docstrings: first lines name an object and a result, and public names say what numpydoc asks."""

import ast
import inspect
import pydoc
import re
from pathlib import Path

import pytest
from numpydoc.validate import validate

import cc_rapids

ROOT = Path(__file__).parent.parent.parent
FRAGMENT = re.compile(
    r"(whether|what|how|where|which|when|who|as|of|its|by|in|it)\b", re.IGNORECASE
)
NOUN = re.compile(r"(the|an?|all|each|some|both|so many|one)\b", re.IGNORECASE)
ASKED = {
    "GL03", "GL07", "SS03", "SS06", "PR01", "PR02", "PR04", "PR10", "RT01", "RT02", "RT05",
    "SA01", "SA02", "SA03", "SA04", "YD01",
}  # fmt: skip


def first_lines():
    """Yield where each docstring stands, its kind, and its first line."""
    paths = [path for name in ("benchmarks", "cc_rapids") for path in (ROOT / name).rglob("*.py")]
    for path in sorted(paths):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node)
                if text:
                    name = f"{path.relative_to(ROOT)}:{getattr(node, 'name', '')}"
                    yield name, kind_of(node), text.split("\n")[0]


def kind_of(node):
    """Return "function", or else what may be described by a noun."""
    if not isinstance(node, ast.FunctionDef):
        return "module or class"
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    return "property" if "property" in decorators else "function"


@pytest.mark.slow
def test_no_first_line_is_a_fragment_and_that_of_a_function_begins_with_a_verb():
    lines = list(first_lines())
    assert [row for row in lines if FRAGMENT.match(row[2])] == []
    assert [row for row in lines if row[1] == "function" and NOUN.match(row[2])] == []


def listed():
    """Return the names that the page of the API lists, but those for contributors."""
    page = (ROOT / "docs" / "api" / "index.rst").read_text(encoding="utf-8")
    page = page.partition("For contributors")[0]
    return re.findall(r"^   ~?([\w.]+)$", page, re.MULTILINE)


def public_methods(name):
    """Return the names of the methods of a class that are our own."""
    thing = pydoc.locate(f"cc_rapids.{name}")
    members = inspect.getmembers(thing, inspect.isroutine) if inspect.isclass(thing) else []
    return [f"{name}.{key}" for key, value in members if is_own(key, value)]


def is_own(key, value):
    """Return whether a method is public and no other library's."""
    return not key.startswith("_") and (value.__module__ or "").startswith(cc_rapids.__name__)


@pytest.mark.slow
@pytest.mark.parametrize("name", listed())
def test_a_public_name_says_what_goes_in_and_out_and_what_to_read_beside_it(name):
    thing = pydoc.locate(f"cc_rapids.{name}")
    if inspect.ismodule(thing):
        return
    for one in [name, *public_methods(name)]:
        asked = (
            ASKED - {"PR01", "PR02"} if inspect.isclass(pydoc.locate(f"cc_rapids.{one}")) else ASKED
        )
        found = validate(f"cc_rapids.{one}")["errors"]
        assert [error for error in found if error[0] in asked] == [], one


@pytest.mark.parametrize(
    "name", ["components", "connected_components", "stream_components", "dask.components"]
)
def test_rare_keywords_stand_under_other_parameters(name):
    assert "\n    Other Parameters\n" in pydoc.locate(f"cc_rapids.{name}").__doc__
