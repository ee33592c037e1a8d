"""The bridges of an answer, as a frame of the caller's kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.bridges import bridge_rows
from ..data.adapters import adapter_of
from ..errors import InputError
from .bipartition import check_kept, ends_of
from .components import Components, forest_columns


def check_listed_once(edges: Any) -> None:
    """Raise an error if edges are of a kind that may hold each at both of its ends."""
    if adapter_of(edges).may_repeat:
        raise InputError(
            f"a {type(edges).__name__} may hold an edge at both of its ends, and an edge that is"
            " held twice is no bridge: pass each edge once, as a frame or a pair of arrays"
        )


def bridges_of(found: Components) -> Any:
    """Return the bridges among the edges of an answer: see :func:`cc_rapids.bridges`."""
    check_kept(found, "bridges")
    backend = found._backend
    with backend.scope():
        vertex, least = found._rows()
        roots = backend.xp.flatnonzero(vertex == least).astype(np.int64)
        rows = bridge_rows(ends_of(found), found._dense.astype(np.int64), roots, backend)
        columns = forest_columns(found._given, found._home(rows))
        return found._frame({name: found._home(column) for name, column in columns.items()})
