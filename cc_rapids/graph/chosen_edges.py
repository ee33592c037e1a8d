"""Selected edges of a list, such as the edges of a spanning forest, and their columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..kernels import gather
from ..kernels.marked import TILE, gather_marked
from .forest import blocks_of, rank
from .memory_bound import word_for

NAMES = "row", "source", "destination", "weight"


class ChosenEdges:
    """Selected edges of a list.

    Parameters
    ----------
    backend : Backend
        The backend of the rows.
    rows : (k,) array of integers
        The rows of the edges in the list, in ascending order.
    """

    def __init__(self, backend: Backend, rows: Array) -> None:
        self.backend = backend
        self.rows = rows

    def among(self, positions: Array) -> ChosenEdges:
        """Return the edges at the given positions, in the order of the positions."""
        return ChosenEdges(self.backend, self.rows[positions])

    def columns(self, edge_input: EdgeInput) -> dict[str, Array]:
        """Return new columns of the selected edges, by name, in one allocation.

        The columns are rows, endpoints, and weights if there are any. Return no columns unless the
        edges are two integer columns on the GPU of this backend.
        """
        with _borrowed_columns(edge_input, self.backend) as borrowed:
            columns = self._gather_rows(borrowed) if borrowed else []
        names = NAMES if edge_input.weights is not None else NAMES[:-1]
        return dict(zip(names, columns, strict=False))  # no columns, or an unnamed one of weights

    def _gather_rows(self, columns: list[Array]) -> list[Array]:
        """Return new columns: rows, endpoints and weights of the selected edges."""
        backend, size = self.backend, self.rows.size
        selected = _allocate_columns(columns, size, backend)
        gather_rows = backend.kernel(gather.edges_of_rows, backend.kernel(gather.row_of_edge))
        gather_rows(size, self.rows, *columns, *selected)
        return selected


class MarkedEdges(ChosenEdges):
    """Selected edges of a list, marked by one bit per edge; rows are listed on first use.

    Parameters
    ----------
    backend : Backend
        The backend of the bits.
    bits : ((m + 31) // 32,) array of uint32
        The selected edges. The array is kept, not copied; its bits must be set before :meth:`rank`
        is called.
    m : int
        The number of edges of the list.

    Attributes
    ----------
    count : int
        The number of selected edges. The caller sets it.
    """

    count: int

    def __init__(self, backend: Backend, bits: Array, m: int) -> None:
        self.backend = backend
        self.bits = bits
        self.m = m
        with backend.reusing():  # the number of selected edges before each block of bits
            self._before = backend.empty(blocks_of(bits.size), f"u{word_for(m)}")
        self._room: list[Array] = []  # columns that make_room() has allocated
        # The identities of the source columns, and the columns gathered from them. They are kept in
        # a list of at most one element, because only one of several threads can pop it.
        self._ahead: list[tuple[list[Any], list[Array]]] = []

    def rank(self) -> Array:
        """Launch the count of the edges; return the array whose last element will be the count."""
        rank(self.backend, self.bits, self._before)
        return self._before

    @cached_property
    def rows(self) -> Array:
        """The rows, in ascending order, as unsigned integers."""
        backend, before = self.backend, self._before
        rows = backend.empty(self.count, before.dtype)
        kernel = backend.kernel(gather.gather, backend.kernel(gather.number_of_member))
        threads = backend.warp_size * (before.size - 1)  # a warp for each block of bits
        kernel(threads, self.m, self.bits, before, rows)
        return rows

    def make_room(self, edge_input: EdgeInput, max_rows: int) -> None:
        """Allocate columns of ``max_rows`` rows before the count is known, if memory suffices."""
        self.backend.leave_arena()  # the columns outlive the run, unlike its arena
        with _borrowed_columns(edge_input, self.backend) as columns, suppress(MemoryError):
            self._room = _allocate_columns(columns, max_rows, self.backend) if columns else []

    def gather_ahead(self, edge_input: EdgeInput) -> None:
        """Launch kernels that fill the columns of make_room(); columns() returns them once."""
        with _borrowed_columns(edge_input, self.backend) as columns:
            if self._room:
                gathered = self._gather(columns, self._room)
                self._ahead, self._room = [(_identity_of(columns), gathered)], []

    def _gather_rows(self, columns: list[Array]) -> list[Array]:
        """Return the columns that were gathered ahead, or new columns.

        Columns are ignored if they were gathered for other edges, or if more than a third of their
        rows would be unused.
        """
        with suppress(IndexError):  # nothing was gathered ahead, or another thread has popped it
            identity, gathered = self._ahead.pop()
            fits = self.count <= gathered[0].size <= self.count + self.count // 2
            if fits and identity == _identity_of(columns):
                return [column[: self.count] for column in gathered]
        return self._gather(columns, _allocate_columns(columns, self.count, self.backend))

    def _gather(self, columns: list[Array], selected: list[Array]) -> list[Array]:
        """Fill the columns ``selected`` up to their capacity, and return them."""
        backend = self.backend
        kernel = backend.kernel(gather_marked, backend.kernel(gather.row_of_edge))
        kernel(-(-self.m // TILE), self.bits, self._before, *columns, *selected)
        return selected

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the rows."""
        return ChosenEdges, (self.backend, self.rows)


@contextmanager
def _borrowed_columns(edge_input: EdgeInput, backend: Backend) -> Iterator[list[Array]]:
    """Yield the borrowed columns of endpoints and weights, from which kernels gather edges.

    Yield no columns unless the edges are a list on the GPU whose endpoints are integers.
    """
    ends = edge_input.src, edge_input.dst
    is_list = edge_input.row_offsets is None and edge_input.row_index is None
    on_device = edge_input.on_device and backend.on_device
    if not (is_list and on_device) or any(side.strings or side.key_columns for side in ends):
        yield []
        return
    with edge_input.src.borrow() as src, edge_input.dst.borrow() as dst:
        weights = backend.unused(np.uint8) if edge_input.weights is None else edge_input.weights
        yield [*map(backend.asarray, (src, dst, weights))]


def _identity_of(columns: list[Array]) -> list[Any]:
    """Return the address, size and type of each column on a GPU."""
    return [(array.data.ptr, array.size, array.dtype) for array in columns]


def _allocate_columns(columns: list[Array], size: int, backend: Backend) -> list[Array]:
    """Allocate columns for the rows, endpoints and weights of edges, in one allocation.

    ``columns`` are the sources of endpoints and weights. A source of length 0, such as missing
    weights, gets a column of length 0.
    """
    shapes = ((size if array.size else 0, array.dtype) for array in columns)
    return backend.alloc_packed((size, np.int64), *shapes)
