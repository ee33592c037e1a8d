"""The operations that kernels are written in: one list for backends, authors of kernels, and docs.

A kernel is a Python function over 1-d arrays and unsigned integers. Its factory receives a backend,
``on``, with the operations listed here. The indices of one kernel run in no particular order, and
every kernel sees everything that earlier kernels wrote.
"""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """An operation of a backend: its signature, and its meaning for kernels."""

    call: str
    meaning: str

    @property
    def name(self) -> str:
        """The name of the attribute of a backend."""
        return self.call.partition("(")[0]


#: The operations by theme, in the order in which a newcomer meets them.
THEMES: dict[str, tuple[Word, ...]] = {
    "Functions and kernels": (
        Word("device(f)", "A function that other device functions and kernels may call."),
        Word("elementwise(f)", "A kernel that runs ``f(i, *arrays)`` for each ``i < n``."),
        Word(
            "grid_stride(f)",
            "A kernel that runs ``f(first, n, step, *arrays)`` once per thread, for its indices"
            " ``first, first + step, ... < n``; together the threads cover ``0 .. n - 1``.",
        ),
        Word(
            "single_block(f)", "Like ``grid_stride`` in one block, whose threads can synchronise."
        ),
        Word(
            "cooperative(f)",
            "Like ``grid_stride``, in all blocks that can run at the same time; they can"
            " synchronise.",
        ),
        Word(
            "block_kernel(w)(f)",
            "A kernel that runs ``f(k, t, step, shared, *arrays)`` in each block ``k < n``, once"
            " for each ``t`` of its ``step`` threads. These may wait for each other, and share the"
            " array ``shared`` of ``w`` 32-bit words, which is not initialised.",
        ),
        Word(
            "shared_memory_limits()",
            "The number of blocks that run at once if each uses the maximum of shared memory, and"
            " the numbers of threads and of 32-bit words of such a block.",
        ),
    ),
    "Atomic operations": (
        Word(
            "atomic_cas(array, i, old, new)",
            "Store ``new`` if the element is ``old``, as one step (compare-and-swap). All atomic"
            " operations return the previous element.",
        ),
        Word("atomic_add(array, i, value)", "Add a value to an element, as one step."),
        Word("atomic_min(array, i, value)", "Lower an element to a value, as one step."),
        Word("atomic_max(array, i, value)", "Raise an element to a value, as one step."),
        Word("atomic_or(array, i, value)", "Set bits of an element, as one step."),
        Word(
            "block_reduce_add(array, i, value)",
            "Add the values of all threads of a grid-stride kernel to an element. Each thread calls"
            " it once, with the same ``i``. Values of neighbouring threads may be added first."
            " Returns nothing.",
        ),
        Word(
            "block_reduce_min(array, i, value)",
            "Lower an element to the least value of all threads; see ``block_reduce_add``.",
        ),
        Word(
            "block_reduce_max(array, i, value)",
            "Raise an element to the greatest value of all threads; see ``block_reduce_add``.",
        ),
    ),
    "Waiting": (
        Word(
            "block_sync()",
            "Wait for all threads of a block. Each thread calls it, and then sees what the other"
            " threads wrote before their calls.",
        ),
        Word(
            "grid_sync(array, i)",
            "Wait for all threads of a cooperative kernel. Nothing else uses the element, and all"
            " its bits are set before the launch.",
        ),
        Word("warp_sync()", "Wait for all threads of a warp. Each thread calls it."),
        Word(
            "memory_fence()",
            "Order this thread's memory accesses: other threads see its earlier writes before its"
            " later writes, and its later reads happen after its earlier reads.",
        ),
    ),
    "Warps and blocks": (
        Word("warp_size", "The number of threads of a block that run together: 1 on a CPU."),
        Word("max_block_size", "The maximum number of threads in a block of a cooperative kernel."),
        Word("threads_per_row", "The best number of threads to share a row of an adjacency list."),
        Word(
            "warp_ballot_rank(flag)",
            "Count the threads of the warp whose flag is set. Returns two counts: of the threads"
            " before this one, and of all threads. Each thread of the warp calls it.",
        ),
        Word(
            "warp_shuffle_xor(value)",
            "The value of the neighbouring thread: ``2 t`` and ``2 t + 1`` exchange values. All"
            " threads of a warp call it; None on a backend without warps.",
        ),
    ),
    "Caches": (
        Word(
            "load_streaming(array, i)",
            "Load an element that is not read again soon, without keeping it in the caches.",
        ),
        Word(
            "prefetch(array, i)",
            "Prefetch an element that is read or written soon; ``i`` may lie outside the array."
            " None on a backend that hides latency by other threads.",
        ),
    ),
}

#: The same operations by name.
WORDS: dict[str, Word] = {word.name: word for words in THEMES.values() for word in words}
