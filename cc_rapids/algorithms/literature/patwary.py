"""Rem's parallel algorithm: optimistic stores without locks, and rounds of verification.

parent : (n,) unsigned, shared by all threads; parent[v] <= v always, so every climb ends.
read   : returns the endpoints of an edge, or two equal vertices for an invalid edge.
prefetch_edge : prefetches the parents and grandparents of later edges of a list, on CPUs.

Patwary, Refsnes and Manne 2012, as described by Cong and Muzio 2014, section 6. The paper on
software prefetching that they cite, Cong and Makarychev 2012, was not available.
"""

from typing import Any

from ...kernels.find import naive
from ...kernels.primitives import no_prefetch
from ...kernels.spec import Step, standalone_algorithm
from ..phases import changes


def unite(on: Any, read: Any, prefetch_edge: Any) -> Any:
    """Climb both paths: point the vertex with the larger parent at the smaller parent, and advance.

    Allowed race: stores are plain, so another thread may overwrite a hook or a splice and cut off a
    subtree. The verification then finds an edge across the cut. Each value stored to a parent is
    smaller than some value that this parent had since the launch began. So no parent is greater
    after a launch than before, and a launch that stores anything lowers at least one parent. The
    rounds therefore end.
    """

    @on.elementwise
    def unite(e, src, dst, low, n, present, out_of_range, parent):
        prefetch_edge(e, src, dst, low, parent)
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u == v:
            return
        p, q = parent[u], parent[v]
        while p != q:
            if p < q:
                u, v, p, q = v, u, q, p
            parent[u] = q
            if u == p:
                return  # u was a root, and is hooked
            u, p = p, parent[p]

    return unite


def verify(on: Any, read: Any) -> Any:
    """Set the flag if the endpoints of an edge have different roots; stores nothing else."""
    climb = naive(on)

    @on.elementwise
    def verify(e, src, dst, low, n, present, out_of_range, parent, separate):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v and climb(parent, u) != climb(parent, v):
            separate[0] = 1

    return verify


@standalone_algorithm(
    "rem-parallel",
    options={"prefetch": ("off", "on")},
    requires=("read", "prefetch_edge"),
    supports_stages=True,
    paper="Rem, Patwary et al. 2012; Cong and Muzio 2014, 6",
)
def rem_parallel(on: Any, vertex: type, read: Any, prefetch_edge: Any, prefetch: str) -> Step:
    """Apply Rem's rule with splices and plain stores to all edges, until all are verified.

    Each verification covers all edges, because a lost hook may also undo the union of another edge.
    ``prefetch=on`` prefetches in software on CPUs, and changes nothing on GPUs.
    """
    if prefetch == "off":
        prefetch_edge = no_prefetch(on)
    join, check = unite(on, read, prefetch_edge), verify(on, read)

    def connect_rest(state: Any) -> None:
        arguments = state.m, *state.edges, state.n, *state.flags, state.trees.parent
        join(*arguments)
        while changes(state, check, *arguments):
            join(*arguments)

    return connect_rest
