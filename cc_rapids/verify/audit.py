"""The audit: one pass over all edges, then one over all vertices.

The audit proves an answer from the edges alone, on the engine of the answer, or raises an error
with the first counterexample in the caller's ids. It also accepts answers of other programs, and
can compare an answer with the components that another library finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Unpack

import numpy as np

from .. import backends
from ..backends import Array, Backend
from ..data import html
from ..data import read as frames
from ..data.adapters import adapter_of
from ..data.arguments import UNREADABLE, check_word
from ..data.column import Column, array_of_range, of
from ..data.edge_input import EdgeInput, Lending, ReadRequest, lists_of_ends, with_vertices
from ..data.foreign import opened
from ..data.frame_access import check_kinds, on_host, vertices_of_keys
from ..data.memory_budget import Budget, bytes_of
from ..data.offsets import check as check_offsets
from ..data.streams import Cursor, Source
from ..data.text_options import NO_OPTIONS, TextKeywords, TextOptions
from ..data.weight_bound import WeightBound
from ..data.weights import ForestWeight, weighted
from ..data.within import read_within
from ..errors import InputError, VerificationError, counted, inflected
from ..kernels import audit as kernels
from ..kernels.audit import kernel
from ..ledger import Ledger, Reading
from .bridges import BridgesClaim
from .forests import NO_FOREST, AnswerForest, ForestClaim
from .label_frame import LabelFrame
from .label_rules import LABEL_RULES
from .oracle.peers import PEERS, least_by
from .rows import Rows
from .shown_rows import ShownRows
from .vertex_lookup import ALL, Integers, Tally, in_words, one_row


@dataclass(frozen=True)
class Audit:
    """The result of an audit.

    Attributes
    ----------
    edges, vertices, components : int
        The numbers of edges, vertices and components.
    oracle : str or None
        The library that found the same components; None if no library was named.
    seconds : float
        The duration of the audit.
    ledger : dict
        The counts of the rows of the edges: see :attr:`cc_rapids.Components.ledger`.
    """

    edges: int
    vertices: int
    components: int
    oracle: str | None
    seconds: float
    ledger: dict[str, Any]

    def _repr_html_(self) -> str:
        counts = {name: getattr(self, name) for name in ("components", "vertices", "edges")}
        same = {"oracle": f"{self.oracle} finds the same"} if self.oracle else {}
        time = html.facts({"seconds": f"{self.seconds:.4f}"})
        return html.panel("Audit: right", html.facts(counts | same), html.folded("time", time))

    def __str__(self) -> str:
        also = f"; {self.oracle} finds the same" if self.oracle else ""
        return (
            f"right: {counted(self.components, 'component')} of"
            f" {counted(self.vertices, 'vertex', 'vertices')}, by"
            f" {counted(self.edges, 'edge')}{also}"
        )


def compare(answer: LabelFrame, oracle: str, src: Array, dst: Array) -> None:
    """Raise a VerificationError if another library finds different components.

    ``src`` and ``dst`` have the slots of both ends of each edge; all ends are vertices.
    """
    expected = on_host(least_by(oracle, src, dst, answer.ids.n))
    labels = answer.backend.to_host(answer.label_of)
    vertices = np.flatnonzero(labels != np.iinfo(labels.dtype).max)  # the slots with a vertex
    _, first, label_rank = np.unique(labels[vertices], return_index=True, return_inverse=True)
    least = vertices[first[label_rank]]  # for each vertex, the least vertex with the same label
    wrong = np.flatnonzero(least != expected[vertices])
    if wrong.size:
        v = int(vertices[wrong[0]])
        raise VerificationError(
            f"vertex {answer.name(v)} has the label {answer.label(v)}, but {oracle} finds that the"
            f" least vertex of its component is {answer.name(int(expected[v]))}"
        )


PIECE = 1 << 22  # the number of vertices of a range that one kernel launch marks
ARENA_BYTES = 1 << 16  # bytes for small arrays

# Words of the results that are copied to the host: the tally of the examined rows; the counts of
# vertices, labels and roots; a word that becomes nonzero if an edge is wrong; and for each kind of
# fault, the first row or slot.
TALLY, COUNTS, WRONG, FIRST_FAULT = slice(0, 3), slice(3, 6), 6, 7


def audit(
    answer: LabelFrame,
    backend: Backend,
    edges: Any,
    source: Any,
    destination: Any,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    nulls: str = "raise",
    weight: Any = None,
    at_least: float | None = None,
    at_most: float | None = None,
    forest: Any = None,
    answer_forest: AnswerForest = NO_FOREST,
    bridges: Any = None,
    oracle: str | None = None,
    memory_limit: int | str | None = None,
    unreadable: str = UNREADABLE[0],
    **text: Unpack[TextKeywords],
) -> Audit:
    """Prove an answer; see :meth:`cc_rapids.Components.audit`."""
    started = perf_counter()
    if oracle is not None:
        check_word("oracle", oracle, PEERS)
    check_word("unreadable policy", unreadable, UNREADABLE)
    skips_unreadable = unreadable == UNREADABLE[1]
    read_options, width = (source, destination, TextOptions.of(text)), answer.width
    claims: list[ForestClaim | BridgesClaim] = []
    forest, forest_weight = None if forest is False else forest, None
    if forest is not None:
        forest_claim = ForestClaim.check(forest, answer_forest, weight, width)
        forest_weight = forest_claim.forest_weight
        claims.append(forest_claim)
    if bridges is not None:
        claims.append(BridgesClaim(ShownRows(bridges, "bridges", width)))
    edges, bound = _opened(edges, weight, at_least, at_most, forest_weight)
    whole_list_options = {"oracle=": oracle, "bridges=": bridges, "forest=": forest}
    needing_all = [name for name, value in whole_list_options.items() if value is not None]
    adapter = adapter_of(edges)
    # to save memory, files are read in chunks unless an option needs all edges
    in_chunks = skips_unreadable or adapter.is_stream or (adapter.names_files and not needing_all)
    with answer.borrow_for(backend):
        state = _AuditState(answer)
        if in_chunks:
            if needing_all:
                raise InputError(
                    f"{needing_all[0]} needs all edges at once: read the stream into one frame, or"
                    f" leave out {needing_all[0]}"
                )
            limit = bytes_of(memory_limit)
            state.begin()
            stream = _stream(edges, *read_options, bound, skips_unreadable, answer)
            ledger = _check_chunks(stream, nulls, bound, limit, state)
            state.mark_vertices(_listed_vertices(answer, vertices, num_vertices))
        else:
            vertex_options = {"vertices": vertices, "num_vertices": num_vertices, "nulls": nulls}
            edges, given = _read_whole(edges, *read_options, bound, forest_weight, vertex_options)
            state.begin()
            state.check_edges(given, oracle, is_complete=True, claims=claims)
            ledger = given.rows
        components = state.close()
    facts = ledger._replace(linked=state.edges).check("the audit").facts()
    for claim in claims:
        claim.check_count(answer.rows, components)
        claim.shown.check_index(edges)
    return Audit(state.edges, answer.rows, components, oracle, perf_counter() - started, facts)


def read_again(
    edges: Any,
    source: Any,
    destination: Any,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    nulls: str = "raise",
    weight: Any = None,
    at_least: float | None = None,
    at_most: float | None = None,
    greatest: bool | None = None,
    **text: Unpack[TextKeywords],
) -> EdgeInput:
    """Read the edges of an answer once more; leave out those outside ``at_least`` and ``at_most``.

    ``greatest`` is True for a maximum spanning forest, False for a minimum spanning forest, and
    None if the answer has no forest by weight. Unless it is None, the result has the weights.
    """
    forest_weight = None if greatest is None else ForestWeight(weight, greatest)
    edges, bound = _opened(edges, weight, at_least, at_most, forest_weight)
    vertex_options = {"vertices": vertices, "num_vertices": num_vertices, "nulls": nulls}
    read_options = source, destination, TextOptions.of(text)
    _, given = _read_whole(edges, *read_options, bound, forest_weight, vertex_options)
    return given


def _opened(
    edges: Any, weight: Any, at_least: Any, at_most: Any, forest_weight: ForestWeight | None
) -> tuple[Any, WeightBound | None]:
    """Return the opened edges, and the bound on their weights; None if the caller passes no bound.

    Raises
    ------
    InputError
        The bound is invalid, or a weight is passed without a bound and without a forest by weight.
    """
    bound = None
    if forest_weight is None or at_least is not None or at_most is not None:
        bound = WeightBound.check(weight, at_least, at_most)
    return opened(edges, weight), bound


def _read_whole(
    edges: Any,
    source: Any,
    destination: Any,
    options: TextOptions,
    bound: WeightBound | None,
    forest_weight: ForestWeight | None,
    vertex_options: dict[str, Any],
) -> tuple[Any, EdgeInput]:
    """Return the caller's edges, and the columns and options that are read from them.

    For a forest by weight, files are first loaded into one frame, and the result has the weights.
    Edges outside ``bound`` are left out.
    """
    nulls = vertex_options["nulls"]
    weight_source = forest_weight or bound  # names the column that is not an end
    weight = None if weight_source is None else weight_source.weight
    source, destination = frames.named_ends(edges, source, destination, weight)
    if forest_weight is not None:
        adapter = adapter_of(edges)
        if adapter.is_stream:
            raise InputError(
                "the audit of a spanning forest by weight needs all edges at once: read the stream"
                " into one frame, or leave out forest="
            )
        request = ReadRequest(source, destination, nulls, options)
        edges, sides = adapter.in_memory(edges, request, forest_weight.weight, Reading())
        if sides is not None:  # the edges were files
            (source, destination), options = sides, NO_OPTIONS
    read_options = vertex_options | {"options": options}
    if bound is not None:
        read_options["keeps_weights"] = forest_weight is not None
        return edges, read_within(edges, source, destination, bound, **read_options)
    given = frames.read(edges, source, destination, **read_options)
    if forest_weight is not None:
        weights = adapter_of(edges).weights(edges, forest_weight.weight)
        given = weighted(given, weights, forest_weight.name, nulls)
    return edges, given


def _listed_vertices(answer: LabelFrame, vertices: Any, num_vertices: int | None) -> Any:
    """Return the vertices that the caller lists beside a stream: a range, a column, or None."""
    width = len(answer.column.key_columns)
    if width and (num_vertices is not None or isinstance(vertices, range)):
        raise InputError(
            f"num_vertices= and ranges of vertices are for ids of one column, but ids have {width}"
            f" columns: pass vertices= as a frame with {width} columns, or as a list of tuples"
        )
    if width and vertices is not None:
        return vertices_of_keys(vertices, width)
    # reading them beside an empty list of edges checks both arguments
    listed = frames.read(([], []), "src", "dst", vertices, num_vertices, "raise").vertices
    return vertices if listed is None else listed  # ``read`` returns None for an empty column


def _stream(
    edges: Any,
    source: Any,
    destination: Any,
    options: TextOptions,
    bound: WeightBound | None,
    skips_unreadable: bool,
    answer: LabelFrame,
) -> Source:
    """Return a source that reads the edges in chunks; check the number of its id columns."""
    if isinstance(source, list) or isinstance(destination, list):
        sides = lists_of_ends(source, destination)
        source, destination = (side if len(side) > 1 else side[0] for side in sides)
    stream = frames.source_of(edges, source, destination, options, bound, skips_unreadable)
    names = stream.names[0]  # None if the columns are not known before reading
    width = len(names) if isinstance(names, list) else 1
    if names is not None and width != answer.width:
        raise InputError(
            f"source={names!r} names {width} columns, but the vertices of the answer have"
            f" {answer.width}: name the columns that the answer was computed from"
        )
    return stream


def _check_chunks(
    stream: Source, nulls: str, bound: WeightBound | None, limit: int, state: _AuditState
) -> Ledger:
    """Check the edges of all chunks of a stream, and return the counts of their rows.

    Chunks are as large as ``limit``, the bytes of memory that the audit may use, allows.
    """
    ledger, answer = Ledger(), state.answer
    are_strings = [part.strings for part in answer.column.key_columns or (answer.column,)]
    budget = Budget(limit, stream.fixed, readers=stream.readers)
    id_kind = "strings" if any(are_strings) else "range"
    budget.update(id_kind, answer.ids.n, width=answer.width)
    # An answer without vertices does not tell whether ids are strings.
    read_as_text = are_strings if answer.rows else None
    chunk_reader = stream.read_ahead(Cursor(), budget, read_as_text)
    with closing(chunk_reader):  # type: ignore[type-var]
        for chunk in chunk_reader:
            edges = frames.read_chunk(chunk, nulls, bound)
            if chunk.vertices is not None:  # the file declares its number of vertices
                edges = with_vertices(edges, chunk.vertices, dense=False)
            state.check_edges(edges)
            ledger = ledger.plus(edges.rows)
    skipped = len(getattr(stream, "unreadable", ()))
    # The source counts its rows by metadata, so the counts of the ledger differ if a chunk is lost.
    return ledger._replace(given=stream.given, unreadable_files=skipped)


class _AuditState:
    """The state of an audit: trees that join the ends of edges, and the results of kernels."""

    def __init__(self, answer: LabelFrame) -> None:
        self.answer, self.backend = answer, answer.backend
        self.edges = self.rows = 0  # the edges checked, and the caller's rows that were read
        self.vertices_examined = False
        self.arena = self.backend.arena()

    def begin(self) -> None:
        """Set the slots and labels of the answer; allocate one tree per slot, and the results.

        The results share a buffer: the words of ``readback``, and the bit set ``named`` of the
        vertices that edges or the caller name.
        """
        backend, answer = self.backend, self.answer
        with backend.scope(self.arena):
            self.lookup_tally = Tally(lambda: backend.fill(backend.empty(3, np.uint64), 0))
            answer.assign_slots(self.lookup_tally)
            n, self.vertex = answer.ids.n, answer.ids.vertex  # the type of slots
            readback_bytes = 8 * (FIRST_FAULT + kernels.FAULTS)
            named_bytes = 4 * -(-n // kernels.WORD_BITS)
            shapes = (n, self.vertex), (readback_bytes + named_bytes, np.uint8)
            self.trees, buffer = backend.alloc_packed(*shapes, arena_bytes=ARENA_BYTES)
            backend.fill(buffer, 0)
            self.readback = buffer[:readback_bytes].view(np.uint64)
            self.named = buffer[readback_bytes:].view(np.uint32)
            self.counts = self.readback[COUNTS]
            self.wrong = self.readback[WRONG : WRONG + 1].view(np.int64)
            self.faults = backend.fill(self.readback[FIRST_FAULT:], 0xFF)
            self.tally = Tally(lambda: self.readback[TALLY])
            answer.scatter_labels(self.faults)
            kernel(kernels.make_trees, backend, self.vertex)(n, self.trees)

    def check_edges(
        self,
        given: EdgeInput,
        oracle: str | None = None,
        is_complete: bool = False,
        claims: Sequence[ForestClaim | BridgesClaim] = (),
    ) -> None:
        """Check edges against the labels, and join the trees of their ends.

        ``is_complete`` is True if ``given`` has all edges. Only then may the caller pass an
        ``oracle``, the library whose components are compared, or ``claims`` to verify.
        """
        if not given.src.size and given.vertices is None:
            self.rows += given.dropped_rows
            return
        check_kinds(self.answer.column, given.src)
        with Lending(given) as (columns, offset_columns):
            offsets = offset_columns[0] if offset_columns else None  # of an adjacency list
            with self.backend.scope(self.arena):
                if offsets is not None:
                    offsets = self._checked_offsets(given, offsets)
                rows = self._kernel_rows(given, columns, offsets)
                self._examine_edges(rows)
                if is_complete and given.vertices is None:
                    # All vertices are known. As their kernels are launched before the results of
                    # the edges are read, the host waits for the device only once.
                    self._examine_vertices()
                self._check_readback(given, columns, offsets, rows)
                if len(columns) > 2:  # the third column is ``vertices=``
                    self._mark(columns[2])
                for claim in claims:
                    claim.prove(given, rows, self.answer)
                if oracle is not None:
                    compare(self.answer, oracle, *rows.slots(self.backend))
        if isinstance(given.vertices, range):
            self.mark_vertices(given.vertices)
        self.rows += given.src.size + given.dropped_rows
        self.edges += given.src.size

    def mark_vertices(self, vertices: Any) -> None:
        """Add to ``named`` the vertices that the caller lists: a range, a column, or None."""
        if vertices is None:
            return
        if isinstance(vertices, range):
            for start in range(0, len(vertices), PIECE):
                piece = vertices[start : start + PIECE]
                with self.backend.scope(self.arena):
                    self._mark(array_of_range(piece, self.backend.xp))
            return
        column = vertices if isinstance(vertices, Column) else of("vertices", vertices)
        check_kinds(self.answer.column, column)
        with column.borrow() as borrowed, self.backend.scope(self.arena):
            self._mark(borrowed)

    def close(self) -> int:
        """Check all vertices after the last edges, and return the number of components."""
        with self.backend.scope(self.arena):
            if not self.vertices_examined:
                self._examine_vertices()
                self.readings = self.backend.to_host(self.readback).tolist()
                self.lookup_tally.read_and_check(self.backend)
            return self._checked_count()

    def _checked_count(self) -> int:
        """Return the number of components; raise a VerificationError if a vertex has a fault."""
        answer, name, first_faults = self.answer, self.answer.name, self.readings[FIRST_FAULT:]
        vertices, labels, roots = self.readings[COUNTS]
        messages: dict[Any, Callable[[int], str]] = {  # the argument is the first row or slot
            kernels.ORDER: answer.out_of_order,
            kernels.STRANGE: answer.unknown_label,
            kernels.LOST: lambda v: (
                f"the audit itself has failed: its tree at vertex {name(v)} is invalid, so it"
                " proves nothing"
            ),
            kernels.LABEL: self._wrong_label,
            kernels.FOREIGN: lambda v: (
                f"vertex {name(v)} has a label, but no edge names it (pass vertices without edges"
                " as vertices= or num_vertices=, as for the run)"
            ),
        }
        for fault, message in messages.items():
            if first_faults[int(fault)] != ALL:
                raise VerificationError(message(first_faults[int(fault)]))
        if vertices != answer.rows:
            raise VerificationError(
                f"the audit itself has failed: it counted {vertices:,} vertices instead of"
                f" {answer.rows:,}, so it proves nothing"
            )
        if roots != labels:
            raise VerificationError(self._unconnected(labels, roots))
        components = answer.components
        if components is not None and labels != components:
            raise VerificationError(f"len() is {components:,}, but there are {labels:,} components")
        return int(labels)

    def _unconnected(self, labels: int, roots: int) -> str:
        """Return the message for the first vertex without a path to the vertex of its label.

        ``labels`` and ``roots`` are the counts of labels and of trees, which differ.
        """
        backend, faults = self.backend, self.backend.fill(self.faults, 0xFF)
        find = kernel(kernels.find_merged, backend, self.vertex)
        find(self.answer.ids.n, self.answer.label_of, self.trees, faults)
        v = int(backend.to_host(faults)[int(kernels.MERGED)])
        if v == ALL:
            return (
                f"the audit itself has failed: it made {roots:,} trees for {labels:,} components,"
                " so it proves nothing"
            )
        label = ""
        if not self.answer.rule.is_vertex:
            label = f", as vertex {self.answer.name(int(self.answer.label_of[v]))}"
        return f"{self._labelled(v)}{label}, but no path joins the two"

    def _wrong_label(self, v: int) -> str:
        """Return the message for a vertex whose label is not the extreme vertex of its component.

        The extreme vertex is the least or the greatest, and labels itself.
        """
        head = int(self.answer.label_of[v])  # the slot of the label
        if not self.answer.is_vertex(head):
            return f"{self._labelled(v)}, which is not a vertex"
        return (
            f"{self._labelled(v)}, which itself has the label {self.answer.label(head)}: the"
            f" {self.answer.rule.extreme} vertex of a component labels itself and the others"
        )

    def _labelled(self, v: int) -> str:
        return f"vertex {self.answer.name(v)} has the label {self.answer.label(v)}"

    def _checked_offsets(self, given: EdgeInput, offsets: Any) -> Array:
        """Return the offsets of an adjacency list; raise an error if they have become invalid.

        When the edges were read, the offsets ascended from 0 to the number of entries.
        """
        offsets, entries = self.backend.asarray(offsets), given.src.size
        if not offsets.size:
            return offsets
        falls = bool((offsets[1:] < offsets[:-1]).any())
        if falls or int(offsets[0]) != 0 or int(offsets[-1]) != entries:
            assert given.row_offsets is not None
            check_offsets(given.row_offsets.name, self.backend.to_host(offsets), entries)
            raise given.changed()  # the host copy was valid again
        return offsets

    def _kernel_rows(self, given: EdgeInput, columns: list[Any], offsets: Array | None) -> Rows:
        """Return the edges of borrowed columns in the form that kernels read.

        If the slot of an id is its distance from the least id, kernels compute slots by a
        subtraction. Otherwise this method looks up the slots.
        """
        backend, ids = self.backend, self.answer.ids
        left, right = columns[:2]
        if isinstance(ids, Integers) and not (given.src.strings or given.src.key_columns):
            arrays = [backend.asarray(left), backend.asarray(right)]
            wide = ids.wide_for(arrays)  # None if kernels cannot subtract
            if wide is not None and offsets is None:
                return Rows(arrays[0], arrays[1], low=ids.base, wide=wide, is_list=True)
            if wide is not None:
                return Rows(offsets, arrays[1], low=ids.base, wide=np.uint64, is_list=False)
        if offsets is not None:  # the sources are the rows of the entries
            entries = backend.asarray(right)
            left = backend.empty(entries.size, np.int64)
            kernel(kernels.list_rows, backend)(entries.size, offsets, left)
        src = ids.find(left)
        dst = src if right is left else ids.find(right)
        return Rows(src, dst, low=0, wide=src.dtype.type, is_list=True)

    def _examine_edges(self, rows: Rows) -> None:
        """Launch the kernel that compares the labels of both ends of each edge, and joins trees."""
        backend = self.backend
        types = self.vertex, rows.wide
        # prefetch_trees reads two columns of ends, which an adjacency list does not have
        prefetch = kernels.prefetch_trees if rows.is_list else kernels.no_prefetch
        prefetch_edge = kernel(prefetch, backend, rows.wide)
        functions = rows.load_edge(backend), prefetch_edge, kernel(kernels.join_roots, backend)
        examine = kernel(kernels.examine_rows, backend, *types, *functions)
        edges, tally = (rows.first, rows.second, rows.low), self.tally.add(rows.m)
        labels, n = self.answer.label_of, self.answer.ids.n
        examine(rows.m, *edges, n, labels, self.trees, self.named, tally, self.wrong)

    def _examine_vertices(self) -> None:
        """Launch the kernels that count the vertices, labels and roots, and find wrong vertices.

        Call it after all edges are examined and all vertices that the caller lists are marked.
        """
        backend, n, labels = self.backend, self.answer.ids.n, self.answer.label_of
        root_bits = backend.fill(backend.empty(self.named.size, np.uint32), 0)
        root_bytes = root_bits.view(np.uint8)  # each thread writes the bits of 8 vertices
        arrays = labels, self.trees, self.named, root_bytes, self.faults, self.counts
        examine = kernel(kernels.examine_vertices, backend, self.vertex)
        examine(-(-n // 8), n, int(self.answer.rule.is_greatest), *arrays)
        kernel(kernels.find_foreign, backend)(root_bits.size, root_bits, self.named, self.faults)
        self.vertices_examined = True

    def _check_readback(
        self, given: EdgeInput, columns: list[Any], offsets: Array | None, rows: Rows
    ) -> None:
        """Copy the results to the host; raise a VerificationError if an edge is wrong.

        Unsorted rows of the label frame, and rows of edges that were not read exactly once, are
        errors too. ``columns`` and ``offsets``, those of ``given``, name a wrong edge.
        """
        backend = self.backend
        self.readings = backend.to_host(self.readback).tolist()
        row = self.readings[FIRST_FAULT + int(kernels.ORDER)]
        if row != ALL:
            raise VerificationError(self.answer.out_of_order(row))
        if self.readings[WRONG]:
            types = self.vertex, rows.wide
            find = kernel(kernels.find_edge, backend, *types, rows.load_edge(backend))
            edges = rows.first, rows.second, rows.low, self.answer.ids.n
            find(rows.m, *edges, self.answer.label_of, self.faults)
            e = int(backend.to_host(self.faults)[int(kernels.EDGE)])
            if e == ALL:
                raise VerificationError(
                    "the audit found a wrong edge, but a second pass found none: the edges or the"
                    " labels changed during the audit"
                )
            row = self.rows + (e if given.row_index is None else int(given.row_index()[e]))
            raise VerificationError(self._wrong_edge(columns, offsets, e, row))
        self.tally.check(self.readings[TALLY])
        self.lookup_tally.read_and_check(backend)

    def _wrong_edge(self, columns: list[Any], offsets: Array | None, e: int, row: int) -> str:
        """Return the message for an edge whose ends have different labels, or no label.

        The edge is in row ``e`` of the borrowed columns, and in row ``row`` of the caller's edges.
        """
        answer = self.answer
        sides = [one_row(column, e) for column in columns[:2]]
        if offsets is not None:
            source = int(np.searchsorted(self.backend.to_host(offsets), e, side="right")) - 1
            sides[0] = self.backend.xp.asarray([source])
        names = [in_words(side) for side in sides]
        slots = [int(answer.find(side)[0]) for side in sides]
        edge = f"edge {row:,} joins {names[0]} and {names[1]}"
        pairs = zip(slots, names, strict=True)
        # a dict drops the second of the equal names of a self-loop
        missing = list(dict.fromkeys(name for slot, name in pairs if not answer.is_vertex(slot)))
        if missing:
            verb = inflected(len(missing), "has", "have")
            return f"{edge}, but {' and '.join(missing)} {verb} no label"
        return f"{edge}, which have the labels {' and '.join(map(answer.label, slots))}"

    def _mark(self, column: Any) -> None:
        """Add a column to ``named``; raise a VerificationError if a vertex has no label."""
        backend, missing = self.backend, self.backend.fill(self.backend.empty(1, np.uint64), 0xFF)
        slots = self.answer.find(column)
        mark = kernel(kernels.mark_slots, backend, self.vertex)
        mark(slots.size, self.answer.ids.n, slots, self.answer.label_of, self.named, missing)
        row = int(backend.to_host(missing)[0])
        if row != ALL:
            raise VerificationError(f"vertex {in_words(one_row(column, row))} has no label")


def audit_labels(
    frame: Any, edges: Any, engine: str | None = None, *, labels: str = "min", **options: Any
) -> Audit:
    """Audit a label frame as :meth:`cc_rapids.Components.audit` audits an answer.

    ``frame`` and ``labels``, the kind of its labels, are as for :class:`LabelFrame`; the rows may
    be in any order. ``engine`` defaults to the engine of the device of the labels. ``edges`` and
    ``options`` are the arguments of :meth:`cc_rapids.Components.audit`.
    """
    check_word("labels", labels, LABEL_RULES)
    answer = LabelFrame(frame, labels, sort=True)
    runner = backends.get(backends.named(engine) or backends.ENGINES[answer.on_device])
    options = {"source": "src", "destination": "dst"} | options
    return audit(answer, runner, edges, **options)
