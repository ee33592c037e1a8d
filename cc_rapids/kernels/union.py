"""Union rules: link the trees of two vertices; the smaller root stays a root.

parent : (n,) unsigned, shared by all threads. Invariant: parent[v] <= v, so every climb ends and
         the root of a finished tree is its least vertex.
aux    : the auxiliary array of a rule (hooks or locks); most rules ignore it.

A link returns the root that it hooked, or NONE, the greatest number of the vertex type. Only roots
are hooked, by a compare-and-swap on their own parent, so no hook is lost and each vertex is hooked
once. Allowed race: a stale read shows an older ancestor in the same tree. The swap then fails and
returns the current parent, which is smaller, so every lost race shortens the loop.
"""

from typing import Any

from .find import FINDS, halve
from .primitives import none_of
from .spec import HOOKS, union_rule


@union_rule("async", finds=FINDS, requires=("find",), paper="Hong et al. 2020, Algorithm 10")
def asynchronous(on: Any, vertex: type, find: Any) -> Any:
    """Hook the larger root under the smaller by one compare-and-swap; if it fails, find again."""
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
    """Climb both paths at once, the larger vertex first; hook the first root; then compress."""
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
                if g != p:  # path halving
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
    needs="4 bytes per vertex for the hooks",
    paper="Hong et al. 2020, Algorithm 11",
)
def hooks(on: Any, vertex: type, find: Any) -> Any:
    """Compare-and-swap an array of hooks; only the winner writes the parent.

    hooks[v] is NONE until v is hooked, and then the new parent of v. In the paper, a losing thread
    waits until the winner's store is visible. Here it climbs on from hooks[v].
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
    """Hook like async, but find the roots once; after a lost swap, retry from the new parent."""
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
    """Compare the parents, try to hook the larger one, and climb both paths without finds."""
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        p, q = parent[u], parent[v]
        while p != q:
            if p < q:
                p, q = q, p
            current = parent[p]
            if current == q:  # the trees are joined already
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
    """Compare the parents of both endpoints; link like async only if they differ.

    Equal parents mean the same tree, even if the parents are stale. If a swap fails, u is no longer
    a root, and the next find climbs from u.
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
