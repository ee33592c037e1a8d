"""Records of delimited text with optional quotes, as in RFC 4180.

A field is quoted if it begins with a quote, perhaps after blanks. In quotes, two quotes represent
one, and delimiters, blanks and line ends are text. Other quotes are ordinary characters. The
functions process arrays of bytes, in windows of about a mebibyte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Places = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

WINDOW = 1 << 20  # bytes that are searched for quotes at once; they fit into a cache
QUOTE = b'"'
_FAR = 8  # blanks between a quote and the delimiter; more of them are skipped one by one


PIECE = 1 << 17  # bytes that are compared at once; they fit into the second-level cache


def newlines_in(data: bytes) -> int:
    """Return the number of newlines in the bytes."""
    if len(data) < PIECE:
        return data.count(b"\n")
    import numpy as np

    characters = np.frombuffer(data, np.uint8)
    pieces = (characters[k : k + PIECE] for k in range(0, len(data), PIECE))
    return sum(int(np.count_nonzero(piece == ord("\n"))) for piece in pieces)


class MalformedError(Exception):
    """Error for a malformed record: its position, and the reason."""

    def __init__(self, place: int, words: str) -> None:
        super().__init__(words)
        self.place = place


@dataclass(frozen=True)
class Runs:
    """The positions of opening and closing quotes of fields, in order.

    If the last field is not closed, its closing position is the end of the text.
    """

    opens: Places
    closes: Places

    def inside(self, places: Places) -> Flags:
        """Return a boolean array of the positions inside quotes."""
        import numpy as np

        if not len(self.opens):
            return np.zeros(len(places), bool)
        run = np.searchsorted(self.opens, places, "right") - 1
        return (run >= 0) & (places < self.closes[run])

    def until(self, end: int) -> Runs:
        """Return the quoted fields before a position, which is outside quotes."""
        count = int(self.opens.searchsorted(end))
        return Runs(self.opens[:count], self.closes[:count])


def whole_records(data: bytes, delimiter: bytes) -> tuple[bytes, int]:
    """Return the whole records at the start of a text, and the number of bytes that they take.

    A record ends with a newline, a carriage return, or both; the result has newlines. Without a
    delimiter, text has no quotes.
    """
    if not delimiter or QUOTE not in data:
        end = _last_end(data, len(data))
        return with_newlines(data[:end]), end
    pieces, used = [], 0
    for window, quotes in windows(data, delimiter):
        used += len(window)
        pieces.append(_with_newlines_outside(window, quotes))
    return b"".join(pieces), used


def windows(data: bytes, delimiter: bytes) -> Iterator[tuple[bytes, Runs]]:
    """Yield the whole records of a text in groups, with the positions of their quotes."""
    done, size = 0, WINDOW
    while done < len(data):
        window = data[done : done + size]
        quotes = runs(window, delimiter)
        end = _end_outside(window, quotes)
        if end:
            yield window[:end], quotes.until(end)
            done += end
            size = WINDOW
        elif done + size >= len(data):
            return
        else:
            size *= 2


def records(data: bytes, delimiter: bytes) -> Iterator[bytes]:
    """Yield each whole record of a text, with its final newline."""
    import numpy as np

    for window, quotes in windows(data, delimiter):
        ends = np.flatnonzero(np.frombuffer(window, np.uint8) == ord("\n"))
        start = 0
        for end in (ends[~quotes.inside(ends)] + 1).tolist():
            yield window[start:end]
            start = end


def blank_records(data: bytes, delimiter: bytes) -> tuple[int, int]:
    """Return the numbers of empty records and of all whole records of a text."""
    import numpy as np

    blank = count = 0
    for window, quotes in windows(data, delimiter):
        ends = np.flatnonzero(np.frombuffer(window, np.uint8) == ord("\n"))
        ends = ends[~quotes.inside(ends)]
        blank += int((np.diff(ends, prepend=-1) == 1).sum())
        count += len(ends)
    return blank, count


def _last_end(data: bytes, stop: int) -> int:
    """Return the position after the last line end.

    A carriage return at the very end does not count, because a newline may follow.
    """
    return max(data.rfind(b"\n", 0, stop), data.rfind(b"\r", 0, min(stop, len(data) - 1))) + 1


def _end_outside(data: bytes, quotes: Runs) -> int:
    """Return the position after the last line end outside quotes."""
    end = _last_end(data, len(data))
    while end:
        run = int(quotes.opens.searchsorted(end - 1)) - 1
        if run < 0 or end - 1 > quotes.closes[run]:
            break
        end = _last_end(data, int(quotes.opens[run]))
    return end


def with_newlines(data: bytes) -> bytes:
    """Convert all line ends of a text to newlines."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


