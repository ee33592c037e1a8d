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

from ..errors import FormatError, InputError
from .delimited import Block, Dialect, blocks
from .header import edge_columns, place_of
from .names import packing

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[int, int], object]
Read = tuple["pa.Table", range | None]  # what a reader returns: the columns, and all vertices


@dataclass
class File:
    """A file being read.

    ``header`` says whether its first line named the columns, once that has been read; None where
    a format knows no such line.
    """

    path: str
    raw: FileIO
    size: int
    on_progress: Progress | None
    header: bool | None = None

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
    """What the caller asked for; of ids of several columns as many names on each side.

    ``text`` says of files of text, for each column of an id, whether all of it are strings, as in
    files that were read before.
    """

    source: str | list[str] | None
    destination: str | list[str] | None
    format: str
    header: bool | None
    weights: bool = False
    weight: str | None = None
    text: list[bool] | None = None

    @property
    def requested(self) -> list[str]:
        """The names that the caller gave."""
        asked = (self.source, self.destination, self.weight)
        sides = (side if isinstance(side, list) else [side] for side in asked)
        return [name for side in sides for name in side if name is not None]

    @property
    def ends(self) -> int:
        """How many columns of ids there are, which come before those of weights."""
        if isinstance(self.source, list) and isinstance(self.destination, list):
            return len({*self.source, *self.destination})
        return 2

    def pairs(self, path: str, names: Sequence[str]) -> list[tuple[int, int]]:
        """The positions of the two ends among the names, for each column of an id: see
        ``header.edge_columns``.
        """
        source, destination = self.source, self.destination
        if isinstance(source, list) and isinstance(destination, list):
            sides = zip(source, destination, strict=True)
            return [(place_of(path, names, a), place_of(path, names, b)) for a, b in sides]
        assert not isinstance(source, list)
        assert not isinstance(destination, list)
        return [edge_columns(path, names, source, destination)]

    def columns(self, path: str, names: Sequence[str]) -> tuple[int, ...]:
        """The positions of all columns of ids, each once: of ids of one column two."""
        return tuple(dict.fromkeys(at for pair in self.pairs(path, names) for at in pair))

    def weight_column(self, path: str, names: Sequence[str], ends: tuple[int, ...]) -> int | None:
        """The position of the weights among the names, if they are wanted and there.

        A column that the caller has named has to be there.
        """
        if not self.weights or (self.weight is None and "weight" not in names):
            return None
        at = place_of(path, names, self.weight or "weight")
        if at in ends:
            raise InputError(f"{path}: column {names[at]!r} is an end of the edges, not a weight")
        return at

    def turned(self, path: str) -> bool:
        """Of a format whose columns are src and dst: whether the caller wants them swapped."""
        return self.columns(path, ("src", "dst")) == (1, 0)
