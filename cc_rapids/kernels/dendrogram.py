"""Contract a forest to its heavier edges, and merge clusters along the chains of a dendrogram.

Vertices are the clusters 0 .. n - 1. Edge k merges two clusters into cluster n + k; edges are
numbered in the order of their merges, so a lighter edge has a smaller number. A *node* is a vertex
of the forest or of a contracted forest: the vertices are the nodes 0 .. n - 1, and each contraction
joins nodes to *supervertices*, which have the next numbers. An *alpha edge*, the lightest edge of
neither endpoint, is not contracted. The edges of a *chain* add clusters to one cluster in turn.

word   : the unsigned type of nodes, edges and clusters.
src, dst, edges : (m,) the endpoints of a forest's edges, as nodes, and the numbers of the edges, in
         ascending order. ``edges`` is empty for the first forest, where edge i has number i.
nodes  : (2 s,) word, for each node its lightest edge and its supervertex; all bits set for none.
joined : (t,) word, for each edge a node whose lightest edge it is. The edge adds the cluster of
         this node to its chain. All bits set for an edge that closes a cycle.
begin  : the first node or the first position that a launch processes.
value, flag : ``value`` is written to ``flag[0]`` to set the flag.
chain  : (t,) word, the supervertex to whose chain each edge belongs.
alpha  : (3 c,) word, the edges of the contracted forest: sources, destinations and numbers.

Sao, Prokopenko and Lebrun-Grandié, "PANDORA: A parallel dendrogram construction algorithm for
single linkage clustering on GPU", 2024.
"""

from typing import Any

import numpy as np

from .primitives import SOON, lessen, no_prefetch, none_of

ZERO, ONE, TWO, THREE = (np.uint64(k) for k in range(4))
SHIFT = TWO  # a record has four words
RUN = 16  # records that one thread sums
HOPS = np.uint64(16)  # pointers that a thread follows before it stores the last pointer
CREATED, LEFT = ZERO, ONE  # indices of counts: the nodes so far, and the edges of the next forest


def number_of(on: Any) -> Any:
    """Return the number of the edge in row i: ``edges[i]``, or i if ``edges`` is empty."""

    @on.device
    def number_of(i, edges):
        return i if edges.size == 0 else np.uint64(edges[i])

    return number_of


def prefetched(on: Any) -> Any:
    """Return the function by which a backend prefetches, or a function that does nothing."""
    return on.prefetch or no_prefetch(on)


def contract_in_order(on: Any, word: type) -> Any:
    """Contract all edges but the alpha edges, in a single pass by a single thread.

    Edges are processed from the lightest to the heaviest. So an edge is the lightest edge of each
    endpoint that has no lightest edge yet. If neither endpoint has a lightest edge, the two become
    a new supervertex. If only one endpoint has a lightest edge, the other endpoint joins its
    supervertex. If both have a lightest edge, the edge is an alpha edge. ``chains`` has a record of
    four words for each supervertex. Word 0 is set to the node that begins the chain, and word 1,
    the size, to 0.
    """
    number, prefetch, none = number_of(on), prefetched(on), none_of(word)

    @on.elementwise
    def contract_in_order(i, n, src, dst, edges, nodes, joined, chain, chains, alpha, counts):
        rows, width = np.uint64(src.size), np.uint64(alpha.size) // THREE
        row, left, created = ZERO, ZERO, counts[CREATED]
        while row < rows:
            if row + SOON < rows:
                prefetch(nodes, np.uint64(src[row + SOON]) << ONE)
                prefetch(nodes, np.uint64(dst[row + SOON]) << ONE)
            k, u, v = number(row, edges), np.uint64(src[row]), np.uint64(dst[row])
            at_u, at_v = u << ONE, v << ONE  # the pairs of both endpoints in ``nodes``
            if nodes[at_u] != none and nodes[at_v] != none:
                a, b = nodes[at_u + ONE], nodes[at_v + ONE]  # the supervertices of u and v
                if a == b:
                    joined[k] = none
                else:
                    alpha[left], alpha[width + left], alpha[TWO * width + left] = a, b, word(k)
                    left += ONE
            elif u == v:
                joined[k] = none
            else:
                if nodes[at_u] != none:  # exchange the endpoints: u is the one that joins
                    u, at_u, at_v = v, at_v, at_u
                if nodes[at_v] == none:
                    at = (created - np.uint64(n)) << SHIFT
                    chains[at], chains[at + ONE] = word(v), word(0)
                    nodes[at_v], nodes[at_v + ONE] = word(k), word(created)
                    nodes[created << ONE] = none
                    created += ONE
                nodes[at_u], nodes[at_u + ONE] = word(k), nodes[at_v + ONE]
                joined[k], chain[k] = word(u), nodes[at_v + ONE]
            row += ONE
        counts[CREATED], counts[LEFT] = created, left

    return contract_in_order


