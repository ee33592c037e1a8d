"""Frames of records as Hypothesis draws them, and their entities by comparing every pair."""

import datetime as dt
from itertools import combinations

from hypothesis import strategies as st

from support.edge_lists import quick

__all__ = ["VALUES", "entities", "quick", "records"]

DAY = dt.date(1990, 5, 1)
VALUES = {
    "text": st.sampled_from(["", "a", "b", "ab", "é", "a\0", "x" * 20]),
    "number": st.sampled_from([0, 1, -1, 2**40, -(2**63), 2**63 - 1]),
    "flag": st.booleans(),
    "day": st.integers(0, 3).map(lambda days: DAY + dt.timedelta(days)),
    "instant": st.integers(0, 3).map(lambda days: dt.datetime(1990, 5, 1 + days, 12, 30)),
}


@st.composite
def records(draw, most=14):
    """Columns by name, of the kind that the name begins with, and keys over them."""
    size = draw(st.integers(0, most))
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4))
    columns = {
        f"{kind}{k}": draw(st.lists(st.none() | VALUES[kind], min_size=size, max_size=size))
        for k, kind in enumerate(kinds)
    }
    parts = st.lists(st.sampled_from(list(columns)), min_size=1, max_size=3, unique=True)
    keys = draw(st.lists(parts, min_size=1, max_size=3, unique_by=frozenset))
    return columns, [key[0] if len(key) == 1 else key for key in keys]


def entities(columns, keys, ids, max_group=None, ignore=("",)):
    """Return the least id of the entity of each record, and what each key has left out.

    By comparing every two rows in every key.
    """
    size = len(ids)
    parent = {i: i for i in ids}

    def find(i):
        while parent[i] != i:
            i = parent[i]
        return i

    facts = {}
    for key in keys:
        names = key if isinstance(key, list) else [key]
        values = [tuple(columns[name][row] for name in names) for row in range(size)]
        usable = [
            all(part is not None and not is_ignored(part, ignore) for part in value)
            for value in values
        ]
        groups = {}
        for row in range(size):
            if usable[row]:
                groups.setdefault(values[row], []).append(row)
        left_out = [
            rows
            for rows in groups.values()
            if max_group is not None and len({ids[row] for row in rows}) > max_group
        ]
        kept = [rows for rows in groups.values() if rows not in left_out]
        for rows in kept:
            for a, b in combinations(rows, 2):
                low, high = sorted((find(ids[a]), find(ids[b])))
                parent[high] = low
        facts[tuple(key) if isinstance(key, list) else key] = {
            "links": sum(len(rows) - 1 for rows in kept),
            "without_value": size - sum(usable),
            "ignored": sum(all(part is not None for part in value) for value in values)
            - sum(usable),
            "left_out_groups": len(left_out),
            "left_out_rows": sum(map(len, left_out)),
        }
    return [find(i) for i in ids], facts


def is_ignored(part, ignore):
    """Whether a value is among others of its own type."""
    return any(type(value) is type(part) and value == part for value in ignore)
