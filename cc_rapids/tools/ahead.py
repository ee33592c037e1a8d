"""Compile kernels ahead of their first use, in several processes, for ``cc-rapids compile``.

The kernels of common jobs and their types are recorded by running these jobs on a few edges, so no
list of kernels has to be maintained. One process per core then compiles its share into the kernel
cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

from ..algorithms.auto import AUTO
from ..algorithms.compiled import build
from ..algorithms.design import Design
from ..api import components, find_components
from ..backends import ahead, dry_run, objects, readiness, shipped, threads
from ..backends import compile as compiler
from ..backends.ahead import Capability
from ..backends.base import Kernel
from ..graph import forest
from ..ids import encode, hash_table, strings
from ..incremental.thresholds import components_at
from ..linkage import link_records
from ..options import Options
from ..solver import choose

RECORDINGS: dict[str, tuple[type[dry_run.ThreadsRecording], ...]] = {
    "threads": (dry_run.ThreadsRecording,),
    "cuda": (dry_run.OneLaunchRecording, dry_run.RecordingBackend),
}
EDGES, FEW = 300, 60  # the numbers of edges of most jobs, and of jobs with named designs
RECORDS = 70  # more than 64, so that an Euler tour is cut into several sublists
# Differences of consecutive ids, for which the encoding is an offset, a bit map and a hash table
STEPS = 1, 20, 10**6
# Constants of modules: with them, a few edges run the code for wide ranges, pages and long lists
WIDE = ((encode, "SMALL_RANGE", 100),)
PAGED = ((encode, "PAGED_ROWS", 10),)
LONG = (
    *((encode, "SAMPLED_EDGES", 10), (hash_table, "ESTIMATED_IDS", 10)),
    *((strings, "LIBRARY_STRINGS", 0), (forest, "LIBRARY_VERTICES", 0)),
    (choose, "HASHED_AT_ONCE", 0),
)

WRITE_OBJECTS = "from cc_rapids.tools.ahead import write_objects; write_objects()"


@dataclass(frozen=True)
class Compiled:
    """The kernels that were compiled ahead.

    ``kernels`` is the number of kernels that the common jobs launch, and ``compiled`` is how many
    of them were compiled. The others were in the kernel cache, or were linked from PTX in the
    wheel.
    """

    engine: str
    capability: Capability | None  # that the kernels were compiled for; None for threads
    kernels: int
    compiled: int


def compile_ahead(
    engine: str, capability: Capability | None = None, processes: int | None = None
) -> Compiled:
    """Compile the kernels of common jobs that are not in the kernel cache.

    The compute capability is only for ``"cuda"``. A GPU of this kind need not be present. By
    default, there is one process per CPU.
    """
    process_count = processes or len(os.sched_getaffinity(0))
    shares = [(engine, capability, k, process_count) for k in range(process_count)]
    if process_count == 1:
        done = list(map(_compile_share, shares))
    else:  # spawned, not forked, because a thread of another library may hold a lock
        with ProcessPoolExecutor(process_count, get_context("spawn")) as pool:
            done = list(pool.map(_compile_share, shares))
    compiled = list(chain(*done))
    if engine == "threads":
        readiness.mark()
    return Compiled(engine, capability, len(compiled), sum(compiled))


def compile_common() -> None:
    """Compile the kernels of common jobs on threads, unless another process is compiling them.

    A process of low priority calls this; see :mod:`cc_rapids.backends.readiness`.
    """
    with readiness.compile_lock() as is_locked:
        if is_locked:
            compile_ahead("threads", processes=1)


def _compile_share(share: tuple[str, Capability | None, int, int]) -> list[bool]:
    """Compile a share of the kernels; return whether each was missing in the cache.

    ``share`` is one value, as a pool passes it: the engine, the compute capability, the number of
    this share, and the number of shares.
    """
    engine, capability, share_index, share_count = share
    kernels = kernels_of_common_jobs(engine)
    # Kernels that NumPy cannot replace come first, because calls wait until they are compiled
    in_order = sorted(kernels, key=lambda key: (kernels[key].by_numpy is not None, key))
    return [
        ahead.compile_kernel(kernels[key], key.signature, capability)
        for key in in_order[share_index::share_count]
    ]


def write_shipped() -> None:
    """Write the kernels of common jobs to the folders that are part of wheels.

    Kernels for GPUs are written as PTX. Kernels for CPU threads are written as machine code, which
    another process compiles, because environment variables set the processors that it is for. The
    hash seed is fixed, because Numba orders some of its code by sets of names.
    """
    target = {"NUMBA_CPU_NAME": objects.LEVEL, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0"}
    subprocess.run([sys.executable, "-c", WRITE_OBJECTS], env=os.environ | target, check=True)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("spawn")) as pool:
        list(pool.map(_write_architecture, shipped.OLDEST))


def write_objects() -> None:
    """Write the machine code of the kernels of common jobs on threads for this process's target."""
    kernels = kernels_of_common_jobs("threads")
    objects.write(dict(threads.to_object(kernels[key], key.signature) for key in sorted(kernels)))


def _write_architecture(capability: Capability) -> None:
    """Write the PTX of the common kernels for one compute capability."""
    kernels = kernels_of_common_jobs("cuda")
    ptx_of_kernel = {
        (kernel, signature): compiler.to_ptx(kernel, signature, capability)
        for (_, _, signature), kernel in kernels.items()
    }
    shipped.write(ptx_of_kernel, capability)


