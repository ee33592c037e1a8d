"""Run trials in worker processes until the time is over; print what was tried, and what failed.

    PYTHONPATH=tests python -m campaign --minutes 30 --workers 2

A trial is a function of a random generator, which returns the number of its checks, or counts by
name. What it raises is printed with the seed that repeats
it (``--only jobs --seed 17 --trials 1``); a worker that dies or hangs is a failure, too.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

# Seconds after which a trial counts as one that does not end. A trial compiles up to 20 designs, of
# 2 to 4 seconds each where a core is free, and cores may be shared with others.
HANGS = 600


def work(options: argparse.Namespace) -> None:
    """Run trials one after the other; a line of JSON each."""
    from . import trials

    faulthandler.register(signal.SIGUSR1)
    warnings.filterwarnings("ignore", ".* no edges")  # some trials have empty files
    names = options.only or trials.of(options.engine)
    seed, end = options.seed, time.time() + 60 * options.minutes
    done = 0
    while time.time() < end and (options.trials is None or done < options.trials):
        random = np.random.default_rng(seed)
        name = names[seed % len(names)]
        print(json.dumps({"begins": name, "seed": seed}), flush=True)
        try:
            checks = getattr(trials, name)(random, options.engine)
            print(json.dumps({"ends": name, "seed": seed, "checks": checks}), flush=True)
        except BaseException:
            print(
                json.dumps({"fails": name, "seed": seed, "why": traceback.format_exc()[-3000:]}),
                flush=True,
            )
        seed += options.step
        done += 1


class Worker:
    """A process that runs trials, and what it has said."""

    def __init__(self, options: argparse.Namespace, first: int, minutes: float) -> None:
        # Both sides share one position in the file, which reading must not move: see events().
        self.out = tempfile.TemporaryFile()  # noqa: SIM115
        self.err = tempfile.TemporaryFile("w+")  # noqa: SIM115
        command = [sys.executable, "-W", "error", "-m", "campaign", "--work"]
        command += ["--seed", first, "--step", options.workers, "--minutes", minutes]
        command += ["--engine", options.engine]
        command += [word for name in options.only or [] for word in ("--only", name)]
        command += ["--trials", options.trials] if options.trials else []
        self.process = subprocess.Popen(
            list(map(str, command)), stdout=self.out, stderr=self.err, text=True
        )
        self.read, self.running, self.since = 0, None, time.time()

    def events(self):
        """What is new."""
        size = os.fstat(self.out.fileno()).st_size - self.read
        data = os.pread(self.out.fileno(), size, self.read)
        whole = data[: data.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in whole.splitlines():
            event = json.loads(line) if line.startswith(b"{") else {}
            if "begins" in event:
                self.running, self.since = event, time.time()
            elif event:
                self.running = None
            yield event

    def stop(self) -> dict:
        """Kill the worker; return the trial that it was in."""
        self.process.kill()
        self.process.wait()
        return self.running or {"begins": "start", "seed": -1}

    def ended(self) -> str | None:
        """Why it ended, if it should not have."""
        code = self.process.poll()
        if code is None:
            if self.running and time.time() - self.since > HANGS:
                self.process.send_signal(signal.SIGUSR1)  # which shows where its threads are
                time.sleep(1)
                self.process.kill()
                self.process.wait()
                self.err.seek(0)
                return f"does not end within {HANGS} s: {self.err.read()[-3000:]}"
            return None
        if code or self.running:
            self.err.seek(0)
            return f"the process ends with {code}: {self.err.read()[-1500:]}"
        return ""


def lead(options: argparse.Namespace) -> int:
    """Keep workers running; print the counts."""
    end = time.time() + 60 * options.minutes
    workers = [Worker(options, options.seed + k, options.minutes) for k in range(options.workers)]
    trials, checks, outcomes = (collections.Counter() for _ in range(3))
    failures, unfinished = [], []
    while workers:
        time.sleep(0.5)
        if time.time() > end + options.grace:
            unfinished, workers = [worker.stop() for worker in workers], []
        for k, worker in enumerate(list(workers)):
            for event in worker.events():
                if "ends" in event:
                    trials[event["ends"]] += 1
                    if isinstance(event["checks"], dict):
                        outcomes.update(event["checks"])
                    else:
                        checks[event["ends"]] += event["checks"]
                elif "fails" in event:
                    failures.append(event)
                    print(
                        f"FAILED {event['fails']} seed {event['seed']}\n{event['why']}", flush=True
                    )
            why = worker.ended()
            if why is None:
                continue
            workers.remove(worker)
            if why:
                at = worker.running or {"begins": "start", "seed": options.seed + k}
                failures.append({"fails": at["begins"], "seed": at["seed"], "why": why})
                print(f"DIED {at['begins']} seed {at['seed']}: {why}", flush=True)
                left = (end - time.time()) / 60
                if left > 0.1 and not options.trials and worker.running:
                    workers.append(Worker(options, at["seed"] + options.workers, left))
    told = {
        "engine": options.engine,
        "minutes": options.minutes,
        "trials": dict(sorted(trials.items())),
        "checks": dict(sorted(checks.items())),
        "outcomes": dict(sorted(outcomes.items())),
        "failures": [f"{event['fails']} {event['seed']}" for event in failures],
        "unfinished": [f"{event['begins']} {event['seed']}" for event in unfinished],
    }
    print(json.dumps(told))
    if options.out:
        Path(options.out).write_text(json.dumps(told | {"texts": failures}, indent=1))
    return 1 if failures else 0


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", help="the trials to run; repeatable")
    parser.add_argument("--trials", type=int, help="so many trials a worker, at most")
    parser.add_argument(
        "--grace", type=float, default=HANGS, help="seconds for the last trials to end"
    )
    parser.add_argument("--out", help="a file for the counts")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--step", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options)
        return 0
    return lead(options)


if __name__ == "__main__":
    sys.exit(main())
