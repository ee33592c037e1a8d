"""Every CUDA kernel compiles without a GPU, for each architecture, into registers alone."""

import os

import numpy as np
import pytest

import cc_rapids
from cc_rapids import engines
from cc_rapids.design import designs
from cc_rapids.engines import compiler
from cc_rapids.engines.threads import Threads
from cc_rapids.graphs import Csr

CAPABILITIES = [(7, 5), (8, 0), (9, 0), (10, 0), (12, 0)]

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"),
    reason="the simulator compiles nothing",
)


class Recorder(Threads):
    """An engine that notes what is launched with which types."""

    def __init__(self):
        super().__init__()
        self.launched = {}

    def launch(self, kernel, n, arguments):
        signature = compiler.signature_of(arguments)
        self.launched[kernel.part.fingerprint, signature] = kernel, signature
        super().launch(kernel, n, arguments)


def launches():
    """One launch of each kernel for each kind of ids that has code of its own."""
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "get", lambda name: recorder)
        for design in designs():
            for dtype in (np.int32, np.int64, np.uint64):
                src = np.tile(np.array([1, 5, 9, 9], dtype), 100)  # more edges than a sample takes
                dst = np.tile(np.array([5, 1, 12, 9], dtype), 100)
                found = cc_rapids.components((src, dst), vertices=src, design=design)
                for labels in ("min", "dense", "size"):
                    found.labels(labels)
        for design in ("none+async+halve", "none+jtb+two-try-split", "none+rem-cas+splice"):
            seen = cc_rapids.Connectivity(design=design, engine="cuda").insert((src, dst))
            seen.process((src, dst), query=src > 5)
            seen.connected((src, dst))
            seen.components()
        cc_rapids.components((src, dst), vertices=range(0, 30, 7)).labels()
        cc_rapids.components((src, dst), num_vertices=20).labels()
        cc_rapids.components((src, dst), vertices=[100_000]).labels()
        strided = np.arange(20)[::2]
        cc_rapids.components((strided, strided))
        for dtype in (np.int64, np.uint64):
            far = np.arange(70_000, dtype=dtype) * dtype(2**40)
            cc_rapids.components((far, far[::-1].copy()), vertices=far).labels()
        near = np.arange(70_000) * 60
        cc_rapids.components((near, near[::-1].copy())).labels()
        for dtype in (np.int32, np.int64):
            cc_rapids.components(Csr(np.array([0, 2, 2], dtype), np.array([0, 1], dtype)))
    return list(recorder.launched.values())


LAUNCHES = launches()


def test_the_launches_cover_every_kernel():
    names = {kernel.part.function.__name__ for kernel, _ in LAUNCHES}
    assert names >= {"start", "every_edge", "flatten", "span", "mark_column", "mark_range",
                     "complete", "count_blocks", "sum_runs", "add_runs", "gather", "mark_roots",
                     "largest", "mark_inside",
                     "every_other_edge", "rows", "estimate", "number_slots", "take_slots",
                     "mark_taken", "lower", "hang", "number_ranks", "members",
                     "mixed", "ask"}  # fmt: skip


@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda c: f"sm_{c[0]}{c[1]}")
def test_kernels_compile_without_spills_or_local_memory(capability):
    for kernel, signature in LAUNCHES:
        binary = compiler.compile_kernel(kernel, signature, capability)
        name = f"{kernel.part.function.__name__}{signature}"
        assert binary.cubin[:4] == b"\x7fELF", name
        assert 0 < binary.registers <= 64, name
        assert (binary.stack, binary.spills, binary.local) == (0, 0, 0), name


def test_a_binary_survives_its_bytes():
    kernel, signature = LAUNCHES[0]
    binary = compiler.compile_kernel(kernel, signature, (9, 0))
    assert compiler.Binary.from_bytes(binary.to_bytes()) == binary
