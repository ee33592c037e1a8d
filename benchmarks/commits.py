"""Two commits by turns, in one lease of one GPU: what slows one slows the other.

A process for each commit makes the same inputs and runs the same jobs, a few runs each in turn:
lists and rows of the reference graphs from frame to label frame, hashed ids, strings, a small
list, and audits. One record has, for each job, the wall times of both and their ratio, and says
that both gave the same answer. The older commit runs in two processes: the ratio of these two is
what chance alone makes of it, as each process keeps its own place in memory and on the host.
``--base`` is a folder with the older commit.
"""

import importlib
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve()
GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
ROUNDS, RUNS = 21, 3
BOUND = 1.03
JOBS = {
    **{f"{graph} {ids}": ("coo", graph, ids) for graph in GRAPHS for ids in ("int32", "int64")},
    **{f"{graph} rows": ("csr", graph, "int32") for graph in GRAPHS},
    **{f"{graph} audit": ("audit", graph, "int32") for graph in GRAPHS},
    **{name: (name, None, None) for name in ("hashed", "strings", "karate")},
}


def main():
    """Measure all jobs, or those that are named, and keep one record."""
    if "--worker" in sys.argv:
        return work()
    import records

    parser = records.arguments(__doc__)
    parser.add_argument("--base", type=pathlib.Path, required=True, help="its folder")
    parser.add_argument("--base-commit", required=True, help="the older commit")
    parser.add_argument("--jobs", nargs="*", default=list(JOBS))
    args = parser.parse_args()
    base = args.base.resolve()
    workers = [started(tree) for tree in (base, HERE.parent.parent, base)]
    rows = [measured(job, workers, records.spread) for job in args.jobs]
    device = {told(worker, "device") for worker in workers}.pop()
    slower = [row["job"] for row in rows if row["ratio"] > max(BOUND, row["chance"])]
    record = {"base": args.base_commit, "bound": BOUND, "slower": slower, "rows": rows}
    records.keep(args.out, "commits", records.environment(device, args.commit) | record)
    for row in rows:
        base, head = row["base_ms"]["median"], row["head_ms"]["median"]
        print(f"{row['job']:18} {base:9.3f} {head:9.3f} ms  {row['ratio']:.3f} {row['chance']:.3f}")


def started(tree):
    """Return a process that runs one commit's package."""
    return subprocess.Popen(
        [sys.executable, str(HERE), "--worker"],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": f"{tree}:{os.environ.get('PYTHONPATH', '')}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def measured(job, workers, spread):
    """Return one row: the times of base, head and base again, in turn, and their ratios.

    ``ratio`` is the head's median over the lesser of the two of the base, and ``chance`` the
    greater of these two over the lesser.
    """
    for worker in workers:  # all prepare at once
        say(worker, "prepare", job)
    answers = [heard(worker) for worker in workers]
    if any(answer != answers[0] for answer in answers):
        raise SystemExit(f"{job}: the answers differ: {answers}")
    times = [[] for _ in workers]
    for turn in range(ROUNDS):
        order = [(turn + k) % len(workers) for k in range(len(workers))]
        for k in order if turn % 2 else order[::-1]:
            times[k] += told(workers[k], "run")
    row = dict(zip(("base_ms", "head_ms", "again_ms"), map(spread, times), strict=True))
    base, head, again = (row[name]["median"] for name in row)
    least = min(base, again)
    row |= {"ratio": round(head / least, 4), "chance": round(max(base, again) / least, 4)}
    return {"job": job} | row | answers[0]


def say(worker, *words):
    """Ask a worker for something."""
    worker.stdin.write(json.dumps(words) + "\n")
    worker.stdin.flush()


def heard(worker):
    """Return what a worker answers."""
    return json.loads(worker.stdout.readline())


def told(worker, *words):
    """Ask a worker for something, and return its answer."""
    say(worker, *words)
    return heard(worker)


def work():
    """Answer what is asked of this commit, until nobody asks."""
    import cupy

    wait = cupy.cuda.Device().synchronize
    run = None
    for line in sys.stdin:
        what, *job = json.loads(line)
        if what == "device":
            name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
            print(json.dumps(name), flush=True)
        elif what == "prepare":
            run = None
            cupy.get_default_memory_pool().free_all_blocks()
            run, facts = prepared(*JOBS[job[0]])
            print(json.dumps(facts), flush=True)
        else:
            times = []
            for _ in range(RUNS):
                wait()
                began = time.perf_counter()
                answer = run()
                wait()
                times.append(1e3 * (time.perf_counter() - began))
                del answer
            print(json.dumps(times), flush=True)


def prepared(form, graph, ids):
    """Return a job, warm, and what both commits have to agree on."""
    import cupy

    import cc_rapids

    edges = edges_of(form, graph, ids)
    if form == "audit":
        found = cc_rapids.components(edges)
        job = lambda: found.audit(edges)  # noqa: E731
    else:
        job = lambda: cc_rapids.components(edges).labels()  # noqa: E731
    for _ in range(3):
        answer = job()
    if form == "audit":
        return job, {"vertices": answer.vertices, "components": answer.components}
    labels = answer.labels.hash_values() if form == "strings" else answer.labels
    words = cupy.asarray(labels).astype(cupy.uint64)
    odd = 2 * cupy.arange(words.size, dtype=cupy.uint64) + cupy.uint64(1)
    return job, {"vertices": words.size, "sum_of_labels": int((words * odd).sum())}


def edges_of(form, graph, ids):
    """Make the edges of a job on the GPU, by this commit's own generators."""
    import cudf

    from cc_rapids import generators

    if form in ("hashed", "strings", "karate"):
        sys.path.insert(0, str(pathlib.Path.cwd() / "benchmarks"))
        return importlib.import_module("ids").MAKE[form]()
    made = generators.reference(graph, engine="cuda")
    if form == "csr":
        inputs = first_of("cc_rapids.tools.bench.inputs", "cc_rapids.bench.inputs").inputs
        backends = first_of("cc_rapids.backends", "cc_rapids.engines")
        return inputs(made, "csr", ids, backends.get("cuda"), 1)[0].given
    return cudf.DataFrame({"src": made.src.astype(ids), "dst": made.dst.astype(ids)})


def first_of(*names):
    """Import the first of these modules that this commit has."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError(f"this commit has none of {', '.join(names)}")


if __name__ == "__main__":
    main()
