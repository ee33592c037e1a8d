"""Ways: in which order an audit goes through the rows of a list; each of them sees all rows."""

from __future__ import annotations

from typing import NamedTuple

from ..backends import Engine
from ..kernels import audit

MANY = 1_000_000  # edges from which on a sample pays
# The vertices of lists whose bits of the giant had better lie in memory that threads share, and for
# how many edges a vertex one block of so many is the sample; and the same of all other lists. Of a
# sample counts how many of its edges there are a vertex: three quarters or more.
SHARED = range(1_900_000, 7_400_001)
SHARED_EVERY = (28, 20), (15, 8), (9, 7)
EVERY = (16, 20), (5.5, 7), (3.5, 5)

TILED, TILED_IDS = 4_000_000, 1 << 20  # edges and ids from which on tiles pay
WINDOW = 1 << 14  # ids of a tile
MOST = 4  # times as many rows as the average, at which a tile stops: one may be given all of them
LOOKS = 4096  # rows that are looked at
IN_ORDER, NEARBY = 7 / 8, 2 / 3  # the share of them that are in order, and between ids nearby


class Order(NamedTuple):
    """Of LOOKS rows how many are in order, and how many of these are between ids nearby."""

    ordered: int
    near: int


def shares(engine: Engine, n: int, m: int) -> bool:
    """Whether the bits of a list of m edges between n ids had better lie in shared memory."""
    dense = engine.samples and n in SHARED and m >= SHARED_EVERY[-1][0] * n
    return dense and engine.largest_tiles().words >= audit.HELD


def stride_of(engine: Engine, n: int, m: int) -> int:
    """Of how many blocks of m edges one is the sample that suits them; 0 if none does."""
    if m < MANY or not n:
        return 0
    for least, every in SHARED_EVERY if shares(engine, n, m) else EVERY:
        if m >= least * n:
            return every
    return 0


def tiles_pay(order: Order, n: int) -> bool:
    """Whether a list of n ids that is long enough is in order, most edges between ids nearby."""
    ordered, near = order
    return n >= TILED_IDS and ordered > IN_ORDER * LOOKS and near >= NEARBY * LOOKS
