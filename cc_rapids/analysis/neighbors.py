"""Audits of components of neighbours, whose edges NumPy lists again on the host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.frame_access import answer_column, on_host
from ..data.neighbors import Neighbors, check_distances, read_neighbors
from ..errors import InputError, VerificationError
from ..ledger import Ledger
from ..results.answer import Answer
from ..results.clusters import label_frame
from ..results.labels import check_labels
from ..solver.neighbors import NeighborRules
from ..verify.audit import Audit, audit
from ..verify.label_frame import LabelFrame
from .audits import shown_labels

CHUNK = 1 << 20  # approximate number of entries that are listed at a time


class ListedEdges:
    """The edges of a neighbour array, listed on the host in chunks, with counts of other entries.

    The rules decide which entries are edges.

    Attributes
    ----------
    left_out : Counter
        The number of entries that are not edges, by reason. Each call of :meth:`pieces` adds to it.
    mutual : (e,) array of int64, optional
        The sorted keys ``row * n + neighbor`` of all entries within the bound, if only pairs that
        are listed in both directions are edges.
    """

    neighbors: Neighbors
    rules: NeighborRules
    indices: Any
    distances: Any
    left_out: Counter[str]

    def __init__(self, neighbors: Neighbors, rules: NeighborRules) -> None:
        self.neighbors, self.rules = neighbors, rules
        self.indices, self.distances = map(on_host, (neighbors.indices, neighbors.distances))
        self.left_out = Counter[str]()
        self.mutual: Any = None
        if rules.mutual:
            entries = self._entries_within_bound(Counter())  # pieces() counts the other entries
            keys = [row * neighbors.n + neighbor for row, neighbor, _ in entries]
            self.mutual = np.sort(np.concatenate([*keys, np.zeros(0, np.int64)]))

    def pieces(self) -> Iterator[tuple[Any, Any, Any]]:
        """Yield chunks of the edges: points, neighbours, and distances or None."""
        for row, neighbor, distance in self._entries_within_bound(self.left_out):
            if self.mutual is None:
                yield row, neighbor, distance
                continue
            reverse = neighbor * self.neighbors.n + row
            position = np.minimum(np.searchsorted(self.mutual, reverse), self.mutual.size - 1)
            keep = self.mutual[position] == reverse if self.mutual.size else np.zeros(0, bool)
            self.left_out["one_sided"] += int((~keep).sum())
            yield row[keep], neighbor[keep], None if distance is None else distance[keep]

    def _entries_within_bound(self, left_out: Counter[str]) -> Iterator[tuple[Any, Any, Any]]:
        """Yield entries within the bound as :meth:`pieces` does; count others in ``left_out``."""
        neighbors = self.neighbors
        rows_per_chunk = max(1, CHUNK * neighbors.n // max(neighbors.m, 1))
        for begin in range(0, neighbors.n, rows_per_chunk):
            end = min(begin + rows_per_chunk, neighbors.n)
            row, position, distance_position = _positions(neighbors, begin, end)
            values = self.indices[position]
            missing = values.astype(np.uint64) == np.uint64(neighbors.missing)  # -1 is 2^64 - 1
            neighbor = np.where(missing, 0, values).astype(np.int64)
            if neighbor.size and not 0 <= neighbor.min() <= neighbor.max() < neighbors.n:
                raise InputError("some indices are not points: pass the indices of the answer")
            masks = {"missing": missing, "self": ~missing & (neighbor == row)}
            distance = None
            if self.distances is not None:
                distance = self.distances[distance_position]
                masks["null_weight"] = np.isnan(distance)
                if self.rules.at_most is not None:
                    with np.errstate(over="ignore"):  # a bound that exceeds the type is infinite
                        within = distance.astype(neighbors.distance_type) <= self.rules.at_most
                    masks["out_of_bounds"] = ~within
            keep = np.ones(row.size, bool)
            for reason, mask in masks.items():
                left_out[reason] += int((keep & mask).sum())
                keep &= ~mask
            yield row[keep], neighbor[keep], None if distance is None else distance[keep]


def _positions(neighbors: Neighbors, begin: int, end: int) -> tuple[Any, Any, Any]:
    """Return the rows of the entries of rows begin .. end - 1, and where both arrays have them."""
    if neighbors.offsets is not None:
        starts = neighbors.offsets[begin : end + 1].astype(np.int64)
        position = np.arange(starts[0], starts[-1])
        return np.repeat(np.arange(begin, end), np.diff(starts)), position, position
    row = np.repeat(np.arange(begin, end), neighbors.columns)
    column = np.tile(np.arange(neighbors.columns), end - begin)
    row_step, column_step, distance_row_step, distance_column_step = neighbors.steps
    position = row * row_step + column * column_step
    return row, position, row * distance_row_step + column * distance_column_step


def audit_neighbors(answer: Answer, indices: Any, distances: Any) -> Audit:
    """Audit components of neighbours: see :meth:`cc_rapids.NeighborComponents.audit`."""
    assert answer.neighbors is not None
    rules = answer.neighbors.rules
    neighbors = read_neighbors(indices, distances)
    if neighbors.n != answer.forest.n:
        raise InputError(
            f"the answer has {answer.forest.n:,} points, but indices have {neighbors.n:,} rows:"
            " pass the indices of the answer"
        )
    check_distances(neighbors, rules.at_most, rules.nearest, indices)
    listed = ListedEdges(neighbors, rules)
    if rules.min_samples is not None:
        checked, linked = _audit_clusters(answer, listed, rules.min_samples)
    else:
        edges = ((row, neighbor) for row, neighbor, _ in listed.pieces())
        labels = shown_labels(answer)
        checked = audit(labels, answer.backend, edges, "src", "dst", num_vertices=neighbors.n)
        linked = checked.edges
    left_out = {reason: rows for reason, rows in listed.left_out.items() if rows}
    ledger = Ledger(neighbors.m, linked, left_out).check("the audit").facts()
    if ledger != answer.facts.rows.facts():
        raise VerificationError(
            f"the ledger of the answer is {answer.facts.rows.facts()}, but the ledger of the audit"
            f" is {ledger}"
        )
    return replace(checked, ledger=ledger)


def _audit_clusters(answer: Answer, listed: ListedEdges, min_samples: int) -> tuple[Audit, int]:
    """Audit clusters of DBSCAN; return the audit and the number of linked entries.

    The edges between core points are audited as components. Then the numbers of the clusters and
    the labels of all other points are checked.
    """
    n = listed.neighbors.n
    counts = np.ones(n, np.int64)  # a point is in its own neighbourhood
    edges = 0
    for row, _, _ in listed.pieces():
        counts += np.bincount(row, minlength=n)
        edges += row.size
    listed.left_out.clear()  # the next call of pieces() counts the same entries again
    core = counts >= min_samples
    frame_of_labels = label_frame(answer.in_memory(), check_labels("dense"))
    labels = np.asarray(on_host(answer_column(frame_of_labels, "labels")))  # -1 for noise
    points = np.flatnonzero(core)
    frame = LabelFrame((points, labels[points]), kind="any", components=len(answer), width=1)
    core_edge_count = 0

    def core_edges() -> Iterator[tuple[Any, Any]]:
        nonlocal core_edge_count
        for row, neighbor, _ in listed.pieces():
            keep = core[row] & core[neighbor]
            core_edge_count += int(keep.sum())
            yield row[keep], neighbor[keep]

    checked = audit(frame, answer.backend, core_edges(), "src", "dst", vertices=points)
    listed.left_out.clear()  # pieces() is called once more
    # the first core point of each cluster; one more entry is for core points wrongly called noise
    first_core = np.full(len(answer) + 1, n)
    np.minimum.at(first_core, labels[points], points)
    if (np.diff(first_core[:-1]) < 0).any():
        raise VerificationError("clusters are not numbered in the order of their core points")
    expected = _border_labels(listed, core, labels)
    expected[points] = labels[points]
    wrong = np.flatnonzero(labels != expected)
    if wrong.size:
        v = int(wrong[0])
        raise VerificationError(
            f"point {v:,} has the label {labels[v]}, but should have {expected[v]}"
        )
    linked = core_edge_count + int(((expected >= 0) & ~core).sum())
    listed.left_out["not_core"] = edges - linked
    return checked, linked


def _border_labels(listed: ListedEdges, core: Any, labels: Any) -> Any:
    """Return the label that each border point should have, and -1 for all other points.

    A border point is not a core point, but core points list it as a neighbour. With
    ``rules.nearest``, it has the label of the nearest of these core points, or of the least of
    several nearest ones. Otherwise, it has the least label of these core points.
    """
    nearest = listed.rules.nearest
    chunks: list[tuple[Any, ...]] = [(np.zeros(0, np.int64),) * 3]  # if there are no pieces
    for row, neighbor, distance in listed.pieces():
        keep = core[row] & ~core[neighbor]
        rank = distance[keep] if nearest and distance is not None else labels[row[keep]]
        chunks.append((neighbor[keep], rank, row[keep]))
    border, rank, row = (np.concatenate(parts) for parts in zip(*chunks, strict=True))
    order = np.lexsort((row, rank, border))
    points, first = np.unique(border[order], return_index=True)
    expected = np.full(labels.size, -1, labels.dtype)
    expected[points] = labels[row[order[first]]]
    return expected
