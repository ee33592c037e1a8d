"""Rem's union-find: climb two paths together; each step advances the path with the larger parent.

A step shortens or splices the path that it advances. Hong et al. 2020, Algorithms 9, 13 and 14;
the lock-based rule is by Patwary et al. 2012.
"""

from typing import Any

from .primitives import none_of
from .spec import LOCKS, find_rule, union_rule

# step(parent, u, p, q): p is the parent of u, and q < p is the parent on the other path, which only
# ``splice`` uses. A step returns the vertex from which the climb continues. It is smaller than u,
# so the climb ends.


@find_rule("halve-one", one_step=True, paper="HalveAtomicOne, Hong et al. 2020, Algorithm 9")
def halve_one(on: Any) -> Any:
    """Point the vertex at its grandparent and continue from the grandparent."""
    cas = on.atomic_cas

    @on.device
    def step(parent, u, p, q):
        g = parent[p]
        if g != p:
            cas(parent, u, p, g)
        return g

    return step


@find_rule("split-one", one_step=True, paper="SplitAtomicOne, Hong et al. 2020, Algorithm 9")
def split_one(on: Any) -> Any:
    """Point the vertex at its grandparent and continue from its old parent."""
    cas = on.atomic_cas

    @on.device
    def step(parent, u, p, q):
        g = parent[p]
        if g != p:
            cas(parent, u, p, g)
        return p

    return step


@find_rule(
    "splice", one_step=True, splices=True, paper="SpliceAtomic, Hong et al. 2020, Algorithm 9"
)
def splice(on: Any) -> Any:
    """Point the vertex at the smaller parent on the other path; continue from its old parent.

    This moves the vertex to the other tree before the two roots are linked. The same thread links
    the roots before it returns. Until then two vertices can look connected although their union is
    pending, so queries and spanning forests either wait for the end of the phase or reject
    splicing.
    """
    cas = on.atomic_cas

    @on.device
    def step(parent, u, p, q):
        cas(parent, u, p, q)
        return p

    return step


STEPS = {"halve-one": halve_one, "split-one": split_one, "splice": splice}
FINDS_AFTER = ("naive", "halve", "split", "full")  # choices of ``compress_after_union``
# The step used when a design names only a find, as in rem-cas+halve.
STEP_OF = {"naive": "halve-one", "halve": "halve-one", "split": "split-one", "full": "halve-one"}
OPTIONS = tuple(f"(find={find})" if find != "naive" else "" for find in FINDS_AFTER)


@union_rule(
    "rem-cas",
    finds=STEPS,
    steps_of_finds=STEP_OF,
    requires=("step", "compress_after_union"),
    options={"find": FINDS_AFTER},
    variants=tuple(f"rem-cas{option}" for option in OPTIONS),
    paper="Hong et al. 2020, Algorithm 14",
)
def rem_cas(on: Any, vertex: type, step: Any, compress_after_union: Any) -> Any:
    """Hook a root under the parent on the other path by compare-and-swap, or take a step."""
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        a, b = u, v
        p, q = parent[a], parent[b]
        while p != q:
            if p < q:
                a, b, p, q = b, a, q, p
            if a == p:
                p = cas(parent, a, a, q)  # returns the previous parent: a if it was a root
                if p == a:
                    compress_after_union(parent, u)
                    compress_after_union(parent, v)
                    return a
            else:
                a = step(parent, a, p, q)
                p = parent[a]
        return none

    return link


def locked_hook(on: Any) -> Any:
    """Hook vertex a under q if a is a root with a free lock; return whether a was hooked.

    The lock is tried once, without waiting. The thread that acquires it releases it in the same
    branch, so divergent threads of a warp cannot deadlock. A fence before the guarded read rules
    out a stale parent.
    """
    cas, memory_fence = on.atomic_cas, on.memory_fence

    @on.device
    def hook(parent, locks, a, q):
        if cas(locks, a, 0, 1) != 0:
            return False
        memory_fence()
        root = parent[a] == a
        if root:
            parent[a] = q
        memory_fence()
        cas(locks, a, 1, 0)
        return root

    return hook


@union_rule(
    "rem-lock",
    finds=STEPS,
    steps_of_finds=STEP_OF,
    requires=("step", "compress_after_union"),
    options={"find": FINDS_AFTER},
    variants=tuple(f"rem-lock{option}" for option in OPTIONS),
    aux_array=LOCKS,
    needs="4 bytes per vertex for the locks; on a GPU, independent thread scheduling (since Volta)",
    paper="Hong et al. 2020, Algorithm 13",
)
def rem_lock(on: Any, vertex: type, step: Any, compress_after_union: Any) -> Any:
    """Hook a root under the parent on the other path while holding its lock, or take a step.

    Algorithm 13 as printed returns after a failed hook, which would lose the edge. Here the loop
    continues, as in Patwary et al.
    """
    hook, none = locked_hook(on), none_of(vertex)

    @on.device
    def link(parent, locks, u, v):
        a, b = u, v
        p, q = parent[a], parent[b]
        while p != q:
            if p < q:
                a, b, p, q = b, a, q, p
            if a != p:
                a = step(parent, a, p, q)
            elif hook(parent, locks, a, q):
                compress_after_union(parent, u)
                compress_after_union(parent, v)
                return a
            p = parent[a]
        return none

    return link
