"""Read GML files by NetworkX; vertices are labels if all labels are distinct, otherwise ids.

Many public files list an edge twice without declaring a multigraph; each listing counts.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ...lazy import pa
from ..delimited import MARK
from ..named_graphs import read_named
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File

TEXT = rb'"[^"]*"|(?m:^[ \t]*#.*)'  # matches strings and comments
HEAD = r"(?m:^[ \t]*graph\s*\[)"  # matches the beginning of a graph


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges and nodes of a graph."""
    edge, graph = rb"\bedge\s*\[", rb"\bgraph\s*\["
    return read_named(file, request, parse, "GML", edge=edge, graph=graph, ignored=TEXT)


def parse(nx: Any, stream: BytesIO) -> Any:
    """Parse a file by NetworkX as a multigraph; vertices are labels if possible, otherwise ids."""
    text = stream.read().removeprefix(MARK).decode()  # NetworkX requires bytes to be ASCII
    if not re.search(r"(?m:^[ \t]*multigraph\s+1)", text):
        text = re.sub(HEAD, r"\g<0> multigraph 1", text, count=1)
    lines = text.split("\n")
    try:
        return nx.parse_gml(lines)
    except nx.NetworkXError as error:
        if "label" not in str(error):
            raise
    return nx.parse_gml(lines, label="id")


FORMATS = (
    Format(
        "gml",
        (".gml",),
        rb"(?i)\s*((#|Creator|Version)[^\n]*\n\s*)*graph\s*\[",
        title="GML",
        read=read,
    ),
)
