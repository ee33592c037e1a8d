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


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges and vertices of a network."""
    file.check_bound(file.size, COPIES)
    data = b"".join(file.pieces()).removeprefix(MARK)
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError as error:
        raise undecodable(file.path, data, error) from None
    section, row, n, declared = "", 0, -1, 0
    labels: dict[int, str] = {}
    pairs: list[tuple[int, int, dict[str, Any]]] = []

    for number, line in enumerate(lines, 1):
        where = f"{file.path}, line {number}, found {line.strip()[:60]!r}: expected"
        fields = line.split()
        if not fields or fields[0].startswith(("%", "/*")):
            continue
        if fields[0].startswith("*"):
            within, section, row = section, fields[0].lower(), 0
            if section == "*vertices" and within == "*other":
                section = within
            elif section == "*vertices":
                if n >= 0 or len(fields) < 2 or not fields[1].isdecimal():
                    raise FormatError(f"{where} one '*Vertices <n>'")
                n = int(fields[1])
                file.check_vertices(n)
            elif section not in ("*network", *SECTIONS):
                section = "*other"  # partitions and vectors contain no edges
            continue
        try:
            if section == "*vertices":
                label = shlex.split(line)[:2] if '"' in line else fields[:2]
                labels[index(label[0], n)] = label[-1]
            elif section == "*matrix":
                row += 1
                values = [float(field) for field in fields]
                declared += sum(value != 0 for value in values)
                ends = [(row, at, {"weight": v}) for at, v in enumerate(values, 1) if v]
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
