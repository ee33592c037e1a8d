"""All reference graphs, as lists and as rows, int32 and int64, against a peer in the same run.

On a GPU the peer is cuGraph if it is installed; on threads it is SciPy, on smaller graphs of the
same kinds unless --scale says otherwise. See cc_rapids.tools.bench for what is measured, and how.
"""

import traceback

import records

from cc_rapids import EngineError, backends, generators
from cc_rapids.tools import bench

GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
THREADS_SCALE = 20  # log2 of the vertices where SciPy is timed too


def main():
    """Measure, and keep each record as it is made; what fails costs its own graph alone."""
    args = records.arguments(__doc__)
    args.add_argument("--graphs", nargs="*", default=GRAPHS)
    args.add_argument("--engines", nargs="*", choices=backends.ENGINES, default=available())
    args.add_argument("--designs", nargs="*", default=["auto"])
    args.add_argument("--forms", nargs="*", choices=bench.FORMS, default=bench.FORMS)
    args.add_argument("--ids", nargs="*", choices=bench.IDS, default=bench.IDS)
    args.add_argument("--no-check", action="store_true", help="trust the answers")
    args.add_argument("--no-peers", action="store_true")
    args.add_argument("--patience", type=float, default=20, help="seconds of a peer's runs")
    args = args.parse_args()
    checks = not args.no_check, not args.no_peers
    options = bench.Options(args.runs, *checks, args.patience)
    failed = []
    for backend in map(backends.get, args.engines):
        scale = args.scale or (None if backend.on_device else THREADS_SCALE)
        base = records.environment(backend.device_name, args.commit) | {"scale": scale}
        for name in args.graphs:
            try:
                measure(name, scale, backend, args, options, base)
            except Exception:
                traceback.print_exc()
                failed.append(f"{name} on {backend.name}")
    if failed:
        raise SystemExit(f"not measured: {', '.join(failed)}")


def available():
    """Return the backends of this machine."""
    try:
        backends.get("cuda")
    except EngineError as error:
        print(f"on threads alone: {error}", flush=True)
        return ["threads"]
    return ["cuda", "threads"]


def measure(name, scale, backend, args, options, base):
    """Measure one graph on one backend, in all forms."""
    graph = generators.reference(name, scale, engine=backend.name)
    how = tuple(args.forms), tuple(args.ids), options
    for record in bench.measure(graph, backend, args.designs, *how):
        records.keep(args.out, "bench", base | record | {"graph": name})
    del graph
    if backend.on_device:
        backend.xp.get_default_memory_pool().free_all_blocks()


if __name__ == "__main__":
    main()
