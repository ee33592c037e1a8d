"""Join the trees of two vertices, the smaller root on top.

parent : (n,) unsigned, shared by all threads. parent[v] <= v always, so every climb ends and the
root of a finished tree is its least vertex.
aux    : what a rule keeps beside the parents; most keep nothing, and never look at it.

A link returns the root that it has hooked, or the greatest number of its type, NONE. Only a root is
ever hooked, by a successful compare-and-swap on itself, so that no hook is lost and each vertex is
hooked once. A stale read shows an older ancestor in the same tree; the swap then fails, and
returns the current value, which is smaller; every lost race shortens the loop.
"""

from typing import Any

from .find import FINDS, halve
from .primitives import none_of
from .spec import HOOKS, union_rule


@union_rule("async", finds=FINDS, requires=("find",), paper="Hong et al. 2020, Algorithm 10")
def asynchronous(on: Any, vertex: type, find: Any) -> Any:
    """Hook the larger root under the smaller by one compare-and-swap; the loser climbs on."""
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            if u < v:
                u, v = v, u
            current = cas(parent, u, u, v)
            if current == u:
                return u
            u, v = find(parent, current), find(parent, v)
        return none

    return link


@union_rule(
    "early", finds=FINDS, requires=("compress_after_union",), paper="Hong et al. 2020, Algorithm 12"
)
def early(on: Any, vertex: type, compress_after_union: Any) -> Any:
    """Climb both paths together, the larger first, and hook as soon as it is a root.

    On the way each vertex is pointed at its grandparent; after that both paths are compressed.
    """
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        a, b, hooked = u, v, none
        while a != b and hooked == none:
            if a < b:
                a, b = b, a
            p = parent[a]
            if p == a:
                p = cas(parent, a, a, b)
            if p == a:
                hooked = a
            else:
                g = parent[p]
                if g != p:
                    cas(parent, a, p, g)
                a = g
        compress_after_union(parent, u)
        compress_after_union(parent, v)
        return hooked

    return link


@union_rule(
    "hooks",
    finds=FINDS,
    requires=("find",),
    aux_array=HOOKS,
    needs="4 bytes a vertex for the hooks",
    paper="Hong et al. 2020, Algorithm 11",
)
def hooks(on: Any, vertex: type, find: Any) -> Any:
    """Compare-and-swap on an array of hooks, so that the parent is written by the winner alone.

    hooks[v] is NONE until v is hooked, and then what it was hooked to. The paper's loser waits
    until the winner's store is seen; here it climbs on from the hook, which it has just read.
    """
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, hooks, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            if u < v:
                u, v = v, u
            current = cas(hooks, u, none, v)
            if current == none:
                parent[u] = v
                return u
            u, v = find(parent, current), find(parent, v)
        return none

    return link


@union_rule("ecl", paper="Jaiganesh and Burtscher 2018, compute; Hong et al. 2020, 4.3")
def ecl(on: Any, vertex: type) -> Any:
    """Hook as async, but halve the paths once, and let a loser go on from what it saw."""
    cas, find, none = on.atomic_cas, halve(on), none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            if u < v:
                u, v = v, u
            current = cas(parent, u, u, v)
            if current == u:
                return u
            u = current
        return none

    return link


@union_rule("afforest", paper="Sutton et al. 2018, link; Hong et al. 2020, 4.3")
def afforest(on: Any, vertex: type) -> Any:
    """Compare parents, try to hook the larger one, and step up both paths without finds."""
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        p, q = parent[u], parent[v]
        while p != q:
            if p < q:
                p, q = q, p
            current = parent[p]
            if current == q:
                return none
            if current == p:
                current = cas(parent, p, p, q)
                if current == p:
                    return p
            p, q = parent[current], parent[q]
        return none

    return link


@union_rule(
    "parent-check",
    finds=FINDS,
    requires=("find",),
    paper="immediate parent check (IPC), Osipov et al. 2009; Patwary et al. 2010",
)
def parent_check(on: Any, vertex: type, find: Any) -> Any:
    """Compare the parents of the ends first, and climb as async does only if they differ.

    Equal parents mean one tree, whether they are stale or not. A swap that fails leaves a vertex
    that is no longer a root, from which the next find climbs on.
    """
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        u, v = parent[u], parent[v]
        while u != v:
            u, v = find(parent, u), find(parent, v)
            if u < v:
                u, v = v, u
            if u != v and cas(parent, u, u, v) == u:
                return u
        return none

    return link
