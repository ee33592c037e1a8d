"""Read GraphML files by NetworkX; the ids of nodes are strings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from ..named_graphs import read_named
from . import Format

NOT_EDGES = rb"(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>"  # matches comments and quoted text


def xml_format(name: str, title: str, reader: Callable[[Any, BytesIO], Any]) -> Format:
    """Return a format of XML; ``name`` is also its first element and its suffix."""
    # possessive: backtracking would try exponentially many ways to divide the comments
    comments = rb"(<!--((?!-->).)*-->\s*)*+"
    starts = rb"(?s)\s*(<\?xml.{,200}?\?>\s*)?%s<(\w+:)?%s\b" % (comments, name.encode())
    edge, graph = (rb"<(?:\w+:)?%s[\s/>]" % tag for tag in (b"edge", b"graph"))
    read = partial(
        read_named, reader=reader, title=title, edge=edge, graph=graph, ignored=NOT_EDGES
    )
    return Format(name, (f".{name}",), starts, title=title, read=read)


def parse(nx: Any, stream: BytesIO) -> Any:
    """Parse a file by NetworkX; ``node_id`` refuses missing ids, which it would call "None"."""
    return nx.read_graphml(stream, node_type=node_id)


def node_id(text: str | None) -> str:
    """Return the id of a node; raise a ValueError if it is missing."""
    if text is None:
        raise ValueError("a node has no id, or an edge lacks an end")
    return text


FORMATS = (xml_format("graphml", "GraphML", parse),)
