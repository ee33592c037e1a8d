"""Sides: both ends of edges, and vertices, are of one kind; what has no rows is of any."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from ..errors import ColumnTypeError
from .column import Column, of_parts


def same_kind(left: Column, right: Column) -> tuple[Column, Column]:
    """Both columns; one without rows as one of the other's kind.

    Raises
    ------
    ColumnTypeError
        One holds integers, the other strings.
    """
    if left.strings == right.strings:
        return left, right
    if not left.size and (right.size or right.strings):
        return no_rows(right, left), right
    if not right.size:
        return left, no_rows(left, right)
    raise ColumnTypeError(
        f"column {left.name!r} is {left.dtype}, column {right.name!r} is {right.dtype}: ids are"
        " integers on both sides, or strings on both sides; cast one of them"
    )


def no_rows(like: Column, named: Column) -> Column:
    """A column without rows, of the kind and type of one column, and called as another."""
    if like.parts:
        pairs = zip(like.parts, named.parts, strict=True)
        return of_parts([no_rows(part, own) for part, own in pairs])

    return replace(like, name=named.name, size=0, lend=partial(_no_rows_of, like))


@contextmanager
def _no_rows_of(column: Column) -> Iterator[Any]:
    with column.lend() as held:
        yield held[:0]