def find_chains(on: Any, word: type) -> Any:
    """Find the chain of each edge.

    The cluster of a supervertex grows by the edges inside the supervertex, until the lightest edge
    of the supervertex joins it to another. So the chain of an edge is the innermost supervertex
    that contains the edge and whose lightest edge is heavier than the edge. ``chain`` starts as the
    supervertex into which the edge was contracted, and the search goes from each supervertex to the
    supervertex that contains it.
    """
    prefetch = prefetched(on)

    @on.elementwise
    def find_chains(k, nodes, chain):
        if k + SOON < np.uint64(chain.size):
            prefetch(nodes, np.uint64(chain[k + SOON]) << ONE)
        x = np.uint64(chain[k])
        while np.uint64(nodes[x << ONE]) < k:
            x = np.uint64(nodes[(x << ONE) + ONE])
        chain[k] = word(x)

    return find_chains


def cluster_of(on: Any, word: type) -> Any:
    """Return a node's cluster, size, least and greatest vertex; the node's chain is finished."""

    @on.device
    def cluster_of(x, n, chains):
        if x < np.uint64(n):
            return word(x), word(1), word(x), word(x)
        at = (x - np.uint64(n)) << SHIFT
        return chains[at], chains[at + ONE], chains[at + TWO], chains[at + THREE]

    return cluster_of


def merge_in_order(on: Any, word: type) -> Any:
    """Merge the clusters of all edges in order, in a single thread; launched with size 1.

    ``first`` and ``second`` start as ``joined`` and ``chain``. The record of a chain has its
    current cluster, and the size, least vertex and greatest vertex of this cluster. As long as the
    size is 0, no edge of the chain is merged, and the first word is the node that begins the chain.
    The chain of the node that an edge joins is finished, because its edges are lighter, so no
    search for a cluster is needed.
    """
    load, prefetch = cluster_of(on, word), prefetched(on)

    @on.elementwise
    def merge_in_order(i, n, first, second, chains, size, least, greatest):
        k, edges = ZERO, np.uint64(first.size)
        while k < edges:
            if k + SOON < edges:
                prefetch(chains, (np.uint64(first[k + SOON]) - np.uint64(n)) << SHIFT)
                prefetch(chains, (np.uint64(second[k + SOON]) - np.uint64(n)) << SHIFT)
            x, y = np.uint64(first[k]), np.uint64(second[k])
            at = (y - np.uint64(n)) << SHIFT
            if chains[at + ONE] == 0:
                y = np.uint64(chains[at])
            a, size_a, least_a, greatest_a = load(x, n, chains)
            b, size_b, least_b, greatest_b = load(y, n, chains)
            total, low, high = size_a + size_b, min(least_a, least_b), max(greatest_a, greatest_b)
            first[k], second[k] = min(a, b), max(a, b)
            size[k], least[k], greatest[k] = total, low, high
            chains[at], chains[at + ONE] = word(np.uint64(n) + k), total
            chains[at + TWO], chains[at + THREE] = low, high
            k += ONE

    return merge_in_order


def lower_lightest(on: Any, word: type) -> Any:
    """Lower the lightest edges of both endpoints of an edge to this edge, unless it is a loop.

    Allowed race: a stale value is too great and costs one more atomic operation.
    """
    number, lower = number_of(on), lessen(on)

    @on.elementwise
    def lower_lightest(i, src, dst, edges, nodes):
        u, v = np.uint64(src[i]), np.uint64(dst[i])
        if u != v:
            k = word(number(i, edges))
            lower(nodes, u << ONE, k)
            lower(nodes, v << ONE, k)

    return lower_lightest


