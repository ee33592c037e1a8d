"""Lists as users hold them, by ids of three kinds, against a peer in the same run.

Near-duplicate pairs, pairs found in many bands, and records with their keys: many small components
in no order, with ids of 32 and 64 bits, and ids spread over 64 bits as hashes are. For each: wall
time from a frame to the frame of labels, device time of that and of solving alone, time of every
kernel, peak memory, and cuGraph's time (graph and components) and memory, after which the answers
are compared. With ``--engine threads`` frames are those of pandas, and the peer is SciPy, on
smaller lists of the same kinds unless ``--scale`` says otherwise.
"""

import time
import traceback

import numpy as np
import records
from run import THREADS_SCALE

import cc_rapids
from cc_rapids import VerificationError, backends, generators
from cc_rapids.tools import bench

LISTS = ("pairs60M", "bands10M", "records50M", "pairs1M")
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so that products are as different as the ids
#: What makes the ids of each kind from vertices.
IDS = {
    "int32": lambda ids: ids.astype(np.int32),
    "int64": lambda ids: ids.astype(np.int64),
    "hashed": lambda ids: (ids.astype(np.uint64) * SPREAD).view(np.int64),
}
DENSE = ("int32", "int64")  # whose range bounds the memory


def main():
    """Measure, and keep each record as it is made; what fails costs its own row alone."""
    args = records.arguments(__doc__)
    args.add_argument("--engine", choices=backends.ENGINES, default="cuda")
    args.add_argument("--lists", nargs="*", choices=LISTS, default=LISTS)
    args.add_argument("--ids", nargs="*", choices=IDS, default=tuple(IDS))
    args.add_argument("--peer-runs", type=int, default=2, help="after one to warm up")
    args = args.parse_args()
    backend = backends.get(args.engine)
    scale = args.scale or (None if backend.on_device else THREADS_SCALE)
    base = records.environment(backend.device_name, args.commit)
    base |= {"engine": backend.name, "scale": scale}
    failed = []
    for name in args.lists:
        graph = generators.reference(name, scale, engine=backend.name)
        for ids in args.ids:
            try:
                record = {"graph": name, "dtype": ids, **measure(graph, ids, backend, args)}
                records.keep(args.out, "lists", base | record)
            except Exception:
                traceback.print_exc()
                failed.append(f"{name}, {ids}")
        del graph
    if failed:
        raise SystemExit(f"not measured: {'; '.join(failed)}")


def measure(graph, ids, backend, args):
    """Return all figures of one list with ids of one kind."""
    machine = Gpu(backend) if backend.on_device else Threads(backend)
    frame = machine.frame(*map(IDS[ids], graph.edges))
    n, m = graph.num_vertices, len(frame)

    def ours():
        return cc_rapids.connected_components(frame, engine=backend.name)

    def solve():
        return cc_rapids.components(frame, engine=backend.name)

    job = bench.timed(backend, lambda _: ours(), [frame], args.runs)
    alone = bench.timed(backend, lambda _: solve(), [frame], args.runs)
    found = alone.answer
    facts = {
        "n": n,
        "m": m,
        "vertices": found.num_vertices,
        "components": len(found),
        "ids": found.summary()["ids"],
        "design": found.summary()["design"],
        "wall_ms": records.spread(job.wall),
        **({"device_ms": records.spread(job.device)} if backend.on_device else {}),
        **alone.facts("solve"),
        **machine.kernels(frame),
    }
    del job, alone, found
    answer, peak = bench.with_peak(backend, ours)
    (theirs, _, _), peer_peak = bench.with_peak(backend, lambda: machine.peer(frame))
    check(backend, answer, theirs)
    bound = cc_rapids.memory_bound(n, answer_bytes(answer), m)
    del answer, theirs
    times = [machine.peer(frame)[1:] for _ in range(args.peer_runs)]
    build, solved = (records.spread(part) for part in zip(*times, strict=True))
    theirs_ms = build["median"] + solved["median"]
    within = peak is not None and ids in DENSE
    return {
        **facts,
        f"{machine.name}_build_ms": build,
        f"{machine.name}_wcc_ms": solved,
        "times_faster": round(theirs_ms / facts["wall_ms"]["median"], 1),
        "peak_bytes": peak,
        **({"bound_bytes": bound, "within_bound": peak <= bound} if within else {}),
        f"{machine.name}_peak_bytes": peer_peak,
        f"equal_to_{machine.name}": True,
    }


def answer_bytes(answer):
    """Return the bytes of a frame of labels."""
    return sum(len(answer) * answer[column].dtype.itemsize for column in ("vertex", "labels"))


def check(backend, ours, theirs):
    """Raise an error unless vertices are the same, and each has the least of its component."""
    xp = backend.xp
    vertex, label, mine, least = (
        backend.asarray(frame[column].values)
        for frame in (theirs, ours)
        for column in ("vertex", "labels")
    )
    order = xp.argsort(vertex)
    vertex, label = vertex[order], label[order]
    _, first, place = xp.unique(label, return_index=True, return_inverse=True)
    for column, found, expected in (
        ("vertex", mine, vertex),
        ("labels", least, vertex[first][place]),
    ):
        if not bool(xp.array_equal(found, expected)):
            raise VerificationError(f"column {column} differs from the peer's answer")


class Gpu:
    """Frames of cuDF, and cuGraph as the peer."""

    name = "cugraph"

    def __init__(self, backend):
        import main_job

        self.main_job = main_job
        backend.xp.get_default_memory_pool().free_all_blocks()

    def frame(self, src, dst):
        """Return the edges as a frame."""
        import cudf

        return cudf.DataFrame({"src": src, "dst": dst})

    def peer(self, frame):
        """Return cuGraph's answer, and the milliseconds of the graph and of the components."""
        return self.main_job.with_cugraph(frame)

    def kernels(self, frame):
        """Return the field of the device times of each kernel."""
        return {"kernels_ms": self.main_job.kernel_times(frame)}


class Threads:
    """Frames of pandas, and SciPy as the peer."""

    name = "scipy"

    def __init__(self, backend):
        self.backend = backend

    def frame(self, src, dst):
        """Return the edges as a frame."""
        import pandas as pd

        return pd.DataFrame({"src": src, "dst": dst})

    def peer(self, frame):
        """Return SciPy's answer, and the milliseconds of the matrix and of the components.

        The ids are numbered first, by ``pandas.factorize``.
        """
        import pandas as pd
        from scipy.sparse import coo_array, csgraph

        started = time.perf_counter()
        number, vertex = pd.factorize(np.concatenate([frame["src"], frame["dst"]]))
        ends = number[: len(frame)], number[len(frame) :]
        shape = len(vertex), len(vertex)
        matrix = coo_array((np.ones(len(frame), np.int8), ends), shape=shape)
        built = time.perf_counter()
        labels = csgraph.connected_components(matrix, directed=False)[1]
        answer = pd.DataFrame({"vertex": vertex, "labels": labels})
        return answer, 1e3 * (built - started), 1e3 * (time.perf_counter() - built)

    def kernels(self, frame):
        """Return no field: kernels on threads are not timed one by one."""
        return {}


if __name__ == "__main__":
    main()
