"""Insertions: the state after one more batch, or after many of which all or none are taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import batches, inputs
from .batches import State
from .design import Design
from .errors import InputError
from .given import Given

Words = tuple[str, str, str]  # source, destination, nulls


def insert_one(state: State, edges: Any, words: Words, design: Design | None, free: bool) -> State:
    """The state after one batch, on a copy of the trees; see :func:`insert_given`."""
    return insert_given(state, inputs.read(edges, *words), design, free)


def insert_given(
    state: State, given: Given, design: Design | None, free: bool, copied: bool = True
) -> State:
    """The state after one batch; an InputError that names the id if one is no vertex.

    Without a design it is the one that suits the batch. If ``free``, the first batch says on which
    engine all run. If not ``copied``, the trees are those of the old state while no vertex is new.
    """
    with inputs.lent_to(state, given, free) as (old, columns):
        named, ends = batches.named(old, given, columns, copied, sure=False)
        after = batches.inserted(named, design, *ends[:2])
        if not after.forest.complete:
            batches.named(old, given, columns)  # says which id is none of the vertices
        return after


def insert_all(
    state: State, edges: Iterable[Any], words: Words, design: Design | None, free: bool
) -> State:
    """The state after many batches, on one copy of the trees; the device is waited for once."""
    after = state
    for batch in edges:
        given = inputs.read(batch, *words)
        with inputs.lent_to(after, given, free) as (old, columns):
            named, ends = batches.named(old, given, columns, copied=after is state, sure=False)
            after = batches.launched(named, design, *ends[:2])
    if after is not state and not batches.checked(after).forest.complete:
        n, many = after.forest.n, after.batches - state.batches
        raise InputError(
            f"among {many:,} batches an id lies outside 0..{n - 1} of num_vertices={n}, and none of"
            " them was inserted: insert them one by one to learn which it is, give a larger one, or"
            " vertices="
        )
    return after
