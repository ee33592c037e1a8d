"""Measure the first use on a new machine: the number of compiled kernels, and the seconds.

Each run is a new process. demo: the job of `make demo` on threads, with an empty kernel cache, with
the cache of the first run, and with a cache that `cc-rapids compile` has filled. hour: the 26 calls
of first_hour.py on threads: all calls wait for the compiler; short lists do not wait; the kernels
of a wheel exist; or all kernels exist. call, with ``--engine cuda``: the first call on three edges
of cuDF, without the time to import cuDF: with an empty cache, with the PTX of a wheel, and with all
kernels compiled ahead.
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


@harness.job("first_use")
def demo(args, backend):
    """Yield the seconds that the demo's job spends on kernels, in the first run and later."""
    with tempfile.TemporaryDirectory() as warm:
        calculated(warm)  # leaves bytecode behind, as installers do
        first = [once(calculated) for _ in range(args.runs)]
        later = [calculated(warm) for _ in range(args.runs)]
    record = {"job": "make demo", "compiled": first[0]["compiled"]}
    for before, after, runs in (("", "compile_s", first), ("later_", "load_s", later)):
        names = {after: "kernels_s", f"{before}process_s": "process"}
        names |= {f"{before}process_cpu_s": "cpu_s"}
        record |= {name: spread([run[key] for run in runs]) for name, key in names.items()}
    yield record | once(demo_after_ahead)


def demo_after_ahead(cache):
    """Return the seconds of `cc-rapids compile`, and the kernels that the demo still compiles."""
    done = compiled_ahead(ROOT, cache, "threads")
    return {"ahead": done, "compiled_after_ahead": calculated(cache)["compiled"]}


@harness.job("first_use")
def hour(args, backend):
    """Yield the seconds of the 26 calls, by the kernels that exist before them."""
    with tempfile.TemporaryDirectory() as name:
        wheel = copy_of_package(pathlib.Path(name, "wheel"), "ptx", "objects")
        level = {"NUMBA_CPU_NAME": objects.LEVEL, "NUMBA_CPU_FEATURES": "", WAIT: "1"}
        given = os.environ | level | {"PYTHONPATH": first_on_path(wheel)}
        written = [sys.executable, "-c", ahead.WRITE_OBJECTS]
        subprocess.run(written, check=True, env=given, cwd=wheel)
        ways = {"waiting": (ROOT, "1"), "nothing": (ROOT, ""), "wheel": (wheel, "")}
        told = {way: [] for way in ways}
        for run in range(args.runs):
            for way, (folder, waits) in ways.items():
                told[way].append(calls_of_hour(folder, pathlib.Path(name, f"{way}{run}"), waits))
        compiled = pathlib.Path(name, "nothing0")
        while not list(compiled.glob("*.ready")):
            time.sleep(1)  # until the process in the background has compiled all
        told["later"] = [calls_of_hour(ROOT, compiled, "") for _ in range(args.runs)]
    record = {"job": "first hour"}
    for way, runs in told.items():
        seconds = {call: [run[call]["seconds"] for run in runs] for call in runs[0]}
        record[f"{way}_s"] = spread([sum(run) for run in zip(*seconds.values(), strict=True)])
        record[f"{way}_compiled"] = sum(one["compiled"] for one in runs[0].values())
        record[f"{way}_calls"] = {call: sorted(s)[len(s) // 2] for call, s in seconds.items()}
    yield record


def copy_of_package(folder, *without):
    """Copy the package to a folder, except folders named in ``without``; return the folder."""
    ignored = shutil.ignore_patterns(*without, "__pycache__")
    shutil.copytree(ROOT / "cc_rapids", folder / "cc_rapids", ignore=ignored)
    return folder


def calls_of_hour(tree, cache, waits):
    """Return the seconds and compiled kernels of each of the 26 calls of a new process, by name."""
    lines = command(tree, cache, HOUR, **{WAIT: waits})
    return {line.pop("call"): line for line in lines}


def calculated(cache):
    """Return the kernels and seconds of compiling in the demo's job, and its process's seconds."""
    started = time.perf_counter()
    told = command(ROOT, cache, "-c", DEMO_JOB, str(DEMO))[-1]
    return told | {"process": round(time.perf_counter() - started, 4)}


def first_on_path(folder):
    """Return a PYTHONPATH that begins with a folder."""
    before = filter(None, [os.environ.get("PYTHONPATH")])
    return os.pathsep.join([str(folder), *before])


@harness.job("first_use")
def call(args, backend):
    """Yield the seconds of the first call on a GPU, by the kernels that exist before it."""
    with tempfile.TemporaryDirectory() as name:
        bare, wheel, kept = (pathlib.Path(name) / part for part in ("bare", "wheel", "kept"))
        ways = {"nothing": copy_of_package(bare, "ptx"), "wheel": copy_of_package(wheel, "ptx")}
        command(wheel, kept, "-m", "cc_rapids.tools.ahead")
        for tree in ways.values():
            called(tree, kept)  # leaves bytecode behind
        told = {
            way: [once(lambda cache, tree=tree: called(tree, cache)) for _ in range(args.runs)]
            for way, tree in ways.items()
        }
        with tempfile.TemporaryDirectory() as cache:
            done = compiled_ahead(bare, cache, "cuda")
            told["ahead"] = [called(bare, cache) for _ in range(args.runs)]
    record = {"job": "first call on a GPU"}
    for way, runs in told.items():
        record[f"{way}_s"] = spread([run["call_s"] for run in runs])
        record[f"{way}_compiled"] = runs[0]["compiled"]
    yield record | {"ahead": done}


def compiled_ahead(tree, cache, engine):
    """Fill a kernel cache by `cc-rapids compile`; return the number of kernels and the seconds."""
    words = "-m", "cc_rapids", "compile", "--engine", engine, "--json"
    done = command(tree, cache, *words)[-1]
    return {name: done[name] for name in ("kernels", "compiled", "seconds")}


def called(tree, cache):
    """Return the seconds of the first GPU call of a process, and its number of compiled kernels."""
    return command(tree, cache, "-c", FIRST_CALL)[-1]


def once(run):
    """Return the result of ``run`` with the folder of an empty kernel cache."""
    with tempfile.TemporaryDirectory() as cache:
        return run(cache)


def command(tree, cache, *words, **variables):
    """Return the parsed JSON lines that a new process with a kernel cache prints."""
    given = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    given |= {"CC_RAPIDS_CACHE": str(cache), "PYTHONPATH": first_on_path(tree), **variables}
    lines = subprocess.check_output([sys.executable, *words], text=True, env=given, cwd=tree)
    return [json.loads(line) for line in lines.splitlines() if line.startswith("{")]


if __name__ == "__main__":
    harness.run(harness.arguments(__doc__, runs=5), default=["demo"])
