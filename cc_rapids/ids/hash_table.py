"""Encode 64-bit ids by a hash table whose slots are the vertices.

The search for the slot of an id begins at its home slot. If ids are spread evenly over their range,
as hashes are, home slots are in the order of the ids, which then need not be sorted afterwards.
"""

from __future__ import annotations

import logging
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_signed
from ..errors import CapacityError
from ..graph.forest import Forest, running_sums
from ..kernels import forest as trees
from ..kernels import id_blocks
from ..kernels import id_hash as kernel_ids
from ..kernels import id_place as kernel_places
from .decoders import SortedDecoder, as_word

if TYPE_CHECKING:
    from .range import IdRange

# Names in brackets are pages of docs/design/decisions.
ESTIMATED_IDS = 1 << 16  # min. rows to estimate how many distinct ids there are, see ids.jsonl
SPREAD_SAMPLE = 1 << 13  # ids of a column that show whether ids are spread evenly, see [ids]
GIB = 1 << 30
SLOT_BYTES = 24  # bytes of a key, a parent and the least vertex of a tree, each of up to 64 bits
MOST_PLACED = 1 << 32  # max. home slots, so that kernels compute a home slot in 64 bits
PARTS = 64  # parts of the range in which the ids of the sample are counted
UNEVEN = 1.3  # ids are uneven if a part has more than this multiple of the average number of ids
SLOTS_PER_ID = 1.65
log: logging.Logger = logging.getLogger(__name__)


class SlotTable:
    """A hash table of ids, and the forests over its slots.

    Parameters
    ----------
    keys : (size + 1,) array of uint64
        The id of each slot; all bits are set in a free slot. The id with all bits set has the last
        slot, whose key is 0 if this id occurs. The array is kept, not copied.
    backend : Backend
        The backend of the table.
    """

    keys: Array
    backend: Backend
    columns: list[Array]
    in_blocks = False  # whether edges were reordered: see :class:`PlacedSlots`

    def __init__(self, keys: Array, backend: Backend) -> None:
        self.keys, self.backend = keys, backend

    def forest(self) -> Forest:
        """Return a forest over the slots, in which the occupied slots are present."""
        forest = Forest(self.backend, self.keys.size)
        octets = forest.present.view(np.uint8)
        self.backend.kernel(kernel_ids.mark_occupied)(octets.size, self.keys, octets)
        return forest

    def finalise_order(
        self, forest: Forest, dtype: np.dtype[Any], labelled: bool = False
    ) -> tuple[Forest, SortedDecoder]:
        """Return a forest over the sorted ids with the trees of a forest over slots, and a decoder.

        A root of the new forest has the least id of its component. If ``labelled``, the decoding of
        all ids and labels starts before the host waits for the counts of the forest.
        """
        backend = self.backend
        backend.fill(self.keys[-1:], 0xFF)  # the id itself, instead of 0
        wide = np.dtype(np.int64 if is_signed(dtype) else np.uint64)
        with backend.reusing():
            slots, roots = forest.rows(0, forest.vertex)  # slots that occur, and their roots' slots
            ids = self.keys[slots].view(wide)
            order = backend.xp.argsort(ids)
            roots = roots[order]
        ids = ids[order]
        flat = Forest(backend, ids.size, all_present=True)
        with backend.reusing():
            # for each slot that is a root, the least vertex of its tree: see _set_least_roots()
            least = backend.fill(backend.empty(forest.n, flat.vertex), 0xFF)
        backend.kernel(trees.scatter_min, flat.vertex)(ids.size, roots, least)
        return _set_least_roots(flat, roots, least, ids.astype(dtype, copy=False), labelled)

    def _make_free(self, size: int, columns: list[Array]) -> Array:
        """Allocate free slots and the output columns; return the flag that marks a full table."""
        backend = self.backend
        vertex: Any = np.uint32 if size < 1 << 32 else np.uint64
        with backend.reusing():
            self.keys = backend.fill(backend.empty(size + 1, np.uint64), 0xFF)
            self.columns = [backend.empty(column.size, vertex) for column in columns]
        return backend.fill(backend.empty(1, np.uint32), 0)


