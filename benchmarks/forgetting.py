"""Edges and vertices that go, and edges that expire, against solving what is left anew.

Random edges, two for each vertex, are inserted with and without a forest that is kept. Then pairs
are removed of which none, and of which some are in the forest, and vertices; each is compared with
solving the edges that are left by ``components``. A sliding window gets batches of a hundredth of
the edges, of which the oldest expire; anew means to solve the window. All ways of a job take turns,
each on a copy of the instance. Answers are compared after the timing.
"""

import copy
from importlib.metadata import version

import measured_code
import numpy as np
import pandas as pd
import records

import cc_rapids
from cc_rapids import backends

EDGES, PAIRS, STEPS = 4_000_000, 1_000, 100


def main():
    """Measure removals and a window, and keep a record of each."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.set_defaults(runs=5)
    args = parser.parse_args()
    backend = backends.get(args.engine)
    base = records.environment(backend.device_name, args.commit) | {"engine": args.engine}
    base["versions"] |= {"pandas": version("pandas")}
    for job, measure in (("removals", removals), ("window", window)):
        found = measure(args.edges, backend, args.runs)
        records.keep(args.out, "forgetting", base | {"job": job, "m": args.edges} | found)


def removals(edges, backend, runs):
    """Return the times of removals, after comparing the labels with those of the edges left."""
    rng = np.random.default_rng(0)
    n = edges // 2
    src, dst = rng.integers(0, n, (2, edges))
    frame = as_frame(backend, src=src, dst=dst)
    plain = cc_rapids.Connectivity(engine=backend.name).insert(frame)
    kept = cc_rapids.Connectivity(engine=backend.name, keep_forest=True).insert(frame)
    forest = rows_of_forest(kept, src, dst, backend)
    rows = rng.integers(0, edges, PAIRS)
    outside = np.flatnonzero(~forest)[:PAIRS]
    some, none = (as_frame(backend, src=src[at], dst=dst[at]) for at in (rows, outside))
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    keys = low * n + high
    stays = ~np.isin(keys, keys[rows])
    left = as_frame(backend, src=src[stays], dst=dst[stays])
    gone = np.unique(src[rows])
    ways = {
        "anew": lambda: cc_rapids.components(left).labels(),
        "copy": lambda: copy.copy(kept),
        "insert": lambda: cc_rapids.Connectivity(engine=backend.name).insert(frame),
        "insert_kept": lambda: cc_rapids.Connectivity(engine=backend.name, keep_forest=True).insert(
            frame
        ),
        "plain": lambda: copy.copy(plain).remove(some, remaining=frame),
        "kept": lambda: copy.copy(kept).remove(some, remaining=frame),
        "outside": lambda: copy.copy(kept).remove(none),
        "vertices": lambda: copy.copy(kept).remove_vertices(gone, remaining=frame),
    }
    wall = timed(ways, backend, runs)
    vertices = np.unique(np.concatenate([src, dst]))
    anew = cc_rapids.components(left, vertices=vertices).labels()
    for way in ("plain", "kept"):
        found = ways[way]().components().labels()
        assert np.array_equal(on_host(found["labels"]), on_host(anew["labels"])), way
    return {
        "vertices": vertices.size,
        "pairs": PAIRS,
        "in_forest": int(forest[rows].sum()),
        **wall,
        "code": measured_code.of_run(ways["kept"]),
    }


def window(edges, backend, runs):
    """Return the times of one step of a sliding window, after comparing the labels."""
    rng = np.random.default_rng(1)
    n, batch = edges // 2, max(edges // STEPS, 1)
    src, dst = rng.integers(0, n, (2, edges + batch))
    until = np.arange(edges + batch)
    rows = as_frame(backend, src=src, dst=dst, until=until)
    seen = cc_rapids.Connectivity(engine=backend.name, expiry="until").insert(rows[:edges])
    new, last = rows[edges:], rows[batch:][["src", "dst"]]
    ways = {
        "anew": lambda: cc_rapids.components(last).labels(),
        "insert": lambda: copy.copy(seen).insert(new),
        "step": lambda: copy.copy(seen).insert(new).expire(batch),
        "answer": lambda: copy.copy(seen).insert(new).expire(batch).components().labels(),
    }
    wall = timed(ways, backend, runs)
    vertices = np.unique(np.concatenate([src, dst]))
    anew = cc_rapids.components(last, vertices=vertices).labels()
    assert np.array_equal(on_host(ways["answer"]()["labels"]), on_host(anew["labels"]))
    return {
        "vertices": vertices.size,
        "batch": batch,
        **wall,
        "code": measured_code.of_run(ways["answer"]),
    }


def rows_of_forest(seen, src, dst, backend):
    """Return a mask of the rows whose pair is in the kept forest."""
    kept = seen._state.kept
    ids = backend.to_host(seen._state.index.arrived).astype(np.int64)
    ends = ids[backend.to_host(kept.src)], ids[backend.to_host(kept.dst)]
    n = int(ids.max()) + 1
    inside = np.minimum(*ends) * n + np.maximum(*ends)
    return np.isin(np.minimum(src, dst) * n + np.maximum(src, dst), inside)


def as_frame(backend, **columns):
    """Return a frame of pandas, or of cuDF on a GPU."""
    frame = pd.DataFrame(columns)
    if not backend.on_device:
        return frame
    import cudf

    return cudf.from_pandas(frame)


def on_host(column):
    """Return a column as an array on the host."""
    return np.asarray((column.to_pandas() if hasattr(column, "to_pandas") else column).to_numpy())


def timed(ways, backend, runs):
    """Return the times of some ways that take turns, by the names of their fields."""
    times = records.turns(list(ways.values()), runs, backend.synchronize)
    spreads = map(records.spread, times)
    return {f"{name}_ms": own for name, own in zip(ways, spreads, strict=True)}


if __name__ == "__main__":
    main()
