"""Link: join the trees of two vertices, the smaller root on top.

parent : (n,) unsigned, shared by all threads. parent[v] <= v always, so every climb ends and the
root of a finished tree is its least vertex.
"""

from typing import Any

from ..catalog import choice


@choice("link", "async", takes=("compress",), paper="Union-Async, Hong et al. 2020, 3.4")
def asynchronous(on: Any, find: Any) -> Any:
    """Hook the larger root under the smaller by one compare-and-swap; the loser climbs on.

    Only a root is ever hooked, and only by a successful compare-and-swap on itself, so no hook is
    lost. A stale read shows an older ancestor of the same tree: the swap then fails and returns
    what the root's parent is by now.
    """
    cas = on.cas

    @on.device
    def link(parent, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            if u < v:
                u, v = v, u
            seen = cas(parent, u, u, v)
            if seen == u:
                return True
            # seen < u: each lost race moves u down, so the loop ends even on stale reads
            u, v = find(parent, seen), find(parent, v)
        return False

    return link
