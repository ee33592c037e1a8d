"""The result classes that users receive; each method calls one function on the answer's data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, Unpack

from ..analysis import pairs as pair_queries
from ..analysis import selection
from ..analysis.stable_ids import NumberedComponents, load
from ..data import html
from ..data.arguments import check_path, check_word
from ..data.records import Key
from ..data.text_options import TextKeywords
from ..data.typed import FrameT
from ..data.within import AS_FOUND
from ..errors import ArgumentTypeError, FormatError, InputError, counted, no_attribute
from ..keywords import suggest_keywords_of_methods
from . import lookup
from .answer import Answer
from .labels import check_labels
from .preview import counts_in_words, panel, summary
from .records import KeyFacts, records_advice
from .written import ROWS_PER_FILE, write_parquet

if TYPE_CHECKING:
    from ..analysis.dendrogram import Dendrogram
    from ..analysis.evidence import Evidence
    from ..analysis.paths import ForestPaths
    from ..analysis.report import Report
    from ..verify.audit import Audit
    from ..verify.paths import PathsAudit
    from ..verify.rules import RulesAudit


@suggest_keywords_of_methods
class Components(Generic[FrameT]):
    """The connected components of an edge list.

    ``len()`` is the number of components. Methods return new frames of the same library as the
    edges, sorted by vertex id. Results of GPU edges stay on the GPU. For a DuckDB relation, frames
    are relations of the same connection, and single columns are PyArrow arrays.

    Attributes
    ----------
    answer : Answer
        The data of the answer, for functions of :mod:`cc_rapids.analysis`.

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

        This is similar to iterating over a pandas groupby. Vertices have the type that
        :meth:`Components.subset` returns. Vertices on a GPU are copied to the host, as pandas or
        NumPy, in blocks of many components. A label is a Python object, or a tuple for composite
        ids.
        """
        return selection.groups(self.answer)

    def __contains__(self, vertex: Any) -> bool:
        """Return whether an id is a vertex of the answer.

        Return False for values that cannot be ids of these edges, such as a string for integer ids.
        """
        return pair_queries.has_vertex(self.answer, vertex)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal answers may have different labels

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
        """Return the component label of each vertex.

        Parameters
        ----------
        kind : {"min", "max", "dense", "size", ...}, optional
            ``"min"``: the least vertex id of the component. ``"max"``: the greatest vertex id,
            called the owner in Lehr et al. 2022. ``"dense"``: 0 .. k-1 in the order of the least
            ids, as in SciPy. ``"size"``: 0 for the largest component, with ties in the order of the
            least ids. The guide to answers lists all kinds. Defaults to the ``labels=`` of
            :func:`cc_rapids.components`: ``"min"``, or ``"dense"`` for composite ids.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``
            One row per vertex, sorted by id. ``vertex`` and labels of kinds ``"min"`` and ``"max"``
            have the type of the ids. Other labels are int32, or int64 if they exceed int32.
            Composite ids have one column per key column, such as ``kind`` and ``id``. Their labels
            of kinds ``"min"`` and ``"max"`` also have one column per key column, such as
            ``kind_labels`` and ``id_labels``: see :meth:`with_key_names`.

        See Also
        --------
        Components.sizes : Return the size of each component.
        Components.component_of : Return the labels of given vertices.
        Components.attach : Add the labels to a frame as a column.
        """
        frame: FrameT = self.answer.label_frame(None if kind is None else check_labels(kind))
        return frame

    def component_of(self, vertices: Any) -> Any:
        """Return the labels of given vertices, in the given order.

        Parameters
        ----------
        vertices : id, or column, array or list of ids
            Ids of the same kind as the ids of the edges. For composite ids, a tuple is one id. A
            list of tuples, a list of columns, an array with one row per id, or a frame are several
            ids.

        Returns
        -------
        label, or column of labels of the caller's kind
            If labels are composite ids, one label is a tuple, and several are a frame.

        Raises
        ------
        UnknownVertexError
            Some ids are not vertices of this answer. The error states how many, and the first.

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
        """Add a column with the component label of each row to a frame of vertices or edges.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, or DuckDB relation
            The frame, which is not modified. The result has the same rows and index. A lazy Polars
            frame is collected. For a relation, only the distinct ids are read; the result is a
            relation that joins the labels, in the same order.
        on : str, or list of str
            The column of vertices. In a frame of edges, either end column gives the same labels,
            except for an edge outside the weight bounds of the answer, whose ends may be in two
            components. For composite ids, the default is the names of the id columns in this
            answer, such as ``["kind", "id"]``.
        name : str
            The name of the new column. Labels of several columns get the name of each key column as
            a prefix, such as ``kind_labels`` (see :meth:`Components.with_key_names`).
        missing : {"raise", "null", "self"}
            How to handle rows whose vertex is not in this answer: raise an error, make the label
            null, or make the vertex a component of its own. With ``"self"``, labels of kinds
            ``"min"`` and ``"max"`` are the vertex itself, in a type that fits both the labels and
            column ``on``. Labels of kinds ``"dense"`` and ``"size"`` continue from k, the number of
            components, in the order of the ids; equal ids get equal labels.
        nulls : {"raise", "null"}, optional
            How to handle rows whose vertex is null. Defaults to ``"null"`` if ``missing`` is
            ``"null"``, and to ``"raise"`` otherwise.

        Returns
        -------
        new frame of the same library as ``frame``

        Raises
        ------
        UnknownVertexError, NullsError, MissingColumnError, ColumnTypeError, InputError
            A vertex is unknown or null; column ``on`` does not exist, or column ``name`` already
            exists; no integer type fits both the labels and the unknown vertices; the argument
            ``frame`` is not a frame.

        See Also
        --------
        Components.component_of : Return the labels of given vertices.
        Components.labels : Return the label of each vertex.

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

    def sizes(
        self, count: int | None = None, *, min_size: int = 1, max_size: int | None = None
    ) -> FrameT:
        """Return the number of vertices of each component, largest first.

        Components of equal size are sorted by their least ids.

        Parameters
        ----------
        count : int, optional
            The maximum number of components to return: ``sizes(3)`` has at most three rows.
        min_size, max_size : int, optional
            The least and the greatest number of vertices of a component to return.

        Returns
        -------
        frame of the caller's kind
            Columns ``labels`` (as in :meth:`labels`) and ``size`` (int64).

        Raises
        ------
        InputError
            ``count`` is not a nonnegative integer, or a size is not an integer.

        See Also
        --------
        Components.size_histogram : Count the components of each size.
        Components.largest : Return the vertices of the largest component.
        Components.filter : Return the vertices of components within a range of sizes.

        Examples
        --------
        >>> import cc_rapids
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.sizes()
        Sizes(labels=array([2, 9]), size=array([3, 1]))
        >>> found.sizes(1)
        Sizes(labels=array([2]), size=array([3]))
        >>> found.sizes(min_size=2)
        Sizes(labels=array([2]), size=array([3]))
        """
        frame: FrameT = selection.sizes(self.answer, count, min_size, max_size)
        return frame

    def size_histogram(self) -> FrameT:
        """Count the components of each size.

        Returns
        -------
        frame of the caller's kind, columns ``size`` (ascending) and ``components``, int64

        See Also
        --------
        Components.sizes : Return the size of each component.
        cc_rapids.plots.sizes : Draw the histogram.
        """
        frame: FrameT = selection.size_histogram(self.answer)
        return frame

    def largest(self, count: int = 1) -> FrameT:
        """Return the vertices of the largest component; ties go to the least id.

        Parameters
        ----------
        count : int
            The maximum number of components to select, largest first.

        Returns
        -------
        frame of the caller's kind
            Columns ``vertex`` and ``labels``, sorted by id. Empty if there is no component.

        Raises
        ------
        InputError
            ``count`` is not a nonnegative integer.

        See Also
        --------
        Components.subset : Return the vertices of any component.
        Components.sizes : Return the size of each component.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 9, 1], [2, 7, 1])).largest(2)
        Labels(vertex=array([2, 5, 7, 9]), labels=array([2, 2, 7, 7]))
        """
        frame: FrameT = selection.largest(self.answer, count)
        return frame

    def filter(self, min_size: int = 1, max_size: int | None = None) -> FrameT:
        """Return the vertices and labels of all components whose size is in a range.

        Parameters
        ----------
        min_size, max_size : int, optional
            The least and the greatest number of vertices of a component, both inclusive:
            ``filter(3)`` selects components of three or more vertices.

        Returns
        -------
        frame of the caller's kind
            The rows of :meth:`labels` for these vertices.

        Raises
        ------
        InputError
            A size is not an integer.

        See Also
        --------
        Components.sizes : Return the size of each component.
        Components.subset : Return the vertices of one component.

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
            The vertices sorted by id; a frame for composite ids.

        Raises
        ------
        InputError
            The label does not exist.

        See Also
        --------
        Components.members : Return the vertices of all components.
        Components.component_of : Return the labels of given vertices.
        """
        return selection.subset(self.answer, label)

    def members(self) -> FrameT:
        """Return all vertices with their labels, grouped by component.

        Returns
        -------
        frame of the caller's kind, columns ``labels`` (as in :meth:`labels`) and ``vertex``
            Components are sorted by least id, and the vertices of each component by id.

        See Also
        --------
        Components.subset : Return the vertices of one component.
        Components.labels : Return the label of each vertex.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 2, 9], [3, 7, 5]), labels="max").members()
        Members(labels=array([7, 7, 9, 9, 9]), vertex=array([2, 7, 3, 5, 9]))
        """
        frame: FrameT = selection.members(self.answer)
        return frame

    def representatives(self, by: Any = None, ascending: bool = False) -> FrameT:
        """Return one vertex per component: the one with the least id or the greatest score.

        Parameters
        ----------
        by : frame or pair (vertices, scores), optional
            A frame has a column ``vertex`` and one column of scores. For composite ids, it has the
            id columns instead of ``vertex``, named as in the answer or ``0_vertex``, ``1_vertex``
            and so on. Scores are numbers, booleans, dates, times, strings or categories. The vertex
            with the greatest score is chosen; ties go to the least id. If a vertex has several
            scores, its best score counts. Vertices with no score or a null, masked or NaN score
            come last.
        ascending : bool
            Choose the least score instead of the greatest.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``, in the order of the least ids

        Raises
        ------
        ColumnTypeError, InputError
            Scores have no order, or ``by`` is not a frame or pair with one score per vertex.

        See Also
        --------
        Components.members : Return all vertices of each component.
        Components.attach : Add the labels to a frame as a column.
        """
        frame: FrameT = selection.representatives(self.answer, by, ascending)
        return frame

    def same_component(self, first: Any, second: Any, *, missing: str = "raise") -> bool:
        """Return whether two vertices are in one component.

        Parameters
        ----------
        first, second : id
            Two ids; tuples for composite ids.
        missing : {"raise", "false"}
            Raise an error if an id is not a vertex of the answer, or return False.

        Returns
        -------
        bool
            True if both ids are in one component, also if they are the same vertex.

        Raises
        ------
        UnknownVertexError
            An id is not a vertex of this answer.
        ArgumentTypeError, InputError
            An argument is not a single id, or is of another kind than the ids of the edges.

        See Also
        --------
        Components.connected : Test many pairs.
        Components.component_of : Return the labels of given vertices.

        Examples
        --------
        >>> import cc_rapids
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.same_component(5, 7), found.same_component(5, 9)
        (True, False)
        """
        return pair_queries.same_component(self.answer, first, second, missing=missing)

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
            Pairs of vertices, in any form that :func:`cc_rapids.components` accepts. For composite
            ids: one list of tuples or one frame for each end, or a list of pairs of tuples.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        **text
            ``header``, ``delimiter``, ``encoding`` and ``comment``, as for
            :func:`cc_rapids.components`.
        missing : {"raise", "false"}
            Raise an error for a pair with an unknown id, or return False for it.

        Returns
        -------
        (m,) column of bool
            A series with the index of the frame, or an array for arrays. A pair of equal vertices
            is True.

        Raises
        ------
        UnknownVertexError
            Some ids are not vertices. The error states how many, and the first.
        ArgumentTypeError
            ``pairs`` is a single pair of ids.

        See Also
        --------
        Components.same_component : Test one pair of ids.
        Connectivity.connected : Test pairs while edges arrive.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> found = cc_rapids.components((["ann", "bob"], ["bob", "cy"]))
        >>> pairs = pd.DataFrame({"a": ["ann", "ann"], "b": ["cy", "dan"]})
        >>> found.connected(pairs, "a", "b", missing="false").tolist()
        [True, False]
        """
        arguments = pairs, source, destination
        return pair_queries.connected(self.answer, *arguments, missing=missing, **text)

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
            The edges that the answer was computed from, or other edges between its vertices. A
            frame may have further columns.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, (m,) array of numbers, or None
            The weights of ``edges``. Edges outside the weight bounds of this answer are left out.
            Defaults to the weight column of the run. None applies no bounds.

        Returns
        -------
        rows of ``edges``, of the same library
            A copy of all edges with both ends in the component, in their original order, with all
            columns and, in pandas, the index. Edges with a null end or an unknown vertex belong to
            no component.

        Raises
        ------
        InputError
            The label does not exist; the edges are a path, a stream, a matrix or a graph, which
            have no rows to return; or their ids are of another kind. Subclasses:
            MissingColumnError and ColumnTypeError.

        See Also
        --------
        Components.subset : Return the vertices of one component.
        Components.attach : Add the label of each edge as a column.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [9, 5, 2], "dst": [9, 2, 7], "score": [0.5, 0.9, 0.7]})
        >>> cc_rapids.components(pairs).edges(2, pairs)
           src  dst  score
        1    5    2    0.9
        2    2    7    0.7
        """
        return pair_queries.edges_of(self.answer, label, edges, source, destination, weight=weight)

    def equals(self, other: Any) -> bool:
        """Return whether another answer partitions the same vertices into the same components.

        The kinds of labels, engines and frames may differ. The types of ids may differ if their
        values are equal: integers of any width, or strings and categories. ``a == b`` is the same
        test. Return False if the other object is not a :class:`Components`.

        Parameters
        ----------
        other : Components
            The answer to compare with.

        Returns
        -------
        bool
            True if the answers are equal.

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
        return isinstance(other, Components) and pair_queries.equal(self.answer, other.answer)

    def deduplicate(
        self,
        frame: Any,
        on: str | list[str] = "vertex",
        by: str | None = None,
        ascending: bool = False,
        per: str | list[str] | None = None,
        missing: str = "self",
    ) -> Any:
        """Return the best row of each component, such as one document of each set of duplicates.

        Rows with equal ids belong to one component, even if no edge names the id.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, or DuckDB relation
            The documents, one or several rows per id. A lazy Polars frame is collected, and a
            relation is read as a whole.
        on : str, or list of str
            The id column, or the columns of composite ids. For composite ids, the default is their
            columns in this answer.
        by : str, optional
            A column of numbers, booleans, dates, times, strings or categories. The row with the
            greatest value is kept; ties go to the first row in the frame. Rows with a null or NaN
            value come last. By default the first row of each component is kept.
        ascending : bool
            Keep the least value instead of the greatest.
        per : str or list of str, optional
            Keep one row of each component for each value of this column, or for each combination of
            several columns. Null counts as a value.
        missing : {"self", "drop", "raise"}
            How to handle rows whose id is not in this answer. ``"self"`` makes each distinct id a
            component of its own, ``"drop"`` drops the rows, and ``"raise"`` raises an error.

        Returns
        -------
        new frame of the same library as ``frame``
            Whole rows, in the order of the frame, with their index. The columns of a cuDF frame
            stay on the GPU.

        Raises
        ------
        UnknownVertexError, NullsError, MissingColumnError, ColumnTypeError, InputError
            An id is null, or is unknown with ``missing="raise"``; a column does not exist; the
            values of ``by`` have no order, or values of ``per`` cannot be compared; the argument
            ``frame`` is not a frame.

        See Also
        --------
        Components.attach : Add a label to every row.
        Components.representatives : Choose one vertex per component.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [11, 12], "dst": [13, 16]})
        >>> docs = pd.DataFrame({"doc_id": [11, 12, 13, 16, 17], "length": [43, 41, 47, 41, 27]})
        >>> docs["web"] = [1, 1, 0, 1, 1]
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

    def duplicates(
        self,
        frame: Any,
        on: str | list[str] = "vertex",
        by: str | None = None,
        ascending: bool = False,
        per: str | list[str] | None = None,
        missing: str = "self",
        *,
        name: str = "labels",
    ) -> Any:
        """Return the rows that :meth:`deduplicate` drops, each with the row that it keeps instead.

        Parameters
        ----------
        frame, on, by, ascending, per, missing : frame and options
            As for :meth:`deduplicate`.
        name : str
            The name of the column of components, as for :meth:`attach`.

        Returns
        -------
        new frame of the same library as ``frame``
            One row for each dropped row, in the order of the frame, with its index. The columns are
            the id of the dropped row; the id of the kept row, such as ``kept_doc_id``; the label of
            their component; and, with ``by``, the value of both rows, such as ``length`` and
            ``kept_length``. If the answer has a forest by weight, ``weakest_weight`` is the weight
            of the weakest edge on the path between both rows, as :meth:`paths` returns it. This
            weight is null if both rows have the same id. Rows that ``missing="drop"`` leaves out
            are not listed, because they are in no component.

        Raises
        ------
        UnknownVertexError, NullsError, MissingColumnError, ColumnTypeError, InputError
            As for :meth:`deduplicate`; or two columns of the result would have the same name.

        See Also
        --------
        Components.deduplicate : Return the rows that are kept.
        Components.paths : The edges that join two vertices, as evidence.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [11, 12], "dst": [13, 16]})
        >>> docs = pd.DataFrame({"doc_id": [11, 12, 13, 16], "length": [43, 41, 47, 41]})
        >>> cc_rapids.components(pairs).duplicates(docs, on="doc_id", by="length")
           doc_id  kept_doc_id  labels  length  kept_length
        0      11           13      11      43           47
        3      16           12      12      41           41

        With a forest by weight, each row has the weakest score of its evidence:

        >>> pairs["score"] = [0.9, 0.7]
        >>> found = cc_rapids.components(pairs, weight="score", forest="max")
        >>> found.duplicates(docs, on="doc_id")
           doc_id  kept_doc_id  labels  weakest_weight
        2      13           11      11             0.9
        3      16           12      12             0.7
        """
        from ..analysis.deduplicate import dropped

        by_weight = self.answer.facts.greatest is not None
        paths = self._paths if by_weight else None
        return dropped(self.answer, frame, on, by, ascending, per, missing, name, paths)

    def forest(self) -> FrameT:
        """Return the edges of the spanning forest that the run recorded.

        The number of these edges is the number of vertices minus the number of components. The
        forest has no cycle, and the same components as all edges. Different runs may return
        different edges, unless the forest is by weight.

        Returns
        -------
        frame of the caller's kind
            Column ``row`` (int64, ascending) is the position of the edge in the input, or of the
            entry in an adjacency list. Columns ``source`` and ``destination`` are the ends of the
            edge (``kind_source``, ``id_source``, ... for composite ids). A forest by weight also
            has ``weight``, of the type of the weights.

        Raises
        ------
        InputError
            The run did not use ``forest=``.

        See Also
        --------
        spanning_forest : Find a spanning forest in one call.
        minimum_spanning_forest : Find a minimum spanning forest in one call.

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
        """Return the length and the weakest edge of the forest path between each pair of vertices.

        Exactly one path in the forest joins two vertices of a component. The weakest edge of this
        path is the lightest edge in a maximum spanning forest, and the heaviest edge in a minimum
        spanning forest; ties go to the least row. No other path between the two vertices has a
        stronger weakest edge.

        The first call roots the forest and keeps the rooted forest. It takes 20 bytes per vertex; a
        forest by weight takes 45 bytes plus the size of a weight. For more than 2^30 vertices, the
        figures are twice as large. Rooting temporarily takes up to 180 bytes per vertex.
        Lengths take 160 bytes per pair, and ``rows=True`` takes 112 bytes per path edge, without
        strings. A call that needs more than the free memory fails before it starts. The depth of
        the trees does not affect the cost.

        Parameters
        ----------
        pairs : frame, pair of columns, list of pairs or file
            As for :meth:`connected`.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        rows : bool
            Return all edges of the paths instead of the lengths.
        limit : int, optional
            The maximum number of edges that ``rows=True`` may return. By default, all edges are
            returned if they fit into memory.
        **text
            As for :meth:`connected`.

        Returns
        -------
        frame of the kind of the edges
            One row per pair, in their order. Column ``length`` (int64) is the number of edges of
            the path: 0 for a pair of equal vertices, and -1 for a pair in two components. A forest
            by weight adds ``weakest_row`` (int64, as ``row`` of :meth:`Components.forest`; -1 for a
            path without edges) and ``weakest_weight`` (of the type of the weights; 0 for a path
            without edges).

            With ``rows=True``, one row per path edge: ``pair`` (int64, the position of the pair,
            from 0), ``step`` (int64, the number of preceding edges of the path), and the columns
            of :meth:`Components.forest`. Paths are in the order of the pairs, and edges are in
            order from the pair's source to its destination. The ends of an edge are as in the edge
            list, so a path may traverse an edge backwards.

        Raises
        ------
        InputError
            The run did not use ``forest=``, or ``limit`` is passed without ``rows=True``.
        CapacityError
            The paths have more edges than ``limit``, or than fit into memory. The error states the
            number of edges; they are counted before the paths are built. Also raised if the forest
            or the pairs do not fit into memory.
        UnknownVertexError
            Some ids are not vertices. The error states how many, and the first.
        NullsError
            An id of a pair is null.
        ArgumentTypeError
            ``pairs`` is a single pair of ids.

        See Also
        --------
        Components.forest : Return the edges of the forest.
        Components.connected : Return only whether pairs are in one component.
        Components.audit_paths : Verify the paths against the edges.

        Notes
        -----
        The rooted trees are split into heavy paths, as in Sleator and Tarjan, "A data structure for
        dynamic trees", JCSS 1983. Any path crosses at most 2 log2 n heavy paths. The forest is
        rooted as in Reid-Miller, "List ranking and list scan on the Cray C-90", SPAA 1994.

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
        return self._paths.between(pairs, source, destination, rows=rows, limit=limit, **text)

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

        Without ``edges``, the path follows the spanning forest. In a maximum spanning forest, no
        other path has a stronger weakest edge. With ``edges``, the path is an edge that joins the
        two vertices, if there is one, and otherwise follows the forest.

        Parameters
        ----------
        first, second : id
            Two ids; tuples for composite ids.
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path, optional
            The edges that the answer was computed from, or other edges between its vertices. Edges
            with a null end or an unknown vertex are ignored, and so are edges between two
            components, such as edges that a rule refused or :meth:`Dendrogram.split` cut. The
            forest is needed if ``edges`` is omitted, or if no edge joins the two vertices.
        source, destination, weight : str, list of str or array, optional
            As for :meth:`edges`.
        shortest : bool
            Return a path of ``edges`` with the fewest edges. Ties go to the path whose first edge
            has the least row, then to the least row of the second edge, and so on. A level of the
            search takes about as long for one edge as for a thousand, so long paths take longest.

        Returns
        -------
        frame
            The columns of :meth:`Components.forest`, with ends as in the edge list, and ``weight``
            if the run or this call names weights. If the path does not follow the forest, rows are
            positions in ``edges``, and the frame is of the library of ``edges``. Empty if the two
            vertices are equal.

        Raises
        ------
        InputError
            No path joins the two vertices; ``shortest=True`` is passed without ``edges``; the
            forest is needed, but the run did not use ``forest=``; or the run had bounds on an array
            of weights, and ``weight`` is not passed.
        MissingColumnError
            ``edges`` lacks a column, such as the weights on which the run had bounds.
        UnknownVertexError
            An id is not a vertex of this answer.
        ArgumentTypeError
            An argument is not a single id.

        See Also
        --------
        Components.paths : Return the lengths and weakest edges of many paths.
        cc_rapids.oracle.walk : Find a shortest path by a sequential search.

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
        advice = "explain_pair(first, second, frame) returns the values that join two records"
        with records_advice(self.answer.linked, advice):  # if ``edges`` are records
            return self._paths.path(*arguments, weight=weight, shortest=shortest)

    def explain_pair(
        self,
        first: Any,
        second: Any,
        edges: Any = None,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        records: Any = None,
        on: str | list[str] = "vertex",
        missing: str = "raise",
        weight: Any = AS_FOUND,
    ) -> Evidence:
        """Explain why two vertices are in one component: the path between them, with records.

        Parameters
        ----------
        first, second : id
            Two ids; tuples for composite ids.
        edges : as for :func:`cc_rapids.components`, optional
            The edges to search if the run did not use ``forest=``: the path has the fewest edges.
            Otherwise, the path is the edge that joins the two vertices, or follows the forest if
            there is none. The other columns of a frame are part of the evidence.
        source, destination, weight : str, list of str or array, optional
            As for :meth:`edges`.
        records : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict, optional
            The records of the vertices. If several records have the same id, the first of them is
            used.
        on : str, or list of str
            The id columns of the records, as for :meth:`attach`.
        missing : {"raise", "null"}
            Whether a vertex of the path without a record raises an error, or has null columns. In a
            list of accounts and cards, for example, cards may have no records. At least one vertex
            needs a record.

        Returns
        -------
        Evidence
            Its ``frame`` has one row per edge, in order from ``first`` to ``second``. The columns
            are the ends ``from`` and ``to`` (``from_kind``, ``from_id``, ... for composite ids),
            ``weight`` if the path has weights, and ``row``. Then follow the other columns of the
            records, such as ``from_name`` and ``to_name``, and the other columns of ``edges``, with
            the prefix ``edge_`` if another column has the same name. It is a new frame of the
            library of ``records``, or of the edges. A notebook shows it as a table, and
            :meth:`Evidence.to_html` writes a page.

        Raises
        ------
        InputError
            The vertices are in two components; a vertex of the path has no record; or neither
            ``edges`` nor a forest is available. All errors of :meth:`path` occur too.

        See Also
        --------
        Components.path : Return the edges of the path as they are in the list.
        Components.report : Report how far each component can be trusted.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [5, 2], "dst": [2, 7], "score": [0.9, 0.6]})
        >>> people = pd.DataFrame({"id": [2, 5, 7], "name": ["A. Lee", "Ann", "Ann L."]})
        >>> found = cc_rapids.components(pairs, weight="score", forest="max")
        >>> found.explain_pair(7, 5, records=people, on="id").frame
           from  to  weight  row from_name to_name
        0     7   2     0.6    1    Ann L.  A. Lee
        1     2   5     0.9    0    A. Lee     Ann
        """
        from ..analysis.evidence import explain

        has_forest = self.answer.forest_edges is not None
        if edges is None and not has_forest:
            raise InputError(
                "this answer keeps no forest, whose edges would explain the pair: pass edges=, or"
                " find the components with forest=True"
            )
        arguments = first, second, edges, source, destination
        path = self._paths.path(*arguments, weight=weight, shortest=not has_forest)
        edge_arguments = edges, source, destination, weight
        return explain(self.answer, path, (first, second), edge_arguments, records, on, missing)

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
        """Verify the result of :meth:`paths` against the edges.

        The components and the forest are verified first, see :meth:`Components.audit`. The audit
        then roots its own trees on one host thread, and computes the length and the weakest row of
        each path. ``found`` must have these values. If ``rows`` is passed, each path edge must be a
        forest edge with the ends and the weight of the edge list. Consecutive edges must meet, from
        the first vertex of the pair to the second, in the computed length; no other walk along
        forest edges between them is so short. The audit shares no code with the search for paths.

        After the audit of components and forest, each pair takes up to log2 n steps, whatever the
        length of its path, and ``rows`` takes one pass over its rows. The additional memory is
        about 40 bytes per id in the id range (per vertex if ids are sparse) and 16 bytes per edge.

        Parameters
        ----------
        found : frame
            The result of ``paths(pairs)``.
        pairs : frame, pair of columns, list of pairs or file
            The pairs.
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            The edges that the answer was computed from.
        source, destination : str, or lists of str of equal length, optional
            The columns of the edges, as for :func:`cc_rapids.components`.
        columns : (source, destination), optional
            The columns of the pairs, as for :meth:`paths`.
        rows : frame, optional
            The result of ``paths(pairs, rows=True)``, which is then verified too.
        **given
            ``vertices``, ``num_vertices``, ``nulls``, ``header`` and ``weight``, as for the answer.

        Returns
        -------
        PathsAudit
            The counts of edges, vertices, components, pairs, and path edges.

        Raises
        ------
        VerificationError
            The answer is wrong. The error names the first edge, vertex, pair or path row that
            proves it.
        InputError
            The run did not use ``forest=``; ``weight`` is missing for a forest by weight; the edges
            or an argument cannot be used; or an id of a pair is unknown.

        See Also
        --------
        Components.audit : Verify the components only.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 8], "weight": [0.9, 0.6, 0.7]})
        >>> found, pairs = cc_rapids.components(edges, weight="weight", forest="max"), ([5], [7])
        >>> print(found.audit_paths(found.paths(pairs), pairs, edges, weight="weight"))
        right: 1 path with 2 edges in total for 1 pair, in a list of 3 edges
        """
        arguments = found, pairs, edges, source, destination
        return self._paths.audit(*arguments, columns=columns, rows=rows, **given)

    @cached_property
    def _paths(self) -> ForestPaths:
        """The paths of the forest; the rooted forest is cached."""
        from ..analysis.paths import ForestPaths

        return ForestPaths(self.answer)

    def dendrogram(self) -> Dendrogram[Self]:
        """Return the single-linkage dendrogram: the components at every weight threshold.

        Returns
        -------
        Dendrogram
            The dendrogram. It stores the ends and weights of the forest edges, sorted by weight, in
            up to 56 bytes per edge. Thresholds need no further pass over the edges.

        Raises
        ------
        InputError
            The run did not use ``forest="max"`` or ``forest="min"``.

        See Also
        --------
        components_at : Find components at several thresholds without a spanning forest.
        Components.forest : Return the edges of the forest.

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
        """Number the components so that numbers persist from one answer to the next.

        Each previous number has one heir: the component with most members of the number; ties go to
        the least id. A component that inherits one number keeps it. If it inherits several,
        ``policy`` selects the one to keep. A component that inherits none gets the next unused
        number, in the order of the least ids. Numbers that no component keeps are retired and never
        reused, even if their members return. The order of the edges, the engine and the library of
        the frames do not matter.

        Parameters
        ----------
        previous : StableIds, path or frame, optional
            The numbers to continue from: the result for an earlier answer, a file written by
            :meth:`StableIds.save`, or a frame with the columns of :meth:`StableIds.labels`. By
            default all components are new.
        policy : {"majority", "largest", "least"}
            The number that a component with several inherited numbers keeps. ``"majority"``: the
            number with most members in the component; ties go to the least number.
            ``"largest"``: the largest number, which is the newest. ``"least"``: the least number,
            which is the oldest. The policies ``"largest"`` and ``"least"`` ignore how many members
            a number has in the component.
        next_id : int, optional
            The first number for new components, greater than every number ever used. Defaults to
            the ``next_id`` of ``previous``, or to 0. It is required if ``previous`` is a frame,
            because a frame does not list retired numbers. A PyArrow table that was read from a
            saved file stores its ``next_id``.

        Returns
        -------
        StableIds
            The numbers and the ``next_id`` for the next answer.

        Raises
        ------
        NullsError
            A vertex or a number of the frame is null.
        InputError
            A vertex occurs twice in the frame, the frame has ids of another kind than the edges,
            its numbers are not int64, or ``next_id`` is missing or was already used.
            Subclasses: MissingColumnError, ColumnTypeError and FormatError.

        See Also
        --------
        StableIds.changes : Return the splits, merges, births, deaths and sizes.
        Components.labels : Return labels that depend on this answer alone.

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
        records: Any = None,
        on: str | list[str] = "vertex",
    ) -> Report:
        """Return counts, sizes, densities, bridges and weakest links, as frames and as HTML.

        Parameters
        ----------
        edges : frame, or pair of arrays or series
            The edges that the answer was computed from, each once, in any order. An answer that was
            read in chunks can have a report if its edges fit into memory. For the parts of
            :meth:`Dendrogram.split`, pass ``edges[parts.connected(edges)]``, the edges within them.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, (m,) array, or None
            The similarity of the two ends of each edge, as for
            :func:`cc_rapids.maximum_spanning_forest`; negate distances. Edges outside the weight
            bounds of this answer are left out. By default, the weight column of the run is used for
            this only, and the report has no weakest links. None applies no bounds.
        nulls : {"raise", "drop"}
            Whether an edge with a null end, or a null or NaN weight, raises an error or is dropped.
            A dropped edge counts nowhere, so another edge may become a bridge.
        records : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict, optional
            The records of the vertices, for :meth:`Report.weakest_rows` and the page. If several
            records have the same id, the first of them is used. Records require ``weight``.
        on : str, or list of str
            The id columns of the records, as for :meth:`attach`.

        Returns
        -------
        Report
            :meth:`Report.overall` and :meth:`Report.components` return the numbers, and
            :meth:`Report.weakest_rows` returns the weakest links.

        Raises
        ------
        InputError
            An edge joins two components of the answer; the edges do not connect all vertices of a
            component; or they are a path, a stream, a matrix or a graph. Subclasses:
            UnknownVertexError, NullsError, MissingColumnError and ColumnTypeError.

        See Also
        --------
        cc_rapids.bridges : Find the bridges.
        Components.audit : Verify the answer against the edges.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [1, 2, 3, 3, 8], "dst": [2, 3, 1, 4, 9]})
        >>> cc_rapids.components(pairs).report(pairs)
        <Report: 2 components of 6 vertices, 5 edges, 2 bridges>
        """
        from ..analysis.report import report

        advice = "sizes() and articulation_points(frame) describe entities of records"
        with records_advice(self.answer.linked, advice):
            return report(self.answer, edges, source, destination, weight, nulls, records, on)

    def plot(self, kind: str = "sizes", *arguments: Any, **options: Any) -> Any:
        """Draw the answer with a function of :mod:`cc_rapids.plots`; needs the extra ``plot``.

        Parameters
        ----------
        kind : {"sizes", "largest", "component"}
            The name of the function.
        *arguments, **options
            Further arguments of that function, as in ``plot("component", edges, label)``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            The kind is unknown. All errors of that function occur too.
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

        functions: dict[str, Callable[..., Any]]
        functions = {"sizes": plots.sizes, "largest": plots.largest, "component": plots.component}
        draw = functions[check_word("plot", kind, functions)]
        if kind == "component" and not arguments and "edges" not in options:
            raise ArgumentTypeError(
                'plot("component") draws the edges of a component: pass plot("component", edges)'
            )
        return draw(self, *arguments, **options)

    def audit(
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        oracle: str | None = None,
        **given: Any,
    ) -> Audit:
        """Verify the frame that ``labels()`` returns against the edges.

        The audit makes one pass over the edges, on the engine of the answer, and shares no code
        with runs. Lists of any size are supported. Both ends of every edge must have the same
        label, so no component is split. The audit also links the edges in its own trees. There must
        be as many trees as labels at the end, so no components are merged. Each tree contains only
        connected vertices, so the audit never accepts a wrong answer. If it missed an edge, it
        would refuse a right answer.

        Labels must follow the definition of their kind (see :meth:`labels`), and rows must be
        sorted by id. ``len()`` must be the number of labels, and each vertex must occur in an edge
        or in ``vertices=``. The audit also counts the rows that it reads, and sums the positions of
        these rows and the squares of the positions. If a sum does not match the number of rows, the
        audit is invalid and raises an error.

        The audit takes at most three times as long as the run for the reference graphs
        (benchmarks/records/audit.jsonl). It allocates another label frame, and 8 bytes and 3 bits
        for each id of the id range (16 bytes if the range has at least 2^32 ids). For sparse ids it
        allocates 40 bytes per vertex and 8 bytes per edge instead.

        Parameters
        ----------
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            The edges that the answer was computed from, in any order and any form that
            :func:`cc_rapids.components` accepts. Paths and other streams are read in chunks.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        oracle : {"scipy", "networkx", "cugraph"}, optional
            A library that must find the same components. Streams do not support it.
        **given
            ``vertices``, ``num_vertices``, ``nulls``, ``header``, ``weight``, ``at_least`` and
            ``at_most`` as for the answer, and ``memory_limit`` and ``unreadable`` for streams, as
            in :func:`cc_rapids.stream_components`. The weight bounds of the answer apply by
            default; ``weight=None`` applies no bounds. Rows in messages are positions in the whole
            list, but files and streams with bounds count only the edges within the bounds.

            ``forest=True`` also verifies the frame of :meth:`forest`, for the same edges in the
            same order: its rows ascend, have the ends of the edge list, contain no cycle, and join
            the vertices of each component. ``forest="min"`` or ``"max"`` with ``weight`` also
            verifies the weights. For ``"min"``, no edge outside the forest may be lighter than the
            heaviest edge on the forest path between its ends. For ``"max"``, none may be heavier
            than the lightest edge of the path. Ties go to the lower row. This takes about 130 bytes
            per vertex, and up to 2 log2 n steps per edge. If ``forest`` is a frame, this frame is
            verified instead of the forest of the answer.

            ``bridges`` is a frame of :func:`cc_rapids.bridges`, for the same edges in the same
            order. It is compared with the bridges that a depth-first search finds on one host
            thread, in about 115 bytes per edge and 55 bytes per vertex.

        Returns
        -------
        Audit
            The counts of edges, vertices and components.

        Raises
        ------
        VerificationError
            The answer is wrong. The error names the first edge (by row, from 0) or vertex that
            proves it. Also raised if the audit did not read each row exactly once.
        InputError
            The edges or an argument cannot be used.

        See Also
        --------
        cc_rapids.oracle.certify_components : Verify an answer without kernels of this package.

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
        """The row counts of the run: rows given = rows linked + rows left out, by reason.

        ``given`` is counted in the input itself: the length of a frame, the footers of Parquet
        files, the lines of text, or a count of a relation. ``linked`` is the number of rows that
        kernels read. The reasons that occurred follow, such as ``null_end``, ``null_weight``,
        ``out_of_bounds``, ``row_group``, ``comment`` and ``blank``; see :mod:`cc_rapids.ledger`.
        ``unchecked`` is True if the rows came from an iterator, which has no independent count. A
        run whose counts do not balance raises a LedgerError.

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
            - ``engine``, ``device``, ``design`` and ``ids``: how the run was done;
            - ``memory``: the memory from which the edges were read;
            - ``vertices``, ``edges`` and ``components``: the counts;
            - ``largest``: the number of vertices of the largest component;
            - ``dropped``: the edges dropped because of nulls;
            - ``ledger``: :attr:`ledger` as one line;
            - ``seconds``: "copy" is the time of copying edges to the memory that kernels read, or
              None; "compute" is the rest;
            - ``peak_bytes``: the peak memory;
            - ``resumed``, for a stream that resumed from a checkpoint: the work already done, and
              the additions to the input;
            - ``chosen_again``, if a sample suggested too narrow an id range and the run was
              repeated: the reason;
            - ``columns``, for frames: the id columns of both ends;
            - ``taken``, for files: how the files were read, with format, columns, header (whether
              the first line names the columns) and delimiter.

        See Also
        --------
        Plan : The decisions before a run.
        """
        return summary(self.answer)

    def with_key_names(self, names: list[str] | None) -> Components[FrameT]:
        """Return the same answer with other names for the columns of composite ids.

        By default, the names come from a frame passed as ``vertices=``. Without this frame, the
        common part of the names of both ends is used, such as ``kind`` and ``id`` for ``src_kind``,
        ``src_id`` and ``dst_kind``, ``dst_id``. The names may differ in final digits, or in a
        prefix or suffix with the separator ``_``, ``.``, ``-`` or a space. If they differ
        otherwise, the names of the source are used. If names repeat, are not strings, or conflict
        with columns of answers such as ``vertex``, ``labels`` and ``size``, the columns are
        numbered: ``0_vertex``, ``1_vertex``, ..., ``0_labels``, .... A ``cugraph.Graph`` also gets
        numbered columns, as in cuGraph.

        Parameters
        ----------
        names : list of str, or None
            A name for each column of an id. None numbers the columns.

        Returns
        -------
        Components
            A new object that shares the arrays.

        Raises
        ------
        InputError
            Names are not one string per id column, repeat, or conflict with other columns.

        See Also
        --------
        Components.labels : Return the label of each vertex.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> rows = {"src_kind": ["u"], "src_id": [7], "dst_kind": ["c"], "dst_id": [3]}
        >>> names = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
        >>> found = cc_rapids.components(pd.DataFrame(rows), *names)
        >>> found.labels()
          kind  id  labels
        0    c   3       0
        1    u   7       0
        >>> list(found.with_key_names(None).labels("min"))
        ['0_vertex', '1_vertex', '0_labels', '1_labels']
        """
        return type(self)(selection.renamed(self.answer, names))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the answer to one file atomically.

        Parameters
        ----------
        path : str or path
            The path of the file. It must not have the suffix of a table, such as ``.csv``. An
            existing file is replaced. The format is specific to this package, without pickles, and
            checksums cover every byte. The file contains the ids, their components, the kinds of
            labels and frames, the summary, the spanning forest if recorded, and the rules and
            refused pairs of :func:`link_pairs`. It does not contain the edges.

        Raises
        ------
        OutputError
            The file cannot be written, or the disk is full. An existing file is not changed.
        InputError
            The labels are numbers of :class:`StableIds`: use :meth:`StableIds.save`.

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
    def load(cls, path: str | os.PathLike[str], engine: str | None = None) -> Self:
        """Load an answer written by :meth:`save`, on any engine.

        Parameters
        ----------
        path : str or path
            A file written by :meth:`save`.
        engine : {"threads", "cuda"}, optional
            Where to keep the answer. Defaults to the GPU if its frames are on a GPU.

        Returns
        -------
        Components
            The answer; a :class:`LinkedRecords` or :class:`LinkedPairs` if such an answer was
            saved. Frames are of the same library as in the saved answer. If this library is
            missing, frames are of PyArrow, and a message is logged.

        Raises
        ------
        FormatError
            The file does not exist, is damaged, has another version or type, or contains a spanning
            forest that does not match its components. The error is also raised if ``load`` was
            called on a subclass, such as :class:`LinkedPairs`, but another type was saved.

        See Also
        --------
        Components.save : Write an answer to one file.
        """
        from . import saved

        answer = saved.read(check_path("path", path), engine)
        kind: Any = Components if answer.linked is None else LinkedRecords
        if answer.ruled is not None:
            kind = LinkedPairs
        if not issubclass(kind, cls):
            raise FormatError(
                f"{path} is of type {kind.__name__}, not {cls.__name__}: load it with"
                f" {kind.__name__}.load()"
            )
        components: Self = kind(answer)
        return components

    def to_parquet(
        self,
        path: str | os.PathLike[str],
        *,
        rows_per_file: int = ROWS_PER_FILE,
        kind: str | None = None,
    ) -> list[str]:
        """Write the label of each vertex to a Parquet file, or to several files in a new folder.

        The rows are the rows of :meth:`Components.labels`, in the same order. Labels of kind "min"
        are built for ``rows_per_file`` rows at a time, so the frame of all rows is never allocated.
        Other kinds allocate the whole frame. Files are written to a temporary file or folder, which
        is renamed when it is complete. An error or an interrupt leaves nothing behind.

        Parameters
        ----------
        path : path
            A path that ends with ``.parquet`` is one file, and replaces an existing file. Any other
            path is a folder for ``part-00000.parquet`` and so on, which must not exist, or be
            empty.
        rows_per_file : int
            The maximum number of rows per file of a folder, or per row group of one file.
        kind : str, optional
            The kind of labels, as in :meth:`Components.labels`.

        Returns
        -------
        list of str
            The paths of the files, at least one.

        Raises
        ------
        InputError
            ``rows_per_file`` is not positive, or the kind is unknown.
        OutputError
            The file or folder cannot be written, or the folder contains files. The error names the
            reason.

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
        label_kind = self.answer.kind if kind is None else check_labels(kind)
        return write_parquet(self.answer, path, rows_per_file, label_kind)

    def __repr__(self) -> str:
        """Return the counts that are on the host, and the design; no kernel is launched."""
        facts, engine = self.answer.facts, self.answer.backend.name
        edges = counted(facts.edges, "edge")
        return f"<Components: {counts_in_words(self.answer)}; {edges}, {facts.design} on {engine}>"

    def _repr_html_(self) -> str | None:
        return html.panel_or_none(lambda: panel(self.answer))


