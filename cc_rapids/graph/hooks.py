"""The edges by which vertices are hooked during a run: those of a spanning forest."""

from __future__ import annotations

import numpy as np

from ..backends import Array, Backend


def room_for_hooks(n: int, most: int, backend: Backend) -> Array:
    """Allocate an array for the edge that hooks each vertex; all bits set mean not hooked.

    ``most`` is the number of edges, which determines the type.
    """
    number = np.uint32 if most < (1 << 32) - 1 else np.uint64
    return backend.fill(backend.empty(n, number), 0xFF)


def hooks_in(hook_edge: Array) -> Array:
    """Return the edges that have hooked a vertex."""
    return hook_edge[hook_edge != np.iinfo(hook_edge.dtype).max]
