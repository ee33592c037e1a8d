"""Every design on a real GPU: contention, many seeds, spanning forests, and batches."""

import numpy as np
import pytest

import cc_rapids
from cc_rapids import Connectivity, backends, generators, oracle
from cc_rapids.data.adapters import Csr
from cc_rapids.graph.edges import Edges

pytestmark = pytest.mark.gpu

RACES = {
    "star": lambda seed: generators.permuted(generators.star(200_000), seed),
    "path": lambda seed: generators.path(1500, shuffle=seed),
    "clique": lambda seed: generators.permuted(generators.cliques([500]), seed),
    "one edge": lambda seed: generators.duplicated(generators.path(2), 100_000, seed),
    "duplicates": lambda seed: generators.duplicated(generators.path(500, shuffle=seed), 100, seed),
    "rmat": lambda seed: generators.rmat(15, 200_000, 0.57, 0.19, 0.19, seed),
    "grid": lambda seed: generators.grid(120, 120, 0.6, seed),
}

ALL_ROWS = "async+halve", "none(tiles=100)+async+halve"
PAIRS = 1 << 32  # bytes that may be kept for pairs of vertices


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def graphs():
    """Each graph with its labels, for each seed: made once."""
    made = {}
    for name, make in RACES.items():
        for seed in range(5):
            graph = make(seed)
            src, dst = map(np.asarray, graph.edges)
            n = graph.num_vertices
            made[name, seed] = src, dst, n, oracle.union_find(src, dst, n)
    return made


def test_races(cupy, graphs, design):
    """Rounds read what no thread writes, but for minima: one seed is enough."""
    seeds = 5 if design.words[1].spec.finds else 1
    for (name, seed), (src, dst, n, expected) in graphs.items():
        stages = src.size // max(n, 1) if "stages" in design.sample else 0
        if seed >= seeds or stages > 1000:  # a few launches each, and no more to see
            continue
        if (
            design.words[1].spec.bytes_per_vertex_pair * n * n > PAIRS
        ):  # test_gpu_layouts.py has smaller ones
            continue
        given = f"{design} on {name}, seed {seed}"
        edges = cupy.asarray(src), cupy.asarray(dst)
        found = cc_rapids.components(
            edges, num_vertices=n, design=design, forest=design.makes_forests
        )
        np.testing.assert_array_equal(cupy.asnumpy(found.labels().labels), expected, given)
        if design.makes_forests:
            rows = cupy.asnumpy(found.forest().row)
            assert rows.size == np.unique(rows).size == n - len(found), given
            np.testing.assert_array_equal(oracle.union_find(src[rows], dst[rows], n), expected)


LONG = 1 << 20  # ids of the lists of tiles: some waves of them


