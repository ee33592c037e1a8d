"""Reports on components, against making the same tables by hand.

The list is of four million rows among three million vertices, most of them in one component and the
others in small ones, with weights and with rows that name a pair again. All ways start with the
labels; finding these is measured alone. By hand with frames: groups and merges of pandas (of cuDF
with ``--engine cuda``), the weakest links by SciPy's minimum spanning tree, and no bridges, which
neither can find. By hand with NetworkX: everything, its graph included, on so many fewer rows that
it takes seconds. All ways take turns; NetworkX has its turns behind them. The tables are compared
after the timing.
"""

from importlib.metadata import version

import networkx as nx
import numpy as np
import pandas as pd
import records
from scipy import sparse
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import backends

EDGES, FEWER = 4_000_000, 50
COLUMNS = ["labels", "size", "edges", "density"]


def main():
    """Measure the list, and keep a record."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.set_defaults(runs=3)
    args = parser.parse_args()
    backend = backends.get(args.engine)
    base = records.environment(backend.device_name, args.commit) | {"engine": args.engine}
    base["versions"] |= {name: version(name) for name in ("pandas", "networkx", "scipy")}
    records.keep(args.out, "reports", base | measured(args.edges, backend, args.runs))


def edges_of(m):
    """Return m rows with weights in a frame of pandas; one in twenty names a pair again."""
    random, n = np.random.default_rng(0), 3 * m // 4
    src, dst = random.integers(0, n, (2, m))
    again = random.integers(0, m, m // 20)
    src[: again.size], dst[: again.size] = dst[again], src[again]
    return pd.DataFrame({"src": src, "dst": dst, "w": random.random(m)})


def measured(m, backend, runs):
    """Return the times of all ways, after comparing their tables."""
    host, frames = edges_of(m), pd
    edges = host
    if backend.on_device:
        import cudf as frames

        edges = frames.from_pandas(host)
    found = cc_rapids.components(edges)
    ways = {
        "solve": lambda: cc_rapids.components(edges),
        "ours": lambda: found.report(edges, weight="w").components(),
        "ours_without_weights": lambda: found.report(edges).components(),
        "frames": lambda: by_frames(found, edges, frames),
    }
    times = records.turns(list(ways.values()), runs, backend.synchronize)
    ours, theirs = (to_pandas(ways[name]()) for name in ("ours", "frames"))
    compare(ours, theirs)
    few = edges_of(max(m // FEWER, 40))
    whole = cc_rapids.components(few, engine="threads").report(few, weight="w").components()
    alone = records.turns([lambda: by_networkx(few)], runs)[0]
    theirs = by_networkx(few)
    compare(whole, theirs)
    assert whole["bridges"].tolist() == theirs["bridges"].tolist()
    return {
        "m": m,
        "n": found.num_vertices,
        "components": len(found),
        **{f"{name}_ms": records.spread(own) for name, own in zip(ways, times, strict=True)},
        "networkx_m": len(few),
        "networkx_ms": records.spread(alone),
    }


def by_frames(found, edges, frames):
    """Return the table without bridges, by groups of frames and SciPy's spanning tree."""
    labels = found.labels()
    rows = edges.merge(labels, left_on="src", right_on="vertex", how="left")
    pair = rows[rows["src"] != rows["dst"]]
    low, high = pair[["src", "dst"]].min(axis=1), pair[["src", "dst"]].max(axis=1)
    distinct = frames.DataFrame({"labels": pair["labels"], "low": low, "high": high})
    distinct = distinct.drop_duplicates().groupby("labels").size().rename("distinct")
    size = labels.groupby("labels").size().rename("size")
    table = frames.concat([size, rows.groupby("labels").size().rename("edges"), distinct], axis=1)
    table["distinct"] = table["distinct"].fillna(0)
    table["density"] = table["distinct"] / (table["size"] * (table["size"] - 1) / 2)
    host = to_pandas(edges)
    n = int(max(host["src"].max(), host["dst"].max())) + 1
    order = host.sort_values("w", ascending=False, kind="stable")
    order = order[order["src"] != order["dst"]]
    low, high = order[["src", "dst"]].min(axis=1), order[["src", "dst"]].max(axis=1)
    first = ~pd.DataFrame({"low": low, "high": high}).duplicated()  # parallel edges would be summed
    ranks = np.arange(1, int(first.sum()) + 1, dtype=np.float64)
    matrix = sparse.coo_array((ranks, (low[first], high[first])), (n, n)).tocsr()
    tree = csgraph.minimum_spanning_tree(matrix).tocoo()
    chosen = order[first].iloc[tree.data.astype(np.int64) - 1]
    own = to_pandas(labels).set_index("vertex")["labels"].loc[chosen["src"]].to_numpy()
    weakest = chosen.groupby(own)["w"].min()
    table = to_pandas(table).rename_axis("labels").reset_index()
    table["weakest_weight"] = table["labels"].map(weakest)
    return table.sort_values(["size", "labels"], ascending=[False, True], ignore_index=True)


def by_networkx(edges):
    """Return the table by NetworkX alone."""
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from(edges.itertuples(index=False))
    plain = nx.Graph()
    plain.add_nodes_from(graph)
    for u, v, weight in graph.edges(data="weight"):
        if u != v and (not plain.has_edge(u, v) or plain[u][v]["weight"] < weight):
            plain.add_edge(u, v, weight=weight)
    alone = [edge for edge in nx.bridges(plain) if graph.number_of_edges(*edge) == 1]
    forest = nx.maximum_spanning_tree(plain)
    found = []
    for group in nx.connected_components(plain):
        part = graph.subgraph(group)
        link = min((w for _, _, w in forest.subgraph(group).edges(data="weight")), default=None)
        density = nx.density(plain.subgraph(group)) if len(group) > 1 else None
        found.append([min(group), len(group), part.number_of_edges(), density, link])
    table = pd.DataFrame(found, columns=[*COLUMNS, "weakest_weight"])
    place = {v: k for k, group in enumerate(nx.connected_components(plain)) for v in group}
    counts = np.bincount([place[u] for u, _ in alone], minlength=len(found))
    table["bridges"] = counts
    return table.sort_values(["size", "labels"], ascending=[False, True], ignore_index=True)


def compare(ours, theirs):
    """Raise an AssertionError unless two tables say the same."""
    for name in COLUMNS[:3]:
        assert np.array_equal(ours[name], theirs[name]), name
    for name in ("density", "weakest_weight"):
        ours_of, theirs_of = (np.asarray(own[name], np.float64) for own in (ours, theirs))
        assert np.allclose(ours_of, theirs_of, rtol=1e-12, equal_nan=True), name


def to_pandas(frame):
    """Return a frame of cuDF or pandas as one of pandas."""
    return frame.to_pandas() if hasattr(frame, "to_pandas") else frame


if __name__ == "__main__":
    main()
