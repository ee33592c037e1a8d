"""Ways: how integer ids become vertices, chosen by what the columns hold, and what each takes.

==============  ===================================================================================
as they are     vertex = id: a word for each id from 0 to the greatest
offset          vertex = id - the least: a word for each id of the span
bit map         vertex = rank of the id: a bit for each id of the span, a word for each that occurs
hash slots      vertex = slot of the id in a hash table: nothing depends on the span
==============  ===================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .errors import CapacityError
from .spans import Span

GIB = 1 << 30
SMALL = 1 << 20  # a span that is not worth a second look
WORDS_PER_BYTE = 1  # of the edge list: a word for each id of the span while it is 4 times the list
WORDS_EACH = ("as they are", "offset")
SLOTS = 1.65  # slots for each id that is expected


@dataclass(frozen=True)
class Way:
    """One way to number the ids, what is said of them if it is chosen, and what it takes."""

    name: str
    why: str
    vertices: int  # at most
    bytes: int  # at most, beyond the input and the answer


def choose_way(span: Span, rows: int, given_bytes: int, free: int) -> Way:
    """The way for ids of a span that ``rows`` places name, in columns of so many bytes.

    A word for each id of the span is the fastest while those words are at most four times the
    columns; a bit for each next, while the bits are at most as many as the columns; a table
    otherwise. If memory does not allow it, whatever takes least.

    Raises
    ------
    CapacityError
        No way fits.
    """
    most = min(span.size, rows)
    answer = 2 * most * span.dtype.itemsize
    wanted = _table
    if span.size <= max(SMALL, WORDS_PER_BYTE * given_bytes):
        wanted = _words
    elif bits_pay(span.size, given_bytes):
        wanted = _bits
    way = wanted(span, most, rows)
    if way.bytes + answer <= free:
        return way
    ways = [make(span, most, rows) for make in WAYS]
    fitting = [way for way in ways if way.bytes + answer <= free]
    if not fitting:
        raise _too_large(span, ways, answer, free)
    return min(fitting, key=lambda way: way.bytes)


def bits_pay(size: int, given_bytes: int) -> bool:
    """Whether a bit for each id of a span of that size takes no more than the columns."""
    return size // 8 <= given_bytes


def _words(span: Span, most: int, rows: int) -> Way:
    n = span.size
    return Way(WORDS_EACH[span.low != 0], "close enough together", n, n * _word(n) + n // 7)


def _bits(span: Span, most: int, rows: int) -> Way:
    n, word = span.size, _word(most)
    size = n // 8 + n // 64 + rows * word + most * (word + span.dtype.itemsize + 1)
    return Way("bit map", "too far apart for a word each, not for a bit", most, size)


def _table(span: Span, most: int, rows: int) -> Way:
    word = _word(most)
    size = slots_for(most) * (9 + 2 * word) + rows * word + most * (40 + word)
    return Way("hash slots", "too far apart for a word or a bit each", most, size)


WAYS = (_words, _bits, _table)


def slots_for(ids: int) -> int:
    """The slots of a table for so many ids: they fill three fifths of it."""
    return max(32, int(SLOTS * ids))


def _word(n: int) -> int:
    return 4 if n <= 1 << 32 else 8


def _too_large(span: Span, ways: list[Way], answer: int, free: int) -> CapacityError:
    gib: Callable[[int], str] = lambda count: f"{(count + answer) / GIB:,.1f} GiB"  # noqa: E731
    words, bits, table = ways
    return CapacityError(
        f"the ids span {span.size:,} values, from {span.low:,} to {span.high:,}: that takes"
        f" {gib(words.bytes)} with a word for each, {gib(bits.bytes)} with a bit for each, and"
        f" {gib(table.bytes)} in a hash table of the {table.vertices:,} that may occur;"
        f" {free / GIB:,.1f} GiB are free: free some, or run where there is more (engine="
        "'threads' uses the host's)"
    )
