"""Every design: names, exclusions, and answers on the graphs that are hardest for it."""

import numpy as np
import pytest
from machine import SIMULATED
from scipy.sparse import coo_array, csr_array

import cc_rapids
from cc_rapids import Design, generators, oracle
from cc_rapids.algorithms.compiled import build
from cc_rapids.backends import threads
from cc_rapids.data.adapters import Csr

SMALL = 24  # vertices: the simulator runs each thread of the GPU as one of Python's


def graph(src, dst, n):
    return np.array(src, np.int32), np.array(dst, np.int32), n


def of(made):
    return graph(*map(np.asarray, made.edges), made.num_vertices)


def backwards(src, dst, n):
    """The same graph with the vertices in the opposite order, and the edges too."""
    return (n - 1 - src)[::-1].copy(), (n - 1 - dst)[::-1].copy(), n


GRAPHS = {
    "empty": graph([], [], 0),
    "no edges": graph([], [], 5),
    "one edge": graph([3], [1], 5),
    "self-loops": graph([0, 2, 2, 4], [0, 2, 2, 4], 6),
    "star": of(generators.permuted(generators.star(SMALL), 1)),
    "sinking star": graph([SMALL - 1] * (SMALL - 1), range(SMALL - 2, -1, -1), SMALL),
    "clique": of(generators.permuted(generators.cliques([9]), 2)),
    "cliques": of(generators.permuted(generators.cliques([5, 1, 7, 2, 2]), 3)),
    "path": of(generators.path(SMALL, shuffle=4)),
    "rising path": graph(range(SMALL - 1), range(1, SMALL), SMALL),
    "falling path": backwards(*graph(range(SMALL - 1), range(1, SMALL), SMALL)),
    "duplicates": of(generators.duplicated(generators.path(6, shuffle=5), 60, 5)),
    "rmat": of(generators.rmat(5, 50, 0.57, 0.19, 0.19, 6)),
    "two halves": graph([*range(11), *range(12, 23)], [*range(1, 12), *range(13, 24)], SMALL),
}
FEW = "empty", "self-loops", "sinking star", "cliques", "path"
GRAPHS |= {f"{name} backwards": backwards(*GRAPHS[name]) for name in ("rmat", "cliques", "star")}


if SIMULATED:
    GRAPHS = {name: GRAPHS[name] for name in FEW}  # a thousand times slower than a GPU


def check(found, src, dst, n, forest):
    """Labels are the least vertices; the edges of the forest are as many as they have to be, and
    join the same: so they are acyclic, and they span.
    """
    expected = oracle.union_find(src, dst, n)
    np.testing.assert_array_equal(np.asarray(found.labels().labels), expected)
    if forest:
        chosen = found.forest()
        rows = np.asarray(chosen.row)
        assert rows.size == np.unique(rows).size == n - len(found)
        np.testing.assert_array_equal(src[rows], np.asarray(chosen.source))
        np.testing.assert_array_equal(dst[rows], np.asarray(chosen.destination))
        np.testing.assert_array_equal(oracle.union_find(src[rows], dst[rows], n), expected)


def test_lists(engine, design):
    for name, (src, dst, n) in GRAPHS.items():
        forest = design.makes_forests
        found = cc_rapids.components(
            (src, dst), num_vertices=n, design=design, engine=engine, forest=forest
        )
        try:
            check(found, src, dst, n, forest)
        except AssertionError as error:
            raise AssertionError(f"{design} on {name}: {error}") from error


def rows_of(src, dst, n, both):
    """The rows of a graph, in both directions or in one."""
    ends = (np.append(src, dst), np.append(dst, src)) if both else (src, dst)
    matrix = csr_array(coo_array((np.ones(ends[0].size), ends), shape=(n, n)))
    return Csr(matrix.indptr, matrix.indices, symmetric=both)


def test_rows(engine, design):
    for name, (src, dst, n) in GRAPHS.items():
        expected = oracle.union_find(src, dst, n)
        for both in (True, False):
            rows = rows_of(src, dst, n, both)
            found = cc_rapids.components(rows, design=design, engine=engine)
            given = f"{design} on {name}, {both=}"
            np.testing.assert_array_equal(np.asarray(found.labels().labels), expected, given)


