"""Edges and vertices that are removed from a Connectivity, and edges that expire.

removals and near: pairs and vertices are removed from one large component, or from components of
32, with and without a kept forest, against solving the remaining edges. window: batches of a
hundredth of the edges, of which the oldest expire, against solving the window. All ways of a job
take turns, each on a copy of its own, and answers are compared after the timing.
"""

import copy
import itertools

import harness
import numpy as np
from harness import frame, on_host

import cc_rapids

PAIRS, STEPS = 1_000, 100
SMALL, FAR = 32, 1_000_003


@harness.job("forgetting")
def removals(args, backend):
    """Yield the times of removals from a large component."""
    ends = np.random.default_rng(0).integers(0, args.edges // 2, (2, args.edges))
    yield removed(*ends, backend, args.runs)


@harness.job("forgetting")
def near(args, backend):
    """Yield the times of removals from small components."""
    edges, rng = args.edges, np.random.default_rng(0)
    src = rng.integers(0, edges // 2, edges)
    dst = np.minimum(src // SMALL * SMALL + rng.integers(0, SMALL, edges), edges // 2 - 1)
    yield removed(src, dst, backend, args.runs)


def removed(src, dst, backend, runs):
    """Return the times of removals, after a check of the labels against the remaining edges."""
    n = src.size // 2
    rows = np.random.default_rng(1).integers(0, src.size, PAIRS)
    keys = np.minimum(src, dst) * n + np.maximum(src, dst)
    edges, some = (frame(backend, src=src[at], dst=dst[at]) for at in (slice(None), rows))
    extra = outside_forest(src, dst, keys, n)
    none, stays = frame(backend, src=extra[0], dst=extra[1]), ~np.isin(keys, keys[rows])
    left = frame(backend, src=src[stays], dst=dst[stays])
    far, some_far = (
        frame(backend, src=src[at] * FAR, dst=dst[at] * FAR) for at in (slice(None), rows)
    )

    def empty(**options):
        return cc_rapids.Connectivity(engine=backend.name, **options)

    plain, hashed = empty().insert(edges), empty().insert(far)
    kept = empty(keep_forest=True).insert(edges)
    more = copy.copy(kept).insert(none)
    again = copy.copy(more).remove(none).insert(none)
    gone = np.unique(src[rows])
    ways = {
        "anew": lambda: cc_rapids.components(left).labels(),
        "copy": lambda: copy.copy(kept),
        "insert": lambda: empty().insert(edges),
        "insert_kept": lambda: empty(keep_forest=True).insert(edges),
        "plain": lambda: copy.copy(plain).remove(some, remaining=edges),
        "kept": lambda: copy.copy(kept).remove(some, remaining=edges),
        "outside": lambda: copy.copy(more).remove(none),
        "again": lambda: copy.copy(again).remove(none),
        "vertices": lambda: copy.copy(kept).remove_vertices(gone, remaining=edges),
        "anew_far": lambda: cc_rapids.components(far).labels(),
        "far": lambda: copy.copy(hashed).remove(some_far, remaining=far),
    }
    times = harness.timed(ways, backend, runs)
    vertices = np.unique(np.concatenate([src, dst]))
    anew = cc_rapids.components(left, vertices=vertices).labels()
    for way in ("plain", "kept"):
        same(ways[way]().components().labels(), anew)
    return {"m": src.size, "vertices": vertices.size, "pairs": PAIRS} | times


def outside_forest(src, dst, keys, n):
    """Return connected pairs without an edge; inserting them joins no trees."""
    labels = cc_rapids.components((src, dst), num_vertices=n).labels().labels
    order = np.argsort(labels, kind="stable")
    linked = np.flatnonzero(labels[order[1:]] == labels[order[:-1]])
    first, second = order[linked], order[linked + 1]
    new = ~np.isin(first * n + second, keys)
    return first[new][:PAIRS], second[new][:PAIRS]


@harness.job("forgetting")
def window(args, backend):
    """Yield the times of one step of a sliding window, after comparing the labels."""
    edges, runs = args.edges, args.runs
    n, batch = edges // 2, max(edges // STEPS, 1)
    src, dst = np.random.default_rng(1).integers(0, n, (2, edges + (runs + 1) * batch))
    rows = frame(backend, src=src, dst=dst, until=np.arange(src.size))
    seen = cc_rapids.Connectivity(engine=backend.name, expiry="until").insert(rows[:edges])
    linked = copy.copy(seen).insert(rows[:1])
    last = rows[batch : edges + batch][["src", "dst"]]
    names = "insert", "step", "answer"
    windows = {name: (copy.copy(linked), itertools.count()) for name in names}

    def slide(name, expires=True):
        instance, steps = windows[name]
        k = next(steps)
        instance.insert(rows[edges + k * batch : edges + (k + 1) * batch])
        return instance.expire((k + 1) * batch) if expires else instance

    ways = {
        "anew": lambda: cc_rapids.components(last).labels(),
        "links": lambda: copy.copy(seen).insert(rows[:1]),
        "insert": lambda: slide("insert", expires=False),
        "step": lambda: slide("step"),
        "answer": lambda: slide("answer").components().labels(),
    }
    times = harness.timed(ways, backend, runs)
    vertices = np.unique(np.concatenate([src, dst]))
    final = rows[(runs + 1) * batch :][["src", "dst"]]
    anew = cc_rapids.components(final, vertices=vertices).labels()
    same(windows["answer"][0].components().labels(), anew)
    yield {"m": edges, "vertices": vertices.size, "batch": batch} | times


def same(found, anew):
    """Raise an AssertionError unless the labels of two frames are the same."""
    assert np.array_equal(on_host(found["labels"]), on_host(anew["labels"]))


if __name__ == "__main__":
    harness.run(harness.arguments(__doc__, runs=5, edges=4_000_000))
