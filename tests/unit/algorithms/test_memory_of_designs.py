"""The planned memory of designs, compared with what they allocate."""

import tracemalloc
import weakref

import numpy as np
import pytest
from support.design_graphs import rows_of as csr_of

import cc_rapids
from cc_rapids import Design
from cc_rapids.algorithms import run
from cc_rapids.algorithms.compiled import build
from cc_rapids.backends import threads
from cc_rapids.backends.dry_run import ThreadsRecording
from cc_rapids.graph.edges import Adjacency, Edges
from cc_rapids.graph.forest import Forest

FIXED = 1200  # bytes of roots, probes and bits, less than a word for each of 400 vertices


@pytest.fixture
def allocated(monkeypatch):
    """A function that returns the peak bytes of the arrays that work allocates on threads."""
    live, peak, empty = 0, 0, threads.Threads.empty

    def count(size):
        nonlocal live, peak
        live += size
        peak = max(peak, live)

    def counted(self, size, dtype):
        array = empty(self, size, dtype)
        count(array.nbytes)
        weakref.finalize(array, count, -array.nbytes)
        return array

    def most(work):
        nonlocal peak
        before = peak = live
        work()
        return peak - before

    monkeypatch.setattr(threads.Threads, "empty", counted)
    return most


def given(n, m, form):
    """Random edges as a list, or as rows in one or both directions."""
    src, dst = np.random.default_rng(1).integers(0, n, (2, m)).astype(np.int32)
    if form == "list":
        return Edges(src, dst, 0), None
    csr = csr_of(src, dst, n, form == "both")
    indices = csr.indices.astype(np.int32)
    return Edges(indices, indices, 0), Adjacency(csr.offsets, indices, csr.symmetric)


def planned(name, edges, rows, n, forest):
    """The bytes that a design is expected to allocate besides the parents."""
    form = rows is None, rows is not None and rows.symmetric
    return run.bytes_besides_parents(Design.parse(name), n, (rows or edges).m, *form, forest)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *((name, "list") for name in ("hooks+naive", "jtb+naive", "strided+rem-lock+halve-one")),
        *((name, "list") for name in ("fastsv", "dense", "graft-shortcut-update")),
        *((name, "list") for name in ("stages(q=2)+hooks+naive", "none(tiles=10)+async+naive")),
        *((name, "list") for name in ("shiloach-vishkin", "strided+shiloach-vishkin")),
        *((name, "both") for name in ("owner", "shiloach-vishkin", "kout+jtb+naive")),
        *((name, "both") for name in ("bfs+async+naive", "bfs-cc", "kout(gather=off)+async+naive")),
        *((name, "one") for name in ("async+naive", "kout+async+naive")),
    ],
)
@pytest.mark.filterwarnings("ignore:.*overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("forest", [False, True])
def test_a_design_allocates_what_is_planned(allocated, name, form, forest):
    n, engine, design = 400, ThreadsRecording(), Design.parse(name)
    if forest and not design.makes_forests:
        pytest.skip("has no forests")
    edges, rows = given(n, 1600, form)
    trees = Forest(engine, n, all_present=True)
    compiled = build(design, engine, trees.vertex, edges.wide, rows is not None, forest)

    def work():
        hook_edge = engine.fill(engine.empty(n, trees.vertex), 0xFF) if forest else None
        run.run(compiled, run.prepare(compiled, edges, trees, rows, hook_edge))

    taken, plan = allocated(work), planned(name, edges, rows, n, forest)
    assert taken - FIXED <= plan <= taken + FIXED + 4 * n * forest


@pytest.mark.parametrize("forest", [False, True])
@pytest.mark.parametrize(("n", "m"), [(10_000, 400), (400, 4000)])
@pytest.mark.parametrize(
    ("name", "form"), [("kout+async+naive", "list"), ("ecl-cc", "one"), ("strided+ecl", "both")]
)
def test_changing_the_form_of_edges_allocates_what_is_planned(name, form, n, m, forest):
    edges, rows = given(n, m, form)
    trees = Forest(ThreadsRecording(), n)
    tracemalloc.start()
    try:
        run.arranged(Design.parse(name), edges, rows, trees, forest)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    plan = planned(name, edges, rows, n, forest)
    assert peak - 4096 <= plan <= 2 * peak + (12 * n if forest else 4 * n)


N, WIDE = 80_000_000, 1 << 32
IN_BLOCKS = "strided(order=partitioned)+async+naive"


@pytest.mark.parametrize(
    ("name", "n", "forest", "size"),
    [
        ("hooks+naive", WIDE - 1, False, 4 * (WIDE - 1)),
        ("hooks+naive", WIDE, False, 8 * WIDE),
        ("async+naive", N, False, 0),
        ("async+naive", 1 << 25, False, 1 << 22),  # bits that a forest keeps
        ("strided+async+naive", N, False, N // 8),
        ("stages+async+naive", N, False, 8 * 100),
        (IN_BLOCKS, N, False, N // 8 + 4 * 100),
        (IN_BLOCKS, N, True, N // 8 + 8 * N),
        (IN_BLOCKS, WIDE, False, WIDE // 8),
    ],
)
def test_the_planned_memory_of_many_vertices(name, n, forest, size):
    assert run.bytes_besides_parents(Design.parse(name), n, 100, True, False, forest) == size


@pytest.mark.parametrize("forest", [False, True])
@pytest.mark.parametrize("name", ["async+halve", "strided+shiloach-vishkin"])
def test_a_plan_holds_the_memory_of_the_whole_run(name, forest, allocated, tuned):
    tuned(library_vertices=0)
    edges = tuple(np.random.default_rng(1).integers(0, 50_000, (2, 200_000)).astype(np.int32))
    plan = cc_rapids.components(edges, design=name, forest=forest, explain=True)
    taken = allocated(lambda: cc_rapids.components(edges, design=name, forest=forest).labels())
    assert taken <= plan.bytes <= 2 * taken
