"""The answer as a container: its counts, its vertices, pairs of them, and their edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends import Array
from ..data.arguments import check_word
from ..data.frame_access import is_single, on_host, only, rows_between, values_of
from ..data.frame_build import column_like, edges_where
from ..data.read import check_one_id, read_pairs
from ..data.within import AS_FOUND, AsFound, bound_of_list, edges_asked
from ..errors import ArgumentTypeError, InputError, shown
from ..graph.edges import LentOn
from ..tuning import tuning
from .lookup import Lookup

if TYPE_CHECKING:
    from ..data.edge_input import EdgeInput
    from .labels import LabelKind


class Container(Lookup):
    """An answer that can be counted, iterated over, and asked about vertices and pairs."""

    _counts: Array
    _kind: LabelKind
    _component: Callable[[Any], int]
    _numbered: Any  # two arrays

    @property
    def num_components(self) -> int:
        """The number of components, which is also ``len()``."""
        return self._forest.components

    @property
    def num_vertices(self) -> int:
        """The number of vertices, including those without edges."""
        return self._forest.vertices

    def __contains__(self, vertex: Any) -> bool:
        """Return whether an id is a vertex of the answer.

        A value that cannot be an id of these edges, such as a string among integers, is none.
        """
        if not is_single(vertex):
            if hasattr(vertex, "__len__") and not isinstance(vertex, bytes | tuple):
                raise ArgumentTypeError(
                    f"`in` looks up one vertex, not {shown(vertex)}: pass several to"
                    " attach(frame, missing='null'), or to component_of()"
                )
            return False
        try:
            with self._backend.scope():
                return bool(self._places(self._one(vertex), "null")[1][0])
        except InputError:  # it is of another kind, or beyond 64 bits
            return False

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield the label and the vertices of each component, in the order of the least ids.

        As groups of pandas. Vertices have the kind that :meth:`Components.subset` returns; those of
        a GPU are copied to the host in blocks of many components, as pandas or NumPy. A label is a
        Python object, a tuple for ids of several columns.
        """
        with self._backend.scope():
            xp, count = self._backend.xp, self.num_components
            vertex, component = self._numbered
            order = xp.argsort(component, kind="stable")
            answer: Any = self  # kinds of labels take the whole class
            labels = self._kind.of_component(answer, xp.arange(count))
            ends = self._backend.to_host(xp.cumsum(self._counts))
        start = begin = 0
        while start < count:
            stop = int(np.searchsorted(ends, begin + tuning.iterated_rows, side="right"))
            stop = max(stop, start + 1)
            with self._backend.scope():
                rows = order[begin : int(ends[stop - 1])]
                column = only(
                    on_host(self._held_frame(self._columns("vertex", vertex[rows]))), "vertex"
                )
                named = self._kind.columns(answer, "labels", labels[start:stop])
                sizes = self._held_frame(named | {"size": self._counts[start:stop]})
                names = values_of(only(on_host(sizes), "labels"))
            first = begin
            for name, end in zip(names, ends[start:stop].tolist(), strict=True):
                yield name, rows_between(column, begin - first, end - first)
                begin = end
            start = stop

    def same_component(self, first: Any, second: Any, *, missing: str = "raise") -> bool:
        """Return whether two vertices are in one component.

        Parameters
        ----------
        first, second : id
            Two ids; tuples, for ids of several columns.
        missing : {"raise", "false"}
            What to do if an id is not a vertex of the answer: raise an error, or return False.

        Returns
        -------
        bool
            True also for a vertex and itself.

        Raises
        ------
        UnknownVertexError
            An id is not a vertex of this answer.
        ArgumentTypeError, InputError
            An argument is not one id, or of another kind than those of the edges.

        See Also
        --------
        Components.connected : The same for many pairs.
        Components.component_of : The labels of some vertices.

        Examples
        --------
        >>> import cc_rapids
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.same_component(5, 7), found.same_component(5, 9)
        (True, False)
        """
        policy = _policy(missing)
        with self._backend.scope():
            ends = []
            for name, vertex in (("first", first), ("second", second)):
                check_one_id(name, vertex)
                ends.append(self._roots(self._one(vertex), policy))
            (left, there), (right, here) = ends
            if not (bool(there[0]) and bool(here[0])):
                return False
            return bool((left == right)[0])

    def connected(
        self,
        pairs: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        missing: str = "raise",
        header: bool | None = None,
    ) -> Any:
        """Return whether the two vertices of each pair are in one component.

        Parameters
        ----------
        pairs : frame, pair of columns, list of pairs or file
            Pairs of vertices, in any form that :func:`cc_rapids.components` accepts; not changed.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        header : bool, optional
            As for :func:`cc_rapids.components`.
        missing : {"raise", "false"}
            What to do for a pair with an unknown id: raise an error, or return False.

        Returns
        -------
        (m,) column of bool
            A series with the index of the frame, or an array for arrays; True for a pair of the
            same vertex.

        Raises
        ------
        UnknownVertexError
            Some ids are not vertices; names their number and the first of them.
        ArgumentTypeError
            The pairs are two single ids.

        See Also
        --------
        Components.same_component : The same for two ids.
        Connectivity.connected : The same while edges arrive.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> found = cc_rapids.components((["ann", "bob"], ["bob", "cy"]))
        >>> pairs = pd.DataFrame({"a": ["ann", "ann"], "b": ["cy", "dan"]})
        >>> found.connected(pairs, "a", "b", missing="false").tolist()
        [True, False]
        """
        policy, width = _policy(missing), len(self._given.src.key_columns) or 1
        given = read_pairs(pairs, source, destination, header, width)
        with LentOn(self._backend, given) as columns:
            left, there = self._roots_of(given.src, columns[0], policy)
            right, here = self._roots_of(given.dst, columns[1], policy)
            answers = there & here & (left == right)
            return column_like(pairs, "connected", answers, self._backend, given.on_device)

    def edges(
        self,
        label: Any,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        weight: Any = AS_FOUND,
    ) -> Any:
        """Return the edges of one component, given its label from :meth:`Components.labels`.

        Parameters
        ----------
        label : label
            A label of the answer.
        edges : frame, tuple or mapping of columns, list of pairs, or (m, 2) array
            The edges of the answer, or others between its vertices, with any further columns; not
            changed.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, (m,) array of numbers, or None
            The weights of ``edges``, of which those outside the bounds of this answer are left out:
            by default the column by which it was found. None says that the list has only edges
            within the bounds.

        Returns
        -------
        rows of ``edges``, of the same library
            All columns of the edges with both ends in the component, in their order (in pandas with
            their index); a copy. Edges with a null end, or an end that is not a vertex of the
            answer, belong to no component.

        Raises
        ------
        InputError
            There is no such label, the edges are a path, a stream, a matrix or a graph, which have
            no rows to return, or their ids are of another kind; also MissingColumnError and
            ColumnTypeError.

        See Also
        --------
        Components.subset : The vertices of one component.
        Components.attach : The label of every edge as a column.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [9, 5, 2], "dst": [9, 2, 7], "score": [0.5, 0.9, 0.7]})
        >>> cc_rapids.components(pairs).edges(2, pairs)
           src  dst  score
        1    5    2    0.9
        2    2    7    0.7
        """

        def chosen(given: Any) -> Any:
            """Return for each edge that has two ends whether it is in the component."""
            with LentOn(self._backend, given) as columns:
                number = self._component(label)
                inside = None
                for side, held in zip((given.src, given.dst), columns, strict=False):
                    rows, known = self._places_of(side, held, "null")
                    if self.num_vertices:
                        known &= self._numbered[1][rows] == number
                    inside = known if inside is None else inside & known
                return self._bring(inside, given.on_device)

        what, named = "edges(label, edges)", not isinstance(weight, AsFound)
        bound = bound_of_list(self._given.bound, weight, what)

        def within(one: Any) -> EdgeInput:
            return edges_asked(
                one, source, destination, bound, named=named, what=what, nulls="drop"
            )

        return edges_where(edges, chosen, within)


def _policy(missing: str) -> str:
    """Return the policy of look-ups for unknown ids; raise an InputError if there is none."""
    return {"raise": "raise", "false": "null"}[
        check_word("policy for unknown ids, missing,", missing, ("raise", "false"))
    ]
