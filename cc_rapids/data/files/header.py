"""The columns of a file that hold the edge, and the detection of its header line.

One function decides for every format and every door: :func:`edge_columns`. Names that the caller
gives have to be there. Without them a known pair of names is taken whole, or the only two columns;
a file with more columns and no such pair is refused, because nothing says which of them are ids.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ...errors import FormatError, InputError, MissingColumnError
from .delimited import MARK, Block, Dialect, from_first_data
from .line_count import LineCount
from .text_ids import MISSING

KNOWN_PAIRS = (
    ("src", "dst"),
    ("source", "target"),
    ("source", "destination"),
    ("from", "to"),
    ("u", "v"),
    ("id1", "id2"),
    ("id_l", "id_r"),
    ("unique_id_l", "unique_id_r"),
    ("left_id", "right_id"),
)
LABELS = ("vertex", "labels")  # the columns of labels that are written here: an edge of two columns
KNOWN_NAMES = frozenset((*(name for pair in KNOWN_PAIRS for name in pair), *LABELS))
DELIMITERS = {"csv": ",", "tsv": "\t", "snap": " "}  # of the formats whose first line may be either

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SNAP = ("fromnodeid", "tonodeid")  # the comment above the edges of SNAP's own files
_LONGEST_LIST = 180  # letters of the names in a message
_LONGEST_NAME = 40
_NAME_THEM = "name the two columns of ids with source= and destination= (--source, --destination)"


def edge_columns(
    path: str, names: Sequence[str], source: str | None, destination: str | None
) -> tuple[int, int]:
    """Return the positions of the two ends of an edge among the names of the columns.

    Parameters
    ----------
    path
        The file, for messages.
    names
        Of all columns, two or more.
    source, destination
        What the caller asked for, letter by letter. If it is only one of them, the other is its
        partner in a known pair, or the other one of two columns. If it is neither, they are the
        first of ``KNOWN_PAIRS`` that is there whole, in any case of letters, or the only two.

    Raises
    ------
    MissingColumnError
        The column does not exist, or several could be meant; lists the columns of the file.
    InputError
        Both ends are one column, or several columns have the name.
    """
    if source is not None and source == destination:
        raise _one_column(path, names, source)
    a, b = (None if n is None else place_of(path, names, n) for n in (source, destination))
    pair = _known_pair(path, names, a if a is not None else b)
    if a is None and b is None:
        if pair is None and len(names) == 2:
            pair = 0, 1
        if pair is None:
            raise MissingColumnError(
                f"{path} has {len(names)} columns and no known pair of names among them:"
                f" {_NAME_THEM}; it has {naming(names)}"
            )
        a, b = pair
    elif a is None or b is None:
        one = a if a is not None else b
        assert one is not None
        pair = (0, 1) if pair is None and len(names) == 2 else pair
        if pair is None:
            other = "destination" if b is None else "source"
            raise MissingColumnError(
                f"{path}: one end of the edges is column {_quoted(names[one])}, but nothing"
                f" determines the other: name it with {other}= (--{other}); it has {naming(names)}"
            )
        rest = pair[1] if pair[0] == one else pair[0]
        a, b = (one, rest) if b is None else (rest, one)
    if names[a] == names[b]:
        raise _one_column(path, names, names[a])
    return a, b


def _one_column(path: str, names: Sequence[str], name: str) -> InputError:
    return InputError(
        f"{path}: source and destination are the same column {_quoted(name)}; it has"
        f" {naming(names)}"
    )


def place_of(path: str, names: Sequence[str], name: str) -> int:
    """Return the position of the column of that name.

    Raises
    ------
    MissingColumnError
        There is none; names the nearest one, and lists all.
    InputError
        There are several.
    """
    if name not in names:
        raise MissingColumnError(f"{_missing(path, names, name)}; it has {naming(names)}")
    if names.count(name) > 1:
        raise InputError(
            f"{path} has {names.count(name)} columns called {_quoted(name)}: rename one"
        )
    return names.index(name)


def _missing(path: str, names: Sequence[str], name: str) -> str:
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {_quoted(near[0])}?" if near else ""
    return f"{path} has no column {_quoted(name)}{hint}"


def is_known_pair(names: Sequence[str]) -> bool:
    """Return whether two columns are one of ``KNOWN_PAIRS``, in any case of letters."""
    return {name.lower() for name in names} in [set(pair) for pair in KNOWN_PAIRS]


def _known_pair(path: str, names: Sequence[str], one: int | None) -> tuple[int, int] | None:
    """Return the first known pair whose two names exist, and which includes ``one`` if given.

    Names count as they are spelled, or else in any case of letters.
    """
    lower = [name.lower() for name in names]
    for pair in KNOWN_PAIRS:
        ends = []
        for word in pair:
            spelled = names if word in names else lower
            ends.append([at for at, name in enumerate(spelled) if name == word])
        if not all(ends) or (one is not None and one not in (ends[0] + ends[1])):
            continue
        for word, places in zip(pair, ends, strict=True):
            if len(places) > 1:
                raise InputError(
                    f"{path} has {len(places)} columns called {_quoted(word)}: rename one, or"
                    f" {_NAME_THEM}"
                )
        return ends[0][0], ends[1][0]
    return None


def naming(names: Iterable[str]) -> str:
    """Return the names for a message: those that fit, and their number."""
    names, letters = list(names), 0
    shown: list[str] = []
    for name in names:
        name = _short(name)
        letters += len(name) + 2
        if letters > _LONGEST_LIST:
            return f"{', '.join(shown)}, ... ({len(names):,} in all)"
        shown.append(name)
    return ", ".join(shown) or "none"


def _short(name: str) -> str:
    name = name or "''"
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def _quoted(name: object) -> str:
    return repr(_short(name) if isinstance(name, str) and name else name)


def check_header(header: bool | None, paths: Sequence[object], formats: Sequence[str]) -> None:
    """Raise an InputError if ``header`` is given for files that cannot have one."""
    if header is not None and paths and not any(kind in DELIMITERS for kind in formats):
        raise InputError(
            f"header= (--header, --no-header) is for {', '.join(DELIMITERS)}, and {paths[0]} is"
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
    """Return whether the first line of a text file names its columns.

    It does if it holds a name that the caller asked for, or known ones: a whole pair, two of two,
    or some of them above numbers. It is an edge if its ends are numbers and those of the next line
    are no words. All else could be either.

    Parameters
    ----------
    path, line
        Where the line stands, for messages.
    fields, following
        Those of the line, and of the next line of data if there is one.
    requested
        Names of columns that the caller gave.

    Raises
    ------
    FormatError
        It could be either; says how to say it.
    MissingColumnError
        The same, and it holds none of the names that the caller gave.
    """
    requested = list(requested)
    lower = [field.lower() for field in fields]
    known = [field for field in lower if field in KNOWN_NAMES]
    if any(name in fields for name in requested) or any(set(p) <= {*known} for p in KNOWN_PAIRS):
        return True
    if len(known) == len(fields) == 2:
        return True
    whole = following is not None and len(following) >= 2  # a line that is cut is named by itself
    below = [field for field in following[:2] if field] if following and whole else []
    if known and below and all(map(_NUMBER.fullmatch, below)):
        return True
    numbers = [bool(_NUMBER.fullmatch(field)) for field in fields[:2]]
    if all(numbers) and not any(map(_is_word, below)):
        return False
    if requested:
        raise MissingColumnError(
            f"{_missing(path, fields, requested[0])}; its first line holds {naming(fields)}, and if"
            " that is an edge, pass header=False (--no-header)"
        )
    raise FormatError(
        f"{path}, line {line}: this may be an edge, or the names of columns: pass header=False"
        " (--no-header) if it is an edge, header=True (--header) if it names the columns, or"
        f" {_NAME_THEM}; it holds {naming(fields)}"
    )


def _is_word(field: str) -> bool:
    return not _NUMBER.fullmatch(field) and field not in MISSING


def names_in_comment(comment: str, width: int, requested: Iterable[str]) -> list[str] | None:
    """Return the names in the comment above the first line of data, if it holds names.

    It does if it has as many words as the line has fields, and either the first two are known (then
    these two are the edge, as they are without names) or all that the caller asked for are among
    them. So the files of blanks that are written here say their names, and SNAP's own.
    """
    words = comment.split()
    if len(words) != width:
        return None
    first = tuple(word.lower() for word in words[:2])
    requested = list(requested)
    if first in (*KNOWN_PAIRS, LABELS, _SNAP) or (requested and set(requested) <= set(words)):
        return words
    return None


def opening(feed: Iterator[Block], dialect: Dialect, lines: LineCount) -> tuple[Block | None, str]:
    """Return the first block of data, and the comment above it.

    The block is None if there is no data, and the comment empty if there is none, otherwise the
    last one without the letter that begins it. ``feed`` is left at the block that follows.
    """
    comment = b""

    def noted() -> Iterator[Block]:
        nonlocal comment
        for block in feed:
            data = block.data.removeprefix(MARK) if block.line == 1 else block.data
            match = dialect.dataless.match(data)
            above = data[: match.end() if match else 0]
            lines.without_data(above, dialect)
            comment = dialect.last_comment(above) or comment
            yield block

    first = next(from_first_data(noted(), dialect), None)
    return first, comment.decode(errors="replace").strip()[1:]


def following(
    rest: Block, feed: Iterator[Block], dialect: Dialect, lines: LineCount
) -> tuple[list[str] | None, Iterator[Block]]:
    """Return the fields of the first line of data in some blocks, and those blocks again.

    The fields are None if no data follow, or if the line is not text.
    """
    ahead: list[Block] = []
    block = next(from_first_data(iter([rest]), dialect), None)
    if block is None:
        block, _ = opening(feed, dialect, lines)
        ahead = [] if block is None else [block]
    line = None if block is None else block.first()[0]
    fields = None if line is None or not _is_utf8(line) else dialect.split(line)
    return fields, chain(ahead, feed)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
