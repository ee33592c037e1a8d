"""Record the kernels that a backend would launch, without a GPU and without a compiler.

Kernels run as plain Python on NumPy arrays, with the parameters of the backend. Each launch is
recorded with the types of its arguments. Launches for zero indices are recorded too, so a few edges
reach all phases.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from .. import backends
from . import compile as compiler
from . import cuda
from .base import Kernel
from .device_function import Atom, Part
from .threads import Threads

# Max. indices of some kernels. The first two need warps, and later phases run without their links.
# One probe of the last one suffices, because any tree may count as the largest.
MAX_INDICES = {"link_first_two": 0, "filter_edges": 0, "most_frequent": 1}


class Key(NamedTuple):
    """A kernel's shape and fingerprint, and the types of its arguments."""

    shape: str
    fingerprint: str
    signature: compiler.Signature


def _atom(change: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation that stores ``change(element, ...)`` and returns the old element."""

    def operation(array: Any, i: Any, *values: Any) -> Any:
        before = array[i]
        array[i] = change(before, *values)
        return before

    return operation


ATOMS: dict[str, Any] = {
    "atomic_cas": _atom(lambda stored, old, new: new if stored == old else stored),
    "atomic_add": _atom(lambda stored, value: stored + stored.dtype.type(value)),
    "atomic_min": _atom(min),
    "atomic_max": _atom(max),
    "atomic_or": _atom(lambda stored, value: stored | value),
    "memory_fence": lambda: None,
    "block_sync": lambda: None,
    "grid_sync": lambda array, i: None,
    "warp_ballot_rank": lambda flag: (0, int(flag)),
    "warp_sync": lambda: None,
    "load_streaming": lambda array, i: array[i],
    "prefetch": lambda array, i: None,
    "warp_shuffle_xor": lambda value: value,
}
ATOMS |= {
    "block_reduce_add": ATOMS["atomic_add"],
    "block_reduce_min": ATOMS["atomic_min"],
    "block_reduce_max": ATOMS["atomic_max"],
}


class ThreadsRecording(Threads):
    """Recording backend with the parameters of CPU threads.

    ``launched`` maps keys to launched kernels.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_compiled = True
        self.launched: dict[Key, Kernel] = {}

    def shaped(self, shape: str, function: FunctionType) -> Kernel:
        return _AlwaysLaunched(self, shape, Part(function))

    def launch(self, kernel: Kernel, n: int, arguments: tuple[Any, ...]) -> None:
        signature = compiler.signature_of(arguments)
        self.launched.setdefault(Key(kernel.shape, kernel.part.fingerprint, signature), kernel)
        body = kernel.compiled.get("plain")
        if body is None:
            body = kernel.part.compiled(lambda function: function, ATOMS)
            kernel.compiled["plain"] = body
        max_indices = MAX_INDICES.get(kernel.part.function.__name__, n)
        run_plainly(kernel, body, min(n, max_indices), arguments)


class RecordingBackend(ThreadsRecording):
    """Recording backend with the parameters of a GPU, on NumPy arrays."""

    name = cuda.Cuda.name
    threads_per_row: int = cuda.Cuda.threads_per_row
    warp_size: int = cuda.Cuda.warp_size
    samples: bool = cuda.Cuda.samples
    goes_on: bool = cuda.Cuda.goes_on
    finds_in_blocks: bool = cuda.Cuda.finds_in_blocks
    few_by_library: bool = cuda.Cuda.few_by_library
    merges_in_order: bool = cuda.Cuda.merges_in_order
    warp_shuffle_xor: Atom | None = cuda.Cuda.warp_shuffle_xor
    prefetch: Atom | None = cuda.Cuda.prefetch


def run_plainly(kernel: Kernel, body: Callable[..., None], n: int, arguments: Any) -> None:
    """Run the plain function of a kernel for n indices, by a single thread."""
    values = [np.int64(a) if isinstance(a, int) else a for a in arguments]
    if kernel.shape == "block_kernel":  # the thread, the number of threads, and shared memory
        values = [np.uint64(0), np.uint64(1), np.empty(kernel.shared_words, np.uint32), *values]
    if kernel.shape in ("elementwise", "block_kernel"):
        for i in range(n):
            body(np.uint64(i), *values)
    elif n:
        body(np.uint64(0), np.uint64(n), np.uint64(1), *values)  # first, end and step


class OneLaunchRecording(RecordingBackend):
    """A recording backend with the GPU's parameters, for lists solved in one launch."""

    in_one_launch = True


class _AlwaysLaunched(Kernel):
    """A kernel that is launched for zero indices, too, so that the launch is recorded."""

    def __call__(self, n: int, *arguments: Any) -> None:
        self.backend.launch(self, n, arguments)


@contextmanager
def recorded_launches(kind: type[ThreadsRecording] = RecordingBackend) -> Iterator[Any]:
    """Replace every backend by an instance of ``kind``, which records launches, and yield it."""
    backend = kind()
    with mock.patch.object(backends, "opened", return_value=backend), warnings.catch_warnings():
        # integers wrap around, as they do on the GPU
        warnings.filterwarnings("ignore", ".*overflow encountered", RuntimeWarning)
        yield backend
