"""Convert the values of ``--by`` in text files to numbers or times."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...data.files.text_ids import NO_VALUE, numbers
from ...errors import FormatError, shown

if TYPE_CHECKING:
    import pyarrow as pa

ZONE = r"(Z|[+-]\d{2}(:?\d{2})?)"
DATE = rf"^\d{{4}}-\d{{2}}-\d{{2}}([T ]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d+)?)?{ZONE}?)?$"
NUMBER = r"(?i)^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?inf(inity)?$"
NUMERAL = r"^[+-]?[^\w\s]?\d[\d.,'/: -]*[^\w\s]?$"  # such as 1,000 or $5 or 5% or 31/1/2024
# Reasons in errors
NO_NUMBER = "not a number, unlike other values"
NO_DATE = "not an ISO date, unlike other values"
ROUNDED = "rounded, because no type holds all values exactly"
SPELT = "neither a plain number nor an ISO date"
NO_ZONE = "without a time zone, unlike other values"


def comparable(texts: pa.ChunkedArray, what: str) -> pa.ChunkedArray:
    """Convert texts to numbers or times, or return them as texts if none is a number or a date.

    Texts such as NA become null if the others are numbers or dates. Empty texts are always null.
    ``texts`` is a column of large strings. ``what`` names the table and the column in messages.

    Raises
    ------
    FormatError
        Some texts are numbers or dates and others are not, or numbers have another spelling, such
        as 1,000. The message names the first such row.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    null = pa.scalar(None, texts.type)
    texts = pc.utf8_trim_whitespace(texts)
    texts = pc.if_else(pc.equal(texts, ""), null, texts)
    missing = pc.is_in(pc.utf8_lower(texts), value_set=pa.array(NO_VALUE, texts.type))
    present = pc.if_else(missing, null, texts)
    # Arrow would cast texts such as 0x10 to integers
    hexadecimal = pc.any(pc.match_substring(present, "x", ignore_case=True)).as_py()
    numeric = None if hexadecimal else numbers(present)
    if numeric is not None:
        if pa.types.is_floating(numeric.type) and (rounded := _rounded(present)):
            is_rounded = pc.is_in(present, pa.array(rounded, present.type))
            raise _mixed_kinds_error(present, is_rounded, what, ROUNDED)
        return numeric
    are_numbers = pc.match_substring_regex(present, NUMBER)
    if pc.any(are_numbers).as_py():  # not all, since they would have been converted
        raise _mixed_kinds_error(present, pc.invert(are_numbers), what, NO_NUMBER)
    are_dates = pc.match_substring_regex(present, DATE)
    if pc.any(are_dates).as_py():
        if pc.all(are_dates).as_py():
            return _times(present, what)
        raise _mixed_kinds_error(present, pc.invert(are_dates), what, NO_DATE)
    are_misspelt = pc.match_substring_regex(present, NUMERAL)
    if pc.any(are_misspelt).as_py():
        raise _mixed_kinds_error(present, are_misspelt, what, SPELT)
    return texts


def _rounded(texts: pa.ChunkedArray) -> list[str]:
    """Return the texts of integers that floats round, which happens beyond 2^53."""
    import pyarrow.compute as pc

    # Integers of fewer digits are exact, and integers of more digits exceed the greatest float.
    # Python compares an int and a float exactly, without converting one to the type of the other.
    wide = pc.match_substring_regex(texts, r"^[+-]?\d{16,300}$")
    wide_texts = texts.filter(pc.fill_null(wide, False)).unique().to_pylist()
    return [text for text in wide_texts if int(text) != float(text)]


def _times(texts: pa.ChunkedArray, what: str) -> pa.ChunkedArray:
    """Convert ISO dates to timestamps of the coarsest unit that represents all of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # A zone follows a time; without the colon, -31 in 2024-01-31 would look like a zone
    with_zone = pc.match_substring_regex(texts, rf":\d{{2}}(\.\d+)?{ZONE}$")
    has_zone = pc.any(with_zone).as_py()
    if has_zone and not pc.all(with_zone).as_py():
        raise _mixed_kinds_error(texts, pc.invert(with_zone), what, NO_ZONE)
    types = [pa.timestamp(unit, "UTC" if has_zone else None) for unit in ("s", "us", "ns")]
    for timestamp in types:
        with suppress(pa.ArrowInvalid):
            return texts.cast(timestamp)
    invalid = [text.as_py() for text in texts.unique() if not _casts(text, types[-1])]
    raise _mixed_kinds_error(texts, pc.is_in(texts, pa.array(invalid, texts.type)), what, NO_DATE)


def _casts(text: pa.Scalar, kind: pa.DataType) -> bool:
    """Return whether a text can be cast to a type."""
    import pyarrow as pa

    try:
        text.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _mixed_kinds_error(
    texts: pa.ChunkedArray, is_wrong: pa.ChunkedArray, what: str, reason: str
) -> FormatError:
    """Return the error for the first row whose text cannot be compared with the others."""
    import pyarrow.compute as pc

    row = pc.index(is_wrong, True).as_py()
    return FormatError(
        f"{what}: {shown(texts[row].as_py())} in row {row + 1:,} (from 1, below the header) is"
        f" {reason}: write 1000, 1.5 or 2024-01-31, leave the field empty, or compare the column as"
        " text with --by-text"
    )
