"""Batches of a Connectivity, edges and vertices that are removed, and edges that expire.

inserts: batches of random edges between four times as many vertices, as frames of two widths of
ids, with ``num_vertices=`` and without: one by a call, and all by an iterator; and questions about
as many pairs. A call is timed until it returns and until the device is done, and the functions of
Python that a warm call enters are counted. removals and near: pairs and vertices are removed from
one large component, or from components of 32, with and without a forest that is kept, against
solving the edges that are left. window: batches of a hundredth of the edges, of which the oldest
expire, against solving the window. All ways of a job take turns, each on a copy of its own, and
answers are compared after the timing.
"""

import copy
import itertools
import sys
import time

import harness
import numpy as np
from harness import frame, on_host

import cc_rapids
from cc_rapids.tools.bench import spread

BATCHES, PAIRS, STEPS = 20, 1_000, 100
SMALL, FAR = 32, 1_000_003


def main():
    """Measure some jobs, and keep a record of each."""
    parser = harness.arguments(__doc__, runs=5, edges=4_000_000)
    parser.add_argument("--jobs", nargs="*", choices=JOBS, default=list(JOBS))
    args = parser.parse_args()
    backend, base = harness.begin(args)

    def measure(job):
        name, work = JOBS[job]
        for record in work(args.edges, backend, args.runs):
            harness.keep(args.out, name, base | {"job": job, "m": args.edges} | record)

    harness.measure_each([[job] for job in args.jobs], measure)


def inserts(edges, backend, runs):
    """Yield the times of insertions and of questions, for each kind of ids and of vertices."""
    size = max(edges // 4, 1)
    for dtype in ("int32", "int64"):
        frames = []
        for seed in range(BATCHES):
            ends = np.random.default_rng(seed).integers(0, edges, (2, size)).astype(dtype)
            frames.append(
                frame(backend, src=backend.asarray(ends[0]), dst=backend.asarray(ends[1]))
            )
        for count in (edges, None):
            about = {"dtype": dtype, "num_vertices": count, "edges": size, "batches": BATCHES}
            yield about | inserted(frames, count, backend, runs)


def inserted(frames, count, backend, runs):
    """Return the time of the first call, the times of later calls, and the rate of an iterator."""

    def empty():
        return cc_rapids.Connectivity(count, engine=backend.name)

    first = until_done(backend, empty().insert, frames[0])
    calls = []
    for _ in range(runs):
        seen = empty().insert(frames[0])
        calls += [until_done(backend, seen.insert, one) for one in frames[1:]]
    ways = {
        "connected": lambda: seen.connected(frames[0]),
        "iterator": lambda: empty().insert(iter(frames)),
    }
    times = harness.timed(ways, backend, runs)
    assert bool(seen.connected(frames[0]).all())
    columns = [np.concatenate([on_host(one[end]) for one in frames]) for end in ("src", "dst")]
    assert len(seen) == len(cc_rapids.components(tuple(columns), num_vertices=count))
    returns, done = zip(*calls, strict=True)
    rate = len(frames) * len(frames[0]) / times["iterator_ms"]["median"] * 1e3
    return times | {
        "first_ms": first,
        "insert_returns_ms": spread(returns),
        "insert_done_ms": spread(done),
        "edges_per_second": rate,
        "insert_calls": python_calls(lambda: seen.insert(frames[0])),
        "connected_calls": python_calls(lambda: seen.connected(frames[0])),
    }


def until_done(backend, work, *given):
    """Return the milliseconds until a call returns, and until the device has finished."""
    backend.synchronize()
    started = time.perf_counter()
    work(*given)
    returned = time.perf_counter()
    backend.synchronize()
    return 1e3 * (returned - started), 1e3 * (time.perf_counter() - started)


def python_calls(work):
    """Return the number of functions of Python that a call enters."""
    entered = []

    def note(frame, event, value):
        if event == "call":
            entered.append(frame.f_code)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(entered)


def removals(edges, backend, runs):
    """Yield the times of removals from a large component."""
    ends = np.random.default_rng(0).integers(0, edges // 2, (2, edges))
    yield removed(*ends, backend, runs)


def near(edges, backend, runs):
    """Yield the times of removals from small components."""
    rng = np.random.default_rng(0)
    src = rng.integers(0, edges // 2, edges)
    dst = np.minimum(src // SMALL * SMALL + rng.integers(0, SMALL, edges), edges // 2 - 1)
    yield removed(src, dst, backend, runs)


def removed(src, dst, backend, runs):
    """Return the times of removals, after a check of the labels against the remaining edges."""
    n = src.size // 2
    rows = np.random.default_rng(1).integers(0, src.size, PAIRS)
    keys = np.minimum(src, dst) * n + np.maximum(src, dst)
    edges, some = (frame(backend, src=src[at], dst=dst[at]) for at in (slice(None), rows))
    extra = outside_forest(src, dst, keys, n)
    none = frame(backend, src=extra[0], dst=extra[1])
    stays = ~np.isin(keys, keys[rows])
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
    return {"vertices": vertices.size, "pairs": PAIRS} | times


def outside_forest(src, dst, keys, n):
    """Return connected pairs without an edge; inserting them joins no trees."""
    labels = cc_rapids.components((src, dst), num_vertices=n).labels().labels
    order = np.argsort(labels, kind="stable")
    linked = np.flatnonzero(labels[order[1:]] == labels[order[:-1]])
    first, second = order[linked], order[linked + 1]
    new = ~np.isin(first * n + second, keys)
    return first[new][:PAIRS], second[new][:PAIRS]


def window(edges, backend, runs):
    """Yield the times of one step of a sliding window, after comparing the labels."""
    n, batch = edges // 2, max(edges // STEPS, 1)
    many = edges + (runs + 1) * batch
    src, dst = np.random.default_rng(1).integers(0, n, (2, many))
    rows = frame(backend, src=src, dst=dst, until=np.arange(many))
    seen = cc_rapids.Connectivity(engine=backend.name, expiry="until").insert(rows[:edges])
    linked = copy.copy(seen).insert(rows[:1])
    last = rows[batch : edges + batch][["src", "dst"]]
    windows = {
        name: (copy.copy(linked), itertools.count()) for name in ("insert", "step", "answer")
    }

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
    yield {"vertices": vertices.size, "batch": batch} | times


def same(found, anew):
    """Raise an AssertionError unless the labels of two frames are the same."""
    assert np.array_equal(on_host(found["labels"]), on_host(anew["labels"]))


#: The name of the records of each job, and what yields them.
JOBS = {
    "inserts": ("batches", inserts),
    "removals": ("forgetting", removals),
    "near": ("forgetting", near),
    "window": ("forgetting", window),
}

if __name__ == "__main__":
    main()
