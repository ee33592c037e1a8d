"""Solve one edge list on several devices of this machine, with one thread per device.

Each device solves its own edges, over the vertices of all. Then the forests are merged in rounds:
in round r each device receives the forest of the device 2^r places before it and merges it into its
own. After ceil(log2(devices)) rounds each forest includes all edges. An edge may be merged twice,
which changes nothing, so any number of devices works. A forest is sent as one bit per vertex of the
largest tree and one pair per other vertex that has a parent, or as all parents if that is smaller
(:mod:`cc_rapids.algorithms.merge`).

Finally every device has the same forest. So each device can label its own rows, and the label frame
is made in shares of the vertices, one per device.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from ..algorithms.merge import pack
from ..backends import Array, Backend
from ..backends.peers import workers
from ..data.column import without_rows
from ..data.edge_input import EdgeInput
from ..errors import CapacityError, ColumnTypeError, InputError
from ..graph.forest import SHARE, Forest
from ..ids.decoders import OffsetDecoder
from ..ids.encode import INTEGERS, OFFSET, EncodedIds, ScannedIds, scan_ids
from ..ids.range import IdRange, limits_of, type_of
from . import choose as choices
from .choose import Counted, Facts, Machine, SolveOptions
from .run import link_part, merge

log: logging.Logger = logging.getLogger(__name__)

Columns = list[Array]
Result = TypeVar("Result")
Part = Callable[[], AbstractContextManager[tuple[EdgeInput, Columns]]]


@dataclass(frozen=True)
class OnDevice:
    """Result of device ``number``: its input, and the forest of the edges of all devices.

    ``ids`` and ``design`` are the names of the encoding and of the run. ``edges`` is the number of
    edges that the device has read, ``seconds`` are the times of the steps, and ``arena`` is the
    memory of small arrays.
    """

    number: int
    edge_input: EdgeInput
    forest: Forest
    decoder: OffsetDecoder
    ids: str
    design: str
    edges: int
    seconds: dict[str, float]
    arena: Any

    def label_rows(self, k: int, count: int) -> tuple[Array, Array]:
        """Return ids and labels (least ids) for the k-th of ``count`` shares of the vertices."""
        decoder, share = self.decoder, share_of(self.forest.n, k, count)
        return self.forest.rows_between(*share, decoder.id_base, decoder.dtype)


def share_of(n: int, k: int, count: int) -> tuple[int, int]:
    """Return the begin and the end of the k-th of ``count`` nearly equal shares of n vertices.

    Shares begin at multiples of ``SHARE``, because vertices are ranked in blocks of that size.
    """
    first, last = (min(n, -(-n * j // (count * SHARE)) * SHARE) for j in (k, k + 1))
    return first, last


class ExchangeBarrier:
    """A barrier at which the threads of a run exchange values."""

    def __init__(self, count: int) -> None:
        self._barrier = threading.Barrier(count)
        self._values: list[list[Any]] = [[None] * count, [None] * count]
        self._exchanges = [0] * count  # of each thread

    def exchange(self, k: int, value: Any = None) -> list[Any]:
        """Wait until all threads have called this; return the list of their values.

        Two lists are used alternately, because a thread is never two exchanges ahead of another.
        """
        values = self._values[self._exchanges[k] % 2]
        self._exchanges[k] += 1
        values[k] = value
        self._barrier.wait()
        return list(values)

    def forget(self, k: int) -> None:
        """Drop a thread's values, after all threads have reached a later exchange."""
        for values in self._values:
            values[k] = None

    def end(self) -> None:
        """Drop the values of all threads."""
        self._values.clear()

    def check(self) -> None:
        """Raise a BrokenBarrierError if a thread has failed."""
        if self._barrier.broken:
            raise threading.BrokenBarrierError

    def abort(self) -> None:
        """Break the barrier after a failure; waiting threads raise BrokenBarrierError."""
        self._barrier.abort()


def in_threads(
    numbers: list[int], backend: Backend, work: Callable[[int, ExchangeBarrier], Result]
) -> list[Result]:
    """Call a function in a thread of each device concurrently; return the results.

    Parameters
    ----------
    numbers : list of int
        The devices, each once.
    work : callable
        Called with the position of a device in the list, and a barrier of all threads.

    Raises
    ------
    CapacityError
        A device has too little memory; the message names it. All memory of the threads is freed.
    InputError
        The caller is itself such a thread.
    """
    workers.check_outside()
    backend.synchronize()
    for number in numbers:  # work on the caller's streams must end before the threads start
        with backend.using_device(number):
            backend.synchronize()
    barrier = ExchangeBarrier(len(numbers))

    def run(k: int) -> Result:
        """Call ``work`` for position k; after an error, release the other threads."""
        try:
            with backend.using_device(numbers[k]):
                result = work(k, barrier)
                backend.synchronize()
                return result
        except BaseException as error:
            barrier.abort()
            _clear_frames(error)
            if isinstance(error, CapacityError):
                raise _naming_device(error, numbers[k]) from None
            raise

    started: list[Future[Result]] = []
    with workers.lock:
        try:
            for k, number in enumerate(numbers):
                started.append(workers.start(number, run, k))
            return _results_of(started)
        except BaseException:
            barrier.abort()
            raise
        finally:
            wait(started)
            started.clear()  # an error would keep the results of other threads alive
            barrier.end()


