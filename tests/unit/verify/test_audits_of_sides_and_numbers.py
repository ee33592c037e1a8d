"""Audits of colours, odd cycles and stable ids: they prove right answers, and no wrong one."""

import re

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from support.choices import on_simulator
from support.edge_kinds import EDGES
from support.edge_lists import edge_lists, quick
from support.planted import Plant, planted

from cc_rapids import StableIds, bipartition, components, errors
from cc_rapids.algorithms import bipartition as coloring
from cc_rapids.analysis import stable_ids as numbering
from cc_rapids.analysis.bipartition import Bipartition
from cc_rapids.kernels import tours

POLICIES = "majority", "largest", "least"
SIDES = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
# A path of four, a triangle with a tail, a pentagon with a chord, and a self-loop with a neighbour
LIST = (
    np.array([1, 2, 3, 10, 11, 12, 12, 20, 24, 21, 23, 22, 30, 31, 20]),
    np.array([2, 3, 4, 11, 12, 10, 13, 21, 20, 22, 24, 23, 31, 31, 23]),
)


@quick
@given(edge_lists())
def test_right_sides_are_proved(edges):
    graph = nx.MultiGraph(list(zip(*(side.tolist() for side in edges), strict=True)))
    parts = [graph.subgraph(part) for part in nx.connected_components(graph)]
    proof = bipartition(edges).audit(edges)
    assert proof.bipartite == sum(map(nx.is_bipartite, parts))
    assert proof.odd == len(parts) - proof.bipartite
    assert (proof.vertices, proof.edges) == (len(graph), edges[0].size)


@pytest.mark.slow
@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
def test_ids_and_frames_of_every_kind(engine, edges):
    found = bipartition(edges(), engine=engine)
    assert found.audit(edges()).odd == (not found.is_bipartite)
    first = components(edges(), engine=engine).stable_ids()
    assert first.audit().births == len(first)
    second = components(edges(), engine=engine).stable_ids(first)
    for previous in (first, first.labels()):
        proof = second.audit(previous, next_id=first.next_id)
        assert (proof.kept, proof.births, proof.deaths) == (len(first), 0, 0)


@pytest.mark.parametrize("labels", ["max", "dense", "size"])
def test_other_labels(labels):
    assert bipartition(LIST, labels=labels).audit(LIST).odd == 3


def test_ids_of_several_columns():
    ends = {"src_kind": ["a", "b", "b"], "src_id": [1, 2, 3], "dst_kind": ["b"] * 3}
    frame = pd.DataFrame({**ends, "dst_id": [2, 3, 3]})
    assert bipartition(frame, *SIDES).audit(frame, *SIDES).odd == 1
    first = components(frame, *SIDES).stable_ids()
    second = components(frame[1:], *SIDES).stable_ids(first)
    assert second.audit(first).kept == second.audit(first.labels(), next_id=1).kept == 1


