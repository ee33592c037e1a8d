"""Graphs over several GPUs: each rank gets the labels of its vertices, or all get the original."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import peers
import pytest

import cc_rapids
from cc_rapids import api, errors, oracle
from cc_rapids.graph.edges import Edges
from cc_rapids.integrations import pylibcugraph as plc

RANDOM = np.random.default_rng(11)
N = 600
EDGES = RANDOM.integers(0, N // 2, (700, 2)) * 2  # odd vertices are isolated


def call(function, handle, graph):
    return function(handle, graph, None, None, None, None, False)


def on_ranks(count, edges=EDGES, dtype=np.int64, function=plc.weakly_connected_components):
    """What each rank returned or raised, and the edges that were sent at each step."""
    ranks = peers.Ranks(count)
    owned = [np.arange(rank, N, count, dtype=dtype) for rank in range(count)]
    parts = [part.astype(dtype) for part in np.array_split(edges, count)]
    graphs = [peers.MGGraph(*part.T, own) for part, own in zip(parts, owned, strict=True)]

    def one(rank):
        try:
            return call(function, peers.ResourceHandle(ranks, rank), graphs[rank])
        except errors.CcRapidsError as error:
            return error

    with ThreadPoolExecutor(count, thread_name_prefix="rank") as threads:
        return list(threads.map(one, range(count))), ranks.sent


def check(answers, edges=EDGES, dtype=np.int64):
    least = oracle.union_find(edges[:, 0], edges[:, 1], N)
    seen = []
    for vertices, labels in answers:
        assert vertices.dtype == labels.dtype == dtype
        assert labels.tolist() == least[vertices].tolist()
        seen += vertices.tolist()
    assert sorted(seen) == list(range(N))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_each_rank_gets_the_labels_of_its_vertices(peer, count, dtype):
    answers, sent = on_ranks(count, dtype=dtype)
    check(answers, dtype=dtype)
    votes, forests, done = sent
    assert votes == done == [1] * count
    assert sum(forests) < len(EDGES)


def test_one_rank_sends_no_edges(peer):
    answers, sent = on_ranks(1)
    check(answers)
    assert sent == [[1]]


def test_a_component_over_all_ranks_and_ranks_without_edges(peer):
    chain = np.column_stack([np.arange(N - 1), np.arange(1, N)])
    check(on_ranks(4, chain)[0], chain)
    few = np.array([[599, 5], [7, 598]])
    answers, sent = on_ranks(3, few)
    check(answers, few)
    assert sent[1] == [1, 1, 1]  # the third a loop, in place of nothing


@pytest.fixture
def failing(monkeypatch):
    """Let one rank fail at a step: the first finds its forest, the second the labels of all."""
    find, own, lock = plc.components, threading.local(), threading.Lock()

    def fail(step, error):
        left = [error]

        def components(*arguments, **options):
            own.step = getattr(own, "step", 0) + 1
            with lock:
                if own.step == step and left:
                    raise left.pop()
            return find(*arguments, **options)

        monkeypatch.setattr(plc, "components", components)

    return fail


@pytest.mark.slow
@pytest.mark.parametrize("error", [errors.CapacityError("no room"), MemoryError("no room")])
@pytest.mark.parametrize("step", [1, 2])
def test_where_one_rank_fails_all_do(peer, failing, step, error):
    failing(step, error)
    answers, _ = on_ranks(3)
    assert {type(answer) for answer in answers} == {errors.GraphStateError}
    assert sorted(str(answer) for answer in answers) == [
        "1 of 3 ranks failed",
        "1 of 3 ranks failed",
        "1 of 3 ranks failed: no room",
    ]


SENT = {
    "lost": lambda rank, pair: [end[:0] if rank == 1 and len(end) > 1 else end for end in pair],
    "cut": lambda rank, pair: [end[:-1] if rank == 1 and len(end) > 1 else end for end in pair],
    "repeated": lambda rank, pair: [np.append(end, end) if len(end) > 1 else end for end in pair],
}


@pytest.mark.parametrize("fault", SENT.values(), ids=list(SENT))
def test_a_forest_that_is_lost_on_the_way_is_an_error_of_all(peer, monkeypatch, fault):
    send = peers.Ranks.gathered
    monkeypatch.setattr(
        peers.Ranks, "gathered", lambda self, rank, pair: send(self, rank, fault(rank, pair))
    )
    answers, _ = on_ranks(3)
    assert {type(answer) for answer in answers} == {errors.LedgerError}
    assert all("3 of 3 ranks lost edges: the forests of all ranks" in str(one) for one in answers)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_edges_that_are_lost_where_a_graph_is_read(peer, monkeypatch, count):
    read = peer["pylibcugraph"].decompress_to_edgelist
    fewer = lambda *given: (*(end[:-1] for end in read(*given)[:2]), None)  # noqa: E731
    monkeypatch.setattr(peer["pylibcugraph"], "decompress_to_edgelist", fewer)
    answers, _ = on_ranks(count)
    assert {type(answer) for answer in answers} == {errors.LedgerError}
    assert all("1,400 rows were given" in str(answer) for answer in answers)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_edges_that_one_rank_loses_are_an_error_of_all(peer, monkeypatch, count):
    solve = api.solve

    def solved(*given):
        found = solve(*given)
        edges = found.encoded.edges
        if edges.m < len(EDGES) // count:  # the forests
            return found
        fewer = Edges(edges.src[:-1], edges.dst[:-1], edges.low)
        return replace(found, encoded=replace(found.encoded, edges=fewer))

    monkeypatch.setattr(api, "solve", solved)
    answers, _ = on_ranks(count)
    assert {type(answer) for answer in answers} == {errors.LedgerError}


def test_forests_that_do_not_fit_on_a_rank_are_not_sent(peer, monkeypatch):
    monkeypatch.setattr(plc, "COPIES", 1 << 40)
    answers, sent = on_ranks(2)
    assert all("bytes on each GPU, but one GPU has" in str(answer) for answer in answers)
    assert len(sent) == 1


def test_installed_it_runs_for_all_ranks_or_the_original_for_all(peer, failing, caplog):
    caplog.set_level(logging.INFO, logger="cc_rapids.integrations")
    with cc_rapids.installed():
        function = peer["pylibcugraph"].weakly_connected_components
        check(on_ranks(3, function=function)[0])
        assert not caplog.messages
        failing(1, errors.CapacityError("no room"))
        answers, _ = on_ranks(3, function=function)
    assert answers == [(-1, "MGGraph")] * 3
    handed = "passed to the original pylibcugraph.weakly_connected_components: 1 of 3 ranks failed"
    assert sorted(caplog.messages) == [handed, handed, f"{handed}: no room"]