@suggest_keywords_of_methods
class LinkedRecords(Components[Any]):
    """The entities of a frame's records: the components of records that agree in a key.

    ``len()`` is the number of entities. The vertices are the ids of the records. Without ``id=`` in
    :func:`link_records`, they are the row positions (int64, from 0). The methods of
    :class:`Components` apply, except those that need a forest; :meth:`attach` adds the entity of
    each record to the frame. :meth:`edges`, :meth:`explain_pair`, :meth:`articulation_points` and
    :meth:`audit` take the frame that was linked.

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
        """Add a column with the entity label of each record to a frame of records.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The frame, which is not modified. The result has the same rows and index.
        on : str, or list of str, optional
            The id columns. Defaults to the columns of ``id=``. Without ids, labels match rows by
            position, so the frame needs as many rows as the linked records.
        name : str
            The name of the new column.
        missing, nulls : str, optional
            As for :meth:`Components.attach`.

        Returns
        -------
        new frame of the same library as ``frame``

        Raises
        ------
        InputError
            Labels match rows by position, and the frame has more or fewer rows than the answer. All
            errors of :meth:`Components.attach` occur too.

        See Also
        --------
        Components.attach : Add labels to a frame of vertices or edges.
        Components.labels : Return the label of each record.
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
        """Return the best record of each entity.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The records. A lazy Polars frame is collected.
        on : str, or list of str, optional
            The id columns. Defaults to the columns of ``id=``. Without ids, records match rows by
            position, so the frame needs as many rows as the linked records.
        by, ascending, per, missing : str, bool or list of str, optional
            As for :meth:`Components.deduplicate`.

        Returns
        -------
        new frame of the same library as ``frame``
            Whole rows, in the order of the frame, with their index.

        Raises
        ------
        InputError
            Records match rows by position, and the frame has more or fewer rows than the answer.
            All errors of :meth:`Components.deduplicate` occur too.

        See Also
        --------
        Components.deduplicate : Deduplicate rows by the components of an edge list.
        LinkedRecords.attach : Add the entity of each record as a column.

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

    def duplicates(
        self,
        frame: Any,
        on: str | list[str] | None = None,
        by: str | None = None,
        ascending: bool = False,
        per: str | list[str] | None = None,
        missing: str = "self",
        *,
        name: str = "labels",
    ) -> Any:
        """Return the records that :meth:`deduplicate` drops, each with the record that it keeps.

        Parameters
        ----------
        frame, on, by, ascending, per, missing : frame and options
            As for :meth:`deduplicate`.
        name : str
            The name of the column of entities.

        Returns
        -------
        new frame of the same library as ``frame``
            As for :meth:`Components.duplicates`. If records have no ids, the columns ``row`` and
            ``kept_row`` have their positions instead.

        Raises
        ------
        InputError
            As for :meth:`deduplicate`; or two columns of the result would have the same name.

        See Also
        --------
        Components.duplicates : The dropped rows by the components of an edge list.
        LinkedRecords.deduplicate : Return the records that are kept.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> people = pd.DataFrame({"id": [7, 8, 9], "phone": ["1", "2", "1"], "seen": [3, 5, 4]})
        >>> cc_rapids.link_records(people, ["phone"], id="id").duplicates(people, by="seen")
           id  kept_id  labels  seen  kept_seen
        0   7        9       7     3          4
        """
        from ..analysis.records import dropped_records

        options = {"by": by, "ascending": ascending, "per": per, "missing": missing, "name": name}
        return dropped_records(self.answer, frame, on, **options)

    def edges(self, label: Any, frame: Any) -> Any:  # type: ignore[override]
        """Return the values that the records of one entity share, given its label.

        Parameters
        ----------
        label : label
            A label of the answer, as returned by :meth:`Components.labels`.
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The records that were linked. Their keys are compared again.

        Returns
        -------
        frame of the caller's kind, new
            One row for each record and each value that it shares with another record: ``vertex``
            (the id columns of composite ids), and the strings ``key`` and ``value``. Rows are in
            the order of the keys, then of the records. If a key has several columns, their names
            are joined by commas, and so are the values.

        Raises
        ------
        InputError
            The label does not exist, or the frame is not the one that was linked.

        See Also
        --------
        LinkedRecords.explain_pair : Return the values that join two records.
        LinkedRecords.articulation_points : Find the records that alone join others.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> cards = pd.DataFrame({"id": ["a", "b", "c"], "phone": [1, 1, 2], "card": [5, 9, 9]})
        >>> found = cc_rapids.link_records(cards, ["phone", "card"], id="id")
        >>> found.edges("a", cards)
          vertex    key value
        0      a  phone     1
        1      b  phone     1
        2      b   card     9
        3      c   card     9
        """
        from ..analysis.shared_values import values_of_entity

        return values_of_entity(self.answer, label, frame)

    def explain_pair(  # type: ignore[override]
        self,
        first: Any,
        second: Any,
        frame: Any,
        *,
        records: Any = None,
        on: str | list[str] = "vertex",
    ) -> Evidence:
        """Explain why two records are one entity: the values that lead from one to the other.

        Parameters
        ----------
        first, second : id
            Two ids; tuples for composite ids, and row positions if records have no ids.
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The records that were linked. Their keys are compared again.
        records : frame, optional
            A frame of records, such as ``frame``, whose other columns are shown. If several records
            have the same id, the first of them is used.
        on : str, or list of str
            The id columns of ``records``. Defaults to the columns of ``id=``.

        Returns
        -------
        Evidence
            Its ``frame`` has one row per step of a shortest path: the records ``from`` and ``to``,
            and the ``key`` and ``value`` that both share, as in :meth:`edges`. The other columns of
            ``records`` follow, such as ``from_name`` and ``to_name``.

        Raises
        ------
        InputError
            The records are in two entities, or the frame is not the one that was linked.
        UnknownVertexError
            An id is not a record of this answer.

        See Also
        --------
        LinkedRecords.edges : Return all values that the records of an entity share.
        Components.explain_pair : Explain a component of an edge list.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> cards = pd.DataFrame({"id": ["a", "b", "c"], "phone": [1, 1, 2], "card": [5, 9, 9]})
        >>> found = cc_rapids.link_records(cards, ["phone", "card"], id="id")
        >>> found.explain_pair("a", "c", cards).frame
          from to    key value
        0    a  b  phone     1
        1    b  c   card     9
        """
        from ..analysis.shared_values import explain_records

        return explain_records(self.answer, first, second, frame, records, on)

    def articulation_points(self, frame: Any) -> Any:
        """Find the records whose removal would separate other records of their entity.

        All records that share a value count as joined to each other, so removing one of them does
        not separate the rest. A value that only one record has joins nothing.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The records that were linked. Their keys are compared again.

        Returns
        -------
        frame of the caller's kind, new
            Column ``vertex`` (the id columns of composite ids), sorted by id.

        Raises
        ------
        InputError
            The frame is not the one that was linked.

        See Also
        --------
        cc_rapids.articulation_points : Find the articulation points of an edge list.
        LinkedRecords.edges : Return the values that the records of an entity share.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> cards = pd.DataFrame({"id": ["a", "b", "c"], "phone": [1, 1, 2], "card": [5, 9, 9]})
        >>> found = cc_rapids.link_records(cards, ["phone", "card"], id="id")
        >>> found.articulation_points(cards)
          vertex
        0      b
        """
        from ..analysis.shared_values import articulation_points_of_records

        return articulation_points_of_records(self.answer, frame)

    def audit(self, frame: Any, *, oracle: str | None = None) -> Audit:  # type: ignore[override]
        """Verify the entities against the records; raise an error if they are wrong.

        The records that agree in a key are found again on the host, by sorting, without the hash
        tables of the run. The audit then proceeds as for :meth:`Components.audit`.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The records that were linked.
        oracle : {"scipy", "networkx", "cugraph"}, optional
            A library that must find the same entities.

        Returns
        -------
        Audit
            ``vertices`` is the number of records, and ``components`` the number of entities.
            ``edges`` is the number of records times the number of keys.

        Raises
        ------
        VerificationError
            The answer is wrong. The error names the first record that proves it.
        InputError
            The frame lacks a column of the keys, or an argument cannot be used.

        See Also
        --------
        Components.audit : Verify the components of an edge list.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> cards = pd.DataFrame({"id": ["a", "b", "c"], "phone": [1, 1, 2], "card": [5, 9, 9]})
        >>> print(cc_rapids.link_records(cards, ["phone", "card"], id="id").audit(cards))
        right: 1 component of 3 vertices, by 6 edges
        """
        from ..analysis.shared_values import audit_records

        return audit_records(self.answer, frame, oracle)

    def summary(self) -> dict[str, Any]:
        """Return facts about the run and the answer.

        Returns
        -------
        dict
            As for :meth:`Components.summary`; ``vertices`` counts records, ``components`` counts
            entities, and ``edges`` counts the links of all keys. ``keys`` maps each key (a column,
            or a tuple of several) to a dict of counts: ``links`` (k - 1 for each group of k rows),
            ``without_value`` (rows with a null or ignored part), ``ignored`` (rows with an ignored
            part and no null part), ``left_out_groups`` (groups of more than ``max_group`` records)
            and ``left_out_rows`` (the rows of these groups).

        See Also
        --------
        Components.summary : The facts about other answers.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> people = pd.DataFrame({"phone": ["0", "0", "0", "7", "7", ""]})
        >>> found = cc_rapids.link_records(people, keys=["phone"], max_group=2)
        >>> found.summary()["keys"]["phone"]
        {'links': 1, 'without_value': 1, 'ignored': 1, 'left_out_groups': 1, 'left_out_rows': 3}
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


