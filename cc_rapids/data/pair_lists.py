"""Lists of pairs, where each pair is an edge, and lists that could be mistaken for them.

A list of tuples or lists of two ids is a list of pairs. A tuple of two lists, arrays or series is
two columns. A list of frames, or of tuples of two columns, is batches. Ambiguous input raises an
error regardless of its length, so that a list of two pairs follows the same rule as longer lists.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from ..errors import ColumnTypeError, InputError, counted, id_shown, shown

Columns = tuple[list[Any], list[Any]]
SHORT = 60  # characters of an input that an error repeats


def is_column(value: Any) -> bool:
    """Return whether a value holds several ids: a list, an array, a series and the like.

    Examples
    --------
    >>> is_column([1, 2]), is_column("ann"), is_column(np.int64(7)), is_column(np.zeros(3))
    (True, False, False, True)
    """
    has_length = hasattr(value, "__len__") and not isinstance(value, str | bytes)
    return has_length and getattr(value, "ndim", 1) != 0  # NumPy's scalars have no dimension


def are_batches(edges: Any) -> bool:
    """Return whether edges are a list of frames, or of tuples of two columns.

    Examples
    --------
    >>> are_batches([([1, 2], [3, 4])]), are_batches([(1, 2)]), are_batches([((1, 2), (3, 4))])
    (True, False, False)
    """
    return isinstance(edges, list) and bool(edges) and all(map(_is_batch, edges))


def _is_batch(item: Any) -> bool:
    """Return whether an item is a frame or two columns.

    A tuple of two tuples is an edge between composite ids.
    """
    kind = type(item)  # a lazy frame would warn if its own attributes were read
    if hasattr(kind, "columns") and (hasattr(kind, "shape") or hasattr(kind, "collect_schema")):
        return True
    if not isinstance(item, tuple) or len(item) != 2 or not all(map(is_column, item)):
        return False
    return not all(isinstance(side, tuple) for side in item)


def columns_of_pairs(edges: list[Any]) -> Columns:
    """Return the sources and the destinations of a list of pairs as two new lists.

    An InputError names the first item that is not a pair of single ids, and gives advice. If some
    ids are integers and others are strings, a ColumnTypeError shows one id of each type.

    Examples
    --------
    >>> columns_of_pairs([(1, 2), [3, 4]])
    ([1, 3], [2, 4])
    """
    if not all(issubclass(kind, tuple | list) for kind in set(map(type, edges))):
        raise _no_pairs(edges)
    if edges and set(map(len, edges)) != {2}:
        raise _other_lengths(edges)
    flat = list(chain.from_iterable(edges))
    id_of_type = {type(value): value for value in flat}
    if any(map(is_column, id_of_type.values())):
        raise _nested(edges)
    text_types = tuple(kind for kind in id_of_type if issubclass(kind, str))
    integer_types = tuple(kind for kind in id_of_type if issubclass(kind, int | np.integer))
    if text_types and integer_types:
        text_at, text = _first_of(flat, text_types)
        integer_at, integer = _first_of(flat, integer_types)
        raise ColumnTypeError(
            f"edges are a list of {counted(len(edges), 'pair')} of integers and strings, such as"
            f" {shown(integer)} in item {integer_at // 2:,} and {shown(text)} in item"
            f" {text_at // 2:,}: ids must be all integers or all strings; cast some of them"
        )
    return flat[::2], flat[1::2]


def columns_of_key_pairs(edges: list[Any]) -> Columns:
    """Return the sources and the destinations of a list of pairs of tuples as two new lists."""
    if not all(isinstance(edge, tuple | list) for edge in edges):
        raise _no_pairs(edges)
    if set(map(len, edges)) != {2}:
        raise _other_lengths(edges)
    return [edge[0] for edge in edges], [edge[1] for edge in edges]


def check_columns_of_tuple(edges: tuple[Any, ...]) -> None:
    """Raise an InputError unless a tuple has two columns that cannot be mistaken for two edges."""
    if len(edges) != 2:
        are_pairs = edges and all(
            isinstance(item, tuple | list) and len(item) == 2 for item in edges
        )
        advice = "; if each item is an edge, pass a list: list(edges)" if are_pairs else ""
        kind = type(edges).__name__
        raise InputError(
            f"edges given as a {kind} must be (source, destination), two arrays of equal length;"
            f" this {kind} has {counted(len(edges), 'item')}{advice}"
        )
    if all(isinstance(side, tuple) for side in edges):
        raise InputError(
            "edges are a tuple of two tuples, which may be two edges or two columns: if each tuple"
            f" is an edge, pass a list, list(edges){_example(list, edges)}; if the tuples are the"
            " sources and the destinations, pass a tuple of lists, tuple(map(list, edges))"
            f"{_example(_as_lists, edges)}"
        )
    if not any(map(is_column, edges)) and all(_may_be_id(side) for side in edges):
        raise InputError(
            f"edges are a tuple of two single ids, {shown(edges[0])} and {shown(edges[1])}: pass a"
            " list of pairs, [(source, destination), ...]; if the edges are an iterable that yields"
            " pairs, pass list(edges)"
        )


def _may_be_id(value: Any) -> bool:
    """Return whether a value is a single id, which may be missing or of an invalid type."""
    return isinstance(value, str | bytes | int | float | np.generic) or value is None


def _as_lists(edges: Any) -> tuple[list[Any], ...]:
    return tuple(list(side) for side in edges)


def _example(convert: Any, edges: Any) -> str:
    """Return " = " and the converted edges as an example for an error; "" if they are long."""
    values = [value for side in edges for value in side]
    if len(values) > 12 or not all(isinstance(value, int | str) for value in values):
        return ""
    example = repr(convert(edges))
    return f" = {example}" if len(example) <= SHORT else ""


def _first_of(values: list[Any], kinds: tuple[type, ...]) -> tuple[int, Any]:
    """Return the position and the value of the first instance of some types."""
    return next((k, value) for k, value in enumerate(values) if isinstance(value, kinds))


def _no_pairs(edges: list[Any]) -> InputError:
    """Return the error for a list whose items are not all tuples and lists."""
    if len(edges) == 2 and all(is_column(e) and not isinstance(e, dict | set) for e in edges):
        kinds = " and ".join(dict.fromkeys(type(item).__name__ for item in edges))
        return InputError(
            f"edges are a list of two columns ({kinds}), which may be two edges or the two ends of"
            " all edges: if the columns are the sources and the destinations, pass a tuple,"
            " tuple(edges); if each column is an edge, pass pairs, [tuple(edge) for edge in edges]"
        )
    at, item = next((k, e) for k, e in enumerate(edges) if not isinstance(e, tuple | list))
    advice = "a list of edges holds pairs, such as [(1, 2), (3, 4)]"
    if isinstance(item, dict):
        advice = "read records into a frame first, such as by pd.DataFrame(edges)"
    elif is_column(item):
        advice = "if each item is an edge, pass pairs, [tuple(edge) for edge in edges]"
    elif len(edges) == 2 and all(map(_may_be_id, edges)):
        advice = "a single edge is a list of one pair, [tuple(edges)]"
    return InputError(
        f"item {at:,} of {len(edges):,} edges is {shown(item)}, not a pair of ids: {advice}"
    )


def _other_lengths(edges: list[Any]) -> InputError:
    """Return the error for a list of tuples or lists if some do not have two items."""
    if any(any(map(is_column, item)) for item in edges[:2]):
        return _nested(edges)
    length = len(edges[0])
    at = next((k for k, item in enumerate(edges) if len(item) != length), None)
    if at is not None:
        return InputError(
            f"edges are a list of {len(edges):,} items, each of which must be a pair of ids: item 0"
            f" has {counted(length, 'value')}, but item {at:,} has"
            f" {counted(len(edges[at]), 'value')}"
        )
    advice = []  # for items that all have the same length, which is not 2
    if len(edges) == 2:
        advice.append(
            "the sources and the destinations are a tuple of two columns,"
            f" tuple(map(list, edges)){_example(_as_lists, edges)}"
        )
    if length == 3:
        advice.append(
            "weights are passed separately: source, destination, weights = map(list,"
            " zip(*edges)), then pass (source, destination) and weight=weights"
        )
    return InputError(
        f"edges are a list of {counted(len(edges), 'item')} of {counted(length, 'value')} each, not"
        f" of pairs: {'; '.join(advice or ['pass pairs of ids'])}"
    )


def _nested(edges: list[Any]) -> InputError:
    """Return the error for pairs that hold columns or tuples in place of single ids."""
    at, item = next((k, item) for k, item in enumerate(edges) if any(map(is_column, item)))
    inner = next(value for value in item if is_column(value))
    return InputError(
        f"item {at:,} of {len(edges):,} edges is a {type(item).__name__} that holds"
        f" {id_shown(inner) if isinstance(inner, tuple) else shown(inner)}, but a pair holds two"
        " single ids: a batch is a tuple of two columns, ([1, 2], [3, 4]), or comes from an"
        " iterator, iter(edges); ids of several columns are pairs of tuples, [((1, 2), (3, 4))], or"
        " columns of a frame, named by source=[...] and destination=[...]"
    )
