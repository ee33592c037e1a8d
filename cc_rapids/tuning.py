"""Measured thresholds at which runs switch between methods.

None of them changes an answer: they select the faster method or set a batch size. Tests and
measurements change them temporarily with :meth:`Tuning.override`. A size that decides nothing is a
constant where it is used. A name in brackets is a page of docs/design/decisions; a
name with ``.jsonl`` is a file of benchmarks/records.

Each fast path can be switched off by a value; :data:`WITHOUT_FAST_PATHS` switches off all:

- one launch for a short list on a GPU, and its hash table: ``one_launch_edges`` and
  ``hashed_at_once`` of 0;
- a range of ids that is estimated from a sample: ``sampled_scan_edges`` of ``NEVER``;
- hash tables of an estimated size, or in the order of the ids: ``estimated_ids`` of ``NEVER``;
- lookups grouped by block of the hash table: ``blocked_ids`` of ``NEVER``;
- few strings and vertices by PyArrow and NumPy: ``library_strings`` and ``library_vertices`` of 0;
- short lists without compiled kernels: ``uncompiled_rows`` of 0;
- a list that is linked in two parts: ``split_finish_edges`` of ``NEVER``;
- batches that are borrowed and joined together: ``batch_window_edges`` and ``joined_batch_edges``
  of 0.
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
        The fewest edges of a list that is linked in two parts after a sample. The host allocates
        the answer while the second part is linked. [host].
    small_id_range : int
        The largest id range in which each id gets a word directly: 4 MiB. ids.jsonl.
    one_launch_edges : int
        The most edges of a list that a GPU solves in one launch. [short-lists].
    estimated_ids : int
        The fewest ids of an edge list whose distinct ids are estimated before a hash table is
        allocated. ids.jsonl.
    hashed_at_once : int
        The most edges for which the launch that scans the ids also builds a hash table:
        about 3 MiB. [short-lists].
    blocked_ids : int
        The fewest ids whose lookups in a hash table are grouped by block of the table, if edges may
        be in any order. The table then has 100 MiB, more than any cache. [ids].
    library_strings : int
        The most strings, over all columns, that PyArrow numbers on threads. Its kernels are already
        compiled; the ten kernels of this package are not. [strings].
    library_vertices : int
        The most vertices of a forest on threads that NumPy counts and gathers. [compiling].
    uncompiled_rows : int
        The most rows of a list that NumPy, SciPy and PyArrow solve on threads until the kernels are
        compiled. [compiling].
    sampled_scan_edges : int
        The fewest edges whose id range is estimated from a sample of rows. [ids].
    batch_window_edges : int
        The number of edges, in batches of one kind, that are borrowed at once. [batches].
    joined_batch_edges : int
        The most edges of batches that are joined into one, to pay the host's overhead once.
        [batches].
    """

    split_finish_edges: int = 1 << 22
    small_id_range: int = 1 << 20
    one_launch_edges: int = 4_000_000 - 1
    estimated_ids: int = 1 << 16
    hashed_at_once: int = 1 << 15
    blocked_ids: int = 8_000_000
    library_strings: int = 1 << 17
    library_vertices: int = 1 << 17
    uncompiled_rows: int = 1 << 18
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

NEVER = 1 << 62
WITHOUT_FAST_PATHS = dict.fromkeys(
    ("sampled_scan_edges", "estimated_ids", "blocked_ids", "split_finish_edges"), NEVER
) | dict.fromkeys(
    (
        *("one_launch_edges", "hashed_at_once", "library_strings", "library_vertices"),
        *("uncompiled_rows", "batch_window_edges", "joined_batch_edges"),
    ),
    0,
)
