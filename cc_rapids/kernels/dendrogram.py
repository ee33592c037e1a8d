"""Merge clusters edge by edge, as in single-linkage clustering.

Vertices are the clusters 0 .. n - 1. Edge k merges the clusters of its endpoints into cluster n +
k.

src, dst : (t,) int64, the endpoints of the forest's edges, in the order of their merges.
up       : (n,) unsigned, union-find parents, initially all roots. The smaller of two roots becomes
           the parent, so a root is the least vertex of its cluster.
cluster, members, most : (n,) int64, for a root the number of its cluster, its size, and its
          greatest vertex; initially v, 1 and v.
first, second : (t,) int64, the two clusters that each edge merges, the lower number first.
size, least, greatest : (t,) int64, the size, the least and the greatest vertex of each new cluster.
"""

from typing import Any


def merge_in_order(on: Any, vertex: type, find: Any) -> Any:
    """Merge the clusters of the endpoints of all edges sequentially, in a single thread.

    Launched for one index, so no other thread accesses the arrays.
    """

    @on.elementwise
    def merge_in_order(
        i, src, dst, up, cluster, members, most, first, second, size, least, greatest
    ):
        for k in range(src.size):
            u, v = find(up, vertex(src[k])), find(up, vertex(dst[k]))
            low, high = min(u, v), max(u, v)
            up[high] = low
            one, other = cluster[low], cluster[high]
            first[k], second[k] = min(one, other), max(one, other)
            members[low] += members[high]
            most[low] = max(most[low], most[high])
            cluster[low] = up.size + k
            size[k], least[k], greatest[k] = members[low], low, most[low]

    return merge_in_order
