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

import cc_rapids
from cc_rapids import backends, generators, oracle
from cc_rapids.tuning import tuning

GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")


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
    return wall | kernels | totals | faster | {"plan_bytes": plan.bytes, "proved": args.prove}


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


if __name__ == "__main__":
    main()