@suggest_keywords_of_methods
class LinkedPairs(Components[FrameT]):
    """The clusters of scored pairs under rules, from :func:`link_pairs`.

    All methods of :class:`Components` apply. :meth:`forest` returns the accepted pairs.
    :meth:`dendrogram` returns the clusters under the same rules at every threshold, also as
    :class:`LinkedPairs`. Pairs of ``must_link`` have no row, so paths and dendrograms do not follow
    these pairs. The path between two records that only such pairs join has the length -1.

    See Also
    --------
    link_pairs : Group records by scored pairs under rules.
    Components : The components of an edge list.

    Examples
    --------
    >>> import cc_rapids
    >>> pairs = [(1, 2), (2, 3)]
    >>> found = cc_rapids.link_pairs(pairs, weight=[0.9, 0.8], cannot_link=[(1, 3)])
    >>> found
    <LinkedPairs: 2 clusters of 3 vertices; 1 of 2 pairs refused, on threads>
    """

    def refused(self) -> FrameT:
        """Return the pairs that a rule refused.

        Returns
        -------
        frame of the caller's kind, sorted by row
            Columns ``row``, ``source``, ``destination`` and ``weight`` are as in :meth:`forest`.
            Column ``rule`` is ``"per_dataset"``, ``"cannot_link"`` or ``"max_size"``: the first of
            these rules that joining the two clusters would have broken when the pair was
            considered. ``source_labels`` and ``destination_labels`` are the labels of both ends in
            the answer. For a cut of a dendrogram, only refused pairs within its threshold.

        Raises
        ------
        InputError
            The answer is a cut of a dendrogram, and the run had ``must_link`` pairs, which
            dendrograms leave out.

        See Also
        --------
        LinkedPairs.forest : Return the accepted pairs.

        Examples
        --------
        >>> import cc_rapids
        >>> found = cc_rapids.link_pairs([(1, 2), (2, 3)], weight=[0.9, 0.8], max_size=2)
        >>> found.refused().row, found.refused().rule
        (array([1]), array(['max_size'], dtype='<U11'))
        """
        from ..analysis.rules import refused_frame

        frame: FrameT = refused_frame(self.answer)
        return frame

    def audit(  # type: ignore[override]
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        **given: Any,
    ) -> RulesAudit:
        """Verify the clusters against the pairs and the rules; raise an error if they are wrong.

        No cluster may break a rule. The accepted pairs and the pairs of ``must_link`` must be a
        forest whose trees are the clusters. Every other pair must be redundant or refused: the
        accepted pairs before it join its ends, or form two clusters of its ends whose union breaks
        the rule that :meth:`refused` names. Only the answer of Kruskal's algorithm meets these
        conditions. The kernels of the audit share no code with the kernels of the run.

        Parameters
        ----------
        edges : frame, pair of columns, list of pairs, or path
            The pairs that the clusters were found from, in the same order.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.link_pairs`.
        **given
            ``weight``, ``vertices``, ``num_vertices``, ``nulls``, ``at_least`` and ``at_most`` as
            for the answer. The weight and the bounds of the answer apply by default. The rules are
            those of the answer.

        Returns
        -------
        RulesAudit
            The counts of pairs, vertices, clusters, and accepted and refused pairs.

        Raises
        ------
        VerificationError
            The answer is wrong. The error names the first pair or vertex that proves it.
        InputError
            The edges or an argument cannot be used.

        See Also
        --------
        Components.audit : Verify the components of an edge list.

        Examples
        --------
        >>> import cc_rapids
        >>> pairs, scores = [(1, 2), (2, 3)], [0.9, 0.8]
        >>> found = cc_rapids.link_pairs(pairs, weight=scores, max_size=2)
        >>> print(found.audit(pairs, weight=scores))
        right: 2 clusters of 3 vertices, by 1 of 2 edges; 1 refused
        """
        from ..analysis.audits import prove_rules

        return prove_rules(self.answer, edges, source, destination, **given)

    def __repr__(self) -> str:
        counts, answer = counts_in_words(self.answer, "cluster"), self.answer
        pairs = counted(answer.facts.edges, "pair")
        refused = None if answer.ruled is None else int(answer.ruled.refused.edges.size)
        if "not_in_forest" in answer.facts.rows.left_out:  # a cut, whose pairs are all accepted
            pairs = f"{pairs} accepted" + ("" if refused is None else f", {refused:,} refused")
        elif refused is not None:
            pairs = f"{refused:,} of {pairs} refused"
        return f"<LinkedPairs: {counts}; {pairs}, on {answer.backend.name}>"


