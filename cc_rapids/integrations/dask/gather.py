"""Combine forests by one NCCL all-gather instead of a tree of merges, if each worker has a GPU.

Every worker receives all forests, solves them, and keeps its own range of the answer. An all-gather
sends more bytes than a tree, but directly between GPUs and in one step.

A cost model chooses between an all-gather and a tree. The model predicts bytes, rounds and seconds
by formulae and measured rates for random edges, which are the most expensive case.
``benchmarks/cluster_pages.py`` extends the model to distributed vertices. The tables of
docs/larger.md are made from these models; a test compares them with measurements
(benchmarks/records/several.jsonl).
"""

from __future__ import annotations

import logging
import math
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from distributed import Future, wait

from ... import backends
from ...errors import LedgerError
from ..distributed.forests import Ends, Forest, chunk, labelled, library
from ..distributed.vertices import ENDS, kind_of_ids, total_ledger
from .tasks import Tasks

ID_BYTES = 8


@dataclass(frozen=True)
class Machine:
    """The workers of a cluster and the rates of their hardware."""

    rate: float  # edges per second that one worker reduces to a forest
    join: float  # rows per second that one worker looks up
    read: float  # bytes of edges per second that one worker reads; infinite for edges in memory
    link: float  # bytes per second from one worker to another, by Dask
    collective: float  # bytes per second from one worker to another, by NCCL
    latency: float  # seconds per synchronization of all workers
    memory: float  # bytes of one worker


# The rate is measured: random int64 edges on an H100 (uniform25M in benchmarks/records/main_job).
# The others are assumed: join for cuDF, read for files, link for half of a 400 Gb/s network,
# collective for NVLink, and latency for Dask.
CARDS = Machine(
    rate=15e9, join=1e9, read=5e9, link=25e9, collective=200e9, latency=0.1, memory=80e9
)


@dataclass(frozen=True)
class Job:
    """A graph on some workers: the numbers of edges, vertices and workers."""

    edges: float
    vertices: float
    workers: int


@dataclass(frozen=True)
class Cost:
    """The cost of a run."""

    bytes: float  # the total sent between workers
    rounds: int  # the number of levels of the tree, or of rounds with distributed vertices
    batches: int  # how many times all workers synchronize
    seconds: float
    peak_bytes: float  # the maximum memory of a worker, without the edges that the worker reads


def forest_rows(vertices: float, edges: float) -> float:
    """Return an upper bound of the expected number of rows of a forest of random edges.

    The bound is min(e, n (1 - exp(-2 e / n))): the second term is the expected number of vertices
    in e random edges.
    """
    return min(edges, -vertices * math.expm1(-2 * edges / vertices)) if vertices else 0.0


def tree_cost(job: Job, machine: Machine) -> Cost:
    """Return the cost of merging forests pairwise and distributing labels from the last worker."""
    row_bytes, share = 2 * ID_BYTES, job.edges / job.workers  # share: edges of one worker
    levels = math.ceil(math.log2(job.workers)) if job.workers > 1 else 0
    seconds = share * row_bytes / machine.read + share / machine.rate
    sent, rows = 0.0, forest_rows(job.vertices, share)
    for level in range(1, levels + 1):
        # A pair of forests costs one transfer and one solve of both. All pairs run in parallel.
        pairs = max(1, job.workers >> level)
        sent += pairs * rows * row_bytes
        seconds += rows * row_bytes / machine.link + 2 * rows / machine.rate + machine.latency
        rows = forest_rows(job.vertices, min(2**level, job.workers) * share)
    label_bytes = job.vertices * row_bytes * (job.workers - 1) / job.workers  # to other workers
    seconds += job.vertices / machine.rate + label_bytes / machine.link + machine.latency
    return Cost(
        bytes=sent + label_bytes,
        rounds=levels,
        batches=levels + 1,
        seconds=seconds,
        peak_bytes=2 * rows * row_bytes + job.vertices * (row_bytes + ID_BYTES),
    )


