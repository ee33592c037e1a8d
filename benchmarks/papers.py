"""Experiments of five papers, again on this machine; a record a run, written as it is made.

sutton: hook and compress, step by step, and by numbers of segments. cong: graft and shortcut, with
updates, in stages, and Rem's algorithm; both on edges in place. lehr: an owner, a matrix and a
fixed point over densities, and kinds of memory. balduzzi: graphs of one number of edges and three
of vertices, by threads and by processes; both by ``cc-rapids evaluate``, from edges to labels.
hong: rates of two synthetic streams.
"""

import itertools
import math
import os
import pathlib
import tempfile

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
    """Yield the records of designs on lists in place, or the reason why a graph fails."""
    for name in names:
        try:
            ready, facts = session.prepared(name, graphs)
        except (MemoryError, CcRapidsError) as error:
            yield {"graph": name, "not_run": reason(error)}
            continue
        for design in listed(ready):
            yield facts | ready.record(Design.parse(design), "list")
        del ready
        harness.empty_pool(session.backend)


def sutton(session):
    """Figures 5 and 6: each step over Soman's, and the sweep of segments.

    Also Multi-Jump without its two optimisations, for which the paper has no figures.
    """

    def listed(ready):
        most = max(16 * ready.m // ready.n, 16)
        return [*SUTTON, *MULTI_JUMP, *(f"adaptive(segments={k})" for k in SWEEP if k <= most)]

    return over_lists(session, ("road", "grid174M", "social22", "kron21"), listed)


def cong(session):
    """Figures 1 to 7, of one machine."""
    names = "random50M", "random100M", "rmat24 200M", "torus100M"
    return over_lists(session, names, lambda ready: CONG)


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
            facts |= {"processes": True, "threads": row["processes"]} if row["processes"] else {}
            yield facts | ({} if "not_run" in row else {"right": "wrong" not in row})


def lehr(session):
    """Figures 1 to 8: edges on the host, labels on the backend, over densities."""
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


def balduzzi(session):
    """Figures 1 and 4: the time by threads and by processes, whatever the backend."""
    threads, m = backends.get("threads"), session.args.edges
    cores = len(os.sched_getaffinity(0))
    counts = sorted({1, 2, cores, *(k for k in (4, 8, 12, 16, 24, 32, 48) if k <= cores)})
    ways = {"designs": BALDUZZI, "threads": counts}, {"designs": [FORESTS], "processes": counts}
    for (words, degree), way in itertools.product(DEGREES.items(), ways):
        plan, graph = way | {"rounds": session.args.runs}, generators.uniform(m // degree, m, 1)
        for row in evaluated(words, graph.num_vertices, graph.edges, threads, **plan):
            yield row | ({"ms": row.pop("wall_ms")} if "wall_ms" in row else {})


def hong(session):
    """Table 4, its last two columns: 10 edges a vertex, inserted as one batch."""
    backend, scale = session.backend, int(session.args.scale or 27)
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
    """Return the rate of one batch of all edges, and whether its labels are those of the first."""
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


EXPERIMENTS = {"sutton": sutton, "cong": cong, "lehr": lehr, "hong": hong, "balduzzi": balduzzi}
LEFT_OUT = {True: "balduzzi", False: "hong"}  # unless named: on a GPU, and on threads


def main():
    """Measure the experiments until the time is over."""
    parser = harness.arguments(__doc__, "cuda", runs=5, edges=EDGES, seconds=330.0)
    parser.add_argument("--experiments", nargs="*", choices=EXPERIMENTS)
    session = designs.Session(parser.parse_args())

    def measure(name):
        for row in EXPERIMENTS[name](session):
            session.keep("papers", {"experiment": name} | row)
            if session.is_over():
                break
        harness.empty_pool(session.backend)

    left_out = LEFT_OUT[session.backend.on_device]
    names = session.args.experiments or [name for name in EXPERIMENTS if name != left_out]
    harness.measure_each([[name] for name in names], measure)


if __name__ == "__main__":
    main()
