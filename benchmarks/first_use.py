"""First use: kernels that a new machine compiles, in time and in number.

demo: the job of `make demo` on threads, from an empty kernel cache, with its kernels, and from
a cache that `cc-rapids compile` has filled; each in new processes. hour: the 26 calls of
first_hour.py on threads, in a new process each time: where calls wait for the compiler, where short
lists do not, with the kernels that wheels bring, and once kernels are there. call, with ``--engine
cuda``: the first call on three edges of cuDF, beyond importing cuDF: from an empty cache without
and with the PTX that wheels bring, and with everything compiled ahead.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import harness

from cc_rapids import datasets
from cc_rapids.backends import objects
from cc_rapids.backends.readiness import WAIT
from cc_rapids.tools import ahead
from cc_rapids.tools.bench import spread

ROOT = pathlib.Path(__file__).parents[1]
DEMO = pathlib.Path(datasets.__file__).with_name("word_ladders.csv")
DEMO_JOB = """
import contextlib, json, sys, time
from cc_rapids.backends import kernel_times
from cc_rapids.cli import main
job = "calculate", sys.argv[1], "--header", "--top", "12", "--engine", "threads"
with kernel_times.watched() as times, contextlib.suppress(SystemExit):
    main(job)
told = {"kernels_s": times.seconds, "compiled": times.compiled, "cpu_s": time.process_time()}
print(json.dumps(told))
"""
HOUR = pathlib.Path(__file__).with_name("first_hour.py")
WRITTEN = "cc_rapids.tools.ahead"
FIRST_CALL = """
import json, time, numpy as np, cudf, cupy
frame = cudf.DataFrame({"src": np.array([1, 2, 9], np.int32), "dst": np.array([2, 3, 5], np.int32)})
cupy.cuda.Device().synchronize()
started = time.perf_counter()
import cc_rapids
from cc_rapids.backends import kernel_times
with kernel_times.watched() as times:
    labels = cc_rapids.connected_components(frame)
    cupy.cuda.Device().synchronize()
spent = time.perf_counter() - started
print(json.dumps({"call_s": round(spent, 4), "compiled": times.compiled}))
"""


def main():
    """Measure, and keep the record."""
    parser = harness.arguments(__doc__, runs=5)
    parser.add_argument(
        "--ptx", type=pathlib.Path, help="a folder of what wheels bring, made before"
    )
    harness.measure_jobs(parser, JOBS, default=["demo"])


def demo(args, backend):
    """Yield the seconds that the demo's job spends on kernels, in the first run and later."""
    with tempfile.TemporaryDirectory() as warm:
        calculated(warm)  # leaves bytecode behind, as installers do
        first = [once(calculated) for _ in range(args.runs)]
        later = [calculated(warm) for _ in range(args.runs)]
    record = {"job": "make demo", "compiled": first[0]["compiled"]}
    record |= {
        "compile_s": spread([told["kernels_s"] for told in first]),
        "process_s": spread([told["process"] for told in first]),
        "process_cpu_s": spread([told["cpu_s"] for told in first]),
        "load_s": spread([told["kernels_s"] for told in later]),
        "later_process_s": spread([told["process"] for told in later]),
        "later_process_cpu_s": spread([told["cpu_s"] for told in later]),
    }
    yield record | once(demo_after_ahead)


def demo_after_ahead(cache):
    """Return what `cc-rapids compile` takes, and what the demo's job then finds to compile."""
    done = command(ROOT, cache, "-m", "cc_rapids", "compile", "--engine", "threads", "--json")
    return {
        "ahead": {name: done[name] for name in ("kernels", "compiled", "seconds")},
        "compiled_after_ahead": calculated(cache)["compiled"],
    }


def hour(args, backend):
    """Yield the seconds of 26 first calls, by what they find."""
    with tempfile.TemporaryDirectory() as name:
        wheel = pathlib.Path(name, "wheel")
        ignored = shutil.ignore_patterns("ptx", "objects", "__pycache__")
        shutil.copytree(ROOT / "cc_rapids", wheel / "cc_rapids", ignore=ignored)
        level = {"NUMBA_CPU_NAME": objects.LEVEL, "NUMBA_CPU_FEATURES": "", WAIT: "1"}
        given = os.environ | level | {"PYTHONPATH": first_on_path(wheel)}
        written = [sys.executable, "-c", ahead.WRITE_OBJECTS]
        subprocess.run(written, check=True, env=given, cwd=wheel)
        record = {"job": "first hour"}
        ways = {"waiting": (ROOT, "1"), "nothing": (ROOT, ""), "wheel": (wheel, "")}
        told = {way: [] for way in ways}
        for run in range(args.runs):
            for way, (folder, waits) in ways.items():
                told[way].append(calls_of_hour(folder, pathlib.Path(name, f"{way}{run}"), waits))
        compiled = pathlib.Path(name, "nothing0")
        while not list(compiled.glob("*.ready")):
            time.sleep(1)  # until the process in the background has compiled all
        told["later"] = [calls_of_hour(ROOT, compiled, "") for _ in range(args.runs)]
        for way, calls in told.items():
            record |= of_calls(way, calls)
    yield record


