"""Split text files of edges into columns of text.

A file is read in blocks of whole lines. PyArrow parses each block on all threads. Errors name the
number of a malformed line. Only a few blocks are in memory at the same time.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from io import BytesIO
from itertools import chain, islice
from typing import Any, Protocol

from ...errors import CapacityError, FormatError, LedgerError
from ...ledger import Ledger
from ..lazy import csv, pa
from ..memory_budget import Budget
from . import quoted

BLOCK = 16 << 20  # bytes of a file that are parsed at a time, see benchmarks/records/streams.jsonl
LONGEST = 64  # the maximum length of a line, in multiples of BLOCK

_BLANKS = b" \t\v\f"  # the characters that separate fields in folded text
_ONE_BLANK = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
_BLANKS_AND_QUOTES = re.compile(  # a quoted field, a word that begins with a quote, or blanks
    rb"(?<![^ \t\v\f\n])(?:"
    rb'("(?:[^"\n]++|"")*+"(?![^ \t\v\f\n]))|("[^ \t\v\f\n]*))'
    rb"|[ \t\v\f]*\n[ \t\v\f]*|[ \t\v\f]+"
)
NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "pipes", " ": "blanks"}
SEPARATOR_LINE = rb'"?sep=[^\r\n]"?'  # a line that spreadsheets write above the records
MARK = BOM_UTF8  # the byte order mark
PIECE = 1 << 20  # the number of bytes that a thread parses at a time
_EMPTY = re.compile(rb"^$", re.MULTILINE)
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r"))
NAME_ENCODING = "pass its encoding, such as encoding='latin-1' (--encoding latin-1)"
FORMAT_OR_ENCODING = (
    "pass its format as format= (--format), or, for text in UTF-16, encoding='utf-16' (--encoding"
    " utf-16)"
)


@dataclass(frozen=True)
class Block:
    """Whole records of a file: the number of their first line, and their bytes.

    A record is a line, or several lines if newlines are in quotes. ``data`` ends with a newline. If
    ``delimiter`` is not empty, text in quotes is masked: see :mod:`cc_rapids.data.files.quoted`.
    ``regular`` is true if no field continues after its closing quote.
    """

    line: int
    data: bytes
    delimiter: bytes = b""
    regular: bool = True

    @classmethod
    def of(cls, line: int, data: bytes, delimiter: bytes) -> tuple[Block, int]:
        """Return a block of the whole records at the start of ``data``, and their size there."""
        records = quoted.whole_records(data, delimiter)
        masked = delimiter if records.masked else b""
        return cls(line, records.data, masked, records.regular), records.used

    def after(self, size: int) -> Block:
        """Return the block after its first ``size`` bytes."""
        line = self.line + self.data.count(b"\n", 0, size)
        if self.delimiter:
            line += self.data.count(quoted.NEWLINE, 0, size)
        return replace(self, line=line, data=self.data[size:])

    @property
    def next_line(self) -> int:
        """The number of the line after the block."""
        more = self.data.count(quoted.NEWLINE) if self.delimiter else 0
        return self.line + quoted.newlines_in(self.data) + more

    def start_of(self, prefix: bytes) -> int:
        """Return the position of the first line that begins with a prefix; -1 if none does."""
        if self.data.startswith(prefix):
            return 0
        newline = self.data.find(b"\n" + prefix)
        return -1 if newline < 0 else newline + 1

    def first(self) -> tuple[bytes, Block]:
        """Return the first record as in the file, and the block of the other records."""
        size = self.data.find(b"\n") + 1
        others = self.after(size)
        if quoted.OPEN not in others.data:  # no quoted field remains, so there are no masks
            others = Block(others.line, others.data)
        return self.unmasked(self.data[:size]), others

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each record as in the file, with the number of its first line."""
        number = self.line
        for record in map(self.unmasked, BytesIO(self.data)):
            yield number, record.removesuffix(b"\n")
            number += record.count(b"\n")

    def unmasked(self, data: bytes) -> bytes:
        """Return records as in the file."""
        return quoted.unmasked(data, self.delimiter) if self.delimiter else data

    def row(self, index: int, dialect: Dialect) -> tuple[int, bytes]:
        """Return the line number and the text of a row: a record with data, not a comment.

        If there is no such row, return the number of the first line, and no text.
        """
        rows = ((number, line) for number, line in self.lines() if dialect.clean(line))
        return next(islice(rows, index, None), (self.line, b""))


