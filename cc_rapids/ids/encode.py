"""Scans of ids, their encodings as vertices 0 .. n - 1, and the choice of an encoding.

==============  ===================================================================================
as they are     vertex = id: a word for each id from 0 to the greatest
offset          vertex = id - the least id: a word for each id of the range
bit map         vertex = rank of the id: a bit for each id of the range, a word for each that occurs
bit map, paged  vertex = rank of the id: a bit for each id of the pages that occur
hash slots      vertex = slot of the id in a hash table: the range does not matter
sorted ids      vertex = rank of the id: if no hash table fits, or no kernel is compiled
==============  ===================================================================================

Strings are numbered in lexicographic order, so that the least vertex of a component is its
lexicographically least member. Their numbers are codes if 64 bits suffice
(:mod:`cc_rapids.ids.spelled`), and ranks otherwise (:mod:`cc_rapids.ids.strings`). Composite ids
become one number per row, in the order of the rows (:mod:`cc_rapids.ids.multi_column`).

Each encoding is one class: see :class:`IdEncoding`. ``ENCODINGS`` lists them from the fastest to
the slowest, and :func:`choose_encoding` returns the first one that is preferred and fits into
memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data.column import array_of_range
from ..data.edge_input import EdgeInput
from ..errors import CapacityError, InputError
from ..graph import memory_bound
from ..graph.edges import Edges
from ..graph.forest import SHARE, Forest
from ..graph.memory_bound import WIDER, word_for
from ..kernels import edges as rows_read
from ..kernels import id_bitmap, id_blocks, id_range, primitives
from .decoders import IdDecoder, OffsetDecoder, SortedDecoder
from .pages import RANKED, mark_ids, members_of, page_shift, ranked_bits
from .range import (
    ALL,
    ORDER_OF_TYPE,
    UNKNOWN_ORDER,
    EdgeOrder,
    IdRange,
    all_fit,
    check_range,
    common_type,
    last_of,
    limits_of,
    type_of,
)

if TYPE_CHECKING:
    from .hash_table import SlotTable

# Names in brackets are pages of docs/design/decisions.
SAMPLED_EDGES = 1 << 20  # min. edges whose range and order are estimated from a sample, see [ids]
ORDER_PROBES = 4096  # rows from which the order of a long list is estimated, see [order]
DESCENDING_SHARE = 7 / 8  # min. share of descending rows in a descending list
SCAN_EVERY = 32  # a sampled scan reads one of 32 blocks of rows
SMALL_RANGE = 1 << 20  # up to this size of the range, each id gets a word: 4 MiB, ids.jsonl
NUMPY_IDS = 2  # ids per row of a list: both ends
PAGED_ROWS = 1 << 16  # min. ids, with repetitions, whose pages are counted, see [ids]
WORDS_PER_END = 4  # max. words of a paged bit map per end of an edge, see [ids]
WORDS_PER_BYTE = 1  # max. ids of the range per byte of the list: 4 bytes of words per byte
GIB = 1 << 30
OFFSET_NAMES = "as they are", "offset"  # names for ids that start at 0, and for other ids
HASHED_NAME = "hash slots"
NO_RANGE = IdRange(0, -1, np.dtype(np.int64))  # for ids that are not integers
INTEGERS, STRINGS, COLUMNS = "integers", "strings", "columns"  # kinds of ids


class IdFacts(NamedTuple):
    """The facts by which an encoding is chosen: plain values, known before ids are encoded.

    Attributes
    ----------
    kind : {"integers", "strings", "columns"}
        Whether an id is an integer, a string, or a row of several columns.
    rows : int
        The number of ids in all columns, with repetitions.
    input_bytes : int
        The size of the columns.
    id_range : IdRange
        The range of integers; empty for strings and several columns.
    max_vertices, answer_bytes : int
        The largest possible number of distinct ids, and the bytes of two columns of that length.
    expected_vertices : int, optional
        The number of distinct ids, if the caller passed it. A wrong number only costs time.
    any_order : bool
        Whether an encoding may reorder the edges: no caller needs their rows, and the backend
        benefits.
    key_columns : int
        The number of columns of an id, if there are several.
    text_bytes, string_bytes : int
        The bytes of strings that are encoded as integers, and the bytes of columns of strings.
    more_columns : bool
        Whether the caller passed vertices besides the endpoints of the edges.
    may_be_paged : bool
        Whether a bit map of pages may be faster than a hash table. This is so for long lists on
        threads, where one thread sorts the ids of the table, unless NumPy encodes the ids.
    pages, page_shift : int
        The number of pages that occur, and the binary logarithm of the number of ids of a page.
        Both are 0 if the pages were not counted.
    """

    kind: str
    rows: int
    input_bytes: int
    id_range: IdRange
    max_vertices: int
    answer_bytes: int = 0
    expected_vertices: int | None = None
    any_order: bool = False
    key_columns: int = 0
    text_bytes: int = 0
    string_bytes: int = 0
    more_columns: bool = False
    may_be_paged: bool = False
    pages: int = 0
    page_shift: int = 0

    @property
    def are_integers(self) -> bool:
        """True unless ids are strings or have several columns."""
        return self.kind == INTEGERS

    @property
    def order_of_slots(self) -> EdgeOrder:
        """The order of the edges after hashing: many edges may be sorted by blocks of slots."""
        may_be_sorted = self.any_order and not self.more_columns
        return EdgeOrder(blocked=may_be_sorted and self.max_vertices >= id_blocks.LEAST_IDS)


class ScannedIds(NamedTuple):
    """Columns whose ids were scanned, and the facts about them.

    Attributes
    ----------
    edge_input : EdgeInput
    columns : list
        The borrowed columns; integers are arrays on the backend.
    facts : IdFacts
    pages : array, optional
        The bits of the pages that occur, with ranks, if they were counted.
    """

    edge_input: EdgeInput
    columns: list[Any]
    facts: IdFacts
    pages: Array | None = None


@dataclass(frozen=True)
class EncodedIds:
    """Edges between vertices, a forest over the vertices, and the decoder to ids.

    If one launch has encoded and solved the edges, ``edges`` still has the caller's ids.

    Attributes
    ----------
    name : str
        The name of the encoding in summaries.
    expected_vertices : int
        The number of vertices that are likely to occur.
    decoder : IdDecoder or None
        None if the vertices are not in the order of the ids before the forest is solved.
    edge_order : EdgeOrder
        The order of the edges, estimated from some rows if there are many.
    """

    edges: Edges
    forest: Forest
    name: str
    expected_vertices: int
    decoder: IdDecoder | None = None
    edge_order: EdgeOrder = UNKNOWN_ORDER

    def finalise(self, forest: Forest, labelled: bool = False) -> tuple[Forest, IdDecoder]:
        """Return the solved forest over vertices in the order of the ids, and their decoder.

        Called only if there is no decoder yet. ``labelled`` means that the label frame is requested
        next; its inputs may then be computed before the trees are counted.
        """
        assert self.decoder is not None
        return forest, self.decoder


@dataclass(frozen=True, kw_only=True)
class NumberedIds(EncodedIds):
    """Encoded strings or composite ids: each id became a number, and the numbers were encoded.

    Attributes
    ----------
    numbers : EncodedIds
        The encoded numbers.
    decoder_of : callable
        Returns the decoder of the ids, given the decoder of the numbers and the solved forest.
    """

    numbers: EncodedIds
    decoder_of: Callable[[Any, Forest], IdDecoder]

    @classmethod
    def of(
        cls, name: str, numbers: EncodedIds, decoder_of: Callable[[Any, Forest], IdDecoder]
    ) -> NumberedIds:
        """Return the encoded ids, for numbers that the encoding ``name`` has made from them."""
        return cls(
            *(numbers.edges, numbers.forest, f"{name}, {numbers.name}", numbers.expected_vertices),
            edge_order=numbers.edge_order,
            numbers=numbers,
            decoder_of=decoder_of,
        )

    def finalise(self, forest: Forest, labelled: bool = False) -> tuple[Forest, IdDecoder]:
        solved, decoder = self.numbers.finalise(forest)
        return solved, self.decoder_of(decoder, solved)


class IdEncoding:
    """A mapping of ids to vertices; of integer ids unless stated otherwise.

    Attributes
    ----------
    name : str
        The name of the encoding in ``summary()["ids"]``.
    in_one_launch : bool
        Whether short lists are encoded by the launch that solves them.
    counts_by_range : bool
        Whether the number of vertices is the size of the range of the ids.
    """

    name: ClassVar[str]
    in_one_launch: ClassVar[bool] = False
    counts_by_range: ClassVar[bool] = False

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def is_preferred(self, facts: IdFacts) -> bool:
        """Return whether no later encoding of ``ENCODINGS`` is faster for these ids."""
        return False

    def accepts(self, facts: IdFacts) -> bool:
        """Return whether the encoding supports these ids."""
        return facts.are_integers

    def accepts_estimate(self, facts: IdFacts) -> bool:
        """Return whether the encoding can use an estimated range of the ids.

        Ids outside the range are then detected while their edges are linked.
        """
        return False

    def max_bytes(self, facts: IdFacts) -> int:
        """Return the maximum memory of the encoding and its forest, beyond input and answer."""
        raise NotImplementedError

    def name_for(self, facts: IdFacts) -> str:
        """Return the name of the encoding for these ids."""
        return self.name

    def reason(self, facts: IdFacts) -> str:
        """Return the reason for choosing the encoding, as text."""
        raise NotImplementedError

    def storage(self, facts: IdFacts) -> str:
        """Return how the ids are stored, as text that follows the bytes in an error."""
        raise NotImplementedError

    def encode(self, scanned: ScannedIds, backend: Backend) -> EncodedIds:
        """Allocate a forest, and encode the endpoints of all edges; the input is not changed."""
        raise NotImplementedError


class OffsetEncoding(IdEncoding):
    """Encoding with a word for each id of the range."""

    counts_by_range = True

    def is_preferred(self, facts: IdFacts) -> bool:
        ids = facts.id_range
        return ids.size <= max(SMALL_RANGE, WORDS_PER_BYTE * facts.input_bytes)

    def accepts_estimate(self, facts: IdFacts) -> bool:
        return True

    def max_bytes(self, facts: IdFacts) -> int:
        n = facts.id_range.size
        words = n + -(-n // SHARE)  # a parent for each id, and a rank for each SHARE of bits
        return words * (4 if n < 1 << 32 else 8) + n // 8  # and a bit for each id

    def name_for(self, facts: IdFacts) -> str:
        return OFFSET_NAMES[facts.id_range.low != 0]

    def reason(self, facts: IdFacts) -> str:
        return "close enough together"

    def storage(self, facts: IdFacts) -> str:
        return "with a word for each"

    def encode(self, scanned: ScannedIds, backend: Backend) -> EncodedIds:
        ids, vertices = scanned.facts.id_range, scanned.edge_input.vertices
        all_present = isinstance(vertices, range) and vertices == range(ids.low, ids.low + ids.size)
        forest = Forest(backend, ids.size, all_present)
        # Forest.count() marks the endpoints of edges, but no vertices of a range or a third column.
        if not all_present and (vertices or len(scanned.columns) > 2):
            _mark_vertices(scanned, forest.present, forest.out_of_range, backend)
        src, dst = scanned.columns[:2]
        edges, decoder = Edges(src, dst, ids.first), OffsetDecoder(ids.first, ids.dtype)
        name = OFFSET_NAMES[ids.low != 0]
        return EncodedIds(edges, forest, name, forest.n, decoder, ids.order)


class BitmapEncoding(IdEncoding):
    """Encoding by ranks in a bit map over the range."""

    name = "bit map"

    def is_preferred(self, facts: IdFacts) -> bool:
        return self.accepts(facts) and _bit_map_is_small(facts.id_range.size, facts)

    def accepts(self, facts: IdFacts) -> bool:
        return facts.are_integers and facts.max_vertices < 1 << 32

    def max_bytes(self, facts: IdFacts) -> int:
        n, rows, max_vertices = facts.id_range.size, facts.rows, facts.max_vertices
        word = word_for(max_vertices)
        vertex_bytes = word + facts.id_range.dtype.itemsize + 1
        # The plain bits and their ranks are freed before vertices and ids are allocated.
        return n // RANKED + max(n // 8 + n // 64, rows * word + max_vertices * vertex_bytes)

    def reason(self, facts: IdFacts) -> str:
        return "too far apart for a word each, but not for a bit"

    def storage(self, facts: IdFacts) -> str:
        return "with a bit for each"

    def encode(self, scanned: ScannedIds, backend: Backend) -> EncodedIds:
        ids, columns = scanned.facts.id_range, scanned.columns[:2]
        out_of_range = backend.fill(backend.empty(1, np.int64), 0)

        def mark(words: Array) -> None:
            """Set the bits of all ids."""
            for column in columns:
                mark_ids(column, ids, words, out_of_range, backend)
            _mark_vertices(scanned, words, out_of_range, backend)

        encoded = self._ranks(scanned, columns, ids, mark, backend)
        encoded.forest.out_of_range[:] = out_of_range
        return encoded

    def _ranks(
        self,
        scanned: ScannedIds,
        columns: list[Array],
        ids: IdRange,
        mark: Callable[[Array], None],
        backend: Backend,
        finish: Callable[[Array], Array] | None = None,
    ) -> EncodedIds:
        """Encode two columns as ranks among the members of a bit set over a range of ids.

        ``mark`` sets the bits of the members in an array of words; that of PagedEncoding also fills
        ``columns``. ``finish`` converts the members to ids, and may overwrite them.
        """
        ranked, n = ranked_bits(ids.size, mark, backend)
        forest = Forest(backend, n, all_present=True)
        write_ranks, ends = backend.kernel(id_bitmap.number_ranks), []
        for column in columns[:2]:
            ends.append(backend.empty(column.size, forest.vertex))
            write_ranks(column.size, column, ids.first, ids.size, n, ranked, ends[-1])
        members = members_of(ranked, n, ids.first, ids.dtype, backend)
        if finish:
            members = finish(members)
        edges, decoder = Edges(ends[0], ends[1], 0), SortedDecoder.of(members)
        order = scanned.facts.id_range.order
        return EncodedIds(edges, forest, self.name, n, decoder, order)


class PagedEncoding(BitmapEncoding):
    """Encoding by ranks in a bit map over the pages that occur, for ids in clusters."""

    name = "bit map, paged"

    def is_preferred(self, facts: IdFacts) -> bool:
        """Return whether bits cost less time than a hash table.

        Three reads of maps that are mostly in the cache replace one search in a table that is not,
        and nothing is sorted. But each word of the pages is read three times: to count the bits, to
        rank them and to list them.
        """
        words = (facts.pages << facts.page_shift) // primitives.WORD
        return self.accepts(facts) and words <= WORDS_PER_END * facts.rows

    def accepts(self, facts: IdFacts) -> bool:
        return facts.page_shift > 0

    def max_bytes(self, facts: IdFacts) -> int:
        all_pages, max_vertices = facts.id_range.size >> facts.page_shift, facts.max_vertices
        bits = facts.pages << facts.page_shift
        vertex_bytes = 4 + facts.id_range.dtype.itemsize + 1
        maps = all_pages // RANKED + bits // RANKED
        ranks = 4 * facts.rows + 4 * facts.pages + max_vertices * vertex_bytes
        # The plain bits are freed before the ranks are allocated; the positions stay.
        positions = 4 * facts.rows
        return maps + max(bits // 8 + bits // 64, ranks) + positions

    def reason(self, facts: IdFacts) -> str:
        return (
            f"they lie in {facts.pages:,} pages of {1 << facts.page_shift:,} integers, so that bits"
            " are cheaper than a hash table"
        )

    def storage(self, facts: IdFacts) -> str:
        return f"with a bit for each in the {facts.pages:,} pages that occur"

    def encode(self, scanned: ScannedIds, backend: Backend) -> EncodedIds:
        facts, pages = scanned.facts, scanned.pages
        assert pages is not None
        ids, shift, size = facts.id_range, facts.page_shift, facts.pages << facts.page_shift
        find_positions, positions = backend.kernel(id_bitmap.place_in_pages), []

        def mark(words: Array) -> None:
            """Set the bits of all ids; store the position of each id among the pages' bits."""
            for column in _all_columns(scanned, backend):
                positions.append(backend.empty(column.size, np.uint32))
                map_of_pages = ids.first, ids.size, shift, pages
                find_positions(column.size, column, *map_of_pages, words, positions[-1])

        def expand(members: Array) -> Array:
            """Return the ids at positions, in the same memory."""
            page_numbers = members_of(pages, facts.pages, 0, np.dtype(np.uint32), backend)
            write, ids_of_members = backend.kernel(id_bitmap.ids_of_places), members.view(ids.dtype)
            write(members.size, members, page_numbers, ids.first, shift, ids_of_members)
            return ids_of_members

        # a position may exceed a signed type, but fits the unsigned type of the same width
        in_pages = IdRange(0, size - 1, np.dtype(f"u{ids.dtype.itemsize}"))
        return self._ranks(scanned, positions, in_pages, mark, backend, expand)


