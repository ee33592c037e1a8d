"""Audits of components of neighbours: the edges are listed again by NumPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.frame_access import on_host, only
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

PIECE = 1 << 20  # entries that are listed at a time


class ListedEdges:
    """The edges of a neighbour array as arrays on the host, and the ledger of its entries.

    Parameters
    ----------
    neighbors : Neighbors
        The array.
    rules : NeighborRules
        Which entries are edges.
    """

    neighbors: Neighbors
    rules: NeighborRules
    indices: Any
    distances: Any
    left_out: Counter[str]
    mutual: Any

    def __init__(self, neighbors: Neighbors, rules: NeighborRules) -> None:
        self.neighbors, self.rules = neighbors, rules
        self.indices, self.distances = map(_home, (neighbors.indices, neighbors.distances))
        self.left_out = Counter[str]()
        self.mutual = None
        if rules.mutual:
            keys = [row * neighbors.n + other for row, other, _ in self._within(Counter())]
            self.mutual = np.sort(np.concatenate([*keys, np.zeros(0, np.int64)]))

    def pieces(self) -> Iterator[tuple[Any, Any, Any]]:
        """Yield rows, neighbours and distances (or None) of edges."""
        for row, other, distance in self._within(self.left_out):
            if self.mutual is None:
                yield row, other, distance
                continue
            back = other * self.neighbors.n + row
            at = np.minimum(np.searchsorted(self.mutual, back), self.mutual.size - 1)
            keep = self.mutual[at] == back if self.mutual.size else np.zeros(0, bool)
            self.left_out["one_sided"] += int((~keep).sum())
            yield row[keep], other[keep], None if distance is None else distance[keep]

    def _within(self, left_out: Counter[str]) -> Iterator[tuple[Any, Any, Any]]:
        """Yield the entries that are neighbours within the bound; count the others by reason."""
        neighbors = self.neighbors
        steps = max(1, PIECE * neighbors.n // max(neighbors.m, 1))
        for first in range(0, neighbors.n, steps):
            row, at, weight_at = _places(neighbors, first, min(first + steps, neighbors.n))
            values = self.indices[at]
            missing = values.astype(np.uint64) == np.uint64(neighbors.missing)
            other = np.where(missing, 0, values).astype(np.int64)
            if other.size and not 0 <= other.min() <= other.max() < neighbors.n:
                raise InputError("some indices are no points: pass those of the answer")
            reason = {"missing": missing, "self": ~missing & (other == row)}
            distance = None
            if self.distances is not None:
                distance = self.distances[weight_at]
                reason["null_weight"] = np.isnan(distance)
                if self.rules.at_most is not None:
                    with np.errstate(over="ignore"):  # a bound beyond the type is infinite
                        within = distance.astype(neighbors.distance_type) <= self.rules.at_most
                    reason["out_of_bounds"] = ~within
            keep = np.ones(row.size, bool)
            for name, mask in reason.items():
                left_out[name] += int((keep & mask).sum())
                keep &= ~mask
            yield row[keep], other[keep], None if distance is None else distance[keep]


def _places(neighbors: Neighbors, first: int, last: int) -> tuple[Any, Any, Any]:
    """Return the row of each entry in some rows, and its positions in both arrays."""
    if neighbors.offsets is not None:
        starts = neighbors.offsets[first : last + 1].astype(np.int64)
        at = np.arange(starts[0], starts[-1])
        return np.repeat(np.arange(first, last), np.diff(starts)), at, at
    row = np.repeat(np.arange(first, last), neighbors.columns)
    column = np.tile(np.arange(neighbors.columns), last - first)
    a, b, c, d = neighbors.steps
    return row, row * a + column * b, row * c + column * d


def _home(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


def audit_neighbors(answer: Answer, indices: Any, distances: Any) -> Audit:
    """Audit components of neighbours: see :meth:`cc_rapids.NeighborComponents.audit`."""
    about = answer.neighbors
    assert about is not None
    neighbors = read_neighbors(indices, distances)
    if neighbors.n != answer.forest.n:
        raise InputError(
            f"the answer has {answer.forest.n:,} points, but indices have {neighbors.n:,} rows:"
            " pass those of the answer"
        )
    check_distances(neighbors, about.rules.at_most, about.rules.nearest, indices)
    listed = ListedEdges(neighbors, about.rules)
    if about.rules.min_samples is not None:
        checked, linked = _audit_clusters(answer, listed, about.rules.min_samples)
    else:
        edges = ((row, other) for row, other, _ in listed.pieces())
        names = "src", "dst"
        checked = audit(
            shown_labels(answer), answer.backend, edges, *names, num_vertices=neighbors.n
        )
        linked = checked.edges
    left_out = {reason: rows for reason, rows in listed.left_out.items() if rows}
    ledger = Ledger(neighbors.m, linked, left_out).check("the audit").facts()
    if ledger != answer.facts.rows.facts():
        raise VerificationError(
            f"the ledger of the answer is {answer.facts.rows.facts()}, but that of the audit is"
            f" {ledger}"
        )
    return replace(checked, ledger=ledger)


def _audit_clusters(answer: Answer, listed: ListedEdges, least: int) -> tuple[Audit, int]:
    """Audit clusters of DBSCAN; return the number of linked entries too."""
    n = listed.neighbors.n
    counts = np.ones(n, np.int64)
    edges = 0
    for row, _, _ in listed.pieces():
        counts += np.bincount(row, minlength=n)
        edges += row.size
    listed.left_out.clear()
    core = counts >= least
    labels = np.asarray(on_host(only_labels(answer)))
    points = np.flatnonzero(core)
    frame = LabelFrame((points, labels[points]), "any", len(answer), width=1)
    between = [0]

    def core_edges() -> Iterator[tuple[Any, Any]]:
        for row, other, _ in listed.pieces():
            keep = core[row] & core[other]
            between[0] += int(keep.sum())
            yield row[keep], other[keep]

    checked = audit(frame, answer.backend, core_edges(), "src", "dst", vertices=points)
    listed.left_out.clear()
    first = np.full(len(answer) + 1, n)
    np.minimum.at(first, labels[points], points)
    if bool((first[1:-1] < first[: max(len(answer) - 1, 0)]).any()):
        raise VerificationError("clusters are not numbered in the order of their core points")
    expected = _border_labels(listed, core, labels)
    expected[points] = labels[points]
    wrong = np.flatnonzero(labels != expected)
    if wrong.size:
        v = int(wrong[0])
        raise VerificationError(
            f"point {v:,} has the label {labels[v]}, but its label is {expected[v]}"
        )
    linked = between[0] + int(((expected >= 0) & ~core).sum())
    listed.left_out["not_core"] = edges - linked
    return checked, linked


def only_labels(answer: Answer) -> Any:
    """Return the numbers of the clusters of all points, -1 for noise."""
    return only(label_frame(answer.in_memory(), check_labels("dense")), "labels")


def _border_labels(listed: ListedEdges, core: Any, labels: Any) -> Any:
    """Return the label of each point that core points list, and -1 for others."""
    nearest = listed.rules.nearest
    found: list[tuple[Any, ...]] = [(np.zeros(0, np.int64),) * 3]
    for row, other, distance in listed.pieces():
        keep = core[row] & ~core[other]
        weight = distance[keep] if nearest and distance is not None else labels[row[keep]]
        found.append((other[keep], weight, row[keep]))
    border, weight, row = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((row, weight, border))
    points, first = np.unique(border[order], return_index=True)
    expected = np.full(labels.size, -1, labels.dtype)
    expected[points] = labels[row[order[first]]]
    return expected
