"""The audit of spanning forests by weight: right ones pass, each wrong one is refused in words."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from support import planted
from support.choices import each, on_simulator

import cc_rapids
from cc_rapids import VerificationError
from cc_rapids.algorithms import boruvka
from cc_rapids.data.adapters import Csr
from cc_rapids.errors import InputError, NullsError
from cc_rapids.graph.chosen_edges import ChosenEdges

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">f4"]
COMPILED = ["i8", "u2", "f4"]  # one of each kind on threads; all on the simulator
WORDS = ("min", "max")
FRAME = pd.DataFrame({"src": [0, 1, 2, 8], "dst": [1, 2, 0, 9], "w": [1, 3, 2, 5]})


def found_in(edges, *sides, **options):
    return cc_rapids.components(edges, *sides, **options)


def forged(found, rows):
    """The same answer with other rows of its forest."""
    found.answer.forest_edges = ChosenEdges(found.answer.backend, np.asarray(rows))
    return found


@each(compiled={"dtype": COMPILED}, dtype=TYPES, word=WORDS)
def test_right_forests_pass(engine, dtype, word):
    random = np.random.default_rng(3)
    for n, m in ((1, 0), (1, 3), (9, 4), (30, 200)):
        ends = tuple(random.integers(0, n, (2, m)))
        asked = {"weight": random.integers(0, 9, m).astype(dtype), "forest": word}
        audit = found_in(ends, **asked, engine=engine).audit(ends, **asked)
        assert audit.edges == m


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_other_set_of_rows_is_refused(data):
    """Of the edges' order there is one forest, whatever its weights."""
    n, m = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 25))
    end = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    weight = st.lists(st.sampled_from([0.0, -0.0, 1.0, np.inf, -2.5]), min_size=m, max_size=m)
    columns = {name: data.draw(end) for name in ("src", "dst")} | {"w": data.draw(weight)}
    frame = pd.DataFrame(columns)
    asked = {"weight": "w", "forest": data.draw(st.sampled_from(WORDS))}
    found = found_in(frame, **asked)
    found.audit(frame, **asked)
    right = found.forest()["row"].tolist()
    rows = data.draw(st.lists(st.integers(0, m - 1), unique=True, max_size=n).map(sorted))
    if rows == right:
        return
    with pytest.raises(VerificationError):
        forged(found, rows).audit(frame, **asked)


FORGED = {
    "heavier": ([0, 1, 3], r"edge 2 of weight 2 is not .* replace edge 1 of weight 3, which"),
    "cycle": ([0, 1, 2, 3], "the 4 edges of the forest close 1 cycle"),
    "too few": ([0, 3], "edge 1 joins two trees of the forest"),
    "order": ([2, 0, 3], "row 0 of the forest comes after 2"),
    "twice": ([0, 2, 2], "row 2 of the forest comes after 2"),
}


@pytest.mark.parametrize("case", FORGED)
def test_forged_forests_are_refused(case, engine):
    rows, said = FORGED[case]
    asked = {"weight": "w", "forest": "min"}
    with pytest.raises(VerificationError, match=said):
        forged(found_in(FRAME, **asked, engine=engine), rows).audit(FRAME, **asked)


def test_other_edges_than_the_answers_are_refused():
    asked = {"weight": "w", "forest": "min"}
    found = found_in(FRAME, **asked)
    with pytest.raises(VerificationError, match="edge 3 has the weight 4 in the edges, but 5 in"):
        found.audit(FRAME.assign(w=[1, 3, 2, 4]), **asked)
    with pytest.raises(VerificationError, match="row 3 of the forest is not among the 3 edges"):
        found.audit(FRAME[:3], vertices=[0, 1, 2, 8, 9], **asked)
    with pytest.raises(VerificationError, match="edge 1 of weight 1"):
        found.audit(FRAME.assign(w=[1, 1, 2, 5]), **asked)


def test_a_long_path_and_a_star():
    n = 5000
    random = np.random.default_rng(4)
    for ends in ((np.arange(n), np.arange(n) + 1), (np.zeros(n, int), np.arange(n) + 1)):
        for weight in (np.arange(n), np.arange(n)[::-1], random.random(n)):
            both = tuple(np.concatenate([end, end]) for end in ends)
            for word in WORDS:
                asked = {"weight": np.concatenate([weight, weight]), "forest": word}
                found = found_in(both, **asked)
                found.audit(both, **asked)
                rows = found.forest().row.copy()
                rows[-1] = rows[-1] + n if rows[-1] < n else rows[-1] - n
                with pytest.raises(VerificationError):
                    forged(found, np.sort(rows)).audit(both, **asked)


