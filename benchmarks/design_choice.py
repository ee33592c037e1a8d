"""The fastest design on each list: the evidence for the table that design="auto" reads.

Wall time of every design on the reference graphs, device arrays or host arrays in, components
counted; the labels of all designs are compared with the first one's.
"""

import numpy as np
import records

import cc_rapids
from cc_rapids import backends, generators

GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
THREADS_SCALE = 21  # log2 of the vertices on threads, where full scale takes minutes


def main():
    """Measure all designs and keep the records."""
    args = records.arguments(__doc__)
    args.add_argument("--engine", choices=backends.ENGINES, default="threads")
    args = args.parse_args()
    backend = backends.get(args.engine)
    base = records.environment(backend.device_name, args.commit)
    scale = args.scale or (None if backend.on_device else THREADS_SCALE)
    for name in GRAPHS:
        graph = generators.reference(name, scale, engine=args.engine)
        edges = tuple(side.astype(np.int32) for side in graph.edges)
        expected = None
        for design in cc_rapids.designs():

            def run(edges=edges, n=graph.num_vertices, design=design):
                return cc_rapids.components(edges, num_vertices=n, design=design)

            times, found = records.wall(run, args.runs, backend.synchronize), run()
            labels = found.labels().labels
            expected = labels if expected is None else expected
            if not bool((labels == expected).all()):
                raise SystemExit(f"{design} gives other labels on {name}")
            record = {
                "engine": args.engine,
                "graph": name,
                "n": graph.num_vertices,
                "m": int(edges[0].size),
                "design": str(design),
                "components": len(found),
                "wall_ms": records.spread(times),
            }
            records.keep(args.out, "design_choice", base | record)


if __name__ == "__main__":
    main()
