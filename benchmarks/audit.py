"""The cost of an audit, compared with that of the run it verifies, on a GPU or on threads.

Warm, from edges where they lie (frames of int32) to the label frame, and from the same edges to the
proof: wall times, and on a GPU those between two events around the work. The runs and audits of a
graph take turns. Two cores take minutes for 100 M edges with hashed ids, for which ``--most``
leaves them out. One record has all graphs, and the ratio of audit and run.
"""

import harness
from lists import made

from cc_rapids import CapacityError, components, connected_components
from cc_rapids.tools.bench import spread

BOUND = 3.0
NAMED = {"int32": "as they are", "hashed": "hashed"}


def main():
    """Measure each graph, with its ids as they are and, if asked, spread over 64 bits."""
    parser = harness.arguments(__doc__, "cuda")
    parser.add_argument("--graphs", nargs="*", default=harness.GRAPHS)
    parser.add_argument("--hashed", action="store_true", help="with hashed ids too")
    parser.add_argument("--most", type=int, default=10**9, help="edges of lists with hashed ids")
    args = parser.parse_args()
    backend, base = harness.begin(args)
    rows = []
    for name in args.graphs:
        for ids in ("int32", "hashed")[: 1 + args.hashed]:
            edges, _ = made(name, ids, backend, args.scale)
            if ids == "hashed" and len(edges) > args.most:
                continue
            try:
                found = measure(edges, backend, args.runs)
            except CapacityError as error:  # the record keeps the earlier lists
                found = {"why_not": str(error)}
            rows.append({"graph": name, "named": NAMED[ids]} | found)
            print(rows[-1], flush=True)
            del edges
    within = all(row["within_bound"] for row in rows if "why_not" not in row)
    harness.keep(args.out, "audit", base | {"bound": BOUND, "within_bound": within, "rows": rows})


def measure(edges, backend, runs):
    """Return the times of the run and of its audit, and their ratios."""
    found = components(edges, engine=backend.name)
    proof, summary = found.audit(edges), found.summary()
    works = {
        "run": lambda: connected_components(edges, engine=backend.name),
        "audit": lambda: found.audit(edges),
    }
    times, ratios = {}, {}
    for clock, by_name in zip(("", "_device"), harness.turns(works, backend, runs, 2), strict=True):
        if not clock or backend.on_device:
            run, audit = (spread(by_name[name]) for name in works)
            times |= {f"run{clock}_ms": run, f"audit{clock}_ms": audit}
            ratios[f"audit_of_run{clock}"] = round(audit["median"] / run["median"], 3)
    return {
        "m": proof.edges,
        "vertices": proof.vertices,
        "components": proof.components,
        "design": summary["design"],
        "ids": summary["ids"],
        **times,
        **ratios,
        "within_bound": max(ratios.values()) <= BOUND,
    }


if __name__ == "__main__":
    main()
