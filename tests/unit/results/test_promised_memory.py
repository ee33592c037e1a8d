"""Docstrings state the memory that functions take, and no function takes more than its figure."""

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.encodings import force_encoding

import cc_rapids

SLACK = 1 << 16  # small arrays, whose number does not depend on the list
LISTS = [(40_000, 40_000), (10_000, 60_000)]  # vertices and edges


def taken(call):
    """Return the bytes that a call allocates at most, and those that its answer keeps."""
    call()  # compiles kernels, and fills what is kept for later calls
    gc.collect()
    tracemalloc.start()
    try:
        answer = call()
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    del answer
    return peak, kept


@pytest.fixture(params=LISTS, ids=lambda sizes: "{} vertices, {} edges".format(*sizes))
def given(request):
    """Random edges, their weights, the number of vertices, and the bytes of their components."""
    n, m = request.param
    random = np.random.default_rng(n)
    src, dst = random.integers(0, n, (2, m))
    components, _ = taken(lambda: cc_rapids.components((src, dst)))
    return (src, dst), random.random(m), n, components


def test_forests_by_weight(given):
    edges, weight, n, components = given
    assert "13 bytes per vertex and 37 bytes per edge, or 21 and 57 for 64-bit weights" in " ".join(
        cc_rapids.minimum_spanning_forest.__doc__.split()
    )
    for weights, of_vertex, of_edge in (
        (weight, 21, 57),
        (weight.astype(np.float32), 13, 37),
    ):
        peak, _ = taken(
            lambda weights=weights: cc_rapids.components(edges, weight=weights, forest="min")
        )
        assert peak <= components + of_vertex * n + of_edge * weight.size + SLACK


PROMISED = {
    cc_rapids.bridges: ("about 90 bytes per vertex", "26 bytes per edge", 90, 26),
    cc_rapids.biconnected_component_edges: (
        *("about 90 bytes per vertex", "80 bytes per edge, including the answer"),
        *(90, 80),
    ),
    cc_rapids.bipartition: ("16 bytes per vertex during", "about 48 bytes per edge", 16, 48),
}


@pytest.mark.parametrize("function", PROMISED, ids=lambda function: function.__name__)
def test_searches(given, function):
    edges, _, n, components = given
    *phrases, of_vertex, of_edge = PROMISED[function]
    assert all(phrase in " ".join(function.__doc__.split()) for phrase in phrases)
    peak, kept = taken(lambda: function(edges))
    assert peak <= components + of_vertex * n + of_edge * edges[0].size + SLACK
    if function is cc_rapids.bipartition:
        assert "keeps 13 bytes per vertex" in " ".join(function.__doc__.split())
        _, without = taken(lambda: cc_rapids.components(edges))
        assert kept <= without + 13 * n + SLACK


def test_states_of_batches(given):
    edges, times, n, _ = given
    frame = pd.DataFrame({"src": edges[0], "dst": edges[1], "time": times})
    for options, of_vertex, phrase in (
        ({}, 4, "The trees take 4 bytes per vertex"),
        ({"keep_forest": True}, 20, "Keep the edges of a spanning forest, in 16 bytes per vertex"),
        ({"expiry": "time"}, 36, "by expiry time, in 32 bytes per vertex"),
    ):
        assert phrase in " ".join(cc_rapids.Connectivity.__doc__.split())
        _, kept = taken(
            lambda options=options: cc_rapids.Connectivity(num_vertices=n, **options).insert(frame)
        )
        assert kept <= of_vertex * n + SLACK


def test_dendrograms_and_thresholds(given):
    edges, weight, n, _ = given
    found = cc_rapids.components(edges, weight=weight, forest="max")
    assert "up to 56 bytes per edge" in " ".join(cc_rapids.Components.dendrogram.__doc__.split())
    assert taken(found.dendrogram)[1] <= 56 * n + SLACK
    assert "take 5 bytes per vertex" in " ".join(cc_rapids.components_at.__doc__.split())
    levels = [0.2, 0.5, 0.8]
    _, kept = taken(lambda: cc_rapids.components_at(edges, weight=weight, thresholds=levels))
    assert kept <= 5 * n + SLACK


