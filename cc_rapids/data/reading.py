"""How files were read, and how many rows they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ledger import Ledger

if TYPE_CHECKING:
    from .files.read import Taken


class Reading:
    """How the files of a list were read, and their rows, as far as reading has come."""

    def __init__(self, taken: tuple[Taken, ...] = (), ledger: Ledger | None = None) -> None:
        self.taken = list(taken)
        self.ledger = Ledger() if ledger is None else ledger

    def add(self, taken: Taken, ledger: Ledger) -> None:
        """Add a file that has been read."""
        if taken not in self.taken:
            self.taken.append(taken)
        self.ledger = self.ledger.plus(ledger)
