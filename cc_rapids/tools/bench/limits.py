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
Reads = tuple[tuple[int, int], ...]  # numbers of random reads, and sizes of tables in bytes


@dataclass(frozen=True)
class Traffic:
    """The memory traffic of a run: sequential bytes, and random reads of tables."""

    streamed: int
    reads: Reads

    def limit_ms(self, card: Card) -> float:
        """Return the time in milliseconds if both kinds of traffic overlap completely."""
        random = sum(card.reads_ms(count, table) for count, table in self.reads)
        return max(1e3 * self.streamed / card.copy, random)


def traffic(design: Design, rows: bool, n: int, m: int, item: int) -> Traffic:
    """Return the minimum memory traffic of a design on n vertices.

    The design reads CSR rows with m entries, or without ``rows`` a list of m edges. An id has
    ``item`` bytes.
    """
    sample, link, _ = design.words
    passes = 2 if design.window else 1
    table = LABEL * (design.window or n)  # the labels that are read at random
    pair_bytes = link.spec.bytes_per_vertex_pair
    # Labels are written and read. After a sample they are read again, to mark the giant component
    labels = LABEL * n * (3 if sample.spec.samples else 2)
    if pair_bytes and not rows:  # each edge once into a matrix, which is cleared and read once
        matrix = pair_bytes * n * n
        return Traffic(2 * item * m + 2 * matrix, ((m, matrix),))
    if not rows:
        return Traffic(passes * 2 * item * m + labels, _list_reads(design, m, table, n // 8))
    if not sample.spec.samples:
        return Traffic(passes * (item * m + OFFSET * n) + labels, ((m, table),))
    # The bits of rows are read in order, and rows inside the giant component are skipped. So only
    # the first entries of each row are counted, and the labels of their ends
    sampled_entries = min(n * int(dict(sample.options).get("k", 1)), m)
    return Traffic(item * sampled_entries + OFFSET * n + labels, ((sampled_entries, table),))


def _list_reads(design: Design, m: int, table: int, bits: int) -> Reads:
    """Return the random reads of a design for a list of m edges.

    Two labels are read for each edge that is linked. After a sample, two bits of the giant
    component are read for each other edge, unless the bits are in shared memory. ``table`` and
    ``bits`` are the bytes of the labels and of the bits.
    """
    sample = design.words[0]
    if not sample.spec.needs_list:
        return ((2 * m, table),)
    linked = sampled_count(m, sample["every"])
    reads = (2 * linked, table), (2 * (m - linked), bits)
    return reads if sample["bits"] == "cached" else reads[:1]


def limit_facts(
    design: Design, rows: bool, n: int, m: int, item: int, device: str, spent_ms: float
) -> dict[str, Any]:
    """Return the memory traffic of a run, for a record.

    If the memory rates of the device are known, also return the shortest possible time of this
    traffic, and this time divided by the time spent.
    """
    run_traffic = traffic(design, rows, n, m, item)
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
