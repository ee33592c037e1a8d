"""Glances: the span of long lists is guessed from some rows, and no id is lost by it."""

import numpy as np
import pytest
from machine import EACH_THREAD_IS_SLOW, SIMULATED
from test_properties import check, components_of

import cc_rapids
from cc_rapids import errors, spans


@pytest.fixture
def glancing(monkeypatch):
    """Lists of any length are glanced at."""
    monkeypatch.setattr(spans, "LONG", 0)


def long_list(seed, m, low=-700, n=900):
    random = np.random.default_rng(seed)
    return tuple(low + random.integers(0, n, (2, m)))


@pytest.mark.parametrize("design", ["none+async+halve", "strided+async+halve"])
@pytest.mark.parametrize(
    ("row", "stray"), [(0, 12_000), (300, 12_000), (300, -12_000), (2000, 2**32 + 5), (1500, 4000)]
)
def test_ids_that_a_glance_misses_are_found(engine, glancing, caplog, design, row, stray):
    if engine == "cuda" and SIMULATED and (design[:4], row) != ("none", 300):
        pytest.skip(EACH_THREAD_IS_SLOW)
    caplog.set_level("INFO", "cc_rapids")
    edges = long_list(row, 2100)
    edges[row % 2][row] = stray
    found = cc_rapids.components(edges, engine=engine, design=design)
    check(found, components_of(*map(np.ndarray.tolist, edges)))
    missed = row >= 256 and stray != 4000
    assert ("reading all of them" in caplog.text) is missed


@pytest.mark.parametrize("dtype", [np.uint64, np.int64, np.int32])
def test_a_glance_at_the_ends_of_a_type(engine, glancing, dtype):
    if engine == "cuda" and SIMULATED and dtype is not np.uint64:
        pytest.skip(EACH_THREAD_IS_SLOW)
    limit = np.iinfo(dtype)
    for low in (int(limit.min), int(limit.max) - 899):
        offsets = long_list(1, 1200, 0)
        edges = tuple(
            (offset.astype(np.uint64) + np.uint64(low % 2**64)).astype(dtype) for offset in offsets
        )
        found = cc_rapids.components(edges, engine=engine)
        check(found, components_of(*map(np.ndarray.tolist, edges)))


def test_a_glance_leaves_all_else_as_it_is(engine, glancing):
    edges = long_list(4, 1500)
    found = cc_rapids.components(edges, vertices=[5000, -3], engine=engine)
    check(found, components_of(*map(np.ndarray.tolist, edges), [5000, -3]))
    spread = tuple(side * 2**40 for side in edges)
    found = cc_rapids.components(spread, engine=engine)
    assert found.summary()["ids"] == "hash slots"
    check(found, components_of(*map(np.ndarray.tolist, spread)))
    with pytest.raises(errors.InputError, match=r"outside 0\.\.99"):
        cc_rapids.components(edges, num_vertices=100, engine=engine)
