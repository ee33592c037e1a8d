"""Rem's union-find: climb both paths at once, always the one whose parent is larger.

A path that has not reached its root yet takes one step, which shortens or splices it on the way.
Hong et al. 2020, Algorithms 9, 13 and 14; the lock-based rule is of Patwary et al. 2012.
"""

from typing import Any

from .primitives import none_of
from .spec import LOCKS, find_rule, union_rule

# A step takes a vertex u, its parent p, and a smaller parent q of the other path; it returns the
# vertex to go on from, which is smaller than u: so the climb ends.


@find_rule("halve-one", one_step=True, paper="HalveAtomicOne, Hong et al. 2020, Algorithm 9")
def halve_one(on: Any) -> Any:
    """Point the vertex at its grandparent, and go on from there."""
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
    """Point the vertex at its grandparent, and go on from its parent."""
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
    """Point the vertex at the smaller parent on the other path, and go on from its own.

    That moves it to the other tree before the roots are joined: the thread that did so owes their
    union, and does not end without. Until then queries, and the edges of a spanning forest, may
    rely on a union that is still owed: so the two wait for the end of a phase, or are refused.
    """
    cas = on.atomic_cas

    @on.device
    def step(parent, u, p, q):
        cas(parent, u, p, q)
        return p

    return step


STEPS = {"halve-one": halve_one, "split-one": split_one, "splice": splice}
FIND_AFTER = ("naive", "halve", "split", "full")
# The step that goes with a find where a design has that alone: rem-cas+halve.
STEP_OF = {"naive": "halve-one", "halve": "halve-one", "split": "split-one", "full": "halve-one"}
PAIRS = tuple(f"(find={find})" if find != "naive" else "" for find in FIND_AFTER)


@union_rule(
    "rem-cas",
    finds=STEPS,
    steps_of_finds=STEP_OF,
    requires=("step", "compress_after_union"),
    options={"find": FIND_AFTER},
    variants=tuple(f"rem-cas{pair}" for pair in PAIRS),
    paper="Hong et al. 2020, Algorithm 14",
)
def rem_cas(on: Any, vertex: type, step: Any, compress_after_union: Any) -> Any:
    """Hook a root under the other path's parent by compare-and-swap, or take a step."""
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        a, b = u, v
        p, q = parent[a], parent[b]
        while p != q:
            if p < q:
                a, b, p, q = b, a, q, p
            if a == p:
                p = cas(parent, a, a, q)
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
    """Hook a vertex if its lock is free and it is a root; return whether that was so.

    The lock is tried, not waited for: who holds it leaves the branch with it released, even if the
    threads of its warp go round without it. What the lock guards is read behind a fence, and is
    then no stale value.
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
    options={"find": FIND_AFTER},
    variants=tuple(f"rem-lock{pair}" for pair in PAIRS),
    aux_array=LOCKS,
    needs="4 bytes a vertex for the locks; on a GPU, independent thread scheduling (Volta on)",
    paper="Hong et al. 2020, Algorithm 13",
)
def rem_lock(on: Any, vertex: type, step: Any, compress_after_union: Any) -> Any:
    """Hook a root under the other path's parent while holding its lock, or take a step.

    As printed, Algorithm 13 returns after a hook that failed; that would lose the edge, so the loop
    goes on, as in Patwary et al.
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
