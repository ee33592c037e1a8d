"""Read GML files by NetworkX; vertices are labels if all labels are distinct, otherwise ids.

Many public files list an edge twice without declaring a multigraph; each listing counts.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ...lazy import pa
from ..named_graphs import read_named
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File

TEXT = rb'"[^"]*"|(?m:^[ \t]*#.*)'  # strings and comments
HEAD = rb"(?m:^[ \t]*graph\s*\[)"


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges and nodes of a graph."""
    return read_named(file, request, parse, "GML", rb"\bedge\s*\[", TEXT)


def parse(stream: BytesIO) -> Any:
    """Parse a file as a multigraph."""
    import networkx as nx

    data = stream.read()
    if not re.search(rb"(?m:^[ \t]*multigraph\s+1)", data):
        data = re.sub(HEAD, rb"\g<0> multigraph 1", data, count=1)
    try:
        return nx.read_gml(BytesIO(data))
    except nx.NetworkXError as error:
        if "label" not in str(error):
            raise
    return nx.read_gml(BytesIO(data), label="id")


FORMATS = (
    Format(
        "gml",
        (".gml",),
        rb"(?i)\s*((#|Creator|Version)[^\n]*\n\s*)*graph\s*\[",
        title="GML",
        read=read,
    ),
)
