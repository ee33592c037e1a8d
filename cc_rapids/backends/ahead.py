"""Ahead-of-time compilation of kernels, for CPU threads or for a GPU that need not be present."""

from __future__ import annotations

from . import compile as compiler
from . import kernel_times, threads
from .base import Kernel
from .compile import Signature

Capability = tuple[int, int]


def compile_kernel(kernel: Kernel, signature: Signature, capability: Capability | None) -> bool:
    """Store a kernel for argument types in the kernel cache; return whether it was compiled.

    It is not compiled if its machine code is cached already, or can be linked from PTX in the
    wheel. ``capability`` is the compute capability of a GPU; None for CPU threads.
    """
    with kernel_times.watched() as times:
        if capability is None:
            threads.compile_kernel(kernel, signature)
        else:
            compiler.stored(kernel, signature, capability)
    return times.compiled > 0
