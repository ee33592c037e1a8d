"""Split delimited text with optional quotes into records, as in RFC 4180.

A field is quoted if it begins with a quote, perhaps after blanks. In quotes, two quotes represent
one, and delimiters, blanks and line ends are text. Other quotes are ordinary characters.

:func:`whole_records` masks the text in quotes: it replaces quotes, and delimiters and line ends in
quotes, by bytes that UTF-8 does not have. In masked text, each newline ends a record, and each
delimiter ends a field. The functions process arrays of bytes, in windows of about a mebibyte.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..lazy import np, pa, pc

if TYPE_CHECKING:
    import numpy.typing as npt

    Places = npt.NDArray[np.int64]

WINDOW = 1 << 20  # the number of bytes to search for quotes at a time; they fit into a cache
QUOTE = b'"'
# in a quoted field, these bytes replace: a delimiter, a newline, a carriage return, a pair of
# quotes, the opening quote, the closing quote, and the second quote of a pair before it is removed
MASKS = OTHER, NEWLINE, RETURN, PAIR, OPEN, CLOSE, DROPPED = [bytes([k]) for k in range(0xF8, 0xFF)]
_INVALID = bytes(min(k, 0xF7) for k in range(256))
READABLE = bytes.maketrans(b"".join(MASKS), b"?" * len(MASKS))  # for errors, whose lines are UTF-8
_MAX_BLANKS = 8  # between a quote and a delimiter; a pattern finds quotes with more blanks
PIECE = 1 << 17  # the number of bytes to compare at a time; they fit into the second-level cache


class Records(NamedTuple):
    """Whole records with newlines, and the number of bytes of these records in the text.

    If ``masked``, text in quotes is masked. ``regular`` is true if no field continues after its
    closing quote.
    """

    data: bytes
    used: int
    masked: bool = False
    regular: bool = True


def newlines_in(data: bytes) -> int:
    """Return the number of newlines in the bytes."""
    if len(data) < PIECE:
        return data.count(b"\n")
    characters = np.frombuffer(data, np.uint8)
    pieces = (characters[k : k + PIECE] for k in range(0, len(data), PIECE))
    return sum(int(np.count_nonzero(piece == ord("\n"))) for piece in pieces)


def ends_in(data: bytes) -> int:
    """Return the number of line ends: newlines, and carriage returns not followed by a newline."""
    count = newlines_in(data)
    return count + (data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0)


def with_newlines(data: bytes) -> bytes:
    """Convert all line ends of a text to newlines."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


def last_end(data: bytes) -> int:
    """Return the position after the last line end.

    A carriage return at the very end does not count, because a newline may follow.
    """
    return max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1


def whole_records(data: bytes, delimiter: bytes) -> Records:
    """Return the whole records at the start of a text.

    A record ends with a newline, a carriage return, or both. Without a delimiter, quotes are text.
    A byte that equals a mask cannot occur in UTF-8; it becomes 0xF7, which cannot occur either.
    """
    if not delimiter or QUOTE not in data:
        end = last_end(data)
        return Records(with_newlines(data[:end]), end)
    pieces, used, size, regular = [], 0, WINDOW, True
    while used < len(data):
        window = data[used : used + size]
        if np.frombuffer(window, np.uint8).max() >= ord(OTHER):
            window = window.translate(_INVALID)
        masked, is_regular = _masked(window, delimiter)
        end = last_end(masked)
        if end:
            pieces.append(masked[:end].translate(None, DROPPED))
            used, size, regular = used + end, WINDOW, regular and is_regular
        elif used + size >= len(data):  # the last record is not complete
            break
        else:  # the record is longer than the window
            size *= 2
    return Records(with_newlines(b"".join(pieces)), used, masked=True, regular=regular)


def _masked(data: bytes, delimiter: bytes) -> tuple[bytes, bool]:
    """Return a text with masks, of the same length; and ``regular`` as in :class:`Records`."""
    opens, closes, regular = quoted_spans(data, delimiter)
    if not len(opens):
        return data, regular
    text, mask_of = np.frombuffer(data, np.uint8).copy(), np.zeros(256, np.uint8)
    letters = delimiter + b"\n\r" + QUOTE  # in the order of MASKS
    mask_of[list(letters)] = list(b"".join(MASKS[: len(letters)]))
    places = np.flatnonzero(mask_of[text])
    span = np.searchsorted(opens, places, "right") - 1  # the last that begins before a place
    places = places[(span >= 0) & (places < closes[span]) & (places > opens[span])]
    quotes = places[text[places] == ord(QUOTE)]  # in pairs
    text[places] = mask_of[text[places]]
    text[quotes[1::2]] = ord(DROPPED)
    text[opens], text[closes[closes < len(text)]] = ord(OPEN), ord(CLOSE)
    return text.tobytes(), regular


