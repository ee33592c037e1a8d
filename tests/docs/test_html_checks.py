"""The checks of built pages find what is planted, and nothing on a page that is right."""

import json
import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GOOD = """<html><head><title>a</title></head><body><article>
<p id="here"><a href="b/c.html#there">c</a> <a href="#here">h</a> <a href="https://x.org/y">x</a></p>
<img src="b/p.png" alt="Two lines that cross"><table><tr><td>a word</td><td>7</td></tr></table>
</article></body></html>"""
OTHER = '<html><body><h1 id="there">c</h1><a href="../a.html">back</a></body></html>'
WORDS = {"deduplicate": [0], "entity": [0], "resolution": 0, "conda": 0, "csr_matrix": [1]}
SEARCHES = {"deduplicate": "a", "entity resolution": "a", "conda": "a", "csr_matrix": "b/c"}


@pytest.fixture
def check(monkeypatch):
    """The module that checks pages."""
    pytest.importorskip("snowballstemmer", reason="it comes with Sphinx: make docs")
    monkeypatch.syspath_prepend(str(DOCS))
    import check_html

    monkeypatch.setattr(check_html, "SEARCHES", SEARCHES)
    return check_html


@pytest.fixture
def site(check, tmp_path):
    """A folder of two pages with nothing to complain of."""
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b" / "c.html").write_text(OTHER)
    (tmp_path / "b" / "p.png").write_bytes(b"")
    write_index(check, tmp_path, WORDS)
    return tmp_path


def write_index(check, site, words):
    """Write an index as Sphinx does: stems of words, each with its page or pages."""
    stem = check.snowballstemmer.stemmer("english").stemWord
    terms = {stem(w): at for w, at in words.items()}
    index = json.dumps({"docnames": ["a", "b/c"], "terms": terms, "titleterms": {}})
    (site / "searchindex.js").write_text(f"Search.setIndex({index})")


def test_right_pages_have_no_complaints(check, site):
    assert list(check.complaints(site)) == []


LONG = "w" * 40
PLANTED = [
    ('href="b/c.html#there"', 'href="b/c.html#gone"', "b/c.html#gone names a place"),
    ('href="b/c.html#there"', 'href="b/d.html"', "b/d.html leads nowhere"),
    ('href="#here"', 'href="#hear"', "#hear names a place"),
    ('href="#here"', 'href="../../etc"', "../../etc leads nowhere"),
    ('src="b/p.png"', 'src="b/q.png"', "b/q.png leads nowhere"),
    (' alt="Two lines that cross"', "", "b/p.png has no alt text"),
    ('alt="Two lines that cross"', 'alt=" "', "b/p.png has no alt text"),
    ('alt="Two lines that cross"', 'alt="p.png"', "b/p.png has no alt text"),
    ('alt="Two lines that cross"', 'alt="_images/p.png"', "b/p.png has no alt text"),
    ("<td>7</td>", f"<td>{LONG}</td>" * 3, "table 1 needs"),
]


@pytest.mark.parametrize(("good", "bad", "words"), PLANTED)
def test_what_is_planted_is_found(check, site, good, bad, words):
    assert GOOD.count(good) == 1
    (site / "a.html").write_text(GOOD.replace(good, bad))
    (found,) = check.complaints(site)
    assert found.startswith("a.html: ")
    assert words in found


@pytest.mark.parametrize("word", WORDS)
def test_a_search_without_an_answer_is_found(check, site, word):
    write_index(check, site, {other: found for other, found in WORDS.items() if other != word})
    (found,) = check.complaints(site)
    assert word in found
    assert "does not find" in found


WIDE = '<div style="width:700px">x</div>'
NARROW = """<!doctype html><html><head><style>body {{ background: #fff; color: #000 }}
body[data-theme=dark] {{ background: #131416; color: #ddd }} article {{ width: 300px }}
</style></head><body><script>document.body.dataset.theme = localStorage.getItem("theme")</script>
<article>{}</article></body></html>"""


@pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    reason="no Chromium here: apt-get install chromium",
)
class TestInChromium:
    @pytest.fixture
    def browser(self, monkeypatch):
        monkeypatch.syspath_prepend(str(DOCS))
        import check_browser

        return check_browser

    def found(self, browser, folder, inside, style=""):
        (folder / "a.html").write_text(NARROW.format(inside) + style)
        jobs = browser.jobs_of(folder, ["a.html"])
        assert jobs == [("a.html", w, t) for w in (1400, 420) for t in ("light", "dark")]
        return list(browser.complaints(browser.measure(folder, jobs)))

    def test_a_right_page_has_no_complaints(self, browser, tmp_path):
        words = "<table><tr><td>some words</td></tr></table>" * 2
        assert self.found(browser, tmp_path, words) == []

    @pytest.mark.extended
    def test_what_scrolls_sideways_is_found_on_the_narrow_screen(self, browser, tmp_path):
        found = self.found(browser, tmp_path, WIDE)
        assert len(found) == 2
        assert all("at 420 pixels" in one and "scrolls sideways" in one for one in found)
