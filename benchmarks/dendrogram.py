"""Components at any number of thresholds of one forest, and single linkage, against other ways.

Cuts: the list of benchmarks/thresholds.py, cut at ten thresholds by ``components_at``, and by the
dendrogram of its forest of greatest weight, and by SciPy, whose components of a matrix of the edges
of each cut are found one after the other. What comes first, the forest and its edges in the order
of their weights, is measured apart, so that a reader sees from how many cuts on it pays; so are all
merges, the linkage, and a split of what has more than a hundred vertices. SciPy takes a hundred
times as long as the cuts, on one thread of the host with any engine, so that it goes through the
list once, while its answers are compared; and the merges and the split, which the host finds as
well, take no more than three turns.

Linkage: single linkage of points in a plane, of all their distances, against SciPy. Both ways begin
with the distances; here the ends of all pairs are there as well, as a frame (of cuDF with
``--engine cuda``), and the forest is found in the same time. The heights are compared after the
timing, and so are the flat clusters at ten of them.

Tree: the linkage of the edges of a path in any order, which one thread of the host goes through.

All other ways of a job take turns, so that others' work on the machine meets all.
"""

import time
from importlib.metadata import version

import numpy as np
import pandas as pd
import records
import scipy.sparse
import thresholds
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

import cc_rapids
from cc_rapids import backends

POINTS, VERTICES, MOST = 3_000, 10_000_000, 100
LEVELS = thresholds.LEVELS


def main():
    """Measure all jobs, and keep a record of each."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=tuple(thresholds.SIZES), default="threads")
    parser.add_argument("--edges", type=int, help="of the list to cut, four a vertex")
    parser.add_argument("--points", type=int, default=POINTS)
    parser.add_argument("--vertices", type=int, default=VERTICES, help="of the path")
    args = parser.parse_args()
    backend = backends.get(args.engine)
    edges, vertices = thresholds.SIZES[args.engine]
    if args.edges:
        edges, vertices = args.edges, args.edges // 4
    base = records.environment(backend.device_name, args.commit) | {"engine": args.engine}
    base["versions"] |= {"pandas": version("pandas")}
    for job, found in (
        ("cuts", lambda: cuts(edges, vertices, backend, args.runs)),
        ("linkage", lambda: linkage(args.points, backend, args.runs)),
        ("tree", lambda: tree(args.vertices, backend, min(args.runs, 3))),
    ):
        records.keep(args.out, "dendrogram", base | {"job": job} | found())


def cuts(edges, vertices, backend, runs):
    """Return the times of ten cuts, after comparing them."""
    frame = thresholds.weighed(edges, vertices)
    given = on_engine(frame, backend)

    def forest():
        return cc_rapids.components(given, weight="weight", forest="max")

    found = forest()
    made = found.dendrogram()
    made.linkage(far)

    def at_once():
        return cc_rapids.components_at(given, thresholds=LEVELS)

    def labels(cut):
        return [cut.labels(level) for level in cut.thresholds]

    ways = {
        "components_at": at_once,
        "components_at_labels": lambda: labels(at_once()),
        "forest": forest,
        "dendrogram": found.dendrogram,
        "cuts": lambda: made.cuts(LEVELS),
        "cuts_labels": lambda: labels(made.cuts(LEVELS)),
        "at": lambda: made.at(LEVELS[4]),
    }
    wall = timed(ways, backend, runs)
    wall |= timed({"merges": made.merges, "split": lambda: made.split(MOST)}, backend, min(runs, 3))
    one, other = at_once(), made.cuts(LEVELS)
    assert one == other
    for left, right in zip(*(columns(cut.merges()) for cut in (one, other)), strict=True):
        assert np.array_equal(left, right)
    started = time.perf_counter()
    theirs = [by_scipy(frame, vertices, level) for level in LEVELS]
    wall["scipy_ms"] = records.spread([1e3 * (time.perf_counter() - started)])
    alone = vertices - found.num_vertices  # vertices that no edge names
    assert theirs == [len(other.at(level)) + alone for level in LEVELS]
    parts, rows = made.split(MOST)
    assert int(parts.sizes(1)["size"].max()) <= MOST
    least = {way: wall[f"{way}_ms"]["least"] for way in ways}
    return {
        "edges": len(frame),
        "vertices": found.num_vertices,
        "thresholds": len(LEVELS),
        "split_components": len(rows),
        "parts": len(parts),
        **wall,
        "times_faster": round(least["components_at"] / least["cuts"], 2),
        "labels_times_faster": round(least["components_at_labels"] / least["cuts_labels"], 2),
    }


def by_scipy(frame, vertices, level):
    """Return the number of components of the edges of at least a weight, as SciPy finds them."""
    heavy = frame[frame["weight"] >= level]
    ends = heavy["src"].to_numpy(), heavy["dst"].to_numpy()
    ones = np.ones(len(heavy), bool)
    matrix = scipy.sparse.coo_array((ones, ends), shape=(vertices, vertices))
    return scipy.sparse.csgraph.connected_components(matrix, directed=False)[0]


def linkage(points, backend, runs):
    """Return the times of single linkage of all distances, after comparing the clusters."""
    distances = pdist(np.random.default_rng(0).random((points, 2)))
    src, dst = np.triu_indices(points, 1)
    given = on_engine(pd.DataFrame({"src": src, "dst": dst, "far": distances}), backend)

    def ours():
        return cc_rapids.components(given, weight="far", forest="min").dendrogram().linkage()

    ways = {"linkage": ours, "scipy": lambda: hierarchy.linkage(distances, "single")}
    wall = timed(ways, backend, runs)
    own, theirs = (way() for way in ways.values())
    assert hierarchy.is_valid_linkage(own)
    assert np.array_equal(own[:, 2], theirs[:, 2])
    for height in own[:: max(len(own) // 10, 1), 2]:
        flat = [hierarchy.fcluster(way, height, "distance") for way in (own, theirs)]
        assert len(np.unique(flat, axis=1).T) == len(np.unique(flat[0])) == len(np.unique(flat[1]))
    return {"points": points, "pairs": src.size, **wall}


def tree(vertices, backend, runs):
    """Return the times of the linkage of a path alone, whose forest is there."""
    path = np.random.default_rng(1).permutation(vertices)
    frame = pd.DataFrame({"src": path[:-1], "dst": path[1:]})
    frame["far"] = np.random.default_rng(2).random(vertices - 1)
    given = on_engine(frame, backend)
    found = cc_rapids.components(given, weight="far", forest="min")
    made = found.dendrogram()

    def anew():
        vars(made).pop("_tree", None)  # which is kept for all later calls
        return made.linkage()

    wall = timed({"dendrogram": found.dendrogram, "linkage": anew}, backend, runs)
    assert anew()[-1, 3] == vertices
    return {"vertices": vertices, **wall}


def far(weights):
    """Return how far ends of edges of such weights are from each other."""
    return 1 - weights


def on_engine(frame, backend):
    """Return a frame of pandas, or on a GPU the same of cuDF."""
    if not backend.on_device:
        return frame
    import cudf

    return cudf.from_pandas(frame)


def columns(frame):
    """Return the columns of a frame on the host."""
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    return [frame[name].to_numpy() for name in frame.columns]


def timed(ways, backend, runs):
    """Return the times of some ways that take turns, by the names of their fields."""
    times = records.turns(list(ways.values()), runs, backend.synchronize)
    spreads = map(records.spread, times)
    return {f"{name}_ms": own for name, own in zip(ways, spreads, strict=True)}


if __name__ == "__main__":
    main()
