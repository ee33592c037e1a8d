"""One place decides how edges are solved, and one joins vertices: every entry point uses both."""

import json
import pathlib
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from support.machine import SIMULATED

import cc_rapids
from cc_rapids.algorithms import boruvka, run, staged
from cc_rapids.algorithms.design import Design
from cc_rapids.backends import SharedMemoryLimits
from cc_rapids.backends.threads import Threads
from cc_rapids.ids import encode
from cc_rapids.ids.range import EdgeOrder, IdRange
from cc_rapids.solver import choose
from cc_rapids.solver.choose import (
    MEASURED,
    BatchOptions,
    Counted,
    Facts,
    FixedDesign,
    Machine,
)

THREADS = Machine("threads", "two cores", False, False, SharedMemoryLimits(2, 1, 1 << 15))
GPU = Machine("cuda", "a card", True, True, SharedMemoryLimits(132, 1024, 58_000))
GIB = 1 << 30
FEW, MANY = 1000, 20_000_000
CLUSTERED = pathlib.Path(__file__).parents[3] / "benchmarks/records/clustered_ids.jsonl"
UNKNOWN, FALLING = EdgeOrder(), EdgeOrder(0.1, descending=True)


def ids(rows, low, high, **more):
    """What a scan of int64 ids tells."""
    span = IdRange(low, high, np.dtype(np.int64), order=more.pop("order", UNKNOWN))
    most = min(rows, span.size)
    return encode.IdFacts(encode.INTEGERS, rows, 8 * rows, span, most, 16 * most, **more)


def facts(machine, m, low, high, free=64 * GIB, order=UNKNOWN, **more):
    return Facts(machine, m, ids=ids(2 * m, low, high, order=order), free_bytes=free, **more)


def options(design="auto"):
    return BatchOptions(MEASURED if design == "auto" else FixedDesign(Design.parse(design)))


