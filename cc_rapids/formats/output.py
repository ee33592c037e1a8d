"""New files that take their name when they are complete, and are packed if the name says so."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import GzipFile
from pathlib import Path
from typing import BinaryIO, cast

from .names import packing


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of the path if all goes well, and else is removed."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    raw = draft.open("xb")
    try:
        with raw:
            if path.exists():
                shutil.copymode(path, draft)
            with _packed(raw, packing(path)) as stream:
                yield stream
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def _packed(raw: BinaryIO, packing: str) -> Iterator[BinaryIO]:
    """What is written comes packed into the file below."""
    if packing == ".gz":
        # No name and no time in it: the same edges make the same file
        with GzipFile("", "wb", 6, raw, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    elif packing == ".zst":
        import pyarrow as pa

        with pa.CompressedOutputStream(pa.PythonFile(raw, "w"), "zstd") as stream:
            yield stream
    else:
        yield raw
