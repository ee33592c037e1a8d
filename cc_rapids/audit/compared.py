"""Compared: an answer beside that of another library."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array
from ..errors import VerificationError
from ..oracle.peers import least_by
from .answer import Answer


def compare(answer: Answer, oracle: str, src: Array, dst: Array) -> None:
    """Another library's components, which have to be the same.

    Parameters
    ----------
    src, dst : (m,) integers
        The slots of the ends of all edges, each that of a vertex.
    """
    engine = answer.engine
    theirs = _on_host(least_by(oracle, src, dst, answer.ids.n))
    own = engine.to_host(answer.own)
    there = np.flatnonzero(own != np.iinfo(own.dtype).max)
    _, first, place = np.unique(own[there], return_index=True, return_inverse=True)
    ours = there[first[place]]  # the least vertex of each label
    other = np.flatnonzero(ours != theirs[there])
    if other.size:
        v = int(there[other[0]])
        raise VerificationError(
            f"vertex {answer.name(v)} has the label {answer.label(v)}, and for {oracle} the least"
            f" vertex of its component is {answer.name(int(theirs[v]))}"
        )


def _on_host(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else np.asarray(array)
