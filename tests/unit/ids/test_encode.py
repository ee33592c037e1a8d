"""Ids of every kind and any distance: each way of numbering gives the same answer."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.as_lists import columns
from support.choices import some
from support.edge_lists import ENDS, check, components_of, far_lists, quick
from support.machine import SIMULATED
from support.refusals import refused

import cc_rapids
from cc_rapids import backends, errors
from cc_rapids.algorithms.auto import ONE_LAUNCH_RULE
from cc_rapids.data.read import read as read_edges
from cc_rapids.graph.forest import Forest
from cc_rapids.ids import encode, hash_table
from cc_rapids.solver.choose import SCAN_BYTES


@quick
@given(far_lists())
def test_ids_from_anywhere_in_64_bits(edges):
    found = cc_rapids.components(edges)
    check(found, components_of(*(column.tolist() for column in edges)))
    assert found.labels().vertex.dtype == edges[0].dtype


@pytest.mark.parametrize("seed", range(8))
def test_every_way_gives_the_same_answer(engine, way, seed):
    random = np.random.default_rng(seed)
    low = [0, -500, 10**12, -(2**63)][seed % 4]
    edges = tuple(low + random.integers(0, 900, (2, 400), dtype=np.int64))
    others = low + random.integers(0, 900, 20)
    found = cc_rapids.components(edges, vertices=others, engine=engine)
    check(found, components_of(*(column.tolist() for column in (*edges, others))))


@pytest.mark.parametrize("named", [range(5, 90, 7), range(90, 5, -7), range(0), range(-3, 4)])
def test_every_way_takes_vertices_as_a_range(engine, way, named):
    edges = np.array([10, 40, 40]), np.array([12, 41, 40])
    found = cc_rapids.components(edges, vertices=named, engine=engine)
    check(found, components_of(*map(np.ndarray.tolist, edges), named))


def test_every_way_takes_an_empty_list(engine, way):
    found = cc_rapids.components((np.array([], int), np.array([], int)), engine=engine)
    assert len(found) == 0
    assert columns(found.labels()) == [[], []]


@pytest.mark.parametrize(
    ("dtypes", "ids"),
    [
        (("i4", "i8"), ([1, -2, 2**31 - 1], [2**40, -2, 5])),
        (("u4", "i8"), ([2**32 - 1, 7, 7], [2**62, 2**32 - 1, 8])),
        (("u8", "i8"), ([2**64 - 1, 5, 0], [5, 2**63 - 1, 1])),
        (("u8", "u8"), ([2**64 - 1, 2**64 - 1, 0], [0, 2**63, 0])),
        (("i1", "u8"), ([3, 4, 5], [2**64 - 1, 3, 5])),
    ],
)
def test_sides_of_different_types(engine, dtypes, ids):
    edges = tuple(np.array(side, dtype) for side, dtype in zip(ids, dtypes, strict=True))
    check(cc_rapids.components(edges, engine=engine), components_of(*ids))


@pytest.mark.parametrize("about", [1, 20, 60])
def test_a_table_that_is_too_small_grows(engine, on, monkeypatch, caplog, about):
    monkeypatch.setattr(type(on), "in_one_launch", False)
    monkeypatch.setattr(hash_table, "_estimate_ids", lambda columns, engine: about)
    caplog.set_level("INFO", "cc_rapids")
    random = np.random.default_rng(3)
    edges = tuple(random.integers(-(2**62), 2**62, 800)[random.integers(0, 800, (2, 1000))])
    check(cc_rapids.components(edges, engine=engine), components_of(*map(np.ndarray.tolist, edges)))
    assert "growing it to" in caplog.text


def test_a_table_that_cannot_grow_is_refused(on, monkeypatch):
    monkeypatch.setattr(type(on), "in_one_launch", False)
    monkeypatch.setattr(hash_table, "_estimate_ids", lambda columns, engine: 1)
    edges = np.arange(500) * 2**50, np.arange(500) * 2**50 + 1
    answers = iter([on.free_bytes(), 1000])
    monkeypatch.setattr(type(on), "free_bytes", lambda self: next(answers))
    with pytest.raises(cc_rapids.CapacityError, match="full and would grow to 64 slots"):
        cc_rapids.components(edges, engine=on.name)


@some("different", [1, 1000, 30_000, 300_000], usual=[1000, 300_000])
def test_the_number_of_different_ids_is_estimated_closely(on, different):
    rows = 100_000 if SIMULATED else 400_000
    column = on.asarray((np.arange(rows) % different) * 10**12 - 2**60)
    expected = pytest.approx(min(different, rows), rel=0.03, abs=1)
    assert hash_table._estimate_ids([column], on) == expected


def test_hashed_ids_take_no_memory_for_their_span(on):
    edges = np.array([2**62, -5, 2**61]), np.array([-5, 2**40, 9])
    found = cc_rapids.components(edges, engine=on.name)
    assert found.labels().vertex.tolist() == sorted({*edges[0].tolist(), *edges[1].tolist()})


ROWS = [("a", 3, "x", 1), ("a", 3, "y", 0), ("b", -7, "b", 2), ("y", 0, "z", 9), ("a", 2, "a", 2)]


def expected(rows, digits):
    """Labels of rows by NetworkX: the vertex, then the least member, column by column."""
    left = [row[:digits] for row in rows]
    right = [row[digits:] for row in rows]
    parts = components_of(left, right)
    return [[*zip(*parts, strict=True)], [*zip(*map(min, parts.values()), strict=True)]]


def dense(least):
    """Numbers of rows of least members, in their order."""
    rows = [*zip(*least, strict=True)]
    return [sorted(set(rows)).index(row) for row in rows]


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_several_columns_are_one_vertex(engine, make):
    names = ["kind", "number", "other_kind", "other_number"]
    edges = make(dict(zip(names, map(list, zip(*ROWS, strict=True)), strict=True)))
    found = cc_rapids.components(edges, names[:2], names[2:], engine=engine)
    labels = columns(found.labels("min"))
    vertex, least = expected(ROWS, 2)
    assert [tuple(column) for column in labels] == [*vertex, *least]
    frame = found.labels("dense")
    names = list(getattr(frame, "column_names", None) or frame.columns)
    assert names == ["kind", "number", "labels"]
    assert columns(frame)[2] == dense(least)


@settings(quick, max_examples=40)
@given(st.lists(st.tuples(*[st.sampled_from(ENDS)] * 6), max_size=20))
def test_several_columns_of_far_integers(rows):
    frame = pd.DataFrame(rows, columns=list("abcdef"), dtype="int64")
    found = cc_rapids.components(frame, ["a", "b", "c"], ["d", "e", "f"])
    vertex, least = expected(rows, 3) if rows else ([[]] * 3, [[]] * 3)
    labels = columns(found.labels("min"))
    assert [tuple(column) for column in labels] == [*map(tuple, vertex + least)]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_vertices_of_several_columns(engine, make):
    edges = make({"a": ["x"], "b": [1], "c": ["y"], "d": [2]})
    more = make({"kind": ["x", "w"], "number": [2, -9]})
    found = cc_rapids.components(edges, ["a", "b"], ["c", "d"], vertices=more, engine=engine)
    assert columns(found.labels()) == [["w", "x", "x", "y"], [-9, 1, 2, 2], [0, 1, 2, 1]]


def test_an_empty_frame_of_several_columns(engine):
    edges = pd.DataFrame({name: pd.Series([], dtype="int64") for name in "abcd"})
    found = cc_rapids.components(edges, ["a", "b"], ["c", "d"], engine=engine)
    assert (len(found), columns(found.labels())) == (0, [[], [], []])


def test_several_columns_that_do_not_fit_together_are_refused():
    edges = pd.DataFrame({"a": [1], "b": ["x"], "c": [2], "d": ["y"], "e": [0.5]})
    refused(errors.InputError, edges, "names 2 columns", "1", source=["a", "b"], destination="c")
    refused(errors.MissingColumnError, edges, "'f'", source=["a", "f"], destination=["c", "d"])
    refused(errors.ColumnTypeError, edges, "'a'", "'d'", source=["a", "b"], destination=["d", "c"])
    refused(errors.ColumnTypeError, edges, "'e'", source=["a", "e"], destination=["c", "c"])
    refused(errors.InputError, edges, "both 'a', 'b'", source=["a", "b"], destination=["a", "b"])
    several = {"source": ["a", "b"], "destination": ["c", "d"]}
    refused(errors.InputError, edges, "3 columns", vertices=[[1], [2], [3]], **several)
    refused(errors.InputError, edges, "num_vertices", "2 columns", num_vertices=5, **several)
    refused(errors.ColumnTypeError, edges, "vertices", vertices=[[1], [2]], **several)


def test_nulls_in_any_of_several_columns_are_dropped():
    edges = pl.DataFrame({"a": [1, 2], "b": [None, "x"], "c": [3, 4], "d": ["y", "z"]})
    found = cc_rapids.components(edges, ["a", "b"], ["c", "d"], nulls="drop")
    assert found.summary()["dropped"] == 1
    assert columns(found.labels()) == [[2, 4], ["x", "z"], [0, 0]]


CATEGORIES = {
    "pandas": lambda values, kinds: pd.Series(pd.Categorical(values, categories=kinds)),
    "pandas ordered": lambda values, kinds: pd.Series(pd.Categorical(values, kinds, ordered=True)),
    "polars": lambda values, kinds: pl.Series(values, dtype=pl.Categorical),
    "polars enum": lambda values, kinds: pl.Series(values, dtype=pl.Enum(kinds)),
    "pyarrow": lambda values, kinds: pa.chunked_array([pa.array(values).dictionary_encode()]),
}


@pytest.mark.parametrize("make", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_are_their_values_and_stay_categories(engine, make):
    kinds = ["m", "c", "b", "a", "unused"]
    sides = make(["b", "m", "c"], kinds), make(["a", "c", "c"], kinds)
    found = cc_rapids.components(sides, engine=engine)
    assert columns(found.labels()) == [["a", "b", "c", "m"], ["a", "a", "c", "c"]]
    vertex = found.labels()["vertex"]
    assert (
        getattr(vertex, "dtype", None)
        or vertex.type == getattr(sides[0], "dtype", None)
        or sides[0].type
    )


@pytest.mark.parametrize("make", [*CATEGORIES.values()][:1] + [*CATEGORIES.values()][3:4])
def test_categories_of_two_kinds_are_joined(engine, make):
    sides = make(["b", "m"], ["b", "m"]), make(["a", "b"], ["a", "b"])
    found = cc_rapids.components(sides, engine=engine)
    assert columns(found.labels()) == [["a", "b", "m"], ["a", "a", "a"]]


def test_categories_of_integers_are_integers(engine):
    sides = pd.Series([5, -3], dtype="category"), pd.Series([7, 5], dtype="category")
    found = cc_rapids.components(sides, engine=engine)
    assert columns(found.labels()) == [[-3, 5, 7], [-3, -3, -3]]


def test_categories_and_strings_go_together(engine):
    edges = pd.DataFrame({"src": pd.Categorical(["b", "c"]), "dst": ["a", "b"]})
    assert columns(cc_rapids.components(edges, engine=engine).labels())[0] == ["a", "b", "c"]


def test_nulls_in_categories_are_counted():
    edges = pd.DataFrame({"src": pd.Categorical(["b", None]), "dst": ["a", "b"]})
    refused(errors.NullsError, edges, "column 'src' has 1 null in 2 rows")
    assert cc_rapids.components(edges, nulls="drop").summary()["dropped"] == 1


def test_categories_of_floats_are_refused():
    edges = pd.DataFrame({"src": pd.Categorical([0.5]), "dst": pd.Categorical([1.5])})
    refused(errors.ColumnTypeError, edges, "column 'src' is category", "(1 values)")


@pytest.mark.parametrize(
    ("edges", "ids", "why"),
    [
        (([0, 5], [2, 1]), "as they are", "close enough"),
        (([7, 5], [9, 6]), "offset", "close enough"),
        (([0] * 70_000, [2**22] * 70_000), "bit map", "not for a bit"),
        (([0, 2**60], [2, 1]), "hash slots", "a word or a bit each"),
        ((["a"], ["b"]), "strings, as they are", "lexicographic order: the 2 ends of edges"),
        ((["a" * 65], ["b"]), "strings, factorised", "lexicographic order"),
    ],
)
def test_explain_says_what_would_run(engine, tuned, edges, ids, why):
    tuned(library_strings=0)
    for ask in (cc_rapids.components, cc_rapids.connected_components):
        plan = ask(edges, explain=True, engine=engine)
        assert (plan.engine, plan.ids, plan.edges) == (engine, ids, len(edges[0]))
        assert why in plan.ids_why
        short = "as they are", "offset", "hash slots"
        at_once = engine == "cuda" and ids.removeprefix("strings, ") in short
        assert plan.design == str(ONE_LAUNCH_RULE.design if at_once else cc_rapids.Design())
        assert "records/" in plan.design_why
        assert plan.bytes > 0
        for word in (ids, "at most", "memory", engine):
            assert word in str(plan)
    if SIMULATED and len(edges[0]) > 1000:
        return  # it would take ten seconds
    found = cc_rapids.components(edges, engine=engine)
    assert found.summary()["ids"] == ids
    assert len(found.labels().vertex) <= plan.vertices


def test_ids_in_clusters_get_bits_on_threads(engine):
    at = np.arange(35_000)
    ids = at + at // 100 * 10**6  # a path through clusters of 100 ids, a million apart
    edges = ids[:-1], ids[1:]
    found = cc_rapids.components(edges, engine=engine)
    on_device = backends.get(engine).on_device  # the simulator is not
    name = "hash slots" if on_device else "bit map, paged"
    assert found.summary()["ids"] == name
    labels = found.labels()
    assert labels.vertex.tolist() == ids.tolist()
    assert not labels.labels.any()
    plan = cc_rapids.components(edges, explain=True, engine=engine)
    assert plan.ids == name
    assert ("pages of 512 integers" in plan.ids_why) == (not on_device)


def test_places_in_pages_exceed_a_signed_type(tuned):
    tuned(small_id_range=0, paged_rows=0, uncompiled_rows=0)
    ids = np.arange(-(2**15), 2**15, 40, dtype=np.int16)  # all pages occur: 2^16 places
    found = cc_rapids.components((ids[:-1], ids[1:]), engine="threads")
    assert found.summary()["ids"] == "bit map, paged"
    assert found.labels().vertex.tolist() == ids.tolist()
    assert len(found) == 1


def test_explain_of_rows_and_of_a_design_asked_for():
    edges = pd.DataFrame({"a": [1], "b": ["x"], "c": [2], "d": ["y"]})
    plan = cc_rapids.components(
        edges, ["a", "b"], ["c", "d"], explain=True, design="none+async+naive"
    )
    assert (plan.ids, plan.design, plan.design_why) == ("rows", "none+async+naive", "asked for")
    assert "2 columns of each row become one number" in str(plan)


@pytest.mark.parametrize("n", [1000, (1 << 32) - 1, 1 << 32, 1 << 33])
def test_the_cost_of_a_word_per_id_covers_its_forest(on, monkeypatch, n):
    shapes = []

    def alloc(*arrays, arena_bytes):
        shapes.extend(arrays)
        raise MemoryError

    monkeypatch.setattr(on, "alloc_packed", alloc, raising=False)
    with pytest.raises(MemoryError):
        Forest(on, n)
    ids = encode.IdRange(0, n - 1, np.dtype(np.int64))
    max_bytes = encode.OffsetEncoding().max_bytes(encode.IdFacts(encode.INTEGERS, 2, 16, ids, 4))
    allocated = sum(size * np.dtype(dtype).itemsize for size, dtype in shapes)
    assert allocated <= max_bytes + SCAN_BYTES < 1.001 * allocated + 2 * SCAN_BYTES


@pytest.mark.slow
def test_ids_that_no_table_fits_are_sorted(on, monkeypatch, tuned):
    """Between what a table and what sorting takes, ids from anywhere are sorted."""
    tuned(hashed_at_once=0)
    random = np.random.default_rng(5)
    edges = tuple(random.integers(-(2**63), 2**63 - 1, (2, 500)))
    needed = {}
    for name, encoding in (("table", encode.HashEncoding()), ("order", encode.SortedEncoding())):
        given = read_edges(edges, None, None, None, None, "raise")
        facts = encode.scan_ids(given, list(edges), on).facts
        needed[name] = encoding.max_bytes(facts) + facts.answer_bytes
    assert needed["order"] < needed["table"]
    monkeypatch.setattr(type(on), "free_bytes", lambda self: needed["table"] - 1)
    planned = cc_rapids.components(edges, engine=on.name, explain=True)
    found = cc_rapids.components(edges, engine=on.name)
    assert planned.ids == found.summary()["ids"] == "sorted ids"
    check(found, components_of(*(column.tolist() for column in edges)))
