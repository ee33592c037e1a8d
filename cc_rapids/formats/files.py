"""A file being read: its bytes, unpacked where they are packed, and how far reading has come."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from gzip import GzipFile
from io import BytesIO, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from ..errors import FormatError, InputError, MissingColumnError
from .delimited import Block, Dialect, blocks
from .names import nearest, packing

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[int, int], object]
Read = tuple["pa.Table", range | None]  # what a reader returns: the columns, and all vertices

_USUAL_NAMES = (
    ("src", "dst"),
    ("source", "destination"),
    ("source", "target"),
    ("from", "to"),
)


@dataclass(frozen=True)
class File:
    """A file being read."""

    path: str
    raw: FileIO
    size: int
    on_progress: Progress | None

    @cached_property  # PyArrow's stream closes the file below when it is let go
    def stream(self) -> BinaryIO:
        """Its bytes, unpacked if the suffix says gzip or zstd."""
        packed = packing(Path(self.path))
        if packed == ".gz":
            return cast(BinaryIO, GzipFile(fileobj=self.raw))
        if packed == ".zst":
            import pyarrow as pa

            return cast(BinaryIO, pa.CompressedInputStream(pa.PythonFile(self.raw, "r"), "zstd"))
        return cast(BinaryIO, self.raw)

    def blocks(self, dialect: Dialect) -> Iterator[Block]:
        """Its lines."""
        return blocks(self.path, self.stream, dialect, self.report_place)

    def seekable(self) -> BinaryIO:
        """Its bytes for a reader that jumps about; a packed file is unpacked into memory."""
        if not packing(Path(self.path)) and self.raw.seekable():
            return cast(BinaryIO, self.raw)
        return BytesIO(b"".join(self.pieces()))

    def pieces(self, size: int = 16 << 20) -> Iterator[bytes]:
        """Its bytes, so many at a time."""
        stream = self.stream
        try:
            while piece := stream.read(size):
                yield piece
                self.report_place()
        except (OSError, EOFError, zlib.error) as error:  # of a damaged packed file
            raise FormatError(f"{self.path} cannot be read to its end: {error}") from error

    def report(self, done: int) -> None:
        """Tell the caller how many bytes are done."""
        if self.on_progress is not None:
            self.on_progress(done, self.size)

    def report_place(self) -> None:
        """Tell the caller where reading is."""
        if self.raw.seekable():  # a pipe has no position and no size
            self.report(self.raw.tell())


@dataclass(frozen=True)
class Wanted:
    """What the caller asked for."""

    source: str | None
    destination: str | None
    format: str
    header: bool | None
    weights: bool = False
    weight: str | None = None

    def columns(self, path: str, names: Sequence[str]) -> tuple[int, int]:
        """The positions of the two columns among the names."""
        lower = [name.lower() for name in names]
        usual = next((pair for pair in _USUAL_NAMES if set(pair) <= set(lower)), None)
        a, b = (lower.index(name) for name in usual) if usual else (0, 1)
        source, destination = (
            None if name is None else _position(path, names, name)
            for name in (self.source, self.destination)
        )
        if source is None:
            source = b if destination == a else a
        if destination is None:
            destination = a if source == b else b
        if names[source] == names[destination]:
            raise InputError(
                f"{path}: source and destination are both column {names[source]!r}; "
                f"the file has {', '.join(names)}"
            )
        return source, destination

    def weight_column(self, path: str, names: Sequence[str], ends: tuple[int, int]) -> int | None:
        """The position of the weights among the names, if they are wanted and there."""
        if not self.weights or (self.weight is None and "weight" not in names):
            return None
        at = _position(path, names, self.weight or "weight")
        if at in ends:
            raise InputError(f"{path}: column {names[at]!r} is an end of the edges, not a weight")
        return at

    def turned(self, path: str) -> bool:
        """Of a format whose columns are src and dst: whether the caller wants them swapped."""
        return self.columns(path, ("src", "dst")) == (1, 0)


def _position(path: str, names: Sequence[str], name: str) -> int:
    if name in names:
        return names.index(name)
    raise MissingColumnError(f"{path} has no column {name!r}{nearest(name, names)}")
