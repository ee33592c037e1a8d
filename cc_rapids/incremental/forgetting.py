"""Removal of edges and vertices: only components that may have split are solved again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..errors import CapacityError, InputError, UnknownVertexError, counted, inflected
from ..graph.forest import Forest
from ..ids.arrival_table import ArrivalTable
from ..ids.growing import Integers, Range, check_kind, inverse, without_others
from ..ids.range import bounds
from ..kernels import find
from ..kernels import forgetting as kernels
from ..kernels.primitives import WORD
from ..ledger import Ledger
from . import inputs
from . import state as batches
from .expiry import Times, one_time
from .kept import MOST, KeptForest, forest_of
from .labelled import EdgeEnds, Labels, edge_ends
from .removed import pair_keys, renumbered, with_removed, without_inserted
from .state import ConnectivityState, roots

Pieces = Iterator[tuple[EdgeInput, Times | None]]  # edges, with their expiry times if any

SPARE = 8  # the index of pairs has room for one more edge per this many edges
SCANS = 8  # scans of the kept forest that take as long as building the index of its pairs
DENSE = 16  # link or label all edges if touched components have over 1 / DENSE of the vertices
ROOM = 1 << 12  # the least space for edges of touched components


def remove_pairs(
    state: ConnectivityState, given: EdgeInput, remaining: Callable[[], Pieces] | None, missing: str
) -> ConnectivityState:
    """Return the state without the edges between pairs of vertices; see Connectivity.remove."""
    if state.forest.n > MOST:
        raise CapacityError(
            f"edges can be removed among at most 2^32 vertices, but there are {state.forest.n:,}:"
            " run components() on the edges that are left"
        )
    check_kind(state.index, given)
    backend, vertex = state.backend, state.forest.vertex
    with inputs.BorrowedBatch(backend, given) as columns:
        (src, src_known), (dst, dst_known) = (
            state.index.lookup(each, backend) for each in columns[:2]
        )
        pairs = backend.empty(src.size, np.uint64)
        counts = backend.fill(backend.empty(2, np.uint64), 0)
        note = backend.kernel(kernels.note_pairs, vertex, backend.kernel(find.naive))
        masks = src_known.view(np.uint8), dst_known.view(np.uint8)
        note(src.size, src, dst, *masks, state.forest.parent, pairs, counts)
        pairs.sort()
        backend.kernel(kernels.count_distinct)(pairs.size, pairs, counts)
        not_connected, distinct = map(int, backend.to_host(counts))
        if not_connected and missing == "raise":
            _raise_not_connected(state, given, columns)
    after = _Removal(state, pairs, backend.empty(0, np.int64), distinct).run(remaining)
    return replace(after, ledger=state.ledger.taking_out("removed", distinct))


def _raise_not_connected(state: ConnectivityState, given: EdgeInput, columns: list[Any]) -> None:
    """Raise an UnknownVertexError that counts the pairs of vertices that are not connected."""
    src, dst, is_edge = _vertices_of_pairs(state, given, columns)
    rows = state.backend.xp.flatnonzero(is_edge)
    is_edge[rows] = roots(state, src[rows]) == roots(state, dst[rows])
    _check_lookup(
        is_edge, state.backend, "pairs", ("is not an edge so far", "are not edges so far"), columns
    )


def remove_vertices(
    state: ConnectivityState, given: EdgeInput, remaining: Callable[[], Pieces] | None, missing: str
) -> ConnectivityState:
    """Return the state without some vertices; see Connectivity.remove_vertices."""
    _check_droppable(state, "remove_vertices()")
    backend = state.backend
    with inputs.BorrowedBatch(backend, given) as columns:
        vertices, _, valid = _vertices_of_pairs(state, given, columns)
        if missing == "raise":
            _check_lookup(
                valid,
                backend,
                "ids",
                ("is not a vertex so far", "are not vertices so far"),
                columns[:1],
            )
        vertices, no_pairs = vertices[valid], backend.empty(0, np.uint64)
        removal = _Removal(state, no_pairs, vertices, vertices.size)
        after = removal.run(remaining)
        return _without(after, removal.gone.view(bool)) if vertices.size else after


def expire(state: ConnectivityState, before: Any, drop_isolated: bool) -> ConnectivityState:
    """Return the state without edges that expire before a time; see Connectivity.expire."""
    kept, n = state.kept, state.forest.n
    assert kept is not None
    if drop_isolated:
        _check_droppable(state, "drop_isolated=True")
    if not kept.kind:
        raise InputError(
            "no edges were inserted, so the type of expiry times is unknown: insert edges first"
        )
    with state.backend.scope():
        cut = one_time(before, kept.kind)
        kept = replace(kept, cut=cut if kept.cut is None else max(cut, kept.cut))
        after = replace(state, kept=kept, removals=state.removals + 1)
        rows = state.backend.xp.flatnonzero(~kept.valid(kept.until, state.backend))
        if rows.size:
            ledger = state.ledger.taking_out("expired", int(rows.size))
            kept = kept.expired(rows, state.backend)
            forest = batches.trees_of(n, kept.src, kept.dst, state.backend)
            after = replace(after, kept=kept, forest=forest, ledger=ledger)
        if not drop_isolated:
            return after
        isolated = state.backend.xp.ones(n, bool)
        isolated[kept.src], isolated[kept.dst] = False, False
        return _without(after, isolated)


def insert_kept(
    state: ConnectivityState, pieces: Iterable[tuple[EdgeInput, Times | None]], free: bool
) -> ConnectivityState:
    """Return the state after batches with a kept forest, each with its times if any."""
    for given, times in pieces:
        old = inputs.placed_for(state, given, free)
        with inputs.BorrowedBatch(old.backend, given) as columns:
            named, (src, dst, *_) = batches.with_vertices(old, given, columns, copied=False)
            named = replace(named, ledger=named.ledger.plus(given.rows))
            state = joined(named, src, dst, times)
            state.ledger.check()
    return state


def joined(
    state: ConnectivityState, src: Array, dst: Array, times: Times | None = None
) -> ConnectivityState:
    """Return the state after a batch of edges between vertices; forest edges are kept."""
    kept, backend, size = state.kept, state.backend, src.size
    ledger = state.ledger.plus(Ledger(linked=size))
    assert kept is not None
    until = None
    if times is not None:
        kept, until = replace(kept, kind=times.kind), backend.asarray(times.values)
        valid = kept.valid(until, backend)
        src, dst, until = src[valid], dst[valid], until[valid]
        ledger = ledger.taking_out("expired", size - src.size)
    removed = state.removed
    if removed is not None:
        removed = without_inserted(removed, src, dst, backend)
    batch, n = state.batches + 1, state.forest.n
    if kept.until is None:  # keep edges between different trees, as edges between roots
        tops = roots(state, src), roots(state, dst)
        rows = backend.xp.flatnonzero(tops[0] != tops[1])
        rows = rows[forest_of(tops[0][rows], tops[1][rows], None, n, backend)]
        src, dst = src[rows], dst[rows]
        kept = kept.with_edges(src, dst, None, backend)
    elif src.size and kept.merges(src.size, n):
        kept = kept.merged(src, dst, until, n, backend)
    elif src.size:
        kept = kept.with_edges(src, dst, until, backend).lasting(n, backend)
    forest = batches.grown(state.forest, n)
    batches.link(forest, None, src, dst)
    backend.synchronize()
    edges, after = state.edges + size, replace(state, kept=kept, forest=forest, removed=removed)
    return replace(after, edges=edges, batches=batch, ledger=ledger)


@dataclass
class _Removal:
    """The removal of given edges, or of all edges of given vertices, from a state.

    Components that lose an edge are touched. If they have few vertices, one pass over the remaining
    edges finds their edges by a bit per vertex and skips all other edges. If they have many, all
    edges are linked again, which takes as long as solving the graph from scratch.

    Attributes
    ----------
    pairs : (k,) array of uint64
        The sorted keys of the edges to remove; all bits are set for pairs that remove nothing.
    vertices : (j,) array of int64
        The vertices to remove with all of their edges.
    count : int
        The number of distinct pairs, or of vertices.
    """

    state: ConnectivityState
    pairs: Array
    vertices: Array
    count: int
    _made: dict[bool, tuple[Array, int]] = field(default_factory=dict)  # results of _words()

    @cached_property
    def listed(self) -> Array:
        """The sorted keys of these pairs and of pairs that were removed before."""
        return with_removed(self.state.removed, self.pairs, self.state.backend)

    @property
    def has_earlier(self) -> bool:
        """True if pairs were removed before and not inserted again."""
        return self.state.removed is not None and self.state.removed.size > 0

    @cached_property
    def _sets(self) -> tuple[Array, Array, Array]:
        """A mask of vertices to remove, and bit sets of the ends of pairs and of touched roots.

        The mask is empty if no vertices are removed, the first bit set if no pairs are left out.
        """
        backend, forest = self.state.backend, self.state.forest
        size, gone = -(-forest.n // WORD), backend.unused(np.uint8)
        bits = backend.fill(backend.empty(2 * size, np.uint32), 0)
        ends, touched = bits[:size], bits[size:]
        climb = backend.kernel(find.naive)
        touch = backend.kernel(kernels.touch_pairs, forest.vertex, climb)
        if self.has_earlier:  # only their ends: their trees are not touched
            earlier, unread = self.state.removed, backend.fill(backend.empty(size, np.uint32), 0)
            touch(earlier.size, earlier, forest.parent, ends, unread)
        if self.vertices.size:
            gone = backend.fill(backend.empty(forest.n, np.uint8), 0)
            ends = ends if self.has_earlier else backend.unused(np.uint32)
            touch = backend.kernel(kernels.touch_vertices, forest.vertex, climb)
            touch(self.vertices.size, self.vertices, forest.parent, gone, touched)
        else:
            touch(self.pairs.size, self.pairs, forest.parent, ends, touched)
        return gone, ends, touched

    @property
    def gone(self) -> Array:
        """A mask of the vertices to remove."""
        return self._sets[0]

    @property
    def ends(self) -> Array:
        """The bit set of the ends of the listed pairs, which rules out most other edges."""
        return self._sets[1]

    @property
    def touched(self) -> Array:
        """The bit set of the roots of the touched components."""
        return self._sets[2]

    @cached_property
    def _reset(self) -> tuple[Array, Forest, int]:
        """The roots before, trees without touched components, and the number of their vertices."""
        backend, forest = self.state.backend, self.state.forest
        before, after = backend.empty(forest.n, forest.vertex), Forest(backend, forest.n, True)
        count = backend.fill(backend.empty(1, np.uint64), 0)
        singles = backend.kernel(kernels.singles, forest.vertex, backend.kernel(find.naive))
        singles(forest.n, forest.parent, self.touched, before, after.parent, count)
        return before, after, int(backend.to_host(count)[0])

    @property
    def before(self) -> Array:
        """The root of each vertex before the removal."""
        return self._reset[0]

    @property
    def touches_few(self) -> bool:
        """True if the touched components have few of the vertices."""
        return self._reset[2] * DENSE <= self.state.forest.n

    def run(self, remaining: Callable[[], Pieces] | None) -> ConnectivityState:
        """Return the state after the removal; raise an InputError if it needs a missing list."""
        state = replace(self.state, removals=self.state.removals + 1)
        if not self.count:
            return state
        state = replace(state, removed=self.listed)
        removed_rows = None
        if state.kept is not None:
            forest_left, removed_rows = self._of_forest(state.kept)
            if not removed_rows.size:  # all removed edges are outside the kept forest
                return replace(state, kept=forest_left)
        reduced = self._reduced(state, removed_rows)
        if remaining is None or self.vertices.size:  # removed pairs always split a tree
            split_count = self._count_splits(reduced)
            if not split_count:
                return reduced
        if remaining is None:
            raise InputError(
                f"{counted(split_count, 'component')} may split, which depends on the edges that"
                " are left: pass them as remaining= (removed edges among them are skipped)"
            )
        labels = None
        if not self.touches_few:
            relinks, names = reduced.kept is None, reduced.forest.parent
            if relinks and self.has_earlier:  # no root may stand for an end of a listed pair
                names = reduced.backend.xp.arange(reduced.forest.n)
            labels = Labels.of(names, self.gone, reduced.backend)
            if relinks:
                return self._relink(reduced, remaining(), labels)
        between = _Between(reduced)
        for given, times in remaining():
            check_kind(reduced.index, given)
            with inputs.BorrowedBatch(reduced.backend, given) as columns:
                _check_rows(given, columns)
                between.add(*self._between(reduced, given, columns, times, labels))
        return between.joined()

    def _of_forest(self, kept: KeptForest) -> tuple[KeptForest, Array]:
        """Return the kept forest, and the rows to remove from it.

        If only pairs outside the forest are removed again and again, an index of its pairs is
        built. Later removals then look up their pairs instead of scanning the forest.
        """
        backend = self.state.backend
        if not self.vertices.size and kept.pairs is not None:
            return kept, kept.rows_of(self.pairs, backend)
        removed_rows = backend.xp.flatnonzero(self._is_removed_edge(kept.src, kept.dst))
        if not (removed_rows.size or self.vertices.size):
            kept = replace(kept, scans=kept.scans + 1)
            if kept.scans >= SCANS:
                kept = replace(kept, pairs=_table_of(kept, backend))
        return kept, removed_rows

    def _reduced(self, state: ConnectivityState, removed_rows: Array | None) -> ConnectivityState:
        """Return the state without reading edges: the kept forest, or no edges without one."""
        backend, kept, forest = state.backend, state.kept, self._reset[1]
        reduced = replace(state, forest=forest)
        if kept is None or removed_rows is None:
            return reduced
        kept = kept.without(removed_rows, backend)
        batches.link(forest, None, kept.src, kept.dst)
        forest.flatten()
        return replace(reduced, kept=kept)

    def _count_splits(self, reduced: ConnectivityState) -> int:
        """Return how many components have split, not counting removed vertices."""
        backend, parent = reduced.backend, reduced.forest.parent
        roots = backend.empty(parent.size, np.uint8)
        mark = backend.kernel(kernels.mark_roots)
        mark(parent.size, parent, self.before, self.touched, self.gone, roots)
        trees = self.before[backend.xp.flatnonzero(roots.view(bool))]
        return int((backend.xp.unique(trees, return_counts=True)[1] > 1).sum())

    def _is_removed_edge(self, src: Array, dst: Array) -> Array:
        """Return a mask of the edges between vertices that are removed."""
        backend = self.state.backend
        marks = backend.empty(src.size, np.uint8)
        mark = backend.kernel(kernels.mark_removed, backend.kernel(kernels.is_listed))
        mark(src.size, src, dst, self.gone, self.ends, self.listed, marks)
        return marks.view(bool)

    def _relink(
        self, reduced: ConnectivityState, pieces: Pieces, labels: Labels
    ) -> ConnectivityState:
        """Return the state after linking all remaining edges.

        Nearly all of them are needed, so selecting them first would take longer than it saves.
        """
        backend, forest = reduced.backend, reduced.forest
        listed = backend.kernel(kernels.is_listed)
        write = backend.kernel(kernels.write_ends, forest.vertex, labels.dtype, listed)
        for given, _ in pieces:
            check_kind(reduced.index, given)
            with inputs.BorrowedBatch(reduced.backend, given) as columns:
                _check_rows(given, columns)
                given_ends = edge_ends(reduced.index, columns[:2], backend)
                ends = [backend.empty(given_ends.size, forest.vertex) for _ in range(2)]
                never_inserted = backend.new_flag()
                flag = never_inserted.value, never_inserted.word
                write(given_ends.size, *labels.at(given_ends), self.ends, self.listed, *ends, *flag)
                if never_inserted.read_async()():
                    self._check(given, columns, None)
                batches.link(forest, None, *ends)
                crossing = backend.new_flag()
                flag = crossing.value, crossing.word
                note = backend.kernel(kernels.note_crossing)
                note(forest.n, forest.parent, self.before, *flag)
                if crossing.read_async()():
                    self._check(given, columns, None)
        return reduced

    def _between(
        self,
        reduced: ConnectivityState,
        given: EdgeInput,
        columns: list[Any],
        times: Times | None,
        labels: Labels | None,
    ) -> tuple[Array, Array, Array | None]:
        """Return the edges between two of the remaining trees, and their times if any.

        Without labels, few vertices are touched, and only their edges are looked up.
        """
        backend, kept = self.state.backend, self.state.kept
        ends, until = edge_ends(reduced.index, columns[:2], backend), None
        if labels is None:
            rows = self._rows_of_touched(ends)
        else:
            marks = backend.empty(ends.size, np.uint8)
            mark = backend.kernel(kernels.mark_between, labels.dtype)
            mark(ends.size, *labels.at(ends), marks)
            rows = backend.xp.flatnonzero(marks.view(bool))
        if times is not None and kept is not None:
            until = backend.asarray(times.values)[rows]
            valid = kept.valid(until, backend)
            rows, until = rows[valid], until[valid]
        src, dst, all_known = ends.vertices(rows)
        if not all_known:
            self._check(given, columns, times)
        stays = ~self._is_removed_edge(src, dst)
        if labels is None:
            parent = reduced.forest.parent
            stays &= parent[src] != parent[dst]
        if not bool(stays.all()):
            src, dst, until = src[stays], dst[stays], None if until is None else until[stays]
        if bool((self.before[src] != self.before[dst]).any()):
            self._check(given, columns, times)
        return src, dst, until

    def _rows_of_touched(self, ends: EdgeEnds) -> Array:
        """Return the rows with an end in a touched component or an end that is not a vertex."""
        backend, (_, forest, touched) = self.state.backend, self._reset
        words, size = self._words(ends)
        room = min(ends.size, ROOM + DENSE * ends.size // max(forest.n, 1) * touched)
        select = backend.kernel(kernels.list_touched)
        while True:
            rows = backend.empty(room, np.int64)
            count = backend.fill(backend.empty(1, np.uint64), 0)
            select(ends.size, *ends.places, size, words, rows, count)
            listed = int(backend.to_host(count)[0])
            if listed <= room:
                break
            room = listed
        rows = rows[:listed]
        if self.state.kept is not None:
            rows.sort()  # the forest keeps the first of equal edges
        return rows

    def _words(self, ends: EdgeEnds) -> tuple[Array, int]:
        """Return the bits of touched vertices and unknown ids by slot, and the number of slots."""
        by_table = ends.slots is not None
        if by_table in self._made:
            return self._made[by_table]
        backend, (before, forest, _) = self.state.backend, self._reset
        size, base, ids = forest.n + 1, 0, backend.unused(np.uint64)
        vertices = backend.unused(forest.vertex)
        if ends.slots is not None:
            assert isinstance(ends.index, Integers)
            size, base, ids, vertices = ends.slots.size, ends.base, ends.index.arrived, ends.slots
        words = backend.empty(-(-size // WORD), np.uint32)
        backend.kernel(kernels.unknown_words)(words.size, size, forest.n, vertices, words)
        set_bits = backend.kernel(kernels.touch_slots)
        set_bits(forest.n, before, self.touched, ids, base, size, words)
        return self._made.setdefault(by_table, (words, size))

    def _check(self, given: EdgeInput, columns: list[Any], times: Times | None) -> None:
        """Raise an error that names the number of edges that were never inserted.

        Raises
        ------
        UnknownVertexError, InputError
            Edges have unknown vertices, or join two components.
        """
        state, backend = self.state, self.state.backend
        src, dst, occurs = _vertices_of_pairs(state, given, columns)
        valid = backend.xp.ones(src.size, bool)
        if times is not None and state.kept is not None:
            valid = state.kept.valid(backend.asarray(times.values), backend)
        _check_lookup(
            occurs | ~valid,
            backend,
            "edges of remaining=",
            ("has an end that is not a vertex so far", "have ends that are not vertices so far"),
            columns,
        )
        rows = backend.xp.flatnonzero(valid & occurs)
        rows = rows[~self._is_removed_edge(src[rows], dst[rows])]
        other = int((self.before[src[rows]] != self.before[dst[rows]]).sum())
        if other:
            raise InputError(
                f"{other:,} of {counted(src.size, 'edge')} of remaining="
                f" {inflected(other, 'joins', 'join')} two components, so"
                f" {inflected(other, 'it was', 'they were')} never inserted: insert such edges"
                " first"
            )
        raise given.changed()


def _check_rows(given: EdgeInput, columns: list[Any]) -> None:
    """Raise a LedgerError if the columns of remaining edges have missing or surplus rows."""
    column = columns[0][0] if isinstance(columns[0], list) else columns[0]
    given.rows._replace(linked=len(column)).check("remaining=")


def _table_of(kept: KeptForest, backend: Backend) -> Integers:
    """Return an index of the pairs of a kept forest, with room for more."""
    keys = pair_keys(kept.src, kept.dst, backend)
    if not keys.size:
        return Integers.empty(backend)
    low, high = bounds([keys], backend)
    table = ArrivalTable(keys, low, high, keys.size // SPARE, backend)
    return Integers(keys, table, low, high, keys.dtype)


class _Between:
    """Edges between the trees of a state; no other object refers to this state.

    Without a kept forest, edges are linked immediately. Otherwise, the edges of a spanning forest
    are linked at the end; at most n edges are stored, plus the latest piece.
    """

    def __init__(self, state: ConnectivityState) -> None:
        self.state, self.stored_edges = state, 0
        self.edges: list[tuple[Array, Array, Array | None]] = []

    def add(self, src: Array, dst: Array, until: Array | None) -> None:
        """Add edges, with their expiry times if any."""
        if self.state.kept is None:
            batches.link(self.state.forest, None, src, dst)
        elif src.size:
            self.edges.append((src, dst, until))
            self.stored_edges += src.size
        if self.stored_edges > self.state.forest.n:
            self.edges = [self._forest()]
            self.stored_edges = self.edges[0][0].size

    def _forest(self) -> tuple[Array, Array, Array | None]:
        """Return the maximum spanning forest by expiry time; ties go to the first edge."""
        state, xp = self.state, self.state.backend.xp
        src, dst, until = (
            None if parts[0] is None else xp.concatenate(parts)
            for parts in zip(*self.edges, strict=True)
        )
        assert src is not None
        assert dst is not None
        parent = state.forest.parent
        rows = forest_of(parent[src], parent[dst], until, state.forest.n, state.backend)
        return src[rows], dst[rows], None if until is None else until[rows]

    def joined(self) -> ConnectivityState:
        """Return the state after linking these edges."""
        state = self.state
        if self.edges and state.kept is not None:
            src, dst, until = self._forest()
            state = replace(state, kept=state.kept.with_edges(src, dst, until, state.backend))
            batches.link(state.forest, None, src, dst)
        state.backend.synchronize()
        return state


def _vertices_of_pairs(
    state: ConnectivityState, given: EdgeInput, columns: list[Any]
) -> tuple[Array, Array, Array]:
    """Return the vertices of both ends as int64 (0 if unknown), and a mask of the known rows."""
    check_kind(state.index, given)
    (src, src_known), (dst, dst_known) = (
        state.index.lookup(each, state.backend) for each in columns[:2]
    )
    valid = src_known & dst_known
    xp = state.backend.xp
    src, dst = (xp.where(valid, end, 0).astype(np.int64) for end in (src, dst))
    return src, dst, valid


def _check_lookup(
    valid: Array, backend: Backend, what: str, wrong: tuple[str, str], columns: list[Any]
) -> None:
    """Raise an UnknownVertexError that names the number of wrong rows, and the first.

    ``wrong`` says what is wrong with one row, and with several.
    """
    if bool(valid.all()):
        return
    where = np.flatnonzero(~backend.to_host(valid))
    first = " and ".join(str(inputs.id_at(column, int(where[0]))) for column in columns[:2])
    way = (
        "insert them first"
        if what.startswith("edges")
        else "missing='ignore' leaves out unknown ids"
    )
    raise UnknownVertexError(
        f"{where.size:,} of {valid.size:,} {what} {inflected(where.size, *wrong)}, first {first}:"
        f" {way}"
    )


def _check_droppable(state: ConnectivityState, what: str) -> None:
    """Raise an InputError if ``num_vertices`` fixes the vertices."""
    if isinstance(state.index, Range):
        raise InputError(
            f"{what} cannot drop vertices of num_vertices={state.index.n}, which are exactly 0 .."
            f" {state.index.n - 1}: pass vertices= instead of num_vertices=, or remove edges"
        )


def _without(state: ConnectivityState, removed: Array) -> ConnectivityState:
    """Return the state without some isolated vertices, renumbered in the order of the ids."""
    index, backend, kept = state.index, state.backend, state.kept
    if isinstance(index, Range) or not bool(removed.any()):
        return state
    stays = ~removed[index.places]
    at, number = backend.xp.flatnonzero(stays), backend.xp.cumsum(stays) - 1
    forest = Forest(backend, int(at.size), all_present=True)
    forest.parent[:] = number[state.flat().parent[at]]
    number = number[inverse(index.places, backend)]
    kept, number[removed] = kept and kept.among(number), -1
    pairs = renumbered(state.removed, number, backend)
    index = without_others(index, at, backend)
    return replace(state, index=index, forest=forest, kept=kept, removed=pairs)
