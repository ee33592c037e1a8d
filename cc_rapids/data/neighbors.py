"""Read neighbour arrays of callers as the memory and the strides that kernels read."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ColumnTypeError, InputError, counted, shown
from . import offsets as rows
from .dtypes import is_boolean, is_float, is_integer, is_number, is_signed
from .edge_array import as_array, is_edge_array
from .edge_input import EdgeInput
from .foreign import check_square
from .read import read
from .weight_bound import WeightBound

WAY_OUT = "pass the indices as an (n, k) array, with one row per point"


@dataclass(frozen=True)
class Neighbors:
    """A neighbour array: entry (row, column) is the neighbour ``indices[row, column]``."""

    n: int  # the number of points
    m: int  # the number of entries
    indices: Any  # the memory of the entries, as a 1-d array
    distances: Any  # the memory of the distances, as a 1-d array; None without distances
    # in elements: the strides of rows and columns of ``indices``, then of ``distances``
    steps: tuple[int, int, int, int]
    offsets: Any  # the first entry of each row, on the host; None for rows of equal length
    columns: int  # the number of entries of each row; 0 if there are offsets
    given: EdgeInput  # has no edges; it gives the type of ids and the library of answers
    distance_type: Any = None  # the type of the caller's distances, to which a bound is rounded
    complete: bool = False  # whether neighbour j of each point is point j

    @property
    def by_columns(self) -> bool:
        """True if entries are numbered column by column, which is their order in memory."""
        row_step, column_step, *_ = self.steps
        return self.offsets is None and row_step < column_step

    @property
    def max_columns(self) -> int:
        """The maximum number of entries of a row."""
        if self.offsets is None:
            return self.columns
        return int(np.diff(self.offsets).max(initial=0))

    @property
    def missing(self) -> int:
        """The value of a missing neighbour as uint64, to which kernels cast: 2^64 - 1 for -1."""
        dtype = self.indices.dtype
        return (1 << 64) - 1 if is_signed(dtype) else int(np.iinfo(dtype).max)

    def place(self, e: int) -> tuple[int, int, int]:
        """Return the row and the column of entry ``e``, and the position of the entry in memory."""
        if self.offsets is not None:
            row = int(np.searchsorted(self.offsets, e, side="right")) - 1
            return row, e - int(self.offsets[row]), e
        if self.by_columns:
            column, row = divmod(e, self.n)
        else:
            row, column = divmod(e, self.columns)
        row_step, column_step, *_ = self.steps
        return row, column, row * row_step + column * column_step

    def limits(self, at_most: float | None) -> Any:
        """Return the least and the greatest valid distance, in the type of the distances."""
        dtype = self.distances.dtype
        least, greatest = -np.inf, np.inf
        if is_integer(dtype):
            least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
        bounds = dict(WeightBound(None, at_most=at_most).bounds(self.distance_type))
        # there is a lower bound only if no distance of an integer type is valid
        return np.array([bounds.get(">=", least), bounds.get("<=", greatest)], dtype)


def read_neighbors(indices: Any, distances: Any) -> Neighbors:
    """Read a neighbour array, or a sparse matrix of distances, without copying if possible."""
    if hasattr(indices, "tocoo"):
        if distances is not None:
            raise InputError(
                "a sparse matrix has its own distances: leave out distances=, or pass the graph of"
                " kneighbors_graph(mode='distance')"
            )
        return _of_matrix(indices)
    array = _integers(indices)
    numbers, distance_type = (None, None) if distances is None else _numbers(distances)
    if numbers is not None and numbers.shape != array.shape:
        raise InputError(
            f"distances have the shape {numbers.shape}, but indices have the shape {array.shape}:"
            " pass both as the search for neighbours has returned them"
        )
    n, k = array.shape
    flat, index_steps = _flat(array)
    numbers, distance_steps = (None, (0, 0)) if numbers is None else _flat(numbers)
    steps, offsets = (*index_steps, *distance_steps), None  # each row has k entries
    given = _no_edges_like(array)
    return Neighbors(n, n * k, flat, numbers, steps, offsets, k, given, distance_type)


def read_distances(given: Any) -> Neighbors:
    """Read distances of points: a matrix, a sparse matrix, or a tuple (indices, distances).

    A dense matrix must be symmetric and without NaN. Integer distances become float64.
    """
    if isinstance(given, tuple) and len(given) == 2:
        neighbors = read_neighbors(*given)
    elif hasattr(given, "tocoo"):
        neighbors = read_neighbors(given, None)
    else:
        matrix, _ = _numbers(given)
        n = matrix.shape[0] if matrix.ndim else 0
        if matrix.shape != (n, n):
            raise InputError(
                f"the distances have the shape {matrix.shape}: pass a square matrix, a sparse"
                " matrix, or a tuple of neighbours (indices, distances)"
            )
        library = np if isinstance(matrix, np.ndarray) else sys.modules["cupy"]
        if library.isnan(matrix).any():
            raise InputError(
                "the matrix of distances contains NaN: pass inf for a missing distance"
            )
        if not library.allclose(matrix, matrix.T):
            raise InputError("the matrix of distances must be symmetric: pass (D + D.T) / 2")
        neighbors = read_symmetric(matrix, library)
    if neighbors.distances is None:
        raise InputError("the neighbours have no distances: pass a tuple (indices, distances)")
    if is_integer(neighbors.distances.dtype):
        distances = neighbors.distances.astype(np.float64)
        return replace(neighbors, distances=distances, distance_type=distances.dtype)
    return neighbors


def read_symmetric(matrix: Any, library: Any = np) -> Neighbors:
    """Read a symmetric (n, n) array of NumPy or CuPy, in which all points are neighbours."""
    n = matrix.shape[0]
    indices = library.broadcast_to(library.arange(n, dtype=np.int32), (n, n))
    return replace(read_neighbors(indices, matrix), complete=True)


def _of_matrix(matrix: Any) -> Neighbors:
    """Read a sparse matrix, whose stored entries are neighbours and their distances."""
    check_square(matrix)
    matrix = matrix.tocsr()
    starts = matrix.indptr.get() if hasattr(matrix.indptr, "get") else matrix.indptr
    starts = np.asarray(starts)
    n, m = matrix.shape[0], int(starts[-1])
    rows.check("indptr", starts, len(matrix.indices), may_have_spare=True)
    indices = matrix.indices[:m]
    is_connectivity = is_boolean(matrix.data.dtype)
    distances, distance_type = (None, None) if is_connectivity else _numbers(matrix.data[:m])
    columns, offsets = int(starts[1]) if n else 0, None
    if not bool((np.diff(starts) == columns).all()):
        columns, offsets = 0, starts.copy()  # the rows have different lengths
    steps = (columns, 1, columns, 1)  # both arrays are stored row by row
    given = _no_edges_like(indices)
    return Neighbors(n, m, indices, distances, steps, offsets, columns, given, distance_type)


def _array(values: Any, name: str, filler: Any) -> Any:
    """Return values as an array of NumPy or CuPy; masked entries become ``filler(dtype)``."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values, filler(values.dtype))
    advice = (
        "pad rows of unequal length with -1, or pass the graph of scikit-learn's"
        " radius_neighbors_graph(mode='distance')"
    )
    if is_edge_array(values):
        array = as_array(values)
        if array.dtype == object and array.ndim == 1:
            raise InputError(f"{name} are an array of {array.size:,} objects: {advice}")
        return array
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} are no array ({error}): {advice}") from error


