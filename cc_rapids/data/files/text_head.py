"""Detect the encoding, separator and header of a table of text, and the lines above its records."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...errors import (
    CapacityError,
    CcRapidsWarning,
    FormatError,
    InputError,
    MissingColumnError,
    listed,
)
from ..end_columns import (
    KNOWN_NAMES,
    KNOWN_PAIRS,
    LABELS,
    NAME_THEM,
    check_without_header,
    missing_message,
    naming,
)
from ..text_options import COMMENTS, TextOptions
from . import quoted
from .delimited import (
    MARK,
    NAME_ENCODING,
    NAMES,
    SEPARATOR_LINE,
    Block,
    Dialect,
    blocks,
    check_utf8,
    longest_line,
    shown,
    without_second_mark,
)
from .handle import marked_encoding
from .text_ids import MISSING

if TYPE_CHECKING:
    from .input_file import ColumnRequest, File

TEXT = ("csv", "tsv", "snap")  # the formats of tables of text
HEAD = 1 << 16  # the number of bytes that are inspected; more if a line is longer
AS_UTF8 = "utf-8", "ascii"  # encodings that need no conversion to UTF-8
SEPARATORS = ",\t;|"
FIRST = 20  # the number of records from which the separator is inferred
_SEPARATOR = re.compile(  # a SEPARATOR_LINE, with the separator as a group
    rb"^" + SEPARATOR_LINE.replace(rb"[^\r\n]", rb"([!-~\t])") + rb"$", re.MULTILINE
)
_KEPT = 20  # the number of lines above the first record that are kept
_KEPT_BYTES = 1000 * _KEPT  # the maximum number of bytes in which these lines are looked for
WIDE = 20  # records with more fields than this, all 0 or 1, are a matrix even if it is not square
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DECIMAL = re.compile(  # a number with a point or a comma as the decimal mark
    r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?"
)
KONECT_BIPARTITE = b"% bip"  # the beginning of KONECT's files of bipartite graphs
_RULE = re.compile(r":?-{2,}:?")  # a field of the line that sqlcmd and Markdown write below names
FIELD_BYTES = 200  # bytes of memory for the text and the name of a field


@dataclass
class Above:
    """The lines above the first record."""

    count: int = 0  # the number of these lines
    comment: bytes = b""  # the last comment without its first character
    mark: bytes = b""  # the first character of this comment
    separator: str | None = None  # the character that a line such as ``sep=;`` names
    first: list[tuple[int, bytes]] = field(default_factory=list)  # the first lines, with numbers

    def add(self, lines: bytes, dialect: Dialect) -> None:
        """Add complete lines that hold no data."""
        if match := _SEPARATOR.search(lines):
            self.separator = match[1].decode()
        if comments := dialect.comments_in(lines):
            last = comments[-1].strip()
            self.mark, self.comment = last[:1], last[1:]
            if len(self.first) < _KEPT:
                numbered = enumerate(lines[:_KEPT_BYTES].split(b"\n"), self.count + 1)
                self.first += [(k, line.strip()) for k, line in numbered if line.strip()][:_KEPT]
        self.count += quoted.ends_in(lines)


class Text:
    """The bytes of a file converted to UTF-8, with lookahead.

    All converted bytes are added once, in order, to the count of lines of ``file``. Without an
    ``encoding``, or if the caller opened the file as text, a byte order mark gives the encoding, by
    default UTF-8. ``marked`` tells whether the file begins with such a mark.
    """

    def __init__(self, file: File, encoding: str | None) -> None:
        self._file, self._line = file, 1
        self._decoder: Any = None
        first = file.read(HEAD)
        encoding = None if file.decoded else encoding
        self._encoding = encoding = encoding or marked_encoding(first)
        if encoding is not None and codecs.lookup(encoding).name not in AS_UTF8:
            self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ended = not first
        first = self._decoded(first)
        self.marked: bool = first.startswith(MARK)
        self._ahead = first.removeprefix(MARK)
        file.lines.feed(self._ahead)

    def peek(self, size: int) -> bytes:
        """Return at least ``size`` of the next bytes, or all that remain; do not consume them."""
        while len(self._ahead) < size and (piece := self._next(size)):
            self._ahead += piece
        return self._ahead

    def head(self, longest: int) -> bytes:
        """Return the complete lines in the next ``HEAD`` bytes, or in more bytes with two records.

        Line ends become newlines. There may be fewer than two records if the file ends, or if
        ``longest`` bytes do not contain two.
        """
        size = HEAD
        while True:
            data = self.peek(size)
            ended = len(data) < size
            # a newline may follow a carriage return at the end of the data
            lines = quoted.with_newlines(data if ended or data[-1:] != b"\r" else data[:-1])
            lines = lines + b"\n" if ended and lines[-1:] != b"\n" else lines
            lines = lines[: lines.rfind(b"\n") + 1]
            # a quoted record may have several lines; the unknown delimiter is taken for a comma
            records = quoted.whole_records(lines, b",").data.count(b"\n")
            if ended or size >= longest or records > 1:
                return lines if data else b""
            size *= 4

    def above(self, dialect: Dialect, longest: int) -> Above:
        """Skip and count the lines above the first record; return their content."""
        above, size = Above(), HEAD
        while data := self.peek(size):
            ended = len(data) < size
            complete = len(data) if ended else quoted.last_end(data)  # the bytes of complete lines
            lines = data[:complete]
            lines = lines + b"\n" if ended and lines[-1:] not in b"\r\n" else lines
            match = dialect.dataless.match(lines)
            end = match.end() if match else 0  # the bytes of the lines without data
            if end:
                dataless = quoted.with_newlines(lines[:end])
                above.add(dataless, dialect)
                self._file.lines.count_dataless(dataless, dialect)
                self._ahead = data[end:]
            # a line with data follows, or the file ends, or a line is too long
            if end < len(lines) or ended or (not complete and size >= longest):
                break
            size = HEAD if end else 4 * size
        return above

    def read(self, size: int) -> bytes:
        """Return about ``size`` of the next bytes; empty at the end of the file."""
        piece, self._ahead = self._ahead[:size], self._ahead[size:]
        return piece + self._next(size - len(piece)) if len(piece) < size else piece

    def _next(self, size: int) -> bytes:
        """Return at least one more byte of the file, converted; empty at its end."""
        piece = b""
        while not piece and not self._ended:
            read = self._file.read(size)
            self._ended = not read
            piece = self._decoded(read)
        self._file.lines.feed(piece)
        return piece

    def _decoded(self, piece: bytes) -> bytes:
        """Convert the next bytes, empty at the end, to UTF-8; raise a FormatError if invalid."""
        if self._decoder is None:
            return piece
        try:
            text: str = self._decoder.decode(piece, final=not piece)
        except UnicodeError as error:
            line, invalid = self._line, ""
            if isinstance(error, UnicodeDecodeError):
                before = error.object[: error.start].decode(error.encoding, "ignore")
                line += before.count("\n")
                invalid = f" {error.object[error.start : error.end]!r}"
            raise FormatError(
                f"{self._file.path}, line {line}: bytes{invalid} that are not {self._encoding}"
                f" text, or the end of a truncated file: {NAME_ENCODING}"
            ) from None
        self._line += text.count("\n")
        return text.encode(errors="surrogatepass")


def separator_of(
    path: str, head: bytes, is_named: Callable[[Dialect, list[str]], bool], tabbed: bool = False
) -> str:
    """Infer the separator of a table from its first records.

    The separator is the one of ``SEPARATORS`` that splits each of the first records, which are in
    ``head``, into the same number of fields, at least two. If no separator does, the result is a
    blank, which stands for runs of blanks. If several separators fit, these are preferred in turn:
    separators whose first record names requested columns, separators that leave no quotes within
    fields, and tabs if the file is ``tabbed``, which is tsv. A FormatError names two separators
    that fit equally. ``is_named`` tells whether a first record, split by a dialect, names requested
    columns.
    """
    text = head.replace(b'""', b"").strip(SEPARATORS.encode() + b" \r\n")
    if not text:  # all fields are empty
        return next((d for d in SEPARATORS if d.encode() in head), " ")
    blanks = _records(head, " ")
    records_by_separator = {d: _records(head, d) for d in SEPARATORS if d.encode() in head}
    candidates = {
        d: records
        for d, records in records_by_separator.items()
        if any(sum(field != "" for field in record) > 1 for record in records)
    }
    if not candidates and _width(blanks) < 2:
        # each record has at most one field that is not empty
        candidates = {d: records for d, records in records_by_separator.items() if records}
    even = _even_separator(path, candidates, is_named, tabbed)
    if even is None:
        return _uneven_separator(path, candidates, blanks)
    has_pairs = b" " in head and _width(blanks) > 1 and _are_pairs(blanks)
    if has_pairs and not _are_pairs(candidates[even]):
        raise _either(path, even, " ")  # such as "1 2<tab>3", or "1 2 0,5"
    return even


def _even_separator(
    path: str,
    candidates: dict[str, list[list[str]]],
    is_named: Callable[[Dialect, list[str]], bool],
    tabbed: bool,
) -> str | None:
    """Return the separator that splits all records into the same number of fields, at least two.

    ``candidates`` are the records as each separator splits them. See :func:`separator_of`.
    """
    even = [d for d, records in candidates.items() if _width(records) > 1]
    if len(even) > 1:
        even = [d for d in even if is_named(Dialect(d, table=True), candidates[d][0])] or even
        without_quotes = [
            d for d in even if not any('"' in field for row in candidates[d] for field in row)
        ]
        even = without_quotes or even
    if tabbed and "\t" in even:
        return "\t"
    if len(even) > 1:
        raise _either(path, *even[:2])
    return even[0] if even else None


def _uneven_separator(
    path: str, candidates: dict[str, list[list[str]]], blanks: list[list[str]]
) -> str:
    """Return the separator of records that no candidate splits into equal numbers of fields.

    The result is a blank, unless a candidate splits at least half of the records. ``candidates``
    are the records as each separator splits them, and ``blanks`` as runs of blanks split them.
    """
    # prefer a candidate that splits the first record, then one that splits most records
    frequent = max(
        candidates,
        key=lambda d: (len(candidates[d][0]) > 1, _split_count(candidates[d])),
        default=" ",
    )
    if frequent == " " or 2 * _split_count(candidates[frequent]) < len(blanks):
        return " "
    if _width(blanks) < 2:
        return frequent  # the parser then names the record that differs
    fields = (field.split() for row in candidates[frequent] for field in row)
    words_in_fields = [word for words in fields if len(words) > 1 for word in words]
    if frequent != "\t" or not _are_numbers(words_in_fields):
        raise _either(path, frequent, " ", which="some of")
    return " "  # numbers are separated by both tabs and blanks


def _records(head: bytes, delimiter: str) -> list[list[str]]:
    """Return the fields of the first records of a table."""
    return Dialect(delimiter, table=True).first_records(head, FIRST)


def _width(rows: list[list[str]]) -> int:
    """Return the number of fields of each record; 0 if the records have different numbers."""
    widths = {*map(len, rows)}
    return widths.pop() if len(widths) == 1 else 0


def _are_pairs(rows: list[list[str]]) -> bool:
    """Return whether each record, except a header, begins with two numbers."""
    return all(_are_numbers(row[:2]) for row in rows[1:] or rows)


def _split_count(rows: list[list[str]]) -> int:
    """Return the number of records with more than one field."""
    return sum(len(row) > 1 for row in rows)


def _are_numbers(words: list[str]) -> bool:
    """Return whether all words are numbers, with a point or a comma as the decimal mark."""
    return all(map(_DECIMAL.fullmatch, words))


def _either(path: str, one: str, other: str, which: str = "all of") -> FormatError:
    """Return the error for first records that two separators split."""
    ways = " or ".join(f"delimiter={d!r} (--delimiter {d!r})" for d in (one, other))
    return FormatError(
        f"{path}: fields may be separated by {NAMES[one]} or by {NAMES[other]}, because both split"
        f" {which} its first records: pass {ways}"
    )


def check_above(
    above: Above, path: str, dialect: Dialect, records: bytes, requested: list[str]
) -> None:
    """Raise a FormatError for a line that may be a comment or a record, such as ``#cat,#dog``.

    Such a line has as many fields as the first record, text right after the comment character, and
    no requested column names.
    """
    first_record = dialect.uncommented.first_records(records, 1)
    width = len(first_record[0]) if first_record else 0
    if width < 2:
        return
    for number, line in above.first:
        has_text = line[1:2].strip(b" \t" + dialect.comments)
        fields = dialect.split(line) if has_text and line[:1] in dialect.comments else []
        if len(fields) == width and not are_names(dialect.split(line[1:]), requested):
            letter = line[:1].decode()
            raise FormatError(
                f"{path}, line {number}: {shown(line)} may be a comment or a record: pass"
                f" comment={letter!r} (--comment '{letter}') if it is a comment, or"
                " comment=None (--no-comment) if it is a record"
            )


def check_text_options(
    options: TextOptions, paths: Sequence[object], formats: Sequence[str]
) -> None:
    """Raise an InputError if options of text are given and no file is text."""
    text = any(kind in ("", *TEXT) for kind in formats)  # "": the format of a pipe is unknown
    if options.given not in ("", "format") and paths and not text:
        raise InputError(
            f"{options.given}= (--{options.given}) is for {', '.join(TEXT)}, but {paths[0]} is"
            f" {formats[0]}: leave it out"
        )


def is_header(
    path: str,
    line: int,
    fields: Sequence[str],
    following: Sequence[str] | None,
    requested: Iterable[str],
) -> bool:
    """Return whether the first line of a text file is a header.

    The line is a header in each of these cases:

    - it contains a requested name or a known pair of names;
    - it has only two fields, which are known names;
    - it contains a known name, and the next line begins with numbers;
    - it has at least three fields and no number, and the next line has a number (two numbers if
      names are requested).

    Otherwise it is an edge if it is empty, or if its ends are numbers and the ends of the next line
    are not words. Any other line is ambiguous.

    ``path`` and the number ``line`` of the line are for messages. ``following`` are the fields of
    the next line, if there is one. A FormatError for an ambiguous line names the option that
    decides. If columns are ``requested``, a MissingColumnError is raised instead.
    """
    requested = list(requested)
    if not any(fields):
        return False
    known = [field.lower() for field in fields if field.lower() in KNOWN_NAMES]
    if any(name in fields for name in requested) or any(set(p) <= {*known} for p in KNOWN_PAIRS):
        return True
    if len(known) == len(fields) == 2:
        return True
    if following is None or len(following) != len(fields):
        following = []  # the parser reports a line of another width
    ends_below = [field for field in following[:2] if field]
    if known and ends_below and all(map(_NUMBER.fullmatch, ends_below)):
        return True
    if len(fields) > 2 and not any(map(_NUMBER.fullmatch, fields)):
        numbers_below = sum(1 for field in following if _NUMBER.fullmatch(field))
        if numbers_below >= (2 if requested else 1):
            return True
    if all(map(_NUMBER.fullmatch, fields[:2])) and not any(map(_is_word, ends_below)):
        return False
    if requested:
        raise MissingColumnError(
            f"{missing_message(path, fields, requested[0])}; its first line holds {naming(fields)}:"
            " if this line is an edge, pass header=False (--no-header)"
        )
    raise FormatError(
        f"{path}, line {line}: this may be an edge, or the names of columns: pass header=False"
        " (--no-header) if it is an edge, header=True (--header) if it names the columns, or"
        f" {NAME_THEM}; it holds {naming(fields)}"
    )


def check_no_matrix(path: str, records: Sequence[Sequence[str]]) -> None:
    """Raise a FormatError if records without a header are an adjacency matrix.

    Records are taken for a matrix if they are square and symmetric, or if all fields are 0 or 1 and
    the records are square or wide. Warn if the first column may be the index of a pandas frame. Of
    a long file, ``records`` are only the first ones, one more than the number of fields.
    """
    width = len(records[0]) if records else 0
    if width < 3 or any(len(record) != width for record in records):
        return
    bits = {*chain(*records)} <= {"0", "1"}
    square = len(records) == width
    symmetric = square and [*zip(*records, strict=True)] == [*map(tuple, records)]
    if symmetric or (bits and (square or width > WIDE)):
        raise FormatError(
            f"{path} may be an adjacency matrix, because it has {width} fields in each record: read"
            " it by numpy.loadtxt(path), and pass scipy.sparse.coo_array(matrix), or, if the first"
            " two fields are an edge, pass header=False (--no-header)"
        )
    has_index = [record[0] for record in records] == [str(k) for k in range(len(records))]
    # beside an index, the second and the third column may be the ids
    if has_index and len(records) > 2 and all(record[2].isdecimal() for record in records):
        warnings.warn(
            f"{path}: the first two of {width} columns are read as edges, but the first column"
            " counts the records from 0, like an index that pandas writes: if it is an index, name"
            " the columns of ids, as by source='dst', destination='col2'",
            CcRapidsWarning,
            stacklevel=1,
        )


def _is_word(field: str) -> bool:
    """Return whether a field is neither a number nor a word for a missing value."""
    return not _NUMBER.fullmatch(field) and field not in MISSING


def names_in_comment(
    comment: bytes, dialect: Dialect, width: int, requested: Iterable[str]
) -> list[str] | None:
    """Return the column names in the comment above the first line of data, or None.

    ``width`` is the number of fields of that line. SNAP's files and the blank-separated files of
    cc_rapids have such comments.
    """
    words = dialect.split(comment)
    words = words if len(words) == width else comment.decode(errors="replace").split()
    return words if len(words) == width and are_names(words, requested) else None


def are_names(words: list[str], requested: Iterable[str]) -> bool:
    """Return whether words begin with a known pair of names, or include all requested names."""
    first = tuple(word.lower() for word in words[:2])
    names = set(requested)
    return first in (*KNOWN_PAIRS, LABELS) or (bool(names) and names <= set(words))


def _check_fields(file: File, number: int, line: bytes) -> None:
    """Raise a CapacityError if the fields of the first line do not fit into the memory limit."""
    fields = 1 + max(line.count(separator.encode()) for separator in NAMES)
    budget = file.budget
    if budget is not None and FIELD_BYTES * fields > budget.fixed:
        needed_limit = 2 * FIELD_BYTES * fields  # reading text gets at most half of the limit
        raise CapacityError(
            f"{file.path}, line {number}: {fields:,} fields need a memory_limit of about"
            f" {budget.in_words(needed_limit)}, but it is {budget.in_words(budget.limit)}: raise"
            " it, or write only the columns of ids"
        )


def _dialect(
    file: File, request: ColumnRequest, text: Text, longest: int
) -> tuple[Dialect, Above, bytes]:
    """Return the dialect of a table, the lines above its first record, and the first records.

    The separator is the ``delimiter`` option, or is inferred from the first records. ``longest`` is
    the maximum bytes of a line.
    """
    options = request.options
    comments = (options.comment or "").encode()
    if _seems_utf16(text.peek(HEAD)):
        raise FormatError(
            f"{file.path} seems to be UTF-16 text without a byte order mark: pass"
            " encoding='utf-16-le' (--encoding utf-16-le), or utf-16-be"
        )
    # only for the lines above: a line of tabs is a record of nulls in tsv, and blank elsewhere
    likely = options.delimiter or ("\t" if request.format == "tsv" else ",")
    above = text.above(Dialect(likely, comments, table=True), longest)
    head = text.head(longest)
    _check_fields(file, above.count + 1, head[: head.find(b"\n") + 1])
    named_by = partial(_are_named, above.comment, request.requested)
    delimiter = options.delimiter or above.separator
    if not delimiter:
        delimiter = separator_of(file.path, head, named_by, request.format == "tsv")
    dialect = Dialect(delimiter, comments, table=True)
    if options.comment == COMMENTS:
        check_above(above, file.path, dialect, head, request.requested)
    return dialect, above, head


def _seems_utf16(first: bytes) -> bool:
    """Return whether a text is UTF-16: many bytes are NUL, or each newline is next to a NUL."""
    if 5 * first.count(b"\0") > 2 * len(first):
        return True
    lines = first.removesuffix(b"\n")  # the NUL after the newline may not have been read
    newlines = lines.count(b"\n")
    return newlines > 0 and newlines in (lines.count(b"\n\0"), lines.count(b"\0\n"))


def _are_named(comment: bytes, requested: list[str], dialect: Dialect, fields: list[str]) -> bool:
    """Return whether a comment, or the first record below it, names the columns."""
    words = dialect.split(comment)
    if len(words) == len(fields) and are_names(words, requested):
        return True
    return are_names(fields, requested)


def first_lines(
    file: File, request: ColumnRequest
) -> tuple[Dialect, Iterator[Block] | None, list[str]]:
    """Return the dialect of a table, the blocks of its rows, and the names of its columns.

    The blocks are None if the table has neither a header nor rows.
    """
    text = Text(file, request.options.encoding)
    dialect, above, head = _dialect(file, request, text, longest_line(file.budget))
    file.delimiter = dialect.delimiter
    file.comment_mark = above.mark if above.mark in dialect.comments else b""
    if file.head.startswith(KONECT_BIPARTITE):
        raise FormatError(
            f"{file.path} is bipartite ('% bip' in line 1), so a number in its first column and"
            " the same number in its second column are different vertices: read it by"
            r" pandas.read_csv(path, sep='\s+', comment='%', header=None), add the largest number"
            " of the first column to the second, and pass the frame"
        )
    dialect = dialect.uncommented
    feed = blocks(file, dialect, text.read, above.count + 1)
    if text.marked:
        feed = without_second_mark(file.path, feed)
    block = next(feed, None)
    if block is None:
        # a comment with the names of two or three columns is the header of a table without rows
        headers = (names_in_comment(above.comment, dialect, width, ()) for width in (2, 3))
        if file.lines.comment and not any(headers):
            raise FormatError(
                f"{file.path}: each line begins with one of {request.options.comment!r}, as"
                " comments do, and no line holds data: pass comment=None (--no-comment) if these"
                " lines are data"
            )
        return dialect, None, []
    record, below = block.first()
    check_utf8(file.path, Block(block.line, record))
    fields = dialect.split(record)
    if len(fields) < 2:
        guessed = dialect.delimiter == " " and request.options.delimiter is None
        between = listed([*NAMES.values()]) if guessed else dialect.separator
        raise FormatError(
            f"{file.path}, line {block.line}: expected at least 2 fields separated by {between},"
            f" found {len(fields)}: {shown(record)}; if another character separates them, pass"
            " delimiter= (--delimiter)"
        )
    names = _names(file, request, dialect, above.comment, head, block.line, fields)
    if not file.header:
        return dialect, chain([block], feed), names
    file.lines.header = quoted.ends_in(record)
    _check_no_rule(file.path, below, dialect)
    return dialect, chain([below], feed), names


def _names(
    file: File,
    request: ColumnRequest,
    dialect: Dialect,
    comment: bytes,
    head: bytes,
    line: int,
    fields: list[str],
) -> list[str]:
    """Return the names of columns, and set ``file.header``.

    ``comment`` is the last comment above the records, and ``head`` contains the first records. The
    first record has the given ``fields``, and is at the given ``line``.
    """
    file.header, requested = request.options.header, request.requested
    if file.header is None:
        file.header = False
        if names := names_in_comment(comment, dialect, len(fields), requested):
            return names
        following = next(iter(dialect.first_records(head, 2)[1:]), None)
        if following is not None and any("\ufffd" in field for field in following):
            following = None  # the second record is not UTF-8 text
        file.header = is_header(file.path, line, fields, following, requested)
        if not (file.header or requested):
            check_no_matrix(file.path, dialect.first_records(head, len(fields) + 1))
    if file.header:
        return fields
    names = ["src", "dst", *(f"col{i}" for i in range(2, len(fields)))]
    if request.source is None or request.destination is None:
        check_without_header(file.path, names)
    return names


def _check_no_rule(path: str, block: Block, dialect: Dialect) -> None:
    """Raise a FormatError if the record below the header is a line of dashes."""
    number, line = block.row(0, dialect)
    fields = [field for field in dialect.split(line) if field]
    if fields and all(map(_RULE.fullmatch, fields)):
        raise FormatError(
            f"{path}, line {number}: {shown(line)} is a line of dashes below the header, not an"
            " edge: remove this line"
        )
