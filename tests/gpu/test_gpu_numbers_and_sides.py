"""Stable numbers, colours and odd cycles of real cuDF frames: those of threads, on any list."""

import numpy as np
import pandas as pd
import pytest

import cc_rapids

pytestmark = pytest.mark.gpu

MIX = np.uint64(0x9E3779B97F4A7C15)
KINDS = {
    "near": lambda v: v.astype(np.int32),
    "far": lambda v: (v.astype(np.uint64) * MIX).view(np.int64),
    "high": lambda v: v.astype(np.uint64) * MIX,
    "words": lambda v: np.array([f"doc {k} é" for k in v], object),
}
SIDES = ["src", "kind"], ["dst", "kind"]


def lists(kind, days=4, ids=30_000, pairs=20_000):
    """Lists of pairs that come and go, as pandas frames."""
    chance = np.random.default_rng(3)
    ends = chance.integers(0, ids, (2, pairs))
    for _ in range(days):
        kept = ends[:, chance.random(ends.shape[1]) > 0.1]
        ends = np.concatenate([kept, chance.integers(0, ids, (2, pairs // 10))], axis=1)
        ends = ends[:, chance.permutation(ends.shape[1])]
        yield pd.DataFrame({"src": KINDS[kind](ends[0]), "dst": KINDS[kind](ends[1])})


def same(frame, host):
    assert type(frame).__module__.startswith("cudf")
    pd.testing.assert_frame_equal(frame.to_pandas(), host)


@pytest.mark.parametrize("policy", ["majority", "largest", "least"])
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_threads(cudf, kind, policy, tmp_path):
    path, ours, theirs = tmp_path / "numbers", None, None
    for day, pairs in enumerate(lists(kind)):
        held = ours
        theirs = cc_rapids.components(pairs).stable_ids(theirs, policy)
        ours = cc_rapids.components(cudf.from_pandas(pairs)).stable_ids(ours, policy)
        same(ours.labels(), theirs.labels())
        assert ours.next_id == theirs.next_id
        for mine, others in zip(ours.changes(), theirs.changes(), strict=True):
            same(mine, others)
        proof = ours.audit(held, policy)
        assert (proof.components, proof.vertices) == (len(theirs), len(theirs.labels()))
        ours.save(path)
        ways = path, cc_rapids.StableIds.load(path), theirs, ours
        again = cc_rapids.components(cudf.from_pandas(pairs))
        for previous in ways:
            same(again.stable_ids(previous).labels(), theirs.labels())
        frame = ours.labels()
        same(again.stable_ids(frame, next_id=ours.next_id).labels(), theirs.labels())
        ours = ways[day % 3]


@pytest.mark.parametrize("kind", KINDS)
def test_colours_and_cycles_are_those_of_threads(cudf, kind):
    for pairs in lists(kind, days=2):
        for edges in (pairs, pairs[pairs["src"] != pairs["dst"]]):
            theirs = cc_rapids.bipartition(edges)
            ours = cc_rapids.bipartition(cudf.from_pandas(edges))
            assert not ours.is_bipartite
            same(ours.odd_cycles(), theirs.odd_cycles())
            colors, host = ours.colors(), theirs.colors()
            assert colors["color"].null_count == host["color"].isna().sum()
            same(colors.fillna(-1), host.fillna(-1).astype({"color": np.int8}))
            proof = ours.audit(cudf.from_pandas(edges))
            assert (proof.vertices, proof.edges) == (len(host), len(edges))
            row = int(np.flatnonzero(host["color"].notna())[0])
            ours._color[row] = 1 - ours._color[row]
            with pytest.raises(cc_rapids.errors.VerificationError):
                ours.audit(cudf.from_pandas(edges))


def test_ids_of_several_columns(cudf):
    for pairs in lists("near", days=1):
        pairs["kind"] = ["a", "b"] * (len(pairs) // 2) + ["c"] * (len(pairs) % 2)
        ours = cc_rapids.components(cudf.from_pandas(pairs), *SIDES).stable_ids()
        theirs = cc_rapids.components(pairs, *SIDES).stable_ids()
        same(ours.labels(), theirs.labels())
        frame = cudf.from_pandas(theirs.labels().sample(frac=1, random_state=1))
        again = cc_rapids.components(cudf.from_pandas(pairs), *SIDES)
        same(again.stable_ids(frame, next_id=len(ours)).labels(), theirs.labels())
        ours = cc_rapids.bipartition(cudf.from_pandas(pairs), *SIDES)
        same(ours.odd_cycles(), cc_rapids.bipartition(pairs, *SIDES).odd_cycles())
        assert ours.audit(cudf.from_pandas(pairs), *SIDES).edges == len(pairs)
        assert again.stable_ids(frame, next_id=len(theirs)).audit(frame, next_id=len(theirs)).kept


@pytest.mark.parametrize("many", [5, 1000, 100_001, 100_000])
def test_long_cycles_of_arrays(many):
    import cupy

    ring = cupy.arange(many)
    found = cc_rapids.bipartition((ring, cupy.roll(ring, -1)))
    assert found.is_bipartite == (many % 2 == 0)
    color, cycle = found.colors().color, found.odd_cycles()
    assert isinstance(color, cupy.ndarray)
    if found.is_bipartite:
        assert not cycle.row.size
        assert (color == ring % 2).all()
    else:
        assert (color == -1).all()
        assert (cupy.sort(cycle.row) == ring).all()
    assert found.audit((ring, cupy.roll(ring, -1))).odd == many % 2


def test_no_edges_at_all(cudf):
    none = cudf.from_pandas(pd.DataFrame({"src": [], "dst": []}, dtype=np.int64))
    held = cc_rapids.components(none).stable_ids()
    assert (len(held), len(held.labels()), held.next_id) == (0, 0, 0)
    found = cc_rapids.bipartition(none)
    assert (found.is_bipartite, len(found.colors()), len(found.odd_cycles())) == (True, 0, 0)
    assert found.audit(none).vertices == held.audit().vertices == 0