def in_order(cupy, name):
    """Lists in which both ends of most edges are in one tile, and some in which few are."""
    v = cupy.arange(LONG, dtype=cupy.int32)
    random = cupy.random.default_rng(7)
    grid = generators.grid(1 << 10, 1 << 10, 0.6, 8, engine="cuda")
    near = cupy.minimum(cupy.repeat(v, 3) + random.integers(1, 50, 3 * LONG), LONG - 1)
    made = {
        "path": (v[:-1], v[1:]),
        "path back": (v[1:][::-1].copy(), v[:-1][::-1].copy()),
        "grid": grid.edges,
        "far": (v, (v + LONG // 2) % LONG),
        "near": (cupy.repeat(v, 3), near.astype(cupy.int32)),
        "star": (cupy.zeros_like(v), v),
        "chance": tuple(random.integers(0, LONG, (2, LONG)).astype(cupy.int32)),
    }
    return made[name]


@pytest.mark.parametrize("name", ["path", "path back", "grid", "far", "near", "star", "chance"])
def test_tiles(cupy, name):
    src, dst = in_order(cupy, name)
    expected = oracle.union_find(src.get(), dst.get(), LONG)
    for window, union in ((1 << 14, "async+halve"), (1000, "rem-cas+split-one"), (64, "jtb+naive")):
        design = cc_rapids.Design.parse(f"none(tiles={window})+{union}")
        for _ in range(5):
            found = cc_rapids.components(
                (src, dst), num_vertices=LONG, design=design, forest=design.makes_forests
            )
            labels = cupy.asnumpy(found.labels().labels)
            np.testing.assert_array_equal(labels, expected, f"{design} on {name}")
        if design.makes_forests:
            rows = cupy.asnumpy(found.forest().row)
            assert rows.size == np.unique(rows).size == LONG - len(found)
            joined = oracle.union_find(src.get()[rows], dst.get()[rows], LONG)
            np.testing.assert_array_equal(joined, expected, f"{design} on {name}")


@pytest.mark.parametrize("forest", [False, True])
@pytest.mark.parametrize("name", ["path", "grid", "near"])
def test_lists_in_any_order(cupy, monkeypatch, name, forest):
    """As they come, from their end, in files that each have some, and in no order; by "auto", of
    more edges than one launch takes.
    """
    apart = cupy.arange(5, dtype=cupy.int32)[:, None] * LONG
    src, dst = ((apart + end).ravel() for end in in_order(cupy, name))
    n, m, turned, backwards = 5 * LONG, src.size, [], Edges.backwards
    monkeypatch.setattr(Edges, "backwards", lambda e: turned.append(e.m) or backwards(e))
    expected = oracle.union_find(src.get(), dst.get(), n)
    orders = {
        "as they come": cupy.arange(m),
        "falling": cupy.arange(m)[::-1],
        "files": cupy.argsort(cupy.arange(m) % 7, kind="stable"),
        "no order": cupy.random.permutation(m),
    }
    for ids in (cupy.int32, cupy.int64):
        for order, rows in orders.items():
            ends = (end[rows].astype(ids) for end in (src, dst))
            found = cc_rapids.components(tuple(ends), num_vertices=n, forest=forest)
            assert len(turned) == (order == "falling"), order
            del turned[:]
            labels = cupy.asnumpy(found.labels().labels)
            np.testing.assert_array_equal(labels, expected, f"{order} {name}")
            if forest:
                left = cupy.asnumpy(rows[found.forest().row])
                joined = oracle.union_find(src.get()[left], dst.get()[left], n)
                np.testing.assert_array_equal(joined, expected, f"{order} {name}")


@pytest.mark.parametrize("n", [3000, 1 << 20, 2_100_000, 5_000_000])
def test_shared_bits(cupy, n):
    """All of them in shared memory, most, or a third; lists that end anywhere in a block."""
    random = cupy.random.default_rng(n)
    skewed = random.integers(0, n, 6 * n) * random.random(6 * n) ** 3
    for m in (6 * n, 6 * n - 77, 1281, 257):
        src, dst = skewed[:m].astype(cupy.int64), random.integers(0, n, m)
        for dtype in (cupy.int32, cupy.int64):
            ends = src.astype(dtype), dst.astype(dtype)
            expected = cc_rapids.components(ends, num_vertices=n, design="none+async+halve")
            for union in ("rem-cas+splice", "async+halve", "jtb+two-try-split"):
                design = f"strided(every=20, bits=shared)+{union}"
                found = cc_rapids.components(ends, num_vertices=n, design=design)
                assert bool((found.labels().labels == expected.labels().labels).all()), (m, union)


def test_auto_shares_bits(cupy):
    """On a GPU with as much shared memory as those that it was measured on."""
    if backends.get("cuda").shared_memory_limits().words < 55_000:
        pytest.skip("this GPU has less shared memory")
    n = 1 << 21
    ends = tuple(cupy.random.default_rng(1).integers(0, n, (2, 30 * n)).astype(cupy.int32))
    found = cc_rapids.components(ends)
    assert "bits=shared" in found.summary()["design"]
    assert found.audit(ends).components == len(found)


@pytest.mark.parametrize("both", [True, False])
def test_rows_of_cupy_and_cudf(cupy, both):
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    src, dst = map(np.asarray, generators.rmat(12, 20_000, 0.57, 0.19, 0.19, 3).edges)
    n = 1 << 12
    ends = (np.append(src, dst), np.append(dst, src)) if both else (src, dst)
    ones, ends = cupy.ones(ends[0].size), tuple(map(cupy.asarray, ends))
    matrix = sparse.coo_matrix((ones, ends), shape=(n, n)).tocsr()
    expected = oracle.union_find(src, dst, n)
    rows = Csr(matrix.indptr, matrix.indices, symmetric=both)
    for given in (matrix, rows):
        for name in ("auto", "kout+async+halve", "hook+ecl", "bfs+async+halve", *ALL_ROWS):
            labels = cc_rapids.components(given, design=name).labels().labels
            np.testing.assert_array_equal(cupy.asnumpy(labels), expected, name)


def test_spanning_forest_of_cudf():
    cudf = pytest.importorskip("cudf")
    frame = cudf.DataFrame(
        {"src": ["b", "a", None, "c", "x"], "dst": ["a", "c", "x", "b", "x"], "w": [1, 2, 3, 4, 5]}
    )
    found = cc_rapids.components(frame, nulls="drop", forest=True)
    forest = found.forest()
    assert isinstance(forest, cudf.DataFrame)
    assert len(forest) == 2
    picked = frame.take(forest["row"].to_cupy())
    assert picked["src"].to_arrow().to_pylist() == forest["source"].to_arrow().to_pylist()
    assert picked["dst"].to_arrow().to_pylist() == forest["destination"].to_arrow().to_pylist()
    assert found.labels()["labels"].to_arrow().to_pylist() == ["a", "a", "a", "x"]


@pytest.mark.parametrize(
    "name", ["async+halve", "jtb+two-try-split", "rem-cas+splice", "shiloach-vishkin"]
)
def test_batches_of_cudf(name):
    cudf = pytest.importorskip("cudf")
    rng = np.random.default_rng(5)
    n = 3000
    src, dst = rng.integers(0, n, (2, 2400)) * 7**9
    state = Connectivity(design=name, engine="cuda")
    for k in range(0, 2400, 300):
        part = cudf.DataFrame({"src": src[k : k + 300], "dst": dst[k : k + 300]})
        state.insert(part)
        whole = cudf.DataFrame({"src": src[: k + 300], "dst": dst[: k + 300]})
        expected = cc_rapids.connected_components(whole)
        got = state.components().labels()
        assert got.to_pandas().equals(expected.to_pandas()), name
        joined = state.connected(part)
        assert isinstance(joined, cudf.Series)
        assert bool(joined.all())


def test_locks_are_for_gpus_with_independent_threads():
    assert backends.get("cuda").has_locks
    found = cc_rapids.components(([0, 1], [1, 2]), design="rem-lock+naive", engine="cuda")
    assert len(found) == 1
