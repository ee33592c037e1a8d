"""Edges on a device: an edge list, or the rows of an adjacency list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data import offsets
from ..data.column import Borrowing, Column
from ..data.edge_input import EdgeInput
from ..errors import CapacityError, InputError
from ..kernels import edges as reading
from ..kernels import id_range
from .forest import Forest

HALF = np.uint64(32)


@dataclass(frozen=True, init=False)
class Edges:
    """An edge list, which is never written.

    Attributes
    ----------
    src, dst : (m,) arrays of any integer types, on the backend of the run
        The ids of the two endpoints of each edge; vertex v has the id ``low + v``.
    low : int
        The id of vertex 0, between -2^63 and 2^63 - 1. If the ids start at 2^63 or above, ``low``
        is the least id minus 2^64.
    m : int
        The number of edges.
    wide : type
        The unsigned type of an id minus ``low``. It is as wide as the common type of both columns,
        so that all ids stay distinct.
    form : EdgeForm
        How kernels load the ids of an edge from ``src`` and ``dst``.
    """

    src: Array
    dst: Array
    low: int
    m: int = field(init=False)
    wide: Any = field(init=False)

    form: reading.EdgeForm = field(init=False, default=reading.LIST)

    def __init__(self, src: Array, dst: Array, low: int) -> None:
        """Store the arrays, ``m`` and ``wide``, without assignments, as the class is frozen."""
        wide = np.uint32 if np.promote_types(src.dtype, dst.dtype).itemsize <= 4 else np.uint64
        vars(self).update(src=src, dst=dst, low=low, m=int(src.size), wide=wide)

    def backwards(self) -> Edges:
        """Return the edges in reverse order, without a copy.

        If ids decrease along a list, each edge would hook the root of the same growing tree, and
        all threads would contend for that root.
        """
        return replace(self, src=self.src[::-1], dst=self.dst[::-1])


@dataclass(frozen=True, init=False)
class NeighborEdges(Edges):
    """Edges computed from a neighbour array, see :mod:`cc_rapids.kernels.neighbors`.

    ``src`` contains the layout of the array, ``dst`` its neighbours, and ``form`` loads the edges.
    """

    def __init__(self, src: Array, dst: Array, m: int, form: reading.EdgeForm) -> None:
        """Store the arrays; their sizes are not the number of edges."""
        wide = np.uint32 if dst.dtype.itemsize <= 4 else np.uint64
        vars(self).update(src=src, dst=dst, low=0, m=m, wide=wide, form=form)


@dataclass(frozen=True)
class Adjacency:
    """An adjacency list on a backend: row v is ``indices[offsets[v]:offsets[v + 1]]``.

    Attributes
    ----------
    offsets : (n + 1,) array of integers
    indices : (m,) array of integers
    symmetric : bool
        Whether every edge is in the rows of both endpoints.
    edge_of : (m,) array of integers, optional
        For rows built from a list, the position in the list of the edge of each entry. By default,
        each entry is an edge of its own.
    """

    offsets: Array
    indices: Array
    symmetric: bool = False
    edge_of: Array = None

    @property
    def arrays(self) -> tuple[Array, Array]:
        """The offsets and the indices."""
        return self.offsets, self.indices

    @property
    def m(self) -> int:
        """The number of entries."""
        return int(self.indices.size)


def check_offsets(edge_input: EdgeInput, starts: Array, backend: Backend) -> None:
    """Check the row offsets of an adjacency list; ``starts`` are these offsets on the backend.

    Raises
    ------
    InputError
        The offsets do not begin at 0, they decrease, or they do not end at the number of indices.
        The message names the row, the value and the bound.
    """
    check_offsets_async(edge_input, starts, backend)()


def check_offsets_async(
    edge_input: EdgeInput, starts: Array, backend: Backend
) -> Callable[[], None]:
    """Launch the check of :func:`check_offsets`; return a function that waits for its result.

    The function raises the errors of :func:`check_offsets`.
    """
    assert edge_input.row_offsets is not None
    name, size, m = edge_input.row_offsets.name, int(starts.size), edge_input.dst.size
    # The position of the first wrong offset; all bits stay set if no offset is wrong.
    first_wrong = backend.fill(backend.alloc_readback(1), 0xFF)
    backend.kernel(id_range.first_wrong_offset)(size, m, starts, first_wrong)
    read_first_wrong = backend.read_async(first_wrong)

    def check() -> None:
        """Wait for the result; raise an error if an offset is wrong."""
        position = int(read_first_wrong()[0]) if size else 0
        if position < size or (m and not size):  # or there are indices, but no offsets
            around = backend.to_host(starts[max(position - 1, 0) : position + 1]).tolist()
            message = offsets.in_words(name, position, size, around, m)
            # Without a message, the offset is right now: the caller changed it after the kernel.
            raise InputError(message) if message else edge_input.changed()

    return check


def list_of_rows(rows: Adjacency, edges: Edges, backend: Backend) -> Edges:
    """Return the entries of an adjacency list as an edge list.

    The destinations are those of ``edges``, without a copy. The sources, one integer per entry, are
    allocated. They have the type of the destinations, or a wider type if row numbers do not fit.
    """
    n, dtype = int(rows.offsets.size) - 1, edges.dst.dtype
    if n - 1 > np.iinfo(dtype).max:
        dtype = np.dtype(np.int32 if n - 1 <= np.iinfo(np.int32).max else np.int64)
    src = backend.empty(rows.m, dtype)
    backend.kernel(reading.rows)(rows.m, n, rows.offsets, src)
    return Edges(src, edges.dst, edges.low)


def rows_of(
    edges: Edges, forest: Forest, record_forest: bool = False, distinct: bool = False
) -> Adjacency:
    """Return an edge list as an adjacency list, with each edge in the rows of both endpoints.

    The entries of a row are sorted. With ``distinct``, duplicate entries of a row are dropped.
    Vertices with an edge, including self-loops, are marked as present. An endpoint that is not a
    vertex is stored as n, which has no row, and sets the forest's ``out_of_range``. With
    ``record_forest``, ``edge_of`` of the result has the edge of each entry.

    This temporarily allocates about 48 bytes per edge, or 80 with ``record_forest``.

    Raises
    ------
    CapacityError
        There are 2^32 vertices or more.
    """
    backend, n, xp = forest.backend, forest.n, forest.backend.xp
    if n >= 1 << 32:
        raise CapacityError(f"rows can be made for fewer than 2^32 vertices, but there are {n:,}")
    src, dst = (_vertices_of(column, edges, n, xp) for column in (edges.src, edges.dst))
    # The key of an entry is its row, then its column. Entries of ids that are not vertices are in
    # row n, beyond the last offset.
    keys = xp.concatenate([src << HALF | dst, dst << HALF | src])
    edge_of = None
    if record_forest:
        order = xp.argsort(keys)
        keys, edge_of = keys[order], order % max(edges.m, 1)  # edge e has the keys e and m + e
    else:
        keys.sort()
    if distinct and keys.size:
        keys = keys[xp.concatenate([xp.ones(1, bool), keys[1:] != keys[:-1]])]
    least_keys = xp.arange(n + 1, dtype=np.uint64) << HALF  # of each row, and of row n
    offsets = xp.searchsorted(keys, least_keys).astype(np.int64)
    forest.out_of_range |= offsets[-1:] != keys.size
    backend.kernel(reading.mark_rows, forest.vertex)(n, offsets, forest.present)
    return Adjacency(offsets, keys.astype(np.uint32), symmetric=True, edge_of=edge_of)


def _vertices_of(column: Array, edges: Edges, n: int, xp: Any) -> Array:
    """Copy a column of ids as vertices of type uint64, with n for ids that are not vertices."""
    vertices = (column.astype(np.int64) - np.int64(edges.low)).view(np.uint64)
    return xp.minimum(vertices, np.uint64(n), out=vertices)


class BorrowedEdges(Borrowing):
    """Context manager that borrows the columns of both ends, and of ``vertices=`` if there is one.

    The rows of an adjacency list are borrowed as an edge list.
    """

    def __init__(self, backend: Backend, given: EdgeInput) -> None:
        self.backend = backend
        self.given = given
        self.columns: list[Column] = given.lent

    def __enter__(self) -> Any:
        backend, given = self.backend, self.given
        self._scope = backend.scope()
        self._scope.__enter__()
        try:
            columns = super().__enter__()
            if given.row_offsets is not None:
                # The last column has the offsets; the columns of both ends are the indices.
                offsets, indices = backend.asarray(columns.pop()), backend.asarray(columns[0])
                check_offsets(given, offsets, backend)
                edges = Edges(indices, indices, 0)  # list_of_rows reads only the destinations
                columns[0] = list_of_rows(Adjacency(offsets, indices), edges, backend).src
            return columns
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(self, *error: Any) -> None:
        try:
            super().__exit__(*error)
        finally:
            self._scope.__exit__(*error)
