"""Find the vertices whose label a batch has changed."""

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

FIRST, SHARE = 1024, 64  # FIRST plus 1 / SHARE of the sorted ids are searched first
BEYOND = np.iinfo(np.int64).max  # greater than all positions


@dataclass(frozen=True)
class ChangedRows:
    """The rows of vertices whose label changed, sorted by id.

    All vertices are positions among the sorted ids after the batch, (k,) arrays of int64.
    """

    vertex: Array
    before: Array  # the least vertex of its component before the batch; itself if it is new
    after: Array  # the least vertex of its component after the batch
    known: Array  # (k,) bool: whether the vertex existed before the batch


def changes(before: ConnectivityState, after: ConnectivityState) -> ChangedRows:
    """Return the label changes between a state and a later state.

    A tree of the earlier state was merged if the batch added vertices to it. The label of a tree is
    its least vertex. For each merged tree, the beginning of the sorted ids is searched for the
    label that the tree had before the batch. The tree keeps this label unless an added vertex has a
    lesser id. If it keeps the label, its vertices are not listed, so large trees are rarely listed.
    One pass over the forest lists the vertices of all other merged trees.
    """
    backend = after.backend
    if before.backend is not backend:  # the earlier state has no edge yet
        before = before.to(backend)
    xp, old_count, n = backend.xp, before.forest.n, after.forest.n
    parent = after.forest.parent
    old = xp.arange(old_count, dtype=before.forest.vertex)
    hooked = xp.flatnonzero((before.forest.parent == old) & (parent[:old_count] != old))
    no_rows = xp.zeros(0, np.int64)
    if not (hooked.size or n > old_count):
        return ChangedRows(no_rows, no_rows, no_rows, xp.zeros(0, bool))
    # Vertices are numbered in the order of arrival. A position is an index into the sorted ids.
    vertices = after.index.places
    vertices = xp.arange(n, dtype=parent.dtype) if vertices is None else vertices
    new_positions = xp.flatnonzero(vertices >= old_count) if n > old_count else no_rows
    new = vertices[new_positions]
    later_roots = xp.concatenate([roots(after, hooked), roots(after, new)])
    # ``merged`` has the earlier root of each merged tree. These are the roots that were hooked, and
    # the earlier roots of the trees to which they, or new vertices, were hooked. ``groups`` has the
    # later root of each merged tree, and then the later root of each new vertex.
    hooked_to = roots(before, later_roots[later_roots < old_count])
    merged = xp.unique(xp.concatenate([hooked, hooked_to]))
    groups = xp.concatenate([roots(after, merged), roots(after, new)])
    old_labels = _first_positions(before, merged, vertices[: FIRST + n // SHARE])
    labels = _least_of_groups(groups, xp.concatenate([old_labels, new_positions]), xp)
    # list the vertices of each tree whose earlier label was not found, or whose label changes
    is_listed = (old_labels == BEYOND) | (labels[: merged.size] != old_labels)
    positions = _positions_of_trees(before, merged[is_listed], vertices)
    tree = xp.searchsorted(merged, roots(before, vertices[positions]))
    old_labels[tree] = _least_of_groups(tree, positions, xp)
    labels = _least_of_groups(groups, xp.concatenate([old_labels, new_positions]), xp)
    changed = old_labels[tree] != labels[tree]
    positions, tree = positions[changed], tree[changed]
    rows = xp.concatenate([positions, new_positions])
    order = xp.argsort(rows)
    return ChangedRows(
        rows[order],
        xp.concatenate([old_labels[tree], new_positions])[order],
        xp.concatenate([labels[tree], labels[merged.size :]])[order],
        (xp.arange(rows.size) < positions.size)[order],
    )


def _first_positions(state: ConnectivityState, trees: Array, vertices: Array) -> Array:
    """Return for each tree the first position in ``vertices`` of one of its vertices.

    The position is BEYOND if ``vertices`` has no vertex of the tree. ``trees`` are sorted roots.
    """
    xp, n = state.backend.xp, state.forest.n
    first_positions = xp.full(trees.size, BEYOND, np.int64)
    if not trees.size:
        return first_positions
    positions = xp.flatnonzero(vertices < n)  # vertices that exist in ``state``
    tops = roots(state, vertices[positions])
    tree = xp.minimum(xp.searchsorted(trees, tops), trees.size - 1)
    rows = xp.flatnonzero(trees[tree] == tops)
    first_positions[tree[rows]] = _least_of_groups(tree[rows], positions[rows], xp)
    return first_positions


def _positions_of_trees(state: ConnectivityState, trees: Array, vertices: Array) -> Array:
    """Return the sorted positions in ``vertices`` of all vertices of the trees with these roots."""
    backend, forest = state.backend, state.forest
    if not trees.size:
        return backend.xp.zeros(0, np.int64)
    marks = backend.fill(backend.empty(forest.n, np.uint8), 0)
    marks[trees] = 1
    marked = backend.fill(backend.empty(vertices.size, np.uint8), 0)
    climb = backend.kernel(find.naive)
    backend.kernel(kernels.mark_vertices, climb)(forest.n, forest.parent, marks, marked)
    return backend.xp.flatnonzero(marked[vertices])


def _least_of_groups(groups: Array, values: Array, xp: Any) -> Array:
    """Return for each row the least value of its group."""
    order = xp.argsort(values, kind="stable")
    order = order[xp.argsort(groups[order], kind="stable")]  # by group, and then by value
    sorted_groups = groups[order]
    first_rows = xp.searchsorted(sorted_groups, groups)
    return values[order][first_rows]


def frame_of(rows: ChangedRows, state: ConnectivityState) -> Any:
    """Return changes as a frame of the library of a state's answers; nulls mark new vertices."""
    given, backend = state.given, state.backend
    decoder = state.index.decoder(given)
    columns: dict[str, Any] = {}
    for name in ("vertex", "before", "after"):
        ids = decoder.decode(getattr(rows, name).astype(decoder.dtype), backend)
        is_composite = isinstance(ids, list)
        parts = {f"{k}_{name}": p for k, p in enumerate(ids)} if is_composite else {name: ids}
        columns |= {key: bring(part, backend, given.on_device) for key, part in parts.items()}
    if given.make_frame is plain_frame or bool(rows.known.all()):  # plain arrays have no nulls
        return given.answer(
            given.make_frame({given.output_name(key): part for key, part in columns.items()})
        )
    # with_column() makes ``before`` of a new vertex null, which make_frame() cannot
    valid = bring(rows.known, backend, given.on_device)
    ids = {key: part for key, part in columns.items() if key.endswith("vertex")}
    frame = given.make_frame({given.output_name(key): part for key, part in ids.items()})
    for key, part in columns.items():
        if key not in ids:
            mask = valid if key.endswith("before") else None
            frame = with_column(frame, given.output_name(key), part, mask)
    return given.answer(frame)
