"""Selection: what is asked of an answer besides its labels, as a base of Components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .catalog import unknown
from .columns import is_cudf, of, of_parts
from .engines import Array
from .errors import InputError, MissingColumnError
from .lookup import Lookup
from .pick import (
    column_of,
    columns_of,
    first,
    numbers_of,
    only,
    vertex_and_score,
    with_column,
)

IDS = ("min", "max")  # the kinds of labels that are ids


class Selection(Lookup):
    """Rows of the answer by vertex, by component and by size."""

    _kind: str
    _rows: Callable[[], tuple[Array, Array]]
    _named: Callable[[str], tuple[Array, Array]]
    _columns: Callable[[str, Array], dict[str, Any]]
    _frame: Callable[[dict[str, Any]], Any]
    _bring: Callable[[Any, bool], Any]
    _number: Callable[[str], Array]
    _dense: Array
    _counts: Array
    _by_size: Array

    def component_of(self, vertices: Any) -> Any:
        """The labels of some vertices, in their order.

        Parameters
        ----------
        vertices : id, or column, array or list of ids
            Of the kind that the edges hold; where ids have several columns, a tuple is an id, and
            a list of columns or a frame are several.

        Returns
        -------
        label, or column of labels of the caller's kind (for ids of several columns, a frame)

        Raises
        ------
        UnknownVertexError
            Some are no vertices of this answer; names how many and the first of them.

        Examples
        --------
        >>> import cc_rapids
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.component_of(7)
        2
        >>> found.component_of([9, 5])
        array([9, 2])
        """
        with self._engine.scope():
            single = isinstance(vertices, str | int | np.integer | tuple)
            column = self._one(vertices) if single else self._column(vertices)
            rows = self._places(column, "raise")[0]
            labels = only(self._frame(self._vertex(rows) | self._label(rows)), "labels")
            return first(labels) if single else labels

    def attach(
        self,
        frame: Any,
        on: str | list[str] = "vertex",
        name: str = "labels",
        missing: str = "raise",
    ) -> Any:
        """A frame of vertices or of edges with the label of each row as one more column.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow
            Not changed; the order of its rows and its index stay.
        on : str, or list of str
            The column with the vertices: of edges either end, whose labels are the same.
        name : str
            Of the new column (with ``0_``, ``1_``, ... before it where labels have several).
        missing : {"raise", "null"}
            What becomes of rows whose vertex is none of this answer.

        Returns
        -------
        new frame of the kind of ``frame``

        Raises
        ------
        UnknownVertexError, MissingColumnError, InputError
            A vertex is unknown; there is no column ``on``, or one called ``name`` already.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> cc_rapids.components(edges).attach(edges, on="src", name="group")
           src  dst  group
        0    5    2      2
        1    2    7      2
        2    9    9      9
        """
        names = columns_of(frame)
        wanted = on if isinstance(on, list) else [on]
        for word in wanted:
            if word not in names:
                raise MissingColumnError(
                    f"there is no column {word!r} to attach labels on, but {', '.join(names)}:"
                    " name it by on="
                )
        if missing not in ("raise", "null"):
            raise InputError(f"missing is 'raise' or 'null', not {missing!r}")
        with self._engine.scope():
            column = of_parts([of(word, column_of(frame, word)) for word in wanted])
            rows, known = self._places(column, missing)
            for label, values in self._label(rows, name).items():
                if label in names:
                    raise InputError(f"the frame has a column {label!r} already: give name=")
                here = is_cudf(frame)
                mask = None if bool(known.all()) else self._bring(known, here)
                frame = with_column(frame, label, self._bring(values, here), mask)
        return frame

    def filter(self, min_size: int = 1, max_size: int | None = None) -> Any:
        """The label frame of the vertices whose component has so many, ends included.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 2, 9], [2, 7, 9])).filter(min_size=2).vertex
        array([2, 5, 7])
        """
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
            A column ``vertex`` and one other, whose greatest value wins; among equals the least
            id. Vertices without a score, or with one that is null or nan, come last.
        ascending : bool
            Let the least score win.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``, in the order of the labels'
        least ids
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
        if kind not in draw:
            raise InputError(unknown("plot", str(kind), draw))
        return draw[kind](self, *arguments, **options)

    def _vertex(self, rows: Array) -> dict[str, Any]:
        """The column of the vertices of some rows of the answer."""
        return self._columns("vertex", self._rows()[0][rows])

    def _label(self, rows: Array, name: str = "labels") -> dict[str, Any]:
        """The column of the labels of some rows of the answer."""
        if self._kind in IDS:
            return self._columns(name, self._named(self._kind)[1][rows])
        return {name: self._number(self._kind)[rows]}

    def _rank_of_scores(self, by: Any, ascending: bool) -> Array:
        """For each row 0 if it has the best score, then 1, ...; rows without one come last."""
        xp = self._engine.xp
        vertices, scores = by if isinstance(by, tuple) else vertex_and_score(by)
        rows, known = self._places(self._column(vertices), "null")
        values, valid = map(self._engine.asarray, numbers_of(scores))
        if values.size != rows.size:
            raise InputError(f"by has {rows.size:,} vertices and {values.size:,} scores")
        known = known & valid
        different, rank = xp.unique(values[known], return_inverse=True)
        place = xp.full(self._dense.size, different.size, np.int64)
        place[rows[known]] = rank if ascending else different.size - 1 - rank
        return place

    def _component(self, label: Any) -> int:
        """The number of a component in the order of the least ids, by its label."""
        number = -1
        if self._kind in IDS:
            rows, known = self._places(self._one(label), "null")
            vertex, own = self._named(self._kind)
            if bool(known.all()) and bool((vertex[rows] == own[rows]).all()):
                number = int(self._dense[rows[0]])
        elif isinstance(label, int | np.integer) and 0 <= label < len(self._counts):
            number = int(self._by_size[label]) if self._kind == "size" else int(label)
        if number < 0:
            raise InputError(
                f"{label!r} is no label of these {len(self._counts):,} components (labels are of"
                f" kind {self._kind!r}); component_of() gives the label of a vertex"
            )
        return number
