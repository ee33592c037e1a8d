"""Paths along a forest of greatest weight for a million pairs, and shortest paths of one pair.

Three graphs: a skewed one, a grid with gaps, and a single path, whose tree is as deep as it has
edges, and in which no shortest path is searched level by level. The peers are NetworkX, which finds
the path of one pair after the other in the same forest (on a few pairs of forests that fit, per
pair), and SciPy, which searches it from one vertex. Making their graphs is not within their time.
The first call roots the forest, which later calls use: both are measured. Lengths are compared
after the timing.
"""

from importlib.metadata import version

import measured_code
import networkx as nx
import numpy as np
import pandas as pd
import records
from scipy import sparse
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import backends, generators

VERTICES, PAIRS, FEW = 10_000_000, 1_000_000, 5
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
    times = records.turns(list(ways.values()), runs, backend.synchronize)
    answer = ways["later"]()
    answer = answer.to_pandas() if backend.on_device else answer
    return {
        "n": solved.num_vertices,
        "m": int(src.size),
        "pairs": many,
        "longest": int(answer["length"].max()),
        **{f"{name}_ms": records.spread(own) for name, own in zip(ways, times, strict=True)},
        **peers(forest, ends, answer, runs),
        "code": measured_code.of_run(ways["later"]),
    }


def peers(forest, ends, answer, runs):
    """Return the times of SciPy from one vertex, and of NetworkX for each of a few pairs."""
    src, dst = (forest[name].to_numpy() for name in ("source", "destination"))
    low, n = int(min(src.min(), dst.min())), int(max(src.max(), dst.max())) + 1
    matrix = sparse.csr_array(
        (np.ones(src.size, np.int8), (src - low, dst - low)), (n - low, n - low)
    )
    few = ends[:, :FEW].T.tolist()
    first, vertex = (one - low for one in few[0])
    times = records.turns([lambda: search(matrix, first)], runs, lambda: None)[0]
    found = {"scipy_from_one_vertex_ms": records.spread(times)}
    before, steps = search(matrix, first), 0
    while vertex != first:
        vertex, steps = before[vertex], steps + 1
    assert steps == answer["length"].iloc[0]
    if src.size > NETWORKX_EDGES:
        return found
    graph = nx.Graph(zip(src.tolist(), dst.tolist(), strict=True))
    times = records.turns([lambda: lengths(graph, few)], runs, lambda: None)[0]
    assert lengths(graph, few) == answer["length"].iloc[:FEW].tolist()
    return found | {"networkx_ms_per_pair": records.spread([one / FEW for one in times])}


def search(matrix, vertex):
    """Return for each vertex the one before it on the path from one vertex, by SciPy."""
    return csgraph.breadth_first_order(matrix, vertex, directed=False)[1]


def lengths(graph, pairs):
    """Return the length of the path of each pair, by NetworkX."""
    return [nx.shortest_path_length(graph, *pair) for pair in pairs]


if __name__ == "__main__":
    main()
