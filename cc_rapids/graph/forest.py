"""The forest: the parents and bit sets of a run, the rows of answers, and ranks in sets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..backends import SINGLE_BLOCK_THREADS, Array, Backend, pack_layout
from ..kernels import find, gather, lookup, scan
from ..kernels import forest as trees
from ..kernels.primitives import RANK_BLOCK, WORD
from ..kernels.shared_filter import IDS, words_for
from . import memory_bound
from .memory_bound import WIDER, slack, word_for
from .speculative_rows import SpeculativeRows

# Names in brackets are pages of docs/design/decisions.
SINGLE_BLOCK_SUM = 1 << 14  # max. ranks that one block of threads sums, see [host]
RUN = 32  # values that one thread sums
LIBRARY_SUM = 1 << 20  # min. values that CuPy sums on a GPU, see [host]
SHARE = RANK_BLOCK * WORD  # vertices of a block of words, which has one rank


def blocks_of(words: int) -> int:
    """Return the number of ranks of a bit set: one per block of words, and one for the total."""
    return -(-words // RANK_BLOCK) + 1


def rank(backend: Backend, words: Array, before: Array) -> None:
    """Fill ``before`` with the number of members of the set before each block of words."""
    if not words.size:
        backend.fill(before, 0)
        return
    backend.kernel(scan.count_blocks)(before.size - 1, words.size, words, before)
    running_sums(backend, before)


def running_sums(backend: Backend, values: Array) -> None:
    """Replace an array of unsigned integers by its inclusive prefix sums.

    A single block of threads scans a short array. A long array is divided into runs: each thread
    sums one run, and the sums of the runs are scanned in the same way. On a GPU, CuPy scans the
    longest arrays.
    """
    if backend.on_device and values.size >= LIBRARY_SUM:
        backend.xp.cumsum(values, dtype=values.dtype, out=values)
        return
    levels = []
    while values.size > SINGLE_BLOCK_SUM:
        sums = backend.empty(-(-values.size // RUN), values.dtype)
        backend.kernel(scan.sum_runs)(sums.size, RUN, values.size, values, sums)
        levels.append((values, sums))
        values = sums
    scratch = backend.empty(SINGLE_BLOCK_THREADS, np.uint64)
    backend.kernel(scan.sum_all)(values.size, values, scratch)
    for values, sums in reversed(levels):
        backend.kernel(scan.add_runs)(values.size, RUN, sums, values)


ARENA_BYTES = 1 << 16  # bytes allocated with a forest for the small arrays of its run
MOST_BYTES_OF_BITS = 1 << 22  # largest bit set that is kept for the life of a forest
LIBRARY_VERTICES = 1 << 17  # max. vertices that NumPy counts and gathers on threads, [compiling]
PIECE = 1 << 14  # vertices that NumPy counts together, which limits temporary memory
LOW_64 = (1 << 64) - 1  # ids wrap around modulo 2^64, as in kernels
LATER = ("parent", "present", "_before", "vertices", "components")  # see Forest.count_later


def check_parents(parent: Any) -> None:
    """Raise a ValueError unless an array holds a flat forest.

    The parent of each vertex must be the least vertex of its tree. In any other array, a climb
    might leave the array or never end.
    """
    if parent.dtype != (np.uint32 if parent.size < 1 << 32 else np.uint64):
        raise ValueError(f"its {parent.size:,} labels are {parent.dtype}")
    wrong = parent > np.arange(parent.size, dtype=parent.dtype)
    if not wrong.any():
        wrong = parent[parent] != parent
    if wrong.any():
        v = int(np.argmax(wrong))
        raise ValueError(
            f"the label of vertex {v:,} is {parent[v]:,}, which is not the least of its component"
        )


class Forest:
    """Trees over the vertices 0 .. n - 1, some of which may not be present.

    Parameters
    ----------
    backend : Backend
        The backend of the arrays. They take 4 bytes per vertex (8 from 2^32 vertices on) plus 1.125
        bits.
    n : int
        The number of vertices, present or not.
    all_present : bool
        Whether all vertices are present, with or without an edge.
    arrays : callable, optional
        Returns the arrays of a flat forest: parent, present, ranks, and totals (vertices,
        components and ``out_of_range``). Called on first use, instead of allocating arrays. See
        :meth:`set_counts`.

    Attributes
    ----------
    parent : (n,) array of uint32 or uint64
        After solving, the root of every vertex, which is the least vertex of the tree.
    present : ((n + 31) // 32,) array of uint32
        The bit set of present vertices; :meth:`count` adds the vertices that have a parent.
    vertices, components : int
        The number of present vertices and of roots; set by :meth:`count`, or on first use after
        :meth:`count_later`.
    out_of_range : (1,) int64
        Not 0 if an edge was skipped because an endpoint is not one of the n vertices.
    complete : bool
        Whether no edge was skipped; set by :meth:`count` and :meth:`count_later`.
    """

    parent: Array
    present: Array
    out_of_range: Array
    _before: Array
    _totals: Array
    arrays: list[Array]
    _later = False  # whether flattening and counting are deferred until first use
    _device: int | None = None  # the device of the deferred work
    _finishing: threading.RLock  # held during the deferred work

    def __init__(
        self,
        backend: Backend,
        n: int,
        all_present: bool = False,
        arrays: Callable[[], Iterable[Array]] | None = None,
    ) -> None:
        self.backend = backend
        self.n = n
        words = -(-n // WORD)
        self.arena_bytes: int = 0
        self.vertex: Any = np.uint32 if n < 1 << 32 else np.uint64
        self._make_arrays = arrays
        if not arrays:
            ranks, bit_set_bytes = (-(-n // SHARE) + 1, self.vertex), 4 * words
            self.arena_bytes = ARENA_BYTES
            self.arena_bytes += bit_set_bytes if bit_set_bytes <= MOST_BYTES_OF_BITS else 0
            if n in IDS:  # "auto" may use the queues of kernels/shared_filter.py
                self.arena_bytes += 4 * words_for(backend.shared_memory_limits())
            shapes = (n, self.vertex), (words, np.uint32), ranks, (3, np.int64)
            self._keep(backend.alloc_packed(*shapes, arena_bytes=self.arena_bytes))
            backend.fill(self.present, 0xFF if all_present else 0)
            backend.fill(self._totals, 0)
        # Until kernels are compiled, NumPy processes more vertices in their place.
        few = n <= LIBRARY_VERTICES or n <= 4 * backend.uncompiled_rows
        self._is_few = backend.few_by_library and few
        self.all_present = all_present
        self.complete: bool = True
        self.vertices: int = 0
        self.components: int = 0
        self._rows: dict[Any, tuple[Array, Array]] = {}  # arguments of rows(): result

    def empty_like(self) -> Forest:
        """Return a forest of the same vertices with uninitialised arrays."""
        if self._later:
            self._finish()
        other = Forest.__new__(Forest)
        vars(other).update(vars(self), _rows={})
        other._keep(self.backend.alloc_like(self.arrays, self.arena_bytes))
        return other

    def copy_from(self, forest: Forest) -> Forest:
        """Copy the trees of ``forest``, which has the same vertices and layout; return self."""
        self.backend.copy_packed(forest.arrays, self.arrays)
        return self

    def spare(self, workspace_bytes: int) -> int:
        """Return the bytes that speculative rows may waste within :func:`cc_rapids.memory_bound`.

        The result is negative if the run exceeds the bound without these rows. The id range of a
        long list may be an estimate, so the bound is that of the smallest range for this forest.
        """
        ids = max(0, self.n - 2 * (self.n // WIDER + memory_bound.MARGIN_IDS))
        allowed_bytes = word_for(ids) * ids + ids // 8 + slack(ids)
        own_bytes = pack_layout((array.size, array.dtype) for array in self.arrays)[0]
        return allowed_bytes - own_bytes - max(workspace_bytes, self.arena_bytes)

    def _keep(self, arrays: Iterable[Array]) -> None:
        """Store the arrays of the trees under their names."""
        self.arrays = [*arrays]
        self.parent, self.present, self._before, self._totals = self.arrays
        self.out_of_range = self._totals[2:3]

    def __getattr__(self, name: str) -> Any:
        """Compute an attribute that was deferred until its first use.

        A forest from a single launch makes its arrays on first use: most callers request only the
        first rows, which need no arrays. After :meth:`count_later`, the flat trees and their counts
        are made on first use.
        """
        if name in LATER:
            if self._later:
                self._finish()
            if name in vars(self):  # this thread or another one has computed it meanwhile
                return vars(self)[name]
        # All arrays are annotated in the class.
        if name not in Forest.__annotations__ or self._make_arrays is None:
            raise AttributeError(f"a forest has no {name!r}")
        self._keep(self._make_arrays())
        return getattr(self, name)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling: all arrays, without speculative rows."""
        self._finish()
        state = {
            name: value for name, value in vars(self).items() if name not in Forest.__annotations__
        }
        return state | {"_make_arrays": None, "_rows": {}, "arrays": self.arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._keep(state.pop("arrays"))
        vars(self).update(state)

    def count(
        self,
        speculative: SpeculativeRows | None = None,
        capacity: Callable[[], int | None] | None = None,
    ) -> None:
        """Count vertices and components of the flat forest; complete ``present`` and rank it.

        The host waits only for the counts. Meanwhile the ranks are computed and the ``speculative``
        rows are gathered. ``capacity`` returns the number of rows to allocate, or None for no rows.
        The call of ``capacity`` may wait for the device. It follows the launch of all other work,
        so that memory is allocated while the device works.
        """
        if self._is_few:
            count_by_numpy(self.parent, self.present, self._before, self._totals)
            totals = self._totals
        else:
            complete = self.backend.kernel(trees.complete, self.vertex)
            octets = self.present.view(np.uint8)
            complete(octets.size, self.n, self.parent, octets, self._totals)
            read_totals = self.backend.read_async(self._totals)
            rank(self.backend, self.present, self._before)
            self.backend.leave_arena()
            max_rows = capacity() if capacity else None
            if speculative and max_rows is not None:
                self._speculate(speculative, max_rows)
            totals = read_totals()
        self.vertices, self.components, out_of_range = totals.tolist()
        self.complete = not out_of_range
        rows = speculative.accept(self.vertices) if speculative else None
        if speculative and rows:
            self._rows[speculative.id_base, rows[0].dtype] = rows

    def flatten(self) -> None:
        """Set the parent of every vertex to its root, the least vertex of the tree."""
        climb = self.backend.kernel(find.with_prefetch, self.backend.kernel(find.find_with_skip))
        self.backend.kernel(trees.flatten, climb)(self.n, self.parent, self.present)

    def count_later(self, complete: bool) -> None:
        """Defer flattening and counting until the trees or their counts are used.

        The caller has waited for all work on the trees. ``complete`` is whether no edge was
        skipped.
        """
        self.complete, self._device = complete, self.backend.device_id
        self._finishing = threading.RLock()
        for name in LATER:
            delattr(self, name)
        self._later = True

    def _finish(self) -> None:
        """Do the work deferred by :meth:`count_later`, unless it is done, and wait for it."""
        if not self._later:
            return
        with self._finishing:
            if not self._later:
                return
            backend = self.backend
            finished = Forest.__new__(Forest)  # other threads see only the finished state
            vars(finished).update(vars(self), _later=False)
            finished._keep(self.arrays)
            device = self._device
            on_device_of_forest: AbstractContextManager[Any] = nullcontext()
            if device is not None and device != backend.device_id:
                on_device_of_forest = backend.using_device(device)
            with on_device_of_forest, backend.scope():
                backend.fill(finished._totals[:2], 0)  # clear the counts of an interrupted call
                finished.flatten()
                finished.count()
                backend.synchronize()  # the ranks may be read on another stream
            vars(self).update(vars(finished))

    def _speculate(self, rows: SpeculativeRows, capacity: int) -> None:
        """Gather ``capacity`` rows before they are counted, if memory for them can be allocated."""
        dtype = rows.dtype
        try:
            gathered = self._gather(gather.min_label, rows.id_base, capacity, dtype, dtype)
        except MemoryError:
            return
        rows.offer(*gathered)

    def set_counts(self, vertices: int, components: int, low: int, rows: Sequence[Array]) -> None:
        """Set the counts, instead of :meth:`count`, if a launch computed them with the forest.

        ``rows`` are the ids and the labels of the answer, for ids that start at ``low``, or empty.
        Only the first call of :meth:`rows` returns them.
        """
        self.vertices, self.components = vertices, components
        if rows:
            ids, labels = rows
            self._rows[low, ids.dtype] = ids, labels

    @property
    def ranks(self) -> Array:
        """The number of present vertices before each block of 8 words of ``present``."""
        return self._before

    @property
    def has_rows(self) -> bool:
        """True if rows were gathered speculatively and not yet returned."""
        return bool(self._rows)

    def rows(self, low: int, dtype: Any) -> tuple[Array, Array]:
        """Return the id of each present vertex and of its root; the id of vertex 0 is ``low``.

        Returns
        -------
        two new (vertices,) arrays of ``dtype``, in the order of the vertices and in one allocation
        """
        rows = self._rows.pop((low, np.dtype(dtype)), None)
        if rows is not None:
            return rows
        if self._is_few:
            return rows_by_numpy(self.parent, self.present, low, dtype)
        return self._gather(gather.min_label, low, self.vertices, dtype, dtype)

    def rows_between(self, first: int, last: int, low: int, dtype: Any) -> tuple[Array, Array]:
        """Return the rows of :meth:`rows` for the vertices ``first .. last - 1``.

        The id of vertex 0 is ``low``, and ``first`` is a multiple of ``SHARE``.
        """
        backend = self.backend
        words, before, count = self._ranked(first, last)
        out = backend.alloc_packed((count, dtype), (count, dtype))
        unused = backend.unused(np.uint32), backend.unused(self.vertex)
        part = last - first, words, before, self.parent[first:last]
        write = backend.kernel(gather.row_of_vertex, backend.kernel(gather.min_label))
        kernel = backend.kernel(gather.gather, write)
        threads = backend.warp_size * (before.size - 1)  # a warp for each block of words
        kernel(threads, *part, low, *unused, *out)
        ids, labels = out
        ids += np.uint64(first).astype(ids.dtype)  # the kernel counts vertices from ``first``
        return ids, labels

    def slice_between(self, first: int, last: int) -> slice:
        """Return the slice of :meth:`rows` that has the result of :meth:`rows_between`."""
        *_, start = self._ranked(0, first)
        *_, count = self._ranked(first, last)
        return slice(start, start + count)

    def _ranked(self, first: int, last: int) -> tuple[Array, Array, int]:
        """Rank the vertices ``first .. last - 1``, where ``first`` is a multiple of ``SHARE``.

        Return their words of ``present``, the ranks of these words, and the number of vertices that
        are present.
        """
        words = self.present[-(-first // WORD) : -(-last // WORD)]
        before = self.backend.empty(blocks_of(words.size), self.vertex)
        rank(self.backend, words, before)
        if self.all_present:  # the ranks also count the bits beyond the last vertex
            return words, before, last - first
        return words, before, int(self.backend.to_host(before[-1:])[0])

    def dense(self, low: int, dtype: Any) -> tuple[Array, Array]:
        """Return the id of each present vertex, and the number of its component.

        The id of vertex 0 is ``low``. Components are numbered from 0 by their least vertices.

        Returns
        -------
        new (vertices,) arrays of ``dtype`` and of int32 (int64 beyond 2^31 vertices)
        """
        label_type = np.dtype(np.int32 if self.n <= 1 << 31 else np.int64)
        if self._is_few:
            return dense_by_numpy(self.parent, self.present, low, dtype, label_type)
        roots = self.backend.fill(self.backend.empty(self.present.size, np.uint32), 0)
        kernel = self.backend.kernel(gather.mark_roots, self.vertex)
        kernel(self.n, self.parent, self.present, roots)
        ranks = self.backend.empty(self._before.size, self.vertex)
        rank(self.backend, roots, ranks)
        return self._gather(gather.dense_label, low, self.vertices, dtype, label_type, roots, ranks)

    def rows_of(self, vertices: Array, valid: Array) -> tuple[Array, Array]:
        """Return for each vertex its row in :meth:`rows`, and a mask of present vertices.

        Parameters
        ----------
        vertices : (m,) array of uint64
        valid : (m,) array of bool
            False where there is no vertex to look up.

        Returns
        -------
        (m,) array of int64
            0 for vertices that are not present.
        (m,) array of bool
        """
        return self._look_up(lookup.row, vertices, valid)

    def roots_of(self, vertices: Array, valid: Array) -> tuple[Array, Array]:
        """Return for each vertex its root as int64, and a mask, like :meth:`rows_of`."""
        return self._look_up(lookup.root, vertices, valid)

    def _look_up(self, make_value: Any, vertices: Array, valid: Array) -> tuple[Array, Array]:
        """Return the result of a device function for each vertex, and a mask.

        ``make_value`` is the factory of the function. The mask is true for vertices that are
        ``valid`` and present.
        """
        backend = self.backend
        kernel = backend.kernel(lookup.look_up, self.vertex, backend.kernel(make_value))
        out, valid = backend.empty(vertices.size, np.int64), valid.astype(np.uint8)
        arrays = self.parent, self.present, self._before, out, valid
        kernel(vertices.size, vertices, self.n, *arrays)
        return out, valid.view(bool)

    def _gather(
        self, make_label: Any, low: int, capacity: int, id_type: Any, label_type: Any, *roots: Array
    ) -> tuple[Array, Array]:
        """Return the id of each present vertex, and its label, in arrays of ``capacity`` rows.

        ``make_label`` is the factory of the device function that makes the labels. ``roots`` are
        the bit set of roots and its ranks, for dense labels.
        """
        backend = self.backend
        roots = roots or (backend.unused(np.uint32), backend.unused(self.vertex))
        out = backend.alloc_packed((capacity, id_type), (capacity, label_type))
        write = backend.kernel(gather.row_of_vertex, backend.kernel(make_label))
        kernel = backend.kernel(gather.gather, write)
        threads = backend.warp_size * (self._before.size - 1)
        kernel(threads, self.n, self.present, self._before, self.parent, low, *roots, *out)
        return out[0], out[1]


# What kernels/forest.py, scan.py and gather.py compute, by NumPy on the host. A new machine would
# have to compile those kernels for a list that NumPy processes in less than a millisecond.


def count_by_numpy(parent: Array, present: Array, before: Array, totals: Array) -> None:
    """Mark vertices that have a parent as present, rank the set, and count vertices and components.

    ``before`` receives the number of present vertices before each block of words. ``totals``
    receives the numbers of vertices and components.
    """
    before[0] = 0
    for first in range(0, parent.size, PIECE):
        parents = parent[first : first + PIECE]
        words = present[first // WORD : (first + PIECE) // WORD]
        hooked = parents != np.arange(first, first + parents.size, dtype=parent.dtype)
        is_present = np.unpackbits(words.view(np.uint8), count=parents.size, bitorder="little")
        occur = is_present.view(bool) | hooked
        octets = np.packbits(occur, bitorder="little")
        words.view(np.uint8)[: octets.size] |= octets
        totals[0] += np.count_nonzero(occur)
        totals[1] += np.count_nonzero(occur & ~hooked)
        # before[k + 1] gets the number of members in block k; the running sums are the ranks
        bits, block = np.unpackbits(words.view(np.uint8)), first // SHARE + 1
        counts = np.add.reduceat(bits, np.arange(0, bits.size, SHARE), dtype=before.dtype)
        before[block : block + counts.size] = counts
    np.cumsum(before, out=before)


def rows_by_numpy(parent: Array, present: Array, low: int, dtype: Any) -> tuple[Array, Array]:
    """Return the id of each present vertex and of its root; the id of vertex 0 is ``low``."""
    is_present = np.unpackbits(present.view(np.uint8), count=parent.size, bitorder="little")
    vertices = np.flatnonzero(is_present.view(bool))  # NumPy is slower on bytes
    columns = np.empty((2, vertices.size), dtype)
    columns[0], columns[1] = vertices, parent[vertices]
    columns += np.uint64(low & LOW_64).astype(dtype)
    return columns[0], columns[1]


def dense_by_numpy(
    parent: Array, present: Array, low: int, dtype: Any, label_type: np.dtype[Any]
) -> tuple[Array, Array]:
    """Return ids of present vertices as ``dtype``, and component numbers as ``label_type``."""
    occur = np.unpackbits(present.view(np.uint8), count=parent.size, bitorder="little").view(bool)
    vertices = np.flatnonzero(occur)
    roots = occur & (parent == np.arange(parent.size, dtype=parent.dtype))
    numbers = np.cumsum(roots, dtype=label_type) - label_type.type(1)
    ids = vertices.astype(dtype)
    ids += np.uint64(low & LOW_64).astype(dtype)
    return ids, numbers[parent[vertices]]
