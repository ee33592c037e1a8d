"""What is asked of an answer: by vertex, by component and by size, for every kind of caller."""

from collections import Counter
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.as_lists import columns
from support.edge_lists import components_of, edge_lists, far_lists, quick

from cc_rapids import Connectivity, components, errors, link_records
from cc_rapids.errors import InputError, UnknownVertexError

SRC, DST = [5, 2, 9, 3, 11], [2, 7, 9, 4, 3]  # 2: 2 5 7, 3: 3 4 11, 9: 9
WORDS = [[f"w{v:02}" for v in side] for side in (SRC, DST)]
KINDS = {
    "arrays": lambda src, dst: (np.array(src), np.array(dst)),
    "pandas": lambda src, dst: pd.DataFrame({"src": src, "dst": dst}),
    "polars": lambda src, dst: pl.DataFrame({"src": src, "dst": dst}),
    "pyarrow": lambda src, dst: pa.table({"src": src, "dst": dst}),
}


@pytest.fixture(params=KINDS)
def make(request):
    return KINDS[request.param]


def values(column):
    """A column of any kind as a list."""
    return (
        column.to_pylist()
        if hasattr(column, "to_pylist")
        else column.tolist()
        if hasattr(column, "tolist")
        else column.to_list()
    )


def test_component_of_integers(make, engine):
    found = components(make(SRC, DST), engine=engine)
    assert found.component_of(7) == 2
    assert type(found.component_of(7)) is int
    assert values(found.component_of([9, 11, 5, 11])) == [9, 3, 2, 3]
    assert values(found.component_of(np.array([4, 7], np.uint64))) == [3, 2]
    assert values(found.component_of(np.array([], np.int8))) == []


def test_component_of_strings(make, engine):
    found = components(make(*WORDS), engine=engine)
    assert found.component_of("w07") == "w02"
    assert values(found.component_of(["w09", "w11"])) == ["w09", "w03"]
    assert components(make(*WORDS), labels="dense").component_of("w11") == 1


@pytest.mark.parametrize(("kind", "labels"), [("dense", [2, 1, 0]), ("size", [2, 1, 0])])
def test_component_of_in_numbers(make, kind, labels):
    found = components(make(SRC, DST), labels=kind)
    assert values(found.component_of([9, 11, 5])) == labels


@pytest.mark.parametrize(
    "strange", [[1], [6], [-3], [2**40], [2**64 - 1], [-(2**63)], [2, 8, 10, 1, 12]]
)
def test_unknown_vertices_are_counted_and_named(engine, strange):
    found = components((SRC, DST), engine=engine)
    count = len(set(strange) - {2})
    with pytest.raises(errors.UnknownVertexError) as raised:
        found.component_of(np.array(strange))
    says = str(raised.value)
    assert f"{count} of {len(strange)} id" in says
    assert str(strange[-1 if count == 1 else 1]) in says
    assert "vertices=" in says
    assert isinstance(raised.value, KeyError)


def test_unknown_words_are_named(engine):
    found = components(tuple(WORDS), engine=engine)
    with pytest.raises(errors.UnknownVertexError, match=r"1 of 2 ids in 'vertices' .* zebra"):
        found.component_of(["w02", "zebra"])
    with pytest.raises(errors.InputError, match="'vertices' is int64, but the vertices are"):
        found.component_of(2)


@quick
@given(edge_lists() | far_lists(), st.integers(0, 3))
def test_component_of_every_vertex(edges, seed):
    parts = components_of(*(column.tolist() for column in edges))
    found = components(edges)
    asked = np.random.default_rng(seed).permutation(np.array(list(parts), edges[0].dtype))
    assert values(found.component_of(asked)) == [min(parts[v]) for v in asked.tolist()]
    everyone = found.labels().vertex
    near = {int(v) + d for v in everyone for d in (-1, 1)} - set(parts)
    kind = np.iinfo(everyone.dtype)
    for v in sorted(near)[:5]:
        if kind.min <= v <= kind.max:
            with pytest.raises(errors.UnknownVertexError):
                found.component_of(np.array([v], everyone.dtype))