def calls_of_hour(tree, cache, waits):
    """Return what each of the 26 calls of a new process takes, by its name."""
    given = os.environ | {
        "CC_RAPIDS_CACHE": str(cache),
        "PYTHONPATH": first_on_path(tree),
        WAIT: waits,
    }
    said = subprocess.check_output([sys.executable, HOUR], text=True, env=given, cwd=tree)
    return {one.pop("call"): one for one in map(json.loads, said.splitlines())}


def of_calls(way, told):
    """Return the fields of a record for the calls of some processes."""
    seconds = {
        call: sorted(one[call]["seconds"] for one in told)[len(told) // 2] for call in told[0]
    }
    return {
        f"{way}_s": spread([sum(one["seconds"] for one in run.values()) for run in told]),
        f"{way}_compiled": sum(one["compiled"] for one in told[0].values()),
        f"{way}_calls": seconds,
    }


def calculated(cache):
    """Return what the demo's job spends on kernels, and the seconds of its process."""
    started = time.perf_counter()
    told = command(ROOT, cache, "-c", DEMO_JOB, str(DEMO))
    return told | {"process": round(time.perf_counter() - started, 4)}


def first_on_path(folder):
    """Return the path of modules with a folder before all others."""
    before = filter(None, [os.environ.get("PYTHONPATH")])
    return os.pathsep.join([str(folder), *before])


def first_call(args, backend):
    """Yield the seconds of the first call on a GPU, by what it finds.

    What wheels bring is copied from a folder, or made here if none is given.
    """
    with tempfile.TemporaryDirectory() as name:
        bare, wheel, kept = (pathlib.Path(name) / part for part in ("bare", "wheel", "kept"))
        for copy in (bare, wheel):
            ignored = shutil.ignore_patterns("ptx", "__pycache__")
            shutil.copytree(ROOT / "cc_rapids", copy / "cc_rapids", ignore=ignored)
        if args.ptx is None:
            given = os.environ | {"PYTHONPATH": first_on_path(wheel)}
            subprocess.run([sys.executable, "-m", WRITTEN], check=True, env=given, cwd=wheel)
        else:
            shutil.copytree(args.ptx, wheel / "cc_rapids" / "backends" / "ptx")
        ways = {"nothing": bare, "wheel": wheel}
        for copy in ways.values():
            called(copy, kept)  # leaves bytecode behind
        found = {
            way: [once(lambda cache, copy=copy: called(copy, cache)) for _ in range(args.runs)]
            for way, copy in ways.items()
        }
        with tempfile.TemporaryDirectory() as cache:
            done = command(bare, cache, "-m", "cc_rapids", "compile", "--engine", "cuda", "--json")
            found["ahead"] = [called(bare, cache) for _ in range(args.runs)]
    record = {"job": "first call on a GPU"}
    for way, told in found.items():
        record[f"{way}_s"] = spread([one["call_s"] for one in told])
        record[f"{way}_compiled"] = told[0]["compiled"]
    yield record | {"ahead": {part: done[part] for part in ("kernels", "compiled", "seconds")}}


def called(tree, cache):
    """Return the seconds of the first call of a process on a GPU, and how many kernels it made."""
    return command(tree, cache, "-c", FIRST_CALL)


def once(run):
    """Return the output with an empty kernel cache."""
    with tempfile.TemporaryDirectory() as cache:
        return run(cache)


def command(tree, cache, *words):
    """Return what a new process with a kernel cache prints, from JSON."""
    given = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    given |= {"CC_RAPIDS_CACHE": str(cache), "PYTHONPATH": first_on_path(tree)}
    said = subprocess.check_output([sys.executable, *words], text=True, env=given, cwd=tree)
    return json.loads(said.splitlines()[-1])


#: The name of the records of each job, and what yields them.
JOBS = {
    "demo": ("first_use", demo),
    "hour": ("first_use", hour),
    "call": ("first_use", first_call),
}

if __name__ == "__main__":
    main()
