"""The rules of clusters: the dataset of each vertex, pairs to keep apart, and the limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentTypeError, InputError, MissingColumnError, hint_of, listed, shown
from .codes import coded
from .edge_input import checked_names
from .end_columns import Side, end_columns, sides_of
from .frame_access import VERTEX, collected, column_of, columns_of, is_frame

# the names of the column of ids in a frame that has further columns, in order of preference
ID_NAMES = VERTEX, "id", "unique_id", "record_id"


@dataclass(frozen=True)
class Datasets:
    """The dataset of each record, as numbers."""

    ids: list[Any]  # the columns of the ids of the records
    code: Any  # the dataset of each record, an array of int64; -1 for null
    names: Any  # the value of each dataset, a column or a range

    def limits(self, per_dataset: int | dict[Any, int]) -> Any:
        """Return the limit of each dataset, given one limit or limits by dataset; -1 for none."""
        if not isinstance(per_dataset, dict):
            return np.full(len(self.names), per_dataset, np.int64)
        limits = np.full(len(self.names), -1, np.int64)
        column = self.names.to_arrow() if hasattr(self.names, "to_arrow") else self.names
        names = list(column) if isinstance(column, range) else column.to_pylist()
        code_of = {name: code for code, name in enumerate(names)}
        for name, limit in per_dataset.items():
            if name not in code_of:
                raise InputError(
                    f"per_dataset= names dataset {shown(name)}, which no record has:"
                    f"{hint_of(name, map(str, names))} one of"
                    f" {', '.join(map(shown, names[:10]))}"
                )
            limits[code_of[name]] = limit
        return limits


def is_table(frame: Any) -> bool:
    """Return whether a value has named columns: a frame, a mapping or a named tuple."""
    return is_frame(frame) or isinstance(frame, Mapping) or hasattr(frame, "_fields")


def split_vertices(
    vertices: Any, datasets: Any, width: int, keys: tuple[str, ...] = ()
) -> tuple[Any, Datasets | None]:
    """Return the vertices without the column of datasets, and the datasets.

    ``datasets`` is None, a column name in ``vertices``, a pair (vertices, datasets), or a frame of
    both. An id has ``width`` columns, whose names are ``keys`` if the ids are composite.
    """
    if datasets is None:
        return vertices, None
    if isinstance(datasets, str):
        return _split_frame(vertices, datasets, width, keys)
    if isinstance(datasets, tuple) and not hasattr(datasets, "_fields") and len(datasets) == 2:
        ids, values = datasets
        return vertices, _datasets(ids if width > 1 else [ids], "datasets", values)
    if is_table(datasets):
        return vertices, _datasets_of_table(datasets, width)
    raise ArgumentTypeError(
        "datasets= must be the name of a column of vertices=, a frame of vertices and their"
        f" datasets, or a pair (vertices, datasets), not {shown(datasets)}"
    )


def _split_frame(
    vertices: Any, name: str, width: int, keys: tuple[str, ...]
) -> tuple[Any, Datasets]:
    """Return the ids in a frame of vertices, and the datasets in its column ``name``."""
    if vertices is None or not is_table(vertices):
        raise InputError(
            f"datasets={name!r} names a column of vertices=, which must then be a frame of the"
            " records: pass such a frame, or pass datasets= as a frame of vertices and datasets"
        )
    frame = collected(vertices)
    names = columns_of(frame)
    if name not in names:
        raise MissingColumnError(
            f"no column {name!r} in vertices=:{hint_of(name, map(str, names))} one of"
            f" {', '.join(map(str, names))}"
        )
    ids = [column_of(frame, id_name) for id_name in _id_names(names, name, width, keys)]
    return (ids if width > 1 else ids[0]), _datasets(ids, name, column_of(frame, name))


def _datasets_of_table(table: Any, width: int) -> Datasets:
    """Return the datasets in a frame whose last column holds the dataset of each id."""
    frame = collected(table)
    names = columns_of(frame)
    if len(names) != width + 1:
        noun = "columns" if width > 1 else "column"
        raise InputError(
            f"datasets= must be a frame of {width} {noun} of ids and then a column of their"
            f" datasets, and this frame has {', '.join(map(str, names)) or 'no columns'}: select"
            " these columns"
        )
    *ids, values = (column_of(frame, name) for name in names)
    return _datasets(ids, names[-1], values)


def _id_names(names: list[Any], dataset: str, width: int, keys: tuple[str, ...]) -> list[Any]:
    """Return the names of the id columns in a frame with a column ``dataset`` of datasets."""
    others = [name for name in names if name != dataset]
    if len(others) == width:
        return others
    if len(names) == width:  # the dataset is a part of the id
        return names
    if keys and set(keys) <= set(names):
        return list(keys)
    id_name = next((name for name in ID_NAMES if name in others), None)
    if width == 1 and id_name:
        return [id_name]
    expected = ", ".join(keys) or f"{', '.join(ID_NAMES[:-1])} or {ID_NAMES[-1]}"
    raise InputError(
        f"vertices= (--records) has the columns {', '.join(map(str, names))}, and ids have"
        f" {'one column' if width == 1 else f'{width} columns'}: call the ids {expected}, or select"
        f" the ids and the column {dataset!r} by vertices= (--on)"
    )


def _datasets(ids: list[Any], name: Any, values: Any) -> Datasets:
    """Return the datasets of ids; ``values`` is the column ``name``, with a dataset for each id."""
    code, names = coded(name, values, "datasets=")
    return Datasets(ids, code, names)


def pairs_of_rule(
    name: str, pairs: Any, source: Side | None, destination: Side | None
) -> tuple[Any, Side | None, Side | None]:
    """Return the pairs of a rule, and the columns of both ids of each pair.

    ``name`` is the argument of the rule. If a frame has the columns ``source`` and ``destination``
    of the edges, these hold the ids. Otherwise :func:`end_columns` chooses two columns by name.
    All results are None for an empty list or tuple; the columns are None if they have no names.
    """
    if isinstance(pairs, list | tuple) and not pairs:
        return None, None, None
    if not is_table(pairs):
        return pairs, None, None
    names = columns_of(pairs)
    sides = sides_of(*checked_names(source, destination))
    if {*sides[0], *sides[1]} <= set(names):
        return pairs, source, destination
    try:
        return pairs, *end_columns(name, tuple(names), None, None)
    except MissingColumnError:
        raise MissingColumnError(
            f"{name}= has the columns {', '.join(map(str, names)) or 'none'}: call the columns of"
            f" both ids as in the edges, {' and '.join(map(listed, sides))}"
        ) from None


def check_limit(name: str, limit: Any) -> int:
    """Return a positive integer; raise an InputError for another value."""
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1:
        raise InputError(f"{name} must be a positive integer, not {shown(limit)}")
    return int(limit)


def check_per_dataset(limits: Any, has_datasets: bool) -> int | dict[Any, int]:
    """Return the limits of ``per_dataset=`` as Python integers; raise an error if one is invalid.

    Without datasets, only the limit 1 is valid, because it is the default.
    """
    if not (has_datasets or (isinstance(limits, int) and limits == 1)):
        raise InputError("per_dataset= limits the records of each dataset: pass datasets= as well")
    if isinstance(limits, dict):
        return {
            key: check_limit(f"per_dataset[{shown(key)}]", limit) for key, limit in limits.items()
        }
    return check_limit("per_dataset=", limits)