@dataclass(frozen=True)
class Dialect:
    """The rule that splits a line into fields: at each delimiter, or at runs of blanks.

    A ``delimiter`` is one character; a blank stands for runs of blanks. Lines that begin with a
    character in ``comments`` are skipped. In a ``table``, all records have the same number of
    fields, and fields may be in quotes. In other formats, lines may have additional fields, which
    are ignored, and there are no quotes.
    """

    delimiter: str
    comments: bytes = b""
    table: bool = False

    @property
    def folded(self) -> bool:
        """True if fields are separated by runs of blanks."""
        return self.delimiter == " "

    @property
    def separator(self) -> str:
        """The name of the separator of fields, for messages."""
        return NAMES.get(self.delimiter, repr(self.delimiter))

    @property
    def uncommented(self) -> Dialect:
        """The same dialect without comments, which are allowed only before the first record."""
        return replace(self, comments=b"") if self.comments else self

    @cached_property
    def dataless(self) -> re.Pattern[bytes]:
        """A pattern of the lines without data at the start of a text: blank lines and comments."""
        blanks = quoted.blanks(self.delimiter.encode())
        return re.compile(rb"(?:[%s]*(?:%s)?(?:\r\n|\n|\r))*+" % (blanks, self._no_data))

    @property
    def _no_data(self) -> bytes:
        """The pattern of a comment without its indent, or of a line that declares the separator."""
        parts = [rb"[%s][^\r\n]*" % re.escape(self.comments)] if self.comments else []
        return b"|".join([*parts, SEPARATOR_LINE] if self.table else parts)

    @cached_property
    def _comment(self) -> re.Pattern[bytes]:
        """The pattern of a comment in a text of several lines."""
        return re.compile(rb"^[ \t]*(?:%s)\n?" % self._no_data, re.MULTILINE)

    @cached_property
    def _blank_lines(self) -> re.Pattern[bytes]:
        """The pattern of the lines that hold only blanks."""
        blanks = b" " if self.delimiter == "\t" else _BLANKS
        return re.compile(rb"^[%s]+$" % blanks, re.MULTILINE)

    def comments_in(self, data: bytes) -> list[bytes]:
        """Return the lines that are comments."""
        return self._comment.findall(data) if self._may_have_comments(data) else []

    def _may_have_comments(self, data: bytes) -> bool:
        """Return whether a text contains a character that begins comments."""
        return any(data.find(letter) >= 0 for letter in self.comments)

    @property
    def quoting(self) -> bytes:
        """The delimiter if quoted fields may contain newlines, otherwise an empty string."""
        return self.delimiter.encode() if self.table and not self.folded else b""

    def clean(self, data: bytes) -> bytes:
        """Return lines for PyArrow, without comments, and with blank lines empty.

        If runs of blanks separate fields (:attr:`folded`), each run becomes one blank; in a table
        with quotes, each run outside quotes becomes a tab.
        """
        if self._may_have_comments(data):
            data = self._comment.sub(b"", data)
        if not self.folded:
            blanks = [b" "] if self.delimiter == "\t" else [b" ", b"\t"]
            # in most texts, no line begins with a blank, so none is blank
            has_indent = any(data.startswith(c) or b"\n" + c in data for c in blanks if c in data)
            return self._blank_lines.sub(b"", data) if has_indent else data
        if self.table and quoted.QUOTE in data:
            return _BLANKS_AND_QUOTES.sub(_tab_or_field, data).strip(b"\t")
        data = data.translate(_ONE_BLANK)
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        return data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")

    def split(self, line: bytes) -> list[str]:
        """Return the fields of one line, without the blanks around them."""
        if not self.folded:
            return quoted.split(line, self.delimiter)
        if self.table and quoted.QUOTE in line:
            return quoted.split(self.clean(line), "\t")
        return [field.decode(errors="replace") for field in line.split()]

    def first_records(self, data: bytes, count: int) -> list[list[str]]:
        """Return the fields of the first records that are not empty."""
        block, _ = Block.of(1, data, self.quoting)
        lines = (line for _, line in block.lines() if line.strip())
        return [self.split(line) for line in islice(lines, count)]


