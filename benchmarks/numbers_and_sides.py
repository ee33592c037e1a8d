"""Numbers that go on from day to day, and the two sides of a graph, against doing both by hand.

Numbers: a million pairs of one day, and those of the next, of which one in twenty is new. Both ways
find the components of the second day first; then one calls ``stable_ids`` and ``changes``, and the
other does the same by merges, sorts and groups of pandas (of cuDF with ``--engine cuda``).

Sides: five million random edges from a million vertices to another million. By hand with SciPy in
two ways: connected components of the double cover, and a breadth-first search from a vertex beside
the graph that has an edge to each component; and with ``networkx.bipartite.color``, its graph
included, on so many fewer edges that it takes seconds. With one edge more, which is no edge between
both sides, the time to the odd cycle is kept as well.

All ways of a job take turns, so that others' work on the machine meets all; NetworkX has its turns
behind them. Answers are compared after the timing.
"""

from importlib.metadata import version

import networkx as nx
import numpy as np
import pandas as pd
import records
import scipy.sparse
from design_tables import table as lines

import cc_rapids
from cc_rapids import backends

PAIRS, EDGES, FEWER = 1_000_000, 5_000_000, 25
WAYS = {
    "numbers": {
        "solve": "components alone",
        "ours": "components, `stable_ids` and `changes`",
        "frames": "components, then merges and groups of {frames}",
    },
    "sides": {
        "solve": "components alone",
        "ours": "`bipartition(frame).colors()`",
        "odd": "with one edge more: `odd_cycles()`",
        "cover": "SciPy: components of the double cover",
        "search": "SciPy: a breadth-first search",
        "networkx": "NetworkX, of {fewer} times fewer edges",
    },
}


def main():
    """Measure both jobs, and keep a record of each."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.set_defaults(runs=5)
    args = parser.parse_args()
    backend = backends.get(args.engine)
    base = records.environment(backend.device_name, args.commit) | {"engine": args.engine}
    base["versions"] |= {name: version(name) for name in ("pandas", "networkx")}
    for job, found in (
        ("numbers", numbers(args.pairs, backend, args.runs)),
        ("sides", sides(args.edges, backend, args.runs)),
    ):
        records.keep(args.out, "numbers_and_sides", base | {"job": job} | found)


def numbers(pairs, backend, runs):
    """Return the times of numbering a day's components, after comparing the numbers."""
    monday, tuesday = (as_frame(*ends, backend) for ends in two_days(pairs))
    held = cc_rapids.components(monday).stable_ids()
    before = held.labels()

    def ours():
        found = cc_rapids.components(tuesday).stable_ids(held)
        return found.labels(), found.changes()

    ways = {
        "solve": lambda: cc_rapids.components(tuesday).labels(),
        "ours": ours,
        "frames": lambda: by_frames(cc_rapids.components(tuesday).labels(), before, held.next_id),
    }
    wall = timed(ways, backend, runs)
    own, other = ours(), ways["frames"]()
    for one, two in zip((own[0], *own[1]), (other[0], *other[1]), strict=True):
        for name in one.columns:
            assert np.array_equal(on_host(one[name]), on_host(two[name])), name
    births, deaths = len(own[1].births), len(own[1].deaths)
    return {
        "m": pairs,
        "vertices": len(own[0]),
        "births": births,
        "deaths": deaths,
        **wall,
    }


