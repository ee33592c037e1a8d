"""Every CUDA kernel compiles without a GPU, for each architecture, into registers alone.

A rehearsal runs all designs as plain Python under the GPU's parameters, and notes what is launched
with which types. Each kernel is compiled once, to the virtual instructions of the oldest
architecture, and linked for all of them. At run time it is compiled for the very architecture: the
kernels that ``auto`` may choose are compiled so too.
"""

import ast
import multiprocessing
import os
import sys
import warnings
from pathlib import Path

import design_pairs
import numpy as np
import pytest

import cc_rapids
from cc_rapids import engines, kernels
from cc_rapids.choosing import AUTO
from cc_rapids.engines import compiler
from cc_rapids.graphs import Csr

ROOT = Path(__file__).parents[2]
CAPABILITIES = [(7, 5), (8, 0), (9, 0), (10, 0), (12, 0)]
REGISTERS = 64  # a thread: a block of 256 then has no fewer neighbours than the card allows

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"),
    reason="the simulator compiles nothing",
)


def rehearsal():
    """An engine that notes what is launched, and runs it as plain Python."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from design_kernels import Rehearsal

    return Rehearsal()


def launches(which):
    """Launches of the designs ``"auto"`` chooses from, of those of ``which``, and of all else."""
    engine = rehearsal()
    real, engines.get = engines.get, lambda name: engine
    try:
        with warnings.catch_warnings():  # integers wrap around, as they do on the GPU
            warnings.filterwarnings("ignore", ".*overflow encountered", RuntimeWarning)
            for design in [rule.design for rule in AUTO]:
                for dtype in (np.int32, np.int64, np.uint64):
                    touch(design, dtype)
            chosen = set(engine.launched)
            for design in design_pairs.selected(which):
                touch(design, np.int32)
            touch_ids()
            touch_batches()
    finally:
        engines.get = real
    return engine.launched, chosen


def touch(design, dtype):
    """A design on a list, and on rows that hold both directions and that do not."""
    src = np.array([1, 5, 9, 9], dtype)
    dst = np.array([5, 1, 12, 9], dtype)
    forest = design.makes_forests
    found = cc_rapids.components((src, dst), vertices=src, design=design)
    for labels in ("min", "dense", "size"):
        found.labels(labels)
    cc_rapids.components((src, dst), design=design, forest=forest)
    for symmetric in (True, False):
        rows = Csr(np.array([0, 2, 3, 4], dtype), np.array([1, 2, 0, 0], dtype), symmetric)
        cc_rapids.components(rows, design=design)
        cc_rapids.components(rows, design=design, forest=forest)


def touch_ids():
    """Every way from ids to vertices."""
    src, dst = np.array([1, 5, 9, 9]), np.array([5, 1, 12, 9])
    cc_rapids.components((src, dst), vertices=range(0, 30, 7)).labels()
    cc_rapids.components((src, dst), num_vertices=20).labels()
    cc_rapids.components((src, dst), vertices=[100_000]).labels()
    dense = np.tile(src, 20), np.tile(dst, 20)
    cc_rapids.components(dense, num_vertices=13, design="auto(rule=paper)")
    cc_rapids.components(dense, design="kout(reorganise=off)+async+halve")
    strided = np.arange(20)[::2]
    cc_rapids.components((strided, strided))
    for dtype in (np.int64, np.uint64):
        far = np.arange(50, dtype=dtype) * dtype(2**40)
        cc_rapids.components((far, far[::-1].copy()), vertices=far).labels()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cc_rapids.slots.FEW", 10)
        patch.setattr("cc_rapids.spans.LONG", 10)
        patch.setattr("cc_rapids.ways.SMALL", 0)
        few = np.arange(60)
        for ids in (few, few * 100, few * 2**35):
            cc_rapids.components((ids, ids[::-1].copy())).labels()


def touch_batches():
    """Insertions and queries."""
    src, dst = np.array([1, 5, 9, 9]), np.array([5, 1, 12, 9])
    for design in ("none+async+halve", "none+jtb+two-try-split", "none+rem-cas+splice"):
        seen = cc_rapids.Connectivity(design=design, engine="cuda").insert((src, dst))
        seen.process((src, dst), query=src > 5)
        seen.connected((src, dst))
        seen.components()


def declared():
    """The names of all kernels in the files of algorithms."""
    for room in ("kernels", "algorithms", "passes"):
        for path in (ROOT / "cc_rapids" / room).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef) and any(
                    ast.unparse(mark) in ("on.each", "on.sweep") for mark in node.decorator_list
                ):
                    yield node.name


def faults(task):
    """What is wrong with each kernel of a share."""
    which, share, shares = task
    launched, chosen = launches(which)
    found = []
    for key in sorted(launched, key=str)[share::shares]:
        kernel, signature = launched[key], key[2]
        name = f"{kernel.part.function.__name__}{signature}"
        ptx = compiler.to_ptx(kernel, signature, CAPABILITIES[0])
        made = [(capability, compiler.link(ptx, capability)) for capability in CAPABILITIES]
        if key in chosen:
            made += [(c, compiler.compile_kernel(kernel, signature, c)) for c in CAPABILITIES]
        for capability, binary in made:
            taken = binary.stack, binary.spills, binary.local
            if taken != (0, 0, 0) or not 0 < binary.registers <= REGISTERS:
                figures = f"{binary.registers} registers, stack, spills and local memory {taken}"
                found.append(f"{name} on sm_{capability[0]}{capability[1]}: {figures}")
    return found


def test_kernels_compile_without_spills_or_local_memory(request):
    which = request.config.getoption("--designs")
    shares = os.cpu_count() or 1
    with multiprocessing.get_context("spawn").Pool(shares) as pool:
        found = pool.map(faults, [(which, k, shares) for k in range(shares)], chunksize=1)
    assert [fault for share in found for fault in share] == []


def test_every_kernel_is_launched_by_something():
    launched, _ = launches("pairs")
    names = {kernel.part.function.__name__ for kernel in launched.values()}
    assert set(declared()) <= names


def test_a_binary_survives_its_bytes():
    start = kernels.forest.start(engines.get("threads"), np.uint32)
    binary = compiler.compile_kernel(start, ("uint32[::1]",), (9, 0))
    assert binary.cubin[:4] == b"\x7fELF"
    assert compiler.Binary.from_bytes(binary.to_bytes()) == binary