def gather_cost(job: Job, machine: Machine) -> Cost:
    """Return the cost of sending all forests to every worker and solving them there."""
    row_bytes, share = 2 * ID_BYTES, job.edges / job.workers  # share: edges of one worker
    rows = forest_rows(job.vertices, share)
    received_bytes = (job.workers - 1) * rows * row_bytes  # by one worker
    seconds = share * row_bytes / machine.read + share / machine.rate + machine.latency
    seconds += received_bytes / machine.collective
    seconds += job.workers * rows / machine.rate + job.vertices / machine.rate
    return Cost(
        bytes=job.workers * received_bytes,
        rounds=0,
        batches=1,
        seconds=seconds,
        peak_bytes=2 * job.workers * rows * row_bytes + job.vertices * (row_bytes + ID_BYTES),
    )


def gather_pays(vertices: float, rows: list[int], machine: Machine, free_memory: float) -> bool:
    """Return whether all forests fit on every worker and a gather is not slower than a tree.

    ``rows`` are the numbers of edges of the forests, one per worker. ``free_memory`` is the least
    free memory of a worker in bytes.
    """
    # An all-gather pads every forest to the number of rows of the largest forest
    workers, most_rows = len(rows), float(max(rows, default=0))
    job = Job(workers * most_rows, max(vertices, 1.0), workers)
    gather = gather_cost(job, machine)
    fits = gather.peak_bytes <= free_memory / 2
    return fits and gather.seconds <= tree_cost(job, machine).seconds


log: logging.Logger = logging.getLogger(__name__)
_uids: dict[tuple[Any, ...], Any] = {}  # on the client: a communicator id per client and workers
_open: dict[tuple[str, int], Any] = {}  # on a worker: open communicators by id and rank
_lock = threading.Lock()
PATIENCE = 30  # seconds to wait for tasks to fail after their communicator is aborted


class Nccl:
    """An NCCL communicator on the GPU of this process."""

    size: int

    @staticmethod
    def free_bytes() -> int:
        """Return the free memory of the GPU of this process in bytes; 0 without a GPU or NCCL."""
        try:
            from cupy.cuda import nccl, runtime
        except ImportError:
            return 0
        if not nccl.available or not runtime.getDeviceCount():
            return 0
        return backends.get("cuda").free_bytes()

    @staticmethod
    def identity() -> Any:
        """Return the identifier that all ranks of a new communicator need."""
        from cupy.cuda import nccl

        return nccl.get_unique_id()

    def __init__(self, uid: Any, rank: int, size: int) -> None:
        from cupy.cuda import nccl

        self.size, self._communicator = size, nccl.NcclCommunicator(size, uid, rank)

    def all_gather(self, array: Any) -> Any:
        """Gather arrays of equal length from all ranks; return one row per rank."""
        import cupy
        from cupy.cuda import nccl

        gathered = cupy.empty((self.size, *array.shape), array.dtype)
        stream = cupy.cuda.get_current_stream()
        pointers = array.data.ptr, gathered.data.ptr
        self._communicator.allGather(*pointers, array.nbytes, nccl.NCCL_UINT8, stream.ptr)
        stream.synchronize()
        return gathered

    def abort(self) -> None:
        """Abort the calls that wait for a lost rank."""
        self._communicator.abort()


def reason_against(
    tasks: Tasks, homes: list[str], facts: list[dict[str, Any]], forced: bool
) -> str:
    """Return the reason why forests should not be gathered; "" if there is no reason.

    ``homes`` are the workers of the forests; ``facts`` are what :func:`.vertices.described` returns
    for each forest. If ``forced`` is true, only reasons that make a gather impossible count.
    """
    if len(homes) < 2:
        return "one worker holds all partitions"
    if not set(homes) <= set(tasks.workers()):
        return "a worker was lost in the meantime"
    if any(fact["low"] is None for fact in facts):
        return "ids are not integers of one column"
    free_of_workers = tasks.gather(
        [tasks.submit(Nccl.free_bytes, worker=home, pinned=True) for home in homes]
    )
    if not all(free_of_workers):
        return "not every worker has a GPU and CuPy with NCCL"
    rows = [fact["rows"] for fact in facts]
    # The largest number of rows stands for the number of vertices
    if forced or gather_pays(max(rows), rows, CARDS, min(free_of_workers)):
        return ""
    return f"forests of {sum(rows):,} edges do not fit on every worker, or a tree is faster"


