"""What a run would do, said before it allocates anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..algorithms.auto import Branch, Rule, choose, choose_by_paper
from ..algorithms.design import Design
from ..algorithms.run import beyond
from ..backends import ALONE, Engine
from ..data.edge_input import EdgeInput
from ..graph.forest import room_for_queues
from ..ids.encode import measure
from . import one_launch

SUMS = 8 * ALONE  # bytes for those that ranks are made of
STRING_BYTES = 96  # a vertex and what sorting takes, for each end of an edge
COPIES = 3  # of all strings: put together, those in order, and the column of labels


@dataclass(frozen=True)
class Plan:
    """What :func:`cc_rapids.components` would do with these arguments.

    Attributes
    ----------
    engine, device : str
        What would run.
    edges : int
        Rows of the list, those dropped for nulls left out.
    ids, ids_why : str
        How ids become vertices, and why in that way.
    design, design_why : str
        The algorithm, and which rule chose it.
    vertices : int
        The most that there may be.
    bytes : int
        The most memory beyond the input that the run will take, the label frame included. Labels
        that are strings count as long as the vertices on average, or shorter.
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

    def __str__(self) -> str:
        size = f"{self.bytes / 2**30:,.2f} GiB" if self.bytes >= 2**28 else f"{self.bytes:,} bytes"
        return "\n".join(
            (
                f"engine    {self.engine}: {self.device}",
                f"edges     {self.edges:,}",
                f"ids       {self.ids}: {self.ids_why}",
                f"design    {self.design}: {self.design_why}",
                f"vertices  at most {self.vertices:,}",
                f"memory    at most {size} beyond the input",
            )
        )


def plan(
    given: EdgeInput,
    columns: list[Any],
    design: Design | None,
    rule: str | None,
    forest: bool,
    engine: Engine,
) -> Plan:
    """Choose everything that a run would choose, and stop there.

    Integers are read once, for their span; strings and several columns are not looked into.
    """
    m = given.src.size
    rows = sum(column.size for column in given.columns)
    span, about, near = None, rows, 0.0
    if given.src.strings or given.src.parts:
        ids, why, size = _renumbered(given, columns, rows)
    else:
        found = measure(given, columns, engine)
        way, span, ends = found.way, found.span, rows + _named(given)
        ids, about = way.name, way.vertices
        why = f"{ends:,} ends name ids from {span.low:,} to {span.high:,}: {way.why}"
        size = way.bytes + 2 * span.dtype.itemsize * min(about, ends)
        near = span.order.near if given.row_offsets is None and way.name != "hash slots" else 0.0
    whole = given.row_offsets is not None and given.symmetric
    row: Rule | Branch = choose(engine, about, m, whole, near, given.row_offsets is None)
    if rule == "paper":
        row = choose_by_paper(engine, about, m, None)
    elif span and not (design or forest) and one_launch.fits(given, columns, engine):
        row, size = one_launch.foreseen(row, m, span), size + one_launch.bytes_for(m)
    chosen, reason = (design, "asked for") if design else (row.design, str(row))
    size += beyond(chosen, about, m, given.row_offsets is not None, forest) + SUMS
    size += room_for_queues(engine, about, "bits=shared" in chosen.sample)
    return Plan(
        engine=engine.name,
        device=engine.device_name,
        edges=m,
        ids=ids,
        ids_why=why,
        design=str(chosen),
        design_why=reason,
        vertices=about,
        bytes=size,
    )


def _renumbered(given: EdgeInput, columns: list[Any], rows: int) -> tuple[str, str, int]:
    """How strings and several columns become vertices, why so, and the bytes."""
    from ..ids.strings import bytes_of

    size, parts = rows * STRING_BYTES + COPIES * bytes_of(columns), len(given.src.parts)
    if parts:
        return "rows", f"{parts} columns are one number a row", size + 8 * rows * parts
    return "strings, factorised", "numbered in lexicographic order, by their bytes", size


def _named(given: EdgeInput) -> int:
    return len(given.vertices) if isinstance(given.vertices, range) else 0
