"""The two colours of vertices, and odd cycles where there are none."""

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
from ..results.answer import Answer, ComponentsT
from ..results.forest_columns import forest_columns
from ..results.lookup import places_of_edges
from ..results.written import arrow_of
from ..solver.choose import SolveOptions
from ..solver.solve import solve_encoded
from .audits import prove, shown_labels

if TYPE_CHECKING:
    from ..verify.sides import SidesAudit

NO_COLOR = -1


def check_kept(answer: Answer, what: str) -> None:
    """Raise an error if the edges of an answer, needed for ``what``, were read in chunks."""
    if answer.given.src.size != answer.facts.edges:
        raise InputError(
            f"the {answer.facts.edges:,} edges were read in chunks, which are not kept, and are"
            f" needed twice for {what}: read them into one frame"
        )


def least_of_components(
    answer: Answer, edges: Edges, n: int, options: SolveOptions, ids: str = "double cover"
) -> Array:
    """Return the least vertex of the component of each vertex, by edges made from an answer.

    Parameters
    ----------
    answer : Answer
        The answer, on whose backend the edges are solved.
    edges : Edges
        Between the vertices 0 .. n - 1.
    ids : str
        What the edges are, in words.
    """
    forest = Forest(answer.backend, n, all_present=True)
    encoded = EncodedIds(edges, forest, ids, n, OffsetDecoder(0, np.dtype(np.int64)))
    solve_encoded(answer.given, encoded, answer.backend, options)
    return forest.parent


class Bipartition(Generic[ComponentsT]):
    """The two colours of the vertices of an edge list, or the odd cycles that leave none.

    ``len()`` is the number of components.

    Attributes
    ----------
    components : Components
        The components of the edges.

    See Also
    --------
    bipartition : Find it.

    Examples
    --------
    >>> import cc_rapids
    >>> found = cc_rapids.bipartition(([1, 2, 7, 8, 9], [2, 3, 8, 9, 7]))
    >>> found
    <Bipartition: 2 components, 1 not bipartite>
    >>> found.is_bipartite
    False
    """

    def __init__(self, components: ComponentsT, options: SolveOptions) -> None:
        self.components, answer = components, components.answer
        check_kept(answer, "a bipartition")
        backend, xp = answer.backend, answer.backend.xp
        with backend.scope():
            vertex, least = answer.rows()
            self._roots = xp.flatnonzero(vertex == least).astype(np.int64)
            n = int(vertex.size)
            cover = double_cover(*places_of_edges(answer), n, xp)
            parent = least_of_components(answer, cover, 2 * n, options)
            self._odd = parent[self._roots] == parent[self._roots + n]
            root = self._roots[answer.dense]
            color = (parent[:n] != root.astype(parent.dtype)).astype(np.int8)
            color[self._odd[answer.dense]] = NO_COLOR
            self._color = color
            self._odd_components = int(self._odd.sum())
        self._cycles: dict[str, Any] | None = None  # of a copy, which has no edges

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for copies and pickles: without the edges, with the cycles in them."""
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
        """True if all components are, that is, no cycle has an odd number of edges."""
        return not self._odd_components

    def colors(self) -> Any:
        """Return the colour of each vertex: both ends of an edge have different ones.

        Returns
        -------
        frame of the caller's kind, new, columns ``vertex`` and ``color`` (int8)
            One row per vertex, in the order of the ids. The least vertex of each component has
            colour 0. In components that are not bipartite all colours are null, for callers who
            gave arrays -1.

        See Also
        --------
        Bipartition.odd_cycles : The reason why a component is not bipartite.

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
            here, there = answer.given.on_device, None
            if self._odd_components:
                there = answer.bring(self._color != NO_COLOR, here)
            frame = answer.held_frame(vertex)
            return answer.given.answer(with_column(frame, "color", answer.home(self._color), there))

    def odd_cycles(self) -> Any:
        """Return one cycle of an odd number of edges for each component that is not bipartite.

        Returns
        -------
        frame of the caller's kind, new
            Columns ``labels`` (of the component, as in :meth:`Components.labels`), ``row`` (int64,
            the number of the edge in the input; of an adjacency list, of the entry), ``source`` and
            ``destination``, as in :meth:`Components.forest`. Consecutive rows of a cycle share a
            vertex, and so do the last and the first; no vertex is met twice. A self-loop is a cycle
            of one row, and the first one is taken where there is one. The cycles depend on the
            order of the edges alone, not on the run or the engine. Without rows if all components
            are bipartite.

        See Also
        --------
        Bipartition.colors : The colours of all others.

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
        """Prove from the edges that the colours and the odd cycles are right.

        The components are proved first, see :meth:`Components.audit`. Then every edge must join two
        colours, or two vertices without one; the least vertex of each component with colours must
        have 0; and each component without them must have one cycle in :meth:`odd_cycles`, whose
        rows are edges of the list, go on where the one before ends, meet no vertex twice, and are
        odd in number. Nothing of what finds colours and cycles is used.

        Parameters
        ----------
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            The edges of the answer, in memory or in files.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.bipartition`.
        **given
            ``vertices``, ``num_vertices``, ``nulls``, ``header``, and ``weight`` with ``at_least``
            or ``at_most`` as for the answer.

        Returns
        -------
        SidesAudit
            The proof: the numbers of edges, vertices, and components of both kinds.

        Raises
        ------
        VerificationError
            The answer is wrong; names the first edge, vertex or row of a cycle that says so.
        InputError
            The edges or an argument cannot be used.

        See Also
        --------
        Components.audit : Prove the components alone.

        Examples
        --------
        >>> import cc_rapids
        >>> edges = [1, 2, 7, 8, 9], [2, 3, 8, 9, 7]
        >>> print(cc_rapids.bipartition(edges).audit(edges))
        right: 1 bipartite component and 1 with an odd cycle, of 6 vertices, by 5 edges
        """
        from ..verify.audit import read_again
        from ..verify.shown_rows import ShownRows
        from ..verify.sides import Claim, SidesAudit, audit  # a run needs none of this

        answer, started = self.components.answer, perf_counter()
        proof = prove(answer, edges, source, destination, **given)
        cycles, width = collected(self.odd_cycles()), max(len(answer.given.src.key_columns), 1)
        labels, colors, table = map(arrow_of, (answer.label_frame(), self.colors(), cycles))
        shown = ShownRows(cycles, "odd cycles", width)
        shown.check_index(edges)
        claim = Claim(labels, colors, table, shown, self.is_bipartite)
        options = with_bounds(answer.given.bound, given, "audit(edges)")
        again = read_again(edges, source, destination, **options)
        odd = audit(shown_labels(answer), again, claim, answer.backend)
        bipartite, seconds = proof.components - odd, perf_counter() - started
        return SidesAudit(proof.edges, proof.vertices, bipartite, odd, seconds)

    def _columns_of_cycles(self) -> dict[str, Any]:
        """Return the columns of :meth:`odd_cycles`: new ones."""
        if self._cycles is not None:
            return {name: copy(column) for name, column in self._cycles.items()}
        answer = self.components.answer
        xp = answer.backend.xp
        component = rows = xp.zeros(0, np.int64)
        if self._odd_components:
            tree = answer.dense.astype(np.int64)
            component, rows = odd_cycles(
                places_of_edges(answer), tree, self._odd, self._roots, answer.backend
            )
        label = answer.kind.of_component(answer, component)
        labels = answer.kind.columns(answer, "labels", label)
        columns = labels | forest_columns(answer.given, answer.home(rows))
        return {name: answer.home(column) for name, column in columns.items()}
