"""The audit of a 2-colouring: each edge joins two colours, or an odd cycle proves that none exists.

:mod:`cc_rapids.verify.audit` verifies the components first. This audit reads the edges again and
looks up their ends in the label frame. An odd cycle is a proof by itself: its rows are edges of the
list, consecutive rows share a vertex, and their number is odd.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends import Array
from ..data.edge_input import EdgeInput
from ..errors import VerificationError, counted, inflected
from .label_frame import LabelFrame
from .placed_edges import PlacedEdges
from .shown_rows import ShownRows
from .tables import check_columns, plain, row_in_words

if TYPE_CHECKING:
    import pyarrow as pa

NONE = -1  # the colour of vertices without a colour


@dataclass(frozen=True)
class SidesAudit:
    """The result of an audit of a 2-colouring.

    Attributes
    ----------
    edges, vertices : int
        The numbers of edges and vertices.
    bipartite : int
        The number of components that are bipartite, and so have colours.
    odd : int
        The number of components with an odd cycle.
    seconds : float
        The duration, including the audit of the components.
    """

    edges: int
    vertices: int
    bipartite: int
    odd: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"right: {counted(self.bipartite, 'bipartite component')} and"
            f" {self.odd:,} with an odd cycle, of {counted(self.vertices, 'vertex', 'vertices')},"
            f" by {counted(self.edges, 'edge')}"
        )


@dataclass(frozen=True)
class Claim:
    """The claims of a :class:`Bipartition` to verify, in tables on the host.

    Attributes
    ----------
    labels : table
        The verified label frame: the id columns, then the label columns.
    colors : table
        The same id columns, then the colours. The colour is null or -1 in components with an odd
        cycle.
    cycles : table
        The edges of the odd cycles: the label columns, the row, and the columns of both ends.
    shown : ShownRows
        The same edges in the frame that callers receive.
    is_bipartite : bool
        The claim that all components are bipartite.
    """

    labels: pa.Table
    colors: pa.Table
    cycles: pa.Table
    shown: ShownRows
    is_bipartite: bool


def audit(answer: LabelFrame, given: EdgeInput, claim: Claim, backend: Any) -> int:
    """Return how many components are not bipartite; raise a VerificationError for a wrong claim.

    The label frame is already verified. ``given`` are the edges, read again.
    """
    colored = claim.colors.num_rows
    if colored != claim.labels.num_rows:
        raise VerificationError(
            f"{counted(colored, 'vertex', 'vertices')} {inflected(colored, 'is', 'are')} in the"
            f" frame of colours, but {claim.labels.num_rows:,} in the frame of labels"
        )
    with answer.borrow_for(backend), backend.scope():
        ids = (table.columns[: answer.width] for table in (claim.colors, claim.labels))
        check_columns("vertices with colours", *ids)
        if not answer.rows:
            return 0
        sides = _Sides(answer, given, claim)
        sides.check_edges()
        odd = sides.check_cycles()
    if claim.is_bipartite != (odd == 0):
        raise VerificationError(
            f"is_bipartite is {claim.is_bipartite}, but {counted(odd, 'component')}"
            f" {inflected(odd, 'has', 'have')} no colours"
        )
    return odd


class _Sides(PlacedEdges):
    """The colour of each slot of an answer, NONE for no colour, and the edges between slots."""

    def __init__(self, answer: LabelFrame, given: EdgeInput, claim: Claim) -> None:
        super().__init__(answer, given)
        self.claim = claim
        column = claim.colors.column(self.width).combine_chunks()
        color = column.fill_null(NONE).to_numpy(zero_copy_only=False).astype(np.int64)
        invalid = np.flatnonzero((color < NONE) | (color > 1))
        if invalid.size:
            row = int(invalid[0])
            name = row_in_words(claim.labels.columns[: self.width], row)
            raise VerificationError(f"vertex {name} has the colour {color[row]}, not 0 or 1")
        self.color = self.xp.full(answer.ids.n, NONE, np.int64)
        self.color[self.slots] = self.backend.asarray(color)  # slots without a vertex have no row

    def check_edges(self) -> None:
        """Raise a VerificationError for the first edge or component whose colours are wrong.

        Also set ``uncolored``, the label slots of the components without colours.
        """
        xp, answer = self.xp, self.answer
        left, right = self.color[self.src], self.color[self.dst]
        # an edge may join colours 0 and 1, whose sum is 1, or two vertices without colours
        wrong = xp.flatnonzero((left + right != 1) & ((left != NONE) | (right != NONE)))
        if wrong.size:
            e = int(wrong[0])
            names = [answer.name(int(side[e])) for side in (self.src, self.dst)]
            colors = [str(int(side[e])).replace(str(NONE), "none") for side in (left, right)]
            raise VerificationError(
                f"edge {int(self.caller_rows()[e]):,} joins {names[0]} and {names[1]}, which have"
                f" the colours {colors[0]} and {colors[1]}"
            )
        components, first = xp.unique(self.component[self.slots], return_index=True)
        least = self.slots[first]  # slots ascend in the order of ids
        self.uncolored = components[self.color[least] == NONE]
        wrong = xp.flatnonzero(self.color[least] == 1)
        if wrong.size:
            name = answer.name(int(least[wrong].min()))
            raise VerificationError(
                f"vertex {name} has the colour 1, but the least vertex of a component should have 0"
            )

    def check_cycles(self) -> int:
        """Return the number of odd cycles; raise a VerificationError if one is wrong or missing.

        Each component without colours needs one cycle, and other components have none.
        """
        xp, rows = self.xp, self.backend.asarray(self.claim.shown.rows())
        place = self.places_of(rows, "odd cycles")
        src, dst = self.src[place], self.dst[place]
        self.claim.shown.check_ends(self.answer, rows, [src, dst])
        component = self.component[src]
        unproved = xp.flatnonzero(~xp.isin(self.uncolored, component))
        if unproved.size:
            name = self.answer.name(int(self.uncolored[unproved[0]]))
            raise VerificationError(
                f"the component of vertex {name} has no colours, but no odd cycle proves it"
            )
        if not rows.size:
            return 0
        begins = xp.ones(rows.size, bool)  # whether each row is the first row of a cycle
        begins[1:] = component[1:] != component[:-1]
        starts = xp.flatnonzero(begins)
        lengths = xp.diff(xp.concatenate([starts, xp.full(1, rows.size, starts.dtype)]))
        head = self._walk(rows, src, dst, starts, last=starts + lengths - 1)
        # of the edges that lead to one vertex, all but the first revisit it
        order = xp.argsort(head, kind="stable")
        revisits = xp.zeros(rows.size, bool)
        revisits[order[1:]] = head[order[1:]] == head[order[:-1]]
        self._refuse(revisits, rows, "leads to a vertex that the cycle has visited")
        is_first_cycle = xp.zeros(rows.size, bool)  # at the first row of a component's first cycle
        is_first_cycle[starts[xp.unique(component[starts], return_index=True)[1]]] = True
        is_surplus = (begins & ~is_first_cycle) | ~xp.isin(component, self.uncolored)
        self._refuse(is_surplus, rows, "is in a component that already has a cycle, or colours")
        even = xp.zeros(rows.size, bool)
        even[starts] = lengths % 2 == 0
        self._refuse(even, rows, "begins a cycle with an even number of edges")
        self._check_labels(src)
        return int(starts.size)

    def _walk(self, rows: Array, src: Array, dst: Array, starts: Array, last: Array) -> Array:
        """Return the vertex to which each cycle edge leads; the next edge must start there.

        ``starts`` and ``last`` are the first and the last row of each cycle. Raise a
        VerificationError unless the edges of each cycle form a closed walk.
        """
        xp = self.xp
        following, before = xp.arange(1, rows.size + 1), xp.arange(-1, rows.size - 1)
        following[last], before[starts] = starts, last
        # an edge leads to the end that it shares with the next edge, and starts at its other end
        head = xp.where((src == src[following]) | (src == dst[following]), src, dst)
        tail = head[before]
        is_walk = (head == src[following]) | (head == dst[following])
        is_walk &= ((tail == src) & (head == dst)) | ((tail == dst) & (head == src))
        self._refuse(~is_walk, rows, "does not start where the previous edge ends")
        return head

    def _check_labels(self, src: Array) -> None:
        """Raise a VerificationError unless the rows of cycles have the labels of their components.

        ``src`` is the slot of the first end of each cycle edge.
        """
        rows = self.backend.to_host(self.xp.searchsorted(self.slots, src))
        columns = self.claim.labels.columns[self.width :]
        expected = [plain(column).take(rows) for column in columns]
        check_columns("labels of cycles", self.claim.cycles.columns[: len(expected)], expected)

    def _refuse(self, wrong: Array, rows: Array, words: str) -> None:
        """Raise a VerificationError for the first wrong row of the cycles, if there is one."""
        if bool(wrong.any()):
            k = int(wrong.argmax())
            raise VerificationError(
                f"edge {int(rows[k]):,}, in row {k:,} of the odd cycles, {words}"
            )
