"""csv, tsv and SNAP text: fields between delimiters, perhaps under a header."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from ..errors import FormatError
from .delimited import DIALECTS, Block, check_utf8, parse, shown
from .files import File, Wanted
from .header import following, is_header, names_in_comment, opening, without_header
from .ids import IdColumns
from .kinds import Floats
from .weights import Weights

if TYPE_CHECKING:
    import pyarrow as pa


def read_delimited(file: File, wanted: Wanted) -> tuple[pa.Table, None]:
    """csv, tsv and snap."""
    dialect, ids = DIALECTS[wanted.format], IdColumns()
    first, feed, names = first_lines(file, wanted)
    if first is None:
        return ids.table((str(wanted.source or "src"), str(wanted.destination or "dst"))), None
    ends = wanted.columns(file.path, names)
    at, weights = wanted.weight_column(file.path, names, ends), Weights()
    take = ends if at is None else (*ends, at)
    floats = Floats(file.path, dialect, [names[end] for end in ends])
    for block in chain([first], feed):
        source, destination, *weight = parse(file.path, block, dialect, len(names), take)
        floats.append(block, [source, destination], ids.append(source, destination))
        if at is not None:
            weights.append(file.path, block, dialect, at, weight[0].text)
    floats.refuse()
    table = ids.table((names[ends[0]], names[ends[1]]))
    return table if at is None else table.append_column("weight", weights.column()), None


def first_lines(file: File, wanted: Wanted) -> tuple[Block | None, Iterator[Block], list[str]]:
    """The first block of data, if there is any, all others, and the names of the columns."""
    dialect = DIALECTS[wanted.format]
    feed = file.blocks(dialect)
    first, comment = opening(feed, dialect)
    if first is None:
        return None, feed, []
    line, rest = first.first()
    check_utf8(file.path, Block(first.line, line))
    fields = dialect.split(line)
    if len(fields) < 2:
        raise FormatError(
            f"{file.path}, line {first.line}: expected at least 2 fields separated by "
            f"{dialect.separator}, found {len(fields)}: {shown(line)}"
        )
    file.header, names = wanted.header, None
    if wanted.header is None:
        names = names_in_comment(comment, len(fields), wanted.requested)
        file.header = False
        if names is None:
            below, feed = following(rest, feed, dialect)
            file.header = is_header(file.path, first.line, fields, below, wanted.requested)
    if file.header:
        return rest, feed, fields
    return first, feed, names or without_header(len(fields))
