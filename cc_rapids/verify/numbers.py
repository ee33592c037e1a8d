"""The audit of stable ids: NumPy and PyArrow compute all numbers again on the host.

The audit joins the vertices of the previous and the current answer by id. It sorts and counts the
rows to find the heir of each previous number, the number that each component keeps, and the new
numbers (births). It shares no code with the assignment of stable ids.
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
}  # keys for lexsort, which sorts by the last key first; a component keeps its first number


@dataclass(frozen=True)
class NumbersAudit:
    """The result of an audit of stable ids.

    Attributes
    ----------
    components, vertices : int
        The counts of components and vertices.
    kept, births, deaths : int
        How many numbers are kept, new, and retired.
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
    """Numbered vertices on the host.

    Attributes
    ----------
    vertices : table of n rows
        The id columns, sorted by id.
    numbers : (n,) array of int64
        The number of each vertex.
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
    """Return how many numbers were kept, born and retired.

    Parameters
    ----------
    now, before : Numbered
        The vertices of the current and the previous answer.
    labels : (n,) array of integers
        The label of each vertex of ``now``, different for each component.
    policy : {"majority", "largest", "least"}
        Which number a component keeps.
    changes : dict of str to table, optional
        The frames of :meth:`StableIds.changes` to compare.

    Raises
    ------
    VerificationError
        A number, the next number, or a row of ``changes`` is wrong.
    """
    part = _ranks_by_appearance(labels)  # components in the order of their least ids
    first = np.unique(part, return_index=True)[1]
    numbers = now.numbers[first]
    _check_unique(now, part, first, numbers)
    number, after, shared = _shared(now, part, before)
    heirs = np.lexsort((after, -shared, number))  # the heir is the first pair of each number
    heirs = heirs[np.unique(number[heirs], return_index=True)[1]]
    heirs = heirs[np.lexsort((*ORDERS[policy](number[heirs], shared[heirs]), after[heirs]))]
    kept = heirs[np.unique(after[heirs], return_index=True)[1]]
    expected = np.full(first.size, -1)
    expected[after[kept]] = number[kept]
    born = np.flatnonzero(expected < 0)
    expected[born] = before.next_id + np.arange(born.size)
    wrong = np.flatnonzero(expected != numbers)
    if wrong.size:
        k = int(wrong[0])
        reason = "because it is new" if k in born else f"by policy={policy!r}"
        raise VerificationError(
            f"the component of vertex {_name(now, first[k])} has the number {numbers[k]:,}, but"
            f" should have {expected[k]:,}, {reason}"
        )
    if now.next_id != before.next_id + born.size:
        raise VerificationError(
            f"the next number is {now.next_id:,}, but should be {before.next_id + born.size:,}:"
            f" it was {before.next_id:,} before {counted(born.size, 'birth')}"
        )
    former, sizes = np.unique(before.numbers, return_counts=True)
    is_retired = ~np.isin(former, numbers)
    if changes is not None:
        pairs = number, numbers[after], shared
        by_part = np.lexsort((number, after))
        split = np.flatnonzero(np.isin(number, _repeated(number)))
        merged = by_part[np.isin(after, _repeated(after))[by_part]]
        expected_changes = {
            "splits": [column[split] for column in pairs],
            "merges": [column[merged] for column in pairs],
            "births": [expected[born], np.bincount(part, minlength=first.size)[born]],
            "deaths": [former[is_retired], sizes[is_retired]],
            "sizes": _sizes(before.numbers, now.numbers),
        }
        _check_changes(changes, expected_changes)
    return kept.size, born.size, int(is_retired.sum())


def check_vertices(now: Numbered, labels: pa.Table) -> None:
    """Raise a VerificationError unless numbered vertices equal the vertices of a label frame."""
    shown = now.vertices.columns
    expected = places(labels, 0, len(shown))
    row = first_row_of_difference(shown, expected)
    if row is not None:
        raise VerificationError(
            f"row {row:,} of the numbers is vertex {row_in_words(shown, row)}, but row {row:,} of"
            f" the answer is {row_in_words(expected, row)}"
        )


def _ranks_by_appearance(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value, in the order in which distinct values first appear."""
    _, first, place = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def _repeated(values: np.ndarray) -> np.ndarray:
    """Return the values that occur more than once."""
    different, counts = np.unique(values, return_counts=True)
    return different[counts > 1]


