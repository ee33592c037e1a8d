"""The H/E format of the course behind this project: ``H n m u``, then lines ``E u v weight``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..delimited import Dialect
from ..numbered import Head, Layout, counts_of, write_numbered
from . import Format

if TYPE_CHECKING:
    from ..write import EdgeList


def head(fields: list[str]) -> Head | None:
    """Parse the fields of ``H nodes edges undirected``; return None if they are invalid."""
    counts = counts_of(fields[1:], 3)
    if fields[:1] != ["H"] or counts is None or counts[2] > 1:
        return None
    return Head(counts[0], counts[1], "E")


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write edges; missing weights are written as 1."""
    line = f"H {len(edges.vertices or ())} {edges.num_edges} 1\n"
    write_numbered(edges, line, "E", stream)


EXPECTED = "'H <nodes> <edges> <1 if undirected, else 0>'"
LAYOUT = Layout(Dialect(" ", b"#%"), 0, "edges", head, EXPECTED)
FORMATS = (
    Format("he", (".he",), rb"H \d+ \d+ [01]\s*\nE \d", read=LAYOUT.read, write=write, first=0),
)
