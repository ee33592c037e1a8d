"""Readers of delimited text: csv, tsv and SNAP.

Where ids have several columns, those of both ends that are compared with each other are a pair, of
one type; different pairs may be of different ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...errors import CapacityError, FormatError
from .delimited import DIALECTS, Block, Column, Dialect, check_utf8, parse, shown
from .header import following, is_header, names_in_comment, opening, without_header
from .line_count import ends_in
from .text_ids import Floats, IdColumns

if TYPE_CHECKING:
    import pyarrow as pa

    from .input_file import ColumnRequest, File


class Weights:
    """A column of weights, gathered block by block; int64 or uint64, or double if any is not whole.

    Where they may be ``null``, an empty field is one; else each has to be a number.
    """

    def __init__(self, null: bool = False) -> None:
        self._blocks: list[pa.ChunkedArray] = []
        self._null = null

    def append(
        self, path: str, block: Block, dialect: Dialect, place: int, text: pa.ChunkedArray
    ) -> None:
        """Add the text of one block, from field ``place`` of its lines."""
        if self._null:
            text = _without_empty(text)
        values = None if text.null_count and not self._null else numbers(text)
        if values is not None and self._null:
            values = _whole_beside_nan(text, values)
        if values is None:
            raise _no_number(path, block, dialect, place, self._null)
        self._blocks.append(values)

    def column(self) -> pa.ChunkedArray:
        """Return the weights so far."""
        import pyarrow as pa

        kinds = {values.type for values in self._blocks}
        for kind in (pa.int64(), pa.uint64()):
            if pa.float64() not in kinds and (kind == pa.int64() or kind in kinds):
                with suppress(pa.ArrowInvalid):  # some are less than 0, or beyond the type
                    return _joined(self._blocks, kind)
        return _joined(self._blocks, pa.float64())


def _joined(blocks: list[pa.ChunkedArray], kind: pa.DataType) -> pa.ChunkedArray:
    """Return columns as one of a type; integers become the nearest floats."""
    import pyarrow as pa

    safe = pa.types.is_integer(kind)
    return pa.chunked_array([c for v in blocks for c in v.cast(kind, safe=safe).chunks], kind)


def numbers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return text as int64, uint64 or double, the first that holds it; None if none does."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim(text, " \t")
    for kind in (pa.int64(), pa.uint64(), pa.float64()):
        with suppress(pa.ArrowInvalid):
            return text.cast(kind)
    return None


def _whole_beside_nan(text: pa.ChunkedArray, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers as integers with nulls for NaN, if all others are; else as they are.

    Floats would merge integers beyond 2^53.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(values.type):
        return values
    nan = pc.fill_null(pc.is_nan(values), False)
    if not pc.any(nan).as_py():
        return values
    others = numbers(pc.if_else(nan, pa.scalar(None, text.type), text))
    return values if others is None or pa.types.is_floating(others.type) else others


def _without_empty(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return text with nulls for what is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    empty = pc.equal(pc.utf8_trim(text, " \t"), "")
    return pc.if_else(empty, pa.scalar(None, text.type), text)


def _no_number(path: str, block: Block, dialect: Dialect, place: int, null: bool) -> FormatError:
    """Return the error for the first line whose weight is not a number."""
    for number, line in block.lines():
        fields = dialect.split(dialect.clean(line))
        left_out = null and len(fields) > place and not fields[place].strip()
        if any(fields) and not left_out and not _is_number(fields, place):
            return FormatError(
                f"{path}, line {number}: expected a number as weight in field {place + 1}, found"
                f" {shown(line)}"
            )
    return FormatError(f"{path}, from line {block.line} on: a weight is not a number")


def _is_number(fields: list[str], place: int) -> bool:
    import pyarrow as pa

    return len(fields) > place and numbers(pa.chunked_array([[fields[place]]])) is not None


def read_delimited(file: File, request: ColumnRequest) -> tuple[pa.Table, None]:
    """Read csv, tsv and snap."""
    dialect = DIALECTS[request.format]
    first, feed, names = first_lines(file, request)
    if first is None:
        return without_rows(request, request.text), None
    ends = request.columns(file.path, names)
    at, weights = request.weight_column(file.path, names, ends), Weights(request.null_weights)
    take = ends if at is None else (*ends, at)
    pairs = [Pair(file.path, dialect, names, own) for own in request.pairs(file.path, names)]
    ids = [IdColumns() for _ in pairs]
    for block in chain([first], feed):
        read = parse(file.path, block, dialect, len(names), take)
        columns = dict(zip(take, read, strict=True))
        for pair, own in zip(pairs, ids, strict=True):
            pair.append(block, columns, own)
        if at is not None:
            weights.append(file.path, block, dialect, at, columns[at].text)
        file.lines.block(block, dialect, len(read[0].text))
    for pair in pairs:
        pair.floats.refuse()
    kinds = [None] * len(pairs) if request.text is None else request.text
    found = zip(pairs, ids, kinds, strict=True)
    table = beside([columns.table(pair.names, kind) for pair, columns, kind in found])
    return table if at is None else table.append_column("weight", weights.column()), None


class Pair:
    """A column of sources and the matching column of destinations, which may be the same.

    Parameters
    ----------
    names : list of str
        Of all columns.
    ends : (int, int)
        The positions of these two.
    """

    def __init__(self, path: str, dialect: Dialect, names: list[str], ends: tuple[int, int]):
        self.ends, self.names = ends, (names[ends[0]], names[ends[1]])
        self.floats = Floats(path, dialect, list(dict.fromkeys(self.names)))

    def append(self, block: Block, columns: dict[int, Column], ids: IdColumns) -> None:
        """Add the ids of a block of text, and look for floats among them."""
        values = ids.append(*(columns[end] for end in self.ends))
        found = dict(zip(self.ends, values, strict=True))
        self.floats.append(block, [columns[end] for end in found], list(found.values()))


def without_rows(request: ColumnRequest, text: list[bool] | None) -> pa.Table:
    """Return the columns of an empty text file."""
    source, destination = request.source or "src", request.destination or "dst"
    sides = (side if isinstance(side, list) else [side] for side in (source, destination))
    pairs = list(zip(*sides, strict=True))
    kinds = [None] * len(pairs) if text is None else text
    return beside([IdColumns().table(own, kind) for own, kind in zip(pairs, kinds, strict=True)])


def beside(tables: list[pa.Table]) -> pa.Table:
    """Return the columns of several tables in one table, each once."""
    import pyarrow as pa

    found: dict[str, Any] = {}
    for table in tables:
        found |= dict(zip(table.column_names, table.columns, strict=True))
    return pa.table(found)


KONECT_BIPARTITE = b"% bip"
FIELD_BYTES = 200  # of the words and names of a field


def _check_fields(file: File, dialect: Dialect, number: int, line: bytes) -> None:
    """Raise a CapacityError if the first line has more fields than fit into the memory limit."""
    letters = b" \t" if dialect.folded else dialect.delimiter.encode()
    fields = 1 + sum(line.count(bytes([letter])) for letter in letters)
    budget = file.budget
    if budget is not None and FIELD_BYTES * fields > budget.fixed:
        need = budget.in_words(2 * FIELD_BYTES * fields)
        raise CapacityError(
            f"{file.path}, line {number}: {fields:,} fields take about {need}, but memory_limit is"
            f" {budget.in_words(budget.limit)}: raise it, or keep the columns of ids alone"
        )


def first_lines(
    file: File, request: ColumnRequest
) -> tuple[Block | None, Iterator[Block], list[str]]:
    """Return the first block of data, if any, the other blocks, and the names of the columns."""
    dialect = DIALECTS[request.format]
    if dialect.folded and file.head.startswith(KONECT_BIPARTITE):
        raise FormatError(
            f"{file.path} is bipartite ('% bip' in line 1), so a number in its first column and"
            " the same in its second are different vertices: read it by"
            r" pandas.read_csv(path, sep='\s+', comment='%', header=None), add the largest number"
            " of the first column to the second, and pass the frame"
        )
    feed = file.blocks(dialect)
    first, comment = opening(feed, dialect, file.lines)
    if first is None:
        return None, feed, []
    line, rest = first.first()
    _check_fields(file, dialect, first.line, line)
    check_utf8(file.path, Block(first.line, line))
    fields = dialect.split(line)
    if len(fields) < 2:
        raise FormatError(
            f"{file.path}, line {first.line}: expected at least 2 fields separated by "
            f"{dialect.separator}, found {len(fields)}: {shown(line)}"
        )
    file.header, names = request.header, None
    if request.header is None:
        names = names_in_comment(comment, len(fields), request.requested)
        file.header = False
        if names is None:
            below, feed = following(rest, feed, dialect, file.lines)
            file.header = is_header(file.path, first.line, fields, below, request.requested)
    if file.header:
        file.lines.header = ends_in(line)
        return rest, feed, fields
    return first, feed, names or without_header(len(fields))
