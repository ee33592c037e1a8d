"""The path between two vertices, with the records of its vertices, as evidence for a reader."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import html
from ..data.arguments import check_names
from ..data.frame_access import (
    check_columns,
    columns_of,
    frame_in_memory,
    frame_size,
    on_host,
    only,
    values_of,
)
from ..data.frame_build import with_column
from ..data.relations import is_relation, whole_table_of
from ..errors import InputError, counted, id_shown
from ..keywords import suggest_keywords_of_methods
from ..results.answer import Answer
from ..results.lookup import id_columns_in, ids_in_frame, ids_of, rows_of_ids, single_id
from .deduplicate import rows_at, with_columns_of

SHOWN = 3  # vertices in an error
NUMBERS = "weight", "row"


def explain(answer: Answer, path: Any, ends: tuple[Any, Any], records: Any, on: Any) -> Evidence:
    """Return a path as evidence: see :meth:`cc_rapids.Components.explain_pair`."""
    path = on_host(path)
    sides = [values_of(only(path, end)) for end in ("source", "destination")]
    walk = [ends[0]]
    for edge in zip(*sides, strict=True):
        walk.append(edge[edge[0] == walk[-1]])
    with answer.backend.scope():
        if len(walk) == 1:
            column = single_id(walk[0])
        else:
            column = ids_of(answer, walk)
        vertices = rows_of_ids(answer, column, "raise")[0]
        if records is None:
            frame = answer.in_memory_frame(answer.vertex(vertices))
            if isinstance(frame, tuple):
                frame = dict(zip(columns_of(frame), frame, strict=True))
            ids, at = columns_of(frame), np.arange(len(walk))
        else:
            frame, ids = _records(answer, records, on)
            at = _places(answer, frame, ids, answer.backend.to_host(vertices), walk)
    numbers = {name: only(path, name) for name in NUMBERS if name in columns_of(path)}
    return Evidence(_turned(frame, ids, at, numbers), ends)


def _records(answer: Answer, records: Any, on: Any) -> tuple[Any, list[Any]]:
    """Return records in memory, and the names of their id columns."""
    check_names("on=", on)
    names = list(on) if isinstance(on, list) else [on]
    frame = whole_table_of(records) if is_relation(records) else frame_in_memory(records)
    linked = answer.linked.id_names if answer.linked else []
    if linked and on == "vertex":
        names = linked
    names = id_columns_in(answer, columns_of(frame), names)
    check_columns(frame, names, "that names the records")
    return frame, names


def _places(answer: Answer, frame: Any, ids: list[Any], vertices: Any, walk: list[Any]) -> Any:
    """Return the first row of a frame with each vertex of a walk."""
    column, mask = ids_in_frame(answer, frame, ids, "null")
    rows, valid = map(answer.backend.to_host, rows_of_ids(answer, column, "null"))
    places = np.arange(frame_size(frame))
    if mask is not None:
        places = places[answer.backend.to_host(mask)]
    known, first = np.unique(rows[valid], return_index=True)
    at = np.searchsorted(known, vertices)
    at[at == known.size] = 0
    missing = known[at] != vertices if known.size else np.ones(len(walk), bool)
    if missing.any():
        names = [id_shown(walk[k]) for k in np.flatnonzero(missing)]
        more = ", ..." if len(names) > SHOWN else ""
        raise InputError(
            f"{len(names):,} of {counted(len(walk), 'vertex', 'vertices')} on the path have no"
            f" record in {', '.join(map(repr, ids))}: {', '.join(names[:SHOWN])}{more}; pass all"
            " records, or leave out records="
        )
    return places[valid][first[at]]


def _turned(frame: Any, ids: list[Any], at: Any, numbers: dict[str, Any]) -> Any:
    """Return a row for each step of a walk, given the rows of its vertices in a frame."""
    others = [name for name in columns_of(frame) if name not in ids]
    single = ids[0] if len(ids) == 1 else None
    made: Any = None
    for names in (ids, others):
        for prefix, rows in (("from", at[:-1]), ("to", at[1:])):
            part: Any = rows_at(frame, names, rows) if names else {}
            named = {name: prefix if name == single else f"{prefix}_{name}" for name in names}
            if hasattr(part, "iloc"):
                part = part.reset_index(drop=True)
            made = with_columns_of(made, part, named)
        if names is ids:
            for name, values in numbers.items():
                made = with_column(made, name, np.asarray(values), None)
    return made


def _shown(value: Any) -> Any:
    """Return a value as a page shows it: numbers of records and rows without separators."""
    return str(value) if isinstance(value, int) else value


@suggest_keywords_of_methods
class Evidence(html.Page):
    """The path that joins two vertices, with their records: see :meth:`Components.explain_pair`.

    ``len()`` is the number of edges of the path.

    Attributes
    ----------
    frame : frame
        One row per edge of the path, in order from the first vertex to the second.

    See Also
    --------
    Components.explain_pair : Explain why two vertices are in one component.

    Examples
    --------
    >>> import cc_rapids
    >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 8]), forest=True)
    >>> found.explain_pair(7, 5)
    <Evidence: 2 edges from 7 to 5>
    """

    def __init__(self, frame: Any, ends: tuple[Any, Any]) -> None:
        self.frame, self._ends = frame, ends

    def __len__(self) -> int:
        return frame_size(self.frame)

    def __repr__(self) -> str:
        first, last = map(id_shown, self._ends)
        return f"<Evidence: {counted(len(self), 'edge')} from {first} to {last}>"

    def _title(self) -> str:
        first, last = map(id_shown, self._ends)
        return f"Why {first} and {last} are in one component"

    def _parts(self) -> list[str]:
        """Return the table of the steps, and a note below it, as HTML."""
        host = on_host(self.frame)
        names = columns_of(host)
        columns = [map(_shown, values_of(only(host, name))) for name in names]
        rows = list(zip(*columns, strict=True))
        steps = counted(len(self), "edge")
        return [
            html.table(f"the path, {steps}", names, rows),
            html.note(
                "Each row is an edge of the list, turned so that the path leads from the first"
                " vertex to the second. row is its position in the list."
            ),
        ]