class Slots(SlotTable):
    """The columns of edges as slots of a hash table of all their ids.

    Parameters
    ----------
    columns : list of arrays
        Arrays of any integer types on the backend; not changed.
    others : list of arrays
        Further ids to insert, whose slots are not returned.
    backend : Backend
        The backend that builds the table.
    expected : int, optional
        The number of distinct ids, if it has been estimated.

    Attributes
    ----------
    columns : list of arrays
        The slots of the ids of each column: new arrays.
    keys : (size + 1,) array of uint64
        The id of each slot: see :class:`SlotTable`.
    expected_vertices : int
        The number of distinct ids, to within a few per cent.
    """

    expected_vertices: int

    def __init__(
        self,
        columns: list[Array],
        others: list[Array],
        backend: Backend,
        expected: int | None = None,
    ) -> None:
        self.backend = backend
        self.expected_vertices = expected or _estimate_ids([*columns, *others], backend)
        size = slots_for(self.expected_vertices)
        while not self._fill(size, columns, others):
            size *= 2
            log.info("the hash table of ids was full: growing it to %d slots", size)
            _check_growth(size, backend)

    def _fill(self, size: int, columns: list[Array], others: list[Array]) -> bool:
        """Insert all ids into a new table of ``size`` slots; return whether all found a slot."""
        backend, full = self.backend, self._make_free(size, columns)
        find_slots = backend.kernel(kernel_ids.number_slots)
        for column, out in zip(columns, self.columns, strict=True):
            find_slots(column.size, column, self.keys, full, out)
        for column in others:
            claim = backend.kernel(kernel_ids.claim_slots)
            claim(column.size, column, self.keys, full)
        return not backend.to_host(full)[0]


