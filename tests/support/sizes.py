"""Sizes that tests change for a while: constants of modules."""

from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np

CONSTANTS = {  # the modules that hold them, and their names there
    "batch_window_edges": ["solver.choose.BATCH_WINDOW_EDGES"],
    "bfs_alpha": ["algorithms.literature.search.ALPHA"],
    "blocked_ids": ["kernels.id_blocks.LEAST_IDS"],
    "checkpoint_items": ["incremental.checkpoint.NOTED_ITEMS"],
    "descending_share": ["ids.encode.DESCENDING_SHARE"],
    "estimated_ids": ["ids.hash_table.ESTIMATED_IDS"],
    "frequent_root_vertices": ["kernels.giant.MANY_VERTICES"],
    "gathers_ahead": ["options.GATHERS_AHEAD"],
    "giant_min_probes": ["kernels.giant.MIN_PROBES"],
    "giant_probes": ["kernels.giant.PROBES"],
    "group_slots_per_row": ["results.best.SLOTS_PER_ROW"],
    "hashed_at_once": ["solver.choose.HASHED_AT_ONCE"],
    "ids_per_lookup": ["ids.decoders.IDS_PER_LOOKUP", "ids.strings.IDS_PER_LOOKUP"],
    "iterated_rows": ["results.preview.ITERATED_ROWS"],
    "joined_batch_edges": ["solver.choose.JOINED_BATCH_EDGES"],
    "library_strings": ["ids.strings.LIBRARY_STRINGS"],
    "library_sum": ["graph.forest.LIBRARY_SUM"],
    "library_vertices": ["graph.forest.LIBRARY_VERTICES"],
    "light_bands": ["algorithms.boruvka.LIGHT_BANDS"],
    "light_edges_per_vertex": ["algorithms.boruvka.LIGHT_EDGES_PER_VERTEX"],
    "lookup_slots": ["verify.vertex_lookup.LEAST_SLOTS"],
    "lookup_slots_per_vertex": ["verify.vertex_lookup.SLOTS_PER_VERTEX"],
    "matrix_block_cells": ["algorithms.literature.dense.BLOCK_CELLS"],
    "networkx_nodes": ["integrations.networkx.MIN_NODES"],
    "one_launch_edges": ["solver.choose.ONE_LAUNCH_EDGES"],
    "order_probes": ["ids.encode.ORDER_PROBES"],
    "owner_searches": ["algorithms.literature.owner.SEARCHES"],
    "paged_rows": ["ids.encode.PAGED_ROWS"],
    "progress_call_seconds": ["incremental.progress.CALL_SECONDS"],
    "quote_window_bytes": ["data.files.quoted.WINDOW"],
    "range_margin_ids": ["graph.memory_bound.MARGIN_IDS"],
    "sampled_scan_edges": ["ids.encode.SAMPLED_EDGES"],
    "silent_seconds": ["tools.cli.show.SILENT_SECONDS"],
    "single_block_sum": ["graph.forest.SINGLE_BLOCK_SUM"],
    "small_id_range": ["ids.encode.SMALL_RANGE"],
    "spelled_codes": ["ids.spelled.MAX_CODES"],
    "split_finish_edges": ["solver.choose.SPLIT_EDGES"],
    "spread_sample_ids": ["ids.hash_table.SPREAD_SAMPLE"],
    "staged_edges_per_vertex": ["algorithms.auto.STAGED", "solver.spreading.STAGED"],
    "staged_neighbours": ["algorithms.staged.NEIGHBOURS"],
    "text_block_bytes": ["data.files.delimited.BLOCK"],
    "thread_chunk": ["backends.threads.CHUNK"],
    "uncompiled_rows": ["backends.base.UNCOMPILED_ROWS"],
    "written_piece_edges": ["tools.cli.convert.PIECE_EDGES", "tools.cli.generate.PIECE_EDGES"],
}

# Each probe is compared with all others, which took a third of the time of the simulator
ON_SIMULATOR = {"giant_probes": 32, "giant_min_probes": np.int64(8)}

# Values that switch off all fast paths
NEVER = 1 << 62
WITHOUT_FAST_PATHS = dict.fromkeys(
    (
        *("sampled_scan_edges", "estimated_ids", "blocked_ids", "split_finish_edges"),
        *("descending_share", "frequent_root_vertices", "staged_edges_per_vertex"),
        "paged_rows",
    ),
    NEVER,
) | dict.fromkeys(
    (
        *("one_launch_edges", "hashed_at_once", "library_strings", "library_vertices"),
        *("uncompiled_rows", "batch_window_edges", "joined_batch_edges"),
        *("gathers_ahead", "light_bands", "spelled_codes"),
    ),
    0,
)


@contextmanager
def override(**values):
    """Set sizes in a context, in all modules that hold them."""
    with ExitStack() as stack:
        for name, value in values.items():
            for place in CONSTANTS[name]:
                stack.enter_context(mock.patch(f"cc_rapids.{place}", value))
        yield
