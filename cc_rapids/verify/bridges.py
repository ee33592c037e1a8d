"""The audit of bridges: each one separates, and of all other edges each lies on a cycle.

Without some of its edges a graph has at most as many components more as there are of them. If it
has as many, all of them are bridges; so the classes are counted, the components of the edges that
are said to be no bridges. That an edge lies on a cycle is proved by a flow: as much flows into each
vertex as out of it, so that through edges that separate the graph flows nothing in all, and some
through this edge.

The classes and the flow come from what runs use, and are not trusted. If no edge joins two
classes, these are at most as many as there are components; and flows are added up. If they are
wrong, a right answer is refused, but no wrong one is accepted. The flow is random, and 0 somewhere
by chance, once in 2^64 edges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..errors import VerificationError, counted
from ..kernels import audit_bridges as kernels
from ..kernels.audit import kernel
from .forests import places_of
from .label_frame import LabelFrame
from .rows import Rows
from .shown_rows import ShownRows
from .vertex_lookup import ALL

# Gives a flow along edges, and the class of each of n slots: of (us, vs, n, backend).
FlowsAlong = Callable[[Array, Array, int, Backend], tuple[Array, Array]]


@dataclass
class BridgesClaim:
    """The frame of bridges that is to be proved.

    Attributes
    ----------
    shown : ShownRows
        The frame.
    flows_along : callable
        Gives the flow and the classes, which are not trusted.
    classes : int
        The components without them, once these are counted.
    """

    shown: ShownRows
    flows_along: FlowsAlong
    classes: int | None = field(default=None, init=False)

    def prove(self, given: EdgeInput, rows: Rows, answer: LabelFrame) -> None:
        """Raise a VerificationError unless all edges outside the frame lie on cycles.

        Parameters
        ----------
        given : EdgeInput
            The edges.
        rows : Rows
            The same edges as kernels read them.
        answer : LabelFrame
            The labels of the vertices, among whose slots are both ends of each edge.
        """
        _Proof(self, given, rows, answer).prove()

    def check_count(self, vertices: int, components: int) -> None:
        """Raise a VerificationError unless each row of the frame is a bridge."""
        count = len(self.shown)
        if self.classes is None and count:
            raise VerificationError(
                f"the frame has {counted(count, 'bridge')}, but there is no edge"
            )
        if self.classes not in (None, components + count):
            raise VerificationError(
                f"without {counted(count, 'edge')} there are {self.classes:,} components"
                f" instead of {components:,}: not all of them are bridges"
            )


class _Proof:
    """The edges of a graph, of which some are said to be bridges."""

    def __init__(
        self, claim: BridgesClaim, given: EdgeInput, rows: Rows, answer: LabelFrame
    ) -> None:
        self.claim, self.given, self.answer = claim, given, answer
        self.backend, self.n, self.m = answer.backend, answer.ids.n, rows.m
        backend, node = self.backend, answer.ids.vertex
        self.kept = None if given.row_index is None else backend.asarray(given.row_index())
        listed = backend.asarray(claim.shown.rows())
        self.cut = places_of(listed, self.kept, self.m, "bridges", backend.xp)
        edges, kind = (rows.first, rows.second, rows.low, self.n), (backend, node, rows.wide)
        ends = kernel(kernels.ends_of_edges, *kind, rows.load_edge(backend))
        self.sides = [backend.empty(self.m, node) for _ in range(2)]
        ends(self.m, *edges, *self.sides)
        self.cut_ends = [side[self.cut] for side in self.sides]
        claim.shown.check_ends(answer, listed, self.cut_ends)
        for side in self.sides:
            side[self.cut] = 0

    def prove(self) -> None:
        """Raise a VerificationError unless the classes are right, and no bridge is missing."""
        backend, n = self.backend, self.n
        us, vs = self.sides
        flows, classes = self.claim.flows_along(us, vs, n, backend)
        first = backend.fill(backend.empty(kernels.FAULTS, np.uint64), 0xFF)
        balance = backend.fill(backend.empty(n, np.uint64), 0)
        kernel(kernels.let_flow, backend)(self.m, us, vs, flows, classes, balance, first)
        kernel(kernels.find_unbalanced, backend)(n, balance, first)
        idle, unbalanced, split = map(int, backend.to_host(first))
        if min(unbalanced, split) != ALL:
            raise VerificationError(
                "the audit itself has failed: its flows or classes do not fit the edges, so that it"
                " proves nothing; or the edges were changed in the meantime"
            )
        self._check_cut(classes)
        if idle != ALL:
            one, other = (self.answer.name(int(side[idle])) for side in self.sides)
            raise VerificationError(
                f"edge {self._told(idle)} from {one} to {other} is a bridge, which is missing"
            )
        own, slots = self.answer.own, backend.xp.arange(n, dtype=classes.dtype)
        is_vertex = own != np.iinfo(own.dtype).max
        self.claim.classes = int((is_vertex & (classes == slots)).sum())

    def _check_cut(self, classes: Array) -> None:
        """Raise a VerificationError that names the first row of the frame that is no bridge.

        It joins vertices of one class, or something flows through it between the classes.
        """
        if not self.cut.size:
            return
        us, vs = (classes[side] for side in self.cut_ends)
        flows, _ = self.claim.flows_along(us, vs, self.n, self.backend)
        wrong = self.backend.xp.flatnonzero((us == vs) | (flows != 0))
        if wrong.size:
            raise VerificationError(f"edge {self._told(int(self.cut[wrong[0]]))} is no bridge")

    def _told(self, e: int) -> str:
        """Return the number of an edge in the caller's list as text."""
        return f"{e if self.kept is None else int(self.kept[e]):,}"
