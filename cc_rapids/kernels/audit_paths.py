"""Kernels of the audit of paths, which share no code with kernels of runs.

One thread roots each tree by a breadth-first search, and gives each vertex a second vertex above
it, its jump, such that log2 of the depth many steps lead from any vertex to any above it (Myers,
"An applicative random-access stack", Information Processing Letters 1983). Pairs are then looked up
one for each index.

src, dst : (t,) int64, the ends of the edges of the forest, slots below n.
ranks    : (t,) int64, the number of each edge in the order from the weakest.
head     : (n,) int64, for each slot of a vertex that of its component's root.
starts   : (n + 2,) int64, 0 at first; where the arcs of a slot begin.
arcs     : (2 t,) int64, the edges at each slot.
queue    : (n,) int64, the slots in the order of the search.
up, jump : (n,) int64, the slots above; a root is its own.
depth    : (n,) int64, the edges to the root, -1 at first.
rank, least : (n,) int64, the number of the edge to ``up``, and the least one on the way to
           ``jump``; t for none.
met      : (1,) int64, how many vertices the search has met.
"""

from typing import Any

APART, LOST = -1, -2  # the lengths of a pair in two components, and of one that no tree joins


def root_trees(on: Any) -> Any:
    """Search all trees from their roots, by a single thread: it is launched for one index."""

    @on.elementwise
    def root_trees(
        i, src, dst, ranks, head, starts, arcs, queue, up, jump, depth, rank, least, visited
    ):
        n, t = head.size, src.size
        for e in range(t):
            starts[src[e] + 2] += 1
            starts[dst[e] + 2] += 1
        for v in range(n):
            starts[v + 2] += starts[v + 1]
        # starts[v + 1] is where v begins; it has moved to where v ends when all arcs are in
        for e in range(t):
            for v in (src[e], dst[e]):
                arcs[starts[v + 1]] = e
                starts[v + 1] += 1
        first = tail = 0
        for root in range(n):
            if head[root] == root:
                up[root] = jump[root] = queue[tail] = root
                depth[root], rank[root], least[root] = 0, t, t
                tail += 1
            while first < tail:
                v = queue[first]
                first += 1
                for k in range(starts[v], starts[v + 1]):
                    e = arcs[k]
                    w = src[e] + dst[e] - v
                    if depth[w] >= 0:
                        continue
                    up[w], depth[w], rank[w] = v, depth[v] + 1, ranks[e]
                    j = jump[v]
                    if depth[v] - depth[j] == depth[j] - depth[jump[j]]:
                        jump[w] = jump[j]
                        least[w] = min(ranks[e], min(least[v], least[j]))
                    else:
                        jump[w], least[w] = v, ranks[e]
                    queue[tail] = w
                    tail += 1
        visited[0] = tail

    return root_trees


def measure_paths(on: Any) -> Any:
    """Write the length of the path of each pair, and the least number of an edge of it.

    The depths fall with each step, so each loop ends for any trees.
    """

    @on.elementwise
    def measure_paths(i, one, other, head, up, jump, depth, rank, least, length, weakest):
        a, b = one[i], other[i]
        if head[a] != head[b]:
            length[i] = APART
            return
        lightest, steps = weakest[i], depth[a] + depth[b]
        if depth[a] < depth[b]:
            a, b = b, a
        while depth[a] > depth[b]:
            if depth[jump[a]] >= depth[b]:
                lightest, a = min(lightest, least[a]), jump[a]
            else:
                lightest, a = min(lightest, rank[a]), up[a]
        while a != b and depth[a] > 0:
            if jump[a] != jump[b]:
                lightest = min(lightest, min(least[a], least[b]))
                a, b = jump[a], jump[b]
            else:
                lightest = min(lightest, min(rank[a], rank[b]))
                a, b = up[a], up[b]
        length[i] = steps - 2 * depth[a] if a == b else LOST
        weakest[i] = lightest

    return measure_paths
