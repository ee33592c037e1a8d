"""Comparison of a frame of edges, such as a forest, with the edge list that it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..backends import Array
from ..data import read
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput, Lending
from ..data.frame_access import check_kinds, collected, column_of, columns_of, numbers_of
from ..errors import InputError, MissingColumnError, VerificationError

INDEX = "index"  # the column with the index labels of a pandas frame


class ShownFrame:
    """A frame of any library, or a named tuple of arrays; ``what`` is its name in errors."""

    frame: Any
    names: list[Any]
    what: str

    def __init__(self, frame: Any, what: str) -> None:
        frame = collected(frame)
        self.frame = frame._asdict() if hasattr(frame, "_asdict") else frame
        self.names, self.what = columns_of(self.frame), what

    def numbers(self, name: str) -> Array:
        """Return a column of numbers as an array on the device of the frame.

        Raise a VerificationError if the column has nulls.
        """
        if name not in self.names:
            raise self.missing(name)
        values, valid = numbers_of(column_of(self.frame, name), f"column {name!r}")
        if not bool(valid.all()):
            raise VerificationError(f"column {name!r} of the {self.what} contains nulls")
        return values

    def integers(self, name: str) -> Array:
        """Return a column of integers as int64, on the device of the frame."""
        values = self.numbers(name)
        if not is_integer(values.dtype):
            raise VerificationError(
                f"column {name!r} of the {self.what} is {values.dtype}, but must contain integers"
            )
        return values.astype(np.int64)

    def missing(self, name: str) -> MissingColumnError:
        """Return the error for a missing column."""
        names = ", ".join(map(str, self.names))
        return MissingColumnError(
            f"the frame of the {self.what} has no column {name!r}, only {names}: pass the"
            " frame that the function returned"
        )


class ShownRows(ShownFrame):
    """A frame of edges: the column ``row``, both ends, and optionally weights and index labels.

    An id has ``width`` columns. Raise a MissingColumnError if the column ``row``, or a column of an
    end, is missing.
    """

    source: list[Any]
    destination: list[Any]

    def __init__(self, frame: Any, what: str, width: int) -> None:
        super().__init__(frame, what)
        self.width = width
        if "row" not in self.names:
            raise self.missing("row")
        self.source, self.destination = map(self._columns_of, ("source", "destination"))

    def __len__(self) -> int:
        return len(column_of(self.frame, "row"))

    def rows(self) -> Array:
        """Return the rows as int64, on the device of the frame."""
        return self.integers("row")

    def check_ends(self, answer: Any, rows: Array, sides: list[Array]) -> None:
        """Raise a VerificationError for the first row whose ends differ from its edge in the list.

        Call this within ``borrow_for`` of the label frame ``answer``. ``rows`` is the column
        ``row``, and ``sides`` has the slots of both ends of the edges in these rows of the list.
        """
        if not rows.size:
            return
        listed = self._read_ends()
        for column in (listed.src, listed.dst):
            check_kinds(answer.column, column)
        with Lending(listed) as (columns, _):
            for ends, side in zip(columns[:2], sides, strict=True):
                slots = answer.find(ends)
                if slots.size != rows.size:
                    raise VerificationError(
                        f"the {self.what} has {rows.size:,} rows, but a column of ends has"
                        f" {slots.size:,} ids"
                    )
                wrong = slots.astype(np.uint64) != side.astype(np.uint64)
                if bool(wrong.any()):
                    row = int(rows[wrong.argmax()])
                    raise VerificationError(
                        f"edge {row:,} has different ends in the edges and in the {self.what}"
                    )

    def check_weights(self, rows: Array, weights: Array, bring: Callable[[Array], Array]) -> None:
        """Raise a VerificationError for the first row whose weight differs from the edge list.

        ``rows`` is the column ``row``, and ``weights`` are the weights of the edges in these rows
        of the edge list. ``bring`` moves an array to the device of ``weights``.
        """
        shown = bring(self.numbers("weight"))
        wrong = differing(shown, weights)
        if bool(wrong.any()):
            k = int(wrong.argmax())
            raise VerificationError(
                f"edge {int(rows[k]):,} has the weight {weights[k]} in the edges, but"
                f" {shown[k]} in the {self.what}"
            )

    def check_index(self, edges: Any) -> None:
        """Raise a VerificationError for the first row whose index label differs from the edges.

        Only pandas frames of edges have index labels.
        """
        if INDEX not in self.names or not type(edges).__module__.startswith("pandas"):
            return
        rows, shown = self.rows(), column_of(self.frame, INDEX).tolist()
        expected = edges.index.take(rows).tolist()
        k = first_difference(shown, expected)
        if k is not None:
            raise VerificationError(
                f"edge {int(rows[k]):,} has the index {expected[k]!r} in the edges, but"
                f" {shown[k]!r} in the {self.what}"
            )

    def _read_ends(self) -> EdgeInput:
        """Return the two end columns of the frame, read as an edge list."""
        try:
            return read.read(self.frame, self.source, self.destination)
        except InputError as error:
            raise VerificationError(f"the ends of the {self.what} are not ids: {error}") from error

    def _columns_of(self, end: str) -> list[Any]:
        """Return the names of the columns of one end: ``source``, or ``0_source``, ``1_source``."""
        names = [str(name) for name in self.names]
        columns = [n for n in names if n == end or (self.width > 1 and n.endswith(f"_{end}"))]
        if len(columns) != self.width:
            raise self.missing(end if self.width == 1 else f"0_{end}")
        return columns


def edge_in_words(e: int, caller_rows: Array | None) -> str:
    """Return the name of edge ``e`` in errors, by its row in the caller's list.

    ``caller_rows`` has the row of each edge; None if the rows are 0, 1, ...
    """
    return f"edge {e if caller_rows is None else int(caller_rows[e]):,}"


def check_ascending(rows: Array, what: str) -> None:
    """Raise a VerificationError unless the rows of a frame ascend; ``what`` names the frame."""
    falls = rows[1:] <= rows[:-1]
    if bool(falls.any()):
        k = int(falls.argmax())
        raise VerificationError(
            f"row {int(rows[k + 1]):,} of the {what} comes after {int(rows[k]):,}"
        )


def places_of(rows: Array, caller_rows: Array | None, m: int, what: str, xp: Any) -> Array:
    """Return the positions of the caller's rows among the m edges that were read.

    ``rows`` are the rows that a frame shows, in any order; ``what`` names the frame in errors.
    ``caller_rows`` has the caller's row of each edge; None if no row was dropped. Raise a
    VerificationError if a row is not a row of the edges.
    """
    place = rows if caller_rows is None else xp.searchsorted(caller_rows, rows)
    outside = (place < 0) | (place >= m)
    if caller_rows is not None and m:
        outside |= caller_rows[place.clip(0, m - 1)] != rows
    if bool(outside.any()):
        wrong = int(rows[outside.argmax()])
        raise VerificationError(f"row {wrong:,} of the {what} is not among the {m:,} edges")
    return place


def differing(shown: Array, expected: Array) -> Array:
    """Return a mask of the rows in which two columns of numbers of any types differ."""
    # NumPy would compare int64 and uint64 as floats, so the types are made equal. Casting back
    # shows whether the cast was exact.
    cast = shown.astype(expected.dtype)
    return (cast != expected) | (cast.astype(shown.dtype) != shown)


def first_difference(shown: list[Any], expected: list[Any]) -> int | None:
    """Return the first index at which two lists differ, or None if they are equal."""
    pairs = enumerate(zip(shown, expected, strict=False))
    end = None if len(shown) == len(expected) else min(len(shown), len(expected))
    return next((k for k, (a, b) in pairs if a != b), end)
