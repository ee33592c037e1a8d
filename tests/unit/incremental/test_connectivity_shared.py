"""Threads that share one Connectivity, and code that is called back by it."""

import copy
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cc_rapids import Connectivity, components
from cc_rapids.errors import InputError

THREADS, BATCHES = 4, 25


def batch(number):
    """A path of ten vertices, which no other batch has."""
    ids = np.arange(10 * number, 10 * number + 10)
    return ids[:-1], ids[1:]


def insert(seen, numbers):
    for number in numbers:
        seen.insert(batch(number))


def insert_many(seen, numbers):
    seen.insert(batch(number) for number in numbers)


def process(seen, numbers):
    for number in numbers:
        src, dst = batch(number)
        asks = np.zeros(src.size + 1, bool)
        asks[-1] = True
        rows = np.append(src, src[0]), np.append(dst, src[0])
        assert seen.process(rows, query=asks).tolist() == [True]


WAYS = {"insert": insert, "many": insert_many, "process": process}


def shared(seen, ways):
    """As many threads as ways, each with batches of its own, which begin together."""
    start = threading.Barrier(len(ways))

    def work(own, way):
        start.wait(600)
        WAYS[way](seen, range(own * BATCHES, (own + 1) * BATCHES))

    with ThreadPoolExecutor(len(ways)) as pool:
        for done in [pool.submit(work, *each) for each in enumerate(ways)]:
            done.result(120)
    return seen


@pytest.mark.parametrize("count", [None, 10 * THREADS * BATCHES], ids=["any ids", "counted"])
@pytest.mark.parametrize("ways", [["insert"], ["many"], ["process"], list(WAYS)], ids="+".join)
def test_no_batch_of_any_thread_is_lost(ways, count):
    ways = (ways * THREADS)[:THREADS]
    seen = shared(Connectivity(count), ways)
    assert repr(seen).startswith(
        f"<Connectivity: {THREADS * BATCHES} components of {10 * THREADS * BATCHES:,} vertices;"
        f" {9 * THREADS * BATCHES} edges in {THREADS * BATCHES} batches"
    )
    labels = seen.components().labels()
    assert (labels.labels == labels.vertex // 10 * 10).all()


def test_strings_and_batches_that_meet():
    """Iterators of threads whose batches join the same vertices, which each has numbered anew."""
    names = np.array([f"v{k}" for k in range(60)])
    seen = Connectivity()

    def work(step):
        ids = names[:: step + 1]
        seen.insert((ids[k : k + 2], ids[k + 1 : k + 3]) for k in range(0, ids.size - 2, 2))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    whole = Connectivity()
    for step in range(THREADS):
        ids = names[:: step + 1]
        for k in range(0, ids.size - 2, 2):
            whole.insert((ids[k : k + 2], ids[k + 1 : k + 3]))
    assert repr(seen) == repr(whole)
    for mine, own in zip(seen.components().labels(), whole.components().labels(), strict=True):
        assert mine.tolist() == own.tolist()


def test_what_is_asked_meanwhile_is_of_one_state():
    """Every answer is that after some number of whole batches, and none goes back."""
    seen, stop, answers = Connectivity(), threading.Event(), []

    def ask():
        while not stop.is_set():
            found = seen.components()
            labels = found.labels()
            assert len(found) * 10 == labels.vertex.size
            assert (labels.labels == labels.vertex // 10 * 10).all()
            words = repr(seen).split()
            assert int(words[1].replace(",", "")) * 10 == int(words[4].replace(",", ""))
            same = copy.copy(seen)
            assert len(same) * 10 == same.num_vertices
            assert seen.connected(([0], [9]), missing="false").size == 1
            answers.append(len(found))

    with ThreadPoolExecutor(2) as pool:
        asking = pool.submit(ask)
        insert(seen, range(BATCHES))
        stop.set()
        asking.result(60)
    assert answers == sorted(answers)


def test_saving_while_others_insert(tmp_path):
    """Eight threads save to one path: no error, no broken file, and nothing is left beside it."""
    seen, path = Connectivity(), tmp_path / "seen"
    seen.save(path)

    def work(own):
        for number in range(own * 10, own * 10 + 10):
            seen.insert(batch(number))
            seen.save(path)
            loaded = Connectivity.load(path)
            assert len(loaded) * 10 == loaded.num_vertices

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert [file.name for file in tmp_path.iterdir()] == ["seen"]
    seen.save(path)
    assert len(Connectivity.load(path)) == 80


@pytest.mark.filterwarnings("ignore:the iterator, which may have been read before")
def test_an_iterator_may_ask_and_insert():
    seen = Connectivity().insert(([0], [1]))

    def batches():
        yield [2], [3]
        assert len(seen) == 1  # as long as not all are inserted
        assert seen.connected(([0], [1])).all()
        seen.insert(([10], [11]))
        assert seen.process(([11, 12], [10, 13]), query=[True, False]).all()
        assert len(seen) == 3
        yield [3], [0]

    seen.insert(batches())
    assert seen.components().labels().labels.tolist() == [0, 0, 0, 0, 10, 10, 12, 12]
    seen.insert(iter([])).insert(seen.insert(([k], [k])) and ([k], [k]) for k in (0, 2))
    assert "9 edges in 9 batches" in repr(seen)


def test_an_iterator_may_wait_for_another_thread():
    """Which asks, and inserts, while the iterator is read."""
    seen = Connectivity()
    with ThreadPoolExecutor(1) as pool:

        def batches():
            yield [0], [1]
            pool.submit(seen.insert, ([5], [6])).result(60)
            assert pool.submit(len, seen).result(60) == 1
            yield [1], [2]

        seen.insert(batches())
    assert seen.components().labels().vertex.tolist() == [0, 1, 2, 5, 6]


def test_batches_that_others_made_impossible_are_refused_and_lose_nothing():
    seen = Connectivity()

    def batches():
        yield ["a"], ["b"]
        seen.insert(([5], [6]))

    with pytest.raises(InputError, match="integers"):
        seen.insert(batches())
    assert seen.components().labels().vertex.tolist() == [5, 6]


def test_an_error_leaves_the_others_free():
    seen = Connectivity(4)
    for call in (
        lambda: seen.insert(([7], [1])),
        lambda: seen.insert(iter([([1], [2]), ([7], [1])])),
        lambda: seen.process(([7], [1]), query=[False]),
        lambda: seen.insert(1 // 0 for _ in range(3)),
    ):
        with pytest.raises((InputError, ZeroDivisionError)):
            call()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(seen.insert, ([1], [2])).result(60)
    assert len(seen) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_forked_meanwhile_can_go_on():
    seen = Connectivity().insert(([0], [1]))
    held, go = threading.Event(), threading.Event()

    def hold():
        with seen._lock.rlock:
            held.set()
            go.wait(600)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(600)
    child = os.fork()
    if child == 0:
        os._exit(0 if seen._lock.rlock.acquire(timeout=600) else 1)
    go.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_is_found_meanwhile_is_what_a_list_gives():
    """Random batches of three threads, joined as one list would be."""
    rng = np.random.default_rng(2)
    parts = rng.integers(0, 400, (3, 8, 2, 20))
    seen = Connectivity(400)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda own: seen.insert((pair[0], pair[1]) for pair in own), parts))
    src, dst = parts.transpose(2, 0, 1, 3).reshape(2, -1)
    want = components((src, dst), num_vertices=400).labels()
    assert seen.components().labels().labels.tolist() == want.labels.tolist()
