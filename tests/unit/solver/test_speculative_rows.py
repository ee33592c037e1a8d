"""Rows of the answer that are gathered before it is known how many there are."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.choices import pairs
from support.edge_lists import components_of

import cc_rapids
from cc_rapids import api, backends
from cc_rapids.graph import forest
from cc_rapids.ids.decoders import SortedDecoder
from cc_rapids.options import Options

IDS = {
    "without gaps": lambda random: random.integers(0, 300, (2, 900)),
    "a fourth missing": lambda random: random.integers(0, 300, (2, 900)) * 4 // 3,
    "every fifth": lambda random: random.integers(0, 60, (2, 900)) * 5,
    "from 2^40 on": lambda random: 2**40 + random.integers(0, 300, (2, 900)),
    "a bit each": lambda random: random.integers(0, 300, (2, 900)) * 100,
    "slots": lambda random: random.integers(0, 300, (2, 900)) * 10**12,
    "more edges of less": lambda random: np.minimum(random.integers(0, 2500, (2, 900)), 40),
}


def find(edges, wants_labels=True, **options):
    return api.find_components(edges, Options.check(**options, wants_labels=wants_labels))


@pytest.fixture
def gathered(engine, monkeypatch, tuned):
    """The room of each gathering, once on an engine whose host goes on while its kernels run."""
    rooms, gather = [], forest.Forest._gather
    monkeypatch.setattr(backends.get(engine), "goes_on", True, raising=False)
    monkeypatch.setattr(backends.get(engine), "in_one_launch", False, raising=False)
    monkeypatch.setattr(backends.get(engine), "few_by_library", False, raising=False)
    tuned(small_id_range=1000)

    def noted(own, name, low, capacity, *rest):
        rooms.append((capacity, own.vertices))
        return gather(own, name, low, capacity, *rest)

    monkeypatch.setattr(forest.Forest, "_gather", noted)
    return rooms


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("design", ["none+async+halve", "strided(every=2)+rem-cas+splice"])
def test_labels_are_those_of_any_other_run(engine, gathered, kind, design):
    src, dst = IDS[kind](np.random.default_rng(3))
    found = cc_rapids.connected_components((src, dst), engine=engine, design=design)
    members = components_of(src.tolist(), dst.tolist())
    expected = {vertex: min(members[vertex]) for vertex in members}
    assert dict(zip(found.vertex.tolist(), found.labels.tolist(), strict=True)) == expected
    assert np.all(np.diff(found.vertex) > 0)
    if kind == "slots":
        return
    ahead = gathered[0]
    assert ahead[1] == 0  # nothing was counted yet
    assert len(expected) <= ahead[0] <= 2 * src.size
    assert (len(gathered) == 2) is (2 * ahead[0] > 3 * len(expected))


def test_rows_that_are_kept_are_given_away_once(engine, gathered):
    edges = pd.DataFrame({"src": [4, 2, 9, 9], "dst": [2, 7, 9, 4]})
    found = find(edges, engine=engine, num_vertices=10)
    first, second = found.labels(), found.labels()
    assert gathered == [(10, 0), (10, 10)]
    pd.testing.assert_frame_equal(first, second)
    first["labels"] = 0
    assert found.labels()["labels"].tolist() == [0, 1, 2, 3, 2, 5, 6, 2, 8, 2]


@pytest.mark.parametrize(
    "options", [{}, {"labels": "dense"}, {"labels": "max"}, {"forest": True}], ids=str
)
def test_what_is_not_asked_for_is_not_gathered(engine, gathered, options):
    edges = np.array([4, 2, 9, 9]), np.array([2, 7, 9, 4])
    wants_labels = not (options.get("forest") or not options)
    found = find(edges, engine=engine, **options, wants_labels=wants_labels)
    assert len(found) == 1
    assert gathered == []


@pytest.mark.parametrize(
    ("design", "spare", "rooms"),
    [
        ("none", 16_000, [(1000, 0)]),  # of two words of 8 bytes each
        ("none", 15_999, [(1000, 1000)]),
        ("strided(every=2)", 16, [(1000, 0)]),  # all but the root have a parent before the end
        ("strided(every=2)", 15, [(999, 0), (1000, 1000)]),
        ("strided(every=2)", -1, [(1000, 1000)]),
    ],
)
def test_rows_in_vain_are_bounded(engine, gathered, monkeypatch, tuned, design, spare, rooms):
    """Of a list without a sample by the ids that there may be, after one by those that are there
    when all but its last part is linked.
    """
    edges = tuple(np.random.default_rng(1).integers(0, 1000, (2, 20_000)))
    tuned(split_finish_edges=1)
    monkeypatch.setattr(forest.Forest, "spare", lambda *_: spare)
    found = cc_rapids.connected_components(edges, engine=engine, design=f"{design}+async+halve")
    assert gathered == rooms
    assert found.vertex.tolist() == list(range(1000))
    assert not found.labels.any()


@pairs(spare=[0, 10**6], every=[2, 5], falls=[False, True], bits=["cached", "shared"])
def test_a_list_in_two_parts_is_the_same_list(
    engine, gathered, monkeypatch, tuned, spare, every, falls, bits
):
    """Cut where a sample begins anew: no edge is lost, and rows that do not fit are made again."""
    tuned(split_finish_edges=1)
    monkeypatch.setattr(forest.Forest, "spare", lambda *_: spare)
    n, path = 5_000, np.arange(3_000)
    ends = np.append(path, [4_000]), np.append(path + 1, [4_001])
    order = np.random.default_rng(2).permutation(path.size + 1)[:: -1 if falls else 1]
    design = f"strided(every={every}, bits={bits})+rem-cas+splice"
    edges = tuple(end[order] for end in ends)
    found = cc_rapids.connected_components(edges, engine=engine, design=design)
    assert found.vertex.tolist() == [*range(3001), 4_000, 4_001]
    assert found.labels.tolist() == [0] * 3001 + [4_000] * 2
    assert len(gathered) == (1 if spare else 2)
    assert gathered[0][0] <= n


@pytest.mark.parametrize("told", [7, 6, 8, 40, 0, True], ids=str)
def test_a_frame_of_as_many_rows_as_are_told_is_made_before_they_are_counted(
    engine, gathered, told, monkeypatch
):
    """Six vertices occur; a number that proves wrong changes nothing."""
    edges = pd.DataFrame({"src": [4, 2, 9, 9, 1], "dst": [2, 7, 9, 4, 3]})
    whole = cc_rapids.components(edges, engine=engine).labels()
    made = []
    given = cc_rapids.data.read.read(edges, "src", "dst", None, None, "raise")
    noted = replace(
        given, make_frame=lambda columns: made.append(gathered[-1]) or given.make_frame(columns)
    )
    monkeypatch.setattr(cc_rapids.api, "read", lambda *rest, **options: noted)
    gathered.clear()
    found = find(edges, engine=engine, expected_rows=None if told is True else told)
    early = told in (6, 7, 8)
    assert made == ([(told, 0)] if early else [])
    for _ in range(2):
        frame = found.labels()
        pd.testing.assert_frame_equal(frame, whole)
        frame["labels"] = 0
    assert len(made) == (2 if told == 6 else 2 + early)


def test_rows_for_which_there_is_no_memory_yet_are_gathered_later(engine, gathered, monkeypatch):
    gather = forest.Forest._gather

    def once(own, *rest):
        if not own.vertices:
            raise MemoryError
        return gather(own, *rest)

    monkeypatch.setattr(forest.Forest, "_gather", once)
    edges = pd.DataFrame({"src": [4, 2, 9, 9], "dst": [2, 7, 9, 4]})
    found = find(edges, engine=engine, expected_rows=4)
    assert gathered == []
    assert found.labels()["labels"].tolist() == [2, 2, 2, 2]
    assert gathered == [(4, 4)]


def test_hashed_ids_are_decoded_before_their_trees_are_counted(engine, gathered, monkeypatch):
    order, count, decode = [], forest.Forest.count, SortedDecoder.decode_all

    def counted(self, *given):
        order.append("count")
        count(self, *given)

    def decoded(self, *given):
        order.append("taken" if self._ahead else "decode")
        return decode(self, *given)

    monkeypatch.setattr(forest.Forest, "count", counted)
    monkeypatch.setattr(SortedDecoder, "decode_all", decoded)
    src, dst = IDS["slots"](np.random.default_rng(3))
    found = find((src, dst), engine=engine)
    assert order == ["count", "decode", "count"]
    frame = found.labels()
    again = found.labels()
    assert order == ["count", "decode", "count", "taken", "decode"]
    members = components_of(src.tolist(), dst.tolist())
    expected = {vertex: min(members[vertex]) for vertex in members}
    for vertex, labels in (frame, again):
        assert dict(zip(vertex.tolist(), labels.tolist(), strict=True)) == expected
    order.clear()
    found = find((src, dst), engine=engine)
    sent = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(sent.labels().labels, found.labels().labels)
    assert order.count("taken") == 1
    found = find((src, dst), wants_labels=False, engine=engine)
    assert not found.answer.decoder._ahead


@pytest.mark.slow
def test_without_memory_ids_are_decoded_when_they_are_asked_for(engine, gathered, monkeypatch):
    def fail(*given):
        raise MemoryError

    src, dst = IDS["slots"](np.random.default_rng(3))
    with monkeypatch.context() as patch:
        patch.setattr(SortedDecoder, "decode_all", fail)
        found = find((src, dst), engine=engine)
    assert sorted(found.labels().vertex.tolist()) == sorted({*src.tolist(), *dst.tolist()})
