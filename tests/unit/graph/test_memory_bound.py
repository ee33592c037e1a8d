"""The memory that a run takes beyond its input: one formula, and runs that stay within it."""

import gc
import re

import numpy as np
import pandas as pd
import pytest
from support.choices import some
from support.counted import TO_HOST, counted
from support.machine import ROOT

import cc_rapids
from cc_rapids import memory_bound
from cc_rapids.algorithms import auto
from cc_rapids.graph import memory_bound as memory
from cc_rapids.graph.memory_bound import SLACK
from cc_rapids.solver import choose

pytestmark = pytest.mark.slow

MIB = 1 << 20


def test_the_bound_is_the_formula():
    for n in (0, 1, 1000, 2_097_152, 25_000_000, 160_000_000):
        answer = 16 * n
        assert memory_bound(n, answer) == 4 * n + n // 8 + answer + 8 * MIB
        assert memory_bound(n, 0) == 4 * n + 2 * (n // 8) + 8 * MIB
    large = 1 << 31
    assert memory_bound(large, 8 * large) == 4 * large + large // 8 + 8 * large + large // 20
    assert memory_bound(1 << 32, 1 << 40) == (8 << 32) + (1 << 29) + (1 << 40) + (1 << 32) // 10


@pytest.mark.parametrize("edges", [1, 8192, 8193, 3_999_999, 4_000_000])
def test_a_list_of_one_launch_has_room_for_two_ids_an_edge(edges):
    ids = max(1 << 14, 2 * edges) if edges < 4_000_000 else 100
    assert memory_bound(100, 10**6, edges) == memory_bound(ids, 10**6)
    assert memory_bound(10**7, 10**6, edges) == memory_bound(10**7, 10**6)


def test_what_is_one_launch_is_said_once():
    assert auto.ONE_LAUNCH_RULE.most_edges + 1 == memory.AT_ONCE_EDGES


FORMULA = "4 n + n / 8 + answer + 8 MiB"


@pytest.mark.parametrize(
    "path", ["README.md", "docs/benchmarks.md", "docs/guides/inputs.md", "docs/design/contracts.md"]
)
def test_pages_quote_the_formula_and_name_the_function(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    quoted = re.findall(r"4 ?n ?\+.*?MiB", text)
    assert quoted
    assert set(quoted) == {FORMULA}
    assert "memory_bound" in text
    assert FORMULA in memory.__doc__
    assert FORMULA in memory_bound.__doc__
    assert FORMULA in " ".join(cc_rapids.components.__doc__.split())
    n, answer = 10**6, 16 * 10**6
    said = FORMULA.replace("4 n", "4 * n").replace("MiB", "* MIB").replace("/", "//")
    assert eval(said, {"n": n, "answer": answer, "MIB": MIB}) == memory_bound(n, answer)


def held(edges, engine):
    """The answer of a run, and the most that it held at once beyond its input."""
    gc.collect()
    engine.held = engine.peak = 0
    labels = cc_rapids.connected_components(edges)
    return labels, engine.peak


def listed(n, m, part, dtype, seed=0):
    """Random edges between a part of n ids, which lie among the others, the last one included."""
    random = np.random.default_rng(seed)
    ids = np.flatnonzero(random.random(n) < part).astype(dtype)
    ids[-1] = n - 1
    return tuple(ids[random.integers(0, ids.size, (2, m))])


def bound_of(labels, n, m):
    column = labels.vertex.dtype.itemsize
    return memory_bound(n, 2 * column * labels.vertex.size, m)


# As many ids and vertices as the reference graphs have where that matters, and fewer edges.
LISTS = {
    "kron21": (2_097_152, 4_200_000, 0.72, "strided(every=20, bits=shared)+rem-cas+splice"),
    "strided": (3_000_000, 4_200_000, 0.5, "strided+rem-cas+splice"),
    "no sample": (2_000_000, 4_200_000, 0.3, "none+rem-cas+splice"),
    "tiles": (1_500_000, 4_200_000, 1, "none(tiles=16384)+async+halve"),
    "one launch": (500_000, 1_000_000, 0.9, None),
    "small": (9_000, 5_000, 0.9, None),
}


BY_TYPE = [*((name, np.int64) for name in LISTS), ("kron21", np.int32), ("small", np.int32)]


@some(
    ("name", "dtype"),
    BY_TYPE,
    [("kron21", np.int64), ("one launch", np.int64), ("small", np.int32)],
)
def test_runs_as_on_a_gpu_stay_within_the_bound(name, dtype, monkeypatch):
    """A row gathered in vain takes 8 or 16 bytes: kron21 took 46.1 MB of 41.2."""
    n, m, part, design = LISTS[name]
    edges = listed(n, m, part, dtype)
    with counted() as backend:
        if design:
            rule = auto.AutoRule(cc_rapids.Design.parse(design), "")
            monkeypatch.setattr(choose, "_rules_of", lambda _: [rule])
        labels, peak = held(edges, backend)
    column = 2 * labels.vertex.nbytes
    assert column <= peak <= bound_of(labels, n, m)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_runs_on_threads_stay_within_the_bound(dtype):
    n, m = 300_000, 500_000
    edges = listed(n, m, 0.7, dtype)
    with counted(like_gpu=False) as backend:
        labels, peak = held(edges, backend)
        assert 2 * labels.vertex.nbytes + 4 * n <= peak <= bound_of(labels, n, None)
        found = cc_rapids.components(pd.DataFrame({"src": edges[0], "dst": edges[1]}))
        backend.peak = backend.held
        found.labels()
        assert backend.peak - backend.held <= 2 * labels.vertex.nbytes + SLACK


KINDS = {
    "as they are": lambda ends: ends,
    "offset": lambda ends: ends + 10**12,
    "bit map": lambda ends: ends * 200,
    "hash slots": lambda ends: ends * 10**12,
}
SKETCH = {"hash slots": 1 << 16}  # bytes, of counters by which it is known how many ids there are


@pytest.mark.parametrize("at_once", [False, True], ids=["usual", "in one launch"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_visits_the_host_but_counts(kind, at_once, tuned):
    """As few copies, of as few bytes, for five times the edges, whatever the ids are."""
    tuned(small_id_range=1000, hashed_at_once=10_000 if kind == "hash slots" else 0)
    found = []
    for m in (8_000, 40_000):
        ends = tuple(KINDS[kind](np.random.default_rng(1).integers(0, m // 4, (2, m))))
        with counted() as backend:
            backend.in_one_launch = at_once
            plan = cc_rapids.components(ends, explain=True)
            assert plan.ids == kind
            del backend.copies[:]
            cc_rapids.connected_components(ends)
            found.append(backend.copies)
    for copies in found:
        assert {direction for direction, _ in copies} == {TO_HOST}
        assert 1 <= len(copies) <= 8
        assert sum(size for _, size in copies) <= 512 + SKETCH.get(kind, 0)
    assert len(found[1]) <= len(found[0]) + 2 * (kind in SKETCH)
