"""The audit of stable ids: NumPy and PyArrow compute all numbers again on the host.

The audit joins the vertices of the previous and the current answer by id. It counts the vertices
that each previous number has in each current component. The component with the most vertices is
the heir of the number. If a component is the heir of several numbers, the policy decides which of
them it keeps. A component that is no heir gets a new number (a birth). The audit shares no code
with the assignment of stable ids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import VerificationError, counted
from .tables import check_columns, plain, row_in_words

if TYPE_CHECKING:
    import pyarrow as pa

# For each policy, the keys by which lexsort orders the numbers with the same heir, which keeps the
# first of them. The last key is the most important. ``shared`` counts the common vertices.
POLICY_KEYS: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, ...]]] = {
    "majority": lambda number, shared: (number, -shared),
    "largest": lambda number, shared: (-number,),
    "least": lambda number, shared: (number,),
}


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
    """Return how many numbers were kept, how many are new, and how many were retired.

    ``labels`` has the label of each vertex of ``now``, different for each component. ``changes``
    are the frames of :meth:`StableIds.changes`, if the answer has them. Raise a VerificationError
    if a number, the next number, or a row of ``changes`` is wrong.
    """
    component = _ranks_by_appearance(labels)  # components in the order of their least ids
    least_rows = np.unique(component, return_index=True)[1]  # the least vertex of each component
    numbers = now.numbers[least_rows]
    _check_unique(now, component, least_rows, numbers)
    overlaps = _overlaps(now, component, before)
    expected, born = _expected_numbers(overlaps, numbers.size, before.next_id, policy)
    wrong = np.flatnonzero(expected != numbers)
    if wrong.size:
        k = int(wrong[0])
        reason = "because it is new" if k in born else f"by policy={policy!r}"
        raise VerificationError(
            f"the component of vertex {_name(now, least_rows[k])} has the number {numbers[k]:,},"
            f" but should have {expected[k]:,}, {reason}"
        )
    if now.next_id != before.next_id + born.size:
        raise VerificationError(
            f"the next number is {now.next_id:,}, but should be {before.next_id + born.size:,}:"
            f" it was {before.next_id:,} before {counted(born.size, 'birth')}"
        )
    former, sizes = np.unique(before.numbers, return_counts=True)
    is_retired = ~np.isin(former, numbers)
    if changes is not None:
        expected_changes = {
            **_splits_and_merges(overlaps, numbers),
            "births": [expected[born], np.bincount(component, minlength=numbers.size)[born]],
            "deaths": [former[is_retired], sizes[is_retired]],
            "sizes": _resized(before.numbers, now.numbers),
        }
        for name, columns in expected_changes.items():
            check_columns(name, changes[name].columns, columns)
    return numbers.size - born.size, born.size, int(is_retired.sum())


def _expected_numbers(
    overlaps: list[np.ndarray], components: int, next_id: int, policy: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number that each component should have, and the components with new numbers.

    ``overlaps`` is the result of :func:`_overlaps`, and ``next_id`` the least new number.
    """
    number, component, shared = overlaps
    # the heir of a number has the most common vertices; of several, it is the first component
    heir_pairs = _first_of_each(number, np.lexsort((component, -shared, number)))
    number, component, shared = (column[heir_pairs] for column in overlaps)
    policy_keys = POLICY_KEYS[policy](number, shared)
    kept = _first_of_each(component, np.lexsort((*policy_keys, component)))
    expected = np.full(components, -1)
    expected[component[kept]] = number[kept]
    born = np.flatnonzero(expected < 0)
    expected[born] = next_id + np.arange(born.size)
    return expected, born


def _splits_and_merges(
    overlaps: list[np.ndarray], numbers: np.ndarray
) -> dict[str, list[np.ndarray]]:
    """Return the expected columns of the splits and of the merges.

    A number is split if it has vertices in several components. A component is merged if it has
    vertices of several previous numbers. ``overlaps`` is the result of :func:`_overlaps`, and
    ``numbers`` has the number of each component.
    """
    number, component, shared = overlaps
    columns = number, numbers[component], shared
    split = np.flatnonzero(np.isin(number, _repeated(number)))
    by_component = np.lexsort((number, component))
    merged = by_component[np.isin(component, _repeated(component))[by_component]]
    return {
        "splits": [column[split] for column in columns],
        "merges": [column[merged] for column in columns],
    }


