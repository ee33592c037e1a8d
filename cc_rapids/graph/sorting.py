"""Sort rows by columns, and find the first row of each group, with NumPy or CuPy.

>>> order_of([np.array([1, 0, 1]), np.array([5, 7, 3])], np)
array([1, 2, 0])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array

WORD_BITS = 64


def order_of(columns: list[Array], xp: Any) -> Array:
    """Return the rows, ordered by the first column, then by the second, and so on.

    Rows that are equal in all columns keep their order.
    """
    order = xp.argsort(columns[-1], kind="stable")
    for column in reversed(columns[:-1]):
        order = order[xp.argsort(column[order], kind="stable")]
    return order


def stable_order(values: Array, xp: Any) -> Array:
    """Return the rows, ordered by their unsigned integers; rows of equal values keep their order.

    With NumPy, an unstable sort of the values, followed by a sort of pairs (group of equal values,
    row), takes a third to a half of the time of a stable sort.

    Examples
    --------
    >>> stable_order(np.array([7, 3, 7, 3], np.uint64), np)
    array([1, 3, 0, 2])
    """
    row_bits = int(values.size).bit_length()
    if xp is not np or 2 * row_bits > WORD_BITS:
        return xp.argsort(values, kind="stable")
    order = xp.argsort(values)
    groups = begins([values[order]], xp).cumsum(dtype=np.uint64)  # from 1, by ascending value
    if groups.size and groups[-1] == groups.size:  # no two values are equal
        return order
    words = groups * np.uint64(1 << row_bits) + order.astype(np.uint64)  # group, then row
    words.sort()
    return _rows_in(words, row_bits)


def order_of_integers(values: Array, n: int, xp: Any) -> Array:
    """Return the rows, ordered by integers from 0 to n - 1; rows of equal values keep their order.

    If value and row fit into one word, the words are sorted, which takes half the time of NumPy's
    stable sort.

    Examples
    --------
    >>> order_of_integers(np.array([2, 0, 2]), 4, np)
    array([1, 0, 2])
    """
    row_bits = int(values.size).bit_length()
    if n.bit_length() + row_bits > WORD_BITS:
        return xp.argsort(values, kind="stable")
    return _rows_in(_sorted_words(values, row_bits, xp), row_bits)


def _sorted_words(values: Array, row_bits: int, xp: Any) -> Array:
    """Return sorted words, each a value with its row in the lower ``row_bits`` bits."""
    words = values.astype(np.uint64) * np.uint64(1 << row_bits)
    words += xp.arange(values.size, dtype=np.uint64)
    words.sort()
    return words


def _rows_in(words: Array, row_bits: int) -> Array:
    """Return the rows in the lower ``row_bits`` bits of words."""
    return (words & np.uint64((1 << row_bits) - 1)).astype(np.int64)


def rows_of_each(values: Array, n: int, xp: Any) -> tuple[Array, Array]:
    """Return the rows, ordered by value, and the position of the first row of each value.

    Rows of equal values keep their order.

    Parameters
    ----------
    values : (m,) array of integers
        Each from 0 to n - 1.
    n : int
        The number of possible values.

    Returns
    -------
    (m,) array of integers, and (n + 1,) array of int64
        The rows, and the positions, with m at the end.

    Examples
    --------
    >>> rows_of_each(np.array([2, 0, 2]), 4, np)
    (array([1, 0, 2]), array([0, 1, 1, 3, 3]))
    """
    row_bits = int(values.size).bit_length()
    if n.bit_length() + row_bits > WORD_BITS:
        order = xp.argsort(values, kind="stable")
        return order, xp.searchsorted(values[order], xp.arange(n + 1))
    words = _sorted_words(values, row_bits, xp)
    starts = xp.searchsorted(words, xp.arange(n + 1, dtype=np.uint64) * np.uint64(1 << row_bits))
    return _rows_in(words, row_bits), starts


def begins(columns: list[Array], xp: Any) -> Array:
    """Return for each row of sorted columns whether it differs from the previous row.

    Examples
    --------
    >>> begins([np.array([4, 4, 6])], np)
    array([ True, False,  True])
    """
    differs = xp.zeros(columns[0].size, bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return differs


def first_of(groups: Array, keys: Array, xp: Any) -> Array:
    """Return the row with the least key of each group, in the order of the groups.

    Examples
    --------
    >>> first_of(np.array([1, 0, 1]), np.array([5, 7, 3]), np)
    array([1, 2])
    """
    order = order_of([groups, keys], xp)
    return order[begins([groups[order]], xp)]
