"""Compress: find the root of a vertex, and shorten the path to it on the way.

parent : (n,) unsigned, shared by all threads. parent[v] <= v always, so every climb ends; a root
is its own parent, and a vertex that has got a parent never becomes a root again.
"""

from typing import Any

from ..catalog import choice


@choice("compress", "naive", paper="FindNaive, Hong et al. 2020, 3.4")
def naive(on: Any) -> Any:
    """Climb to the root and leave the path as it is."""

    @on.device
    def find(parent, v):
        p = parent[v]
        while p != v:
            v, p = p, parent[p]
        return v

    return find


@choice("compress", "halve", paper="FindHalve, Hong et al. 2020, A.1")
def halve(on: Any) -> Any:
    """Point every other vertex of the path at its grandparent while climbing.

    The store is plain and may overwrite a shorter pointer of another thread's: v is no root, and
    both point at ancestors of v, so v stays in its tree and parent[v] < v.
    """

    @on.device
    def find(parent, v):
        p = parent[v]
        while p != v:
            g = parent[p]
            if g != p:
                parent[v] = g
            v, p = g, parent[g]
        return v

    return find
