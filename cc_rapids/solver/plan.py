"""The plan of a run: its choices, and the most memory that it would take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..algorithms import boruvka
from ..algorithms.auto import ONE_LAUNCH_RULE, Decision, EdgeFacts, decide
from ..algorithms.design import shares_bits
from ..algorithms.run import beyond
from ..backends import SINGLE_BLOCK_THREADS, Backend
from ..data import html
from ..data.edge_input import EdgeInput
from ..graph.edges import check_offsets
from ..graph.forest import queue_bytes
from ..ids.encode import HASHED, choose_encoding, scan_ids
from ..ids.spelled import spelled
from ..kernels.shared_filter import IDS
from . import one_launch
from .one_launch import SolveOptions

SUMS = 8 * SINGLE_BLOCK_THREADS  # bytes for those that ranks are made of


@dataclass(frozen=True)
class Plan:
    """The plan of a run of :func:`cc_rapids.components` with the given arguments.

    Attributes
    ----------
    engine, device : str
        The backend that would run, and its device.
    edges : int
        Rows of the list, without those dropped for nulls.
    ids, ids_why : str
        The encoding of ids as vertices, and the reason.
    design, design_why : str
        The algorithm, and which rule chose it.
    vertices : int
        The largest possible number of vertices.
    bytes : int
        The most memory beyond the input that the run will take, including the label frame. Labels
        that are strings are assumed to be at most as long as the vertices on average.
    devices : (list of int, str), optional
        With ``devices=``: those that would run, each with the memory above, and why.

    See Also
    --------
    components : Return this with ``explain=True``.
    Components.summary : The facts about a run.
    StreamPlan : The plan of a stream.
    """

    engine: str
    device: str
    edges: int
    ids: str
    ids_why: str
    design: str
    design_why: str
    vertices: int
    bytes: int
    devices: tuple[tuple[int, ...], str] | None = None

    def _repr_html_(self) -> str:
        lines = dict(line.split(maxsplit=1) for line in str(self).splitlines())
        return html.plan("Plan", lines, ("edges", "vertices", "memory"))

    def __str__(self) -> str:
        size = f"{self.bytes / 2**30:,.2f} GiB" if self.bytes >= 2**28 else f"{self.bytes:,} bytes"
        run = () if self.devices is None else (f"devices   {_said(*self.devices)}",)
        return "\n".join(
            (
                f"engine    {self.engine}: {self.device}",
                f"edges     {self.edges:,}",
                f"ids       {self.ids}: {self.ids_why}",
                f"design    {self.design}: {self.design_why}",
                f"vertices  at most {self.vertices:,}",
                f"memory    at most {size} beyond the input",
                *run,
            )
        )


def _said(numbers: tuple[int, ...], why: str) -> str:
    return f"{', '.join(map(str, numbers))}: {why}"


def plan(
    edge_input: EdgeInput,
    columns: list[Any],
    offsets: list[Any],
    backend: Backend,
    options: SolveOptions,
) -> Plan:
    """Make the plan of a run with the functions by which the run chooses.

    Integers are read once, for their range, and strings for what they are numbered by; several
    columns are not looked into. Two facts are known to the run alone, where ``"auto"`` depends on
    them: how many different ids there are, in a hash table or a bit map, of which the plan supposes
    the most; and the rows of a list, for the rule of the paper.
    """
    for starts in offsets:
        check_offsets(edge_input, backend.asarray(starts), backend)
    numbered = spelled(edge_input, columns, backend) if edge_input.src.strings else None
    if numbered:
        found = plan(numbered.edge_input, numbered.columns, offsets, backend, options)
        why = f"{numbered.why}: {found.ids_why}"
        size = found.bytes + numbered.bytes
        return replace(found, ids=numbered.name(found.ids), ids_why=why, bytes=size)
    statistics = scan_ids(
        edge_input,
        columns,
        backend,
        expected_vertices=options.expected_rows,
        any_order=not (options.forest or offsets),
    )
    m, ids = edge_input.src.size, statistics.id_range
    at_once = (
        statistics.are_integers
        and backend.in_one_launch
        and one_launch.accepts(edge_input, columns, options)
    )
    fits = ids.size <= one_launch.capacity(m)
    encoding = choose_encoding(statistics, backend)
    if at_once and not fits and one_launch.has_table(edge_input):
        encoding = HASHED
    cost = encoding.cost(statistics)
    n = cost.max_vertices
    order = encoding.edge_order(statistics)
    facts = EdgeFacts.of(edge_input, n, n, order.locality, order.blocked)
    decision = decide(options.policy, options.forest, facts, backend)
    size = cost.bytes + statistics.answer_bytes
    if at_once:
        size += one_launch.bytes_for(m)
        if fits or encoding.in_one_launch:
            decision = Decision(ONE_LAUNCH_RULE.design, ONE_LAUNCH_RULE)
    design, rounds = decision.design, options.spanning is not None
    size += SUMS
    if rounds:
        size += boruvka.beyond(n, m, bool(offsets), edge_input.weights.dtype)
    else:
        size += beyond(design, n, m, bool(offsets), options.forest)
    size += queue_bytes(backend) if shares_bits(design) or n in IDS else 0
    why = encoding.reason(statistics)
    if statistics.are_integers:
        why = f"{statistics.rows:,} ends name ids from {ids.low:,} to {ids.high:,}: {why}"
    return Plan(
        engine=backend.name,
        device=backend.device_name,
        edges=m,
        ids=encoding.name(statistics),
        ids_why=why,
        design=boruvka.NAME if rounds else str(design),
        design_why=boruvka.WHY if rounds else str(decision.why),
        vertices=n,
        bytes=size,
    )
