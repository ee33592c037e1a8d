"""Experiments of four papers, again on this machine; a record a run, written as it is made.

sutton: hook and compress, step by step, and by numbers of segments. cong: graft and shortcut, with
updates, in stages, and Rem's algorithm. lehr: an owner, a matrix and a fixed point over densities,
and kinds of memory. balduzzi: graphs of one number of edges and three of vertices, by threads.
Of the first three the edges lie on the backend, or for lehr on the host, and moving them counts.
"""

import math
import os

import designs
import harness
import numpy as np

from cc_rapids import CcRapidsError, Design, backends, components, generators, oracle
from cc_rapids.tools import bench
from cc_rapids.tools.evaluate.files import density, reason
from cc_rapids.tools.evaluate.processes import sharing
from cc_rapids.tools.generators import pieces

SUTTON = ("soman", "multi-jump", "atomic-hook", "multi-jump-atomic-hook", "adaptive")
SWEEP = tuple(2**k for k in range(11))
GRAFTS = ("graft-shortcut", "sv-1982")
UPDATED = tuple(f"{name}-update" for name in GRAFTS)
CONG = (
    *GRAFTS,
    *UPDATED,
    *(f"stages+{name}" for name in GRAFTS + UPDATED),
    "rem-parallel",
    "strided+rem-cas+splice",
)
LEHR = ("owner", "owner(output=lists)", "dense", "matrix-fixpoint", "auto")
MOVED = ("owner", "dense")
KINDS = ("device", "pinned", "zero-copy")
NODES = (1000, 10_000)
DENSITIES = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
FORESTS = "none+async+halve"  # by processes: the single pass says no edges of a forest
BALDUZZI = ("single-pass", "tvrdik", FORESTS)
DEGREES = {"dense": 1000, "medium": 50, "sparse": 25}  # edges a vertex of its Figure 1
EDGES = 20_000_000  # the paper has 25 times as many
SLOW = 1.0  # s: a design that takes longer is run once, and not on the next graphs
GROWING = "owner", "owner(output=lists)"  # the denser the slower
EVERY = 3  # densities, for other slow designs


def _grid(n, seed):
    side = math.isqrt(n)
    return lambda engine: generators.grid(side, side, 0.5, seed, engine=engine)


def _torus(n):
    side = math.isqrt(n)
    return lambda engine: generators.torus2d(side, side, engine=engine)


def _reference(name, scale):
    return lambda engine: generators.reference(name, scale, engine=engine)


def _uniform(n, degree):
    return lambda engine: generators.uniform(n, degree * n, 1, engine=engine)


def _rmat(scale, m):
    return lambda engine: generators.rmat(scale, m, 0.45, 0.15, 0.15, engine=engine)


def graphs(scale):
    """Return functions that make each graph on a backend, or smaller ones of 2^scale vertices.

    The paper's roads, its social network and its Kronecker graph have 24 M vertices and 29 M edges,
    5 M and 69 M, and 2 M and 91 M, each edge once; Europe's roads 174 M and 174 M.
    """
    size = (lambda n: n) if scale is None else lambda n: 1 << int(scale)
    level = 24 if scale is None else int(scale)
    return {
        "road": _reference("road", scale),
        "grid174M": _grid(size(174_000_000), 1),
        "social22": _reference("social22", scale),
        "kron21": _reference("kron21", scale),
        "random50M": _uniform(size(50_000_000), 4),
        "random100M": _uniform(size(100_000_000), 2),
        "rmat24 200M": _rmat(level, round(200_000_000 * 2 ** (level - 24))),
        "torus100M": _torus(size(100_000_000)),
    }


class Papers(designs.Session):
    """The state that all experiments share."""

    def graph(self, name):
        """Return a graph of the experiments where the backend reads it."""
        return graphs(self.args.scale)[name](self.backend.name)

    def note(self, experiment, **facts):
        """Write a record."""
        self.keep("papers", {"experiment": experiment} | facts)


def main():
    """Measure the experiments in order, each in its share of the remaining time."""
    parser = harness.arguments(__doc__, "cuda", runs=5, edges=EDGES)
    parser.add_argument("--experiments", nargs="*", choices=EXPERIMENTS)
    parser.add_argument("--seconds", type=float, default=330)
    args = parser.parse_args()
    session = Papers(args)
    on_device = session.backend.on_device
    names = args.experiments or (["sutton", "cong", "lehr"] if on_device else list(EXPERIMENTS))
    if on_device:
        named = (*SUTTON, *(f"adaptive(segments={k})" for k in SWEEP[:2]), *CONG)
        pairs = [(name, "list") for name in named]
        designs.compile_all(session.backend, pairs, ("kron21", "road"))
    for k, name in enumerate(names):
        until = session.left() * (1 - SHARES[name] / sum(SHARES[later] for later in names[k:]))
        designs.attempt(EXPERIMENTS[name], session, until)
        harness.empty_pool(session.backend)
    print(f"{args.seconds - session.left():.0f} of {args.seconds:.0f} s", flush=True)


def over_lists(session, until, experiment, names, listed):
    """Run designs on lists in place; if a graph fails, record the reason."""
    for name in names:
        try:
            ready, facts = session.prepared(name)
        except (MemoryError, CcRapidsError) as error:
            session.note(experiment, graph=name, not_run=reason(error))
            continue
        for design in map(Design.parse, listed(ready)):
            if session.left() <= until:
                session.note(experiment, **facts, design=str(design), not_run="no time was left")
                continue
            session.note(experiment, **facts, **ready.record(design, "list"))
        del ready
        harness.empty_pool(session.backend)


