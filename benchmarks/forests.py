"""Forests by weight, cuts at thresholds, dendrograms and bridges, beside what others do.

spanning: least forests of the reference graphs, beside cuGraph or SciPy. thresholds: ten thresholds
in one call, against a run on the edges of each. cuts: the same ten of a dendrogram, which takes the
forest first. linkage: single linkage of the distances of points, beside SciPy. tree: the merges of
trees of several shapes. bridges: bridges and articulation points of a skewed graph and of a grid,
beside igraph on one core.

All ways of a job take turns, and answers are compared after the timing.
"""

from itertools import product
from unittest import mock

import harness
import numpy as np
from harness import frame, on_host, to_pandas
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.sparse import csgraph
from scipy.spatial.distance import pdist

import cc_rapids
from cc_rapids import generators, oracle
from cc_rapids.algorithms import boruvka
from cc_rapids.tools.bench import clocked, spread

LEVELS = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
MOST = 100  # vertices of a part


def main():
    """Measure some jobs, and keep a record of each."""
    parser = harness.arguments(__doc__, runs=5, edges=2_000_000, points=3_000, vertices=10_000_000)
    parser.add_argument("--graphs", nargs="*", default=harness.GRAPHS)
    parser.add_argument("--light", nargs="+", type=float, default=[boruvka.LIGHT_EDGES_PER_VERTEX])
    parser.add_argument("--bands", nargs="+", type=int, default=[boruvka.LIGHT_BANDS])
    parser.add_argument("--no-peer", action="store_true", help="of spanning forests")
    parser.add_argument("--prove", action="store_true", help="forests, on the host: minutes")
    harness.measure_jobs(parser, JOBS, "pandas")


def spanning(args, backend):
    """Yield the times of a minimum spanning forest of each graph, and those of the peer."""
    for name in args.graphs:
        graph = generators.reference(name, args.scale, dtype=np.int32, engine=backend.name)
        weight = np.random.default_rng(0).random(graph.num_edges, np.float32)
        edges = frame(backend, src=graph.src, dst=graph.dst, weight=backend.asarray(weight))
        facts = {"graph": graph.name, "vertices": graph.num_vertices, "edges": graph.num_edges}
        for light, bands in product(args.light, args.bands):
            settings = {"light_edges_per_vertex": light, "light_bands": bands}
            constants = {key.upper(): value for key, value in settings.items()}
            with mock.patch.multiple(boruvka, **constants):
                found = one_forest(edges, graph.num_vertices, backend, args)
            yield facts | {"weights": "float32"} | settings | found
        del graph, edges


def one_forest(edges, n, backend, args):
    """Return the times of all ways, the totals, and the memory that is planned."""

    def forest():
        return cc_rapids.minimum_spanning_forest(edges, weight="weight")

    plan = cc_rapids.minimum_spanning_forest(edges, weight="weight", explain=True)
    ways = {"forest": forest, "labels": lambda: cc_rapids.components(edges).labels()}
    totals = {}
    if not args.no_peer:
        ways |= (by_cugraph if backend.on_device else by_scipy)(edges, n, totals)
    times = harness.timed(ways, backend, args.runs)
    answer = forest()
    assert len(answer) == n - len(cc_rapids.components(edges, num_vertices=n))
    totals["total"] = float(answer["weight"].astype("float64").sum())
    if args.prove:
        columns = [on_host(edges[name]) for name in ("src", "dst", "weight")]
        oracle.certify_forest(*columns[:2], n, columns[2], on_host(answer["row"]))
    theirs = sum(spent["median"] for way, spent in times.items() if way.startswith("peer"))
    rate = {"times_faster": round(theirs / times["forest_ms"]["median"], 2)} if theirs else {}
    kernels = harness.kernel_times(backend, forest)
    return times | kernels | totals | rate | {"plan_bytes": plan.bytes, "proved": args.prove}


def by_cugraph(edges, n, totals):
    """Return cuGraph's graph and forest; the total of its forest is kept in ``totals``."""
    import cugraph

    made = []

    def graph():
        made[:] = [cugraph.Graph()]
        made[0].from_cudf_edgelist(edges, "src", "dst", edge_attr="weight", renumber=True)

    def tree():
        forest = cugraph.minimum_spanning_tree(made[0]).view_edge_list()
        totals["peer_total"] = float(forest["weight"].astype("float64").sum())

    return {"peer_graph": graph, "peer_tree": tree}