class HashEncoding(IdEncoding):
    """Encoding by slots of a hash table."""

    name = HASHED_NAME
    in_one_launch = True

    def is_preferred(self, facts: IdFacts) -> bool:
        return True

    def accepts_estimate(self, facts: IdFacts) -> bool:
        min_size = facts.id_range.least_size  # bit maps, which may be faster, need the exact range
        return not (_bit_map_is_small(min_size, facts) or _page_shift(min_size, facts))

    def max_bytes(self, facts: IdFacts) -> int:
        from .hash_table import bytes_of_order, slots_for

        n = facts.max_vertices
        word, slots = word_for(n), slots_for(n)
        return 8 * slots + facts.rows * word + bytes_of_order(slots, n, word)

    def reason(self, facts: IdFacts) -> str:
        return "too far apart for a word or a bit each"

    def storage(self, facts: IdFacts) -> str:
        return f"in a hash table of the {facts.max_vertices:,} that may occur"

    def encode(self, scanned: ScannedIds, backend: Backend) -> EncodedIds:
        from .hash_table import slots_of_edges

        ids = scanned.facts.id_range
        other_vertices = _all_columns(scanned, backend)[2:]
        expected = scanned.facts.expected_vertices
        expected = min(expected, scanned.facts.max_vertices) if expected else None
        table, forest = slots_of_edges(
            scanned.columns[:2], other_vertices, ids, backend, expected, scanned.facts.any_order
        )
        edges = Edges(table.columns[0], table.columns[1], 0)
        order = EdgeOrder(blocked=table.in_blocks)
        return SlotsOfIds(
            edges,
            forest,
            self.name,
            table.expected_vertices,
            edge_order=order,
            table=table,
            dtype=ids.dtype,
        )


