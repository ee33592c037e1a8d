"""Rem's parallel algorithm: optimistic stores without locks, and rounds of verification.

parent : (n,) unsigned, shared by all threads; parent[v] <= v always, so that every climb ends.

``read`` gives the ends of an edge, and two equal ones for an edge that is left out.

Patwary, Refsnes and Manne 2012, as Cong and Muzio 2014, section 6, take it.
"""

from typing import Any

from ...kernels.find import naive
from ...kernels.spec import Step, standalone_algorithm
from ..phases import changes


def unite(on: Any, read: Any) -> Any:
    """Climb both paths, always the one whose parent is larger, and store to it the smaller parent.

    Stores are plain. A hook or a splice that another thread's store wipes out is lost, and what
    hung by it may be cut off: the verification finds an edge across the cut. What is stored is
    smaller than what was read, whether that is current or not, so that after a launch no parent is
    larger than before it, and one that was stored to is smaller: rounds that store anything end.
    """

    @on.elementwise
    def unite(e, src, dst, low, n, present, out_of_range, parent):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        p, q = (parent[u], parent[v]) if u != v else (u, v)
        while p != q:
            if p < q:
                u, v, p, q = v, u, q, p
            parent[u] = q
            if u == p:
                return
            u, p = p, parent[p]

    return unite


def verify(on: Any, read: Any) -> Any:
    """Raise the flag for an edge whose ends have two roots; nothing is stored meanwhile."""
    climb = naive(on)

    @on.elementwise
    def verify(e, src, dst, low, n, present, out_of_range, parent, separate):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v and climb(parent, u) != climb(parent, v):
            separate[0] = 1

    return verify


@standalone_algorithm(
    "rem-parallel",
    requires=("read",),
    supports_stages=True,
    paper="Rem, Patwary et al. 2012; Cong and Muzio 2014, 6",
)
def rem_parallel(on: Any, vertex: type, read: Any) -> Step:
    """Apply Rem's rule with splices and plain stores to all edges, until all are verified.

    All edges are verified each time, those of earlier rounds too: a lost hook may undo what an
    edge had joined that is not the loser's.
    """
    join, check = unite(on, read), verify(on, read)

    def connect_rest(state: Any) -> None:
        given = state.m, *state.edges, state.n, *state.flags, state.trees.parent
        join(*given)
        while changes(state, check, *given):
            join(*given)

    return connect_rest
