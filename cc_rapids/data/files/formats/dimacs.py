"""DIMACS: a line ``p problem n m``, then arcs ``a u v weight``, edges ``e u v``, or pairs ``u v``.

The problem determines the lines: arcs for shortest paths (``sp``, .gr) and flows (``max``), edges
for colourings and cliques (``edge`` and ``col``, .col, .clq), and pairs for problems of PACE (.gr).
Files of colourings may list each edge in both directions, but declare half as many edges.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..delimited import Dialect
from ..numbered import Head, Layout, counts_of, write_numbered
from . import Format

if TYPE_CHECKING:
    from ..write import EdgeList

TAGS = dict.fromkeys(("sp", "max", "min"), "a")
TAGS |= dict.fromkeys(("edge", "edges", "col"), "e")
TAGS |= dict.fromkeys(("tw", "td", "ds", "vc", "cep"), "")


def head(fields: list[str]) -> Head | None:
    """Parse the fields of ``p problem nodes edges``; return None if they are invalid."""
    counts = counts_of(fields[2:], 2)
    if fields[:1] != ["p"] or counts is None or fields[1] not in TAGS:
        return None
    tag = TAGS[fields[1]]
    return Head(counts[0], counts[1], tag, both=tag == "e")


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write edges as arcs; missing weights are written as 1."""
    line = f"p sp {len(edges.vertices or ())} {edges.num_edges}\n"
    write_numbered(edges, line, "a", stream)


EXPECTED = "'p sp <nodes> <arcs>' or 'p edge <nodes> <edges>'"
LAYOUT = Layout(Dialect(" ", b"cn"), 1, "edges", head, EXPECTED)  # n describes a vertex
FORMATS = (
    Format(
        "gr",
        (".gr", ".col", ".clq", ".max", ".dimacs"),
        rb"(c\b[^\n]*\n)*p (%s) +\d+ +\d+\s" % "|".join(TAGS).encode(),
        title="DIMACS",
        read=LAYOUT.read,
        write=write,
        first=1,
        whole_weights=True,
    ),
)
