"""The state of incremental connectivity: the trees so far, and operations on them.

A batch works on the copy of the trees that :func:`named` gives it, and is complete when its state
is taken for the old one. What is interrupted leaves that as it was, even if threads still run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.auto import choose_for_batch
from ..algorithms.design import Design
from ..algorithms.run import join, join_and_ask
from ..backends import Array, Engine
from ..data.column import no_rows, without_rows
from ..data.edge_input import EdgeInput
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..ids.growing import Index, extended
from ..kernels import find, queries
from ..kernels import forest as trees


@dataclass(frozen=True)
class State:
    """The vertices and the trees after some batches.

    Attributes
    ----------
    index : Index
        From ids to vertices.
    forest : Forest
        Trees over the vertices in the order in which they came; neither flat nor counted.
    given : EdgeInput
        Of the latest batch: how answers go back. Its columns are empty.
    edges, batches : int
        How many have been inserted.
    """

    engine: Engine
    index: Index
    forest: Forest
    given: EdgeInput
    edges: int = 0
    batches: int = 0

    @cached_property
    def components(self) -> int:
        """The number of trees, by a pass over the parents."""
        parent = self.forest.parent
        return int((parent == self.engine.xp.arange(parent.size, dtype=parent.dtype)).sum())

    def to(self, engine: Engine) -> State:
        """Return the same trees on another engine."""
        forest = Forest(engine, self.forest.n, everyone=True)
        forest.parent[:] = engine.asarray(self.forest.parent)
        return State(engine, self.index.to(engine), forest, self.given, self.edges, self.batches)

    def flat(self) -> Forest:
        """Return the trees as a new forest, flat and counted.

        It is over the vertices in the order of their ids.

        Every root is the least of its tree.
        """
        engine, n, vertex = self.engine, self.forest.n, self.forest.vertex
        solved, flat = grown(self.forest, n), Forest(engine, n, everyone=True)
        climb = engine.kernel(find.leap)
        engine.kernel(trees.flatten, climb)(n, solved.parent, solved.seen)
        places = self.index.places
        roots = solved.parent if places is None else solved.parent[places]
        least = engine.fill(engine.empty(n, vertex), 0xFF)
        engine.kernel(trees.lower, vertex)(n, roots, least)
        engine.kernel(trees.hang, vertex)(n, roots, least, flat.parent)
        flat.count()
        return flat


def kind_of(given: EdgeInput, before: EdgeInput | None) -> EdgeInput:
    """Return the kind of answers, without the columns.

    Of the batches before if this one is empty.
    """
    if before is not None and not given.src.size:
        return replace(before, dropped_rows=before.dropped_rows + given.dropped_rows)
    dropped = given.dropped_rows + (before.dropped_rows if before else 0)
    taken = tuple(dict.fromkeys((*(before.taken if before else ()), *given.taken)))
    ends = without_rows(given.src), without_rows(given.dst)
    return EdgeInput(*ends, given.make_frame, given.on_device, dropped_rows=dropped, taken=taken)


def grown(forest: Forest, n: int) -> Forest:
    """Return a copy of a forest, extended to n vertices, with new vertices as trees."""
    larger = Forest(forest.engine, n, everyone=True)
    larger.parent[: forest.n] = forest.parent
    if n > forest.n:
        larger.parent[forest.n :] = forest.engine.xp.arange(forest.n, n, dtype=larger.vertex)
    return larger


def named(
    state: State, given: EdgeInput, columns: Sequence[Any], copied: bool = True, sure: bool = True
) -> tuple[State, list[Array]]:
    """Return a copy of the state with the ids of the columns added, and their vertices.

    If it need not be ``copied``, the trees are those of the old state while no vertex is new. If it
    need not be ``sure``, some may be no vertices, as :func:`inserted` will tell.
    """
    named, vertices = extended_by(state, given, columns, copied, sure)
    return answered_as(named, given), vertices


def extended_by(
    state: State, given: EdgeInput, columns: Sequence[Any], copied: bool = True, sure: bool = True
) -> tuple[State, list[Array]]:
    """Return the extended state, with the kind of answers unchanged."""
    index, vertices = extended(state.index, given, columns, state.engine, sure)
    same = not copied and index.n == state.forest.n
    if same and index is state.index:
        return state, vertices
    forest = state.forest if same else grown(state.forest, index.n)
    return State(state.engine, index, forest, state.given, state.edges, state.batches), vertices


def answered_as(state: State, given: EdgeInput) -> State:
    """Return the state with the kind of answers of a batch.

    They go back as those of the latest batch that had rows, or, if none had, as those of the latest
    of all.
    """
    kind = kind_of(given, state.given)
    if not (given.src.size or state.edges):
        kind = _kind_without_rows(state, given, kind)
    return State(state.engine, state.index, state.forest, kind, state.edges, state.batches)


def _kind_without_rows(state: State, given: EdgeInput, kind: EdgeInput) -> EdgeInput:
    """Return the kind of answers if there are only vertices: frames like those of an empty batch.

    ``kind`` says what their ids are like.
    """
    own, other = kind.src, given.src
    if state.index.n and (own.strings or own.parts):
        if given.on_device != kind.on_device or len(own.parts) != len(other.parts):
            return kind
        given = replace(given, src=no_rows(own, other), dst=no_rows(own, given.dst))
    taken = tuple(dict.fromkeys((*kind.taken, *given.taken)))
    return replace(kind_of(given, None), dropped_rows=kind.dropped_rows, taken=taken)


def inserted(state: State, design: Design | None, src: Array, dst: Array) -> State:
    """Return the state in which the vertices of each row are joined, in its own trees.

    Without a design it is the one that suits so many rows. ``forest.complete`` says whether all of
    them were vertices; the other rows are left out.
    """
    return checked(launched(state, design, src, dst))


def launched(state: State, design: Design | None, src: Array, dst: Array, count: int = 1) -> State:
    """Return the state after launching the work, without waiting; see :func:`checked`.

    ``count`` is how many batches the rows are of.
    """
    suited = design or choose_for_batch(state.engine, state.forest.n, src.size)
    join(Edges(src, dst, 0), state.forest, suited)
    return _counted(state, src.size, count)


def checked(state: State) -> State:
    """Return the state after waiting for its work and checking that all ids were vertices."""
    state.forest.complete = not int(state.engine.to_host(state.forest.stray)[0])
    return state


def inserted_and_asked(
    state: State, design: Design, new: list[Array], pairs: list[Array], queries: Array
) -> tuple[State, Array]:
    """Return the state with rows joined, and the answers of the queries among these rows.

    Parameters
    ----------
    new, pairs : two (k,) and two (m - k,) arrays of vertices
        The ends of the rows to insert, and of those that ask.
    queries : (m,) array of bool
        Which rows of the batch ask.

    Returns
    -------
    State
    (m - k,) array of bool
    """
    engine = state.engine
    if design.phased or not state.forest.n:
        join(Edges(new[0], new[1], 0), state.forest, design)
        answers = asked(state, pairs[0], pairs[1])
    else:
        ends = [engine.empty(queries.size, state.forest.vertex) for _ in new]
        for end, inserts, asks in zip(ends, new, pairs, strict=True):
            end[~queries], end[queries] = inserts, asks
        octets = join_and_ask(
            Edges(ends[0], ends[1], 0), state.forest, design, queries.view(np.uint8)
        )
        answers = octets[queries].astype(bool)
    engine.synchronize()
    return _counted(state, new[0].size), answers


def asked(state: State, src: Array, dst: Array) -> Array:
    """Return whether the vertices of each row are connected: a new array of bool."""
    engine = state.engine
    answers = engine.fill(engine.empty(src.size, np.uint8), 0)
    if state.forest.n:
        climb = engine.kernel(find.naive)
        ask = engine.kernel(queries.ask, state.forest.vertex, climb)
        ask(src.size, src, dst, state.forest.parent, answers)
    return answers.astype(bool)


def _counted(state: State, edges: int, count: int = 1) -> State:
    """Return the state with its count of batches increased."""
    return State(
        state.engine,
        state.index,
        state.forest,
        state.given,
        state.edges + edges,
        state.batches + count,
    )
