"""The parts of the documentation: every page is in one, with a sentence that says what it is."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest

import cc_rapids

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INDEX = (DOCS / "index.md").read_text(encoding="utf-8")
GROUPS = runpy.run_path(str(DOCS / "api_groups.py"))["GROUPS"]
PARTS = "Start", "Guides", "Concepts", "Reference", "Project"


def listed():
    """The pages of each part in the tree."""
    found = {}
    for block in re.findall(r"```\{toctree\}\n(.*?)```", INDEX, re.DOTALL):
        caption = re.search(r"^:caption: (.*)$", block, re.MULTILINE)[1]
        found[caption] = re.findall(r"^(?!:)(\S+)$", block, re.MULTILINE)
    return found


def explained():
    """The pages of each part in the lists below, and what is said of them."""
    found = {}
    for title in PARTS:
        section = INDEX.split(f"\n### {title}\n")[1].split("\n### ")[0]
        found[title] = dict(re.findall(r"^- \{doc\}`([^`]+)`: (.*)$", section, re.MULTILINE))
    return found


def test_there_are_five_parts():
    assert tuple(listed()) == PARTS


@pytest.mark.parametrize("part", PARTS)
def test_each_entry_has_a_sentence_in_the_same_order(part):
    sentences = explained()[part]
    assert list(sentences) == listed()[part]
    assert [name for name, words in sentences.items() if len(words.split()) < 5] == []


def test_no_page_is_in_two_parts():
    names = [name for pages in listed().values() for name in pages]
    assert len(names) == len(set(names))


def test_every_notebook_and_guide_is_in_a_part():
    names = {name for pages in listed().values() for name in pages}
    assert {f"notebooks/{path.stem}" for path in ROOT.glob("notebooks/*.ipynb")} <= names
    assert {f"guides/{path.stem}" for path in DOCS.glob("guides/*.md")} <= names


def test_the_front_page_has_a_card_for_each_task():
    cards = re.findall(r":::\{grid-item-card\} (.*)\n:link: (\S+)", INDEX)
    words = " ".join(title.lower() for title, _ in cards)
    for task in ("deduplicate", "entities", "fraud rings", "memory", "networkx and scipy", "add"):
        assert task in words
    for _, link in cards:
        assert link in {name for pages in listed().values() for name in pages}


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("Deduplicate", "near-duplicates"),
        ("Resolve entities", "scored pairs"),
        ("Find fraud rings", "rings of accounts"),
        ("Speed up NetworkX and SciPy", "networkx"),
        ("Add edges as they come", "insert edges in batches"),
    ],
)
def test_a_card_leads_to_a_page_about_its_task(card, words):
    (link,) = re.findall(rf":::\{{grid-item-card\}} {card}\n:link: (\S+)", INDEX)
    assert words in (DOCS / f"{link}.md").read_text(encoding="utf-8").lower()


def test_the_front_page_tells_how_to_install_in_three_ways():
    assert INDEX.count("{tab-item}") == 3
    assert "conda create" in INDEX
    assert "pip wheel" in INDEX
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {"cu13", "cu12"} <= set(extras["optional-dependencies"])


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
