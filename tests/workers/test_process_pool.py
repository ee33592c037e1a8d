"""Components of partitions on executors of ``concurrent.futures``, and the protocol by itself."""

import signal
import threading
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from dask_graphs import as_categories, as_hashes, as_text, as_unlike, expected, random_frame

import cc_rapids
from cc_rapids import errors
from cc_rapids.incremental.progress import Reporter
from cc_rapids.integrations import pool
from cc_rapids.integrations.distributed.forests import local_forest
from cc_rapids.integrations.distributed.run import Run
from cc_rapids.integrations.distributed.vertices import distributed
from cc_rapids.pool import components


@pytest.fixture(scope="module")
def processes():
    import multiprocessing

    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(2) as executor:
        yield executor


def parts(frame, count):
    bounds = [k * len(frame) // count for k in range(count + 1)]
    return [frame[low:high] for low, high in pairwise(bounds)]


def check(found, frame, **names):
    vertex, least = expected(frame, **names)
    labels = found.labels()
    np.testing.assert_array_equal(labels["vertex"].to_numpy(), vertex)
    np.testing.assert_array_equal(labels["labels"].to_numpy(), least)
    assert len(found.forest()) == len(vertex) - len(found)


def test_processes_read_partitions(processes, tmp_path):
    frame = random_frame()
    readers = []
    for number, part in enumerate(parts(frame, 12)):
        part.to_csv(tmp_path / f"{number}.csv", index=False)
        readers.append(partial(pd.read_csv, tmp_path / f"{number}.csv"))
    check(components(readers, executor=processes), frame)
    check(components(parts(frame, 3), executor=processes), frame)


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_partitions_of_any_number(threads, count):
    frame = random_frame(seed=count)
    check(components(iter(parts(frame, count)), executor=threads), frame)


@pytest.mark.parametrize("kind", [as_text, as_hashes, as_categories, as_unlike])
@pytest.mark.parametrize(
    "made", [lambda one: one, pl.from_pandas, partial(pa.Table.from_pandas, preserve_index=False)]
)
def test_frames_and_ids_of_every_kind(threads, kind, made):
    frame = kind(random_frame())
    given = frame.astype({"src": "str", "dst": "str"}) if kind is as_categories else frame
    check(components(list(map(made, parts(frame, 3))), executor=threads), given)


def test_labels_and_vertices(threads):
    frame = random_frame()
    found = components(parts(frame, 4), executor=threads, labels="dense", vertices=[900])
    alone = cc_rapids.components(frame, labels="dense", vertices=[900])
    pd.testing.assert_frame_equal(found.labels(), alone.labels())


@pytest.mark.parametrize(
    ("partitions", "error", "words"),
    [
        ([], errors.InputError, "there are no partitions"),
        ([random_frame(), 7], errors.ArgumentTypeError, "partition 1 is 7, not a frame"),
        ([lambda: "x"], errors.ArgumentTypeError, "partition 0 is 'x', not a frame"),
        ([random_frame()[["src"]]], errors.MissingColumnError, "1 column and no known pair"),
        ([random_frame().astype({"src": float})], errors.ColumnTypeError, "'src' is float64"),
        (
            [random_frame(), as_text(random_frame())],
            errors.ColumnTypeError,
            "'src' is int64 in some partitions",
        ),
    ],
)
def test_what_cannot_be_used(threads, partitions, error, words):
    with pytest.raises(error, match=words):
        components(partitions, executor=threads)


def test_what_is_no_executor():
    with pytest.raises(errors.InputError, match="executor must be an executor of concurrent"):
        components([random_frame()], executor=2)


def test_an_error_ends_the_reading(threads):
    read = []

    def fail(number):
        read.append(number)
        raise LookupError(f"no file {number}")

    with pytest.raises(LookupError, match="no file"):
        components((partial(fail, number) for number in range(1000)), executor=threads)
    assert len(read) <= 3 * pool.AHEAD


def test_a_lost_process_is_an_error():
    """A pool of the standard library cannot go on without one of its processes."""
    import multiprocessing

    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        dead = partial(signal.raise_signal, signal.SIGKILL)
        with pytest.raises(BrokenExecutor):
            components([random_frame(), dead, random_frame()], executor=executor)


def test_partitions_are_taken_as_they_are_needed(threads):
    """No more are in memory than the pool has a use for."""
    held, most, lock = [0], [0], threading.Lock()

    def count(change):
        with lock:
            held[0] += change
            most[0] = max(most[0], held[0])

    def read(frame):
        count(-1)
        return frame

    def given():
        for part in parts(random_frame(), 100):
            count(1)
            yield partial(read, part)

    components(given(), executor=threads)
    assert most[0] <= pool.AHEAD + 1


class Named(pool.Tasks):
    """Three workers with names, and calls that note where they should run."""

    def __init__(self, executor):
        super().__init__(executor)
        self.asked, self.lies = [], {}

    def submit(self, function, *arguments, worker=None):
        self.asked.append((function.__name__, worker))
        found = super().submit(function, *arguments, worker=worker)
        self.lies[found] = worker or "b"
        return found

    def places(self, futures):
        return [self.lies[future] for future in futures]

    def workers(self):
        return ["a", "b", "c"]


def leaves(tasks, frame, count):
    return [
        tasks.submit(local_forest, part, "src", "dst", "raise", {}, worker="abc"[number % 3])
        for number, part in enumerate(parts(frame, count))
    ]


def test_forests_are_merged_where_they_lie(threads):
    tasks, frame = Named(threads), random_frame()
    merges = Run(tasks, ("src", "dst"), "raise", {}, Reporter(False), "parts")
    found = merges.fold(tasks.completed(leaves(tasks, frame, 12)), 12)
    assert [home for home, _ in found] == ["a", "b", "c"]
    homes = [worker for name, worker in tasks.asked if name == "merged"]
    assert sorted(homes) == ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    edges, rows, ledger = merges.tree([forest for _, forest in found]).result()
    vertex, least = expected(frame)
    assert len(edges) == rows == len(vertex) - len(np.unique(least)) + loops(edges)
    assert ledger.check().linked == len(frame)
    assert len(tasks.asked) == 12 + 11


def loops(edges):
    return int((edges["source"] == edges["destination"]).sum())


@pytest.mark.parametrize("room", [None, 0])
def test_distributed_vertices_on_any_workers(threads, room):
    tasks, frame = Named(threads), random_frame()
    asked = ("src", "dst"), None, room, None, None, {}, Reporter(False)
    answers, facts = distributed(tasks, leaves(tasks, frame, 3), *asked)
    labels = pd.concat(tasks.gather(answers))
    vertex, least = expected(frame)
    np.testing.assert_array_equal(labels["vertex"], vertex)
    np.testing.assert_array_equal(labels["labels"], least)
    assert facts["components"] == len(np.unique(least))


def test_a_cancelled_call_ends_what_follows():
    started = []

    class Waiting:
        """An executor that begins no call."""

        def submit(self, function, *arguments):
            started.append(Future())
            return started[-1]

    tasks = pool.Tasks(Waiting())
    following = tasks.submit(abs, tasks.submit(len, []))
    started[0].cancel()
    with pytest.raises(CancelledError):
        tasks.gather([following])
    assert len(started) == 1
