"""The method of answers that tells why two vertices are in one component: paths of the forest."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.paths import Jumps, order_from_weakest
from ..algorithms.rooted_forest import RootedForest, rooted
from ..backends import Array
from ..data.read import read_pairs
from ..graph.edges import LentOn
from .lookup import Lookup

if TYPE_CHECKING:
    from .components import Facts


class Walked(NamedTuple):
    """The forest of an answer, rooted at the least vertices.

    Attributes
    ----------
    forest : RootedForest
    row : (t,) array of int64
        The row of each edge in the caller's list, ascending.
    weights : (t,) array of numbers, or None
    """

    forest: RootedForest
    row: Array
    weights: Array | None


class Paths(Lookup):
    """An answer whose spanning forest has a path between any two vertices of a component."""

    _dense: Array
    _facts: Facts
    _check_forest: Callable[[str], None]
    _columns_of_forest: Callable[..., dict[str, Any]]

    def paths(
        self,
        pairs: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        header: bool | None = None,
    ) -> Any:
        """Return the length, and the weakest edge, of the path along the forest of each pair.

        There is one path along the forest between two vertices of a component. Its weakest edge
        is the one of the least weight in a forest of greatest weight, and of the greatest weight in
        one of least weight; of equal weights, the one of the least row. No other path between the
        two has a stronger weakest edge.

        The rooted forest is kept for further calls: 72 bytes a vertex, and 8 more for each bit of
        the number of edges from the deepest vertex to its root (16 beyond 2^31 vertices).

        Parameters
        ----------
        pairs : frame, pair of columns or file
            Pairs of vertices, in any form that :func:`cc_rapids.components` accepts; not changed.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        header : bool, optional
            As for :func:`cc_rapids.components`.

        Returns
        -------
        frame of the kind of the edges, with a row for each pair, in their order
            Column ``length`` (int64): the number of edges of the path; 0 for a pair of the same
            vertex, and -1 for one in two components. For a forest by weight also ``weakest_row``
            (int64, as ``row`` of :meth:`Components.forest`; -1 where the path has no edge) and
            ``weakest_weight`` (of the type of the weights; 0 there).

        Raises
        ------
        InputError
            The answer was found without ``forest=``.
        UnknownVertexError
            Some ids are not vertices; names their number and the first of them.
        ArgumentTypeError
            The pairs are two single ids.

        See Also
        --------
        Components.forest : The edges of the forest.
        Components.connected : Only whether pairs are in one component.

        Notes
        -----
        Bender and Farach-Colton, "The level ancestor problem simplified", TCS 2004: jump pointers.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 8], "weight": [0.9, 0.6, 0.7]})
        >>> found = cc_rapids.components(edges, weight="weight", forest="max")
        >>> found.paths(([5, 7, 9], [7, 2, 2]))
           length  weakest_row  weakest_weight
        0       2            1             0.6
        1       1            1             0.6
        2      -1           -1             0.0
        """
        self._check_forest("paths(pairs)")
        width = len(self._given.src.key_columns) or 1
        asked = "paths()", "path(first, second)"
        given = read_pairs(pairs, source, destination, header, width, asked)
        with LentOn(self._backend, given) as columns:
            sides = zip((given.src, given.dst), columns, strict=False)
            first, second = (self._places_of(side, held, "raise")[0] for side, held in sides)
            return self._frame(self._lengths_of(first, second))

    def _lengths_of(self, first: Array, second: Array) -> dict[str, Array]:
        """Return the columns of the lengths and the weakest edges of paths."""
        xp = self._backend.xp
        jumps, order = self._jumps
        joined = self._dense[first] == self._dense[second]
        length, place = jumps.between(first, second, joined, xp)
        weights = self._walked.weights
        if weights is None:
            return {"length": length}
        some = xp.flatnonzero(place >= 0)
        edge = order[place[some]]
        row, weight = xp.full(length.size, -1, np.int64), xp.zeros(length.size, weights.dtype)
        row[some], weight[some] = self._walked.row[edge], weights[edge]
        return {"length": length, "weakest_row": row, "weakest_weight": weight}

    @cached_property
    def _walked(self) -> Walked:
        """The rooted forest."""
        backend, columns = self._backend, self._columns_of_forest()
        row, weights = backend.asarray(columns.pop("row")), columns.pop("weight", None)
        src, dst = self._places_of_ends(list(columns.values()))
        vertex, least = self._rows()
        roots = backend.xp.flatnonzero(vertex == least).astype(np.int64)
        n = int(vertex.size)
        forest = rooted(src, dst, self._dense.astype(np.int64), roots, n, backend.xp)
        return Walked(forest, row, None if weights is None else backend.asarray(weights))

    @cached_property
    def _jumps(self) -> tuple[Jumps, Array]:
        """The ancestors of each vertex, and the edges from the weakest to the strongest."""
        xp, (forest, row, weights) = self._backend.xp, self._walked
        order = xp.arange(row.size)
        if weights is not None:
            order = order_from_weakest(weights, row, not self._facts.greatest, xp)
        return Jumps.of(forest, order, xp), order
