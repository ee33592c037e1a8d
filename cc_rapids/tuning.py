"""Measured thresholds at which runs switch between methods.

None of them changes an answer: they select the faster method or set a batch size. Tests and
measurements change them temporarily with :meth:`Tuning.override`. Constants that are compiled into
a kernel are defined next to that kernel. A name in brackets is a page of docs/design/decisions; a
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
    thread_chunk : int
        Indices per chunk of a CPU thread: small enough to balance the load, large enough to hide
        the cost of a call. [rows], threads.jsonl.
    single_block_sum : int
        Blocks of a bit set whose ranks one thread block sums; more are summed in runs. [host].
    frequent_root_vertices : int
        Vertices from which a separate launch marks the most frequent roots. For fewer vertices, the
        contention of threads on one bit costs less than the launch. Chosen, not measured.
    giant_probes : int
        Vertices sampled to find the largest tree of a sample, or a vertex of high degree.
        [samples].
    split_finish_edges : int
        Edges from which a list is linked in two parts after a sample. The host allocates the answer
        while the second part is linked. [host].
    staged_neighbours : float
        Mean degree within the first blocks of edges, if edges are linked in stages. Chosen: 85 % of
        a random graph are then in one tree. [several-gpus].
    bfs_alpha, bfs_beta : int
        The parameters of a direction-optimising search (Beamer et al. 2012): it switches to
        bottom-up steps if the frontier has more than 1 / alpha of the remaining edges, and back if
        it has fewer than 1 / beta of the vertices.
    matrix_block_cells : int
        Cells of an adjacency matrix per array operation: 16 MiB. papers.jsonl.
    owner_searches : int
        Searches, each of one component, per chunk of a CPU thread. papers.jsonl.
    small_id_range : int
        Size of the id range up to which each id gets a word directly: 4 MiB. ids.jsonl.
    estimated_ids : int
        Ids from which their number is estimated before a hash table is allocated. ids.jsonl.
    hashed_at_once : int
        The most edges for which the launch that scans the ids also builds a hash table: some 3 MiB.
        [short-lists].
    spread_sample_ids : int
        Ids sampled from a column to test whether ids are uniformly distributed. [ids].
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
    order_probes : int
        Rows sampled from such a list to test its order. [order].
    range_margin_ids : int
        Ids by which an estimated range is widened, in addition to 1/256 of its size. [ids].
    lookup_slots, lookup_slots_per_vertex : int
        The most slots of the table in which an audit looks up vertices by id: the larger of
        ``lookup_slots`` and ``lookup_slots_per_vertex`` times the vertices. audit.jsonl.
    held_ids_per_lookup : int
        Ratio of sorted ids to looked-up ids up to which all sorted ids are indexed first.
        dedup.jsonl.
    group_slots_per_row : int
        Possible groups per row from which groups are renumbered. dedup.jsonl.
    batch_window_edges : int
        Edges of batches of one kind that are borrowed at once. [batches].
    iterated_rows : int
        Vertices copied to the host at once while the caller iterates over components. Chosen: 8 MiB
        of int64, so that one copy serves many components.
    joined_batch_edges : int
        The most edges of batches that are joined into one, to pay the host's overhead once.
        [batches].
    checkpoint_items : int
        Items of a stream that a checkpoint hashes individually; further items share one hash.
        Chosen, not measured: 4,096 add 200 KiB to a checkpoint.
    progress_call_seconds : float
        Seconds between calls of a progress callback. Chosen for people.
    text_block_bytes : int
        Bytes of a delimited file per parsing step. streams.jsonl.
    quote_window_bytes : int
        Bytes of a delimited file per search for quotes. Chosen: fits a cache.
    light_edges_per_vertex : float
        Edges per vertex in the first band of a spanning forest by weight. Lists with at least four
        times as many edges are solved lightest band first, so that most heavier edges are dropped.
        forest_bands.jsonl; for GPUs experiments.jsonl.
    light_bands : int
        Bands of edges before the last. Each ends after twice as many edges as the previous one.
        forest_bands.jsonl.
    networkx_nodes : int
        Nodes from which NetworkX dispatches a graph automatically. networkx_gain.jsonl.
    written_piece_edges : int
        Edges that the command line generates and writes at once: 16 MiB of int64. Chosen.
    silent_seconds : float
        Seconds of work before the command line shows a progress bar. Chosen for people.
    """

    thread_chunk: int = 1 << 16
    single_block_sum: int = 1 << 14
    frequent_root_vertices: int = 1 << 16
    giant_probes: int = 256
    split_finish_edges: int = 1 << 22
    staged_neighbours: float = 2.2
    bfs_alpha: int = 14
    bfs_beta: int = 24
    matrix_block_cells: int = 1 << 22
    owner_searches: int = 64
    small_id_range: int = 1 << 20
    estimated_ids: int = 1 << 16
    hashed_at_once: int = 1 << 15
    spread_sample_ids: int = 1 << 13
    blocked_ids: int = 8_000_000
    library_strings: int = 1 << 17
    library_vertices: int = 1 << 17
    sampled_scan_edges: int = 1 << 20
    order_probes: int = 4096
    range_margin_ids: int = 4096
    lookup_slots: int = 1 << 20
    lookup_slots_per_vertex: int = 8
    held_ids_per_lookup: int = 8
    group_slots_per_row: int = 4
    batch_window_edges: int = 1 << 23
    iterated_rows: int = 1 << 20
    joined_batch_edges: int = 1 << 20
    checkpoint_items: int = 4096
    progress_call_seconds: float = 0.5
    text_block_bytes: int = 16 << 20
    quote_window_bytes: int = 1 << 20
    light_edges_per_vertex: float = 0.66
    light_bands: int = 3
    networkx_nodes: int = 100_000
    written_piece_edges: int = 1 << 20
    silent_seconds: float = 1.0

    @contextmanager
    def override(self, **values: float) -> Iterator[None]:
        """Set some values in a context, for all threads of this process.

        Raises
        ------
        TypeError
            A name is unknown; no value is changed.

        Examples
        --------
        >>> with tuning.override(thread_chunk=256):
        ...     tuning.thread_chunk
        256
        >>> tuning.thread_chunk
        65536
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
