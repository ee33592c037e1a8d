"""Weights that are read where they lie, once it is known that none is nan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backends import Array, get
from ..data.dtypes import is_float
from ..kernels.weights import note_nan

if TYPE_CHECKING:
    from ..data.adapters import Adapter


def plain_weights(adapter: Adapter, edges: Any, weight: Any) -> tuple[Array, None] | None:
    """Return the same as :meth:`Adapter.weights` for numbers that need no mask, on a GPU.

    None for all others. One launch tells whether one is nan, and the host waits for it.
    """
    values = adapter.plain_weights(edges, weight)
    if values is None or not is_float(values.dtype):
        return None if values is None else (values, None)
    backend = get("cuda")
    nan = backend.new_flag()
    backend.kernel(note_nan)(values.size, values, nan.value, nan.word)
    return None if nan.read_async()() else (values, None)
