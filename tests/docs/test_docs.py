"""The documentation: its examples give what they say, and nothing that is public is left out."""

import doctest
import re
import sys
from pathlib import Path

import pytest

import cc_rapids
from cc_rapids import cli
from cc_rapids.algorithms.design import EXCLUDED
from cc_rapids.kernels import spec

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = sorted((DOCS / "guides").glob("*.md"))
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.fixture
def made(monkeypatch):
    """The module that makes pages from the code."""
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    import made_pages

    return made_pages


@pytest.mark.slow
@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_what_a_guide_types_gives_what_it_shows(path):
    blocks = re.findall(r"```pycon\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, path.name, str(path), 0)
    said = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert said == []


def test_every_public_name_is_in_the_api():
    text = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ~?([\w.]+)$", text, re.MULTILINE))
    errors = {name for name in cc_rapids.__all__ if cc_rapids._HOMES.get(name) == "errors"}
    modules = {name for name in cc_rapids.__all__ if cc_rapids._HOMES.get(name) == ""}
    assert set(cc_rapids.__all__) - errors - modules - {"__version__"} <= listed
    for module in modules:
        for name in set(getattr(cc_rapids, module).__all__) - {"REFERENCES", "CARDS", "pieces"}:
            assert f"{module}.{name}" in listed


def test_every_choice_has_an_entry_with_its_paper(made):
    page = made.algorithms()
    for choices in spec.CHOICES.values():
        for choice in choices.values():
            entry = page.split(f"### `{choice.name}`\n")[1].split("\n### ")[0]
            assert f"*{choice.paper}.*" in entry
    assert all(row.reason in page for row in EXCLUDED)


@pytest.mark.extended
def test_every_command_has_its_help(made):
    page = made.commands()
    assert all(f"\n## {name}\n" in page for name in cli.main.commands)


def test_what_was_measured_is_that_of_the_readme(made):
    page = made.measured()
    assert "| uniform25M, int64 |" in page
    assert "](" not in page


def test_links_to_files_are_words_on_pages_of_another_folder(made):
    text = "[a](b.md#c), [`d`](e/f), [g](https://h.org/i) and [j](#k)"
    assert made.unlinked(text) == "a, `d`, [g](https://h.org/i) and [j](#k)"


def test_a_folder_of_made_pages_holds_no_others(made, tmp_path):
    made.fill(tmp_path / "made", {"a.md": "one", "b.md": "two"})
    made.fill(tmp_path / "made", {"b.md": "three"})
    assert [(p.name, p.read_text()) for p in (tmp_path / "made").iterdir()] == [("b.md", "three")]


def test_every_example_is_quoted():
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*/*.md"))
    examples = (DOCS.parent / "examples").glob("*.py")
    assert [path.name for path in examples if f"examples/{path.name}\n" not in pages] == []
