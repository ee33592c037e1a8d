"""Short lists on a GPU: dense and hashed ids, ids of a wide span, and strings, against cuGraph.

Lists of 1,000 to 10 M edges between a quarter as many vertices: wall time from a cuDF frame to the
cuDF answer, warm, median of some runs. The answers' sizes are compared with those of dense ids.
"""

from functools import partial

import cudf
import cugraph
import numpy as np
import records
from lists import IDS

import cc_rapids
from cc_rapids import backends, generators

EDGES = 1_000, 100_000, 1_000_000, 10_000_000
SPANS = 100, 10_000  # ids a vertex, and one step more every thousand vertices


def main():
    """Measure each kind of ids at each length."""
    words = records.arguments(__doc__)
    words.add_argument("--peers", action="store_true", help="time cuGraph, too")
    args = words.parse_args()
    base = records.environment(backends.get("cuda").device_name, args.commit)
    for m in EDGES:
        components = None
        for kind, make in KINDS.items():
            frame = make(m)
            found = cc_rapids.components(frame)
            components = components or len(found)
            assert len(found) == components, kind
            record = {
                "edges": m,
                "kind": kind,
                "ids": found.summary()["ids"],
                "design": found.summary()["design"],
                "wall_ms": records.wall(partial(cc_rapids.connected_components, frame), args.runs),
            }
            if args.peers:
                record["cugraph_ms"] = records.wall(partial(by_cugraph, frame), 3)
            records.keep(args.out, "short_lists", base | record)


def by_cugraph(frame):
    """Label the frame's edges by cuGraph, the graph included."""
    graph = cugraph.Graph()
    graph.from_cudf_edgelist(frame, source="src", destination="dst")
    return cugraph.weakly_connected_components(graph)


def sides(m):
    """Return the ends of the list as int64, from 0 on."""
    graph = generators.uniform(max(m // 4, 2), m, seed=1, engine="cuda")
    return {"src": graph.src.astype(np.int64), "dst": graph.dst.astype(np.int64)}


def dense(m):
    """Return the list as it is."""
    return cudf.DataFrame(sides(m))


def hashed(m):
    """Return the list with its ids spread over 64 bits."""
    return cudf.DataFrame({name: IDS["hashed"](side) for name, side in sides(m).items()})


def bunched(m):
    """Return the list with its ids in four close ranges far from each other."""
    ends = {name: side // 4 + (side % 4 << 50) for name, side in sides(m).items()}
    return cudf.DataFrame(ends)


def spread(far):
    """Return what makes the list with ids that lie ``far`` apart, like those of OpenStreetMap."""

    def wide(m):
        return cudf.DataFrame({name: side * far for name, side in sides(m).items()})

    return wide


def strings(m):
    """Return the list with its ids as text."""
    return cudf.DataFrame(
        {name: "vertex " + cudf.Series(side).astype("str") for name, side in sides(m).items()}
    )


KINDS = {"dense": dense, "hashed": hashed, "bunched": bunched}
KINDS |= {f"{far:,} apart": spread(far) for far in SPANS}
KINDS["strings"] = strings

if __name__ == "__main__":
    main()
