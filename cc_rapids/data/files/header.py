"""The header line of a text file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from itertools import chain

from ...errors import CcRapidsWarning, FormatError, InputError, MissingColumnError
from ..end_columns import KNOWN_NAMES, KNOWN_PAIRS, LABELS, NAME_THEM, missing, naming
from ..text_options import TextOptions
from .delimited import Dialect
from .text_ids import MISSING

TEXT = ("csv", "tsv", "snap")  # the formats of tables of text

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
    the next line, if there is one.

    Raises
    ------
    FormatError
        The line is ambiguous; the error names the option that decides.
    MissingColumnError
        The line is ambiguous, and contains none of the requested names.
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
