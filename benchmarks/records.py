"""Records of measurements, and what each stands on: one JSON object a line, never edited."""

import argparse
import json
import pathlib
import subprocess
import time

from cc_rapids import memory_bound
from cc_rapids.tools.bench import environment, spread

__all__ = [
    "HERE",
    "arguments",
    "beyond_bound",
    "dated",
    "environment",
    "is_on_gpu",
    "keep",
    "load",
    "since",
    "spread",
    "turns",
    "wall",
]

HERE = pathlib.Path(__file__).parent / "records"


def arguments(text):
    """Return the command line that every benchmark has."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE, help="folder of the records")
    parser.add_argument("--commit", default=_commit(), help="what is measured")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--scale", type=float, help="log2 of the vertices, full scale unless given")
    return parser


def _commit():
    """Return the commit of the working tree, marked where more than records differs from it."""
    git = ["git", "-C", str(HERE.parents[1])]
    told = subprocess.run(
        [*git, "describe", "--always"], capture_output=True, text=True, check=False
    )
    same = [*git, "diff", "--quiet", "HEAD", "--", ".", f":!benchmarks/{HERE.name}"]
    return told.stdout.strip() + "-dirty" * (subprocess.run(same, check=False).returncode == 1)


def keep(out, name, record):
    """Append a record to the file of its benchmark, and show it."""
    out.mkdir(parents=True, exist_ok=True)
    line = json.dumps(record)
    with open(out / f"{name}.jsonl", "a") as file:
        file.write(line + "\n")
    print(line, flush=True)


def load(name, folder=HERE):
    """Return all records of a benchmark, oldest first."""
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def dated(row):
    """Return the commit and the date of a record in words.

    Examples
    --------
    >>> dated({"commit": "d3d56a5", "date": "2026-11-21"})
    'at d3d56a5 (2026-11-21)'
    """
    return f"at {row['commit']} ({row['date']})"


def is_on_gpu(row):
    """Return whether a record was measured on a GPU."""
    return row["device"].startswith("NVIDIA")


def since(commit):
    """Return how many commits have changed the package since one was measured.

    None where that is unknown.

    What a record of an older commit says was true of that: of memory, tests/gpu/test_gpu_memory.py
    says what is true now.
    """
    at = commit.removesuffix("-dirty").removesuffix("+")
    git = [
        "git",
        "-C",
        str(HERE.parent),
        "rev-list",
        "--count",
        f"{at}..HEAD",
        "--",
        "../cc_rapids",
    ]
    count = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return int(count) if count else None


def beyond_bound(rows):
    """Those rows of one commit whose run took more than :func:`cc_rapids.memory_bound`."""
    return [
        row
        for row in rows
        if row["peak_bytes"] > memory_bound(row["n"], answer_bytes(row), row["m"])
    ]


def answer_bytes(row):
    """Return the bytes of a label frame: two columns of the type of the ids."""
    kind = row["dtype"] if "dtype" in row else row["ids"]
    return 2 * row["vertices"] * (4 if kind == "int32" else 8)


def wall(work, runs, synchronize=lambda: None):
    """Milliseconds of each of some runs after one to warm up, until the device is done."""
    return turns([work], runs, synchronize)[0]


def turns(works, runs, synchronize=lambda: None):
    """Return the same of several works that take turns: what slows one slows all."""
    times = [[] for _ in works]
    for _ in range(runs + 1):
        for work, own in zip(works, times, strict=True):
            synchronize()
            started = time.perf_counter()
            answer = work()
            synchronize()
            own.append(1e3 * (time.perf_counter() - started))
            del answer
    return [own[1:] for own in times]
