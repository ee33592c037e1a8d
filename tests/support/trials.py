"""The number of trials of each kind of fault; tests use it, and docs/trust.md is made from it."""

from typing import NamedTuple


class Trial(NamedTuple):
    """What is tried, how often, what has to hold each time, and where."""

    what: str
    times: int
    holds: str
    where: str


TRIALS = {
    "doors": Trial(
        "Edge lists of every kind of frame, ids and nulls, in every order, by every function",
        200,
        "The answer equals that of sequential union-find, or the nulls are counted",
        "tests/property/test_doors.py",
    ),
    "drop-ins": Trial(
        "Edge lists as matrices, NetworkX graphs, batches, and frames with additional vertices",
        60,
        "The answer equals that of sequential union-find; NetworkX graphs keep NetworkX's order",
        "tests/property/test_doors.py",
    ),
    "audits": Trial(
        "One label of a right answer changed",
        200,
        "The audit names a counterexample",
        "tests/unit/verify/test_audit.py",
    ),
    "damage": Trial(
        "Files with bytes changed, inserted or cut off, in each format, weighted and unweighted",
        150,
        "An answer, or a CcRapidsError that names the file; nothing hangs",
        "tests/unit/data/files/test_damage.py",
    ),
    "damage in pieces": Trial(
        "Such files that are read in pieces, compressed or not, in each format",
        40,
        "An answer that the audit proves, or a CcRapidsError; nothing hangs",
        "tests/unit/data/files/test_damage.py",
    ),
    "allocations": Trial(
        "Each allocation in turn fails: in runs, batches, streams and audits, on threads",
        150,
        "CapacityError; neither inputs nor earlier answers change, and the memory is freed",
        "tests/property/test_memory_runs_out.py",
    ),
    "interruptions": Trial(
        "Streams of random row groups, ids and bounds, with limits, interrupted and resumed",
        40,
        "The components and rows that SciPy finds, or an error; never another answer",
        "tests/property/test_streams_interrupted.py",
    ),
    "callers": Trial(
        "Calls from 8 threads at the same time",
        64,
        "Each gets its own answer",
        "tests/workers/test_processes.py",
    ),
    "forks": Trial(
        "Processes forked and spawned while others compute",
        8,
        "Each computes, or raises an error that a GPU cannot be used after a fork",
        "tests/workers/test_processes.py",
    ),
    "gpu allocations": Trial(
        "GPU memory limited by RMM to each of several sizes below what a run takes",
        60,
        "CapacityError; RMM's counts are unchanged",
        "tests/gpu/test_gpu_faults.py",
    ),
    "gpu streams": Trial(
        "Calls from 8 threads at the same time, each on its own CUDA stream",
        256,
        "Each gets its own answer",
        "tests/gpu/test_gpu_faults.py",
    ),
    "gpu runs": Trial(
        'Runs of each design that "auto" chooses, on the graphs with most contention',
        1000,
        "The labels are bit-identical",
        "tests/gpu/test_gpu_faults.py",
    ),
}
