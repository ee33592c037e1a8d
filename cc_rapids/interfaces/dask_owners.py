"""Owners: which part holds a vertex, from its id alone, so that every worker knows all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, shown
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
        """The part of each id, as the caller computes it.

        Raises
        ------
        InputError
            It fails, or gives something else than the number of a part for each id.
        """
        xp = cupy_or_numpy(ids)
        if not len(ids):
            return xp.zeros(0, np.int64)
        try:
            found = self.owner(ids)
            parts = xp.asarray(getattr(found, "values", found))
        except Exception as error:
            words = f"{type(error).__name__}: {error}"[:300]
            raise InputError(
                f"owners failed for {len(ids):,} ids of type {ids.dtype}, by {words}"
            ) from error
        if parts.shape != (len(ids),) or parts.dtype.kind not in "iub":
            raise InputError(
                f"owners gives {parts.dtype} of shape {parts.shape} for {len(ids):,} ids: it gives"
                " an array of integers, the number of a part for each id"
            )
        if int(parts.min()) < 0 or int(parts.max()) >= self.count:
            raise InputError(
                f"owners gives parts from {parts.min()} to {parts.max()}, and there are"
                f" {self.count}: parts are 0 .. {self.count - 1}"
            )
        return parts.astype(np.int64)

    def calls(self, ids: Any) -> Any:
        """The parts by several calls, each with other ids beside: an array on the host, a row for
        each call. All rows are the same if the parts depend on the ids alone.
        """
        xp, cut = cupy_or_numpy(ids), len(ids) // 3
        whole = self(ids), self(ids.iloc[::-1])[::-1]
        apart = xp.concatenate([self(ids.iloc[:cut]), self(ids.iloc[cut:])])
        found = xp.stack([*whole, apart])
        return found.get() if hasattr(found, "get") else found

    def check(self, ids: Any, part: int) -> None:
        """Check that ids have come to the part that owns them.

        Raises
        ------
        InputError
            Where they came from they had another owner than here.
        """
        strange = self(ids) != part
        if strange.any():
            at = int(strange.argmax())
            raise unsteady(ids.iloc[at], part, self(ids)[at])


def unsteady(one: Any, part: Any, other: Any) -> InputError:
    """The error for an id with two owners."""
    one = one.item() if hasattr(one, "item") else one
    return InputError(
        f"owners gives the id {shown(one)} to part {int(part)} in one call, and to part"
        f" {int(other)} in another: the part depends on the id alone, whatever is beside it, and is"
        " the same in every process (as Python's hash() of a string is not; owners='hash' is)"
    )


def cupy_or_numpy(ids: Any) -> Any:
    """The library of arrays where a column lies."""
    if type(ids).__module__.startswith("cudf"):
        import cupy

        return cupy
    return np


def even(low: int, high: int, count: int) -> Ranges:
    """So many ranges of one length from the least id to the greatest."""
    span = high - low + 1
    return Ranges(tuple(low + k * span // count for k in range(1, count)))