@dataclass(frozen=True, kw_only=True)
class SlotsOfIds(EncodedIds):
    """Encoded ids whose vertices are slots, renumbered in id order after the forest is solved."""

    table: SlotTable
    dtype: np.dtype[Any]

    def finalise(self, forest: Forest, labelled: bool = False) -> tuple[Forest, IdDecoder]:
        return self.table.finalise_order(forest, self.dtype, labelled)


class SortedEncoding(IdEncoding):
    """Encoding by ranks among the sorted distinct ids: the least memory, the longest time."""

    name = "sorted ids"

    def max_bytes(self, facts: IdFacts) -> int:
        n, id_bytes = facts.max_vertices, facts.id_range.dtype.itemsize
        word = word_for(n)
        # Bytes per end of an edge. Results of 8 bytes are only stored for one column at a time.
        sorting, vertices = 2 * id_bytes + 1, word + 4
        return facts.rows * (sorting + vertices) + n * (id_bytes + word + 1)

    def reason(self, facts: IdFacts) -> str:
        return "too far apart for a word or a bit each, and no table fits or is compiled"

    def storage(self, facts: IdFacts) -> str:
        return f"in order, of the {facts.max_vertices:,} that may occur"

    def encode(self, scanned: ScannedIds, backend: Backend) -> EncodedIds:
        xp, ids = backend.xp, scanned.facts.id_range
        columns = [
            column.astype(ids.dtype, copy=False) for column in _all_columns(scanned, backend)
        ]
        members = xp.concatenate(columns)
        members.sort()
        differs = xp.ones(members.size, bool)  # from the previous id
        differs[1:] = members[1:] != members[:-1]
        members = members[differs]
        forest = Forest(backend, members.size, all_present=True)
        ends = [xp.searchsorted(members, end).astype(forest.vertex) for end in columns[:2]]
        edges, decoder = Edges(ends[0], ends[1], 0), SortedDecoder.of(members)
        return EncodedIds(edges, forest, self.name, forest.n, decoder, ids.order)


