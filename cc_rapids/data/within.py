"""Read all edges within a bound on weights at once; rows refer to the caller's list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..errors import ColumnTypeError, InputError, MissingColumnError, NullsError, shown
from ..ledger import Reading
from .adapters import adapter_of
from .column import chunked, index_of, moved
from .edge_input import EdgeInput, ReadRequest
from .foreign import opened
from .frame_access import collected, names_of
from .frame_build import rows_where_true
from .read import check_text, named_ends, read
from .relations import is_relation
from .text_options import NO_OPTIONS, TextOptions
from .weight_bound import WeightBound
from .weights import moved_like, places, weighted


class AsFound:
    """The default of ``weight=`` for an answer with bounds: the column used to find the answer."""

    def __repr__(self) -> str:
        return "as found"


AS_FOUND = AsFound()


def bound_of_list(bound: WeightBound | None, weight: Any, what: str) -> WeightBound | None:
    """Return the bound of an answer, applied to the weights of another list of edges.

    Parameters
    ----------
    bound : WeightBound, optional
        The bound that the answer keeps.
    weight : AS_FOUND, None, str, or (m,) array of numbers
        The weights of the list; by default the column used to find the answer. None if the list
        holds only edges within the bounds.
    what : str
        The name of the call, for errors.

    Returns
    -------
    WeightBound or None
        None if no bound applies to the list.

    Raises
    ------
    InputError
        The answer has bounds, but its weights were not a named column.
    """
    if weight is None:
        return None
    if not isinstance(weight, AsFound):
        return replace(bound or WeightBound(None), weight=weight)
    if bound is not None and bound.limits and bound.weight is None:
        raise InputError(
            f"this answer was found with {bound.in_words()} of an array of weights: {what} needs"
            " those of its edges as weight=, or weight=None if it has only edges within"
        )
    return None if bound is None or bound.weight is None else bound


def edges_asked(
    edges: Any,
    source: Any,
    destination: Any,
    bound: WeightBound | None,
    *,
    named: bool,
    what: str,
    nulls: str,
) -> EdgeInput:
    """Return the edges of a list that is passed to an answer, with weights if it has any.

    Parameters
    ----------
    bound : WeightBound, optional
        As :func:`bound_of_list` returns it.
    named : bool
        Whether the caller named the weights in this call.

    Raises
    ------
    MissingColumnError
        The answer has bounds, but the list lacks the column of weights.
    """
    if bound is None:
        return read(edges, source, destination, nulls=nulls)
    edges = opened(edges, bound.weight)
    try:
        lacks = _lacks(edges, bound.weight)
        options: dict[str, Any] = {"nulls": nulls, "keeps_weights": True}
        if not lacks:
            return read_within(edges, source, destination, bound, **options)
    except InputError as error:  # the columns of a file are known only after it was read
        if named or not adapter_of(edges).has_header or repr(bound.weight) not in str(error):
            raise
    if named or bound.limits:
        raise lacking(bound, what)
    return read(edges, source, destination, nulls=nulls)


def _lacks(edges: Any, weight: Any) -> bool:
    """Return whether edges in memory lack a column of weights."""
    adapter = adapter_of(edges)
    if not isinstance(weight, str | int) or adapter.has_header or adapter.is_stream:
        return False
    if not adapter.has_rows:  # for example a matrix or a graph
        return not is_relation(edges)
    if hasattr(edges, "collect_schema"):
        return weight not in edges.collect_schema().names()
    return weight not in (edges if isinstance(edges, Mapping) else names_of(edges))


def with_bounds(bound: WeightBound | None, given: dict[str, Any], what: str) -> dict[str, Any]:
    """Add the bounds of an answer to the options of a call, unless these have bounds.

    If the caller passes ``weight=None``, all given edges are within the bounds already.
    """
    given = dict(given)
    if "weight" in given and given["weight"] is None:
        del given["weight"]
        return given
    bounded = any(given.get(name) is not None for name in ("at_least", "at_most"))
    if bound is None or not bound.limits or bounded:
        return given
    kept = bound_of_list(bound, given.get("weight", AS_FOUND), what)
    assert kept is not None
    return given | {"weight": kept.weight, "at_least": kept.at_least, "at_most": kept.at_most}


@contextmanager
def naming_bounds(bound: WeightBound | None, given: dict[str, Any], what: str) -> Iterator[None]:
    """Explain in an error for a missing column of weights that the answer's bounds need it.

    ``given`` are the options of the caller; if they name the column, the error is unchanged.
    """
    try:
        yield
    except InputError as error:
        has_own_bound = bound is not None and bound.limits and "weight" not in given
        if bound is None or not has_own_bound or repr(bound.weight) not in str(error):
            raise
        if isinstance(error, ColumnTypeError | NullsError):
            raise
        raise lacking(bound, what) from error


def lacking(bound: WeightBound, what: str) -> MissingColumnError:
    """Return the error for a list without the column of weights that an answer's bounds need."""
    return MissingColumnError(
        f"this answer was found with {bound.in_words()} of column {bound.weight!r}, which the edges"
        f" for {what} do not have: pass their weights as weight=, or weight=None if they are only"
        " edges within"
    )


