"""Removal of edges and vertices: only components that may have split are solved again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..errors import CapacityError, InputError, UnknownVertexError, counted, inflected
from ..graph.forest import Forest
from ..ids.arrival_table import ArrivalTable
from ..ids.encode import bounds
from ..ids.growing import Integers, Range, check_kind, inverse, select_ids
from ..kernels import find
from ..kernels import forgetting as kernels
from ..kernels.primitives import WORD
from ..ledger import Ledger
from . import inputs
from . import state as batches
from .expiry import Times, one_time
from .kept import MAX_VERTICES, KeptForest, forest_of
from .labelled import EdgeEnds, Labels, edge_ends
from .removed import pair_keys, renumbered, with_removed, without_inserted
from .state import ConnectivityState, roots

Pieces = Iterator[tuple[EdgeInput, Times | None]]  # edges, with expiry times if there are any
Remaining = Callable[[], Pieces] | None  # reads remaining=; None if it was not passed

SPARE = 8  # a new index of pairs has space for 1 / SPARE more edges
SCANS = 8  # number of scans of the kept forest that take as long as building the index of its pairs
DENSE = 16  # edges are selected by vertex if at most 1 / DENSE of the vertices are touched
ROOM = 1 << 12  # min. space for edges of touched components


def remove_pairs(
    state: ConnectivityState, given: EdgeInput, remaining: Remaining, missing: str
) -> ConnectivityState:
    """Return the state without the edges between the pairs of vertices in ``given``."""
    if state.forest.n > MAX_VERTICES:
        raise CapacityError(
            f"edges can be removed among at most 2^32 vertices, but there are {state.forest.n:,}:"
            " run components() on the remaining edges"
        )
    check_kind(state.index, given)
    backend, vertex = state.backend, state.forest.vertex
    with inputs.BorrowedBatch(backend, given) as columns:
        (src, src_known), (dst, dst_known) = (
            state.index.lookup(column, backend) for column in columns[:2]
        )
        keys = backend.empty(src.size, np.uint64)
        counts = backend.fill(backend.empty(2, np.uint64), 0)
        write_keys = backend.kernel(kernels.write_removal_keys, vertex, backend.kernel(find.naive))
        masks = src_known.view(np.uint8), dst_known.view(np.uint8)
        write_keys(src.size, src, dst, *masks, state.forest.parent, keys, counts)
        keys.sort()  # so that equal keys are adjacent
        backend.kernel(kernels.count_distinct)(keys.size, keys, counts)
        not_connected, distinct = map(int, backend.to_host(counts))
        if not_connected and missing == "raise":
            _raise_not_connected(state, given, columns)
    after = _Removal(state, keys, backend.empty(0, np.int64), distinct).run(remaining)
    return replace(after, ledger=state.ledger.taking_out("removed", distinct))


def _raise_not_connected(state: ConnectivityState, given: EdgeInput, columns: list[Any]) -> None:
    """Raise an UnknownVertexError that counts the pairs of vertices that are not connected."""
    src, dst, valid = _vertices_of_pairs(state, given, columns)
    rows = state.backend.xp.flatnonzero(valid)  # the pairs of known ids
    valid[rows] = roots(state, src[rows]) == roots(state, dst[rows])
    wrong = "is not an edge so far", "are not edges so far"
    _check_lookup(valid, state.backend, "pairs", wrong, columns)


def remove_vertices(
    state: ConnectivityState, given: EdgeInput, remaining: Remaining, missing: str
) -> ConnectivityState:
    """Return the state without the vertices in ``given``, and without their edges."""
    _check_droppable(state, "remove_vertices()")
    backend = state.backend
    with inputs.BorrowedBatch(backend, given) as columns:
        vertices, _, valid = _vertices_of_pairs(state, given, columns)
        if missing == "raise":
            wrong = "is not a vertex so far", "are not vertices so far"
            _check_lookup(valid, backend, "ids", wrong, columns[:1])
        vertices, no_pairs = vertices[valid], backend.empty(0, np.uint64)
        removal = _Removal(state, no_pairs, vertices, vertices.size)
        after = removal.run(remaining)
        return _without_isolated(after, removal.gone.view(bool)) if vertices.size else after


def expire(state: ConnectivityState, before: Any, drop_isolated: bool) -> ConnectivityState:
    """Return the state, which has a kept forest, without the edges that expire before a time."""
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
        forest, ledger = state.forest, state.ledger
        rows = state.backend.xp.flatnonzero(~kept.valid(kept.until, state.backend))
        if rows.size:
            ledger = ledger.taking_out("expired", int(rows.size))
            kept = kept.without_expired(rows, state.backend)
            forest = batches.trees_of(n, kept.src, kept.dst, state.backend)
        removals = state.removals + 1
        after = replace(state, kept=kept, forest=forest, ledger=ledger, removals=removals)
        if not drop_isolated:
            return after
        isolated = state.backend.xp.ones(n, bool)
        isolated[kept.src], isolated[kept.dst] = False, False
        return _without_isolated(after, isolated)


def insert_kept(
    state: ConnectivityState, pieces: Iterable[tuple[EdgeInput, Times | None]], movable: bool
) -> ConnectivityState:
    """Return a state with a kept forest after the insertion of batches.

    ``movable`` tells whether the first batch determines the backend.
    """
    for given, times in pieces:
        old = inputs.placed_for(state, given, movable)
        with inputs.BorrowedBatch(old.backend, given) as columns:
            # link_kept() copies the trees
            extended, (src, dst, *_) = batches.with_vertices(old, given, columns, copied=False)
            extended = replace(extended, ledger=extended.ledger.plus(given.rows))
            state = link_kept(extended, src, dst, times)
            state.ledger.check()
    return state


def link_kept(
    state: ConnectivityState, src: Array, dst: Array, times: Times | None = None
) -> ConnectivityState:
    """Return a state with a kept forest after a batch of edges between vertices."""
    kept, backend, size, n = state.kept, state.backend, src.size, state.forest.n
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
    if kept.until is None:  # without times, only edges between different trees are kept
        src_root, dst_root = roots(state, src), roots(state, dst)
        rows = backend.xp.flatnonzero(src_root != dst_root)
        rows = rows[forest_of(src_root[rows], dst_root[rows], None, n, backend)]
        src, dst = src[rows], dst[rows]
        kept = kept.with_edges(src, dst, None, backend)
    elif src.size and kept.should_merge(src.size, n):
        kept = kept.merged(src, dst, until, n, backend)
    elif src.size:
        kept = kept.with_edges(src, dst, until, backend).maximum_forest(n, backend)
    forest = batches.grown(state.forest, n)
    batches.link(forest, None, src, dst)
    backend.synchronize()
    after = replace(state, kept=kept, forest=forest, removed=removed, ledger=ledger)
    return replace(after, edges=state.edges + size, batches=state.batches + 1)


@dataclass
class _Removal:
    """The removal of edges, or of vertices with all of their edges, from a state.

    A component that loses an edge is *touched*. If the touched components have few vertices, one
    pass over the remaining edges selects the edges of these vertices by a bit per vertex. If they
    have many vertices, it compares the trees of the ends of all edges, or, without a kept forest,
    links all edges, in the time of a solve from scratch. Either ``pairs`` or ``vertices`` is empty.
    """

    state: ConnectivityState
    # (k,) uint64: the sorted keys of the edges to remove; a key with all bits set removes nothing
    pairs: Array
    vertices: Array  # (j,) int64: the vertices to remove with all of their edges
    count: int  # the number of distinct pairs or vertices to remove
    # cached results of _touched_bits(): for the slots of a table if True, otherwise for vertices
    _cached_bits: dict[bool, tuple[Array, int]] = field(default_factory=dict)

    @cached_property
    def listed(self) -> Array:
        """The sorted keys of ``pairs`` and of the pairs that earlier removals removed."""
        return with_removed(self.state.removed, self.pairs, self.state.backend)

    @property
    def has_earlier(self) -> bool:
        """True if earlier removals removed pairs that were not inserted again."""
        return self.state.removed is not None and self.state.removed.size > 0

    @cached_property
    def _sets(self) -> tuple[Array, Array, Array]:
        """The arrays of the properties ``gone``, ``ends`` and ``touched``.

        ``gone`` is empty if no vertices are removed, and ``ends`` is empty if there are no pairs.
        """
        backend, forest = self.state.backend, self.state.forest
        words, gone = -(-forest.n // WORD), backend.unused(np.uint8)
        bits = backend.fill(backend.empty(2 * words, np.uint32), 0)
        ends, touched = bits[:words], bits[words:]
        climb = backend.kernel(find.naive)
        touch_pairs = backend.kernel(kernels.touch_pairs, forest.vertex, climb)
        if self.has_earlier:  # mark the ends of earlier pairs, but not their trees
            earlier = self.state.removed
            discarded = backend.fill(backend.empty(words, np.uint32), 0)
            touch_pairs(earlier.size, earlier, forest.parent, ends, discarded)
        if self.vertices.size:
            gone = backend.fill(backend.empty(forest.n, np.uint8), 0)
            ends = ends if self.has_earlier else backend.unused(np.uint32)  # no pairs
            touch_vertices = backend.kernel(kernels.touch_vertices, forest.vertex, climb)
            touch_vertices(self.vertices.size, self.vertices, forest.parent, gone, touched)
        else:
            touch_pairs(self.pairs.size, self.pairs, forest.parent, ends, touched)
        return gone, ends, touched

    @property
    def gone(self) -> Array:
        """A mask of the vertices to remove."""
        return self._sets[0]

    @property
    def ends(self) -> Array:
        """The bit set of the ends of the ``listed`` pairs; most other edges have no such end."""
        return self._sets[1]

    @property
    def touched(self) -> Array:
        """The bit set of the roots of the touched components."""
        return self._sets[2]

    @cached_property
    def _dissolved(self) -> tuple[Array, Forest, int]:
        """The result of dissolving the touched components into single vertices.

        It has the root of each vertex before the removal, the new trees, and the number of vertices
        of touched components.
        """
        backend, forest = self.state.backend, self.state.forest
        before, after = backend.empty(forest.n, forest.vertex), Forest(backend, forest.n, True)
        count = backend.fill(backend.empty(1, np.uint64), 0)
        dissolve = backend.kernel(kernels.singles, forest.vertex, backend.kernel(find.naive))
        dissolve(forest.n, forest.parent, self.touched, before, after.parent, count)
        return before, after, int(backend.to_host(count)[0])

    @property
    def before(self) -> Array:
        """The root of each vertex before the removal."""
        return self._dissolved[0]

    def run(self, remaining: Remaining) -> ConnectivityState:
        """Return the state after the removal; ``remaining`` is required if components may split."""
        state = replace(self.state, removals=self.state.removals + 1)
        if not self.count:
            return state
        state = replace(state, removed=self.listed)
        removed_rows = None
        if state.kept is not None:
            kept, removed_rows = self._removed_rows(state.kept)
            if not removed_rows.size:  # all removed edges are outside the kept forest
                return replace(state, kept=kept)
        reduced = self._reduced(state, removed_rows)
        # counted for the error, or because removed vertices, unlike pairs, may split nothing
        if remaining is None or self.vertices.size:
            split_count = self._count_splits(reduced)
            if not split_count:
                return reduced
        if remaining is None:
            raise InputError(
                f"{counted(split_count, 'component')} may split, which depends on the remaining"
                " edges: pass them as remaining= (removed edges among them are skipped)"
            )
        _, _, touched_count = self._dissolved
        labels = None  # if few vertices are touched, a bit per vertex selects their edges
        if touched_count * DENSE > self.state.forest.n:
            relinks_all, label_of_vertex = reduced.kept is None, reduced.forest.parent
            if relinks_all and self.has_earlier:
                # in untouched trees, edges removed earlier are found by vertices, not by roots
                label_of_vertex = reduced.backend.xp.arange(reduced.forest.n)
            labels = Labels.of(label_of_vertex, self.gone, reduced.backend)
            if relinks_all:
                return self._relink(reduced, remaining(), labels)
        joining_edges = _JoiningEdges(reduced)
        for given, times in remaining():
            check_kind(reduced.index, given)
            with inputs.BorrowedBatch(reduced.backend, given) as columns:
                _check_rows(given, columns)
                joining_edges.add(
                    *self._edges_between_trees(reduced, given, columns, times, labels)
                )
        return joining_edges.linked()

    def _removed_rows(self, kept: KeptForest) -> tuple[KeptForest, Array]:
        """Return the kept forest, and the rows of its edges that are removed.

        The returned forest counts the scans of its edges that found none. After ``SCANS`` scans, it
        has an index of its pairs, in which later removals look up their pairs.
        """
        backend = self.state.backend
        if not self.vertices.size and kept.pairs is not None:
            return kept, kept.rows_of(self.pairs, backend)
        removed_rows = backend.xp.flatnonzero(self._is_removed_edge(kept.src, kept.dst))
        if not (removed_rows.size or self.vertices.size):
            kept = replace(kept, scans=kept.scans + 1)
            if kept.scans >= SCANS:
                kept = replace(kept, pairs=_index_of_pairs(kept, backend))
        return kept, removed_rows

    def _reduced(self, state: ConnectivityState, removed_rows: Array | None) -> ConnectivityState:
        """Return the state in which touched components have only edges of the kept forest.

        The edges in ``removed_rows`` of the kept forest are left out. Without a kept forest,
        touched components have no edges.
        """
        backend, kept, (_, forest, _) = state.backend, state.kept, self._dissolved
        reduced = replace(state, forest=forest)
        if kept is None or removed_rows is None:
            return reduced
        kept = kept.without(removed_rows, backend)
        batches.link(forest, None, kept.src, kept.dst)
        forest.flatten()
        return replace(reduced, kept=kept)

    def _count_splits(self, reduced: ConnectivityState) -> int:
        """Return the number of components that now have several trees.

        Trees of removed vertices do not count.
        """
        backend, parent = reduced.backend, reduced.forest.parent
        is_root = backend.empty(parent.size, np.uint8)
        mark = backend.kernel(kernels.mark_roots)
        mark(parent.size, parent, self.before, self.touched, self.gone, is_root)
        trees = self.before[backend.xp.flatnonzero(is_root.view(bool))]
        return int((backend.xp.unique(trees, return_counts=True)[1] > 1).sum())

    def _is_removed_edge(self, src: Array, dst: Array) -> Array:
        """Return a mask of the edges that this removal or an earlier removal removes."""
        backend = self.state.backend
        marks = backend.empty(src.size, np.uint8)
        mark = backend.kernel(kernels.mark_removed, backend.kernel(kernels.is_listed))
        mark(src.size, src, dst, self.gone, self.ends, self.listed, marks)
        return marks.view(bool)

    def _relink(
        self, reduced: ConnectivityState, pieces: Pieces, labels: Labels
    ) -> ConnectivityState:
        """Return the state after linking the ``labels`` of the ends of all remaining edges.

        Nearly all of these edges are needed, so a selection would take longer than it saves.
        """
        backend, forest = reduced.backend, reduced.forest
        is_listed = backend.kernel(kernels.is_listed)
        write = backend.kernel(kernels.write_ends, forest.vertex, labels.dtype, is_listed)
        for given, _ in pieces:
            check_kind(reduced.index, given)
            with inputs.BorrowedBatch(reduced.backend, given) as columns:
                _check_rows(given, columns)
                ends = edge_ends(reduced.index, columns[:2], backend)
                src, dst = (backend.empty(ends.size, forest.vertex) for _ in range(2))
                unknown_end = backend.new_flag()  # set if an end is not a vertex
                flag = unknown_end.value, unknown_end.word
                write(ends.size, *labels.at(ends), self.ends, self.listed, src, dst, *flag)
                if unknown_end.read_async()():
                    self._raise_not_inserted(given, columns, times=None)
                batches.link(forest, None, src, dst)
                crossing = backend.new_flag()  # set if an edge joined two trees of ``before``
                flag = crossing.value, crossing.word
                flag_crossing = backend.kernel(kernels.flag_crossing)
                flag_crossing(forest.n, forest.parent, self.before, *flag)
                if crossing.read_async()():
                    self._raise_not_inserted(given, columns, times=None)
        return reduced

    def _edges_between_trees(
        self,
        reduced: ConnectivityState,
        given: EdgeInput,
        columns: list[Any],
        times: Times | None,
        labels: Labels | None,
    ) -> tuple[Array, Array, Array | None]:
        """Return the ends and times of the edges of a piece that join two trees of ``reduced``.

        ``columns`` are borrowed from the piece, ``given``. The times are None if edges have no
        times. If ``labels`` is None, only the edges of touched vertices are read.
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
            self._raise_not_inserted(given, columns, times)
        stays = ~self._is_removed_edge(src, dst)
        if labels is None:  # otherwise the kernel has compared the trees
            parent = reduced.forest.parent
            stays &= parent[src] != parent[dst]
        if not bool(stays.all()):
            src, dst, until = src[stays], dst[stays], None if until is None else until[stays]
        if bool((self.before[src] != self.before[dst]).any()):
            self._raise_not_inserted(given, columns, times)
        return src, dst, until

    def _rows_of_touched(self, ends: EdgeEnds) -> Array:
        """Return the rows of edges with an end that is touched or is not a vertex."""
        backend, (_, forest, touched_count) = self.state.backend, self._dissolved
        bits, size = self._touched_bits(ends)
        # enough if the share of selected edges is at most DENSE times that of touched vertices
        capacity = min(ends.size, ROOM + DENSE * ends.size // max(forest.n, 1) * touched_count)
        select = backend.kernel(kernels.list_touched)
        while True:
            rows = backend.empty(capacity, np.int64)
            count = backend.fill(backend.empty(1, np.uint64), 0)
            select(ends.size, *ends.slot_args, size, bits, rows, count)
            row_count = int(backend.to_host(count)[0])
            if row_count <= capacity:
                break
            capacity = row_count
        rows = rows[:row_count]
        if self.state.kept is not None:
            rows.sort()  # the forest keeps the first of equal edges
        return rows

    def _touched_bits(self, ends: EdgeEnds) -> tuple[Array, int]:
        """Return the bit set of the slots of touched vertices and unknown ids, and the slot count.

        ``ends`` determine what a slot is: see :class:`EdgeEnds`.
        """
        has_table = ends.slots is not None
        if has_table in self._cached_bits:
            return self._cached_bits[has_table]
        backend, (before, forest, _) = self.state.backend, self._dissolved
        if ends.slots is None:  # slot v is for vertex v, and slot n is for unknown ids
            size, base = forest.n + 1, 0
            ids, slots = backend.unused(np.uint64), backend.unused(forest.vertex)
        else:
            assert isinstance(ends.index, Integers)
            size, base, ids, slots = ends.slots.size, ends.base, ends.index.arrived, ends.slots
        words = backend.empty(-(-size // WORD), np.uint32)
        backend.kernel(kernels.unknown_words)(words.size, size, forest.n, slots, words)
        set_bits = backend.kernel(kernels.touch_slots)
        set_bits(forest.n, before, self.touched, ids, base, size, words)
        return self._cached_bits.setdefault(has_table, (words, size))

    def _raise_not_inserted(
        self, given: EdgeInput, columns: list[Any], times: Times | None
    ) -> NoReturn:
        """Raise an error that counts the edges of a piece that were never inserted.

        Such edges have unknown ids, or join two components. Expired edges are not counted.
        """
        state, backend = self.state, self.state.backend
        src, dst, is_known = _vertices_of_pairs(state, given, columns)
        valid = backend.xp.ones(src.size, bool)
        if times is not None and state.kept is not None:
            valid = state.kept.valid(backend.asarray(times.values), backend)
        wrong = "has an end that is not a vertex so far", "have ends that are not vertices so far"
        _check_lookup(is_known | ~valid, backend, "edges of remaining=", wrong, columns)
        rows = backend.xp.flatnonzero(valid & is_known)
        rows = rows[~self._is_removed_edge(src[rows], dst[rows])]
        crossing = int((self.before[src[rows]] != self.before[dst[rows]]).sum())
        if crossing:
            raise InputError(
                f"{crossing:,} of {counted(src.size, 'edge')} of remaining="
                f" {inflected(crossing, 'joins', 'join')} two components, so"
                f" {inflected(crossing, 'it was', 'they were')} never inserted: insert such edges"
                " first"
            )
        # A kernel has found such an edge, but this check finds none: the columns were modified.
        raise given.changed()


def _check_rows(given: EdgeInput, columns: list[Any]) -> None:
    """Raise a LedgerError if the columns of remaining edges have missing or surplus rows."""
    column = columns[0][0] if isinstance(columns[0], list) else columns[0]
    given.rows._replace(linked=len(column)).check("remaining=")


def _index_of_pairs(kept: KeptForest, backend: Backend) -> Integers:
    """Return an index of the pairs of a kept forest, with space for more pairs."""
    keys = pair_keys(kept.src, kept.dst, backend)
    if not keys.size:
        return Integers.empty(backend)
    low, high = bounds([keys], backend)
    table = ArrivalTable(keys, low, high, keys.size // SPARE, backend)
    return Integers(keys, table, low, high, keys.dtype)


class _JoiningEdges:
    """Edges that join the trees of a state.

    Without a kept forest, edges are linked immediately, so nothing else may use the trees of the
    state. With a kept forest, edges are stored, and the edges of a spanning forest are linked at
    the end. At most n edges are stored, in addition to the edges of the latest piece.
    """

    def __init__(self, state: ConnectivityState) -> None:
        self.state, self.stored_edges = state, 0
        self.edges: list[tuple[Array, Array, Array | None]] = []

    def add(self, src: Array, dst: Array, until: Array | None) -> None:
        """Add edges, with their expiry times if they have times."""
        if self.state.kept is None:
            batches.link(self.state.forest, None, src, dst)
        elif src.size:
            self.edges.append((src, dst, until))
            self.stored_edges += src.size
        if self.stored_edges > self.state.forest.n:
            self.edges = [self._forest()]
            self.stored_edges = self.edges[0][0].size

    def _forest(self) -> tuple[Array, Array, Array | None]:
        """Return the maximum spanning forest of the stored edges by expiry time.

        Of edges with equal times, the first is preferred.
        """
        state, xp = self.state, self.state.backend.xp
        src, dst, until = (
            None if parts[0] is None else xp.concatenate(parts)  # None: no expiry times
            for parts in zip(*self.edges, strict=True)
        )
        assert src is not None
        assert dst is not None
        parent = state.forest.parent
        rows = forest_of(parent[src], parent[dst], until, state.forest.n, state.backend)
        return src[rows], dst[rows], None if until is None else until[rows]

    def linked(self) -> ConnectivityState:
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
    """Return the vertices of both ends as int64, and a mask of the rows whose ids are known.

    The vertices are 0 in rows with an unknown id.
    """
    check_kind(state.index, given)
    (src, src_known), (dst, dst_known) = (
        state.index.lookup(column, state.backend) for column in columns[:2]
    )
    valid, xp = src_known & dst_known, state.backend.xp
    src, dst = (xp.where(valid, end, 0).astype(np.int64) for end in (src, dst))
    return src, dst, valid


def _check_lookup(
    valid: Array, backend: Backend, what: str, wrong: tuple[str, str], columns: list[Any]
) -> None:
    """Raise an UnknownVertexError that counts the rows that are not ``valid`` and shows the first.

    ``what`` names the rows, such as "pairs". ``wrong`` has two predicates, such as "is not a vertex
    so far" for one row, and "are not vertices so far" for several rows.
    """
    if bool(valid.all()):
        return
    rows = np.flatnonzero(~backend.to_host(valid))
    first = " and ".join(str(inputs.id_at(column, int(rows[0]))) for column in columns[:2])
    hint = "missing='ignore' leaves out unknown ids"
    if what.startswith("edges"):
        hint = "insert them first"
    raise UnknownVertexError(
        f"{rows.size:,} of {valid.size:,} {what} {inflected(rows.size, *wrong)}, first {first}:"
        f" {hint}"
    )


def _check_droppable(state: ConnectivityState, what: str) -> None:
    """Raise an InputError if ``num_vertices`` fixes the vertices."""
    if isinstance(state.index, Range):
        raise InputError(
            f"{what} cannot drop vertices of num_vertices={state.index.n}, which are exactly 0 .."
            f" {state.index.n - 1}: pass vertices= instead of num_vertices=, or remove edges"
        )


def _without_isolated(state: ConnectivityState, dropped: Array) -> ConnectivityState:
    """Return the state without the isolated vertices in the mask ``dropped``.

    The other vertices are renumbered in the order of their ids.
    """
    index, backend, kept = state.index, state.backend, state.kept
    if isinstance(index, Range) or not bool(dropped.any()):
        return state
    # A rank is a position among the sorted ids. The new number of a vertex is its new rank.
    stays = ~dropped[index.places]  # by rank: ``places`` has the vertex of each rank
    kept_ranks, new_rank = backend.xp.flatnonzero(stays), backend.xp.cumsum(stays) - 1
    forest = Forest(backend, int(kept_ranks.size), all_present=True)
    # flat() numbers vertices by rank; no root of a remaining vertex is isolated
    forest.parent[:] = new_rank[state.flat().parent[kept_ranks]]
    new_number = new_rank[inverse(index.places, backend)]
    if kept is not None:  # all its edges join remaining vertices
        kept = kept.renumbered(new_number)
    new_number[dropped] = -1  # renumbered() leaves out pairs with a negative number
    pairs = renumbered(state.removed, new_number, backend)
    index = select_ids(index, kept_ranks, backend)
    return replace(state, index=index, forest=forest, kept=kept, removed=pairs)
