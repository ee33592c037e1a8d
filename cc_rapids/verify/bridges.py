"""The audit of bridges by a depth-first search on one host thread.

:mod:`cc_rapids.verify.audit` verifies the components, and looks up the ends of all edges. The
depth-first search is :func:`cc_rapids.oracle.bridges`, which shares no code with runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..data.edge_input import EdgeInput
from ..errors import VerificationError, counted
from . import oracle
from .label_frame import LabelFrame
from .rows import Rows
from .shown_rows import ShownRows, check_ascending, edge_in_words, places_of


@dataclass
class BridgesClaim:
    """A frame of bridges to verify.

    ``is_proved`` becomes True in :meth:`prove`, which is not called if there are no edges.
    """

    shown: ShownRows
    is_proved: bool = field(default=False, init=False)

    def prove(self, given: EdgeInput, rows: Rows, answer: LabelFrame) -> None:
        """Raise a VerificationError unless the frame shows exactly the bridges of the edges.

        ``rows`` has the edges of ``given`` in the form that kernels read. Both ends of each edge
        are vertices of the answer.
        """
        backend, caller_rows = answer.backend, None
        if given.row_index is not None:
            caller_rows = backend.to_host(backend.asarray(given.row_index()))
        src, dst = (backend.to_host(side) for side in rows.slots(backend))
        listed = backend.to_host(backend.asarray(self.shown.rows()))
        check_ascending(listed, "bridges")
        places = places_of(listed, caller_rows, rows.m, "bridges", np)
        is_bridge = np.zeros(rows.m, bool)
        is_bridge[oracle.bridges(src, dst, answer.ids.n)] = True
        wrong = places[~is_bridge[places]]
        if wrong.size:
            raise VerificationError(f"{edge_in_words(wrong[0], caller_rows)} is not a bridge")
        is_missing = is_bridge.copy()
        is_missing[places] = False
        if is_missing.any():
            e = int(is_missing.argmax())
            ends = [answer.name(int(side[e])) for side in (src, dst)]
            raise VerificationError(
                f"{edge_in_words(e, caller_rows)} from {ends[0]} to {ends[1]} is a bridge, which is"
                " missing"
            )
        slots = [backend.asarray(side[places]) for side in (src, dst)]
        self.shown.check_ends(answer, backend.asarray(listed), slots)
        self.is_proved = True

    def check_count(self, vertices: int, components: int) -> None:
        """Raise a VerificationError if the frame has bridges, but the list has no edges.

        The arguments, which only :meth:`ForestClaim.check_count` needs, are ignored.
        """
        if len(self.shown) and not self.is_proved:
            raise VerificationError(
                f"the frame has {counted(len(self.shown), 'bridge')}, but there is no edge"
            )
