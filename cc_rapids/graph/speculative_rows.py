"""Gather rows of the label frame before their number is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array


@dataclass
class SpeculativeRows:
    """Rows of the label frame that are gathered before they are counted.

    On asynchronous backends, the host then need not wait for the count before it launches the
    kernels that gather the rows.

    Attributes
    ----------
    id_base : int
        The id of vertex 0.
    dtype : dtype
        The type of ids and labels.
    min_rows, max_rows : int
        The least and the greatest possible number of vertices.
    expected_rows : int or None
        The number of vertices, if the caller passed it.
    make_frame : callable, optional
        Returns the frame of the expected rows.
    """

    id_base: int
    dtype: Any
    max_rows: int
    min_rows: int = 0
    expected_rows: int | None = None
    make_frame: Callable[[Array, Array], Any] | None = None
    _rows: tuple[Array, Array] | None = None
    _frame: Any = None

    def capacity(self, min_rows: int, wasted_bytes: int) -> int:
        """Return the number of rows to allocate, at least ``min_rows``.

        ``wasted_bytes`` limits the memory for rows that turn out not to exist.
        """
        row_bytes = 2 * int(np.dtype(self.dtype).itemsize)
        return min(self.max_rows, min_rows + max(wasted_bytes, 0) // row_bytes)

    def offer(self, ids: Array, labels: Array) -> None:
        """Store rows that are being gathered, and make a frame of the first ``expected_rows``."""
        self._rows = ids, labels
        if self.make_frame:
            self._frame = self.make_frame(ids[: self.expected_rows], labels[: self.expected_rows])

    def accept(self, vertices: int) -> tuple[Array, Array] | None:
        """Return the stored rows, once the number of vertices has been counted.

        Return None if the allocation is too small, or if more than a third of the allocation would
        be unused. Only the first call returns the rows.
        """
        rows, self._rows = self._rows, None
        if vertices != self.expected_rows:
            self._frame = None
        if rows is None:
            return None
        ids, labels = rows
        if ids.size < vertices or 2 * ids.size > 3 * vertices:
            return None
        return ids[:vertices], labels[:vertices]

    def take_frame(self) -> Any:
        """Return the frame to the first caller; None unless the number of rows is as expected."""
        frame, self._frame = self._frame, None
        return frame