def check_vertices(now: Numbered, labels: pa.Table) -> None:
    """Raise a VerificationError unless numbered vertices equal the vertices of a label frame."""
    shown = now.vertices.columns
    check_columns("vertices with numbers", shown, labels.columns[: len(shown)])


def _ranks_by_appearance(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value among the distinct values, in the order of first occurrence."""
    _, first, place = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def _first_of_each(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the first row of each distinct value in ``order``, a permutation of the rows."""
    return order[np.unique(values[order], return_index=True)[1]]


def _repeated(values: np.ndarray) -> np.ndarray:
    """Return the values that occur more than once."""
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[counts > 1]


def _overlaps(now: Numbered, component: np.ndarray, before: Numbered) -> list[np.ndarray]:
    """Return all pairs of a previous number and a current component with common vertices.

    The result has three arrays: the number and the component of each pair, in ascending order of
    the pairs, and the count of common vertices. ``component`` has the component of each current
    vertex.
    """
    keys, former_keys = _keys(now.vertices, before.vertices)
    number_of_key = np.full(keys.size + former_keys.size, -1)
    number_of_key[former_keys] = before.numbers
    former_number = number_of_key[keys]  # -1 for a vertex that is new
    vertex_pairs = np.stack([former_number, component])[:, former_number >= 0]
    (number, overlapping), shared = np.unique(vertex_pairs, axis=1, return_counts=True)
    return [number, overlapping, shared]


def _check_unique(
    now: Numbered, component: np.ndarray, least_rows: np.ndarray, numbers: np.ndarray
) -> None:
    """Raise a VerificationError unless each component has one number of its own.

    ``component`` has the component of each vertex. ``least_rows`` and ``numbers`` have the row of
    each component's least vertex, and the number of this vertex.
    """
    wrong = np.flatnonzero(now.numbers != numbers[component])
    if wrong.size:
        row = int(wrong[0])
        least = least_rows[component[row]]
        raise VerificationError(
            f"vertex {_name(now, row)} has the number {now.numbers[row]:,}, but vertex"
            f" {_name(now, least)} of its component has {now.numbers[least]:,}"
        )
    order = np.argsort(numbers, kind="stable")
    repeated = np.flatnonzero(numbers[order[1:]] == numbers[order[:-1]])
    if repeated.size:
        vertices = [least_rows[order[int(repeated[0]) + k]] for k in (0, 1)]
        names = " and ".join(_name(now, row) for row in vertices)
        raise VerificationError(
            f"vertices {names} are in two components with the same number,"
            f" {now.numbers[vertices[0]]:,}"
        )


def _resized(before: np.ndarray, now: np.ndarray) -> list[np.ndarray]:
    """Return the numbers that occur in both arrays with different counts, and these counts."""
    kept = np.intersect1d(before, now)
    sizes = [
        np.unique(numbers[np.isin(numbers, kept)], return_counts=True)[1]
        for numbers in (before, now)
    ]
    resized = sizes[0] != sizes[1]
    return [column[resized] for column in (kept, *sizes)]


def _keys(now: pa.Table, before: pa.Table) -> list[np.ndarray]:
    """Return an integer key for each row of two tables of ids; equal ids get equal keys.

    Keys are nonnegative, and less than the sum of both row counts.
    """
    import pyarrow as pa

    size, rows = now.num_rows, now.num_rows + before.num_rows
    if not (size and before.num_rows):  # no ids are equal, and types of empty tables may differ
        keys = np.arange(rows)
        return [keys[:size], keys[size:]]
    keys = np.zeros(rows, np.int64)
    for pair in zip(now.columns, before.columns, strict=True):
        first, second = map(plain, pair)
        if first.type != second.type:  # int64 and uint64; 20 digits are enough for both
            first, second = (column.cast(pa.decimal128(20)) for column in (first, second))
        both = pa.chunked_array([first, second]).combine_chunks().dictionary_encode()
        both = both.combine_chunks() if isinstance(both, pa.ChunkedArray) else both
        # the key of the columns so far and the code in this column form one number
        keys = _ranks_by_appearance(keys * rows + both.indices.to_numpy())
    return [keys[:size], keys[size:]]


def _name(numbered: Numbered, row: Any) -> str:
    """Return the id of a row as text."""
    return row_in_words(numbered.vertices.columns, int(row))
