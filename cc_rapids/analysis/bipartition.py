"""The 2-colouring of a graph, and the odd cycles of components that are not bipartite."""

from __future__ import annotations

from copy import copy
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from ..algorithms.bipartition import double_cover, odd_cycles
from ..backends import Array
from ..data import html
from ..data.edge_input import plain_frame
from ..data.frame_access import collected
from ..data.frame_build import with_column
from ..data.within import with_bounds
from ..errors import InputError, counted
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..ids.decoders import OffsetDecoder
from ..ids.encode import EncodedIds
from ..keywords import suggest_keywords_of_methods
from ..results.answer import Answer, ComponentsT
from ..results.forest_columns import columns_of_edges
from ..results.lookup import rows_of_edges
from ..results.written import arrow_of
from ..solver.choose import SolveOptions
from ..solver.run import solve_encoded
from .audits import prove, shown_labels

if TYPE_CHECKING:
    from ..verify.sides import SidesAudit

NO_COLOR = -1


def check_kept(answer: Answer, what: str) -> None:
    """Raise an error if an answer lacks its edges, because they were read in chunks.

    ``what`` is what the edges are needed for.
    """
    if answer.given.src.size != answer.facts.edges:
        raise InputError(
            f"the {answer.facts.edges:,} edges were read in chunks and not kept, but are needed"
            f" twice for {what}: read them into one frame"
        )


def least_of_components(
    answer: Answer, edges: Edges, n: int, options: SolveOptions, ids: str = "double cover"
) -> Array:
    """Return, for each of n vertices, the least vertex of its component.

    The edges join the vertices 0 .. n - 1 and were derived from the input of the answer. ``ids`` is
    the name of the encoding in summaries.
    """
    forest = Forest(answer.backend, n, all_present=True)
    encoded = EncodedIds(edges, forest, ids, n, OffsetDecoder(0, np.dtype(np.int64)))
    solve_encoded(answer.given, encoded, answer.backend, options)
    return forest.parent