class PlacedSlots(SlotTable):
    """The two columns of edges as slots in the order of the ids: see kernels/id_place.py.

    Parameters
    ----------
    columns : two arrays
        Arrays of integer types on the backend; not changed.
    ids : IdRange
        The range of the ids, or an estimate of the range.
    backend : Backend
        The backend that builds the table.
    expected : int, optional
        The number of distinct ids. By default, the number is estimated.
    any_order : bool
        Whether the edges may be reordered. The slots of many ids are then found in one block of the
        table after another: see kernels/id_blocks.py.

    Attributes
    ----------
    columns : list of arrays
        The slots of the ids, as new arrays in the order of the edges, which may be reordered.
    expected_vertices : int
        The number of distinct ids: ``expected``, or an estimate to within a few per cent.
    keys : (size + 1,) array of uint64
        The id of each slot, as bits whose unsigned order is the order of the ids. In a free slot,
        all bits are set.
    in_blocks : bool
        Whether the edges are in the order of the blocks of their larger ends.
    """

    backend: Backend
    sign: int  # see :attr:`IdRange.sign`
    expected_vertices: int
    in_blocks: bool

    def __init__(
        self,
        columns: list[Array],
        ids: IdRange,
        backend: Backend,
        expected: int | None = None,
        any_order: bool = False,
    ) -> None:
        self.backend, self.sign = backend, ids.sign
        self.expected_vertices = expected or _estimate_ids(columns, backend)
        home_slots = slots_for(self.expected_vertices)
        size = home_slots + kernel_places.MARGIN
        full = self._make_free(size, columns)
        home_parameters = _home_slot_parameters(ids, home_slots)
        is_large = self.expected_vertices >= id_blocks.LEAST_IDS
        self.in_blocks = any_order and is_large and size < 1 << 32  # id_blocks has 32-bit slots
        if self.in_blocks:
            self._place_in_blocks(columns, home_parameters, home_slots, full)
        else:
            place = backend.kernel(kernel_places.place_ids, self.sign)
            for column, out in zip(columns, self.columns, strict=True):
                place(column.size, column, self.keys, *home_parameters, full, out)
        self._read_full = backend.read_async(full)

    @cached_property
    def complete(self) -> bool:
        """True if all ids have found a slot; False if the ids are spread unevenly.

        The first access waits for the slots. It must come before the host reads any other result.
        """
        return not self._read_full()[0]

    def _place_in_blocks(
        self, columns: list[Array], home_parameters: tuple[int, ...], home_slots: int, full: Array
    ) -> None:
        """Find the slots of one batch of edges after another.

        See :mod:`cc_rapids.kernels.id_blocks` for the three steps and the buffers, which all
        batches share. The buffers take at most the bytes that are reserved for the later sort of
        the ids. ``home_slots`` is the number of home slots.
        """
        backend, m = self.backend, columns[0].size
        blocks, shift = id_blocks.table_blocks_of(home_slots)
        max_bytes = bytes_of_order(home_slots, self.expected_vertices, vertex_bytes=4)
        max_tiles = id_blocks.tiles_of(m, max_bytes, blocks)  # tiles of a batch
        max_edges, word, empty = max_tiles * id_blocks.TILE, np.uint32, backend.empty
        lanes = id_blocks.lanes_of(blocks, backend.warp_size)
        partition_ends = backend.kernel(id_blocks.partition_ends, self.sign)
        begin_chunks = backend.kernel(id_blocks.begin_chunks)
        place_larger = backend.kernel(id_blocks.place_larger)
        place_smaller = backend.kernel(id_blocks.place_smaller)
        with backend.reusing():
            larger, smaller = empty(max_edges, np.uint64), empty(max_edges, np.uint64)
            upper, firsts = empty(max_edges, word), empty(max_tiles, word)
            begins, before = empty(blocks * max_tiles, word), empty(blocks * max_tiles + 1, word)
            starts = empty((blocks + 1) * max_tiles, word)
            for first in range(0, m, max_edges):
                count = min(max_edges, m - first)
                tiles = -(-count // id_blocks.TILE)  # also the number of chunks
                segments, tile_buffers = blocks * tiles, (larger, smaller, begins, before)
                by_tiles = first, count, tiles, blocks, shift
                partition_ends(tiles, *by_tiles, *columns, *home_parameters, *tile_buffers)
                running_sums(backend, before[: segments + 1])
                begin_chunks(segments, before, firsts)
                by_segments = first, count, segments, blocks, shift
                tables = self.keys, full, upper, starts
                buffers = *tile_buffers, firsts, *tables
                place_larger(tiles, *by_segments, *home_parameters, *buffers, *self.columns)
                by_lanes = tiles * blocks * lanes, lanes.bit_length() - 1, first, tiles, blocks
                place_smaller(*by_lanes, *home_parameters, *tables, self.columns[1])

    def finalise_order(
        self, forest: Forest, dtype: np.dtype[Any], labelled: bool = False
    ) -> tuple[Forest, SortedDecoder]:
        """Return a forest over the sorted ids and its decoder: see :class:`SlotTable`.

        As slots are nearly in the order of the ids, only adjacent slots are compared.
        """
        backend, n = self.backend, forest.vertices
        flat = Forest(backend, n, all_present=True)
        with backend.reusing():
            ids, roots = backend.empty(n, dtype), backend.empty(n, forest.vertex)
            least = backend.fill(backend.empty(forest.n, flat.vertex), 0xFF)
        order = backend.kernel(kernel_places.order_slots, self.sign)
        trees_of_slots = forest.parent, forest.present, forest.ranks
        order(forest.n, self.keys, *trees_of_slots, ids, roots, least)
        return _set_least_roots(flat, roots, least, ids, labelled)


def slots_of_edges(
    columns: list[Array],
    others: list[Array],
    ids: IdRange,
    backend: Backend,
    expected: int | None = None,
    any_order: bool = False,
) -> tuple[Slots | PlacedSlots, Forest]:
    """Return the table of the slots of two columns, and a forest over the slots.

    If the columns are long and their ids are spread evenly, the slots follow the order of the ids.
    The edges may then be reordered if ``any_order`` is True. See :class:`Slots` for the other
    parameters.
    """
    table: Slots | PlacedSlots
    if not others and _spread_evenly(columns, ids, backend):
        estimate = expected or _estimate_ids(columns, backend)
        if slots_for(estimate) <= MOST_PLACED:
            table = PlacedSlots(columns, ids, backend, estimate, any_order)
            forest = table.forest()  # launched before the host waits for the result
            if table.complete:
                return table, forest
            log.info("the ids are bunched: finding their slots by hashes")
            del table, forest  # free the memory for the next table
        expected = None if expected else estimate  # the caller's number may be wrong
    table = Slots(columns, others, backend, expected)
    return table, table.forest()


def _set_least_roots(
    flat: Forest, roots: Array, least: Array, ids: Array, labelled: bool
) -> tuple[Forest, SortedDecoder]:
    """Set the parents of a forest over sorted ids to the least vertices of the components.

    The parents of ``flat``, a forest over the n sorted ``ids``, are written. ``roots`` has the slot
    of the root of each id, and ``least`` has at this slot the least vertex of the tree. If
    ``labelled``, the decoding of all ids and labels starts before the host waits for the counts.
    Return ``flat`` with counts, and the decoder of its vertices.
    """
    set_roots = flat.backend.kernel(trees.assign_min_root, flat.vertex)
    set_roots(roots.size, roots, least, flat.parent)
    decoder = SortedDecoder.of(ids)
    if labelled:
        flat.backend.leave_arena()  # the answer outlives the run; calling it twice does no harm
        decoder.decode_ahead(flat.parent, flat.backend)
    flat.count()
    return flat, decoder


def _spread_evenly(columns: list[Array], ids: IdRange, backend: Backend) -> bool:
    """Return whether a sample of the ids is evenly distributed over parts of their range."""
    if sum(column.size for column in columns) <= ESTIMATED_IDS:
        return False
    words = (1 << kernel_places.SEEN_BITS) // 32  # a bit set, by which equal ids count once
    seen = backend.fill(backend.empty(words, np.uint32), 0)
    counts = backend.fill(backend.empty(PARTS, np.uint32), 0)
    count_parts = backend.kernel(kernel_places.count_parts, ids.sign)
    home_slots = _home_slot_parameters(ids, PARTS)
    sample_size = min(SPREAD_SAMPLE, max(column.size for column in columns))
    for column in columns:
        step = max(column.size // sample_size, 1)
        count_parts(min(sample_size, column.size), column, step, *home_slots, seen, counts)
    part_counts = backend.to_host(counts)  # the number of distinct ids in each part
    distinct = int(part_counts.sum())
    is_even = int(part_counts.max()) * PARTS <= UNEVEN * distinct
    return is_even and distinct > sample_size // 4  # few distinct ids would show nothing


def bytes_of_order(slots: int, ids: int, vertex_bytes: int) -> int:
    """Return the maximum bytes of a forest over slots and of :meth:`SlotTable.finalise_order`.

    The bytes of the table and of the columns of slots are not included.
    """
    # A slot takes memory for bits, a parent and a least vertex. An id takes memory for its slot,
    # root, id and rank during the sort, and for its parent.
    return slots * (1 + 2 * vertex_bytes) + ids * (40 + vertex_bytes)


def _home_slot_parameters(ids: IdRange, slots: int) -> tuple[int, int, int, int]:
    """Return low, span, shift and share, from which kernels/id_place.py computes home slots.

    ``slots`` is the number of home slots. An id at a distance of d from the least id has the home
    slot ``(d >> shift) * share >> 32``.
    """
    span = ids.high - ids.low
    shift = max(span.bit_length() - 32, 0)
    share = (slots << 32) // ((span >> shift) + 1)
    return as_word(ids.low + ids.sign), as_word(span), shift, as_word(share)


def _estimate_ids(columns: list[Array], backend: Backend) -> int:
    """Return an estimate of the number of distinct ids by HyperLogLog.

    For short columns, return the number of rows.
    """
    rows = sum(int(column.size) for column in columns)
    if rows <= ESTIMATED_IDS:
        return rows
    registers = backend.fill(backend.empty(kernel_ids.REGISTERS, np.uint32), 0)
    for column in columns:
        backend.kernel(kernel_ids.update_registers)(column.size, column, registers)
    ranks = backend.to_host(registers).astype(np.float64)
    size = kernel_ids.REGISTERS
    # The correction of the bias, and 2.5 below, are those of Flajolet et al. (2007).
    alpha = 0.7213 / (1 + 1.079 / size)
    estimated = alpha * size**2 / np.exp2(-ranks).sum()
    empty = int((ranks == 0).sum())
    if estimated <= 2.5 * size and empty:  # linear counting is more exact for few ids
        estimated = size * math.log(size / empty)
    return min(rows, int(estimated) + 1)


def _check_growth(size: int, backend: Backend) -> None:
    """Raise a CapacityError unless a table of ``size`` slots fits into memory."""
    needed, free = SLOT_BYTES * size, backend.free_bytes()
    if needed > free:
        raise CapacityError(
            f"the hash table of ids is full and would grow to {size:,} slots, {needed / GIB:,.1f}"
            f" GiB, but {free / GIB:,.1f} GiB are free"
        )


def slots_for(ids: int) -> int:
    """Return the number of slots of a table for a number of ids, at a load factor of 0.6."""
    return max(32, int(SLOTS_PER_ID * ids))
