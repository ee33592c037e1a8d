"""Weights in a cuDF frame, read where they lie."""

from __future__ import annotations

from typing import Any

from ..backends import Array, get
from ..data.column import is_cudf_frame
from ..data.cudf_internals import has_column, numbers_in
from ..data.dtypes import is_float
from ..kernels.weights import note_nan


def plain_weights(edges: Any, weight: Any) -> tuple[Array, None] | None:
    """Return the same as :func:`~cc_rapids.data.weights.weights_of` for most columns of cuDF.

    None unless ``weight`` names a column of a cuDF frame with numbers, of which none is null or
    nan. One launch tells whether one is nan, and the host waits for it.
    """
    if not (isinstance(weight, str) and is_cudf_frame(edges) and has_column(edges, weight)):
        return None
    values = numbers_in(edges, weight)
    if values is None:
        return None
    if is_float(values.dtype):
        backend = get("cuda")
        nan = backend.new_flag()
        backend.kernel(note_nan)(values.size, values, nan.value, nan.word)
        if nan.read_async()():
            return None
    return values, None
