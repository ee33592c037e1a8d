"""Reading of the rules of clusters: the dataset of each vertex, and the limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentTypeError, InputError, MissingColumnError, hint_of, listed, shown
from .codes import coded
from .edge_input import named
from .end_columns import Side, end_columns, sides_of
from .frame_access import VERTEX, collected, column_of, columns_of, is_frame

IDS = VERTEX, "id", "unique_id", "record_id"  # names of the id column among several columns


@dataclass(frozen=True)
class Datasets:
    """The dataset of each record, as numbers.

    Attributes
    ----------
    ids : list of columns
        The ids of the records, one column per id column.
    code : (k,) array of int64
        The dataset of each record; -1 for null.
    names : column
        The value of each dataset.
    """

    ids: list[Any]
    code: Any
    names: Any

    def limits(self, per_dataset: int | dict[Any, int]) -> Any:
        """Return the most records of each dataset in a cluster, as int64; -1 for no limit.

        Raises
        ------
        InputError
            ``per_dataset`` names a dataset that no record has.
        """
        if not isinstance(per_dataset, dict):
            return np.full(len(self.names), per_dataset, np.int64)
        limits = np.full(len(self.names), -1, np.int64)
        column = self.names.to_arrow() if hasattr(self.names, "to_arrow") else self.names
        names = list(column) if isinstance(column, range) else column.to_pylist()
        number = {name: k for k, name in enumerate(names)}
        for name, limit in per_dataset.items():
            if name not in number:
                raise InputError(
                    f"per_dataset= names dataset {shown(name)}, which no record has:"
                    f"{hint_of(name, map(str, names))} one of"
                    f" {', '.join(map(shown, names[:10]))}"
                )
            limits[number[name]] = limit
        return limits


def is_table(frame: Any) -> bool:
    """Return whether a value has named columns."""
    return is_frame(frame) or isinstance(frame, Mapping) or hasattr(frame, "_fields")


def split_vertices(
    vertices: Any, datasets: Any, width: int, keys: tuple[str, ...] = ()
) -> tuple[Any, Datasets | None]:
    """Return the vertices without the column of datasets, and the datasets.

    Parameters
    ----------
    vertices : as for :func:`cc_rapids.components`
        A frame if ``datasets`` is the name of its column.
    datasets : str, frame, pair (vertices, datasets), or None
    width : int
        The number of columns of an id.
    keys : tuple of str
        The names of the id columns of composite ids.

    Raises
    ------
    InputError, MissingColumnError
        The frame lacks the column, or its id columns are ambiguous.
    """
    if datasets is None:
        return vertices, None
    if isinstance(datasets, str):
        if vertices is None or not is_table(vertices):
            raise InputError(
                f"datasets={datasets!r} names a column of vertices=, which must then be a frame of"
                " the records: pass one, or pass datasets= as a frame of vertices and datasets"
            )
        frame, name = collected(vertices), datasets
        names = columns_of(frame)
        if name not in names:
            raise MissingColumnError(
                f"no column {name!r} in vertices=:{hint_of(name, map(str, names))} one of"
                f" {', '.join(map(str, names))}"
            )
        ids = _id_names(names, name, width, keys)
        columns = [column_of(frame, one) for one in ids]
        read = _read(columns, name, column_of(frame, name))
        return (columns if width > 1 else columns[0]), read
    if isinstance(datasets, tuple) and not hasattr(datasets, "_fields") and len(datasets) == 2:
        ids, values = datasets
        return vertices, _read(ids if width > 1 else [ids], "datasets", values)
    if isinstance(datasets, Mapping) or is_table(datasets):
        frame = collected(datasets) if not isinstance(datasets, Mapping) else datasets
        names = columns_of(frame)
        others = names[width:]
        if len(others) != 1:
            word = "columns" if width > 1 else "column"
            raise InputError(
                f"datasets= must be a frame of {width} {word} of ids and then a column of their"
                f" datasets, and this one has {', '.join(map(str, names)) or 'no columns'}: select"
                " them"
            )
        columns = [column_of(frame, one) for one in names[:width]]
        return vertices, _read(columns, others[0], column_of(frame, others[0]))
    raise ArgumentTypeError(
        "datasets= must be the name of a column of vertices=, a frame of vertices and their"
        f" datasets, or a pair (vertices, datasets), not {shown(datasets)}"
    )


def _id_names(names: list[Any], dataset: str, width: int, keys: tuple[str, ...]) -> list[Any]:
    """Return the id columns among the columns of a frame that has a column of datasets."""
    others = [name for name in names if name != dataset]
    if len(others) == width:
        return others
    if len(names) == width:  # the dataset is a part of the id
        return names
    if keys and set(keys) <= set(names):
        return list(keys)
    if width == 1:
        usual = [name for name in IDS if name in others]
        if usual:
            return usual[:1]
    words = ", ".join(keys) or f"{', '.join(IDS[:-1])} or {IDS[-1]}"
    raise InputError(
        f"vertices= (--records) has the columns {', '.join(map(str, names))}, and ids have"
        f" {'one column' if width == 1 else f'{width} columns'}: name the ids {words}, or select"
        f" the ids and the column {dataset!r} by vertices= (--on)"
    )


def _read(ids: list[Any], name: Any, values: Any) -> Datasets:
    code, names = coded(name, values, "datasets=")
    return Datasets(ids, code, names)


def pairs_of_rule(
    name: str, pairs: Any, source: Side | None, destination: Side | None
) -> tuple[Any, Side | None, Side | None]:
    """Return the pairs of a rule and their columns of both ends; None for an empty list or tuple.

    A frame with the columns ``source`` and ``destination`` of the edges has the ids there. Other
    pairs are read as edges are.

    Raises
    ------
    MissingColumnError
        The columns of a frame are ambiguous.
    """
    if isinstance(pairs, list | tuple) and not pairs:
        return None, None, None
    if not is_table(pairs):
        return pairs, None, None
    names = columns_of(pairs)
    sides = sides_of(*named(source, destination))
    if {*sides[0], *sides[1]} <= set(names):
        return pairs, source, destination
    try:
        return pairs, *end_columns(name, tuple(names), None, None)
    except MissingColumnError:
        raise MissingColumnError(
            f"{name}= has the columns {', '.join(map(str, names)) or 'none'}: name those of both"
            f" ids as in the edges, {' and '.join(map(listed, sides))}"
        ) from None


def check_limit(name: str, limit: Any) -> int:
    """Return a positive integer; raise an InputError for another value."""
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1:
        raise InputError(f"{name} must be a positive integer, not {shown(limit)}")
    return int(limit)


def check_per_dataset(limits: Any, has_datasets: bool) -> int | dict[Any, int]:
    """Return ``per_dataset=`` with integers; raise an InputError for invalid limits."""
    if not (has_datasets or (isinstance(limits, int) and limits == 1)):
        raise InputError("per_dataset= limits the records of each dataset: pass datasets= as well")
    if isinstance(limits, dict):
        return {
            name: check_limit(f"per_dataset[{shown(name)}]", limit)
            for name, limit in limits.items()
        }
    return check_limit("per_dataset=", limits)
