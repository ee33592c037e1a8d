"""Frames that show edges of a list by their rows: every column is compared with the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..backends import Array
from ..data import read as frames
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput
from ..data.frame_access import check_kinds, collected, column_of, columns_of, numbers_of
from ..errors import InputError, MissingColumnError, VerificationError

INDEX = "index"  # beside the row: its label in the index of a pandas frame


class ShownRows:
    """A frame with a column ``row``, both ends of each edge, and perhaps its weight and index.

    Parameters
    ----------
    frame : frame, or named tuple of arrays
        Of any library; only read.
    what : str
        What errors call it, such as "forest".
    width : int
        The number of columns of an id.

    Raises
    ------
    InputError
        It is no frame.
    MissingColumnError
        It lacks the rows, or the columns of an end.
    """

    def __init__(self, frame: Any, what: str, width: int) -> None:
        frame = collected(frame)
        self.frame = frame._asdict() if hasattr(frame, "_asdict") else frame
        self.names, self.what, self.width = columns_of(self.frame), what, width
        if "row" not in self.names:
            raise self._missing("row")
        sides = [self._named(end) for end in ("source", "destination")]
        self.source, self.destination = (side if width > 1 else side[0] for side in sides)

    def __len__(self) -> int:
        return len(column_of(self.frame, "row"))

    def numbers(self, name: str) -> Array:
        """Return a column of numbers as an array where it lies.

        Raises
        ------
        VerificationError
            Some are null.
        """
        if name not in self.names:
            raise self._missing(name)
        values, there = numbers_of(column_of(self.frame, name), f"column {name!r}")
        if not bool(there.all()):
            raise VerificationError(f"column {name!r} of the {self.what} holds nulls")
        return values

    def rows(self) -> Array:
        """Return the rows as int64, where they lie."""
        return self.integers("row")

    def integers(self, name: str) -> Array:
        """Return a column of integers as int64, where it lies."""
        values = self.numbers(name)
        if not is_integer(values.dtype):
            raise VerificationError(
                f"column {name!r} of the {self.what} is {values.dtype}, but holds integers"
            )
        return values.astype(np.int64)

    def check_ends(self, answer: Any, rows: Array, sides: list[Array]) -> None:
        """Raise a VerificationError for the first row whose ends are not those of its edge.

        Parameters
        ----------
        answer : LabelFrame
            The vertices, lent to their backend.
        rows : (k,) array of int64
            The rows that the frame shows.
        sides : two (k,) arrays of integers
            The slots of the ends of these edges in the list, below the number of slots.
        """
        if not rows.size:
            return
        listed = self._listed()
        for column in (listed.src, listed.dst):
            check_kinds(answer.column, column)
        with listed.borrow() as (columns, _):
            for ends, side in zip(columns, sides, strict=False):
                slots = answer.find(ends)
                if slots.size != rows.size:
                    raise VerificationError(
                        f"the {self.what} shows {slots.size:,} ends of {rows.size:,} edges"
                    )
                wrong = slots.astype(np.uint64) != side.astype(np.uint64)
                if bool(wrong.any()):
                    row = int(rows[wrong.argmax()])
                    raise VerificationError(
                        f"edge {row:,} has other ends in the edges than in the {self.what}"
                    )

    def check_weights(self, rows: Array, weights: Array, bring: Callable[[Array], Array]) -> None:
        """Raise a VerificationError for the first row whose weight is not that of its edge.

        ``bring`` returns an array where the weights lie.
        """
        shown = bring(self.numbers("weight"))
        cast = shown.astype(weights.dtype)  # numbers of two types would be compared as floats
        wrong = (cast != weights) | (cast.astype(shown.dtype) != shown)
        if bool(wrong.any()):
            k = int(wrong.argmax())
            raise VerificationError(
                f"edge {int(rows[k]):,} has the weight {weights[k]}, and {shown[k]} in the"
                f" {self.what}"
            )

    def check_index(self, edges: Any) -> None:
        """Raise a VerificationError for the first row whose index is not that of a pandas frame."""
        if INDEX not in self.names or not type(edges).__module__.startswith("pandas"):
            return
        rows, shown = self.rows(), column_of(self.frame, INDEX).tolist()
        right = edges.index.take(rows).tolist()
        k = first_difference(shown, right)
        if k is not None:
            raise VerificationError(
                f"edge {int(rows[k]):,} has the index {right[k]!r}, and {shown[k]!r} in the"
                f" {self.what}"
            )

    def _listed(self) -> EdgeInput:
        """Return the ends as the edges of a list of their own."""
        try:
            return frames.read(self.frame, self.source, self.destination)
        except InputError as error:
            raise VerificationError(f"the ends of the {self.what} are no ids: {error}") from error

    def _named(self, end: str) -> list[Any]:
        """Return the names of the columns of one end, in the order of the columns of an id."""
        names = [str(name) for name in self.names]
        columns = [n for n in names if n == end or (self.width > 1 and n.endswith(f"_{end}"))]
        if len(columns) != self.width:
            raise self._missing(end if self.width == 1 else f"0_{end}")
        return columns

    def _missing(self, name: str) -> MissingColumnError:
        there = ", ".join(map(str, self.names))
        return MissingColumnError(
            f"the frame of the {self.what} has no column {name!r}, only {there}: pass it as it was"
            " returned"
        )


def first_difference(shown: list[Any], right: list[Any]) -> int | None:
    """Return the first place in which two lists differ, also by their length."""
    pairs = enumerate(zip(shown, right, strict=False))
    shorter = None if len(shown) == len(right) else min(len(shown), len(right))
    return next((k for k, (one, other) in pairs if one != other), shorter)