def gathered(
    forest: Forest,
    rank: int,
    uid: Any,
    facts: list[dict[str, Any]],
    id_names: Ends,
    options: dict[str, Any],
) -> tuple[Any, dict[str, Any]]:
    """Gather and solve all forests; return this worker's range of the labels, and the run's facts.

    ``facts`` are the results of :func:`.vertices.described`, one per rank.
    """
    edges, rows = forest.checked(), [fact["rows"] for fact in facts]
    kind = kind_of_ids(id_names, facts)
    columns = {end: _gather_ids(edges[end].astype(kind).values, rank, uid, rows) for end in ENDS}
    all_forests = Forest(type(edges)(columns), sum(rows), total_ledger(facts))
    answer = labelled(all_forests, id_names, options)
    return chunk(answer, rank, len(rows)), answer[1]


def _gather_ids(ids: Any, rank: int, uid: Any, rows: list[int]) -> Any:
    """Return the ids of all ranks in one array; ``rows`` are the numbers of ids of the ranks."""
    xp = library(ids)
    padded = xp.zeros(max(rows), ids.dtype)  # NCCL gathers arrays of equal length
    padded[: ids.size] = ids
    padded_parts = _communicator(uid, rank, len(rows)).all_gather(padded)
    return xp.concatenate([part[:size] for part, size in zip(padded_parts, rows, strict=True)])


def _communicator(uid: Any, rank: int, size: int) -> Any:
    """Return the communicator of this rank, which is created on first use."""
    key = str(uid), rank
    communicator = _open.get(key)
    if communicator is None:
        # Without the lock, because this call waits for ranks that may be threads of this process
        communicator = Nccl(uid, rank, size)
        with _lock:
            _open[key] = communicator
    return communicator


def abort(uid: Any) -> None:
    """Close a communicator, so that no rank waits for a lost rank."""
    with _lock:
        ranks = [key for key in _open if key[0] == str(uid)]
        communicators = [_open.pop(key) for key in ranks]
    for communicator in communicators:
        communicator.abort()


def by_gather(
    tasks: Tasks,
    forests: list[Future],
    homes: list[str],
    facts: list[dict[str, Any]],
    id_names: Ends,
    options: dict[str, Any],
) -> list[Future] | None:
    """Return the result of :func:`gathered` on each worker; None if a worker fails or is lost.

    ``homes`` and ``facts`` are as for :func:`reason_against`. A later run on the same workers uses
    the same communicator id, and so the communicators that are already open.
    """
    client, client_and_homes = tasks.client, (tasks.client.id, *homes)
    if client_and_homes not in _uids:
        _uids[client_and_homes] = tasks.submit(Nccl.identity, worker=homes[0]).result()
    uid, common = _uids[client_and_homes], (facts, id_names, options)
    futures = [
        tasks.submit(gathered, forest, rank, uid, *common, worker=home, pinned=True)
        for rank, (forest, home) in enumerate(zip(forests, homes, strict=True))
    ]
    reason = _failure(tasks, futures, homes)
    if not reason:
        return futures
    log.warning("the all-gather failed; forests are merged in a tree instead: %s", reason)
    _uids.pop(client_and_homes)
    alive = [home for home in homes if home in tasks.workers()]
    client.run(abort, uid, workers=alive)
    unfinished = [future for future, home in zip(futures, homes, strict=True) if home in alive]
    with suppress(TimeoutError):
        wait(unfinished, timeout=PATIENCE)
    client.cancel(futures)
    return None


def _failure(tasks: Tasks, futures: list[Future], homes: list[str]) -> str:
    """Wait until the gather on the workers ``homes`` ends; return its first error, "" if none.

    A LedgerError is raised, because lost edges would be missing in a tree as well.
    """
    while True:
        for future in futures:
            if future.status == "error":
                error = future.exception()
                if isinstance(error, LedgerError):
                    raise error
                return str(error)
        if all(future.status == "finished" for future in futures):
            return ""
        lost = set(homes) - set(tasks.workers())
        if lost:
            return f"{', '.join(sorted(lost))} is gone"
        time.sleep(0.01)
