"""Measured thresholds at which runs switch between methods.

None of them changes an answer: they select the faster method or set a batch size. Tests and
measurements change them temporarily with :meth:`Tuning.override`. A size that decides nothing is a
constant where it is used. A name in brackets is a page of docs/design/decisions; a
name with ``.jsonl`` is a file of benchmarks/records.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Tuning:
    """The thresholds at which runs switch between methods.

    Attributes
    ----------
    split_finish_edges : int
        Edges from which a list is linked in two parts after a sample. The host allocates the answer
        while the second part is linked. [host].
    small_id_range : int
        Size of the id range up to which each id gets a word directly: 4 MiB. ids.jsonl.
    estimated_ids : int
        Ids from which their number is estimated before a hash table is allocated. ids.jsonl.
    hashed_at_once : int
        The most edges for which the launch that scans the ids also builds a hash table: some 3 MiB.
        [short-lists].
    blocked_ids : int
        Ids from which lookups in a hash table are grouped by block of the table if edges may be in
        any order: the table has 100 MiB, more than any cache. [ids].
    library_strings : int
        The most strings, over all columns, that PyArrow numbers on threads. Its kernels are already
        compiled; the ten kernels of this package are not. [strings].
    library_vertices : int
        The most vertices of a forest on threads that NumPy counts and gathers. [compiling].
    sampled_scan_edges : int
        Edges from which the id range is estimated from a sample of rows. [ids].
    batch_window_edges : int
        Edges of batches of one kind that are borrowed at once. [batches].
    joined_batch_edges : int
        The most edges of batches that are joined into one, to pay the host's overhead once.
        [batches].
    """

    split_finish_edges: int = 1 << 22
    small_id_range: int = 1 << 20
    estimated_ids: int = 1 << 16
    hashed_at_once: int = 1 << 15
    blocked_ids: int = 8_000_000
    library_strings: int = 1 << 17
    library_vertices: int = 1 << 17
    sampled_scan_edges: int = 1 << 20
    batch_window_edges: int = 1 << 23
    joined_batch_edges: int = 1 << 20

    @contextmanager
    def override(self, **values: float) -> Iterator[None]:
        """Set some values in a context, for all threads of this process.

        Raises
        ------
        TypeError
            A name is unknown; no value is changed.

        Examples
        --------
        >>> with tuning.override(blocked_ids=256):
        ...     tuning.blocked_ids
        256
        >>> tuning.blocked_ids
        8000000
        """
        unknown = values.keys() - vars(self).keys()
        if unknown:
            raise TypeError(f"there is no tuning of {', '.join(sorted(unknown))}")
        before = {name: getattr(self, name) for name in values}
        try:
            vars(self).update(values)
            yield
        finally:
            vars(self).update(before)


tuning = Tuning()
