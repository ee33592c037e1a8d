"""Count the lines of a text file twice, in its bytes and as classified by the reader."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import LedgerError
from ...ledger import Ledger
from . import quoted

if TYPE_CHECKING:
    from .delimited import Block, Dialect

_EMPTY = re.compile(rb"^$", re.MULTILINE)
NEWLINE, RETURN = ord("\n"), ord("\r")


def ends_in(data: bytes) -> int:
    """Return the number of line ends: newlines, and carriage returns not followed by a newline."""
    count = quoted.newlines_in(data)
    return count + (data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0)


@dataclass
class LineCount:
    """Two independent counts of lines: the line ends in the bytes (``ended``), and lines by kind.

    ``last`` is the last byte so far. A quoted record of several lines is one row: its first line
    counts in ``rows``, and its further lines in ``continued``.
    """

    ended: int = 0
    last: int | None = None
    header: int = 0
    comment: int = 0
    blank: int = 0
    rows: int = 0
    continued: int = 0

    def feed(self, piece: bytes) -> None:
        """Count the ends of lines in the next bytes of the file."""
        if piece:
            is_split = self.last == RETURN and piece[0] == NEWLINE  # one line end in two pieces
            self.ended += ends_in(piece) - is_split
            self.last = piece[-1]

    def without_data(self, data: bytes, dialect: Dialect) -> None:
        """Count lines without data: comments and blank lines."""
        comments = len(dialect.comments_in(data))
        self.comment += comments
        self.blank += ends_in(data) - comments

    def block(self, block: Block, dialect: Dialect, rows: int) -> None:
        """Count the lines of a block that has ``rows`` rows."""
        self.rows += rows
        self.continued += quoted.inner_ends(block.data) if block.delimiter else 0
        lines = ends_in(block.data)
        if lines == rows:  # no line is a comment or blank
            return
        comments = len(dialect.comments_in(block.data))
        self.comment += comments
        if lines - rows > comments:  # otherwise no line is blank, so the block need not be copied
            text = dialect.clean(block.data)
            # ^$ would also match after the last newline
            self.blank += len(_EMPTY.findall(text.removesuffix(b"\n")))

    def ledger(self, path: str) -> Ledger:
        """Return the ledger of the whole file; raise a LedgerError if the two counts differ."""
        lines = self.ended + (self.last is not None and self.last not in (NEWLINE, RETURN))
        total = self.header + self.comment + self.blank + self.rows + self.continued
        if lines != total:
            raise LedgerError(
                f"{path} has {lines:,} lines, but {total:,} were accounted for ({self.rows:,} rows,"
                f" {self.comment:,} comments, {self.blank:,} blank): there is no answer; this is a"
                " bug of cc_rapids: please report it"
            )
        left_out = {"comment": self.comment, "blank": self.blank}
        given = lines - self.header - self.continued
        return Ledger(given, left_out={reason: n for reason, n in left_out.items() if n})
