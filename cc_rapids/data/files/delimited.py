"""Text files of edges, parsed in blocks of whole lines to columns of text.

A file is read in blocks of whole lines, so that PyArrow parses each block on all threads, a
malformed line can be named by its number, and memory beyond the answer is a few blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...errors import CapacityError, FormatError
from ...tuning import tuning
from ..memory_budget import Budget
from . import quoted

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST = 64  # blocks that one line may take

_BLANK_LINES = {  # of delimited text: a line of tabs alone has empty fields, if they delimit
    ",": re.compile(rb"(?:[ \t]*\n)*+"),
    "\t": re.compile(rb"(?:[ ]*\n)*+"),
}
_BLANKS = b" \t\v\f"  # between the fields of folded text; other languages' blanks are letters
_ONE_BLANK = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
MARK = b"\xef\xbb\xbf"  # of the byte order


@dataclass(frozen=True)
class Block:
    """Whole lines of a file: the number of the first line, and the bytes, ending with a newline.

    Where ``delimiter`` says that text may be quoted, a line is a record: it goes on behind a
    newline in quotes.
    """

    line: int
    data: bytes
    delimiter: bytes = b""

    @property
    def quoted(self) -> bool:
        """True if fields of the block may be in quotes."""
        return bool(self.delimiter) and quoted.QUOTE in self.data

    def after(self, size: int) -> Block:
        """Return the block after its first ``size`` bytes."""
        line = self.line + self.data.count(b"\n", 0, size)
        return Block(line, self.data[size:], self.delimiter)

    def first(self) -> tuple[bytes, Block]:
        """Return the first line, and the block of the others."""
        size = self.data.find(b"\n") + 1
        if self.quoted:
            size = len(next(quoted.records(self.data, self.delimiter), self.data))
        return self.data[:size], self.after(size)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line with its number in the file."""
        if not self.quoted:
            yield from enumerate(self.data.removesuffix(b"\n").split(b"\n"), self.line)
            return
        number = self.line
        for record in quoted.records(self.data, self.delimiter):
            yield number, record.removesuffix(b"\n")
            number += record.count(b"\n")

    def row(self, place: int, dialect: Dialect) -> tuple[int, bytes]:
        """Return the line of a row, counted from 0, with its number in the file."""
        rows = ((number, line) for number, line in self.lines() if dialect.clean(line))
        return next(islice(rows, place, None), (self.line, b""))


@dataclass(frozen=True)
class Dialect:
    """The rule that splits a line into fields: at each delimiter, or at runs of blanks.

    Folded text has comments too: lines that begin with one of the letters ``comments``.
    """

    delimiter: str
    comments: bytes = b""

    @property
    def folded(self) -> bool:
        """True if runs of blanks count as one."""
        return bool(self.comments)

    @property
    def separator(self) -> str:
        """The separator of fields, in words."""
        return {",": "commas", "\t": "tabs"}.get(self.delimiter, "blanks")

    @cached_property
    def dataless(self) -> re.Pattern[bytes]:
        """A pattern for leading lines that hold no data."""
        if not self.folded:
            return _BLANK_LINES[self.delimiter]
        return re.compile(rb"(?:[ \t\r]*(?:[%s][^\n]*)?\n)*+" % self.comments)

    @cached_property
    def _comment(self) -> re.Pattern[bytes]:
        return re.compile(rb"^[ \t]*[%s][^\n]*\n?" % self.comments, re.MULTILINE)

    def comments_in(self, data: bytes) -> int:
        """Return the number of lines that are comments."""
        some = any(data.find(letter) >= 0 for letter in self.comments)
        return len(self._comment.findall(data)) if some else 0

    def last_comment(self, data: bytes) -> bytes:
        """Return the last line that is a comment, empty if there is none."""
        found = b""
        for comment in self._comment.finditer(data) if self.folded else ():
            found = comment[0]
        return found

    @property
    def quoting(self) -> bytes:
        """The delimiter of text with quotes; empty for folded text."""
        return b"" if self.folded else self.delimiter.encode()

    def clean(self, data: bytes) -> bytes:
        """Return the lines for PyArrow, without comments and with one blank between fields."""
        if not self.folded:
            return data
        if any(data.find(letter) >= 0 for letter in self.comments):
            data = self._comment.sub(b"", data)
        data = data.translate(_ONE_BLANK)
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        return data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")

    def split(self, line: bytes) -> list[str]:
        """Return the fields of one line, without the blanks around them."""
        fields = line.split() if self.folded else quoted.split(line, self.quoting)
        return [field.decode(errors="replace") for field in fields]


