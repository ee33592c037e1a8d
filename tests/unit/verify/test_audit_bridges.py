"""The audit of bridges: right frames pass, each other set of rows is refused in words."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import planted
from support.choices import on_simulator

import cc_rapids
from cc_rapids import VerificationError, oracle
from cc_rapids.errors import InputError
from cc_rapids.kernels import tours

FRAME = pd.DataFrame({"src": [1, 2, 3, 3, 5, 6, 7], "dst": [2, 3, 1, 4, 5, 7, 6]})


def listed(edges, rows):
    """Return a frame of some rows of edges, as that of bridges is."""
    src, dst = (np.asarray(side)[rows] for side in edges)
    return pd.DataFrame({"row": rows, "source": src, "destination": dst})


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("many", [0, 1, 20, 60, 300])
def test_right_frames_pass(engine, dtype, many):
    ends = np.random.default_rng(many).integers(0, 50, (2, many)).astype(dtype)
    edges = ends[0], ends[1]
    found = cc_rapids.components(edges, engine=engine)
    proof = found.audit(edges, bridges=cc_rapids.bridges(edges, engine=engine))
    assert (proof.edges, proof.components) == (many, len(found))


@settings(deadline=None)
@given(st.data())
def test_every_other_set_of_rows_is_refused(data):
    pairs = st.tuples(st.integers(0, 9), st.integers(0, 9))
    ends = np.array(data.draw(st.lists(pairs, min_size=1, max_size=24)), np.int64)
    edges, m = (ends[:, 0].copy(), ends[:, 1].copy()), len(ends)
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, m - 1)))), np.int64)
    right = oracle.bridges(*edges, 10)
    found = cc_rapids.components(edges)
    found.audit(edges, bridges=listed(edges, right))
    if rows.tolist() != right.tolist():
        with pytest.raises(VerificationError, match="bridge"):
            found.audit(edges, bridges=listed(edges, rows))


WRONG = [
    ([], "edge 3 from 3 to 4 is a bridge, which is missing"),
    ([2, 3], "edge 2 is not a bridge"),
    ([0, 2, 3], "edge 0 is not a bridge"),
    ([3, 4], "edge 4 is not a bridge"),
    ([3, 5], "edge 5 is not a bridge"),
    ([3, 3], "row 3 of the bridges comes after 3"),
]


@pytest.mark.parametrize(("rows", "said"), WRONG)
def test_wrong_rows_are_refused(engine, rows, said):
    edges = FRAME["src"].to_numpy(), FRAME["dst"].to_numpy()
    found = cc_rapids.components(edges, engine=engine)
    with pytest.raises(VerificationError, match=said):
        found.audit(edges, bridges=listed(edges, np.array(rows, np.int64)))


def test_wrong_columns_are_refused():
    found, right = cc_rapids.components(FRAME), cc_rapids.bridges(FRAME)
    for name in ("source", "destination"):
        with pytest.raises(
            VerificationError, match="edge 3 has different ends in the edges and in the bridges"
        ):
            found.audit(FRAME, bridges=right.assign(**{name: [1]}))
    with pytest.raises(VerificationError, match="row 9 of the bridges is not among the 7 edges"):
        found.audit(FRAME, bridges=right.assign(row=[9]))
    nothing = cc_rapids.components(([], []))
    with pytest.raises(VerificationError, match="the frame has 1 bridge, but there is no edge"):
        nothing.audit(([], []), bridges=right)


def test_long_paths_cycles_and_stars():
    n = 20_000
    ids = np.random.default_rng(3).permutation(n)
    for edges in ((ids[:-1], ids[1:]), (np.full(n - 1, ids[0]), ids[1:]), (ids, np.roll(ids, 1))):
        found, right = cc_rapids.components(edges), cc_rapids.bridges(edges)
        assert len(right.row) == (0 if len(edges[0]) == n else n - 1)
        found.audit(edges, bridges=right)


def test_ids_and_frames_of_every_kind(tmp_path):
    ends = np.random.default_rng(5).integers(0, 90, (2, 100))
    names = pd.DataFrame({"src": ends[0], "dst": ends[1]})
    words = names.assign(src=[f"v{v}" for v in ends[0]], dst=[f"v{v}" for v in ends[1]])
    far = names.assign(src=ends[0] * 10**15, dst=ends[1] * 10**15)
    made = (pd.DataFrame, pl.from_pandas, pa.Table.from_pandas, duckdb.from_df)
    for edges in (make(frame) for frame in (names, words, far) for make in made):
        cc_rapids.components(edges).audit(edges, bridges=cc_rapids.bridges(edges))
    two, sides = names.assign(a=ends[0] % 3, b=ends[1] % 3), (["a", "src"], ["b", "dst"])
    for edges in (make(two) for make in made):
        found, right = cc_rapids.components(edges, *sides), cc_rapids.bridges(edges, *sides)
        found.audit(edges, *sides, bridges=right)
    path = str(tmp_path / "edges.parquet")
    pq.write_table(pa.Table.from_pandas(words), path)
    cc_rapids.components(path).audit(path, bridges=cc_rapids.bridges(path))


def test_rows_that_are_left_out_keep_their_numbers():
    frame = pd.DataFrame({"src": pd.array([None, 1, 2, 2], "Int64"), "dst": [1, 2, 3, 4]})
    right = cc_rapids.bridges(frame, nulls="drop")
    assert right["row"].tolist() == [1, 2, 3]
    found = cc_rapids.components(frame, nulls="drop")
    found.audit(frame, nulls="drop", bridges=right)
    with pytest.raises(VerificationError, match="edge 2 from 2 to 3 is a bridge"):
        found.audit(frame, nulls="drop", bridges=right.drop(index=1))


def test_a_stream_is_refused():
    with pytest.raises(InputError, match="bridges= needs all edges at once"):
        cc_rapids.components(FRAME).audit(iter([FRAME]), bridges=cc_rapids.bridges(FRAME))


PLANTS = {
    "reached": (tours.reach, "v < u", "v > u"),
    "blocks": (
        tours.extremes_of_subtrees,
        "base + end_block - (ONE << level)",
        "base + first_block",
    ),
    "begin": (tours.extremes_of_subtrees, "begin < before_end", "begin + ONE < before_end"),
    "size": (tours.number_subtrees, "+ word(1) >> word(1)", ">> word(1)"),
}


@pytest.mark.slow
@on_simulator
@pytest.mark.parametrize("name", PLANTS)
def test_faults_of_runs_are_found(name, engine, tmp_path):
    """Of random edges, and of rings that are as many blocks of numbers long."""
    ends = np.random.default_rng(8).integers(0, 1000, (2, 1100))
    ring = np.arange(7 * tours.BLOCK)
    rings = [(1000 * k + ring, 1000 * k + np.roll(ring, -1)) for k in range(1, 5)]
    edges = tuple(np.concatenate(sides) for sides in zip(ends, *rings, strict=True))
    right = cc_rapids.bridges(edges, engine=engine)
    found = cc_rapids.components(edges, engine=engine)
    function, old, new = PLANTS[name]
    with planted.planted(planted.Plant(function, old, new, ""), tmp_path):
        wrong = cc_rapids.bridges(edges, engine=engine)
        assert wrong.row.tolist() != right.row.tolist(), "it spoils nothing"
        with pytest.raises(VerificationError):
            found.audit(edges, bridges=wrong)
    with pytest.raises(VerificationError, match="bridge"):
        found.audit(edges, bridges=wrong)
