"""Randomised linking by rank, with two-try splitting: Jayanti, Tarjan and Boix-Adsera, PODC 2019.

words : (n,) uint64, [rank << 58 | parent] of each vertex, shared by all threads. One
        compare-and-swap hooks a root and checks its rank. Invariant: at the time of a hook the
        parent comes after the child in the order of (rank, -vertex), and ranks of roots only grow,
        so there are no cycles.

The forest's own parents are stale during the run; ``unpack`` updates them.
"""

from typing import Any

import numpy as np

from .primitives import none_of
from .spec import AuxArray, find_rule, union_rule

RANK_SHIFT = np.uint64(58)
LOW, ONE_RANK = np.uint64((1 << 58) - 1), np.uint64(1 << 58)
ZERO, SPREAD, TOP = np.uint64(0), np.uint64(0x9E3779B97F4A7C15), np.uint64(63)


def simple(on: Any) -> Any:
    """Climb to the root without changing the path."""

    @on.device
    def find(words, v):
        p = words[v] & LOW
        while p != v:
            v, p = p, words[p] & LOW
        return v

    return find


@find_rule("two-try-split", packed=True, paper="FindTwoTrySplit, Jayanti et al. 2019")
def two_try_split(on: Any) -> Any:
    """Try twice to point each vertex of the path at its grandparent."""
    cas = on.atomic_cas

    @on.device
    def find(words, v):
        p, g, tries = v, words[v] & LOW, 0
        while p != g:
            word = words[v]
            p = word & LOW
            g = words[p] & LOW
            if p != g:
                cas(words, v, word, word - p + g)  # parent g, same rank
            tries += 1
            if tries % 2 == 0:
                v = p
        return p

    return find


def pack(on: Any) -> Any:
    """Write the words of a forest, with rank 0 for all roots."""

    @on.elementwise
    def pack(v, parent, words):
        words[v] = np.uint64(parent[v])

    return pack


def unpack(on: Any, vertex: type) -> Any:
    """Write the parents from the words; a root need not be the least vertex of its tree."""

    @on.elementwise
    def unpack(v, words, parent):
        parent[v] = vertex(words[v] & LOW)

    return unpack


RANKS = AuxArray("ranks", np.uint64, pack=pack, unpack=unpack, parent_bits=LOW)


def may_hook(on: Any) -> Any:
    """Return whether root u with word a may be hooked under root v with word b.

    The root of lower rank is hooked; of equal ranks, the larger vertex.
    """

    @on.device
    def may_hook(u, a, v, b):
        rank, other_rank = a >> RANK_SHIFT, b >> RANK_SHIFT
        return rank < other_rank or (rank == other_rank and u > v)

    return may_hook


@union_rule(
    "jtb",
    finds={"naive": simple, "two-try-split": two_try_split},
    requires=("find",),
    aux_array=RANKS,
    needs="8 bytes per vertex for ranks and parents, in words of 64 bits",
    paper="Union-JTB, Hong et al. 2020, A.2",
)
def jtb(on: Any, vertex: type, find: Any) -> Any:
    """Hook root u under root v of higher rank; if ranks are equal, a coin may raise v's instead.

    A swap of zero for zero reads the words of the roots, because a load could return a stale word
    again and again. A swap fails only if another thread hooks or raises the same root, which
    happens a bounded number of times. So the loop ends.
    """
    cas, none, hookable = on.atomic_cas, none_of(vertex), may_hook(on)

    @on.device
    def link(parent, words, u, v):
        u, v = find(words, np.uint64(u)), find(words, np.uint64(v))
        while u != v:
            a, b = cas(words, u, ZERO, ZERO), cas(words, v, ZERO, ZERO)
            if a & LOW != u or b & LOW != v:
                u, v = find(words, a & LOW), find(words, b & LOW)
                continue
            if hookable(v, b, u, a):
                u, a, v, b = v, b, u, a
            coin = ((u ^ (v << np.uint64(1)) ^ b) * SPREAD) >> TOP
            if a >> RANK_SHIFT == b >> RANK_SHIFT and coin == ZERO:
                cas(words, v, b, b + ONE_RANK)
            elif cas(words, u, a, a - u + v) == a:  # parent v, same rank
                return vertex(u)
        return none

    return link