def two_days(pairs):
    """Return the pairs of two days, in any order."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2 * pairs, (2, pairs))
    kept = first[:, rng.random(pairs) >= 1 / 20]
    second = np.concatenate([kept, rng.integers(0, 2 * pairs, (2, pairs - kept.shape[1]))], axis=1)
    return first, second[:, rng.permutation(pairs)]


def by_frames(labels, before, next_id):
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


def sides(edges, backend, runs):
    """Return the times of finding two sides, after comparing the colours."""
    rng = np.random.default_rng(1)
    half = max(edges // 5, 2)
    src, dst = rng.integers(0, half, edges), rng.integers(half, 2 * half, edges)
    frame = as_frame(src, dst, backend)
    odd = as_frame(np.append(src, src[0]), np.append(dst, src[1]), backend)
    few = edges // FEWER

    def ours():
        return cc_rapids.bipartition(frame).colors()

    ways = {
        "solve": lambda: cc_rapids.components(frame).labels(),
        "ours": ours,
        "odd": lambda: cc_rapids.bipartition(odd).odd_cycles(),
        "cover": lambda: by_cover(src, dst, 2 * half),
        "search": lambda: by_search(src, dst, 2 * half),
    }
    wall = timed(ways, backend, runs)
    wall |= timed({"networkx": lambda: by_networkx(src[:few], dst[:few])}, backend, min(runs, 3))
    found = ours()
    vertex, color = on_host(found["vertex"]), on_host(found["color"])
    for way in ("cover", "search"):
        assert np.array_equal(ways[way]()[vertex], color), way
    part = as_frame(src[:few], dst[:few], backend)
    found = cc_rapids.bipartition(part).colors()
    theirs = by_networkx(src[:few], dst[:few])
    color = on_host(found["color"])
    theirs = np.array([theirs[v] for v in on_host(found["vertex"]).tolist()])
    labels = on_host(cc_rapids.components(part, labels="dense").labels()["labels"])
    first = np.unique(labels, return_index=True)[1]
    assert np.array_equal(theirs ^ theirs[first][labels], color)  # of any first colour
    return {
        "m": edges,
        "vertices": vertex.size,
        "odd_cycle": len(ways["odd"]()),
        "fewer": FEWER,
        **wall,
    }


def by_cover(src, dst, n):
    """Return the colour of each vertex by the double cover, that of the least one 0."""
    ends = np.concatenate([src, src + n]), np.concatenate([dst + n, dst])
    matrix = scipy.sparse.coo_matrix((np.ones(2 * src.size, bool), ends), shape=(2 * n, 2 * n))
    part = scipy.sparse.csgraph.connected_components(matrix, directed=False)[1]
    assert not (part[:n] == part[n:]).any()
    return (part[:n] > part[n:]).astype(np.int8)  # the part of the least vertex is found first


def by_search(src, dst, n):
    """Return the same by a breadth-first search from a vertex beside the graph."""
    matrix = scipy.sparse.coo_matrix((np.ones(src.size, bool), (src, dst)), shape=(n + 1, n + 1))
    part = scipy.sparse.csgraph.connected_components(matrix, directed=False)[1][:n]
    least = np.unique(part, return_index=True)[1]
    root = np.full(least.size, n)
    ends = np.concatenate([src, dst, root]), np.concatenate([dst, src, least])
    matrix = scipy.sparse.coo_matrix((np.ones(ends[0].size, bool), ends), shape=(n + 1, n + 1))
    search = scipy.sparse.csgraph.breadth_first_order
    ahead = search(matrix.tocsr(), n, directed=True)[1]
    ahead[n] = n
    steps = (ahead != np.arange(n + 1)).astype(np.int8)
    while (ahead != n).any():
        steps ^= steps[ahead]
        ahead = ahead[ahead]
    color = 1 - steps[:n]
    assert (color[src] != color[dst]).all()
    return color


def by_networkx(src, dst):
    """Return the colour of each vertex as NetworkX finds it, from a frame on."""
    frame = pd.DataFrame({"src": src, "dst": dst})
    return nx.bipartite.color(nx.from_pandas_edgelist(frame, "src", "dst"))


def as_frame(src, dst, backend):
    """Return edges as a frame of pandas, or of cuDF on a GPU."""
    frame = pd.DataFrame({"src": src, "dst": dst})
    if not backend.on_device:
        return frame
    import cudf

    return cudf.from_pandas(frame)


def on_host(column):
    """Return a column as an array on the host."""
    return np.asarray((column.to_pandas() if hasattr(column, "to_pandas") else column).to_numpy())


def timed(ways, backend, runs):
    """Return the times of some ways that take turns, by the names of their fields."""
    times = records.turns(list(ways.values()), runs, backend.synchronize)
    spreads = map(records.spread, times)
    return {f"{name}_ms": own for name, own in zip(ways, spreads, strict=True)}


def newest(folder=records.HERE):
    """Return the newest record of each job on each engine."""
    rows = records.load("numbers_and_sides", folder)
    return list({(row["engine"], row["job"]): row for row in rows}.values())


def table(folder=records.HERE):
    """Return the tables of docs/benchmarks.md, and what they stand on."""
    rows = newest(folder)
    if not rows:
        return "Not measured yet: `python benchmarks/numbers_and_sides.py`."
    return "\n\n".join(map(section, rows))


def section(row):
    """Return the table of one job, and what it stands on."""
    frames = "cuDF" if row["engine"] == "cuda" else "pandas"
    ours = row["ours_ms"]["median"]
    cells = [
        [
            words.format(frames=frames, fewer=row.get("fewer")),
            f"{row[f'{way}_ms']['median']:,.0f}",
            f"{row[f'{way}_ms']['median'] / ours:.2f}",
        ]
        for way, words in WAYS[row["job"]].items()
    ]
    if row["job"] == "numbers":
        what = (
            f"{row['m']:,} pairs a day, with {row['births']:,} births and {row['deaths']:,} deaths"
        )
    else:
        peer = row["networkx_ms"]["runs"]
        what = f"{row['m']:,} random edges between two sides, and {peer} runs of NetworkX"
    versions = ", ".join(f"{name} {number}" for name, number in row["versions"].items())
    return (
        f"{lines((row['job'], 'ms', 'of ours'), cells)}\n\nMedians of {row['ours_ms']['runs']} runs"
        f" in turns: {what}; {row['vertices']:,} vertices. On {row['device']},"
        f" {records.dated(row)}, with a load of {row['load']}; {versions}. All"
        " answers are equal."
    )


if __name__ == "__main__":
    main()
