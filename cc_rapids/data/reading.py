"""The record of how files were read, and of their rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..ledger import Ledger

if TYPE_CHECKING:
    from .files.read import SourceFormat


class Reading:
    """The record of the files of a list that were read so far, and of their rows."""

    formats: list[SourceFormat]
    ledger: Ledger

    def __init__(self, formats: Iterable[SourceFormat] = (), ledger: Ledger | None = None) -> None:
        self.formats = list(formats)
        self.ledger = Ledger() if ledger is None else ledger

    def add(self, source_format: SourceFormat, ledger: Ledger) -> None:
        """Add a file that has been read."""
        if source_format not in self.formats:
            self.formats.append(source_format)
        self.ledger = self.ledger.plus(ledger)
