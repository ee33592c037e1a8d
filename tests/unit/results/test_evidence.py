"""The path between two vertices with their records."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids import InputError, components

PAIRS = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 8], "score": [0.9, 0.6, 0.3]})
PEOPLE = pd.DataFrame(
    {"name": ["Al", "Bo", "Al again", "Cy"], "id": [2, 5, 2, 7]}, index=[3, 1, 4, 0]
)


def plain(value):
    return value.as_py() if isinstance(value, pa.Scalar) else value


def names(frame):
    return list(getattr(frame, "column_names", None) or getattr(frame, "columns", frame))


@pytest.fixture
def found(engine):
    return components(PAIRS, weight="score", forest="max", engine=engine)


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, pa.table, dict],
)
def test_the_path_is_turned_and_beside_its_records(found, make):
    evidence = found.explain_pair(7, 5, records=make(PEOPLE.to_dict("list")), on="id")
    assert len(evidence) == 2
    frame = evidence.frame
    assert names(frame) == ["from", "to", "weight", "row", "from_name", "to_name"]
    want = [[7, 2], [2, 5], [0.6, 0.9], [1, 0], ["Cy", "Al"], ["Al", "Bo"]]
    assert [list(map(plain, frame[name])) for name in names(frame)] == want


def test_relations_give_relations(found):
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    con.register("people", PEOPLE)
    con.register("pairs", PAIRS)
    by_edges = components(con.table("pairs"), weight="score", forest="max").explain_pair(7, 5)
    by_records = found.explain_pair(7, 5, records=con.table("people"), on="id")
    for evidence in (by_edges, by_records):
        assert isinstance(evidence.frame, duckdb.DuckDBPyRelation)
        rows = evidence.frame.project('"from", "to", weight, row').fetchall()
        assert rows == [(7, 2, 0.6, 1), (2, 5, 0.9, 0)]
        assert len(evidence) == 2
        assert "0.6" in evidence._repr_html_()


def test_answers_without_a_forest_need_edges(engine):
    found = components(PAIRS[["src", "dst"]], engine=engine)
    rows = found.explain_pair(5, 7, PAIRS, records=PEOPLE, on="id").frame
    assert rows["row"].tolist() == [0, 1]
    assert rows["to_name"].tolist() == ["Al", "Cy"]
    assert len(found.explain_pair((5,), 7, PAIRS)) == len(rows)
    assert len(found.explain_pair((7,), 7, PAIRS)) == len(found.explain_pair(7, 7, PAIRS)) == 0
    with pytest.raises(InputError, match=r"keeps no forest.*pass edges="):
        found.explain_pair(5, 7)
    with pytest.raises(InputError, match="7 and 9 are in two components"):
        found.explain_pair(7, 9, PAIRS)
    with pytest.raises(InputError, match="no path of these 2 edges joins the two vertices"):
        found.explain_pair(5, 7, PAIRS[1:])


def test_links_that_a_split_cut_are_no_evidence(engine):
    """1 to 6 are a chain of strong links; 9 is cut off, although it is a shorter way."""
    chain = {"src": [1, 2, 3, 4, 5, 1, 9], "dst": [2, 3, 4, 5, 6, 9, 6]}
    edges = pd.DataFrame(chain).assign(w=[0.9] * 5 + [0.5] * 2)
    tree = components(edges, weight="w", forest="max", engine=engine).dendrogram()
    for parts in (tree.split(6).parts, tree.at(0.8)):
        rows = [
            parts.explain_pair(1, 6).frame["row"],
            parts.explain_pair(1, 6, edges).frame["row"],
            parts.path(1, 6, edges, shortest=True)["row"],
            parts.path(1, 6, edges, weight=None, shortest=True)["row"],
        ]
        assert [row.tolist() for row in rows] == [[0, 1, 2, 3, 4]] * 4
        with pytest.raises(InputError, match="1 and 9 are in two components"):
            parts.explain_pair(1, 9, edges)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
@pytest.mark.parametrize("forest", [False, True])
def test_vertices_without_records_are_null_beside_the_columns_of_the_edges(make, forest):
    uses = {"who": ["a", "b", "b", "c"], "what": ["x", "x", "y", "y"], "row": [5, 6, 7, 8]}
    uses = make(uses | {"to": [None, "p", "q", None]})
    people = make({"who": ["c", "a", "b"], "age": [50, 30, 40]})
    found, ends = components(uses, "who", "what", forest=forest), ("who", "what")
    frame = found.explain_pair(
        "c", "a", uses, *ends, records=people, on="who", missing="null"
    ).frame
    assert names(frame) == ["from", "to", "row", "from_age", "to_age", "edge_row", "edge_to"]
    rows = [["c", "y", "b", "x"], ["y", "b", "x", "a"], [3, 2, 1, 0]]
    ages = [[50, None, 40, None], [None, 40, None, 30]]
    rows += [*ages, [8, 7, 6, 5], [None, "q", "p", None]]
    for name, right in zip(names(frame), rows, strict=True):
        shown = list(map(plain, frame[name]))
        assert [
            None if value is np.ma.masked or value != value else value for value in shown
        ] == right
    with pytest.raises(InputError, match="5 of 5 vertices have no record"):
        found.explain_pair("c", "a", uses, *ends, records={"who": ["z"]}, on="who", missing="null")


def test_columns_of_another_list_than_that_of_the_forest_are_left_out(found):
    other = PAIRS.assign(src=[2, 2, 9], dst=[5, 8, 8], note="x")
    assert "note" in names(found.explain_pair(2, 5, other[::-1]).frame)
    assert "note" not in names(found.explain_pair(5, 7, other).frame)


def test_a_graph_of_another_library_has_no_columns():
    graph = nx.Graph([(1, 2), (2, 3)])
    frame = components(graph, forest=True).explain_pair(1, 3, graph).frame
    assert names(frame) == ["from", "to", "row"]


def test_keys_of_several_columns():
    rows = {"kind_l": ["u", "v"], "id_l": [1, 4], "kind_r": ["v", "w"], "id_r": [4, 1]}
    found = components(pd.DataFrame(rows), ["kind_l", "id_l"], ["kind_r", "id_r"], forest=True)
    records = pd.DataFrame({"kind": list("uvw"), "id": [1, 4, 1], "name": list("abc")})
    frame = found.explain_pair(("w", 1), ("u", 1), records=records).frame
    assert frame["from_kind"].tolist() == ["w", "v"]
    assert frame["to_id"].tolist() == [4, 1]
    assert frame["to_name"].tolist() == ["b", "a"]


def test_what_is_refused(found):
    with pytest.raises(InputError, match="7 and 9 are in two components"):
        found.explain_pair(7, 9)
    with pytest.raises(InputError, match="2 of 3 vertices have no record in 'id': 7, 5"):
        found.explain_pair(7, 5, records=PEOPLE[:1], on="id")
    with pytest.raises(cc_rapids.UnknownVertexError):
        found.explain_pair(7, 6)
    with pytest.raises(cc_rapids.MissingColumnError, match="'vertex'"):
        found.explain_pair(7, 5, records=PEOPLE)


def test_the_page(found, tmp_path):
    records = PEOPLE.assign(name=["<Al>", "Bo", "", "Cy"])
    evidence = found.explain_pair(7, 5, records=records, on="id")
    assert "&lt;Al&gt;" in evidence._repr_html_()
    assert repr(evidence) == "<Evidence: 2 edges from 7 to 5>"
    evidence.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page == evidence.to_html()
    assert "Why 7 and 5 are in one component" in page
    assert "prefers-color-scheme:dark" in page
