"""Parts: ids of several columns, as columns or as rows, however they come."""

from __future__ import annotations

from typing import Any

import numpy as np

from .columns import Column, chunked, is_series, of
from .errors import InputError
from .pick import column_of, columns_of


def parts_of(name: str, ids: Any, wanted: int) -> list[Column]:
    """Ids of several columns, each of which is one column here.

    Parameters
    ----------
    name : str
        What errors call them.
    ids : frame, list of columns, list of tuples, or array of shape (k, wanted)
        A tuple within a list is an id, and a row of an array is one.
    wanted : int
        How many columns an id has.

    Raises
    ------
    InputError
        They are something else, have another number of columns, or columns of several lengths;
        and what :func:`cc_rapids.columns.of` raises.
    """
    columns = _columns(name, chunked(ids), wanted)
    if len(columns) != wanted:
        raise InputError(
            f"{name} have {len(columns)} columns, and the edges {wanted} a side: give a frame or a"
            " list of as many columns, or a list of tuples, one for each id"
        )
    parts = [of(name, column) for column in columns]
    sizes = [part.size for part in parts]
    if len(set(sizes)) > 1:
        raise InputError(
            f"the columns of {name} have {', '.join(f'{size:,}' for size in sizes)} rows: each id"
            " has one item in every column"
        )
    return parts


def is_frame(ids: Any) -> bool:
    """Whether ids come as a frame, of one column or more."""
    return hasattr(type(ids), "columns") and not is_series(ids)


def collected(frame: Any) -> Any:
    """The frame itself; a lazy one of Polars' as one that has been read."""
    return frame.collect() if hasattr(type(frame), "collect") else frame


def _columns(name: str, ids: Any, wanted: int) -> list[Any]:
    if isinstance(ids, tuple | list):
        if any(isinstance(item, tuple) for item in ids):
            return _of_tuples(name, ids, wanted)
        return list(ids) if len(ids) else [[] for _ in range(wanted)]
    if isinstance(ids, np.ndarray) or hasattr(ids, "__cuda_array_interface__"):
        if ids.ndim == 2:
            return list(ids.T)
        if not ids.size:
            return [ids.ravel()] * wanted
    elif is_frame(ids):
        held = collected(ids)
        return [column_of(held, column) for column in columns_of(held)]
    shape = f" of shape {tuple(ids.shape)}" if hasattr(ids, "shape") else ""
    raise InputError(
        f"{name} cannot be a {type(ids).__name__}{shape}, because an id has {wanted} columns: give"
        f" a frame or a list of {wanted} columns, a list of tuples, or an array of shape"
        f" (ids, {wanted})"
    )


def _of_tuples(name: str, ids: Any, wanted: int) -> list[Any]:
    """The columns of a list of tuples, each of which is an id."""
    strange = [item for item in ids if not (isinstance(item, tuple) and len(item) == wanted)]
    if strange:
        raise InputError(
            f"{len(strange):,} of {len(ids):,} {name} are no tuples of {wanted} items, such as"
            f" {strange[0]!r}: a tuple is an id, and has an item for each of its columns"
        )
    return [list(column) for column in zip(*ids, strict=True)]