def by_scipy(edges, n, totals):
    """Return SciPy's matrix and forest; the total of its forest is kept in ``totals``.

    It adds the weights of equal edges.
    """
    made, ends = [], (edges["src"].to_numpy(), edges["dst"].to_numpy())

    def graph():
        matrix = sparse.coo_array((edges["weight"].to_numpy(), ends), shape=(n, n))
        made[:] = [matrix.tocsr()]

    def tree():
        totals["peer_total"] = float(csgraph.minimum_spanning_tree(made[0]).sum())

    return {"peer_graph": graph, "peer_tree": tree}


def weighed(args, backend):
    """Return random pairs with weights between 0 and 1, four for each vertex."""
    rng, n = np.random.default_rng(0), args.edges // 4
    src, dst = rng.integers(0, n, (2, args.edges))
    return frame(backend, src=src, dst=dst, weight=rng.random(args.edges)), n


def thresholds(args, backend):
    """Yield the times of ten thresholds at once and by a run of each, after comparing the labels.

    A run of its own has the vertices of its edges alone, where each cut has all vertices.
    """
    edges, n = weighed(args, backend)

    def at_once():
        return cc_rapids.components_at(edges, thresholds=LEVELS)

    def separate():
        heavy = (edges[edges["weight"] >= level].reset_index(drop=True) for level in LEVELS)
        return [cc_rapids.components(part) for part in heavy]

    def labels_at_once():
        cuts = at_once()
        return [cuts.labels(level) for level in cuts.thresholds]

    ways = {"wall": at_once, "separate": separate, "labels": labels_at_once}
    ways["separate_labels"] = lambda: [found.labels() for found in separate()]
    times = harness.timed(ways, backend, args.runs)
    cuts = at_once()
    for level, found in zip(LEVELS, separate(), strict=True):
        cut, labels = cuts.at(level), to_pandas(cuts.labels(level)).set_index("vertex")["labels"]
        single = to_pandas(found.labels())
        assert np.array_equal(labels.loc[single["vertex"]], single["labels"]), level
        assert len(cut) == len(found) + labels.size - len(single), level
    yield {
        "edges": args.edges,
        "vertices": n,
        "thresholds": len(LEVELS),
        "components": [len(cuts.at(level)) for level in LEVELS],
        **times,
        "times_faster": harness.faster(times, "wall", "separate"),
        "labels_times_faster": harness.faster(times, "labels", "separate_labels"),
    }


def cuts(args, backend):
    """Yield the times of ten cuts of a dendrogram, of what comes before them, and of SciPy."""
    edges, n = weighed(args, backend)
    host = to_pandas(edges)

    def forest():
        return cc_rapids.components(edges, weight="weight", forest="max")

    def at_once():
        return cc_rapids.components_at(edges, thresholds=LEVELS)

    def labels(found):
        return [found.labels(level) for level in found.thresholds]

    def scipys():
        heavy = (host[host["weight"] >= level] for level in LEVELS)
        return [harness.scipy_labels(part["src"], part["dst"], n).max() + 1 for part in heavy]

    found = forest()
    made = found.dendrogram()
    made.linkage(lambda weights: 1 - weights)
    ways = {
        "components_at": at_once,
        "components_at_labels": lambda: labels(at_once()),
        "forest": forest,
        "dendrogram": found.dendrogram,
        "cuts": lambda: made.cuts(LEVELS),
        "cuts_labels": lambda: labels(made.cuts(LEVELS)),
        "at": lambda: made.at(LEVELS[4]),
        "merges": made.merges,
        "split": lambda: made.split(MOST),
    }
    times = harness.timed(ways, backend, args.runs)
    spent, _, theirs = clocked(backend, scipys)
    times["scipy_ms"] = spread([spent])
    one, other = at_once(), made.cuts(LEVELS)
    assert one == other
    assert to_pandas(one.merges()).equals(to_pandas(other.merges()))
    lone = n - found.num_vertices
    assert theirs == [len(other.at(level)) + lone for level in LEVELS]
    parts, rows = made.split(MOST)
    assert int(parts.sizes(1)["size"].max()) <= MOST
    yield {
        "edges": args.edges,
        "vertices": found.num_vertices,
        "thresholds": len(LEVELS),
        "split_components": len(rows),
        "parts": len(parts),
        **times,
        "times_faster": harness.faster(times, "cuts", "components_at"),
        "labels_times_faster": harness.faster(times, "cuts_labels", "components_at_labels"),
    }


