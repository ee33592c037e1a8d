"""The operations that kernels are written in: one list for backends, authors and documentation.

A kernel is a Python function over 1-d arrays and unsigned integers. Its factory is given a backend,
``on``, and takes from it what stands here. There is no order between the indices of one kernel, and
every kernel sees all that earlier ones wrote.
"""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """An operation of a backend: its signature, and what a kernel may rely on."""

    call: str
    meaning: str

    @property
    def name(self) -> str:
        """The attribute of a backend."""
        return self.call.partition("(")[0]


#: The words by theme, in the order in which one meets them.
THEMES = {
    "Functions and kernels": (
        Word("device(f)", "A function that other device functions and kernels may call."),
        Word("elementwise(f)", "A kernel that runs ``f(i, *arrays)`` for each ``i < n``."),
        Word(
            "grid_stride(f)",
            "A kernel that runs ``f(first, n, step, *arrays)`` once a thread, for its share"
            " ``first, first + step, ... < n``; together the shares are ``0 .. n - 1``.",
        ),
        Word("single_block(f)", "The same, by threads all of which may wait for each other."),
        Word("cooperative(f)", "The same, by the threads of as many blocks as can run at once."),
        Word(
            "block_kernel(w)(f)",
            "A kernel that runs ``f(k, t, step, near, *arrays)`` in each block ``k < n``, once for"
            " each ``t`` of its ``step`` threads. These may wait for each other, and share the"
            " ``w`` words of 32 bits of ``near``, of any content at first.",
        ),
        Word("largest_tiles()", "How many blocks run at once that share as much as there is."),
    ),
    "Atomic operations": (
        Word(
            "atomic_cas(array, i, old, new)",
            "Store ``new`` if the element is ``old``, as one step (compare-and-swap). All atomic"
            " operations return what the array held before.",
        ),
        Word("atomic_add(array, i, value)", "Add to an element, as one step."),
        Word("atomic_min(array, i, value)", "Lower an element to a value, as one step."),
        Word("atomic_max(array, i, value)", "Raise an element to a value, as one step."),
        Word("atomic_or(array, i, value)", "Set bits of an element, as one step."),
        Word(
            "block_reduce_add(array, i, value)",
            "Add what every thread of a grid-stride kernel brings, each once and with the same"
            " ``i``: neighbours may be combined first. Nothing is returned.",
        ),
        Word("block_reduce_min(array, i, value)", "The same for the least value."),
        Word("block_reduce_max(array, i, value)", "The same for the greatest value."),
    ),
    "Waiting": (
        Word(
            "block_sync()",
            "Wait for all threads of a block, each of which calls it: what any wrote before it, all"
            " see after it.",
        ),
        Word(
            "grid_sync(array, i)",
            "Wait for all threads of a cooperative kernel, by an element of its own, all bits of"
            " which are set before the launch.",
        ),
        Word("warp_sync()", "Wait for all threads of a warp, each of which calls it."),
        Word(
            "memory_fence()",
            "Let all that this thread wrote before it be seen before what it writes after it, and"
            " read nothing after it that is older than what was read before.",
        ),
    ),
    "Threads side by side": (
        Word("warp_size", "How many threads of a block, side by side, run together: 1 on a CPU."),
        Word("max_block_size", "How many threads a block of a cooperative kernel has, at most."),
        Word("threads_per_row", "How many threads had better share a row of an adjacency list."),
        Word(
            "warp_ballot_rank(flag)",
            "How many threads before this one in its warp raise the flag, and how many in all; each"
            " thread of the warp calls it.",
        ),
        Word(
            "warp_shuffle_xor(value)",
            "What threads ``2 t`` and ``2 t + 1`` give each other, where all of a warp call it;"
            " None on a backend without warps.",
        ),
    ),
    "Caches": (
        Word(
            "load_streaming(array, i)",
            "An element that no thread reads again before the caches are full.",
        ),
        Word(
            "prefetch(array, i)",
            "Say that an element is read or written soon; it need not be one of the array. None on"
            " a backend that hides the wait by other threads.",
        ),
    ),
}

#: The same by name.
WORDS = {word.name: word for words in THEMES.values() for word in words}
