"""The rows of a frame that are kept: the best of each component."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.arguments import check_flag, check_names, check_word
from ..data.codes import codes_of
from ..data.column import Column, borrowed_columns, is_cudf, of
from ..data.frame_access import check_columns, column_of, frame_in_memory, frame_size
from ..data.frame_build import rows_of_frame
from ..data.relations import is_relation, rows_like, whole_table_of
from ..errors import InputError
from ..ids.hash_table import Slots
from ..ids.strings import slots_of
from .best import best_rows, compact, sort_keys
from .lookup import ALONE, Lookup
from .scores import ordered

MISSING = "self", "drop", "raise"
PRODUCTS = 1 << 63  # pairs of numbers that int64 holds
LEAVE_OUT = "missing='drop' leaves them out; or fill them first"


class Deduplication(Lookup):
    """An answer by which the rows of a frame are deduplicated."""

    def deduplicate(
        self,
        frame: Any,
        on: str | list[str] = "vertex",
        by: str | None = None,
        ascending: bool = False,
        per: str | list[str] | None = None,
        missing: str = "self",
    ) -> Any:
        """Return the rows of a frame to keep: of each component the best one.

        Rows with equal ids belong together, too, whether they are vertices or not.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, or DuckDB relation
            The documents, one or several rows for each id; not changed. A lazy frame of Polars is
            collected, and a relation is read as a whole.
        on : str, or list of str
            The column of ids, or the columns, if ids of the edges have several.
        by : str, optional
            A column of numbers, booleans, dates, times, strings or categories. The row with the
            greatest value is kept, among equal values the first in the frame; rows whose value is
            null or nan come last. By default the first row of each component is kept.
        ascending : bool
            Keep the least value instead of the greatest.
        per : str or list of str, optional
            Keep one row of each component for each value of this column (or each combination of
            several); null is a value of its own.
        missing : {"self", "drop", "raise"}
            What to do for rows whose id is not in this answer, because no edge names it: keep them,
            each distinct id as a component of its own, leave them out, or raise an error.

        Returns
        -------
        new frame of the kind of ``frame``
            Whole rows, in their order in the frame, with their index. On a GPU, no column of a
            cuDF frame is copied to the host.

        Raises
        ------
        UnknownVertexError, NullsError, MissingColumnError, ColumnTypeError, InputError
            An id is unknown, with ``missing="raise"``, or null, unless these are left out; there is
            no such column; ``by`` has no order, or values of ``per`` cannot be compared; the
            argument is not a frame.

        See Also
        --------
        Components.attach : Label all rows instead.
        Components.representatives : Choose a vertex of each component.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [11, 12], "dst": [13, 16]})
        >>> docs = pd.DataFrame(
        ...     {
        ...         "doc_id": [11, 12, 13, 16, 17],
        ...         "length": [43, 41, 47, 41, 27],
        ...         "web": [1, 1, 0, 1, 1],
        ...     }
        ... )
        >>> found = cc_rapids.components(pairs)
        >>> found.deduplicate(docs, on="doc_id", by="length")
           doc_id  length  web
        1      12      41    1
        2      13      47    0
        4      17      27    1
        >>> found.deduplicate(docs, on="doc_id", by="length", per="web", missing="drop")
           doc_id  length  web
        0      11      43    1
        1      12      41    1
        2      13      47    0
        """
        listed = _listed("on=", on)
        if not is_relation(frame):
            return self._best_rows(frame, listed, by, ascending, per, missing)
        rows = whole_table_of(frame)
        return rows_like(self._best_rows(rows, listed, by, ascending, per, missing), frame)

    def _best_rows(
        self,
        frame: Any,
        on: list[Any],
        by: Any,
        ascending: Any,
        per: Any,
        missing: Any,
    ) -> Any:
        """Return the rows to keep; without columns ``on``, ids are the positions of rows."""
        per = [] if per is None else _listed("per=", per)
        check_names("by=", by)
        if isinstance(by, list):
            raise InputError("by= must name one column: combine several into one first")
        check_word("policy for unknown ids, missing,", missing, MISSING)
        ascending = check_flag("ascending", ascending)
        frame = frame_in_memory(frame)
        purpose = "to deduplicate by", "name columns with on=, by= and per="
        check_columns(frame, [*on, *([] if by is None else [by]), *per], *purpose)
        backend, nulls = self._backend, "null" if missing == "drop" else "raise"
        with backend.scope():
            if on:
                column, there = self._held(frame, on, nulls, LEAVE_OUT)
            else:
                column, there = of("row", backend.xp.arange(frame_size(frame))), None
            groups, known, size = self._groups(column, missing)
            rows = None if there is None else backend.xp.flatnonzero(there)
            if missing == "drop":
                groups = groups[known]
                rows = backend.xp.flatnonzero(known) if rows is None else rows[known]
            for name in per:
                codes, count = codes_of(name, column_of(frame, name))
                own = _some(backend.asarray(codes), rows)
                groups, size = paired((groups, size), (own, count), backend)
            keys = scored = None
            if by is not None:
                numbers = ordered(column_of(frame, by), f"column {by!r} is")
                values, valid = map(backend.asarray, numbers)
                keys = _some(sort_keys(values, ascending, backend.xp), rows)
                scored = _some(valid, rows)
            kept = best_rows(groups, size, keys, scored, backend)
            kept = kept if rows is None else rows[kept]
            return rows_of_frame(frame, self._bring(kept, is_cudf(frame)))

    def _groups(self, column: Column, missing: str) -> tuple[Array, Array, int]:
        """Return a number for the component of each id, a mask of known ids, and a bound.

        Unknown ids have numbers of their own if ``missing`` is ``"self"``, and any otherwise.
        """
        xp, n = self._backend.xp, self._forest.n
        policy = "raise" if missing == "raise" else "null"
        groups, known = self._roots(column, policy, ALONE)
        self._warn_if_strange(column, known)
        alone = xp.flatnonzero(~known)
        if missing != "self" or not alone.size:
            return groups, known, n
        numbers, size = numbers_of_ids(column, alone, self._backend)
        groups[alone] = numbers.astype(np.int64) + n
        return groups, known, n + size


def _listed(what: str, names: Any) -> list[Any]:
    """Return column names as a list."""
    check_names(what, names)
    listed = names if isinstance(names, list) else [names]
    if not listed:
        raise InputError(f"{what} names no column: pass the name of one, or several")
    return listed


def _some(values: Array, rows: Array | None) -> Array:
    return values if rows is None else values[rows]


def paired(
    first: tuple[Array, int], second: tuple[Array, int], backend: Backend
) -> tuple[Array, int]:
    """Return a number for each pair of two numbers, equal for equal pairs only, and a bound."""
    if first[1] * second[1] >= PRODUCTS:
        first, second = compact(*first, backend), compact(*second, backend)
    (one, size), (other, times) = first, second
    return compact(one.astype(np.int64) * times + other.astype(np.int64), size * times, backend)


def numbers_of_ids(column: Column, rows: Array, backend: Backend) -> tuple[Array, int]:
    """Return a number for each id in some rows of a column, equal for equal ids only, and a bound.

    Parameters
    ----------
    column : Column
    rows : (k,) array of int64
    """
    found: tuple[Array, int] | None = None
    with column.borrow() as borrowed:
        for part, held in borrowed_columns(column, borrowed):
            if part.strings:
                slots, size = slots_of(held, backend)
                own = slots[rows], size
            else:
                table = Slots([backend.asarray(held)[rows]], [], backend)
                own = table.columns[0], int(table.keys.size)
            found = own if found is None else paired(found, own, backend)
    assert found is not None
    return found
