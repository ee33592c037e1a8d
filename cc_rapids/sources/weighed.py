"""Weighed: streams of edges with their weights."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..formats import (
    DELIMITERS,
    Taken,
    Wanted,
    check_header,
    format_of,
    place_of,
    read_wanted,
)
from .datasets import check_columns, unchanged_files
from .files import expanded, text_of
from .kinds import are_paths, dataset_columns, flat, is_dataset, is_iterable, is_pattern, is_reader


def weighed(
    edges: Any,
    asked: tuple[Any, Any],
    names: tuple[Any, Any],
    weight: Any,
    header: bool | None,
    taken: list[Taken],
) -> Iterator[Any] | None:
    """Frames that hold the ends and the weight of each edge; None if edges are one frame or pair.

    Parameters
    ----------
    asked : (str, list of str or None, the same)
        The columns that the caller has named.
    names : (str or list of str, the same)
        The columns of the frames.
    weight : str
        The column of weights, there and in files.
    header : bool, optional
        Whether the first line of text files names their columns.
    taken : list
        Gets each way in which files were read.
    """
    on_disk = is_dataset(edges) or are_paths(edges) or isinstance(edges, str | os.PathLike)
    if on_disk and not isinstance(weight, str):
        raise InputError(
            f"weight= names a column of files, and cannot be a {type(weight).__name__}"
        )
    if isinstance(edges, str | os.PathLike) or are_paths(edges) or is_pattern(edges):
        paths = [
            path
            for item in (edges if isinstance(edges, list) else [edges])
            for path in expanded(os.fspath(item))
        ]
        check_header(header, paths, [format_of(path) for path in paths])
        return _files(paths, asked, names, weight, header, taken)
    if is_dataset(edges):
        chosen = dataset_columns(edges, *asked)
        columns = [*flat(*chosen), weight]
        for name in columns:
            place_of("the dataset", edges.schema.names, name)
        taken.append(Taken("dataset", tuple(flat(*chosen)), None))
        return _dataset(edges, columns, [*flat(*names), weight])
    if is_reader(edges):
        return _tables(edges)
    return iter(edges) if is_iterable(edges) else None


def _dataset(dataset: Any, columns: list[str], names: list[str]) -> Iterator[Any]:
    with unchanged_files(dataset):
        check_columns(dataset, columns)
        batches = dataset.scanner(columns=columns, batch_readahead=1).to_reader()
        yield from (table.rename_columns(names) for table in _tables(batches))


def _tables(reader: Any) -> Iterator[Any]:
    import pyarrow as pa

    for batch in reader:
        yield pa.Table.from_batches([batch])


def _files(
    paths: list[str],
    asked: tuple[Any, Any],
    names: tuple[Any, Any],
    weight: str,
    header: bool | None,
    taken: list[Taken],
) -> Iterator[Any]:
    text: list[bool] | None = None
    for path in paths:
        kind = format_of(Path(path))
        first_line = header if kind in DELIMITERS else None
        file = read_wanted(path, Wanted(*asked, kind, first_line, True, weight, text))
        if text is None and len(file.table):
            text = text_of(file.table, file.source, file.destination)
        if file.taken not in taken:
            taken.append(file.taken)
        named = file.table.column_names[:-1] if isinstance(asked[0], list) else names
        yield file.table.rename_columns([*named, weight])