def _integers(indices: Any) -> Any:
    """Return neighbours as an (n, k) array of integers."""

    def missing(dtype: Any) -> int:
        return int(np.iinfo(dtype).max) if is_integer(dtype) and not is_signed(dtype) else -1

    array = _array(indices, "indices", missing)
    if array.ndim != 2:
        raise InputError(f"indices have the shape {array.shape}: {WAY_OUT}")
    if not array.size and is_float(array.dtype):
        array = array.astype(np.int64)  # NumPy's type of empty lists
    if not is_integer(array.dtype):
        raise ColumnTypeError(f"indices must be integers, not {array.dtype}: {WAY_OUT}")
    return array


def _numbers(distances: Any) -> tuple[Any, Any]:
    """Return distances in a type that kernels support, and the type that they had before."""
    if isinstance(distances, np.ma.MaskedArray) and is_integer(distances.dtype):
        distances = distances.astype(np.float64)  # NaN replaces masked values
    array = _array(distances, "distances", lambda dtype: np.nan)
    if not is_number(array.dtype):
        raise ColumnTypeError(f"distances must be numbers, not {array.dtype}")
    if is_float(array.dtype) and array.dtype.itemsize not in (4, 8):
        supported = np.float32 if array.dtype.itemsize == 2 else np.float64  # for long doubles
        return array.astype(supported), array.dtype
    return array, array.dtype


