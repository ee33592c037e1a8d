"""How often each kind of fault is tried; docs/trust.md is made of this, and tests count by it."""

from typing import NamedTuple


class Trial(NamedTuple):
    """What is tried, how often, what has to hold each time, and where."""

    what: str
    times: int
    holds: str
    where: str


TRIALS = {
    "doors": Trial(
        "Edge lists of every kind of frame, ids and nulls, in every order, through every door",
        200,
        "The answer is that of sequential union-find, or the nulls are counted",
        "tests/property/test_doors.py",
    ),
    "drop-ins": Trial(
        "Edge lists as matrices, NetworkX graphs, batches, and frames with vertices besides",
        60,
        "The answer is that of sequential union-find, and of NetworkX in its order",
        "tests/property/test_doors.py",
    ),
    "audits": Trial(
        "One label of a right answer changed",
        200,
        "The audit names a counter-example",
        "tests/unit/verify/test_audit.py",
    ),
    "damage": Trial(
        "Files with some bytes changed, put in or cut off, for each format, weighted and not",
        300,
        "An answer, or an error of ours that names the file; nothing hangs",
        "tests/unit/data/files/test_damage.py",
    ),
    "damage in pieces": Trial(
        "The same of files that are read in pieces, plain and packed, for each format",
        80,
        "An answer that the audit proves, or an error of ours; nothing hangs",
        "tests/unit/data/files/test_damage.py",
    ),
    "allocations": Trial(
        "Allocations that fail, each in turn: of runs, batches, streams and audits, on threads",
        150,
        "CapacityError; nothing given or known has changed, and the memory is given back",
        "tests/property/test_memory_runs_out.py",
    ),
    "callers": Trial(
        "Calls by 8 threads at once",
        64,
        "Each gets its own answer",
        "tests/workers/test_processes.py",
    ),
    "forks": Trial(
        "Processes forked and spawned while others compute",
        8,
        "Each computes, or says that a GPU does not survive a fork",
        "tests/workers/test_processes.py",
    ),
    "gpu allocations": Trial(
        "Memory of a GPU, by RMM, that ends at each of some sizes below what a run takes",
        60,
        "CapacityError; RMM's counts are what they were",
        "tests/gpu/test_gpu_faults.py",
    ),
    "gpu streams": Trial(
        "Calls by 8 threads at once, each on a CUDA stream of its own",
        256,
        "Each gets its own answer",
        "tests/gpu/test_gpu_faults.py",
    ),
    "gpu runs": Trial(
        "Runs on the most contended graphs, of each design that auto chooses",
        1000,
        "The labels are the same to the bit",
        "tests/gpu/test_gpu_faults.py",
    ),
}
