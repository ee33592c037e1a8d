"""Gather what belongs to the marked edges of a list, by one thread for each edge of it."""

from typing import Any

import numpy as np

from . import primitives


def gather_marked(on: Any, write: Any) -> Any:
    """Write what belongs to each member of a set, in their order, by a part of gather.py.

    Of most lists few edges are members, whose columns are read where they are: a thread for each
    has as many loads under way as there are. Those of a word count the members before it together.
    """
    has, rank = primitives.has(on), primitives.rank(on)

    @on.elementwise
    def gather_marked(e, members, before, *columns):
        if has(members, e):
            write(np.uint64(rank(members, before, e)), e, *columns)

    return gather_marked
