"""Read GraphML files by NetworkX; the ids of nodes are strings."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..named_graphs import read_named
from . import Format

IGNORED = rb"(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>"
STARTS = rb"(?s)\s*(<\?xml.{,200}?\?>\s*)?(<!--.*?-->\s*)*<(\w+:)?graphml\b"
EDGE = rb"<(?:\w+:)?edge[\s/>]"

read: partial[tuple[Any, Any]] = partial(
    read_named, reader="read_graphml", title="GraphML", edge=EDGE, ignored=IGNORED
)
FORMATS = (Format("graphml", (".graphml",), STARTS, title="GraphML", read=read),)
