"""Edges that are chosen by bits: their rows, and what is gathered of them."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cc_rapids import backends
from cc_rapids.graph import chosen_edges
from cc_rapids.graph.chosen_edges import ChosenEdges, MarkedEdges

SIZES = [1, 31, 32, 33, 255, 256, 257, 1000]
SHARES = [0, 0.001, 0.3, 1]


def marked(engine, chosen):
    """The edges with a bit of those that are chosen."""
    backend = backends.get(engine)
    octets = np.packbits(chosen, bitorder="little")
    words = np.append(octets, np.zeros(-octets.size % 4, np.uint8)).view(np.uint32)
    edges = MarkedEdges(backend, backend.asarray(words), chosen.size)
    edges.count = int(backend.to_host(edges.rank()[-1:])[0])
    return edges


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("share", SHARES)
def test_their_number_and_their_rows(engine, m, share):
    chosen = np.random.default_rng(m).random(m) < share
    edges = marked(engine, chosen)
    assert edges.count == chosen.sum()
    assert edges.rows.tolist() == np.flatnonzero(chosen).tolist()
    assert edges.among(np.arange(edges.count)[::-2]).rows.tolist() == edges.rows[::-2].tolist()


@given(st.lists(st.booleans(), min_size=1, max_size=300))
@settings(max_examples=50, deadline=None)
def test_any_edges_may_be_chosen(chosen):
    chosen = np.array(chosen)
    assert marked("threads", chosen).rows.tolist() == np.flatnonzero(chosen).tolist()


@pytest.mark.parametrize("room", [0, 1, 70, 200])
@pytest.mark.parametrize("weighed", [True, False])
def test_columns_are_gathered_as_far_as_there_is_room(engine, room, weighed):
    """What follows the last edge in a longer column is not written."""
    random, m = np.random.default_rng(room), chosen_edges.TILE + 500
    chosen = random.random(m) < 0.02
    held = [random.integers(0, 9, m), random.integers(0, 9, m).astype(np.int32)]
    held.append(random.random(m) if weighed else np.empty(0, np.uint8))
    edges = marked(engine, chosen)
    rows = np.flatnonzero(chosen)
    columns = edges._gather(held, chosen_edges._allocate_columns(held, room, edges.backend))
    assert [column.dtype for column in columns] == [np.int64, *(own.dtype for own in held)]
    right = [rows, *(own[rows] if own.size else own for own in held)]
    for column, own in zip(columns, right, strict=True):
        assert column[: rows.size].tolist() == own[:room].tolist()


def test_a_pickle_holds_the_rows(engine):
    chosen = np.arange(100) % 7 == 0
    copy = pickle.loads(pickle.dumps(marked(engine, chosen)))
    assert type(copy) is ChosenEdges
    assert copy.rows.tolist() == np.flatnonzero(chosen).tolist()
