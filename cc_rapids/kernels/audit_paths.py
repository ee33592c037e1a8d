"""Kernels of the audit of paths; they share no code with kernels of runs.

One thread roots all trees by breadth-first searches and gives each vertex a jump pointer to an
ancestor, so that O(log depth) steps lead from a vertex to any ancestor (Myers, "An applicative
random-access stack", Information Processing Letters 1983). Then each index of a second kernel
measures the path of one pair.

src, dst : (t,) int64, the endpoints of the forest's edges, slots below n.
ranks    : (t,) int64, the number of each edge in the order from the weakest to the strongest.
head     : (n,) int64, for each vertex the slot of its component's root.
starts   : (n + 2,) int64, the position in ``arcs`` of the first edge at each slot; initially 0.
arcs     : (2 t,) int64, the edges at each slot, one slot after another.
queue    : (n,) int64, the slots in the order of the search.
up, jump : (n,) int64, the parent and the jump pointer; a root points to itself.
depth    : (n,) int64, the number of edges to the root, initially -1.
rank, least : (n,) int64, the number of the edge to ``up``, and the least number on the path to
              ``jump``; t for none.
visited  : (1,) int64, the number of vertices that the search has visited.
"""

from typing import Any

APART, LOST = -1, -2  # lengths for a pair in two components, and for a pair without a path


def root_trees(on: Any) -> Any:
    """Root all trees by breadth-first searches in a single thread; launched with size 1.

    If the first two jumps from the parent of a vertex have equal lengths, the vertex jumps to the
    end of the second. Otherwise it jumps to its parent.
    """

    @on.elementwise
    def root_trees(
        i, src, dst, ranks, head, starts, arcs, queue, up, jump, depth, rank, least, visited
    ):
        n, t = head.size, src.size
        # List the edges at each slot, by a counting sort. The third loop raises starts[v + 1] from
        # the first place of v in ``arcs`` to the end of v, which is the first place of v + 1.
        for e in range(t):
            starts[src[e] + 2] += 1
            starts[dst[e] + 2] += 1
        for v in range(n):
            starts[v + 2] += starts[v + 1]
        for e in range(t):
            for v in (src[e], dst[e]):
                arcs[starts[v + 1]] = e
                starts[v + 1] += 1
        # Search from each root; queue[done:tail] are the visited vertices that are not expanded.
        done = tail = 0
        for root in range(n):
            if head[root] == root:
                up[root] = jump[root] = queue[tail] = root
                depth[root], rank[root], least[root] = 0, t, t
                tail += 1
            while done < tail:
                v = queue[done]
                done += 1
                for k in range(starts[v], starts[v + 1]):
                    e = arcs[k]
                    w = src[e] + dst[e] - v  # the other endpoint
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
    """Write the length of the path of each pair, and the least number of an edge on the path.

    First the deeper vertex climbs to the depth of the other vertex. Then both climb to their lowest
    common ancestor; their jumps have equal lengths, because the length depends only on the depth.
    Each step decreases the depth, so the loops end for any input. ``first`` and ``second`` are the
    slots of each pair. ``weakest`` receives the least number, and is t before the call.
    """

    @on.elementwise
    def measure_paths(i, first, second, head, up, jump, depth, rank, least, length, weakest):
        a, b = first[i], second[i]
        if head[a] != head[b]:
            length[i] = APART
            return
        min_rank, steps = weakest[i], depth[a] + depth[b]
        if depth[a] < depth[b]:
            a, b = b, a
        while depth[a] > depth[b]:
            if depth[jump[a]] >= depth[b]:
                min_rank, a = min(min_rank, least[a]), jump[a]
            else:
                min_rank, a = min(min_rank, rank[a]), up[a]
        while a != b and depth[a] > 0:
            if jump[a] != jump[b]:
                min_rank = min(min_rank, min(least[a], least[b]))
                a, b = jump[a], jump[b]
            else:
                min_rank = min(min_rank, min(rank[a], rank[b]))
                a, b = up[a], up[b]
        length[i] = steps - 2 * depth[a] if a == b else LOST
        weakest[i] = min_rank

    return measure_paths
