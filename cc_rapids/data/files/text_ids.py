"""Convert text to weights and to ids: integers if the conversion is lossless, otherwise strings.

``007``, ``+5`` and ``1e3`` are names, not numbers. PyArrow's own inference would convert 007 to 7,
which would merge two vertices. Floats are not ids: in text and in typed columns, a float raises an
error that names the row and the value.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...errors import CcRapidsWarning, ColumnTypeError, FormatError
from ..lazy import np, pa, pc
from .delimited import Block, Column, Dialect, misfit_error

SAMPLE = 1_000  # the number of ids in which lower-case words are counted
NO_VALUE = (  # words for a missing value in columns of numbers, in lower case
    *("na", "n/a", "<na>", "#n/a", "#na", "nan", "-nan", "null", "(null)", "none", "\\n"),
    *("#ref!", "#value!", "#name?", "#div/0!"),
    *("?", "-", "--", "."),
)
MISSING = tuple(  # the same words in every usual capitalization
    dict.fromkeys(
        word
        for lower in NO_VALUE
        for word in (lower, lower.upper(), lower.capitalize(), lower.replace("nan", "NaN"))
    )
)


class LateTextError(FormatError):
    """An error for ids that are text in a stream whose earlier ids were all integers.

    ``text`` has an item for each column of an id: True if this column is text, False if it turned
    out to hold integers after words such as NA, and None if another column has the error. If
    ``can_restart``, the files can be read again, from the first one, with these types.
    """

    can_restart = False

    def __init__(self, path: str, line: int, column: int, width: int, text: bool = True) -> None:
        super().__init__(
            f"{path}, from line {line} on: some ids are text, or some are negative and others are"
            " beyond 2^63, but all earlier ids were integers: a stream uses the type of the first"
            " ids for all ids; read the edges as a whole, without memory_limit= (--memory-limit),"
            " or store the columns as strings (in Parquet)"
        )
        self.text: list[bool | None] = [text if k == column else None for k in range(width)]


class Ids:
    """The ids of one block of a column: ``values`` are integers if possible, otherwise text.

    In a column of numbers, words such as NA and empty quoted text are nulls. In a column of text,
    they are ordinary words, so ``text`` is kept until the type of the column is certain. It is None
    if integers cast to strings give the same text. ``has_empty`` tells whether there is empty
    quoted text. ``missing_word`` is the result of :func:`_missing_word`, or "".
    """

    def __init__(self, column: Column) -> None:
        text = column.text
        self.quoted: bool = column.in_quotes is not None  # then the column is text
        self.has_empty: bool = False
        self.text: pa.ChunkedArray | None = None
        self.missing_word: str = ""
        numbers = None if self.quoted else integers(text)
        if numbers is None:
            self.text = text = text if column.is_trimmed else trimmed(text)
            unquoted = text.filter(pc.invert(column.in_quotes)) if self.quoted else text
            is_missing = pc.is_in(unquoted, value_set=pa.array([*MISSING, ""]))
            if not self.quoted:  # in trimmed text, an empty field without quotes is null
                self.has_empty = column.is_trimmed and bool(pc.any(pc.equal(text, "")).as_py())
                numbers = integers(pc.if_else(is_missing, None, text))
            if pc.any(is_missing).as_py():
                self.missing_word = _missing_word(unquoted, is_missing)
        self.values: pa.ChunkedArray = text if numbers is None else numbers

    def cast(self, kind: pa.DataType) -> pa.ChunkedArray:
        """Return the ids in a type that can hold them."""
        if kind == pa.string() and self.text is not None:
            return self.text.cast(kind)
        return self.values.cast(kind)


def _missing_word(words: pa.ChunkedArray, is_missing: pa.ChunkedArray) -> str:
    """Return the first word with a letter that may mean a missing value; "" if there is none.

    ``is_missing`` tells which words are empty or in ``MISSING``. If more than 90 % of the words are
    in lower case, a word in lower case, such as ``null``, does not mean a missing value.
    """
    sample = words.drop_null().slice(0, SAMPLE)
    share_of_lower = pc.mean(pc.match_substring_regex(sample, "^[a-z]+$")).as_py()
    candidates = [word for word in pc.unique(words.filter(is_missing)).to_pylist() if word]
    if share_of_lower > 0.9:
        candidates = [word for word in candidates if not (word.isalpha() and word.islower())]
    return next((word for word in candidates if any(map(str.isalpha, word))), "")


@dataclass
class TextType:
    """The type of a column of ids, updated for each block.

    The column holds floats if all fields are unquoted numbers and one of them is not an integer. If
    any field is not a number, such as ``v1.0`` or ``ann``, all fields are names, including ``1.0``.
    """

    types: set[pa.DataType] = field(default_factory=set)
    has_negative: bool = False
    beyond_int64: bool = False
    has_empty: bool = False  # empty text in quotes
    has_values: bool = False
    _has_names: bool = False
    _first_float: str | None = None

    def restart(self) -> None:
        """Forget whether the blocks so far are text; keep the facts about integers and floats."""
        self.types = set()
        self.has_empty = self.has_values = False

    def update(self, ids: Ids) -> int | None:
        """Add the ids of a block; return the row of the first float if it is in this block."""
        values = ids.values
        self.types.add(values.type)
        self.beyond_int64 |= values.type == pa.uint64()
        self.has_empty |= ids.has_empty
        self.has_values |= values.null_count < len(values)
        if values.type == pa.int64() and not self.has_negative:
            self.has_negative = (pc.min(values).as_py() or 0) < 0
        if self._has_names or pa.types.is_integer(values.type):
            return None
        float_row = None if ids.quoted else _row_of_first_float(values)  # quoted ids are names
        self._has_names = float_row is None
        if float_row is None or float_row < 0 or self._first_float is not None:
            return None
        self._first_float = values[float_row].as_py()
        return float_row

    @property
    def first_float(self) -> str | None:
        """The first float if the column holds floats; otherwise None."""
        return None if self._has_names else self._first_float


def common_type(pair: tuple[TextType, TextType], empty_is_text: bool = True) -> pa.DataType:
    """Return the type of both columns: int64, uint64, or string if neither fits.

    If ``empty_is_text``, a column with empty quoted text and no other values is text.
    """
    source, destination = pair
    types = source.types | destination.types
    only_empty = empty_is_text and any(end.has_empty and not end.has_values for end in pair)
    if only_empty or not all(map(pa.types.is_integer, types)):
        return pa.string()
    if not (source.beyond_int64 or destination.beyond_int64):
        return pa.int64()
    return pa.string() if source.has_negative or destination.has_negative else pa.uint64()


class IdPair:
    """A column of sources and a column of destinations, appended block by block, of one type.

    The type is int64 or uint64 if every id of both columns is an integer in its usual spelling that
    fits into this type. Otherwise the type is string, and each id is unchanged. A quoted word is
    always a string.
    """

    def __init__(self, path: str, names: Sequence[str], dialect: Dialect) -> None:
        self._path, self._names, self._dialect = path, list(names), dialect
        self._blocks: list[tuple[Ids, Ids]] = []
        self._types, self._lines = (TextType(), TextType()), [0, 0]  # lines of the first floats
        # the first word for a missing value and its column; "" before it, None after the warning
        self._missing_word: str | None = ""

    def append(self, block: Block, source: Column, destination: Column) -> tuple[Any, Any]:
        """Append the text of a block; return its ids, in types that depend on this block only."""
        pair = Ids(source), Ids(destination)
        self._blocks.append(pair)
        for side, ids in enumerate(pair):
            row = self._types[side].update(ids)
            if row is not None:
                self._lines[side], _ = block.row(row, self._dialect)
            if ids.missing_word and self._missing_word == "":  # the warning names the first word
                self._missing_word = f"{ids.missing_word} in column {self._names[side]!r}"
        return pair[0].values, pair[1].values

    @property
    def is_text(self) -> bool:
        """True if an id of the blocks so far is text."""
        return bool(common_type(self._types) == pa.string())

    def ends_without_ids(self) -> set[int]:
        """Return the columns, 0 or 1, whose type is unknown because they hold only nulls so far.

        The set is empty without words such as NA, and if other ids are text: NA is then text, too.
        """
        ends = {k for k, column in enumerate(self._types) if not column.has_values}
        return ends if self._missing_word and not self.is_text else set()

    def restart(self) -> None:
        """Drop the ids so far; the next blocks may have another type."""
        self._blocks.clear()
        for column in self._types:
            column.restart()

    def table(self, text: bool | None = None) -> pa.Table:
        """Return the ids so far in their common type, or as strings if ``text``.

        Empty quoted text alone in a column is text if ``text`` is None (unknown), null if False.
        """
        for name, column, line in zip(self._names, self._types, self._lines, strict=True):
            if column.first_float is not None:
                what = "a column of floats"
                raise refused(self._path, f"line {line}", name, what, column.first_float)
        kind = pa.string() if text else common_type(self._types, empty_is_text=text is None)
        if kind == pa.string() and self._missing_word:
            warnings.warn(
                f"{self._path}: {self._missing_word} is read as an id, which joins all of its rows,"
                " because the column is text: if it means a missing id, remove these rows, for"
                " example by pandas.read_csv(path).dropna()",
                CcRapidsWarning,
                stacklevel=1,
            )
            self._missing_word = None
        sides = zip(*self._blocks, strict=True) if self._blocks else ((), ())
        columns = [
            pa.chunked_array([chunk for ids in side for chunk in ids.cast(kind).chunks], kind)
            for side in sides
        ]
        return pa.table(columns, names=self._names)


def trimmed(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return text without the blanks around it; nulls replace empty text."""
    text = pc.utf8_trim(text, " \t")
    return pc.if_else(pc.equal(text, ""), None, text)


