"""Entries: files as a checkpoint knows them, and whether they are still the same."""

from __future__ import annotations

from typing import Any

from ..errors import CheckpointError
from ..formats import Mark

Entry = list[Any]  # of path, size and time of change, as JSON has them
IN_MEMORY = " rows in memory"  # behind their number, in place of a path: the time is then a hash


def arranged(mine: list[Entry], theirs: list[Entry]) -> list[int]:
    """The places of the entries of a checkpoint among mine, in its order, and of all others.

    Raises
    ------
    CheckpointError
        One of the checkpoint's is not there, or is another; says which.
    """
    left: dict[str, list[int]] = {}
    for place, entry in enumerate(mine):
        left.setdefault(entry[0], []).append(place)
    order = []
    for entry in theirs:
        places = left.get(entry[0], [])
        same = [place for place in places if mine[place] == entry]
        if not same:
            raise CheckpointError(_difference(entry, mine[places[0]] if places else None))
        order.append(same[0])
        places.remove(same[0])
    return order + sorted(place for places in left.values() for place in places)


def _difference(then: Entry, now: Entry | None) -> str:
    """How an entry has changed, in words."""
    if then[0].endswith(IN_MEMORY):
        return f"{then[0]} then, and {'others' if now else 'not as many'} now"
    after = f"has {Mark(*now[1:])} now" if now else "is not among the files now"
    return f"{then[0]} had {Mark(*then[1:])} then, and {after}"


def more_of(order: list[int], theirs: list[Entry], what: str) -> str:
    """How many entries there are beyond those of a checkpoint, in words; empty if none."""
    more = len(order) - len(theirs)
    return f"{more:,} {what}{'' if more == 1 else 's'} more" if more else ""
