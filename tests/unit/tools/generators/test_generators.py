"""Seeded graphs: the same on every engine, of the promised shape, with the promised answers."""

import hashlib

import networkx as nx
import numpy as np
import pytest

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
}
RANDOM = {
    "rmat": lambda **on: generators.rmat(9, 600, 0.57, 0.19, 0.19, seed=1, **on),
    "rmat of one vertex": lambda **on: generators.rmat(0, 5, 0.57, 0.19, 0.19, **on),
    "rmat as made": lambda **on: generators.rmat(5, 90, 0.4, 0.3, 0.2, permute=False, **on),
    "uniform": lambda **on: generators.uniform(1000, 400, seed=2, **on),
    "uniform, long seed": lambda **on: generators.uniform(1000, 10, seed=1 << 70, **on),
    "grid in part": lambda **on: generators.grid(13, 11, 0.5, seed=4, **on),
    "rmat duplicated": lambda **on: generators.duplicated(RANDOM["rmat"](**on), 2, 5),
    **{
        name: lambda name=name, **on: generators.reference(name, scale=6, **on)
        for name in generators.REFERENCES
    },
}
PINNED = {
    "rmat": "2ec760a250d9",
    "rmat of one vertex": "5b6fb58e61fa",
    "rmat as made": "82a27125a786",
    "uniform": "03f2bcb29131",
    "uniform, long seed": "5ecfdbce0765",
    "grid in part": "c3c7f66c0073",
    "rmat duplicated": "d820266d0331",
    "kron21": "bcbd502e6136",
    "social22": "bce4317e2b58",
    "road": "a9fef4e603ba",
    "uniform25M": "3839406c6356",
    "rmat24": "dd2bb9e06106",
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


def test_rmat_falls_into_quadrants_as_told():
    a, b, c, m = 0.45, 0.22, 0.2, 200_000
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
        assert (graph.name, graph.components) == (f"{name} at scale 12", None)
    assert generators.reference("uniform25M", scale=6.5).num_vertices == 91


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
        (lambda: generators.uniform(0, 1), "at least one vertex"),
        (lambda: generators.uniform(9, 1, seed=-1), "seed must be an integer"),
        (lambda: generators.uniform(9, 1, seed=True), "not True"),
        (lambda: generators.uniform(300, 1, dtype=np.uint8), "300 vertices do not fit uint8"),
        (lambda: generators.uniform(1 << 33, 1, dtype=np.int64), "4,294,967,296"),
        (lambda: generators.uniform(9, 1, dtype=float), "integers, not float64"),
        (lambda: generators.grid(3, 3, 1.5), "keep must be a probability"),
        (lambda: generators.grid(-1, 3), "rows must be an integer"),
        (lambda: generators.cliques([3, -1]), "size must be an integer"),
        (lambda: generators.duplicated(generators.path(3), 1.5), "times must be an integer"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(InputError, match=message):
        make()