def integers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Convert text to int64, or uint64 if needed; None if an id is not a plain integer."""
    for kind in (pa.int64(), pa.uint64()):
        with suppress(pa.ArrowInvalid):
            numbers = text.cast(kind)
            led_by_zero = pc.and_(pc.starts_with(text, "0"), pc.greater(pc.binary_length(text), 1))
            not_canonical = pc.or_(led_by_zero, pc.starts_with(text, "-0"))
            return None if pc.any(not_canonical).as_py() else numbers
    return None


_FLOATS = ", because floats merge ids beyond 2^53"
_ADVICE = (
    ": write the ids as integers, name other columns by source= and destination= (--source,"
    " --destination), or, if the ids are names, store them as strings in Parquet or with quotes in"
    " csv"
)


def shortened(value: Any, length: int = 60) -> str:
    """Return the representation of a value, cut to ``length`` characters if it is longer."""
    text = repr(value)
    return text if len(text) <= length else f"{text[: length - 3]}..."


def refused(
    path: str, where: str, name: str, what: str, value: Any, are_floats: bool = True
) -> ColumnTypeError:
    """Return the error for an id of an invalid type: ``value``, in row or line ``where``."""
    why = f"ids must be integers or strings{_FLOATS if are_floats else ''}{_ADVICE}"
    what = f"column {name!r} is {what}, as {shortened(value)}"
    return ColumnTypeError(f"{path}, {where}: {what}: {why}")


def _row_of_first_float(text: pa.ChunkedArray) -> int | None:
    """Return the row of the first float; -1 if all words are integers, None if any is a name."""
    words = pc.if_else(pc.is_in(text, value_set=pa.array([*MISSING, ""], text.type)), None, text)
    with suppress(pa.ArrowInvalid):
        # the cast only checks that all words are numbers; PyArrow refuses a plus sign
        pc.replace_substring_regex(words, r"^\+", "").cast(pa.float64())
        # the letter n is in nan and inf
        is_float = pc.fill_null(pc.match_substring_regex(words, r"[.eEn]"), False)
        return int(pc.index(is_float, True).as_py())
    return None


def check_ids(path: str, names: list[str], columns: list[pa.ChunkedArray], first_row: int) -> None:
    """Raise a ColumnTypeError unless columns hold integers or strings, or categories of these.

    A column of nulls may have any type. The columns begin at row ``first_row`` of the file.
    """
    for name, column in zip(names, columns, strict=True):
        if are_ids(column.type) or column.null_count == len(column):
            continue
        row = int(pc.index(pc.is_valid(column), True).as_py())
        floating = pa.types.is_floating(column.type)
        what = f"{column.type}, {'floats' if floating else 'not ids'}"
        where = f"row {first_row + row:,} (from 0)"
        raise refused(path, where, name, what, column[row].as_py(), floating)


def are_ids(kind: pa.DataType) -> bool:
    """Return whether values of a type can be ids: integers, strings, and categories of these."""
    return pa.types.is_integer(plain_type(kind)) or is_text(kind)


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type is a string type, or a dictionary of strings."""
    kind = plain_type(kind)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the value type of a dictionary, and large string for views; keep other types."""
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    return pa.large_string() if pa.types.is_string_view(kind) else kind


def plain(table: pa.Table) -> pa.Table:
    """Replace dictionaries and views in a table by plain columns."""
    from ..column import table_without_views

    table = table_without_views(table)
    return table.cast(pa.schema([f.with_type(plain_type(f.type)) for f in table.schema]))


class Weights:
    """A column of weights, appended block by block: int64 or uint64, or double if needed.

    If ``may_be_null``, empty fields are nulls; otherwise every field must be a number.
    """

    def __init__(self, may_be_null: bool = False) -> None:
        self._blocks: list[pa.ChunkedArray] = []
        self._may_be_null = may_be_null

    def append(
        self, path: str, block: Block, dialect: Dialect, position: int, text: pa.ChunkedArray
    ) -> None:
        """Append the weights of a block as text; ``position`` is the column of weights."""
        text = trimmed(text) if self._may_be_null else text
        has_invalid_null = text.null_count and not self._may_be_null
        values = None if has_invalid_null else numbers(text)
        if values is None:  # the error names the first record without a number

            def fits(fields: list[str]) -> bool:
                if not any(fields):  # an empty line, or only delimiters
                    return True
                if len(fields) <= position:
                    return False
                is_null = self._may_be_null and not fields[position].strip()
                return is_null or numbers(pa.chunked_array([[fields[position]]])) is not None

            expected = f"a number as weight in field {position + 1}"
            raise misfit_error(path, block, dialect, fits, expected, position)
        self._blocks.append(_integers_with_nulls(text, values) if self._may_be_null else values)

    def column(self) -> pa.ChunkedArray:
        """Return the weights appended so far."""
        types = {values.type for values in self._blocks}
        if pa.float64() not in types:
            integer_types = (pa.int64(), pa.uint64()) if pa.uint64() in types else (pa.int64(),)
            for kind in integer_types:
                with suppress(pa.ArrowInvalid):  # some weights are outside the range of the type
                    return self._joined(kind)
        return self._joined(pa.float64())

    def _joined(self, kind: pa.DataType) -> pa.ChunkedArray:
        """Return the weights in a type; an integer may become the nearest float."""
        safe = pa.types.is_integer(kind)
        cast = (values.cast(kind, safe=safe) for values in self._blocks)
        return pa.chunked_array([chunk for values in cast for chunk in values.chunks], kind)


def numbers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Convert text to the first of int64, uint64 and double that fits; None if no type fits."""
    text = pc.utf8_trim(text, " \t")
    for kind in (pa.int64(), pa.uint64(), pa.float64()):
        with suppress(pa.ArrowInvalid):
            values = text.cast(kind)
            is_hex = pa.types.is_integer(kind) and _has_hexadecimals(text)
            return None if is_hex else values
    return None


def _has_hexadecimals(text: pa.ChunkedArray) -> bool:
    """Return whether text that PyArrow casts to integers has hexadecimals such as 0x10."""
    # much faster than the search below: buffer 2 holds the characters, and letters come after 9
    contents = (np.frombuffer(chunk.buffers()[2] or b"", np.uint8) for chunk in text.chunks)
    if all(content.max(initial=0) <= ord("9") for content in contents):
        return False
    return any(pc.any(pc.starts_with(text, mark)).as_py() for mark in ("0x", "0X"))


def _integers_with_nulls(text: pa.ChunkedArray, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return integers, and nulls for NaN, if all numbers in ``text`` except NaN are integers.

    Otherwise return ``values``, the converted numbers; with NaN, they are floats, which would merge
    integers beyond 2^53.
    """
    if not pa.types.is_floating(values.type):
        return values
    is_nan = pc.fill_null(pc.is_nan(values), False)
    if not pc.any(is_nan).as_py():
        return values
    others = numbers(pc.if_else(is_nan, pa.scalar(None, text.type), text))
    return values if others is None or pa.types.is_floating(others.type) else others
