"""Clusters that grow by one edge after the other, as single linkage merges them.

Vertices are clusters 0 .. n - 1, and edge k makes cluster n + k of those of its ends.

src, dst : (t,) int64, the ends of the edges of a forest, the edge that is merged first before all.
up       : (n,) unsigned, the trees of union-find, every vertex a root at first. Of two roots, the
           lesser becomes the parent, so a root is the least vertex of its cluster.
cluster, members, most : (n,) int64, for a root its cluster, the number of its vertices, and the
           greatest of them; at first v, 1 and v.
first, second : (t,) int64, the two clusters that each edge merges, the lower number first.
size, least, greatest : (t,) int64, the vertices of the cluster that it makes, and the least and the
           greatest of them.
"""

from typing import Any


def merge_in_order(on: Any, vertex: type, find: Any) -> Any:
    """Merge the clusters of the ends of all edges, one edge after the other, by a single thread.

    It is launched for one index, so nothing else reads or writes the arrays meanwhile.
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
