"""The edges of a list as pairs of slots of a label frame, for audits of derived results.

:mod:`cc_rapids.verify.audit` verifies the components first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput, Lending
from ..kernels import audit as kernels
from ..kernels.audit import kernel
from .label_frame import LabelFrame
from .shown_rows import places_of
from .vertex_lookup import Tally


class PlacedEdges:
    """The slots of a label frame's vertices, and of both ends of each edge.

    The label frame is already verified, and borrowed by its backend. The edges are read again.

    Attributes
    ----------
    slots : (v,) array of int64
        The slot of each vertex, in the order of the frame.
    component : (n,) array of int64
        For each slot of a vertex, the slot of the vertex's label, which identifies the component.
    src, dst : (m,) arrays of int64
        The slots of the ends of each edge.
    """

    answer: LabelFrame
    given: EdgeInput
    width: int
    backend: Backend
    xp: Any
    slots: Array
    component: Array
    src: Array
    dst: Array

    def __init__(self, answer: LabelFrame, given: EdgeInput) -> None:
        self.answer, self.given, self.width = answer, given, answer.width
        self.backend, self.xp = answer.backend, answer.backend.xp
        backend = answer.backend
        # The tally and the faults are not read: the audit of the components has checked them.
        answer.assign_slots(Tally(lambda: backend.fill(backend.empty(3, np.uint64), 0)))
        answer.scatter_labels(backend.fill(backend.empty(kernels.FAULTS, np.uint64), 0xFF))
        self.slots = answer.ids.slots().astype(np.int64)
        self.component = answer.label_of.astype(np.int64)
        self.src, self.dst = self.ends(given)

    def ends(self, given: EdgeInput) -> list[Array]:
        """Return the slots of both ends of each edge of a list."""
        if not given.src.size:
            return [self.slots[:0], self.slots[:0]]
        with Lending(given) as ((left, right, *_vertices), row_offsets):
            if row_offsets:  # an adjacency list: the source of each entry is its row
                left = self.backend.empty(given.src.size, np.int64)
                offsets = self.backend.asarray(row_offsets[0])
                kernel(kernels.list_rows, self.backend)(left.size, offsets, left)
            return [self.answer.find(side).astype(np.int64) for side in (left, right)]

    def caller_rows(self) -> Array:
        """Return the row of each edge in the caller's list."""
        if self.given.row_index is None:
            return self.xp.arange(self.given.src.size)
        return self.backend.asarray(self.given.row_index()).astype(np.int64)

    def places_of(self, rows: Array, what: str) -> Array:
        """Return the positions of edges, given their rows in the caller's list.

        Raise a VerificationError if a row is not among the edges; ``what`` names the frame.
        """
        if not rows.size:
            return rows
        return places_of(rows, self.caller_rows(), int(self.src.size), what, self.xp)

    def are_vertices(self, slots: Array) -> Array:
        """Return a mask that is True for slots of vertices, and False for slots of unknown ids."""
        outside = (slots < 0) | (slots >= self.answer.ids.n)
        labels, no_label = self.answer.label_of, np.iinfo(self.answer.ids.vertex).max
        if not labels.size:
            return ~outside
        return ~outside & (labels[self.xp.where(outside, 0, slots)] != no_label)
