"""What a measurement stands on, and where it is kept: one JSON object a line, never edited."""

import argparse
import json
import pathlib
import subprocess
import time

from cc_rapids.bench import environment, spread

__all__ = ["HERE", "arguments", "environment", "keep", "load", "spread", "turns", "wall"]

HERE = pathlib.Path(__file__).parent / "records"


def arguments(text):
    """The command line that every benchmark has."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE, help="folder of the records")
    parser.add_argument("--commit", default=_commit(), help="what is measured")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--scale", type=float, help="log2 of the vertices, full scale unless given")
    return parser


def _commit():
    git = ["git", "-C", str(HERE.parent), "describe", "--always", "--dirty"]
    return subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()


def keep(out, name, record):
    """Append a record to the file of its benchmark, and show it."""
    out.mkdir(parents=True, exist_ok=True)
    line = json.dumps(record)
    with open(out / f"{name}.jsonl", "a") as file:
        file.write(line + "\n")
    print(line, flush=True)


def load(name, folder=HERE):
    """All records of a benchmark, oldest first."""
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def wall(work, runs, synchronize=lambda: None):
    """Milliseconds of each of some runs after one to warm up, until the device is done."""
    return turns([work], runs, synchronize)[0]


def turns(works, runs, synchronize=lambda: None):
    """The same of several works that take turns: what slows the machine meanwhile slows all."""
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
