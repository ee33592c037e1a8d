"""Read the edges of a whole list whose weights are within a bound.

Row numbers refer to the caller's list, not to the edges within the bound.
"""

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
from .column import chunked
from .edge_input import EdgeInput, ReadRequest
from .foreign import opened
from .frame_access import collected, names_of
from .frame_build import rows_where_true
from .read import check_text, read
from .relations import is_relation
from .row_index import index_of
from .text_options import NO_OPTIONS, TextOptions
from .weight_bound import WeightBound
from .weights import moved_like, name_of_weights, true_rows, weighted


class AsFound:
    """The default of ``weight=`` in methods of an answer: the column used to find the answer."""

    def __repr__(self) -> str:
        return "as found"


AS_FOUND = AsFound()


def bound_of_list(bound: WeightBound | None, weight: Any, what: str) -> WeightBound | None:
    """Return the bound of an answer, applied to the weights of another list of edges.

    ``weight`` is the column or the array of the weights of the list, or ``AS_FOUND`` for the column
    used to find the answer. An InputError is raised if the answer was found with an array instead.
    If ``weight`` is None, all edges of the list are within the bounds, and the result is None.
    ``what`` is the name of the call, for errors.
    """
    if weight is None:
        return None
    if not isinstance(weight, AsFound):
        return replace(bound or WeightBound(None), weight=weight)
    if bound is None or bound.weight is not None:
        return bound
    if bound.has_limits:  # on an array of weights, which the answer has not stored
        raise InputError(
            f"this answer was found with {bound.in_words()} of an array of weights: pass the"
            f" weights of the edges for {what} as weight=, or weight=None if all these edges are"
            " within the bounds"
        )
    return None


def read_for_answer(
    edges: Any,
    source: Any,
    destination: Any,
    bound: WeightBound | None,
    weight: Any,
    *,
    what: str,
    nulls: str,
) -> EdgeInput:
    """Return the edges of a list that is passed to an answer, with weights if the list has any.

    Only edges within ``bound``, the bound of the answer, are returned. ``weight`` tells where the
    weights of the list are, as in :func:`bound_of_list`; ``what`` names the call in errors. Raise a
    MissingColumnError if the answer has bounds, but the list lacks the column of weights.
    """
    bound, is_default = bound_of_list(bound, weight, what), isinstance(weight, AsFound)
    if bound is None:
        return read(edges, source, destination, nulls=nulls)
    edges = opened(edges, bound.weight)
    try:
        if not _is_known_to_lack(edges, bound.weight):
            return read_within(edges, source, destination, bound, nulls=nulls, keeps_weights=True)
    except InputError as error:
        # Only reading a file shows that it lacks the default column.
        if not (is_default and adapter_of(edges).has_header and repr(bound.weight) in str(error)):
            raise
    if bound.has_limits or not is_default:
        raise lacking(bound, what)
    return read(edges, source, destination, nulls=nulls)


def _is_known_to_lack(edges: Any, weight: Any) -> bool:
    """Return whether edges lack the column ``weight``; False if only reading them can show it."""
    adapter = adapter_of(edges)
    if not isinstance(weight, str | int) or adapter.has_header or adapter.is_stream:
        return False  # an array of weights, or files or a stream, which are not read yet
    if not adapter.has_rows:  # a matrix or a graph, without columns; or a relation, not yet read
        return not is_relation(edges)
    if hasattr(edges, "collect_schema"):
        return weight not in edges.collect_schema().names()
    return weight not in (edges if isinstance(edges, Mapping) else names_of(edges))


def with_bounds(bound: WeightBound | None, options: dict[str, Any], what: str) -> dict[str, Any]:
    """Return the options of the call ``what``; add the bound of an answer if they have none.

    With ``weight=None``, the caller says that all edges are within the bound, so it is not added.
    """
    if "weight" in options and options["weight"] is None:
        return {name: value for name, value in options.items() if name != "weight"}
    has_bounds = any(options.get(name) is not None for name in ("at_least", "at_most"))
    if bound is None or not bound.has_limits or has_bounds:
        return dict(options)
    bound = bound_of_list(bound, options.get("weight", AS_FOUND), what)
    assert bound is not None
    return options | {"weight": bound.weight, "at_least": bound.at_least, "at_most": bound.at_most}


