"""Compare the measured time of a design with the minimum time of its memory traffic on a GPU.

Only unavoidable traffic is counted, so the ratio of this minimum to the measured time is at most 1.
Reads of shared memory are not counted as random reads of a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...algorithms.design import Design
from ...kernels.edges import sampled_count
from ..charts import CARDS, Card

LABEL, OFFSET = 4, 8  # bytes of a label, and of an offset of a row
Reads = tuple[tuple[int, int], ...]  # pairs: a number of random reads, and the bytes of the table


@dataclass(frozen=True)
class Traffic:
    """The memory traffic of a run: sequential bytes, and random reads of tables."""

    streamed: int
    reads: Reads

    def limit_ms(self, card: Card) -> float:
        """Return the time in milliseconds if both kinds of traffic overlap completely."""
        random = sum(card.reads_ms(count, table) for count, table in self.reads)
        return max(1e3 * self.streamed / card.copy, random)


def traffic(design: Design, reads_csr: bool, n: int, m: int, id_bytes: int) -> Traffic:
    """Return the minimum memory traffic of a design on n vertices.

    The design reads CSR rows with m entries if ``reads_csr``, otherwise a list of m edges.
    """
    sample, link, _ = design.words
    passes = 2 if design.window else 1  # with vertex blocks, edges inside them are linked first
    label_table = LABEL * (design.window or n)  # bytes of the labels that are read at random
    pair_bytes = link.spec.bytes_per_vertex_pair
    # Labels are written and read. After a sample they are read again, to mark the giant component
    labels = LABEL * n * (3 if sample.spec.samples else 2)
    edge_bytes = 2 * id_bytes
    if pair_bytes and not reads_csr:  # the matrix of edges is cleared, set at random, and read
        matrix = pair_bytes * n * n
        return Traffic(edge_bytes * m + 2 * matrix, ((m, matrix),))
    if not reads_csr:
        return Traffic(passes * edge_bytes * m + labels, _list_reads(design, n, m, label_table))
    if not sample.spec.samples:
        return Traffic(passes * (id_bytes * m + OFFSET * n) + labels, ((m, label_table),))
    # The sample links k entries of each row. Then bits are read in order, and rows in the giant
    # component, possibly all, are skipped. So only the sampled entries and their labels are counted
    sampled_entries = min(n * int(dict(sample.options).get("k", 1)), m)
    streamed = id_bytes * sampled_entries + OFFSET * n + labels
    return Traffic(streamed, ((sampled_entries, label_table),))


def _list_reads(design: Design, n: int, m: int, label_table: int) -> Reads:
    """Return the random reads of a design for a list of m edges; labels have ``label_table`` bytes.

    Two labels are read for each linked edge. For each edge outside a sample, two bits are read
    instead, which mark the vertices of the giant component.
    """
    sample = design.words[0]
    if not sample.spec.needs_list:  # without a sample of the list, all edges are linked
        return ((2 * m, label_table),)
    linked = sampled_count(m, sample["every"])
    label_reads = 2 * linked, label_table
    if sample["bits"] == "shared":  # the bits are in shared memory
        return (label_reads,)
    return label_reads, (2 * (m - linked), n // 8)


def limit_facts(
    design: Design, reads_csr: bool, n: int, m: int, id_bytes: int, device: str, spent_ms: float
) -> dict[str, Any]:
    """Return the memory traffic of a run, for a record.

    If the memory rates of the device are known, also return the shortest possible time of this
    traffic, and this time divided by the time spent.
    """
    run_traffic = traffic(design, reads_csr, n, m, id_bytes)
    reads = sum(count for count, _ in run_traffic.reads)
    facts: dict[str, Any] = {
        "bytes": run_traffic.streamed,
        "random_reads": reads,
        "random_reads_an_edge": round(reads / m, 3) if m else None,
    }
    card = CARDS.get(device)
    if card is None:
        return facts | {"limit": "the limits of this device are not known"}
    limit = run_traffic.limit_ms(card)
    return facts | {"limit_ms": round(limit, 4), "of_limit": round(limit / spent_ms, 3)}
