"""Label frames for audits; the label of a component stands for one of its vertices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data import read
from ..data.column import Borrowing, Column, is_cudf, of, of_key_columns
from ..data.frame_access import column_of, columns_of
from ..data.pair_lists import columns_of_pairs
from ..errors import ColumnTypeError, MissingColumnError, VerificationError, counted
from ..kernels import audit
from ..kernels.audit import kernel
from .label_rules import LABEL_RULES, LabelRule
from .vertex_lookup import ALL, Ids, Integers, Strings, Tally, Tuples, in_words, one_row, take_rows


class LabelFrame:
    """A label frame, whose columns are borrowed within :meth:`borrow_for`.

    Parameters
    ----------
    frame : frame or pair of arrays
        The columns ``vertex`` and ``labels``, or ``0_vertex``, ..., ``0_labels``, ... for ids of
        several columns.
    kind : {"min", "max", "dense", "size", "any"}
        The kind of the labels: see :meth:`cc_rapids.Components.labels`. "any" is for integers that
        only have to differ between components.
    components : int, optional
        The claimed number of components.
    sort : bool
        Whether to sort the rows. If not, unsorted rows are an error.
    width : int, optional
        The number of columns of an id. By default, it is read from the column names of the frame,
        which may take as long as a small run.

    Attributes
    ----------
    column : Column
        The vertices.
    on_device : bool
        Whether the vertices are on a GPU.
    backend : Backend
        The backend of the audit.
    ids : Ids
        The slots 0 .. n - 1 in id order. A slot may have no vertex.
    label_of : (n,) array of uint32 or uint64
        For each slot, the slot of the vertex in its label. If labels are numbers, this is the least
        vertex with the same label. All bits are set for a slot without a vertex.
    """

    rule: LabelRule
    components: int | None
    sort: bool
    column: Column
    on_device: bool
    backend: Backend
    ids: Ids
    label_of: Array

    def __init__(
        self,
        frame: Any,
        kind: str,
        components: int | None = None,
        sort: bool = False,
        width: int | None = None,
    ) -> None:
        self.rule, self.components, self.sort = LABEL_RULES[kind], components, sort
        width = _width_of(frame) if width is None else width
        self.column, self._label_column, self.on_device = _columns(frame, self.rule, width)

    @contextmanager
    def borrow_for(self, backend: Backend) -> Iterator[None]:
        """Borrow the columns for ``backend`` within the context; set the attribute ``backend``."""
        self.backend, columns = backend, [self.column, self._label_column]

        def parts_of(column: Column, borrowed: Any) -> list[Any]:
            parts = borrowed if column.key_columns else [borrowed]
            # only arrays have strides; columns of strings stay as they are
            return [backend.asarray(c) if hasattr(c, "strides") else c for c in parts]

        with Borrowing(columns) as borrowed_columns:
            with backend.scope():
                self._vertex, self._labels = map(parts_of, columns, borrowed_columns)
            yield

    @property
    def several(self) -> bool:
        """True if ids have several columns."""
        return bool(self.column.key_columns)

    @property
    def width(self) -> int:
        """The number of columns of an id."""
        return max(len(self.column.key_columns), 1)

    @property
    def rows(self) -> int:
        """The number of rows, one per vertex."""
        return self.column.size

    def assign_slots(self, tally: Tally) -> None:
        """Set ``ids``, the slots of the frame's vertices; sort the rows by id if ``sort`` is True.

        ``tally`` counts the rows of all later lookups of integers.
        """
        self._tally = tally
        self.ids = self._slots_of_rows()
        if self.sort and self.rows and self.ids.disorder() is not None:
            self._sort_rows()

    def scatter_labels(self, faults: Array) -> None:
        """Set ``label_of`` from the rows; callers must read ``faults`` afterwards.

        ``faults[STRANGE]`` becomes the first row whose label is not a vertex. Rows that do not
        ascend by id raise a VerificationError. If ``sort`` is False and one kernel computes the
        slots by subtraction, it checks the order: ``faults[ORDER]`` becomes the first such row.
        """
        self._faults = faults
        backend, ids, vertex = self.backend, self.ids, self.ids.vertex
        kernel_subtracts = self._kernel_subtracts()
        if self.sort or not kernel_subtracts:
            # of sorted rows, only those of an id that is listed twice do not ascend
            row = ids.disorder() if self.rows else None
            if row is not None:
                raise VerificationError(self.out_of_order(row))
        self.label_of = backend.fill(backend.empty(ids.n, vertex), 0xFF)
        if isinstance(ids, Integers) and kernel_subtracts:
            columns = self._vertex[0], self._labels[0]
            scatter = kernel(audit.scatter_labels, backend, vertex)
            scatter(self.rows, ids.base, ids.n, *columns, self.label_of, faults)
            return
        slots = ids.slots()
        if self.rule.is_vertex:
            label_slots = ids.find(self._labels if self.several else self._labels[0])
        else:
            label_slots = self._least_slots(slots)
        scatter_by_slot = kernel(audit.scatter_labels_by_slot, backend, vertex)
        scatter_by_slot(self.rows, ids.n, slots, label_slots, self.label_of, faults)

    def find(self, column: Any) -> Array:
        """Return a new array with the slot of each id of a column; all bits set if unknown."""
        return self.ids.find(column)

    def name(self, slot: int) -> str:
        """Return the id of the vertex in a slot as text."""
        return self.ids.name(slot)

    def label(self, slot: int) -> str:
        """Return the label of the vertex in a slot as text."""
        return self._in_words(self._labels, self.ids.row_of(slot))

    def is_vertex(self, slot: int) -> bool:
        """Return whether a slot has a vertex."""
        if not 0 <= slot < self.ids.n:
            return False
        return int(self.label_of[slot]) != np.iinfo(self.ids.vertex).max

    def out_of_order(self, row: int) -> str:
        """Return the message for a row whose id is not less than the id of the next row."""
        name, after = (self._in_words(self._vertex, r) for r in (row, row + 1))
        if name != after:
            return (
                f"row {row:,} is vertex {name}, but row {row + 1:,} is vertex {after}: rows must be"
                " sorted by id"
            )
        end = row + 2
        while end < self.rows and self._in_words(self._vertex, end) == name:
            end += 1
        return f"vertex {name} is listed {end - row} times"

    def unknown_label(self, row: int) -> str:
        """Return the message for a row whose label is not a vertex."""
        name, label = self._in_words(self._vertex, row), self._in_words(self._labels, row)
        return f"vertex {name} has the label {label}, which is not a vertex"

    def _kernel_subtracts(self) -> bool:
        """Return whether one kernel computes the slots of ids and labels by subtraction.

        Slots must be distances from the least id, and labels must be vertices. If only ids or only
        labels are uint64, different numbers may have the same 64 bits.
        """
        ids = self.ids
        if not (isinstance(ids, Integers) and ids.dense and self.rule.is_vertex):
            return False
        return bool(ids.unsigned == (self._labels[0].dtype == np.uint64))

    def _slots_of_rows(self) -> Ids:
        """Return the table of the slots of the vertices in all rows."""
        if self.several:
            return Tuples(self.backend, self._tally, self._vertex)
        ids = self._vertex[0]
        if self.column.strings:
            return Strings(self.backend, ids)
        return Integers(self.backend, self._tally, ids)

    def _sort_rows(self) -> None:
        """Sort the rows by id."""
        order = self.ids.order()
        self._vertex, self._labels = (
            [take_rows(part, order, self.backend) for part in side]
            for side in (self._vertex, self._labels)
        )
        self.ids = self._slots_of_rows()

    def _in_words(self, parts: list[Any], row: int) -> str:
        """Return the value in a row of columns as text."""
        return in_words(one_row(parts if len(parts) > 1 else parts[0], row))

    def _least_slots(self, slots: Array) -> Array:
        """Return for each row the slot of the least vertex with the same label.

        ``slots`` has the slot of the vertex in each row. Labels are numbers, not vertices.
        """
        backend, ids, labels = self.backend, self.ids, self._labels[0]
        if self.rule.is_place:  # labels should be 0 .. k - 1
            k = self.components
            if k is None:
                # wrong labels may be negative, or too great to allocate as many slots
                k = min(max(int(labels.max()) + 1, 1), self.rows) if labels.size else 0
        else:
            distinct, labels = backend.xp.unique(labels, return_inverse=True)
            k = int(distinct.size)
            del distinct  # free its memory before ``least`` is allocated
            if self.components not in (None, k):
                raise VerificationError(
                    f"there are {k:,} different labels, but {self.components:,} components"
                )
        least = backend.fill(backend.empty(k, ids.vertex), 0xFF)
        find = kernel(audit.find_heads, backend, ids.vertex)
        find(self.rows, k, slots, labels, least, self._faults)
        if self.rule.is_place:
            self._check_places(least)
        return least[labels]

    def _check_places(self, least: Array) -> None:
        """Raise a VerificationError unless the labels are exactly 0 .. k - 1, in order.

        ``least`` has the slot of the least vertex with each label; all bits set for none.
        """
        k = least.size
        row_outside = int(self.backend.to_host(self._faults)[int(audit.STRANGE)])
        if row_outside != ALL:
            name, label = (self._in_words(c, row_outside) for c in (self._vertex, self._labels))
            raise VerificationError(
                f"vertex {name} has the label {label}, but labels are 0 .. {k - 1} for"
                f" {counted(k, 'component')}"
            )
        unused = self.backend.xp.flatnonzero(least == np.iinfo(self.ids.vertex).max)
        if unused.size:
            raise VerificationError(
                f"no vertex has the label {int(unused[0])}, but labels are 0 .. {k - 1} for {k:,}"
                " components"
            )
        self._check_order(least)

    def _check_order(self, least: Array) -> None:
        """Raise a VerificationError unless labels are in the order that their kind requires.

        ``least`` has the slot of the least vertex with each label.
        """
        xp, falls = self.backend.xp, least[1:] < least[:-1]
        if self.rule.is_by_size:
            starts = xp.searchsorted(xp.sort(self._labels[0]), xp.arange(least.size + 1))
            sizes = xp.diff(starts)  # the number of vertices with each label
            grows = sizes[1:] > sizes[:-1]
            if bool(grows.any()):
                k = int(xp.flatnonzero(grows)[0])
                raise VerificationError(
                    f"label {k} has {int(sizes[k]):,} vertices, but label {k + 1} has"
                    f" {int(sizes[k + 1]):,}: labels of kind 'size' begin with the largest"
                    " component"
                )
            falls &= sizes[1:] == sizes[:-1]
        if bool(falls.any()):
            k = int(xp.flatnonzero(falls)[0])
            names = [self.name(int(slot)) for slot in least[k : k + 2]]
            raise VerificationError(
                f"the least vertex of label {k} is {names[0]}, but that of label {k + 1} is"
                f" {names[1]}: labels of kind {self.rule.name!r} are in the order of the least"
                " vertices"
            )


def _width_of(frame: Any) -> int:
    """Return the number of id columns of a frame: ``vertex``, or ``0_vertex``, ``1_vertex``, ..."""
    if isinstance(frame, str | os.PathLike | tuple | list):
        return 1
    columns = columns_of(frame)
    if "vertex" in columns:
        return 1
    key_columns = takewhile(columns.__contains__, (f"{k}_vertex" for k in count()))
    return max(len(list(key_columns)), 1)


def _columns(frame: Any, rule: LabelRule, width: int) -> tuple[Column, Column, bool]:
    """Return the checked columns of vertices and labels, and whether they are on a GPU."""
    vertex_names = ["vertex"] if width == 1 else [f"{k}_vertex" for k in range(width)]
    if rule.is_vertex or isinstance(frame, str | os.PathLike):
        # Labels that are ids, and all files, are read like edges from vertices to labels. Errors
        # for nulls do not suggest nulls=, which is for the caller's edges.
        source: str | list[str] = "vertex"
        destination: str | list[str] = "labels"
        if width > 1:
            source, destination = vertex_names, [f"{k}_labels" for k in range(width)]
        given = read.read(frame, source, destination, droppable=False)
        return given.src, given.dst, given.on_device
    if isinstance(frame, list):
        frame = columns_of_pairs(frame)
    if isinstance(frame, tuple):
        vertices, numbers = [frame[0]], frame[1]
    else:
        columns = columns_of(frame)
        for name in [*vertex_names, "labels"]:
            if name not in columns:
                names = ", ".join(map(str, columns))
                raise MissingColumnError(
                    f"a label frame needs a column {name!r}; this one has {names}"
                )
        vertices = [column_of(frame, name) for name in vertex_names]
        numbers = column_of(frame, "labels")
    labels = of("labels", numbers)
    if labels.strings:
        raise ColumnTypeError(
            f"column 'labels' is {labels.dtype} ({labels.size:,} values): labels of kind"
            f" {rule.name!r} are {'numbers from 0 on' if rule.is_place else 'integers'}"
        )
    on_device = is_cudf(numbers) or hasattr(numbers, "__cuda_array_interface__")
    return of_key_columns([of("vertex", part) for part in vertices]), labels, on_device
