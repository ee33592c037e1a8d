"""Compilation of kernels before they are launched, for a backend that may not be here."""

from __future__ import annotations

from . import compile as compiler
from . import kernel_times, threads
from .base import Kernel
from .compile import Signature

Capability = tuple[int, int]


def compile_kernel(kernel: Kernel, signature: Signature, capability: Capability | None) -> bool:
    """Compile a kernel into the kernel cache; return whether it had to be compiled.

    Parameters
    ----------
    capability : (int, int), optional
        The compute capability of a GPU, whether or not such a one is here; CPU threads without.
    """
    with kernel_times.watched() as times:
        if capability is None:
            threads.compile_kernel(kernel, signature)
        else:
            compiler.stored(kernel, signature, capability)
    return times.compiled > 0
