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

WIDE = 20  # fields in records of zeros and ones that are a matrix, however many they are
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

    It is a header if it contains a requested name or a known pair of names, or if its only two
    fields are known names. It is also a header if it contains a known name and the next line begins
    with numbers, or if it has at least three fields and no number, and the next line has a number
    (two numbers if names are requested). It is an edge if it is empty, or if its ends are numbers
    and the ends of the next line are not words. Any other line is ambiguous.

    Parameters
    ----------
    path, line
        The path and the line number, for messages.
    fields, following
        The fields of the line, and of the next line of data if there is one.
    requested
        The names of columns that the caller gave.

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
    lower = [field.lower() for field in fields]
    usual = [field for field in lower if field in KNOWN_NAMES]
    if any(name in fields for name in requested) or any(set(p) <= {*usual} for p in KNOWN_PAIRS):
        return True
    if len(usual) == len(fields) == 2:
        return True
    # the parser reports a line of another width
    whole = following is not None and len(following) == len(fields)
    below = [field for field in following[:2] if field] if following and whole else []
    if usual and below and all(map(_NUMBER.fullmatch, below)):
        return True
    words_alone = len(fields) > 2 and not any(map(_NUMBER.fullmatch, fields))
    below_words = sum(map(bool, map(_NUMBER.fullmatch, following or ())))
    if words_alone and whole and below_words > bool(requested):
        return True
    numbers = [bool(_NUMBER.fullmatch(field)) for field in fields[:2]]
    if all(numbers) and not any(map(_is_word, below)):
        return False
    if requested:
        raise MissingColumnError(
            f"{missing(path, fields, requested[0])}; its first line holds {naming(fields)}, and if"
            " that is an edge, pass header=False (--no-header)"
        )
    raise FormatError(
        f"{path}, line {line}: this may be an edge, or the names of columns: pass header=False"
        " (--no-header) if it is an edge, header=True (--header) if it names the columns, or"
        f" {NAME_THEM}; it holds {naming(fields)}"
    )


def check_edges(path: str, records: Sequence[Sequence[str]]) -> None:
    """Check that records without a header are edges, not a matrix or the rows of a pandas frame.

    Parameters
    ----------
    path
        The path, for messages.
    records
        The first records, one more than they have fields, or all.

    Raises
    ------
    FormatError
        The records are a square matrix that is symmetric, or wide and of zeros and ones.
    """
    width = len(records[0]) if records else 0
    if width < 3 or any(len(record) != width for record in records):
        return
    bits = {*chain(*records)} <= {"0", "1"}
    square = len(records) == width
    symmetric = square and [*zip(*records, strict=True)] == [*map(tuple, records)]
    if symmetric or (bits and (square or width > WIDE)):
        raise FormatError(
            f"{path} may be an adjacency matrix, as it has {width} fields in each record: read it"
            " by numpy.loadtxt(path), and pass scipy.sparse.coo_array(matrix), or, if the first"
            " two fields are an edge, pass header=False (--no-header)"
        )
    counted = [record[0] for record in records] == [str(k) for k in range(len(records))]
    if counted and len(records) > 2 and all(record[2].isdecimal() for record in records):
        warnings.warn(
            f"{path}: the first two of {width} columns are read as edges, but the first one counts"
            " the records from 0, as the index that pandas writes: if it is one, name the columns"
            " of ids, as by source='dst', destination='col2'",
            CcRapidsWarning,
            stacklevel=1,
        )


def _is_word(field: str) -> bool:
    return not _NUMBER.fullmatch(field) and field not in MISSING


def names_in_comment(
    comment: bytes, dialect: Dialect, width: int, requested: Iterable[str]
) -> list[str] | None:
    """Return the column names in the comment above the first line of data, or None.

    The comment has names if it has as many words as the line has fields, and either its first two
    words are a known pair or all requested names are among its words. SNAP's files and the
    blank-separated files of cc_rapids have such comments.
    """
    words = dialect.split(comment)
    words = words if len(words) == width else comment.decode(errors="replace").split()
    if len(words) != width:
        return None
    return words if are_names(words, requested) else None


def are_names(words: list[str], requested: Iterable[str]) -> bool:
    """Return whether words begin with a known pair of names, or include all requested names."""
    first = tuple(word.lower() for word in words[:2])
    names = set(requested)
    return first in (*KNOWN_PAIRS, LABELS) or (bool(names) and names <= set(words))