@suggest_keywords_of_methods
class NeighborComponents(Components[Any]):
    """The components of points and their neighbours, from :func:`components_of_neighbors`.

    The vertices are the points 0 .. n - 1. With ``min_samples``, the components are the clusters of
    DBSCAN, and noise points are in no cluster. :meth:`labels`, :meth:`component_of` and
    :meth:`attach` give noise the label -1. :meth:`same_component` and :meth:`connected` return
    False for noise, and all other methods leave it out. The methods of :class:`Components` apply,
    except those that need a forest. If a method needs edges, pass the sparse matrix. For an (n, k)
    array, pass ``(np.repeat(np.arange(n), k), indices.ravel())`` without the entries of -1.

    See Also
    --------
    components_of_neighbors : Find the components of points and their neighbours.
    Components : The components of an edge list.

    Examples
    --------
    >>> import cc_rapids
    >>> found = cc_rapids.components_of_neighbors([[1], [0], [2], [-1]], min_samples=2)
    >>> found
    <NeighborComponents: 1 cluster of 4 points, 2 of them noise; 2 edges, on threads>
    >>> found.labels().labels, found.sizes()
    (array([ 0,  0, -1, -1], dtype=int32), Sizes(labels=array([0], dtype=int32), size=array([2])))
    """

    @property
    def num_noise(self) -> int:
        """The number of points that are in no cluster."""
        return self.answer.forest.n - self.num_vertices

    def core(self) -> Any:
        """Return whether each point is a core point of a cluster.

        The indices of the core points, ``np.flatnonzero(found.core())``, are
        ``core_sample_indices_`` of scikit-learn. All other points of a cluster are border points.

        Returns
        -------
        (n,) array of bool
            A new array of NumPy, or of CuPy if the neighbours were on a GPU.

        Raises
        ------
        InputError
            The answer has no clusters.

        See Also
        --------
        NeighborComponents.labels : Return the cluster of each point.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> indices = np.array([[1, 2], [0, -1], [-1, -1]])
        >>> found = cc_rapids.components_of_neighbors(indices, min_samples=2)
        >>> found.core()
        array([ True,  True, False])
        >>> np.flatnonzero((found.labels().labels >= 0) & ~found.core())
        array([2])
        """
        answer, facts = self.answer, self.answer.neighbors
        if facts is None or facts.core is None:
            raise InputError("only clusters have core points: pass min_samples=")
        with answer.backend.scope():
            bits = answer.backend.xp.unpackbits(facts.core, bitorder="little")
            return answer.home(bits[: answer.forest.n].astype(bool))

    def labels(self, kind: str | None = None) -> Any:
        """Return the label of each point.

        Parameters
        ----------
        kind : {"min", "max", "dense", "size", ...}, optional
            As for :meth:`Components.labels`, but ``"dense"`` numbers clusters in the order of their
            least core points, as in scikit-learn. Defaults to the ``labels=`` of
            :func:`cc_rapids.components_of_neighbors`.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``
            One row per point. The label of noise is -1. Labels of kind ``"fingerprint"`` are
            unsigned, so noise then has the label 2^64 - 1.

        See Also
        --------
        Components.sizes : Return the size of each component.
        """
        from .clusters import label_frame

        return label_frame(self.answer, None if kind is None else check_labels(kind))

    def component_of(self, vertices: Any) -> Any:
        """Return the labels of given points, in the given order.

        Parameters
        ----------
        vertices : int, or column, array or list of int
            Points, as for :meth:`Components.component_of`.

        Returns
        -------
        label, or column of labels of the caller's kind
            The label of noise is -1.

        Raises
        ------
        UnknownVertexError
            Some vertices are not points.

        See Also
        --------
        Components.attach : Add the labels to a frame as a column.
        """
        from .clusters import with_noise

        return lookup.labels_of(with_noise(self.answer), vertices)

    def attach(
        self,
        frame: Any,
        on: str | list[str] = "vertex",
        name: str = "labels",
        missing: str = "raise",
        nulls: str | None = None,
    ) -> Any:
        """Add a column with the label of each point to a frame of points.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, or DuckDB relation
            The frame, which is not modified.
        on : str, or list of str
            The column of points.
        name : str
            The name of the new column.
        missing : {"raise", "null", "self"}
            As for :meth:`Components.attach`. Noise is not missing: its label is -1. Answers with
            clusters refuse ``"self"``, because a single point is not a cluster.
        nulls : {"raise", "null"}, optional
            As for :meth:`Components.attach`.

        Returns
        -------
        new frame of the same library as ``frame``

        Raises
        ------
        InputError
            ``missing="self"`` is passed for clusters. All errors of :meth:`Components.attach` occur
            too.

        See Also
        --------
        NeighborComponents.labels : Return the label of each point.
        """
        from .clusters import with_noise

        if self.answer.has_clusters and missing == "self":
            raise InputError(
                "missing='self' makes each unknown id a component of its own, but a single point is"
                " not a cluster: pass missing='null'"
            )
        return lookup.attached(with_noise(self.answer), frame, on, name, missing, nulls)

    def audit(self, indices: Any, distances: Any = None) -> Audit:  # type: ignore[override]
        """Verify the labels against the neighbours; raise an error if they are wrong.

        NumPy lists the edges again on the host, in chunks, by the rules of the run, such as
        ``mutual``. The audit then proceeds as for :meth:`Components.audit`. For clusters, it also
        verifies core points, the cluster of each border point, and noise.

        Parameters
        ----------
        indices, distances : (n, k) arrays, or sparse matrix
            The neighbours that the answer was computed from.

        Returns
        -------
        Audit
            The counts of edges, vertices and components. For clusters, the vertices are the core
            points, and the edges are the edges between core points.

        Raises
        ------
        VerificationError
            The answer is wrong. The error names the first edge or point that proves it.
        InputError
            The arrays cannot be used.

        See Also
        --------
        Components.audit : Verify the components of an edge list.

        Examples
        --------
        >>> import cc_rapids
        >>> indices = [[1], [0], [2], [-1]]
        >>> print(cc_rapids.components_of_neighbors(indices).audit(indices))
        right: 3 components of 4 vertices, by 2 edges
        """
        from ..analysis.neighbors import audit_neighbors

        return audit_neighbors(self.answer, indices, distances)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the answer to one file, from which :meth:`Components.load` reads components.

        Parameters
        ----------
        path : str or path
            As for :meth:`Components.save`.

        Raises
        ------
        InputError
            The answer has clusters. Their labels are an array: ``numpy.save(path,
            found.labels().labels)``.

        See Also
        --------
        Components.save : Write an answer to one file.
        """
        if self.answer.has_clusters:
            raise InputError(
                "save() does not store noise: save the frame found.labels(), or its labels as an"
                " array"
            )
        super().save(path)

    def summary(self) -> dict[str, Any]:
        """Return facts about the run and the answer.

        Returns
        -------
        dict
            As for :meth:`Components.summary`; ``noise`` is the number of points in no cluster.

        See Also
        --------
        Components.summary : The facts about other answers.
        """
        return super().summary() | ({"noise": self.num_noise} if self.answer.has_clusters else {})

    def __repr__(self) -> str:
        answer, n = self.answer, self.answer.forest.n
        engine, edges = answer.backend.name, counted(answer.facts.edges, "edge")
        count = counted(len(self), "cluster" if self.answer.has_clusters else "component")
        noise = f", {self.num_noise:,} of them noise" if self.answer.has_clusters else ""
        points = counted(n, "point")
        return f"<NeighborComponents: {count} of {points}{noise}; {edges}, on {engine}>"


@suggest_keywords_of_methods
class StableIds(NumberedComponents[Components[Any]]):
    """Persistent numbers of the components of an answer, from which the next answer continues.

    ``len()`` is the number of components. Numbers are int64, from 0. :meth:`Components.stable_ids`
    documents how numbers persist.

    Attributes
    ----------
    components : Components
        The answer with the numbers as labels. ``attach``, ``sizes``, ``members`` and all other
        methods use them. It does not store the edges.
    next_id : int
        The least number that was never used, for the first new component of the next answer.

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

    if not TYPE_CHECKING:  # type checkers would accept every attribute name

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, Components, "components")

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
            The numbers and ``next_id``, without the changes.

        Raises
        ------
        FormatError
            The file does not exist, is damaged, has another type, or its ids or numbers do not
            match their checksum.

        See Also
        --------
        StableIds.save : Write numbers to one file.
        """
        numbers = load(path, engine)
        return cls(Components(numbers.answer), numbers)