@pytest.mark.parametrize("word", WORDS)
def test_ids_and_frames_of_every_kind(word, tmp_path):
    random = np.random.default_rng(5)
    ends, weight = random.integers(0, 40, (2, 150)), random.integers(0, 20, 150) / 4
    names = pd.DataFrame({"src": ends[0], "dst": ends[1], "w": weight})
    words = names.assign(src=[f"v{v}" for v in ends[0]], dst=[f"v{v}" for v in ends[1]])
    far = names.assign(src=ends[0] * 10**15, dst=ends[1] * 10**15)
    two = names.assign(a=ends[0] % 3, b=ends[1] % 3)
    asked = {"weight": "w", "forest": word}
    made = (pd.DataFrame, pl.from_pandas, pa.Table.from_pandas, duckdb.from_df)
    for frame in (names, words, far):
        for make in made:
            edges = make(frame)
            found_in(edges, **asked).audit(edges, **asked)
    sides = ["a", "src"], ["b", "dst"]
    for make in made:
        edges = make(two)
        found_in(edges, *sides, **asked).audit(edges, *sides, **asked)
    path = str(tmp_path / "edges.parquet")
    pq.write_table(pa.Table.from_pandas(words), path)
    found_in(path, **asked).audit(path, **asked)
    matrix = scipy.sparse.coo_array((weight, ends), shape=(40, 40))
    for asked in ({"forest": word}, {"at_least": 2.0}):
        asked["weight"] = "weight"
        found_in(matrix, **asked).audit(matrix, **asked)


@pytest.mark.parametrize("word", WORDS)
def test_rows_of_an_adjacency_list(word, engine):
    rows = Csr(np.array([0, 2, 4, 6, 6]), np.array([1, 2, 0, 2, 0, 1]))
    asked = {"weight": np.array([5, 2, 4, 1, 3, 6]), "forest": word}
    found_in(rows, **asked, engine=engine).audit(rows, **asked)


def test_dropped_rows_keep_their_numbers():
    frame = FRAME.assign(w=[1, np.nan, 2, 5], src=pd.array([0, 1, 2, None], "Int64"))
    asked = {"weight": "w", "forest": "min", "nulls": "drop"}
    found = found_in(frame, **asked)
    found.audit(frame, **asked)
    assert found.forest()["row"].tolist() == [0, 2]
    with pytest.raises(VerificationError, match="edge 2 joins two trees"):
        forged(found, [0]).audit(frame, **asked)
    with pytest.raises(NullsError):
        found.audit(frame, weight="w", forest="min")


def test_what_cannot_be_proved_is_refused():
    asked = {"weight": "w", "forest": "min"}
    for found in (found_in(FRAME), found_in(FRAME, forest=True)):
        with pytest.raises(InputError, match="forest='min' needs an answer"):
            found.audit(FRAME, **asked)
    found = found_in(FRAME, **asked)
    with pytest.raises(InputError, match="forest"):
        found.audit(FRAME, weight="w", forest="least")
    with pytest.raises(InputError, match="pass weight= as well"):
        found.audit(FRAME, forest="min")
    with pytest.raises(VerificationError):
        found.audit(FRAME, weight="w", at_least=2, forest="min")
    with pytest.raises(InputError, match="all edges at once"):
        found.audit(iter([FRAME]), **asked)
    with pytest.raises(VerificationError, match="edge 0"):
        found.audit(FRAME, weight="w", forest="max")


PLANTS = "signed", "negative", "reversed", "key", "wide", "least row", "bands", "lower"


@pytest.mark.slow
@on_simulator
@pytest.mark.parametrize("name", PLANTS)
def test_faults_of_runs_are_found(name, engine, tmp_path, tuned, monkeypatch):
    tuned(light_edges_per_vertex=1)
    monkeypatch.setattr(boruvka, "ONE_LAUNCH_CANDIDATES", 0)
    function, old, new, dtype = planted.IN_ROUNDS[name]
    random = np.random.default_rng(8)
    ends = tuple(random.integers(0, 40, (2, 300)))
    low, high = {"i4": (-20, 20), "f4": (-2, 1)}.get(dtype, (0, 20))
    weights = random.integers(low, high, 300).astype(dtype)
    with planted.planted(planted.Plant(function, old, new, ""), tmp_path):
        refused = 0
        for word in WORDS:
            try:
                asked = {"weight": weights, "forest": word}
                found_in(ends, **asked, engine=engine).audit(ends, **asked)
            except (VerificationError, InputError):
                refused += 1
    assert refused
