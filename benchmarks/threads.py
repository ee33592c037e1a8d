"""The main job on CPU threads against SciPy: 20 M uniform edges over 5 M vertices.

SciPy's time is that of making the sparse matrix and of csgraph.connected_components; the labels
are compared after the timing.
"""

import numpy as np
import records
import scipy.sparse

import cc_rapids
from cc_rapids import engines, generators


def main():
    """Measure both and keep the record."""
    args = records.arguments(__doc__).parse_args()
    n, m = 5_000_000, 20_000_000
    graph = generators.uniform(n, m, seed=1, dtype=np.int32)
    src, dst = graph.edges

    def ours():
        return cc_rapids.components((src, dst), num_vertices=n).labels("dense")

    def scipys():
        matrix = scipy.sparse.coo_array((np.ones(m, np.int8), (src, dst)), shape=(n, n))
        return scipy.sparse.csgraph.connected_components(matrix, directed=False)

    mine, theirs = records.wall(ours, args.runs), records.wall(scipys, 3)
    count, expected = scipys()
    if not np.array_equal(ours().labels, expected):
        raise SystemExit("the labels differ from SciPy's")
    record = {
        "graph": "uniform",
        "n": n,
        "m": m,
        "components": int(count),
        "wall_ms": records.spread(mine),
        "scipy_ms": records.spread(theirs),
        "times_faster": round(np.median(theirs) / np.median(mine), 1),
        "equal_to_scipy": True,
    }
    base = records.environment(engines.get("threads").device_name, args.commit)
    records.keep(args.out, "threads", base | record)


if __name__ == "__main__":
    main()