def _tab_or_field(match: re.Match[bytes]) -> bytes:
    """Return what replaces a match of ``_BLANKS_AND_QUOTES``: a field, a newline or a tab."""
    quoted_field, word = match.groups()
    if word:  # the word only begins with a quote: it is put in quotes as a whole
        return b'"%s"' % word.replace(b'"', b'""')
    return quoted_field or (b"\n" if b"\n" in match[0] else b"\t")


@dataclass(frozen=True)
class Column:
    """A column of text: an empty field is null, unless it is in quotes.

    ``in_quotes`` tells which fields are in quotes; it is None if no field in quotes has text.
    ``is_trimmed`` is true if the blanks around fields have been removed.
    """

    text: pa.ChunkedArray
    in_quotes: pa.ChunkedArray | None = None
    is_trimmed: bool = False


@dataclass
class LineCount:
    """Two independent counts of the lines of a file: by line ends, and by kind.

    ``ended`` counts line ends, and ``last`` is the last byte so far. The other counts are by kind:
    of a quoted record, the first line counts in ``rows``, and further lines in ``continued``.
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
            # a carriage return and a newline are one line end, perhaps in two pieces
            is_split = self.last == ord("\r") and piece.startswith(b"\n")
            self.ended += quoted.ends_in(piece) - is_split
            self.last = piece[-1]

    def count_dataless(self, data: bytes, dialect: Dialect) -> None:
        """Count lines without data: comments and blank lines."""
        comments = len(dialect.comments_in(data))
        self.comment += comments
        self.blank += quoted.ends_in(data) - comments

    def count_block(self, block: Block, dialect: Dialect, rows: int) -> None:
        """Count the lines of a block that has ``rows`` rows."""
        self.rows += rows
        if block.delimiter:  # the masked newlines in quotes
            self.continued += quoted.inner_ends(block.data)
        lines = quoted.ends_in(block.data)
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
        lines = self.ended + (self.last is not None and self.last not in b"\r\n")
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


class TextFile(Protocol):
    """The members of an input file that readers of text use."""

    path: str
    budget: Budget | None
    lines: LineCount
    decoded: bool

    def read(self, size: int) -> bytes: ...
    def report_place(self) -> None: ...


def blocks(
    file: TextFile, dialect: Dialect, read: Callable[[int], bytes] | None = None, line: int = 1
) -> Iterator[Block]:
    """Split a file into blocks of whole lines; report the progress after each block is used.

    In the file, a line ends with a newline, a carriage return, or both; in blocks, a line ends with
    a newline. The memory limit bounds the size of blocks and lines. ``read`` returns the next bytes
    as UTF-8, by default the bytes of the file; ``line`` is the number of the first line.
    """
    path, budget, read = file.path, file.budget, read or file.read
    size, longest = BLOCK, longest_line(budget)
    size = size if budget is None else min(size, budget.block_bytes)
    pending = list[bytes]()  # the pieces after the last whole line
    while piece := read(size):
        pending.append(piece)
        if b"\n" not in piece and b"\r" not in piece and sum(map(len, pending)) < longest:
            continue
        data, pending = b"".join(pending), []
        block, used = Block.of(line, data, dialect.quoting)
        line = block.next_line
        if len(data) - used >= max(longest, size):
            raise _endless(path, Block(line, data[used:]), dialect, budget)
        pending = [data[used:]]
        piece = data = b""  # free the memory while the block is used
        if used:
            yield block
            file.report_place()
    data = b"".join(pending)
    if data:
        block, used = Block.of(line, data + b"\n", dialect.quoting)
        if used:
            yield block
        if used <= len(data):  # even the added newline is in quotes: no budget is the reason
            raise _endless(path, Block(block.next_line, data[used:]), dialect, budget=None)
    file.report_place()


def without_second_mark(path: str, feed: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks; raise a FormatError if one of their lines begins with a byte order mark."""
    for block in feed:
        start = block.start_of(MARK)
        if start >= 0:
            line = block.after(start).line
            raise FormatError(
                f"{path}, line {line}: a second byte order mark, as in concatenated files: pass the"
                " paths of the files, or remove the mark and the header after it"
            )
        yield block


def longest_line(budget: Budget | None) -> int:
    """Return the maximum bytes of a line of text: a constant, or less if the budget is small."""
    longest = LONGEST * BLOCK
    return longest if budget is None else min(longest, budget.record_bytes)


