"""The edges by which roots are hooked during a run: those of a spanning forest."""

from __future__ import annotations

import numpy as np

from ..backends import Array, Backend


def room_for_hooks(n: int, most: int, backend: Backend) -> Array:
    """Return an array for which of so many edges hooks each vertex, all bits set: not hooked."""
    number = np.uint32 if most < (1 << 32) - 1 else np.uint64
    return backend.fill(backend.empty(n, number), 0xFF)


def hooks_in(hook_edge: Array) -> Array:
    """Return the edges that have hooked a vertex."""
    return hook_edge[hook_edge != np.iinfo(hook_edge.dtype).max]
