"""Paths along a forest of greatest weight for a million pairs, and shortest paths of one pair.

Three graphs: a skewed one, a grid with gaps, and a single path, whose tree is as deep as it has
edges, and in which no shortest path is searched level by level. The peers are NetworkX, which finds
the path of one pair after the other in the same forest (on a few pairs of forests that fit, per
pair), or the lowest common ancestors of many (Tarjan's, which goes through the whole tree once);
SciPy, which searches the paths from one vertex; and one thread of compiled code, which climbs from
both vertices of a pair, edge by edge, in the tree that SciPy has searched. Making the peers' graphs
is not within their time. The first call roots the forest, which later calls use: both are measured.
Where paths are long, the peers that go along them, and the audit, get the first pairs only, whose
paths have so many edges together. Lengths and weakest rows are compared after the timing.
"""

from importlib.metadata import version

import networkx as nx
import numba
import numpy as np
import pandas as pd
import records
from scipy import sparse
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import backends, generators

VERTICES, PAIRS, FEW = 10_000_000, 1_000_000, 5
CLIMBED, AUDITED = 100_000_000, 4_000_000  # edges of paths
ANCESTORS = 10_000  # pairs
NETWORKX_EDGES = 1_500_000  # beyond which its graph takes minutes to make
GRAPHS = {
    "skewed": lambda n: generators.rmat(max(n // 4, 2).bit_length(), 8 * n // 4, 0.57, 0.19, 0.19),
    "grid": lambda n: generators.grid(int(n**0.5), int(n**0.5), 0.6),
    "path": lambda n: generators.path(n),
}


def main():
    """Measure all graphs, and keep a record of each."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--vertices", type=int, default=VERTICES)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.set_defaults(runs=3)
    args = parser.parse_args()
    backend = backends.get(args.engine)
    base = records.environment(backend.device_name, args.commit) | {"engine": args.engine}
    base["versions"] |= {name: version(name) for name in ("networkx", "scipy")}
    for graph, make in GRAPHS.items():
        made = make(args.vertices)
        found = measured(graph, (made.src, made.dst), args.pairs, backend, args.runs)
        records.keep(args.out, "paths", base | {"graph": graph} | found)


def measured(graph, columns, many, backend, runs):
    """Return the times of all ways, after comparing their answers."""
    (src, dst), random = columns, np.random.default_rng(0)
    edges = pd.DataFrame({"src": src, "dst": dst, "w": random.random(src.size, np.float32)})
    solved = cc_rapids.components(edges, weight="w", forest="max", engine="threads")
    vertices = solved.largest()["vertex"].to_numpy()
    ends = random.choice(vertices, (2, many))
    pairs = pd.DataFrame({"src": ends[0], "dst": ends[1]})
    forest = solved.forest()
    if backend.on_device:
        import cudf

        edges, pairs = cudf.from_pandas(edges), cudf.from_pandas(pairs)
    kept = cc_rapids.components(edges, weight="w", forest="max")
    ways = {
        "solve": lambda: cc_rapids.components(edges, weight="w", forest="max"),
        "first": lambda: ways["solve"]().paths(pairs),
        "later": lambda: kept.paths(pairs),
        "one": lambda: kept.path(int(ends[0, 0]), int(ends[1, 0])),
    }
    if graph != "path":
        ways["shortest"] = lambda: kept.path(*map(int, ends[:, 0]), edges, shortest=True)
    answer = kept.paths(pairs)
    length = (answer.to_pandas() if backend.on_device else answer)["length"].to_numpy()
    few = within(length, AUDITED)
    some = answer[:few], pairs[:few]
    ways["audit"] = lambda: kept.audit_paths(*some, edges, weight="w")
    ways["audit_components"] = lambda: kept.audit(edges, weight="w", forest="max")
    times = records.turns(list(ways.values()), runs, backend.synchronize)
    answer = answer.to_pandas() if backend.on_device else answer
    return {
        "n": solved.num_vertices,
        "m": int(src.size),
        "pairs": many,
        "longest": int(length.max()),
        "mean_length": float(length.mean()),
        "mean_chains": chains(kept, ends),
        "audited_pairs": few,
        **{f"{name}_ms": records.spread(own) for name, own in zip(ways, times, strict=True)},
        **peers(forest, ends, answer, runs),
    }


def within(length, most):
    """Return how many pairs, one at least, have paths of so many edges together."""
    return max(int(np.searchsorted(np.cumsum(length), most, side="right")), 1)


def chains(found, ends):
    """Return how many chains the path of a pair passes, on average over the first pairs."""
    xp, walked = found._backend.xp, found._walked.chains
    first, second = (found._places(found._column(side[:ANCESTORS]), "raise")[0] for side in ends)
    pieces = walked.pieces(first, second, xp.arange(first.size), xp)
    return sum(int(piece.pair.size) for piece in pieces) / int(first.size)


def peers(forest, ends, answer, runs):
    """Return the times of SciPy from one vertex, and of the others for some pairs."""
    src, dst = (forest[name].to_numpy() for name in ("source", "destination"))
    low, n = int(min(src.min(), dst.min())), int(max(src.max(), dst.max())) + 1
    numbers = np.arange(1, src.size + 1, dtype=np.int64)
    matrix = sparse.csr_array((numbers, (src - low, dst - low)), (n - low, n - low))
    both = (matrix + matrix.T).tocsr()
    few, (first, vertex) = ends[:, :FEW].T.tolist(), (ends[:, 0] - low).tolist()
    some = within(answer["length"].to_numpy(), CLIMBED)
    near, weights = ends[:, :some] - low, forest["weight"].to_numpy()
    order, before = search(matrix, first)
    tree = rooted(order, before, both.indptr, both.indices, both.data)
    works = [
        lambda: search(matrix, first),
        lambda: rooted(order, before, both.indptr, both.indices, both.data),
        lambda: climb(*near, before, *tree, weights),
    ]
    names = "scipy_from_one_vertex_ms", "sequential_root_ms", "sequential_climb_ms"
    times = records.turns(works, runs)
    found = {name: records.spread(own) for name, own in zip(names, times, strict=True)}
    found["climbed_pairs"] = some
    lengths_of, weakest = climb(*near, before, *tree, weights)
    rows = np.where(weakest >= 0, forest["row"].to_numpy()[weakest], -1)
    assert np.array_equal(lengths_of, answer["length"][:some])
    assert np.array_equal(rows, answer["weakest_row"][:some])
    steps = 0
    while vertex != first:
        vertex, steps = before[vertex], steps + 1
    assert steps == answer["length"].iloc[0]
    if src.size > NETWORKX_EDGES:
        return found
    graph = nx.Graph(zip(src.tolist(), dst.tolist(), strict=True))
    times = records.turns([lambda: lengths(graph, few)], runs)[0]
    assert lengths(graph, few) == answer["length"].iloc[:FEW].tolist()
    found["networkx_ms_per_pair"] = records.spread([one / FEW for one in times])
    root, many = int(ends[0, 0]), list(map(tuple, ends[:, :ANCESTORS].T.tolist()))
    directed = nx.DiGraph(nx.bfs_edges(graph, root))
    times = records.turns([lambda: ancestors(directed, root, many)], runs)[0]
    return found | {"networkx_ancestors_ms": records.spread(times), "ancestors_pairs": len(many)}


def ancestors(tree, root, pairs):
    """Return the lowest common ancestor of each pair, by NetworkX."""
    return dict(nx.tree_all_pairs_lowest_common_ancestor(tree, root, pairs))


@numba.njit
def rooted(order, before, starts, heads, edges):
    """Return the depth of each vertex that a search has met, and the edge to the one before it."""
    depth, above = np.zeros(before.size, np.int64), np.full(before.size, -1, np.int64)
    for v in order[1:]:
        u = before[v]
        depth[v] = depth[u] + 1
        for k in range(starts[v], starts[v + 1]):
            if heads[k] == u:
                above[v] = edges[k] - 1
    return depth, above


@numba.njit
def climb(first, second, before, depth, above, weights):
    """Return the length of the path of each pair, and its weakest edge, edge by edge."""
    length, weakest = np.zeros(first.size, np.int64), np.full(first.size, -1, np.int64)
    for i in range(first.size):
        u, v = first[i], second[i]
        while u != v:
            if depth[u] < depth[v]:
                u, v = v, u
            e, w = above[u], weakest[i]
            if w < 0 or weights[e] < weights[w] or (weights[e] == weights[w] and e < w):
                weakest[i] = e
            u = before[u]
            length[i] += 1
    return length, weakest


def search(matrix, vertex):
    """Return the vertices in the order of a search from one, and the one before each, by SciPy."""
    return csgraph.breadth_first_order(matrix, vertex, directed=False)


def lengths(graph, pairs):
    """Return the length of the path of each pair, by NetworkX."""
    return [nx.shortest_path_length(graph, *pair) for pair in pairs]


if __name__ == "__main__":
    main()