RACES = {
    "star": lambda seed: generators.permuted(generators.star(3000), seed),
    "path": lambda seed: generators.path(300, shuffle=seed),
    "clique": lambda seed: generators.permuted(generators.cliques([60]), seed),
    "one edge": lambda seed: generators.duplicated(generators.path(2), 3000, seed),
    "duplicates": lambda seed: generators.duplicated(generators.path(100, shuffle=seed), 40, seed),
    "rmat": lambda seed: generators.rmat(11, 6000, 0.57, 0.19, 0.19, seed),
    "grid": lambda seed: generators.grid(40, 40, 0.6, seed),
}


LONG = graph([0] * 70 + [*range(70, 78)], [*range(1, 71), *range(71, 79)], 80)


@pytest.mark.parametrize("at_hub", [True, False], ids=["hub first", "hub last"])
@pytest.mark.parametrize(
    "name", ["async+halve", "rem-cas+splice", "jtb+naive", "hooks+full", "early+naive"]
)
def test_rows_longer_than_one_thread_links(engine, name, at_hub):
    src, dst, n = LONG if at_hub else backwards(*LONG)
    for both in (True, False):
        rows, forest = rows_of(src, dst, n, both), Design.parse(name).makes_forests
        found = cc_rapids.components(rows, design=name, engine=engine, forest=forest)
        starts = np.repeat(np.arange(n), np.diff(rows.offsets))
        check(found, starts, rows.indices, n, forest)


def test_races(design, monkeypatch):
    """Short chunks, so that threads overlap; many seeds, because races show on few of them.

    Rounds read what no thread writes, but for minima: one seed is enough.
    """
    monkeypatch.setattr(threads, "CHUNK", 256)
    seeds = 4 if design.words[1].spec.finds else 1
    for name, make in RACES.items():
        for seed in range(seeds):
            made = make(seed)
            src, dst = map(np.asarray, made.edges)
            n, forest = made.num_vertices, design.makes_forests
            found = cc_rapids.components(
                (src, dst), num_vertices=n, design=design, engine="threads", forest=forest
            )
            try:
                check(found, src, dst, n, forest)
            except AssertionError as error:
                raise AssertionError(f"{design} on {name}, seed {seed}: {error}") from error


def fingerprint(design, engine):
    """All kernels that a design would launch, on rows where it takes them."""
    program = build(design, engine, np.uint32, np.uint32, design.takes_rows, False)
    steps = [program.finish]
    if program.sample:
        steps += [program.sample.before, program.sample.link, program.sample.left]
    return str(program.aux_array), *map(text, steps)


def text(step, depth=0):
    """A procedure by its name, and by the kernels and options that it closes over."""
    if hasattr(step, "part"):
        return step.part.fingerprint
    if hasattr(step, "fingerprint"):
        return step.fingerprint
    if not hasattr(step, "__closure__"):
        return repr(step) if isinstance(step, str | int | bool | type(None)) else type(step)
    cells = step.__closure__ or ()
    return step.__qualname__, tuple(text(cell.cell_contents) for cell in cells)


def test_no_two_designs_run_the_same_kernels():
    from cc_rapids import backends

    on = backends.get("threads")
    seen = {}
    for design in cc_rapids.designs():
        other = seen.setdefault(fingerprint(design, on), design)
        assert other is design, f"{design} is {other} under another name"


def test_locks_are_refused_where_they_might_hang():
    class Old(threads.Threads):
        has_locks = False

    with pytest.raises(cc_rapids.EngineError, match=r"none\+rem-lock\+halve-one waits for locks"):
        build(Design.parse("rem-lock+naive"), Old(), np.uint32, np.uint32, False, False)


@pytest.mark.parametrize("forest", [False, True])
@pytest.mark.parametrize(
    "name",
    ["async+halve", "hooks+halve", "jtb+naive", "shiloach-vishkin", "strided+shiloach-vishkin"],
)
def test_a_plan_holds_the_memory_that_a_design_takes(name, forest, monkeypatch):
    """All that is allocated on the engine, as if nothing were given back before the end."""
    n, m = 50_000, 200_000
    edges = tuple(np.random.default_rng(1).integers(0, n, (2, m)).astype(np.int32))
    plan = cc_rapids.components(edges, design=name, forest=forest, explain=True)
    taken = []
    empty = threads.Threads.empty

    def counted(self, size, dtype):
        taken.append(size * np.dtype(dtype).itemsize)
        return empty(self, size, dtype)

    monkeypatch.setattr(threads.Threads, "empty", counted)
    cc_rapids.components(edges, design=name, forest=forest).labels()
    assert sum(taken) <= plan.bytes + 4096
    assert plan.bytes <= 2 * sum(taken)
