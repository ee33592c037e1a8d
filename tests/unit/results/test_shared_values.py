"""The values that linked records share, against the comparison of every pair of records."""

from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.records import is_ignored, quick, records

import cc_rapids
from cc_rapids import InputError, errors, link_records

CARDS = {
    "id": ["a", "b", "c", "d", "b", "e"],
    "device": [1, 1, 2, 3, 1, 0],
    "card": ["x", "y", "y", "", None, "z"],
    "name": ["Ann", "Bob", "Cy", "Di", "Rob", "Eve"],
}
KEYS = ["device", "card"]
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "dict": dict}


def rows_of(frame):
    """The rows of a frame of any library as tuples."""
    if hasattr(frame, "_asdict"):
        frame = frame._asdict()
    if not isinstance(frame, dict):
        frame = pa.table(frame).to_pydict() if isinstance(frame, pa.Table) else frame
        frame = frame.to_dict("list") if isinstance(frame, pd.DataFrame) else frame
        frame = frame.to_dict(as_series=False) if isinstance(frame, pl.DataFrame) else frame
    return list(zip(*(np.asarray(column).tolist() for column in frame.values()), strict=True))


def agreements(columns, keys, ids):
    """A graph with an edge for each two ids that agree in a key."""
    graph = nx.Graph()
    graph.add_nodes_from(ids)
    for key in keys:
        names = key if isinstance(key, list) else [key]
        values = list(zip(*(columns[name] for name in names), strict=True))
        for (i, left), (j, right) in combinations(enumerate(values), 2):
            usable = all(part is not None and not is_ignored(part, [""]) for part in left)
            if usable and left == right and ids[i] != ids[j]:
                graph.add_edge(ids[i], ids[j])
    return graph


@pytest.mark.slow
@quick
@given(drawn=records(), spread=st.lists(st.integers(0, 9), min_size=14, max_size=14))
def test_articulation_points_and_paths_are_those_of_all_agreements(drawn, spread):
    columns, keys = drawn
    assume(any(columns.values()))
    ids = spread[: len(next(iter(columns.values())))]
    frame = pd.DataFrame({name: pd.Series(part, dtype=object) for name, part in columns.items()})
    frame["id"] = ids
    found, graph = link_records(frame, keys, id="id"), agreements(columns, keys, ids)
    points = found.articulation_points(frame)["vertex"].tolist()
    assert points == sorted(nx.articulation_points(graph))
    assert found.audit(frame).components == nx.number_connected_components(graph)
    first = ids[0]
    for last, steps in nx.single_source_shortest_path_length(graph, first).items():
        path = found.explain_pair(first, last, frame).frame
        assert len(path) == steps
        walk = [first, *path["to"].tolist()]
        assert walk[:-1] == path["from"].tolist()
        assert walk[-1] == last
        assert all(map(graph.has_edge, walk[:-1], walk[1:]))


@pytest.mark.parametrize("kind", FRAMES)
def test_an_entity_has_a_row_for_each_record_and_shared_value(kind, engine):
    frame = FRAMES[kind](CARDS)
    found = link_records(frame, KEYS, id="id", engine=engine)
    edges = [("a", "device", "1"), ("b", "device", "1"), ("b", "card", "y"), ("c", "card", "y")]
    assert rows_of(found.edges("a", frame)) == edges
    assert rows_of(found.edges("e", frame)) == []
    assert rows_of(found.articulation_points(frame)) == [("b",)]
    evidence = found.explain_pair("c", "a", frame)
    assert rows_of(evidence.frame) == [("c", "b", "card", "y"), ("b", "a", "device", "1")]
    assert repr(evidence) == "<Evidence: 2 links from 'c' to 'a'>"
    assert "a value that both records have" in evidence.to_html()
    shown = found.explain_pair("c", "a", frame, records=frame).frame
    assert rows_of(shown)[0] == ("c", "b", "card", "y", 2, "y", "Cy", 1, "y", "Bob")
    assert str(found.audit(frame)).startswith("right: 3 components of 5 vertices, by 12 edges")