def classify(on: Any) -> Any:
    """Mark leaf edges and alpha edges.

    A leaf edge is the lightest edge of both endpoints; an alpha edge is the lightest edge of
    neither endpoint.
    """
    number = number_of(on)

    @on.elementwise
    def classify(i, src, dst, edges, nodes, is_leaf, is_alpha):
        k, u, v = number(i, edges), np.uint64(src[i]), np.uint64(dst[i])
        lightest_of_u = np.uint64(nodes[u << ONE]) == k
        lightest_of_v = np.uint64(nodes[v << ONE]) == k
        is_leaf[i] = lightest_of_u and lightest_of_v
        is_alpha[i] = u != v and not lightest_of_u and not lightest_of_v

    return classify


def follow_lightest(on: Any, word: type) -> Any:
    """Point each node at the other endpoint of its lightest edge, or at a new supervertex.

    A leaf edge, the lightest edge of both endpoints, makes a supervertex, whose number is ``first``
    plus the number of earlier leaf edges. ``leaves[i]`` is the number of leaf edges in rows 0 .. i,
    and ``partners[x - n]`` is the second node of supervertex x. Each node is written by its
    lightest edge only. Along a path of pointers these lightest edges get lighter, so the pointers
    form no cycle. An alpha edge writes no node.
    """
    number, none = number_of(on), none_of(word)

    @on.elementwise
    def follow_lightest(i, n, first, src, dst, edges, leaves, nodes, joined, partners):
        k, u, v = number(i, edges), np.uint64(src[i]), np.uint64(dst[i])
        at_u, at_v = u << ONE, v << ONE  # the pairs of both endpoints in ``nodes``
        if np.uint64(nodes[at_u]) == k and np.uint64(nodes[at_v]) == k:
            x = np.uint64(first) + np.uint64(leaves[i]) - ONE
            nodes[at_u + ONE], nodes[at_v + ONE] = word(x), word(x)
            joined[k], partners[x - np.uint64(n)] = word(u), word(v)
        elif np.uint64(nodes[at_u]) == k:
            nodes[at_u + ONE], joined[k] = word(v), word(u)
        elif np.uint64(nodes[at_v]) == k:
            nodes[at_v + ONE], joined[k] = word(u), word(v)
        elif u == v:
            joined[k] = none

    return follow_lightest


def jump(on: Any, word: type) -> Any:
    """Move each node's pointer by up to HOPS steps; set the flag if it has not arrived.

    A pointer arrives at a supervertex, whose number is ``first`` or more. Allowed race: a pointer
    that another thread moves leads to the same supervertex before and after.
    """
    none = none_of(word)

    @on.elementwise
    def jump(i, begin, first, nodes, value, flag):
        at = ((np.uint64(begin) + i) << ONE) + ONE
        pointer = nodes[at]
        if pointer != none and np.uint64(pointer) < np.uint64(first):
            hops = ZERO
            while hops < HOPS and np.uint64(pointer) < np.uint64(first):
                pointer = nodes[(np.uint64(pointer) << ONE) + ONE]
                hops += ONE
            nodes[at] = pointer
            if np.uint64(pointer) < np.uint64(first):
                flag[0] = value

    return jump


def contract(on: Any, word: type) -> Any:
    """Write the alpha edges between supervertices, and the supervertex of all other edges.

    ``alphas[i]`` is the number of alpha edges in rows 0 .. i.
    """
    number, none = number_of(on), none_of(word)

    @on.elementwise
    def contract(i, src, dst, edges, alphas, nodes, joined, chain, alpha):
        k, up_to_row = number(i, edges), np.uint64(alphas[i])
        before = np.uint64(alphas[i - ONE]) if i != ZERO else ZERO
        if up_to_row != before:  # row i is an alpha edge
            width = np.uint64(alpha.size) // THREE
            alpha[before] = nodes[(np.uint64(src[i]) << ONE) + ONE]
            alpha[width + before] = nodes[(np.uint64(dst[i]) << ONE) + ONE]
            alpha[TWO * width + before] = word(k)
        elif joined[k] != none:
            chain[k] = nodes[(np.uint64(joined[k]) << ONE) + ONE]

    return contract


