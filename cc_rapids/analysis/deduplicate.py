"""Deduplication of a frame: the best row of each component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data.arguments import check_flag, check_names, check_word
from ..data.codes import coded
from ..data.column import Column, borrowed_columns, is_cudf, of, table_without_views
from ..data.frame_access import check_columns, column_of, columns_of, frame_in_memory, frame_size
from ..data.frame_build import rows_of_frame, with_column
from ..data.relations import is_relation, quoted, relation_of, rows_like, whole_table_of
from ..errors import InputError, listed
from ..ids.hash_table import Slots
from ..ids.strings import slots_of, take_rows
from ..results.answer import Answer
from ..results.best import best_rows, compact, sort_keys
from ..results.lookup import (
    SELF_ADVICE,
    attached,
    check_name,
    id_columns_in,
    ids_in_frame,
    roots_of_ids,
    rows_of_ids,
    warn_of_no_scores,
    warn_of_unmatched,
)
from ..results.scores import ordered

if TYPE_CHECKING:
    from .paths import ForestPaths

MISSING = "self", "drop", "raise"
MAX_PRODUCT = 1 << 63  # a pair of numbers has an int64 code if their bounds' product is less
WEAKEST = "weakest_weight"  # the name of a column, as in paths
LEAVE_OUT = "missing='drop' leaves out rows with a null id; or fill the nulls first"


def deduplicated(
    answer: Answer, frame: Any, on: Any, by: Any, ascending: Any, per: Any, missing: Any
) -> Any:
    """Return the best row of each component: see :meth:`cc_rapids.Components.deduplicate`."""
    ids = _listed("on=", on)
    if not is_relation(frame):
        return best_of_frame(answer, frame, ids, by, ascending, per, missing)
    rows = whole_table_of(frame)
    return rows_like(best_of_frame(answer, rows, ids, by, ascending, per, missing), frame)


def best_of_frame(
    answer: Answer, frame: Any, on: list[Any], by: Any, ascending: Any, per: Any, missing: Any
) -> Any:
    """Return the best row of each component as a frame.

    ``on`` are the id columns. If it is empty, the positions of the rows are the ids.
    """
    frame = frame_in_memory(frame)
    on = id_columns_in(answer, columns_of(frame), on)
    chosen = _best_of_groups(answer, frame, on, by, ascending, per, missing)
    with answer.backend.scope():
        kept = chosen.kept if chosen.rows is None else chosen.rows[chosen.kept]
        return rows_of_frame(frame, answer.bring(kept, is_cudf(frame)))


def dropped(
    answer: Answer,
    frame: Any,
    on: Any,
    by: Any,
    ascending: Any,
    per: Any,
    missing: Any,
    name: Any,
    paths: ForestPaths | None = None,
) -> Any:
    """Return the rows that are not kept: see :meth:`cc_rapids.Components.duplicates`.

    With ``paths``, the paths along a minimum or maximum spanning forest, a column has the weakest
    weight on the path from each row to its kept row. ``name`` is the name of the label column.
    """
    if is_relation(frame):
        table = whole_table_of(frame)
        table = dropped(answer, table, on, by, ascending, per, missing, name, paths)
        return relation_of(table, frame, list(map(quoted, table.column_names)))
    check_name(name)
    frame = frame_in_memory(frame)
    ids = id_columns_in(answer, columns_of(frame), _listed("on=", on))
    chosen = _best_of_groups(answer, frame, ids, by, ascending, per, missing)
    with answer.backend.scope():
        pairs = _dropped_and_kept(chosen, answer.backend)
        dropped_rows, kept_rows = map(answer.backend.to_host, pairs)
    scores = [] if by is None or by in ids else [by]
    names = [*ids, *(f"kept_{column}" for column in ids), name, *scores]
    names += [] if paths is None else [WEAKEST]
    new_names = [*names, *(f"kept_{column}" for column in scores)]
    if len(set(new_names)) < len(new_names):
        raise InputError(
            f"the columns of the result would have equal names, {listed(names)}: pass name=, or"
            " rename columns of the frame"
        )
    rows = rows_at(frame, ids, dropped_rows)
    rows = with_columns_of(rows, rows_at(frame, ids, kept_rows), {k: f"kept_{k}" for k in ids})
    rows = attached(answer, rows, ids, name, missing="self")
    for column in scores:
        for side, new_name in ((dropped_rows, column), (kept_rows, f"kept_{column}")):
            rows = with_columns_of(rows, rows_at(frame, [column], side), {column: new_name})
    return rows if paths is None else _with_weakest(answer, rows, ids, paths)


def _with_weakest(answer: Answer, rows: Any, ids: list[Any], paths: ForestPaths) -> Any:
    """Return dropped rows with a column of the weakest weight on the path to the kept row.

    The weight is null if the path has no edge.
    """
    backend, on_device = answer.backend, is_cudf(rows)
    with backend.scope():
        sides = []
        for names in (ids, [f"kept_{column}" for column in ids]):
            column, _ = ids_in_frame(answer, rows, names, "raise")
            sides.append(rows_of_ids(answer, column, "null"))
        (first, is_vertex), (second, _) = sides
        weights, has_edges = paths.weakest_weights(first, second)
        has_path = has_edges & is_vertex  # an unknown id has no path: its kept row has the same id
        mask = None if bool(has_path.all()) else answer.bring(has_path, on_device)
        return with_column(rows, WEAKEST, answer.bring(weights, on_device), mask)


def rows_at(frame: Any, names: list[Any], rows: Array) -> Any:
    """Return the given rows and columns of a frame; ``rows`` is an array on the host."""
    if isinstance(frame, dict):
        return {name: np.asarray(frame[name])[rows] for name in names}
    if hasattr(type(frame), "iloc"):
        return frame[names].iloc[rows]
    if hasattr(type(frame), "column_names"):  # PyArrow
        return table_without_views(frame.select(names)).take(rows)
    import narwhals as nw

    return nw.from_native(frame).select(names)[rows].to_native()


def with_columns_of(frame: Any, other: Any, names: Mapping[Any, str], valid: Any = None) -> Any:
    """Return ``frame`` with added columns of ``other``, whose rows are in the same order.

    ``names`` maps the columns of ``other`` to their new names. Added columns are null where
    ``valid`` is False. If ``frame`` is None, return the columns of ``other`` with a new row index.
    """
    if frame is None:
        if isinstance(other, dict):
            return {names[name]: column for name, column in other.items()}
        import narwhals as nw

        if hasattr(other, "iloc"):
            other = other.reset_index(drop=True)
        return nw.from_native(other).rename(dict(names)).to_native()
    for name, new in names.items():
        column = column_of(other, name)
        if isinstance(frame, dict):
            column = np.asarray(column)
        elif hasattr(column, "iloc"):
            column = column.reset_index(drop=True)
            column.index = frame.index
        frame = with_column(frame, new, column, valid)
    return frame


def _dropped_and_kept(chosen: _Chosen, backend: Backend) -> tuple[Array, Array]:
    """Return the rows of a frame that are dropped, and for each the row that is kept instead."""
    xp, (groups, size, kept, rows) = backend.xp, chosen
    kept_of_group = xp.empty(size, np.int64)
    kept_of_group[groups[kept]] = kept
    is_dropped = xp.ones(groups.size, bool)
    is_dropped[kept] = False
    dropped_places = xp.flatnonzero(is_dropped)  # among the candidates, as ``kept``
    kept_places = kept_of_group[groups[dropped_places]]
    if rows is None:
        return dropped_places, kept_places
    return rows[dropped_places], rows[kept_places]


class _Chosen(NamedTuple):
    """The groups of a frame's rows, and the best row of each group.

    Attributes
    ----------
    groups : (m,) array of integers
        The group of each candidate row, below ``size``.
    size : int
        A number that is greater than all group numbers.
    kept : (k,) array of int64
        The best row of each group, as a position among the candidates.
    rows : (m,) array of int64, optional
        The rows of the candidates; all rows by default.
    """

    groups: Array
    size: int
    kept: Array
    rows: Array | None


def _best_of_groups(
    answer: Answer, frame: Any, on: list[Any], by: Any, ascending: Any, per: Any, missing: Any
) -> _Chosen:
    """Check the arguments; return groups of rows by component and ``per``, and the best of each."""
    per = [] if per is None else _listed("per=", per)
    check_names("by=", by)
    if isinstance(by, list):
        raise InputError("by= must name one column: combine several columns into one column first")
    check_word("policy for unknown ids, missing,", missing, MISSING)
    ascending = check_flag("ascending", ascending)
    names = [*on, *([] if by is None else [by]), *per]
    check_columns(frame, names, "to deduplicate by", "name columns with on=, by= and per=")
    backend = answer.backend
    with backend.scope():
        groups, size, rows = _candidates(answer, frame, on, missing)
        for name in per:
            codes, values = coded(name, column_of(frame, name), "per=")
            count = len(values) + 1
            del values  # free the distinct values, which may be long strings
            code_of_row = _rows_of(backend.asarray(codes + 1), rows)  # null is 0
            groups, size = paired((groups, size), (code_of_row, count), backend)
        keys = scored = None
        if by is not None:
            numbers = ordered(column_of(frame, by), f"column {by!r} is")
            values, valid = map(backend.asarray, numbers)
            warn_of_no_scores(valid, f"column {by!r}", "the first row of each group is kept")
            keys = _rows_of(sort_keys(values, ascending, backend.xp), rows)
            scored = _rows_of(valid, rows)
            del numbers, values, valid  # free them before the best rows are chosen
        groups, size = compact(groups, size, backend)
        return _Chosen(groups, size, best_rows(groups, size, keys, scored, backend), rows)


def _candidates(
    answer: Answer, frame: Any, on: list[Any], missing: str
) -> tuple[Array, int, Array | None]:
    """Return the candidates of a frame: ``groups``, ``size`` and ``rows`` of :class:`_Chosen`.

    ``missing="drop"`` leaves out rows with null or unknown ids. Without id columns ``on``, row
    positions are the ids. The copy of the ids is freed on return: many strings take more memory
    than all other arrays.
    """
    xp = answer.backend.xp
    if on:
        nulls = "null" if missing == "drop" else "raise"
        column, mask = ids_in_frame(answer, frame, on, nulls, LEAVE_OUT)
    else:
        column, mask = of("row", xp.arange(frame_size(frame))), None
    groups, is_known, size = _groups(answer, column, missing)
    rows = None if mask is None else xp.flatnonzero(mask)
    if missing == "drop":
        groups = groups[is_known]
        rows = xp.flatnonzero(is_known) if rows is None else rows[is_known]
    return groups, size, rows


def _groups(answer: Answer, column: Column, missing: str) -> tuple[Array, Array, int]:
    """Return the group number of each id, a mask of known ids, and an upper bound of the numbers.

    The number of a known id is the root of its tree, so ids of one component have the same number.
    If ``missing`` is ``"self"``, all occurrences of an unknown id have a number that no other id
    has. Otherwise the numbers of unknown ids are arbitrary.
    """
    xp, n = answer.backend.xp, answer.forest.n
    policy = "raise" if missing == "raise" else "null"
    groups, valid = roots_of_ids(answer, column, policy, SELF_ADVICE)
    warn_of_unmatched(answer, column, valid)
    unmatched = xp.flatnonzero(~valid)
    if missing != "self" or not unmatched.size:
        return groups, valid, n
    numbers, size = numbers_of_ids(column, unmatched, answer.backend)
    occurs = xp.zeros(size, bool)  # many numbers below the bound may not occur
    occurs[numbers] = True
    rank = xp.cumsum(occurs)  # from 1
    groups[unmatched] = n + rank[numbers] - 1
    return groups, valid, n + int(rank[-1])


def _listed(what: str, names: Any) -> list[Any]:
    """Return one or several column names as a list; raise an error if the list is empty."""
    check_names(what, names)
    columns = names if isinstance(names, list) else [names]
    if not columns:
        raise InputError(f"{what} names no column: pass the name of one column, or several names")
    return columns


def _rows_of(values: Array, rows: Array | None) -> Array:
    """Return the values of given rows, or of all rows."""
    return values if rows is None else values[rows]


def paired(
    first: tuple[Array, int], second: tuple[Array, int], backend: Backend
) -> tuple[Array, int]:
    """Return a number for each pair of numbers, and an upper bound of the returned numbers.

    Two pairs have the same number if and only if they are equal. ``first`` and ``second`` are the
    numbers on both sides of the pairs, each with an upper bound.
    """
    if first[1] * second[1] >= MAX_PRODUCT:
        first, second = compact(*first, backend), compact(*second, backend)
    (left, left_bound), (right, right_bound) = first, second
    numbers = left.astype(np.int64) * right_bound + right.astype(np.int64)
    return compact(numbers, left_bound * right_bound, backend)


def numbers_of_ids(column: Column, rows: Array, backend: Backend) -> tuple[Array, int]:
    """Return a number for the id in each given row, and an upper bound of the numbers.

    Two rows have the same number if and only if their ids are equal.
    """
    numbers: tuple[Array, int] | None = None
    with column.borrow() as borrowed:
        for part, ids in borrowed_columns(column, borrowed):
            if part.strings:
                part_numbers = slots_of(take_rows(ids, rows, backend), backend)
            else:
                table = Slots([backend.asarray(ids)[rows]], others=[], backend=backend)
                part_numbers = table.columns[0], int(table.keys.size)
            numbers = part_numbers if numbers is None else paired(numbers, part_numbers, backend)
    assert numbers is not None
    return numbers