class StringEncoding(IdEncoding):
    """Encoding by ranks of strings in lexicographic order."""

    name = "strings, factorised"
    SORTING_BYTES = 96  # bytes per endpoint for its vertex and for sorting
    COPIES = 3  # copies of all strings: concatenated, sorted, and as labels

    def accepts(self, facts: IdFacts) -> bool:
        return facts.kind == STRINGS

    def max_bytes(self, facts: IdFacts) -> int:
        return facts.rows * self.SORTING_BYTES + self.COPIES * facts.string_bytes

    def reason(self, facts: IdFacts) -> str:
        return "numbered in lexicographic order, by their bytes"

    def encode(self, scanned: ScannedIds, backend: Backend) -> EncodedIds:
        from .strings import factorise

        to_native = scanned.edge_input.src.to_native
        codes, decoder = factorise(scanned.columns, to_native, backend)
        src, dst = (backend.asarray(code) for code in codes[:2])
        forest = Forest(backend, decoder.size, all_present=True)
        return EncodedIds(Edges(src, dst, 0), forest, self.name, forest.n, decoder)


OFFSET, BITMAP, HASHED = OffsetEncoding(), BitmapEncoding(), HashEncoding()
PAGED, SORTED = PagedEncoding(), SortedEncoding()
ENCODINGS: tuple[IdEncoding, ...] = (OFFSET, BITMAP, PAGED, HASHED, SORTED, StringEncoding())