def _endless(
    path: str, block: Block, dialect: Dialect, budget: Budget | None
) -> FormatError | CapacityError:
    """Return the error for a line or quoted field that ``block`` does not end, or is too long."""
    size = len(block.data)
    exceeds_budget = budget is not None and size < LONGEST * BLOCK
    within = f"within {size:,} bytes"
    reason = f"no end {within}" if exceeds_budget else f"no end {within}; not text?"
    if dialect.quoting:
        opens, closes, _ = quoted.quoted_spans(block.data, dialect.quoting)
        if len(closes) and closes[-1] >= size:  # the last quote is not closed
            block = block.after(block.data.rfind(b"\n", 0, int(opens[-1])) + 1)
            how = f"not closed {within}" if exceeds_budget else "never closed"
            reason = f"a quotation mark is {how}: {shown(block.data)}"
    message = f"{path}, line {block.line}: {reason}"
    if budget is None or not exceeds_budget:
        return FormatError(message)
    return CapacityError(
        f"{message}; memory_limit {budget.in_words(budget.limit)} allows lines of"
        f" {budget.in_words(budget.record_bytes)}: raise it if this is text"
    )


def from_first_data(feed: Iterator[Block], dialect: Dialect) -> Iterator[Block]:
    """Yield the blocks without a byte order mark and without the lines above the first data."""
    for block in feed:
        if block.line == 1:
            block = Block(1, block.data.removeprefix(MARK), block.delimiter)
        match = dialect.dataless.match(block.data)
        block = block.after(match.end() if match else 0)
        if block.data:
            yield block
            yield from feed


def header_line(file: TextFile, dialect: Dialect) -> tuple[int, bytes, Iterator[Block]]:
    """Return the number and the text of the first line with data, and the blocks below it."""
    feed = blocks(file, dialect)
    block = next(from_first_data(feed, dialect), Block(1, b"\n"))
    line, others = block.first()
    return block.line, line, chain([others], feed)


def parse(
    path: str, block: Block, dialect: Dialect, width: int, take: tuple[int, ...]
) -> list[Column]:
    """Return the columns of a block at the positions ``take``, as text.

    A record of a table has ``width`` fields. In other files, a line may have more or fewer fields,
    but must have those at ``take``. A FormatError names the first line that is not UTF-8 or has a
    wrong number of fields. ``path`` is for errors.
    """
    data, mask_delimiter = dialect.clean(block.data), block.delimiter
    if dialect.table and dialect.folded and quoted.QUOTE in data:
        dialect = replace(dialect, delimiter="\t")  # clean() has replaced blanks outside quotes
        tabbed, _ = Block.of(block.line, data, b"\t")
        data, mask_delimiter = tabbed.data, tabbed.delimiter
    elif not block.regular and (at := quoted.behind_quotes(block.data, mask_delimiter)) >= 0:
        record = block.after(block.data.rfind(b"\n", 0, at) + 1)
        raise FormatError(
            f"{path}, line {record.line}: a field continues after its closing quote:"
            f" {shown(record.first()[0])}"
        )
    with suppress(pa.ArrowInvalid):
        return _parse(data, dialect, width, take, mask_delimiter)
    if not dialect.table:  # some lines may have more fields than others
        width = max(take) + 1
        longer = rb"(?m)^((?:[^ \n]+ ){%d}[^ \n]+) [^\n]*" % (width - 1)
        data = re.sub(longer, rb"\1", data)  # without the fields after the requested ones
        with suppress(pa.ArrowInvalid):
            return _parse(data, dialect, width, take, mask_delimiter)
    # a line is not UTF-8, has a wrong number of fields, or is longer than PyArrow's blocks
    check_utf8(path, block)
    data = data.translate(quoted.READABLE) if mask_delimiter else data
    parsed = partial(_parse, data, dialect, width, take, mask_delimiter)
    return _parse_by_line(path, block, dialect, parsed)


