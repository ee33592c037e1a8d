"""Repeat the experiments of five papers on this machine; each run's record is written at once.

sutton: hook and compress, step by step, and by the number of segments. cong: graft and shortcut,
with updates and in stages, and Rem's algorithm. Both run on edges in the memory of the engine.
sweep: the algorithms of cong by the number of threads or multiprocessors. sort: random and sorted
accesses. lehr: owners, a matrix and a fixed point, by density and kind of memory. balduzzi: graphs
with the same number of edges and three numbers of vertices, by threads and by processes. mixes:
processes of several threads, samples, and schedules of threads. lehr, balduzzi and mixes run
``cc-rapids evaluate``, from edges to labels. hong: the rates of two synthetic streams. machines:
four designs, and the bandwidth of the memory.
"""

import collections
import contextlib
import itertools
import math
import os
import pathlib
import tempfile
import threading
import warnings
from unittest import mock

import designs
import harness
import numpy as np
from scipy import sparse

from cc_rapids import CcRapidsError, Connectivity, Design, backends, generators
from cc_rapids.tools.evaluate import Plan, evaluate
from cc_rapids.tools.evaluate.files import reason
from cc_rapids.tools.generators import pieces

SUTTON = ("soman", "multi-jump", "atomic-hook", "multi-jump-atomic-hook", "adaptive")
MULTI_JUMP = tuple(
    f"multi-jump({options})"
    for options in ("order=descending", "writes=last", "order=descending, writes=last")
)
SWEEP = tuple(2**k for k in range(11))
GRAFTS = ("graft-shortcut", "sv-1982")
ALONE = (*GRAFTS, *(f"{name}-update" for name in GRAFTS))
CONG = (*ALONE, *(f"stages+{name}" for name in ALONE), "rem-parallel", "strided+rem-cas+splice")
MOVED = ("owner", "dense")
LEHR = (*MOVED, "owner(output=lists)", "matrix-fixpoint", "auto")
KINDS = ("pinned", "zero-copy")
NODES = (1000, 10_000)
DENSITIES = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
FORESTS = "none+async+halve"  # by processes: the single pass has no edges of a forest
BALDUZZI = ("single-pass", "tvrdik", FORESTS)
DEGREES = {"dense": 1000, "medium": 50, "sparse": 25}  # edges a vertex of its Figure 1
STREAMED = ("early+halve", "hooks+halve", "async+halve", "rem-cas+split-one", "rem-lock+split-one")
HONG = (*(f"none+{rest}" for rest in STREAMED), "none+jtb+two-try-split", "liu-tarjan(PRS)")
HONG += ("shiloach-vishkin", "auto")
SCHEDULED = "single-pass"
SWEPT = ("graft-shortcut", "graft-shortcut-update", "stages+graft-shortcut")
SWEPT += ("rem-parallel", "rem-parallel(prefetch=on)")
PROCESSORS = (8, 16, 32, 64)  # multiprocessors, in addition to all of them
WIDTH = 32  # words of a coalesced access of the paper's GPUs, at most
MACHINES = tuple(
    f"{first}+{rest}" for first in ("none", "strided") for rest in ("async+halve", "rem-cas+splice")
)
SCALES = {True: 27, False: 21}  # log2 of the vertices of streams: on a GPU, and on threads
STREAM_BYTES = 400  # a vertex of a stream takes, with its ten edges and their copies
EDGES = 20_000_000  # the paper has 25 times as many
SLOW = 1000  # ms: a design that takes longer is not run on denser graphs


def graphs(name, scale, engine):
    """Make a graph on a backend, or a smaller one of 2^scale vertices.

    The paper's roads, its social network and its Kronecker graph have 24 M vertices and 29 M edges,
    5 M and 69 M, and 2 M and 91 M, each edge once; Europe's roads 174 M and 174 M.
    """

    def size(millions):
        return millions * 10**6 if scale is None else 1 << int(scale)

    level = 24 if scale is None else int(scale)
    rmat = level, round(200_000_000 * 2 ** (level - 24)), 0.45, 0.15, 0.15
    made = {
        "grid174M": (generators.grid, *[math.isqrt(size(174))] * 2, 0.5, 1),
        "random50M": (generators.uniform, size(50), 4 * size(50), 1),
        "random100M": (generators.uniform, size(100), 2 * size(100), 1),
        "rmat24 200M": (generators.rmat, *rmat),
        "torus100M": (generators.torus2d, *[math.isqrt(size(100))] * 2),
    }
    make, *given = made.get(name, (generators.reference, name, scale))
    return make(*given, engine=engine)


