"""The audit of stable ids: all numbers are found again on the host, by NumPy and PyArrow alone.

The vertices of both answers are joined by their ids. Sorting and counting the rows then gives the
heir of each previous number, the number that each component goes on with, and the births. Nothing
of what numbers components is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import VerificationError, counted
from .tables import first_row_of_difference, places, plain, row_in_words

if TYPE_CHECKING:
    import pyarrow as pa

ORDERS: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, ...]]] = {
    "majority": lambda number, shared: (number, -shared),
    "largest": lambda number, shared: (-number,),
    "least": lambda number, shared: (number,),
}  # the keys, the last one first, by which a component that is the heir of several sorts them


@dataclass(frozen=True)
class NumbersAudit:
    """The result of an audit of stable ids.

    Attributes
    ----------
    components, vertices : int
        The numbers of components and vertices.
    kept, births, deaths : int
        How many numbers went on, are new, and are retired.
    seconds : float
        The duration of the audit.
    """

    components: int
    vertices: int
    kept: int
    births: int
    deaths: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"right: {counted(self.components, 'number')} of"
            f" {counted(self.vertices, 'vertex', 'vertices')}, {self.kept:,} kept,"
            f" {counted(self.births, 'birth')}, {counted(self.deaths, 'death')}"
        )


@dataclass(frozen=True)
class Numbered:
    """Vertices with numbers, in tables on the host.

    Attributes
    ----------
    vertices : table
        The columns of the ids alone, in the order of the ids.
    numbers : (m,) array of int64
        The number of each.
    next_id : int
        The least number that was never used.
    """

    vertices: pa.Table
    numbers: np.ndarray
    next_id: int


def audit(
    now: Numbered,
    labels: np.ndarray,
    before: Numbered,
    policy: str,
    changes: dict[str, pa.Table] | None,
) -> tuple[int, int, int]:
    """Return how many numbers went on, were born and died, or raise a VerificationError.

    Parameters
    ----------
    now, before : Numbered
        The vertices of both answers.
    labels : (m,) array of integers
        A different label of each component, for each vertex of ``now``.
    policy : str
        Which number goes on.
    changes : dictionary, optional
        The frames of :meth:`StableIds.changes` by name, as tables, to be compared.
    """
    part = _first_places(labels)  # components in the order of their least ids
    first = np.unique(part, return_index=True)[1]
    numbers = now.numbers[first]
    _check_unique(now, part, first, numbers)
    number, after, shared = _shared(now, part, before)
    heirs = np.lexsort((after, -shared, number))
    heirs = heirs[np.unique(number[heirs], return_index=True)[1]]
    heirs = heirs[np.lexsort((*ORDERS[policy](number[heirs], shared[heirs]), after[heirs]))]
    kept = heirs[np.unique(after[heirs], return_index=True)[1]]
    right = np.full(first.size, -1)
    right[after[kept]] = number[kept]
    born = np.flatnonzero(right < 0)
    right[born] = before.next_id + np.arange(born.size)
    wrong = np.flatnonzero(right != numbers)
    if wrong.size:
        k = int(wrong[0])
        way = "is born with" if k in born else f"goes on by policy={policy!r} with"
        raise VerificationError(
            f"the component of vertex {_name(now, first[k])} has the number {numbers[k]:,}, but"
            f" {way} {right[k]:,}"
        )
    if now.next_id != before.next_id + born.size:
        raise VerificationError(
            f"the next number is {now.next_id:,}, but {counted(born.size, 'birth')} from"
            f" {before.next_id:,} on leave {before.next_id + born.size:,}"
        )
    former, sizes = np.unique(before.numbers, return_counts=True)
    dead = ~np.isin(former, numbers)
    if changes is not None:
        pairs = number, numbers[after], shared
        by_part = np.lexsort((number, after))
        split = np.flatnonzero(np.isin(number, _repeated(number)))
        merged = by_part[np.isin(after, _repeated(after))[by_part]]
        says = {
            "splits": [column[split] for column in pairs],
            "merges": [column[merged] for column in pairs],
            "births": [right[born], np.bincount(part, minlength=first.size)[born]],
            "deaths": [former[dead], sizes[dead]],
        }
        _check_changes(changes, says)
    return kept.size, born.size, int(dead.sum())


def check_vertices(now: Numbered, labels: pa.Table) -> None:
    """Raise a VerificationError unless numbered vertices are those of a label frame, in order."""
    shown = now.vertices.columns
    right = places(labels, 0, len(shown))
    row = first_row_of_difference(shown, right)
    if row is not None:
        raise VerificationError(
            f"row {row:,} of the numbers is vertex {row_in_words(shown, row)}, but that of the"
            f" answer is {row_in_words(right, row)}"
        )


def _first_places(values: np.ndarray) -> np.ndarray:
    """Return for each value its place among the different ones, as they come."""
    _, first, place = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def _repeated(values: np.ndarray) -> np.ndarray:
    """Return the values that occur more than once."""
    different, counts = np.unique(values, return_counts=True)
    return different[counts > 1]


def _shared(now: Numbered, part: np.ndarray, before: Numbered) -> tuple[np.ndarray, ...]:
    """Return the previous numbers and the components that share members, and how many."""
    keys, former_keys = _keys(now.vertices, before.vertices)
    number_of = np.full(keys.size + former_keys.size, -1)
    number_of[former_keys] = before.numbers
    number = number_of[keys]
    pairs = np.stack([number, part])[:, number >= 0]
    (number, part), shared = np.unique(pairs, axis=1, return_counts=True)
    return number, part, shared


def _check_unique(now: Numbered, part: np.ndarray, first: np.ndarray, numbers: np.ndarray) -> None:
    """Raise a VerificationError unless each component has one number, and none has another's."""
    wrong = np.flatnonzero(now.numbers != numbers[part])
    if wrong.size:
        row = int(wrong[0])
        least = first[part[row]]
        raise VerificationError(
            f"vertex {_name(now, row)} has the number {now.numbers[row]:,}, but vertex"
            f" {_name(now, least)} of its component has {now.numbers[least]:,}"
        )
    order = np.argsort(numbers, kind="stable")
    again = np.flatnonzero(numbers[order[1:]] == numbers[order[:-1]])
    if again.size:
        one, other = (first[order[int(again[0]) + k]] for k in (0, 1))
        raise VerificationError(
            f"vertices {_name(now, one)} and {_name(now, other)} are of two components, which both"
            f" have the number {now.numbers[one]:,}"
        )


