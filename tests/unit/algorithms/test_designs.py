"""Every design: names, exclusions, and answers on the graphs that are hardest for it."""

from functools import partial

import numpy as np
import pytest
from support.choices import on_simulator
from support.design_graphs import GRAPHS, RACES, backwards, check, graph, of, rows_of
from support.machine import SIMULATED

import cc_rapids
from cc_rapids import Design, oracle
from cc_rapids.algorithms.compiled import build
from cc_rapids.algorithms.phases import AsListed
from cc_rapids.backends import threads

pytestmark = pytest.mark.slow
on_threads = pytest.mark.skipif(SIMULATED, reason="runs as without the simulator")


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


@on_simulator
def test_rows(engine, design, request):
    """In both directions and in one; on the simulator, in either by turns of graph and design."""
    turn = request.node.callspec.indices["design"]
    for k, (name, (src, dst, n)) in enumerate(GRAPHS.items()):
        expected = oracle.union_find(src, dst, n)
        for both in [(turn + k) % 2 == 0] if SIMULATED else [True, False]:
            rows = rows_of(src, dst, n, both)
            found = cc_rapids.components(rows, design=design, engine=engine)
            given = f"{design} on {name}, {both=}"
            np.testing.assert_array_equal(np.asarray(found.labels().labels), expected, given)


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


@on_threads
def test_races(design, tuned):
    """Short chunks, so that threads overlap; many seeds, because races show on few of them.

    Rounds read what no thread writes, but for minima: one seed is enough.
    """
    tuned(thread_chunk=256)
    seeds = 4 if design.words[1].spec.finds else 1
    for name, make in RACES.items():
        for seed in range(seeds):
            made = make(seed)
            src, dst, n = of(made)  # of the same type as lists: by the same kernels
            forest = design.makes_forests
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
    steps = [program.connect_rest]
    if program.sample:
        steps += [program.sample.before, program.sample.link, program.sample.left]
    return str(program.aux_array), *map(text, steps)


def text(step, depth=0):
    """A procedure by its name, and by the kernels and options that it closes over or binds."""
    if hasattr(step, "part"):
        return step.part.fingerprint
    if isinstance(step, AsListed):
        return type(step), text(step.link_edge)
    if isinstance(step, partial):
        return step.func.__qualname__, tuple(map(text, step.args))
    if hasattr(step, "fingerprint"):
        return step.fingerprint
    if not hasattr(step, "__closure__"):
        return repr(step) if isinstance(step, str | int | bool | type(None)) else type(step)
    cells = step.__closure__ or ()
    return step.__qualname__, tuple(text(cell.cell_contents) for cell in cells)


@on_threads
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

    with pytest.raises(cc_rapids.EngineError, match=r"none\+rem-lock\+halve-one uses locks"):
        build(Design.parse("rem-lock+naive"), Old(), np.uint32, np.uint32, False, False)
