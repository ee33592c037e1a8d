"""Trace: what the items of an iterable were, and whether those that are skipped are the same."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from ..data.column import Content
from ..data.edge_input import Given
from ..data.streams import Cursor
from ..errors import CheckpointError

LISTED = 4096  # items that can be told apart; of those beyond there is one hash in all

Entry = list[Any]  # of the rows of an item, the types of its columns, and a hash of what they hold


class Trace:
    """The items that have passed: rows, types and a hash of each, compared with those of a run
    that is gone on with while these are skipped.

    Parameters
    ----------
    notes : dict, optional
        Of that run, as :meth:`notes` gives them.
    """

    def __init__(self, notes: dict[str, Any] | None = None) -> None:
        self.theirs = notes
        self.skipping = bool(notes and notes["last"])
        self.items: list[Entry] = []  # of all but the last, the first LISTED
        self.count = 0  # of all but the last
        self.beyond = ""  # a hash of those that are not listed
        self.last: Entry | None = None  # the last of which rows have passed
        self._content, self._ended = Content(), False

    def start(self) -> Cursor:
        """The place from which on rows are new: in the last item, which may be longer by now."""
        if self.theirs is None or not self.theirs["last"]:
            return Cursor()
        return Cursor(int(self.theirs["count"]), 0, int(self.theirs["last"][0]))

    def notes(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        return {
            "items": self.items,
            "count": self.count,
            "beyond": self.beyond,
            "last": self.last,
        }

    def add(self, given: Given, after: Cursor) -> None:
        """Add some rows of an item, whose rows with nulls are left out, and counted.

        Raises
        ------
        CheckpointError
            The items so far are others than those of the run before; says which differ, and how.
        """
        if self._ended:
            self._file_last()
        columns = [*given.columns, *([given.offsets] if given.offsets else [])]
        self._content.add(columns)
        types = " ".join(column.dtype for column in columns if column.size)
        before = self.last or [0, ""]
        rows = before[0] + given.src.size + given.dropped
        self.last = [rows, before[1] or types, self._content.digest()]
        self._ended = not after.rows
        if self.skipping:
            self._compare()

    def _file_last(self) -> None:
        """The last item is not the last one any more."""
        if self.count < LISTED:
            self.items.append(self.last or [])
        else:
            known = repr((self.beyond, self.last)).encode()
            self.beyond = blake2b(known, digest_size=12).hexdigest()
        self.count, self.last = self.count + 1, None
        self._content, self._ended = Content(), False

    def _compare(self) -> None:
        theirs, mine = self.theirs, self.last
        assert theirs is not None
        assert mine is not None
        if self.count < theirs["count"]:
            if self._ended and self.count < LISTED:
                _check_same(self.count, theirs["items"][self.count], mine)
            return
        if self.beyond != theirs["beyond"]:
            raise CheckpointError(
                f"one of the items {LISTED:,} to {self.count - 1:,} is another now"
            )
        then = theirs["last"]
        self.skipping = mine[0] < then[0]
        if then[0] and (self._ended or not self.skipping):
            _check_same(self.count, then, mine)

    def finish(self) -> None:
        """Say that there are no more items: a CheckpointError if there were more before."""
        if self.skipping and self.theirs is not None:
            had, now = self.theirs["count"] + 1, self.count + (self.last is not None)
            raise CheckpointError(f"{had:,} items then, and {now:,} now")


def _check_same(number: int, then: Entry, now: Entry) -> None:
    """A CheckpointError unless an item, whose number counts from 0 on, is what it was."""
    if then[0] != now[0]:
        raise CheckpointError(f"item {number:,} had {then[0]:,} rows then, and {now[0]:,} now")
    if then[1] != now[1] and then[1] and now[1]:
        raise CheckpointError(f"item {number:,} held {then[1]} then, and {now[1]} now")
    if then[2] != now[2]:
        raise CheckpointError(f"item {number:,}, of {then[0]:,} rows, holds other ids now")