DIALECTS = {
    "csv": Dialect(","),
    "tsv": Dialect("\t"),
    "snap": Dialect(" ", b"#%"),
    "mtx": Dialect(" ", b"#%"),
    "he": Dialect(" ", b"#%"),
    "gr": Dialect(" ", b"c"),
    "metis": Dialect(" ", b"%"),
}


@dataclass(frozen=True)
class Column:
    """A column of text: an empty field is null, unless it is in quotes.

    ``quoted`` says that at least one word of it is in quotes. ``bare`` is text without quotes, as
    it stands in the file: blanks may be around its words.
    """

    text: pa.ChunkedArray
    quoted: bool = False
    bare: bool = True


def blocks(
    path: str,
    read: Callable[[int], bytes],
    dialect: Dialect,
    report: Callable[[], None],
    budget: Budget | None = None,
) -> Iterator[Block]:
    """Split what is read into blocks of whole lines; ``report`` is called after each is used.

    A line ends with a newline, a carriage return, or both; blocks have newlines. Blocks and lines
    are as large as the budget allows.

    Raises
    ------
    FormatError
        A line has no end.
    CapacityError
        A line is longer than the budget allows.
    """
    size, longest = tuning.text_block_bytes, LONGEST * tuning.text_block_bytes
    if budget is not None:
        size, longest = min(size, budget.block_bytes), min(longest, budget.record_bytes)
    line, rest = 1, list[bytes]()
    while piece := read(size):
        rest.append(piece)
        if b"\n" not in piece and b"\r" not in piece and sum(map(len, rest)) < longest:
            continue
        data = b"".join(rest)
        rest = []
        whole, used = quoted.whole_records(data, dialect.quoting)
        if len(data) - used >= max(longest, size):
            raise _endless(path, Block(line + whole.count(b"\n"), data[used:]), dialect, budget)
        rest = [data[used:]]
        piece = data = b""  # not held while the block is used
        if used:
            yield Block(line, whole, dialect.quoting)
            report()
            line += whole.count(b"\n")
    data = b"".join(rest)
    if data:
        whole, used = quoted.whole_records(data + b"\n", dialect.quoting)
        if whole:
            yield Block(line, whole, dialect.quoting)
        if used <= len(data):
            raise _endless(path, Block(line + whole.count(b"\n"), data[used:]), dialect, None)
    report()


def _endless(
    path: str, block: Block, dialect: Dialect, budget: Budget | None
) -> FormatError | CapacityError:
    """Return the error for a line that has no end, or is too long."""
    kind: type[FormatError | CapacityError] = FormatError
    size = len(block.data)
    words, most = f"no end within {size:,} bytes; not text?", ""
    if budget is not None and size < LONGEST * tuning.text_block_bytes:
        words = f"no end within {size:,} bytes"
        most = (
            f"; memory_limit {budget.in_words(budget.limit)} allows lines of"
            f" {budget.in_words(budget.record_bytes)}: raise it if this is text"
        )
        kind = CapacityError
    if dialect.quoting:
        found = quoted.runs(block.data, dialect.quoting)
        if len(found.closes) and found.closes[-1] >= size:
            block = block.after(block.data.rfind(b"\n", 0, int(found.opens[-1])) + 1)
            words = f"a quotation mark is never closed: {shown(block.data)}"
            if most:
                words = f"a quotation mark is not closed within {size:,} bytes: {shown(block.data)}"
    return kind(f"{path}, line {block.line}: {words}{most}")


def from_first_data(feed: Iterator[Block], dialect: Dialect) -> Iterator[Block]:
    """Yield the blocks without a byte order mark and without leading lines that hold no data."""
    for block in feed:
        if block.line == 1:
            block = Block(1, block.data.removeprefix(MARK), block.delimiter)
        match = dialect.dataless.match(block.data)
        block = block.after(match.end() if match else 0)
        if block.data:
            yield block
            yield from feed