def over_lists(session, names, listed):
    """Yield the records of designs on edge lists, or the reason why a graph fails."""
    return over_graphs(
        session, names, lambda ready: (ready.record(Design.parse(d), "list") for d in listed(ready))
    )


def over_graphs(session, names, measure):
    """Yield what ``measure`` yields of each graph, or the reason why a graph fails."""
    for name in names:
        try:
            ready, facts = session.prepared(name, graphs)
        except (MemoryError, CcRapidsError) as error:
            yield {"graph": name, "not_run": reason(error)}
            continue
        for record in measure(ready):
            yield facts | record
        del ready
        harness.empty_pool(session.backend)


def sutton(session):
    """Yield the records of Figures 5 and 6: steps added to Soman's algorithm, and segments.

    Also of Multi-Jump without its two optimisations, for which the paper has no figures.
    """

    def listed(ready):
        most = max(16 * ready.m // ready.n, 16)
        return [*SUTTON, *MULTI_JUMP, *(f"adaptive(segments={k})" for k in SWEEP if k <= most)]

    return over_lists(session, ("road", "grid174M", "social22", "kron21"), listed)


def cong(session):
    """Yield the records of Figures 1 to 7 on this machine."""
    names = "random50M", "random100M", "rmat24 200M", "torus100M"
    return over_lists(session, names, lambda ready: CONG)


def sweep(session):
    """Yield the records of section 2: the time by threads, or by multiprocessors of a GPU."""
    limits = limited_threads if not session.backend.on_device else limited_processors

    def measure(ready):
        for count, limit in limits(session.backend):
            try:
                with limit:
                    for design in SWEPT:
                        yield {"workers": count} | ready.record(Design.parse(design), "list")
            except (ImportError, AttributeError, RuntimeError) as error:
                yield {"workers": count, "not_run": f"{type(error).__name__}: {error}"}

    return over_graphs(session, ("random50M", "rmat24 200M"), measure)


def limited_threads(backend):
    """Yield numbers of threads, each with a context in which a backend uses this number."""
    for count in numbers_to(len(os.sched_getaffinity(0))):
        yield count, backend.using(count)


def limited_processors(backend):
    """Yield numbers of multiprocessors, each with a context that limits launches to this number."""
    processors = backend.shared_memory_limits().blocks
    for count in PROCESSORS:
        if count < processors:
            yield count, on_processors(backend, count)
    yield processors, contextlib.nullcontext()


@contextlib.contextmanager
def on_processors(backend, count):
    """Launch on a stream of a green context with ``count`` of the multiprocessors."""
    from cuda.bindings import driver

    def call(function, *given):
        error, *results = function(*given)
        if int(error):
            raise RuntimeError(f"{function.__name__}: {error}")
        return results[0] if len(results) == 1 else results

    backend.synchronize()
    device = call(driver.cuDeviceGet, backend.xp.cuda.Device().id)
    kind = driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM
    whole = call(driver.cuDeviceGetDevResource, device, kind)
    groups, *_ = call(driver.cuDevSmResourceSplitByCount, 1, whole, 0, count)
    part = call(driver.cuDevResourceGenerateDesc, groups, 1)
    flag = driver.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM
    context = call(driver.cuGreenCtxCreate, part, device, flag)
    flag = driver.CUstream_flags.CU_STREAM_NON_BLOCKING
    stream = call(driver.cuGreenCtxStreamCreate, context, flag, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of CuPy; its new way is not in 14.0
        stream = backend.xp.cuda.ExternalStream(int(stream))
    with stream:
        yield
        backend.synchronize()


def sort(session):
    """Yield the records of Theorem 1: read labels at random, or sort by blocks of labels first."""
    xp = session.backend.xp

    def measure(ready):
        labels, ends = xp.arange(ready.n, dtype=np.uint32), (ready.edges.src, ready.edges.dst)
        in_order = (xp.arange(ready.m) % ready.n).astype(ends[0].dtype)

        def by_sorting():
            rows = list(ends)
            for k in range(2):
                order = xp.argsort(rows[k] // WIDTH, kind="stable")
                rows = [row[order] for row in rows]
                rows.append(labels[rows[k]])

        ways = {
            "sequential": lambda: [labels[in_order] for _ in ends],
            "random": lambda: [labels[column] for column in ends],
            "sorted": by_sorting,
        }
        yield {"width": WIDTH} | harness.timed(ways, session.backend, 3)

    return over_graphs(session, ("random50M", "rmat24 200M"), measure)


def evaluated(name, n, edges, backend, **plan):
    """Yield the records of a plan on a graph of two columns on the host."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "graph.npz")
        ones = np.ones(len(edges[0]), np.int8)
        sparse.save_npz(path, sparse.coo_array((ones, edges), shape=(n, n)), compressed=False)
        for row in evaluate([path], Plan(**plan), backend):
            facts = {"graph": name, "n": n, "m": row["edges"], "engine": backend.name}
            kept = "design", "memory", "threads", "density", "wall_ms", "device_ms", "not_run"
            facts |= {key: row[key] for key in kept if row.get(key) is not None}
            if row["processes"]:
                facts |= {"processes": True, "threads": row["processes"]}
                facts |= {"threads_each": row["threads"], "reduction": row["reduction"]}
            yield facts | ({} if "not_run" in row else {"right": "wrong" not in row})


def lehr(session):
    """Yield the records of Figures 1 to 8, by density: from edges on the host to labels."""
    scale, on_device = session.args.scale, session.backend.on_device
    plans = [(session.backend, LEHR, "device")]
    plans += [(session.backend, MOVED, kind) for kind in KINDS if on_device]
    plans += [(backends.get("threads"), LEHR, "device")] if on_device else []
    for n in NODES if scale is None else (1 << int(scale),):
        slow = set()
        for p in DENSITIES:
            edges = pieces.gnm(n, round(p * (n * (n - 1) // 2))).gather()
            for backend, names, kind in plans:
                names = [name for name in names if (backend.name, name, kind) not in slow]
                plan = {"designs": names, "memory": [kind], "rounds": session.args.runs}
                for row in evaluated(f"gnm({n})", n, edges, backend, patience=1, **plan):
                    yield row
                    if row.get("wall_ms", {}).get("median", 0) > SLOW:
                        slow.add((backend.name, row["design"], kind))


def numbers_to(most):
    """Return the tested numbers of workers, up to ``most``."""
    return sorted({1, 2, most, *(k for k in (4, 8, 12, 16, 24, 32, 48) if k <= most)})


def balduzzi(session):
    """Yield the records of Figures 1 and 4: the time by threads and by processes, on CPUs."""
    counts = numbers_to(len(os.sched_getaffinity(0)))
    ways = {"designs": BALDUZZI, "threads": counts}, {"designs": [FORESTS], "processes": counts}
    return over_degrees(session, lambda: ((way, {}) for way in ways))


def mixes(session):
    """Yield the records of Figure 3: mixes with both reductions; and of three schedules."""
    cores = len(os.sched_getaffinity(0))
    apart = {"designs": [FORESTS], "reductions": ["pairs", "samples"]}
    threads = backends.get("threads")

    def ways():
        for count in numbers_to(cores):
            yield apart | {"processes": [count], "threads_per_process": [cores // count]}, {}
        for name, schedule in SCHEDULES.items():
            with mock.patch.object(threads, "schedule", schedule(cores)):
                yield {"designs": [SCHEDULED], "threads": [cores]}, {"schedule": name}

    return over_degrees(session, ways)


def over_degrees(session, ways):
    """Yield the records of ``cc-rapids evaluate`` on threads, on graphs of three degrees."""
    threads, m = backends.get("threads"), session.args.edges
    for words, degree in DEGREES.items():
        graph = generators.uniform(m // degree, m, 1)
        for way, facts in ways():
            plan = way | {"rounds": session.args.runs}
            for row in evaluated(words, graph.num_vertices, graph.edges, threads, **plan):
                yield row | facts | ({"ms": row.pop("wall_ms")} if "wall_ms" in row else {})


class Shares:
    """The chunks of a launch, in an equal share for each thread, which takes them in order.

    A thread without chunks takes a share that no thread has begun. If there is none and it steals,
    it takes the last chunk of the longest share.
    """

    def __init__(self, starts, workers, steals):
        workers = min(workers, len(starts))
        cuts = [len(starts) * k // workers for k in range(workers + 1)]
        self.shares = [collections.deque(starts[a:b]) for a, b in itertools.pairwise(cuts)]
        self.free, self.steals = list(self.shares), steals
        self.lock, self.thread = threading.Lock(), threading.local()

    def __iter__(self):
        return self

    def __next__(self):
        with self.lock:
            share = getattr(self.thread, "share", None)
            if not share and self.free:
                share = self.thread.share = self.free.pop(0)
            if share:
                return share.popleft()
            longest = max(self.shares, key=len)
            if self.steals and longest:
                return longest.pop()
            raise StopIteration


SCHEDULES = {
    "static": lambda workers: lambda starts: Shares(starts, workers, False),
    "dynamic": lambda workers: iter,
    "work stealing": lambda workers: lambda starts: Shares(starts, workers, True),
}


def hong(session):
    """Yield the records of the last two columns of Table 4: 10 edges per vertex in one batch."""
    backend = session.backend
    fits = int(math.log2(backend.free_bytes() / STREAM_BYTES))
    scale = int(session.args.scale or min(SCALES[backend.on_device], fits))
    streams = {
        "RMAT": (generators.rmat, scale, 10 << scale, 0.5, 0.1, 0.1),
        "BA": (generators.barabasi_albert, 1 << scale, 10),
    }
    for name, (make, *given) in streams.items():
        graph = make(*given, engine=backend.name)
        facts = {"graph": name, "n": graph.num_vertices, "m": graph.num_edges, "scale": scale}
        expected = []
        for design in HONG:
            yield facts | {"design": design} | streamed(design, graph, backend, expected)
        del graph, expected
        harness.empty_pool(backend)


def streamed(design, graph, backend, expected):
    """Return the rate of one batch of all edges, and whether the labels are the expected ones."""
    try:
        rate = designs.inserted(design, {"batch": graph.num_edges}, graph, backend)
        stream = Connectivity(num_vertices=graph.num_vertices, design=design, engine=backend.name)
        stream.insert(graph.edges)
        labels = stream.components().labels().labels
    except (MemoryError, CcRapidsError) as error:
        return {"not_run": reason(error)}
    expected.append(labels)
    del expected[1:]
    return rate | {"right": bool((labels == expected[0]).all())}


def machines(session):
    """Yield the records of sections 4.5 and 4.6: designs, and the bandwidth of a copy."""
    facts = {"bytes_per_s": bandwidth(session.backend)}
    return (facts | row for row in over_lists(session, harness.GRAPHS, lambda ready: MACHINES))


def bandwidth(backend, words=1 << 27):
    """Return the bytes that a kernel that copies words of 4 bytes reads and writes per second."""

    def copy(i, given, made):
        made[i] = given[i]

    kernel, given = backend.elementwise(copy), backend.xp.zeros(words, np.uint32)
    made = backend.empty(words, np.uint32)
    times = harness.timed({"copy": lambda: kernel(words, given, made)}, backend, 5)
    return round(8e3 * words / times["copy_ms"]["least"])


EXPERIMENTS = {
    work.__name__: work
    for work in (sutton, cong, sweep, sort, lehr, hong, machines, balduzzi, mixes)
}
NAMED = {True: ("balduzzi", "mixes"), False: ("hong",)}  # run only if named: on a GPU, on threads


def main():
    """Measure the experiments until the time limit."""
    parser = harness.arguments(__doc__, "cuda", runs=5, edges=EDGES, seconds=330.0)
    parser.add_argument("--experiments", nargs="*", choices=EXPERIMENTS)
    session = designs.Session(parser.parse_args())

    def measure(name):
        for row in EXPERIMENTS[name](session):
            session.keep("papers", {"experiment": name} | row)
            if session.is_over():
                break
        harness.empty_pool(session.backend)

    rest = [name for name in EXPERIMENTS if name not in NAMED[session.backend.on_device]]
    names = session.args.experiments or rest
    harness.measure_each([[name] for name in names], measure)


if __name__ == "__main__":
    main()
