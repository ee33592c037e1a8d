"""The path between two vertices, with the records of its vertices, as evidence for a reader."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..backends import Array
from ..data import html
from ..data.adapters import adapter_of
from ..data.arguments import check_names, check_word
from ..data.column import chunked
from ..data.foreign import opened
from ..data.frame_access import (
    check_columns,
    collected,
    column_of,
    columns_of,
    frame_in_memory,
    frame_size,
    names_of,
    on_host,
    only,
    values_of,
)
from ..data.frame_build import with_column
from ..data.read import named_ends
from ..data.relations import is_relation, quoted, relation_of, whole_table_of
from ..data.within import AsFound
from ..errors import InputError, counted, id_shown, inflected
from ..keywords import suggest_keywords_of_methods
from ..results.answer import Answer
from ..results.lookup import (
    attached,
    id_columns_in,
    ids_in_frame,
    ids_of,
    rows_of_ids,
    single_id,
)
from ..results.written import arrow_of
from .deduplicate import rows_at, with_columns_of
from .records import check_rows

SHOWN = 3  # vertices in an error
NUMBERS = "weight", "row"
STEPS = {
    "edge": (
        "Each row is an edge of the list, turned so that the path leads from the first vertex to"
        " the second. row is its position in the list."
    ),
    "link": (
        "Each row is a value that both records have in the columns of a key. Together, the rows"
        " lead from the first record to the second."
    ),
}


class EdgesOfCall(NamedTuple):
    """The edges of a call and the arguments that name their columns."""

    edges: Any
    source: Any
    destination: Any
    weight: Any


def explain(
    answer: Answer,
    path: Any,
    ends: tuple[Any, Any],
    edges: EdgesOfCall,
    records: Any,
    on: Any,
    missing: str,
) -> Evidence:
    """Return a path as evidence: see :meth:`cc_rapids.Components.explain_pair`."""
    path = on_host(path)
    sides = [values_of(only(path, end)) for end in ("source", "destination")]
    walk = [ends[0]]
    for edge in zip(*sides, strict=True):
        walk.append(edge[edge[0] == walk[-1]])
    with answer.backend.scope():
        column = single_id(walk[0]) if len(walk) == 1 else ids_of(answer, walk)
        vertices = rows_of_ids(answer, column, "raise")[0]
    numbers = {name: only(path, name) for name in NUMBERS if name in columns_of(path)}
    found = EdgeRecords(answer, records, on, missing)
    own = None if edges.edges is None else _own_columns(path, answer, edges)
    return Evidence(found.of_edges(vertices[:-1], vertices[1:], numbers, own=own), ends)


def _own_columns(path: Any, answer: Answer, given: EdgesOfCall) -> Any:
    """Return the columns of the edges of a path, without ends and weights.

    Return None if the list is no frame, or another one than that whose rows the path names.
    """
    edges, bound = opened(given.edges), answer.given.bound
    if not adapter_of(edges).has_rows:
        return None
    edges = collected(chunked(edges))
    if not names_of(edges):
        return None
    sides: Any = named_ends(edges, given.source, given.destination, given.weight)
    source, destination = (side if isinstance(side, list) else [side] for side in sides)
    rows = np.asarray(values_of(only(path, "row")), np.int64)
    if rows.size and int(rows.max()) >= frame_size(edges):
        return None
    chosen = rows_at(edges, columns_of(edges), rows)
    for name, side in (("source", source), ("destination", destination)):
        ids = list(
            zip(*(values_of(on_host(column_of(chosen, part))) for part in side), strict=True)
        )
        shown = values_of(only(path, name))
        if ids != [one if isinstance(one, tuple) else (one,) for one in shown]:
            return None
    weight = bound.weight if isinstance(given.weight, AsFound) and bound else given.weight
    weights = [weight] if isinstance(weight, str | int) else []
    others = [k for k in columns_of(edges) if k not in (*source, *destination, *weights)]
    return rows_at(edges, others, rows) if others else None


class EdgeRecords:
    """The records of both ends of edges.

    Parameters
    ----------
    answer : Answer
    records : frame, optional
        The records of the vertices; by default their ids alone.
    on : str, or list of str
        The id columns of the records.
    missing : {"raise", "null"}
        Whether a vertex without a record raises an error, or has null columns.
    """

    def __init__(self, answer: Answer, records: Any, on: Any, missing: str = "raise") -> None:
        self._answer, self._frame, self._ids = answer, None, list[Any]()
        self._records = records
        self._missing = check_word("missing", missing, ("raise", "null"))
        if records is not None:
            self._frame, self._ids = _records(answer, records, on)

    def of_edges(
        self,
        sources: Array,
        destinations: Array,
        numbers: dict[str, Any],
        label: str | None = None,
        own: Any = None,
    ) -> Any:
        """Return a row for each edge, given the rows of its ends in the answer.

        Parameters
        ----------
        numbers : dict of str to column
            Columns that follow the ids, one value for each edge.
        label : str, optional
            The name of a column with the component of each edge.
        own : frame, optional
            The last columns, a row for each edge; a name that is taken gets the prefix ``edge_``.
        """
        answer = self._answer
        with answer.backend.scope():
            vertices = answer.backend.xp.concatenate([sources, destinations])
            if self._frame is None:
                frame = answer.in_memory_frame(answer.vertex(vertices))
                if isinstance(frame, tuple):
                    frame = dict(zip(columns_of(frame), on_host(frame), strict=True))
                ids, at = columns_of(frame), np.arange(vertices.size)
                valid = None
            else:
                frame, ids = self._frame, self._ids
                at, valid = self._places(vertices)
        others = [name for name in columns_of(frame) if name not in ids]
        halves = ("from", slice(0, sources.size)), ("to", slice(sources.size, None))
        made: Any = None
        for names in (ids, others):
            is_id = names is ids and len(ids) == 1
            for side, half in halves:
                part: Any = rows_at(frame, names, at[half]) if names else {}
                if hasattr(part, "iloc"):
                    part = part.reset_index(drop=True)
                named = {name: side if is_id else f"{side}_{name}" for name in names}
                if valid is None:
                    made = with_columns_of(made, part, named)
                elif names is ids:
                    made = self._with_ids(made, part, named, vertices[half])
                else:
                    made = with_columns_of(made, part, named, valid[half])
            if names is ids:
                if label is not None:
                    made = attached(answer, made, columns_of(made)[: len(ids)], label)
                for name, values in numbers.items():
                    made = with_column(made, name, np.asarray(values), None)
        if own is not None:
            if hasattr(own, "iloc"):
                own = own.reset_index(drop=True)
            taken, others = columns_of(made), columns_of(own)
            named = {name: f"edge_{name}" if name in taken else name for name in others}
            made = with_columns_of(made, own, named)
        if is_relation(self._records):
            return relation_of(made, self._records, list(map(quoted, made.column_names)))
        shown = answer.given.answer(made) if self._frame is None else made
        return shown if is_relation(shown) else made

    def _with_ids(self, frame: Any, part: Any, named: dict[Any, str], vertices: Array) -> Any:
        """Return a frame with the ids of vertices. Some of them may have no record."""
        made, answer = with_columns_of(frame, part, named), self._answer
        with answer.backend.scope():
            ids = arrow_of(answer.in_memory_frame(answer.vertex(vertices)))
        for k, name in enumerate(named.values()):
            made = with_column(made, name, ids.column(k), None)
        return made

    def _places(self, vertices: Array) -> tuple[Any, Any]:
        """Return the first row of the records with each vertex, and a mask of those with a record.

        The mask is None if missing records raise an error.
        """
        answer, ids = self._answer, self._ids
        column, mask = ids_in_frame(answer, self._frame, ids, "null")
        rows, valid = map(answer.backend.to_host, rows_of_ids(answer, column, "null"))
        wanted = answer.backend.to_host(vertices)
        places = np.arange(frame_size(self._frame))
        if mask is not None:
            places = places[answer.backend.to_host(mask)]
        known, first = np.unique(rows[valid], return_index=True)
        at = np.searchsorted(known, wanted)
        at[at == known.size] = 0
        missing = known[at] != wanted if known.size else np.ones(wanted.size, bool)
        if missing.any() and (self._missing == "raise" or missing.all()):
            distinct, least = np.unique(wanted[missing], return_index=True)
            some = answer.backend.asarray(distinct[np.argsort(least)][:SHOWN])
            frame = on_host(answer.in_memory_frame(answer.vertex(some)))
            names = [id_shown(value) for value in values_of(only(frame, "vertex"))]
            more = ", ..." if distinct.size > SHOWN else ""
            raise InputError(
                f"{distinct.size:,} of {counted(np.unique(wanted).size, 'vertex', 'vertices')}"
                f" {inflected(distinct.size, 'has', 'have')} no record in"
                f" {', '.join(map(repr, ids))}: {', '.join(names)}{more}; pass all"
                " records, or missing='null', or leave out records="
            )
        return places[valid][first[at]], None if self._missing == "raise" else ~missing


def _records(answer: Answer, records: Any, on: Any) -> tuple[Any, list[Any]]:
    """Return records in memory, and the names of their id columns."""
    check_names("on=", on)
    names = list(on) if isinstance(on, list) else [on]
    frame = whole_table_of(records) if is_relation(records) else frame_in_memory(records)
    if answer.linked is not None and on == "vertex":
        names = answer.linked.id_names or names
        if not answer.linked.id_names and on not in columns_of(frame):
            check_rows(answer, frame)
            frame = with_column(frame, on, np.arange(frame_size(frame)), None)
    names = id_columns_in(answer, columns_of(frame), names)
    check_columns(frame, names, "that names the records")
    return frame, names


def table_of(caption: str, frame: Any) -> str:
    """Return a frame as a table of HTML; integers, which may be ids, without separators."""
    host = on_host(frame)
    names = columns_of(host)
    columns = [map(_shown, values_of(only(host, name))) for name in names]
    return html.table(caption, names, zip(*columns, strict=True))


def _shown(value: Any) -> Any:
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

    frame: Any

    def __init__(self, frame: Any, ends: tuple[Any, Any], step: str = "edge") -> None:
        self.frame, self._ends, self._step = frame, ends, step

    def __len__(self) -> int:
        return frame_size(self.frame)

    def __repr__(self) -> str:
        first, last = map(id_shown, self._ends)
        return f"<Evidence: {counted(len(self), self._step)} from {first} to {last}>"

    def _title(self) -> str:
        first, last = map(id_shown, self._ends)
        return f"Why {first} and {last} are in one component"

    def _parts(self) -> list[str]:
        """Return the table of the steps, and a note below it, as HTML."""
        return [
            table_of(f"the path, {counted(len(self), self._step)}", self.frame),
            html.note(STEPS[self._step]),
        ]
