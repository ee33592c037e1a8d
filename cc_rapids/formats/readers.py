"""csv, tsv and SNAP text: fields between delimiters, perhaps under a header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from ..errors import FormatError
from .delimited import DIALECTS, Block, Dialect, check_utf8, from_first_data, parse, shown
from .files import File, Wanted
from .ids import IdColumns
from .weights import Weights

if TYPE_CHECKING:
    import pyarrow as pa

_INTEGER_OR_NOTHING = re.compile(r"([+-]?[0-9]+)?")


def read_delimited(file: File, wanted: Wanted) -> tuple[pa.Table, None]:
    """csv, tsv and snap."""
    dialect, ids = DIALECTS[wanted.format], IdColumns()
    first, feed, names = first_lines(file, wanted)
    if first is None:
        return ids.table((wanted.source or "src", wanted.destination or "dst")), None
    ends = wanted.columns(file.path, names)
    at, weights = wanted.weight_column(file.path, names, ends), Weights()
    take = ends if at is None else (*ends, at)
    for block in chain([first], feed):
        source, destination, *weight = parse(file.path, block, dialect, len(names), take)
        ids.append(source, destination)
        if at is not None:
            weights.append(file.path, block, dialect, at, weight[0].text)
    table = ids.table((names[ends[0]], names[ends[1]]))
    return table if at is None else table.append_column("weight", weights.column()), None


def first_lines(file: File, wanted: Wanted) -> tuple[Block | None, Iterator[Block], list[str]]:
    """The first block of data, if there is any, all others, and the names of the columns."""
    dialect = DIALECTS[wanted.format]
    feed = from_first_data(file.blocks(dialect), dialect)
    first = next(feed, None)
    if first is None:
        return None, feed, []
    names, first = _header(file.path, first, dialect, wanted.header)
    return first, feed, names


def _header(
    path: str, block: Block, dialect: Dialect, header: bool | None
) -> tuple[list[str], Block]:
    """The names of the columns, and the lines that follow them."""
    line, rest = block.first()
    check_utf8(path, Block(block.line, line))
    fields = dialect.split(line)
    if len(fields) < 2:
        raise FormatError(
            f"{path}, line {block.line}: expected at least 2 fields separated by "
            f"{dialect.separator}, found {len(fields)}: {shown(line)}"
        )
    if header is None:
        header = not _are_integers(fields)
        if header and dialect.folded:
            # Blank-separated files seldom have a header, and words are as good ids as numbers
            following = next(from_first_data(iter([rest]), dialect), None)
            header = following is not None and _are_integers(dialect.split(following.first()[0]))
    if header:
        return fields, rest
    return ["src", "dst", *(f"col{i}" for i in range(2, len(fields)))], block


def _are_integers(fields: Sequence[str]) -> bool:
    return all(_INTEGER_OR_NOTHING.fullmatch(field) for field in fields[:2])
