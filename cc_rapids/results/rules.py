"""The rules of an answer's clusters, the edges that a rule refused, and both as saved arrays."""

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
NAMES = ("rule_code", "rule_limits", "cannot_first", "cannot_second", "must_first", "must_second")


@dataclass(frozen=True)
class Refused:
    """The k edges that a rule refused, as arrays on the backend of the answer."""

    edges: Array  # int64: their positions in the edge list, in ascending order
    rule: Array  # uint8: one plus the position in ``RULES`` of the rule that refused each edge
    source: Array  # int64: the row in the answer of the source of each edge
    destination: Array  # int64: the row in the answer of its destination


@dataclass(frozen=True)
class Ruled:
    """The rules of an answer's clusters, and the edges that a rule refused.

    ``must`` are two arrays of int64 with the rows in the answer of both ends of each pair of
    ``must_link``. If the answer is copied without its edges, ``columns`` keep the columns of the
    refused edges.
    """

    rules: Rules  # over the rows of the answer
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

        ``ends`` are two (k,) arrays of int64 with the answer's rows of both ends of the refused
        edges, below n. ``max_size`` is the maximum number of vertices of a cluster, if any. Raise a
        ValueError if an array has another type or length, or contains an invalid number.
        """
        columns = [arrays[name] for name in NAMES]
        code, limits, *pairs = columns  # the ends of the pairs of cannot_link and of must_link
        rule, edges = arrays["refused_rule"], arrays["refused_row"]
        valid_types = all(column.dtype == np.int64 for column in columns) and rule.dtype == np.uint8
        valid_sizes = code.size in (0, n) and rule.size == edges.size  # code: 0 without datasets
        valid_sizes = valid_sizes and all(a.size == b.size for a, b in (pairs[:2], pairs[2:]))
        # an array, the least valid value, and the least value that is too great
        bounds = [(code, -1, limits.size), (limits, 1, np.inf), (rule, 1, len(RULES) + 1)]
        bounds += [(rows_of_end, 0, n) for rows_of_end in pairs]
        if not (valid_types and valid_sizes) or any(
            column.size and not low <= column.min() <= column.max() < high
            for column, low, high in bounds
        ):
            raise ValueError("the rules of its clusters are invalid")
        max_size = None if max_size is None else check_count("max_size", max_size)
        code, limits, first, second, *must = map(backend.asarray, columns)
        refused = Refused(*map(backend.asarray, (edges, rule, *ends)))
        return cls(Rules(code, limits, first, second, max_size), (must[0], must[1]), refused)


class PartOfRuled(Ruled):
    """The rules of another answer, and a selection of the edges that these rules refused.

    On first use, ``find_places()`` selects the edges. It returns their positions among the refused
    edges of ``whole``, in ascending order.
    """

    def __init__(self, whole: Ruled, find_places: Callable[[], Array]) -> None:
        # attributes of a frozen dataclass cannot be assigned; ``refused`` is a property here
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
