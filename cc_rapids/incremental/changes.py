"""What a batch changed: the vertices whose label is another one now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array
from ..data.edge_input import plain_frame
from ..data.frame_access import bring
from ..data.frame_build import with_column
from ..kernels import find
from ..kernels import forest as trees
from .state import ConnectivityState, grown


@dataclass(frozen=True)
class ChangedRows:
    """The rows of vertices whose label changed, in the order of the ids.

    Attributes
    ----------
    vertex, before, after : (k,) arrays of int64
        Positions among the ids of the state after the batch: of the vertex, and of the least vertex
        of its component before and after.
    known : (k,) array of bool
        Whether the vertex existed before the batch; the position before is its own otherwise.
    """

    vertex: Array
    before: Array
    after: Array
    known: Array


def changes(before: ConnectivityState, after: ConnectivityState) -> ChangedRows:
    """Return what changed between two states, the second of which continues the first.

    A root that is none any more was hooked in between. Only the vertices of the trees in which
    these and new vertices are now get labels; of all others the parents are read.
    """
    backend = after.backend
    if before.backend is not backend:  # it has no edge yet
        before = before.to(backend)
    xp, old, n = backend.xp, before.forest.n, after.forest.n
    parent, places = after.forest.parent, after.index.places
    own = xp.arange(old, dtype=parent.dtype)
    hooked = xp.flatnonzero((before.forest.parent == own) & (parent[:old] != own))
    none = xp.zeros(0, np.int64)
    if not (hooked.size or n > old):
        return ChangedRows(none, none, none, xp.zeros(0, bool))
    roots = _roots(after)
    grew = xp.zeros(n, bool)
    grew[roots[hooked]] = True
    grew[roots[old:]] = True
    merged = grew[roots]
    at = xp.flatnonzero(merged if places is None else merged[places])
    vertex = at if places is None else places[at].astype(np.int64)
    known = vertex < old
    earlier = xp.where(known, _roots(before)[xp.where(known, vertex, 0)] if old else vertex, vertex)
    was, now = (at[_least(own, after)] for own in (earlier, roots[vertex]))
    kept = xp.flatnonzero(~known | (was != now))
    return ChangedRows(at[kept], was[kept], now[kept], known[kept])


def _roots(state: ConnectivityState) -> Array:
    """Return the root of each vertex, by number."""
    backend, n = state.backend, state.forest.n
    flat = grown(state.forest, n)
    climb = backend.kernel(find.find_with_skip)
    backend.kernel(trees.flatten, climb)(n, flat.parent, flat.present)
    return flat.parent


def _least(roots: Array, state: ConnectivityState) -> Array:
    """Return for each of some roots the index of the first that is equal."""
    backend, word = state.backend, state.forest.vertex
    least = backend.fill(backend.empty(state.forest.n, word), 0xFF)
    backend.kernel(trees.scatter_min, word)(roots.size, roots, least)
    return least[roots].astype(np.int64)


def frame_of(found: ChangedRows, state: ConnectivityState) -> Any:
    """Return changes as a frame of the kind of answers of a state."""
    given, backend = state.given, state.backend
    decoder = state.index.decoder(given)
    columns: dict[str, Any] = {}
    for name in ("vertex", "before", "after"):
        ids = decoder.decode(getattr(found, name).astype(decoder.dtype), backend)
        several = isinstance(ids, list)
        parts = {f"{k}_{name}": part for k, part in enumerate(ids)} if several else {name: ids}
        columns |= {key: bring(part, backend, given.on_device) for key, part in parts.items()}
    if given.make_frame is plain_frame or bool(found.known.all()):
        return given.make_frame(columns)
    there = bring(found.known, backend, given.on_device)
    frame = given.make_frame({k: part for k, part in columns.items() if k.endswith("vertex")})
    for key, part in columns.items():
        if not key.endswith("vertex"):
            frame = with_column(frame, key, part, there if key.endswith("before") else None)
    return frame
