"""What an access may find: a memory in which reads may be stale and stores late.

A location is the values it has held, oldest first, and how far each thread has come in them. A
plain read may return any value from there on, and the thread never goes back behind it. An atomic
operation reads the newest value and writes right after it. Values that no thread may read any more
are forgotten, so that memories that no thread can tell apart are equal.

A late store is known to its own thread at once and to the others at any later time, also after
later stores and atomic operations of the same thread on other locations. A fence waits until all
stores of its thread have arrived; what the thread reads after it is no older than what is newest
then. What is left out: that others see a store before the values of the reads in front of it are
known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from .engine import Access

WRITES: dict[str, Callable[..., int]] = {
    "store": lambda old, new: new,
    "cas": lambda old, expected, new: new if old == expected else old,
    "add": lambda old, value: old + value,
    "min": min,
    "max": max,
    "bit_or": lambda old, value: old | value,
}

Cell = tuple[tuple[int, ...], tuple[int, ...]]  # the values, and the place of each thread in them
Late = tuple[tuple[int, int], ...]  # the stores of a thread that are still on their way


class Memory(NamedTuple):
    """How weak the memory is: how many older values a read may still find, and late stores."""

    stale: int = 0
    late: bool = False


STRONG = Memory()
STALE = Memory(stale=99)  # more values than a location of a small race ever has
WEAK = Memory(stale=99, late=True)


def fresh(value: int, threads: int) -> Cell:
    return (value,), (0,) * threads


def newest(cell: Cell) -> int:
    return cell[0][-1]


def readings(cell: Cell, thread: int) -> Iterator[tuple[int, Cell]]:
    """Each value that the thread may read, and the cell after it has."""
    values, places = cell
    if len(values) == 1:
        yield values[0], cell
        return
    known = set()
    for edge_index in range(places[thread], len(values)):
        if values[edge_index] not in known:
            known.add(values[edge_index])
            yield values[edge_index], _moved(values, places, thread, edge_index)


def written(cell: Cell, thread: int, value: int, stale: int) -> Cell:
    """The cell after the thread has put a value behind the newest."""
    values, places = cell
    if value != values[-1]:
        values = (*values, value)
        forgotten = max(len(values) - 1 - stale, 0)
        if forgotten:
            values = values[forgotten:]
            places = tuple(max(edge_index - forgotten, 0) for edge_index in places)
    return _moved(values, places, thread, len(values) - 1)


def settled(cell: Cell, thread: int) -> Cell:
    """The cell when the thread has ended: it will read nothing more."""
    values, places = cell
    return cell if len(values) == 1 else _moved(values, places, thread, len(values) - 1)


def applied(access: Access, old: int) -> int:
    """What the location holds after a store or an atomic operation."""
    return WRITES[access.operation](old, *access.operands)


def _moved(values: tuple[int, ...], places: tuple[int, ...], thread: int, edge_index: int) -> Cell:
    places = (*places[:thread], edge_index, *places[thread + 1 :])
    seen = min(places)
    if seen:
        return values[seen:], tuple(edge_index - seen for edge_index in places)
    return values, places
