"""Answers as users hold them: each method is one call of a function over the data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Unpack

from ..analysis import pairs as pairs_of
from ..analysis import selection
from ..analysis.stable_ids import NumberedComponents, load
from ..data import html
from ..data.arguments import check_path, check_word
from ..data.records import Key
from ..data.text_options import TextKeywords
from ..data.typed import FrameT
from ..data.within import AS_FOUND
from ..errors import counted
from . import lookup
from .answer import Answer
from .labels import check_labels
from .preview import counts_in_words, panel, summary
from .records import KeyFacts
from .written import ROWS_PER_FILE, write_parquet

if TYPE_CHECKING:
    from ..analysis.dendrogram import Dendrogram
    from ..analysis.paths import ForestPaths
    from ..analysis.report import Report
    from ..verify.audit import Audit
    from ..verify.paths import PathsAudit


class Components(Generic[FrameT]):
    """The connected components of an edge list.

    ``len()`` is the number of components. Methods return new frames of the same library as the
    edges, in the order of the vertex ids; on a GPU they stay there. For a DuckDB relation they are
    relations of its connection, and single columns are PyArrow's.

    Attributes
    ----------
    answer : Answer
        Its data, for functions of :mod:`cc_rapids.analysis`.

    See Also
    --------
    components : Find the components of an edge list.
    Cuts : The components at several thresholds.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
    >>> found = cc_rapids.components(edges)
    >>> found
    <Components: 2 components of 4 vertices; 3 edges, none+async+halve on threads>
    >>> found.labels()
       vertex  labels
    0       2       2
    1       5       2
    2       7       2
    3       9       9
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for copies and pickles, without the edges and cached results."""
        return {"answer": copy(self.answer)}

    def __len__(self) -> int:
        return self.answer.forest.components

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield the label and the vertices of each component, in the order of the least ids.

        As groups of pandas. Vertices have the kind that :meth:`Components.subset` returns; those of
        a GPU are copied to the host in blocks of many components, as pandas or NumPy. A label is a
        Python object, a tuple for ids of several columns.
        """
        return selection.groups(self.answer)

    def __contains__(self, vertex: Any) -> bool:
        """Return whether an id is a vertex of the answer.

        A value that cannot be an id of these edges, such as a string among integers, is none.
        """
        return pairs_of.has_vertex(self.answer, vertex)

    __hash__ = None  # type: ignore[assignment]  # equal answers may differ in everything else

    def __eq__(self, other: object) -> bool:
        return self.equals(other) if isinstance(other, Components) else NotImplemented

    @property
    def num_components(self) -> int:
        """The number of components, which is also ``len()``."""
        return self.answer.forest.components

    @property
    def num_vertices(self) -> int:
        """The number of vertices, including those without edges."""
        return self.answer.forest.vertices

    def labels(self, kind: str | None = None) -> FrameT:
        """Return the component of each vertex.

        Parameters
        ----------
        kind : {"min", "max", "dense", "size", ...}, optional
            ``"min"``: the least vertex id of the component; ``"max"``: the greatest, its owner in
            Lehr et al. 2022; ``"dense"``: 0 .. k-1 in the order of the least ids, like SciPy's
            labels; ``"size"``: 0 for the largest, ties in the order of the least ids. The guide to
            answers lists all kinds. The default is that of :func:`cc_rapids.components`.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``
            One row per vertex, in the order of the ids; ``vertex``, and ``labels`` of kinds
            ``"min"`` and ``"max"``, have the type of the ids, other labels are int32 (int64 beyond
            2^31). Ids of several columns have columns of their own names, ``kind`` and ``id``, and
            labels that are ids ``kind_labels`` and ``id_labels``: see :meth:`with_key_names`.

        See Also
        --------
        Components.sizes : The size of each component.
        Components.component_of : The labels of some vertices.
        Components.attach : The labels as a column of a frame.
        """
        frame: FrameT = self.answer.label_frame(None if kind is None else check_labels(kind))
        return frame

    def component_of(self, vertices: Any) -> Any:
        """Return the labels of some vertices, in the given order.

        Parameters
        ----------
        vertices : id, or column, array or list of ids
            Ids of the same kind as those of the edges. For ids of several columns, a tuple is one
            id; a list of tuples, a list of columns, an array with one row per id, or a frame are
            several.

        Returns
        -------
        label, or column of labels of the caller's kind (for ids of several columns, a frame)

        Raises
        ------
        UnknownVertexError
            Some ids are not vertices of this answer; names their number and the first of them.

        See Also
        --------
        Components.attach : Add the labels to a frame as a column.
        Components.subset : The vertices of a component.

        Examples
        --------
        >>> import cc_rapids
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.component_of(7)
        2
        >>> found.component_of([9, 5])
        array([9, 2])
        """
        return lookup.labels_of(self.answer, vertices)

    def attach(
        self,
        frame: Any,
        on: str | list[str] = "vertex",
        name: str = "labels",
        missing: str = "raise",
        nulls: str | None = None,
    ) -> Any:
        """Return a frame of vertices or edges with the label of each row in an added column.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, or DuckDB relation
            The frame, which is not changed; the result has the same rows and index. A lazy frame
            of Polars is collected. Of a relation only the distinct ids are read, and the result is
            a relation that joins it with their labels, in its order.
        on : str, or list of str
            The column of vertices; for edges either end, whose labels are the same.
        name : str
            The name of the new column; behind the name of each key column if labels have several
            columns, such as ``kind_labels`` (see :meth:`Components.with_key_names`).
        missing : {"raise", "null", "self"}
            What to do for rows whose vertex is not in this answer, because no edge names it: raise
            an error, make their labels null, or make them components of their own. Labels of kinds
            ``"min"`` and ``"max"`` are then the vertex itself, in a type that fits the labels and
            column ``on``, like that of the two columns of edges; those of kinds ``"dense"`` and
            ``"size"`` continue from k, the number of components, in the order of the ids, with
            equal labels for equal ids.
        nulls : {"raise", "null"}, optional
            What to do for rows whose vertex is null; the default is ``"null"`` if ``missing`` is
            ``"null"``.

        Returns
        -------
        new frame of the kind of ``frame``

        Raises
        ------
        UnknownVertexError, NullsError, MissingColumnError, ColumnTypeError, InputError
            A vertex is unknown or null; there is no column ``on``, or already a column ``name``; no
            integer type holds both the labels and the vertices that become labels; the argument is
            not a frame.

        See Also
        --------
        Components.component_of : Return the labels of some vertices.
        Components.labels : The label frame.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> cc_rapids.components(edges).attach(edges, on="src", name="group")
           src  dst  group
        0    5    2      2
        1    2    7      2
        2    9    9      9
        >>> people = pd.DataFrame({"vertex": [7, 4, 9, 4]})
        >>> cc_rapids.components(edges).attach(people, missing="self")["labels"].tolist()
        [2, 4, 9, 4]
        >>> cc_rapids.components(edges, labels="size").attach(people, missing="self")
           vertex  labels
        0       7       0
        1       4       2
        2       9       1
        3       4       2
        """
        return lookup.attached(self.answer, frame, on, name, missing, nulls)

    def sizes(self, count: int | None = None) -> FrameT:
        """Return the number of vertices of each component, the largest first.

        Components of equal size are in the order of their least ids.

        Parameters
        ----------
        count : int, optional
            Return only so many, the largest ones.

        Returns
        -------
        frame of the caller's kind
            Columns ``labels`` (as in :meth:`labels`) and ``size`` (int64).

        Raises
        ------
        InputError
            ``count`` is not a count.

        See Also
        --------
        Components.size_histogram : The number of components of each size.
        Components.largest : The vertices of the largest component.
        """
        frame: FrameT = selection.sizes(self.answer, count)
        return frame

    def size_histogram(self) -> FrameT:
        """Count the components of each size.

        Returns
        -------
        frame of the caller's kind, columns ``size`` (ascending) and ``components``, int64

        See Also
        --------
        Components.sizes : The size of each component.
        cc_rapids.plots.sizes : Draw the histogram.
        """
        frame: FrameT = selection.size_histogram(self.answer)
        return frame

    def largest(self, count: int = 1) -> FrameT:
        """Return the vertices of the largest component; of equal ones, that with the least id.

        Parameters
        ----------
        count : int
            Return those of so many components, the largest ones.

        Returns
        -------
        frame of the caller's kind
            Columns ``vertex`` and ``labels``, in the order of the ids; without rows if there is no
            component.

        Raises
        ------
        InputError
            ``count`` is not a count.

        See Also
        --------
        Components.subset : The vertices of any component.
        Components.sizes : The size of each component.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 9, 1], [2, 7, 1])).largest(2)
        Labels(vertex=array([2, 5, 7, 9]), labels=array([2, 2, 7, 7]))
        """
        frame: FrameT = selection.largest(self.answer, count)
        return frame

    def filter(self, min_size: int = 1, max_size: int | None = None) -> FrameT:
        """Return the label frame of the vertices in components of a range of sizes, inclusive.

        Parameters
        ----------
        min_size, max_size : int, optional
            The least and the greatest number of vertices of a component.

        Returns
        -------
        frame of the caller's kind
            The rows of :meth:`labels` for these vertices.

        Raises
        ------
        InputError
            A size is not a number.

        See Also
        --------
        Components.sizes : The size of each component.
        Components.subset : The vertices of one component.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 2, 9], [2, 7, 9])).filter(min_size=2).vertex
        array([2, 5, 7])
        """
        frame: FrameT = selection.in_sizes(self.answer, min_size, max_size)
        return frame

    def subset(self, label: Any) -> Any:
        """Return the vertices of one component, given its label from :meth:`labels`.

        Parameters
        ----------
        label : label
            A label of the answer, as returned by :meth:`labels`.

        Returns
        -------
        column or array of the caller's kind
            The vertices in the order of their ids; a frame, for ids of several columns.

        Raises
        ------
        InputError
            There is no such label.

        See Also
        --------
        Components.members : The vertices of all components.
        Components.component_of : The labels of some vertices.
        """
        return selection.subset(self.answer, label)

    def members(self) -> FrameT:
        """Return the vertices of each component as lists, one component after the other.

        Returns
        -------
        frame of the caller's kind, columns ``labels`` (as :meth:`labels` gives them) and ``vertex``
            Components are in the order of their least ids, and the vertices of each in the order of
            the ids.

        See Also
        --------
        Components.subset : The vertices of one component.
        Components.labels : The component of each vertex.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 2, 9], [3, 7, 5]), labels="max").members()
        Members(labels=array([7, 7, 9, 9, 9]), vertex=array([2, 7, 3, 5, 9]))
        """
        frame: FrameT = selection.members(self.answer)
        return frame

    def representatives(self, by: Any = None, ascending: bool = False) -> FrameT:
        """Return one vertex of each component: that with the least id, or the greatest score.

        Parameters
        ----------
        by : frame or pair (vertices, scores), optional
            A column ``vertex`` (for ids of several columns as many, with the names that they have
            in the answer, or ``0_vertex``, ...) and one other column of numbers, booleans, dates,
            times, strings or categories. The vertex with the greatest
            value is chosen, among equal values the one with the least id. If a vertex has several
            scores, the best one counts; vertices without a score, or with one that is null, masked
            or nan, come last.
        ascending : bool
            Choose the least score instead of the greatest.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``, in the order of the labels'
        least ids

        Raises
        ------
        ColumnTypeError, InputError
            Scores have no order, ``by`` is of another form, or it does not have one score for each
            vertex.

        See Also
        --------
        Components.members : All vertices of each component.
        Components.attach : The labels as a column of a frame.
        """
        frame: FrameT = selection.representatives(self.answer, by, ascending)
        return frame

    def same_component(self, first: Any, second: Any, *, missing: str = "raise") -> bool:
        """Return whether two vertices are in one component.

        Parameters
        ----------
        first, second : id
            Two ids; tuples, for ids of several columns.
        missing : {"raise", "false"}
            What to do if an id is not a vertex of the answer: raise an error, or return False.

        Returns
        -------
        bool
            True also for a vertex and itself.

        Raises
        ------
        UnknownVertexError
            An id is not a vertex of this answer.
        ArgumentTypeError, InputError
            An argument is not one id, or of another kind than those of the edges.

        See Also
        --------
        Components.connected : The same for many pairs.
        Components.component_of : The labels of some vertices.

        Examples
        --------
        >>> import cc_rapids
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.same_component(5, 7), found.same_component(5, 9)
        (True, False)
        """
        return pairs_of.same_component(self.answer, first, second, missing=missing)

    def connected(
        self,
        pairs: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        missing: str = "raise",
        **text: Unpack[TextKeywords],
    ) -> Any:
        """Return whether the two vertices of each pair are in one component.

        Parameters
        ----------
        pairs : frame, pair of columns, list of pairs or file
            Pairs of vertices, in any form that :func:`cc_rapids.components` accepts; not changed.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        **text
            ``header``, ``delimiter``, ``encoding`` and ``comment``, as for
            :func:`cc_rapids.components`.
        missing : {"raise", "false"}
            What to do for a pair with an unknown id: raise an error, or return False.

        Returns
        -------
        (m,) column of bool
            A series with the index of the frame, or an array for arrays; True for a pair of the
            same vertex.

        Raises
        ------
        UnknownVertexError
            Some ids are not vertices; names their number and the first of them.
        ArgumentTypeError
            The pairs are two single ids.

        See Also
        --------
        Components.same_component : The same for two ids.
        Connectivity.connected : The same while edges arrive.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> found = cc_rapids.components((["ann", "bob"], ["bob", "cy"]))
        >>> pairs = pd.DataFrame({"a": ["ann", "ann"], "b": ["cy", "dan"]})
        >>> found.connected(pairs, "a", "b", missing="false").tolist()
        [True, False]
        """
        arguments = pairs, source, destination
        return pairs_of.connected(self.answer, *arguments, missing=missing, **text)

    def edges(
        self,
        label: Any,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        weight: Any = AS_FOUND,
    ) -> Any:
        """Return the edges of one component, given its label from :meth:`Components.labels`.

        Parameters
        ----------
        label : label
            A label of the answer.
        edges : frame, tuple or mapping of columns, list of pairs, or (m, 2) array
            The edges of the answer, or others between its vertices, with any further columns; not
            changed.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, (m,) array of numbers, or None
            The weights of ``edges``, of which those outside the bounds of this answer are left out:
            by default the column by which it was found. None says that the list has only edges
            within the bounds.

        Returns
        -------
        rows of ``edges``, of the same library
            All columns of the edges with both ends in the component, in their order (in pandas with
            their index); a copy. Edges with a null end, or an end that is not a vertex of the
            answer, belong to no component.

        Raises
        ------
        InputError
            There is no such label, the edges are a path, a stream, a matrix or a graph, which have
            no rows to return, or their ids are of another kind; also MissingColumnError and
            ColumnTypeError.

        See Also
        --------
        Components.subset : The vertices of one component.
        Components.attach : The label of every edge as a column.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [9, 5, 2], "dst": [9, 2, 7], "score": [0.5, 0.9, 0.7]})
        >>> cc_rapids.components(pairs).edges(2, pairs)
           src  dst  score
        1    5    2    0.9
        2    2    7    0.7
        """
        arguments = label, edges, source, destination
        return pairs_of.edges_of(self.answer, *arguments, weight=weight)

    def equals(self, other: Any) -> bool:
        """Return whether another answer has the same vertices in the same components.

        The kinds of labels, engines and frames may differ, and so may the types of equal ids:
        integers of any width, strings and categories of strings. ``a == b`` is the same. Return
        False if the other object is not a :class:`Components`.

        Parameters
        ----------
        other : Components
            The answer to compare with.

        Returns
        -------
        bool
            Whether the answers are equal.

        See Also
        --------
        cc_rapids.oracle.same_partition : Compare two label frames.

        Examples
        --------
        >>> import numpy as np, pandas as pd, cc_rapids
        >>> edges = np.array([5, 2, 9], np.int32), np.array([2, 7, 9], np.int32)
        >>> frame = pd.DataFrame({"src": [7, 9, 5], "dst": [5, 9, 2]})
        >>> cc_rapids.components(edges) == cc_rapids.components(frame, labels="max")
        True
        """
        return isinstance(other, Components) and pairs_of.equal(self.answer, other.answer)

    def deduplicate(
        self,
        frame: Any,
        on: str | list[str] = "vertex",
        by: str | None = None,
        ascending: bool = False,
        per: str | list[str] | None = None,
        missing: str = "self",
    ) -> Any:
        """Return the rows of a frame to keep: of each component the best one.

        Rows with equal ids belong together, too, whether they are vertices or not.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, or DuckDB relation
            The documents, one or several rows for each id; not changed. A lazy frame of Polars is
            collected, and a relation is read as a whole.
        on : str, or list of str
            The column of ids, or the columns, if ids of the edges have several.
        by : str, optional
            A column of numbers, booleans, dates, times, strings or categories. The row with the
            greatest value is kept, among equal values the first in the frame; rows whose value is
            null or nan come last. By default the first row of each component is kept.
        ascending : bool
            Keep the least value instead of the greatest.
        per : str or list of str, optional
            Keep one row of each component for each value of this column (or each combination of
            several); null is a value of its own.
        missing : {"self", "drop", "raise"}
            What to do for rows whose id is not in this answer, because no edge names it: keep them,
            each distinct id as a component of its own, leave them out, or raise an error.

        Returns
        -------
        new frame of the kind of ``frame``
            Whole rows, in their order in the frame, with their index. On a GPU, no column of a
            cuDF frame is copied to the host.

        Raises
        ------
        UnknownVertexError, NullsError, MissingColumnError, ColumnTypeError, InputError
            An id is unknown, with ``missing="raise"``, or null, unless these are left out; there is
            no such column; ``by`` has no order, or values of ``per`` cannot be compared; the
            argument is not a frame.

        See Also
        --------
        Components.attach : Label all rows instead.
        Components.representatives : Choose a vertex of each component.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [11, 12], "dst": [13, 16]})
        >>> docs = pd.DataFrame(
        ...     {
        ...         "doc_id": [11, 12, 13, 16, 17],
        ...         "length": [43, 41, 47, 41, 27],
        ...         "web": [1, 1, 0, 1, 1],
        ...     }
        ... )
        >>> found = cc_rapids.components(pairs)
        >>> found.deduplicate(docs, on="doc_id", by="length")
           doc_id  length  web
        1      12      41    1
        2      13      47    0
        4      17      27    1
        >>> found.deduplicate(docs, on="doc_id", by="length", per="web", missing="drop")
           doc_id  length  web
        0      11      43    1
        1      12      41    1
        2      13      47    0
        """
        from ..analysis.deduplicate import deduplicated

        return deduplicated(self.answer, frame, on, by, ascending, per, missing)

    def forest(self) -> FrameT:
        """Return the edges of a spanning forest, as they were chosen during the run.

        For each vertex except one per component there is one edge: together they join the same
        vertices as all edges, without a cycle. Different runs may return different edges, unless
        the forest is one by weight.

        Returns
        -------
        frame of the caller's kind
            Columns ``row`` (int64, the number of the edge in the input, in ascending order; of an
            adjacency list, the number of the entry), ``source`` and ``destination`` (for ids of
            several columns ``kind_source``, ``id_source``, ...), and of a forest by weight
            ``weight``, of the type of the weights.

        Raises
        ------
        InputError
            The answer was found without ``forest=True``.

        See Also
        --------
        spanning_forest : Find a spanning forest in one call.
        minimum_spanning_forest : Find one of the least weight in one call.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> cc_rapids.components(edges, forest=True).forest()
           row  source  destination
        0    0       5            2
        1    1       2            7
        """
        self.answer.check_forest("forest(), or spanning_forest(...)")
        frame: FrameT = self.answer.forest_frame()
        return frame

    def paths(
        self,
        pairs: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        rows: bool = False,
        limit: int | None = None,
        **text: Unpack[TextKeywords],
    ) -> Any:
        """Return the length, and the weakest edge, of the path along the forest of each pair.

        There is one path along the forest between two vertices of a component. Its weakest edge
        is the one of the least weight in a forest of greatest weight, and of the greatest weight in
        one of least weight; of equal weights, the one of the least row. No other path between the
        two has a stronger weakest edge.

        The rooted forest is kept for further calls: 20 bytes a vertex, for a forest by weight 45
        and a weight, twice that beyond 2^30 vertices. To find it takes up to 180 bytes a vertex
        once, the lengths 160 a pair, and ``rows=True`` 112 an edge, strings not counted: if less
        is free, nothing is begun. How deep the trees are makes no difference.

        Parameters
        ----------
        pairs : frame, pair of columns, list of pairs or file
            Pairs of vertices, in any form that :func:`cc_rapids.components` accepts; not changed.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        rows : bool
            Return all edges of the paths instead.
        limit : int, optional
            The most edges to return with ``rows=True``; by default as many as fit into memory.
        **text
            ``header``, ``delimiter``, ``encoding`` and ``comment``, as for
            :func:`cc_rapids.components`.

        Returns
        -------
        frame of the kind of the edges
            A row for each pair, in their order. Column ``length`` (int64): the number of edges of
            the path; 0 for a pair of the same vertex, and -1 for one in two components. For a
            forest by weight also ``weakest_row`` (int64, as ``row`` of :meth:`Components.forest`;
            -1 where the path has no edge) and ``weakest_weight`` (of the type of the weights; 0
            there).

            With ``rows=True`` a row for each edge of each path: ``pair`` (int64, the number of the
            pair, from 0), ``step`` (int64, the number of edges of the path before this one), and
            the columns of :meth:`Components.forest`. Paths are in the order of the pairs, and edges
            in order from the source of the pair to its destination; ends are as in the list of
            edges, so some edges are passed backwards.

        Raises
        ------
        InputError
            The answer was found without ``forest=``, or ``limit`` is passed without ``rows=True``.
        CapacityError
            The paths have more edges than ``limit``, or than fit into memory; names their number.
            They are counted before any is returned. Or the forest, or the pairs, do not fit.
        UnknownVertexError
            Some ids are not vertices; names their number and the first of them.
        NullsError
            An id of a pair is null.
        ArgumentTypeError
            The pairs are two single ids.

        See Also
        --------
        Components.forest : The edges of the forest.
        Components.connected : Only whether pairs are in one component.
        Components.audit_paths : Prove the paths from the edges.

        Notes
        -----
        Sleator and Tarjan, "A data structure for dynamic trees", JCSS 1983: paths in heavy chains,
        of which any path has at most 2 log2 n. Reid-Miller, "List ranking and list scan on the Cray
        C-90", SPAA 1994: how the forest is rooted.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 8], "weight": [0.9, 0.6, 0.7]})
        >>> found = cc_rapids.components(edges, weight="weight", forest="max")
        >>> found.paths(([5, 7, 9], [7, 2, 2]))
           length  weakest_row  weakest_weight
        0       2            1             0.6
        1       1            1             0.6
        2      -1           -1             0.0
        >>> found.paths(([5], [7]), rows=True)
           pair  step  row  source  destination  weight
        0     0     0    0       5            2     0.9
        1     0     1    1       2            7     0.6
        """
        arguments = pairs, source, destination
        return self._paths.between(*arguments, rows=rows, limit=limit, **text)

    def path(
        self,
        first: Any,
        second: Any,
        edges: Any = None,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        weight: Any = AS_FOUND,
        shortest: bool = False,
    ) -> Any:
        """Return the edges of a path between two vertices of a component, in order.

        By default this is the path along the forest, in a forest of greatest weight one whose
        weakest edge is the strongest. If an edge of ``edges`` joins the two, it is that edge alone.

        Parameters
        ----------
        first, second : id
            Two ids; tuples, for ids of several columns.
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path, optional
            The edges of the answer, or others between its vertices; those with a null end, or an
            end that is no vertex, are passed over. The forest is needed if they are left out, or
            if none of them joins the two.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, (m,) array of numbers, or None
            The weights of ``edges``, of which those outside the bounds of this answer are passed
            over: by default the column by which it was found. None says that the list has only
            edges within the bounds.
        shortest : bool
            Return a path of the fewest ``edges``: of several the one whose first edge has the least
            row, of these whose second edge has, and so on. Every level of the search costs about
            the same for few edges as for a thousand, so long paths take longest.

        Returns
        -------
        frame
            The columns of :meth:`Components.forest`, with ends as in the list of edges, and
            ``weight`` if the answer or this call names weights. Rows are positions in ``edges`` if
            edges of theirs are returned, whose kind the frame then has. Without rows for a vertex
            and itself.

        Raises
        ------
        InputError
            No path joins the two; ``shortest=True`` is passed without ``edges``; the answer was
            found without ``forest=``, which is needed; or it was found with bounds of a weight, and
            ``edges`` lack its column (MissingColumnError) or need ``weight``.
        UnknownVertexError
            An id is not a vertex of this answer.
        ArgumentTypeError
            An argument is not one id.

        See Also
        --------
        Components.paths : The lengths and weakest edges of many pairs.
        cc_rapids.oracle.walk : A shortest path, found one edge after the other.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 7, 7], "dst": [2, 7, 8, 5]})
        >>> found = cc_rapids.components(edges[:3], forest=True)
        >>> found.path(8, 5)
           row  source  destination
        0    2       7            8
        1    1       2            7
        2    0       5            2
        >>> found.path(8, 5, edges, shortest=True)
           row  source  destination
        0    2       7            8
        1    3       7            5
        """
        arguments = first, second, edges, source, destination
        return self._paths.path(*arguments, weight=weight, shortest=shortest)

    def audit_paths(
        self,
        found: Any,
        pairs: Any,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        columns: tuple[Any, Any] = (None, None),
        rows: Any = None,
        **given: Any,
    ) -> PathsAudit:
        """Prove from the edges that what :meth:`paths` has returned is right.

        The components and the forest are proved first, see :meth:`Components.audit`. Between two
        vertices of a component there is one path along the forest. Its length and its weakest row
        are looked up in trees that the audit roots itself, on one thread of the host; they must be
        those of the frame. If the edges of all paths are passed, each must be one of the forest,
        have the ends and the weight of the list, and go on where the one before ends, from the
        first vertex of its pair to the second: a walk as long as the path is the path. Nothing of
        what finds paths is used.

        The cost is that of the components and the forest, log2 n steps a pair however long paths
        are, some 90 bytes for each id from the least to the greatest, or for each vertex if ids are
        far apart, and a pass over the edges of paths that are passed.

        Parameters
        ----------
        found : frame
            What ``paths(pairs)`` has returned.
        pairs : frame, pair of columns, list of pairs or file
            The pairs.
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            The edges of the answer.
        source, destination : str, or lists of str of equal length, optional
            The columns of the edges, as for :func:`cc_rapids.components`.
        columns : (source, destination), optional
            The columns of the pairs, as for :meth:`paths`.
        rows : frame, optional
            What ``paths(pairs, rows=True)`` has returned; it is then proved, too.
        **given
            ``vertices``, ``num_vertices``, ``nulls``, ``header`` and ``weight``, as for the answer.

        Returns
        -------
        PathsAudit
            The proof: the numbers of edges, vertices, components, pairs, and edges of paths.

        Raises
        ------
        VerificationError
            The answer is wrong; names the first edge, vertex, pair or row of a path that says so.
        InputError
            The answer was found without ``forest=``; ``weight`` is left out, of a forest by weight;
            the edges or an argument cannot be used; or an id of a pair is no vertex.

        See Also
        --------
        Components.audit : Prove the components alone.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 8], "weight": [0.9, 0.6, 0.7]})
        >>> found, pairs = cc_rapids.components(edges, weight="weight", forest="max"), ([5], [7])
        >>> print(found.audit_paths(found.paths(pairs), pairs, edges, weight="weight"))
        right: 1 path of 2 edges for 1 pair, by 3 edges
        """
        arguments = found, pairs, edges, source, destination
        return self._paths.audit(*arguments, columns=columns, rows=rows, **given)

    @cached_property
    def _paths(self) -> ForestPaths:
        """The paths of the forest, which keep it rooted."""
        from ..analysis.paths import ForestPaths

        return ForestPaths(self.answer)

    def dendrogram(self) -> Dendrogram[Components[FrameT]]:
        """Return the components at every threshold of the weights, of the forest by weight.

        Returns
        -------
        Dendrogram
            It holds the ends and weights of the edges of the forest, in the order of the weights:
            up to 48 bytes for each. Nothing is read again for any number of thresholds.

        Raises
        ------
        InputError
            The answer was found without ``forest="max"`` or ``forest="min"``.

        See Also
        --------
        components_at : Find components at some thresholds without a spanning forest.
        Components.forest : The edges of the forest.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 4], "w": [0.9, 0.7, 0.8]})
        >>> found = cc_rapids.components(edges, weight="w", forest="max")
        >>> found.dendrogram().merges(thresholds=[0.9, 0.7])
           threshold  before  after  size
        0        0.7       1      1     2
        1        0.7       3      1     1
        2        0.7       4      1     1
        """
        from ..analysis.dendrogram import Dendrogram

        return Dendrogram(self)

    def stable_ids(
        self, previous: Any = None, policy: str = "majority", *, next_id: int | None = None
    ) -> StableIds:
        """Return a number for each component that goes on from one answer to the next.

        A previous number has one heir: the component with most of its members (of equal ones, that
        with the least id). A component that is the heir of one number goes on with it; of several,
        with the one that ``policy`` chooses. Every other component is born, also one with members
        of a number whose heir goes on with another number, and gets the next number that was never
        used, in the order of the least ids. Numbers that do not go on are retired, and never come
        back, even if their members do. The order of the edges, the engine and the library of the
        frames do not matter.

        Parameters
        ----------
        previous : StableIds, path or frame, optional
            The numbers to go on from: those of an earlier answer, the file that
            :meth:`StableIds.save` has written, or a frame with the columns of
            :meth:`StableIds.labels` and any others. By default all components are born.
        policy : {"majority", "largest", "least"}
            The number with which the heir of several goes on: that of which it has most members,
            among equal ones the least; the largest number, so that the newest goes on; or the
            least, so that the oldest does. The last two look at the numbers alone, and not at how
            many members a component has or had.
        next_id : int, optional
            The first number that births may take. A frame does not tell which numbers were retired
            (a PyArrow table that was read from a saved file does), so it needs this: more than the
            largest number ever used. By default the counter of ``previous`` goes on, from 0.

        Returns
        -------
        StableIds
            The numbers, with the counter.

        Raises
        ------
        NullsError
            A vertex or a number of the frame is null.
        InputError
            A vertex is twice in the frame, its ids are of another kind than those of the edges, its
            numbers are no integers of 64 bits with sign, the counter is missing, or ``next_id`` was
            used (also MissingColumnError, ColumnTypeError and FormatError).

        See Also
        --------
        StableIds.changes : The splits, merges, births and deaths.
        Components.labels : Labels that depend on this answer alone.

        Examples
        --------
        >>> import cc_rapids
        >>> monday = cc_rapids.components(([1, 2, 7], [2, 3, 8])).stable_ids()
        >>> monday.labels()
        Labels(vertex=array([1, 2, 3, 7, 8]), labels=array([0, 0, 0, 1, 1]))
        >>> tuesday = cc_rapids.components(([2, 7, 5], [3, 8, 6])).stable_ids(monday)
        >>> tuesday.labels()
        Labels(vertex=array([2, 3, 5, 6, 7, 8]), labels=array([0, 0, 2, 2, 1, 1]))
        """
        from ..analysis.stable_ids import number

        numbers = number(self.answer, previous, policy, next_id)
        return StableIds(type(self)(numbers.answer), numbers)

    def report(
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        weight: Any = AS_FOUND,
        nulls: str = "raise",
    ) -> Report:
        """Return counts, sizes, densities, bridges and weakest links, as frames and as HTML.

        Parameters
        ----------
        edges : frame, or pair of arrays or series
            The edges of the answer, each once, in any order; not changed. An answer that was read
            in chunks can be reported on if its edges fit into memory.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, (m,) array, or None
            The similarity of both ends of each edge, as for
            :func:`cc_rapids.maximum_spanning_forest`; for distances, pass them with the other sign.
            Without it the report has no weakest links. Edges outside the bounds of this answer are
            left out, by default by the column that it was found with. None says that the list has
            only edges within the bounds.
        nulls : {"raise", "drop"}
            What becomes of edges with a null end, or a weight that is null or nan. One that is
            dropped counts nowhere: another may be a bridge without it.

        Returns
        -------
        Report
            The numbers, which are found by this call: :meth:`Report.overall` and
            :meth:`Report.components`.

        Raises
        ------
        InputError
            The edges join two components of the answer or do not join all of one, or they are
            a path, a stream, a matrix or a graph (also UnknownVertexError, NullsError,
            MissingColumnError and ColumnTypeError).

        See Also
        --------
        cc_rapids.bridges : The bridges themselves.
        Components.audit : Prove the answer from the edges.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [1, 2, 3, 3, 8], "dst": [2, 3, 1, 4, 9]})
        >>> cc_rapids.components(pairs).report(pairs)
        <Report: 2 components of 6 vertices, 5 edges, 2 bridges>
        """
        from ..analysis.report import report

        return report(self.answer, edges, source, destination, weight, nulls)

    def plot(self, kind: str = "sizes", *arguments: Any, **options: Any) -> Any:
        """Draw the answer by a function of :mod:`cc_rapids.plots`; needs the extra ``plot``.

        Parameters
        ----------
        kind : {"sizes", "largest", "component"}
        *arguments, **options
            Arguments of that function after the answer: ``plot("component", edges, label)``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            The kind is unknown; also all errors of that function.
        MissingExtraError
            Matplotlib is not installed (or, for ``"component"``, NetworkX).

        See Also
        --------
        cc_rapids.plots.sizes : Draw the sizes.
        cc_rapids.plots.largest : Draw the largest components.

        Examples
        --------
        >>> import cc_rapids
        >>> axes = cc_rapids.components(([5, 2, 9], [2, 7, 9])).plot("largest", count=1)
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['2']
        """
        from ..analysis import plots

        draw: dict[str, Callable[..., Any]]
        draw = {"sizes": plots.sizes, "largest": plots.largest, "component": plots.component}
        return draw[check_word("plot", kind, draw)](self, *arguments, **options)

    def audit(
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        oracle: str | None = None,
        **given: Any,
    ) -> Audit:
        """Prove from the edges that the frame returned by ``labels()`` is right.

        The audit makes one pass over the edges, on the engine that holds the answer, for lists of
        any size, without functions that runs use. Both ends of every edge must have the same label,
        so no component is split. The audit also joins the ends of edges in its own trees, and at
        the end there must be as many trees as labels, so no components are merged: trees may miss
        an edge, in which case a right answer is refused, but no tree joins vertices that no path
        joins, so no wrong answer is accepted. Labels must follow the definition of their kind (see
        :meth:`labels`), rows must be in the order of the ids, ``len()`` must be the number of
        labels, and each vertex must be named. The rows that were read are counted, and their
        numbers summed in two ways: the proof is valid only if the sums are those of the given
        number of rows.

        The cost is at most one and a half times that of finding the answer, on an H100 for the
        reference graphs (benchmarks/records/audit.jsonl). Edges are skipped if both ends are known
        to be in one tree of one label. Memory: that of the label frame, which is made once more; 8
        bytes and 3 bits for each id from the least to the greatest (16 bytes from 2^32 of them on),
        or, if ids are far apart, 40 bytes per vertex and 8 bytes per edge.

        Parameters
        ----------
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            The edges of the answer, in any order and any form that :func:`cc_rapids.components`
            accepts; paths and other streams are read in chunks.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        oracle : {"scipy", "networkx", "cugraph"}, optional
            A library that must find the same components; not for streams.
        **given
            ``vertices``, ``num_vertices``, ``nulls``, ``header``, and ``weight`` with ``at_least``
            or ``at_most`` as for the answer, and ``memory_limit`` for streams, as in
            :func:`cc_rapids.stream_components`. An answer with bounds applies them, so they need
            not be given again; ``weight=None`` says that the list has only edges within. Rows are
            positions in the list, also with bounds; of files and streams with bounds they are
            counted among the edges within. With ``forest=True`` the frame of :meth:`forest` is
            proved too, for the same edges in the same order: its rows ascend, have the ends of the
            list and no cycle, and are as many as join all components. With ``weight`` and
            ``forest="min"`` or ``"max"`` it is also proved that weights are those of the list, and
            that no other edge is lighter (heavier) than the heaviest (lightest) on its path along
            the rows, the lower row first among equal weights. This takes some 60 bytes a vertex,
            and for each edge a climb of up to twice log2 n steps. A frame as ``forest`` is proved
            in place of the answer's own. With ``bridges``, the frame of :func:`cc_rapids.bridges`
            for the same edges in the same order, that is compared with the bridges that a
            depth-first search on one host thread finds, in some 100 bytes an edge.

        Returns
        -------
        Audit
            The result: the numbers of edges, vertices and components.

        Raises
        ------
        VerificationError
            The answer is wrong; names the first edge (by its row, from 0) or the first vertex that
            contradicts it. Also if the audit itself has not read each row exactly once.
        InputError
            The edges or an argument cannot be used.

        See Also
        --------
        cc_rapids.oracle.certify_components : Prove an answer without kernels of this package.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> print(cc_rapids.components(edges).audit(edges, oracle="scipy"))
        right: 2 components of 4 vertices, by 3 edges; scipy finds the same
        >>> edges.loc[3] = 7, 9
        >>> cc_rapids.components(edges[:3]).audit(edges)
        Traceback (most recent call last):
            ...
        cc_rapids.errors.VerificationError: edge 3 joins 7 and 9, which have the labels 2 and 9
        """
        from ..analysis.audits import prove

        return prove(self.answer, edges, source, destination, oracle=oracle, **given)

    @property
    def ledger(self) -> dict[str, Any]:
        """The rows of the run: given = linked + those left out, by reason.

        ``given`` is the number of rows by the input itself: the length of a frame, the footers of
        Parquet files, the lines of text, a count of a relation. ``linked`` is the number of rows
        that kernels read. Then come the reasons that occurred, such as ``null_end``,
        ``null_weight``, ``out_of_bounds``, ``row_group``, ``comment`` and ``blank``; see
        :mod:`cc_rapids.ledger`. ``unchecked`` is True where an iterator alone tells how many rows
        there are. A run whose rows do not balance raises a LedgerError and gives no answer.

        Returns
        -------
        dict

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [1, 2, None], "dst": [2, 3, 4]}, dtype="Int64")
        >>> cc_rapids.components(edges, nulls="drop").ledger
        {'given': 3, 'linked': 2, 'null_end': 1}
        """
        return self.answer.facts.rows.facts()

    def summary(self) -> dict[str, Any]:
        """Return facts about the run and the answer.

        Returns
        -------
        dict
            ``engine``, ``device``, ``memory`` (from which the edges were read), ``design``,
            ``ids``, ``vertices``, ``edges``, ``components``, ``largest`` (the vertices of the
            largest component), ``dropped`` (edges dropped for nulls), ``ledger`` (one line of what
            :attr:`ledger` counts), ``seconds`` ("copy": to the
            memory that kernels read, None if nothing is copied; "compute") and ``peak_bytes``. For
            a stream that resumed from a checkpoint also ``resumed``: what had been done, and what
            was added to the input. If some rows suggested too narrow a range of ids, so that the
            run was repeated, ``chosen_again`` says so. For frames ``columns``: those of ids, of
            each part of an id that of both ends. For files ``taken``: each way in which they were
            read, with format, columns, header (whether the first line named them) and delimiter.

        See Also
        --------
        Plan : The facts that are known before a run.
        """
        return summary(self.answer)

    def with_key_names(self, names: list[str] | None) -> Components[FrameT]:
        """Return the same answer with other names of the columns of ids of several columns.

        By default these are the names of a frame that was passed as ``vertices=``; else, if the
        names of both ends differ only by a prefix or a suffix before or behind a separator (``_``,
        ``.``, ``-``, a blank) or by final digits, the rest of them: ``kind`` and ``id`` for
        ``src_kind``, ``src_id`` and ``dst_kind``, ``dst_id``; else the names of the source. Where
        such names are not different strings, or are or end like ``vertex``, ``labels``, ``size``
        and other columns of answers, the columns are numbered: ``0_vertex``, ``1_vertex``, ...,
        ``0_labels``, ...; so they are for a ``cugraph.Graph``, as in cuGraph.

        Parameters
        ----------
        names : list of str, or None
            A name for each column of an id; None numbers the columns.

        Returns
        -------
        Components
            A new object on the same arrays.

        Raises
        ------
        InputError
            Names are not one for each column of an id, are not different strings, or could be those
            of other columns.

        See Also
        --------
        Components.labels : The label frame.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> rows = {"src_kind": ["u"], "src_id": [7], "dst_kind": ["c"], "dst_id": [3]}
        >>> names = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
        >>> found = cc_rapids.components(pd.DataFrame(rows), *names)
        >>> found.labels()
          kind  id kind_labels  id_labels
        0    c   3           c          3
        1    u   7           c          3
        >>> list(found.with_key_names(None).labels())
        ['0_vertex', '1_vertex', '0_labels', '1_labels']
        """
        return type(self)(selection.renamed(self.answer, names))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the answer to one file, completely or not at all.

        Parameters
        ----------
        path : str or path
            The path of the file, with any suffix; an existing file is replaced. The file has its
            own format, without pickles, with a checksum for every byte. It contains the ids, their
            components, the kind of labels and of frames, the summary, and the spanning forest if
            there is one; not the edges.

        Raises
        ------
        OutputError
            The file cannot be written, or the disk is full; an old file stays.
        InputError
            The labels are numbers of :class:`StableIds`, which save themselves.

        See Also
        --------
        Components.load : Load a saved answer.

        Examples
        --------
        >>> import cc_rapids, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "found")
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.save(path)
        >>> cc_rapids.Components.load(path) == found
        True
        """
        from . import saved

        saved.write(check_path("path", path), self.answer)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: str | None = None) -> Components:
        """Load an answer written by :meth:`save`, on any engine.

        Parameters
        ----------
        path : str or path
            A file written by :meth:`save`.
        engine : {"threads", "cuda"}, optional
            Where to keep it; by default on the GPU if its frames lie there, else on threads.

        Returns
        -------
        Components
            The answer, a :class:`LinkedRecords` where one was saved. Its frames are of the same
            library as before it was saved, or of PyArrow if that is missing (which is logged).

        Raises
        ------
        FormatError
            The file does not exist, is damaged, has another version, or is of another kind; or its
            spanning forest is none of its components.

        See Also
        --------
        Components.save : Write an answer to one file.
        """
        from . import saved

        answer = saved.read(check_path("path", path), engine)
        return (Components if answer.linked is None else LinkedRecords)(answer)

    def to_parquet(
        self,
        folder: str | os.PathLike[str],
        *,
        rows_per_file: int = ROWS_PER_FILE,
        kind: str | None = None,
    ) -> list[str]:
        """Write the component of each vertex to Parquet files in a new folder.

        The rows are those of :meth:`Components.labels`, in its order. Labels that are least ids are
        made for one file at a time, so that the frame of all rows is never held; other kinds take
        the memory of that frame. The files are written to a folder beside, which takes the name
        when it is complete: on any error, or when interrupted, nothing remains.

        Parameters
        ----------
        folder : path
            Of the files ``part-00000.parquet`` and so on; it must not exist, or be empty.
        rows_per_file : int
            The most rows of a file.
        kind : str, optional
            The kind of labels, as in :meth:`Components.labels`.

        Returns
        -------
        list of str
            The paths of the files, at least one.

        Raises
        ------
        InputError
            The number of rows is not positive, or there are no such labels.
        OutputError
            The folder cannot be written, or has files in it; says why.

        See Also
        --------
        Components.labels : Return the same rows as a frame.

        Examples
        --------
        >>> import tempfile, cc_rapids, pyarrow.parquet as pq
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> with tempfile.TemporaryDirectory() as place:
        ...     files = found.to_parquet(f"{place}/labels", rows_per_file=3)
        ...     len(files), pq.read_table(f"{place}/labels")["labels"].to_pylist()
        (2, [2, 2, 2, 9])
        """
        named = self.answer.kind if kind is None else check_labels(kind)
        return write_parquet(self.answer, folder, rows_per_file, named)

    def __repr__(self) -> str:
        """Return what is known already: a log line or a debugger launches no kernel."""
        facts, engine = self.answer.facts, self.answer.backend.name
        edges = counted(facts.edges, "edge")
        return f"<Components: {counts_in_words(self.answer)}; {edges}, {facts.design} on {engine}>"

    def _repr_html_(self) -> str | None:
        return html.panel_or_none(lambda: panel(self.answer))


class LinkedRecords(Components[Any]):
    """The entities of a frame's records: the components of records that agree in a key.

    ``len()`` is the number of entities. The vertices are the ids of the records, or the positions
    of their rows (int64, from 0) if :func:`link_records` was called without ``id``. All methods of
    :class:`Components` apply; :meth:`attach` adds the entity of each record to the frame.

    See Also
    --------
    link_records : Link the records of a frame.
    Components : The components of an edge list.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> people = pd.DataFrame({"email": ["a@x.org", "", "a@x.org"], "phone": ["1", "2", "3"]})
    >>> found = cc_rapids.link_records(people, keys=["email", "phone"])
    >>> found
    <LinkedRecords: 2 entities of 3 records; 1 link by 2 keys, on threads>
    >>> found.attach(people, name="person")
         email phone  person
    0  a@x.org     1       0
    1              2       1
    2  a@x.org     3       0
    """

    def attach(
        self,
        frame: Any,
        on: str | list[str] | None = None,
        name: str = "labels",
        missing: str = "raise",
        nulls: str | None = None,
    ) -> Any:
        """Return a frame of records with the label of each record's entity in an added column.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The frame, which is not changed; the result has the same rows and index.
        on : str, or list of str, optional
            The columns of ids; by default those that were named as ``id``. Without these, the
            labels go to the rows by position, so that the frame needs as many rows as records were
            linked.
        name : str
            Of the added column.
        missing : {"raise", "null", "self"}
            As for :meth:`Components.attach`.
        nulls : {"raise", "null"}, optional
            As for :meth:`Components.attach`.

        Returns
        -------
        new frame of the kind of ``frame``

        Raises
        ------
        InputError
            The labels go by position, and the frame has another number of rows; also all errors of
            :meth:`Components.attach`.

        See Also
        --------
        Components.attach : The same for edges.
        Components.labels : The label of each record.
        """
        from ..analysis.records import attached_records

        return attached_records(self.answer, frame, on, name, missing, nulls)

    def deduplicate(
        self,
        frame: Any,
        on: str | list[str] | None = None,
        by: str | None = None,
        ascending: bool = False,
        per: str | list[str] | None = None,
        missing: str = "self",
    ) -> Any:
        """Return the records of a frame to keep: of each entity the best one.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The records, which are not changed; a lazy frame of Polars is collected.
        on : str, or list of str, optional
            The columns of ids; by default those that were named as ``id``. Without these, records
            go by their position, so that the frame needs as many rows as records were linked.
        by, per : str, or for ``per`` list of str, optional
            As for :meth:`Components.deduplicate`.
        ascending : bool
            Keep the least value of ``by`` instead of the greatest.
        missing : {"self", "drop", "raise"}
            As for :meth:`Components.deduplicate`.

        Returns
        -------
        new frame of the kind of ``frame``
            Whole rows, in their order in the frame, with their index.

        Raises
        ------
        InputError
            Records go by position, and the frame has another number of rows; also all errors of
            :meth:`Components.deduplicate`.

        See Also
        --------
        Components.deduplicate : The same for edges.
        LinkedRecords.attach : Label all records instead.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> people = pd.DataFrame({"id": [7, 8, 9], "phone": ["1", "2", "1"], "seen": [3, 5, 4]})
        >>> cc_rapids.link_records(people, ["phone"], id="id").deduplicate(people, by="seen")
           id phone  seen
        1   8     2     5
        2   9     1     4
        """
        from ..analysis.records import deduplicated_records

        return deduplicated_records(self.answer, frame, on, by, ascending, per, missing)

    def summary(self) -> dict[str, Any]:
        """Return facts about the run and the answer.

        Returns
        -------
        dict
            As :meth:`Components.summary`, where ``vertices`` are records, ``components`` entities,
            and ``edges`` the links of all keys. ``keys`` holds for each key (a column, or a tuple
            of several) ``links``, k - 1 for each group of k rows; ``without_value``, the rows in
            which a part of it is null or ignored; and ``left_out_groups`` and ``left_out_rows``,
            the groups of more than ``max_group`` records and their rows.

        See Also
        --------
        Components.summary : The facts about other answers.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> people = pd.DataFrame({"phone": ["0", "0", "0", "7", "7", ""]})
        >>> found = cc_rapids.link_records(people, keys=["phone"], max_group=2)
        >>> found.summary()["keys"]["phone"]
        {'links': 1, 'without_value': 1, 'left_out_groups': 1, 'left_out_rows': 3}
        """
        keys = {key: asdict(facts) for key, facts in self._keys.items()}
        return super().summary() | {"keys": keys}

    def __repr__(self) -> str:
        counts = counts_in_words(self.answer, "entity", "record")
        links, keys = counted(self.answer.facts.edges, "link"), counted(len(self._keys), "key")
        return f"<LinkedRecords: {counts}; {links} by {keys}, on {self.answer.backend.name}>"

    @property
    def _keys(self) -> dict[Key, KeyFacts]:
        return {} if self.answer.linked is None else self.answer.linked.keys


class StableIds(NumberedComponents[Components[Any]]):
    """Numbers of the components of an answer, which the next answer goes on from.

    ``len()`` is the number of components. Numbers are int64, from 0 on. See
    :meth:`Components.stable_ids` for how components go on.

    Attributes
    ----------
    components : Components
        The answer, whose labels are the numbers: its ``attach``, ``sizes``, ``members`` and all
        other methods name components by them. It does not hold the edges.
    next_id : int
        The least number that was never used, which the first birth of the next answer takes.

    See Also
    --------
    Components.stable_ids : Number the components of an answer.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> monday = cc_rapids.components(([1, 2, 7], [2, 3, 8])).stable_ids()
    >>> monday
    <StableIds: 2 components of 5 vertices, the next number is 2>
    >>> docs = pd.DataFrame({"doc": [3, 8]})
    >>> monday.components.attach(docs, on="doc", name="entity")
       doc  entity
    0    3       0
    1    8       1
    """

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: str | None = None) -> StableIds:
        """Load numbers written by :meth:`save`, on any engine.

        Parameters
        ----------
        path : str or path
            A file written by :meth:`save`.
        engine : {"threads", "cuda"}, optional
            As for :meth:`Components.load`.

        Returns
        -------
        StableIds
            The numbers and the counter, without the changes.

        Raises
        ------
        FormatError
            The file does not exist, is damaged, or is of another kind; also if ids or numbers are
            not those that were saved, as their checksum tells.

        See Also
        --------
        StableIds.save : Write numbers to one file.
        """
        numbers = load(path, engine)
        return cls(Components(numbers.answer), numbers)
