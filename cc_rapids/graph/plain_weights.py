"""Weights that are read in place after a check for NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..backends import Array, get
from ..data.dtypes import is_float
from ..kernels.weights import PART, note_nan

if TYPE_CHECKING:
    from ..data.adapters import Adapter


def plain_weights(
    adapter: Adapter, edges: Any, weight: Any
) -> Callable[[], tuple[Array, None] | None]:
    """Start to check weights on a GPU; return a function that waits and returns the weights.

    The function returns (weights, None) like :meth:`Adapter.weights`, or only None if a weight is
    null or NaN or cannot be read in place. Floats are checked asynchronously.
    """
    values = adapter.numbers_without_nulls(edges, weight)
    if values is None:
        return lambda: None
    if not is_float(values.dtype):
        return lambda: (values, None)
    backend = get("cuda")
    has_nan = backend.new_flag()
    backend.kernel(note_nan)(-(-values.size // PART), values, has_nan.value, has_nan.word)
    read_has_nan = has_nan.read_async()
    return lambda: None if read_has_nan() else (values, None)
