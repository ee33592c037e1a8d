"""Reports, against NetworkX."""

import math
from collections import Counter
from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from support.as_lists import columns
from support.edge_lists import quick

from cc_rapids import components, errors, stream_components
from cc_rapids.analysis import report
from cc_rapids.data.frame_access import columns_of, values_of

PAIRS = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 4), (6, 6), (7, 8)]
WEIGHTS = [5, 9, 7, 3, 8, 2, 1, 4]


def expected(pairs, weights):
    """Return the rows of a report by NetworkX and a loop over the edges, the largest first."""
    graph = nx.Graph(pairs)
    times = Counter(frozenset(pair) for pair in pairs)
    alone = {frozenset(edge) for edge in nx.bridges(graph) if times[frozenset(edge)] == 1}
    held = {row for row, pair in enumerate(pairs) if frozenset(pair) in alone}
    found = []
    for group in nx.connected_components(graph):
        rows = [row for row, pair in enumerate(pairs) if pair[0] in group]
        distinct = {frozenset(pairs[row]) for row in rows if pairs[row][0] != pairs[row][1]}
        size, weakest = len(group), None
        forest = nx.Graph()
        for row in sorted(rows, key=lambda row: (-weights[row], row)):
            a, b = pairs[row]
            if not (a == b or (a in forest and b in forest and nx.has_path(forest, a, b))):
                forest.add_edge(a, b)
                if weakest is None or weights[row] < weights[weakest]:
                    weakest = row
        density = len(distinct) / math.comb(size, 2) if size > 1 else None
        link = (-1, 0) if weakest is None else (weakest, weights[weakest])
        found.append([min(group), size, len(rows), density, len(held.intersection(rows)), *link])
    return sorted(found, key=lambda one: (-one[1], one[0]))


def rows_of(frame):
    """Return the rows of a frame as lists, with None for nan."""
    return [
        [None if value != value else value for value in row]
        for row in zip(*columns(frame), strict=True)
    ]


