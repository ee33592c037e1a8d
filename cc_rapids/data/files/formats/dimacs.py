"""DIMACS: a line ``p problem n m``, then arcs ``a u v weight``, edges ``e u v``, or pairs ``u v``.

The problem says which: ``sp`` of shortest paths (.gr) and ``max`` of flows have arcs, ``edge`` and
``col`` of colourings and cliques (.col, .clq) have edges, and those of PACE (.gr) have pairs.
Colourings may list each edge both ways and declare half of that.
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
    """Return what ``p problem nodes edges`` declares."""
    counts = counts_of(fields[2:], 2)
    if fields[:1] != ["p"] or counts is None or fields[1] not in TAGS:
        return None
    tag = TAGS[fields[1]]
    return Head(counts[0], counts[1], tag, both=tag == "e")


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write arcs, with the weight 1 if they have none."""
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
