"""The bridges of an answer, as a frame of the caller's kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.bridges import bridge_rows
from ..errors import InputError
from .bipartition import check_kept, ends_of
from .components import Components, forest_columns


def bridges_of(found: Components) -> Any:
    """Return the bridges among the edges of an answer: see :func:`cc_rapids.bridges`."""
    check_kept(found, "bridges")
    if found._given.row_offsets is not None:
        raise InputError(
            f"the {found._facts.edges:,} edges are an adjacency list or a matrix, which may name an"
            " edge at both of its ends, and an edge that is named twice is no bridge: pass each"
            " edge once, as a frame or a pair of arrays"
        )
    backend = found._backend
    with backend.scope():
        vertex, least = found._rows()
        roots = backend.xp.flatnonzero(vertex == least).astype(np.int64)
        rows = bridge_rows(ends_of(found), found._dense.astype(np.int64), roots, backend)
        columns = forest_columns(found._given, found._home(rows))
        return found._frame({name: found._home(column) for name, column in columns.items()})