def _with_newlines_outside(data: bytes, quotes: Runs) -> bytes:
    """Convert all line ends outside quotes to newlines."""
    import numpy as np

    if b"\r" not in data:
        return data
    text = np.frombuffer(data, np.uint8).copy()
    returns = np.flatnonzero(text == ord("\r"))
    returns = returns[~quotes.inside(returns)]
    doubled = text[np.minimum(returns + 1, len(text) - 1)] == ord("\n")
    text[returns[~doubled]] = ord("\n")
    return np.delete(text, returns[doubled]).tobytes()


def runs(data: bytes, delimiter: bytes) -> Runs:
    """Return the positions of the quoted fields of a text that begins with a record."""
    import numpy as np

    text = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(text == ord(QUOTE))
    if len(quotes) % 2:  # the last field is not closed
        quotes = np.append(quotes, len(text))
    opens, closes = quotes[::2], quotes[1::2]
    if len(quotes):
        # A closing quote followed directly by an opening quote is a pair that represents one quote
        apart = opens[1:] != closes[:-1] + 1
        opens, closes = opens[np.append(True, apart)], closes[np.append(apart, True)]
    blank = _blank(delimiter)
    if _border(text, opens, -1, delimiter, blank) and _border(text, closes, 1, delimiter, blank):
        return Runs(opens, closes)
    pairs = [
        (match.start(1), match.end(2) - 1 if match[2] else len(data))
        for match in _quoted_field(delimiter, blank).finditer(data)
    ]
    return Runs(*np.array(pairs, np.int64).reshape(-1, 2).T)


def _blank(delimiter: bytes) -> bytes:
    """Return the blanks that are ignored around a field."""
    return b" " if delimiter == b"\t" else b" \t"


def _border(text: Any, quotes: Places, step: int, delimiter: bytes, blank: bytes) -> bool:
    """Return whether the next nonblank byte on one side of each quote is a field boundary."""
    import numpy as np

    between, blanks = np.zeros(256, bool), np.zeros(256, bool)
    between[list(delimiter + b"\r\n")] = blanks[list(blank)] = True
    at = quotes
    for _ in range(_FAR):
        at = at + step
        at = at[(at >= 0) & (at < len(text))]
        letters = text[at]
        at = at[~between[letters]]
        if not len(at):
            return True
        if not blanks[text[at]].all():
            return False
    return False


@cache
def _quoted_field(delimiter: bytes, blank: bytes) -> re.Pattern[bytes]:
    """Return the pattern of a quoted field: its opening quote, and its closing one or nothing."""
    return re.compile(
        rb'(?:\A|(?<=[%s\r\n]))[%s]*+(")(?:[^"]++|"")*+("?)' % (re.escape(delimiter), blank)
    )