def test_rows_are_those_of_the_list(tmp_path):
    frame = pd.DataFrame({"src": [None, 1, 2, 3], "dst": [4, 2, 3, 1]}).astype("Int64")
    found = bipartition(frame, nulls="drop")
    assert found.audit(frame, nulls="drop").odd == 1
    weighted = pd.DataFrame({"src": [9, 1, 2, 3], "dst": [1, 2, 3, 1], "w": [0, 1, 1, 1]})
    bound = {"weight": "w", "at_least": 1}
    proof = bipartition(weighted, **bound).audit(weighted, **bound)
    assert (proof.odd, proof.vertices, proof.edges) == (1, 3, 3)
    weighted[1:].to_parquet(tmp_path / "edges.parquet")
    path = str(tmp_path / "edges.parquet")
    assert bipartition(path).audit(path).odd == 1
    matrix = scipy.sparse.csr_array(np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    assert bipartition(matrix).audit(matrix).odd == 1


def test_what_a_proof_says():
    assert str(bipartition(LIST).audit(LIST)) == (
        "right: 1 bipartite component and 3 with an odd cycle, of 15 vertices, by 15 edges"
    )
    monday = components(([1, 7], [2, 8])).stable_ids()
    tuesday = components(([1, 5], [7, 6])).stable_ids(monday)
    said = "right: 2 numbers of 4 vertices, 1 kept, 1 birth, 1 death"
    assert str(tuesday.audit(monday)) == said


@quick
@given(edge_lists(), st.data())
def test_any_other_colour_is_refused(edges, data):
    found = bipartition(edges)
    assume(found._color.size)
    row = data.draw(st.integers(0, found._color.size - 1))
    others = [color for color in (-1, 0, 1, 2) if color != found._color[row]]
    found._color[row] = data.draw(st.sampled_from(others))
    with pytest.raises(errors.VerificationError):
        found.audit(edges)


WRONG_SIDES = {
    "one side": (
        "_color",
        lambda color: np.where(color == 1, 0, color).astype(np.int8),
        "edge 0 joins 1 and 2, which have the colours 0 and 0",
    ),
    "sides changed": (
        "_color",
        lambda color: np.where(color >= 0, 1 - color, color).astype(np.int8),
        "vertex 1 has the colour 1, but the least vertex of a component should have 0",
    ),
    "a colour too many": (
        "_color",
        lambda color: np.where(color == 1, 2, color).astype(np.int8),
        "vertex 2 has the colour 2, not 0 or 1",
    ),
    "no colours without a reason": (
        "_color",
        lambda color: np.full_like(color, -1),
        "the component of vertex 1 has no colours, but no odd cycle proves it",
    ),
}


@pytest.mark.parametrize(("name", "change", "message"), WRONG_SIDES.values(), ids=WRONG_SIDES)
def test_wrong_colours_are_refused(name, change, message):
    found = bipartition(LIST)
    setattr(found, name, change(getattr(found, name)))
    with pytest.raises(errors.VerificationError, match=f"^{re.escape(message)}"):
        found.audit(LIST)


def test_a_wrong_word_is_refused(monkeypatch):
    monkeypatch.setattr(Bipartition, "is_bipartite", True)
    with pytest.raises(errors.VerificationError, match="is_bipartite is True, but 3 components"):
        bipartition(LIST).audit(LIST)


def cycle(rows):
    """A frame of cycles that says so of rows of the list."""
    rows = np.array(rows, np.int64)
    taken = [np.append(side, 0)[np.where((rows >= 0) & (rows < 15), rows, 15)] for side in LIST]
    named = {1: 10, 2: 20, 3: 30}
    labels = [named.get(int(v) // 10, 1) for v in taken[0]]
    columns = {"labels": labels, "row": rows, "source": taken[0]}
    return pd.DataFrame(columns | {"destination": taken[1]})


TRIANGLE, PENTAGON, LOOP = [3, 4, 5], [7, 9, 11, 10, 8], [13]
WRONG_CYCLES = {
    "left out": ([*TRIANGLE, *LOOP], "the component of vertex 20 has no colours, but no odd"),
    "not closed": ([3, 4, 6, *PENTAGON, *LOOP], "edge 3, in row 0 of the odd cycles, does not"),
    "not in order": ([*TRIANGLE, 7, 11, 9, 10, 8, *LOOP], "edge 7, in row 3 of the odd cycles"),
    "there and back": ([3, 3, *PENTAGON, *LOOP], "edge 3, in row 0 of the odd cycles, does not"),
    "even": (
        [*TRIANGLE, 7, 9, 11, 14, *LOOP],
        "edge 7, in row 3 of the odd cycles, begins a cycle",
    ),
    "no loop": ([*TRIANGLE, *PENTAGON, 12], "edge 12, in row 8 of the odd cycles, does not start"),
    "twice": ([*TRIANGLE, *PENTAGON, *LOOP, *TRIANGLE], "edge 3, in row 9 of the odd cycles"),
    "with colours": ([*TRIANGLE, *PENTAGON, *LOOP, 0, 0], "edge 0, in row 9 of the odd cycles"),
    "beyond": ([*TRIANGLE, *PENTAGON, 15], "row 15 of the odd cycles is not among the"),
    "before": ([*TRIANGLE, *PENTAGON, -1], "row -1 of the odd cycles is not among the"),
}


def test_the_cycles_are_right_as_they_are(monkeypatch):
    frame = pd.DataFrame(dict(zip(("src", "dst"), LIST, strict=True)))
    given_cycles = cycle([*TRIANGLE, *PENTAGON, *LOOP])
    monkeypatch.setattr(Bipartition, "odd_cycles", lambda _: given_cycles)
    assert bipartition(frame).audit(frame).odd == 3


@pytest.mark.parametrize(("rows", "message"), WRONG_CYCLES.values(), ids=WRONG_CYCLES)
def test_wrong_cycles_are_refused(rows, message, monkeypatch):
    frame = pd.DataFrame(dict(zip(("src", "dst"), LIST, strict=True)))
    monkeypatch.setattr(Bipartition, "odd_cycles", lambda _: cycle(rows))
    with pytest.raises(errors.VerificationError, match=f"^{re.escape(message)}"):
        bipartition(frame).audit(frame)


def test_other_words_of_cycles_are_refused(monkeypatch):
    frame = pd.DataFrame(dict(zip(("src", "dst"), LIST, strict=True)))
    rows = [*TRIANGLE, *PENTAGON, *LOOP]
    right = cycle(rows)
    strange = right.assign(source=[11, *right["source"][1:]])
    monkeypatch.setattr(Bipartition, "odd_cycles", lambda _: strange)
    with pytest.raises(errors.VerificationError, match="edge 3 has different ends in the edges"):
        bipartition(frame).audit(frame)
    called = right.assign(labels=[*right["labels"][:-1], 31])
    monkeypatch.setattr(Bipartition, "odd_cycles", lambda _: called)
    with pytest.raises(errors.VerificationError, match="row 8 of the labels of cycles is 31, but"):
        bipartition(frame).audit(frame)


def test_vertices_of_colours_are_those_of_labels(monkeypatch):
    frame = pd.DataFrame({"src": ["a"], "dst": ["b"]})
    right = bipartition(frame)
    other = right.colors().assign(vertex=["a", "c"])
    monkeypatch.setattr(Bipartition, "colors", lambda _: other)
    with pytest.raises(errors.VerificationError, match="with colours is 'c', but should be 'b'"):
        right.audit(frame)
    null = pd.DataFrame({name: [None] for name in other})
    for wrong, message in (
        (other[:1], "1 vertex is in the frame of colours, but 2 in"),
        (pd.concat([right.colors(), null]), "3 vertices are in the frame of colours, but 2 in"),
    ):
        monkeypatch.setattr(Bipartition, "colors", lambda _, wrong=wrong: wrong)
        with pytest.raises(errors.VerificationError, match=message):
            right.audit(frame)


def test_other_edges_are_refused():
    with pytest.raises(errors.VerificationError, match="edge 1 joins 2 and 3, but 3 has no label"):
        bipartition(([1], [2])).audit(([1, 2], [2, 3]))
    with pytest.raises(errors.VerificationError, match="which have the colours 0 and 0"):
        bipartition(([1, 2], [2, 3])).audit(([1, 2, 1], [2, 3, 3]))


FAULTS_OF_SIDES = {
    "parity": (coloring.odd_cycles, "% 2 == 0", "% 2 == 1"),
    "below": (coloring.odd_cycles, "above_src != above_dst", "above_src == above_dst"),
    "order": (coloring.odd_cycles, "-depth, depth", "depth, depth"),
    "loops": (coloring.odd_cycles, "ends[0] == ends[1]", "ends[0] <= ends[1]"),
    "depth": (tours.measure_depth, "- down", "- down - down"),
    "cover": (coloring.double_cover, "src + offset", "src"),
    "color": (Bipartition.__init__, "parent[:n] != root", "parent[:n] == root"),
    "no color": (Bipartition.__init__, "= NO_COLOR", "= 0"),
}


@pytest.mark.slow
@on_simulator
@pytest.mark.parametrize(("function", "old", "new"), FAULTS_OF_SIDES.values(), ids=FAULTS_OF_SIDES)
def test_faults_in_what_finds_sides_are_refused(engine, function, old, new, tmp_path):
    assert bipartition(LIST, engine=engine).audit(LIST).odd == 3
    with planted(Plant(function, old, new, "sides"), tmp_path):
        found = bipartition(LIST, engine=engine)
        with pytest.raises(errors.VerificationError):
            found.audit(LIST)


days = st.lists(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=10), max_size=6
)


def sides(pairs):
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


@quick
@given(days, st.sampled_from(POLICIES))
def test_right_numbers_are_proved(lists, policy):
    held = None
    for pairs in lists:
        found = components(sides(pairs)).stable_ids(held, policy)
        proof = found.audit(held, policy)
        assert (proof.components, proof.births) == (len(found), len(found.changes().births.labels))
        assert proof.kept + proof.births == len(found)
        assert proof.deaths == len(found.changes().deaths.labels)
        held = found


@quick
@given(days, st.data())
def test_any_other_number_is_refused(lists, data):
    held = None
    for pairs in lists:
        before, held = held, components(sides(pairs)).stable_ids(held)
    assume(held is not None and len(held))
    place = data.draw(st.integers(0, len(held) - 1))
    numbers = held.numbers.numbers
    numbers[place] += data.draw(st.integers(1, 5)) * data.draw(st.sampled_from([1, -1]))
    with pytest.raises(errors.VerificationError):
        held.audit(before)


# Monday: 0 (1 2 3 4 5), 1 (10 11), 2 (20 21), 3 (30 31). On Tuesday 1 has merged into a part of 0,
# the other part is born, 2 goes on, 3 is gone, and another is born.
MONDAY = [1, 2, 3, 4, 10, 20, 30], [2, 3, 4, 5, 11, 21, 31]
TUESDAY = [1, 2, 3, 4, 10, 20, 40], [2, 3, 10, 5, 11, 21, 41]


def tuesday(policy="majority", engine=None):
    """The numbers of two days."""
    monday = components(MONDAY, engine=engine).stable_ids()
    return monday, components(TUESDAY, engine=engine).stable_ids(monday, policy)


def counted_on(found):
    found.next_id += 1


WRONG_NUMBERS = {
    "shared": (
        lambda own: own.numbers.numbers.__setitem__(1, 0),
        "vertices 1 and 4 are in two components",
    ),
    "not the heir": (
        lambda own: own.numbers.numbers.__setitem__(0, 1),
        "the component of vertex 1 has the number 1, but should have 0, by policy='majority'",
    ),
    "retired": (
        lambda own: own.numbers.numbers.__setitem__(3, 3),
        "the component of vertex 40 has the number 3, but should have 5, because it is new",
    ),
    "a gap": (
        lambda own: own.numbers.numbers.__setitem__(3, 6),
        "the component of vertex 40 has the number 6, but should have 5, because it is new",
    ),
    "counter": (counted_on, "the next number is 7, but should be 6: it was 4 before 2 births"),
}


@pytest.mark.parametrize(("change", "message"), WRONG_NUMBERS.values(), ids=WRONG_NUMBERS)
def test_wrong_numbers_are_refused(change, message):
    monday, found = tuesday()
    assert found.audit(monday).births == 2
    change(found)
    with pytest.raises(errors.VerificationError, match=f"^{re.escape(message)}"):
        found.audit(monday)


def test_a_component_has_one_number(monkeypatch):
    _, found = tuesday()
    labels = found.labels()
    labels.labels[1] = 7
    monkeypatch.setattr(StableIds, "labels", lambda _: labels)
    message = "vertex 2 has the number 7, but vertex 1 of its component has 0"
    with pytest.raises(errors.VerificationError, match=message):
        found.audit(None)


def test_another_policy_is_refused():
    first = components(([1, 2, 3], [2, 3, 4])).stable_ids(next_id=5)
    second = components(([1, 3, 7], [2, 4, 8])).stable_ids(first)
    third = components(([1, 7], [7, 9])).stable_ids(second, "largest")
    assert third.audit(second, "largest").kept == 1
    with pytest.raises(errors.VerificationError, match="should have 5, by policy='least'"):
        third.audit(second, "least")
    with pytest.raises(errors.InputError, match="policy"):
        third.audit(second, "most")


CHANGES = {
    "splits": (lambda own: own._replace(shared=own.shared + 1), "row 0 of the splits is"),
    "merges": (lambda own: own._replace(before=own.after), "row 1 of the merges is"),
    "births": (lambda own: own._replace(labels=own.labels[:1], size=own.size[:1]), "row 1 of the"),
    "deaths": (lambda own: own._replace(size=own.size * 2), "row 0 of the deaths is"),
    "sizes": (lambda own: own._replace(**{n: [9] for n in own._fields}), "row 0 of the sizes is"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_wrong_changes_are_refused(name, monkeypatch):
    monday, found = tuesday()
    change, message = CHANGES[name]
    right = found.changes()
    wrong = right._replace(**{name: change(getattr(right, name))})
    monkeypatch.setattr(StableIds, "changes", lambda _: wrong)
    with pytest.raises(errors.VerificationError, match=message):
        found.audit(monday)


@pytest.mark.parametrize("name", CHANGES)
def test_a_row_of_nulls_in_changes_is_refused(name, monkeypatch):
    monday, found = tuesday()
    right = found.changes()
    frame = getattr(right, name)._asdict()
    rows = len(next(iter(frame.values())))
    longer = pa.table({n: pa.array([*column.tolist(), None]) for n, column in frame.items()})
    wrong = right._replace(**{name: longer})
    monkeypatch.setattr(StableIds, "changes", lambda _: wrong)
    message = rf"row {rows} of the {name} is \(None, .*\), but should be missing"
    with pytest.raises(errors.VerificationError, match=message):
        found.audit(monday)


def test_saved_numbers_and_tables_are_proved(tmp_path):
    monday, found = tuesday()
    monday.save(tmp_path / "monday")
    found.save(tmp_path / "tuesday")
    loaded = StableIds.load(tmp_path / "tuesday")
    table = pa.table(monday.labels()._asdict())
    wide = pa.table({"vertex": table["vertex"].cast(pa.uint64()), "labels": table["labels"]})
    for one in (found, loaded):
        assert one.audit(tmp_path / "monday").births == 2
        assert one.audit(wide, next_id=4).births == 2
    with pytest.raises(errors.InputError, match="next_id"):
        found.audit(table)


FAULTS_OF_NUMBERS = {
    "heirs": (numbering._numbers, "-step.shared", "step.shared"),
    "places": (
        numbering._numbers,
        "step.former[before[chosen]]",
        "step.former[before[chosen]] + 1",
    ),
    "births": (numbering._numbers, "next_id + xp.arange", "xp.arange"),
    "shared": (numbering._step, "order = order_of([before, after], xp)", "order = xp.arange(3)"),
    "majority": (numbering._by_majority, "-shared", "shared"),
    "largest": (numbering._by_largest, "-former", "former"),
    "least": (numbering._by_least, "return former", "return -former"),
    "splits": (StableIds.changes, "part_counts > 1", "part_counts > 0"),
    "merges": (StableIds.changes, "source_counts > 1", "source_counts > 0"),
    "born": (StableIds.changes, ">= self.numbers.first_birth", "> self.numbers.first_birth"),
    "dead": (StableIds.changes, "~xp.isin", "xp.isin"),
}


@on_simulator
@pytest.mark.parametrize("name", FAULTS_OF_NUMBERS)
def test_faults_in_what_numbers_are_refused(engine, name, tmp_path):
    policy = name if name in POLICIES else "majority"
    function, old, new = FAULTS_OF_NUMBERS[name]
    with planted(Plant(function, old, new, "numbers"), tmp_path):
        monday, found = tuesday(policy, engine)
        with pytest.raises(errors.VerificationError):
            found.audit(monday, policy)
