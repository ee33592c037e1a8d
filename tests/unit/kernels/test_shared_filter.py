"""The giant's bits in shared memory: what they leave out joins nothing, and queues lose no edge."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from support.choices import rule_for, some
from support.machine import SIMULATED
from test_blocks import check_beyond_a_glance, check_elsewhere

import cc_rapids
from cc_rapids import Design, DesignError, backends, generators, oracle
from cc_rapids.algorithms import auto, compiled
from cc_rapids.backends import SharedMemoryLimits
from cc_rapids.backends.device_function import Atom
from cc_rapids.backends.dry_run import ATOMS, RecordingBackend
from cc_rapids.data.adapters import Csr
from cc_rapids.kernels import edges as reading
from cc_rapids.kernels import sampling, shared_filter

pytestmark = pytest.mark.slow

UNIONS = "async+halve", "rem-cas+splice", "jtb+two-try-split", "hooks+split", "ecl"
N = 3000


def lists():
    """One giant, many small ones, and what a sample finds no giant in."""
    for name, graph in {
        "dense": generators.uniform(N, 6 * N, seed=1),
        "sparse": generators.uniform(N, N, seed=2),
        "path": generators.path(N),
        "star": generators.star(N),
        "loops": generators.self_loops(9),
        "one edge": generators.path(2),
        "a block": generators.path(258),
        "a block and one": generators.path(259),
    }.items():
        yield name, (*map(np.asarray, graph.edges), graph.num_vertices)


LISTS = dict(lists())


def design(union="rem-cas+splice", every=5):
    return f"strided(every={every}, bits=shared)+{union}"


@pytest.fixture(params=["all", "folded", "one"])
def held(request, monkeypatch):
    """A word of bits in shared memory for each, or for up to four, or one: as there is room."""
    for name in dict.fromkeys(["threads", "cuda"] if SIMULATED else ["threads"]):
        on = backends.get(name)
        most = on.shared_memory_limits()
        words = {"all": most.words, "folded": 40, "one": 1}[request.param]
        monkeypatch.setattr(on, "shared_memory_limits", lambda t=most, w=words: t._replace(words=w))
    compiled.build.cache_clear()  # what was built for more memory, and now for less
    yield
    compiled.build.cache_clear()


@pytest.mark.usefixtures("held")
@some("union", UNIONS, usual=UNIONS[:1])
def test_labels(engine, union):
    every = 2 + UNIONS.index(union)
    for name, (src, dst, n) in LISTS.items():
        options = {"design": design(union, every), "engine": engine}
        found = cc_rapids.components((src, dst), num_vertices=n, **options)
        expected = oracle.union_find(src, dst, n)
        np.testing.assert_array_equal(np.asarray(found.labels().labels), expected, name)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_ids_that_begin_elsewhere(engine, dtype):
    check_elsewhere(*LISTS["sparse"], dtype, design=design(), engine=engine)


def test_rows_and_forests(engine):
    """Rows are read by entries; where edges are noted, bits come from the caches."""
    src, dst, n = LISTS["dense"]
    matrix = coo_array((np.ones(src.size), (src, dst)), (n, n)).tocsr()
    rows = Csr(matrix.indptr, matrix.indices, symmetric=False)
    expected = oracle.union_find(src, dst, n)
    found = cc_rapids.components(rows, design=design(), engine=engine)
    np.testing.assert_array_equal(np.asarray(found.labels().labels), expected)
    options = {"design": design("async+halve"), "engine": engine, "num_vertices": n}
    kept = np.asarray(cc_rapids.spanning_forest((src, dst), **options).row)
    np.testing.assert_array_equal(oracle.union_find(src[kept], dst[kept], n), expected)


def test_an_id_beyond_a_glance(engine, tuned):
    """It has no vertex, and no bit either."""
    check_beyond_a_glance(1400, 600, 62_000, tuned, design=design(), engine=engine)


@pytest.mark.parametrize(("vertex", "noted"), [(np.uint64, False), (np.uint32, True)])
def test_what_does_not_fit_a_queue_waits_in_none(vertex, noted):
    """From 2^32 vertices on an end is no word; and the edges of a spanning forest have numbers."""
    on, some = backends.get("threads"), Design.parse(design())
    assert compiled.build(some, on, np.uint32, np.uint64, False, False).queue_words > 0
    assert compiled.build(some, on, vertex, np.uint64, False, noted).queue_words == 0


class Lanes(RecordingBackend):
    """Lanes that are Python threads, and meet where a warp's do."""

    warp_size, warps, tiles = 4, 2, 2

    def __init__(self):
        super().__init__()
        self.own, self.flags = threading.local(), {}
        self.all = threading.Barrier(self.warp_size * self.warps)
        self.warp = [threading.Barrier(self.warp_size) for _ in range(self.warps)]
        self.atoms = ATOMS | {
            "warp_ballot_rank": self.vote,
            "warp_sync": self.wait,
            "block_sync": self.all.wait,
        }

    def wait(self):
        self.warp[self.own.t // self.warp_size].wait(600)

    def vote(self, flag):
        t, first = self.own.t, self.own.t // self.warp_size * self.warp_size
        self.flags[t] = int(flag)
        self.wait()
        flags = [self.flags[first + lane] for lane in range(self.warp_size)]
        self.wait()
        return sum(flags[: t - first]), sum(flags)

    def shared_memory_limits(self):
        threads = self.warp_size * self.warps
        return SharedMemoryLimits(self.tiles, threads, 2)

    def launch(self, kernel, n, arguments):
        body = kernel.part.compiled(lambda function: function, self.atoms)
        values = [np.int64(a) if isinstance(a, int) else a for a in arguments]
        threads = self.warp_size * self.warps
        for k in range(n):
            shared = np.full(kernel.shared_words, 0xAAAAAAAA, np.uint32)

            def run(t, k=k, shared=shared):
                self.own.t = t
                with np.errstate(over="ignore"):
                    body(np.uint64(k), np.uint64(t), np.uint64(threads), shared, *values)

            started = [threading.Thread(target=run, args=(t,)) for t in range(threads)]
            for thread in started:
                thread.start()
            for thread in started:
                thread.join()


def through_queues(edges, n, in_giant, every, linked=0):
    """The edges that leave the queues, each as often as it does; and what was seen and told.

    ``linked`` vertices have a parent.
    """
    on, left = Lanes(), []
    on.atoms["finish"] = lambda u, v, *_: left.append((int(u), int(v)))
    load_edge, most = reading.edge_of_list(on, np.uint32), on.shared_memory_limits()
    options = {"every": every, "bits": "shared", "order": "listed"}
    made = sampling.strided(on, np.uint32, lambda place: None, **options)
    run = shared_filter.filter_by_blocks(
        on, np.uint32, np.uint32, load_edge, made.left, Atom("finish")
    )
    src, dst = (np.array(side, np.int32) for side in zip(*edges, strict=True))
    m, present, out_of_range = (
        made.left_count(src.size),
        np.zeros(-(-n // 32), np.uint32),
        np.zeros(1, int),
    )
    root_word, waiting = np.array([0, linked]), np.zeros(shared_filter.words_for(most), np.uint32)
    flags = present, out_of_range
    run(m, (src, dst, 0), n, flags, in_giant, root_word, waiting, [present] * 6)
    rest = [edge for e, edge in enumerate(edges) if e // reading.SAMPLE_BLOCK % every]
    return rest, left, present, out_of_range[0]


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_queues_lose_no_edge(data):
    """Those that two bits leave out do not enter; all others leave a queue, by any lane.

    Two words of the tile stand for five, if half are linked, or for the first two.
    """
    n, every, linked = 150, 2, data.draw(st.sampled_from([0, 74, 75, 150]))
    members = data.draw(st.sets(st.integers(0, n - 1)))
    if data.draw(st.booleans()):
        members = set(range(n)) - members
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    edges = random.integers(0, n, (data.draw(st.integers(257, 700)), 2)).tolist()
    flags = np.isin(np.arange(160), list(members))
    in_giant = np.packbits(flags, bitorder="little").view(np.uint32)
    rest, left, seen, out_of_range = through_queues(
        list(map(tuple, edges)), n, in_giant, every, linked
    )

    def joining(edges):
        return {(u, v) for u, v in edges if not {u, v} <= members and u != v}

    assert joining(rest) <= set(left) <= joining(edges)
    assert (
        len(left) <= len(rest) + 2 * 2 * Lanes.warp_size
    )  # a group that moves back, and one beside
    loops, all_loops = ({u for u, v in some if u == v} for some in (rest, edges))
    shown = np.flatnonzero(np.unpackbits(seen.view(np.uint8), bitorder="little"))
    assert loops <= set(shown.tolist()) <= all_loops
    assert out_of_range == 0


@pytest.mark.parametrize(("linked", "apart"), [(0, 40), (49, 40), (50, 7), (100, 7)])
def test_bits_are_folded_once_half_of_the_vertices_are_linked(linked, apart):
    """With fewer most folded bits would not be set, and each asks for another then."""
    fold = shared_filter.fold_of(RecordingBackend()).compiled(lambda function: function, ATOMS)
    in_giant = np.zeros(40, np.uint32)
    assert fold(100, np.uint32(7), np.array([0, linked]), in_giant) == apart


def test_a_stray_end_is_told_and_not_looked_up():
    edges = [(0, 1)] * 256 + [(3, 2**31 - 1), (1, 2)]
    _, left, _, out_of_range = through_queues(edges, 32, np.array([0b11], np.uint32), 2)
    assert set(left) == {(1, 2)}
    assert out_of_range == 1


def test_designs_that_there_are_not():
    with pytest.raises(DesignError, match="shared bits need a link that reads the edges"):
        Design.parse("strided(bits=shared)+liu-tarjan(PRF)")
    with pytest.raises(DesignError, match="unknown bits of sample strided 'here'"):
        Design.parse("strided(bits=here)+async+halve")
    assert str(Design.parse("strided( bits = cached )+ecl")) == "strided+ecl"


def chosen(n, m, words):
    gpu = RecordingBackend()
    gpu.shared_memory_limits = lambda: SharedMemoryLimits(132, 1024, words)
    options = dict(rule_for(gpu, n, m).design.words[0].options)
    return options.get("bits"), options["every"]


def test_auto_shares_bits_where_that_was_measured():
    large = 58_112
    assert chosen(2**21, 91_000_000, large) == ("shared", 20)
    assert chosen(2**22, 69_000_000, large) == ("shared", 8)
    assert chosen(6_000_000, 60_000_000, large) == ("shared", 7)
    assert chosen(2**21, 91_000_000, 41_000) == ("cached", 20)  # a GPU with less of that memory
    assert chosen(2**20, 91_000_000, large) == ("cached", 20)  # L1 has room for them
    assert chosen(2**23, 2**28, large) == ("cached", 20)  # a bit for more than four
    assert chosen(2**21, 2**24, large) == ("cached", 7)  # links are what takes the time
    assert "with 1,900,000 to 7,400,000 ids, at least 28 edges per vertex" in str(auto.SHARED[0])