def total_of(on: Any) -> Any:
    """Return a node's size, least and greatest vertex, from the last record of the node's chain."""

    @on.device
    def total_of(x, n, starts, records):
        if x < np.uint64(n):
            return np.uint64(1), x, x
        at = (np.uint64(starts[x - np.uint64(n) + ONE]) - ONE) << SHIFT
        size, least, greatest = records[at], records[at + ONE], records[at + TWO]
        return np.uint64(size), np.uint64(least), np.uint64(greatest)

    return total_of


def gather_joined(on: Any, word: type) -> Any:
    """Write a record for each edge: the size, least and greatest vertex of the node that it joins.

    The fourth word of a record is set for the first edge of a chain. This edge joins two nodes, and
    its record describes both. ``rows`` are the edges, sorted by chain and then by number.
    ``starts[x - n]`` is the position in ``rows`` of the first edge in the chain of supervertex x.
    """
    total = total_of(on)

    @on.elementwise
    def gather_joined(j, begin, n, rows, starts, joined, chain, partners, records):
        j += np.uint64(begin)
        k = np.uint64(rows[j])
        x, at = np.uint64(chain[k]) - np.uint64(n), j << SHIFT
        size, least, greatest = total(np.uint64(joined[k]), n, starts, records)
        is_first = np.uint64(starts[x]) == j
        if is_first:
            size_b, least_b, greatest_b = total(np.uint64(partners[x]), n, starts, records)
            size, least, greatest = size + size_b, min(least, least_b), max(greatest, greatest_b)
        records[at], records[at + ONE] = word(size), word(least)
        records[at + TWO], records[at + THREE] = word(greatest), word(is_first)

    return gather_joined


def sum_runs(on: Any, word: type) -> Any:
    """Replace the records of each run of RUN records by their running sums.

    The last sum of each run is also written to ``sums``. A sum starts again at the first record of
    a chain, which has the flag set. The flag is then set for all later records of the run too,
    because the sums of earlier runs must not be added to them.
    """
    run = np.uint64(RUN)

    @on.elementwise
    def sum_runs(r, begin, end, records, sums):
        j = np.uint64(begin) + r * run
        last = min(np.uint64(begin) + (r + ONE) * run, np.uint64(end))
        at = j << SHIFT
        size, least = records[at], records[at + ONE]
        greatest, flag = records[at + TWO], records[at + THREE]
        j += ONE
        while j < last:
            at = j << SHIFT
            if records[at + THREE] != 0:
                size, least = records[at], records[at + ONE]
                greatest, flag = records[at + TWO], word(1)
            else:
                size += records[at]
                least, greatest = min(least, records[at + ONE]), max(greatest, records[at + TWO])
                records[at], records[at + ONE] = size, least
                records[at + TWO], records[at + THREE] = greatest, flag
            j += ONE
        at = r << SHIFT
        sums[at], sums[at + ONE], sums[at + TWO], sums[at + THREE] = size, least, greatest, flag

    return sum_runs