def _check_changes(changes: dict[str, pa.Table], says: dict[str, list[np.ndarray]]) -> None:
    """Raise a VerificationError for the first row of changes that the numbers do not say."""
    for name, columns in says.items():
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        shown = [column.to_pylist() for column in changes[name].columns]
        shown_rows = list(zip(*shown, strict=True))
        if rows != shown_rows:
            at = next(
                (k for k, (a, b) in enumerate(zip(rows, shown_rows, strict=False)) if a != b),
                min(len(rows), len(shown_rows)),
            )
            texts = [str(each[at]) if at < len(each) else "no more" for each in (shown_rows, rows)]
            raise VerificationError(
                f"row {at:,} of the {name} is {texts[0]}, but the numbers say {texts[1]}"
            )


def _keys(now: pa.Table, before: pa.Table) -> list[np.ndarray]:
    """Return an integer for each vertex of two tables, below their size: one for equal ids."""
    import pyarrow as pa

    size, rows = now.num_rows, now.num_rows + before.num_rows
    codes = np.zeros(rows, np.int64)
    if not (size and before.num_rows):  # without vertices, columns may be of any type
        codes = np.arange(rows)
        return [codes[:size], codes[size:]]
    for pair in zip(now.columns, before.columns, strict=True):
        one, other = map(plain, pair)
        if one.type != other.type:
            one, other = (column.cast(pa.decimal128(20)) for column in (one, other))
        both = pa.chunked_array([one, other]).combine_chunks().dictionary_encode()
        both = both.combine_chunks() if isinstance(both, pa.ChunkedArray) else both
        codes = _first_places(codes * rows + both.indices.to_numpy())
    return [codes[:size], codes[size:]]


def _name(numbered: Numbered, row: Any) -> str:
    """Return the id of a row as text."""
    return row_in_words(numbered.vertices.columns, int(row))
