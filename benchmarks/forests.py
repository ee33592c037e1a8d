"""Time forests by weight, thresholds and dendrograms, compared with other libraries.

spanning: minimum spanning forests of the reference graphs; compared with cuGraph or SciPy.
thresholds: ten thresholds in one call; compared with one run per threshold. cuts: the same
thresholds of a dendrogram, which needs the forest first. tree: the merges of trees of several
shapes.

The methods of a job are timed in turn, and answers are compared after the timing.
"""

import harness
import numpy as np
from harness import frame, to_pandas
from scipy import sparse
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import generators

LEVELS = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
MOST = 100  # vertices of a part


@harness.job("spanning_forests")
def spanning(args, backend):
    """Yield the times of a minimum spanning forest of each graph, and those of the peer."""
    for name in args.graphs:
        graph = generators.reference(name, args.scale, dtype=np.int32, engine=backend.name)
        weight = np.random.default_rng(0).random(graph.num_edges, np.float32)
        edges = frame(backend, src=graph.src, dst=graph.dst, weight=backend.asarray(weight))
        facts = {"graph": graph.name, "vertices": graph.num_vertices, "edges": graph.num_edges}
        yield facts | {"weights": "float32"} | one_forest(edges, graph.num_vertices, backend, args)
        del graph, edges


def one_forest(edges, n, backend, args):
    """Return the times of all methods, the total weights, and the planned memory."""

    def forest(**options):
        return cc_rapids.minimum_spanning_forest(edges, weight="weight", **options)

    totals, graph = {}, []
    ways = {"forest": forest, "labels": lambda: cc_rapids.components(edges).labels()}
    make, solve = by_cugraph(edges) if backend.on_device else by_scipy(edges, n)
    ways["peer_graph"] = lambda: graph.__setitem__(slice(None), [make()])
    ways["peer_tree"] = lambda: totals.update(peer_total=solve(graph[0]))
    times, answer = harness.timed(ways, backend, args.runs), forest()
    assert len(answer) == n - len(cc_rapids.components(edges, num_vertices=n))
    totals["total"] = float(answer["weight"].astype("float64").sum())
    theirs = times["peer_graph_ms"]["median"] + times["peer_tree_ms"]["median"]
    rate = {"times_faster": round(theirs / times["forest_ms"]["median"], 2)}
    return times | totals | rate | {"plan_bytes": forest(explain=True).bytes}


def by_cugraph(edges):
    """Return functions that make cuGraph's graph and find the total weight of its forest."""
    import cugraph

    def graph():
        made = cugraph.Graph()
        made.from_cudf_edgelist(edges, "src", "dst", edge_attr="weight", renumber=True)
        return made

    def tree(made):
        forest = cugraph.minimum_spanning_tree(made).view_edge_list()
        return float(forest["weight"].astype("float64").sum())

    return graph, tree


def by_scipy(edges, n):
    """Return functions that make SciPy's matrix and find the total weight of its forest.

    The matrix adds the weights of duplicate edges.
    """
    ends, weight = (edges["src"].to_numpy(), edges["dst"].to_numpy()), edges["weight"].to_numpy()
    return (
        lambda: sparse.coo_array((weight, ends), shape=(n, n)).tocsr(),
        lambda matrix: float(csgraph.minimum_spanning_tree(matrix).sum()),
    )


def weighed(args, backend):
    """Return random pairs with weights between 0 and 1, four for each vertex."""
    rng, n = np.random.default_rng(0), args.edges // 4
    src, dst = rng.integers(0, n, (2, args.edges))
    return frame(backend, src=src, dst=dst, weight=rng.random(args.edges)), n


def labels_of(found):
    """Return the label frame at each threshold."""
    return [found.labels(level) for level in found.thresholds]


@harness.job("thresholds")
def thresholds(args, backend):
    """Yield the times of ten thresholds at once and by a run of each, after comparing the labels.

    A separate run has only the vertices of its edges, but each cut has all vertices.
    """
    edges, n = weighed(args, backend)

    def at_once():
        return cc_rapids.components_at(edges, thresholds=LEVELS)

    def separate():
        heavy = (edges[edges["weight"] >= level].reset_index(drop=True) for level in LEVELS)
        return [cc_rapids.components(part) for part in heavy]

    ways = {"wall": at_once, "separate": separate}
    ways["labels"] = lambda: labels_of(at_once())
    ways["separate_labels"] = lambda: [found.labels() for found in separate()]
    times = harness.timed(ways, backend, args.runs)
    cuts = at_once()
    for level, found in zip(LEVELS, separate(), strict=True):
        cut, labels = cuts.at(level), to_pandas(cuts.labels(level)).set_index("vertex")["labels"]
        single = to_pandas(found.labels())
        assert np.array_equal(labels.loc[single["vertex"]], single["labels"]), level
        assert len(cut) == len(found) + labels.size - len(single), level
    facts = {"edges": args.edges, "vertices": n, "thresholds": len(LEVELS)}
    facts["components"] = [len(cuts.at(level)) for level in LEVELS]
    rate = {"times_faster": harness.faster(times, "wall", "separate")}
    rate["labels_times_faster"] = harness.faster(times, "labels", "separate_labels")
    yield facts | times | rate


@harness.job("dendrogram")
def cuts(args, backend):
    """Yield the times of ten cuts of a dendrogram, of making the dendrogram, and of SciPy."""
    edges, n = weighed(args, backend)
    host = to_pandas(edges)

    def forest():
        return cc_rapids.components(edges, weight="weight", forest="max")

    def at_once():
        return cc_rapids.components_at(edges, thresholds=LEVELS)

    def scipys():
        heavy = (host[host["weight"] >= level] for level in LEVELS)
        return [harness.scipy_labels(part["src"], part["dst"], n).max() + 1 for part in heavy]

    found = forest()
    made = found.dendrogram()
    made.linkage(lambda weights: 1 - weights)
    ways = {
        "components_at": at_once,
        "components_at_labels": lambda: labels_of(at_once()),
        "forest": forest,
        "dendrogram": found.dendrogram,
        "cuts": lambda: made.cuts(LEVELS),
        "cuts_labels": lambda: labels_of(made.cuts(LEVELS)),
        "at": lambda: made.at(LEVELS[4]),
        "merges": made.merges,
        "split": lambda: made.split(MOST),
    }
    times = harness.timed(ways, backend, args.runs)
    times |= harness.timed({"scipy": scipys}, backend, 1, before=0)
    one, other = at_once(), made.cuts(LEVELS)
    assert one == other
    assert to_pandas(one.merges()).equals(to_pandas(other.merges()))
    lone = n - found.num_vertices
    assert scipys() == [len(other.at(level)) + lone for level in LEVELS]
    parts, rows = made.split(MOST)
    assert int(parts.sizes(1)["size"].max()) <= MOST
    facts = {"edges": args.edges, "vertices": found.num_vertices, "thresholds": len(LEVELS)}
    facts |= {"split_components": len(rows), "parts": len(parts)}
    rate = {"times_faster": harness.faster(times, "cuts", "components_at")}
    rate["labels_times_faster"] = harness.faster(times, "cuts_labels", "components_at_labels")
    yield facts | times | rate


@harness.job("dendrogram")
def tree(args, backend):
    """Yield the times of the merges of trees of several shapes, with edges in random order."""
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


if __name__ == "__main__":
    sizes = {"edges": 2_000_000, "vertices": 10_000_000}
    harness.run(harness.arguments(__doc__, runs=5, graphs=harness.GRAPHS, **sizes), "pandas")
