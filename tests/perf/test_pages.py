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


def test_memory_above_the_bound_is_said(figures):
    row = {"n": 2_097_152, "m": 91_000_000, "vertices": 1_507_453, "dtype": "int64"}
    within, above = row | {"peak_bytes": 41_158_608}, row | {"peak_bytes": 41_158_609}
    assert figures.within([within]).startswith("within `memory_bound`")
    assert figures.within([within, above]).endswith("in 1 of 2 rows")


def titles(figures):
    """The title of each figure that a script draws, by the name of its file."""
    made = {"main-job": figures.TITLE}
    made |= {name: words for name, (_, words) in figures.design_pages.FIGURES.items()}
    for each in figures.paper_pages.FIGURES.values():
        made |= {name: words for name, (_, words) in each.items()}
    for name, (_, words, _) in figures.FIGURES.items():
        made |= {f"bench-{name}-{place}": words for place in figures.PLACES.values()}
    return made


def test_every_figure_is_made_by_a_script_and_has_its_title(figures):
    known = titles(figures)
    stored = {path.stem: path for path in FIGURES.glob("*.svg")}
    assert set(stored) - set(known) == {"pairs-to-components"}  # which is no measurement
    for name, path in stored.items():
        svg = path.read_text(encoding="utf-8")
        title = known.get(name, "Pairs go in, components come out")
        assert f"<!-- {title} -->" in svg or f"<title>{title}</title>" in svg, name


def test_every_figure_of_a_page_has_words():
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guides").glob("*.md")]:
        for words, path in re.findall(r"!\[(.*?)\]\((.*?)\)", page.read_text(encoding="utf-8")):
            assert len(words.split()) > 3, f"{page.name}: {path}"


def drawn(count):
    from cc_rapids.tools import charts

    series = {str(k): [(1, k), (2, k + 1)] for k in range(count)}
    return charts.lines(series, "edges", "milliseconds")


def test_more_than_five_lines_are_refused(figures, tmp_path):
    figures.pages.save(drawn(5), tmp_path / "five.svg", "words")
    assert "<!-- words -->" in (tmp_path / "five.svg").read_text()
    with pytest.raises(ValueError, match="words: 6 lines, of which 5 can be told apart"):
        figures.pages.save(drawn(6), tmp_path / "six.svg", "words")


def test_the_foremost_five_keep_their_order(figures):
    series = {name: [value] for name, value in zip("abcdefg", (3, 1, 7, 2, 6, 5, 4), strict=True)}
    assert list(figures.pages.foremost(series, max)) == ["a", "c", "e", "f", "g"]
    assert list(figures.pages.foremost(series, max, least=True)) == ["a", "b", "d", "f", "g"]


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
