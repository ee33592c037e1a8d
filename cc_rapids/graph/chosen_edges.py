"""Selected edges of a list, such as those of a spanning forest, and their columns."""

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
        Their rows in the list, in ascending order.
    """

    backend: Backend

    rows: Array

    def __init__(self, backend: Backend, rows: Array) -> None:
        self.backend, self.rows = backend, rows

    def among(self, places: Array) -> ChosenEdges:
        """Return the edges at the given positions, in the order of the positions."""
        return ChosenEdges(self.backend, self.rows[places])

    def columns(self, given: EdgeInput) -> dict[str, Array]:
        """Return new columns, in one allocation: rows, endpoints, and weights if there are any.

        Return no columns unless the edges are two integer columns on the same GPU.
        """
        with _in_place(given, self.backend) as borrowed:
            made = self._gather_rows(borrowed) if borrowed else []
        return dict(zip(NAMES if given.weights is not None else NAMES[:-1], made, strict=False))

    def _gather_rows(self, columns: list[Array]) -> list[Array]:
        """Return new columns of the chosen edges."""
        backend, size = self.backend, self.rows.size
        made = _allocated(columns, size, backend)
        gather_rows = backend.kernel(gather.edges_of_rows, backend.kernel(gather.row_of_edge))
        gather_rows(size, self.rows, *columns, *made)
        return made


class MarkedEdges(ChosenEdges):
    """Selected edges of a list of m, given by a bit for each edge; rows are listed on first use.

    Parameters
    ----------
    backend : Backend
        The backend of the bits.
    bits : ((m + 31) // 32,) array of uint32
        The selected edges; kept, not copied. Must be set before :meth:`rank` is called.
    m : int
        The number of edges of the list.

    Attributes
    ----------
    count : int
        The number of selected edges. The caller sets it.
    """

    backend: Backend
    bits: Array
    m: int

    count: int

    def __init__(self, backend: Backend, bits: Array, m: int) -> None:
        self.backend, self.bits, self.m = backend, bits, m
        with backend.reusing():
            self._before = backend.empty(blocks_of(bits.size), f"u{word_for(m)}")
        self._room: list[Array] = []
        self._ahead: list[
            tuple[list[Any], list[Array]]
        ] = []  # at most one element, popped by one thread

    def rank(self) -> Array:
        """Launch the count of the edges; return an array whose last element is their number."""
        rank(self.backend, self.bits, self._before)
        return self._before

    @cached_property
    def rows(self) -> Array:
        """The rows, in ascending order, as unsigned integers."""
        backend, before = self.backend, self._before
        made = backend.empty(self.count, before.dtype)
        kernel = backend.kernel(gather.gather, backend.kernel(gather.number_of_member))
        kernel(backend.warp_size * (before.size - 1), self.m, self.bits, before, made)
        return made

    def make_room(self, given: EdgeInput, most: int) -> None:
        """Allocate columns of ``most`` rows before their length is known, if memory suffices."""
        self.backend.leave_arena()  # the answer outlives the run
        with _in_place(given, self.backend) as columns, suppress(MemoryError):
            self._room = _allocated(columns, most, self.backend) if columns else []

    def gather_ahead(self, given: EdgeInput) -> None:
        """Launch the kernels that fill the columns of :meth:`make_room`, for one later caller."""
        with _in_place(given, self.backend) as columns:
            if self._room:
                self._ahead, self._room = [(_where(columns), self._gather(columns, self._room))], []

    def _gather_rows(self, columns: list[Array]) -> list[Array]:
        """Return columns that were gathered ahead, if they fit, or new ones."""
        with suppress(IndexError):
            at, made = self._ahead.pop()
            if at == _where(columns) and self.count <= made[0].size <= self.count + self.count // 2:
                return [column[: self.count] for column in made]
        return self._gather(columns, _allocated(columns, self.count, self.backend))

    def _gather(self, columns: list[Array], made: list[Array]) -> list[Array]:
        """Fill columns up to their capacity."""
        backend = self.backend
        kernel = backend.kernel(gather_marked, backend.kernel(gather.row_of_edge))
        kernel(-(-self.m // TILE), self.bits, self._before, *columns, *made)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the rows."""
        return ChosenEdges, (self.backend, self.rows)


@contextmanager
def _in_place(given: EdgeInput, backend: Backend) -> Iterator[list[Array]]:
    """Return the borrowed columns of endpoints and weights; none unless they are on the GPU."""
    ends = given.src, given.dst
    indirect = given.row_offsets or given.row_index or not (given.on_device and backend.on_device)
    if indirect or any(side.strings or side.key_columns for side in ends):
        yield []
        return
    with given.src.borrow() as src, given.dst.borrow() as dst:
        weights = backend.unused(np.uint8) if given.weights is None else given.weights
        yield [*map(backend.asarray, (src, dst, weights))]


def _where(columns: list[Array]) -> list[Any]:
    """Return the key that identifies columns on a GPU."""
    return [(array.data.ptr, array.size, array.dtype) for array in columns]


def _allocated(columns: list[Array], size: int, backend: Backend) -> list[Array]:
    """Return columns for a number of edges, without weights if there are none."""
    shapes = ((size if array.size else 0, array.dtype) for array in columns)
    return backend.alloc_packed((size, np.int64), *shapes)
