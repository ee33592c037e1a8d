"""Components on several GPUs of this machine: the ``devices=`` option of :func:`components`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce
from time import perf_counter
from typing import Any

from .backends import Backend
from .data.adapters import adapter_of
from .data.edge_input import EdgeInput, Lending, ReadRequest
from .data.frame_access import are_parts
from .data.read import read
from .errors import InputError, counted, shown
from .ids.encode import OFFSET, ScannedIds, scan_ids
from .ledger import Ledger
from .options import Options, with_ends, within_bound
from .results.answer import Answer, Facts
from .results.components import Components
from .results.labels import DEFAULT_KINDS
from .results.on_devices import SpreadComponents
from .solver.choose import Plan
from .solver.devices import OnDevice, Part, bytes_beyond, common_ids, solve_on_devices
from .solver.run import explain
from .solver.spreading import Spreading, spreading

log: logging.Logger = logging.getLogger(__name__)
_MOVED_BYTES = 16  # bytes of an edge that is copied to another device: two ids of 64 bits


def find_on_devices(edges: Any, options: Options) -> SpreadComponents | Plan:
    """Find components on several devices: solve a part of the edges on each, then merge the parts.

    A list of frames or array pairs has one part per device. Other edges are read as two columns,
    and each device copies an equal share of the rows. :mod:`~cc_rapids.solver.spreading` estimates
    how many devices are fastest.
    """
    options.check_on_devices()
    backend = options.backend(on_device=True)
    numbers = options.device_numbers(backend)
    started = perf_counter()
    options = with_ends(edges[0] if are_parts(edges) else edges, options)
    if are_parts(edges):
        return _find_in_parts(edges, numbers, backend, options, started)
    whole_ledger = None
    if options.weight_bound is not None:
        edges, options, whole_ledger = within_bound(edges, options)
    adapter = adapter_of(edges)
    if adapter.is_stream:
        raise InputError(
            "edges that are read in chunks are not spread over devices: pass the files"
            " to stream_components(devices=...), pass a list with one frame for each device, or"
            " leave out devices="
        )
    edge_input = _read(edges, options.vertices, options, whole_ledger)
    with Lending(edge_input) as (columns, offsets):
        if offsets:
            raise InputError(
                "devices= takes lists of edges, but these are rows of a matrix or graph: pass both"
                " ends as columns, or leave out devices="
            )
        chosen = _choose_devices(edge_input, columns, len(numbers), backend, options)
        numbers = _used_devices(columns[0], numbers, chosen.count)
        m, count = edge_input.src.size, len(numbers)
        if options.explain:
            with backend.scope():
                ids = scan_ids(edge_input, columns, backend)
                common_ids(ids, [ids], backend)  # raises the errors of a run
                plan = explain(edge_input, columns, offsets, backend, options)
            most_edges = -(-m // chosen.count)  # the ceiling
            return _with_devices(plan, numbers, chosen, most_edges, _MOVED_BYTES)
        log.info("on %d devices: %s", chosen.count, chosen.why)
        cuts = [m * k // count for k in range(count + 1)]
        parts: list[Part] = [
            partial(_lend_rows, edge_input, columns, k, slice(*cuts[k : k + 2]))
            for k in range(count)
        ]
        results = solve_on_devices(parts, numbers, backend, options)
    ledger, dropped = edge_input.rows, edge_input.dropped_rows
    return _answer(results, ledger, dropped, backend, options, chosen, started)


def _find_in_parts(
    edges: list[Any], numbers: list[int], backend: Backend, options: Options, started: float
) -> SpreadComponents | Plan:
    """Find the components of a list of parts, each of which stays on its device."""
    may_leave_idle = options.devices == "all"  # GPUs without a part
    if len(edges) > len(numbers) or (not may_leave_idle and len(edges) < len(numbers)):
        raise InputError(
            f"edges are {counted(len(edges), 'part')} for {counted(len(numbers), 'device')}: pass"
            " one part for each device, in the order of devices="
        )
    bound = options.weight_bound
    if bound is not None and not isinstance(bound.weight, str | int):
        raise InputError(
            "weight= of several parts must name a column that each part has, not"
            f" {shown(bound.weight)}: pass parts as frames with the weights as a column"
        )
    numbers = numbers[: len(edges)]
    chosen = Spreading(len(edges), "each holds a part of the edges")
    if options.explain:
        return _plan_of_parts(edges, numbers, backend, options, chosen)
    parts: list[Part] = [partial(_lend_part, part, options, k) for k, part in enumerate(edges)]
    results = solve_on_devices(parts, numbers, backend, options)
    dropped = sum(result.edge_input.dropped_rows for result in results)
    ledger = reduce(Ledger.plus, (result.edge_input.rows for result in results))
    request = ReadRequest(options.source, options.destination)
    counts = [adapter_of(part).rows(part, request) for part in edges]
    known_counts = [count for count in counts if count is not None]
    if len(known_counts) == len(counts):  # the ledger check then detects rows that reading lost
        ledger = ledger._replace(given=sum(known_counts))
    return _answer(results, ledger, dropped, backend, options, chosen, started)


def _plan_of_parts(
    edges: list[Any], numbers: list[int], backend: Backend, options: Options, chosen: Spreading
) -> Plan:
    """Return the plan of the part with the most edges, over the vertices of all parts."""
    scanned: list[ScannedIds] = []
    for k, number in enumerate(numbers):
        part = _lend_part(edges[k], options, k)
        with backend.using_device(number), backend.scope(), part as (edge_input, columns):
            scanned.append(scan_ids(edge_input, columns, backend)._replace(columns=[]))  # borrowed
    ids = common_ids(scanned[0], scanned, backend).facts.id_range
    lengths = [part_ids.edge_input.src.size for part_ids in scanned]
    longest = lengths.index(max(lengths))
    part = _lend_part(edges[longest], options, longest)
    with backend.using_device(numbers[longest]), backend.scope(), part as (edge_input, columns):
        if ids.size:  # the id range of all parts replaces the vertices of this part
            columns = columns[:2]  # without the column of vertices
            edge_input = replace(edge_input, vertices=range(ids.low, ids.high + 1))
        plan = explain(edge_input, columns, [], backend, options)
    if ids.size:
        assert plan.facts.ids is not None
        rows = sum(part_ids.facts.rows for part_ids in scanned)
        facts = plan.facts._replace(ids=plan.facts.ids._replace(rows=rows))
        plan = replace(plan, facts=facts, encoding=OFFSET)  # the only encoding on devices
    plan = replace(plan, edges_elsewhere=sum(lengths) - lengths[longest])
    return _with_devices(plan, numbers, chosen, lengths[longest])


@contextmanager
def _lend_part(edges: Any, options: Options, k: int) -> Iterator[tuple[EdgeInput, list[Any]]]:
    """Yield part k of the edges, and its columns, which are borrowed until the context ends.

    If ``vertices`` is a range, every part has these vertices. A column is read with part 0 only.
    """
    for_all_parts = options.num_vertices is not None or isinstance(options.vertices, range)
    vertices = options.vertices if for_all_parts or k == 0 else None
    try:
        whole_ledger = None  # the ledger of all rows; None without a weight bound
        if options.weight_bound is not None:
            edges, options, whole_ledger = within_bound(edges, options)
        edge_input = _read(edges, vertices, options, whole_ledger)
    except InputError as error:
        error.add_note(f"(in part {k} of the edges, counted from 0)")
        raise
    with Lending(edge_input) as (columns, offsets):
        if offsets:
            raise InputError("each part of the edges must be a list of edges, not rows of a matrix")
        yield edge_input, columns


def _read(edges: Any, vertices: Any, options: Options, whole_ledger: Ledger | None) -> EdgeInput:
    """Read edges by the caller's options, with ``vertices`` as further vertices.

    If a weight bound has selected the edges, ``whole_ledger`` is the ledger of the whole list.
    """
    edge_input = read(
        edges,
        options.source,
        options.destination,
        vertices,
        options.num_vertices,
        options.nulls,
        options.text,
    )
    if whole_ledger is None or edge_input.ledger is None:
        return edge_input
    selected = edge_input.ledger._replace(given=0)  # ``whole_ledger`` counts the given rows
    return replace(edge_input, ledger=whole_ledger.plus(selected))


@contextmanager
def _lend_rows(
    edge_input: EdgeInput, columns: list[Any], k: int, rows: slice
) -> Iterator[tuple[EdgeInput, list[Any]]]:
    """Yield a slice of the borrowed columns; part 0 also has the caller's ``vertices``."""
    if edge_input.src.strings or edge_input.src.key_columns:  # one device solves all rows
        yield edge_input, columns
        return
    if k and not isinstance(edge_input.vertices, range):
        edge_input, columns = replace(edge_input, vertices=None), columns[:2]
    yield edge_input, [*(column[rows] for column in columns[:2]), *columns[2:]]


