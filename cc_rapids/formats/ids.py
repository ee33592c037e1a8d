"""Ids that came as text: numbers where that loses nothing, else the text as it was written.

``007``, ``+5`` and ``1e3`` are names, not numbers: PyArrow's own inference would turn the first
into 7, and with it the edges of 007 and 7 into those of one vertex.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = ("NA", "N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "\\N")


class IdColumns:
    """Source and destination ids, gathered block by block, of one type in the end.

    That is int64 if every id of both columns is an integer in its usual spelling and fits, uint64
    if that holds them all, and else string, each id as it was written.
    """

    def __init__(self) -> None:
        self._blocks: list[tuple[_Ids, _Ids]] = []

    def append(
        self, source: pa.ChunkedArray, destination: pa.ChunkedArray
    ) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
        """Add the text of one block; returns the ids in it, as what they are by themselves."""
        pair = _Ids(source), _Ids(destination)
        self._blocks.append(pair)
        return pair[0].values, pair[1].values

    def table(self, names: tuple[str, str], text: bool = False) -> pa.Table:
        """The columns so far, chunked as they came; as ``text`` even if all are integers."""
        import pyarrow as pa

        kind = pa.string() if text else self._kind()
        columns = [
            pa.chunked_array([c for ids in side for c in ids.cast(kind).chunks], kind)
            for side in (zip(*self._blocks, strict=True) if self._blocks else ((), ()))
        ]
        return pa.table(columns, names=list(names))

    def _kind(self) -> pa.DataType:
        import pyarrow as pa
        import pyarrow.compute as pc

        every = [ids.values for pair in self._blocks for ids in pair]
        kinds = {values.type for values in every}
        if pa.string() in kinds:
            return pa.string()
        if pa.uint64() not in kinds:
            return pa.int64()
        signed = (values for values in every if values.type == pa.int64())
        negative = any((pc.min(values).as_py() or 0) < 0 for values in signed)
        return pa.string() if negative else pa.uint64()


class _Ids:
    """One column of one block: numbers where it can be, and the text if numbers forget some of it.

    In a column of numbers the usual words for a missing value are nulls; in a column of text they
    are words like others, so the text is kept until it is known which of the two the column is.
    """

    def __init__(self, text: pa.ChunkedArray) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        self.text: pa.ChunkedArray | None = None
        numbers = integers(text)
        if numbers is None:
            text = pc.utf8_trim(text, " \t")
            text = self.text = pc.if_else(pc.equal(text, ""), None, text)
            missing = pc.is_in(text, value_set=pa.array(MISSING))
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
