"""Merge clusters under rules: an edge joins two clusters unless their union breaks a rule.

us, vs : (k,) word, the endpoints of each edge; ``propose`` replaces them by their roots.
verdict : (k,) uint8: OPEN until decided, then ACCEPTED, WITHIN if one cluster has both endpoints,
         or the rule that refused the edge. DATASET is tested first, then CANNOT, then SIZE.
most   : the maximum number of vertices in a cluster.
parent : (n,) word, the union-find forest of the clusters; paths are shortened.
hook   : (n,) word, the root that each former root was hooked to; never shortened.
time   : (n,) uint64, the key of the edge by which each former root was hooked; all bits set for
         roots. Keys ascend along a path: the later edges of a merged cluster have greater keys.
         ``hook`` and ``time`` are empty if there is only one kind of rule, because only
         ``earlier_rule`` reads them.
size   : (n,) word, the number of vertices in the tree of each root.
code   : (n,) word, the dataset of each vertex; all bits set if it has no dataset or no limit.
limits : (datasets,) word, the maximum number of vertices of each dataset in a cluster.
bits   : (n,) uint64, for each root, bit ``code % 64`` is set for each dataset of its vertices.
head, after : (n,) word, linked lists of the vertices of each root, in the order of their datasets:
         the first vertex of a root, and the vertex after each vertex; all bits set at the end. Both
         are empty if ``bits`` alone decide: each of at most 64 datasets has the limit 1, and there
         is no other rule.
pair   : (2 p,) word, the vertex of each end of the ``cannot_link`` pairs. Pair k has the ends 2 k
         and 2 k + 1, so the other end of end e is e ^ 1.
first, last, count : (n,) word, for each root the linked list of the ends in its cluster: the first
         end, the last end, and the number of ends. All bits of ``first`` are set for an empty list.
following : (2 p,) word, the next end in the list; all bits set for the last end.

A launch of ``merge`` merges a cluster at most once, and only the thread that merges the cluster
writes its state. In ``decide_in_order`` one thread decides all edges of a component.
"""

from typing import Any

import numpy as np

from .find import halve, naive
from .primitives import lessen, none_of

ZERO, ONE, SIXTY_THREE = np.uint64(0), np.uint64(1), np.uint64(63)
NEVER = np.uint64(0xFFFFFFFFFFFFFFFF)
OPEN, DATASET, CANNOT, SIZE, ACCEPTED, WITHIN = (np.uint8(k) for k in range(6))


def mark_broken(on: Any, word: type) -> Any:
    """Mark the groups with more vertices of a dataset than the limit of the dataset.

    A negative code stands for no dataset. If ``code`` is empty, all vertices are in dataset 0. The
    counts of a marked group no longer grow, so that few threads add to the counts of a giant group.
    """
    add = on.atomic_add

    @on.elementwise
    def mark_broken(v, groups, code, limits, counts, broken):
        group, dataset = np.uint64(groups[v]), ZERO
        if code.size:
            if code[v] < 0:
                return
            dataset = np.uint64(code[v])
        if not broken[group]:
            before = add(counts, group * np.uint64(limits.size) + dataset, word(1))
            if np.int64(before) >= limits[dataset]:
                broken[group] = np.uint8(1)

    return mark_broken


def init_clusters(on: Any, word: type) -> Any:
    """Make each vertex a cluster of its own."""
    none = none_of(word)

    @on.elementwise
    def init_clusters(v, parent, hook, time, size, code, bits, head, after):
        parent[v], size[v] = word(v), word(1)
        if hook.size:
            hook[v], time[v] = word(v), NEVER
        if bits.size:
            dataset = np.uint64(code[v])
            has_limit = code[v] != none
            bits[v] = ONE << (dataset & SIXTY_THREE) if has_limit else ZERO
            if head.size:
                head[v], after[v] = word(v) if has_limit else none, none

    return init_clusters


def list_ends(on: Any, word: type) -> Any:
    """Make the list of the ends of ``cannot_link`` pairs at each vertex.

    ``ends`` is sorted by vertex. The thread of a vertex's first end also writes its ``first``,
    ``last`` and ``count``.
    """

    @on.elementwise
    def list_ends(i, ends, pair, first, last, count, following):
        e = np.uint64(ends[i])
        v, size = np.uint64(pair[e]), np.uint64(ends.size)
        if i == ZERO or np.uint64(pair[np.uint64(ends[i - ONE])]) != v:
            first[v] = word(e)
            k, length = i, ZERO
            while k < size and np.uint64(pair[np.uint64(ends[k])]) == v:
                length += ONE
                k += ONE
            count[v] = word(length)
            last[v] = word(ends[k - ONE])
        if i + ONE < size and np.uint64(pair[np.uint64(ends[i + ONE])]) == v:
            following[e] = word(ends[i + ONE])

    return list_ends


