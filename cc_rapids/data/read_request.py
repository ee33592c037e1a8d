"""The request of a caller beside the edges: columns, vertices, nulls, headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .arguments import check_names

Side = str | list[str]  # the column of one end of each edge, or several that are one id
SOURCE, DESTINATION = "src", "dst"  # the columns of what is in memory, unless they are named


@dataclass(frozen=True)
class ReadRequest:
    """The way in which edges are to be read.

    Attributes
    ----------
    source, destination : str, or list of as many str, optional
        The columns that were named; an adapter knows what they are else.
    nulls : {"raise", "drop"} or REFUSE of :mod:`cc_rapids.data.column`
        What becomes of edges with a null end.
    header : bool, optional
        Whether the first line of text names its columns; only of paths.
    vertices : column, array, frame or range, optional
        The vertices that the caller names; refused by what has its own.
    vertices_are_dense_range : bool
        Whether these are the range 0 .. n - 1, and there are no others.
    """

    source: Side | None = None
    destination: Side | None = None
    nulls: str = "raise"
    header: bool | None = None
    vertices: Any = None
    vertices_are_dense_range: bool = False

    @property
    def names(self) -> tuple[Side, Side]:
        """The columns of edges in memory, which were checked to be names."""
        source = SOURCE if self.source is None else self.source
        return source, DESTINATION if self.destination is None else self.destination

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        """The same as lists, of as many columns."""
        return several(*self.names)

    @property
    def has_lists(self) -> bool:
        """True if several columns were named as one id, as only frames and files have them."""
        return isinstance(self.source, list) or isinstance(self.destination, list)


def named(
    source: str | list[str] | None, destination: str | list[str] | None
) -> tuple[str | list[str], str | list[str]]:
    """Return the columns of edges in memory: those that were given, or else src and dst."""
    for what, names in (("source=", source), ("destination=", destination)):
        if names is not None:
            check_names(what, names)
    source = SOURCE if source is None else source
    return source, DESTINATION if destination is None else destination


def several(source: Any, destination: Any) -> tuple[list[str], list[str]]:
    """Return the names of several columns a side, as many on each."""
    sides = [side if isinstance(side, list) else [side] for side in (source, destination)]
    if len(sides[0]) != len(sides[1]) or not sides[0]:
        raise InputError(
            f"source names {len(sides[0])} columns and destination {len(sides[1])}: a vertex has"
            " the same columns at both ends of an edge"
        )
    return sides[0], sides[1]
