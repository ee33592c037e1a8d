"""Compare record linkage, stable ids, rules, two sides and NetworkX graphs with other solutions.

keys: link a million records by three keys; compared with ``pandas.factorize`` and SciPy on a graph
of records and values. numbers: stable ids of a second day, and their changes; compared with merges
and groups of a frame. rules: clusters of scored pairs of two datasets; compared with Kruskal's
algorithm in NumPy and Python and, if installed, Splink's clustering on DuckDB. sides: the two sides
of random edges; compared with SciPy and NetworkX. networkx: the components of NetworkX graphs as
sets, by NetworkX and by the backend cc_rapids, with and without converting the graph; the limits in
integrations/networkx.py come from these times.

The methods of a job are timed in turn, and answers are compared after the timing.
"""

import importlib.util
import itertools
from importlib.metadata import version

import harness
import networkx as nx
import numpy as np
import pandas as pd
from harness import frame, on_host, scipy_labels, to_pandas
from scipy import sparse
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import generators

KEYS = ["email", "phone", "name"]
KINDS = {"object strings": object, "pyarrow strings": "string[pyarrow]", "integers": None}
FEWER = 25  # times fewer edges for NetworkX
NODES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
MOST = 12_000_000  # maximum number of neighbours, to limit the time of NetworkX


@harness.job("linked_records")
def keys(args, backend):
    """Yield the times of linking records by keys of each kind."""
    for kind, dtype in KINDS.items():
        host = people(args.records, dtype)
        given = frame(backend, **{key: host[key] for key in KEYS})
        ways = {
            "wall": lambda given=given: cc_rapids.link_records(given, KEYS).attach(
                given, name="entity"
            ),
            "values": lambda host=host: by_values(host),
        }
        times = harness.timed(ways, backend, args.runs)
        entity = on_host(ways["wall"]()["entity"])
        entities = len(np.unique(entity))
        other = by_values(host)
        assert len(np.unique(other)) == entities
        assert len(np.unique(np.stack([entity, other]), axis=1).T) == entities
        facts = {"kind": kind, "records": args.records, "keys": len(KEYS), "entities": entities}
        rate = {"times_faster": harness.faster(times, "wall", "values")}
        yield facts | times | rate


def people(size, dtype):
    """Return records; each value is shared by two or three of them."""
    rng = np.random.default_rng(0)
    shares = {"email": 0.7, "phone": 0.9, "name": 0.8}
    numbers = {key: rng.integers(0, int(share * size), size) for key, share in shares.items()}
    if dtype is None:
        return pd.DataFrame({key: values * 104_729 for key, values in numbers.items()})
    words = {"email": "user{}@example.org", "phone": "+49{:09}", "name": "name {}"}
    texts = {key: list(map(words[key].format, values.tolist())) for key, values in numbers.items()}
    return pd.DataFrame(texts, dtype=object).astype(dtype)


def by_values(host):
    """Return the entity of each record, by a graph of records and values."""
    size = len(host)
    rows, columns, n = [], [], size
    for key in KEYS:
        codes, values = pd.factorize(host[key])
        rows.append(np.flatnonzero(codes >= 0))
        columns.append(codes[codes >= 0] + n)
        n += len(values)
    return scipy_labels(np.concatenate(rows), np.concatenate(columns), n)[:size]


@harness.job("numbers_and_sides")
def numbers(args, backend):
    """Yield the times of numbering a second day's components, after comparing the numbers."""
    rng, many = np.random.default_rng(0), args.pairs
    first = rng.integers(0, 2 * many, (2, many))
    kept = first[:, rng.random(many) >= 1 / 20]
    new = rng.integers(0, 2 * many, (2, many - kept.shape[1]))
    second = np.concatenate([kept, new], axis=1)[:, rng.permutation(many)]
    monday, tuesday = (frame(backend, src=src, dst=dst) for src, dst in (first, second))
    held = cc_rapids.components(monday).stable_ids()
    before = held.labels()

    def ours():
        found = cc_rapids.components(tuesday).stable_ids(held)
        return found.labels(), found.changes()

    def by_frames():
        return renumbered(cc_rapids.components(tuesday).labels(), before, held.next_id)

    ways = {"solve": lambda: cc_rapids.components(tuesday).labels(), "ours": ours}
    ways["frames"] = by_frames
    times = harness.timed(ways, backend, args.runs)
    one, other = ours(), by_frames()
    for mine, theirs in zip((one[0], *one[1][:4]), (other[0], *other[1]), strict=True):
        for name in mine.columns:
            assert np.array_equal(on_host(mine[name]), on_host(theirs[name])), name
    changes = {"births": len(one[1].births), "deaths": len(one[1].deaths)}
    yield {"m": many, "vertices": len(one[0])} | changes | times