def quoted_spans(data: bytes, delimiter: bytes) -> tuple[Places, Places, bool]:
    """Return the positions of the opening and the closing quotes of fields in a text of records.

    If the last field is not closed, its closing position is the end of the text. The third value is
    True if each quote is at a boundary of a field. Opening and closing quotes then alternate;
    otherwise a pattern finds the fields.
    """
    text = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(text == ord(QUOTE))
    if len(quotes) % 2:  # the last field is not closed
        quotes = np.append(quotes, len(text))
    opens, closes = quotes[::2], quotes[1::2]
    if len(quotes):
        # A closing quote followed directly by an opening quote is a pair that represents one quote
        separate = opens[1:] != closes[:-1] + 1
        opens, closes = opens[np.append(True, separate)], closes[np.append(separate, True)]
    blank = blanks(delimiter)
    if _at_ends(text, opens, -1, delimiter, blank) and _at_ends(text, closes, 1, delimiter, blank):
        return opens, closes, True
    pairs = [
        (match.start(1), match.end(2) - 1 if match[2] else len(data))
        for match in _quoted_field(delimiter, blank).finditer(data)
    ]
    opens, closes = np.array(pairs, np.int64).reshape(-1, 2).T
    return opens, closes, False


def blanks(delimiter: bytes) -> bytes:
    """Return the blanks that are ignored around a field."""
    return b" " if delimiter == b"\t" else b" \t"


def _at_ends(text: Any, quotes: Places, step: int, delimiter: bytes, blank: bytes) -> bool:
    """Return whether each quote's next nonblank byte in direction ``step`` is a field boundary."""
    is_boundary, is_blank = np.zeros(256, bool), np.zeros(256, bool)
    is_boundary[list(delimiter + b"\r\n")] = is_blank[list(blank)] = True
    positions = quotes
    for _ in range(_MAX_BLANKS):
        positions = positions + step
        positions = positions[(positions >= 0) & (positions < len(text))]
        positions = positions[~is_boundary[text[positions]]]
        if not len(positions):
            return True
        if not is_blank[text[positions]].all():
            return False
    return False


@cache
def _quoted_field(delimiter: bytes, blank: bytes) -> re.Pattern[bytes]:
    """Return the pattern of a quoted field; its groups are the opening and the closing quote.

    The second group is empty if the field is not closed.
    """
    return re.compile(
        rb'(?:\A|(?<=[%s\r\n]))[%s]*+(")(?:[^"]++|"")*+("?)' % (re.escape(delimiter), blank)
    )


def behind_quotes(data: bytes, delimiter: bytes) -> int:
    """Return the position of text after a closing quote in masked records; -1 if there is none."""
    blank = blanks(delimiter)
    match = re.search(rb"%s[%s]*+[^%s\n]" % (CLOSE, blank, blank + re.escape(delimiter)), data)
    return match.end() - 1 if match else -1


def inner_ends(data: bytes) -> int:
    """Return the number of line ends in quotes in masked text."""
    ends = data.count(NEWLINE)
    return ends + (data.count(RETURN) - data.count(RETURN + NEWLINE) if RETURN in data else 0)


def unmasked(data: bytes, delimiter: bytes) -> bytes:
    """Return masked text as it was."""
    for mask, letters in ((OPEN, QUOTE), (CLOSE, QUOTE), (PAIR, QUOTE + QUOTE)):
        data = data.replace(mask, letters)
    return data.translate(bytes.maketrans(OTHER + NEWLINE + RETURN, delimiter + b"\n\r"))


def values(
    column: pa.ChunkedArray, delimiter: bytes, present: bytes
) -> tuple[pa.ChunkedArray, pa.ChunkedArray | None]:
    """Return the text of a column of masked fields, and a column that tells which are in quotes.

    The second column is None if no field in quotes has text. Blanks around fields and around their
    quotes are stripped. An empty field is null without quotes, and an empty string with quotes.
    Only masks and blanks in ``present`` are searched for, so it has all of those in the text. Text
    that is not UTF-8 raises a ``pyarrow.ArrowInvalid``.
    """
    text = column
    if any(blank in present for blank in blanks(delimiter)):
        text = pc.ascii_trim(text, blanks(delimiter).decode())
        text = pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)
    begins = pc.starts_with(text, OPEN)
    # an empty field in quotes consists of its two quotes
    has_quoted_text = pc.any(pc.and_(begins, pc.greater(pc.binary_length(text), 2))).as_py()
    if pc.any(begins).as_py():
        text = pc.ascii_trim(text, OPEN + CLOSE)
        for mask, letter in zip(MASKS, (delimiter, b"\n", b"\r", QUOTE), strict=False):
            if mask in present:
                text = pc.replace_substring(text, mask, letter)
    text.validate(full=True)
    return text, begins if has_quoted_text else None


def split(record: bytes, delimiter: str) -> list[str]:
    """Return the fields of one record, without the blanks around them."""
    separator = delimiter.encode()
    records = whole_records(record.rstrip(b"\r\n") + b"\n", separator)
    fields = records.data.removesuffix(b"\n").split(separator)
    fields = [field.strip(blanks(separator)) for field in fields]
    if records.masked:
        fields = [_unquoted(field, separator) for field in fields]
    return [field.decode(errors="replace") for field in fields]


def _unquoted(field: bytes, delimiter: bytes) -> bytes:
    """Return the text of a masked field, without its quotes.

    If text follows the closing quote, both quotes are ordinary characters of the field.
    """
    if field[:1] == OPEN and field[-1:] == CLOSE:
        field = field[1:-1].replace(PAIR, QUOTE)
    return unmasked(field, delimiter)
