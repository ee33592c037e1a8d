"""Measured sizes at which runs switch between methods.

None of them changes an answer: they are where one way becomes faster than another, or how much is
done at a time. Tests and measurements set them for a while by :meth:`Tuning.override`; what is
compiled into a kernel is a constant beside that kernel. A name in brackets is a page of
docs/design/decisions; a name with ``.jsonl`` is one of benchmarks/records.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Tuning:
    """The sizes at which runs switch between methods, each with its unit below.

    Attributes
    ----------
    thread_chunk : int
        Indices that a CPU thread takes at a time: few enough to balance, enough to pay for their
        call. [rows], threads.jsonl.
    single_block_sum : int
        Blocks of a bit set whose ranks one block of threads sums; more are summed in runs. [host].
    frequent_root_vertices : int
        Vertices from which on a launch of its own marks the roots that most of them share, as
        threads that meet at one bit cost more than it does. Chosen; not measured by itself.
    giant_probes : int
        Vertices that are looked at to find the largest tree of a sample, or one of high degree.
        [samples].
    split_finish_edges : int
        Edges of a list that is linked in two parts after a sample, so that the host makes room for
        the answer while the last part is linked. [host].
    staged_neighbours : float
        Neighbours that a vertex of the first blocks has among these, where edges are linked in
        stages. Chosen: 85 % of a random graph are then in one tree. [several-gpus].
    bfs_alpha, bfs_beta : int
        Edges left for one of the next depth, from which on a search goes from below, and vertices
        for one of a depth, from which on from above again. Beamer et al. 2012.
    matrix_block_cells : int
        Cells of an adjacency matrix that the array library looks at together: 16 MiB. papers.jsonl.
    owner_searches : int
        Searches of one thread a component that a CPU thread takes at a time. papers.jsonl.
    small_id_range : int
        Ids between the least and the greatest that are given a word each without a second look:
        4 MiB. ids.jsonl.
    estimated_ids : int
        Ids from which on their number is estimated before a hash table is made for them. ids.jsonl.
    hashed_at_once : int
        Edges of a list, at most, for whose ids the launch that scans them has a hash table ready:
        some 3 MiB. [short-lists].
    spread_sample_ids : int
        Ids of a column that are looked at to see whether ids are spread evenly. [ids].
    blocked_ids : int
        Ids from which on the slots of a hash table are found block by block of it, where edges may
        be in any order: a table of 100 MiB, which no cache holds. [ids].
    library_strings : int
        Strings of all columns, at most, that PyArrow numbers on threads: its kernels are there, and
        ours, ten of them, need compiling. [strings].
    library_vertices : int
        Vertices of a forest on threads, at most, that NumPy counts and gathers. [compiling].
    sampled_scan_edges : int
        Edges from which on the range of ids is guessed by some rows. [ids].
    order_probes : int
        Rows of such a list at which its order is seen. [order].
    range_margin_ids : int
        Ids by which a guessed range is widened, beside a 256th of itself. [ids].
    lookup_slots, lookup_slots_per_vertex : int
        Slots of a table by which an audit finds vertices by their ids, at most, or so many times
        the number of vertices if that is more. audit.jsonl.
    held_ids_per_lookup : int
        Sorted ids for each id that is looked up among them, up to which all of them are indexed
        first. dedup.jsonl.
    group_slots_per_row : int
        Possible groups for each row, beyond which groups are numbered anew. dedup.jsonl.
    batch_window_edges : int
        Edges of batches of one kind that are borrowed together. [batches].
    iterated_rows : int
        Vertices that are copied to the host together while the caller iterates over components.
        Chosen: 8 MiB of int64, so that a GPU is asked once for many components.
    joined_batch_edges : int
        Edges of batches that are joined as one, so that the host costs as much as one.
        [batches].
    checkpoint_items : int
        Items of a stream that a checkpoint can tell apart; of those beyond it has one hash. Chosen,
        not measured: 4,096 make a checkpoint 200 KiB longer.
    progress_call_seconds : float
        Seconds between calls of a caller's function for progress. Chosen for people.
    text_block_bytes : int
        Bytes of a delimited file that are parsed at a time. streams.jsonl.
    quote_window_bytes : int
        Bytes of a delimited file in which quotes are looked for at a time. Chosen: fits a cache.
    light_edges_per_vertex : float
        Edges for each vertex, from four times as many of which on a spanning forest by weight is
        found of the lightest first, so that most others are dropped. forest_bands.jsonl, and of a
        GPU experiments.jsonl.
    light_bands : int
        Bands of edges before the last, each ending after twice as many as the one before.
        forest_bands.jsonl.
    networkx_nodes : int
        Nodes from which on NetworkX hands a graph over by itself. networkx_gain.jsonl.
    written_piece_edges : int
        Edges that the command line makes and writes at a time: 16 MiB of int64. Chosen.
    silent_seconds : float
        Seconds of work within which the command line shows no bar. Chosen for people.
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
            There is nothing of such a name; nothing is changed then.

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
