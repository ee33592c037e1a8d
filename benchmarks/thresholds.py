"""Components at ten thresholds by one call, against ten separate runs on the edges of each.

Random pairs with random weights, of which the thresholds keep from a twentieth to nine tenths. Both
ways are measured until the answers are there, and until the label frames of all ten are. They take
turns, so that others' work on the machine meets all, and least times are compared; the labels are
compared after the timing. A separate run has the vertices of its own edges alone, where every cut
has all vertices. With ``--engine cuda`` the frame is cuDF's.
"""

import numpy as np
import pandas as pd
import records

import cc_rapids
from cc_rapids import backends

LEVELS = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
SIZES = {"threads": (2_000_000, 500_000), "cuda": (10_000_000, 4_000_000)}  # edges and vertices


def main():
    """Measure one list, and keep a record of it."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=tuple(SIZES), default="threads")
    parser.add_argument("--edges", type=int, help="of a list of other size, of four edges a vertex")
    args = parser.parse_args()
    backend = backends.get(args.engine)
    edges, vertices = SIZES[args.engine]
    if args.edges:
        edges, vertices = args.edges, args.edges // 4
    found = measure(weighed(edges, vertices), backend, args.runs)
    record = records.environment(backend.device_name, args.commit) | {"engine": args.engine}
    record |= {"edges": edges, "vertices": vertices, "thresholds": len(LEVELS)} | found
    records.keep(args.out, "thresholds", record)


def weighed(edges, vertices):
    """Return random pairs with weights between 0 and 1."""
    rng = np.random.default_rng(0)
    src, dst = rng.integers(0, vertices, (2, edges))
    return pd.DataFrame({"src": src, "dst": dst, "weight": rng.random(edges)})


def measure(frame, backend, runs):
    """Return the times of all ways, after comparing their labels."""
    given = frame
    if backend.on_device:
        import cudf

        given = cudf.from_pandas(frame)

    def at_once():
        return cc_rapids.components_at(given, thresholds=LEVELS)

    def separate():
        return [cc_rapids.components(heavy(given, level)) for level in LEVELS]

    def labels_at_once():
        cuts = at_once()
        return [cuts.labels(level) for level in cuts.thresholds]

    def labels_separate():
        return [found.labels() for found in separate()]

    ways = {"wall_ms": at_once, "separate_ms": separate}
    ways |= {"labels_ms": labels_at_once, "separate_labels_ms": labels_separate}
    times = records.turns(list(ways.values()), runs, backend.synchronize)
    wall = dict(zip(ways, map(records.spread, times), strict=True))
    cuts = at_once()
    for level, found in zip(LEVELS, separate(), strict=True):
        compare(cuts.at(level), found, backend)
    least = {way: own["least"] for way, own in wall.items()}
    return wall | {
        "components": [len(cuts.at(level)) for level in LEVELS],
        "times_faster": round(least["separate_ms"] / least["wall_ms"], 2),
        "labels_times_faster": round(least["separate_labels_ms"] / least["labels_ms"], 2),
    }


def heavy(frame, level):
    """Return the edges that a threshold admits, as a frame of its own."""
    return frame[frame["weight"] >= level].reset_index(drop=True)


def compare(cut, found, backend):
    """Raise an AssertionError unless a cut and a run of its own agree, but for lone vertices."""
    (every, labels), (some, expected) = (
        [backend.asarray(frame[name].values) for name in ("vertex", "labels")]
        for frame in (cut.labels(), found.labels())
    )
    rows = backend.xp.searchsorted(every, some)
    assert bool((every[rows] == some).all())
    assert bool((labels[rows] == expected).all())
    assert len(cut) == len(found) + every.size - some.size


if __name__ == "__main__":
    main()
