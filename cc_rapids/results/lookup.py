"""Look-ups of the caller's ids in the answer."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends import Array
from ..data.arguments import check_names, check_word
from ..data.column import Column, held, is_cudf, of, of_key_columns
from ..data.edge_input import EdgeInput
from ..data.frame_access import (
    check_columns,
    check_kinds,
    column_of,
    columns_of,
    first,
    frame_in_memory,
    is_single,
    key_columns_of,
    on_host,
    only,
    values_of,
)
from ..data.frame_build import with_column
from ..data.relations import check_ids, columns_in, distinct_of, is_relation, joined
from ..errors import (
    ArgumentTypeError,
    CcRapidsWarning,
    InputError,
    NullsError,
    UnknownVertexError,
    UnmatchedWarning,
    shown,
)
from ..graph.edges import LentOn

if TYPE_CHECKING:
    from .answer import Answer

MISSING, NULLS = ("raise", "null", "self"), ("raise", "null")
NULL_LABELS = "nulls='null' or missing='null' gives them null labels"
INCLUDE = "components(..., vertices=) includes vertices that no edge names"
ALONE = f"missing='self' takes each as a component of its own, for rows without pairs; or {INCLUDE}"
BY_POSITION = (
    "records were linked by their positions: give these (attach and deduplicate do without on=), or"
    " name the column of ids by link_records(..., id=)"
)
FEW = 3  # ids that a message shows


def check_name(name: Any) -> None:
    """Raise an InputError if a name cannot be that of a column."""
    if isinstance(name, list) or callable(name):  # which pandas would call
        raise ArgumentTypeError(f"name= must be the name of a column, not {shown(name)}")
    check_names("name=", name)
    if isinstance(name, str) and name.encode(errors="replace").decode() != name:
        raise InputError(f"name={name!r} holds half of a surrogate pair: pass another name")


def _name_clash_error(label: str) -> InputError:
    """Return the error for an added column whose name the frame has."""
    return InputError(f"the frame has a column {label!r} already: pass name=")


def levels_up() -> int:
    """Return the ``stacklevel`` of a warning by which it names the caller of the package."""
    package, level, frame = __name__.partition(".")[0], 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    return level


def warn_of_no_edges(files: Any) -> None:
    """Warn that files hold no row of edges, or that an iterator yields none."""
    what = f"{files} holds" if isinstance(files, str | os.PathLike) else "the files hold"
    if hasattr(files, "__next__"):
        what = "the iterator, which may have been read before, yields"
    warnings.warn(f"{what} no edges", CcRapidsWarning, stacklevel=levels_up())


def _some(column: Column, rows: Any) -> str:
    """Return the first few ids of some rows of a column as text."""
    with column.borrow() as borrowed:
        key_columns = borrowed if column.key_columns else [borrowed]
        ids = [tuple(first(part[int(i) : int(i) + 1]) for part in key_columns) for i in rows[:FEW]]
    some = ", ".join(str(one[0] if len(one) == 1 else one) for one in ids)
    return some + (", ..." if len(rows) > FEW else "")


def labels_of(answer: Answer, vertices: Any) -> Any:
    """Return the labels of some vertices: see :meth:`cc_rapids.Components.component_of`."""
    with answer.backend.scope():
        single = is_single(vertices)
        column = single_id(vertices) if single else ids_of(answer, vertices)
        rows = rows_of_ids(answer, column, "raise")[0]
        frame = answer.held_frame(answer.vertex(rows) | answer.label(rows))
        labels = only(frame, "labels")
        return first(labels) if single else answer.given.answer(labels)


def attached(
    answer: Answer,
    frame: Any,
    on: str | list[str] = "vertex",
    name: str = "labels",
    missing: str = "raise",
    nulls: str | None = None,
) -> Any:
    """Return a frame with a column of labels: see :meth:`cc_rapids.Components.attach`."""
    check_names("on=", on)
    id_columns = on if isinstance(on, list) else [on]
    if not id_columns:
        raise InputError("on= names no column: pass the column of the vertices, or several")
    check_name(name)
    check_word("policy for unknown ids, missing,", missing, MISSING)
    if nulls is not None:
        check_word("nulls policy", nulls, NULLS)
    if is_relation(frame):
        return _joined(answer, frame, id_columns, name, missing, nulls)
    frame = frame_in_memory(frame)
    check_columns(frame, id_columns)
    return _attached(answer, frame, id_columns, name, missing, nulls)


def _joined(
    answer: Answer, relation: Any, id_columns: list[str], name: str, missing: str, nulls: str | None
) -> Any:
    """Return a relation of DuckDB that joins another one with the labels of its ids."""
    columns = {column.lower() for column in columns_in(relation)}  # as DuckDB compares names
    check_columns(relation, id_columns)
    check_ids(relation, id_columns)
    ids = distinct_of(relation, id_columns)
    labels = _attached(answer, ids, id_columns, name, missing, nulls)
    for added in columns_of(labels)[len(id_columns) :]:
        if added.lower() in columns:
            raise _name_clash_error(added)
    return joined(relation, labels, id_columns)


def _attached(
    answer: Answer, frame: Any, id_columns: list[str], name: str, missing: str, nulls: str | None
) -> Any:
    """Return a frame in memory with the label of each row in an added column."""
    names = columns_of(frame)
    with answer.backend.scope():
        column, there = ids_in_frame(answer, frame, id_columns, nulls or NULLS[missing == "null"])
        policy = "raise" if missing == "raise" else "null"
        rows, valid = rows_of_ids(answer, column, policy, ALONE)
        warn_if_strange(answer, column, valid)
        at = None if there is None else _spread(answer, there)
        separate = missing == "self" and column.size > 0
        if separate:
            labels = answer.label_or_own(column, rows, valid, name, at)
        else:
            rows, valid, there = _among(answer, rows, valid, there, at)
            labels = _label_of_any(answer, rows, name)
        here = is_cudf(frame)
        whole = there is None or bool(there.all())
        mask = None if whole else answer.bring(there, here)
        for column_name, values in labels.items():
            label = answer.given.called(column_name) if len(labels) > 1 else column_name
            if label in names:
                raise _name_clash_error(label)
            frame = with_column(frame, label, answer.bring(values, here), mask)
    return frame


def single_id(vertex: Any) -> Column:
    """Return a single id as a column."""
    parts = vertex if isinstance(vertex, tuple) else (vertex,)
    if not parts:
        raise InputError("an empty tuple is not an id: pass the value of each column of an id")
    return of_key_columns([of("vertices", [part]) for part in parts])


def ids_of(answer: Answer, values: Any) -> Column:
    """Return ids to look up, as a column of one or several key columns."""
    key_columns = answer.given.src.key_columns
    if not key_columns:
        return of("vertices", values)
    return of_key_columns(key_columns_of("vertices", values, len(key_columns)))


def ids_in_frame(
    answer: Answer, frame: Any, on: list[Any], nulls: str, remedy: str = NULL_LABELS
) -> tuple[Column, Array | None]:
    """Return the non-null ids of the rows of a frame, and a mask of these rows.

    The mask is None if no id is null. ``remedy`` is what the error for nulls advises.
    """
    sides = [held(name, column_of(frame, name)) for name in on]
    masks = [side.there for side in sides if side.there is not None]
    there = reduce(and_, masks) if masks else None
    column = of_key_columns([side.where(there) for side in sides])
    if there is None:
        return column, None
    if nulls == "raise":
        raise NullsError(
            f"{there.size - int(there.sum()):,} of {there.size:,} rows have nulls in"
            f" {', '.join(map(repr, on))}, which name no vertex: {remedy}"
        )
    return column, answer.backend.asarray(there)


def _spread(answer: Answer, there: Array) -> Array:
    """Return for each row of a frame its position among the rows that are not null."""
    xp = answer.backend.xp
    return xp.maximum(xp.cumsum(there) - 1, 0)


def _among(
    answer: Answer, rows: Array, valid: Array, there: Array | None, at: Array | None
) -> tuple[Array, Array, Array]:
    """Return for each row of a frame its position among the rows that have a label."""
    if there is None or at is None:
        return rows, valid, valid
    if not rows.size:
        rows, valid = answer.backend.xp.zeros(there.size, np.int64), there
        return rows, valid, valid
    return rows[at], valid[at], valid[at] & there


def _label_of_any(answer: Answer, rows: Array, name: str) -> dict[str, Any]:
    """Return the labels of some rows of the answer, or numbers if the answer is empty."""
    if answer.forest.vertices or not rows.size:
        return answer.label(rows, name)
    none = answer.backend.xp.zeros(rows.size, np.int64)
    return dict.fromkeys(answer.label(rows[:0], name), none)


def rows_of_ids(
    answer: Answer, column: Column, missing: str, remedy: str = INCLUDE
) -> tuple[Array, Array]:
    """Return the row of each id in the answer, and a mask of the known ids."""
    return _looked_up(answer, column, missing, answer.forest.rows_of, remedy)


def rows_of_lent(
    answer: Answer, column: Column, borrowed: Any, missing: str
) -> tuple[Array, Array]:
    """Return the same for a column that is lent."""
    return _looked_up_of(answer, column, borrowed, missing, answer.forest.rows_of)


def roots_of_ids(
    answer: Answer, column: Column, missing: str, remedy: str = INCLUDE
) -> tuple[Array, Array]:
    """Return the vertex that is the root of each id, and a mask of the known ids."""
    return _looked_up(answer, column, missing, answer.forest.roots_of, remedy)


def roots_of_lent(
    answer: Answer, column: Column, borrowed: Any, missing: str
) -> tuple[Array, Array]:
    """Return the same for a column that is lent."""
    return _looked_up_of(answer, column, borrowed, missing, answer.forest.roots_of)


def _looked_up(
    answer: Answer,
    column: Column,
    missing: str,
    value_of: Callable[[Array, Array], tuple[Array, Array]],
    remedy: str = INCLUDE,
) -> tuple[Array, Array]:
    """Return what the forest says of the vertex of each id, and a mask of the known ids.

    0 for ids that are unknown. ``remedy`` is what the error for these advises.
    """
    with column.borrow() as borrowed:
        return _looked_up_of(answer, column, borrowed, missing, value_of, remedy)


def _looked_up_of(
    answer: Answer,
    column: Column,
    borrowed: Any,
    missing: str,
    value_of: Callable[[Array, Array], tuple[Array, Array]],
    remedy: str = INCLUDE,
) -> tuple[Array, Array]:
    """Return the same for a column that is lent."""
    backend, xp, forest = answer.backend, answer.backend.xp, answer.forest
    check_kinds(answer.given.src, column, forest.vertices > 0 or missing == "raise")
    if not (column.size and forest.vertices):
        if column.size and missing == "raise":
            raise _unknown(answer, column, np.zeros(column.size, bool), remedy)
        return xp.zeros(column.size, np.int64), xp.zeros(column.size, bool)
    key_columns = [
        part if key_column.strings else backend.asarray(part)
        for part, key_column in zip(
            borrowed if column.key_columns else [borrowed],
            column.key_columns or [column],
            strict=True,
        )
    ]
    vertices, valid = answer.decoder.lookup(
        key_columns if column.key_columns else key_columns[0], backend
    )
    values, valid = value_of(vertices, valid)
    if missing == "raise" and not bool(valid.all()):
        raise _unknown(answer, column, backend.to_host(valid), remedy)
    return values, valid


def _unknown(answer: Answer, column: Column, valid: Any, remedy: str) -> UnknownVertexError:
    if answer.linked is not None and not answer.linked.id_names:
        remedy = BY_POSITION
    strange = np.flatnonzero(~valid)
    return UnknownVertexError(
        f"{strange.size:,} of {column.size:,} in {column.name!r} are not vertices of this"
        f" answer: {_some(column, strange)}; {remedy}"
    )


def warn_if_strange(answer: Answer, column: Column, valid: Array) -> None:
    """Warn if no id of a frame is a vertex, although there are vertices: on= may be wrong.

    Also if some are none as they are spelled, but are vertices without their leading zeros.
    """
    if not (column.size and answer.forest.vertices):
        return
    if bool(valid.any()):
        if column.strings and not column.key_columns and not bool(valid.all()):
            _warn_of_zeros(answer, column, answer.backend.to_host(valid))
        return
    theirs = _some(column, np.arange(column.size))
    few = answer.backend.xp.arange(min(FEW, answer.forest.vertices))
    own_ids = values_of(_vertices_on_host(answer, few))
    more = ", ..." if answer.forest.vertices > FEW else ""
    warnings.warn(
        f"none of the {column.size:,} ids in {column.name!r} is a vertex of this answer: they"
        f" are {theirs}, and its vertices are {', '.join(map(str, own_ids))}{more}; does on= name"
        " the column of the ids, and are they spelled as in the edges?",
        UnmatchedWarning,
        stacklevel=levels_up(),
    )


def _warn_of_zeros(answer: Answer, column: Column, valid: Any) -> None:
    """Warn if an id differs from a vertex only by leading zeros."""
    import pyarrow as pa
    import pyarrow.compute as pc

    with column.borrow() as words:
        if not isinstance(words, pa.Array | pa.ChunkedArray):
            return
        words = words.filter(pa.array(~valid)).cast(pa.large_string())
    zeros = words.filter(pc.match_substring_regex(words, "^0+[0-9]"))
    stripped = pc.utf8_ltrim(zeros, "0")
    stripped = pc.if_else(pc.equal(stripped, ""), "0", stripped)
    matches = zeros.filter(
        pa.array(answer.backend.to_host(rows_of_ids(answer, of("", stripped), "null")[1]))
    )
    how = "without zeros first"
    if not len(matches) and pc.any(pc.match_substring_regex(words, "^[0-9]+$")).as_py():
        rows = answer.backend.xp.arange(answer.forest.vertices)
        with of("", _vertices_on_host(answer, rows)).borrow() as vertices:
            stripped = vertices.cast(pa.large_string())
        stripped = stripped.filter(pc.match_substring_regex(stripped, "^0+[0-9]+$"))
        matches = words.filter(pc.is_in(words, pc.utf8_ltrim(stripped, "0")))
        how = "with zeros first"
    if len(matches):
        warnings.warn(
            f"{len(matches):,} of the ids in {column.name!r} are no vertices of this answer as"
            f" they are spelled, but are {how}, such as {matches[0].as_py()}: spell ids as in the"
            " edges",
            CcRapidsWarning,
            stacklevel=levels_up(),
        )


def _vertices_on_host(answer: Answer, rows: Array) -> Any:
    return only(on_host(answer.held_frame(answer.vertex(rows))), "vertex")


def labelled(answer: Answer, columns: dict[str, Any], numbers: Any) -> Any:
    """Return a frame of some columns and the label of one vertex in each row.

    The run was over the vertices 0 .. n - 1. ``numbers`` is the column of the vertices, whose
    type the labels get.
    """
    column = of("vertices", numbers)
    with answer.backend.scope(), column.borrow() as ids:
        at = answer.backend.asarray(ids)
        labels = answer.forest.parent[at]
        if labels.dtype.itemsize == at.dtype.itemsize:
            labels = labels.view(at.dtype)
        labels = answer.bring(labels.astype(at.dtype, copy=False), answer.given.on_device)
    return answer.given.answer(answer.given.make_frame(columns | {"labels": labels}))


def places_of_forest(answer: Answer) -> tuple[list[Array], dict[str, Any]]:
    """Return the rows of both ends of each edge of the forest, and its other columns."""
    columns = answer.columns_of_forest()
    others = {"row": columns.pop("row")}
    columns.pop("index", None)
    others |= {"weight": columns.pop("weight")} if "weight" in columns else {}
    ends = list(columns.values())
    width = len(ends) // 2
    sides = zip(("source", "destination"), (ends[:width], ends[width:]), strict=True)
    named = (of_key_columns([of(name, part) for part in side]) for name, side in sides)
    return [rows_of_ids(answer, column, "raise")[0] for column in named], others


def places_of_edges(answer: Answer, given: EdgeInput | None = None) -> tuple[Array, Array]:
    """Return the rows of both ends of each edge among the vertices, as int64.

    The edges are those of the answer, or others that are ``given``.
    """
    given = answer.given if given is None else given
    with LentOn(answer.backend, given) as columns:
        sides = zip((given.src, given.dst), columns, strict=False)
        src, dst = (rows_of_lent(answer, side, ids, "raise")[0] for side, ids in sides)
    return src, dst
