"""Owners, matrices and kinds of memory on random graphs by density, after Lehr et al. 2022.

From edges on the host to labels on the host, as in its Figures 1 to 8: copies, and making rows or
the matrix, are part of it. For locked pages the edges lie in some before the clock starts.
"""

import numpy as np
import records

import cc_rapids
from cc_rapids import backends
from cc_rapids.tools.generators import pieces

DESIGNS = ("owner", "owner(output=lists)", "dense", "matrix-fixpoint", "none+async+halve")
DENSITIES = (0.00002, 0.0001, 0.0003, 0.001, 0.01, 0.1)
SLOW = 1000  # milliseconds, after which denser graphs are left out


def main():
    """Measure every design from every kind of memory at every density."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=backends.ENGINES, default="cuda")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--densities", type=float, nargs="+", default=DENSITIES)
    args = parser.parse_args()
    backend = backends.get(args.engine)
    base = records.environment(backend.device_name, args.commit) | {"n": args.nodes}
    kinds = backends.MEMORY if backend.on_device else backends.MEMORY[:1]
    late = set()
    for density in sorted(args.densities):
        edges, expected = graph(args.nodes, density)
        facts = {"m": edges[0].size, "density": density, "components": len(np.unique(expected))}
        for design in DESIGNS:
            for memory in kinds:
                if (design, memory) in late:
                    continue
                run = measured(edges, expected, design, memory, backend, args.runs)
                if run["wall_ms"]["median"] > SLOW:
                    late.add((design, memory))
                here = {"design": design, "memory": memory, "engine": backend.name}
                records.keep(args.out, "layouts", base | facts | here | run)


def graph(n, density):
    """Return a random graph with its least labels."""
    made = pieces.gnm(n, round(density * n * (n - 1) / 2), seed=1)
    edges = made.gather()
    labels = cc_rapids.components(edges, num_vertices=n, engine="threads").labels().labels
    return edges, labels


def measured(edges, expected, design, memory, backend, runs):
    """Return the wall times of a design, whose answer is compared after the timing."""
    edges = locked(edges) if memory != "device" else edges
    options = {"num_vertices": expected.size, "design": design, "memory": memory}

    def work():
        return cc_rapids.components(edges, engine=backend.name, **options).labels().labels

    times = records.wall(work, 1, backend.synchronize)
    if times[0] <= SLOW:
        times = records.wall(work, runs, backend.synchronize)
    return {"wall_ms": records.spread(times), "right": bool(np.array_equal(work(), expected))}


def locked(edges):
    """Return the columns in locked pages of the host."""
    import cupyx

    columns = [cupyx.empty_pinned(column.size, column.dtype) for column in edges]
    for column, values in zip(columns, edges, strict=True):
        column[:] = values
    return tuple(columns)


if __name__ == "__main__":
    main()
