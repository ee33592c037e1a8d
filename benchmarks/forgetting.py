"""Edges and vertices that go, and edges that expire, against solving what is left anew.

Random edges, two for each vertex, are inserted with and without a forest that is kept. Then pairs
are removed of which none, and of which some are in the forest, and vertices; each is compared with
solving the edges that are left by ``components``. Nearly all vertices are in one component, or (job
``near``) in components of 32, of which few are touched; what is read of ``remaining`` is compared
with a copy of its columns. ``again`` removes pairs outside the forest after others have been, and
``far`` has ids that are far apart. A sliding window gets batches of a hundredth of the edges, of
which the oldest expire; anew means to solve the window, ``forest`` to find the spanning forest by
time of the edges kept and the batch by rounds, and ``links`` what the first small batch costs. All
ways of a job take turns, each on an instance of its own. Answers are compared after the timing.
"""

import copy
from collections.abc import Iterator
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
import pandas as pd
import records

import cc_rapids
from cc_rapids import backends
from cc_rapids.incremental.kept import forest_of

EDGES, PAIRS, STEPS = 4_000_000, 1_000, 100
SMALL, FAR = 32, 1_000_003


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
    for job, measure in JOBS.items():
        found = measure(args.edges, backend, args.runs)
        records.keep(args.out, "forgetting", base | {"job": job, "m": args.edges} | found)


def removals(edges, backend, runs):
    """Return the times of removals from a large component."""
    return removed(*np.random.default_rng(0).integers(0, edges // 2, (2, edges)), backend, runs)


def near(edges, backend, runs):
    """Return the times of removals from small components."""
    rng = np.random.default_rng(0)
    src = rng.integers(0, edges // 2, edges)
    dst = np.minimum(src // SMALL * SMALL + rng.integers(0, SMALL, edges), edges // 2 - 1)
    return removed(src, dst, backend, runs)


def removed(src, dst, backend, runs):
    """Return the times of removals, after comparing the labels with those of the edges left."""
    rng = np.random.default_rng(1)
    edges, n = src.size, src.size // 2
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
    far, some_far = (
        as_frame(backend, src=a * FAR, dst=b * FAR) for a, b in ((src, dst), (src[rows], dst[rows]))
    )
    hashed = cc_rapids.Connectivity(engine=backend.name).insert(far)
    again = copy.copy(kept).remove(none)
    columns = [backend.asarray(end) for end in (src, dst)]
    ways = {
        "columns": lambda: [end.copy() for end in columns],
        "anew": lambda: cc_rapids.components(left).labels(),
        "copy": lambda: copy.copy(kept),
        "insert": lambda: cc_rapids.Connectivity(engine=backend.name).insert(frame),
        "insert_kept": lambda: cc_rapids.Connectivity(engine=backend.name, keep_forest=True).insert(
            frame
        ),
        "plain": lambda: copy.copy(plain).remove(some, remaining=frame),
        "kept": lambda: copy.copy(kept).remove(some, remaining=frame),
        "outside": lambda: copy.copy(kept).remove(none),
        "again": lambda: copy.copy(again).remove(none),
        "vertices": lambda: copy.copy(kept).remove_vertices(gone, remaining=frame),
        "anew_far": lambda: cc_rapids.components(far).labels(),
        "far": lambda: copy.copy(hashed).remove(some_far, remaining=far),
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
    }


def window(edges, backend, runs):
    """Return the times of one step of a sliding window, after comparing the labels."""
    rng = np.random.default_rng(1)
    n, batch = edges // 2, max(edges // STEPS, 1)
    every = edges + (runs + 1) * batch
    src, dst = rng.integers(0, n, (2, every))
    until = np.arange(every)
    rows = as_frame(backend, src=src, dst=dst, until=until)
    seen = cc_rapids.Connectivity(engine=backend.name, expiry="until").insert(rows[:edges])
    first = rows[:1]
    linked = copy.copy(seen).insert(first)
    held, own = linked._state.kept, (src, dst, until)
    both = [
        backend.xp.concatenate([kept, backend.asarray(column[edges : edges + batch])])
        for kept, column in zip((held.src, held.dst, held.until), own, strict=True)
    ]

    def step(chain, expires):
        k = next(chain.steps)
        chain.seen.insert(rows[edges + k * batch : edges + (k + 1) * batch])
        return chain.seen.expire((k + 1) * batch) if expires else chain.seen

    inserts, steps, answers = (Chain(copy.copy(linked), iter(range(runs + 1))) for _ in range(3))
    last = rows[batch : edges + batch][["src", "dst"]]
    ways = {
        "anew": lambda: cc_rapids.components(last).labels(),
        "forest": lambda: forest_of(*both, n, backend),
        "links": lambda: copy.copy(seen).insert(first),
        "insert": lambda: step(inserts, False),
        "step": lambda: step(steps, True),
        "answer": lambda: step(answers, True).components().labels(),
    }
    wall = timed(ways, backend, runs)
    vertices = np.unique(np.concatenate([src[: edges + batch], dst[: edges + batch]]))
    final = rows[(runs + 1) * batch :][["src", "dst"]]
    anew = cc_rapids.components(final, vertices=np.unique(np.concatenate([src, dst]))).labels()
    found = answers.seen.components().labels()
    assert np.array_equal(on_host(found["labels"]), on_host(anew["labels"]))
    return {
        "vertices": vertices.size,
        "batch": batch,
        **wall,
    }


class Chain(NamedTuple):
    """An instance whose window slides, and the numbers of the steps to come."""

    seen: cc_rapids.Connectivity
    steps: Iterator[int]


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


JOBS = {"removals": removals, "near": near, "window": window}

if __name__ == "__main__":
    main()
