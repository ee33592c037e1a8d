"""Rows in the order of several columns, and the first of each group, by a backend's array library.

>>> import numpy as np
>>> order_of([np.array([1, 0, 1]), np.array([5, 7, 3])], np)
array([1, 2, 0])
"""

from __future__ import annotations

from typing import Any

from ..backends import Array


def order_of(columns: list[Array], xp: Any) -> Array:
    """Return the order of rows by the first column, among equal ones by the next, and so on.

    Rows that are equal in all columns stay in their order.
    """
    order = xp.argsort(columns[-1], kind="stable")
    for column in reversed(columns[:-1]):
        order = order[xp.argsort(column[order], kind="stable")]
    return order


def begins(columns: list[Array], xp: Any) -> Array:
    """Return for each row of sorted columns whether it differs from the one before.

    Examples
    --------
    >>> import numpy as np
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
    >>> import numpy as np
    >>> first_of(np.array([1, 0, 1]), np.array([5, 7, 3]), np)
    array([1, 2])
    """
    order = order_of([groups, keys], xp)
    return order[begins([groups[order]], xp)]