def _flat(array: Any) -> tuple[Any, tuple[int, int]]:
    """Return the memory of an array as a 1-d view, and the strides of both axes in elements.

    An array is copied if a stride is negative or no multiple of the element size, or if the array
    is unaligned or not in the byte order of the machine.
    """
    size = array.dtype.itemsize
    in_elements = all(stride >= 0 and stride % size == 0 for stride in array.strides)
    library = np if isinstance(array, np.ndarray) else sys.modules["cupy"]
    if not (in_elements and array.dtype.isnative and getattr(array.flags, "aligned", True)):
        array = library.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
    steps = tuple(stride // size for stride in array.strides)
    if not array.size:
        return array.reshape(-1), steps
    last_element = sum(step * (length - 1) for step, length in zip(steps, array.shape, strict=True))
    return library.lib.stride_tricks.as_strided(array, (last_element + 1,), (size,)), steps


def _no_edges_like(array: Any) -> EdgeInput:
    """Return an input without edges whose ids have the type and the library of an array.

    The type is int64 if the type of the array is unsigned, or too narrow for the ids.
    """
    dtype = array.dtype
    if not is_signed(dtype) or dtype.itemsize < 4 or array.shape[0] > np.iinfo(dtype).max:
        dtype = np.dtype(np.int64)
    no_ids = array[:0].reshape(-1).astype(dtype)
    return read((no_ids, no_ids), "indices", "indices")


def wrong_index(neighbors: Neighbors, e: int, value: int) -> InputError:
    """Return the error for entry ``e``, where a kernel read an invalid neighbour.

    ``value`` was read again later. If it is valid, another thread has changed the array.
    """
    row, column, _ = neighbors.place(e)
    if 0 <= value < neighbors.n:
        return neighbors.given.changed()
    missing = "-1" if is_signed(neighbors.indices.dtype) else f"{neighbors.missing:,}"
    return InputError(
        f"indices[{row:,}, {column:,}] is {value:,}, but neighbours among"
        f" {counted(neighbors.n, 'point')} are 0 .. {neighbors.n - 1:,}, or {missing} if missing"
    )


def check_distances(neighbors: Neighbors, at_most: Any, nearest: bool, indices: Any) -> None:
    """Raise an InputError if a rule needs distances and there are none, or if a bound is invalid.

    The rules are the bound ``at_most`` and, if ``nearest``, the rule ``border='nearest'``.
    ``indices`` is the caller's argument: a sparse matrix gets other advice than an array.
    """
    if neighbors.distances is None and (nearest or at_most is not None):
        rule = "border='nearest' compares"
        if at_most is not None:
            rule = f"at_most={shown(at_most)} bounds"
        advice = "pass distances=, an array of the shape of indices"
        if hasattr(indices, "tocoo"):
            advice = "pass the graph of mode='distance': this matrix of bool has no distances"
        raise InputError(f"{rule} distances: {advice}")
    if at_most is not None:
        WeightBound.check("distances", None, at_most)


def hint_of_bound(neighbors: Neighbors) -> str:
    """Return the likely cause if a bound leaves out all neighbours, for the end of a message."""
    if bool((neighbors.distances == 1).all()):
        return "all are 1, as in a graph of mode='connectivity'; pass one of mode='distance'"
    return "is the bound on the scale of the distances?"
