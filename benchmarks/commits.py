"""Two commits by turns on one machine: what slows one slows the other.

A process for each commit makes the same inputs and runs the same jobs, a few runs each in turn:
lists and rows of the reference graphs from frame to label frame, hashed ids, and audits. One record
has, for each job, the wall times of both and their ratio, and both gave the same answer. The older
commit runs in two processes: the ratio of these two is what chance alone makes of it, as each
process has its own place in memory and on the host. ``--base`` is a folder with the older commit.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve()
GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
BOUND, RUNS = 1.03, 3  # maximum ratio, and runs per turn
JOBS = [f"{graph} {form}" for graph in GRAPHS for form in ("int32", "int64", "rows", "audit")]
JOBS += ["uniform25M hashed"]


def main():
    """Measure all jobs, or the named ones, and keep one record."""
    if "--worker" in sys.argv:
        return work(*sys.argv[-2:])
    import harness

    parser = harness.arguments(__doc__, "cuda", runs=21)
    parser.add_argument("--base", type=pathlib.Path, required=True, help="its folder")
    parser.add_argument("--base-commit", required=True, help="the older commit")
    parser.add_argument("--jobs", nargs="*", default=JOBS)
    args = parser.parse_args()
    _, about = harness.begin(args)
    base = args.base.resolve()
    with contextlib.ExitStack() as stack:
        started = [worker(tree, args) for tree in (base, HERE.parent.parent, base)]
        workers = [stack.enter_context(process) for process in started]
        rows = [measured(job, workers, args.runs, harness.spread) for job in args.jobs]
    slower = [row["job"] for row in rows if row["ratio"] > max(BOUND, row["chance"])]
    record = {"base": args.base_commit, "bound": BOUND, "slower": slower, "rows": rows}
    harness.keep(args.out, "commits", about | record)
    for row in rows:
        base, head = row["base_ms"]["median"], row["head_ms"]["median"]
        print(f"{row['job']:18} {base:9.3f} {head:9.3f} ms  {row['ratio']:.3f} {row['chance']:.3f}")


def worker(tree, args):
    """Return a process that runs one commit's package."""
    return subprocess.Popen(
        [sys.executable, str(HERE), "--worker", args.engine, str(args.scale)],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": f"{tree}:{os.environ.get('PYTHONPATH', '')}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def measured(job, workers, turns, spread):
    """Return one row: the times of base, head and base again, in turn, and their ratios.

    ``ratio`` is the head's median over the lesser of the two of the base, and ``chance`` the
    greater of these two over the lesser.
    """
    for worker in workers:  # all prepare at once
        ask(worker, "prepare", job)
    answers = [answer_of(worker) for worker in workers]
    if any(answer != answers[0] for answer in answers):
        raise SystemExit(f"{job}: the answers differ: {answers}")
    times = [[] for _ in workers]
    for turn in range(turns):
        order = [(turn + k) % len(workers) for k in range(len(workers))]
        for k in order if turn % 2 else order[::-1]:
            ask(workers[k], "run")
            times[k] += answer_of(workers[k])
    row = dict(zip(("base_ms", "head_ms", "again_ms"), map(spread, times), strict=True))
    base, head, again = (row[name]["median"] for name in row)
    least = min(base, again)
    row |= {"ratio": round(head / least, 4), "chance": round(max(base, again) / least, 4)}
    return {"job": job} | row | answers[0]


def ask(worker, *words):
    """Send a request to a worker."""
    worker.stdin.write(json.dumps(words) + "\n")
    worker.stdin.flush()


def answer_of(worker):
    """Return a worker's answer."""
    return json.loads(worker.stdout.readline())


def work(engine, scale):
    """Answer the requests for this commit, until the input is closed."""
    from cc_rapids import backends

    backend, run = backends.get(engine), None
    for line in sys.stdin:
        request, *job = json.loads(line)
        if request == "prepare":
            run = None
            run, answer = prepared(
                *job[0].split(), backend, None if scale == "None" else float(scale)
            )
        else:
            answer = []
            for _ in range(RUNS):
                backend.synchronize()
                began = time.perf_counter()
                found = run()
                backend.synchronize()
                answer.append(1e3 * (time.perf_counter() - began))
                del found
        print(json.dumps(answer), flush=True)


def prepared(graph, form, backend, scale):
    """Return a warm job, and facts on which both commits must agree."""
    import cc_rapids

    edges = edges_of(graph, form, backend, scale)

    def labels():
        return cc_rapids.components(edges, engine=backend.name).labels()

    found = cc_rapids.components(edges, engine=backend.name)
    run = (lambda: found.audit(edges)) if form == "audit" else labels
    for _ in range(3):
        run()
    words = backend.asarray(labels().labels).astype(np.uint64)
    odd = 2 * backend.xp.arange(words.size, dtype=np.uint64) + np.uint64(1)
    return run, {"vertices": int(words.size), "sum_of_labels": int((words * odd).sum())}


def edges_of(graph, form, backend, scale):
    """Make the edges of a job where the engine reads them, by this commit's own generators."""
    import cc_rapids

    made, xp = cc_rapids.generators.reference(graph, scale, engine=backend.name), backend.xp
    if form == "rows":
        ends = xp.concatenate([made.src, made.dst]), xp.concatenate([made.dst, made.src])
        keys = xp.unique(ends[0].astype(np.int64) * made.num_vertices + ends[1])
        offsets = xp.searchsorted(keys // made.num_vertices, xp.arange(made.num_vertices + 1))
        indices = (keys % made.num_vertices).astype(np.int32)
        return cc_rapids.Csr(offsets.astype(np.int64), indices, symmetric=True)
    columns = [
        end.astype(np.int64 if form in ("int64", "hashed") else np.int32) for end in made.edges
    ]
    if form == "hashed":
        odd = np.uint64(0x9E3779B97F4A7C15)
        columns = [(end.view(np.uint64) * odd).view(np.int64) for end in columns]
    if not backend.on_device:
        return tuple(columns)
    import cudf

    return cudf.DataFrame(dict(zip(("src", "dst"), columns, strict=True)))


if __name__ == "__main__":
    main()