def id_range_of(
    given: EdgeInput, arrays: list[Array], backend: Backend, exact: bool = True
) -> IdRange:
    """Return the range of the ids in the arrays, and in ``given.vertices`` if this is a range.

    The range is 0 .. -1 if there are no ids. Unless ``exact``, long columns are not read
    completely: the range is the one that the caller passed as ``num_vertices``, or the range of
    some rows, slightly widened. Ids outside it are detected when their edges are linked.
    """
    dtypes = tuple(map(attrgetter("dtype"), arrays))
    _, least, greatest, integers = common_type(dtypes)
    exact, is_dense = exact or not integers, given.vertices_are_dense_range
    if is_dense and not exact:  # the range is known, and only the order of the edges is estimated
        last = last_of(given)
        if all_fit(arrays, last):
            order = order_of(arrays[0], arrays[1], backend)
            return IdRange(0, last, type_of(dtypes, 0, last), False, order)
    exact = exact or is_dense or arrays[0].size < SAMPLED_EDGES
    low, high, order = _scan_bounds(arrays, backend, exact=exact)
    if given.vertices is not None or is_dense:
        low, high = _with_vertices(given, arrays, low, high, backend)
        least, greatest = limits_of(arrays)
        if not exact and not least <= low <= high <= greatest:  # beyond the type of the columns
            return id_range_of(given, arrays, backend, exact=True)
    margin = 0 if exact else (high - low) // WIDER + memory_bound.MARGIN_IDS
    if margin:  # stay within the type of the columns, and add no negative ids to ids from 0 on
        low, high = max(low - margin, least if low < 0 else 0), min(high + margin, greatest)
    return IdRange(low, high, type_of(dtypes, low, high), exact, order, margin)


