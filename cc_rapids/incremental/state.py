"""The state of incremental connectivity: the trees so far, and operations on them.

A batch works on a copy of the trees, made by :func:`with_vertices`. When the batch is complete, its
state replaces the old state. An interrupted batch leaves the old state unchanged, even while
threads of the batch still run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.design import Design
from ..backends import Array, Backend
from ..data.column import empty_like, is_alike, without_rows
from ..data.edge_input import EdgeInput
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..ids.decoders import at_places
from ..ids.growing import Index, extended
from ..kernels import changes, find, queries
from ..kernels import forest as trees
from ..ledger import Ledger
from ..solver.choose import choose_for_batch
from ..solver.run import join, join_and_query
from .kept import KeptForest
from .removed import without_inserted
from .trees import Trees, shared_words

NO_LEDGER = Ledger()
PLAIN = Design()  # needs no memory besides the trees


@dataclass(frozen=True)
class ConnectivityState:
    """The vertices and the trees after some batches.

    Vertices are numbered in the order of arrival. The trees are neither flattened nor counted.
    """

    backend: Backend
    index: Index  # the mapping from ids to vertices
    forest: Forest
    given: EdgeInput  # the latest batch without its rows, which determines the type of answers
    edges: int = 0
    batches: int = 0
    kept: KeptForest | None = None  # the edges of a spanning forest, if a forest is kept
    removals: int = 0  # the number of calls that removed edges
    ledger: Ledger = NO_LEDGER  # the rows of all batches
    removed: Array = None  # (k,) uint64: pairs removed and not inserted again, see :mod:`.removed`

    @cached_property
    def components(self) -> int:
        """The number of trees, counted by a pass over the parents."""
        parent = self.forest.parent
        return int((parent == self.backend.xp.arange(parent.size, dtype=parent.dtype)).sum())

    def to(self, backend: Backend) -> ConnectivityState:
        """Return the state on another backend."""
        forest = Forest(backend, self.forest.n, all_present=True)
        if self.edges:
            forest.parent[:] = backend.asarray(self.forest.parent)
        else:  # each vertex is a tree, so no parents have to be copied
            backend.kernel(trees.init_singletons, forest.vertex)(forest.n, forest.parent)
        kept = None if self.kept is None else self.kept.to(backend)
        index = self.index.to(backend)
        removed = None if self.removed is None else backend.asarray(self.removed)
        return replace(
            self, backend=backend, index=index, forest=forest, kept=kept, removed=removed
        )

    def flat(self) -> Forest:
        """Return the trees as a new forest that is flattened and counted.

        Its vertices are numbered in the order of their ids. Every root is the least vertex of its
        tree.
        """
        backend, n, vertex = self.backend, self.forest.n, self.forest.vertex
        parents, flat = flat_parents(self), Forest(backend, n, all_present=True)
        places = self.index.places
        # the root, numbered by arrival, of each vertex in the order of ids
        roots = parents if places is None else at_places(parents, places, backend)
        least = backend.fill(backend.empty(n, vertex), 0xFF)  # by root: the least of its tree
        backend.kernel(trees.scatter_min, vertex)(n, roots, least)
        backend.kernel(trees.assign_min_root, vertex)(n, roots, least, flat.parent)
        flat.count()
        return flat


def kind_of(given: EdgeInput, before: EdgeInput | None) -> EdgeInput:
    """Return an input without rows that determines the type of answers after a batch.

    ``before`` is this result before the batch ``given``. An empty batch only adds dropped rows.
    """
    if before is not None:
        same_ids = is_alike(given.src, before.src) and is_alike(given.dst, before.dst)
        same_facts = given.vertex_names == before.vertex_names and given.answers is before.answers
        same_frame = given.on_device == before.on_device and given.make_frame is before.make_frame
        if same_ids and same_facts and same_frame and not (given.dropped_rows or given.formats):
            return before  # the same object, by which _with_index() sees that nothing changed
        if not given.src.size:
            return replace(before, dropped_rows=before.dropped_rows + given.dropped_rows)
    dropped = given.dropped_rows + (before.dropped_rows if before else 0)
    formats = tuple(dict.fromkeys((*(before.formats if before else ()), *given.formats)))
    ends = without_rows(given.src), without_rows(given.dst)
    return EdgeInput(
        *ends,
        given.make_frame,
        given.on_device,
        dropped_rows=dropped,
        formats=formats,
        vertex_names=given.vertex_names,
        end_names=given.end_names,
        answers=given.answers,
    )


def grown(forest: Forest, n: int) -> Forest:
    """Return a copy of a forest with n vertices; each new vertex is a tree."""
    if n == forest.n:
        return forest.empty_like().copy_from(forest)
    larger = Forest(forest.backend, n, all_present=True)
    larger.parent[: forest.n] = forest.parent
    larger.parent[forest.n :] = forest.backend.xp.arange(forest.n, n, dtype=larger.vertex)
    return larger


def flat_parents(state: ConnectivityState) -> Array:
    """Return the root of each vertex, as a new array."""
    forest = grown(state.forest, state.forest.n)
    forest.flatten()
    return forest.parent


def trees_of(n: int, src: Array, dst: Array, backend: Backend) -> Forest:
    """Return new trees over n vertices, linked by edges."""
    forest = grown(Forest(backend, 0, all_present=True), n)  # single vertices
    if src.size:
        link(forest, None, src, dst)
    return forest


def with_vertices(
    state: ConnectivityState, given: EdgeInput, columns: Sequence[Any], copied: bool = True
) -> tuple[ConnectivityState, list[Array]]:
    """Return the state with the ids of the columns added, and the vertices of these ids.

    Unless ``copied``, the new state shares the trees of the old state if no vertex is new.
    """
    index, vertices = extended(state.index, given, columns, state.backend)
    return _with_index(state, index, _kind_after(state, index, given), copied), vertices


def with_unchecked_ids(
    state: ConnectivityState, given: EdgeInput, columns: Sequence[Any], copied: bool
) -> tuple[ConnectivityState, list[Array]]:
    """Do as :func:`with_vertices`, but keep the type of answers and do not check the range of ids.

    :func:`checked` later detects ids that are out of range.
    """
    index, vertices = extended(state.index, given, columns, state.backend, exact=False)
    return _with_index(state, index, state.given, copied), vertices


def _with_index(
    state: ConnectivityState, index: Index, kind: EdgeInput, copied: bool
) -> ConnectivityState:
    """Return the state with an extended index, and with ``kind`` as the type of answers."""
    shares_trees = not copied and index.n == state.forest.n
    if shares_trees and index is state.index and kind is state.given:
        return state
    forest = state.forest if shares_trees else grown(state.forest, index.n)
    return replace(state, index=index, forest=forest, given=kind)


def with_output_like(state: ConnectivityState, given: EdgeInput) -> ConnectivityState:
    """Return the state with the type of answers updated for a batch.

    The latest batch that had rows determines the type. If no batch had rows, the latest batch does.
    """
    return _with_index(state, state.index, _kind_after(state, state.index, given), copied=False)


def _kind_after(state: ConnectivityState, index: Index, given: EdgeInput) -> EdgeInput:
    """Return the type of answers after a batch whose ids are in the index, see :func:`kind_of`."""
    kind = kind_of(given, state.given)
    if given.src.size or state.edges:
        return kind
    # Before the first edge, an empty batch determines the type of answers, except that ids in the
    # index that are strings or composite keep their type.
    ids, new_ids = kind.src, given.src
    if index.n and (ids.strings or ids.key_columns):
        if given.on_device != kind.on_device or len(ids.key_columns) != len(new_ids.key_columns):
            return kind
        given = replace(given, src=empty_like(ids, new_ids), dst=empty_like(ids, given.dst))
    formats = tuple(dict.fromkeys((*kind.formats, *given.formats)))
    return replace(kind_of(given, None), dropped_rows=kind.dropped_rows, formats=formats)


def insert_batch(
    state: ConnectivityState,
    given: EdgeInput,
    columns: Sequence[Any],
    design: Design | None,
    copied: bool = True,
) -> ConnectivityState:
    """Return the state after a batch of borrowed columns of ids; see :func:`insert`.

    Unless ``copied``, the new state shares the trees of the old state if no vertex is new.
    """
    before, backend = state.forest, state.backend
    index, vertices = extended(state.index, given, columns, backend, exact=False)  # checked below
    src, dst = vertices[:2]
    plan = choose_for_batch(backend, index.n, src.size, design)
    after = before
    trees_to_copy: Sequence[Forest] = ()
    if copied and index.n == before.n and src.size:  # a batch without rows links nothing
        # allocated before the check of ids, which may wait for the GPU
        after = Trees.after(before) if plan.algorithm == PLAIN else before.empty_like()
        trees_to_copy = before, after
    read_unknown = _launch_id_check(backend, index, src, dst, trees_to_copy)
    if index.n > before.n:
        after = grown(before, index.n)
    join(plan, Edges(src, dst, low=0), after)
    kind, edges, count = _kind_after(state, index, given), state.edges + src.size, state.batches + 1
    ledger = state.ledger.plus(given.rows._replace(linked=src.size).check())
    removed = state.removed
    if removed is not None:
        removed = without_inserted(removed, src, dst, backend)
    inserted = ConnectivityState(  # faster than replace()
        backend, index, after, kind, edges, count, None, state.removals, ledger, removed
    )
    return checked(inserted, read_unknown)


def insert(
    state: ConnectivityState, design: Design | None, src: Array, dst: Array
) -> ConnectivityState:
    """Return the state with the two vertices of each row linked; the trees are modified.

    If ``design`` is None, a design is chosen for the number of rows. Rows with ids that are not
    vertices are skipped, and ``forest.complete`` is then False. If ids are vertices, a launch that
    precedes the links checks them, and the host waits only for this launch.
    """
    read_unknown = _launch_id_check(state.backend, state.index, src, dst)
    return checked(launch_links(state, design, src, dst), read_unknown)


def _launch_id_check(
    backend: Backend, index: Index, src: Array, dst: Array, trees_to_copy: Sequence[Forest] = ()
) -> Callable[[], bool] | None:
    """Launch a check of all ids; return a function that waits and returns whether one is unknown.

    Return None without a check if ids are looked up, or if the host has to wait for the kernels
    that link anyway. ``trees_to_copy`` are a forest and its copy, or empty. The copy is filled
    asynchronously, in the launch of the check if possible.
    """
    read_unknown = None
    if index.are_vertices and backend.in_caller_order:
        flag = backend.new_flag()
        rows = src, dst, index.n, flag.value, flag.word
        words, target = map(shared_words, trees_to_copy) if trees_to_copy else (None, None)
        if words is not None and target is not None:
            copy_and_check = backend.kernel(queries.copy_and_note_strays)
            indices = max(src.size, words.size)
            copy_and_check(indices, backend.asarray(words), target, src.size, *rows)
            return flag.read_async()
        backend.kernel(queries.note_strays)(src.size, *rows)
        read_unknown = flag.read_async()
    if trees_to_copy:
        trees_to_copy[1].copy_from(trees_to_copy[0])
    return read_unknown


def launch_links(
    state: ConnectivityState, design: Design | None, src: Array, dst: Array, batch_count: int = 1
) -> ConnectivityState:
    """Return the state after launching the kernels that link rows; do not wait for them.

    ``batch_count`` is the number of batches that contain the rows. See :func:`checked`.
    """
    link(state.forest, design, src, dst)
    return _counted(state, src, dst, batch_count)


def link(forest: Forest, design: Design | None, src: Array, dst: Array) -> None:
    """Launch the kernels that link rows.

    If ``design`` is None, a design is chosen for the number of rows.
    """
    join(choose_for_batch(forest.backend, forest.n, src.size, design), Edges(src, dst, 0), forest)


def checked(
    state: ConnectivityState, read_unknown: Callable[[], bool] | None = None
) -> ConnectivityState:
    """Wait for the check of the ids, set ``forest.complete``, and return the state."""
    if read_unknown is not None:
        state.forest.complete = not read_unknown()
    else:
        state.forest.complete = not state.backend.to_host(state.forest.out_of_range)[0]
    return state


def insert_and_query(
    state: ConnectivityState,
    design: Design,
    edge_ends: list[Array],
    query_ends: list[Array],
    is_query: Array,
) -> tuple[ConnectivityState, Array]:
    """Return the state with the edges of a batch linked, and the answers to its queries.

    ``is_query`` is a mask of the rows of the batch. ``edge_ends`` and ``query_ends`` are the
    vertices of both ends, in the rows of edges and in the rows of queries.
    """
    backend = state.backend
    plan = choose_for_batch(backend, state.forest.n, is_query.size, design)
    if plan.algorithm.phased or not state.forest.n:  # queries have to wait for the edges
        join(plan, Edges(edge_ends[0], edge_ends[1], low=0), state.forest)
        answers = query(state, query_ends[0], query_ends[1])
    else:
        ends = [backend.empty(is_query.size, state.forest.vertex) for _ in edge_ends]
        for end, inserted, queried in zip(ends, edge_ends, query_ends, strict=True):
            end[~is_query], end[is_query] = inserted, queried
        edges = Edges(ends[0], ends[1], low=0)
        answers_of_rows = join_and_query(plan, edges, state.forest, is_query.view(np.uint8))
        answers = answers_of_rows[is_query].astype(bool)
    backend.synchronize()
    return _counted(state, *edge_ends), answers


def query(state: ConnectivityState, src: Array, dst: Array) -> Array:
    """Return whether the vertices of each row are connected, as a new bool array."""
    backend = state.backend
    answers = backend.fill(backend.empty(src.size, np.uint8), 0)
    if state.forest.n:
        ask = backend.kernel(queries.ask, state.forest.vertex, backend.kernel(find.naive))
        ask(src.size, src, dst, state.forest.parent, answers)
    if not backend.in_caller_order:
        backend.synchronize()  # a later batch on another stream may write to the trees
    return answers.astype(bool)


def query_ids(state: ConnectivityState, columns: Sequence[Any]) -> Array | None:
    """Return whether the ids in each row of two columns are connected, as a new bool array.

    Return None if some ids are unknown, or if ids have to be looked up, as :func:`query` requires.
    """
    backend, forest = state.backend, state.forest
    if not (state.index.are_vertices and forest.n):
        return None
    src, dst = map(backend.asarray, columns)
    answers = backend.empty(src.size, np.uint8)
    is_unknown = backend.new_flag()
    ask = backend.kernel(queries.ask_ids, forest.vertex, backend.kernel(find.naive))
    ask(src.size, src, dst, forest.n, forest.parent, answers, is_unknown.value, is_unknown.word)
    return None if is_unknown.read_async()() else answers.view(bool)


def _counted(
    state: ConnectivityState, src: Array, dst: Array, batch_count: int = 1
) -> ConnectivityState:
    """Return the state with counts and removed pairs updated after the rows were linked."""
    removed, edges = state.removed, state.edges + src.size
    if removed is not None:
        removed = without_inserted(removed, src, dst, state.backend)
    ledger, batches = state.ledger.plus(Ledger(linked=src.size)), state.batches + batch_count
    return replace(state, edges=edges, batches=batches, ledger=ledger, removed=removed)


def roots(state: ConnectivityState, vertices: Array) -> Array:
    """Return the root of each vertex of an array, as a new array of int64."""
    backend, forest = state.backend, state.forest
    roots_of_vertices = backend.empty(vertices.size, np.int64)
    if vertices.size:
        write = backend.kernel(changes.roots_of, forest.vertex, backend.kernel(find.naive))
        write(vertices.size, vertices, forest.parent, roots_of_vertices)
    return roots_of_vertices
