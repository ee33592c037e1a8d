"""Owners: which part holds a vertex, from its id alone, so that every worker knows all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from .dask_work import library

Owner = Callable[[Any], Any]  # from a column of ids to an array of parts 0 .. count - 1


@dataclass(frozen=True)
class Ranges:
    """Part k holds the ids from the k-th cut on, and part 0 those below all cuts."""

    cuts: tuple[int, ...]

    def __call__(self, ids: Any) -> Any:
        """The part of each id: a new array, on the GPU for cuDF's columns."""
        wide = np.uint64 if ids.dtype == np.uint64 else np.int64
        limits = np.iinfo(wide)
        held = [min(max(cut, int(limits.min)), int(limits.max)) for cut in self.cuts]
        values = ids.astype(wide).values
        xp = library(values)
        if not held:
            return xp.zeros(values.size, np.int64)
        return xp.searchsorted(xp.asarray(held, wide), values, side="right")


@dataclass(frozen=True)
class Hashed:
    """Parts by the hash that the frame library computes, the same in every process."""

    count: int

    def __call__(self, ids: Any) -> Any:
        """The part of each id: a new array, on the GPU for cuDF's columns."""
        if hasattr(ids, "hash_values"):
            return (ids.hash_values().values % self.count).astype(np.int64)
        import pandas as pd

        hashes = pd.util.hash_pandas_object(ids, index=False).to_numpy()
        return (hashes % self.count).astype(np.int64)


@dataclass(frozen=True)
class Given:
    """What the caller gave, with numbers that are no parts refused."""

    owner: Owner
    count: int

    def __call__(self, ids: Any) -> Any:
        """The part of each id, as the caller computes it."""
        found = self.owner(ids)
        if len(ids) and (int(found.min()) < 0 or int(found.max()) >= self.count):
            raise InputError(
                f"owners gives parts from {found.min()} to {found.max()}, and there are"
                f" {self.count}: parts are 0 .. {self.count - 1}"
            )
        return getattr(found, "values", found)


def even(low: int, high: int, count: int) -> Ranges:
    """So many ranges of one length from the least id to the greatest."""
    span = high - low + 1
    return Ranges(tuple(low + k * span // count for k in range(1, count)))
