"""The answer as a container: counts, vertices, components, pairs, and the edges of a component."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.edge_kinds import EDGES

import cc_rapids
from cc_rapids import components, errors
from cc_rapids.results.answer import Answer

SRC, DST = [5, 2, 9, 11], [2, 7, 9, 9]
MEMBERS = {2: [2, 5, 7], 9: [9, 11]}
ROWS = {"src": [9, 5, 2, 11], "dst": [9, 2, 7, 9], "score": [0.1, 0.2, 0.3, 0.4]}
SEVERAL = {"a": ["u", "c"], "b": [7, 3], "c": ["c", "v"], "d": [3, -1]}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def listed(column):
    """A column of any library as a list."""
    if hasattr(column, "to_pylist"):
        return column.to_pylist()
    return list(column.tolist() if hasattr(column, "tolist") else column)


def asked(found):
    """Another way to the same: the members by a query for each label."""
    labels = found.sizes()["labels"] if not isinstance(found.sizes(), tuple) else found.sizes()[0]
    return {label: listed(found.subset(label)) for label in listed(labels)}


def test_counts(engine):
    found = components((SRC, DST), vertices=[100], engine=engine)
    assert (found.num_components, found.num_vertices, len(found)) == (3, 6, 3)
    assert (components(([], [])).num_components, components(([], [])).num_vertices) == (0, 0)


@pytest.mark.parametrize(
    ("vertex", "there"),
    [
        *((5, True), (np.int8(5), True), (6, False), (-5, False), (2**63, False), (10**30, False)),
        *(("5", False), (None, False), (5.0, False), (True, False), (b"5", False), ((5, 2), False)),
    ],
)
def test_in_says_whether_an_id_is_a_vertex(engine, vertex, there):
    assert (vertex in components((SRC, DST), engine=engine)) is there
    far = components((np.array([5, 2**62]), np.array([2, 7])), engine=engine)
    assert (vertex in far) is there
    assert vertex not in components(([], []), engine=engine)


def test_in_with_strings_and_several_columns():
    named = components((["ann", "bob"], ["bob", "cy"]))
    assert "cy" in named
    assert "dan" not in named
    assert "\ud800" not in named
    assert 5 not in named
    several = components(pd.DataFrame(SEVERAL), ["a", "b"], ["c", "d"])
    assert ("u", 7) in several
    assert ("u", 3) not in several
    assert "u" not in several
    assert () not in several


@pytest.mark.parametrize("many", [[5], np.array([5, 2]), pd.Series([5]), pd.DataFrame({"a": [5]})])
def test_in_is_for_one_vertex(many):
    with pytest.raises(errors.ArgumentTypeError, match=r"one vertex.*attach"):
        many in components((SRC, DST))  # noqa: B015


@pytest.mark.parametrize("rows", [1, 2, 4, 1 << 20])
@pytest.mark.parametrize("kind", ["min", "max", "dense", "size", "fingerprint"])
def test_iteration_yields_each_label_with_its_vertices(engine, tuned, rows, kind):
    tuned(iterated_rows=rows)
    src, dst = np.random.default_rng(3).integers(0, 60, (2, 40))
    found = components((src, dst), engine=engine, labels=kind)
    pairs = list(found)
    assert len(pairs) == len(found)
    assert all(type(label) is int for label, _ in pairs)
    assert {label: members.tolist() for label, members in pairs} == asked(found)
    least = [members[0] for _, members in pairs]
    assert least == sorted(least)


@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
def test_iteration_gives_the_columns_that_subset_gives(tuned, edges):
    tuned(iterated_rows=2)
    found = components(edges())
    for label, members in found:
        own = found.subset(label)
        assert type(members) is type(own)
        assert listed(members) == listed(own)
        if isinstance(own, pd.Series):
            pd.testing.assert_series_equal(members, own)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_iteration_over_ids_of_several_columns(make):
    found = components(make(SEVERAL), ["a", "b"], ["c", "d"])
    ((label, members),) = found
    assert label == 0
    assert type(members) is type(found.labels())
    assert members.shape == (3, 2)
    ((label, _),) = components(make(SEVERAL), ["a", "b"], ["c", "d"], labels="min")
    assert label == ("c", 3)


def test_iteration_asks_for_blocks_and_never_for_a_component(tuned, monkeypatch):
    n = 1000
    found = components((np.arange(n) * 2, np.arange(n) * 2 + 1))
    blocks = []
    frame = Answer.frame
    monkeypatch.setattr(Answer, "frame", lambda self, c: blocks.append(c) or frame(self, c))
    tuned(iterated_rows=500)
    assert sum(len(members) for _, members in found) == 2 * n
    assert len(blocks) == 2 * 4  # of vertices and of labels


def test_an_empty_answer_has_no_pairs():
    assert list(components(([], []))) == []


@pytest.mark.parametrize("far", [False, True])
def test_same_component_of_two_ids(engine, far):
    more = ([2**62], [2**61]) if far else ([], [])
    edges = np.array([*SRC, *more[0]]), np.array([*DST, *more[1]])
    found = components(edges, engine=engine)
    for a in (2, 5, 7, 9, 11):
        for b in (2, 5, 7, 9, 11):
            assert found.same_component(a, b) is (MEMBERS[2].count(a) == MEMBERS[2].count(b))
    with pytest.raises(errors.UnknownVertexError, match="8"):
        found.same_component(5, 8)
    assert found.same_component(5, 8, missing="false") is False
    assert found.same_component(8, 8, missing="false") is False
    with pytest.raises(errors.InputError, match="kind"):
        found.same_component("5", 5)
    with pytest.raises(errors.InputError, match="missing"):
        found.same_component(5, 2, missing="null")
    with pytest.raises(errors.ArgumentTypeError, match=r"second .*one id.*connected\(\)"):
        found.same_component(5, [2])
    with pytest.raises(errors.ArgumentTypeError, match="first"):
        found.same_component(5.5, 2)


def test_same_component_of_tuples_and_of_nothing():
    several = components(pd.DataFrame(SEVERAL), ["a", "b"], ["c", "d"])
    assert several.same_component(("u", 7), ("v", -1)) is True
    assert components(([], [])).same_component(1, 1, missing="false") is False


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_connected_answers_for_many_pairs(engine, make):
    found = components((SRC, DST), engine=engine)
    pairs = make({"src": [5, 5, 9], "dst": [7, 9, 9]})
    answers = found.connected(pairs)
    assert listed(answers) == [True, False, True]
    assert type(answers).__module__.partition(".")[0] == type(pairs).__module__.partition(".")[0]
    seen = cc_rapids.Connectivity(engine=engine).insert((SRC, DST))
    assert listed(seen.connected(pairs)) == listed(answers)
    assert found.connected(([5, 1], [7, 9]), missing="false").tolist() == [True, False]
    with pytest.raises(errors.UnknownVertexError, match="1 of 2"):
        found.connected(([5, 1], [7, 9]))
    with pytest.raises(errors.NullsError, match="fill"):
        found.connected(pl.DataFrame({"src": [5, None], "dst": [7, 9]}))


def test_connected_keeps_the_index_and_takes_what_components_takes():
    found = components((SRC, DST))
    pairs = pd.DataFrame({"a": [5, 5], "b": [7, 9]}, index=["x", "y"])
    assert found.connected(pairs, "a", "b").to_dict() == {"x": True, "y": False}
    assert found.connected(np.array([[5, 7], [5, 9], [2, 5]])).tolist() == [True, False, True]
    assert found.connected(([], [])).tolist() == []
    assert components(([], [])).connected(([1], [1]), missing="false").tolist() == [False]


@pytest.mark.parametrize("two", [(5, 7), ("ann", "bob"), (("u", 7), ("c", 3))])
@pytest.mark.parametrize("which", ["answer", "batches"])
def test_connected_of_two_ids_names_same_component(which, two):
    own = components if which == "answer" else lambda *rows: cc_rapids.Connectivity().insert(*rows)
    found = own((SRC, DST))
    if isinstance(two[0], tuple):
        found = own(pd.DataFrame(SEVERAL), ["a", "b"], ["c", "d"])
    for call in (lambda: found.connected(*two), lambda: found.connected(two)):
        with pytest.raises(errors.ArgumentTypeError, match=r"same_component\(first, second\)"):
            call()


def test_batches_answer_for_two_ids_too():
    seen = cc_rapids.Connectivity().insert(pd.DataFrame(SEVERAL), ["a", "b"], ["c", "d"])
    assert seen.same_component(("u", 7), ("v", -1)) is True
    assert seen.same_component(("u", 7), ("v", 5), missing="false") is False
    with pytest.raises(errors.UnknownVertexError, match="v"):
        seen.same_component(("u", 7), ("v", 5))
    with pytest.raises(errors.InputError, match="column"):
        seen.same_component("u", "v")
    with pytest.raises(errors.ArgumentTypeError, match="one id"):
        seen.same_component([1], [2])
    with pytest.raises(errors.InputError, match="empty tuple"):
        seen.same_component((), ())


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_edges_of_a_component_are_its_rows(engine, make):
    frame = make(ROWS)
    found = components(frame, engine=engine)
    for label, rows in ((2, [1, 2]), (9, [0, 3])):
        part = found.edges(label, frame)
        assert type(part) is type(frame)
        for name, values in ROWS.items():
            assert listed(part[name]) == [values[row] for row in rows]
    assert listed(make(ROWS)["src"]) == listed(frame["src"])


def test_edges_keep_the_index_and_the_order():
    frame = pd.DataFrame(ROWS, index=list("wxyz"))
    assert components(frame).edges(9, frame).index.tolist() == ["w", "z"]


def test_edges_with_labels_of_any_kind():
    frame = pd.DataFrame(ROWS)
    found = components(frame, labels="size")
    assert found.edges(0, frame)["src"].tolist() == [5, 2]
    assert found.edges(1, frame)["src"].tolist() == [9, 11]


def test_edges_of_arrays_and_mappings():
    src, dst = np.array(ROWS["src"]), np.array(ROWS["dst"])
    found = components((src, dst))
    part = found.edges(2, (src, dst))
    assert [side.tolist() for side in part] == [[5, 2], [2, 7]]
    assert found.edges(2, (ROWS["src"], ROWS["dst"])) == ([5, 2], [2, 7])
    rows = np.stack([src, dst], axis=1)
    assert found.edges(2, rows).tolist() == [[5, 2], [2, 7]]
    assert found.edges(2, rows.T).tolist() == [[5, 2], [2, 7]]
    assert found.edges(2, ROWS) == {name: values[1:3] for name, values in ROWS.items()}
    series = pd.Series(ROWS["src"]), pd.Series(ROWS["dst"])
    assert [side.index.tolist() for side in found.edges(2, series)] == [[1, 2], [1, 2]]
    chunks = pa.chunked_array([ROWS["src"]]), pa.chunked_array([ROWS["dst"]])
    assert [side.to_pylist() for side in found.edges(2, chunks)] == [[5, 2], [2, 7]]
    lazy = pl.LazyFrame(ROWS)
    assert found.edges(2, lazy)["src"].to_list() == [5, 2]


def test_edges_with_nulls_or_strangers_belong_to_no_component():
    frame = pl.DataFrame({"src": [5, None, 2, 100], "dst": [2, 7, 7, 2], "row": [0, 1, 2, 3]})
    found = components(frame[:3], nulls="drop")
    assert found.edges(2, frame)["row"].to_list() == [0, 2]


def test_edges_of_several_columns_and_strings():
    frame = pa.table(SEVERAL | {"row": [0, 1]})
    found = components(frame, ["a", "b"], ["c", "d"])
    assert found.edges(0, frame, ["a", "b"], ["c", "d"])["row"].to_pylist() == [0, 1]
    found = components(frame, ["a", "b"], ["c", "d"], labels="min")
    assert found.edges(("c", 3), frame, ["a", "b"], ["c", "d"])["row"].to_pylist() == [0, 1]
    views = pa.table({"src": ["a", "x"], "dst": ["b", "y"]}).cast(
        pa.schema([("src", pa.string_view()), ("dst", pa.string_view())])
    )
    assert components(views).edges("x", views).to_pydict() == {"src": ["x"], "dst": ["y"]}


def test_edges_refuses_what_has_no_rows(tmp_path):
    found = components((SRC, DST))
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\n5,2\n")
    import scipy.sparse

    for strange in (path, str(path), iter([(SRC, DST)]), scipy.sparse.eye(3), ["a", "b"], 7, None):
        with pytest.raises(errors.InputError, match=r"no rows|edges"):
            found.edges(2, strange)
    with pytest.raises(errors.InputError, match="not a label"):
        found.edges(4, (SRC, DST))
    with pytest.raises(errors.InputError, match="kind"):
        found.edges(2, (["a"], ["b"]))
    with pytest.raises(errors.MissingColumnError, match="'from'"):
        found.edges(2, pd.DataFrame(ROWS), "from", "to")
    with pytest.raises(errors.ColumnTypeError, match="float"):
        found.edges(2, pd.DataFrame(ROWS), "score", "dst")


def test_no_edges_of_an_empty_answer():
    with pytest.raises(errors.InputError, match="not a label"):
        components(([], [])).edges(1, ([], []))