@quick
@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(-4, 4)),
        min_size=1,
        max_size=40,
    )
)
def test_reports_are_those_of_networkx(edges):
    src, dst, weights = (np.array([edge[k] for edge in edges], np.int64) for k in range(3))
    report = components((src, dst)).report((src, dst), weight=weights)
    pairs = [edge[:2] for edge in edges]
    right = expected(pairs, weights.tolist())
    found = rows_of(report.components())
    assert found == right
    assert rows_of(report.components(2)) == right[:2]
    sizes = [row[1] for row in right]
    overall = report.overall()
    loops = sum(a == b for a, b in pairs)
    distinct = {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    assert overall.components.tolist() == [len(right)]
    assert overall.edges.tolist() == [len(edges)]
    assert overall.self_loops.tolist() == [loops]
    assert overall.repeated.tolist() == [len(edges) - loops - len(distinct)]
    assert overall.bridges.tolist() == [sum(row[4] for row in right)]
    assert overall.singletons.tolist() == [sizes.count(1)]
    assert overall.singleton_share.tolist() == [sizes.count(1) / len(sizes)]
    for name, part in (("q25", 25), ("median", 50), ("q75", 75), ("q99", 99)):
        assert getattr(overall, f"size_{name}").tolist() == [np.percentile(sizes, part)]
    assert overall.size_mean.tolist() == [sum(sizes) / len(sizes)]
    assert (overall.size_min[0], overall.size_max[0]) == (min(sizes), max(sizes))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", [int, str, "v{}".format])
def test_frames_and_ids(make, name):
    src, dst = ([name(pair[k]) for pair in PAIRS] for k in (0, 1))
    edges = make({"a": src, "b": dst, "w": WEIGHTS})
    report = components(edges, "a", "b").report(edges, "a", "b", weight="w")
    frame = report.components()
    assert isinstance(frame, pa.Table if make is pa.table else make)
    labels, sizes, many, density, held, rows, weights = columns(frame)
    assert list(labels) == [name(1), name(7), name(6)]
    assert [list(column) for column in (sizes, many, held)] == [[5, 2, 1], [6, 1, 1], [1, 1, 0]]
    assert list(density)[:2] == [0.5, 1.0]
    assert list(rows)[:2] == [3, 7]
    assert list(weights)[:2] == [3, 4]
    for missing in (list(rows)[2], list(weights)[2]):
        assert pd.isna(missing)


def test_ids_of_several_columns_and_pages_of_them():
    src, dst = ([pair[k] for pair in PAIRS] for k in (0, 1))
    frame = pd.DataFrame({"k": ["x"] * 8, "a": src, "l": ["x"] * 8, "b": dst})
    sides = ["k", "a"], ["l", "b"]
    report = components(frame, *sides, labels="min").report(frame, *sides)
    assert report.components()["size"].tolist() == [5, 2, 1]
    assert "<td>(&#x27;x&#x27;, 1)</td>" in report._repr_html_()


def test_other_orders_vertices_without_edges_and_no_edges():
    src, dst = (np.array([pair[k] for pair in PAIRS]) for k in (0, 1))
    found = components((src, dst), num_vertices=10)
    frame = found.report((dst[::-1], src[::-1])).components()
    assert frame.labels.tolist() == [1, 7, 0, 6, 9]
    assert frame.edges.tolist() == [6, 1, 0, 1, 0]
    empty = components(([], [])).report(([], []), weight=np.zeros(0))
    assert len(empty) == 0
    assert empty.components().weakest_row.tolist() == []
    assert empty.overall().components.tolist() == [0]
    assert np.isnan(empty.overall().singleton_share).all()
    assert "Report on connected components" in empty._repr_html_()


def test_rows_that_are_dropped_keep_their_numbers():
    edges = pl.DataFrame({"src": [None, 1, 2], "dst": [2, 2, 3], "w": [1, 8, 9]})
    report = components(edges, nulls="drop").report(edges, weight="w", nulls="drop")
    assert report.components()["weakest_row"].to_list() == [1]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_weights_that_are_not_there(make):
    ends = {"src": [1, 2, 3, 3, 3, 8], "dst": [2, 3, 1, 2, 3, 8]}
    edges = make(ends | {"w": [float("nan"), 2.0, 0.5, 2.0, 0.1, 9.0]})
    found = components(make(ends))
    with pytest.raises(errors.NullsError, match="1 of 6 weights 'w' is null or nan, the first"):
        found.report(edges, weight="w")
    report = found.report(edges, weight="w", nulls="drop")
    _, sizes, many, density, held, rows, weights = columns(report.components())
    assert [list(column) for column in (sizes, many, held)] == [[3, 1], [4, 1], [1, 0]]
    assert [next(iter(column)) for column in (density, rows, weights)] == [2 / 3, 2, 0.5]
    assert (report._repeated, report._loops) == (1, 2)
    none = make(ends | {"w": [float("nan")] * 6})
    with pytest.raises(errors.InputError, match="join the 4 vertices into 4 components, but this"):
        found.report(none, weight="w", nulls="drop")


def test_rows_in_errors_are_those_of_the_caller():
    edges = pl.DataFrame({"src": [None, 1, 8], "dst": [2, 2, 9]})
    found = components(edges, nulls="drop")
    other = pl.DataFrame({"src": [None, 1, 2, 8], "dst": [2, 2, 8, 9]})
    with pytest.raises(errors.InputError, match="1 of 3 edges, the first in row 2, joins two"):
        found.report(other, nulls="drop")


def test_an_answer_of_chunks():
    edges = pd.DataFrame({"src": [1, 2, 8], "dst": [2, 3, 9]})
    found = stream_components(edges[k : k + 1] for k in range(3))
    assert found.report(edges).components()["bridges"].tolist() == [2, 1]


def test_a_page(tmp_path):
    edges = pd.DataFrame({"src": ["<a>", "c"], "dst": ["b", "c"], "w": [0.123456, 1.0]})
    report = components(edges).report(edges, weight="w")
    assert report.to_html(tmp_path / "report.html") is None
    assert report.to_html() == (tmp_path / "report.html").read_text(encoding="utf-8")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<h1>Report on connected components</h1>") == 1
    assert "".join(report._parts()) in page
    assert "".join(report._parts()) in report._repr_html_()
    assert "<td>&lt;a&gt;</td>" in page
    assert "<td>0.1235</td>" in page
    assert "<td>-</td>" in page
    assert "edges whose removal splits a component" in page
    assert repr(report) == "<Report: 2 components of 3 vertices, 2 edges, 1 bridge>"
    with pytest.raises(errors.OutputError):
        report.to_html(tmp_path / "no" / "report.html")


class Marks(HTMLParser):
    """Count the tags of a page, all of which have to be closed, and note what is in its cells."""

    def __init__(self, page):
        super().__init__()
        self.open, self.heads, self.cells, self.tags = [], [], [], Counter()
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        if tag == "th":
            self.heads.append(dict(attrs).get("scope"))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] == "td":
            self.cells.append(data)


def test_a_page_is_read_aloud_and_runs_nothing(tmp_path):
    evil = "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a&b"
    edges = pd.DataFrame({"src": evil, "dst": [word + "z" for word in evil]})
    components(edges).report(edges).to_html(tmp_path / "report.html")
    found = Marks((tmp_path / "report.html").read_text("utf-8"))
    assert not {"script", "img", "link"} & set(found.tags)
    assert (found.tags["html"], found.tags["main"], found.tags["h1"]) == (1, 1, 1)
    assert found.tags["caption"] == found.tags["table"] == 2
    assert set(found.heads) == {"col"}
    assert {*evil} <= {*found.cells}


def test_numbers_of_a_page_can_be_copied():
    n = 30_000
    src = np.arange(1_000_000, 1_000_000 + n)
    edges = pd.DataFrame({"src": src, "dst": src + 1, "w": np.where(src == src[-1], 0.99999, 1.5)})
    last = pd.DataFrame({"src": [5_000_000], "dst": [5_000_001], "w": [2.0]})
    edges = pd.concat([edges, last], ignore_index=True)
    cells = Marks(components(edges).report(edges, weight="w")._repr_html_()).cells
    at = cells.index("1000000")
    row = ["1000000", "30,001", "30,000", f"{2 / (n + 1):.4g}", "30,000", str(n - 1), "0.99999"]
    assert cells[at : at + 7] == row
    for name, value in (("size_max", "30,001"), ("size_median", "15,001.5"), ("size_min", "2")):
        assert cells[cells.index(name) + 1] == value


