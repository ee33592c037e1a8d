"""Sizes that tests change for a while: those of cc_rapids.tuning, and constants of modules."""

from contextlib import ExitStack, contextmanager
from unittest import mock

from cc_rapids.tuning import tuning

CONSTANTS = {  # the modules that hold them, and their names there
    "bfs_alpha": ["algorithms.literature.search.ALPHA"],
    "checkpoint_items": ["incremental.checkpoint.NOTED_ITEMS"],
    "frequent_root_vertices": ["kernels.giant.MANY_VERTICES"],
    "giant_probes": ["kernels.giant.PROBES"],
    "group_slots_per_row": ["results.best.SLOTS_PER_ROW"],
    "held_ids_per_lookup": ["ids.decoders.HELD_IDS_PER_LOOKUP", "ids.strings.HELD_IDS_PER_LOOKUP"],
    "iterated_rows": ["results.preview.ITERATED_ROWS"],
    "light_bands": ["algorithms.boruvka.LIGHT_BANDS"],
    "light_edges_per_vertex": ["algorithms.boruvka.LIGHT_EDGES_PER_VERTEX"],
    "lookup_slots": ["verify.vertex_lookup.LEAST_SLOTS"],
    "lookup_slots_per_vertex": ["verify.vertex_lookup.SLOTS_PER_VERTEX"],
    "matrix_block_cells": ["algorithms.literature.dense.BLOCK_CELLS"],
    "networkx_nodes": ["integrations.networkx.LEAST_NODES"],
    "order_probes": ["ids.range.ORDER_PROBES"],
    "owner_searches": ["algorithms.literature.owner.SEARCHES"],
    "progress_call_seconds": ["incremental.progress.CALL_SECONDS"],
    "quote_window_bytes": ["data.files.quoted.WINDOW"],
    "range_margin_ids": ["graph.memory_bound.MARGIN_IDS"],
    "silent_seconds": ["tools.cli.show.SILENT_SECONDS"],
    "single_block_sum": ["graph.forest.SINGLE_BLOCK_SUM"],
    "spread_sample_ids": ["ids.hash_table.SPREAD_SAMPLE"],
    "staged_neighbours": ["algorithms.staged.NEIGHBOURS"],
    "text_block_bytes": ["data.files.delimited.BLOCK"],
    "thread_chunk": ["backends.threads.CHUNK"],
    "written_piece_edges": ["tools.cli.convert.PIECE_EDGES", "tools.cli.generate.PIECE_EDGES"],
}


@contextmanager
def override(**values):
    """Set sizes in a context, whatever holds them."""
    with ExitStack() as stack:
        for name in values.keys() & CONSTANTS.keys():
            for place in CONSTANTS[name]:
                stack.enter_context(mock.patch(f"cc_rapids.{place}", values[name]))
        tuned = {name: value for name, value in values.items() if name not in CONSTANTS}
        stack.enter_context(tuning.override(**tuned))
        yield
