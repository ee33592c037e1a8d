"""Single-linkage merge tree: the clusters that each edge of a spanning forest merges.

The forest is contracted repeatedly to its heavier edges (Sao, Prokopenko and Lebrun-Grandié,
"PANDORA: A parallel dendrogram construction algorithm for single linkage clustering on GPU", 2024).
An edge is an *alpha edge* if both of its endpoints have a lighter edge. All other edges join a
single vertex to a cluster, or two single vertices (*leaf edges*). All edges except the alpha edges
are contracted, and the alpha edges form the next forest, between *supervertices*. Each alpha edge
needs two leaf edges below it. So at most half of the edges are alpha edges, and the contractions
end.

Inside a supervertex the merges are a *chain*: each edge joins one more vertex to the cluster of the
previous edge. A chain ends before the lightest alpha edge that leaves its supervertex. Heavier
edges belong to the chain of a later supervertex, which contains this supervertex. So the edges of a
chain are known before any cluster is known, and only need to be ordered.

Two implementations compute the same arrays. On a GPU each step is a launch over all edges: edges
are sorted by chain, and sizes are prefix sums along chains, first along the chains of earlier
contractions. With few CPU threads, one thread in two passes is faster. This thread takes the edges
in the order of their merges, so that it can prefetch the data of later edges. Only the search for
chains uses all threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..backends import Array, Backend, Kernel
from ..errors import InputError, counted
from ..graph.sorting import order_of, rows_of_each
from ..kernels import dendrogram as kernels
from ..kernels.primitives import none_of
from .rooted_forest import word_of


@dataclass(frozen=True)
class MergeTree:
    """The merges of clusters by the edges of a forest, in order, as arrays of unsigned integers.

    The vertices are the clusters 0 .. n - 1. Edge k merges the clusters ``first[k]`` and
    ``second[k]``, the lower number first, into cluster n + k. Element k of ``size``, ``least`` and
    ``greatest`` is the size, the least vertex and the greatest vertex of this cluster.
    """

    n: int
    first: Array
    second: Array
    size: Array
    least: Array
    greatest: Array
    backend: Backend  # of the arrays

    @classmethod
    def of(cls, src: Array, dst: Array, n: int, backend: Backend) -> MergeTree:
        """Compute the merges of the edges of a forest over n vertices.

        ``src`` and ``dst``, (t,) arrays of integers, are the endpoints of the edges in the order of
        their merges. Raise an InputError if the edges have a cycle.
        """
        compute = _merges_in_order if backend.merges_in_order else _merges_in_parallel
        first, second, size, least, greatest = compute(src, dst, n, backend)
        return cls(n, first, second, size, least, greatest, backend)

    def sizes_of(self, clusters: Array) -> Array:
        """Return the number of vertices of each given cluster, as int64."""
        return self._look_up(self.size, clusters, np.int64, is_size=True)

    def least_of(self, clusters: Array) -> Array:
        """Return the least vertex of each given cluster."""
        return self._look_up(self.least, clusters, clusters.dtype)

    def greatest_of(self, clusters: Array) -> Array:
        """Return the greatest vertex of each given cluster."""
        return self._look_up(self.greatest, clusters, clusters.dtype)

    def _look_up(self, merged: Array, clusters: Array, dtype: Any, is_size: bool = False) -> Array:
        """Return, for each given cluster, the element of ``merged`` at the edge that created it.

        No edge creates a cluster of one vertex. The result is then 1 if ``is_size``, otherwise the
        vertex.
        """
        values = self.backend.empty(clusters.size, dtype)
        look_up = self.backend.kernel(kernels.look_up)
        look_up(clusters.size, self.n, int(is_size), clusters, merged, values)
        return values

    def roots(self) -> Array:
        """Return the clusters that are never merged, ordered by their least vertices."""
        xp = self.backend.xp
        is_root = xp.ones(self.n + self.size.size, bool)
        is_root[self.first], is_root[self.second] = False, False
        clusters = xp.flatnonzero(is_root)
        return clusters[xp.argsort(self.least_of(clusters))]

    def part(self, vertices: Array, edges: Array) -> MergeTree:
        """Return the merges of one component, whose vertices and edges are numbered from 0.

        The vertices and edges of the component are (s,) and (s - 1,) arrays of int64, ascending.
        """
        xp, clusters, word = self.backend.xp, self.n + self.size.size, self.first.dtype.type
        number = self.backend.empty(clusters, word)
        number[vertices] = xp.arange(vertices.size, dtype=word)
        number[self.n + edges] = xp.arange(vertices.size, vertices.size + edges.size, dtype=word)
        columns = self.first, self.second, self.least, self.greatest
        first, second, least, greatest = (number[column[edges]] for column in columns)
        size = self.size[edges]
        return MergeTree(int(vertices.size), first, second, size, least, greatest, self.backend)

    def growth(self, ends: Array) -> tuple[Array, Array]:
        """Return the size of the largest cluster and the sum of squared sizes, after given merges.

        Element i of both results, arrays of uint64, describes the clusters after the merge by edge
        ``ends[i]``. ``ends`` are int64.
        """
        backend, t, word = self.backend, int(self.size.size), self.first.dtype.type
        # a merge of a and b vertices replaces a^2 + b^2 by (a + b)^2, which is greater by 2 a b
        products = self.sizes_of(self.first) * self.sizes_of(self.second)
        squares = self.n + 2 * backend.xp.cumsum(products.astype(np.uint64))
        # The third word of a record becomes the maximum of the third words of its chain so far. All
        # records are one chain, because no fourth word, the flag of a chain's first record, is set.
        records = backend.fill(backend.empty(4 * t, word), 0)
        records[2::4] = self.size
        if t:
            _sum_chains(records, 0, t, backend)
        return records[2::4][ends].astype(np.uint64), squares[ends]

    def linkage(self, heights: Array, root: float = np.inf) -> Array:
        """Return the merges in SciPy's format; see :meth:`Dendrogram.linkage`.

        ``heights`` is a (t,) array of float64. Components are merged at the height ``root``, after
        all edges.
        """
        backend, xp, count = self.backend, self.backend.xp, int(self.size.size)
        rows = backend.empty(4 * max(self.n - 1, 0), np.float64)
        columns = self.first, self.second, heights, self.size
        backend.kernel(kernels.write_linkage)(count, *columns, rows)
        merges, parts = rows.reshape(-1, 4), self.roots()
        if parts.size > 1:
            numbers = self.n + count + xp.arange(parts.size - 2)
            # the cluster of all earlier components, with which each further component is merged
            merged = xp.concatenate([parts[:1], numbers])
            last_merges = merges[count:]
            last_merges[:, 0] = xp.minimum(merged, parts[1:])
            last_merges[:, 1] = xp.maximum(merged, parts[1:])
            last_merges[:, 2], last_merges[:, 3] = root, xp.cumsum(self.sizes_of(parts))[1:]
        return merges

    def at_once(self, steps: Array) -> tuple[Array, Array, Array]:
        """Return three arrays: clusters that merge, the clusters that they become, and the steps.

        ``steps``, a (t,) array of int64, are the steps of the edges, ascending from 0. All edges of
        a step merge simultaneously. The results are (c,) arrays of integers, ordered by step, and
        within a step by the least vertex of the cluster that merges.
        """
        xp, t, word = self.backend.xp, int(steps.size), self.first.dtype.type
        before, last, is_outer = self._contract_steps(steps)
        edge = xp.repeat(xp.arange(t, dtype=word), 2)
        if is_outer is None:  # each step has one edge
            return before, edge + word(self.n), edge
        # leave out clusters that are created and merged in one step
        before, edge = before[is_outer], edge[is_outer]
        step, least = steps[edge], self.least_of(before)
        if self.n > 1 << 32:  # one key of step and vertex might exceed 64 bits
            order = order_of([step, least], xp)
        else:
            keys = step.astype(np.uint64) * np.uint64(self.n) + least.astype(np.uint64)
            order = xp.argsort(keys, kind="stable")  # nearly sorted, which is fast on threads
        last_edge = last[edge[order]]  # it creates the cluster after the step
        return before[order], last_edge + word(self.n), steps[last_edge]

    def cut_to(self, max_size: int, steps: Array) -> Array:
        """Return a mask of the edges that are cut to split clusters of more than ``max_size``.

        Such a cluster loses all edges of its last step, and its parts are split in the same way. A
        cluster of three or more vertices stays whole if all its edges are of one step. ``steps`` is
        as for :meth:`at_once`.
        """
        _, last, _ = self._contract_steps(steps)
        size, edges = self.size[last], self.backend.counts(last, int(steps.size))[last]
        has_earlier_steps = edges + 1 < size  # a cluster of only one step has ``size - 1`` edges
        return (size > max_size) & ((edges == 1) | has_earlier_steps)

    def _contract_steps(self, steps: Array) -> tuple[Array, Array, Array | None]:
        """Contract consecutive merges of one step into one merge of many clusters.

        Returns
        -------
        before : (2 t,) array of integers
            The two clusters that each edge merges, ordered by their least vertices.
        last : (t,) array of integers
            The last edge of the contracted merge to which each edge belongs.
        is_outer : (2 t,) array of bool, or None
            Whether each cluster of ``before`` exists before the step. None if each step has one
            edge, because all clusters then exist before the step.
        """
        backend, t, word = self.backend, int(steps.size), self.first.dtype.type
        before, last = backend.empty(2 * t, word), backend.xp.arange(t, dtype=word)
        pairs = self.first, self.second
        backend.kernel(kernels.order_pairs, word)(t, self.n, *pairs, self.least, before)
        if not t or int(steps[-1]) == t - 1:
            return before, last, None
        is_outer = backend.empty(2 * t, bool)
        backend.kernel(kernels.find_inner, word)(2 * t, self.n, before, steps, last, is_outer)
        launch_until_complete(backend.kernel(kernels.climb_step), (t, last), backend)
        return before, last, is_outer


def _merges_in_order(src: Array, dst: Array, n: int, backend: Backend) -> list[Array]:
    """Return first, second, size, least and greatest of a MergeTree, computed by one thread.

    ``merge_in_order`` replaces ``joined`` and ``chain`` by the two clusters of each edge.
    """
    word, t = word_of(n), int(src.size)
    # two words for each of fewer than 2 n nodes, four for each of fewer than n supervertices
    nodes, chains = (backend.empty(4 * n, word) for _ in range(2))
    backend.fill(nodes[: 2 * n], 0xFF)  # the vertices have no lightest edge yet
    joined, chain, alpha = (backend.empty(k * t, word) for k in (1, 1, 3))
    counts = backend.xp.array([n, t], np.uint64)  # created nodes, and alpha edges left
    contract = backend.kernel(kernels.contract_in_order, word)
    edges = src, dst, backend.unused(word)
    while edges[0].size:
        contract(1, n, *edges, nodes, joined, chain, chains, alpha, counts)
        count = int(counts[kernels.LEFT])
        edges = alpha[:count], alpha[t : t + count], alpha[2 * t : 2 * t + count]
    _check_acyclic(joined)
    backend.kernel(kernels.find_chains, word)(t, nodes, chain)
    outputs = [backend.empty(t, word) for _ in range(3)]
    backend.kernel(kernels.merge_in_order, word)(min(t, 1), n, joined, chain, chains, *outputs)
    return [joined, chain, *outputs]


def _merges_in_parallel(src: Array, dst: Array, n: int, backend: Backend) -> list[Array]:
    """Return first, second, size, least and greatest of a MergeTree, by launches over all edges."""
    word, t = word_of(n), int(src.size)
    # the lightest edge and the supervertex of each of fewer than 2 n nodes; all bits set for none
    nodes = backend.fill(backend.empty(4 * n, word), 0xFF)
    joined, chain, partners = (backend.empty(size, word) for size in (t, t, n))
    edges, bounds = (src, dst, backend.unused(word)), [0, n]  # bounds of the nodes of each forest
    while edges[0].size:
        edges, created = _contracted(edges, bounds, nodes, joined, chain, partners, backend)
        bounds.append(bounds[-1] + created)
    _check_acyclic(joined)
    outputs = [backend.empty(t, word) for _ in range(3)]
    if not t:
        return [joined, chain, *outputs]
    backend.kernel(kernels.find_chains, word)(t, nodes, chain)
    rows, starts = rows_of_each(chain - word(n), bounds[-1] - n, backend.xp)
    records = backend.empty(4 * t, word)
    gather = backend.kernel(kernels.gather_joined, word)
    # where the edges of each contraction begin in ``rows``; the loop keeps this order, because the
    # sums of a contraction's chains start from sums of earlier contractions
    contraction_starts = starts[backend.asarray(np.array(bounds[1:]) - n)]
    for begin, end in pairwise(backend.to_host(contraction_starts).tolist()):
        gather(end - begin, begin, n, rows, starts, joined, chain, partners, records)
        _sum_chains(records, begin, end, backend)
    name_clusters = backend.kernel(kernels.name_clusters, word)
    # The two clusters of each merge overwrite ``joined`` and ``chain``.
    name_clusters(t, n, rows, starts, partners, joined, chain)
    backend.kernel(kernels.unpack)(t, rows, records, *outputs)
    return [joined, chain, *outputs]


def _contracted(
    edges: tuple[Array, Array, Array],
    bounds: list[int],
    nodes: Array,
    joined: Array,
    chain: Array,
    partners: Array,
    backend: Backend,
) -> tuple[tuple[Array, Array, Array], int]:
    """Contract a forest, and return the alpha edges and the number of new supervertices.

    ``edges`` are two endpoints and a number for each edge. ``bounds[1]`` is the number of vertices,
    and the last two ``bounds`` are the first node of this forest, and the first new supervertex.
    :mod:`cc_rapids.kernels.dendrogram` describes the other arrays.
    """
    xp, word, m = backend.xp, nodes.dtype.type, int(edges[0].size)
    n, (begin, first_new) = bounds[1], bounds[-2:]
    backend.kernel(kernels.lower_lightest, word)(m, *edges, nodes)
    is_leaf, is_alpha = (backend.empty(m, np.uint8) for _ in range(2))
    backend.kernel(kernels.classify)(m, *edges, nodes, is_leaf, is_alpha)
    # the number of leaf edges, and of alpha edges, up to each row
    leaf_counts, alpha_counts = (xp.cumsum(flags, dtype=word) for flags in (is_leaf, is_alpha))
    follow = backend.kernel(kernels.follow_lightest, word)
    follow(m, n, first_new, *edges, leaf_counts, nodes, joined, partners)
    # each launch divides the length of the longest path by at least kernels.HOPS
    arguments = first_new - begin, begin, first_new, nodes
    launch_until_complete(backend.kernel(kernels.jump, word), arguments, backend)
    count = int(alpha_counts[-1])
    alpha = backend.empty(3 * count, word)
    backend.kernel(kernels.contract, word)(m, *edges, alpha_counts, nodes, joined, chain, alpha)
    return (alpha[:count], alpha[count : 2 * count], alpha[2 * count :]), int(leaf_counts[-1])


def launch_until_complete(kernel: Kernel, arguments: tuple[Any, ...], backend: Backend) -> None:
    """Launch a kernel repeatedly, until a launch leaves its flag unset."""
    is_incomplete = True
    while is_incomplete:
        flag = backend.new_flag()
        kernel(*arguments, flag.value, flag.word)
        is_incomplete = flag.read_async()()


def _sum_chains(records: Array, begin: int, end: int, backend: Backend) -> None:
    """Replace each of the records begin .. end - 1 by the sum of its chain up to this record.

    Each thread sums a run of records. Then the sums of earlier runs are added to the later runs.
    """
    word, runs = records.dtype.type, -(-(end - begin) // kernels.RUN)
    sums = backend.empty(4 * runs, word)
    backend.kernel(kernels.sum_runs, word)(runs, begin, end, records, sums)
    if runs > 1:
        _sum_chains(sums, 0, runs, backend)
        add = backend.kernel(kernels.add_runs, word)
        add(end - begin - kernels.RUN, begin, records, sums)


def _check_acyclic(joined: Array) -> None:
    """Raise an InputError if edges close a cycle; ``joined`` has all bits set for such edges."""
    closing = int((joined == none_of(joined.dtype.type)).sum())
    if closing:
        raise InputError(
            f"{counted(closing, 'edge')} of the forest would merge a cluster with"
            " itself: find the components and their forest again"
        )
