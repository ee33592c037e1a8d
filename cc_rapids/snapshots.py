"""Snapshots: the state before the first batch, and the answer from the state after any."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from . import batches, inputs
from .algorithms.design import Design
from .backends import Engine
from .batches import State
from .graph.forest import Forest
from .ids.growing import Integers, Range
from .results.components import Components, Facts


def begun(
    engine: Engine,
    count: int | None,
    named: Any = None,
    free: bool = True,
    width: int | None = None,
) -> State:
    """No edges yet, over so many vertices, or over those that are named and those that will come.

    If it is ``free`` to, the state goes to the engine where the ids lie. ``width`` says how many
    columns an id has, if that is known.
    """
    with engine.scope():
        if count is not None:  # the trees are there twice while a batch runs
            engine.check_room(2 * count * (4 if count < 1 << 32 else 8), f"num_vertices={count:,}")
        index = Integers.empty(engine) if count is None else Range(count)
        forest = batches.grown(Forest(engine, 0, everyone=True), index.n)
        state = State(engine, index, forest, batches.kind_of(inputs.NOTHING, None))
    if named is None:
        return state
    given = inputs.vertices(named, width)
    with inputs.lent_to(state, given, free) as (old, columns):
        return batches.named(old, given, columns)[0]


def merged(one: State, other: State, base: State, design: Design) -> State:
    """The state after all batches of two states, both of which came after those of a third.

    Each vertex of the other state is joined to the least of its tree; answers go back as its do.
    """
    pairs = snapshot(other, design, "min").labels()
    names: list[Any] = ["vertex", "labels"]
    if other.index.width > 1:
        names = [[f"{k}_{name}" for k in range(other.index.width)] for name in names]
    given = inputs.read(pairs, *names)
    with inputs.lent_to(one, given, False) as (old, columns):
        vertices, ends = batches.named(old, given, columns)
        joined = batches.inserted(vertices, design, *ends[:2])
    dropped = one.given.dropped + other.given.dropped - base.given.dropped
    return replace(
        joined,
        edges=one.edges + other.edges - base.edges,
        batches=one.batches + other.batches - base.batches,
        given=replace(other.given, dropped=dropped),
    )


def snapshot(
    state: State, design: Design, labels: str, took: float = 0.0, resumed: str | None = None
) -> Components:
    """The components of a state, which took so many seconds so far, and went on with others."""
    with state.engine.scope():
        started = perf_counter()
        forest = state.flat()
        names = state.index.names(state.given)
        seconds = {"copy": None, "compute": took + perf_counter() - started}
    facts = Facts(str(design), state.index.about, state.edges, seconds=seconds, resumed=resumed)
    return Components(state.given, state.engine, names, forest, labels, facts)
