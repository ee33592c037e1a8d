"""Every design: names, exclusions, and answers on the graphs that are hardest for it."""

import os

import design_pairs
import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

import cc_rapids
from cc_rapids import Design, generators, oracle
from cc_rapids.catalog import CHOICES
from cc_rapids.design import EXCLUDED, _product
from cc_rapids.engines import threads
from cc_rapids.errors import DesignError
from cc_rapids.graphs import Csr
from cc_rapids.program import build

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


if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
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


def test_races(design, monkeypatch):
    """Short chunks, so that threads overlap; many seeds, because races show on few of them.

    Rounds read what no thread writes, but for minima: one seed is enough.
    """
    monkeypatch.setattr(threads, "CHUNK", 256)
    seeds = 4 if design.words[1].choice.finds else 1
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


def test_names_are_parsed_back():
    found = cc_rapids.designs()
    assert len(found) == len(set(map(str, found))) == len(set(found))
    for design in found:
        assert Design.parse(str(design)) == design
        assert Design.parse(design) is design


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("async+halve", "none+async+halve"),
        ("none+ecl", "ecl"),
        ("kout(k=3)+ecl", "kout(k=3)+ecl"),
        (" kout( k = 2 ) + async + halve ", "kout+async+halve"),
        ("hook(n=9)+rem-cas+halve", "hook(n=9)+rem-cas(find=halve)+halve-one"),
        ("rem-lock+naive", "none+rem-lock+halve-one"),
        ("kout(gather=off)+liu-tarjan(PRF)", "kout(gather=off)+liu-tarjan(PRF)"),
        (
            "kout(coalesce=off, reorganise=off)+async+halve",
            "kout(coalesce=off, reorganise=off)+async+halve",
        ),
    ],
)
def test_names_may_be_shorter(given, name):
    assert str(Design.parse(given)) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none+asynk+halve", "unknown link 'asynk': did you mean 'async'"),
        ("kuot+async+halve", "unknown design 'kuot.async.halve'|unknown link|unknown sample"),
        ("kout(l=3)+async+halve", "unknown option of sample kout 'l=3'.* one of coalesce, gather"),
        ("kout(k=0)+async+halve", "k of sample kout is a count from 1 on, not '0'"),
        ("kout(pick=last)+ecl", "unknown pick of sample kout 'last'"),
        ("liu-tarjan", "asks for one of"),
        ("liu-tarjan(PRZ)", "unknown rule of link liu-tarjan 'PRZ'"),
        ("none+async", "needs a find"),
        ("none+ecl+halve", "leave the find out"),
        ("none+async+splice", "single steps for Rem's rules"),
        ("none+jtb+halve", "jtb is published with"),
        ("none+async+two-try-split", "works on jtb's words"),
        ("none+rem-cas(find=full)+splice", "would store to another root"),
        ("kout+bfs-cc", "searches every component"),
        ("kout(coalesce=off)+async+halve", "needs reorganise=off too"),
    ],
)
def test_what_is_no_design_says_why(name, words):
    with pytest.raises(DesignError, match=words):
        Design.parse(name)


def refusal(words):
    """Why there is no such design; None if there is one."""
    try:
        Design(*words)
    except DesignError as error:
        return str(error)
    return None


def test_every_combination_is_a_design_or_has_a_reason():
    refused = [reason for reason in map(refusal, _product()) if reason]
    assert all(any(row.reason in reason for row in EXCLUDED) for reason in refused)
    assert len(refused) == len(list(_product())) - len(cc_rapids.designs())


def test_pairs_hold_every_two_choices_that_meet_in_a_design():
    every = cc_rapids.designs()
    few = design_pairs.selected("pairs")
    assert len(few) < len(every) / 3

    def met(designs):
        sets = map(design_pairs.choices, designs)
        return {frozenset((a, b)) for made in sets for a in made for b in made}

    assert met(few) == met(every)


def test_all_choices_are_in_some_design():
    names = " ".join(map(str, cc_rapids.designs()))
    for choices in CHOICES.values():
        assert all(name in names for name in choices)


def fingerprint(design, engine):
    """All kernels that a design would launch, on rows where it takes them."""
    program = build(design, engine, np.uint32, np.uint32, design.takes_rows, False)
    steps = [program.finish]
    if program.sample:
        steps += [program.sample.before, program.sample.link, program.sample.left]
    return str(program.extra), *map(text, steps)


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
    from cc_rapids import engines

    on = engines.get("threads")
    seen = {}
    for design in cc_rapids.designs():
        other = seen.setdefault(fingerprint(design, on), design)
        assert other is design, f"{design} is {other} under another name"


def test_locks_are_refused_where_they_might_hang():
    class Old(threads.Threads):
        has_locks = False

    with pytest.raises(cc_rapids.EngineError, match=r"none\+rem-lock\+halve-one waits for locks"):
        build(Design.parse("rem-lock+naive"), Old(), np.uint32, np.uint32, False, False)


@pytest.mark.parametrize(
    ("src", "dst", "n", "name", "words"),
    [
        ([0, 1], [1, 2], 9, "none+async+halve", "0.4 entries a vertex, fewer than 4: no sample"),
        ([0] * 30, range(1, 31), 5, None, ""),
        ([0] * 99, range(1, 100), 100, "none+async+halve", "2.0 entries a vertex"),
        ([*range(99)] * 3, [*range(1, 100)] * 3, 100, "hook+ecl", "first hooks cover 100%"),
        (
            [v for v in range(0, 100, 5) for _ in range(20)],
            [v + k for v in range(0, 100, 5) for _ in range(5) for k in (1, 2, 3, 4)],
            100,
            "kout+async+halve",
            "of some vertices, less than 95%",
        ),
    ],
)
def test_auto_by_the_papers_tree(src, dst, n, name, words, caplog):
    if name is None:
        with pytest.raises(cc_rapids.InputError, match=r"holds the id 30, outside 0\.\.4"):
            cc_rapids.components((list(src), list(dst)), num_vertices=n, design="auto(rule=paper)")
        return
    edges = np.array(src), np.array(list(dst))
    with caplog.at_level("INFO", "cc_rapids"):
        found = cc_rapids.components(edges, num_vertices=n, design='auto(rule="paper")')
    assert found.summary()["design"] == name
    assert words in caplog.text
    expected = oracle.union_find(*edges, n)
    np.testing.assert_array_equal(found.labels().labels, expected)
    plan = cc_rapids.components(edges, num_vertices=n, design="auto(rule=paper)", explain=True)
    assert "Hong et al. 2020, 4.7" in plan.design_why
    assert plan.design == ("kout+async+halve" if name == "hook+ecl" else name)


def test_auto_has_two_rules():
    assert Design.parse("auto(rule=measured)") is None
    with pytest.raises(DesignError, match="unknown rule of auto 'rule=mine'"):
        cc_rapids.components(([1], [2]), design="auto(rule=mine)")
