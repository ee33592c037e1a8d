"""The record of how files were read, and of their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ledger import Ledger

if TYPE_CHECKING:
    from .files.read import Taken


class Reading:
    """The record of the files of a list that were read so far, and of their rows."""

    def __init__(self, taken: tuple[Taken, ...] = (), ledger: Ledger | None = None) -> None:
        self.taken = list(taken)
        self.ledger = Ledger() if ledger is None else ledger

    def add(self, taken: Taken, ledger: Ledger) -> None:
        """Add a file that has been read."""
        if taken not in self.taken:
            self.taken.append(taken)
        self.ledger = self.ledger.plus(ledger)
