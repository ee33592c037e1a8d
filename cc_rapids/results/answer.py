"""The answer of a run as data, with cached derived arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from ..backends import Array, Backend
from ..data.arguments import check_count
from ..data.column import Column, of, without_rows
from ..data.edge_array import refuse_neighbors
from ..data.edge_input import EdgeInput
from ..data.frame_access import bring
from ..data.row_index import items_at
from ..errors import InputError, id_shown
from ..graph.chosen_edges import ChosenEdges
from ..graph.forest import Forest
from ..ids.decoders import IdDecoder, OffsetDecoder, SortedDecoder
from ..ledger import Ledger
from .forest_columns import columns_of_edges, take_ids, with_index
from .rules import PartOfRuled, Ruled

if TYPE_CHECKING:
    from ..data.weight_bound import WeightBound
    from ..solver.neighbors import NeighborFacts
    from .records import Linked


@dataclass(frozen=True)
class Facts:
    """Facts about the run that found an answer.

    Attributes
    ----------
    design, ids : str
        The design, and the encoding of the ids.
    edges : int
        The number of linked edges.
    memory : str
        The memory from which the edges were read.
    seconds : dict
        The seconds of the parts of the run.
    resumed : str, optional
        A description of the work of earlier runs, for a stream.
    greatest : bool, optional
        True for a maximum spanning forest, False for a minimum spanning forest, and None if there
        is no forest by weight.
    chosen_again : str
        The reason for a second plan; empty if there was none.
    ledger : Ledger, optional
        The counts of rows, if the run recorded them.
    """

    design: str
    ids: str
    edges: int
    memory: str = "device"
    seconds: dict[str, float | None] = field(default_factory=dict)
    resumed: str | None = None
    greatest: bool | None = None
    chosen_again: str = ""
    ledger: Ledger | None = None

    @property
    def rows(self) -> Ledger:
        """The ledger of the run; if the run has recorded none, all edges were given and linked."""
        return Ledger(self.edges, self.edges) if self.ledger is None else self.ledger

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON values."""
        return asdict(replace(self, ledger=None)) | {"ledger": self.rows.facts()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Facts:
        """Return the facts from JSON values.

        Raises
        ------
        ValueError
            A value has the wrong type, or the ledger does not balance.
        """
        facts = cls(**values | {"ledger": Ledger.of_facts(values["ledger"])})
        check_count("edges", facts.edges)
        texts = facts.design, facts.ids, facts.memory, facts.chosen_again
        is_valid = (
            all(isinstance(value, str) for value in texts)
            and isinstance(facts.resumed, str | None)
            and isinstance(facts.greatest, bool | None)
            and isinstance(facts.seconds, dict)
            and all(isinstance(value, int | float | None) for value in facts.seconds.values())
        )
        if not is_valid:
            raise ValueError("a fact about the run has a wrong type")
        return facts


class PartOfForest(ChosenEdges):
    """A selection of edges of the spanning forest of another answer.

    The edges are selected on first use.

    Parameters
    ----------
    whole : Answer
        The other answer.
    find_places : callable
        Returns the positions of the selected edges in the forest of the other answer, in ascending
        order.
    """

    backend: Backend
    whole: Answer

    def __init__(self, whole: Answer, find_places: Callable[[], Array]) -> None:
        self.backend, self.whole, self._find_places = whole.backend, whole, find_places

    @cached_property
    def places(self) -> Array:
        """The positions of the selected edges in the forest of the other answer."""
        return self._find_places()

    @cached_property
    def rows(self) -> Array:
        """The positions of the selected edges in the edge list."""
        assert self.whole.forest_edges is not None
        return self.whole.forest_edges.rows[self.places]


class LabelKind(ABC):
    """A kind of component labels.

    Attributes
    ----------
    name : str
        The value of ``labels=``.
    is_id : bool
        True if labels are vertex ids of the caller's type; False if they are numbers.
    is_root : bool
        True if labels are the roots of the union-find trees.
    is_saved : bool
        True if a saved file can name the kind; False if the kind has its own state.
    audited_as : str
        The rule by which an audit checks the labels, see :mod:`cc_rapids.verify.label_rules`.
    """

    name: ClassVar[str]
    is_id: ClassVar[bool] = False
    is_root: ClassVar[bool] = False
    is_saved: ClassVar[bool] = True

    @property
    def audited_as(self) -> str:
        return self.name

    @abstractmethod
    def labels_of_rows(self, answer: Answer) -> Array:
        """Return the label of each row, as a new array.

        Labels that are ids are returned as vertices, as by
        :meth:`cc_rapids.graph.forest.Forest.rows`. :meth:`columns` converts them to ids.
        """

    def vertices_and_labels(self, answer: Answer) -> tuple[Array, Array]:
        """Return the vertex and the label of each row, as two new arrays."""
        vertex, _ = answer.numbered
        return vertex.copy(), self.labels_of_rows(answer)

    @abstractmethod
    def of_component(self, answer: Answer, component: Array) -> Array:
        """Return the labels of components as a new array, given the component numbers."""

    @abstractmethod
    def find(self, answer: Answer, label: Any) -> int | None:
        """Return the number of the component with a label, or None for an unknown label."""

    @abstractmethod
    def columns(self, answer: Answer, name: str, labels: Array) -> dict[str, Any]:
        """Return labels as a column called ``name``.

        Labels that are composite ids become one column per part, whose name ends with ``name``.
        """

    @abstractmethod
    def columns_of_ids(
        self,
        answer: Answer,
        column: Column,
        valid: Array,
        labels: Array,
        name: str,
        rows: Array | None,
    ) -> dict[str, Any]:
        """Return the labels of ids as columns of a frame; some ids may be unknown.

        Each distinct unknown id is a component of its own.

        Parameters
        ----------
        column : Column
            A column of m ids of the same kind as the ids of the edges.
        valid : (m,) array of bool
            True for ids that are vertices of the answer.
        labels : (m,) array
            The label of each known id, and any value for unknown ids. The array is empty if the
            answer has no vertex.
        name : str
            The name of the label column.
        rows : array of int64, optional
            The rows to return. Defaults to all rows.
        """


NOISE = "noise, which is in no cluster (np.flatnonzero(found.labels('dense').labels < 0) lists it)"


@dataclass(eq=False)
class Answer:
    """The components of an edge list as data; ``len()`` is the number of components.

    Methods that return arrays must be called within the scope of the backend.

    Attributes
    ----------
    given : EdgeInput
        The caller's edges, which determine the kind of returned frames.
    backend : Backend
        The backend of the arrays.
    decoder : IdDecoder
        The mapping from vertices to ids.
    forest : Forest
        The union-find trees, one per component.
    kind : LabelKind
        The default kind of labels.
    facts : Facts
        Facts about the run.
    forest_edges : ChosenEdges, optional
        The edges of the spanning forest, if a forest was recorded. In a cut, they are a
        :class:`PartOfForest`.
    prefetched_frame : frame, optional
        A label frame of kind "min" that the run has built. It is returned once.
    arena : optional
        The arena of the run, in which a small label frame is allocated.
    saved_forest : dict, optional
        The columns of the spanning forest, if the answer was copied without its edges.
    linked : Linked, optional
        The keys of linked records.
    ruled : Ruled, optional
        The rules of clusters of linked pairs.
    neighbors : NeighborFacts, optional
        The rules of neighbours.
    """

    given: EdgeInput
    backend: Backend
    decoder: IdDecoder
    forest: Forest
    kind: LabelKind
    facts: Facts
    forest_edges: ChosenEdges | None = None
    prefetched_frame: Any = None
    arena: Any = None
    saved_forest: dict[str, Any] | None = None
    linked: Linked | None = None
    ruled: Ruled | None = None
    neighbors: NeighborFacts | None = None

    def __len__(self) -> int:
        return self.forest.components

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for copies and pickles, without the edges and cached results."""
        state = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if self.forest_edges is not None:
            with self.backend.scope():
                state["saved_forest"] = self.columns_of_forest()
                if isinstance(self.forest_edges, PartOfForest):  # leave out the other answer
                    state["forest_edges"] = ChosenEdges(self.backend, self.forest_edges.rows)
                if self.ruled is not None:
                    state["ruled"] = self.ruled.with_columns(self.columns_of_refused())
        return state | {
            "given": self.given_without_edges(),
            "prefetched_frame": None,
            "arena": None,
        }

    def given_without_edges(self) -> EdgeInput:
        """Return the input without its edges; the kind of frames and the types of ids remain."""
        given = self.given
        return replace(
            given,
            src=without_rows(given.src),
            dst=without_rows(given.dst),
            vertices=None,
            row_offsets=None,
            row_index=None,
            index=None,
            weights=None,
        )

    def with_given(self, given: EdgeInput) -> Answer:
        """Return the answer with another input, which determines the kind and names of frames."""
        other: Answer = object.__new__(type(self))
        vars(other).update(vars(self))  # including cached results
        other.given, other.prefetched_frame = given, None
        return other

    def with_key_names(self, names: Sequence[str]) -> Answer:
        """Return the answer with new names of the id columns; without names, they are numbered."""
        return self.with_given(replace(self.given, vertex_names=tuple(names)))

    def with_ledger(self, ledger: Ledger) -> Answer:
        """Return the answer with the ledger of the caller's rows."""
        dropped = ledger.left_out.get("null_end", 0)
        other = self.with_given(replace(self.given, dropped_rows=dropped))
        other.facts = replace(self.facts, ledger=ledger)
        return other

    def keep_bound(self, bound: WeightBound | None) -> None:
        """Set the weight bound of the edges."""
        if bound is not self.given.bound:
            self.given = replace(self.given, bound=bound)

    def label_frame(self, kind: LabelKind | None = None) -> Any:
        """Return the frame of vertices and labels; by default, labels are of the answer's kind."""
        kind = self.kind if kind is None else kind
        if not kind.is_root:
            with self.backend.scope(self.arena):
                vertex, label = kind.vertices_and_labels(self)
                labels = kind.columns(self, "labels", label)
                return self.frame(self.columns("vertex", vertex) | labels)
        if (frame := vars(self).pop("prefetched_frame", None)) is not None:
            return self.given.answer(frame)  # pop() gives the frame to one thread only
        with self.backend.scope(self.arena):
            decoder = self.decoder
            ids = self.rows_of_sorted_ids() if isinstance(decoder, SortedDecoder) else None
            vertex, label = ids or self.forest.rows(decoder.id_base, decoder.dtype)
            if ids is not None or isinstance(decoder, OffsetDecoder):  # rows() has added id_base
                return self.frame({"vertex": vertex, "labels": label})
            return self.frame(self.columns("vertex", vertex) | self.columns("labels", label))

    def check_forest(self, method: str) -> None:
        """Raise an InputError if no forest was recorded.

        ``method`` is the call that needs a forest, such as "forest()".
        """
        if self.forest_edges is None:
            if self.linked is not None:
                raise InputError(
                    f"link_records keeps no forest, which {method.partition('(')[0]}() needs:"
                    " explain_pair(first, second, frame) returns the values that join two records"
                )
            if self.neighbors is not None:
                raise InputError(
                    f"components_of_neighbors keeps no forest, which {method.partition('(')[0]}()"
                    " needs: find the components of an edge list with forest=True"
                )
            raise InputError(
                "this answer has no spanning forest, because the run did not use forest=: call"
                f" components(..., forest=True).{method}"
            )

    @property
    def has_clusters(self) -> bool:
        """True if the components are clusters; points in no cluster are noise."""
        return self.neighbors is not None and self.neighbors.order is not None

    def check_edges(self, edges: Any) -> None:
        """Raise an InputError if ``edges`` are an array of neighbours, as in this answer's run."""
        if self.neighbors is not None:
            refuse_neighbors(edges, self.forest.n)

    def forest_frame(self) -> Any:
        """Return the frame of the edges of the spanning forest."""
        with self.backend.scope():
            return self.frame(self.columns_of_forest(), nan_free=("weight",))

    def in_memory_frame(self, columns: dict[str, Any]) -> Any:
        """Return an in-memory frame of the caller's library."""
        return self.in_memory().frame(columns)

    def vertex(self, rows: Array) -> dict[str, Any]:
        """Return the id columns of the vertices in the given rows of the answer."""
        return self.columns("vertex", self.rows()[0][rows])

    def ids(self) -> list[Column]:
        """Return the ids of all vertices, one Column per id column."""
        return [of("vertex", ids) for ids in self.columns("vertex", self.rows()[0]).values()]

    def frame(self, columns: dict[str, Any], nan_free: Sequence[str] = ()) -> Any:
        """Return a frame of the caller's library, on the same device as the edges.

        Columns named in ``nan_free`` are known to contain no NaN, and are marked as such.
        """
        if self.backend.on_device != self.given.on_device:
            columns = {name: self.home(column) for name, column in columns.items()}
        for name in nan_free:
            if name in columns and self.given.without_nan is not None:
                columns[name] = self.given.without_nan(columns[name])
        if self.given.src.key_columns:  # composite ids: replace names such as 0_vertex
            columns = {self.given.output_name(name): column for name, column in columns.items()}
        frame: Any = self.given.make_frame(columns)
        return frame if self.given.answers is None else self.given.answers(frame)

    def in_memory(self) -> Answer:
        """Return the answer with frames in memory, even if the edges are lazy or a relation."""
        if self.given.answers is None:
            return self
        return self.with_given(replace(self.given, answers=None))

    def columns_of_forest(self, positions: Array | None = None) -> dict[str, Any]:
        """Return new columns of the forest's edges, or of the edges at positions in the forest."""
        if self.saved_forest is not None:
            return self._columns_at(self.saved_forest, positions)
        chosen = self.forest_edges
        assert chosen is not None
        if isinstance(chosen, PartOfForest):
            places = chosen.places if positions is None else chosen.places[positions]
            return chosen.whole.columns_of_forest(places)
        chosen = chosen if positions is None else chosen.among(positions)
        if columns := chosen.columns(self.given):  # one kernel has gathered them
            return with_index(self.given, columns)
        return columns_of_edges(self.given, self.home(chosen.rows.astype(np.int64)))

    def required_rules(self) -> Ruled:
        """Return the rules of clusters; raise an InputError if a cut has no rules."""
        if self.ruled is None:
            at_least = self.given.bound and self.given.bound.at_least
            limit = "..." if at_least is None else f"at_least={at_least}"
            raise InputError(
                "these clusters are a cut of a dendrogram, which leaves out the pairs of"
                f" must_link=: run link_pairs(..., must_link=..., {limit})"
            )
        return self.ruled

    def columns_of_refused(self, positions: Array | None = None) -> dict[str, Any]:
        """Return new columns of the refused edges, or of those at positions among them."""
        ruled, forest_edges = self.ruled, self.forest_edges
        assert ruled is not None  # an answer without rules has no refused edges
        if ruled.columns is not None:
            return self._columns_at(ruled.columns, positions)
        # a part of another answer takes the columns from that answer
        if isinstance(ruled, PartOfRuled) and isinstance(forest_edges, PartOfForest):
            places = ruled.places if positions is None else ruled.places[positions]
            return forest_edges.whole.columns_of_refused(places)
        rows = ruled.refused.edges if positions is None else ruled.refused.edges[positions]
        return columns_of_edges(self.given, self.home(rows))

    def _columns_at(self, columns: dict[str, Any], positions: Array | None) -> dict[str, Any]:
        """Return a copy of columns of edges, or only of the edges at the given positions."""
        if positions is None:
            return {name: copy(column) for name, column in columns.items()}
        positions, not_ids = self.home(positions), ("row", "index", "weight")
        return {
            name: items_at(column, positions)
            if name in not_ids
            else take_ids(of(name, column), positions)
            for name, column in columns.items()
        }

    def home(self, column: Any) -> Any:
        """Return a column on the device of the caller's edges."""
        return self.bring(column, self.given.on_device)

    def bring(self, column: Any, on_device: bool) -> Any:
        """Return an array of the backend on the requested device; do not move other columns."""
        return bring(column, self.backend, on_device)

    def rows(self) -> tuple[Array, Array]:
        """Return the vertex of each row, and the least vertex of its component.

        :meth:`columns` converts both to ids.
        """
        return self.forest.rows(self.decoder.id_base, self.decoder.dtype)

    def rows_of_sorted_ids(self) -> tuple[Array, Array] | None:
        """Return the id of each row and the least id of its component, decoded in one pass.

        Return None if the decoder does not have exactly the sorted ids of the vertices, or if the
        run has already gathered the rows that :meth:`rows` returns.
        """
        forest, decoder = self.forest, self.decoder
        if not isinstance(decoder, SortedDecoder) or forest.has_rows:
            return None
        if not (forest.all_present and forest.n == decoder.ids.size):
            return None
        return decoder.decode_all(forest.parent, self.backend)

    def columns(self, name: str, vertices: Array) -> dict[str, Any]:
        """Return the ids of vertices from :meth:`rows`, as a column called ``name``.

        Composite ids become one column per part: ``0_name``, ``1_name``, ...
        """
        if isinstance(self.decoder, OffsetDecoder):  # the vertices are already ids
            return {name: vertices}
        column = self.decoder.decode(vertices, self.backend)
        if isinstance(column, list):
            return {f"{k}_{name}": part for k, part in enumerate(column)}
        return {name: column}

    def label(self, rows: Array, name: str = "labels") -> dict[str, Any]:
        """Return the label columns of the given rows of the answer."""
        return self.kind.columns(self, name, self.kind.labels_of_rows(self)[rows])

    def labels_of_ids(
        self, column: Column, rows: Array, valid: Array, name: str, positions: Array | None
    ) -> dict[str, Any]:
        """Return the label columns of the ids in ``column``; some ids may be unknown.

        ``rows`` has the row of each id in the answer. For the other parameters and the labels of
        unknown ids, see :meth:`LabelKind.columns_of_ids`; its ``rows`` are the ``positions``.
        """
        labels = self.kind.labels_of_rows(self)[rows if self.forest.vertices else rows[:0]]
        return self.kind.columns_of_ids(self, column, valid, labels, name, positions)

    def component(self, label: Any) -> int:
        """Return the number of the component that has a label.

        Components are numbered in the order of their least ids.
        """
        number = self.kind.find(self, label)
        if number is None:
            is_number = isinstance(label, int | np.integer)
            if self.has_clusters and is_number and label == -1:
                raise InputError(f"-1 is the label of {NOISE}")
            count = len(self)
            components = "the only component" if count == 1 else f"these {count:,} components"
            raise InputError(
                f"{id_shown(label)} is not a label of {components} (labels are of kind"
                f" {self.kind.name!r}): component_of() returns the label of a vertex"
            )
        return number

    def as_integers(self, numbers: Array) -> Array:
        """Return component numbers as int32, as in SciPy, or as int64 if they do not fit."""
        return numbers.astype(np.int32 if len(self) <= 1 << 31 else np.int64)

    @cached_property
    def numbered(self) -> tuple[Array, Array]:
        """The vertex of each row, and the number of its component: see :attr:`dense`."""
        return self.forest.dense(self.decoder.id_base, self.decoder.dtype)

    @property
    def dense(self) -> Array:
        """The number of the component of each row, 0 .. k - 1 in the order of the least ids."""
        return self.numbered[1]

    @cached_property
    def counts(self) -> Array:
        """The number of vertices of each component, in the order of the least ids."""
        return self.backend.counts(self.dense, len(self))

    @cached_property
    def largest_size(self) -> int:
        """The number of vertices of the largest component."""
        with self.backend.scope():
            return int(self.counts.max()) if len(self) else 0

    @property
    def least_rows(self) -> Array:
        """The row of each component's least id as int64, in the order of the least ids."""
        vertex, least = self.rows()
        return self.backend.xp.flatnonzero(vertex == least).astype(np.int64, copy=False)

    @cached_property
    def greatest_rows(self) -> Array:
        """The row of each component's greatest id, in the order of the least ids."""
        order = self.backend.xp.argsort(self.dense, kind="stable")  # ids ascend in each component
        return order[self.backend.xp.cumsum(self.counts) - 1]

    @cached_property
    def by_size(self) -> Array:
        """The components, largest first; components of equal size are ordered by least id."""
        return self.backend.xp.argsort(-self.counts, kind="stable")

    @cached_property
    def place(self) -> Array:
        """The position of each component in :attr:`by_size`: the inverse permutation."""
        xp = self.backend.xp
        place = xp.empty(len(self), self.dense.dtype)
        place[self.by_size] = xp.arange(len(self), dtype=place.dtype)
        return place


class HasAnswer(Protocol):
    """An object with an answer, such as :class:`cc_rapids.Components`."""

    answer: Answer

    def __init__(self, answer: Answer) -> None: ...


ComponentsT = TypeVar("ComponentsT", bound=HasAnswer)
