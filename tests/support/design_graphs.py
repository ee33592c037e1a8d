"""Graphs that are hardest for designs, and what has to hold of answers about them."""

import numpy as np
from scipy.sparse import coo_array, csr_array

from cc_rapids import generators, oracle
from cc_rapids.data.adapters import Csr

SMALL = 24  # vertices


def graph(src, dst, n):
    return np.array(src, np.int32), np.array(dst, np.int32), n


def of(made):
    return graph(*map(np.asarray, made.edges), made.num_vertices)


def backwards(src, dst, n):
    """The same graph with the vertices in the opposite order, and the edges too."""
    return (n - 1 - src)[::-1].copy(), (n - 1 - dst)[::-1].copy(), n


GRAPHS = {
    "empty": graph([], [], 0),
    "no edges": graph([], [], 5),
    "one edge": graph([3], [1], 5),
    "self-loops": graph([0, 2, 2, 4], [0, 2, 2, 4], 6),
    "star": of(generators.permuted(generators.star(SMALL), 1)),
    "sinking star": graph([SMALL - 1] * (SMALL - 1), range(SMALL - 2, -1, -1), SMALL),
    "clique": of(generators.permuted(generators.cliques([9]), 2)),
    "cliques": of(generators.permuted(generators.cliques([5, 1, 7, 2, 2]), 3)),
    "path": of(generators.path(SMALL, shuffle=4)),
    "rising path": graph(range(SMALL - 1), range(1, SMALL), SMALL),
    "falling path": backwards(*graph(range(SMALL - 1), range(1, SMALL), SMALL)),
    "duplicates": of(generators.duplicated(generators.path(6, shuffle=5), 60, 5)),
    "rmat": of(generators.rmat(5, 50, 0.57, 0.19, 0.19, 6)),
    "two halves": graph([*range(11), *range(12, 23)], [*range(1, 12), *range(13, 24)], SMALL),
}
GRAPHS |= {f"{name} backwards": backwards(*GRAPHS[name]) for name in ("rmat", "cliques", "star")}


def check(found, src, dst, n, forest):
    """Labels are the least vertices; the edges of the forest are as many as they have to be, and
    join the same: so they are acyclic, and they span.
    """
    expected = oracle.union_find(src, dst, n)
    np.testing.assert_array_equal(np.asarray(found.labels().labels), expected)
    if forest:
        chosen = found.forest()
        rows = np.asarray(chosen.row)
        assert rows.size == np.unique(rows).size == n - len(found)
        np.testing.assert_array_equal(src[rows], np.asarray(chosen.source))
        np.testing.assert_array_equal(dst[rows], np.asarray(chosen.destination))
        np.testing.assert_array_equal(oracle.union_find(src[rows], dst[rows], n), expected)


def rows_of(src, dst, n, both):
    """The rows of a graph, in both directions or in one."""
    ends = (np.append(src, dst), np.append(dst, src)) if both else (src, dst)
    matrix = csr_array(coo_array((np.ones(ends[0].size), ends), shape=(n, n)))
    return Csr(matrix.indptr, matrix.indices, symmetric=both)


RACES = {
    "star": lambda seed: generators.permuted(generators.star(3000), seed),
    "path": lambda seed: generators.path(300, shuffle=seed),
    "clique": lambda seed: generators.permuted(generators.cliques([60]), seed),
    "one edge": lambda seed: generators.duplicated(generators.path(2), 3000, seed),
    "duplicates": lambda seed: generators.duplicated(generators.path(100, shuffle=seed), 40, seed),
    "rmat": lambda seed: generators.rmat(11, 6000, 0.57, 0.19, 0.19, seed),
    "grid": lambda seed: generators.grid(40, 40, 0.6, seed),
}