@suggest_keywords_of_methods
class Bipartition(Generic[ComponentsT]):
    """A 2-colouring of an edge list, or the odd cycles that prevent one.

    ``len()`` is the number of components.

    Attributes
    ----------
    components : Components
        The components of the edges.

    See Also
    --------
    bipartition : Find the 2-colouring of an edge list.

    Examples
    --------
    >>> import cc_rapids
    >>> found = cc_rapids.bipartition(([1, 2, 7, 8, 9], [2, 3, 8, 9, 7]))
    >>> found
    <Bipartition: 2 components, 1 not bipartite>
    >>> found.is_bipartite
    False
    """

    components: ComponentsT

    def __init__(self, components: ComponentsT, options: SolveOptions) -> None:
        self.components, answer = components, components.answer
        check_kept(answer, "a bipartition")
        with answer.backend.scope():
            self._roots, n = answer.least_rows, answer.forest.vertices
            # In the double cover, vertex v is joined to a root r by a path of even length, and to
            # n + r by a path of odd length. If r is joined to n + r, there is an odd cycle.
            cover = double_cover(*rows_of_edges(answer), n, answer.backend.xp)
            parent = least_of_components(answer, cover, 2 * n, options)
            self._odd = parent[self._roots] == parent[self._roots + n]
            root = self._roots[answer.dense]
            color = (parent[:n] != root.astype(parent.dtype)).astype(np.int8)
            color[self._odd[answer.dense]] = NO_COLOR
            self._color = color
            self._odd_components = int(self._odd.sum())
        # a copy has no edges to compute odd_cycles() from, so it stores the columns
        self._cycles: dict[str, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for copies and pickles: the cycles, but not the edges."""
        with self.components.answer.backend.scope():
            return vars(self) | {"_cycles": self._columns_of_cycles()}

    def __len__(self) -> int:
        return len(self.components.answer)

    def __repr__(self) -> str:
        return (
            f"<Bipartition: {counted(len(self), 'component')}, {self._odd_components:,} not"
            " bipartite>"
        )

    def _repr_html_(self) -> str:
        facts = {"components": len(self), "not bipartite": self._odd_components}
        return html.panel("Bipartition", html.facts(facts))

    @property
    def is_bipartite(self) -> bool:
        """True if all components are bipartite: no cycle has an odd length."""
        return not self._odd_components

    def colors(self) -> Any:
        """Return the colour of each vertex; the ends of an edge have different colours.

        Returns
        -------
        frame of the caller's kind, new, columns ``vertex`` and ``color`` (int8)
            One row per vertex, sorted by id. The least vertex of each component has colour 0. In
            components that are not bipartite, all colours are null, or -1 in arrays.

        See Also
        --------
        Bipartition.odd_cycles : Return why a component is not bipartite.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> frame = pd.DataFrame({"src": [5, 2, 9, 4], "dst": [2, 7, 4, 4]})
        >>> cc_rapids.bipartition(frame).colors()
           vertex  color
        0       2      0
        1       4   <NA>
        2       5      1
        3       7      1
        4       9   <NA>
        """
        answer = self.components.answer
        with answer.backend.scope():
            vertex = answer.columns("vertex", answer.rows()[0])
            if answer.given.make_frame is plain_frame:
                return answer.frame(vertex | {"color": self._color.copy()})
            valid = None
            if self._odd_components:
                valid = answer.home(self._color != NO_COLOR)
            frame = answer.in_memory_frame(vertex)
            return answer.given.answer(with_column(frame, "color", answer.home(self._color), valid))

    def odd_cycles(self) -> Any:
        """Return one odd cycle for each component that is not bipartite.

        Returns
        -------
        frame of the caller's kind, new
            Column ``labels`` is the label of the component, as in :meth:`Components.labels`.
            Columns ``row`` (int64, the position of the edge in the input, or of the entry in an
            adjacency list), ``source`` and ``destination`` are as in :meth:`Components.forest`.
            Consecutive rows of a cycle share a vertex, and the last row shares a vertex with the
            first row. No vertex repeats. A self-loop is a cycle of one row. If a component has
            self-loops, the first self-loop is returned. The cycles depend only on the order of the
            edges, not on the run or the engine. The frame is empty if all components are bipartite.

        See Also
        --------
        Bipartition.colors : Return the colours of bipartite components.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> frame = pd.DataFrame({"src": [5, 2, 7, 5, 9], "dst": [2, 7, 8, 7, 9]})
        >>> cc_rapids.bipartition(frame).odd_cycles()
           labels  row  source  destination
        0       2    0       5            2
        1       2    1       2            7
        2       2    3       5            7
        3       9    4       9            9
        """
        with self.components.answer.backend.scope():
            return self.components.answer.frame(self._columns_of_cycles())

    def audit(
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        **given: Any,
    ) -> SidesAudit:
        """Verify the colours and the odd cycles against the edges.

        The components are verified first, see :meth:`Components.audit`. Every edge must join two
        colours, or two vertices without a colour. The least vertex of each coloured component must
        have colour 0. Each other component must have one cycle in :meth:`odd_cycles`. The rows of a
        cycle must be edges of the list, and consecutive rows must meet. A cycle must have an odd
        number of rows and repeat no vertex. The audit shares no code with the search for colours
        and cycles.

        Parameters
        ----------
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            The edges that the answer was computed from, in memory or in files.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.bipartition`.
        **given
            ``vertices``, ``num_vertices``, ``nulls``, ``header``, and ``weight`` with ``at_least``
            or ``at_most`` as for the answer.

        Returns
        -------
        SidesAudit
            The counts of edges, vertices, and components of both kinds.

        Raises
        ------
        VerificationError
            The answer is wrong. The error names the first edge, vertex or cycle row that proves it.
        InputError
            The edges or an argument cannot be used.

        See Also
        --------
        Components.audit : Verify the components only.

        Examples
        --------
        >>> import cc_rapids
        >>> edges = [1, 2, 7, 8, 9], [2, 3, 8, 9, 7]
        >>> print(cc_rapids.bipartition(edges).audit(edges))
        right: 1 bipartite component and 1 with an odd cycle, of 6 vertices, by 5 edges
        """
        from ..verify.audit import read_again
        from ..verify.shown_rows import ShownRows
        from ..verify.sides import Claim, SidesAudit, audit  # runs do not need this import

        answer, started = self.components.answer, perf_counter()
        proof = prove(answer, edges, source, destination, **given)
        cycles, width = collected(self.odd_cycles()), max(len(answer.given.src.key_columns), 1)
        labels, colors, table = map(arrow_of, (answer.label_frame(), self.colors(), cycles))
        shown = ShownRows(cycles, "odd cycles", width)
        shown.check_index(edges)
        claim = Claim(labels, colors, table, shown, self.is_bipartite)
        options = with_bounds(answer.given.bound, given, "audit(edges)")
        reread = read_again(edges, source, destination, **options)
        odd = audit(shown_labels(answer), reread, claim, answer.backend)
        bipartite, seconds = proof.components - odd, perf_counter() - started
        return SidesAudit(proof.edges, proof.vertices, bipartite, odd, seconds)

    def _columns_of_cycles(self) -> dict[str, Any]:
        """Return the columns of :meth:`odd_cycles`, as new arrays."""
        if self._cycles is not None:
            return {name: copy(column) for name, column in self._cycles.items()}
        answer = self.components.answer
        xp = answer.backend.xp
        component = rows = xp.zeros(0, np.int64)
        if self._odd_components:
            component_of = answer.dense.astype(np.int64)
            component, rows = odd_cycles(
                rows_of_edges(answer), component_of, self._odd, self._roots, answer.backend
            )
        label = answer.kind.of_component(answer, component)
        labels = answer.kind.columns(answer, "labels", label)
        columns = labels | columns_of_edges(answer.given, answer.home(rows))
        return {name: answer.home(column) for name, column in columns.items()}
