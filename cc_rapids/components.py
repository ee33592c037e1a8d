"""Components: the answer, and what is usually asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from . import kernels
from .catalog import unknown
from .engines import Array, Engine
from .errors import InputError
from .frames import Given
from .kernels.bits import WORD
from .vertices import Names

LABELS = ("min", "dense", "size")


def check_labels(kind: str) -> str:
    """The kind of labels itself; an InputError with the nearest words if there is none."""
    if kind not in LABELS:
        raise InputError(unknown("labels", str(kind), LABELS))
    return kind


@dataclass(frozen=True)
class Facts:
    """How the answer was found."""

    design: str
    edges: int
    components: int
    seconds: dict[str, float | None] = field(default_factory=dict)


class Components:
    """The connected components of an edge list.

    ``len()`` is the number of components. Frames that the methods return are of the kind that the
    caller gave, new each time, and in the order of the vertex ids; on a GPU they stay there.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
    >>> found = cc_rapids.components(edges)
    >>> found
    <Components: 2 components of 4 vertices, the largest of 3; 3 edges, none+async+halve on threads>
    >>> found.labels()
       vertex  labels
    0       2       2
    1       5       2
    2       7       2
    3       9       9
    """

    def __init__(
        self,
        given: Given,
        engine: Engine,
        names: Names,
        root: Array,
        vertices: Array | None,
        n: int,
        kind: str,
        facts: Facts,
    ) -> None:
        self._given, self._engine, self._names = given, engine, names
        self._root, self._vertices, self._n = root, vertices, n
        self._kind, self._facts = kind, facts

    def __len__(self) -> int:
        return self._facts.components

    def labels(self, kind: str | None = None) -> Any:
        """The component of each vertex.

        Parameters
        ----------
        kind : {"min", "dense", "size"}, optional
            ``"min"``: the least vertex id of the component; ``"dense"``: 0 .. k-1 in the order of
            the least ids, which are SciPy's labels; ``"size"``: 0 for the largest, ties in the
            order of the least ids. By default what :func:`cc_rapids.components` was told.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``
            One row a vertex, in the order of the ids; ``vertex``, and ``labels`` of kind
            ``"min"``, have the type of the ids, other labels are int32 (int64 beyond 2^31).
        """
        with self._engine.scope():
            label = self._label(check_labels(kind or self._kind))
            return self._frame({"vertex": self._ids(), "labels": label})

    def sizes(self) -> Any:
        """The number of vertices of each component, the largest first, ties by their least ids.

        Returns
        -------
        frame of the caller's kind, columns ``labels`` (as in :meth:`labels`) and ``size`` (int64)
        """
        with self._engine.scope():
            order = self._by_size
            label: Any = self._small(order)
            if self._kind == "min":
                label = self._names.of(self._engine, self._least[order])
            elif self._kind == "size":
                label = self._small(self._engine.xp.arange(len(self)))
            return self._frame({"labels": label, "size": self._counts[order]})

    def largest(self) -> Any:
        """The vertices of the largest component (of those, the one with the least id).

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``; empty if there is none
        """
        with self._engine.scope():
            xp, dense = self._engine.xp, self._dense
            rows = xp.flatnonzero(dense == self._by_size[0]) if len(self) else dense
            label = self._label(self._kind, rows)
            return self._frame({"vertex": self._ids(rows), "labels": label})

    def summary(self) -> dict[str, Any]:
        """What ran, and what it found: engine, device, design, vertices, edges, components,
        largest (vertices of the largest component), dropped (edges left out for nulls), seconds
        ("copy": to the device, None where nothing is copied; "compute") and peak_bytes."""
        with self._engine.scope():
            largest = int(self._counts[self._by_size[0]]) if len(self) else 0
        return {
            "engine": self._engine.name,
            "device": self._engine.device_name,
            "design": self._facts.design,
            "vertices": int(self._root.size),
            "edges": self._facts.edges,
            "components": len(self),
            "largest": largest,
            "dropped": self._given.dropped,
            "seconds": dict(self._facts.seconds),
            "peak_bytes": self._engine.peak_bytes(),
        }

    def __repr__(self) -> str:
        facts = self.summary()
        return (
            f"<Components: {facts['components']:,} components of {facts['vertices']:,} vertices,"
            f" the largest of {facts['largest']:,}; {facts['edges']:,} edges,"
            f" {facts['design']} on {facts['engine']}>"
        )

    def _repr_html_(self) -> str:
        facts = self.summary()
        shown = ("components", "vertices", "edges", "largest", "design", "engine", "device")
        rows = "".join(
            f"<tr><th>{name}</th><td>{escape(_shown(facts[name]))}</td></tr>" for name in shown
        )
        return f"<table><caption>Components</caption>{rows}</table>"

    def _frame(self, columns: dict[str, Any]) -> Any:
        """The caller's kind of frame, where the caller's own lies."""
        home = {name: self._home(column) for name, column in columns.items()}
        return self._given.frame(home)

    def _home(self, column: Any) -> Any:
        ours = isinstance(column, self._engine.xp.ndarray)
        if not ours or self._engine.on_device == self._given.on_device:
            return column
        if self._engine.on_device:
            return self._engine.to_host(column)
        import cupy

        return cupy.asarray(column)

    def _ids(self, rows: Array | None = None) -> Any:
        """The ids of all vertices that occur, or of some of their rows."""
        if rows is not None:
            at = rows.astype(self._root.dtype) if self._vertices is None else self._vertices[rows]
            return self._names.of(self._engine, at)
        if self._vertices is None:
            return self._names.all(self._engine, self._n)
        return self._names.of(self._engine, self._vertices)

    def _label(self, kind: str, rows: Array | None = None) -> Any:
        def some(array: Array) -> Array:
            return array if rows is None else array[rows]

        if kind == "min":
            return self._names.of(self._engine, some(self._root))
        if kind == "dense":
            return self._small(some(self._dense)).copy()
        out = some(self._dense).copy()
        self._run(kernels.answer.look_up, out.size, self._place, out)
        return self._small(out)

    def _small(self, array: Array) -> Array:
        """Labels that are no ids: int32, as SciPy's, while they fit."""
        return array.astype(np.int32 if len(self) <= 1 << 31 else np.int64, copy=False)

    def _run(self, make: Any, n: int, *arguments: Any) -> None:
        kernels.kernel(make, self._engine)(n, *arguments)

    @cached_property
    def _dense(self) -> Array:
        """For each vertex that occurs, the rank of its root among the roots."""
        engine, root = self._engine, self._root
        words = -(-self._n // WORD)
        roots = engine.fill(engine.empty(words, np.uint32), 0)
        self._run(kernels.answer.mark_roots, root.size, root, roots)
        out = engine.empty(root.size, np.int32 if len(self) <= 1 << 31 else np.int64)
        before = ranks(roots, root.dtype, engine)
        self._run(kernels.answer.dense, root.size, root, roots, before, out)
        return out

    @cached_property
    def _counts(self) -> Array:
        """The vertices of each component, in the order of the least ids."""
        return self._engine.xp.bincount(self._dense, minlength=len(self)).astype(np.int64)

    @cached_property
    def _by_size(self) -> Array:
        """The components, largest first; among equals the least id first."""
        return self._engine.xp.argsort(-self._counts, kind="stable")

    @cached_property
    def _place(self) -> Array:
        """The place of each component in that order."""
        xp = self._engine.xp
        place = xp.empty(len(self), self._dense.dtype)
        place[self._by_size] = xp.arange(len(self), dtype=place.dtype)
        return place

    @cached_property
    def _least(self) -> Array:
        """The least vertex of each component."""
        xp, root = self._engine.xp, self._root
        own = xp.arange(root.size, dtype=root.dtype) if self._vertices is None else self._vertices
        return root[root == own]


def ranks(bits: Array, dtype: Any, engine: Engine) -> Array:
    """For each word of a set of vertices, how many of the set come before it."""
    before = engine.empty(bits.size + 1, dtype)
    kernels.kernel(kernels.answer.count_words, engine)(bits.size, bits, before)
    engine.xp.cumsum(before, dtype=dtype, out=before)
    return before


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
