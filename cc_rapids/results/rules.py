"""The rules of an answer's clusters, and the edges that a rule refused, also as arrays of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.rules import RULES, Rules
from ..backends import Array, Backend
from ..data.arguments import check_count

#: The names of the arrays of rules in a file.
NAMES = (
    *("rule_code", "rule_limits", "cannot_first", "cannot_second"),
    *("must_first", "must_second"),
)


@dataclass(frozen=True)
class Refused:
    """The edges that a rule refused, as arrays on the backend of the answer.

    Attributes
    ----------
    edges : (k,) array of int64
        The positions of the refused edges in the edge list, in ascending order.
    rule : (k,) array of uint8
        The number of the rule that refused each edge, which is one plus its position in ``RULES``.
    source, destination : (k,) arrays of int64
        The rows in the answer of both ends of each edge.
    """

    edges: Array
    rule: Array
    source: Array
    destination: Array


@dataclass(frozen=True)
class Ruled:
    """The rules of an answer's clusters, and the edges that a rule refused.

    Attributes
    ----------
    rules : Rules
        The rules over the rows of the answer.
    must : pair of (p,) arrays of int64
        The rows in the answer of both ends of each pair of ``must_link``.
    refused : Refused
        The edges that a rule refused.
    columns : dict of columns, optional
        The columns of the refused edges, in a copy of the answer that has no edges.
    """

    rules: Rules
    must: tuple[Array, Array]
    refused: Refused
    columns: dict[str, Any] | None = None

    def with_columns(self, columns: dict[str, Any]) -> Ruled:
        """Return the same rules and edges, with the columns of the refused edges."""
        return Ruled(self.rules, self.must, self.refused, columns)

    def arrays(self, backend: Backend) -> dict[str, Any]:
        """Return the arrays on the host that a file stores: the rules, and ``refused.rule``."""
        rules = self.rules
        columns = rules.code, rules.limits, rules.first, rules.second, *self.must
        arrays = {
            name: backend.to_host(array).astype(np.int64)
            for name, array in zip(NAMES, columns, strict=True)
        }
        return arrays | {"refused_rule": backend.to_host(self.refused.rule)}

    @classmethod
    def of_arrays(
        cls, arrays: dict[str, Any], ends: tuple[Any, Any], max_size: Any, n: int, backend: Backend
    ) -> Ruled:
        """Return the rules of n vertices from the arrays of a file.

        Parameters
        ----------
        ends : pair of (k,) arrays of int64
            The answer's rows of both ends of the refused edges, below n.
        max_size : int, optional
            The maximum number of vertices of a cluster.

        Raises
        ------
        ValueError
            An array has another type or length, or contains an invalid number.
        """
        columns = [arrays[name] for name in NAMES]
        code, limits, *pairs = columns
        rule, rows = arrays["refused_rule"], arrays["refused_row"]
        is_valid = all(column.dtype == np.int64 for column in columns) and rule.dtype == np.uint8
        is_valid = is_valid and code.size in (0, n) and rule.size == rows.size
        is_valid = is_valid and all(src.size == dst.size for src, dst in (pairs[:2], pairs[2:]))
        # an array, the least valid value, and the least value that is too great
        bounds = [(code, -1, limits.size), (limits, 1, np.inf), (rule, 1, len(RULES) + 1)]
        bounds += [(rows_of_end, 0, n) for rows_of_end in pairs]
        for column, low, high in bounds:
            is_valid = is_valid and (not column.size or low <= column.min() <= column.max() < high)
        if not is_valid:
            raise ValueError("the rules of its clusters are invalid")
        max_size = None if max_size is None else check_count("max_size", max_size)
        code, limits, first, second, *must = map(backend.asarray, columns)
        refused = Refused(*map(backend.asarray, (rows, rule, *ends)))
        return cls(Rules(code, limits, first, second, max_size), (must[0], must[1]), refused)


class PartOfRuled(Ruled):
    """The rules of another answer, and a selection of the edges that these rules refused.

    The edges are selected on first use.

    Parameters
    ----------
    whole : Ruled
        The rules and all refused edges.
    find_places : callable
        Returns the positions of the selected edges among the refused edges, in ascending order.
    """

    def __init__(self, whole: Ruled, find_places: Callable[[], Array]) -> None:
        # attributes of a frozen dataclass cannot be assigned
        vars(self).update(rules=whole.rules, must=whole.must, columns=None)
        vars(self).update(_whole=whole, _find_places=find_places)

    @cached_property
    def places(self) -> Array:
        """The positions of the selected edges among the refused edges of the other answer."""
        return vars(self)["_find_places"]()

    @cached_property
    def refused(self) -> Refused:
        """The selected refused edges."""
        whole = vars(self)["_whole"].refused
        columns = whole.edges, whole.rule, whole.source, whole.destination
        return Refused(*(column[self.places] for column in columns))
