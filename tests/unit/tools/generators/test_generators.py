"""Seeded graphs: the same on every engine, of the promised shape, with the promised answers."""

import hashlib

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import scipy.stats

import cc_rapids
from cc_rapids import backends, generators, oracle
from cc_rapids.errors import InputError
from cc_rapids.tools.generators import kernels as generate

KNOWN = {
    "path": lambda **on: generators.path(50, **on),
    "path of none": lambda **on: generators.path(0, **on),
    "path of one": lambda **on: generators.path(1, **on),
    "path shuffled": lambda **on: generators.path(100, shuffle=3, **on),
    "star": lambda **on: generators.star(40, **on),
    "cliques": lambda **on: generators.cliques([1, 5, 0, 2, 8, 0], **on),
    "no cliques": lambda **on: generators.cliques([], **on),
    "cliques permuted": lambda **on: generators.permuted(generators.cliques([3, 1, 6, 2], **on), 1),
    "isolated": lambda **on: generators.isolated(7, **on),
    "self-loops": lambda **on: generators.self_loops(9, **on),
    "grid": lambda **on: generators.grid(6, 9, **on),
    "torus": lambda **on: generators.torus2d(4, 6, **on),
    "path duplicated": lambda **on: generators.duplicated(generators.path(30, **on), 4, 2),
    "duplicated no times": lambda **on: generators.duplicated(generators.path(30, **on), 0),
    "pairs": lambda **on: generators.near_duplicate_pairs(500, 700, seed=3, **on),
    "pairs of none": lambda **on: generators.near_duplicate_pairs(0, 0, **on),
    "pairs of one": lambda **on: generators.near_duplicate_pairs(1, 3, **on),
    "pairs of twos": lambda **on: generators.near_duplicate_pairs(301, 400, most=2, **on),
    "bands": lambda **on: generators.banded_pairs(300, 1501, 4, 1.5, 50, seed=2, **on),
}
LISTS = ("pairs60M", "bands10M", "records50M", "pairs1M")
RANDOM = {
    "rmat": lambda **on: generators.rmat(9, 600, 0.57, 0.19, 0.19, seed=1, **on),
    "rmat of one vertex": lambda **on: generators.rmat(0, 5, 0.57, 0.19, 0.19, **on),
    "rmat as made": lambda **on: generators.rmat(5, 90, 0.4, 0.3, 0.2, permute=False, **on),
    "barabasi_albert": lambda **on: generators.barabasi_albert(300, 4, seed=2, **on),
    "barabasi_albert of no edge": lambda **on: generators.barabasi_albert(3, 0, **on),
    "uniform": lambda **on: generators.uniform(1000, 400, seed=2, **on),
    "uniform, long seed": lambda **on: generators.uniform(1000, 10, seed=1 << 70, **on),
    "grid in part": lambda **on: generators.grid(13, 11, 0.5, seed=4, **on),
    "rmat duplicated": lambda **on: generators.duplicated(RANDOM["rmat"](**on), 2, 5),
    "records": lambda **on: generators.record_keys(200, 300, 3, 0.7, seed=1, **on),
    "records as made": lambda **on: generators.record_keys(99, 40, permute=False, **on),
    "records without keys": lambda **on: generators.record_keys(5, 0, each=0, **on),
    "records of 2^16 and more keys": lambda **on: generators.record_keys(99, 1 << 20, **on),
    **{
        name: lambda name=name, **on: generators.reference(name, scale=6, **on)
        for name in generators.REFERENCES
    },
}
PINNED = {
    "rmat": "2ec760a250d9",
    "rmat of one vertex": "5b6fb58e61fa",
    "rmat as made": "82a27125a786",
    "barabasi_albert": "29e7cb8281bf",
    "barabasi_albert of no edge": "e3b0c44298fc",
    "uniform": "03f2bcb29131",
    "uniform, long seed": "5ecfdbce0765",
    "grid in part": "c3c7f66c0073",
    "rmat duplicated": "d820266d0331",
    "kron21": "bcbd502e6136",
    "social22": "bce4317e2b58",
    "road": "a9fef4e603ba",
    "uniform25M": "3839406c6356",
    "rmat24": "dd2bb9e06106",
    "records": "b407cfa2cef9",
    "records as made": "26db4e27a06b",
    "records without keys": "e3b0c44298fc",
    "records of 2^16 and more keys": "84b6d457b901",
    "pairs60M": "a9c105df8cde",
    "bands10M": "a2360769fbff",
    "records50M": "827cbabc2025",
    "pairs1M": "2183ce61988f",
}
ALL = KNOWN | RANDOM


