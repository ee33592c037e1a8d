"""Minimum spanning forests of reference graphs with random float32 weights, beside a peer.

With ``--engine cuda`` the frame is cuDF's and the peer cuGraph, whose graph and forest are timed
apart; on threads it is pandas' and SciPy's matrix and forest. All are measured until the answer is
there, and take turns, so that others' work on the machine meets all. The totals are compared after
the timing, and with ``--prove`` the rows are proved on the host. Duplicates of an edge stand in
these graphs, of which SciPy adds the weights and cuGraph keeps one: totals are recorded beside each
other, and agree where there are none.

    python benchmarks/spanning_forests.py --engine cuda --graphs kron21 road --runs 5
"""

from itertools import product

import numpy as np
import records
from design_tables import table as lines

import cc_rapids
from cc_rapids import backends, generators, oracle
from cc_rapids.tuning import tuning

GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
PEERS = {"cuda": "cuGraph", "threads": "SciPy"}


def main():
    """Measure some graphs, and keep a record of each."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=GRAPHS)
    parser.add_argument(
        "--light", nargs="+", type=float, default=[tuning.light_edges_per_vertex], help="of tuning"
    )
    parser.add_argument(
        "--bands", nargs="+", type=int, default=[tuning.light_bands], help="of tuning, for each"
    )
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--prove", action="store_true", help="on the host: minutes at full scale")
    args = parser.parse_args()
    backend = backends.get(args.engine)
    for name in args.graphs:
        graph = generators.reference(name, args.scale, dtype=np.int32, engine=args.engine)
        frame = weighed(graph, backend)
        for light, bands in product(args.light, args.bands):
            with tuning.override(light_edges_per_vertex=light, light_bands=bands):
                found = measure(frame, graph.num_vertices, backend, args)
            record = records.environment(backend.device_name, args.commit)
            record |= {"engine": args.engine, "graph": graph.name, "vertices": graph.num_vertices}
            record |= {"edges": graph.num_edges, "weights": "float32"}
            record |= {"light_edges_per_vertex": light, "light_bands": bands}
            records.keep(args.out, "spanning_forests", record | found)
        del graph, frame


def weighed(graph, backend):
    """Return a graph as a frame with weights between 0 and 1, the same on every engine."""
    weight = np.random.default_rng(0).random(graph.num_edges, np.float32)
    columns = {"src": graph.src, "dst": graph.dst, "weight": backend.asarray(weight)}
    if backend.on_device:
        import cudf

        return cudf.DataFrame(columns)
    import pandas as pd

    return pd.DataFrame(columns, copy=False)


def measure(frame, n, backend, args):
    """Return the times of all ways, the totals, and the most memory beyond the input."""

    def forest():
        return cc_rapids.minimum_spanning_forest(frame, weight="weight")

    def components():
        return cc_rapids.components(frame).labels()

    plan = cc_rapids.minimum_spanning_forest(frame, weight="weight", explain=True)
    ways = {"forest_ms": forest, "labels_ms": components}
    totals = {}
    if not args.no_peer:
        ways |= peers(frame, n, backend, totals)
    times = records.turns(list(ways.values()), args.runs, backend.synchronize)
    wall = dict(zip(ways, map(records.spread, times), strict=True))
    answer = forest()
    assert len(answer) == n - len(cc_rapids.components(frame, num_vertices=n))
    totals["total"] = float(answer["weight"].astype("float64").sum())
    if args.prove:
        columns = [frame[name].to_numpy() for name in ("src", "dst", "weight")]
        oracle.certify_forest(*columns[:2], n, columns[2], answer["row"].to_numpy())
    peer_ms = sum(own["median"] for way, own in wall.items() if way.startswith("peer"))
    faster = {"times_faster": round(peer_ms / wall["forest_ms"]["median"], 2)} if peer_ms else {}
    kernels = {}
    if backend.on_device:
        from main_job import kernel_times

        kernels["kernels_ms"] = kernel_times(frame, forest)
    facts = {"plan_bytes": plan.bytes, "proved": args.prove}
    return wall | kernels | totals | faster | facts


def peers(frame, n, backend, totals):
    """Return what the peer is timed by, graph and forest; its total is kept in ``totals``."""
    held = {}
    if backend.on_device:
        import cugraph

        def graph():
            made = cugraph.Graph()
            ends = {"source": "src", "destination": "dst"}
            made.from_cudf_edgelist(frame, **ends, edge_attr="weight", renumber=True)
            held["graph"] = made

        def tree():
            edges = cugraph.minimum_spanning_tree(held["graph"]).view_edge_list()
            totals["peer_total"] = float(edges["weight"].astype("float64").sum())

    else:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import minimum_spanning_tree

        ends = frame["src"].to_numpy(), frame["dst"].to_numpy()

        def graph():
            made = coo_array((frame["weight"].to_numpy(), ends), shape=(n, n))
            held["graph"] = made.tocsr()

        def tree():
            totals["peer_total"] = float(minimum_spanning_tree(held["graph"]).sum())

    return {"peer_graph_ms": graph, "peer_tree_ms": tree}


def newest(folder=records.HERE):
    """Return the newest record beside a peer of each graph, of the device and commit of the last.

    A GPU comes before threads.
    """
    rows = [row for row in records.load("spanning_forests", folder) if "times_faster" in row]
    rows.sort(key=lambda row: row["engine"] == "cuda")
    same = "engine", "device", "commit"
    kept = [row for row in rows if all(row[key] == rows[-1][key] for key in same)]
    return list({row["graph"]: row for row in kept}.values())


def alone(folder=records.HERE):
    """Return the records of a later commit on the same device that were made without a peer."""
    rows, beside = records.load("spanning_forests", folder), newest(folder)
    last = rows.index(beside[-1])
    later = [row for row in rows[last + 1 :] if row["device"] == beside[-1]["device"]]
    return list({row["graph"]: row for row in later if "times_faster" not in row}.values())


def table(folder=records.HERE):
    """Return the table of docs/benchmarks.md, and what it stands on."""
    rows = newest(folder)
    if not rows:
        return "Not measured yet: `python benchmarks/spanning_forests.py`."
    last, peer = rows[-1], PEERS[rows[-1]["engine"]]
    head = (
        *("edge list", "edges", "forest, ms", "edges/s", "labels alone, ms"),
        *(f"{peer}: graph + forest, ms", "faster", "memory"),
    )
    cells = [
        [
            row["graph"],
            f"{row['edges'] / 1e6:.1f} M",
            f"{row['forest_ms']['median']:.1f}",
            f"{row['edges'] / row['forest_ms']['median'] / 1e6:.1f} G",
            f"{row['labels_ms']['median']:.1f}",
            f"{row['peer_graph_ms']['median']:.0f} + {row['peer_tree_ms']['median']:.0f}",
            f"{row['times_faster']:.1f} x",
            f"{row['plan_bytes'] / 1e6:,.0f} MB",
        ]
        for row in rows
    ]
    versions = ", ".join(f"{name} {number}" for name, number in last["versions"].items())
    apart = max(abs(row["total"] / row["peer_total"] - 1) for row in rows)
    return (
        f"{lines(head, cells)}\n\nMedians of {last['forest_ms']['runs']} runs in turns, wall, from"
        " a frame with random float32 weights to the frame of the forest; memory is what"
        f" `explain=True` plans beyond the list. On {last['device']},"
        f" {records.dated(last)}; {versions}. The totals of the weights are"
        f" {peer}'s to {apart:.2%}: it takes one of several rows with the same ends.{since(folder)}"
    )


def since(folder):
    """Return a sentence on what was measured later without a peer, if anything was."""
    rows = alone(folder)
    if not rows:
        return ""
    times = ", ".join(f"{row['graph']} {row['forest_ms']['median']:.1f}" for row in rows)
    return (
        f" Without {PEERS[rows[-1]['engine']]} on the same device, later,"
        f" {records.dated(rows[-1])}: {times} ms."
    )


def short(folder=records.HERE):
    """Return the README's table: each list beside the peer, and where it was measured."""
    rows = newest(folder)
    last, peer = rows[-1], PEERS[rows[-1]["engine"]]
    cells = [
        [
            row["graph"],
            f"{row['edges'] / 1e6:.1f} M",
            f"{row['forest_ms']['median']:.1f} ms",
            f"{row['peer_graph_ms']['median']:.0f} + {row['peer_tree_ms']['median']:.0f} ms",
            f"{row['times_faster']:.0f} x",
        ]
        for row in rows
    ]
    head = "spanning forest of", "edges", "cc_rapids", f"{peer}: graph + forest", "faster"
    versions = last["versions"]
    theirs = versions.get("cugraph-cu13") or versions["scipy"]
    return (
        f"{lines(head, cells)}\n\nMedian wall time, warm, from a frame with random float32 weights"
        f" to the frame of the least forest, on one {last['device']}, in the same run as {peer}"
        f" {theirs}. Measured {last['date']}."
    )


if __name__ == "__main__":
    main()
