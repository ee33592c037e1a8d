"""Look up the caller's ids in an answer, and attach labels to frames."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends import Array
from ..data.adapters import without_edges
from ..data.arguments import check_names, check_word
from ..data.column import (
    Column,
    borrowed_columns,
    common_rows,
    is_cudf,
    of,
    of_key_columns,
    unchecked,
)
from ..data.edge_input import EdgeInput
from ..data.frame_access import (
    VERTEX,
    answer_column,
    check_columns,
    check_kinds,
    column_of,
    columns_of,
    first,
    frame_in_memory,
    is_single,
    on_host,
    values_of,
    vertices_of_keys,
)
from ..data.frame_build import with_column
from ..data.lazy import pa, pc
from ..data.relations import check_ids, columns_in, distinct_of, is_relation, joined
from ..errors import (
    ArgumentTypeError,
    CcRapidsWarning,
    InputError,
    NullsError,
    UnknownVertexError,
    UnmatchedWarning,
    counted,
    inflected,
    not_vertices,
    shown,
)
from ..graph.edges import BorrowedEdges
from .answer import NOISE

if TYPE_CHECKING:
    from ..data.weight_bound import WeightBound
    from ..ledger import Ledger
    from .answer import Answer

MISSING, NULLS = ("raise", "null", "self"), ("raise", "null")
NULLS_ADVICE = "nulls='null' or missing='null' gives them null labels"
RECORDS_ADVICE = "link_records needs a frame with all records"
VERTICES_ADVICE = "components(..., vertices=) includes vertices that no edge names"
SELF = "missing='self' makes each a component of one vertex"
SELF_ADVICE = f"{SELF}; or {VERTICES_ADVICE}"
ATTACH_ADVICE = f"{SELF}, missing='null' gives them null labels; or {VERTICES_ADVICE}"
ID_ADVICE = f"attach(frame, missing='self') labels unknown ids too; or {VERTICES_ADVICE}"
POSITIONS_ADVICE = (
    "records were linked by their positions: pass positions (attach and deduplicate match rows if"
    " on= is left out), or link_records(..., id=)"
)
ON_HINT = "does on= name the column of the ids, and "
BOUND_HINT = "is the bound on the scale of the weights, such as 0 to 1?"
SHOWN_IDS = 3  # maximum number of ids in a message


def check_name(name: Any) -> None:
    """Raise an InputError unless a value is a valid column name."""
    if isinstance(name, list) or callable(name):  # pandas would call a callable
        raise ArgumentTypeError(f"name= must be the name of a column, not {shown(name)}")
    check_names("name=", name)
    if isinstance(name, str) and name.encode(errors="replace").decode() != name:
        raise InputError(f"name={name!r} contains half of a surrogate pair: pass another name")


def _name_clash_error(label: str) -> InputError:
    """Return the error for the name of a label column that the frame has already."""
    return InputError(f"the frame has a column {label!r} already: pass name=")


def warn(message: str, category: type[CcRapidsWarning] = CcRapidsWarning) -> None:
    """Warn, and point to the caller of the package."""
    package, level, frame = __name__.partition(".")[0], 1, sys._getframe(0)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of_no_edges(edges: Any) -> None:
    """Warn of edges without rows if these are files or an iterator, which is likely a mistake."""
    if message := without_edges(edges):
        warn(message)


def warn_of_bound(
    ledger: Ledger, bound: WeightBound, hint_of: Callable[[], str] = lambda: BOUND_HINT
) -> None:
    """Warn if a weight bound left out edges, given the ledger of a run that linked no edge.

    ``hint_of`` returns the question that ends the warning; it may read all distances.
    """
    outside = sum(ledger.left_out.get(reason, 0) for reason in ("out_of_bounds", "row_group"))
    if outside:
        least, most, verb = bound.at_least, bound.at_most, "leaves"
        hint = hint_of()
        if least is not None and most is not None:
            verb = "leave"
            if least > most:
                hint = "no weight is within both, so exchange them"
        warn(f"{bound.in_words()} {verb} out every edge ({outside:,}): {hint}")


def warn_of_null_weights(count: int) -> None:
    """Warn that ``count`` edges with a null weight were dropped from a spanning forest."""
    if count:
        verb = inflected(count, "has", "have")
        warn(
            f"{counted(count, 'edge')} {verb} a null or NaN weight: nulls='drop' leaves such edges"
            " out of the forest, which may then join fewer vertices"
        )


def warn_of_no_scores(valid: Any, what: str, consequence: str) -> None:
    """Warn if there are scores, but none is valid.

    ``valid`` is a mask of the valid scores, ``what`` is the name of the scores, and ``consequence``
    says what is chosen instead.
    """
    if valid.size and not bool(valid.any()):
        warn(f"{what} contains no score: every value is null or NaN, so {consequence}")


def first_ids(column: Column, rows: Any) -> str:
    """Return the ids in the first ``SHOWN_IDS`` of the given rows of a column, as text."""
    rows_shown = [int(row) for row in rows[:SHOWN_IDS]]
    with column.borrow() as borrowed:
        key_columns = borrowed if column.key_columns else [borrowed]
        ids = [tuple(first(part[row : row + 1]) for part in key_columns) for row in rows_shown]
    shown_ids = ", ".join(str(id_[0] if len(id_) == 1 else id_) for id_ in ids)
    return shown_ids + (", ..." if len(rows) > SHOWN_IDS else "")


def labels_of(answer: Answer, vertices: Any) -> Any:
    """Return the labels of vertices: see :meth:`cc_rapids.Components.component_of`."""
    with answer.backend.scope():
        single = is_single(vertices)
        column = single_id(vertices) if single else ids_of(answer, vertices)
        rows = rows_of_ids(answer, column, "raise", ID_ADVICE)[0]
        frame = answer.in_memory_frame(answer.vertex(rows) | answer.label(rows))
        labels = answer_column(frame, "labels")
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
        id_columns = id_columns_in(answer, columns_in(frame), id_columns)
        return _joined(answer, frame, id_columns, name, missing, nulls)
    frame = frame_in_memory(frame)
    id_columns = id_columns_in(answer, columns_of(frame), id_columns)
    check_columns(frame, id_columns)
    return _attached(answer, frame, id_columns, name, missing, nulls)


def id_columns_in(answer: Answer, names: Sequence[Any], on: list[Any]) -> list[Any]:
    """Return the columns of a frame that have the ids: ``on``, or the columns of composite ids.

    The latter are returned if ``on`` is the default, and ``names``, the columns of the frame,
    contain them but no ``vertex``.
    """
    keys = [
        answer.given.output_name(f"{k}_{VERTEX}") for k in range(len(answer.given.src.key_columns))
    ]
    is_default = on == [VERTEX] and VERTEX not in names
    return keys if is_default and keys and set(keys) <= set(names) else on


def _joined(
    answer: Answer, relation: Any, id_columns: list[str], name: str, missing: str, nulls: str | None
) -> Any:
    """Return a DuckDB relation joined with the labels of its ids."""
    names = {column.lower() for column in columns_in(relation)}  # DuckDB ignores case
    check_columns(relation, id_columns)
    check_ids(relation, id_columns)
    ids = distinct_of(relation, id_columns)
    labels = _attached(answer, ids, id_columns, name, missing, nulls)
    for label_name in columns_of(labels)[len(id_columns) :]:
        if label_name.lower() in names:
            raise _name_clash_error(label_name)
    return joined(relation, labels, id_columns)


def _attached(
    answer: Answer, frame: Any, id_columns: list[str], name: str, missing: str, nulls: str | None
) -> Any:
    """Return a frame in memory with the label of each row in an added column."""
    names = columns_of(frame)
    with answer.backend.scope():
        nulls = nulls or ("null" if missing == "null" else "raise")
        column, has_id = ids_in_frame(answer, frame, id_columns, nulls)
        policy = "raise" if missing == "raise" else "null"  # "self" labels unknown ids below
        rows, valid = rows_of_ids(answer, column, policy, ATTACH_ADVICE)
        warn_of_unmatched(answer, column, valid)
        position = None  # of the id of each row of the frame in ``column``; arbitrary for nulls
        if has_id is not None:
            position = answer.backend.xp.maximum(answer.backend.xp.cumsum(has_id) - 1, 0)
        if missing == "self" and column.size:
            labels, has_label = answer.labels_of_ids(column, rows, valid, name, position), has_id
        else:
            rows, has_label = _rows_of_frame(answer, rows, valid, has_id, position)
            labels = _labels_of_rows(answer, rows, name)
        on_device, mask = is_cudf(frame), None
        if has_label is not None and not bool(has_label.all()):
            mask = answer.bring(has_label, on_device)
        for column_name, values in labels.items():
            label = answer.given.output_name(column_name) if len(labels) > 1 else column_name
            if label in names:
                raise _name_clash_error(label)
            frame = with_column(frame, label, answer.bring(values, on_device), mask)
    return frame


def single_id(vertex: Any, name: str = "vertices") -> Column:
    """Return a single id, the argument ``name`` of a call, as a column."""
    parts = vertex if isinstance(vertex, tuple) else (vertex,)
    if not parts:
        raise InputError("an empty tuple is not an id: pass the value of each column of an id")
    return of_key_columns([of(name, [part]) for part in parts])


def ids_of(answer: Answer, values: Any) -> Column:
    """Return ids to look up as a column; it has key columns if the ids of the answer have some."""
    key_columns = answer.given.src.key_columns
    if not key_columns:
        return of("vertices", values)
    return vertices_of_keys(values, len(key_columns))


def ids_in_frame(
    answer: Answer, frame: Any, on: list[Any], nulls: str, remedy: str = NULLS_ADVICE
) -> tuple[Column, Array | None]:
    """Return the ids of a frame that are not null, and a mask of the rows with such ids.

    The mask is an (m,) array of bool, or None if no id is null. ``on`` are the columns of the ids.
    If ``nulls`` is "raise", a null raises an error with the advice ``remedy``.
    """
    width = len(answer.given.src.key_columns) or 1
    if (answer.forest.vertices or width > 1) and len(on) != width:
        advice = f"on={on[0]!r}" if width == 1 else f"a list of {width} names as on="
        raise InputError(
            f"ids have {counted(width, 'column')}, but on= names {len(on)}: pass {advice}"
        )
    column, mask = ids_without_nulls({name: column_of(frame, name) for name in on})
    if mask is None:
        return column, None
    if nulls == "raise":
        count = mask.size - int(mask.sum())
        raise NullsError(
            f"{count:,} of {mask.size:,} rows {inflected(count, 'has', 'have')} nulls in"
            f" {', '.join(map(repr, on))}, which name no vertex: {remedy}"
        )
    return column, answer.backend.asarray(mask)


def ids_without_nulls(columns: dict[str, Any]) -> tuple[Column, Any]:
    """Return the ids in the rows of columns that have no null, and a mask of these rows.

    The mask is None if there is no null.
    """
    sides = [unchecked(name, column) for name, column in columns.items()]
    mask = common_rows(sides)
    return of_key_columns([side.where(mask) for side in sides]), mask


def check_one_each(name: str, vertices: int, values: int, what: str) -> None:
    """Raise an InputError unless an argument has as many values, called ``what``, as vertices."""
    if values != vertices:
        raise InputError(
            f"{name} has {vertices:,} vertices and {values:,} {what}s: pass one {what} for each"
            " vertex"
        )


def _rows_of_frame(
    answer: Answer, rows: Array, valid: Array, has_id: Array | None, position: Array | None
) -> tuple[Array, Array]:
    """Return the answer's row for each row of a frame, and a mask of the rows with a label.

    ``rows`` and ``valid`` are the answer's rows of the ids that are not null, and a mask of the
    known ids. For each row of the frame, ``has_id`` says whether its id is not null, and
    ``position`` is the index of the id in ``rows``. Both are None if no id is null.
    """
    if has_id is None or position is None:
        return rows, valid
    if not rows.size:  # all ids are null, so no position exists
        return answer.backend.xp.zeros(has_id.size, np.int64), has_id
    return rows[position], valid[position] & has_id


def _labels_of_rows(answer: Answer, rows: Array, name: str) -> dict[str, Any]:
    """Return the labels of rows of the answer as columns; zeros if the answer has no vertex."""
    if rows.size and not answer.forest.vertices:
        names, zeros = answer.label(rows[:0], name), answer.backend.xp.zeros(rows.size, np.int64)
        return dict.fromkeys(names, zeros)
    return answer.label(rows, name)


def rows_of_ids(
    answer: Answer, column: Column, missing: str, remedy: str = VERTICES_ADVICE
) -> tuple[Array, Array]:
    """Return the row of each id in the answer as int64, and a mask of the known ids.

    Unknown ids have row 0. If an id is unknown, ``missing="raise"`` raises an UnknownVertexError,
    and ``missing="noise"`` raises it unless all unknown ids are points in no cluster (noise).
    ``missing="null"`` raises no error. ``remedy`` is the advice in the error.
    """
    with column.borrow() as borrowed:
        return rows_of_borrowed(answer, column, borrowed, missing, remedy)


def rows_of_borrowed(
    answer: Answer, column: Column, borrowed: Any, missing: str, remedy: str = VERTICES_ADVICE
) -> tuple[Array, Array]:
    """Return the result of :func:`rows_of_ids` for a borrowed column of ids."""
    return _looked_up(answer, column, borrowed, missing, answer.forest.rows_of, remedy)


def roots_of_ids(
    answer: Answer, column: Column, missing: str, remedy: str = VERTICES_ADVICE
) -> tuple[Array, Array]:
    """Return the root of the tree of each id as int64, and a mask: see :func:`rows_of_ids`."""
    with column.borrow() as borrowed:
        return roots_of_borrowed(answer, column, borrowed, missing, remedy)


def roots_of_borrowed(
    answer: Answer, column: Column, borrowed: Any, missing: str, remedy: str = VERTICES_ADVICE
) -> tuple[Array, Array]:
    """Return the result of :func:`roots_of_ids` for a borrowed column of ids."""
    return _looked_up(answer, column, borrowed, missing, answer.forest.roots_of, remedy)


def _looked_up(
    answer: Answer,
    column: Column,
    borrowed: Any,
    missing: str,
    value_of: Callable[[Array, Array], tuple[Array, Array]],
    remedy: str,
) -> tuple[Array, Array]:
    """Return the row or the root of each borrowed id, and a mask of the known ids.

    ``value_of`` is the method ``rows_of`` or ``roots_of`` of the forest. Unknown ids get 0. See
    :func:`rows_of_ids` for the other arguments.
    """
    backend, xp, forest = answer.backend, answer.backend.xp, answer.forest
    # without vertices, all ids are unknown; with "null", their kind does not matter
    check_kinds(answer.given.src, column, has_vertices=forest.vertices > 0 or missing != "null")
    if not (column.size and forest.vertices):
        if column.size and missing != "null":
            _check_unknown(answer, column, np.zeros(column.size, bool), missing, remedy)
        return xp.zeros(column.size, np.int64), xp.zeros(column.size, bool)
    key_columns = [
        ids if key_column.strings else backend.asarray(ids)
        for key_column, ids in borrowed_columns(column, borrowed)
    ]
    vertices, valid = answer.decoder.lookup(
        key_columns if column.key_columns else key_columns[0], backend
    )
    values, valid = value_of(vertices, valid)
    if missing != "null" and not bool(valid.all()):
        _check_unknown(answer, column, backend.to_host(valid), missing, remedy)
    return values, valid


def _check_unknown(answer: Answer, column: Column, valid: Any, missing: str, remedy: str) -> None:
    """Raise an UnknownVertexError for ids whose ``valid`` is False, with the advice ``remedy``.

    If all unknown ids are noise, the error says so; with ``missing="noise"``, it is not raised.
    """
    if answer.has_clusters:
        is_noise = _noise_in(answer, column, valid)
        valid = valid | is_noise
        if bool(valid.all()):
            if missing == "noise":
                return
            rows = np.flatnonzero(is_noise)
            verb = inflected(rows.size, "is", "are")
            raise UnknownVertexError(
                f"{rows.size:,} of {counted(column.size, 'id')} in {column.name!r} {verb}"
                f" {NOISE}: {first_ids(column, rows)}"
            )
    unknown = np.flatnonzero(~valid)
    raise UnknownVertexError(
        f"{not_vertices(unknown.size, column.size, column.name, 'of this answer')}:"
        f" {first_ids(column, unknown)}; {_remedy_for(answer, remedy)}"
    )


def _noise_in(answer: Answer, column: Column, valid: Any) -> Any:
    """Return a mask of the ids that are points of the answer, but in no cluster."""
    with column.borrow() as borrowed:
        ids = answer.backend.to_host(answer.backend.asarray(borrowed))
    return ~valid & (ids >= 0) & (ids < answer.forest.n)


def _remedy_for(answer: Answer, remedy: str) -> str:
    """Return the advice about unknown ids for the function that found the answer."""
    if answer.linked is not None:  # link_records has no vertices=
        if not answer.linked.id_names:
            return POSITIONS_ADVICE
        return remedy.replace(VERTICES_ADVICE, RECORDS_ADVICE)
    if answer.neighbors is not None:
        return f"points are 0 .. {answer.forest.n - 1:,}"
    return remedy


def warn_of_unmatched(
    answer: Answer, column: Column, valid: Array, question: str = ON_HINT
) -> None:
    """Warn if no id is a vertex, or if some ids differ from vertices by leading zeros.

    ``question`` precedes "are they spelled as in the edges?", which ends the first warning.
    """
    if not (column.size and answer.forest.vertices):
        return
    if bool(valid.any()):
        if column.strings and not column.key_columns and not bool(valid.all()):
            _warn_of_zeros(answer, column, answer.backend.to_host(valid))
        return
    ids = first_ids(column, np.arange(column.size))
    rows = answer.backend.xp.arange(min(SHOWN_IDS, answer.forest.vertices))
    vertices = ", ".join(map(str, values_of(_vertices_on_host(answer, rows))))
    ellipsis = ", ..." if answer.forest.vertices > SHOWN_IDS else ""
    warn(
        f"no id in {column.name!r} is a vertex of this answer: it has {counted(column.size, 'id')}"
        f" ({ids}), but the vertices are {vertices}{ellipsis}; {question}are they spelled as in the"
        " edges?",
        UnmatchedWarning,
    )


def _warn_of_zeros(answer: Answer, column: Column, valid: Any) -> None:
    """Warn if unknown ids differ from vertices only by leading zeros.

    ``valid`` is a mask of the known ids. First, the unknown ids are looked up without their zeros,
    which needs no pass over the vertices. If none is a vertex, the zeros of vertices are removed.
    """
    with column.borrow() as strings:
        if not isinstance(strings, pa.Array | pa.ChunkedArray):  # a series of cuDF
            return
        unknown = strings.filter(pa.array(~valid)).cast(pa.large_string())
    padded = unknown.filter(pc.match_substring_regex(unknown, "^0+[0-9]"))
    is_vertex = rows_of_ids(answer, of("", _without_zeros(padded)), "null")[1]
    matches = padded.filter(pa.array(answer.backend.to_host(is_vertex)))
    spelling = "without leading zeros"
    if not len(matches) and pc.any(pc.match_substring_regex(unknown, "^[0-9]+$")).as_py():
        rows = answer.backend.xp.arange(answer.forest.vertices)
        with of("", _vertices_on_host(answer, rows)).borrow() as strings:
            vertices = strings.cast(pa.large_string())
        padded = vertices.filter(pc.match_substring_regex(vertices, "^0+[0-9]+$"))
        matches = unknown.filter(pc.is_in(unknown, _without_zeros(padded)))
        spelling = "with leading zeros"
    if len(matches):
        warn(
            f"{len(matches):,} of {counted(column.size, 'id')} in {column.name!r} would be vertices"
            f" of this answer {spelling}, such as {matches[0].as_py()}: spell ids as in the edges"
        )


def _without_zeros(strings: Any) -> Any:
    """Return strings without leading zeros; "0" for a string of zeros."""
    stripped = pc.utf8_ltrim(strings, "0")
    return pc.if_else(pc.equal(stripped, ""), "0", stripped)


def _vertices_on_host(answer: Answer, rows: Array) -> Any:
    """Return the ids in rows of the answer, as a column on the host."""
    return answer_column(on_host(answer.in_memory_frame(answer.vertex(rows))), "vertex")


def frame_with_labels(answer: Answer, columns: dict[str, Any], vertex: Any) -> Any:
    """Return a frame of columns and a column ``labels``, for an answer whose ids are 0 .. n - 1.

    ``vertex`` is the column of these ids, as cuGraph numbers vertices. The labels have its type.
    """
    column = of("vertices", vertex)
    with answer.backend.scope(), column.borrow() as ids:
        vertices = answer.backend.asarray(ids)
        labels = answer.forest.parent[vertices]
        if labels.dtype.itemsize == vertices.dtype.itemsize:  # no copy: only the sign may differ
            labels = labels.view(vertices.dtype)
        labels = answer.bring(labels.astype(vertices.dtype, copy=False), answer.given.on_device)
    return answer.given.answer(answer.given.make_frame(columns | {"labels": labels}))


def rows_of_forest(answer: Answer) -> tuple[list[Array], dict[str, Any]]:
    """Return the answer's rows of both ends of each forest edge, and the other columns.

    The other columns are ``row``, and ``weight`` if the forest is by weight.
    """
    return rows_of_ends(answer, answer.columns_of_forest())


def rows_of_ends(answer: Answer, columns: dict[str, Any]) -> tuple[list[Array], dict[str, Any]]:
    """Return the answer's rows of both ends of edges, and their columns ``row`` and ``weight``.

    ``columns`` are columns of edges as :meth:`Answer.columns_of_forest` returns them. Edges without
    weights have no ``weight``.
    """
    others = {name: column for name, column in columns.items() if name in ("row", "weight")}
    # the columns of the source, then those of the destination
    ends = [column for name, column in columns.items() if name not in ("row", "index", "weight")]
    width = len(ends) // 2
    sides = zip(("source", "destination"), (ends[:width], ends[width:]), strict=True)
    columns_of_ends = (of_key_columns([of(name, part) for part in side]) for name, side in sides)
    return [rows_of_ids(answer, column, "raise")[0] for column in columns_of_ends], others


def rows_of_edges(answer: Answer, given: EdgeInput | None = None) -> tuple[Array, Array]:
    """Return the answer's rows of both ends of each edge, as two arrays of int64.

    ``given`` defaults to the edge list of the answer.
    """
    given = answer.given if given is None else given
    with BorrowedEdges(answer.backend, given) as columns:
        sides = zip((given.src, given.dst), columns, strict=False)  # vertices may follow
        src, dst = (rows_of_borrowed(answer, side, ids, "raise")[0] for side, ids in sides)
    return src, dst