def bounds(arrays: list[Array], backend: Backend) -> tuple[int, int]:
    """Return the least and the greatest id, or (0, -1) if all columns are empty.

    This takes one pass over the columns and one copy to the host.
    """
    low, high, _ = _scan_bounds(arrays, backend, exact=True, ordered=False)
    return low, high


def _scan_bounds(
    arrays: list[Array], backend: Backend, exact: bool, ordered: bool = True
) -> tuple[int, int, EdgeOrder]:
    """Return the least and the greatest id, and if ``ordered`` the estimated order of the list.

    The first two columns are read together if they have equal length and types of the same order.
    Unless ``exact``, only some of their rows are read.
    """
    # Each pass reads two columns. A column without a partner is its own partner.
    pairs = []
    for array in arrays:
        pairs.append((array, array, ORDER_OF_TYPE[array.dtype]))
    if len(arrays) > 1 and arrays[0].size == arrays[1].size and pairs[0][2] == pairs[1][2]:
        pairs[:2] = [(*arrays[:2], pairs[0][2])]
    src, dst, _ = pairs[0]
    is_long_pair = src is not dst and src.size >= SAMPLED_EDGES
    probes = min(ORDER_PROBES, src.size) if ordered and is_long_pair else 0
    # Two bounds per pair, which are minima, and two counts of the order, which wrap around to 0.
    results = backend.fill(backend.alloc_readback(2 * len(pairs) + 2), 0xFF)
    for k, (left, right, order_of_words) in enumerate(pairs):
        sampled = not exact and left is not right
        rows = rows_read.sampled_count(left.size, SCAN_EVERY) if sampled else left.size
        row_index = (rows_read.sampled, SCAN_EVERY) if sampled else (rows_read.every,)
        factory_args = *order_of_words, backend.kernel(*row_index)
        bounds_of_pair = results[2 * k : 2 * k + 2]
        if probes and k == 0:  # the order is that of the first pair, the ends of the edges
            scan = backend.kernel(id_range.sampled_scan, *factory_args)
            step = left.size // probes
            scan(rows, probes, left.size, step, left, right, bounds_of_pair, results[-2:])
        else:
            backend.kernel(id_range.find_bounds, *factory_args)(rows, left, right, bounds_of_pair)
    words = backend.to_host(results).tolist()  # least id, complement of greatest id, ..., counts
    lows, highs = [], []
    for k, (_, _, (_, sign)) in enumerate(pairs):  # kernels add ``sign``: words are unsigned
        low, high = words[2 * k] - sign, ALL - words[2 * k + 1] - sign
        if low <= high:  # otherwise the columns are empty
            lows.append(low)
            highs.append(high)
    order = _order_of_counts(probes, words[-2:]) if probes else UNKNOWN_ORDER
    return min(lows, default=0), max(highs, default=-1), order