def linkage(args, backend):
    """Yield the times of single linkage of all distances, after comparing the clusters."""
    distances = pdist(np.random.default_rng(0).random((args.points, 2)))
    src, dst = np.triu_indices(args.points, 1)
    edges = frame(backend, src=src, dst=dst, far=distances)

    def ours():
        return cc_rapids.components(edges, weight="far", forest="min").dendrogram().linkage()

    ways = {"linkage": ours, "scipy": lambda: hierarchy.linkage(distances, "single")}
    times = harness.timed(ways, backend, args.runs)
    one, other = (way() for way in ways.values())
    assert hierarchy.is_valid_linkage(one)
    assert np.array_equal(one[:, 2], other[:, 2])
    for height in one[:: max(len(one) // 10, 1), 2]:
        flat = [hierarchy.fcluster(way, height, "distance") for way in (one, other)]
        assert len(np.unique(flat, axis=1).T) == len(np.unique(flat[0])) == len(np.unique(flat[1]))
    yield {"points": args.points, "pairs": src.size, **times}


def tree(args, backend):
    """Yield the times of the merges of trees of several shapes, whose edges have any order."""
    n = args.vertices
    below = np.arange(1, n)
    parents = {
        "path": below - 1,
        "random": np.random.default_rng(3).integers(0, below),
        "star": np.zeros(n - 1, np.int64),
        "caterpillar": np.where(below < n // 2, below - 1, below - n // 2),
    }
    names = np.random.default_rng(1).permutation(n)
    for shape, parent in parents.items():
        far = np.random.default_rng(2).random(n - 1)
        edges = frame(backend, src=names[below], dst=names[parent], far=far)
        found = cc_rapids.components(edges, weight="far", forest="min")
        made = found.dendrogram()

        def anew(name, made=made):
            vars(made).pop("_tree", None)
            return getattr(made, name)

        ways = {"dendrogram": found.dendrogram, "merge_tree": lambda: anew("_tree")}
        ways |= {"merges": lambda: anew("merges")(), "linkage": lambda: anew("linkage")()}
        times = harness.timed(ways, backend, min(args.runs, 3))
        assert made.linkage()[-1, 3] == n
        yield {"shape": shape, "vertices": n, **times}


def bridges(args, backend):
    """Yield the times of both kinds of graphs, after comparing the rows with igraph's."""
    import igraph

    scale, side = max(args.vertices // 8, 2).bit_length(), int((args.vertices / 1.2) ** 0.5)
    made = {
        "skewed": generators.rmat(scale, args.vertices, 0.57, 0.19, 0.19),
        "grid": generators.grid(side, side, 0.6),
    }
    for name, graph in made.items():
        edges, pairs = frame(backend, src=graph.src, dst=graph.dst), np.column_stack(graph.edges)
        right = cc_rapids.bridges(edges)

        def theirs(function, pairs=pairs):
            return np.sort(function(igraph.Graph(n=int(pairs.max()) + 1, edges=pairs)))

        ways = {
            "solve": lambda edges=edges: cc_rapids.components(edges).labels(),
            "ours": lambda edges=edges: cc_rapids.bridges(edges),
            "classes": lambda edges=edges: cc_rapids.two_edge_connected_components(edges),
            "points": lambda edges=edges: cc_rapids.articulation_points(edges),
            "audit": lambda edges=edges, right=right: cc_rapids.components(edges).audit(
                edges, bridges=right
            ),
            "igraph": lambda theirs=theirs: theirs(igraph.Graph.bridges),
            "igraph_points": lambda theirs=theirs: theirs(igraph.Graph.articulation_points),
        }
        times = harness.timed(ways, backend, min(args.runs, 2))
        points = cc_rapids.articulation_points(edges)
        assert np.array_equal(on_host(right["row"]), ways["igraph"]())
        assert np.array_equal(on_host(points["vertex"]), ways["igraph_points"]())
        facts = {"graph": name, "m": graph.num_edges, "igraph": igraph.__version__}
        facts["bridges"] = len(right)
        yield facts | {"articulation_points": len(points)} | times


#: The name of the records of each job, and what yields them.
JOBS = {
    "spanning": ("spanning_forests", spanning),
    "thresholds": ("thresholds", thresholds),
    "cuts": ("dendrogram", cuts),
    "linkage": ("dendrogram", linkage),
    "tree": ("dendrogram", tree),
    "bridges": ("bridges", bridges),
}

if __name__ == "__main__":
    main()
