"""Detect the encoding, separator and header of a table of text, and the lines above its records."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from ...errors import CcRapidsWarning, FormatError, InputError, MissingColumnError
from ..end_columns import KNOWN_NAMES, KNOWN_PAIRS, LABELS, NAME_THEM, missing, naming
from ..text_options import TextOptions
from . import quoted
from .delimited import MARK, NAME_ENCODING, NAMES, SEPARATOR_LINE, Dialect, TextFile, shown
from .line_count import ends_in
from .text_ids import MISSING

TEXT = ("csv", "tsv", "snap")  # the formats of tables of text

HEAD = 1 << 16  # the number of bytes that are inspected; more if a line is longer
MARKS = {  # marks of four bytes come first, because they begin with those of two bytes
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
AS_UTF8 = "utf-8", "ascii"  # encodings that need no conversion to UTF-8
SEPARATORS = ",\t;|"
FIRST = 20  # the number of records from which the separator is inferred
_SEPARATOR = re.compile(
    rb"^" + SEPARATOR_LINE.replace(rb"[^\r\n]", rb"([!-~\t])") + rb"$", re.MULTILINE
)
_KEPT = 20  # the number of lines above the first record that are kept
_LONGEST = 1000  # the maximum mean number of bytes of these lines


@dataclass
class Above:
    """The lines above the first record.

    ``count`` is the number of these lines. ``comment`` is the last comment without its first
    character, which is ``mark``. ``first`` are the first lines with their numbers. ``separator`` is
    the character that a line such as ``sep=;`` names.
    """

    count: int = 0
    comment: bytes = b""
    mark: bytes = b""
    separator: str | None = None
    first: list[tuple[int, bytes]] = field(default_factory=list)

    def add(self, data: bytes, dialect: Dialect) -> None:
        """Add complete lines that hold no data."""
        if match := _SEPARATOR.search(data):
            self.separator = match[1].decode()
        if comments := dialect.comments_in(data):
            last = comments[-1].strip()
            self.mark, self.comment = last[:1], last[1:]
        if comments and len(self.first) < _KEPT:
            lines = enumerate(data[: _KEPT * _LONGEST].split(b"\n"), self.count + 1)
            self.first += [(k, line.strip()) for k, line in lines if line.strip()][:_KEPT]
        self.count += ends_in(data)


def marked_encoding(first: bytes) -> str | None:
    """Return the encoding whose byte order mark begins a text: UTF-16 or UTF-32, or None."""
    return next((encoding for mark, encoding in MARKS.items() if first.startswith(mark)), None)


class Text:
    """The bytes of a file converted to UTF-8, with lookahead.

    All converted bytes are added once, in order, to the count of lines of ``file``. Without an
    ``encoding``, or if the caller opened the file as text, a byte order mark gives the encoding, by
    default UTF-8. ``marked`` tells whether the file begins with such a mark.
    """

    def __init__(self, file: TextFile, encoding: str | None) -> None:
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
        """Return the complete lines in the next ``HEAD`` bytes, or in more bytes to have two lines.

        Line ends become newlines. There may be fewer than two lines if the file ends, or if
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
            # a quoted record may have several lines
            records = quoted.whole_records(lines, b",").data.count(b"\n")
            if ended or size >= longest or records > 1:
                return lines if data else b""
            size *= 4

    def above(self, dialect: Dialect, longest: int) -> Above:
        """Skip and count the lines above the first record; return their content."""
        above, size = Above(), HEAD
        while data := self.peek(size):
            ended = len(data) < size
            whole = len(data) if ended else quoted.last_end(data)  # the bytes of complete lines
            lines = data[:whole]
            lines = lines + b"\n" if ended and lines[-1:] not in b"\r\n" else lines
            match = dialect.dataless.match(lines)
            end = match.end() if match else 0  # the bytes of the lines without data
            if end:
                dataless = quoted.with_newlines(lines[:end])
                above.add(dataless, dialect)
                self._file.lines.without_data(dataless, dialect)
                self._ahead = data[end:]
            # a line with data follows, or the file ends, or a line is too long
            if end < len(lines) or ended or (not whole and size >= longest):
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
        """Return the next bytes of the file as UTF-8; raise a FormatError if they are not text."""
        if self._decoder is None:
            return piece
        try:
            text: str = self._decoder.decode(piece, not piece)
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
    records_by_separator = {d: _records(head, d) for d in SEPARATORS if d.encode() in head}
    candidates = {
        d: records
        for d, records in records_by_separator.items()
        if any(sum(map(bool, record)) > 1 for record in records)
    }
    if not candidates and _width(_records(head, " ")) < 2:
        # each record has at most one field that is not empty
        candidates = {d: records for d, records in records_by_separator.items() if records}
    even = _even_separator(path, candidates, is_named, tabbed)
    if even is None:
        return _uneven_separator(path, candidates, _records(head, " "))
    if b" " in head and len(_records(head, " ", 1)[0]) > 1:
        blanks = _records(head, " ")
        if _width(blanks) > 1 and _are_pairs(blanks) and not _are_pairs(candidates[even]):
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
    frequent = max(
        candidates,
        key=lambda d: (len(candidates[d][0]) > 1, _split_count(candidates[d])),
        default=" ",
    )
    if frequent == " " or 2 * _split_count(candidates[frequent]) < len(blanks):
        return " "
    if _width(blanks) < 2:
        return frequent  # the parser then names the record that differs
    if frequent != "\t" or not _are_numbers(_words_in(candidates[frequent])):
        raise _either(path, frequent, " ", "some of")
    return " "


NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")


def _records(head: bytes, delimiter: str, count: int = FIRST) -> list[list[str]]:
    """Return the fields of the first records of a table."""
    return Dialect(delimiter, table=True).first_records(head, count)


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


def _words_in(rows: list[list[str]]) -> list[str]:
    """Return the words of all fields that contain several words separated by blanks."""
    fields = (field.split() for row in rows for field in row)
    return [word for words in fields if len(words) > 1 for word in words]


def _are_numbers(words: list[str]) -> bool:
    """Return whether all words are numbers, with a point or a comma as the decimal mark."""
    return all(map(NUMBER.fullmatch, words))


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


WIDE = 20  # records with more fields than this, all 0 or 1, are a matrix even if it is not square
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


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


def without_header(width: int) -> list[str]:
    """Return names for columns without a header: src, dst, col2, col3, ..."""
    return ["src", "dst", *(f"col{i}" for i in range(2, width))]


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
            f"{missing(path, fields, requested[0])}; its first line holds {naming(fields)}: if this"
            " line is an edge, pass header=False (--no-header)"
        )
    raise FormatError(
        f"{path}, line {line}: this may be an edge, or the names of columns: pass header=False"
        " (--no-header) if it is an edge, header=True (--header) if it names the columns, or"
        f" {NAME_THEM}; it holds {naming(fields)}"
    )


def check_edges(path: str, records: Sequence[Sequence[str]]) -> None:
    """Raise a FormatError if records without a header are an adjacency matrix.

    Records are taken for a matrix if they are square and symmetric, or if all fields are 0 or 1 and
    the records are square or wide. Warn if the first column may be the index of a pandas frame. If
    a file has more records than fields, ``records`` are the first ones, one more than fields.
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
