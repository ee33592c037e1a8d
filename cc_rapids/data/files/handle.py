"""Read the bytes of files and streams, decompress them, and look at the first bytes in advance."""

from __future__ import annotations

import bz2
import codecs
import lzma
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from gzip import GzipFile
from io import RawIOBase
from typing import Any, BinaryIO, cast

from ...errors import MissingExtraError
from ..lazy import pa

READ = 1 << 16  # the number of compressed bytes to read at a time
HEAD = 4096  # the number of first bytes from which the format is detected


class _Streams(RawIOBase):
    """The decompressed bytes of concatenated compressed streams, with zero padding in between.

    Python's classes silently ignore invalid bytes after a stream; this class raises an error.
    """

    def __init__(self, make: Callable[[], Any], raw: Any) -> None:
        super().__init__()
        self._make, self._raw = make, raw
        self._stream, self._position = make(), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._raw.seekable())

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` of the next bytes; all of them if ``size`` is negative."""
        if size < 0:
            return self.readall()
        piece = b""
        while size and not piece:
            packed = b""
            if self._stream.eof:  # another compressed stream may follow after zero padding
                packed = self._stream.unused_data.lstrip(b"\0")
                while not packed and (read := self._raw.read(READ)):
                    packed = read.lstrip(b"\0")
                if not packed:
                    break
                self._stream = self._make()
            elif self._stream.needs_input and not (packed := self._raw.read(READ)):
                raise OSError("the compressed bytes end too early")
            piece = self._stream.decompress(packed, size)
        self._position += len(piece)
        return bytes(piece)

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        while whence == 2 and self.read(READ):  # the end is known when all bytes are decompressed
            pass
        offset += self._position if whence else 0  # the position is the end if whence is 2
        if offset < self._position:
            self._raw.seek(0)
            self._stream, self._position = self._make(), 0
        while self.read(min(READ, offset - self._position)):
            pass
        return self._position


_UNPACK: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda raw: GzipFile(fileobj=raw),
    ".zst": lambda raw: pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd"),
    ".bz2": partial(_Streams, bz2.BZ2Decompressor),
    ".xz": partial(_Streams, lzma.LZMADecompressor),
}
UNPACKED = tuple(_UNPACK)  # the suffixes of compressed files
_MARKS = {
    b"\x1f\x8b": ".gz",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"\xfd7zXZ\x00": ".xz",
    **{b"BZh%d1AY&SY" % level: ".bz2" for level in range(1, 10)},
}


ENCODINGS = {  # UTF-32 comes first, because its little-endian mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def remote(path: str, options: Mapping[str, Any] | None = None) -> tuple[Any, str]:
    """Open the file system of an address with fsspec; return it, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError(f"{path} needs fsspec: pip install fsspec") from None
    system_and_path: tuple[Any, str] = url_to_fs(path, **(options or {}))
    return system_and_path


def marked_encoding(first: bytes) -> str | None:
    """Return the encoding whose byte order mark begins a text: UTF-16 or UTF-32, or None."""
    return next((encoding for mark, encoding in ENCODINGS.items() if first.startswith(mark)), None)


def packing_of(first: bytes) -> str:
    """Detect compression from the first bytes; return its suffix, or "" for none."""
    return next((suffix for mark, suffix in _MARKS.items() if first.startswith(mark)), "")


def unpacked(raw: Any, packing: str) -> BinaryIO:
    """Return a stream of the decompressed bytes of a file; ``packing`` is the suffix."""
    return cast(BinaryIO, Handle(_UNPACK[packing](raw)) if packing else raw)


def first_of(raw: Any) -> bytes:
    """Return the first bytes of a file, whose position is at the start before and afterwards."""
    if isinstance(raw, Handle):
        return raw.head()
    first = bytes(raw.read(HEAD) or b"")
    raw.seek(0)
    return first


class Handle(RawIOBase):
    """A file of bytes that begins at the current position of an open file.

    The open file is any object with ``read``; it stays open when the handle is closed. Text becomes
    UTF-8.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._stream = stream
        self._ahead = bytearray()  # bytes that were read from the stream but not returned yet
        self._head: bytes | None = None  # the result of head(); None before
        self._error: OSError | None = None  # the error that every later read raises
        self._start: int | None = None  # the position at the beginning; None if it cannot seek
        with suppress(Exception):  # the stream may be of any library
            if stream.seekable() and not hasattr(stream, "encoding"):  # not text
                self._start = int(stream.tell())

    def head(self) -> bytes:
        """Return the first bytes; call this before reading."""
        if self._head is None:
            while len(self._ahead) < HEAD and (piece := self._next(HEAD)):
                self._ahead += piece
            self._head = bytes(self._ahead)
        return self._head

    def _next(self, size: int) -> bytes:
        """Return about ``size`` of the next bytes of the stream; raise an OSError if it fails."""
        stream = self._stream
        read = stream.read if self._head is not None else getattr(stream, "read1", stream.read)
        if self._error is not None:  # some streams would return further bytes after an error
            raise self._error
        try:
            piece = read(size)
            text = isinstance(piece, str)
            return piece.encode(errors="surrogateescape") if text else bytes(piece)
        except MemoryError:
            raise
        except UnicodeDecodeError as error:
            message = f"it was opened as text, but is not text ({error}): open it with mode 'rb'"
            self._error = OSError(message)
        except Exception as error:  # the stream may be of any library
            message = getattr(error, "strerror", "") or str(error) or type(error).__name__
            self._error = OSError(message)
            self._error.__cause__ = error
        raise self._error

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._start is not None

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` of the next bytes; all of them if ``size`` is negative."""
        if size < 0:
            return self.readall()
        if len(self._ahead) < size:
            piece = self._next(size - len(self._ahead))
            if not self._ahead and len(piece) <= size:
                return piece
            self._ahead += piece  # may exceed the size, because characters take several bytes
        piece = bytes(self._ahead[:size])
        del self._ahead[:size]
        return piece

    def readinto(self, buffer: Any) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def tell(self) -> int:
        return int(self._stream.tell()) - (self._start or 0) - len(self._ahead)

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == 1:
            offset, whence = offset + self.tell(), 0
        self._ahead.clear()
        start = self._start or 0
        return int(self._stream.seek(offset + (0 if whence else start), whence)) - start