def parse(
    path: str, block: Block, dialect: Dialect, width: int, take: tuple[int, ...]
) -> list[Column]:
    """Return some columns of a block, as text.

    Parameters
    ----------
    path
        For the words of an error.
    block
        The lines.
    dialect
        How they split.
    width
        The number of fields in a line. Folded text may have more or fewer than that in a line, as
        long as those wanted are there.
    take
        The positions of the columns.

    Raises
    ------
    FormatError
        A line has another number of fields, or is not UTF-8; names the line.
    """
    import pyarrow as pa

    if block.quoted:
        return _parse_quoted(path, block, width, take)
    data = dialect.clean(block.data)
    with suppress(pa.ArrowInvalid):
        return _parse(data, dialect, width, take)
    if dialect.folded:
        width = max(take) + 1
        data = _cut(data, width)
        with suppress(pa.ArrowInvalid):
            return _parse(data, dialect, width, take)
    check_utf8(path, block)
    refused: list[Any] = []

    def refuse(row: Any) -> str:
        refused.append(row)
        return "error"

    try:
        return _parse(data, dialect, width, take, refuse)
    except pa.ArrowInvalid as error:
        if not refused:
            raise FormatError(f"{path}, from line {block.line} on: {error}") from None
        row = refused[0]
        number, line = block.row(row.number - 1, dialect)
        raise FormatError(
            f"{path}, line {number}: expected {row.expected_columns} fields, found"
            f" {row.actual_columns}: {shown(line)}"
        ) from None


def _parse_quoted(path: str, block: Block, width: int, take: tuple[int, ...]) -> list[Column]:
    import pyarrow as pa

    parts, done = [], 0
    try:
        for window, found in quoted.windows(block.data, block.delimiter):
            parts.append(quoted.columns(window, found, block.delimiter, width, take))
            done += len(window)
    except pa.ArrowInvalid as error:
        check_utf8(path, block)
        raise FormatError(f"{path}, from line {block.line} on: {error}") from None
    except quoted.MalformedError as error:
        rest = block.after(done + error.place)
        raise FormatError(f"{path}, line {rest.line}: {error}: {shown(rest.first()[0])}") from None
    return [
        Column(
            pa.chunked_array([text for text, _ in column], pa.string()),
            any(words for _, words in column),
            bare=False,
        )
        for column in zip(*parts, strict=True)
    ]


def _parse(
    data: bytes,
    dialect: Dialect,
    width: int,
    take: tuple[int, ...],
    refuse: Callable[[Any], str] | None = None,
) -> list[Column]:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if not data.strip(b"\n"):
        return [Column(pa.chunked_array([], pa.string())) for _ in take]
    if data.startswith(MARK):
        data = b"\n" + data  # a mark at the start of a block, which PyArrow takes for a file
    wanted = [str(i) for i in take]
    table = arrow_csv.read_csv(
        pa.BufferReader(data),
        # To find the culprit, one thread and one block: then lines of any length fit as well
        read_options=arrow_csv.ReadOptions(
            column_names=[str(i) for i in range(width)],
            use_threads=refuse is None,
            block_size=len(data) + 1 if refuse else 1 << 20,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.delimiter, quote_char=False, invalid_row_handler=refuse
        ),
        convert_options=arrow_csv.ConvertOptions(
            include_columns=wanted,
            column_types=dict.fromkeys(wanted, pa.string()),
            strings_can_be_null=True,
            null_values=[""],
        ),
    )
    return [Column(column) for column in table.columns]


def _cut(data: bytes, width: int) -> bytes:
    """Keep the first ``width`` fields of each line; shorter lines stay as they are."""
    import numpy as np

    text = np.frombuffer(data.removesuffix(b"\n") + b"\n", np.uint8)
    marks = np.flatnonzero((text == ord(" ")) | (text == ord("\n")))
    ends = np.flatnonzero(text[marks] == ord("\n"))
    firsts = np.concatenate(([0], ends[:-1] + 1))
    longer = firsts + width - 1 < ends
    change = np.zeros(len(text), np.int8)
    change[marks[(firsts + width - 1)[longer]]] = 1
    change[marks[ends[longer]]] = -1
    kept: bytes = text[np.cumsum(change, dtype=np.int8) == 0].tobytes()
    return kept


def check_utf8(path: str, block: Block) -> None:
    """Raise a FormatError for the first line that is not UTF-8 text."""
    for number, line in Block(block.line, block.data).lines():
        try:
            line.decode()
        except UnicodeDecodeError:
            raise FormatError(f"{path}, line {number}: not UTF-8 text: {shown(line)}") from None


def shown(line: bytes) -> str:
    """Return a line for a message, quoted and shortened."""
    text = line.decode(errors="backslashreplace").rstrip("\r\n")
    return repr(text if len(text) <= 80 else text[:77] + "...")
