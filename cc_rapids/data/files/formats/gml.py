"""GML, read by NetworkX: labels of nodes are names where all nodes have different ones, else ids.

Many public files list an edge twice without saying that they may: each of the two is an edge.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..named_graphs import read_named
from . import Format

if TYPE_CHECKING:
    import pyarrow as pa

    from ..input_file import ColumnRequest, File

TEXT = rb'"[^"]*"|(?m:^[ \t]*#.*)'  # and comments
HEAD = rb"(?m:^[ \t]*graph\s*\[)"


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges of a graph, and its nodes."""
    return read_named(file, request, parse, "GML", rb"\bedge\s*\[", TEXT)


def parse(stream: BytesIO) -> Any:
    """Return a graph that may have an edge twice."""
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