def renumbered(labels, before, next_id):
    """Return the numbers of a label frame, and the changes, by merges, sorts and groups."""
    least = labels["labels"].drop_duplicates().sort_values()
    parts = type(labels)({"labels": least.to_numpy(), "part": np.arange(len(least))})
    now = labels.merge(parts, on="labels").drop(columns="labels")
    both = now.merge(before, on="vertex").groupby(["labels", "part"]).size()
    both = both.reset_index(name="shared").sort_values(["labels", "part"])
    order = both.sort_values(["labels", "shared", "part"], ascending=[True, False, True])
    heirs = order.drop_duplicates("labels")
    heirs = heirs.sort_values(["part", "shared", "labels"], ascending=[True, False, True])
    kept = heirs.drop_duplicates("part")
    number = parts[["part"]].merge(kept[["part", "labels"]], on="part", how="left")
    number = number.sort_values("part").reset_index(drop=True)
    born = number["labels"].isna()
    rank = born.astype("int64").cumsum() + (next_id - 1)
    number["after"] = number["labels"].where(~born, rank).astype("int64")
    number = number[["part", "after"]]
    answer = now.merge(number, on="part").sort_values("vertex")
    answer = answer[["vertex", "after"]].rename(columns={"after": "labels"})
    shared = both.merge(number, on="part").rename(columns={"labels": "before"})
    shared = shared.sort_values(["before", "part"])
    wholes = shared.groupby("before").size().reset_index(name="parts")
    splits = shared[shared["before"].isin(wholes["before"][wholes["parts"] > 1])]
    wholes = shared.groupby("part").size().reset_index(name="parts")
    merges = shared[shared["part"].isin(wholes["part"][wholes["parts"] > 1])]
    merges = merges.sort_values(["part", "before"])
    sizes = now.groupby("part").size().reset_index(name="size").merge(number, on="part")
    births = sizes[sizes["after"] >= next_id].sort_values("after")
    births = births.rename(columns={"after": "labels"})
    sizes = before.groupby("labels").size().reset_index(name="size")
    deaths = sizes[~sizes["labels"].isin(number["after"])].sort_values("labels")
    return answer, (splits, merges, births, deaths)