def test_every_way_of_numbering_finds_its_vertices(engine, way):
    found = components((SRC, DST), vertices=[20], engine=engine)
    assert values(found.component_of([20, 11, 9, 7])) == [20, 3, 9, 2]
    with pytest.raises(errors.UnknownVertexError, match="2 of 3"):
        found.component_of([1, 20, 21])


def test_component_of_rows(engine):
    edges = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": ["y", "z"], "d": [7, -3]})
    numbered = components(edges, ["a", "b"], ["c", "d"], engine=engine)
    assert numbered.component_of(("y", 7)) == 0
    assert values(numbered.component_of([["z", "y"], [-3, 2]])) == [1, 1]
    assert columns(numbered.subset(1)) == [["y", "z"], [2, -3]]
    found = components(edges, ["a", "b"], ["c", "d"], engine=engine, labels="min")
    assert found.component_of(("y", 7)) == ("x", 1)
    assert columns(found.component_of([["z", "y"], [-3, 2]])) == [["y", "y"], [2, 2]]
    assert columns(found.subset(("y", 2))) == [["y", "z"], [2, -3]]
    with pytest.raises(errors.UnknownVertexError, match=r"1 of 1 .*\('x', 7\)"):
        found.component_of(("x", 7))
    frame = pd.DataFrame({"p": ["z"], "q": [-3]})
    assert columns(found.attach(frame, on=["p", "q"])) == [["z"], [-3], ["y"], [2]]


FRAMES = {kind: KINDS[kind] for kind in ("pandas", "polars", "pyarrow")}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_attach_to_edges_and_to_vertices(make, frame, engine):
    found = components(make(SRC, DST), engine=engine)
    edges = frame(SRC, DST)
    ends = [columns(found.attach(edges, on=end))[2] for end in ("src", "dst")]
    assert ends == [[2, 2, 9, 3, 3]] * 2
    attached = found.attach(edges, on="dst", name="group")
    assert type(attached) is type(edges)
    assert columns(edges) == [SRC, DST]
    assert columns(found.attach(frame([7, 9], [0, 0]), on="src", missing="null"))[2] == [2, 9]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_attach_words(make, frame):
    found = components(make(*WORDS))
    assert columns(found.attach(frame(*WORDS), on="src"))[2] == ["w02", "w02", "w09", "w03", "w03"]
    sizes = components(make(*WORDS), labels="size").attach(frame(*WORDS), on="dst")
    assert columns(sizes)[2] == [0, 0, 2, 1, 1]


def test_attach_keeps_the_index_and_the_order():
    edges = pd.DataFrame({"src": SRC, "dst": DST}, index=list("edcba"))
    attached = components(edges).attach(edges, on="src")
    assert attached["labels"].to_dict() == {"e": 2, "d": 2, "c": 9, "b": 3, "a": 3}
    assert list(attached.index) == list("edcba")


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_attach_says_which_vertices_are_missing_or_leaves_nulls(frame):
    found = components((SRC, DST))
    with pytest.raises(errors.UnknownVertexError, match=r"1 of 3 ids in 'src' .* 8"):
        found.attach(frame([7, 8, 9], [0, 0, 0]), on="src")
    attached = found.attach(frame([7, 8, 9], [0, 0, 0]), on="src", missing="null")["labels"]
    assert [None if value is pd.NA else value for value in values(attached)] == [2, None, 9]
    if isinstance(attached, pd.Series):
        assert attached.dtype == "Int64"


def test_attach_refuses_what_it_cannot_do():
    found, frame = components((SRC, DST)), pd.DataFrame({"v": [7], "labels": [0]})
    with pytest.raises(errors.MissingColumnError, match=r"no column 'vertex' .* v, labels.*on="):
        found.attach(frame)
    with pytest.raises(errors.InputError, match="has a column 'labels' already: pass name="):
        found.attach(frame, on="v")
    with pytest.raises(errors.InputError, match="missing, 'no': one of null, raise, self"):
        found.attach(frame, on="v", missing="no")


