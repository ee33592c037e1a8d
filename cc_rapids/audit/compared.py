"""Compared: an answer beside that of another library."""

from __future__ import annotations

import numpy as np

from ..edges import Edges
from ..errors import VerificationError
from ..oracle.peers import least_by
from .places import Places


def compare(places: Places, oracle: str, ends: Edges) -> None:
    """Another library's components, which have to be the same."""
    engine, xp, forest = places.engine, places.engine.xp, places.forest
    src, dst = ((column.astype(np.int64) - np.int64(ends.low)) for column in (ends.src, ends.dst))
    theirs = least_by(oracle, src, dst, forest.n)
    other = xp.flatnonzero(engine.asarray(theirs) != forest.parent)
    if other.size:
        v = int(other[0])
        name, own = places.name, int(forest.parent[v])
        raise VerificationError(
            f"vertex {name(v)} has the label {name(own)}, and for {oracle} the least vertex"
            f" of its component is {name(int(theirs[v]))}"
        )
