"""Evidence for one component: the path between two vertices, with the records of its vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array
from ..data import html
from ..data.adapters import adapter_of
from ..data.arguments import check_names, check_word
from ..data.column import chunked
from ..data.foreign import opened
from ..data.frame_access import (
    answer_column,
    check_columns,
    collected,
    column_of,
    columns_of,
    frame_in_memory,
    frame_size,
    names_of,
    on_host,
    values_of,
)
from ..data.frame_build import with_column
from ..data.read import named_ends
from ..data.relations import is_relation, quoted, relation_of, whole_table_of
from ..data.within import AsFound
from ..errors import InputError, counted, id_shown, inflected
from ..keywords import suggest_keywords_of_methods
from ..results.answer import Answer
from ..results.lookup import attached, id_columns_in, ids_in_frame, ids_of, rows_of_ids, single_id
from ..results.written import arrow_of
from .deduplicate import rows_at, with_columns_of
from .records import check_rows

MAX_SHOWN = 3  # maximum number of vertices in an error
NUMBERS = "weight", "row"
STEP_NOTES = {
    "edge": (
        "Each row is an edge of the list, turned so that the path leads from the first vertex to"
        " the second. row is its position in the list."
    ),
    "link": (
        "Each row is a value that both records have in the columns of a key. Together, the rows"
        " lead from the first record to the second."
    ),
}


def explain(
    answer: Answer,
    path: Any,
    pair: tuple[Any, Any],
    edge_arguments: tuple[Any, Any, Any, Any],
    records: Any,
    on: Any,
    missing: str,
) -> Evidence:
    """Return the edges of a path, with the records of both ends, to show why it joins its ends.

    ``path`` is a frame as :meth:`Components.path` returns it, and ``pair`` has its first and last
    vertex. ``edge_arguments`` are ``edges``, ``source``, ``destination`` and ``weight``.
    ``records`` is a frame or None; :class:`EdgeRecords` describes ``on`` and ``missing``.
    """
    path = on_host(path)
    sides = [values_of(answer_column(path, end)) for end in ("source", "destination")]
    first = pair[0]
    # ids of the vertices along the path; a tuple of one part is the same id as its part
    ids = [first[0] if isinstance(first, tuple) and len(first) == 1 else first]
    for source, destination in zip(*sides, strict=True):  # an edge may be listed backwards
        ids.append(destination if source == ids[-1] else source)
    with answer.backend.scope():
        column = single_id(ids[0]) if len(ids) == 1 else ids_of(answer, ids)
        vertices, _ = rows_of_ids(answer, column, "raise")
    numbers = {name: answer_column(path, name) for name in NUMBERS if name in columns_of(path)}
    edge_records = EdgeRecords(answer, records, on, missing)
    columns = None if edge_arguments[0] is None else _edge_columns(path, answer, *edge_arguments)
    frame = edge_records.of_edges(vertices[:-1], vertices[1:], numbers, edge_columns=columns)
    return Evidence(frame, pair)


def _edge_columns(
    path: Any, answer: Answer, edges: Any, source: Any, destination: Any, weight: Any
) -> Any:
    """Return further columns of a path's edges from the caller's frame, without ends and weights.

    Return None if ``edges`` is not a frame, if it has other edges in the rows of the path, or if
    there are no further columns. The last three parameters are those of :meth:`Components.path`.
    """
    edges = opened(edges)
    if not adapter_of(edges).has_rows:
        return None
    edges = collected(chunked(edges))
    if not names_of(edges):
        return None
    ends: Any = named_ends(edges, source, destination, weight)
    if None in ends:  # a graph has no columns of ends
        return None
    sources, destinations = (end if isinstance(end, list) else [end] for end in ends)
    rows = np.asarray(values_of(answer_column(path, "row")), np.int64)
    if rows.size and int(rows.max()) >= frame_size(edges):
        return None
    path_edges = rows_at(edges, columns_of(edges), rows)
    for end, id_columns in (("source", sources), ("destination", destinations)):
        columns = (values_of(on_host(column_of(path_edges, name))) for name in id_columns)
        ids = list(zip(*columns, strict=True))
        ids_of_path = values_of(answer_column(path, end))
        if ids != [id_ if isinstance(id_, tuple) else (id_,) for id_ in ids_of_path]:
            return None
    if isinstance(weight, AsFound) and answer.given.bound:
        weight = answer.given.bound.weight
    weights = [weight] if isinstance(weight, str | int) else []  # not an array
    shown_already = *sources, *destinations, *weights
    further = [name for name in columns_of(edges) if name not in shown_already]
    return rows_at(edges, further, rows) if further else None


class EdgeRecords:
    """Makes frames of edges with the records of both ends.

    Without records, frames have only the ids of the vertices. ``on`` names the id columns of the
    records. If a vertex has no record, ``missing="raise"`` raises an error, and ``"null"`` returns
    nulls in the columns of the records, unless no vertex has a record, which is an error too.
    """

    def __init__(self, answer: Answer, records: Any, on: Any, missing: str = "raise") -> None:
        self._answer, self._frame, self._ids = answer, None, list[Any]()
        self._records = records
        self._missing = check_word("missing", missing, ("raise", "null"))
        if records is not None:
            self._frame, self._ids = _read_records(answer, records, on)

    def of_edges(
        self,
        sources: Array,
        destinations: Array,
        numbers: dict[str, Any],
        label: str | None = None,
        edge_columns: Any = None,
    ) -> Any:
        """Return a frame with one row per edge, given the rows of its ends in the answer.

        The columns ``numbers`` follow the ids. ``label`` is the name of a column with the label of
        each edge's component. ``edge_columns`` is a frame with the last columns. The name of such a
        column gets the prefix ``edge_`` if another column has this name already.
        """
        answer = self._answer
        with answer.backend.scope():
            vertices = answer.backend.xp.concatenate([sources, destinations])
            if self._frame is None:  # the ids of the vertices are their records
                records = answer.in_memory_frame(answer.vertex(vertices))
                if isinstance(records, tuple):
                    records = dict(zip(columns_of(records), on_host(records), strict=True))
                ids, rows, has_record = columns_of(records), np.arange(vertices.size), None
            else:
                records, ids = self._frame, self._ids
                rows, has_record = self._rows_of_records(vertices)
        others = [name for name in columns_of(records) if name not in ids]
        sides = {"from": slice(0, sources.size), "to": slice(sources.size, None)}
        frame: Any = None
        for side, part in sides.items():
            renamed = {name: side if len(ids) == 1 else f"{side}_{name}" for name in ids}
            frame = with_columns_of(frame, rows_at(records, ids, rows[part]), renamed)
            if has_record is not None:  # some vertices have no record
                with answer.backend.scope():  # their ids replace those of records
                    id_table = arrow_of(answer.in_memory_frame(answer.vertex(vertices[part])))
                for k, name in enumerate(renamed.values()):
                    frame = with_column(frame, name, id_table.column(k), None)
        if label is not None:
            frame = attached(answer, frame, columns_of(frame)[: len(ids)], label)
        for name, values in numbers.items():
            frame = with_column(frame, name, np.asarray(values), None)
        for side, part in sides.items() if others else ():
            renamed = {name: f"{side}_{name}" for name in others}
            mask = None if has_record is None else has_record[part]
            frame = with_columns_of(frame, rows_at(records, others, rows[part]), renamed, mask)
        if edge_columns is not None:
            names = columns_of(frame)
            renamed = {k: f"edge_{k}" if k in names else k for k in columns_of(edge_columns)}
            frame = with_columns_of(frame, edge_columns, renamed)
        if is_relation(self._records):  # then the result is a relation, not its table in memory
            return relation_of(frame, self._records, list(map(quoted, frame.column_names)))
        if self._frame is None and is_relation(relation := answer.given.answer(frame)):
            return relation
        return frame

    def _rows_of_records(self, vertices: Array) -> tuple[Any, Any]:
        """Return the row of the first record of each vertex, and a mask of vertices with a record.

        Both are on the host. The mask is None if missing records raise an error.
        """
        answer, ids = self._answer, self._ids
        column, has_id = ids_in_frame(answer, self._frame, ids, "null")
        vertex_of_id, is_vertex = map(answer.backend.to_host, rows_of_ids(answer, column, "null"))
        vertices = answer.backend.to_host(vertices)
        record_rows = np.arange(frame_size(self._frame))
        if has_id is not None:
            record_rows = record_rows[answer.backend.to_host(has_id)]
        with_record, first = np.unique(vertex_of_id[is_vertex], return_index=True)
        first_record = record_rows[is_vertex][first]  # of each vertex in with_record
        position: Any = np.searchsorted(with_record, vertices)
        position[position == with_record.size] = 0  # any valid position: the vertex has no record
        missing = np.ones(vertices.size, bool)
        if with_record.size:
            missing = with_record[position] != vertices
        if missing.any() and (self._missing == "raise" or missing.all()):
            distinct, first_positions = np.unique(vertices[missing], return_index=True)
            shown = answer.backend.asarray(distinct[np.argsort(first_positions)][:MAX_SHOWN])
            frame = on_host(answer.in_memory_frame(answer.vertex(shown)))
            names = [id_shown(value) for value in values_of(answer_column(frame, "vertex"))]
            ellipsis = ", ..." if distinct.size > MAX_SHOWN else ""
            raise InputError(
                f"{distinct.size:,} of {counted(np.unique(vertices).size, 'vertex', 'vertices')}"
                f" {inflected(distinct.size, 'has', 'have')} no record in"
                f" {', '.join(map(repr, ids))}: {', '.join(names)}{ellipsis}; pass all"
                " records, or missing='null', or leave out records="
            )
        has_record = None if self._missing == "raise" else ~missing
        return first_record[position], has_record


def _read_records(answer: Answer, records: Any, on: Any) -> tuple[Any, list[Any]]:
    """Return records as a frame in memory, and the names of their id columns.

    The default of ``on`` stands for the id columns of linked records. If they were linked without
    ids, a column ``on`` with their row positions is added.
    """
    check_names("on=", on)
    names = list(on) if isinstance(on, list) else [on]
    frame = whole_table_of(records) if is_relation(records) else frame_in_memory(records)
    if answer.linked is not None and on == "vertex":  # the default of ``on``
        names = answer.linked.id_names or names
        if not answer.linked.id_names and on not in columns_of(frame):
            check_rows(answer, frame)
            frame = with_column(frame, on, np.arange(frame_size(frame)), None)
    names = id_columns_in(answer, columns_of(frame), names)
    check_columns(frame, names, "that names the records")
    return frame, names


def table_of(caption: str, frame: Any) -> str:
    """Return a frame as an HTML table; integers have no separators, because they may be ids."""
    host = on_host(frame)
    names = columns_of(host)
    columns = [values_of(answer_column(host, name)) for name in names]
    rows = zip(*columns, strict=True)
    texts = ([str(value) if isinstance(value, int) else value for value in row] for row in rows)
    return html.table(caption, names, texts)


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
            html.note(STEP_NOTES[self._step]),
        ]
