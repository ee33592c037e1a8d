"""Measure again what ``stale.py`` lists, one benchmark after the other.

    python benchmarks/renew.py                # make renew: with --on threads
    python benchmarks/renew.py --minutes 8    # begin none after so long, and end the last one
    python benchmarks/renew.py lists ids      # those of these records alone
    python benchmarks/renew.py --dry-run      # print the commands

Runs on an idle machine: with a GPU what was measured on GPUs, without one what was measured on CPU
threads (``--on`` says otherwise). A benchmark writes a record as soon as it has one, so nothing
measured is lost when the time is over. One that fails or takes too long is named, the next one
begins, and the exit status is 1 in the end. ``make figures`` makes pages of the records.
"""

import argparse
import subprocess
import sys
import time

import measured_code
import records
import stale

from cc_rapids import EngineError, backends

DEVICES = "gpu", "threads"


def here():
    """Return what this machine measures: that of GPUs if it has one."""
    try:
        backends.get("cuda")
    except EngineError:
        return "threads"
    return "gpu"


def commands(found, device, names=()):
    """Return the commands for a device that measure outdated figures, each once, in their order.

    Parameters
    ----------
    found : iterable of stale.Outdated
        The figures.
    device : {"gpu", "threads"}
        What their outdated records were measured on.
    names : sequence of str
        The records that are asked for; all by default.
    """
    asked = [each for each in found if not names or each.figure.record in names]
    wanted = device == "gpu"
    fits = [each for each in asked if any(records.is_on_gpu(row) == wanted for row in each.old)]
    return list(dict.fromkeys(each.figure.again for each in fits))


def run(command, seconds):
    """Run a benchmark for so many seconds at most; return what went wrong, or an empty string."""
    script, *arguments = command.split()
    folder = measured_code.ROOT / "benchmarks"
    try:
        subprocess.run(
            [sys.executable, str(folder / script), *arguments], check=True, timeout=seconds
        )
    except subprocess.CalledProcessError as error:
        return f"failed with status {error.returncode}"
    except subprocess.TimeoutExpired:
        return f"did not end within {seconds:.0f} s"
    return ""


def main():
    """Run the benchmarks, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="records, such as lists; all by default")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--on", choices=DEVICES, default=None)
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args()
    chosen = commands(stale.of_now(), args.on or here(), args.names)
    end, wrong = time.monotonic() + 60 * args.minutes, []
    for command in chosen:
        print(f"python benchmarks/{command}", flush=True)
        if args.dry_run:
            continue
        started = time.monotonic()
        said = run(command, end - started) if started < end else "not begun: the time is over"
        if said:
            wrong.append(f"{command}: {said}")
        print(f"{said or 'done'}, {time.monotonic() - started:.0f} s", flush=True)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
