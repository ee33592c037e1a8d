"""Kinds of streams: which of them an argument is."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from ..errors import InputError
from ..formats import RowGroups, Taken, edge_columns
from ..frames import Side, at_hand, named, refuse_header
from .memory import Budget


def flat(source: Side, destination: Side) -> list[str]:
    """The columns of both sides, each once."""
    sides = (side if isinstance(side, list) else [side] for side in (source, destination))
    return list(dict.fromkeys(name for side in sides for name in side))


Texts = bool | list[bool] | None


class Cursor(NamedTuple):
    """A place in a stream: so many files (or items) and, in the next, row groups and rows."""

    file: int = 0
    group: int = 0
    rows: int = 0


@dataclass(frozen=True)
class Chunk:
    """Some edges: a frame or pair, the names of its columns, and the place in the stream after it.

    ``vertices`` are all vertices of the file, where that says how many there are. A chunk that is
    ``old`` was linked before a resumed run began, and is only compared with what it was. Where
    there is a ``load``, that gives the rows, in any thread, and the frame has none.
    """

    frame: Any
    source: Side
    destination: Side
    after: Cursor
    vertices: range | None = None
    old: bool = False
    load: Callable[[], Any] | None = None

    def loaded(self) -> Chunk:
        """The chunk with its frame."""
        return self if self.load is None else replace(self, frame=self.load(), load=None)


class Source(Protocol):
    """Where chunks come from."""

    threaded: bool
    arrow: bool

    @property
    def taken(self) -> list[Taken]:
        """How files were read, as far as they have been; each way once."""

    @property
    def readers(self) -> int:
        """How many threads read at once, each a chunk of its own."""

    @property
    def fixed(self) -> int:
        """Bytes that reading takes beside the chunks."""

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """The chunks from a place on, of at most so many rows each.

        ``text`` says whether ids are strings, where that is known: for each column, of several.
        """

    def identity(self) -> dict[str, Any]:
        """What tells this input from others, as JSON can hold it; ``kind`` is the source's."""

    def going_on(self, theirs: dict[str, Any]) -> tuple[Source, str]:
        """The input in the order of an identity of its kind, and in words what it has beyond that.

        Raises
        ------
        CheckpointError
            It is another input; says which part differs.
        """

    def measure(self) -> dict[str, Any]:
        """What is known without reading: pieces, edges and span (None where it is not)."""


def is_pattern(edges: Any) -> bool:
    """Whether edges are a glob pattern, or an address that is no local path."""
    if not isinstance(edges, str | os.PathLike):
        return False
    words = os.fspath(edges)
    if not isinstance(words, str):
        return False
    return "://" in words or (any(c in words for c in "*?[") and not os.path.exists(words))


def are_paths(edges: Any) -> bool:
    """Whether edges are a list of paths."""
    return (
        isinstance(edges, list)
        and bool(edges)
        and all(isinstance(item, str | os.PathLike) for item in edges)
    )


def is_reader(edges: Any) -> bool:
    """Whether edges are a pyarrow RecordBatchReader."""
    return _is_arrow(edges, "RecordBatchReader")


def is_dataset(edges: Any) -> bool:
    """Whether edges are a pyarrow dataset."""
    return _is_arrow(edges, "Dataset")


def _is_arrow(edges: Any, name: str) -> bool:
    return any(
        kind.__name__ == name and kind.__module__.startswith("pyarrow")
        for kind in type(edges).__mro__
    )


def is_iterable(edges: Any) -> bool:
    """Whether edges are an iterable of frames, and no frame or array themselves."""
    if isinstance(edges, Iterator):
        return True
    if isinstance(edges, list) and edges:
        return all(hasattr(item, "columns") and hasattr(item, "shape") for item in edges)
    other = ("__len__", "columns", "schema", "shape", "tocoo", "__array__", "__arrow_c_stream__")
    return hasattr(edges, "__iter__") and not any(hasattr(edges, name) for name in other)


def is_stream(edges: Any) -> bool:
    """Whether edges are of a kind that is read in chunks, and no other way."""
    return not at_hand(edges) and (
        is_pattern(edges)
        or are_paths(edges)
        or is_reader(edges)
        or is_dataset(edges)
        or is_iterable(edges)
    )


def dataset_columns(dataset: Any, source: Any, destination: Any) -> tuple[Any, Any]:
    """The columns of a dataset, chosen as those of a file."""
    if isinstance(source, list) or isinstance(destination, list):
        return source, destination
    names = dataset.schema.names
    ends = edge_columns("the dataset", names, source, destination)
    return names[ends[0]], names[ends[1]]


def source_of(
    edges: Any,
    source: Side | None,
    destination: Side | None,
    read_groups: RowGroups | None = None,
    header: bool | None = None,
) -> Source:
    """The stream that edges are; ``read_groups`` reads Parquet files to a GPU.

    ``header`` says of text files whether their first line names the columns.

    Raises
    ------
    InputError
        They are none.
    """
    if header is not None:
        refuse_header(edges)
    if isinstance(edges, str | os.PathLike) or are_paths(edges):
        from .files import Files

        return Files.of(edges, source, destination, read_groups, header)
    if is_dataset(edges):
        from .datasets import Fragments

        return Fragments(edges, *dataset_columns(edges, source, destination))
    from .items import Items

    names = named(source, destination)
    if is_reader(edges) or is_iterable(edges):
        return Items(edges, *names)
    if isinstance(edges, tuple) or hasattr(edges, "columns"):
        return Items([edges], *names)
    raise InputError(
        f"a {type(edges).__name__} cannot be read in chunks: give paths or a pattern, a pyarrow"
        " dataset or RecordBatchReader, or an iterable of frames or of pairs of arrays"
    )
