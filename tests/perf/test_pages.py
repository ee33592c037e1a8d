"""Tables and figures are those of the records: `make figures` changes nothing."""

import importlib
import re
from pathlib import Path

import pytest
from support.trials import TRIALS

from cc_rapids import datasets
from cc_rapids.algorithms import design
from cc_rapids.algorithms.auto import AUTO

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"
NAMES = (
    "README.md", "docs/benchmarks.md", "docs/larger.md", "docs/trust.md", "docs/guides/start.md",
    "docs/design-space.md", "docs/papers.md",
)  # fmt: skip


@pytest.fixture
def figures():
    """The script that makes all pages."""
    return importlib.import_module("figures")


@pytest.mark.parametrize("page", NAMES)
def test_a_page_is_made_from_the_records(figures, page):
    assert tuple(figures.PAGES) == NAMES
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, make in figures.PAGES[page](figures.harness.HERE).items():
        assert f"<!-- table: {name} -->\n{make()}\n<!-- end -->" in text, "run `make figures`"


@pytest.mark.parametrize("name", datasets.MEASURED)
def test_measurements_are_those_of_the_records(figures, name):
    stored = ROOT / "cc_rapids" / "datasets" / f"measured_{name}.csv"
    made = figures.as_csv(figures.SETS[name](figures.harness.HERE))
    assert stored.read_text(encoding="ascii") == made, "run `make figures`"


def test_the_rules_of_auto_name_records_that_exist(figures):
    assert all((figures.harness.HERE / rule.record).exists() for rule in AUTO)


def test_the_readme_counts_the_algorithms():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f" {len(design.rows())} algorithms by name" in readme


def test_every_number_of_trials_is_used_where_it_is_said_to_be():
    for name, trial in TRIALS.items():
        text = (ROOT / trial.where).read_text(encoding="utf-8")
        assert f'TRIALS["{name}"].times' in text


@pytest.fixture
def darkened(monkeypatch):
    """The function that makes the version of a figure for dark pages."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("darken").darkened


def test_greys_are_turned_around_for_dark_pages_and_colours_stay(darkened):
    svg = '<svg viewBox="0 0 1 1"><path d="M0"/><path style="fill:#000000;stroke:#FFFFFF"/>'
    dark = darkened(svg + '<path fill="#0f8b8d"/><path fill="#808080"/></svg>')
    assert dark.startswith('<svg fill="#ffffff" viewBox')
    assert "fill:#ffffff;stroke:#131313" in dark
    assert 'fill="#0f8b8d"' in dark
    (grey,) = re.findall(r'<path fill="#(..)\1\1"/></svg>', dark)
    assert 0x60 < int(grey, 16) < 0xA0
    assert darkened('<svg fill="#000000"></svg>') == '<svg fill="#ffffff"></svg>'


def test_the_dark_figure_of_the_readme_is_that_of_its_light_one(darkened):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in FIGURES.glob("dark/*.svg"):
        assert f'srcset="docs/figures/dark/{path.name}"' in readme
        light = (FIGURES / path.name).read_text(encoding="utf-8")
        assert path.read_text(encoding="utf-8") == darkened(light), "run `make figures`"