def test_any_spanning_forest_tells_the_bridges(monkeypatch):
    """With weights, bridges follow from the forest that is found for the weakest links."""
    edges = pd.DataFrame(PAIRS, columns=["src", "dst"]).assign(w=WEIGHTS)
    plain = components(edges).report(edges).components()
    monkeypatch.setattr(report, "any_forest", lambda *_: pytest.fail("another forest"))
    weighed = components(edges).report(edges, weight="w").components()
    assert plain["bridges"].tolist() == weighed["bridges"].tolist() == [1, 1, 0]


def test_what_is_refused():
    found = components(([1, 2, 8], [2, 3, 9]))
    with pytest.raises(errors.UnknownVertexError, match="is not a vertex of this answer"):
        found.report(([1, 2, 8], [2, 3, 7]))
    with pytest.raises(errors.InputError, match="1 of 4 edges, the first in row 3, joins two"):
        found.report(([1, 2, 8, 3], [2, 3, 9, 8]))
    with pytest.raises(errors.InputError, match="into 3 components, but this answer has 2: pass"):
        found.report(([1, 8], [2, 9]))
    with pytest.raises(errors.InputError, match="edges in memory, but these are a str"):
        found.report("edges.parquet")
    with pytest.raises(errors.InputError, match="may store an edge in both directions"):
        found.report(scipy.sparse.csr_array(np.eye(3)))
    with pytest.raises(errors.InputError, match="there are 1 weights and 3 edges"):
        found.report(([1, 2, 8], [2, 3, 9]), weight=[1])
    with pytest.raises(errors.InputError, match="count"):
        found.report(([1, 2, 8], [2, 3, 9])).components(-1)


NAMES = {"id": list(range(1, 9)), "name": list("abcdefgh")}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_weakest_rows_have_the_records_of_both_ends(make):
    frame = pd.DataFrame(PAIRS, columns=["src", "dst"]).assign(w=WEIGHTS)
    records = make({name: values + values[:1] for name, values in NAMES.items()})
    about = components(frame).report(frame, weight="w", records=records, on="id")
    rows = [row for row in expected(PAIRS, WEIGHTS) if row[-2] != -1]
    want = []
    for label, *_, row, weight in rows:
        ends = PAIRS[row]
        want.append((*ends, label, weight, row, *(NAMES["name"][end - 1] for end in ends)))
    found = about.weakest_rows()
    names = ["from", "to", "labels", "weight", "row", "from_name", "to_name"]
    assert columns_of(found) == names
    assert list(zip(*(values_of(found[name]) for name in names), strict=True)) == want
    assert values_of(about.weakest_rows(1)["from"]) == [want[0][0]]
    page = about.to_html()
    assert "the weakest rows of all components" in page
    assert '<th scope="col">from_name</th>' in page


def test_weakest_rows_without_records_and_of_composite_ids():
    src, dst = np.array([1, 4]), np.array([4, 9])
    found = components((src, dst)).report((src, dst), weight=np.array([0.5, 0.2])).weakest_rows()
    want = {"from": [4], "to": [9], "labels": [1], "weight": [0.2], "row": [1]}
    assert {name: column.tolist() for name, column in found.items()} == want
    rows = {"kind_l": ["u", "v"], "id_l": [1, 4], "kind_r": ["v", "w"], "id_r": [4, 1]}
    pairs = pd.DataFrame(rows).assign(w=[1, 2])
    sides = ["kind_l", "id_l"], ["kind_r", "id_r"]
    records = pd.DataFrame({"kind": list("uvw"), "id": [1, 4, 1], "name": list("abc")})
    about = components(pairs, *sides).report(pairs, *sides, weight="w", records=records)
    want = [["u", 1, "v", 4, 0, 1, 0, "a", "b"]]
    assert rows_of(about.weakest_rows()) == want


def test_records_that_are_refused():
    pairs, weights = ([1, 2], [2, 3]), np.array([3, 1])
    found = components(pairs)
    with pytest.raises(errors.InputError, match=r"which need weights: pass weight= to report\(\)"):
        found.report(pairs).weakest_rows()
    with pytest.raises(errors.InputError, match="weakest rows, which need weights: pass"):
        found.report(pairs, records=NAMES, on="id")
    with pytest.raises(errors.MissingColumnError, match="'vertex'"):
        found.report(pairs, weight=weights, records=NAMES)
    some = pd.DataFrame(NAMES)[:2]
    with pytest.raises(errors.InputError, match="1 of 2 vertices has no record in 'id': 3"):
        found.report(pairs, weight=weights, records=some, on="id").weakest_rows()


def test_components_of_one_vertex_have_no_weakest_row():
    about = components(([1], [1])).report(([1], [1]), weight=np.array([1.0]))
    assert len(about.weakest_rows()["from"]) == 0
    assert "the weakest rows" in about.to_html()
