"""Batches of a Connectivity on a GPU: what a call takes until it returns, and until all is done.

Batches of 1 M edges between 4 M vertices, given as cuDF frames, with num_vertices= and without:
inserted one by a call, into one new instance after the other, and all by an iterator; and questions
about 1 M pairs. The first call of this process is recorded by itself: it loads kernels, or compiles
them if none are on disk. So are the functions of Python's that a warm call enters, those of
libraries, too. With --pool memory comes from a pool of RMM, and with --profile a profile of warm
calls is printed, which is not recorded.
"""

import cProfile
import pstats
import sys
import time
from functools import partial

import cudf
import cupy
import numpy as np
import records
import rmm

import cc_rapids
from cc_rapids import backends

VERTICES, EDGES, BATCHES = 4_000_000, 1_000_000, 20


def main():
    """Measure both kinds of vertices."""
    parser = records.arguments(__doc__)
    parser.add_argument("--pool", action="store_true", help="take memory from a pool of RMM")
    parser.add_argument("--profile", action="store_true", help="print a profile of warm calls")
    args = parser.parse_args()
    if args.pool:
        rmm.reinitialize(pool_allocator=True)
    base = records.environment(backends.get("cuda").device_name, args.commit)
    base |= {"rmm_pool": args.pool}
    for dtype in ("int32", "int64"):
        frames = [batch(seed, dtype) for seed in range(BATCHES)]
        for count in (VERTICES, None):
            record = {"dtype": dtype, "num_vertices": count, "edges": EDGES, "batches": BATCHES}
            records.keep(args.out, "batches", base | record | measure(frames, count, args.runs))
            if args.profile:
                profile(frames[0], count)


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
    calls = []
    for _ in range(runs):
        seen = cc_rapids.Connectivity(count, engine="cuda").insert(frames[0])
        synchronize()
        calls += [timed(partial(seen.insert, frame), synchronize) for frame in frames[1:]]
    asked = [timed(lambda: seen.connected(frames[0]), synchronize) for _ in range(runs + 1)][1:]
    assert bool(seen.connected(frames[0]).all())
    joined = []
    for _ in range(runs):
        fresh = cc_rapids.Connectivity(count, engine="cuda")
        synchronize()
        joined.append(timed(lambda one=fresh: one.insert(iter(frames)), synchronize)[1])
    counted = {
        "insert_calls": python_calls(lambda: seen.insert(frames[0])),
        "connected_calls": python_calls(lambda: seen.connected(frames[0])),
    }
    expected = cc_rapids.components(cudf.concat(frames), num_vertices=count)
    assert len(seen) == len(expected)
    return {
        "first_ms": first,
        "insert_returns_ms": [call[0] for call in calls],
        "insert_done_ms": [call[1] for call in calls],
        "connected_ms": [call[1] for call in asked],
        "iterator_ms": joined,
        "edges_per_second": EDGES * len(frames) / np.median(joined) * 1e3,
    } | counted


def python_calls(work):
    """Return the number of functions of Python's that a call enters."""
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


def profile(frame, count, calls=200):
    """Print where the host spends its time in warm insertions, and in questions."""
    seen = cc_rapids.Connectivity(count, engine="cuda").insert(frame)
    for work in (lambda: seen.insert(frame), lambda: seen.connected(frame)):
        with cProfile.Profile() as found:
            for _ in range(calls):
                work()
                cupy.cuda.runtime.deviceSynchronize()
        pstats.Stats(found).sort_stats("tottime").print_stats(40)


def timed(work, synchronize):
    """Return milliseconds until a call returns, and until the device is done."""
    started = time.perf_counter()
    work()
    returned = time.perf_counter()
    synchronize()
    return 1e3 * (returned - started), 1e3 * (time.perf_counter() - started)


if __name__ == "__main__":
    main()
