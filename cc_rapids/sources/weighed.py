"""Weighed: streams of edges with their weights."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..formats import read_edges
from .datasets import unchanged_files
from .files import expanded
from .kinds import are_paths, is_dataset, is_iterable, is_pattern, is_reader


def weighed(edges: Any, source: str, destination: str, weight: Any) -> Iterator[Any] | None:
    """Frames that hold the ends and the weight of each edge; None if edges are one frame or pair.

    Parameters
    ----------
    source, destination, weight : str
        The columns of all frames.
    """
    if isinstance(edges, str | os.PathLike) or are_paths(edges) or is_pattern(edges):
        return _files(edges, source, destination, weight)
    if is_dataset(edges):
        return _dataset(edges, [source, destination, weight])
    if is_reader(edges):
        return _tables(edges)
    return iter(edges) if is_iterable(edges) else None


def _dataset(dataset: Any, columns: list[str]) -> Iterator[Any]:
    with unchanged_files(dataset):
        yield from _tables(dataset.scanner(columns=columns, batch_readahead=1).to_reader())


def _tables(reader: Any) -> Iterator[Any]:
    import pyarrow as pa

    for batch in reader:
        yield pa.Table.from_batches([batch])


def _files(edges: Any, source: str, destination: str, weight: str) -> Iterator[Any]:
    for item in edges if isinstance(edges, list) else [edges]:
        for path in expanded(os.fspath(item)):
            file = read_edges(
                path,
                source=None if source == "src" else source,
                destination=None if destination == "dst" else destination,
                weights=True,
                weight=None if weight == "weight" else weight,
            )
            pair = {file.source: source, file.destination: destination}
            names = [pair.get(name, name) for name in file.table.column_names]
            yield file.table.rename_columns([*names[:2], *([weight] if names[2:] else [])])
