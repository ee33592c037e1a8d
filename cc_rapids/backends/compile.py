"""Compile the parts of a kernel to machine code for a GPU architecture; no GPU is needed.

numba-cuda compiles the Python source to PTX. nvJitLink, from the CUDA toolkit that Numba installs,
links the cubin and reports its registers, stack and local memory.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain
from types import SimpleNamespace
from typing import Any

from . import collector, kernel_cache, kernel_times, shipped
from .base import SHARED_WORDS, Kernel
from .memory.packing import PackedArgs

log: logging.Logger = logging.getLogger(__name__)

Signature = tuple[str, ...]  # one per argument: "i8" for an integer, "uint32[::1]" for an array
Capability = tuple[int, int]

SHARED_BLOCK_THREADS = 640  # three such blocks of 64 KiB fill an H100's multiprocessor
REGISTERS = 64  # per thread: 65,536 registers for the 1,024 threads of the largest block
LARGE_SHARED_BLOCK_THREADS = 1024  # of blocks with more shared memory, one per multiprocessor

_lock = threading.RLock()
_parts: dict[str, Any] = {}  # compiled parts by fingerprint, the same for all architectures


@dataclass(frozen=True)
class Binary:
    """A compiled kernel: its entry point, its code, and the resources that each thread needs.

    ``stack`` and ``local`` are bytes of memory, and ``spills`` are bytes of loads and stores.
    """

    entry: str
    registers: int
    stack: int
    spills: int
    local: int
    cubin: bytes

    def to_bytes(self) -> bytes:
        head = asdict(self) | {"cubin": len(self.cubin)}
        return json.dumps(head).encode() + b"\n" + self.cubin

    @classmethod
    def from_bytes(cls, content: bytes) -> Binary:
        head, cubin = content.split(b"\n", 1)
        return cls(**json.loads(head) | {"cubin": cubin})


def signature_of(arguments: tuple[Any, ...]) -> Signature:
    """Return the types of a launch's arguments: 1-d arrays (contiguous or strided) and integers."""

    def type_name(argument: Any) -> str:
        if isinstance(argument, int):
            return "i8"
        layout = "::1" if argument.strides[0] == argument.dtype.itemsize else ":"
        return f"{argument.dtype}[{layout}]"

    # One PackedArgs stands for several arrays.
    unpacked = [a.type_samples() if isinstance(a, PackedArgs) else (a,) for a in arguments]
    return tuple(map(type_name, chain.from_iterable(unpacked)))


def stored(kernel: Kernel, signature: Signature, capability: Capability) -> Binary:
    """Return a kernel's machine code from the user's kernel cache.

    Missing code is linked from the PTX in the wheel, or otherwise compiled, and then cached.
    """
    types = f"{signature} {capability} {_recipe(capability)}"
    key = f"{kernel.shape} {kernel.part.fingerprint} {types}"
    content = kernel_cache.recall(key, ".cubin")
    if content is None:
        binary = _from_shipped(kernel, signature, capability)
        if binary is None:
            with kernel_times.compiling():
                binary = compile_kernel(kernel, signature, capability)
        content = binary.to_bytes()
        kernel_cache.keep(key, ".cubin", content)
    return Binary.from_bytes(content)


@cache
def _recipe(capability: Capability) -> str:
    """Return a text that names all that determines the machine code, except the kernel."""
    return f"{kernel_cache.recipe(*shipped.SOURCES)} {shipped.digest(capability)}"


def _from_shipped(kernel: Kernel, signature: Signature, capability: Capability) -> Binary | None:
    """Return a kernel linked from the PTX in the wheel, or None if there is none that links."""
    ptx = shipped.ptx_of(kernel, signature, capability)
    if ptx is None:
        return None
    try:
        return link(ptx, capability)
    except Exception as error:  # the linker's exceptions depend on its version
        log.info("the kernel %s is compiled again: %s", kernel.part.function.__name__, error)
        return None


def compile_kernel(kernel: Kernel, signature: Signature, capability: Capability) -> Binary:
    """Compile a kernel for a compute capability ``(major, minor)``; no such GPU is needed."""
    return link(to_ptx(kernel, signature, capability), capability)


