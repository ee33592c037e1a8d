"""What workers run: forests of partitions, forests of two forests, and labels of the last one.

A forest goes from worker to worker as a frame of its edges, in the caller's own ids: columns
``source`` and ``destination`` (``0_source``, ... where ids have several columns). A vertex without
another is a loop there. So a frame has as many rows as vertices less components, and one for each
component of a single vertex; no label is ever sent for a vertex.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import Any

import numpy as np
from dask.dataframe.dispatch import concat as concat_frames

from ..api import components
from ..result import Components

Forest = tuple[Any, int]  # the edges, and how many were left out for nulls
Side = str | list[str]


def sides(source: Side) -> tuple[Side, Side]:
    """The columns of a forest whose vertices have as many columns as these."""
    if isinstance(source, str):
        return "source", "destination"
    count = range(len(source))
    return [f"{k}_source" for k in count], [f"{k}_destination" for k in count]


def listed(side: Side) -> list[str]:
    """One column, or several, as a list."""
    return side if isinstance(side, list) else [side]


def concat(frames: list[Any]) -> Any:
    """All rows of some frames; those without rows, whose types say nothing, are left out."""
    filled = [frame for frame in frames if len(frame)]
    if len(filled) < 2:
        return (filled or frames)[0]
    return concat_frames(filled, ignore_index=True)


def library(array: Any) -> Any:
    """NumPy, or CuPy for arrays on a GPU."""
    if isinstance(array, np.ndarray):
        return np
    import cupy

    return cupy


def taken(frame: Any, mask: Any) -> Any:
    """The rows of a frame for which an array holds, without the index that they had."""
    return frame.take(library(mask).flatnonzero(mask)).reset_index(drop=True)


def local_forest(
    frame: Any, source: Side, destination: Side, nulls: str, options: dict[str, Any]
) -> Forest:
    """The forest of one partition; categories, which may differ elsewhere, become their values."""
    columns = [*listed(source), *listed(destination)]
    frame = _values(frame[list(dict.fromkeys(columns))])
    dropped = int(frame[columns].isna().any(axis=1).sum()) if nulls == "drop" else 0
    found = components(frame, source, destination, nulls=nulls, forest=True, **options)
    return _edges(found, frame, source, destination), dropped


def _values(frame: Any) -> Any:
    kinds = {
        name: column.cat.categories.dtype
        for name, column in frame.items()
        if column.dtype == "category"
    }
    return frame.astype(kinds) if kinds else frame


def loops(named: Any, source: Side, options: dict[str, Any]) -> Forest:
    """Vertices that count even if no edge names them, as the forest of their loops."""
    frame = named.to_frame() if not hasattr(named, "columns") else named
    names = sides(source)
    columns = [frame[name].reset_index(drop=True) for name in frame.columns]
    named_twice = {
        name: column for side in names for name, column in zip(listed(side), columns, strict=True)
    }
    kind = type(frame)
    return local_forest(kind(named_twice), *names, "raise", options)


def merged(first: Forest, second: Forest, source: Side, options: dict[str, Any]) -> Forest:
    """The forest of two forests: the edges of one that join no more are left out."""
    frame = concat([first[0], second[0]])
    names = sides(source)
    found = components(frame, *names, forest=True, **options)
    return _edges(found, frame, *names), first[1] + second[1]


def _edges(found: Components, frame: Any, source: Side, destination: Side) -> Any:
    """The edges of a spanning forest, and loops for vertices that are alone."""
    edges = found.forest()
    names = [name for name in edges.columns if name != "row"]
    edges = edges[names]
    if not _may_loop(frame, listed(source), listed(destination)):
        return edges
    alone = found.filter(max_size=1)
    vertex = [name for name in alone.columns if name.endswith("vertex")]
    ends = zip(names, [*vertex, *vertex], strict=True)
    kind = type(edges)
    return concat([edges, kind({name: alone[own] for name, own in ends})])


def _may_loop(frame: Any, source: list[str], destination: list[str]) -> bool:
    pairs = list(zip(source, destination, strict=True))
    if any(frame[left].dtype != frame[right].dtype for left, right in pairs):
        return True
    same = reduce(and_, (frame[left] == frame[right] for left, right in pairs))
    return bool(same.any())


def labelled(
    forest: Forest, source: Side, kind: str, named: dict[str, Any], options: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """The labels of all vertices, and the facts."""
    found = components(forest[0], *sides(source), labels=kind, **named, **options)
    facts = found.summary()
    told = ("engine", "device", "vertices", "components", "largest")
    return found.labels(), {name: facts[name] for name in told} | {"dropped": forest[1]}


def chunk(whole: tuple[Any, Any], k: int, count: int) -> Any:
    """The k-th of so many runs of rows."""
    frame = whole[0]
    first, last = k * len(frame) // count, (k + 1) * len(frame) // count
    return frame.iloc[first:last].reset_index(drop=True)


def edges_of(forest: Forest, source: Side) -> Any:
    """The edges of a forest without the loops."""
    frame, (left, right) = forest[0], sides(source)
    pairs = zip(listed(left), listed(right), strict=True)
    same = reduce(and_, (frame[a] == frame[b] for a, b in pairs))
    return frame[~same].reset_index(drop=True)


def same(thing: Any) -> Any:
    """The thing itself, on the worker that asks for it."""
    return thing


def empty_of(frame: Any) -> Any:
    """The frame without its rows."""
    return frame.iloc[:0]
