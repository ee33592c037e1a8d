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
from ..errors import ColumnTypeError, MissingColumnError, VerificationError
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
        For each slot, the slot of the label of its vertex. If labels are numbers, it is the slot of
        the least vertex with the same label. If the slot has no vertex, all bits are set.
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
        """Return a context in which ``backend`` borrows the columns; store it as ``backend``."""
        self.backend, columns = backend, [self.column, self._label_column]
        with Borrowing(columns) as ids:
            sides = [
                side if column.key_columns else [side]
                for column, side in zip(columns, ids, strict=True)
            ]
            with backend.scope():
                self._vertex, self._labels = (
                    [part if _is_text(part) else backend.asarray(part) for part in side]
                    for side in sides
                )
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

        All lookups of integers add their rows to ``tally``.
        """
        self._tally = tally
        self.ids = self._slots_of_rows()
        if self.sort and self.rows and self.ids.disorder() is not None:
            self._sort_rows()

    def scatter_labels(self, faults: Array) -> None:
        """Set ``label_of``; callers must read ``faults`` afterwards.

        ``faults[STRANGE]`` becomes the first row whose label is not a vertex. If slots are
        distances from the least id, ``faults[ORDER]`` becomes the first row that is not sorted by
        id. Otherwise, unsorted rows raise a VerificationError.
        """
        self._faults = faults
        kernel_checks_order = not self.sort and self._is_direct()
        if not kernel_checks_order:
            row = self.ids.disorder() if self.rows else None
            if row is not None:
                raise VerificationError(self.out_of_order(row))
        backend, ids, kind = self.backend, self.ids, (self.backend, self.ids.vertex)
        self.label_of = backend.fill(backend.empty(ids.n, ids.vertex), 0xFF)
        if isinstance(ids, Integers) and self._is_direct():
            scatter_labels = kernel(audit.scatter_labels, *kind)
            scatter_labels(
                self.rows, ids.base, ids.n, self._vertex[0], self._labels[0], self.label_of, faults
            )
            return
        slots = ids.slots()
        if self.rule.is_vertex:
            heads = ids.find(self._labels if self.several else self._labels[0])
        else:
            heads = self._heads(slots)
        scatter_by_slot = kernel(audit.scatter_labels_by_slot, *kind)
        scatter_by_slot(self.rows, ids.n, slots, heads, self.label_of, faults)

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

    def _is_direct(self) -> bool:
        """Return whether one kernel computes the slots of ids and labels by subtraction.

        Slots must be distances from the least id, and labels must be vertices. Ids and labels must
        both be signed or both be unsigned.
        """
        ids, label = self.ids, self._labels[0]
        if not (isinstance(ids, Integers) and ids.dense and self.rule.is_vertex):
            return False
        return bool(ids.unsigned == (label.dtype == np.uint64))

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

    def _heads(self, slots: Array) -> Array:
        """Return for each row the slot of the least vertex with the same label.

        ``slots`` has the slot of the vertex in each row. Labels are numbers, not vertices.
        """
        backend, ids, labels = self.backend, self.ids, self._labels[0]
        if self.rule.is_place:  # labels should be 0 .. k - 1
            k = self.components
            if k is None:
                k = int(labels.max()) + 1 if labels.size else 0
            k = max(k, 0)
        else:
            distinct, labels = backend.xp.unique(labels, return_inverse=True)
            k = int(distinct.size)
            del distinct  # free it before the heads are found
            if self.components not in (None, k):
                raise VerificationError(
                    f"there are {k:,} different labels, but {self.components:,} components"
                )
        heads = backend.fill(backend.empty(k, ids.vertex), 0xFF)
        find = kernel(audit.find_heads, backend, ids.vertex)
        find(self.rows, k, slots, labels, heads, self._faults)
        if self.rule.is_place:
            self._check_places(heads)
        return heads[labels]

    def _check_places(self, heads: Array) -> None:
        """Raise a VerificationError unless the labels are exactly 0 .. k - 1, in order.

        ``heads`` has the slot of the least vertex with each of these labels.
        """
        k = heads.size
        row = int(self.backend.to_host(self._faults)[int(audit.STRANGE)])
        if row != ALL:
            name, label = self._in_words(self._vertex, row), self._in_words(self._labels, row)
            raise VerificationError(
                f"vertex {name} has the label {label}, but labels are 0 .. {k - 1} for {k:,}"
                " components"
            )
        unused = self.backend.xp.flatnonzero(heads == np.iinfo(self.ids.vertex).max)
        if unused.size:
            raise VerificationError(
                f"no vertex has the label {int(unused[0])}, but labels are 0 .. {k - 1} for {k:,}"
                " components"
            )
        self._check_order(heads)

    def _check_order(self, heads: Array) -> None:
        """Raise a VerificationError unless labels are in the order that their kind requires.

        ``heads`` has the slot of the least vertex with each label.
        """
        xp, falls = self.backend.xp, heads[1:] < heads[:-1]
        if self.rule.is_by_size:
            ends = xp.arange(heads.size + 1)
            sizes = xp.diff(xp.searchsorted(xp.sort(self._labels[0]), ends))
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
            least = [self.name(int(heads[at])) for at in (k, k + 1)]
            raise VerificationError(
                f"the least vertex of label {k} is {least[0]}, but that of label {k + 1} is"
                f" {least[1]}: labels of kind {self.rule.name!r} are in the order of the least"
                " vertices"
            )


def _is_text(ids: Any) -> bool:
    """Return whether a borrowed column holds strings; an array of numbers has ``strides``."""
    return not hasattr(ids, "strides")


def _width_of(frame: Any) -> int:
    """Return the number of id columns of a frame.

    A frame has one column ``vertex``, or the columns ``0_vertex``, ``1_vertex``, ...
    """
    if isinstance(frame, str | os.PathLike | tuple | list):
        return 1
    columns = columns_of(frame)
    if "vertex" in columns:
        return 1
    key_columns = takewhile(columns.__contains__, (f"{k}_vertex" for k in count()))
    return max(len(list(key_columns)), 1)


def _columns(frame: Any, rule: LabelRule, width: int) -> tuple[Column, Column, bool]:
    """Return the checked columns of vertices and labels, and whether they are on a GPU."""
    vertex_names, label_names = (
        [name] if width == 1 else [f"{k}_{name}" for k in range(width)]
        for name in ("vertex", "labels")
    )
    if rule.is_vertex or isinstance(frame, str | os.PathLike):
        # Labels are ids, so the frame is read like a list of edges from vertices to labels.
        source, destination = (
            names if width > 1 else names[0] for names in (vertex_names, label_names)
        )
        given = read.read(frame, source, destination, None, None, "raise", droppable=False)
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