def read_within(
    edges: Any,
    source: Any,
    destination: Any,
    bound: WeightBound,
    vertices: Any = None,
    num_vertices: int | None = None,
    nulls: str = "raise",
    options: TextOptions = NO_OPTIONS,
    *,
    keeps_weights: bool = False,
) -> EdgeInput:
    """Read the edges of a list within a bound; row numbers refer to the whole list.

    Files become a table, and lazy frames are collected.

    Parameters
    ----------
    bound : WeightBound
        The bound; without limits, all edges are within it.
    keeps_weights : bool
        Whether to return the weights as well.

    Raises
    ------
    InputError
        The edges are of a kind without rows, or the numbers of weights and edges differ.
    """
    given = edges = opened(edges, bound.weight)
    source, destination = named_ends(edges, source, destination, bound.weight)
    adapter = adapter_of(edges)
    check_text(adapter, edges, options)
    request = ReadRequest(source, destination, nulls, options)
    answers, reading = adapter.answers(edges, request), Reading()
    edges, sides = adapter.in_memory(edges, request, bound.weight, reading)
    if sides is not None:
        source, destination = sides
    adapter = adapter_of(edges)
    if not adapter.has_rows:
        adapter.bounded(given, request, bound)  # raises the error
    kept, rows, ledger = None, edges, None
    if bound.limits:
        mask, ledger = adapter.mask(edges, bound)
        mask = moved(mask, adapter.on_device(edges))
        adapter.check_sizes(edges, mask)
        rows, kept = adapter.where(edges, mask), partial(places, mask)
    made = read(rows, source, destination, vertices, num_vertices, nulls, adapter=adapter)
    made = replace(made, index=index_of(edges), formats=tuple(reading.formats) or made.formats)
    outer = reading.ledger if reading.formats else None
    for before in (ledger, outer):  # the ledgers of lists that contain the rows
        if before is not None:
            made = replace(made, ledger=before.plus(made.rows._replace(given=0)))
    if answers is not None:
        made = replace(made, answers=answers)
    if kept is not None:
        made = replace(
            made,
            row_index=partial(_composed, kept, made.row_index),
            rows_outside=mask.size - made.src.size - made.dropped_rows,
        )
    if not keeps_weights:
        return made
    name = f"weights {bound.weight!r}" if isinstance(bound.weight, str | int) else "weights"
    return weighted(made, adapter.weights(edges, bound.weight), name, nulls)


def _composed(kept: Callable[[], Any], inner: Callable[[], Any] | None) -> Any:
    """Return the caller's row numbers after two selections: ``kept`` first, then ``inner``."""
    rows = kept()
    return rows if inner is None else rows[moved_like(inner(), rows)]


def edges_where(edges: Any, chosen: Callable[[Any], Any], read: Callable[[Any], EdgeInput]) -> Any:
    """Select rows of an edge list; the result is of the same library.

    Parameters
    ----------
    edges : frame, tuple or mapping of columns, list of pairs, or array with an edge in each row
    chosen : callable
        Returns a boolean array for the edges that ``read`` returns.
    read : callable
        Reads the edges, without those that have a null end.

    Raises
    ------
    InputError
        The edges have no rows: a path, a stream, a matrix or a graph.
    """
    edges = collected(chunked(opened(edges)))
    if not adapter_of(edges).has_rows:
        raise InputError(
            f"edges cannot be {shown(edges)}, which has no rows to return: pass a frame of cuDF,"
            " pandas, Polars or PyArrow, a tuple of two columns, a list of pairs, or an array of"
            " shape (edges, 2)"
        )
    given = read(edges)
    mask = chosen(given)
    if given.row_index is not None:
        kept, few = given.row_index(), mask
        mask = np.zeros_like(few, shape=given.src.size + given.dropped_rows + given.rows_outside)
        mask[kept] = few
    return rows_where_true(edges, mask)
