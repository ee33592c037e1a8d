"""Figures: a title, words for who does not see them, few lines, a version for dark pages."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    folders = str(ROOT / "benchmarks"), str(ROOT / "docs")
    monkeypatch.setattr(sys, "path", [*folders, *sys.path])


def titles():
    """The title of each figure that a script draws, by the name of its file."""
    import bench_figures
    import design_figures
    import paper_figures
    import report

    made = {"main-job": report.TITLE}
    made |= {name: words for name, (_, words) in design_figures.FIGURES.items()}
    for figures in paper_figures.FIGURES.values():
        made |= {name: words for name, (_, words) in figures.items()}
    for name, words in bench_figures.WORDS.items():
        made |= {f"bench-{name}-{place}": words for place in bench_figures.PLACES.values()}
    return made


def test_every_figure_is_made_by_a_script_and_has_its_title():
    known = titles()
    stored = {path.stem: path for path in FIGURES.glob("*.svg")}
    assert set(stored) - set(known) == {"pairs-to-components"}  # which is no measurement
    for name, path in stored.items():
        svg = path.read_text(encoding="utf-8")
        title = known.get(name, "Pairs go in, components come out")
        assert f"<!-- {title} -->" in svg or f"<title>{title}</title>" in svg, name


def test_every_figure_of_a_page_has_words():
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guides").glob("*.md")]
    for page in pages:
        for words, path in re.findall(r"!\[(.*?)\]\((.*?)\)", page.read_text(encoding="utf-8")):
            assert len(words.split()) > 3, f"{page.name}: {path}"


def drawn(count):
    from cc_rapids.tools import charts

    series = {str(k): [(1, k), (2, k + 1)] for k in range(count)}
    return charts.lines(series, "edges", "milliseconds")


def test_more_than_five_lines_are_refused():
    import report

    assert report.titled(None, "words") is None
    assert report.titled(drawn(5), "words").axes[0].get_title(loc="left") == "words"
    with pytest.raises(ValueError, match="words: 6 lines, of which 5 can be told apart"):
        report.titled(drawn(6), "words")


def test_the_foremost_five_keep_their_order():
    import report

    series = {name: [value] for name, value in zip("abcdefg", (3, 1, 7, 2, 6, 5, 4), strict=True)}
    assert list(report.foremost(series, max)) == ["a", "c", "e", "f", "g"]
    assert list(report.foremost(series, max, least=True)) == ["a", "b", "d", "f", "g"]


def test_greys_are_turned_around_for_dark_pages_and_colours_stay():
    from darken import darkened

    svg = '<svg viewBox="0 0 1 1"><path d="M0"/><path style="fill:#000000;stroke:#FFFFFF"/>'
    dark = darkened(svg + '<path fill="#0f8b8d"/><path fill="#808080"/></svg>')
    assert dark.startswith('<svg fill="#ffffff" viewBox')
    assert "fill:#ffffff;stroke:#131313" in dark
    assert 'fill="#0f8b8d"' in dark
    (grey,) = re.findall(r'<path fill="#(..)\1\1"/></svg>', dark)
    assert 0x60 < int(grey, 16) < 0xA0
    assert darkened('<svg fill="#000000"></svg>') == '<svg fill="#ffffff"></svg>'


def test_the_dark_figure_of_the_readme_is_that_of_its_light_one():
    from darken import darkened

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in FIGURES.glob("dark/*.svg"):
        assert f'srcset="docs/figures/dark/{path.name}"' in readme
        light = (FIGURES / path.name).read_text(encoding="utf-8")
        assert path.read_text(encoding="utf-8") == darkened(light), "run `make figures`"
