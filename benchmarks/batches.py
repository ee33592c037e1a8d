"""Time removals from a Connectivity, and a sliding window.

removals: remove pairs and vertices from one large component and from components of 32 vertices,
with and without a kept forest, compared with solving the remaining edges. window: insert a batch of
a hundredth of the edges while the oldest batch expires, compared with solving the window. The
methods of a job are timed in turn, each on its own copy. Answers are compared after the timing.
"""

import copy
import itertools

import harness
import numpy as np
from harness import frame, on_host

import cc_rapids

PAIRS, STEPS = 1_000, 100
SMALL = 32  # vertices of a component


@harness.job("forgetting")
def removals(args, backend):
    """Yield a record of removals from one large component, and one of small components."""
    m, n, rng = args.edges, args.edges // 2, np.random.default_rng(0)
    src, far = rng.integers(0, n, (2, m))
    near = np.minimum(src // SMALL * SMALL + rng.integers(0, SMALL, m), n - 1)
    for job, dst in (("removals", far), ("near", near)):
        yield {"job": job} | removed(src, dst, backend, args.runs)


def removed(src, dst, backend, runs):
    """Return the times of removals; the labels are compared with those of the remaining edges."""
    rows = np.random.default_rng(1).integers(0, src.size, PAIRS)
    keys, gone = np.minimum(src, dst) * src.size + np.maximum(src, dst), np.unique(src[rows])
    stays = ~np.isin(keys, keys[rows])
    edges, some, left = (
        frame(backend, src=src[at], dst=dst[at]) for at in (slice(None), rows, stays)
    )
    plain = cc_rapids.Connectivity(engine=backend.name).insert(edges)
    kept = cc_rapids.Connectivity(engine=backend.name, keep_forest=True).insert(edges)
    ways = {
        "anew": lambda: cc_rapids.components(left).labels(),
        "copy": lambda: copy.copy(kept),
        "plain": lambda: copy.copy(plain).remove(some, remaining=edges),
        "kept": lambda: copy.copy(kept).remove(some, remaining=edges),
        "vertices": lambda: copy.copy(kept).remove_vertices(gone, remaining=edges),
    }
    times, vertices = harness.timed(ways, backend, runs), np.unique([src, dst])
    anew = cc_rapids.components(left, vertices=vertices).labels()
    for way in ("plain", "kept"):
        same(ways[way]().components().labels(), anew)
    return {"m": src.size, "vertices": vertices.size, "pairs": PAIRS} | times


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
