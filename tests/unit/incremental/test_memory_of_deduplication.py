"""Deduplication of documents with long ids: the memory of a process per document."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.memory_growth import growth

DOCUMENTS = 400_000
BYTES = 250  # per document: 1.25 GB for 5 M documents
READING = 34_000_000  # bytes that a stream of Parquet files needs to read
LIMIT = 100_000_000  # of the stream of pairs, below that of all documents


def write(folder, documents):
    """Write documents with ids of 36 characters, and a pair for each; return their paths."""
    random, folder = np.random.default_rng(1), folder / str(documents)
    folder.mkdir()
    text = random.bytes(18 * documents).hex()
    ids = pa.array([text[k : k + 36] for k in range(0, 36 * documents, 36)])
    lengths = random.integers(0, 1000, documents)
    pq.write_table(pa.table({"id": ids, "length": lengths}), folder / "documents.parquet")
    first = random.integers(0, documents, documents)
    second = (first + random.integers(1, 4, documents)) % documents
    pairs = pa.table({"src": ids.take(pa.array(first)), "dst": ids.take(pa.array(second))})
    pq.write_table(pairs, folder / "pairs.parquet")
    return folder / "pairs.parquet", folder / "documents.parquet"


def kept_by_hand(pairs, documents):
    """Return the number of groups and of documents in no pair."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(pq.read_table(documents)["id"].to_pylist())
    graph.add_edges_from(zip(*(side.to_pylist() for side in pq.read_table(pairs)), strict=True))
    return nx.number_connected_components(graph)


@pytest.mark.extended
@pytest.mark.slow
def test_deduplication_takes_few_bytes_per_document(tmp_path):
    (small, few), (large, many) = write(tmp_path, 5000), write(tmp_path, DOCUMENTS)
    options = {"memory_limit": LIMIT, "engine": "threads"}
    found = growth(small, large, options=options, documents=[str(few), str(many)])
    assert found.answer == kept_by_hand(large, many)
    assert found.bytes <= BYTES * DOCUMENTS + READING