def _choose_devices(
    edge_input: EdgeInput, columns: list[Any], count: int, backend: Backend, options: Options
) -> Spreading:
    """Return how many of ``count`` devices to use for edges on the host or on one device.

    Ids on the host are not read for this estimate. Without ``num_vertices``, half as many vertices
    as edges are assumed.
    """
    m, n = edge_input.src.size, options.num_vertices
    stored_on = "device" if edge_input.on_device else "host"
    if edge_input.src.strings or edge_input.src.key_columns:
        return Spreading(1, "ids are not integers")
    if n is None and edge_input.on_device:
        with backend.scope():
            n = scan_ids(edge_input, columns, backend, exact=False).facts.id_range.size
    word = columns[0].dtype.itemsize
    return spreading(m, m // 2 if n is None else n, count, word, stored_on)


def _used_devices(column: Any, numbers: list[int], count: int) -> list[int]:
    """Return ``count`` of the devices, among them the device that stores the column, if any.

    The cost model assumes that a GPU which stores the edges takes part. Otherwise all edges would
    be copied.
    """
    device = getattr(getattr(column, "data", None), "device_id", None)
    if device in numbers[count:]:
        numbers = [device, *(number for number in numbers if number != device)]
    return numbers[:count]


def _with_devices(
    plan: Plan, numbers: list[int], chosen: Spreading, edges: int, moved: int = 0
) -> Plan:
    """Return the plan with the devices that would run, and the reason.

    ``edges`` is the number of edges on the device with the most edges, and ``moved`` is the number
    of bytes per edge that are copied to another device.
    """
    more_bytes = bytes_beyond(plan.vertices, edges, moved) if chosen.count > 1 else 0
    devices = tuple(numbers[: chosen.count]), chosen.why
    return replace(plan, more_bytes=more_bytes, devices=devices)


def _answer(
    results: list[OnDevice],
    ledger: Ledger,
    dropped: int,
    backend: Backend,
    options: Options,
    chosen: Spreading,
    started: float,
) -> SpreadComponents:
    """Return the answer from the results of all devices; ``dropped`` edges had a null end.

    ``chosen`` has the reason for the number of devices; the run began at the time ``started``.
    """
    seconds = {"compute": perf_counter() - started}
    for step in results[0].seconds:
        seconds[step] = max(result.seconds[step] for result in results)
    design = ", ".join(dict.fromkeys(result.design for result in results))
    edges = sum(result.edges for result in results)
    ledger = ledger._replace(linked=edges).check()
    facts = Facts(design, results[0].ids, edges=edges, seconds=dict(seconds), ledger=ledger)
    has_composite_ids = bool(results[0].edge_input.src.key_columns)
    kind = options.labels or DEFAULT_KINDS[has_composite_ids]
    answers: list[Components] = [
        Components(
            Answer(
                replace(result.edge_input, dropped_rows=dropped, bound=options.remembered()),
                backend,
                result.decoder,
                result.forest,
                kind,
                facts,
                arena=result.arena,
            )
        )
        for result in results
    ]
    log.info(
        "on %d devices: %d components in %.4f s",
        *(len(results), results[0].forest.components, seconds["compute"]),
    )
    summary = {
        "edges": facts.edges,
        "dropped": dropped,
        "ledger": str(ledger),
        "devices": {result.number: result.edges for result in results},
        "why": chosen.why,
        "design": facts.design,
        "ids": facts.ids,
        "seconds": seconds,
    }
    return SpreadComponents(results, answers, backend, kind, summary)
