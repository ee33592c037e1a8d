"""Weights of edges, for spanning forests by weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ColumnTypeError, InputError, MissingColumnError, NullsError, inflected, unknown
from .column import moved
from .dtypes import is_float
from .frame_access import column_of, names_of, numbers_and_mask
from .row_index import check_same_index

if TYPE_CHECKING:
    from .edge_input import EdgeInput

MAX_WEIGHT_BYTES = 8


@dataclass(frozen=True)
class ForestWeight:
    """The weights of a spanning forest, and whether the forest is a maximum one."""

    weight: Any  # the name of the column of weights, or an array with one number per edge
    greatest: bool  # whether to find a maximum instead of a minimum spanning forest
    later: bool = False  # whether the forest is found only when it is needed

    @property
    def name(self) -> str:
        """The name of the weights in errors."""
        return name_of_weights(self.weight)


def name_of_weights(weight: Any) -> str:
    """Return how errors name a column or an array of weights."""
    return f"weights {weight!r}" if isinstance(weight, str | int) else "weights"


def weights_of(edges: Any, weight: Any) -> tuple[Any, Any]:
    """Return the weights of edges as an array, and a mask that is False for nulls and NaN.

    ``weight`` is a column of the edges or an array. The mask is None if no weight is null or NaN.
    """
    if not isinstance(weight, str | int):
        check_same_index(edges, weight)
        return numbers_and_mask(_exact(weight), "weights")
    names = names_of(edges)
    if not names:
        raise MissingColumnError(
            f"weight={weight!r} names a column, but the edges are a {type(edges).__name__}, which"
            " has no columns: pass an array of weights"
        )
    if weight not in names:
        raise MissingColumnError(
            f"{unknown('column', weight, map(str, names))}; name the column of weights with"
            " weight=, or pass an array of weights"
        )
    return numbers_and_mask(_exact(column_of(edges, weight)), "weights")


def exact_integers(column: Any) -> Any:
    """Convert a list of Python integers to an exact array; return other columns unchanged.

    NumPy converts a list with integers below and above 2^63 to floats, which merges close integers.
    Here such a list becomes an array of uint64, or of objects if some integers are negative.
    """
    if not isinstance(column, list | tuple) or not all(type(value) is int for value in column):
        return column
    array = np.asarray(column)
    if not is_float(array.dtype) or not array.size:
        return array
    return np.array(column, object if min(column) < 0 else np.uint64)


def _exact(column: Any) -> Any:
    """Return weights, a list as an array; raise a ColumnTypeError if no integer type fits."""
    array = exact_integers(column)
    if array is not column and array.dtype == object:
        raise ColumnTypeError(
            f"weights are integers from {min(column):,} to {max(column):,}, and no type of 64 bits"
            " holds them all: pass an array of float64, in which close integers are equal"
        )
    return array


def weighted(
    given: EdgeInput, numbers: tuple[Any, Any], name: str = "weights", nulls: str = "raise"
) -> EdgeInput:
    """Return the edges with their weights.

    ``numbers`` is the result of :func:`weights_of` for all rows of the caller, also for those that
    ``given`` leaves out. If ``nulls`` is ``"drop"``, edges whose weight is null or NaN are dropped;
    otherwise a NullsError names the first such edge.
    """
    values, valid = numbers
    size = given.src.size + given.dropped_rows + given.rows_outside
    if values.size != size:
        raise InputError(
            f"there are {values.size:,} weights and {size:,} edges: pass one weight for each edge"
        )
    if values.dtype.itemsize > MAX_WEIGHT_BYTES:
        raise ColumnTypeError(
            f"{name} are {values.dtype} ({size:,} values), but only numbers of at most 64 bits can"
            " be compared: cast them first, such as to float64"
        )
    values = values.astype(values.dtype.newbyteorder("="), copy=False)  # native byte order
    rows = None
    if given.row_index is not None:  # the weights of dropped edges are left out
        rows = given.row_index()
        values = moved_like(values, rows)[rows]
        valid = None if valid is None else moved_like(valid, rows)[rows]
    missing = 0 if valid is None else int((~valid).sum())
    if not missing:
        return replace(given, weights=values)
    if nulls != "drop":
        first = int((~valid).argmax())
        first_row = first if rows is None else int(rows[first])
        raise NullsError(
            f"{missing:,} of {size:,} {name} {inflected(missing, 'is', 'are')} null or nan, the"
            f" first in row {first_row:,}: fill such weights, or drop their edges with"
            " nulls='drop'"
        )
    return replace(
        given,
        src=given.src.where(moved(valid, given.on_device)),
        dst=given.dst.where(moved(valid, given.on_device)),
        dropped_rows=given.dropped_rows + missing,
        row_index=partial(_rows_with_weight, valid, given.row_index, given.on_device),
        weights=values[valid],
        ledger=given.ledger and given.ledger.leaving_out("null_weight", missing),
    )


def true_rows(mask: Any) -> Any:
    """Return the row numbers for which a boolean array is true."""
    return mask.nonzero()[0]


def moved_like(array: Any, other: Any) -> Any:
    """Return an array on the same device as another one."""
    return moved(array, hasattr(other, "__cuda_array_interface__"))


def _rows_with_weight(valid: Any, row_index: Callable[[], Any] | None, on_device: bool) -> Any:
    """Return the caller's row numbers of the edges where ``valid`` is true."""
    rows = true_rows(moved(valid, on_device))
    return rows if row_index is None else row_index()[rows]
