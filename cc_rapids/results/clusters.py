"""Labels of clusters and of noise, the points that are in no cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array
from ..data.column import Column
from ..graph.forest import Forest
from ..kernels import forest as trees
from .answer import Answer, LabelKind
from .labels import NumberLabels, PlaceLabels, is_below


class ClusterNumbers(PlaceLabels):
    """Labels 0 .. k - 1 in the order of the least core points, as in scikit-learn."""

    name = "dense"
    audited_as = "any"
    order: Array  # the components, in the order of their least core points

    def __init__(self, order: Array) -> None:
        self.order = order

    def of_component(self, answer: Answer, component: Array) -> Array:
        xp = answer.backend.xp
        label_of = xp.empty(len(answer), np.int64)  # the inverse permutation of the order
        label_of[self.order] = xp.arange(len(answer))
        return answer.as_integers(label_of[component])

    def find(self, answer: Answer, label: Any) -> int | None:
        return int(self.order[label]) if is_below(label, len(answer)) else None


class PointLabels(NumberLabels):
    """Labels of all points; noise has the label -1, or the greatest value of an unsigned type.

    Other points have the labels that ``kind`` gives them in ``clusters``, the answer without noise.
    """

    is_saved = False
    audited_as = "any"
    clusters: Answer
    kind: LabelKind

    def __init__(self, clusters: Answer, kind: LabelKind) -> None:
        self.clusters, self.kind = clusters, kind

    def labels_of_rows(self, answer: Answer) -> Array:
        backend = answer.backend
        vertices, cluster_labels = self.kind.vertices_and_labels(self.clusters)
        # all bits set are -1
        labels = backend.fill(backend.empty(answer.forest.n, cluster_labels.dtype), 0xFF)
        labels[vertices] = cluster_labels
        return labels

    def of_component(self, answer: Answer, component: Array) -> Array:
        return self.kind.of_component(self.clusters, component)

    def find(self, answer: Answer, label: Any) -> int | None:
        return self.kind.find(self.clusters, label)

    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return -1 for ids that are not points."""
        return answer.backend.xp.full(int(unknown.sum()), -1, np.int64)


def kind_of(answer: Answer, kind: LabelKind | None) -> LabelKind:
    """Return the given kind of labels, or by default the kind of the answer.

    For clusters, "dense" is replaced by :class:`ClusterNumbers`.
    """
    neighbors = answer.neighbors
    if kind and neighbors and neighbors.order is not None and kind.name == ClusterNumbers.name:
        return ClusterNumbers(neighbors.order)
    return kind or answer.kind


def has_noise(answer: Answer) -> bool:
    """Return whether an answer has points that are in no component."""
    return answer.forest.vertices < answer.forest.n


def label_frame(answer: Answer, kind: LabelKind | None) -> Any:
    """Return the frame of all points and their labels: see :meth:`NeighborComponents.labels`."""
    kind = kind_of(answer, kind)
    if not has_noise(answer):
        return answer.label_frame(kind)
    with answer.backend.scope():
        vertex = answer.backend.xp.arange(answer.forest.n, dtype=answer.decoder.dtype)
        labels = PointLabels(answer, kind).labels_of_rows(answer)
        return answer.frame({"vertex": vertex, "labels": labels})


def with_noise(answer: Answer) -> Answer:
    """Return an answer for looking up labels, in which noise has rows and the label -1.

    Its labels come from the given answer. Its own forest only makes each point a vertex.
    """
    if not has_noise(answer):
        return answer
    backend = answer.backend
    with backend.scope():
        forest = Forest(backend, answer.forest.n, all_present=True)
        backend.kernel(trees.init_singletons, forest.vertex)(forest.n, forest.parent)
        forest.count()
    kind, neighbors = PointLabels(answer, answer.kind), answer.neighbors
    return Answer(
        answer.given, backend, answer.decoder, forest, kind, answer.facts, neighbors=neighbors
    )
