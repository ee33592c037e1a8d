"""Write and read archives of strings and arrays; every byte is checked before it is used.

=================  ===========================================================================
bytes              content
=================  ===========================================================================
18                 ``MAGIC``
8, 4               the length of the head and its CRC-32, little-endian
the head           JSON: other values, and the name, type, length and CRC-32 of each array
the rest           the arrays in order, little-endian
=================  ===========================================================================

The head determines the length of the file. If the file is shorter, no array is allocated.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from ...errors import FormatError, InputError
from .formats import SUFFIXES, TABLES
from .write import replacing

MAGIC = b"cc_rapids archive\n"
LENGTHS = struct.Struct("<QI")
TYPES = {name: np.dtype(name) for name in ("uint8", "int32", "int64", "uint32", "uint64")}


def write(
    path: str | os.PathLike[str], words: Mapping[str, Any], arrays: Mapping[str, Any]
) -> None:
    """Write an archive by :func:`cc_rapids.data.files.write.replacing`.

    ``words`` are values for JSON; ``arrays`` are one-dimensional host arrays of the ``TYPES``.
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if SUFFIXES.get(suffix) in TABLES:
        raise InputError(
            f"{path} has the suffix of a table, but save() writes an archive for load(): use"
            " another suffix, or write a table by labels().to_csv() of pandas or by"
            " Components.to_parquet()"
        )
    contiguous = {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        for name, array in arrays.items()
    }
    listed = [[name, a.dtype.name, a.size, zlib.crc32(a.data)] for name, a in contiguous.items()]
    head = json.dumps({"words": dict(words), "arrays": listed}).encode()
    with replacing(path, sync=True) as file:
        file.write(MAGIC + LENGTHS.pack(len(head), zlib.crc32(head)) + head)
        for array in contiguous.values():
            file.write(array.data)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header values and the arrays of a file; raise a FormatError if it is damaged."""
    try:
        with open(path, "rb") as file:
            return _read(path, file, os.fstat(file.fileno()).st_size)
    except FileNotFoundError as error:
        raise FormatError(f"there is no file {path}") from error
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror or error}") from error


def _read(path: Any, file: BinaryIO, size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the header values and the arrays of an open file of ``size`` bytes."""
    start = file.read(len(MAGIC) + LENGTHS.size)
    if not start.startswith(MAGIC):
        raise FormatError(f"{path} is not a file saved by cc_rapids, or its beginning is damaged")
    if len(start) < len(MAGIC) + LENGTHS.size:
        raise _broken(path, f"it is truncated after {size:,} bytes")
    length, checksum = LENGTHS.unpack_from(start, len(MAGIC))
    if length > size - len(start):
        raise _broken(
            path, f"its header is {length:,} bytes long, but the file has only {size:,} bytes"
        )
    head = file.read(length)
    if zlib.crc32(head) != checksum:
        raise _broken(path, "the checksum of its header does not match")
    try:
        parts = json.loads(head)
        words = dict(parts["words"])
        listed = [
            (str(name), TYPES[dtype], _count(count), int(crc))
            for name, dtype, count, crc in parts["arrays"]
        ]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise _broken(path, "its header cannot be read") from None
    expected = len(start) + length + sum(dtype.itemsize * count for _, dtype, count, _ in listed)
    if expected != size:
        raise _broken(path, f"it should have {expected:,} bytes, but has {size:,}")
    return words, {row[0]: _array(path, file, *row) for row in listed}


def _count(number: Any) -> int:
    """Return a length of an array; raise a ValueError if it is not an integer of at least 0."""
    if not isinstance(number, int) or number < 0:
        raise ValueError(number)
    return number


def _array(path: Any, file: BinaryIO, name: str, dtype: Any, count: int, checksum: int) -> Any:
    """Read the next array of a file; raise a FormatError if its checksum does not match."""
    array = np.empty(count, dtype.newbyteorder("<"))
    if file.readinto(array.data) != array.nbytes:  # type: ignore[attr-defined]
        raise _broken(path, f"it was truncated while {name!r} was read")
    if zlib.crc32(array.data) != checksum:
        raise _broken(path, f"the checksum of {name!r} does not match")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _broken(path: Any, reason: str) -> FormatError:
    return FormatError(f"{path} is damaged ({reason}): save it again, or start again")
