"""Edges whose ends are found by the rounds of spanning forests, for some bands of light edges.

Counts, not times: they are the same on every machine but for the order of links. ``found`` is how
many pairs of roots are looked up, ``kept`` how many join two trees and lower the least key of both,
each divided by the edges of the list, and ``passes`` how often the list of weights is read.

    python benchmarks/forest_bands.py --scale 18 --graphs uniform25M road --light 0.5 2 --bands 1 3
"""

from itertools import product
from unittest import mock

import numpy as np
import records

import cc_rapids
from cc_rapids import backends, generators
from cc_rapids.algorithms import boruvka
from cc_rapids.tuning import tuning

GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")


def main():
    """Count for some graphs, and keep a record of each."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=GRAPHS)
    parser.add_argument("--light", nargs="+", type=float, default=[0.25, 0.5, 1, 2])
    parser.add_argument("--bands", nargs="+", type=int, default=[1, 2, 3, 4])
    parser.add_argument("--few", type=int, default=boruvka.FEW, help="times the first band")
    args = parser.parse_args()
    boruvka.FEW = args.few
    backend = backends.get(args.engine)
    for name in args.graphs:
        graph = generators.reference(name, args.scale, dtype=np.int32, engine=args.engine)
        weight = np.random.default_rng(0).random(graph.num_edges, np.float32)
        record = records.environment(backend.device_name, args.commit)
        record |= {"engine": args.engine, "graph": graph.name, "vertices": graph.num_vertices}
        record |= {"edges": graph.num_edges, "weights": "float32"}
        for light, bands in product(args.light, args.bands):
            with tuning.override(light_edges_per_vertex=light, light_bands=bands):
                found = counts(graph.edges, backend.asarray(weight), graph.num_edges)
            own = {"few": args.few, "light_edges_per_vertex": light, "light_bands": bands}
            records.keep(args.out, "forest_bands", record | own | found)


def counts(edges, weight, m):
    """Return what one run looks up and keeps, for each edge of the list."""
    looks, collect = [], boruvka._Rounds._collect

    def noted(rounds, kernel, size, *given):
        found = collect(rounds, kernel, size, *given)
        looks.append((kernel is not rounds.from_candidates, size, found.count))
        return found

    with mock.patch.object(boruvka._Rounds, "_collect", noted):
        cc_rapids.minimum_spanning_forest(edges, weight=weight)
    found = m + sum(size for of_list, size, _ in looks if not of_list)
    kept = sum(count for *_, count in looks)
    passes = sum(of_list for of_list, *_ in looks)
    return {
        "found": round(found / m, 3),
        "kept": round(kept / m, 3),
        "passes": passes,
        "rounds": len(looks),
    }


if __name__ == "__main__":
    main()