def test_filter_by_size(make, engine):
    found = components(make(SRC, DST), engine=engine)
    assert columns(found.filter(min_size=2)) == [[2, 3, 4, 5, 7, 11], [2, 3, 3, 2, 2, 3]]
    assert columns(found.filter(max_size=1)) == [[9], [9]]
    assert columns(found.filter(2, 2)) == [[], []]
    assert columns(found.filter()) == columns(found.labels())
    assert columns(found.sizes(min_size=2)) == [[2, 3], [3, 3]]
    assert columns(found.sizes(1, min_size=2)) == [[2], [3]]
    assert columns(found.sizes(max_size=1)) == [[9], [1]]
    assert type(found.filter(9)) is type(found.labels())


def test_subset(make, engine):
    found = components(make(SRC, DST), engine=engine)
    assert values(found.subset(3)) == [3, 4, 11]
    assert values(components(make(*WORDS)).subset("w02")) == ["w02", "w05", "w07"]
    assert values(components(make(SRC, DST), labels="size").subset(2)) == [9]
    assert values(components(make(SRC, DST), labels="dense").subset(1)) == [3, 4, 11]
    assert values(components(make(SRC, DST), labels="max").subset(11)) == [3, 4, 11]


def test_members_are_the_lists_of_the_components(make, engine):
    found = components(make(SRC, DST), engine=engine)
    assert columns(found.members()) == [[2, 2, 2, 3, 3, 3, 9], [2, 5, 7, 3, 4, 11, 9]]
    owned = components(make(*WORDS), labels="max").members()
    assert columns(owned) == [
        ["w07"] * 3 + ["w11"] * 3 + ["w09"],
        ["w02", "w05", "w07", "w03", "w04", "w11", "w09"],
    ]


@pytest.mark.parametrize(
    ("kind", "label"), [("min", 5), ("min", 6), ("max", 3), ("dense", 3), ("size", -1)]
)
def test_labels_that_are_none(engine, kind, label):
    found = components((SRC, DST), labels=kind, engine=engine)
    with pytest.raises(errors.InputError, match=f"{label} is not a label of these 3 components"):
        found.subset(label)


def test_representatives_are_least_ids_or_have_the_best_score(make, engine):
    found = components(make(SRC, DST), engine=engine)
    assert columns(found.representatives()) == [[2, 3, 9], [2, 3, 9]]
    by = pd.DataFrame({"vertex": [2, 5, 7, 11, 4, 9], "score": [1.5, 7.0, 7.0, np.nan, -1, 0]})
    assert columns(found.representatives(by)) == [[5, 4, 9], [2, 3, 9]]
    assert columns(found.representatives(by, ascending=True)) == [[2, 4, 9], [2, 3, 9]]
    assert columns(found.representatives(([7, 100], [3, 9])))[0] == [7, 3, 9]
    assert columns(found.representatives((np.array([7, 5]), [2**62 + 1, 2**62])))[0] == [7, 3, 9]


def test_scores_of_other_shapes_are_refused():
    found = components((SRC, DST))
    with pytest.raises(errors.InputError, match="by= has 2 vertices and 1 scores"):
        found.representatives(([2, 5], [1]))
    with pytest.raises(errors.InputError, match="this frame has a, b"):
        found.representatives(pd.DataFrame({"a": [1], "b": [2]}))


def test_size_histogram(make, engine):
    found = components(make(SRC, DST), engine=engine)
    assert columns(found.size_histogram()) == [[1, 3], [1, 2]]


def test_an_empty_answer(make, engine):
    found = components(make([], []), engine=engine)
    assert columns(found.filter()) == columns(found.representatives()) == [[], []]
    assert columns(found.size_histogram()) == [[], []]
    assert values(found.component_of(np.array([], int))) == []
    with pytest.raises(errors.UnknownVertexError, match="1 of 1"):
        found.component_of(1)


@quick
@given(edge_lists(), st.integers(0, 5), st.integers(0, 5))
def test_definitions_in_plain_python(edges, low, more):
    parts = components_of(*(column.tolist() for column in edges))
    found = components(edges)
    stay = [v for v, part in parts.items() if low <= len(part) <= low + more]
    assert columns(found.filter(low, low + more))[0] == stay
    counts = Counter(len(part) for part in {min(part): part for part in parts.values()}.values())
    assert columns(found.size_histogram()) == [
        sorted(counts),
        [counts[size] for size in sorted(counts)],
    ]
    for least in {min(part) for part in parts.values()}:
        assert values(found.subset(least)) == sorted(parts[least])