@pytest.mark.parametrize(
    ("known", "asked", "expected"),
    [
        (facts(THREADS, FEW, 0, 999), "auto", {"ids": "as they are", "design": "none+async+halve"}),
        (facts(THREADS, FEW, 7, 999), "auto", {"ids": "offset", "in_one_launch": False}),
        (facts(THREADS, MANY, 0, 2**31), "auto", {"ids": "bit map"}),
        (facts(THREADS, MANY, 0, 2**60), "auto", {"ids": "hash slots"}),
        (facts(THREADS, MANY, 0, 2**60, free=3 * GIB), "auto", {"ids": "sorted ids"}),
        (
            facts(GPU, FEW, 0, 999, launches_once=True, has_table=True),
            "auto",
            {"in_one_launch": True, "design": "none+rem-cas+splice"},
        ),
        (
            facts(GPU, FEW, 0, 2**60, launches_once=True, has_table=True),
            "auto",
            {"in_one_launch": True, "ids": "hash slots"},
        ),
        (
            facts(GPU, FEW, 0, 999, launches_once=True),
            "none+async+halve",
            {"in_one_launch": False, "design": "none+async+halve", "design_why": "asked for"},
        ),
        (
            facts(GPU, MANY, 0, 10**6, order=FALLING),
            "auto",
            {"backwards": True, "staged": False},
        ),
        (facts(GPU, MANY, 0, 10**6, order=FALLING), "kout+async+halve", {"backwards": False}),
        (
            facts(GPU, 100 * MANY // 5, 0, 10**8, parts=2, free=70 * GIB),
            "auto",
            {"staged": True},
        ),
        (facts(THREADS, FEW, 0, 900_000, free=GIB), "owner", {"ids": "bit map"}),
        (facts(THREADS, FEW, 0, 900), "owner", {"ids": "as they are"}),
    ],
)
def test_a_plan_follows_from_plain_facts(known, asked, expected):
    plan = choose.choose(known, options(asked))
    assert {name: getattr(plan, name) for name in expected} == expected
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan
    assert str(again) == str(plan)


def test_ids_in_clusters_take_the_faster_encoding():
    """The choice is at most a tenth slower than the other in the records, or takes 3 ms more."""
    names = set()
    for record in map(json.loads, CLUSTERED.read_text().splitlines()):
        known = ids(2 * record["m"], record["low"], record["high"])
        known = known._replace(pages=record["pages"], page_shift=record["page_shift"])
        plan = choose.choose(Facts(THREADS, record["m"], ids=known, free_bytes=GIB), options())
        spent = {name: way["thread_ms"]["median"] for name, way in record["ways"].items()}
        assert spent[plan.ids] <= 1.1 * min(spent.values()) + 3, record["graph"]
        names.add(plan.ids)
    assert names == {"bit map, paged", "hash slots"}


def test_a_plan_is_chosen_again_by_the_vertices_that_there_are():
    """A table has room for all ends; a few vertices with many edges are sampled."""
    known = facts(GPU, MANY, 0, 2**60)
    most = choose.choose(known, options())
    counted = Counted(100_000, 50_000, most.encoding)
    fewer = choose.choose(known._replace(counted=counted), options())
    assert most.encoding == fewer.encoding
    assert "strided" not in most.design
    assert "strided" in fewer.design


def listed(kind, random, n, m):
    src, dst = random.integers(0, n, (2, m))
    if kind == "strings":
        return pd.DataFrame({"src": [f"v{k}" for k in src], "dst": [f"v{k}" for k in dst]})
    if kind == "far":
        return src * 2**40 // n, dst * 2**40 // n
    if kind == "rows":
        half = sp.coo_array((np.ones(m, np.int8), (src, dst)), shape=(n, n))
        return sp.csr_array(half + half.T)
    if kind == "columns":
        return pd.DataFrame({"a": src % 7, "b": src // 7, "c": dst % 7, "d": dst // 7})
    return src + 5, dst + 5


DESIGNS = ["auto", "auto", "auto", *map(str, cc_rapids.designs()[::37])]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(80 if not SIMULATED else 10))
def test_a_plan_says_what_runs(seed):
    random = np.random.default_rng(seed)
    kind = str(random.choice(["integers", "far", "strings", "rows", "columns"]))
    n, m = int(2 ** random.uniform(0, 12)), int(2 ** random.uniform(0, 13))
    edges, asked = listed(kind, random, n, m), {"design": str(random.choice(DESIGNS))}
    ends = (["a", "b"], ["c", "d"]) if kind == "columns" else ()
    if random.random() < 0.2:
        asked = {"forest": True}
    if kind == "integers" and random.random() < 0.3:
        asked |= {"num_vertices": n + 5}
    plan = cc_rapids.components(edges, *ends, explain=True, **asked)
    found = cc_rapids.components(edges, *ends, **asked)
    summary = found.summary()
    assert (plan.design, plan.engine) == (summary["design"], summary["engine"])
    assert plan.edges == summary["edges"]
    assert summary["ids"].startswith(plan.ids)  # of several columns, what their numbers are, too
    assert summary["vertices"] <= plan.vertices


SRC, DST = np.array([1, 2, 3, 7, 8]), np.array([2, 3, 1, 8, 9])
FRAME = pd.DataFrame({"src": SRC, "dst": DST, "weight": [0.9, 0.8, 0.7, 0.6, 0.5]})
MATRIX = sp.csr_array((np.ones(5), (SRC, DST)), shape=(10, 10))
PEOPLE = pd.DataFrame({"id": [1, 2, 3], "mail": ["a", "a", "b"], "name": ["x", "y", "y"]})


def batches():
    seen = cc_rapids.Connectivity()
    seen.insert((SRC, DST))
    return seen.components()


def in_a_pool():
    with ThreadPoolExecutor(2) as pool:
        return cc_rapids.pool.components([FRAME, FRAME], "src", "dst", executor=pool)


ENTRIES = {
    "frame": lambda path: cc_rapids.components(FRAME),
    "pair": lambda path: cc_rapids.components((SRC, DST)),
    "matrix": lambda path: cc_rapids.components(MATRIX),
    "graph": lambda path: cc_rapids.components(nx.Graph(list(zip(SRC, DST, strict=True)))),
    "file": cc_rapids.components,
    "stream": lambda path: cc_rapids.stream_components([path, path]),
    "chunks": lambda path: cc_rapids.stream_components(iter([FRAME, FRAME])),
    "batches": lambda path: batches(),
    "thresholds": lambda path: cc_rapids.components_at(FRAME, thresholds=[0.9, 0.5]),
    "dendrogram": lambda path: (
        cc_rapids.components(FRAME, forest="max", weight="weight").dendrogram().at(0.6)
    ),
    "forest": lambda path: cc_rapids.spanning_forest(FRAME),
    "heaviest": lambda path: cc_rapids.maximum_spanning_forest(FRAME, weight="weight"),
    "records": lambda path: cc_rapids.link_records(PEOPLE, ["mail", "name"], id="id"),
    "colours": lambda path: cc_rapids.bipartition(FRAME),
    "bridges": lambda path: cc_rapids.bridges(FRAME),
    "classes": lambda path: cc_rapids.two_edge_connected_components(FRAME),
    "devices": lambda path: cc_rapids.components((SRC, DST), devices=[0, 1], engine="threads"),
    "SciPy": lambda path: cc_rapids.scipy.connected_components(MATRIX, directed=False),
    "pool": lambda path: in_a_pool(),
}
BY_WEIGHT = {"dendrogram", "heaviest"}  # of which a plan names the rounds, and no design


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(Threads, "device_count", 2)
    FRAME[["src", "dst"]].to_csv(tmp_path / "edges.csv", index=False)
    choose.choose_for_batch.cache_clear()
    yield tmp_path / "edges.csv"
    choose.choose_for_batch.cache_clear()


@pytest.mark.skipif(SIMULATED, reason="compiles as on threads")
@pytest.mark.parametrize("name", ENTRIES)
def test_every_entry_point_obeys_a_plan(monkeypatch, path, name):
    fixed, ran = Design.parse("none+rem-cas+split-one"), []
    chosen, build = choose.choose, run.build
    monkeypatch.setattr(choose, "choose", lambda *given: replace(chosen(*given), algorithm=fixed))
    monkeypatch.setattr(
        run, "build", lambda design, *rest, **kw: ran.append(design) or build(design, *rest, **kw)
    )
    ENTRIES[name](path)
    assert set(ran) <= {fixed} if name in BY_WEIGHT else fixed in ran


@pytest.mark.skipif(SIMULATED, reason="compiles as on threads")
@pytest.mark.parametrize("name", ENTRIES)
def test_vertices_are_joined_in_one_place(monkeypatch, path, name):
    joined = []

    def guarded(function):
        def call(*given, **more):
            frame, files = sys._getframe(1), []
            while frame is not None:
                files.append(frame.f_code.co_filename)
                frame = frame.f_back
            joined.append(any(file.endswith("solver/run.py") for file in files))
            return function(*given, **more)

        return call

    for module, function in (
        *((run, name) for name in ("solve", "link", "join", "join_and_ask")),
        *((boruvka, "solve"), (staged, "link_in_stages")),
    ):
        monkeypatch.setattr(module, function, guarded(getattr(module, function)))
    ENTRIES[name](path)
    assert joined
    assert all(joined)


def test_a_range_that_proved_too_narrow_is_told(tuned):
    """A second plan is made of the exact range, and the summary says why."""
    tuned(sampled_scan_edges=100, range_margin_ids=0)
    random = np.random.default_rng(1)
    src, dst = random.integers(1000, 2000, (2, 1 << 16))
    plain = cc_rapids.components((src, dst))
    assert "chosen_again" not in plain.summary()
    src[777] = 50_000  # no row that a sample sees
    found = cc_rapids.components((src, dst))
    assert found.summary()["chosen_again"].startswith("some ids lie outside")
    assert found.summary()["ids"] == "offset"
    count, labels = connected_components(sp.coo_array((src, (src, dst)), shape=(50_001,) * 2))
    assert len(found) == len(set(labels[np.unique(np.concatenate([src, dst]))].tolist())) <= count


def test_small_ranges_get_a_word_each_whatever_memory_is_free(monkeypatch):
    asked = []
    monkeypatch.setattr(Threads, "free_bytes", lambda self: asked.append(1) or 1 << 40)
    plain = cc_rapids.components(([0, 5], [(1 << 20) - 1, 6]), engine="threads")
    assert (plain.summary()["ids"], asked) == ("as they are", [])
    cc_rapids.components(([0, 5], [1 << 20, 6]), engine="threads")
    assert asked
    assert choose.choose(facts(THREADS, FEW, 0, 999, free=0), options()).ids == "as they are"


def test_a_design_for_pairs_takes_the_vertices_that_there_are(monkeypatch):
    """Ids of a range too wide for a matrix are numbered without gaps."""
    monkeypatch.setattr(Threads, "free_bytes", lambda self: 1 << 28)
    src, dst = SRC * 100_000, DST * 100_000
    found = cc_rapids.components((src, dst), design="owner", engine="threads")
    assert found.summary()["ids"] == "bit map"
    assert found.labels().labels.tolist() == [100_000] * 3 + [700_000] * 3