def columns(
    data: bytes, quotes: Runs, delimiter: bytes, width: int, take: tuple[int, ...]
) -> list[tuple[pa.Array, bool]]:
    """Return columns of whole records, and for each column whether it has quoted fields.

    Blanks around fields and around their quotes are stripped. An empty field is null without quotes
    and an empty string with quotes; neither counts as a quoted field.

    Raises
    ------
    MalformedError
        A record has the wrong number of fields, or text follows a closing quote.
    pyarrow.ArrowInvalid
        A field is not UTF-8.
    """
    import numpy as np

    starts, ends, counts = _fields(data, quotes, delimiter)
    first = np.cumsum(counts) - counts
    empty = (counts == 1) & (starts[first] == ends[first])
    wrong = (counts != width) & ~empty
    if wrong.any():
        row = int(np.argmax(wrong))
        raise MalformedError(
            int(starts[first[row]]), f"expected {width} fields, found {counts[row]}"
        )
    _check_behind_quotes(data, quotes, starts, ends)
    if empty.any():
        kept = np.repeat(~empty, counts)
        starts, ends = starts[kept], ends[kept]
    starts, ends = starts.reshape(-1, width), ends.reshape(-1, width)
    blank = _blank(delimiter).decode()
    return [_column(data, quotes, starts[:, i], ends[:, i], blank) for i in take]


def _fields(data: bytes, quotes: Runs, delimiter: bytes) -> tuple[Places, Places, Places]:
    """Return the start and end of each field, and the number of fields of each record."""
    import numpy as np

    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((text == ord(delimiter)) | (text == ord("\n")))
    ends = ends[~quotes.inside(ends)]
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    counts = np.diff(np.flatnonzero(text[ends] == ord("\n")), prepend=-1)
    return starts, ends, counts


def _check_behind_quotes(data: bytes, quotes: Runs, starts: Places, ends: Places) -> None:
    """Raise an error for a field that continues after its closing quote."""
    import numpy as np

    field = np.searchsorted(ends, quotes.opens)
    for run in np.flatnonzero(ends[field] > quotes.closes + 1).tolist():
        end = int(ends[field[run]])
        behind = data[int(quotes.closes[run]) + 1 : end]
        if behind.strip(b" \t"):
            raise MalformedError(
                int(starts[field[run]]), "a field continues after its closing quote"
            )


def _column(
    data: bytes, quotes: Runs, starts: Places, ends: Places, blank: str
) -> tuple[pa.Array, bool]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    run = np.searchsorted(quotes.opens, starts)
    within = np.append(quotes.opens, len(data))[run] < ends
    if within.any():
        run = run[within]
        starts, ends = starts.copy(), ends.copy()
        starts[within], ends[within] = quotes.opens[run] + 1, quotes.closes[run]
    # Fields alternate with the bytes between them; take every other one
    offsets = np.empty(2 * len(starts), np.int32)
    offsets[::2], offsets[1::2] = starts, ends
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    pieces = max(0, len(offsets) - 1)
    text = pa.Array.from_buffers(pa.string(), pieces, buffers).take(np.arange(0, pieces, 2))
    text.validate(full=True)
    bare = pc.utf8_trim(text, blank)
    bare = pc.if_else(pc.equal(bare, ""), None, bare)
    if not within.any():
        return bare, False
    text = pc.if_else(pa.array(within), pc.replace_substring(text, '""', '"'), bare)
    return text, bool((within & (ends > starts)).any())


def split(record: bytes, delimiter: str) -> list[str]:
    """Return the fields of one record, without the blanks around them."""
    if QUOTE not in record:
        words = record.decode(errors="replace").rstrip("\r\n").split(delimiter)
        if b" " in record or b"\t" in record:
            return [word.strip(" " if delimiter == "\t" else " \t") for word in words]
        return words
    data, blank = record.rstrip(b"\r\n") + b"\n", _blank(delimiter.encode())
    starts, ends, _ = _fields(data, runs(data, delimiter.encode()), delimiter.encode())
    fields = (
        _unquoted(data[start:end].strip(blank))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    )
    return [field.decode(errors="replace") for field in fields]


def _unquoted(field: bytes) -> bytes:
    """Return the text of a field, which may be in quotes."""
    if len(field) > 1 and field[:1] == field[-1:] == QUOTE:
        return field[1:-1].replace(b'""', QUOTE)
    return field
