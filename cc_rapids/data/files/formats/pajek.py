"""Pajek: ``*Vertices n`` with labels, then ``*Arcs``, ``*Edges``, lists of these, or a matrix.

Ids are labels if all labels are distinct, otherwise numbers. This module does not use NetworkX,
which merges vertices with equal labels, reads lists as weighted edges, and reads names of relations
as vertices.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from ....errors import FormatError
from ...lazy import pa
from ..delimited import MARK
from ..named_graphs import COPIES, columns_of_names, undecodable
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File

SECTIONS = ("*arcs", "*edges", "*arcslist", "*edgeslist", "*matrix")
WITHOUT_EDGES = ("*partition", "*vector", "*permutation", "*cluster", "*hierarchy")


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges and vertices of a network."""
    file.check_bound(file.size, COPIES)
    data = b"".join(file.pieces()).removeprefix(MARK)
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError as error:
        raise undecodable(file.path, data, error) from None
    section, n, declared = "", -1, 0
    first_column = height = matrices = rows = 0  # a matrix has rows 1 .. height
    labels: dict[int, str] = {}
    pairs: list[tuple[int, int, dict[str, Any]]] = []

    for number, line in enumerate(lines, 1):
        where = f"{file.path}, line {number}, found {line.strip()[:60]!r}: expected"
        fields = line.split()
        if not fields or fields[0].startswith(("%", "/*")):
            continue
        if fields[0].startswith("*"):
            within, section = section, fields[0].lower()
            if section == "*vertices" and within == "*other":
                section = within
            elif section == "*vertices":
                if n >= 0 or len(fields) < 2 or not fields[1].isdecimal():
                    raise FormatError(f"{where} one '*Vertices <n>'")
                n = height = int(fields[1])
                file.check_vertices(n)
                first_mode = fields[2] if len(fields) > 2 else ""
                if first_mode.isdecimal() and int(first_mode):  # the rows of a two-mode network
                    height = first_column = int(first_mode)
            elif section in WITHOUT_EDGES:
                section = "*other"
            elif section not in ("*network", *SECTIONS):
                raise FormatError(f"{where} one of *vertices, {', '.join(SECTIONS)}")
            matrices += section == "*matrix"
            continue
        if section == "*matrix" and len(fields) != n - first_column:
            raise FormatError(f"{where} {n - first_column} values in each row of *matrix")
        try:
            if section == "*vertices":
                label = shlex.split(line)[:2] if '"' in line else fields[:2]
                labels[index(label[0], n)] = label[-1]
            elif section == "*matrix":
                values = [float(field) for field in fields]
                declared += sum(value != 0 for value in values)
                row, columns = 1 + rows % height, enumerate(values, 1 + first_column)
                ends = [(row, column, {"weight": v}) for column, v in columns if v]
                rows += 1
                pairs += [(index(u, n), index(v, n), weight) for u, v, weight in ends]
            elif section in SECTIONS:
                others = fields[1:] if section.endswith("list") else fields[1:2]
                weight = (
                    {"weight": float(fields[2])}
                    if len(fields) > 2 and others == fields[1:2]
                    else {}
                )
                declared += len(others)
                pairs += [(index(fields[0], n), index(v, n), weight) for v in others]
                if not others:
                    raise ValueError
        except ValueError:
            words = f"vertices from 1 to {n} in {section or 'a section'}"
            raise FormatError(f"{where} {words}") from None
    if n < 0:
        raise FormatError(f"{file.path}: expected '*Vertices <n>'")
    if rows != matrices * height:
        raise FormatError(f"{file.path}: expected {height} rows in each *matrix, found {rows}")
    file.groups = {0: declared}
    names: Any = range(1, n + 1)
    if len({*labels.values()}) == n:
        names = [labels[k] for k in names]
    return columns_of_names(
        file, request, [(names[u - 1], names[v - 1], weight) for u, v, weight in pairs], names
    )


def index(field: Any, n: int) -> int:
    """Return the number of a vertex; raise a ValueError if it is invalid."""
    if not 1 <= (number := int(field)) <= n:
        raise ValueError
    return number


FORMATS = (
    Format(
        "pajek",
        (".net", ".paj"),
        rb"(?i)(%[^\n]*\n)*\*(network|vertices)\b",
        title="Pajek",
        read=read,
    ),
)
