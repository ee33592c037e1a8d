"""Ids that came as text: numbers where that loses nothing, else the text as it was written.

``007``, ``+5`` and ``1e3`` are names, not numbers: PyArrow's own inference would turn the first
into 7, and with it the edges of 007 and 7 into those of one vertex.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .delimited import Column

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = ("NA", "N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "\\N")


class IdColumns:
    """Source and destination ids, gathered block by block, of one type in the end.

    That is int64 if every id of both columns is an integer in its usual spelling and fits, uint64
    if that holds them all, and else string, each id as it was written. A word in quotes is a
    string, whatever it looks like.
    """

    def __init__(self) -> None:
        self._blocks: list[tuple[_Ids, _Ids]] = []
        self._kind = Kind()

    def append(self, source: Column, destination: Column) -> tuple[Any, Any]:
        """Add the text of one block; returns the ids in it, as what they are by themselves."""
        pair = _Ids(source), _Ids(destination)
        self._blocks.append(pair)
        self._kind.update(*pair)
        return pair[0].values, pair[1].values

    def table(self, names: tuple[str, str], text: bool | None = None) -> pa.Table:
        """The columns so far, chunked as they came; as ``text`` even if all are integers."""
        import pyarrow as pa

        kind = pa.string() if text else self._kind.type(text is None)
        columns = [
            pa.chunked_array([c for ids in side for c in ids.cast(kind).chunks], kind)
            for side in (zip(*self._blocks, strict=True) if self._blocks else ((), ()))
        ]
        return pa.table(columns, names=list(names))


class Kind:
    """The type of two columns of text, as their blocks come."""

    def __init__(self) -> None:
        self._types: set[pa.DataType] = set()
        self._negative = False
        self._empties, self._words = [False, False], [False, False]  # of source and destination

    def add(self, source: pa.ChunkedArray, destination: pa.ChunkedArray) -> None:
        """Look at text without quotes."""
        self.update(_Ids(Column(source)), _Ids(Column(destination)))

    def update(self, *pair: _Ids) -> None:
        """Look at one block of both columns."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for side, ids in enumerate(pair):
            self._types.add(ids.values.type)
            self._empties[side] |= ids.empties
            self._words[side] |= ids.values.null_count < len(ids.values)
            if ids.values.type == pa.int64() and not self._negative:
                self._negative = (pc.min(ids.values).as_py() or 0) < 0

    def type(self, empties: bool = True) -> pa.DataType:
        """The type so far; without ``empties``, empty text alone makes no column one of text."""
        import pyarrow as pa

        pairs = zip(self._empties, self._words, strict=True)
        numbers = all(map(pa.types.is_integer, self._types))
        if not numbers or (empties and any(e and not w for e, w in pairs)):
            return pa.string()
        if pa.uint64() not in self._types:
            return pa.int64()
        return pa.string() if self._negative else pa.uint64()


class _Ids:
    """One column of one block: numbers where it can be, and the text if numbers forget some of it.

    In a column of numbers the usual words for a missing value are nulls, and so is an empty text in
    quotes; in a column of text they are words like others, so the text is kept until it is known
    which of the two the column is.
    """

    def __init__(self, column: Column) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        text = column.text
        self.text: pa.ChunkedArray | None = None
        self.empties = False
        numbers = None if column.quoted else integers(text)
        if numbers is None:
            if column.bare:
                text = pc.utf8_trim(text, " \t")
                text = pc.if_else(pc.equal(text, ""), None, text)
            self.text = text
        if numbers is None and not column.quoted:
            self.empties = not column.bare and bool(pc.any(pc.equal(text, "")).as_py())
            missing = pc.is_in(text, value_set=pa.array([*MISSING, ""]))
            numbers = integers(pc.if_else(missing, None, text))
        self.values: pa.ChunkedArray = text if numbers is None else numbers

    def cast(self, kind: pa.DataType) -> pa.ChunkedArray:
        import pyarrow as pa

        # Numbers without their text came from plain spellings, so this writes them as they were
        exact = self.values if self.text is None or kind != pa.string() else self.text
        return exact.cast(kind)


def integers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Text as int64, or uint64 if it needs that; None unless each id is spelt as a number is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    led_by_zero = pc.and_(pc.starts_with(text, "0"), pc.greater(pc.binary_length(text), 1))
    if pc.any(pc.or_(led_by_zero, pc.starts_with(text, "-0"))).as_py():
        return None
    for kind in (pa.int64(), pa.uint64()):
        with suppress(pa.ArrowInvalid):
            return text.cast(kind)
    return None