def exceed_limit(on: Any, word: type, counts: Any) -> Any:
    """Return whether two clusters together have more vertices of a dataset than its limit.

    The lists of the roots u and v contain the clusters a and b, and perhaps later vertices, which
    ``counts(vertex, cluster, past)`` excludes: ``past`` is (key, hook, time) for the clusters at an
    earlier time, or (). Both lists are sorted by dataset, so one pass finds the common datasets.
    """
    none = none_of(word)

    @on.device
    def exceed(u, v, a, b, past, code, limits, head, after):
        x, y = head[u], head[v]
        while x != none and y != none:
            dataset_x, dataset_y = code[x], code[y]
            if dataset_x < dataset_y:
                x = after[x]
            elif dataset_x > dataset_y:
                y = after[y]
            else:
                members = ZERO
                while x != none and code[x] == dataset_x:
                    members += np.uint64(counts(x, a, past))
                    x = after[x]
                while y != none and code[y] == dataset_x:
                    members += np.uint64(counts(y, b, past))
                    y = after[y]
                if members > np.uint64(limits[dataset_x]):
                    return True
        return False

    return exceed


def union_exceeds_limit(on: Any, word: type) -> Any:
    """Return whether the union of two roots has more vertices of a dataset than its limit."""

    @on.device
    def is_counted(vertex, cluster, past):
        return ONE  # now, all vertices of the list of a root are in its cluster

    exceed = exceed_limit(on, word, is_counted)

    @on.device
    def union_exceeds(a, b, code, limits, bits, head, after):
        may_exceed = bits[a] & bits[b] != ZERO
        return may_exceed and (not head.size or exceed(a, b, a, b, (), code, limits, head, after))

    return union_exceeds


def have_forbidden_pair(on: Any, word: type) -> Any:
    """Return whether a ``cannot_link`` pair has one end in each of two clusters.

    The ends of the cluster that has fewer ends are read.
    """
    find, none = naive(on), none_of(word)

    @on.device
    def have(a, b, parent, pair, first, count, following):
        if count[b] < count[a]:
            a, b = b, a
        e = first[a]
        while e != none:
            if find(parent, pair[np.uint64(e) ^ ONE]) == b:
                return True
            e = following[e]
        return False

    return have


def broken_rule(on: Any, word: type) -> Any:
    """Return the number of the first rule that the union of two roots breaks, or OPEN."""
    union_exceeds, have = union_exceeds_limit(on, word), have_forbidden_pair(on, word)

    @on.device
    def broken(
        a, b, most, parent, size, code, limits, bits, head, after, pair, first, count, following
    ):
        if bits.size and union_exceeds(a, b, code, limits, bits, head, after):
            return DATASET
        if pair.size and have(a, b, parent, pair, first, count, following):
            return CANNOT
        has_limit = np.uint64(most) < np.uint64(parent.size)
        if has_limit and np.uint64(size[a]) + np.uint64(size[b]) > np.uint64(most):
            return SIZE
        return OPEN

    return broken


def unite(on: Any, word: type) -> Any:
    """Merge two clusters at the time ``key``: hook the root of the smaller to the other root.

    The two lists of vertices are merged in the order of their datasets. The two lists of ends are
    concatenated.
    """
    none = none_of(word)

    @on.device
    def unite(
        a, b, key, parent, hook, time, size, code, bits, head, after, pair, first, last, count,
        following,
    ):  # fmt: skip
        if size[a] < size[b] or (size[a] == size[b] and b < a):
            a, b = b, a
        parent[b] = word(a)
        size[a] = word(size[a] + size[b])
        if hook.size:
            hook[b], time[b] = word(a), key
        if bits.size:
            bits[a] = bits[a] | bits[b]
        if head.size:  # merge the lists of vertices
            x, y, end = head[a], head[b], none
            if x == none or (y != none and code[y] < code[x]):
                head[a] = y
            while x != none and y != none:
                if code[x] <= code[y]:
                    chosen = x
                    x = after[x]
                else:
                    chosen = y
                    y = after[y]
                if end != none:
                    after[end] = chosen
                end = chosen
            if end != none:
                after[end] = y if x == none else x
        if pair.size and count[b] != word(0):
            if count[a] == word(0):
                first[a] = first[b]
            else:
                following[last[a]] = first[b]
            last[a], count[a] = last[b], word(count[a] + count[b])

    return unite


