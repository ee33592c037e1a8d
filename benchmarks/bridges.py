"""Bridges and articulation points of two kinds of graphs, against igraph on one core.

The skewed graph is an R-MAT one, like a web's; the grid has lost two of five edges, like roads.
Both ways start from the edges, where they lie as a frame of pandas (of cuDF with ``--engine cuda``)
and as an array on the host for igraph, whose ``Graph`` is made once in each turn, and is part of
the time of both of its answers. They take turns; kernels are compiled, or loaded, before. Answers
are compared after the timing.
"""

import time
from importlib.metadata import version

import igraph
import numpy as np
import pandas as pd
import records

import cc_rapids
from cc_rapids import backends

EDGES = 10_000_000


def main():
    """Measure both graphs, and keep a record of each."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.set_defaults(runs=2)
    args = parser.parse_args()
    backend = backends.get(args.engine)
    base = records.environment(backend.device_name, args.commit) | {"engine": args.engine}
    base["versions"] |= {"igraph": version("igraph")}
    for graph, make in (("skewed", skewed), ("grid", grid)):
        found = measured(*make(args.edges), backend, args.runs)
        records.keep(args.out, "bridges", base | {"graph": graph} | found)


def skewed(edges):
    """Return the ends of R-MAT edges, eight for each id, with the chances of Graph500."""
    rng = np.random.default_rng(0)
    src, dst = np.zeros((2, edges), np.int64)
    for _ in range(max(edges // 8, 2).bit_length()):
        place = rng.random(edges)
        src = 2 * src + (place >= 0.76)
        dst = 2 * dst + ((place >= 0.57) & (place < 0.76) | (place >= 0.95))
    return src, dst


def grid(edges):
    """Return the ends of the edges of a square grid of which three of five are left."""
    side = max(int((edges / 1.2) ** 0.5), 2)
    at = np.arange(side * side).reshape(side, side)
    src = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    dst = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    kept = np.random.default_rng(1).random(src.size) < 0.6
    return src[kept], dst[kept]


def on_host(column):
    """Return a column of pandas or cuDF as an array of NumPy."""
    return (column.to_pandas() if hasattr(column, "to_pandas") else column).to_numpy()


def measured(src, dst, backend, runs):
    """Return the times of both ways, after comparing their rows."""
    frame = pd.DataFrame({"src": src, "dst": dst})
    if backend.on_device:
        import cudf

        frame = cudf.from_pandas(frame)
    pairs = np.column_stack([src, dst])
    right = cc_rapids.bridges(frame)
    ways = {
        "solve": lambda: cc_rapids.components(frame).labels(),
        "ours": lambda: cc_rapids.bridges(frame),
        "classes": lambda: cc_rapids.two_edge_connected_components(frame),
        "points": lambda: cc_rapids.articulation_points(frame),
        "audit": lambda: cc_rapids.components(frame).audit(frame, bridges=right),
    }
    for way in ways.values():
        way()
    theirs_of, times = {}, {name: [] for name in (*ways, "igraph", "igraph_points")}
    for _ in range(runs):
        for name, way in ways.items():
            times[name].append(taken(way, backend.synchronize)[0])
        made, graph = taken(lambda: igraph.Graph(n=int(pairs.max()) + 1, edges=pairs))
        for name, way in (("igraph", graph.bridges), ("igraph_points", graph.articulation_points)):
            searched, theirs = taken(way)
            times[name].append(made + searched)
            theirs_of[name] = np.sort(theirs)
        del graph
    points = cc_rapids.articulation_points(frame)
    assert np.array_equal(on_host(right["row"]), theirs_of["igraph"])
    assert np.array_equal(on_host(points["vertex"]), theirs_of["igraph_points"])
    return {
        "m": int(src.size),
        "bridges": len(right),
        "articulation_points": len(points),
        **{f"{name}_ms": records.spread(own) for name, own in times.items()},
    }


def taken(way, synchronize=lambda: None):
    """Return the milliseconds that a function takes, and its answer."""
    synchronize()
    started = time.perf_counter()
    answer = way()
    synchronize()
    return 1e3 * (time.perf_counter() - started), answer


if __name__ == "__main__":
    main()