def _parse_by_line(
    path: str, block: Block, dialect: Dialect, parsed: Callable[[Any], list[Column]]
) -> list[Column]:
    """Parse a refused block again by ``parsed(refuse)``; name the malformed line in an error."""
    malformed_rows: list[Any] = []

    def refuse(row: Any) -> str:
        malformed_rows.append(row)
        return "error"

    try:
        return parsed(refuse)
    except pa.ArrowInvalid as error:
        if not malformed_rows:
            raise FormatError(f"{path}, from line {block.line} on: {error}") from None
        row = malformed_rows[0]
        number, line = block.row(row.number - 1, dialect)
        advice = ""
        if (mark := line.lstrip()[:1]) in (b"#", b"%"):
            advice = (
                "; comments may only precede the first record: remove such lines, for example by"
                f" grep -v '^{mark.decode()}'"
            )
        raise FormatError(
            f"{path}, line {number}: expected {row.expected_columns} fields, as in the first"
            f" record, found {row.actual_columns}: {shown(line)}{advice}"
        ) from None


def _parse(
    data: bytes,
    dialect: Dialect,
    width: int,
    take: tuple[int, ...],
    mask_delimiter: bytes,
    refuse: Callable[[Any], str] | None = None,
) -> list[Column]:
    """Return the columns of cleaned text at the positions ``take``, among ``width`` columns.

    ``mask_delimiter`` is the delimiter if text in quotes is masked, otherwise empty. ``refuse`` is
    called with the first line that has the wrong number of fields. Any malformed text raises a
    ``pyarrow.ArrowInvalid``.
    """
    if not data.lstrip(b"\n"):  # all lines are empty; a copy is made only in this case
        return [Column(pa.chunked_array([], pa.string())) for _ in take]
    if data.startswith(MARK):
        data = b"\n" + data  # PyArrow would remove a byte order mark
    names = [str(i) for i in take]
    table = csv.read_csv(
        pa.BufferReader(data),
        # with ``refuse``, one thread parses one block, which holds lines of any length
        read_options=csv.ReadOptions(
            column_names=[str(i) for i in range(width)],
            use_threads=refuse is None and len(data) > PIECE,
            block_size=len(data) + 1 if refuse else PIECE,
        ),
        parse_options=csv.ParseOptions(
            delimiter=dialect.delimiter, quote_char=False, invalid_row_handler=refuse
        ),
        convert_options=csv.ConvertOptions(
            include_columns=names,
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=True,
            null_values=[""],
            check_utf8=not mask_delimiter,
        ),
    )
    if mask_delimiter:  # bytes that do not occur in the text need not be searched in each column
        present = b"".join(byte for byte in (*quoted.MASKS, b" ", b"\t") if byte in data)
        values = (quoted.values(column, mask_delimiter, present) for column in table.columns)
        return [Column(text, in_quotes, is_trimmed=True) for text, in_quotes in values]
    return [Column(column) for column in table.columns]


def check_utf8(path: str, block: Block) -> None:
    """Raise a FormatError for the first line that is not UTF-8 text."""
    unmasked = Block(block.line, block.unmasked(block.data))  # without masks, each line is a record
    for number, line in unmasked.lines():
        try:
            line.decode()
        except UnicodeDecodeError:
            controls = len(line) - len(line.translate(None, _CONTROLS))
            if controls * 20 > len(line):  # more than 5 %, unlike in text
                raise FormatError(
                    f"{path} is a binary file, not text: {FORMAT_OR_ENCODING}"
                ) from None
            raise not_utf8(path, number, line, NAME_ENCODING) from None


def not_utf8(path: str, number: int, line: bytes, advice: str) -> FormatError:
    """Return the error for a line that is not UTF-8 text."""
    return FormatError(f"{path}, line {number}: not UTF-8 text: {shown(line)}; {advice}")


def misfit_error(
    path: str,
    block: Block,
    dialect: Dialect,
    fits: Callable[[list[str]], bool],
    expected: str,
    position: int | None = None,
) -> FormatError:
    """Return the error for the first line of a block whose fields do not fit.

    ``fits`` decides by the fields of a line. The message says what is ``expected``, and shows the
    field at ``position`` and the line. If all lines fit, it names the start of the block.
    """
    for number, line in block.lines():
        fields = dialect.split(dialect.clean(line))
        if not fits(fields):
            found = shown(line)
            if position is not None and position < len(fields):
                found = f"{shown(fields[position].encode(errors='replace'))} in {found}"
            return FormatError(f"{path}, line {number}: expected {expected}, found {found}")
    return FormatError(f"{path}, from line {block.line} on: expected {expected}")


def shown(line: bytes) -> str:
    """Return a line for a message, quoted and shortened."""
    text = line.decode(errors="backslashreplace").rstrip("\r\n")
    return repr(text if len(text) <= 80 else text[:77] + "...")