def order_of(src: Array, dst: Array, backend: Backend) -> EdgeOrder:
    """Return the order of the edges of a long list, estimated from some rows.

    It is unknown for one column as both ends, and for columns that kernels order differently.
    """
    wide, _ = order_of_words = ORDER_OF_TYPE[src.dtype]
    is_long = src is not dst and src.size >= SAMPLED_EDGES
    if not is_long or ORDER_OF_TYPE[dst.dtype] != order_of_words:
        return UNKNOWN_ORDER
    probes = min(ORDER_PROBES, src.size)
    counts = backend.fill(backend.alloc_readback(2), 0xFF)
    count_order = backend.kernel(id_range.sampled_order, wide)
    count_order(probes, src.size, src.size // probes, src, dst, counts)
    return _order_of_counts(probes, backend.to_host(counts).tolist())


def _order_of_counts(probes: int, counts: list[int]) -> EdgeOrder:
    """Return the order of a list, given how many of ``probes`` rows are near, and how many descend.

    The counts start at 2^64 - 1, because all bits of the array were set, and wrap around.
    """
    local, descending = (counts[0] + 1) & ALL, (counts[1] + 1) & ALL
    return EdgeOrder(local / probes, descending > DESCENDING_SHARE * probes)


def _with_vertices(
    given: EdgeInput, arrays: list[Array], low: int, high: int, backend: Backend
) -> tuple[int, int]:
    """Return the bounds ``low`` and ``high`` of the columns, extended by a range of vertices.

    Raises
    ------
    InputError
        The vertices are 0 .. n - 1, and some ids of the columns are outside.
    """
    vertices = given.vertices if isinstance(given.vertices, range) else range(0)
    n = len(vertices)
    if given.vertices_are_dense_range and low <= high and (low < 0 or high >= n):
        raise _error_outside(given, arrays, n, backend)
    if not vertices:
        return low, high
    check_range(vertices)
    ends = vertices[0], vertices[-1]
    if low <= high:
        return min(low, *ends), max(high, *ends)
    return min(ends), max(ends)


def _error_outside(given: EdgeInput, arrays: list[Array], n: int, backend: Backend) -> InputError:
    """Return the error that names the column with an id outside 0 .. n - 1."""
    for column, array in zip(given.columns, arrays, strict=True):
        low, high = bounds([array], backend)
        if low < 0 or high >= n:
            name, vertex = column.name, low if low < 0 else high
            break
    else:
        return given.changed()
    if given.row_offsets is not None:
        return InputError(
            f"{name!r} holds {vertex:,}, but an adjacency list of {n:,} rows has the vertices"
            f" 0..{n - 1:,}: add rows for all vertices, or pass a list of edges"
        )
    if n == 0:
        return InputError(f"column {name!r} holds the id {vertex}, but num_vertices=0 allows none")
    return InputError(
        f"column {name!r} holds the id {vertex}, outside 0..{n - 1} of num_vertices={n}: pass a"
        " larger number, or vertices="
    )


def scan_ids(
    edge_input: EdgeInput,
    columns: list[Any],
    backend: Backend,
    exact: bool = True,
    id_range: IdRange | None = None,
    expected_vertices: int | None = None,
    any_order: bool = False,
) -> ScannedIds:
    """Scan the columns borrowed from an input, and return the facts for choosing an encoding.

    Integers are copied to the backend if necessary. They are read for their range, unless
    ``id_range`` is passed. Unless ``exact``, the range may be an estimate from a sample of the
    rows. Strings and composite ids are not read. ``any_order`` allows encodings to reorder edges.

    Raises
    ------
    InputError
        Some ids are not below the ``num_vertices`` that the caller passed.
    """
    any_order = any_order and backend.finds_in_blocks and edge_input.row_offsets is None
    key_columns = len(edge_input.src.key_columns)
    of_any_kind: dict[str, Any] = {
        "expected_vertices": expected_vertices,
        "any_order": any_order,
        "key_columns": key_columns,
        "text_bytes": edge_input.text_bytes,
        "more_columns": len(columns) > 2,
    }
    if edge_input.src.strings or isinstance(columns[0], list):  # a list if ids have several columns
        rows = sum(column.size for column in edge_input.columns)
        facts = IdFacts(
            COLUMNS if key_columns else STRINGS,
            rows=rows,
            input_bytes=0,  # not read for this kind of ids
            id_range=NO_RANGE,
            max_vertices=rows,
            **of_any_kind,
        )
        return ScannedIds(edge_input, columns, facts)
    arrays = list(map(backend.asarray, columns))
    id_range = id_range or id_range_of(edge_input, arrays, backend, exact)
    vertices = edge_input.vertices
    rows = len(vertices) if isinstance(vertices, range) else 0
    input_bytes = 8 * rows  # a range of vertices counts like a column of int64
    for array in arrays:
        rows += array.size
        input_bytes += array.nbytes
    max_vertices = min(id_range.size, rows)
    answer_bytes = 2 * max_vertices * id_range.dtype.itemsize
    may_be_paged = not backend.on_device and rows >= PAGED_ROWS
    # NumPy sorts the ids of shorter lists, without a bit map: see choose_encoding().
    may_be_paged = may_be_paged and rows > NUMPY_IDS * backend.uncompiled_rows
    facts = IdFacts(
        INTEGERS,
        rows=rows,
        input_bytes=input_bytes,
        id_range=id_range,
        max_vertices=max_vertices,
        answer_bytes=answer_bytes,
        **of_any_kind,
        may_be_paged=may_be_paged,
    )
    return ScannedIds(edge_input, arrays, facts)


def choose_encoding(facts: IdFacts, free_bytes: int, uncompiled_rows: int = 0) -> IdEncoding:
    """Return the first encoding that is preferred and fits into memory, otherwise the smallest.

    For ids of several columns, callers take :data:`cc_rapids.ids.multi_column.MULTI_COLUMN`.

    Each id of a range of at most ``SMALL_RANGE`` gets a word, whatever memory is free. For larger
    ranges, NumPy sorts lists of at most ``uncompiled_rows`` rows (0 once kernels are compiled).

    Raises
    ------
    CapacityError
        No encoding fits into memory; the message has the bytes of each.
    """
    if facts.kind != INTEGERS:
        return next(encoding for encoding in ENCODINGS if encoding.accepts(facts))
    if facts.id_range.size <= SMALL_RANGE:
        return OFFSET
    free = free_bytes - facts.answer_bytes
    if facts.rows <= NUMPY_IDS * uncompiled_rows and SORTED.max_bytes(facts) <= free:
        return SORTED
    for encoding in ENCODINGS:
        if encoding.is_preferred(facts) and encoding.max_bytes(facts) <= free:
            return encoding
    choices = [encoding for encoding in ENCODINGS if encoding.accepts(facts)]
    smallest = min(choices, key=lambda encoding: encoding.max_bytes(facts))
    if smallest.max_bytes(facts) > free:
        raise _too_large(choices, facts, free_bytes)
    return smallest


def _too_large(choices: list[IdEncoding], facts: IdFacts, free: int) -> CapacityError:
    """Return the error if no encoding fits into memory."""
    ids = facts.id_range
    *others, last = [
        f"{(choice.max_bytes(facts) + facts.answer_bytes) / GIB:,.1f} GiB {choice.storage(facts)}"
        for choice in choices
    ]
    return CapacityError(
        f"the ids span {ids.size:,} values, from {ids.low:,} to {ids.high:,}: that takes"
        f" {', '.join(others)}, and {last}; {free / GIB:,.1f} GiB are free: free memory, or run"
        " where there is more (engine='threads' uses host memory)"
    )


def _bit_map_is_small(size: int, facts: IdFacts) -> bool:
    """Return whether a bit map of a range of ``size`` ids takes at most the bytes of the columns.

    If the ids encode strings that have more bytes, the limit is the bytes of the strings.
    """
    return size // 8 <= max(facts.input_bytes, facts.text_bytes)


def _page_shift(size: int, facts: IdFacts) -> int:
    """Return the binary logarithm of the size of a page, or 0 if pages would not save time."""
    if not facts.may_be_paged or _bit_map_is_small(size, facts):
        return 0
    return page_shift(size, facts.input_bytes)


def _mark_vertices(
    scanned: ScannedIds, words: Array, out_of_range: Array, backend: Backend
) -> None:
    """Add the vertices that the caller passed to a bit set over the range."""
    ids, vertices = scanned.facts.id_range, scanned.edge_input.vertices
    if isinstance(vertices, range) and vertices:
        mark_range = backend.kernel(id_bitmap.mark_range, ids.vertex)
        mark_range(len(vertices), vertices.start - ids.low, vertices.step, words)
    for column in scanned.columns[2:]:
        mark_ids(column, ids, words, out_of_range, backend)


def _all_columns(scanned: ScannedIds, backend: Backend) -> list[Array]:
    """Return the columns of all ids, including vertices that the caller passed as a range."""
    vertices = scanned.edge_input.vertices
    if not (isinstance(vertices, range) and vertices):
        return scanned.columns
    column = array_of_range(vertices, backend.xp)
    return [*scanned.columns, column.astype(scanned.facts.id_range.dtype, copy=False)]


def count_pages(scanned: ScannedIds, backend: Backend) -> ScannedIds:
    """Count the pages that occur, if a bit map over pages may be best, and return the scan."""
    facts = scanned.facts
    ids, shift = facts.id_range, _page_shift(facts.id_range.size, facts)
    if not (shift and ids.exact):  # shift is 0 if pages would not save time
        return scanned
    outside = backend.empty(1, np.int64)  # not read: no id is outside an exact range

    def mark(words: Array) -> None:
        for column in _all_columns(scanned, backend):
            mark_ids(column, ids, words, outside, backend, shift)

    ranked, pages = ranked_bits((ids.size >> shift) + 1, mark, backend)
    if pages << shift >= 1 << 32:  # positions among the bits of the pages have 32 bits
        return scanned
    return scanned._replace(facts=facts._replace(pages=pages, page_shift=shift), pages=ranked)
