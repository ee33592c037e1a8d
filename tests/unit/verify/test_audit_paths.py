"""Audits of paths: they prove right answers, and no wrong one."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.as_lists import columns
from support.edge_kinds import EDGES
from support.edge_lists import quick
from support.planted import Plant, planted

from cc_rapids import components, errors
from cc_rapids.algorithms import paths as along

# A triangle, a tail of equal weights, a second component, and a parallel edge
EDGES_BY_WEIGHT = pd.DataFrame(
    {
        "src": [1, 2, 3, 3, 4, 7, 2],
        "dst": [2, 3, 1, 4, 5, 8, 1],
        "w": [9, 7, 5, 4, 4, 3, 1],
    }
)
PAIRS = pd.DataFrame({"a": [1, 5, 7, 2, 8], "b": [5, 2, 1, 2, 7]})
ASKED = {"weight": "w", "columns": ("a", "b")}


def solved(forest="max"):
    """Return the answer, its paths, and all their rows."""
    found = components(EDGES_BY_WEIGHT, weight="w", forest=forest)
    return found, found.paths(PAIRS, "a", "b"), found.paths(PAIRS, "a", "b", rows=True)


VERTEX = st.integers(0, 12)
DRAWN = st.lists(st.tuples(VERTEX, VERTEX, st.integers(1, 3)), min_size=1, max_size=30)


@pytest.mark.slow
@quick
@given(DRAWN, st.sampled_from(["min", "max", True]), st.data())
def test_right_paths_are_proved(drawn, forest, data):
    frame = pd.DataFrame(drawn, columns=["src", "dst", "w"])
    weight = {} if forest is True else {"weight": "w"}
    found = components(frame, forest=forest, **weight)
    known = st.sampled_from(sorted({*frame.src, *frame.dst}))
    pairs = data.draw(st.lists(st.tuples(known, known), max_size=12))
    pairs = pd.DataFrame(pairs, columns=["src", "dst"], dtype=np.int64)
    answer, rows = found.paths(pairs), found.paths(pairs, rows=True)
    proof = found.audit_paths(answer, pairs, frame, **weight)
    assert proof == found.audit_paths(answer, pairs, frame, rows=rows, **weight).__class__(
        *vars(proof).values()
    )
    assert (proof.pairs, proof.path_edges) == (len(pairs), len(rows))
    assert proof.joined == int((answer.length >= 0).sum())
    assert (proof.edges, proof.components) == (len(frame), len(found))


@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
def test_ids_and_frames_of_every_kind(engine, edges):
    found = components(edges(), forest=True, engine=engine)
    answer, rows = found.paths(edges()), found.paths(edges(), rows=True)
    proof = found.audit_paths(answer, edges(), edges(), rows=rows)
    assert proof.joined == proof.pairs == len(columns(answer)[0])
    assert found.audit_paths(answer, edges(), edges()).path_edges == proof.path_edges


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", [int, str])
def test_frames_with_weights(make, name):
    spelled = {key: [name(v) for v in EDGES_BY_WEIGHT[key]] for key in ("src", "dst")}
    edges = make(spelled | {"w": EDGES_BY_WEIGHT.w.tolist()})
    pairs = make({key: [name(v) for v in PAIRS[key]] for key in PAIRS})
    for forest in ("min", "max"):
        found = components(edges, weight="w", forest=forest)
        answer = found.paths(pairs, "a", "b")
        assert found.audit_paths(answer, pairs, edges, **ASKED).joined == 4


def test_ids_of_several_columns_and_nulls():
    sides = ["k", "a"], ["l", "b"]
    frame = pd.DataFrame({"k": ["x"] * 3, "a": [1, 2, 9], "l": ["x"] * 3, "b": [2, 3, 8]})
    found = components(frame, *sides, forest=True)
    answer = found.paths(frame, *sides)
    assert found.audit_paths(answer, frame, frame, *sides, columns=sides).path_edges == 3
    nulls = pl.DataFrame({"src": [None, 1, 2], "dst": [1, 2, 3], "w": [9, 2, 1]})
    found = components(nulls, weight="w", forest="max", nulls="drop")
    answer = found.paths(([1], [3]))
    assert found.audit_paths(answer, ([1], [3]), nulls, weight="w", nulls="drop").path_edges == 2


def test_what_a_proof_says():
    found, answer, _ = solved()
    said = "right: 4 paths with 8 edges in total for 5 pairs, in a list of 7 edges"
    assert str(found.audit_paths(answer, PAIRS, EDGES_BY_WEIGHT, **ASKED)) == said


def lie(column, row, value):
    """Return what changes one value of a frame."""

    def change(frame):
        frame.loc[row, column] = value
        return frame

    return change


WRONG_ANSWERS = {
    "longer": (lie("length", 0, 5), "pair 0 has the length 5, but its path along the forest has 4"),
    "shorter": (lie("length", 0, 3), "pair 0 has the length 3, but its path along the forest has"),
    "no path": (lie("length", 0, -1), "pair 0 has no path, but both vertices are in one"),
    "a path too many": (lie("length", 2, 1), "pair 2 has a path, but joins two components"),
    "a strange length": (lie("length", 2, -2), "pair 2 has the length -2, but its path"),
    "a vertex and itself": (lie("length", 3, 1), "pair 3 has the length 1, but its path along"),
    "another weakest": (lie("weakest_row", 0, 0), "weakest_row of pair 0 is 0, but should be "),
    "a later equal one": (lie("weakest_row", 0, 4), "weakest_row of pair 0 is 4, but should be"),
    "another weight": (lie("weakest_weight", 0, 5), "weakest_weight of pair 0 is 5, but should be"),
    "a row elsewhere": (lie("weakest_row", 4, 1), "weakest_row of pair 4 is 1, but should be"),
    "a row of no path": (lie("weakest_row", 2, 0), "weakest_row of pair 2 is 0, but should be "),
    "a weight of no path": (lie("weakest_weight", 3, 1), "weakest_weight of pair 3 is 1, but"),
    "too few": (lambda frame: frame[:4], "the frame has paths for 4 pairs, but 5 pairs were given"),
}


@pytest.mark.parametrize(("change", "message"), WRONG_ANSWERS.values(), ids=WRONG_ANSWERS)
def test_wrong_answers_are_refused(change, message):
    found, answer, rows = solved()
    answer = change(answer)
    with pytest.raises(errors.VerificationError, match=f"^{re.escape(message)}"):
        found.audit_paths(answer, PAIRS, EDGES_BY_WEIGHT, rows=rows, **ASKED)
    with pytest.raises(errors.VerificationError):
        found.audit_paths(answer, PAIRS, EDGES_BY_WEIGHT, **ASKED)


def swapped(frame):
    """Return a frame whose first two edges have changed places."""
    frame.iloc[:2, 2:] = frame.iloc[[1, 0], 2:].to_numpy()
    return frame


def over(*rows):
    """Return what leads the path of the last pair over other rows of the list."""

    def change(frame):
        kept = frame[frame["pair"] < 4]
        added = EDGES_BY_WEIGHT.loc[list(rows)].rename(
            columns={"src": "source", "dst": "destination", "w": "weight"}
        )
        added = added.assign(pair=4, step=range(len(rows)), row=list(rows))
        return pd.concat([kept, added[list(frame)]], ignore_index=True)

    return change


WRONG_ROWS = {
    "another order": (swapped, "edge 1, in row 0 of the paths, does not start"),
    "another pair": (lie("pair", 0, 1), "edge 0, in row 0 of the paths, has another pair"),
    "another step": (lie("step", 1, 0), "edge 1, in row 1 of the paths, has a step"),
    "no row": (lie("row", 0, 99), "edge 99, in row 0 of the paths, is not a row of the edges"),
    "a row below all": (lie("row", 0, -1), "edge -1, in row 0 of the paths, is not a row of the"),
    "not of the forest": (over(6), "edge 6, in row 7 of the paths, is not in"),
    "another end": (lie("source", 0, 4), "edge 0 has different ends in the edges and in the paths"),
    "an unknown end": (lie("source", 0, 99), "edge 0 has different ends in the edges and"),
    "another weight": (
        lie("weight", 0, 8),
        "edge 0 has the weight 9 in the edges, but 8 in the paths",
    ),
    "elsewhere": (over(0), "edge 0, in row 7 of the paths, does not start"),
    "too few": (
        lambda frame: frame[:-1],
        "the lengths of the paths add up to 8 edges, but the frame of path edges has 7 rows",
    ),
}


@pytest.mark.parametrize(("change", "message"), WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_wrong_rows_are_refused(change, message):
    found, answer, rows = solved()
    with pytest.raises(errors.VerificationError, match=f"^{re.escape(message)}"):
        found.audit_paths(answer, PAIRS, EDGES_BY_WEIGHT, rows=change(rows), **ASKED)


def test_a_walk_that_ends_elsewhere_is_refused():
    edges = pd.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 4]})
    found, pairs = components(edges, forest=True), ([1], [2])
    ends = edges.loc[[0]].set_axis(["source", "destination"], axis=1)
    rows = ends.assign(pair=0, step=0, row=0)
    found.audit_paths(found.paths(pairs), pairs, edges, rows=rows)
    rows = edges.loc[[1]].set_axis(["source", "destination"], axis=1).assign(pair=0, step=0, row=1)
    with pytest.raises(errors.VerificationError, match="does not start where the previous edge"):
        found.audit_paths(found.paths(pairs), pairs, edges, rows=rows)
    there_and_back = pd.DataFrame({"src": [1, 2, 2], "dst": [2, 3, 4]})
    found, pairs = components(there_and_back, forest=True), ([1], [3])
    ends = there_and_back.loc[[0, 2]].set_axis(["source", "destination"], axis=1)
    rows = ends.assign(pair=0, step=[0, 1], row=[0, 2])
    with pytest.raises(errors.VerificationError, match="does not end at the second"):
        found.audit_paths(found.paths(pairs), pairs, there_and_back, rows=rows)


def test_paths_of_any_length_are_proved(engine):
    """Of 10^9 edges in all, which nothing walks along."""
    n = 200_000 if engine == "threads" else 200
    order = np.random.default_rng(0).permutation(n)
    edges = order[:-1], order[1:]
    found = components(edges, forest=True, engine=engine)
    ends = np.random.default_rng(1).integers(0, n, (2, n // 10))
    pairs, place = (order[ends[0]], order[ends[1]]), np.abs(ends[0] - ends[1])
    proof = found.audit_paths(found.paths(pairs), pairs, edges)
    assert proof.path_edges == place.sum()


@pytest.mark.slow
@quick
@given(DRAWN, st.data())
def test_any_other_answer_is_refused(drawn, data):
    frame = pd.DataFrame(drawn, columns=["src", "dst", "w"])
    found = components(frame, weight="w", forest="max")
    pairs = frame[["src", "dst"]]
    frames = found.paths(pairs), found.paths(pairs, rows=True)
    changed = data.draw(st.integers(0, 1))
    assume(len(frames[changed]))
    row = data.draw(st.integers(0, len(frames[changed]) - 1))
    column = data.draw(st.sampled_from(list(frames[changed])))
    frames[changed].loc[row, column] += data.draw(st.sampled_from([-1, 1]))
    with pytest.raises((errors.VerificationError, errors.InputError)):
        found.audit_paths(frames[0], pairs, frame, rows=frames[1], weight="w")


FAULTS = {
    "length": (along.Chains.between, "2 * self.depth", "1 * self.depth"),
    "ends": (along.Chains.pieces, "low[done] + 1", "low[done]"),
    "climb": (along.Chains.pieces, "low > high", "low < high"),
    "step": (
        along.Chains.edges_along,
        "starts[pair] + step",
        "starts[pair] + length[pair] - 1 - step",
    ),
    "weakest": (along.Chains.between, "rank < no_rank", "rank < 0"),
    "order": (along.order_from_weakest, "not heavy_is_weak", "heavy_is_weak"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("function", "old", "new"), FAULTS.values(), ids=FAULTS)
def test_faults_in_what_finds_paths_are_refused(function, old, new, tmp_path):
    with planted(Plant(function, old, new, "paths"), tmp_path):
        found = components(EDGES_BY_WEIGHT, weight="w", forest="max")
        answer = found.paths(PAIRS, "a", "b")
        rows = (
            found.paths(PAIRS, "a", "b", rows=True)
            if function is along.Chains.edges_along
            else None
        )
        with pytest.raises(errors.VerificationError):
            found.audit_paths(answer, PAIRS, EDGES_BY_WEIGHT, rows=rows, **ASKED)


def test_what_is_refused():
    found, answer, rows = solved()
    with pytest.raises(errors.InputError, match="is a spanning forest by weight: pass weight="):
        found.audit_paths(answer, PAIRS, EDGES_BY_WEIGHT, columns=("a", "b"))
    with pytest.raises(errors.InputError, match=r"components\(..., forest=True\).audit_paths\("):
        components(EDGES_BY_WEIGHT).audit_paths(answer, PAIRS, EDGES_BY_WEIGHT)
    with pytest.raises(errors.InputError, match="no columns weakest_row and weakest_weight"):
        found.audit_paths(answer[["length"]], PAIRS, EDGES_BY_WEIGHT, **ASKED)
    with pytest.raises(errors.InputError, match="the frame of the paths has no column 'length'"):
        found.audit_paths(rows, PAIRS, EDGES_BY_WEIGHT, **ASKED)
    with pytest.raises(errors.InputError, match="1 of 5 pairs contains ids that"):
        found.audit_paths(answer, PAIRS.replace(8, 99), EDGES_BY_WEIGHT, rows=rows, **ASKED)
    answer = answer.astype({"length": "Int64"})
    answer.loc[0, "length"] = pd.NA
    with pytest.raises(errors.VerificationError, match="'length' of the paths contains nulls"):
        found.audit_paths(answer, PAIRS, EDGES_BY_WEIGHT, **ASKED)


def test_an_answer_without_vertices():
    found, none = components(([], []), forest=True), ([], [])
    assert found.audit_paths(found.paths(none), none, none).pairs == 0
    longer = pd.DataFrame({"length": [0]})
    with pytest.raises(errors.VerificationError, match="has paths for 1 pair, but 0 pairs were"):
        found.audit_paths(longer, none, none)
    with pytest.raises(errors.InputError, match="the first is pair 0"):
        found.audit_paths(longer, ([1], [2]), none, rows=found.paths(none, rows=True))
