"""Read GEXF files of Gephi by NetworkX; the ids of nodes are strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..named_graphs import read_named
from . import Format
from .graphml import IGNORED, STARTS

if TYPE_CHECKING:
    import pyarrow as pa

    from ..input_file import ColumnRequest, File


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges and nodes of a graph."""
    return read_named(file, request, "read_gexf", "GEXF", rb"<(?:\w+:)?edge[\s/>]", IGNORED)


FORMATS = (
    Format("gexf", (".gexf",), STARTS.replace(b"graphml", b"gexf"), title="GEXF", read=read),
)