def host(graph):
    to_host = backends.get(graph.engine).to_host
    return to_host(graph.src), to_host(graph.dst)


def digest(graph):
    columns = [column.astype("<u8").tobytes() for column in host(graph)]
    return hashlib.sha256(b"".join(columns)).hexdigest()[:12]


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
@pytest.mark.parametrize("dtype", [np.uint32, np.int64], ids=["uint32", "int64"])
def test_every_engine_makes_the_same_edges(make, dtype, engine):
    graph, plain = make(engine=engine, dtype=dtype), make()
    assert isinstance(graph.src, backends.get(engine).xp.ndarray)
    assert graph.src.dtype == graph.dst.dtype == dtype
    assert graph.num_vertices == plain.num_vertices
    for ours, theirs in zip(host(graph), host(plain), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_seed_means_the_same_edges_for_ever():
    assert {name: digest(make()) for name, make in RANDOM.items()} == PINNED


@pytest.mark.parametrize("make", RANDOM.values(), ids=RANDOM)
def test_vertices_are_in_range(make):
    graph = make()
    for column in host(graph):
        assert column.size == graph.num_edges
        assert column.max(initial=0) < graph.num_vertices


@pytest.mark.parametrize("make", KNOWN.values(), ids=KNOWN)
def test_known_answers(make, engine):
    graph = make(engine=engine)
    labels = graph.labels()
    np.testing.assert_array_equal(labels, oracle.union_find(*host(graph), graph.num_vertices))
    assert labels.dtype == np.int64
    assert graph.components == np.unique(labels).size
    found = cc_rapids.components(graph.edges, num_vertices=graph.num_vertices, engine=engine)
    assert len(found) == graph.components


def test_unknown_answers_are_said_to_be_unknown():
    graph = generators.reference("kron21", scale=5)
    assert graph.components is None
    with pytest.raises(InputError, match="kron21 at scale 5 are not known"):
        graph.labels()
    with pytest.raises(InputError, match="not known"):
        generators.permuted(graph).labels()


def test_philox_gives_the_published_numbers(on):
    """The known answers that the Random123 library ships for philox2x32-10."""

    def prober(on):
        bits = generate.philox(on)

        @on.elementwise
        def probe(i, keys, xs, ys, out):
            out[i] = bits(keys[i], xs[i], ys[i])

        return probe

    given = np.array([[0, 0, 0], [0xFFFFFFFF] * 3, [0x13198A2E, 0x243F6A88, 0x85A308D3]], np.uint64)
    keys, xs, ys = (on.asarray(column.copy()) for column in given.T)
    out = on.empty(3, np.uint64)
    prober(on)(3, keys, xs, ys, out)
    assert on.to_host(out).tolist() == [0xFF1DAE596CD10DF2, 0x2C3F628BAB4FD7AD, 0xDD7CE038F62A4C12]


@pytest.mark.parametrize("n", [*range(34), 63, 64, 65, 1000, 1 << 15, (1 << 17) + 1])
def test_a_permutation_meets_every_vertex_once(n):
    places = generators.permuted(generators.self_loops(n), seed=n).src
    np.testing.assert_array_equal(np.sort(places), np.arange(n))


def test_a_permutation_of_the_largest_graph_stays_in_range():
    graph = generators.rmat(32, 10_000, 0.25, 0.25, 0.25, seed=1)
    again = generators.permuted(graph, seed=2)
    assert np.unique(graph.src).size == np.unique(again.src).size
    assert (graph.src != again.src).any()


@pytest.mark.parametrize("n", [8, 100, 128])
def test_permutations_are_even(n):
    """Each vertex goes to each place equally often, and neighbours part at any distance."""
    seeds = 2000
    places = np.stack(
        [
            generators.permuted(generators.self_loops(n), seed).src.astype(int)
            for seed in range(seeds)
        ]
    )
    for counts in (
        np.bincount(places[:, n // 3], minlength=n),
        np.bincount((places[:, n // 2] - places[:, n // 2 - 1]) % n, minlength=n)[1:],
    ):
        # each count is about Poisson: six standard deviations are left to chance
        mean = seeds / counts.size
        assert abs(counts - mean).max() < 6 * mean**0.5


def test_seeds_differ():
    graphs = [generators.uniform(1000, 50, seed=seed) for seed in range(20)]
    assert len({digest(graph) for graph in graphs}) == 20


@pytest.mark.parametrize(("a", "b", "c"), [(0.45, 0.22, 0.2), (0.5, 0.1, 0.1)])
def test_rmat_falls_into_quadrants_as_told(a, b, c):
    m = 200_000
    graph = generators.rmat(6, m, a, b, c, seed=3, permute=False)
    for level in range(6):
        down, right = ((column >> level) & 1 for column in graph.edges)
        share = np.bincount(2 * down + right, minlength=4) / m
        np.testing.assert_allclose(share, [a, b, c, 1 - a - b - c], atol=5 * 0.5 / m**0.5)


def test_rmat_levels_are_independent():
    m = 200_000
    graph = generators.rmat(6, m, 0.5, 0.2, 0.2, seed=3, permute=False)
    bits = np.stack([(graph.src >> level) & 1 for level in range(6)]).astype(float)
    assert abs(np.corrcoef(bits) - np.eye(6)).max() < 5 / m**0.5


def test_barabasi_albert_copies_places_of_the_list_of_ends(on):
    """Batagelj and Brandes's sequential algorithm, whose list is filled from the same bits."""

    def drawer(on):
        bits = generate.draw(on)

        @on.elementwise
        def drawn(e, key, out):
            out[e] = bits(key, e, np.uint64(0))

        return drawn

    n, each, seed = 60, 4, 5
    out = on.empty(n * each, np.uint64)
    key = int(np.random.SeedSequence(seed).generate_state(1)[0])
    drawer(on)(n * each, key, out)
    ends = []
    for e, drawn in enumerate(on.to_host(out).tolist()):
        ends.append(e // each)
        ends.append(ends[drawn % (2 * e + 1)])
    graph = generators.barabasi_albert(n, each, seed)
    assert graph.src.tolist() == ends[::2]
    assert graph.dst.tolist() == ends[1::2]


def test_barabasi_albert_follows_its_law():
    """The first share x of the vertices has the share sqrt(x) of all ends; degrees fall by k^-3."""
    n, each = 40_000, 5
    graph = generators.barabasi_albert(n, each, seed=1)
    degree = np.bincount(np.concatenate(graph.edges), minlength=n)
    for share in (0.01, 0.1, 0.25, 0.5):
        assert degree[: int(share * n)].sum() / degree.sum() == pytest.approx(share**0.5, rel=0.05)
    at_least = [np.count_nonzero(degree >= k) for k in (10, 20, 40, 80)]
    ratios = np.divide(at_least[:-1], at_least[1:])
    np.testing.assert_allclose(ratios, [4, 4, 4], rtol=0.25)  # P(degree >= k) is about k^-2


def test_uniform_is_uniform():
    n, m = 1000, 500_000
    graph = generators.uniform(n, m, seed=8)
    for column in graph.edges:
        counts = np.bincount(column, minlength=n)
        assert abs(counts - m / n).max() < 6 * (m / n) ** 0.5
    assert abs(np.corrcoef(*graph.edges)[0, 1]) < 5 / m**0.5


def test_a_grid_has_its_edges_in_order():
    rows, columns = 4, 3
    expected = []
    for v in range(rows * columns):
        if v % columns < columns - 1:
            expected.append((v, v + 1))
        if v // columns < rows - 1:
            expected.append((v, v + columns))
    graph = generators.grid(rows, columns)
    assert list(zip(*(column.tolist() for column in graph.edges), strict=True)) == expected
    part = generators.grid(rows, columns, 0.5, seed=1)
    kept = list(zip(*(column.tolist() for column in part.edges), strict=True))
    assert [edge for edge in expected if edge in set(kept)] == kept
    assert generators.grid(rows, columns, 0).num_edges == 0


def test_a_torus_goes_around_both_ways():
    graph = generators.torus2d(3, 4)
    around = nx.grid_2d_graph(3, 4, periodic=True)
    expected = {frozenset((4 * r + c, 4 * s + d)) for (r, c), (s, d) in around.edges}
    assert {frozenset(map(int, edge)) for edge in zip(*graph.edges, strict=True)} == expected
    assert graph.num_edges == len(expected) == 24


def test_a_grid_keeps_its_share():
    graph = generators.grid(300, 300, 0.6, seed=2)
    whole = 2 * 300 * 299
    assert abs(graph.num_edges - 0.6 * whole) < 5 * (0.24 * whole) ** 0.5


def test_cliques_join_each_pair_once():
    graph = generators.cliques([4, 1, 5])
    pairs = {tuple(sorted(pair)) for pair in zip(*map(np.ndarray.tolist, graph.edges), strict=True)}
    blocks = [range(4), range(5, 10)]
    assert pairs == {(u, v) for block in blocks for u in block for v in block if u < v}
    assert graph.num_edges == len(pairs)


def test_duplicates_in_random_order_and_direction():
    graph = generators.path(64)
    many = generators.duplicated(graph, 10, seed=6)
    low, high = np.minimum(*many.edges), np.maximum(*many.edges)
    np.testing.assert_array_equal(np.bincount(low), [10] * 63)
    np.testing.assert_array_equal(high, low + 1)
    assert 200 < np.count_nonzero(many.src < many.dst) < 430
    assert (np.diff(low.astype(int)) < 0).any()


def test_the_graphs_that_are_given_stay_as_they_are():
    graph = generators.star(20)
    before = [column.copy() for column in graph.edges]
    generators.permuted(graph, 1)
    generators.duplicated(graph, 3)
    for column, old in zip(graph.edges, before, strict=True):
        np.testing.assert_array_equal(column, old)


def test_scales():
    for name, full in generators.REFERENCES.items():
        graph = generators.reference(name, scale=12)
        assert graph.num_vertices == 1 << 12
        assert graph.num_edges == pytest.approx(full.edges / full.vertices * (1 << 12), rel=0.05)
        assert graph.name == f"{name} at scale 12"
        assert (graph.components is None) == (graph.expected is None)
    assert generators.reference("uniform25M", scale=6.5).num_vertices == 91


@pytest.mark.parametrize("name", LISTS)
def test_lists_have_the_components_that_scipy_finds(name):
    graph = generators.reference(name, scale=13, seed=4)
    n, ends = graph.num_vertices, tuple(column.astype(int) for column in graph.edges)
    matrix = scipy.sparse.coo_array((np.ones(graph.num_edges), ends), shape=(n, n))
    count, labels = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    found = cc_rapids.components(graph.edges, num_vertices=n, engine="threads")
    np.testing.assert_array_equal(found.labels("dense").labels, labels)
    assert graph.components in (count, None)
    assert (graph.components is None) == (name == "records50M")


@pytest.mark.parametrize("name", LISTS)
def test_lists_have_their_rows_and_vertices(name):
    full = generators.pieces.REFERENCES[name]
    made = {
        "pairs60M": (60_000_000, 100_000_000),
        "bands10M": (10_000_000, 100_000_000),
        "records50M": (110_000_000, 100_000_000),
        "pairs1M": (1_000_000, 2_000_000),
    }
    assert (full.vertices, full.edges) == made[name]
    graph = generators.reference(name, scale=14)
    assert graph.num_edges in (round(full.edges * (1 << 14) / full.vertices) - d for d in (0, 1))
    assert max(int(column.max()) for column in graph.edges) < 1 << 14


@pytest.mark.slow
def test_the_smallest_list_at_full_scale():
    graph = generators.reference("pairs1M")
    found = cc_rapids.components(graph.edges)
    assert len(found) == graph.components == generators.REFERENCES["pairs1M"].components
    assert found.summary()["vertices"] == graph.num_vertices == 1_000_000
    assert graph.num_edges == 2_000_000
    assert generators.reference("pairs1M", seed=1).components != graph.components


def sizes_of(graph):
    return np.unique(graph.labels(), return_counts=True)[1]


def test_sizes_of_clusters_follow_their_law():
    """One more than a number of SciPy's Zipf law, and cut to the largest."""
    size = sizes_of(generators.near_duplicate_pairs(400_000, 600_000, 1.9, 60, seed=7))
    law = scipy.stats.zipf(1.9)
    shares = {k: law.pmf(k - 1) for k in range(2, 12)} | {60: law.sf(58)}
    for k, share in shares.items():
        mean = share * size.size
        assert abs(np.count_nonzero(size == k) - mean) < 6 * mean**0.5, k
    assert (size.min(), size.max()) == (2, 60)
    assert sizes_of(generators.near_duplicate_pairs(1 << 17, 1 << 18)).max() == 5000
    assert sorted(sizes_of(generators.near_duplicate_pairs(301, 400, most=2))) == [1, *[2] * 150]


def test_a_steeper_law_has_smaller_clusters():
    clusters = [
        generators.near_duplicate_pairs(10_000, 20_000, exponent).components
        for exponent in (1.2, 1.9, 3, 9)
    ]
    assert clusters == sorted(set(clusters))


def test_pairs_are_of_any_two_documents_of_a_cluster():
    """With many pairs, each two of a cluster are paired about equally often, whatever their order.

    The fewest that join the cluster are rows of a tree, and leave out others.
    """
    n, m = 6, 90_000
    graph = generators.near_duplicate_pairs(n, m, exponent=1.01, most=n, seed=11)
    assert graph.components == 1, "another seed has one cluster"
    assert (graph.src != graph.dst).all()
    seen = np.bincount(graph.src.astype(int) * n + graph.dst, minlength=n * n).reshape(n, n)
    counts = seen[~np.eye(n, dtype=bool)]
    assert abs(counts - m / counts.size).max() < 6 * (m / counts.size) ** 0.5
    tree = generators.near_duplicate_pairs(n, n - 1, exponent=1.01, most=n, seed=11)
    assert (tree.num_edges, tree.components) == (n - 1, 1)


def test_documents_and_rows_are_in_no_order():
    graph = generators.near_duplicate_pairs(20_000, 40_000, seed=2)
    for column in (*graph.edges, graph.labels()[graph.src]):
        assert abs(np.corrcoef(column, np.arange(graph.num_edges))[0, 1]) < 6 / 40_000**0.5
    labels = graph.labels()[graph.src]
    assert np.mean(labels[1:] == labels[:-1]) < 0.1


def test_each_band_finds_the_same_pairs_in_another_order():
    graph = generators.banded_pairs(500, 5030, bands=5, seed=3)
    pairs = np.stack(graph.edges, axis=1)
    bands = [pairs[k * 1006 : (k + 1) * 1006].tolist() for k in range(5)]
    assert all(sorted(band) == sorted(bands[0]) for band in bands)
    assert len({str(band) for band in bands}) == 5
    alone = generators.near_duplicate_pairs(500, 1006, seed=3)
    assert sorted(np.stack(alone.edges, axis=1).tolist()) == sorted(bands[0])
    short = np.stack(generators.banded_pairs(500, 5027, bands=5, seed=3).edges, axis=1).tolist()
    assert short == pairs[:5027].tolist()


@pytest.mark.parametrize("power", [0.5, 1, 1.5, 4])
def test_keys_are_as_dense_as_told(power):
    """The share of keys below x of all is x^(1 / power)."""
    records, keys = 100_000, 1000
    graph = generators.record_keys(records, keys, 2, power, seed=5, permute=False)
    np.testing.assert_array_equal(graph.src, np.repeat(np.arange(records), 2))
    key = np.sort(graph.dst.astype(int) - records)
    assert key.min() >= 0
    assert key.max() < keys
    below = np.searchsorted(key, np.arange(keys + 1)) / key.size
    expected = (np.arange(keys + 1) / keys) ** (1 / power)
    assert abs(below - expected).max() < 2 / key.size**0.5  # Kolmogorov and Smirnov: p = 0.0007
    first, second = graph.dst.reshape(-1, 2).T
    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / records**0.5


def test_records_and_keys_get_random_numbers():
    plain = generators.record_keys(300, 200, seed=6, permute=False)
    mixed = generators.record_keys(300, 200, seed=6)
    for ours, theirs in zip(generators.permuted(plain, 6).edges, mixed.edges, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not set(mixed.src.tolist()) & set(mixed.dst.tolist())


def test_a_share_of_a_large_list_is_made_alone():
    """No piece needs those before it, and no array is as long as the list."""
    cut = generators.pieces.banded_pairs(10_000, 10**12, bands=10**8)
    src, dst = next(cut.cut(1000))
    labels = cut.expected()
    np.testing.assert_array_equal(labels[src], labels[dst])
    keys = generators.pieces.record_keys(1 << 31, 1 << 31)
    src, dst = keys.part("threads", np.int64, keys.steps - 1000, 1000)
    assert (keys.steps, src.size) == (1 << 32, 1000)
    assert 1 << 30 < max(src.max(), dst.max()) < 1 << 32


@pytest.mark.extended
def test_the_road_at_full_scale():
    graph = generators.reference("road")
    found = cc_rapids.components(graph.edges, num_vertices=graph.num_vertices)
    assert (graph.num_vertices, graph.num_edges) == (24_010_000, 28_807_077)
    assert len(found) == graph.components
    assert generators.reference("uniform25M", scale=3, seed=1).components is None


@pytest.mark.gpu
@pytest.mark.parametrize("name", generators.REFERENCES)
def test_a_gpu_finds_the_components_that_threads_found(name):
    graph = generators.reference(name, engine="cuda")
    found = cc_rapids.components(graph.edges, num_vertices=graph.num_vertices)
    assert len(found) == graph.components


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: generators.reference("kron12"), "reference graph 'kron12': did you mean 'kron21'"),
        (lambda: generators.reference("kron21", scale=5.5), "integer scale"),
        (lambda: generators.reference("kron21", scale=33), "0 to 32, not 33"),
        (lambda: generators.rmat(5.0, 9, 0.5, 0.1, 0.1), r"0 to 32, not 5\.0"),
        (lambda: generators.rmat(5, 9, 0.5, 0.5, 0.1), "sum of at most 1"),
        (lambda: generators.rmat(5, 9, -0.1, 0.5, 0.1), "probabilities"),
        (lambda: generators.rmat(5, -1, 0.5, 0.1, 0.1), "num_edges must be an integer"),
        (lambda: generators.barabasi_albert(9, -1), "each must be an integer"),
        (lambda: generators.barabasi_albert(300, 1, dtype=np.uint8), "300 vertices do not fit"),
        (lambda: generators.uniform(0, 1), "at least one vertex"),
        (lambda: generators.uniform(9, 1, seed=-1), "seed must be an integer"),
        (lambda: generators.uniform(9, 1, seed=True), "not True"),
        (lambda: generators.uniform(300, 1, dtype=np.uint8), "300 vertices do not fit uint8"),
        (lambda: generators.uniform(1 << 33, 1, dtype=np.int64), "4,294,967,296"),
        (lambda: generators.uniform(9, 1, dtype=float), "integers, not float64"),
        (lambda: generators.grid(3, 3, 1.5), "keep must be a probability"),
        (lambda: generators.grid(-1, 3), "rows must be an integer"),
        (lambda: generators.cliques([3, -1]), "size must be an integer"),
        (lambda: generators.near_duplicate_pairs(-1, 3), "documents must be an integer"),
        (lambda: generators.near_duplicate_pairs(5, 2.5), "pairs must be an integer"),
        (lambda: generators.near_duplicate_pairs(0, 3), "3 pairs need at least one document"),
        (lambda: generators.near_duplicate_pairs(4, 9, 1), "exponent must be a number above 1"),
        (lambda: generators.near_duplicate_pairs(4, 9, np.inf), "not inf"),
        (lambda: generators.near_duplicate_pairs(4, 9, "2"), "not '2'"),
        (lambda: generators.near_duplicate_pairs(4, 9, most=1), "most must be .* at least 2"),
        (lambda: generators.near_duplicate_pairs(1 << 33, 1), "do not fit"),
        (
            lambda: generators.near_duplicate_pairs(100, 49, most=2),
            "100 documents in 50 clusters need at least 50 pairs to join each cluster, not 49",
        ),
        (
            lambda: generators.banded_pairs(100, 490, 10, most=2),
            "at least 491 pairs, each found 10 times",
        ),
        (lambda: generators.banded_pairs(100, 500, 0), "bands must be an integer of at least 1"),
        (lambda: generators.record_keys(-1, 3), "records must be an integer"),
        (lambda: generators.record_keys(3, 0), "3 records need at least one key"),
        (lambda: generators.record_keys(3, 3, 1.5), "each must be an integer"),
        (lambda: generators.record_keys(3, 3, power=0), "power must be a number above 0"),
        (lambda: generators.record_keys(3, 3, power=True), "not True"),
        (lambda: generators.record_keys(1 << 32, 1), "do not fit"),
        (lambda: generators.duplicated(generators.path(3), 1.5), "times must be an integer"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(InputError, match=message):
        make()