@harness.job("clusters_under_rules")
def rules(args, backend):
    """Yield the times of clusters under rules, after a comparison with a loop over the pairs."""
    rng, size, half = np.random.default_rng(2), args.pairs, max(3 * args.pairs // 10, 8)
    left = rng.integers(0, half, size)
    right = half + (left // 4 * 4 + rng.integers(0, 4, size)) % half
    weight, dataset = rng.random(size), (np.arange(2 * half) >= half).astype(np.int8)
    pairs = frame(backend, src=left, dst=right, score=weight)
    sets = frame(backend, vertex=np.arange(2 * half), file=dataset)
    given = {"weight": "score", "num_vertices": 2 * half}
    found = cc_rapids.link_pairs(pairs, datasets=sets, **given)
    truth = frame(backend, vertex=np.arange(2 * half), labels=np.arange(2 * half) // 3)
    ways = {
        "components": lambda: cc_rapids.components(pairs, num_vertices=2 * half),
        "wall": lambda: cc_rapids.link_pairs(pairs, datasets=sets, **given),
        "audit": lambda: found.audit(pairs, **given),
        "scores": lambda: cc_rapids.score_clusters(found, truth),
    }
    times = harness.timed(ways, backend, args.runs)
    times |= harness.timed({"loop": lambda: by_loop(left, right, weight)}, backend, 1)
    rows = on_host(found.forest()["row"])
    assert np.array_equal(rows, by_loop(left, right, weight))
    facts = {"m": size, "vertices": 2 * half, "clusters": len(found), "accepted": rows.size}
    facts["times_faster"] = harness.faster(times, "wall", "loop")
    if importlib.util.find_spec("splink") and not backend.on_device:
        one_to_one, plain = by_splink(left, right, weight, dataset)
        ways = {"splink": one_to_one, "splink_components": plain}
        times |= harness.timed(ways, backend, min(args.runs, 3), before=0)
        both = to_pandas(found.labels())[["labels"]]
        both["theirs"] = one_to_one().df().sort_values("node_id")["cluster_id"].to_numpy()
        counts = {len(both[part].drop_duplicates()) for part in (["labels"], ["theirs"], [*both])}
        facts["equal_to_splink"] = len(counts) == 1
        facts["peers"] = {name: version(name) for name in ("splink", "duckdb")}
        facts["times_faster_than_splink"] = harness.faster(times, "wall", "splink")
    yield facts | times


def by_splink(left, right, weight, dataset):
    """Return functions that make Splink's clusters: one to one, and plain components."""
    from splink import DuckDBAPI
    from splink.clustering import cluster_pairwise_predictions_at_threshold
    from splink.internals.one_to_one_clustering import one_to_one_clustering

    names, ends = np.array(["left", "right"], object), {"edge_id_column_name_left": "node_id_l"}
    ends["edge_id_column_name_right"] = "node_id_r"
    nodes = pd.DataFrame({"node_id": np.arange(dataset.size), "source_dataset": names[dataset]})
    edges = {"node_id_l": left, "node_id_r": right, "match_probability": weight}
    edges |= {f"source_dataset_{side}": names[dataset[edges[f"node_id_{side}"]]] for side in "lr"}
    edges = pd.DataFrame(edges)

    def one_to_one():
        api = DuckDBAPI()
        tables = (
            api._create_backend_table(frame, name) for frame, name in ((nodes, "n"), (edges, "e"))
        )
        return one_to_one_clustering(
            *tables,
            "node_id",
            "source_dataset",
            *ends.values(),
            list(names),
            "lowest_id",
            api,
            None,
        ).as_duckdbpyrelation()

    def plain():
        made = cluster_pairwise_predictions_at_threshold(
            nodes, edges, DuckDBAPI(), "node_id", **ends, threshold_match_probability=0
        )
        return made.as_duckdbpyrelation()

    return one_to_one, plain


def by_loop(left, right, weight):
    """Return the rows of a greedy matching: Kruskal's algorithm with one record per dataset."""
    order = np.argsort(-weight, kind="stable")
    taken, rows = set(), []
    for row, one, other in zip(
        order.tolist(), left[order].tolist(), right[order].tolist(), strict=True
    ):
        if not (one in taken or other in taken):
            taken.update((one, other))
            rows.append(row)
    return np.sort(rows)


@harness.job("numbers_and_sides")
def sides(args, backend):
    """Yield the times of two-colourings, after a comparison of the colours."""
    rng, half = np.random.default_rng(1), max(args.edges // 5, 2)
    src, dst = rng.integers(0, half, args.edges), rng.integers(half, 2 * half, args.edges)
    edges, few = frame(backend, src=src, dst=dst), args.edges // FEWER
    odd = frame(backend, src=np.append(src, src[0]), dst=np.append(dst, src[1]))
    part = pd.DataFrame({"src": src[:few], "dst": dst[:few]})

    def by_networkx():
        return nx.bipartite.color(nx.from_pandas_edgelist(part, "src", "dst"))

    ways = {
        "solve": lambda: cc_rapids.components(edges).labels(),
        "ours": lambda: cc_rapids.bipartition(edges).colors(),
        "odd": lambda: cc_rapids.bipartition(odd).odd_cycles(),
        "cover": lambda: by_cover(src, dst, 2 * half),
        "search": lambda: by_search(src, dst, 2 * half),
    }
    times = harness.timed(ways, backend, args.runs)
    times |= harness.timed({"networkx": by_networkx}, backend, min(args.runs, 3))
    found = ways["ours"]()
    vertex, color = on_host(found["vertex"]), on_host(found["color"])
    for way in ("cover", "search"):
        assert np.array_equal(ways[way]()[vertex], color), way
    found, theirs = cc_rapids.bipartition(part).colors(), by_networkx()
    theirs = np.array([theirs[v] for v in found["vertex"].tolist()])
    labels = cc_rapids.components(part, labels="dense").labels()["labels"].to_numpy()
    first = np.unique(labels, return_index=True)[1]
    assert np.array_equal(theirs ^ theirs[first][labels], found["color"])  # of any first colour
    facts = {"m": args.edges, "vertices": vertex.size, "odd_cycle": len(ways["odd"]())}
    yield facts | {"fewer": FEWER} | times


def by_cover(src, dst, n):
    """Return the colour of each vertex by the double cover; the least vertex has colour 0."""
    part = scipy_labels(np.concatenate([src, src + n]), np.concatenate([dst + n, dst]), 2 * n)
    assert not (part[:n] == part[n:]).any()
    return (part[:n] > part[n:]).astype(np.int8)  # the part of the least vertex is found first


def by_search(src, dst, n):
    """Return the colour of each vertex by a breadth-first search from an additional vertex."""
    least = np.unique(scipy_labels(src, dst, n), return_index=True)[1]
    root = np.full(least.size, n)
    ends = np.concatenate([src, dst, root]), np.concatenate([dst, src, least])
    matrix = sparse.coo_array((np.ones(ends[0].size, bool), ends), shape=(n + 1, n + 1)).tocsr()
    ahead = csgraph.breadth_first_order(matrix, n, directed=True)[1]
    ahead[n] = n
    steps = (ahead != np.arange(n + 1)).astype(np.int8)
    while (ahead != n).any():
        steps ^= steps[ahead]
        ahead = ahead[ahead]
    return 1 - steps[:n]


def uniform(kind, degree, name=None):
    """Return a function that makes a graph of uniform edges with ``degree`` neighbours per node."""

    def make(n):
        ends = generators.uniform(n, n * degree // 2, seed=1).edges
        ends = (map(name, side.tolist()) if name else side.tolist() for side in ends)
        graph = kind()
        graph.add_nodes_from(map(name, range(n)) if name else range(n))
        graph.add_edges_from(zip(*ends, strict=True))
        return graph

    return make


GRAPHS = {
    "path": nx.path_graph,
    "uniform, 1 neighbour": uniform(nx.Graph, 1),
    **{f"uniform, {k} neighbours": uniform(nx.Graph, k) for k in (2, 4, 10, 20, 40)},
    "strings, 4 neighbours": uniform(nx.Graph, 4, str),
    "tuples, 4 neighbours": uniform(nx.Graph, 4, lambda v: (v // 1000, v % 1000)),
    "directed, 4 neighbours": uniform(nx.DiGraph, 4),
    "directed, 20 neighbours": uniform(nx.DiGraph, 20),
}


@harness.job("networkx_gain")
def networkx(args, backend):
    """Yield the times of each graph at every size, after comparing the components."""
    nx.config.warnings_to_ignore.add("cache")
    largest = 2**args.scale if args.scale else max(NODES)
    for (name, make), n in itertools.product(GRAPHS.items(), NODES):
        graph = make(n) if n <= largest else nx.Graph()
        directed, m = graph.is_directed(), graph.number_of_edges()
        if n > largest or m * (2 - directed) > MOST:
            continue
        function = nx.weakly_connected_components if directed else nx.connected_components

        def call(backend, function=function, graph=graph):
            return list(function(graph, backend=backend))

        def converting(call=call, graph=graph):
            graph.__networkx_cache__.clear()
            return call("cc_rapids")

        ways = {"networkx": lambda call=call: call("networkx"), "converting": converting}
        ways["converted"] = lambda call=call: call("cc_rapids")
        times = harness.timed(ways, backend, min(args.runs, max(3, 3_000_000 // n)))
        answer = call("networkx")
        assert call("cc_rapids") == answer
        theirs = times["networkx_ms"]["median"]
        rates = {
            f"times_faster_{way}": round(theirs / times[f"{way}_ms"]["median"], 2)
            for way in ("converting", "converted")
        }
        yield {"graph": name, "n": n, "m": m, "components": len(answer)} | times | rates


if __name__ == "__main__":
    sizes = {"records": 1_000_000, "pairs": 1_000_000, "edges": 5_000_000}
    harness.run(harness.arguments(__doc__, runs=5, **sizes), "pandas", "networkx")
