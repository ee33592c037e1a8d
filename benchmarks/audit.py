"""What an audit costs beside the run that it proves, on a GPU or on threads.

Wall time, warm, from edges where they lie to the label frame, and from the same edges to the proof.
"""

import numpy as np
import records

from cc_rapids import components, engines, generators

LARGE = "social22", "uniform25M", "road"
GRAPHS = {"cuda": LARGE, "threads": ("kron21", "rmat24", *LARGE)}
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so that products are as different as the ids


def main():
    """Measure lists of each kind, with their ids as they are and spread over 64 bits."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=list(GRAPHS), default="cuda")
    args = parser.parse_args()
    engine = engines.get(args.engine)
    base = records.environment(engine.device_name, args.commit)
    for name in [name for name in GRAPHS[args.engine] if name in generators.REFERENCES]:
        graph = generators.reference(name, args.scale, engine=args.engine)
        for ids in ("as they are", "hashed"):
            record = measure(edges_of(graph, ids), engine, args.runs)
            records.keep(args.out, "audit", base | {"graph": name, "named": ids} | record)


def edges_of(graph, ids):
    """Two columns of the graph."""
    if ids == "as they are":
        return graph.edges
    return tuple((end.astype(np.uint64) * SPREAD).view(np.int64) for end in graph.edges)


def measure(edges, engine, runs):
    """The run and its audit."""
    found = components(edges, engine=engine.name)
    proof = found.audit(edges)

    def run():
        return components(edges, engine=engine.name).labels()

    both = records.turns([run, lambda: found.audit(edges)], runs, engine.synchronize)
    ours, audits = map(records.spread, both)
    return {
        "m": proof.edges,
        "vertices": proof.vertices,
        "components": proof.components,
        "design": found.summary()["design"],
        "ids": found.summary()["ids"],
        "run_ms": ours,
        "audit_ms": audits,
        "audit_of_run": round(audits["median"] / ours["median"], 2),
    }


if __name__ == "__main__":
    main()
