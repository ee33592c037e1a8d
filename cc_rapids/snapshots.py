"""Snapshots: the state before the first batch, and the answer from the state after any."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from . import batches, inputs
from .batches import State
from .design import Design
from .engines import Engine
from .forest import Forest
from .given import Given
from .index import Integers, Range
from .result import Components, Facts


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
        index = Integers.empty(engine) if count is None else Range(count)
        forest = batches.grown(Forest(engine, 0, everyone=True), index.n)
        state = State(engine, index, forest, batches.kind_of(inputs.NOTHING, None))
    if named is None:
        return state
    given = inputs.vertices(named, width)
    with inputs.lent_to(state, given, free) as (old, columns):
        return batches.named(old, given, columns)[0]


def like(state: State, given: Given) -> State:
    """The state, whose answers go back as the edges came, even if there are none so far."""
    if given.src.size or state.edges or (state.index.strings and state.index.n):
        return state
    kind = batches.kind_of(given, None)
    return replace(state, given=replace(kind, dropped=state.given.dropped))


def snapshot(state: State, design: Design, labels: str, took: float = 0.0) -> Components:
    """The components of a state, which took so many seconds so far."""
    with state.engine.scope():
        started = perf_counter()
        forest = state.flat()
        names = state.index.names(state.given)
        seconds = {"copy": None, "compute": took + perf_counter() - started}
    facts = Facts(str(design), state.index.about, state.edges, seconds=seconds)
    return Components(state.given, state.engine, names, forest, labels, facts)
