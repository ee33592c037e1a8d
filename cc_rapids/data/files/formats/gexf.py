"""Read GEXF files of Gephi by NetworkX; the ids of nodes are strings."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..named_graphs import read_named
from . import Format
from .graphml import EDGE, IGNORED, STARTS

read: partial[tuple[Any, Any]] = partial(
    read_named, reader="read_gexf", title="GEXF", edge=EDGE, ignored=IGNORED
)
FORMATS = (
    Format("gexf", (".gexf",), STARTS.replace(b"graphml", b"gexf"), title="GEXF", read=read),
)
