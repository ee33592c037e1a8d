"""Selection: what is asked of an answer besides its labels, as a base of Components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .backends import Array
from .data.arguments import check_word
from .data.frame_access import only
from .errors import InputError, shown
from .lookup import IDS, Lookup, is_single
from .scores import best_places, ordered, vertices_and_scores


class Selection(Lookup):
    """Rows of the answer by vertex, by component and by size."""

    _dense: Array
    _counts: Array
    _by_size: Array

    def filter(self, min_size: int = 1, max_size: int | None = None) -> Any:
        """The label frame of the vertices whose component has so many, ends included.

        Raises
        ------
        InputError
            A size is no number.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 2, 9], [2, 7, 9])).filter(min_size=2).vertex
        array([2, 5, 7])
        """
        sizes = {"min_size": min_size} | ({} if max_size is None else {"max_size": max_size})
        for name, size in sizes.items():
            if not isinstance(size, int | float | np.integer | np.floating):
                raise InputError(f"{name} is a number of vertices, not {shown(size)}")
        with self._engine.scope():
            keep = self._counts >= min_size
            if max_size is not None:
                keep &= self._counts <= max_size
            rows = self._engine.xp.flatnonzero(keep[self._dense])
            return self._frame(self._vertex(rows) | self._label(rows))

    def subset(self, label: Any) -> Any:
        """The vertices of one component, by its label as :meth:`labels` gives it.

        Returns
        -------
        column or array of the caller's kind, in the order of the ids (for ids of several columns,
        a frame)

        Raises
        ------
        InputError
            There is no such label.
        """
        with self._engine.scope():
            rows = self._engine.xp.flatnonzero(self._dense == self._component(label))
            return only(self._frame(self._vertex(rows) | self._label(rows)), "vertex")

    def members(self) -> Any:
        """The vertices of each component as lists, one component after the other.

        Returns
        -------
        frame of the caller's kind, columns ``labels`` (as :meth:`labels` gives them) and ``vertex``
            Components in the order of their least ids, the vertices of each in that of the ids.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 2, 9], [3, 7, 5]), labels="max").members()
        Members(labels=array([7, 7, 9, 9, 9]), vertex=array([2, 7, 3, 5, 9]))
        """
        with self._engine.scope():
            order = self._engine.xp.argsort(self._dense, kind="stable")
            return self._frame(self._label(order) | self._vertex(order))

    def representatives(self, by: Any = None, ascending: bool = False) -> Any:
        """One vertex of each component: the one with the least id, or with the greatest score.

        Parameters
        ----------
        by : frame or pair (vertices, scores), optional
            A column ``vertex`` (``0_vertex``, ... where ids have several) and one other of numbers,
            booleans, dates, times, strings or categories, whose greatest value wins; among equals
            the least id. Of a vertex with several scores the best counts; vertices without a
            score, or with one that is null, masked or nan, come last.
        ascending : bool
            Let the least score win.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``, in the order of the labels'
        least ids

        Raises
        ------
        ColumnTypeError, InputError
            Scores have no order; ``by`` is something else, or has not one score for each vertex.
        """
        with self._engine.scope():
            xp = self._engine.xp
            order = xp.arange(self._dense.size)
            if by is not None:
                rank = self._rank_of_scores(by, ascending)
                order = xp.argsort(rank, kind="stable")
            order = order[xp.argsort(self._dense[order], kind="stable")]
            rows = order[xp.searchsorted(self._dense[order], xp.arange(len(self._counts)))]
            return self._frame(self._vertex(rows) | self._label(rows))

    def size_histogram(self) -> Any:
        """How many components there are of each size.

        Returns
        -------
        frame of the caller's kind, columns ``size`` (ascending) and ``components``, int64
        """
        with self._engine.scope():
            size, count = self._engine.xp.unique(self._counts, return_counts=True)
            return self._frame({"size": size, "components": count.astype(np.int64)})

    def plot(self, kind: str = "sizes", *arguments: Any, **options: Any) -> Any:
        """Draw the answer by a function of :mod:`cc_rapids.plots`; needs the extra ``plot``.

        Parameters
        ----------
        kind : {"sizes", "largest", "component"}
        *arguments, **options
            Of that function, after the answer: ``plot("component", edges, label)``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            The kind is unknown, and what the function raises.
        MissingExtraError
            Matplotlib is not installed (or, for ``"component"``, NetworkX).

        Examples
        --------
        >>> import cc_rapids
        >>> axes = cc_rapids.components(([5, 2, 9], [2, 7, 9])).plot("largest", count=1)
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['2']
        """
        from . import plots

        draw: dict[str, Callable[..., Any]]
        draw = {"sizes": plots.sizes, "largest": plots.largest, "component": plots.component}
        return draw[check_word("plot", kind, draw)](self, *arguments, **options)

    def _rank_of_scores(self, by: Any, ascending: bool) -> Array:
        """For each row 0 if it has the best score, then 1, ...; rows without one come last."""
        vertices, scores = vertices_and_scores(by, len(self._given.src.parts))
        rows, known = self._places(self._column(vertices), "null")
        values, valid = map(self._engine.asarray, ordered(scores))
        if values.size != rows.size:
            raise InputError(f"by has {rows.size:,} vertices and {values.size:,} scores")
        known = known & valid
        size, xp = self._dense.size, self._engine.xp
        return best_places(rows[known], values[known], size, ascending, xp)

    def _component(self, label: Any) -> int:
        """The number of a component in the order of the least ids, by its label."""
        number = -1
        if self._kind in IDS and is_single(label):
            rows, known = self._places(self._one(label), "null")
            vertex, own = self._named(self._kind)
            if bool(known.all()) and bool((vertex[rows] == own[rows]).all()):
                number = int(self._dense[rows[0]])
        elif isinstance(label, int | np.integer) and 0 <= label < len(self._counts):
            number = int(self._by_size[label]) if self._kind == "size" else int(label)
        if number < 0:
            raise InputError(
                f"{shown(label)} is no label of these {len(self._counts):,} components (labels are"
                f" of kind {self._kind!r}); component_of() gives the label of a vertex"
            )
        return number
