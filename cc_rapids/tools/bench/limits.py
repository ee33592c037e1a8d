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
    """The memory traffic of a run: sequential bytes, random reads of tables, and a description."""

    streamed: int
    reads: Reads
    counted: str

    def limit_ms(self, card: Card) -> float:
        """Return the time in milliseconds if both kinds of traffic overlap completely."""
        random = sum(card.reads_ms(count, table) for count, table in self.reads)
        return max(1e3 * self.streamed / card.copy, random)


def traffic(design: Design, rows: bool, n: int, m: int, item: int) -> Traffic:
    """Return the minimum memory traffic of a design.

    Parameters
    ----------
    rows : bool
        Whether the design reads CSR rows with m entries, or a list of m edges.
    n, m : int
        The number of vertices, and the number of entries or edges.
    item : int
        The bytes of an id.
    """
    sample, link, _ = design.words
    passes = 2 if design.window else 1
    table = LABEL * (design.window or n)  # the labels that are read at random
    pair_bytes = link.spec.bytes_per_vertex_pair
    # Labels are written and read. After a sample they are read again, to mark the giant component
    labels = LABEL * n * (3 if sample.spec.samples else 2)
    if pair_bytes and not rows:  # the design makes a matrix of all pairs of vertices
        matrix = pair_bytes * n * n
        counted = "each edge once into the matrix, which is cleared and read once"
        return _traffic(2 * item * m + 2 * matrix, ((m, matrix),), counted)
    if not rows:
        reads, counted = _list_reads(design, m, table, n // 8)
        return _traffic(passes * 2 * item * m + labels, reads, counted)
    if not sample.spec.samples:
        counted = f"each entry {'twice' if passes == 2 else 'once'}, and the label of its end"
        return _traffic(passes * (item * m + OFFSET * n) + labels, ((m, table),), counted)
    # The bits of rows are read in order, and rows inside the giant component are skipped
    sampled_entries = min(n * int(dict(sample.options).get("k", 1)), m)
    counted = "the first entries of each row, and the labels of their ends"
    return _traffic(
        item * sampled_entries + OFFSET * n + labels, ((sampled_entries, table),), counted
    )


def _list_reads(design: Design, m: int, table: int, bits: int) -> tuple[Reads, str]:
    """Return the random reads of a design for a list of m edges, and their description.

    ``table`` and ``bits`` are the bytes of the labels and of the bits of the giant component.
    """
    sample = design.words[0]
    # Two labels are read at random for each of ``linked`` edges, and two bits for each of
    # ``filtered`` edges, unless the bits are in shared memory
    linked, filtered = m, 0
    if sample.spec.needs_list:
        linked = sampled_count(m, sample["every"])
        filtered = m - linked if sample["bits"] == "cached" else 0
    counted = "each edge once, and the labels of both ends, or after a sample their bits"
    if linked < m and not filtered:
        counted += ", in shared memory"
    if design.window:
        counted = "each edge twice, and the labels of both ends, near each other"
    return ((2 * linked, table), (2 * filtered, bits)), counted


def _traffic(streamed: int, reads: Reads, counted: str) -> Traffic:
    """Return the traffic, without reads of a table whose number is 0."""
    return Traffic(streamed, tuple(read for read in reads if read[0]), f"at least: {counted}")


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
        "counted": run_traffic.counted,
    }
    card = CARDS.get(device)
    if card is None:
        return facts | {"limit": "the limits of this device are not known"}
    limit = run_traffic.limit_ms(card)
    return facts | {"limit_ms": round(limit, 4), "of_limit": round(limit / spent_ms, 3)}