def kernels_of_common_jobs(engine: str) -> dict[dry_run.Key, Kernel]:
    """Return the kernels that the common jobs launch on an engine, by their keys."""
    launched: dict[dry_run.Key, Kernel] = {}
    for kind in RECORDINGS[engine]:
        with dry_run.recorded_launches(kind) as backend:
            _run_common_jobs(engine, backend)
        launched |= backend.launched
    return launched


def _run_common_jobs(engine: str, backend: dry_run.ThreadsRecording) -> None:
    """Solve lists of integers and strings as short and as long ones; on threads, link records."""
    # without designs for adjacency lists, because every job has an edge list
    designs = {rule.design for rule in AUTO if rule.engine in (None, engine) and not rule.symmetric}
    for dtype in (np.int32, np.int64):
        for step in STEPS:
            for constants in ((), LONG):
                with _changed(*WIDE, *constants):
                    _solve(np.arange(step, EDGES * step, step, dtype=dtype))
        index: Any = np.arange(EDGES, dtype=dtype)
        with _changed(*WIDE, *PAGED):  # clusters of twenty ids that are far apart from each other
            _solve(index + index // 20 * STEPS[-1])
        _launch_kernels_of_long_runs(backend, dtype)
        for design in sorted(designs, key=str):
            _solve(np.arange(FEW, dtype=dtype), design=design)
            _solve(np.arange(FEW, dtype=dtype), design=design, num_vertices=FEW)
    for strings_of_ids in (["vertex 7", "vertex 10"], [f"{'long' * 20} {k}" for k in (7, 10)]):
        for constants in ((), LONG):
            with _changed(*constants):
                _solve(np.array(strings_of_ids, object))
    if engine == "threads":
        for constants in ((), LONG):
            with _changed(*WIDE, *constants):
                _link_records()


@contextmanager
def _changed(*constants: tuple[ModuleType, str, int]) -> Iterator[None]:
    """Replace constants in a context, each given as its module, its name and the new value."""
    with ExitStack() as stack:
        for module, name, value in constants:
            stack.enter_context(mock.patch.object(module, name, value))
        yield


def _link_records() -> None:
    """Run the queries of record linkage on pairs of integers, strings and composite ids."""
    import pyarrow as pa

    numbers = np.arange(RECORDS)
    partners = numbers // 2  # record k is paired with k // 2
    score, texts = partners / RECORDS, np.array([f"id {k}" for k in range(RECORDS)], object)
    long_texts = np.array([f"{'long' * 20} {k}" for k in range(RECORDS)], object)
    for ids in ([numbers], [STEPS[-1] * numbers], [texts], [long_texts], [texts, numbers]):
        sides = [[f"{side}{k}" for k in range(len(ids))] for side in "ab"]  # names of columns
        columns = [*ids, *(column[partners] for column in ids)]
        pairs = pa.table(dict(zip(chain(*sides), columns, strict=True)) | {"score": score})
        records = pa.table(dict(zip(sides[0], ids, strict=True)) | {"score": score, "key": texts})
        _run_queries(pairs, records, sides)


def _run_queries(pairs: Any, records: Any, sides: list[list[str]]) -> None:
    """Run the queries of record linkage; ``sides`` name the columns of both ends of ``pairs``.

    The answers are not read, because only the launched kernels matter.
    """
    cuts = components_at(pairs, *sides, weight="score", thresholds=[0.1, 0.2])
    tree: Any = components(pairs, *sides, weight="score", forest="max")
    linked = link_records(records, ["key", sides[0]], sides[0])
    result: Any
    for result in (components(pairs, *sides), cuts.at(0.1), tree, linked):
        result.attach(records, sides[0], "label", missing="self")
        result.deduplicate(records, sides[0], by="score")
        for query in (result.sizes, result.members, result.representatives, result.largest):
            query()
    result = components(pairs, *sides)
    result.connected(pairs.drop("score"), *sides)
    result.audit(pairs, *sides)
    if len(sides[0]) == 1:
        largest_label = result.sizes(1)["labels"][0].as_py()
        result.edges(largest_label, pairs, *sides)
    tree.paths(pairs.drop("score"), *sides)
    tree.report(pairs, *sides)
    dendrogram = tree.dendrogram()
    dendrogram.at(0.1)
    dendrogram.linkage(lambda weights: 1 - weights)
    dendrogram.merges()


def _launch_kernels_of_long_runs(backend: dry_run.ThreadsRecording, dtype: Any) -> None:
    """Launch the kernels that only runs with many vertices use."""
    parent, words = np.zeros(FEW, np.uint32), np.zeros(FEW, np.uint32)
    wide = np.dtype(dtype).type
    compiled = build(Design(), backend, np.uint32, wide, reads_csr=False, record_forest=False)
    compiled.mark_frequent(1, FEW, parent, words)
    forest.running_sums(backend, np.zeros(forest.SINGLE_BLOCK_SUM + 1, np.uint32))


def _solve(ids: Any, **options: Any) -> None:
    """Solve a list that pairs each id with another one, and compute all kinds of labels."""
    for wants_labels in (False, True):
        result: Any = find_components(
            (ids, ids[::-1].copy()), Options.check(wants_labels=wants_labels, **options)
        )
        for labels in ("min", "dense"):
            result.labels(labels)
        result.summary()


if __name__ == "__main__":
    write_shipped()
