"""Batches of a Connectivity on a GPU: what a call takes until it returns, and until all is done.

Batches of 1 M edges between 4 M vertices, given as cuDF frames, with num_vertices= and without:
inserted one by a call, and all by an iterator; and questions about 1 M pairs. The first call of
this process is recorded by itself: it loads kernels, or compiles them if none are on disk.
"""

import time

import cudf
import cupy
import numpy as np
import records

import cc_rapids
from cc_rapids import backends

VERTICES, EDGES, BATCHES = 4_000_000, 1_000_000, 20


def main():
    """Measure both kinds of vertices."""
    args = records.arguments(__doc__).parse_args()
    base = records.environment(backends.get("cuda").device_name, args.commit)
    for dtype in ("int32", "int64"):
        frames = [batch(seed, dtype) for seed in range(BATCHES)]
        for count in (VERTICES, None):
            record = {"dtype": dtype, "num_vertices": count, "edges": EDGES, "batches": BATCHES}
            records.keep(args.out, "batches", base | record | measure(frames, count, args.runs))


def batch(seed, dtype):
    """Return a frame of random edges."""
    random = cupy.random.default_rng(seed)
    ends = (random.integers(0, VERTICES, EDGES).astype(dtype) for _ in range(2))
    return cudf.DataFrame(dict(zip(("src", "dst"), ends, strict=True)))


def measure(frames, count, runs):
    """Return milliseconds of each call: until it returns, and until the device is done."""
    synchronize = cupy.cuda.runtime.deviceSynchronize
    seen = cc_rapids.Connectivity(count, engine="cuda")
    synchronize()
    first = timed(lambda: seen.insert(frames[0]), synchronize)
    calls = [timed(lambda f=frame: seen.insert(f), synchronize) for frame in frames[1:]]
    asked = [timed(lambda: seen.connected(frames[0]), synchronize) for _ in range(runs + 1)][1:]
    assert bool(seen.connected(frames[0]).all())
    joined = []
    for _ in range(runs):
        fresh = cc_rapids.Connectivity(count, engine="cuda")
        synchronize()
        joined.append(timed(lambda one=fresh: one.insert(iter(frames)), synchronize)[1])
    expected = cc_rapids.components(cudf.concat(frames), num_vertices=count)
    assert len(seen) == len(expected)
    return {
        "first_ms": first,
        "insert_returns_ms": [call[0] for call in calls],
        "insert_done_ms": [call[1] for call in calls],
        "connected_ms": [call[1] for call in asked],
        "iterator_ms": joined,
        "edges_per_second": EDGES * len(frames) / np.median(joined) * 1e3,
    }


def timed(work, synchronize):
    """Return milliseconds until a call returns, and until the device is done."""
    started = time.perf_counter()
    work()
    returned = time.perf_counter()
    synchronize()
    return 1e3 * (returned - started), 1e3 * (time.perf_counter() - started)


if __name__ == "__main__":
    main()
