"""Link rules with faults, each a small change of a right one, and right ones with another array.

Like the right ones they return the root that they have hooked, or NONE.
"""

import numpy as np

from cc_rapids.kernels import primitives
from cc_rapids.kernels.union import hooks

NONE = (1 << 32) - 1


def plain_store(on, find):
    """A hook that was made between the climb and the store is lost."""

    @on.device
    def link(parent, aux, u, v):
        u, v = find(parent, u), find(parent, v)
        if u == v:
            return NONE
        parent[max(u, v)] = min(u, v)
        return max(u, v)

    return link


def unordered(on, find):
    """Two threads may hook two roots under each other."""
    cas = on.atomic_cas

    @on.device
    def link(parent, aux, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            current = cas(parent, u, u, v)
            if current == u:
                return u
            u, v = find(parent, current), find(parent, v)
        return NONE

    return link


def hook_of_no_root(on, find):
    """Whatever the parent is by now is swapped, and its tree left without the vertex."""
    cas = on.atomic_cas

    @on.device
    def link(parent, aux, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            if u < v:
                u, v = v, u
            now = parent[u]
            current = cas(parent, u, now, v)
            if current == now:
                return u
            u, v = find(parent, current), find(parent, v)
        return NONE

    return link


def no_retry(on, find):
    """The loser of a race for a root goes home."""
    cas = on.atomic_cas

    @on.device
    def link(parent, aux, u, v):
        u, v = find(parent, u), find(parent, v)
        if u == v:
            return NONE
        if u < v:
            u, v = v, u
        return u if cas(parent, u, u, v) == u else NONE

    return link


def told_again(on, find):
    """The loser of a race to the same hook tells it as well."""
    cas = on.atomic_cas

    @on.device
    def link(parent, aux, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            if u < v:
                u, v = v, u
            current = cas(parent, u, u, v)
            if current in (u, v):
                return u
            u, v = find(parent, current), find(parent, v)
        return NONE

    return link


def store_to_root(on):
    """Each vertex of the path gets the root for its parent, and so does the root."""

    @on.device
    def find(parent, v):
        r = v
        while parent[r] != r:
            r = parent[r]
        while v > r:
            v, parent[v] = parent[v], r
        parent[r] = r
        return r

    return find


def wrong_root_told(on, find):
    """The root that stays is told."""
    link = hooks(on, np.uint32, find)

    @on.device
    def tell(parent, hook, u, v):
        root = link(parent, hook, u, v)
        return NONE if root == NONE else parent[root]

    return tell


def waits_for_hook(on, find):
    """The loser waits until it sees the hook."""
    cas = on.atomic_cas

    @on.device
    def link(parent, hook, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            if u < v:
                u, v = v, u
            if cas(hook, u, NONE, v) == NONE:
                parent[u] = v
                return u
            while parent[u] == u:
                pass
            u, v = find(parent, u), find(parent, v)
        return NONE

    return link


def locks(on, find):
    """Right where a read sees all that was written before: a lock does not publish the parent."""
    cas = on.atomic_cas

    @on.device
    def link(parent, lock, u, v):
        while True:
            u, v = find(parent, u), find(parent, v)
            if u == v:
                return NONE
            if u < v:
                u, v = v, u
            if cas(lock, u, 0, 1) == 0:
                root = parent[u] == u
                if root:
                    parent[u] = v
                lock[u] = 0
                if root:
                    return u

    return link


def locks_in_any_order(on, find):
    """Each of two threads may hold the lock that the other waits for."""
    cas = on.atomic_cas

    @on.device
    def link(parent, lock, u, v):
        u, v = find(parent, u), find(parent, v)
        while cas(lock, u, 0, 1) != 0:
            pass
        while cas(lock, v, 0, 1) != 0:
            pass
        high, low = max(u, v), min(u, v)
        root = parent[high] == high
        if root:
            parent[high] = low
        lock[u], lock[v] = 0, 0
        return high if root else NONE

    return link


def either_bit(on, vertex, join):
    """An edge with one end beside the giant counts as one with both."""
    has, mark = primitives.has(on), primitives.mark(on)

    @on.device
    def link_outside(u, v, e, parent, aux, hook_edge, present, root_word, in_giant):
        if has(in_giant, u) or has(in_giant, v):
            mark(in_giant, u)
            mark(in_giant, v)
        else:
            join(parent, aux, hook_edge, u, v, e)

    return link_outside