def threads_per_block(shared_words: int) -> int:
    """Return the threads of a block kernel that has this many words of shared memory."""
    return SHARED_BLOCK_THREADS if shared_words <= SHARED_WORDS else LARGE_SHARED_BLOCK_THREADS


def to_ptx(kernel: Kernel, signature: Signature, capability: Capability) -> str:
    """Return the PTX of the kernel for an architecture; later architectures can also run it.

    Block kernels declare their maximum number of threads per block. The compiler then limits the
    registers of a thread, so that a multiprocessor has enough registers for all of the threads.
    """
    from numba import cuda

    from .cuda_intrinsics import ATOMS, SHAPES

    max_threads = LARGE_SHARED_BLOCK_THREADS if kernel.shape == "block_kernel" else None
    with _lock, collector.paused(), _pretend(capability):
        body = kernel.part.compiled(cuda.jit(device=True), ATOMS, _parts)
        ptx, _ = cuda.compile(
            SHAPES[kernel.shape](body),
            _kernel_type(signature),
            device=False,
            abi="numba",
            cc=capability,
            output="ptx",
            launch_bounds=max_threads,
        )
    return str(ptx)


def link(ptx: str, capability: Capability) -> Binary:
    """Link machine code for an architecture; return it with the resources that it needs.

    If a thread uses more than ``REGISTERS`` registers, the code is linked again with this limit.
    """
    binary = _link(ptx, capability)
    return binary if binary.registers <= REGISTERS else _link(ptx, capability, REGISTERS)


def _link(ptx: str, capability: Capability, registers: int | None = None) -> Binary:
    """Link once, with at most ``registers`` registers per thread; None for no limit."""
    from cuda.core import Linker, LinkerOptions, ObjectCode

    options = LinkerOptions(
        arch=f"sm_{capability[0]}{capability[1]}",
        verbose=True,
        ptxas_options=["-v"],
        max_register_count=registers,
        no_cache=True,  # the driver's cache does not report register counts
    )
    linker = Linker(ObjectCode.from_ptx(ptx.encode()), options=options)
    cubin = bytes(linker.link("cubin").code)
    report = linker.get_info_log()
    entry = re.search(r"\.entry\s+(\w+)", ptx)
    assert entry is not None, "the compiler gave no entry point"

    def sum_of(pattern: str) -> int:
        return sum(map(int, re.findall(pattern, report)))

    return Binary(
        entry=entry[1],
        registers=sum_of(r"ptxas info\s*: Used (\d+) registers"),
        stack=sum_of(r"(\d+) bytes stack frame"),
        spills=sum_of(r"(\d+) bytes spill"),
        local=sum_of(r"(\d+) bytes lmem"),
        cubin=cubin,
    )


def numba_types(signature: Signature) -> list[Any]:
    """Return Numba's types for a signature."""
    from numba import types

    def numba_type(type_name: str) -> Any:
        if "[" not in type_name:
            return types.int64
        dtype, layout = type_name.split("[")
        return types.Array(getattr(types, dtype), 1, "C" if layout == "::1]" else "A")

    return list(map(numba_type, signature))


def _kernel_type(signature: Signature) -> Any:
    """Return Numba's type of a kernel, which takes the number of indices and its arguments."""
    from numba import types

    arguments = types.StarArgTuple.from_types(numba_types(signature))
    return types.void(types.uint64, arguments)


@contextmanager
def _pretend(capability: Capability) -> Iterator[None]:
    """Return a context in which Numba compiles for a current device of the given capability.

    The argument ``cc`` of ``cuda.compile`` applies to the kernel only. The device functions that
    the kernel calls are compiled for the current device of this thread.
    """
    thread_local = _pretended_device()
    previous = getattr(thread_local, "device", None)
    thread_local.device = SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        thread_local.device = previous


@cache
def _pretended_device() -> threading.local:
    """Make Numba look for the current device in a thread-local object, and return the object.

    If its attribute ``device`` is not set in a thread, Numba uses the real device.
    """
    from numba.cuda import dispatcher

    thread_local, real = threading.local(), dispatcher.get_current_device
    dispatcher.get_current_device = lambda: getattr(thread_local, "device", None) or real()
    return thread_local