LISTS = {"integers": ([1], [2]), "strings": (["b"], ["a"])}


@pytest.mark.parametrize("sides", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize(
    "none", [[], np.array([]), pd.Series([], dtype=object), pl.Series([]), pa.chunked_array([[]])]
)
def test_no_ids_have_no_labels(make, engine, sides, none):
    found = components(make(*sides), engine=engine)
    labels, usual = found.component_of(none), found.component_of(list(sides[0]))
    assert values(labels) == []
    assert type(labels) is type(usual)
    assert getattr(labels, "dtype", None) == getattr(usual, "dtype", None)
    assert columns(found.representatives(by=([], []))) == columns(found.representatives())
    attached = found.attach(pd.DataFrame({"vertex": pd.Series([], dtype=object)}))
    assert columns(attached) == [[], []]


@pytest.mark.parametrize("sizes", [(None,), ("2",), (1, "9"), ([1],), (2.0,)])
def test_sizes_that_are_no_integers_are_refused(sizes):
    found = components((SRC, DST))
    named = dict(zip(("min_size", "max_size"), sizes, strict=False))
    for call in (found.filter, found.sizes):
        with pytest.raises(errors.InputError, match="size must be a number of vertices, not "):
            call(**named)


def test_unknown_ids_of_frames_get_the_policy_that_keeps_them():
    found = components(([11], [13]))
    docs = pd.DataFrame({"doc": [11, 17]})
    for call in (found.attach, partial(found.deduplicate, missing="raise")):
        with pytest.raises(UnknownVertexError, match=r"1 of 2 ids in 'doc' .*: 17; missing='self'"):
            call(docs, on="doc")
    with pytest.raises(UnknownVertexError, match="missing='null' gives them null labels"):
        found.attach(docs, on="doc", nulls="null")
    with pytest.raises(UnknownVertexError, match=r"17; attach\(.*\.\.\., vertices=\) includes"):
        found.component_of(17)
    named = link_records(pd.DataFrame({"id": [7], "email": ["a"]}), ["email"], id="id")
    for call in (named.component_of, lambda ids: named.attach(pd.DataFrame({"id": ids}))):
        with pytest.raises(UnknownVertexError, match=r"17; .*link_records needs a frame"):
            call([17])
    people = pd.DataFrame({"email": ["a", "b", "a"], "id": [7, 8, 9]})
    with pytest.raises(UnknownVertexError, match=r"linked by their positions: .*records\(.*id=\)"):
        link_records(people, ["email"]).attach(people, on="id")
    with pytest.raises(UnknownVertexError, match="missing='self'"):
        link_records(people, ["email"], id="id").attach(people.assign(id=[7, 8, 5]))


def test_labels_of_another_kind_are_called_labels():
    found = components(([100], [200]))
    for call in (found.subset, lambda label: found.edges(label, ([100], [200]))):
        with pytest.raises(InputError, match=r"^'100' cannot be a label .* labels are int64"):
            call("100")
    with pytest.raises(InputError, match=r"^7 is not a label of the only component "):
        found.subset(7)
    frame = pd.DataFrame({"k": ["u"], "i": [1], "l": ["u"], "j": [2]})
    with pytest.raises(InputError, match=r"^\('u', 1\) is not a label .* of kind 'dense'"):
        components(frame, ["k", "i"], ["l", "j"]).subset(("u", 1))
    both = components(frame, ["k", "i"], ["l", "j"], labels="min")
    with pytest.raises(InputError, match=r"^\('u', 9\) is not a label"):
        both.subset(("u", 9))
    with pytest.raises(InputError, match="'u' cannot be a label of this answer"):
        both.subset("u")
    with pytest.raises(UnknownVertexError, match=r"1 of 1 id in 'second' is not a vertex"):
        Connectivity().insert(frame, ["k", "i"], ["l", "j"]).same_component(("u", 1), ("w", 5))


def test_pairs_may_be_a_list_of_pairs():
    for asked in (components([(1, 2)]), Connectivity().insert([(1, 2)])):
        assert asked.connected([(1, 2), (2, 1)]).tolist() == [True, True]
        assert asked.connected([]).tolist() == []
