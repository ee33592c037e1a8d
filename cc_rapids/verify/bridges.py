"""The audit of bridges: each one separates, and of all other edges each lies on a cycle.

Without some of its edges a graph has at most as many components more as there are of them. If it
has as many, all of them are bridges; so its classes, the components of the edges that are said to
be no bridges, are counted. That an edge lies on a cycle is proved by a flow: as much flows into
each vertex as out of it, and through the edge flows something (:mod:`..kernels.audit_bridges`).

Classes and flows are found by what runs use, and may be wrong. Then they do not add up, and a right
answer is refused; no wrong one is accepted. A flow of random numbers is 0 somewhere by chance, once
in 2^64 edges.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms import run
from ..algorithms.bridges import Reached
from ..algorithms.design import Design
from ..algorithms.rooted_forest import rooted
from ..backends import Array, Backend
from ..data import read as frames
from ..data.edge_input import EdgeInput
from ..data.frame_access import column_of, columns_of, numbers_of
from ..errors import VerificationError, counted
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..kernels import audit_bridges as kernels
from ..kernels.audit import kernel
from .answer import Answer
from .forests import places_of
from .vertex_lookup import ALL, Tally

if TYPE_CHECKING:
    from .audit import Rows

DESIGN = "none+async+halve"
SEED = 0x2545F4914F6CDD1D  # of the flows: no secret, as no graph is made to fit them


@dataclass
class BridgesClaim:
    """The frame of bridges that is to be proved.

    Attributes
    ----------
    frame : frame, or named tuple of arrays
        Columns ``row``, and the ends of each bridge, at last.
    classes : int
        The components without them, once these are counted.
    """

    frame: Any
    classes: int | None = field(default=None, init=False)

    @property
    def rows(self) -> int:
        """The number of bridges."""
        return len(column_of(self._columns, "row"))

    @property
    def _columns(self) -> Any:
        """The frame as it is; of named arrays a mapping of names to columns."""
        return self.frame._asdict() if hasattr(self.frame, "_asdict") else self.frame

    def prove(self, given: EdgeInput, rows: Rows, answer: Answer) -> None:
        """Raise a VerificationError unless all edges outside the frame lie on cycles.

        Parameters
        ----------
        given : EdgeInput
            The edges.
        rows : Rows
            The same edges as kernels read them.
        answer : Answer
            The labels of the vertices, among whose slots are both ends of each edge.
        """
        _Proof(self, given, rows, answer).prove()

    def check_count(self, vertices: int, components: int) -> None:
        """Raise a VerificationError unless each row of the frame is a bridge."""
        if self.classes is None and self.rows:
            raise VerificationError(f"the frame has {counted(self.rows, 'bridge')}, but there is no edge")
        if self.classes not in (None, components + self.rows):
            raise VerificationError(
                f"without {counted(self.rows, 'edge')} there are {self.classes:,} components"
                f" instead of {components:,}: not all of them are bridges"
            )


class _Proof:
    """The edges of a graph, of which some are said to be bridges."""

    def __init__(
        self, claim: BridgesClaim, given: EdgeInput, rows: Rows, answer: Answer
    ) -> None:
        self.claim, self.given, self.answer = claim, given, answer
        self.backend, self.n, self.m = answer.backend, answer.ids.n, rows.m
        backend, node = self.backend, answer.ids.vertex
        self.kept = None if given.row_index is None else backend.asarray(given.row_index())
        listed = backend.asarray(numbers_of(column_of(claim._columns, "row"))[0]).astype(np.int64)
        self.cut = places_of(listed, self.kept, self.m, "bridges", backend.xp)
        edges, kind = (rows.first, rows.second, rows.low, self.n), (backend, node, rows.wide)
        ends = kernel(kernels.ends_of_edges, *kind, rows.load_edge(backend))
        self.sides = [backend.empty(self.m, node) for _ in range(2)]
        ends(self.m, *edges, *self.sides)
        self._check_ends()
        self.cut_ends = [side[self.cut] for side in self.sides]
        for side in self.sides:
            side[self.cut] = 0

    def prove(self) -> None:
        """Raise a VerificationError unless the classes are right, and no bridge is missing."""
        backend, n = self.backend, self.n
        us, vs = self.sides
        first = backend.fill(backend.empty(kernels.FAULTS, np.uint64), 0xFF)
        forest, hooks, roots = self._components(self.sides)
        kernel(kernels.find_split, backend)(self.m, us, vs, forest.parent, first)
        balance = self._flows(hooks, roots, first)
        kernel(kernels.find_unbalanced, backend)(n, balance, first)
        idle, unbalanced, split = map(int, backend.to_host(first))
        if min(unbalanced, split) != ALL:
            raise VerificationError(
                "the audit itself has failed: its flows or classes do not fit the edges, so that it"
                " proves nothing; or the edges were changed in the meantime"
            )
        self._check_cut(forest.parent)
        if idle != ALL:
            one, other = (self.answer.name(int(side[idle])) for side in self.sides)
            raise VerificationError(
                f"edge {self._told(idle)} from {one} to {other} is a bridge, which is missing"
            )
        own = self.answer.own[roots]
        self.claim.classes = int((own != np.iinfo(own.dtype).max).sum())

    def _components(self, sides: list[Array]) -> tuple[Forest, Array, Array]:
        """Return the components of edges, the rows of a spanning forest of them, and its roots."""
        backend, n = self.backend, self.n
        forest = Forest(backend, n, all_present=True)
        hook_edge = backend.fill(backend.empty(n, np.uint64), 0xFF)
        run.solve(Edges(*sides, 0), forest, Design.parse(DESIGN), None, hook_edge)
        roots = backend.xp.flatnonzero(hook_edge == ALL)
        return forest, hook_edge[hook_edge != ALL].astype(np.int64), roots

    def _flows(self, hooks: Array, roots: Array, first: Array) -> Array:
        """Return what flows out of each vertex less what flows into it, which should be 0.

        What leaves the vertices below an edge of the forest by other edges comes back through it:
        in preorder they are an interval, so that a difference of two sums tells how much that is.
        """
        backend, xp, n = self.backend, self.backend.xp, self.n
        us, vs = self.sides
        in_forest = xp.zeros(self.m, np.uint8)
        in_forest[hooks] = 1
        balance = xp.zeros(n, np.uint64)
        flow_outside = kernel(kernels.flow_outside, backend)
        flow_outside(self.m, us, vs, in_forest, SEED, balance)
        trees = rooted(us[hooks], vs[hooks], roots, n, backend)
        begin, size = trees.preorder()
        before = xp.zeros(n + 1, np.uint64)
        before[1:][begin] = balance
        xp.cumsum(before, dtype=np.uint64, out=before)
        lowest = begin[trees.child]
        flows = before[lowest] - before[lowest + size[trees.child]]
        flow_inside = kernel(kernels.flow_inside, backend)
        child = trees.child.astype(us.dtype)
        flow_inside(hooks.size, hooks, us, vs, child, flows, balance, first)
        return balance

    def _check_cut(self, classes: Array) -> None:
        """Raise a VerificationError that names the first row of the frame that is no bridge."""
        if not self.cut.size:
            return
        ends = [classes[side] for side in self.cut_ends]
        _, hooks, roots = self._components(ends)
        reached = Reached.of((ends[0], ends[1]), hooks, roots, self.n, self.backend)
        is_bridge = self.backend.xp.zeros(self.cut.size, bool)
        is_bridge[reached.bridges()] = True
        wrong = self.backend.xp.flatnonzero(~is_bridge)
        if wrong.size:
            raise VerificationError(f"edge {self._told(int(self.cut[wrong[0]]))} is no bridge")

    def _check_ends(self) -> None:
        """Raise a VerificationError for the first bridge whose ends are not those of its row."""
        if not self.cut.size:
            return
        width = max(len(self.given.src.key_columns), 1)
        names = columns_of(self.claim._columns)
        sides = [names[-2 * width : -width], names[-width:]]
        source, destination = sides if width > 1 else (side[0] for side in sides)
        listed = frames.read(self.claim._columns, source, destination)
        with listed.borrow() as (columns, _):
            for held, side in zip(columns, self.sides, strict=False):
                wrong = self.answer.find(held) != side[self.cut]
                if bool(wrong.any()):
                    row = self._told(int(self.cut[wrong.argmax()]))
                    raise VerificationError(f"bridge {row} has other ends in the edges")

    def _told(self, e: int) -> str:
        """Return the number of an edge in the caller's list as text."""
        return f"{e if self.kept is None else int(self.kept[e]):,}"
