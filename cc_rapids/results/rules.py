"""The rules of an answer's clusters, and the edges that they refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..algorithms.rules import Rules
from ..backends import Array


@dataclass(frozen=True)
class Refused:
    """The edges that a rule refused, as arrays on the backend of the answer.

    Attributes
    ----------
    edges : (k,) array of int64
        Positions in the edge list, ascending.
    rule : (k,) array of uint8
        One plus the position of the rule in ``RULES``.
    source, destination : (k,) arrays of int64
        The rows of both ends in the answer.
    """

    edges: Array
    rule: Array
    source: Array
    destination: Array


@dataclass(frozen=True)
class Ruled:
    """The rules of an answer's clusters, and the edges that they refused.

    Attributes
    ----------
    rules : Rules
        The rules over the rows of the answer.
    must : pair of (p,) arrays of int64
        The rows of both ends of ``must_link`` pairs.
    refused : Refused
    columns : dict of columns, optional
        The columns of the refused edges, in a copy without edges.
    """

    rules: Rules
    must: tuple[Array, Array]
    refused: Refused
    columns: dict[str, Any] | None = None

    def with_columns(self, columns: dict[str, Any]) -> Ruled:
        """Return the same with the columns of the refused edges."""
        return replace(self, columns=columns)
