"""DIMACS: a line ``p problem n m``, then arcs ``a u v weight``, edges ``e u v``, or pairs ``u v``.

The problem determines the lines:

- arcs for shortest paths (``sp``, .gr), and for flows (``max``, and ``min`` with ``low``,
  ``capacity`` and ``cost`` in place of the weight);
- edges for colourings and cliques (``edge`` and ``col``, .col, .clq);
- pairs for problems of PACE (.gr).

A file of a colouring may list each edge in both directions, and then declares half as many edges.
"""

from ..delimited import Dialect
from ..numbered import Layout
from . import Format

# the letter before each edge, by the problem
TAGS = dict.fromkeys(("sp", "max", "min"), "a")
TAGS |= dict.fromkeys(("edge", "edges", "col"), "e")
TAGS |= dict.fromkeys(("tw", "td", "ds", "vc", "cep"), "")
LAYOUT = Layout(
    dialect=Dialect(" ", b"cn"),  # c begins a comment, and n describes a vertex
    first=1,
    tags=TAGS,
    header=f"p (?P<kind>{'|'.join(TAGS)}) (?P<n>\\S+) (?P<m>\\S+)",
    expected=f"'p <problem> <nodes> <edges>' with a problem of {', '.join(TAGS)}",
    written="p sp {n} {m}",
)
FORMATS = (
    Format(
        "gr",
        (".gr", ".col", ".clq", ".max", ".dimacs"),
        rb"(c\b[^\n]*\n)*p (%s) +\d+ +\d+\s" % "|".join(TAGS).encode(),
        title="DIMACS",
        read=LAYOUT.read,
        write=LAYOUT.write,
        first=1,
        whole_weights=True,
    ),
)