def test_keys_and_ids_of_several_columns_and_positions():
    frame = pd.DataFrame(
        {
            "name": ["Al", "Al", "Bo", "Bo"],
            "born": pd.to_datetime(["1990-05-01"] * 2 + ["1991-01-01"] * 2),
            "kind": list("uvuv"),
            "number": [1, 1, 2, 3],
        }
    )
    found = link_records(frame, [["name", "born"], "number"], id=["kind", "number"])
    edges = found.edges(int(found.component_of(("u", 1))), frame)
    assert list(edges) == ["kind", "number", "key", "value"]
    assert edges["value"].tolist() == ["Al, 1990-05-01 00:00:00"] * 2 + ["1"] * 2
    assert edges["key"].tolist() == ["name, born"] * 2 + ["number"] * 2
    assert found.audit(frame).components == 2
    by_row = link_records(frame, ["number", "name"])
    path = by_row.explain_pair(2, 3, frame, records=frame).frame
    assert (path["from"].tolist(), path["to_kind"].tolist()) == ([2], ["v"])
    assert by_row.articulation_points(frame)["vertex"].tolist() == []
    assert by_row.audit(frame).vertices == 4


def test_limits_and_ignored_values_apply_again(tmp_path):
    frame = pd.DataFrame({"k": [7, 7, 7, 1, 1, 0, 0], "other": ["p", "q", "q", "p", "r", "s", "s"]})
    found = link_records(frame, ["k", "other"], max_group=2, ignore=["", 0])
    found.save(tmp_path / "found")
    found = cc_rapids.Components.load(tmp_path / "found")
    assert found.articulation_points(frame)["vertex"].tolist() == [3]
    assert found.edges(5, frame)["key"].tolist() == ["other", "other"]
    assert found.audit(frame).components == 3


def test_a_wrong_answer_and_another_frame_are_refused():
    frame = pd.DataFrame(CARDS)
    found = link_records(frame, KEYS, id="id")
    other = frame.assign(card=["x", "y", "v", "", "", "x"])
    with pytest.raises(errors.VerificationError):
        found.audit(other)
    for call in (found.articulation_points, lambda rows: found.explain_pair("a", "c", rows)):
        with pytest.raises(InputError, match="differ from those of the answer"):
            call(other)
    with pytest.raises(errors.UnknownVertexError, match="; link_records needs a frame with all"):
        found.edges("a", frame.assign(id="zz"))
    with pytest.raises(InputError, match="'a' and 'e' are in two entities"):
        found.explain_pair("a", "e", frame)
    with pytest.raises(InputError, match="the frame has 6 rows, but 5 records"):
        link_records(frame[1:], KEYS).articulation_points(frame)


def test_what_needs_pairs_names_the_way_for_records():
    frame = pd.DataFrame(CARDS)
    found = link_records(frame, KEYS, id="id")
    calls = {
        "explain_pair": lambda: found.path("a", "c"),
        r"explain_pair\(first, second, frame\)": lambda: found.path("a", "c", frame),
        "link_records keeps no forest": found.forest,
        r"articulation_points\(frame\) describe": lambda: found.report(frame),
        r"call its articulation_points\(records\)": lambda: cc_rapids.articulation_points(found),
    }
    for says, call in calls.items():
        with pytest.raises(InputError, match=says):
            call()


def test_an_entity_is_drawn_with_its_shared_values():
    frame = pd.DataFrame(CARDS)
    axes = link_records(frame, KEYS, id="id").plot("component", frame)
    assert axes.get_title() == "component a: 3 records, 2 shared values"
    assert {text.get_text() for text in axes.texts} == {"a", "b", "c", "device=1", "card=y"}
    assert sum(line.get_linestyle() == "-" for line in axes.lines) == 4


@pytest.mark.slow
def test_frames_that_link_other_records_are_refused():
    frame = pd.DataFrame({"id": list("abc"), "x": [1, 1, 2], "y": [8, 9, 9], "z": [5, 6, 5]})
    found = cc_rapids.link_records(frame, ["x", "y", "z"], id="id")
    assert len(found.explain_pair("a", "c", frame[::-1]).frame) == 1
    others = frame.assign(z=[5, 6, 7]), frame[:2], pd.concat([frame, frame[:1]])
    for other in others:  # the entity is the same without a link, but not its evidence
        for call in (found.articulation_points, lambda it: found.explain_pair("a", "b", it)):
            with pytest.raises(cc_rapids.InputError, match="pass the frame that was linked"):
                call(other)
