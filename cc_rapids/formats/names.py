"""Which format a path or a word names, and the nearest one where it names none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from ..errors import FormatError

FORMATS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "snap": (".txt", ".snap", ".edges", ".el"),
    "mtx": (".mtx",),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather"),
    "he": (".he",),
    "gr": (".gr",),
    "metis": (".graph", ".metis"),
    "egr": (".egr",),
    "npz": (".npz",),
}
PACKED = (".gz", ".zst")
SUFFIXES = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}


def format_of(path: str | Path, format: str | None = None) -> str:
    """The format given, or else that of the suffix; ``.gz`` and ``.zst`` are looked through."""
    path = Path(path)
    if format is not None:
        if format in FORMATS:
            return format
        raise FormatError(f"unknown format {format!r}{nearest(format, FORMATS)}")
    suffix = Path(path.name.lower().removesuffix(packing(path))).suffix
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    raise FormatError(
        f"cannot tell the format of {path} from its suffix {suffix!r}{nearest(suffix, SUFFIXES)}"
        f" (or say which format it is: {', '.join(FORMATS)})"
    )


def packing(path: Path) -> str:
    """``".gz"`` or ``".zst"`` if the path ends so, and else nothing."""
    suffix = path.suffix.lower()
    return suffix if suffix in PACKED else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """How an error about an unknown word goes on."""
    known = list(known)
    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(known)}"