def test_records_that_share_keys(given):
    edges, _, _, _ = given
    people = pd.DataFrame({"a": edges[0], "b": edges[1]})
    text = " ".join(cc_rapids.link_records.__doc__.split())
    assert "8 bytes per record and key" in text
    assert "30 to 60 bytes per record" in text
    peak, _ = taken(lambda: cc_rapids.link_records(people, ["a", "b"]))
    assert peak <= (2 * 8 + 60) * len(people) + SLACK


INPUTS = Path(__file__).parents[3] / "docs" / "guides" / "inputs.md"


# For each encoding what the guide says, and the bytes for each integer of the range, id and end
ENCODINGS = {
    "bit map": ("three bits for each integer of the range, 9 to 13 bytes for each", 3 / 8, 13, 4),
    "bit map, paged": ("three bits for each integer of these pages, 13 bytes for", 3 / 8, 13, 8),
    "hash slots": ("about 72 bytes for each distinct id, 4 for each end", 0, 72, 4),
}


def test_encodings(given):
    guide, seen = " ".join(INPUTS.read_text(encoding="utf-8").split()), set()
    edges, _, n, _ = given
    for factor in (100, 200, 500, 1000, 10**12):
        far = tuple(end * factor for end in edges)
        ids = cc_rapids.components(far).summary()["ids"]
        if ids in ENCODINGS:
            phrase, of_integer, of_id, of_end = ENCODINGS[ids]
            assert phrase in guide
            peak, _ = taken(lambda far=far: cc_rapids.components(far))
            assert peak <= (of_integer * factor + of_id) * n + of_end * 2 * far[0].size + SLACK
            seen.add(ids)
    assert seen == ENCODINGS.keys()


def test_sorted_ids(given, monkeypatch):
    guide = " ".join(INPUTS.read_text(encoding="utf-8").split())
    assert "about 17 bytes for each end of an edge, 13 for each distinct id" in guide
    force_encoding(monkeypatch, "sorted ids")
    edges, _, n, _ = given
    peak, _ = taken(lambda: cc_rapids.components(edges))
    assert peak <= 13 * n + 17 * 2 * edges[0].size + SLACK


def test_strings(given):
    phrase = "at most 96 bytes for each end of an edge, plus three times the bytes of the strings"
    assert phrase in " ".join(INPUTS.read_text(encoding="utf-8").split())
    edges, _, _, _ = given
    names = [pa.array([f"{end:036x}"[::-1] for end in side.tolist()]) for side in edges]
    table = pa.table(names, names=["src", "dst"])
    pool, own = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(own)
    try:
        peak, _ = taken(lambda: cc_rapids.components(table))
    finally:
        pa.set_memory_pool(pool)
    assert peak + own.max_memory() <= 2 * (96 + 3 * (36 + 4)) * edges[0].size + SLACK


def test_audits(given):
    edges, weight, n, _ = given
    m = weight.size
    text = " ".join(cc_rapids.Components.audit.__doc__.split())
    for phrase in (
        "another label frame, and 8 bytes and 3 bits for each id of the id range",
        "40 bytes per vertex and 8 bytes per edge instead",
        "about 130 bytes per vertex",
        "about 115 bytes per edge and 55 bytes per vertex",
    ):
        assert phrase in text
    frame = 16 * n
    found = cc_rapids.components(edges, weight=weight, forest="max")
    found.labels()
    peak, _ = taken(lambda: found.audit(edges))
    assert peak <= frame + 8 * n + 3 * n // 8 + SLACK
    forest, _ = taken(lambda: found.audit(edges, weight=weight, forest="max"))
    assert forest <= peak + 130 * n + SLACK
    right = cc_rapids.bridges(edges)
    bridges, _ = taken(lambda: found.audit(edges, bridges=right))
    assert bridges <= peak + 55 * n + 115 * m + SLACK
    of_paths = " ".join(cc_rapids.Components.audit_paths.__doc__.split())
    assert "about 40 bytes per id in the id range" in of_paths
    assert "and 16 bytes per edge" in of_paths
    pairs = edges[0][:100], edges[1][:100]
    paths = found.paths(pairs)
    walks, _ = taken(lambda: found.audit_paths(paths, pairs, edges, weight=weight))
    assert walks <= forest + 40 * n + 16 * m + SLACK
    far = tuple(end * 10**12 for end in edges)
    sparse = cc_rapids.components(far)
    sparse.labels()
    assert taken(lambda: sparse.audit(far))[0] <= frame + 40 * n + 8 * m + SLACK