def add_runs(on: Any, word: type) -> Any:
    """Add the sum of the earlier runs to each record whose chain began in an earlier run."""
    run = np.uint64(RUN)

    @on.elementwise
    def add_runs(i, begin, records, sums):  # i counts the records after the first run
        at, earlier = (np.uint64(begin) + run + i) << SHIFT, (i // run) << SHIFT
        if records[at + THREE] == 0:
            records[at] += sums[earlier]
            records[at + ONE] = min(records[at + ONE], sums[earlier + ONE])
            records[at + TWO] = max(records[at + TWO], sums[earlier + TWO])

    return add_runs


def name_clusters(on: Any, word: type) -> Any:
    """Write the two clusters that each edge merges, the lower number first.

    ``first`` and ``second`` start as ``joined`` and ``chain``. An edge merges the final cluster of
    the node that it joins, made by the last edge in the chain of this node, and the cluster of the
    previous edge in its own chain.
    """

    @on.device
    def final_cluster(x, n, rows, starts):
        if x < np.uint64(n):
            return x
        return np.uint64(n) + np.uint64(rows[np.uint64(starts[x - np.uint64(n) + ONE]) - ONE])

    @on.elementwise
    def name_clusters(j, n, rows, starts, partners, first, second):
        k = np.uint64(rows[j])
        x = np.uint64(second[k]) - np.uint64(n)
        a = final_cluster(np.uint64(first[k]), n, rows, starts)
        if np.uint64(starts[x]) == j:
            b = final_cluster(np.uint64(partners[x]), n, rows, starts)
        else:
            b = np.uint64(n) + np.uint64(rows[j - ONE])
        first[k], second[k] = word(min(a, b)), word(max(a, b))

    return name_clusters


def unpack(on: Any) -> Any:
    """Write the three words of each record of ``gather_joined`` to the edge of the record."""

    @on.elementwise
    def unpack(j, rows, records, size, least, greatest):
        k, at = rows[j], j << SHIFT
        size[k], least[k], greatest[k] = records[at], records[at + ONE], records[at + TWO]

    return unpack


def look_up(on: Any) -> Any:
    """Write the value of each cluster: ``merged`` of the edge that created the cluster.

    The value of a single vertex is 1 if ``is_size``, otherwise the vertex itself.
    """
    prefetch = prefetched(on)

    @on.elementwise
    def look_up(i, n, is_size, clusters, merged, values):
        if i + SOON < np.uint64(clusters.size):
            prefetch(merged, np.uint64(clusters[i + SOON]) - np.uint64(n))
        cluster = np.uint64(clusters[i])
        if cluster >= np.uint64(n):
            values[i] = merged[cluster - np.uint64(n)]
        elif is_size != 0:
            values[i] = 1
        else:
            values[i] = cluster

    return look_up


def write_linkage(on: Any) -> Any:
    """Write the row of each edge in SciPy's format: two clusters, height and size."""

    @on.elementwise
    def write_linkage(k, first, second, heights, size, rows):
        at = k << SHIFT
        rows[at], rows[at + ONE] = first[k], second[k]
        rows[at + TWO], rows[at + THREE] = heights[k], size[k]

    return write_linkage


def order_pairs(on: Any, word: type) -> Any:
    """Write the two clusters that each edge merges, ordered by their least vertices."""
    prefetch = prefetched(on)

    @on.device
    def least_of(cluster, n, least):
        return cluster if cluster < np.uint64(n) else np.uint64(least[cluster - np.uint64(n)])

    @on.elementwise
    def order_pairs(k, n, first, second, least, ordered):
        later = k + SOON
        if later < np.uint64(first.size):
            # for a vertex the index wraps around, but an index outside an array may be prefetched
            prefetch(least, np.uint64(first[later]) - np.uint64(n))
            prefetch(least, np.uint64(second[later]) - np.uint64(n))
        a, b, at = np.uint64(first[k]), np.uint64(second[k]), k << ONE
        if least_of(b, n, least) < least_of(a, n, least):
            a, b = b, a
        ordered[at], ordered[at + ONE] = word(a), word(b)

    return order_pairs


def find_inner(on: Any, word: type) -> Any:
    """Find the clusters that are created and merged in the same step.

    A step is a run of consecutive edges whose merges count as one merge of many clusters;
    ``steps[k]`` is the step of edge k. Edge k merges ``clusters[2 k]`` and ``clusters[2 k + 1]``.
    If edge j of the same step has created one of these clusters, ``above[j]`` becomes k. Otherwise
    the cluster exists before the step, and its element of ``is_outer`` is set. Each cluster is
    merged once, so no store races. Other elements of ``above`` keep their values.
    """

    @on.elementwise
    def find_inner(i, n, clusters, steps, above, is_outer):
        cluster, k = np.uint64(clusters[i]), i >> ONE
        is_outer[i] = True
        if cluster >= np.uint64(n) and steps[cluster - np.uint64(n)] == steps[k]:
            is_outer[i], above[cluster - np.uint64(n)] = False, word(k)

    return find_inner


def climb_step(on: Any) -> Any:
    """Move the pointer of each edge by up to HOPS steps; set the flag if it has not arrived.

    A pointer arrives at an edge that points at itself. Later edges come first, so that a climb
    finds pointers that the same thread has moved already. Allowed race: a pointer that another
    thread moves leads to the same edge before and after.
    """

    @on.elementwise
    def climb_step(i, above, value, flag):
        k = np.uint64(above.size) - ONE - i
        pointer, hops = above[k], ZERO
        further = above[pointer]
        while further != pointer and hops < HOPS:
            pointer, further, hops = further, above[further], hops + ONE
        above[k] = pointer
        if further != pointer:
            flag[0] = value

    return climb_step
