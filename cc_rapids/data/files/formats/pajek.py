"""Pajek: ``*Vertices n`` with labels, then ``*Arcs``, ``*Edges``, lists of these, or a matrix.

Ids are labels if all labels are distinct, otherwise numbers. This module does not use NetworkX,
which merges vertices with equal labels, reads lists as weighted edges, and reads names of relations
as vertices.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from ....errors import FormatError
from ...lazy import pa
from ..delimited import MARK
from ..named_graphs import COPIES, columns_of_names, decoded, in_utf8
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File

SECTIONS = ("*arcs", "*edges", "*arcslist", "*edgeslist", "*matrix")
NUMBER = re.compile("[0-9]{1,99}")  # int() takes at most 4,300 digits
WITHOUT_EDGES = ("*partition", "*vector", "*permutation", "*cluster", "*hierarchy")


class Network:
    """The vertices and edges of a file, added line by line.

    In a two-mode network, a matrix has a row for each vertex of the first mode, and a column for
    each vertex of the second mode.
    """

    def __init__(self) -> None:
        self.n: int = -1  # the number of vertices; -1 if it is unknown
        self.section: str = ""  # the name of the current section; "*other" if it has no edges
        self.labels: dict[int, str] = {}
        self.edges: list[tuple[int, int, dict[str, Any]]] = []
        self.declared: int = 0  # the number of edges in the lines so far
        self.height: int = 0  # the number of rows of a matrix
        self.rows: int = 0  # the number of rows of all matrices so far
        self.matrices: int = 0  # the number of matrices so far
        self._first_column = 0  # the number of vertices before the vertex of the first column

    @property
    def columns(self) -> int:
        """The number of columns of a matrix."""
        return self.n - self._first_column

    def begin(self, fields: list[str]) -> str:
        """Begin the section whose first line has these fields.

        Return an empty string, or what was expected if the line is invalid.
        """
        previous, self.section = self.section, fields[0].lower()
        if self.section == "*vertices" and previous == "*other":  # a partition repeats the vertices
            self.section = previous
        elif self.section == "*vertices":
            if self.n >= 0 or len(fields) < 2 or not NUMBER.fullmatch(fields[1]):
                return "one '*Vertices <n>'"
            self.n = self.height = int(fields[1])
            first_mode = fields[2] if len(fields) > 2 else ""  # the size, in a two-mode network
            if NUMBER.fullmatch(first_mode) and int(first_mode):
                self.height = self._first_column = int(first_mode)
        elif self.section in WITHOUT_EDGES:
            self.section = "*other"
        elif self.section not in ("*network", *SECTIONS):
            return f"one of *vertices, {', '.join(SECTIONS)}"
        self.matrices += self.section == "*matrix"
        return ""

    def add(self, line: str, fields: list[str]) -> None:
        """Add a line of the current section; raise a ValueError if it is invalid."""
        n = self.n
        if self.section == "*vertices":
            words = shlex.split(line)[:2] if '"' in line else fields[:2]
            self.labels[index(words[0], n)] = words[-1]  # the number if there is no label
        elif self.section == "*matrix":
            values = [float(field) for field in fields]
            row = index(1 + self.rows % self.height, n)  # each matrix begins with row 1
            start = 1 + self._first_column
            ends = [(index(column, n), v) for column, v in enumerate(values, start) if v]
            self.declared += len(ends)
            self.rows += 1
            self.edges += [(row, column, {"weight": v}) for column, v in ends]
        elif self.section in SECTIONS:
            others = fields[1:] if self.section.endswith("list") else fields[1:2]
            if not others:
                raise ValueError
            weighted = len(fields) > 2 and len(others) == 1
            weight = {"weight": float(fields[2])} if weighted else {}
            self.declared += len(others)
            self.edges += [(index(fields[0], n), index(v, n), weight) for v in others]


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges and vertices of a network."""
    file.check_bound(file.size, COPIES)
    data = in_utf8(b"".join(file.pieces()), file.path).removeprefix(MARK)
    lines = decoded(file.path, data).splitlines()
    network = Network()
    for number, line in enumerate(lines, 1):
        where = f"{file.path}, line {number}, found {line.strip()[:60]!r}: expected"
        fields = line.split()
        if not fields or fields[0].startswith(("%", "/*")):
            continue
        if fields[0].startswith("*"):
            if expected := network.begin(fields):
                raise FormatError(f"{where} {expected}")
            file.check_vertices(max(0, network.n))
            continue
        if network.section == "*matrix" and len(fields) != network.columns:
            raise FormatError(f"{where} {network.columns} values in each row of *matrix")
        try:
            network.add(line, fields)
        except ValueError:
            section = network.section or "a section"
            raise FormatError(f"{where} vertices from 1 to {network.n} in {section}") from None
    n, height = network.n, network.height
    if n < 0:
        raise FormatError(f"{file.path}: expected '*Vertices <n>'")
    if network.rows != network.matrices * height:
        raise FormatError(
            f"{file.path}: expected {height} rows in each *matrix, found {network.rows}"
        )
    file.groups = {0: network.declared}
    names: Any = range(1, n + 1)
    if len({*network.labels.values()}) == n:
        names = [network.labels[k] for k in names]
    edges = [(names[u - 1], names[v - 1], weight) for u, v, weight in network.edges]
    return columns_of_names(file, request, edges, names)


def index(field: Any, n: int) -> int:
    """Return the number of one of n vertices; raise a ValueError if the field is no such number."""
    if not (NUMBER.fullmatch(str(field)) and 1 <= int(field) <= n):
        raise ValueError
    return int(field)


FORMATS = (
    Format(
        "pajek",
        (".net", ".paj"),
        rb"(?i)(%[^\n]*\n)*\*(network|vertices)\b",
        title="Pajek",
        read=read,
    ),
)
