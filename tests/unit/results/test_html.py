"""What notebooks show of answers, batches, thresholds, plans and audits."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import components
from cc_rapids.analysis import evidence, report
from cc_rapids.data import html as pages
from cc_rapids.results.answer import Answer

SCRIPT = "<script>alert(\"x\" + 'y')</script> & co"
TAGS = {
    *("div", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("svg", "title", "text", "rect", "details", "summary"),
}
EDGES = ([5, 2, 9, 11], [2, 7, 9, 12])


class Reader(HTMLParser):
    """The tags and words of a page, in which every tag is closed in its turn."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.words, self.outside = [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert not any(name.startswith("on") for name, _ in attrs)
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if "details" not in self.open:
            self.outside.append(data)


def shows():
    """Each object that notebooks show, of ids that are markup."""
    edges = pd.DataFrame({"src": [SCRIPT, "b"], "dst": ["a", f"{SCRIPT} 2"], "weight": [2, 1]})
    found = components(edges)
    return {
        "Components": found,
        "Connectivity": cc_rapids.Connectivity().insert(edges),
        "Cuts": cc_rapids.components_at(edges, thresholds=[1, 2]),
        "Plan": components(edges, explain=True),
        "StreamPlan": components(iter([edges]), explain=True),
        "Audit": found.audit(edges, oracle="scipy"),
        "StableIds": found.stable_ids(),
        "Bipartition": cc_rapids.bipartition(edges),
        "Report": found.report(edges, weight="weight"),
        "several": components(
            edges.assign(k=SCRIPT, l=SCRIPT), ["src", "k"], ["dst", "l"], labels="max"
        ),
    }


@pytest.mark.parametrize("name", shows())
def test_all_that_is_shown_is_escaped(name, monkeypatch):
    shown = shows()[name]
    monkeypatch.setattr(type(components(EDGES).answer.backend), "device_name", SCRIPT)
    page = Reader(shown._repr_html_())
    assert set(page.tags) <= TAGS
    if name not in ("Plan", "StreamPlan", "Audit", "Cuts", "Bipartition"):
        assert any("<script>" in word for word in page.words)


def test_nothing_else_is_shown_as_markup():
    shows = re.compile(r"def (_repr_(?:html|svg|markdown|latex|javascript|mimebundle)_)")
    package = Path(cc_rapids.__file__).parent
    found = [(p.name, name) for p in package.rglob("*.py") for name in shows.findall(p.read_text())]
    kinds = "audit bipartition choose components connectivity dendrogram html stable_ids stream"
    kinds += " thresholds"
    assert sorted(found) == [(f"{kind}.py", "_repr_html_") for kind in kinds.split()]
    assert set(pages.Page.__subclasses__()) == {report.Report, evidence.Evidence}


def test_the_answer_shows_counts_the_largest_and_sizes_first(engine):
    html = components(EDGES, engine=engine, num_vertices=14)._repr_html_()
    for name, count in (("components", 11), ("vertices", 14), ("edges", 4), ("largest", 3)):
        assert f'<tr><th scope="row">{name}</th><td>{count}</td></tr>' in html
    assert "<tr><td>2</td><td>3</td><td>2, 5, 7</td></tr>" in html
    assert "the 5 largest of 11" in html
    page = Reader(html)
    assert "components by their number of vertices: 1: 9, 2 to 3: 2" in page.words
    assert not {"design", "engine", "device"} & set(page.outside)
    assert {"design", "engine", "device", engine} <= set(page.words)


def test_batches_thresholds_plans_and_audits_show_what_they_are(engine):
    seen = cc_rapids.Connectivity(engine=engine).insert(EDGES)
    html = seen._repr_html_()
    assert '<tr><th scope="row">batches</th><td>1</td></tr>' in html
    assert "<td>2, 5, 7</td>" in html
    frame = np.array(EDGES[0]), np.array(EDGES[1])
    options = {"weight": np.array([3, 2, 2, 1]), "engine": engine}
    cuts = cc_rapids.components_at(frame, thresholds=[1, 2, 3], **options)
    html = cuts._repr_html_()
    assert "3 thresholds of 6 vertices" in html
    for row in ((3, 5, 2, 1), (2, 4, 3, 3), (1, 3, 3, 4)):
        assert f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" in html
    plan = Reader(components(frame, engine=engine, explain=True)._repr_html_())
    assert {"edges", "vertices", "memory", "4"} <= set(plan.outside)
    assert "design" not in plan.outside
    assert "design" in plan.words
    html = components(frame, engine=engine).audit(frame)._repr_html_()
    assert "right" in html
    assert '<tr><th scope="row">components</th><td>3</td></tr>' in html


def test_many_thresholds_show_the_first_of_them():
    edges = np.arange(30), np.arange(30) + 1
    found = cc_rapids.components_at(edges, weight=np.arange(30), thresholds=list(range(30)))
    html = found._repr_html_()
    assert "the first 20" in html
    assert len(re.findall("<rect", html)) == 20


def test_an_empty_answer_has_counts_alone():
    html = components(([], []))._repr_html_()
    assert '<th scope="row">components</th><td>0</td>' in html
    assert "caption" not in html
    assert '<th scope="row">vertices</th><td>0</td>' in cc_rapids.Connectivity()._repr_html_()


def test_a_page_is_made_of_a_few_rows_however_many_there_are(tuned, monkeypatch):
    n = 100_000
    found = components((np.arange(n), np.arange(n) // 50 * 50))
    tuned(iterated_rows=1000)
    rows = []
    frame = Answer.frame
    monkeypatch.setattr(
        Answer, "frame", lambda self, c: rows.extend(map(len, c.values())) or frame(self, c)
    )
    assert len(found._repr_html_()) < 5000
    assert max(rows) <= 30
    last = components((np.array([n, 0]), np.array([n + 1, 0])), vertices=np.arange(n))
    assert f"<td>{n}</td><td>2</td><td>{n}, {n + 1}</td>" in last._repr_html_()


def test_large_counts_are_grouped():
    found = components(([0], [1]), num_vertices=1_234_567)
    assert "<td>1,234,566</td>" in found._repr_html_()


@pytest.mark.slow
def test_long_names_and_large_numbers_do_not_widen_the_page():
    found = components((["x" * 10_000], ["y" * 10_000]))
    assert len(found._repr_html_()) < 5000
    far = components(([2**63], [2**64 - 1]))
    assert str(2**64 - 1) in far._repr_html_()
