"""Edges and vertices that go: the components they held together are solved again, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..errors import CapacityError, InputError, UnknownVertexError, counted
from ..graph.forest import Forest
from ..ids.growing import Range, check_kind, inverse, without_others
from . import inputs
from . import state as batches
from .expiry import Times, one_time
from .kept import forest_of
from .state import ConnectivityState, roots

Pieces = Iterator[
    tuple[EdgeInput, Times | None]
]  # edges, with the times at which they expire, if any
MOST = 1 << 32  # vertices, of which two make a number of 64 bits
HALF, LOWER = np.uint64(32), np.uint64(MOST - 1)


def remove_pairs(
    state: ConnectivityState, given: EdgeInput, remaining: Callable[[], Pieces] | None, missing: str
) -> ConnectivityState:
    """Return the state without the edges between pairs of vertices; see Connectivity.remove."""
    with inputs.borrow_for(state, given, False) as (old, columns):
        src, dst, known = _known(old, given, columns)
        rows = old.backend.xp.flatnonzero(known)
        known[rows] = roots(old, src[rows]) == roots(old, dst[rows])
        if missing == "raise":
            _check_known(known, old.backend, "pairs", "are no edges so far", columns)
        known &= src != dst
        src, dst = src[known], dst[known]
        none = old.backend.xp.zeros(old.forest.n, bool)
        return _Removal(old, _keys(src, dst, old), none, src).run(remaining)


def remove_vertices(
    state: ConnectivityState, given: EdgeInput, remaining: Callable[[], Pieces] | None, missing: str
) -> ConnectivityState:
    """Return the state without some vertices; see Connectivity.remove_vertices."""
    _check_droppable(state, "remove_vertices()")
    with inputs.borrow_for(state, given, False) as (old, columns):
        vertices, _, known = _known(old, given, columns)
        if missing == "raise":
            _check_known(known, old.backend, "ids", "are no vertices so far", columns)
        vertices, gone = vertices[known], old.backend.xp.zeros(old.forest.n, bool)
        gone[vertices] = True
        no_edges = old.backend.empty(0, np.uint64)
        return _without(_Removal(old, no_edges, gone, vertices).run(remaining), gone)


def expire(state: ConnectivityState, before: Any, drop_isolated: bool) -> ConnectivityState:
    """Return the state without the edges that expire earlier; see Connectivity.expire."""
    kept, n = state.kept, state.forest.n
    assert kept is not None
    if drop_isolated:
        _check_droppable(state, "drop_isolated=True")
    if not kept.kind:
        raise InputError(
            "no edge has come so far, so that expire() knows no kind of times: insert edges first"
        )
    with state.backend.scope():
        cut = one_time(before, kept.kind)
        kept = replace(kept, cut=cut if kept.cut is None else max(cut, kept.cut))
        after = replace(state, kept=kept, removals=state.removals + 1)
        stays = kept.valid(kept.until, state.backend)
        if not bool(stays.all()):
            kept = kept.where(stays)
            forest = batches.trees_of(n, kept.src, kept.dst, state.backend)
            after = replace(after, kept=kept, forest=forest)
        if not drop_isolated:
            return after
        gone = state.backend.xp.ones(n, bool)
        gone[kept.src], gone[kept.dst] = False, False
        return _without(after, gone)


def insert_kept(
    state: ConnectivityState, pieces: Iterable[tuple[EdgeInput, Times | None]], free: bool
) -> ConnectivityState:
    """Return the state after batches whose forest is kept, each with its times, if any."""
    for given, times in pieces:
        with inputs.borrow_for(state, given, free) as (old, columns):
            named, (src, dst, *_) = batches.with_vertices(old, given, columns, copied=False)
            state = joined(named, src, dst, times)
    return state


def joined(
    state: ConnectivityState, src: Array, dst: Array, times: Times | None = None
) -> ConnectivityState:
    """Return the state after a batch of edges between vertices, some of which are kept."""
    kept, backend, size = state.kept, state.backend, src.size
    assert kept is not None
    until = None
    if times is not None:
        kept, until = replace(kept, kind=times.kind), backend.asarray(times.values)
        valid = kept.valid(until, backend)
        src, dst, until = src[valid], dst[valid], until[valid]
    batch, n = state.batches + 1, state.forest.n
    if kept.until is None:  # only edges between trees are looked at, as between their roots
        tops = roots(state, src), roots(state, dst)
        rows = backend.xp.flatnonzero(tops[0] != tops[1])
        rows = rows[forest_of(tops[0][rows], tops[1][rows], None, n, backend)]
        kept = kept.with_edges(src[rows], dst[rows], None, backend)
        added = replace(state, forest=batches.grown(state.forest, n))
        forest = batches.launched(added, None, src[rows], dst[rows]).forest
    else:
        kept = kept.with_edges(src, dst, until, backend).lasting(n, backend)
        forest = batches.trees_of(n, kept.src, kept.dst, backend)
    backend.synchronize()
    return replace(state, kept=kept, forest=forest, edges=state.edges + size, batches=batch)


@dataclass
class _Removal:
    """The removal of edges, and of all edges of some vertices, from a state.

    Attributes
    ----------
    edges : (k,) array of uint64
        The keys of the edges that go.
    gone : (n,) array of bool
        The vertices all of whose edges go.
    ends : (j,) array of int64
        Vertices in each component that loses something.
    """

    state: ConnectivityState
    edges: Array
    gone: Array
    ends: Array

    @cached_property
    def marks(self) -> Array:
        """A mask of the vertices of edges that go, by which most other edges are passed."""
        marks = self.state.backend.xp.zeros(self.state.forest.n, bool)
        for half in (self.edges >> HALF, self.edges & LOWER):
            marks[half.astype(np.int64)] = True
        return marks

    def run(self, remaining: Callable[[], Pieces] | None) -> ConnectivityState:
        """Return the state without them; raise an InputError if it takes a list that is missing."""
        state, backend = self.state, self.state.backend
        xp, n = backend.xp, state.forest.n
        vertices = xp.arange(n)
        before = roots(state, vertices)
        left = replace(self._left(before), removals=state.removals + 1)
        if left.forest is state.forest:  # all that goes is outside the kept forest
            return left
        now = roots(left, vertices)
        tops = xp.sort(before[(now == vertices) & ~self.gone])
        parted = xp.zeros(n, bool)  # by the root before
        parted[tops[1:][tops[1:] == tops[:-1]]] = True
        if not bool(parted.any()):
            return left
        if remaining is None:
            count = counted(int(parted.sum()), "component")
            raise InputError(
                f"{count} may fall apart by what is removed, which other edges tell: pass"
                " remaining=, the edges that are left (those that go may still be among them)"
            )
        for given, times in remaining():
            with inputs.borrow_for(state, given, False) as (_, columns):
                left = self._joined(left, self._among(given, columns, times, before, parted))
        return left

    def _left(self, before: Array) -> ConnectivityState:
        """Return what is known without other edges: the kept forest, or no edge where some go."""
        state, backend = self.state, self.state.backend
        xp, n, kept = backend.xp, state.forest.n, state.kept
        if kept is not None:
            goes = self._goes(kept.src, kept.dst)
            if not bool(goes.any()):
                return state
            kept = kept.where(~goes)
            forest = batches.trees_of(n, kept.src, kept.dst, backend)
            return replace(state, kept=kept, forest=forest)
        touched = xp.zeros(n, bool)
        touched[before[self.ends]] = True
        forest = Forest(backend, n, all_present=True)
        forest.parent[:] = xp.where(touched[before], xp.arange(n), before)
        return replace(state, forest=forest)

    def _goes(self, src: Array, dst: Array) -> Array:
        """Return a mask of the edges that go."""
        xp = self.state.backend.xp
        listed = self.gone[src] | self.gone[dst]
        if self.edges.size:
            rows = xp.flatnonzero(self.marks[src] & self.marks[dst])
            listed[rows] |= xp.isin(_keys(src[rows], dst[rows], self.state), self.edges)
        return listed

    def _among(
        self,
        given: EdgeInput,
        columns: list[Any],
        times: Times | None,
        before: Array,
        parted: Array,
    ) -> tuple[Array, Array, Times | None]:
        """Return the edges of components that may fall apart, and their times, if any.

        Raises
        ------
        UnknownVertexError, InputError
            Some were never inserted: they have unknown vertices, or join two components.
        """
        state, backend = self.state, self.state.backend
        check_kind(state.index, given)
        src, dst, known = _known(state, given, columns)
        valid = backend.xp.ones(src.size, bool)
        if times is not None and state.kept is not None:
            times = replace(times, values=backend.asarray(times.values))
            valid = state.kept.valid(times.values, backend)
        _check_known(
            known | ~valid,
            backend,
            "edges of remaining=",
            "have ends that are no vertices so far",
            columns,
        )
        rows = backend.xp.flatnonzero(valid & known)
        rows = rows[~self._goes(src[rows], dst[rows])]
        trees = before[src[rows]]
        other = int((trees != before[dst[rows]]).sum())
        if other:
            raise InputError(
                f"{counted(other, 'edge')} of remaining= of {src.size:,} join two components, so"
                " they were never inserted: insert them first"
            )
        rows = rows[parted[trees]]
        return src[rows], dst[rows], times and replace(times, values=times.values[rows])

    def _joined(
        self, left: ConnectivityState, edges: tuple[Array, Array, Times | None]
    ) -> ConnectivityState:
        """Return the state with further edges that were inserted before."""
        src, dst, times = edges
        if not src.size:
            return left
        if left.kept is None:
            after = batches.launched(left, None, src, dst)
            left.backend.synchronize()
        else:
            after = joined(left, src, dst, times)
        return replace(after, edges=left.edges, batches=left.batches)


def _known(
    state: ConnectivityState, given: EdgeInput, columns: list[Any]
) -> tuple[Array, Array, Array]:
    """Return the vertices of both ends as int64, 0 if unknown, and a mask of rows of known ones."""
    check_kind(state.index, given)
    (src, one), (dst, other) = (state.index.lookup(each, state.backend) for each in columns[:2])
    known = one & other
    xp = state.backend.xp
    src, dst = (xp.where(known, end, 0).astype(np.int64) for end in (src, dst))
    return src, dst, known


def _check_known(known: Array, backend: Backend, what: str, wrong: str, columns: list[Any]) -> None:
    """Raise an UnknownVertexError that names the number of rows that are not, and the first."""
    if bool(known.all()):
        return
    where = np.flatnonzero(~backend.to_host(known))
    first = " and ".join(str(inputs.id_at(column, int(where[0]))) for column in columns[:2])
    way = "insert them first" if what.startswith("edges") else "missing='ignore' leaves them out"
    raise UnknownVertexError(
        f"{where.size:,} of {known.size:,} {what} {wrong}, first {first}: {way}"
    )


def _keys(src: Array, dst: Array, state: ConnectivityState) -> Array:
    """Return a number for each pair of vertices, the same in both directions."""
    if state.forest.n > MOST:
        raise CapacityError(
            f"edges are removed among at most 2^32 vertices, and there are {state.forest.n:,}:"
            " solve what is left anew"
        )
    xp = state.backend.xp
    low, high = xp.minimum(src, dst).astype(np.uint64), xp.maximum(src, dst).astype(np.uint64)
    return (low << HALF) | high


def _check_droppable(state: ConnectivityState, what: str) -> None:
    """Raise an InputError if the vertices are a range, whose numbers all exist."""
    if isinstance(state.index, Range):
        raise InputError(
            f"{what} cannot drop vertices of num_vertices={state.index.n}, which are exactly 0 .."
            f" {state.index.n - 1}: pass vertices= instead of num_vertices=, or remove edges"
        )


def _without(state: ConnectivityState, gone: Array) -> ConnectivityState:
    """Return the state without vertices that have no edges, in the order of the ids."""
    index, backend, kept = state.index, state.backend, state.kept
    if isinstance(index, Range) or not bool(gone.any()):
        return state
    stays = ~gone[index.places]
    at, number = backend.xp.flatnonzero(stays), backend.xp.cumsum(stays) - 1
    forest = Forest(backend, int(at.size), all_present=True)
    forest.parent[:] = number[state.flat().parent[at]]
    kept = kept and kept.among(number[inverse(index.places, backend)])
    return replace(state, index=without_others(index, at, backend), forest=forest, kept=kept)
