"""Read GraphML files by NetworkX; the ids of nodes are strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..named_graphs import read_named
from . import Format

if TYPE_CHECKING:
    import pyarrow as pa

    from ..input_file import ColumnRequest, File

IGNORED = rb"(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>"
STARTS = rb"(?s)\s*(<\?xml.{,200}?\?>\s*)?(<!--.*?-->\s*)*<(\w+:)?graphml\b"


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges and nodes of a graph."""
    edge = rb"<(?:\w+:)?edge[\s/>]"
    return read_named(file, request, "read_graphml", "GraphML", edge, IGNORED)


FORMATS = (Format("graphml", (".graphml",), STARTS, title="GraphML", read=read),)