def propose(on: Any, word: type) -> Any:
    """Write each edge's verdict; an open edge lowers ``best`` of both clusters to its key."""
    find, broken, lower = halve(on), broken_rule(on, word), lessen(on)

    @on.elementwise
    def propose(
        i, us, vs, keys, verdict, best, most, parent, size, code, limits, bits, head, after, pair,
        first, count, following,
    ):  # fmt: skip
        u, v = find(parent, us[i]), find(parent, vs[i])
        us[i], vs[i] = u, v
        if u == v:
            verdict[i] = WITHIN
            return
        rule = broken(
            u, v, most, parent, size, code, limits, bits, head, after, pair, first, count, following
        )
        verdict[i] = rule
        if rule == OPEN:
            lower(best, u, keys[i])
            lower(best, v, keys[i])

    return propose


def merge(on: Any, word: type) -> Any:
    """Merge the two clusters of each open edge that has the least key of both clusters."""
    join = unite(on, word)

    @on.elementwise
    def merge(
        i, us, vs, keys, verdict, best, parent, hook, time, size, code, bits, head, after, pair,
        first, last, count, following,
    ):  # fmt: skip
        u, v, key = us[i], vs[i], keys[i]
        if verdict[i] == OPEN and best[u] == key and best[v] == key:
            verdict[i] = ACCEPTED
            join(
                u, v, key, parent, hook, time, size, code, bits, head, after, pair, first, last,
                count, following,
            )  # fmt: skip

    return merge


def decide_in_order(on: Any, word: type) -> Any:
    """Decide the edges ``starts[g] .. starts[g + 1] - 1`` of each group in order, in one thread."""
    find, broken, join = halve(on), broken_rule(on, word), unite(on, word)

    @on.elementwise
    def decide_in_order(
        g, starts, us, vs, keys, verdict, most, parent, hook, time, size, code, limits, bits, head,
        after, pair, first, last, count, following,
    ):  # fmt: skip
        i, end = np.uint64(starts[g]), np.uint64(starts[g + ONE])
        while i < end:
            u, v = find(parent, us[i]), find(parent, vs[i])
            rule = WITHIN
            if u != v:
                rule = broken(
                    u, v, most, parent, size, code, limits, bits, head, after, pair, first, count,
                    following,
                )  # fmt: skip
                if rule == OPEN:
                    rule = ACCEPTED
                    join(
                        u, v, keys[i], parent, hook, time, size, code, bits, head, after, pair,
                        first, last, count, following,
                    )  # fmt: skip
            verdict[i] = rule
            i += ONE

    return decide_in_order


def root_at(on: Any) -> Any:
    """Return the root that a vertex had after all edges up to ``key`` were decided."""

    @on.device
    def root_at(v, key, hook, time):
        while time[v] <= key:
            v = hook[v]
        return v

    return root_at


def earlier_rule(on: Any, word: type) -> Any:
    """Replace the rule that refused an edge by the first rule that the edge breaks at its turn.

    The turn of an edge comes when all edges with lesser keys are decided. A round may refuse the
    edge before its turn. Until its turn, the two clusters may gain vertices, so that their union
    also breaks a rule that is tested before the refusing rule.
    """
    find, at, none = naive(on), root_at(on), none_of(word)

    @on.device
    def was_member(vertex, cluster, past):
        key, hook, time = past
        return at(vertex, key, hook, time) == cluster

    exceed = exceed_limit(on, word, was_member)

    @on.elementwise
    def earlier_rule(
        i, us, vs, keys, verdict, parent, hook, time, code, limits, head, after, pair, first, count,
        following,
    ):  # fmt: skip
        key = keys[i]
        a, b = at(us[i], key, hook, time), at(vs[i], key, hook, time)
        u, v = find(parent, a), find(parent, b)
        past = key, hook, time
        if code.size and exceed(u, v, a, b, past, code, limits, head, after):
            verdict[i] = DATASET
            return
        if pair.size and verdict[i] == SIZE:  # CANNOT is tested before SIZE only
            if count[v] < count[u]:
                u, v, a, b = v, u, b, a
            e = first[u]
            while e != none:
                end, partner = pair[e], pair[np.uint64(e) ^ ONE]
                if at(end, key, hook, time) == a and at(partner, key, hook, time) == b:
                    verdict[i] = CANNOT
                    return
                e = following[e]

    return earlier_rule


def all_roots(on: Any) -> Any:
    """Write the root of each vertex."""
    find = naive(on)

    @on.elementwise
    def all_roots(v, parent, roots):
        roots[v] = find(parent, v)

    return all_roots
