"""Content: a hash of what columns hold, however they come in pieces."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from .arrow import text_buffers
from .column import Column

BYTES = 12  # of a hash: enough that no two inputs of a lifetime have the same


class Content:
    """The content of some columns side by side, to which pieces of rows are added."""

    def __init__(self) -> None:
        self._hashes: dict[tuple[int, int, int], Any] = {}  # by column, part and array

    def add(self, columns: list[Column]) -> None:
        """Add rows: as many columns each time, of the same types. All is copied to the host."""
        for number, column in enumerate(columns):
            if not column.size:  # of any type then
                continue
            for place, part in enumerate(column.parts or (column,)):
                with part.lend() as held:
                    for k, array in enumerate(_arrays(part, held)):
                        own = number, place, k
                        self._hashes.setdefault(own, blake2b(digest_size=BYTES)).update(array)

    def digest(self) -> str:
        """The hash of all rows so far, in hexadecimal digits."""
        whole = blake2b(digest_size=BYTES)
        for own, part in sorted(self._hashes.items()):
            whole.update(bytes(own) + part.digest())
        return whole.hexdigest()


def _arrays(column: Column, held: Any) -> list[Any]:
    """What a lent column holds, as arrays on the host."""
    if column.strings:
        arrow = held.to_arrow() if hasattr(held, "to_arrow") else held
        octets, offsets = text_buffers(arrow)
        return [octets, np.diff(offsets)]
    array = held.get() if hasattr(held, "__cuda_array_interface__") else np.asarray(held)
    return [np.ascontiguousarray(array)]