def _shared(now: Numbered, part: np.ndarray, before: Numbered) -> tuple[np.ndarray, ...]:
    """Return the pairs of a previous number and a current component with common vertices.

    Returns
    -------
    number, part : (k,) arrays of int64
        The previous number and the component of each pair.
    shared : (k,) array of int64
        The count of common vertices.
    """
    keys, former_keys = _keys(now.vertices, before.vertices)
    number_of = np.full(keys.size + former_keys.size, -1)
    number_of[former_keys] = before.numbers
    number = number_of[keys]
    pairs = np.stack([number, part])[:, number >= 0]
    (number, part), shared = np.unique(pairs, axis=1, return_counts=True)
    return number, part, shared


def _check_unique(now: Numbered, part: np.ndarray, first: np.ndarray, numbers: np.ndarray) -> None:
    """Raise a VerificationError unless each component has one number of its own.

    Parameters
    ----------
    part : (n,) array of integers
        The component of each vertex.
    first, numbers : (k,) arrays of integers
        The row of each component's least vertex, and the number of this vertex.
    """
    wrong = np.flatnonzero(now.numbers != numbers[part])
    if wrong.size:
        row = int(wrong[0])
        least = first[part[row]]
        raise VerificationError(
            f"vertex {_name(now, row)} has the number {now.numbers[row]:,}, but vertex"
            f" {_name(now, least)} of its component has {now.numbers[least]:,}"
        )
    order = np.argsort(numbers, kind="stable")
    repeated = np.flatnonzero(numbers[order[1:]] == numbers[order[:-1]])
    if repeated.size:
        vertices = [first[order[int(repeated[0]) + k]] for k in (0, 1)]
        names = " and ".join(_name(now, row) for row in vertices)
        raise VerificationError(
            f"vertices {names} are in two components with the same number,"
            f" {now.numbers[vertices[0]]:,}"
        )


def _sizes(before: np.ndarray, now: np.ndarray) -> list[np.ndarray]:
    """Return the numbers that occur in both arrays with different counts, and these counts."""
    kept = np.intersect1d(before, now)
    sizes = [np.unique(part[np.isin(part, kept)], return_counts=True)[1] for part in (before, now)]
    resized = sizes[0] != sizes[1]
    return [column[resized] for column in (kept, *sizes)]


def _check_changes(changes: dict[str, pa.Table], expected: dict[str, list[np.ndarray]]) -> None:
    """Raise a VerificationError for the first row of changes that is not expected."""
    for name, columns in expected.items():
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        shown = [column.to_pylist() for column in changes[name].columns]
        shown_rows = list(zip(*shown, strict=True))
        if rows != shown_rows:
            k = next(
                (k for k, (a, b) in enumerate(zip(rows, shown_rows, strict=False)) if a != b),
                min(len(rows), len(shown_rows)),
            )
            texts = [str(each[k]) if k < len(each) else "missing" for each in (shown_rows, rows)]
            raise VerificationError(
                f"row {k:,} of the {name} is {texts[0]}, but should be {texts[1]}"
            )


def _keys(now: pa.Table, before: pa.Table) -> list[np.ndarray]:
    """Return an integer key for each row of two tables of ids; equal ids get equal keys.

    Keys are nonnegative, and less than the sum of both row counts.
    """
    import pyarrow as pa

    size, rows = now.num_rows, now.num_rows + before.num_rows
    codes = np.zeros(rows, np.int64)
    if not (size and before.num_rows):  # types of empty tables may differ
        codes = np.arange(rows)
        return [codes[:size], codes[size:]]
    for pair in zip(now.columns, before.columns, strict=True):
        first, second = map(plain, pair)
        if first.type != second.type:
            first, second = (column.cast(pa.decimal128(20)) for column in (first, second))
        both = pa.chunked_array([first, second]).combine_chunks().dictionary_encode()
        both = both.combine_chunks() if isinstance(both, pa.ChunkedArray) else both
        codes = _ranks_by_appearance(codes * rows + both.indices.to_numpy())
    return [codes[:size], codes[size:]]


def _name(numbered: Numbered, row: Any) -> str:
    """Return the id of a row as text."""
    return row_in_words(numbered.vertices.columns, int(row))
