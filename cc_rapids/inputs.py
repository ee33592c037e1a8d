"""Inputs of a batch: what the caller gave, checked, as rows of ids and of vertices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import engines, frames
from .adjacency import Adjacency, listed
from .batches import State
from .catalog import unknown
from .columns import Lending
from .design import Design
from .edges import Edges
from .engines import Array, Engine
from .errors import DesignError, InputError, MissingColumnError, UnknownVertexError
from .given import Given
from .pick import column_of, columns_of, first, mask_of, rows_of

MISSING = ("raise", "false")
NOTHING = frames.read(([], []), "src", "dst", None, None, "raise")


def check_design(design: str | Design) -> Design:
    """The design itself, one for "auto"; a DesignError if it cannot take batches."""
    found = Design.parse(design) or Design()
    link = found.words[1].choice
    if found.sample != "none":
        first = "begins with tiles" if found.window else "samples"
        raise DesignError(
            f"{found} {first}, which batches of edges are too short for: leave {found.sample} out"
            f" (Hong et al. 2020, 3.6)"
        )
    if link.whole:
        verb = "searches" if found.takes_rows else "is for"
        raise DesignError(
            f"{found} {verb} the whole graph, and batches leave their trees behind, not their"
            f" edges: use union-find, such as {Design()}"
        )
    if not found.rooted:
        raise DesignError(
            f"{found} moves single vertices from tree to tree, which is right only if all edges"
            f" are looked at again: use one that hooks roots alone, such as {Design()},"
            " shiloach-vishkin or liu-tarjan(PRF)"
        )
    return found


def check_vertices(num_vertices: Any, named: Any) -> int | None:
    """The number of vertices if it is given; an InputError if it is no count, or both are."""
    if num_vertices is None:
        return None
    counted = frames.read(([], []), "src", "dst", named, num_vertices, "raise").vertices
    return len(counted) if isinstance(counted, range) else None


def check_missing(missing: str) -> None:
    """An InputError if it is no word for what to say of unknown ids."""
    if missing not in MISSING:
        raise InputError(unknown("policy for unknown ids, missing,", str(missing), MISSING))


def read(edges: Any, source: str, destination: str, nulls: str = "raise") -> Given:
    """The edges, or pairs, as :func:`cc_rapids.components` reads them."""
    if isinstance(source, list) or isinstance(destination, list):
        raise InputError(
            f"ids of batches are one column a side, not source={source!r} and"
            f" destination={destination!r}: make one of them, such as by joining them as strings"
        )
    return frames.read(edges, source, destination, None, None, nulls)


def vertices(named: Any) -> Given:
    """A column, array or range of ids, as a loop at each."""
    if isinstance(named, range):
        named = np.arange(named.start, named.stop, named.step)
    return frames.read((named, named), "vertices", "vertices", None, None, "raise")


@contextmanager
def lent_to(state: State, given: Given, free: bool) -> Iterator[tuple[State, list[Any]]]:
    """The state where the batch is to run, and the columns (src, dst, named vertices), lent.

    If the engine is ``free`` and no batch has run yet, that is where this one lies.
    """
    if free and not state.batches and given.on_device != state.engine.on_device and given.src.size:
        runner = engines.get("cuda" if given.on_device else "threads")
        with runner.scope():
            state = state.to(runner)
    engine, named = state.engine, given.vertices
    with lent_on(engine, given) as columns:
        if isinstance(named, range):
            columns.append(engine.xp.arange(named.start, named.stop, named.step))
        yield state, columns


@contextmanager
def lent_on(engine: Engine, given: Given) -> Iterator[list[Any]]:
    """The columns (src, dst, and named vertices if they are a column), lent; rows as a list."""
    starts = [given.offsets] if given.offsets else []
    with engine.scope(), Lending([*given.columns, *starts]) as columns:
        if starts:
            offsets, indices = engine.asarray(columns.pop()), engine.asarray(columns[0])
            edges = Edges(indices, indices, 0)
            columns[0] = listed(Adjacency(offsets, indices), edges, engine).src
        yield columns


def rows(column: Any, mask: Array, engine: Engine) -> Any:
    """The rows of a lent column, integers or strings, for which a mask of the engine's holds."""
    if hasattr(column, "to_pandas"):
        return rows_of(column, mask, engine)
    return engine.asarray(column)[mask]


def mask_of_queries(batch: Any, query: Any, given: Given) -> Any:
    """The array of bool that says which rows of a batch ask."""
    name = "query"
    if isinstance(query, str):
        name = query
        known = [] if isinstance(batch, tuple | list | str) else columns_of(batch)
        if query not in known:
            raise MissingColumnError(
                f"{unknown('column', query, map(str, known))}; say by query= which rows are"
                " queries: the name of a column of bool, or the column itself"
            )
        query = column_of(batch, query)
    mask = mask_of(name, query)
    if mask.size != given.src.size:
        raise InputError(
            f"column {name!r} has {mask.size:,} values, and the batch has {given.src.size:,} rows:"
            " it says of each whether it is a query"
        )
    return mask


def ends(state: State, given: Given, columns: list[Any], missing: str) -> tuple[list[Array], Array]:
    """The vertices of both ends of pairs of ids, any where there is none; and where there are both.

    Raises
    ------
    UnknownVertexError
        There is not, and ``missing`` is "raise".
    """
    found = [state.index.find(column, state.engine) for column in columns]
    for side, column, (_, known) in zip((given.src, given.dst), columns, found, strict=True):
        if missing == "raise" and not bool(known.all()):
            raise _unknown(side.name, column, state.engine.to_host(~known))
    return [vertices for vertices, _ in found], found[0][1] & found[1][1]


def _unknown(name: str, column: Any, strange: Any) -> UnknownVertexError:
    where = np.flatnonzero(strange)
    some = ", ".join(str(first(column[int(i) : int(i) + 1])) for i in where[:3])
    return UnknownVertexError(
        f"{where.size:,} of {strange.size:,} in {name!r} are no vertices so far:"
        f" {some}{', ...' if where.size > 3 else ''}; missing='false' answers False for them"
    )