def solve_on_devices(
    parts: list[Part], numbers: list[int], backend: Backend, options: SolveOptions
) -> list[OnDevice]:
    """Solve parts of one edge list, each on its device, and merge the forests.

    Parameters
    ----------
    parts : list of functions
        For each device, a function that returns a context with the input of the part and its
        columns. The device's thread enters the context and reads or copies the columns.
    numbers : list of int
        The devices, each once.

    Raises
    ------
    CapacityError
        A device has too little memory; the message names it. All memory is freed.
    InputError
        The ids are not integers, or too far apart.
    """

    def solve(k: int, barrier: ExchangeBarrier) -> OnDevice:
        return _Run(parts, numbers, backend, options, barrier).solve(k)

    return in_threads(numbers, backend, solve)


def _results_of(started: list[Future[Any]]) -> list[Any]:
    """Return the results of all threads, or raise the error that made the others fail."""
    errors = [error for future in started if (error := future.exception())]
    causes = [error for error in errors if not isinstance(error, threading.BrokenBarrierError)]
    for error in errors:
        _clear_frames(error)  # the frame of `run` was still running when `run` cleared the others
    if errors:
        raise (causes or errors)[0]
    return [future.result() for future in started]


def _clear_frames(error: BaseException | None) -> None:
    """Clear the frames of an error and its causes, which would keep arrays alive."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def bytes_beyond(n: int, m: int, moved: int = 0) -> int:
    """Return the maximum additional bytes per device, compared with a run on one device.

    A copy of the ``m`` edges, to link them in stages, takes 8 bytes per edge, and edges that have
    to be moved ``moved`` more. Per 32-bit vertex, a packed forest takes up to 9/8 bytes, and a
    received one up to 33/8.
    """
    return (8 + moved) * m + 5 * n + n // 2


def _naming_device(error: CapacityError, number: int) -> CapacityError:
    """Return the error with the number of the GPU."""
    return CapacityError(
        f"on GPU {number}: {error}; or give devices= without GPU {number}, or more GPUs"
    )


@dataclass(frozen=True)
class _Run:
    """One run, shared by the threads of all devices."""

    parts: list[Part]
    numbers: list[int]
    backend: Backend
    options: SolveOptions
    barrier: ExchangeBarrier

    def solve(self, k: int) -> OnDevice:
        """Solve part k on its device, and merge the forests of other devices into its own."""
        backend = self.backend
        started = perf_counter()
        with backend.scope() as arena, self.parts[k]() as (edge_input, columns):
            encoded, edge_input, design = self._solve_part(k, edge_input, columns)
            forest, decoder = encoded.forest, encoded.decoder
            assert isinstance(decoder, OffsetDecoder)  # _solve_part() encodes by OFFSET
            solved = perf_counter()
            seconds = {"solve": solved - started}
            seconds |= merge_all(k, forest, self.numbers, backend, self.barrier)
            merged = perf_counter()
            forest.count()
        seconds["count"] = perf_counter() - merged
        facts = encoded.name, design, encoded.edges.m, seconds
        return OnDevice(self.numbers[k], edge_input, forest, decoder, *facts, arena)

    def _solve_part(
        self, k: int, edge_input: EdgeInput, columns: Columns
    ) -> tuple[EncodedIds, EdgeInput, str]:
        """Solve the edges of one device over all vertices; return their encoding, input and design.

        The range of the ids may be an estimate. If a device has ids outside it, all start again.
        """
        backend, barrier = self.backend, self.barrier
        exact = self.options.policy.needs_exact_range
        if not (edge_input.src.strings or edge_input.src.key_columns):  # common_ids() refuses these
            columns = list(map(backend.asarray, columns))
        while True:
            scanned_here = scan_ids(edge_input, columns, backend, exact)
            of_all = barrier.exchange(k, scanned_here)
            scanned = common_ids(scanned_here, of_all, backend)
            ids = scanned.facts.id_range
            limits = [limits_of(one.columns) for one in of_all if one.columns[0].size]
            fits_types = all(low <= ids.low and ids.high <= high for low, high in limits)
            if not (exact or fits_types):
                exact = True  # in a part of smaller type, an id outside could wrap into the range
                continue
            encoded = OFFSET.encode(scanned, backend)
            design = self._link(encoded)
            has_ids_outside = bool(backend.to_host(encoded.forest.out_of_range)[0])
            if not any(barrier.exchange(k, has_ids_outside)):
                return encoded, scanned.edge_input, design
            if exact:
                raise edge_input.changed()
            log.info("some ids lie outside the estimated range: reading all rows")
            exact = True
            del encoded

    def _link(self, encoded: EncodedIds) -> str:
        """Choose a plan for the edges of one device and link them; return a summary of the run."""
        edges, forest = encoded.edges, encoded.forest
        counted = Counted(forest.n, forest.n, OFFSET, encoded.edge_order)
        machine, parts = Machine.of(self.backend), len(self.numbers)
        plan = choices.choose(Facts(machine, edges.m, counted=counted, parts=parts), self.options)
        return link_part(plan, edges, forest)


def merge_all(
    k: int, forest: Forest, numbers: list[int], backend: Backend, barrier: ExchangeBarrier
) -> dict[str, float]:
    """Merge the flat forests of all devices, in rounds; return the seconds of each step.

    In each round, devices exchange packed copies, because each changes its own forest.
    """
    seconds = {"pack": 0.0, "copy": 0.0, "join": 0.0}
    distance = 1  # from each device to the one whose forest it receives

    def add_time(step: str, since: float) -> float:
        """Add the seconds since the time ``since`` to a step; return the current time."""
        now = perf_counter()
        seconds[step] += now - since
        return now

    for number in numbers:
        if number != numbers[k]:
            backend.connect(number)
    while distance < len(numbers):
        now = perf_counter()
        sent = barrier.exchange(k, pack(forest))
        now = add_time("pack", now)
        source = (k - distance) % len(numbers)
        other = sent[source].received(backend, numbers[source])
        del sent
        backend.synchronize()
        barrier.exchange(k)  # all have copied: the packed forests can be freed
        barrier.forget(k)
        now = add_time("copy", now)
        merge(forest, other)
        backend.synchronize()
        add_time("join", now)
        distance *= 2
    return seconds


def common_ids(scanned: ScannedIds, of_all: list[ScannedIds], backend: Backend) -> ScannedIds:
    """Return the scanned ids of one device, with the common range of all devices.

    ``of_all`` has the scanned ids of each device, including this one. A part without rows matches
    any type of ids, because an empty frame may have no type.

    Raises
    ------
    InputError
        The ids are not integers, or too far apart.
    """
    facts = [one.facts for one in of_all]
    filled = [one for one in facts if one.rows] or facts[:1]
    not_integers = [one for one in filled if not one.are_integers]
    if not_integers and len(not_integers) < len(filled):
        raise ColumnTypeError(
            "ids are integers on some devices and not on others: cast the columns, so that all are"
            " of one kind"
        )
    if not_integers:
        raise InputError(
            "devices= takes integer ids, but these are strings or have several columns: number them"
            " first, or leave out devices="
        )
    if not scanned.facts.are_integers:  # no rows: take the types from a part that has rows
        no_ids = backend.empty(0, np.int64)
        typed = next((one for one in of_all if one.facts.rows), of_all[0]).edge_input
        src, dst = without_rows(typed.src), without_rows(typed.dst)
        edge_input = replace(scanned.edge_input, src=src, dst=dst)
        scanned = ScannedIds(edge_input, [no_ids, no_ids], scanned.facts._replace(kind=INTEGERS))
    ranges = [one.id_range for one in filled if one.id_range.size]
    if not ranges:
        return scanned
    low, high = min(one.low for one in ranges), max(one.high for one in ranges)
    dtypes = tuple(dict.fromkeys(np.dtype(one.dtype) for one in ranges))
    exact, more = all(one.exact for one in ranges), max(one.more for one in ranges)
    dtype, order = type_of(dtypes, low, high), scanned.facts.id_range.order
    common_range = IdRange(low, high, dtype, exact, order, more)
    input_bytes = sum(one.input_bytes for one in filled)  # OFFSET compares them with the range
    ids = scanned.facts._replace(id_range=common_range, input_bytes=input_bytes)
    if not OFFSET.is_preferred(ids):
        raise InputError(
            f"devices= takes ids that are close together, but these go from {low:,} to {high:,}:"
            " number them first, as cc_rapids does on one GPU without devices=; or pass them to"
            " cc_rapids.dask.components"
        )
    return scanned._replace(facts=ids)