def sutton(session, until):
    """Figures 5 and 6: each step over Soman's, and the sweep of segments."""

    def listed(ready):
        most = max(16 * ready.m // ready.n, 16)
        return [*SUTTON, *(f"adaptive(segments={k})" for k in SWEEP if k <= most)]

    over_lists(session, until, "sutton", ("road", "grid174M", "social22", "kron21"), listed)


def cong(session, until):
    """Figures 1 to 7, of one machine."""
    names = "random50M", "random100M", "rmat24 200M", "torus100M"
    over_lists(session, until, "cong", names, lambda ready: CONG)


def lehr(session, until):
    """Figures 1 to 8: edges on the host, labels on the backend, over densities."""
    backend, scale = session.backend, session.args.scale
    kinds = KINDS if backend.on_device else KINDS[:1]
    cases = [(backend, design, kind) for design in LEHR for kind in kinds]
    cases = [case for case in cases if case[2] == "device" or case[1] in MOVED]
    if backend.on_device:
        cases += [(backends.get("threads"), design, "device") for design in LEHR]
    for n in NODES if scale is None else (1 << int(scale),):
        waiting = dict.fromkeys(cases, 0)
        for p in DENSITIES:
            m = round(p * (n * (n - 1) // 2))
            if session.left() <= until:
                session.note("lehr", n=n, m=m, density=p, not_run="no time was left")
                continue
            src, dst = pieces.gnm(n, m).gather()
            for case in cases:
                waiting[case] -= 1
                facts = one_density(session, n, (src, dst), *case, waiting[case] > 0)
                if facts.get("wall_ms", {}).get("median", 0) > 1e3 * SLOW:
                    waiting[case] = len(DENSITIES) if case[1] in GROWING else EVERY


def one_density(session, n, edges, backend, design, kind, waits):
    """Return the record of a design on one graph of two columns on the host."""
    facts = {"n": n, "m": len(edges[0]), "density": density(n, len(edges[0])), "design": design}
    facts |= {"engine": backend.name, "memory": kind, "graph": f"gnm({n})"}

    def job(copy):
        return components(copy, num_vertices=n, design=design, engine=backend.name, memory=kind)

    if waits:
        facts["not_run"] = f"over {SLOW:g} s on a sparser graph"
    else:
        try:
            times = brief(backend, job, edges, session.args.runs)
            right = np.array_equal(
                backend.to_host(times.answer.labels().labels), oracle.union_find(*edges, n)
            )
            facts |= {"wall_ms": bench.spread(times.wall), "right": right}
            facts |= {"device_ms": bench.spread(times.device)} if times.device else {}
        except (MemoryError, CcRapidsError) as error:
            facts["not_run"] = reason(error)
    session.note("lehr", **facts)
    return facts


def brief(backend, job, edges, runs):
    """Return the times of some runs; for a slow design, that of the first run, which is cold."""
    spent, _, answer = bench.clocked(backend, lambda: job(edges))
    if spent > 1e3 * SLOW:
        return bench.Times([spent], None, answer)
    return bench.timed(backend, job, bench.rotated(backends.get("threads"), edges, runs), runs)


def balduzzi(session, until):
    """Figures 1 and 4: the time by threads, on CPU threads whatever the backend."""
    threads, m = backends.get("threads"), session.args.edges
    if session.backend.on_device:
        session.note("balduzzi", not_run="it is an experiment of CPU threads: --engine threads")
        return
    cores = len(os.sched_getaffinity(0))
    counts = sorted({1, 2, cores, *(k for k in (4, 8, 12, 16, 24, 32, 48) if k <= cores)})
    for words, degree in DEGREES.items():
        graph = generators.uniform(max(m // degree, 1), m, 1)
        ready = designs.Prepared(graph, threads, session.args.runs)
        ready.solve(Design(), "list")
        ready.right()
        facts = {"graph": words, "n": ready.n, "m": m, "components": ready.components()}
        for name in BALDUZZI:
            for count in counts:
                if session.left() <= until:
                    session.note("balduzzi", **facts, design=name, not_run="no time was left")
                    continue
                with threads.using(count):
                    record = ready.record(Design.parse(name), "list")
                session.note("balduzzi", **facts, threads=count, **record)
        for count in counts:
            record = by_processes(session, graph, ready, count, until)
            session.note("balduzzi", **facts, design=FORESTS, threads=count, **record)


def by_processes(session, graph, ready, count, until):
    """Return the time of processes and of the labels of their last forest."""
    if session.left() <= until:
        return {"processes": True, "not_run": "no time was left"}

    def job(pool):
        return components(pool.forest(), num_vertices=ready.n).labels().labels

    with sharing(graph.edges, count, FORESTS) as pool:
        times = bench.timed(backends.get("threads"), job, [pool], session.args.runs)
    right = bool(np.array_equal(times.answer, ready.expected))
    return {"processes": True, "ms": bench.spread(times.wall), "right": right}


EXPERIMENTS = {"sutton": sutton, "cong": cong, "lehr": lehr, "balduzzi": balduzzi}
SHARES = {"sutton": 2, "cong": 2, "lehr": 3, "balduzzi": 3}  # of the time

if __name__ == "__main__":
    main()
