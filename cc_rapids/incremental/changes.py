"""The vertices whose label a batch has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array
from ..data.edge_input import plain_frame
from ..data.frame_access import bring
from ..data.frame_build import with_column
from ..kernels import changes as kernels
from ..kernels import find
from .state import ConnectivityState, roots

FIRST, SHARE = 1024, 64  # leading places searched first: at least FIRST, or 1 / SHARE of all
BEYOND = np.iinfo(np.int64).max  # greater than all places


@dataclass(frozen=True)
class ChangedRows:
    """The rows of vertices whose label changed, sorted by id.

    Attributes
    ----------
    vertex, before, after : (k,) arrays of int64
        Positions among the sorted ids after the batch: of the vertex, and of the least vertex of
        its component before and after the batch.
    known : (k,) array of bool
        Whether the vertex existed before the batch. If not, ``before`` is its own position.
    """

    vertex: Array
    before: Array
    after: Array
    known: Array


def changes(before: ConnectivityState, after: ConnectivityState) -> ChangedRows:
    """Return the label changes between a state and a later one.

    A tree was merged if its former root is no longer a root. The leading places of the sorted ids
    are searched first. If a merged tree has a vertex there, its first one is the former label of
    the tree. The tree keeps this label unless a new vertex or another merged tree precedes it, so
    the vertices of large trees are rarely listed. One pass over the trees finds the vertices of all
    other merged trees.
    """
    backend = after.backend
    if before.backend is not backend:  # the earlier state has no edge yet
        before = before.to(backend)
    xp, old, n = backend.xp, before.forest.n, after.forest.n
    parent = after.forest.parent
    singletons = xp.arange(old, dtype=before.forest.vertex)
    hooked = xp.flatnonzero((before.forest.parent == singletons) & (parent[:old] != singletons))
    none = xp.zeros(0, np.int64)
    if not (hooked.size or n > old):
        return ChangedRows(none, none, none, xp.zeros(0, bool))
    places = after.index.places
    places = xp.arange(n, dtype=parent.dtype) if places is None else places
    new_at = xp.flatnonzero(places >= old) if n > old else none
    new = places[new_at]
    now = xp.concatenate([roots(after, hooked), roots(after, new)])
    joined = xp.unique(xp.concatenate([hooked, roots(before, now[now < old])]))
    groups = xp.concatenate([roots(after, joined), roots(after, new)])
    was = _first_places(before, joined, places[: FIRST + n // SHARE])
    labels = _least_of_groups(groups, xp.concatenate([was, new_at]), xp)[: joined.size]
    at = _places_of_trees(before, joined[(was == BEYOND) | (labels != was)], places)
    tree = xp.searchsorted(joined, roots(before, places[at]))
    was[tree] = _least_of_groups(tree, at, xp)
    labels = _least_of_groups(groups, xp.concatenate([was, new_at]), xp)
    changed = was[tree] != labels[tree]
    at, tree = at[changed], tree[changed]
    rows = xp.concatenate([at, new_at])
    order = xp.argsort(rows)
    return ChangedRows(
        rows[order],
        xp.concatenate([was[tree], new_at])[order],
        xp.concatenate([labels[tree], labels[joined.size :]])[order],
        xp.concatenate([at == at, new_at != new_at])[order],
    )


def _first_places(state: ConnectivityState, trees: Array, places: Array) -> Array:
    """Return for each tree the first position in ``places`` with one of its vertices, or BEYOND."""
    xp, n = state.backend.xp, state.forest.n
    first_places = xp.full(trees.size, BEYOND, np.int64)
    at = xp.flatnonzero(places < n)
    tops = roots(state, places[at])
    tree = xp.minimum(xp.searchsorted(trees, tops), max(trees.size - 1, 0))
    rows = xp.flatnonzero(trees[tree] == tops) if trees.size else tree[:0]
    first_places[tree[rows]] = _least_of_groups(tree[rows], at[rows], xp)
    return first_places


def _places_of_trees(state: ConnectivityState, trees: Array, places: Array) -> Array:
    """Return the sorted positions in ``places`` of all vertices of the given trees."""
    backend, forest = state.backend, state.forest
    if not trees.size:
        return backend.xp.zeros(0, np.int64)
    marks = backend.fill(backend.empty(forest.n, np.uint8), 0)
    marks[trees] = 1
    marked = backend.fill(backend.empty(places.size, np.uint8), 0)
    climb = backend.kernel(find.naive)
    backend.kernel(kernels.mark_vertices, climb)(forest.n, forest.parent, marks, marked)
    return backend.xp.flatnonzero(marked[places])


def _least_of_groups(groups: Array, values: Array, xp: Any) -> Array:
    """Return for each row the least value within its group."""
    order = xp.argsort(values, kind="stable")
    order = order[xp.argsort(groups[order], kind="stable")]
    sorted_groups = groups[order]
    return values[order][xp.searchsorted(sorted_groups, groups)]


def frame_of(rows: ChangedRows, state: ConnectivityState) -> Any:
    """Return changes as a frame of the type of a state's answers."""
    given, backend = state.given, state.backend
    decoder = state.index.decoder(given)
    columns: dict[str, Any] = {}
    for name in ("vertex", "before", "after"):
        ids = decoder.decode(getattr(rows, name).astype(decoder.dtype), backend)
        several = isinstance(ids, list)
        parts = {f"{k}_{name}": part for k, part in enumerate(ids)} if several else {name: ids}
        columns |= {key: bring(part, backend, given.on_device) for key, part in parts.items()}
    if given.make_frame is plain_frame or bool(rows.known.all()):
        return given.answer(
            given.make_frame({given.output_name(key): part for key, part in columns.items()})
        )
    valid = bring(rows.known, backend, given.on_device)
    ids = {key: part for key, part in columns.items() if key.endswith("vertex")}
    frame = given.make_frame({given.output_name(key): part for key, part in ids.items()})
    for key, part in columns.items():
        if key not in ids:
            mask = valid if key.endswith("before") else None
            frame = with_column(frame, given.output_name(key), part, mask)
    return given.answer(frame)
