"""Look-ups of the caller's ids in the answer."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from ..backends import Array, Backend
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
from ..graph.forest import Forest
from ..ids.decoders import IdDecoder

MISSING, NULLS = ("raise", "null", "self"), ("raise", "null")
NULL_LABELS = "nulls='null' or missing='null' gives them null labels"
INCLUDE = "components(..., vertices=) includes vertices that no edge names"
ALONE = f"missing='self' takes each as a component of its own, for rows without pairs; or {INCLUDE}"
FEW = 3  # ids that a message shows


def check_name(name: Any) -> None:
    """Raise an InputError if a name cannot be that of a column."""
    if isinstance(name, list) or callable(name):  # which pandas would call
        raise ArgumentTypeError(f"name= must be the name of a column, not {shown(name)}")
    check_names("name=", name)
    if isinstance(name, str) and name.encode(errors="replace").decode() != name:
        raise InputError(f"name={name!r} holds half of a surrogate pair: pass another name")


def _taken_name(label: str) -> InputError:
    """Return the error for an added column whose name the frame has."""
    return InputError(f"the frame has a column {label!r} already: pass name=")


def levels_up() -> int:
    """Return the ``stacklevel`` of a warning by which it names the caller of the package."""
    package, level, frame = __name__.partition(".")[0], 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    return level


def _some(column: Column, rows: Any) -> str:
    """Return the first few ids of some rows of a column as text."""
    with column.borrow() as borrowed:
        key_columns = borrowed if column.key_columns else [borrowed]
        ids = [tuple(first(part[int(i) : int(i) + 1]) for part in key_columns) for i in rows[:FEW]]
    some = ", ".join(str(one[0] if len(one) == 1 else one) for one in ids)
    return some + (", ..." if len(rows) > FEW else "")


class Lookup:
    """An answer whose vertices can be looked up by their ids."""

    _given: EdgeInput
    _backend: Backend
    _decoder: IdDecoder
    _forest: Forest
    _rows: Callable[[], tuple[Array, Array]]
    _columns: Callable[[str, Array], dict[str, Any]]
    _frame: Callable[[dict[str, Any]], Any]
    _held_frame: Callable[[dict[str, Any]], Any]
    _label: Callable[..., dict[str, Any]]
    _label_or_own: Callable[..., dict[str, Any]]
    _bring: Callable[[Any, bool], Any]

    def component_of(self, vertices: Any) -> Any:
        """Return the labels of some vertices, in the given order.

        Parameters
        ----------
        vertices : id, or column, array or list of ids
            Ids of the same kind as those of the edges. For ids of several columns, a tuple is one
            id; a list of tuples, a list of columns, an array with one row per id, or a frame are
            several.

        Returns
        -------
        label, or column of labels of the caller's kind (for ids of several columns, a frame)

        Raises
        ------
        UnknownVertexError
            Some ids are not vertices of this answer; names their number and the first of them.

        See Also
        --------
        Components.attach : Add the labels to a frame as a column.
        Components.subset : The vertices of a component.

        Examples
        --------
        >>> import cc_rapids
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.component_of(7)
        2
        >>> found.component_of([9, 5])
        array([9, 2])
        """
        with self._backend.scope():
            single = is_single(vertices)
            column = self._one(vertices) if single else self._column(vertices)
            rows = self._places(column, "raise")[0]
            frame = self._held_frame(self._vertex(rows) | self._label(rows))
            labels = only(frame, "labels")
            return first(labels) if single else self._given.answer(labels)

    def attach(
        self,
        frame: Any,
        on: str | list[str] = "vertex",
        name: str = "labels",
        missing: str = "raise",
        nulls: str | None = None,
    ) -> Any:
        """Return a frame of vertices or edges with the label of each row in an added column.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, or DuckDB relation
            The frame, which is not changed; the result has the same rows and index. A lazy frame
            of Polars is collected. Of a relation only the distinct ids are read, and the result is
            a relation that joins it with their labels, in its order.
        on : str, or list of str
            The column of vertices; for edges either end, whose labels are the same.
        name : str
            The name of the new column; behind the name of each key column if labels have several
            columns, such as ``kind_labels`` (see :meth:`Components.with_key_names`).
        missing : {"raise", "null", "self"}
            What to do for rows whose vertex is not in this answer, because no edge names it: raise
            an error, make their labels null, or make them components of their own. Labels of kinds
            ``"min"`` and ``"max"`` are then the vertex itself, in a type that fits the labels and
            column ``on``, like that of the two columns of edges; those of kinds ``"dense"`` and
            ``"size"`` continue from k, the number of components, in the order of the ids, with
            equal labels for equal ids.
        nulls : {"raise", "null"}, optional
            What to do for rows whose vertex is null; the default is ``"null"`` if ``missing`` is
            ``"null"``.

        Returns
        -------
        new frame of the kind of ``frame``

        Raises
        ------
        UnknownVertexError, NullsError, MissingColumnError, ColumnTypeError, InputError
            A vertex is unknown or null; there is no column ``on``, or already a column ``name``; no
            integer type holds both the labels and the vertices that become labels; the argument is
            not a frame.

        See Also
        --------
        Components.component_of : Return the labels of some vertices.
        Components.labels : The label frame.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> cc_rapids.components(edges).attach(edges, on="src", name="group")
           src  dst  group
        0    5    2      2
        1    2    7      2
        2    9    9      9
        >>> people = pd.DataFrame({"vertex": [7, 4, 9, 4]})
        >>> cc_rapids.components(edges).attach(people, missing="self")["labels"].tolist()
        [2, 4, 9, 4]
        >>> cc_rapids.components(edges, labels="size").attach(people, missing="self")
           vertex  labels
        0       7       0
        1       4       2
        2       9       1
        3       4       2
        """
        check_names("on=", on)
        wanted = on if isinstance(on, list) else [on]
        if not wanted:
            raise InputError("on= names no column: pass the column of the vertices, or several")
        check_name(name)
        check_word("policy for unknown ids, missing,", missing, MISSING)
        if nulls is not None:
            check_word("nulls policy", nulls, NULLS)
        if is_relation(frame):
            return self._joined(frame, wanted, name, missing, nulls)
        frame = frame_in_memory(frame)
        check_columns(frame, wanted)
        return self._attached(frame, wanted, name, missing, nulls)

    def _joined(
        self, relation: Any, wanted: list[str], name: str, missing: str, nulls: str | None
    ) -> Any:
        """Return a relation of DuckDB that joins another one with the labels of its ids."""
        known = {column.lower() for column in columns_in(relation)}  # as DuckDB compares names
        check_columns(relation, wanted)
        check_ids(relation, wanted)
        ids = distinct_of(relation, wanted)
        labels = self._attached(ids, wanted, name, missing, nulls)
        for added in columns_of(labels)[len(wanted) :]:
            if added.lower() in known:
                raise _taken_name(added)
        return joined(relation, labels, wanted)

    def _attached(
        self, frame: Any, wanted: list[str], name: str, missing: str, nulls: str | None
    ) -> Any:
        """Return a frame in memory with the label of each row in an added column."""
        names = columns_of(frame)
        with self._backend.scope():
            column, there = self._held(frame, wanted, nulls or NULLS[missing == "null"])
            policy = "raise" if missing == "raise" else "null"
            rows, known = self._places(column, policy, ALONE)
            self._warn_if_strange(column, known)
            at = None if there is None else self._spread(there)
            alone = missing == "self" and column.size > 0
            if alone:
                labels = self._label_or_own(column, rows, known, name, at)
            else:
                rows, known, there = self._among(rows, known, there, at)
                labels = self._label_of_any(rows, name)
            here = is_cudf(frame)
            whole = there is None or bool(there.all())
            mask = None if whole else self._bring(there, here)
            for column_name, values in labels.items():
                label = self._given.called(column_name) if len(labels) > 1 else column_name
                if label in names:
                    raise _taken_name(label)
                frame = with_column(frame, label, self._bring(values, here), mask)
        return frame

    def _one(self, vertex: Any) -> Column:
        """Return a single id as a column."""
        parts = vertex if isinstance(vertex, tuple) else (vertex,)
        if not parts:
            raise InputError("an empty tuple is not an id: pass the value of each column of an id")
        return of_key_columns([of("vertices", [part]) for part in parts])

    def _column(self, values: Any) -> Column:
        """Return ids to look up, as a column of one or several key columns."""
        own = self._given.src.key_columns
        if not own:
            return of("vertices", values)
        return of_key_columns(key_columns_of("vertices", values, len(own)))

    def _held(
        self, frame: Any, on: list[Any], nulls: str, remedy: str = NULL_LABELS
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
        return column, self._backend.asarray(there)

    def _spread(self, there: Array) -> Array:
        """Return for each row of a frame its position among the rows that are not null."""
        xp = self._backend.xp
        return xp.maximum(xp.cumsum(there) - 1, 0)

    def _among(
        self, rows: Array, known: Array, there: Array | None, at: Array | None
    ) -> tuple[Array, Array, Array]:
        """Return for each row of a frame its position among the rows that have a label."""
        if there is None or at is None:
            return rows, known, known
        if not rows.size:
            rows, known = self._backend.xp.zeros(there.size, np.int64), there
            return rows, known, known
        return rows[at], known[at], known[at] & there

    def _label_of_any(self, rows: Array, name: str) -> dict[str, Any]:
        """Return the labels of some rows of the answer, or numbers if the answer is empty."""
        if self._forest.vertices or not rows.size:
            return self._label(rows, name)
        none = self._backend.xp.zeros(rows.size, np.int64)
        return dict.fromkeys(self._label(rows[:0], name), none)

    def _places(self, column: Column, missing: str, remedy: str = INCLUDE) -> tuple[Array, Array]:
        """Return the row of each id in the answer, and a mask of the known ids."""
        return self._found(column, missing, self._forest.rows_of, remedy)

    def _places_of(self, column: Column, borrowed: Any, missing: str) -> tuple[Array, Array]:
        """Return the same for a column that is lent."""
        return self._found_of(column, borrowed, missing, self._forest.rows_of)

    def _roots(self, column: Column, missing: str, remedy: str = INCLUDE) -> tuple[Array, Array]:
        """Return the vertex that is the root of each id, and a mask of the known ids."""
        return self._found(column, missing, self._forest.roots_of, remedy)

    def _roots_of(self, column: Column, borrowed: Any, missing: str) -> tuple[Array, Array]:
        """Return the same for a column that is lent."""
        return self._found_of(column, borrowed, missing, self._forest.roots_of)

    def _found(
        self,
        column: Column,
        missing: str,
        value_of: Callable[[Array, Array], tuple[Array, Array]],
        remedy: str = INCLUDE,
    ) -> tuple[Array, Array]:
        """Return what the forest says of the vertex of each id, and a mask of the known ids.

        0 for ids that are unknown. ``remedy`` is what the error for these advises.
        """
        with column.borrow() as borrowed:
            return self._found_of(column, borrowed, missing, value_of, remedy)

    def _found_of(
        self,
        column: Column,
        borrowed: Any,
        missing: str,
        value_of: Callable[[Array, Array], tuple[Array, Array]],
        remedy: str = INCLUDE,
    ) -> tuple[Array, Array]:
        """Return the same for a column that is lent."""
        backend, xp, forest = self._backend, self._backend.xp, self._forest
        check_kinds(self._given.src, column, forest.vertices > 0 or missing == "raise")
        if not (column.size and forest.vertices):
            if column.size and missing == "raise":
                raise self._unknown(column, np.zeros(column.size, bool), remedy)
            return xp.zeros(column.size, np.int64), xp.zeros(column.size, bool)
        key_columns = [
            part if own.strings else backend.asarray(part)
            for part, own in zip(
                borrowed if column.key_columns else [borrowed],
                column.key_columns or [column],
                strict=True,
            )
        ]
        vertices, known = self._decoder.lookup(
            key_columns if column.key_columns else key_columns[0], backend
        )
        found, known = value_of(vertices, known)
        if missing == "raise" and not bool(known.all()):
            raise self._unknown(column, backend.to_host(known), remedy)
        return found, known

    def _unknown(self, column: Column, known: Any, remedy: str) -> UnknownVertexError:
        strange = np.flatnonzero(~known)
        return UnknownVertexError(
            f"{strange.size:,} of {column.size:,} in {column.name!r} are not vertices of this"
            f" answer: {_some(column, strange)}; {remedy}"
        )

    def _warn_if_strange(self, column: Column, known: Array) -> None:
        """Warn if no id of a frame is a vertex, although there are vertices: on= may be wrong.

        Also if some are none as they are spelled, but are vertices without their leading zeros.
        """
        if not (column.size and self._forest.vertices):
            return
        if bool(known.any()):
            if column.strings and not column.key_columns and not bool(known.all()):
                self._warn_of_zeros(column, self._backend.to_host(known))
            return
        theirs = _some(column, np.arange(column.size))
        few = self._backend.xp.arange(min(FEW, self._forest.vertices))
        own = values_of(self._vertices_on_host(few))
        more = ", ..." if self._forest.vertices > FEW else ""
        warnings.warn(
            f"none of the {column.size:,} ids in {column.name!r} is a vertex of this answer: they"
            f" are {theirs}, and its vertices are {', '.join(map(str, own))}{more}; does on= name"
            " the column of the ids, and are they spelled as in the edges?",
            UnmatchedWarning,
            stacklevel=levels_up(),
        )

    def _warn_of_zeros(self, column: Column, known: Any) -> None:
        """Warn if an id and a vertex are one number, of which one is spelled with zeros first."""
        import pyarrow as pa
        import pyarrow.compute as pc

        with column.borrow() as words:
            if not isinstance(words, pa.Array | pa.ChunkedArray):
                return
            words = words.filter(pa.array(~known)).cast(pa.large_string())
        zeros = words.filter(pc.match_substring_regex(words, "^0+[0-9]"))
        own = pc.utf8_ltrim(zeros, "0")
        own = pc.if_else(pc.equal(own, ""), "0", own)
        found = zeros.filter(pa.array(self._backend.to_host(self._places(of("", own), "null")[1])))
        how = "without zeros first"
        if not len(found) and pc.any(pc.match_substring_regex(words, "^[0-9]+$")).as_py():
            rows = self._backend.xp.arange(self._forest.vertices)
            with of("", self._vertices_on_host(rows)).borrow() as vertices:
                own = vertices.cast(pa.large_string())
            own = own.filter(pc.match_substring_regex(own, "^0+[0-9]+$"))
            found = words.filter(pc.is_in(words, pc.utf8_ltrim(own, "0")))
            how = "with zeros first"
        if len(found):
            warnings.warn(
                f"{len(found):,} of the ids in {column.name!r} are no vertices of this answer as"
                f" they are spelled, but are {how}, such as {found[0].as_py()}: spell ids as in the"
                " edges",
                CcRapidsWarning,
                stacklevel=levels_up(),
            )

    def _vertices_on_host(self, rows: Array) -> Any:
        return only(on_host(self._held_frame(self._vertex(rows))), "vertex")

    def _labelled(self, columns: dict[str, Any], numbers: Any) -> Any:
        """Return a frame of some columns and the label of one vertex in each row.

        The run was over the vertices 0 .. n - 1. ``numbers`` is the column of the vertices, whose
        type the labels get.
        """
        column = of("vertices", numbers)
        with self._backend.scope(), column.borrow() as held:
            at = self._backend.asarray(held)
            labels = self._forest.parent[at]
            if labels.dtype.itemsize == at.dtype.itemsize:
                labels = labels.view(at.dtype)
            labels = self._bring(labels.astype(at.dtype, copy=False), self._given.on_device)
        return self._given.answer(self._given.make_frame(columns | {"labels": labels}))

    def _vertex(self, rows: Array) -> dict[str, Any]:
        """Return the column of the vertices of some rows of the answer."""
        return self._columns("vertex", self._rows()[0][rows])
