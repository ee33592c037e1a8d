"""The cost of an audit beside the run that it proves, on a GPU or on threads.

Warm, from edges where they lie (cuDF frames of int32 on a GPU) to the label frame, and from the
same edges to the proof: wall times, and on a GPU those between two events around the work. The runs
and audits of a graph take turns. Two cores take minutes for 100 M edges with hashed ids, for which
``--most`` leaves them out. One record has all graphs, and says of each whether the audit took
at most BOUND times as long as the run.
"""

import time

import numpy as np
import records

from cc_rapids import CapacityError, backends, components, connected_components, generators

BOUND = 1.5
GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so that products are as different as the ids


def main():
    """Measure each graph, with its ids as they are and, if asked, spread over 64 bits."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("cuda", "threads"), default="cuda")
    parser.add_argument("--graphs", nargs="*", default=GRAPHS)
    parser.add_argument("--hashed", action="store_true", help="with hashed ids too")
    parser.add_argument("--most", type=int, default=10**9, help="edges of lists with hashed ids")
    args = parser.parse_args()
    backend = backends.get(args.engine)
    rows = []
    for name in args.graphs:
        graph = generators.reference(name, args.scale, engine=args.engine)
        hashed = args.hashed and len(graph.src) <= args.most
        for ids in ("as they are", "hashed")[: 1 + hashed]:
            edges = edges_of(graph, ids, args.engine)
            try:
                found = measure(edges, backend, args.runs)
            except CapacityError as error:  # the lists before it are measured, and kept
                found = {"why_not": str(error)}
            rows.append({"graph": graph.name, "named": ids} | found)
            print(rows[-1], flush=True)
            del edges
    base = records.environment(backend.device_name, args.commit)
    within = all(row["within_bound"] for row in rows if "why_not" not in row)
    records.keep(args.out, "audit", base | {"bound": BOUND, "within_bound": within, "rows": rows})


def edges_of(graph, ids, engine):
    """Two columns of the graph, on a GPU as a frame."""
    columns = [graph.src, graph.dst]
    if ids == "hashed":
        columns = [(end.astype(np.uint64) * SPREAD).view(np.int64) for end in columns]
    elif engine == "cuda":
        columns = [end.astype(np.int32) for end in columns]
    if engine == "threads":
        return tuple(columns)
    import cudf

    return cudf.DataFrame(dict(zip(("src", "dst"), columns, strict=True)))


def measure(edges, backend, runs):
    """Return the run and its audit."""
    found = components(edges, engine=backend.name)
    proof = found.audit(edges)
    works = {"run": lambda: connected_components(edges, engine=backend.name)}
    works["audit"] = lambda: found.audit(edges)
    wall, device = turns(works, runs, backend)
    ratios = {"audit_of_run": wall["audit"]["median"] / wall["run"]["median"]}
    if backend.on_device:
        ratios["audit_of_run_device"] = device["audit"]["median"] / device["run"]["median"]
    facts = {f"{name}_ms": times for name, times in wall.items()}
    facts |= {f"{name}_device_ms": times for name, times in device.items() if backend.on_device}
    return {
        "m": proof.edges,
        "vertices": proof.vertices,
        "components": proof.components,
        "design": found.summary()["design"],
        "ids": found.summary()["ids"],
        **facts,
        **{name: round(ratio, 3) for name, ratio in ratios.items()},
        "within_bound": max(ratios.values()) <= BOUND,
    }


def turns(works, runs, backend):
    """Return spreads of wall times, and of those between two events, of works that take turns.

    Each work runs twice before.
    """
    wall, device = ({name: [] for name in works} for _ in range(2))
    for _ in range(runs + 2):
        for name, work in works.items():
            backend.synchronize()
            started, first = time.perf_counter(), backend.mark()
            answer = work()
            last = backend.mark()
            backend.synchronize()
            wall[name].append(1e3 * (time.perf_counter() - started))
            device[name].append(backend.elapsed(first, last))
            del answer
    return [
        {name: records.spread(times[2:]) for name, times in by_name.items()}
        for by_name in (wall, device)
    ]


if __name__ == "__main__":
    main()