@contextmanager
def explaining_need_of_weights(
    bound: WeightBound | None, options: dict[str, Any], what: str
) -> Iterator[None]:
    """If the column of weights is missing, raise an error that says why the answer needs it.

    Errors are unchanged if the ``options`` of the call ``what`` have ``weight``.
    """
    try:
        yield
    except InputError as error:
        if bound is None or not bound.has_limits or "weight" in options:
            raise
        # Errors about the type or the nulls of the column contain its name, but are not replaced.
        if repr(bound.weight) not in str(error) or isinstance(error, ColumnTypeError | NullsError):
            raise
        raise lacking(bound, what) from error


def lacking(bound: WeightBound, what: str) -> MissingColumnError:
    """Return the error for a list without the column of weights that an answer's bounds need."""
    return MissingColumnError(
        f"this answer was found with {bound.in_words()} of column {bound.weight!r}, which the edges"
        f" for {what} do not have: pass the weights of these edges as weight=, or weight=None if"
        " all these edges are within the bounds"
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

    Files become a table, and lazy frames are collected. Edges of a kind without rows raise an
    InputError. With ``keeps_weights``, the result has the weights as well.
    """
    original = edges = opened(edges, bound.weight)
    adapter = adapter_of(edges)
    source, destination = adapter.ends(edges, source, destination, bound.weight)
    check_text(adapter, edges, options)
    request = ReadRequest(source, destination, nulls, options)
    make_answer, reading = adapter.answers(edges, request), Reading()
    edges, ends_of_table = adapter.in_memory(edges, request, bound.weight, reading)
    if ends_of_table is not None:  # a new table of the rows of files
        source, destination = ends_of_table
    adapter = adapter_of(edges)
    if not adapter.has_rows:
        adapter.bounded(original, request, bound)  # raises the InputError for this kind
    rows_within, mask = edges, None
    if bound.has_limits:
        mask, ledger_of_bound = adapter.mask(edges, bound)
        rows_within = adapter.where(edges, mask)
    result = read(rows_within, source, destination, vertices, num_vertices, nulls, adapter=adapter)
    result = replace(result, index=index_of(edges), answers=make_answer or result.answers)
    if mask is not None:
        # ``ledger_of_bound.given`` includes the rows of ``result``.
        result = replace(
            result,
            row_index=partial(_composed, partial(true_rows, mask), result.row_index),
            rows_outside=mask.size - result.src.size - result.dropped_rows,
            ledger=ledger_of_bound.plus(result.rows._replace(given=0)),
        )
    if reading.formats:  # the ledger of files counts rows that no table has, such as comments
        ledger = reading.ledger.plus(result.rows._replace(given=0))
        result = replace(result, formats=tuple(reading.formats), ledger=ledger)
    if not keeps_weights:
        return result
    weights = adapter.weights(edges, bound.weight)
    return weighted(result, weights, name_of_weights(bound.weight), nulls)


def _composed(outer: Callable[[], Any], inner: Callable[[], Any] | None) -> Any:
    """Return the row numbers ``outer()`` at the positions ``inner()``, or all without ``inner``."""
    rows = outer()
    return rows if inner is None else rows[moved_like(inner(), rows)]


def edges_where(
    edges: Any, condition: Callable[[EdgeInput], Any], read_edges: Callable[[Any], EdgeInput]
) -> Any:
    """Return the rows of an edge list that meet a condition, as an edge list of the same library.

    ``condition`` returns a boolean array for the edges that ``read_edges`` returns.
    """
    edges = collected(chunked(opened(edges)))
    if not adapter_of(edges).has_rows:
        raise InputError(
            f"edges cannot be {shown(edges)}, which has no rows to return: pass a frame of cuDF,"
            " pandas, Polars or PyArrow, a tuple of two columns, a list of pairs, or an array of"
            " shape (edges, 2)"
        )
    edge_input = read_edges(edges)
    mask = condition(edge_input)
    if edge_input.row_index is not None:  # some rows were left out: they do not meet the condition
        row_count = edge_input.src.size + edge_input.dropped_rows + edge_input.rows_outside
        mask_of_rows = np.zeros_like(mask, shape=row_count)
        mask_of_rows[edge_input.row_index()] = mask
        mask = mask_of_rows
    return rows_where_true(edges, mask)
