"""Read GraphML files by NetworkX; the ids of nodes are strings."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import Any

from ..named_graphs import read_named
from . import Format

IGNORED = rb"(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>"
STARTS = rb"(?s)\s*(<\?xml.{,200}?\?>\s*)?(<!--.*?-->\s*)*<(\w+:)?graphml\b"
EDGE = rb"<(?:\w+:)?edge[\s/>]"


def parse(stream: BytesIO) -> Any:
    """Parse a file by NetworkX, which would read missing ids as the text ``None``."""
    import networkx as nx

    return nx.read_graphml(stream, node_type=node_id)


def node_id(text: str | None) -> str:
    """Return the id of a node; raise a ValueError if it is missing."""
    if text is None:
        raise ValueError("a node has no id, or an edge lacks an end")
    return text


read: partial[tuple[Any, Any]] = partial(
    read_named, reader=parse, title="GraphML", edge=EDGE, ignored=IGNORED
)
FORMATS = (Format("graphml", (".graphml",), STARTS, title="GraphML", read=read),)
