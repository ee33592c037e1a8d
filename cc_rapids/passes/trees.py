"""Trees of an audit: what edges of one label join, grown for nothing else.

trees : (n,) unsigned, shared by all threads. trees[v] is v, or comes after it in an order, so that
        every climb ends; and a path of edges joins the two.

They share no kernel with the designs. p and q are the parents of u and v as they were read: a join
begins there. An audit joins all its edges in one way, and so in one order. The one by parents
writes little and waits for nothing, for thousands of threads, but each of its steps is short: among
numbers of one length in bits its order is as good as random, so that the depth of trees does not
hang on that of the edges, and short ones come last, so that most parents lie close together. The
one by roots swaps once a vertex instead of once a step, which costs a processor more than climbs.
"""

from typing import Any

import numpy as np

HALF = np.uint64(32)
SPREAD = np.uint64(2654435761)  # Knuth's multiplicative hash


def climb(on: Any) -> Any:
    """The root of a vertex; every step goes on in the order, whichever that is."""

    @on.device
    def climb(trees, v):
        up = trees[v]
        while up != v:
            v, up = up, trees[up]
        return v

    return climb


def comes_first(on: Any) -> Any:
    """Whether u comes before v: if it is longer in bits, or as long and of a lower hash by Knuth.

    They are as long if they differ in no more than they have in common. Behind a hash stand the
    bits that it does not depend on, so that no two are equal.
    """

    @on.device
    def comes_first(u, v):
        x, y = np.uint64(u), np.uint64(v)
        left, right = x * SPREAD << HALF | x >> HALF, y * SPREAD << HALF | y >> HALF
        return left < right if x ^ y <= x & y else x > y

    return comes_first


def join_parents(on: Any) -> Any:
    """Join the trees of u and v: Rem's union (Patwary et al. 2010) in the order of comes_first.

    Invariant: p and q are, or were, the parents of u and v, so that a path joins all four. The end
    whose parent comes first is moved: a root is hooked by one compare-and-swap, so that no tree is
    hung twice; another is hung from q instead of p, and p and q are joined next, so that nothing is
    lost. A swap that fails has met a later parent. It ends because each step goes up the order.
    """
    cas, first = on.cas, comes_first(on)

    @on.device
    def join_parents(trees, u, v, p, q):
        while p != q:
            if first(q, p):
                u, v, p, q = v, u, q, p
            seen = cas(trees, u, p, q)
            if u != p:
                u, p = p, trees[p]
            elif seen == p:
                p = q
            else:
                p = seen

    return join_parents


def climb_shortening(on: Any) -> Any:
    """The root of a vertex whose parent is p; each vertex passed is hung from its grandparent.

    By plain stores, to vertices that are no roots: what they hang from stays on their way.
    """

    @on.device
    def climb_shortening(trees, v, p):
        up = trees[p]
        while up != p:
            trees[v] = up
            v, p, up = p, up, trees[up]
        return p

    return climb_shortening


def join_roots(on: Any) -> Any:
    """Join the trees of u and v: the greater root is hooked under the smaller one.

    Invariant: a path joins u and v with what they were, and parents are smaller. A root is hooked
    by one compare-and-swap, so that no tree is hung twice; one that fails has met the new parent,
    and climbs on from it. It ends because each failure brings u down.
    """
    cas, root = on.cas, climb_shortening(on)

    @on.device
    def join_roots(trees, u, v, p, q):
        u, v = root(trees, u, p), root(trees, v, q)
        while u != v:
            if u < v:
                u, v = v, u
            seen = cas(trees, u, u, v)
            if seen == u:
                u = v
            else:
                u, v = root(trees, u, seen), root(trees, v, trees[v])

    return join_roots
