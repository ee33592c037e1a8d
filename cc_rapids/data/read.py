"""Read edges by :func:`.adapters.read`, chunks of streams, and pairs of ids."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentTypeError, shown
from ..ledger import Ledger
from .adapters import Adapter, adapter_of, check_text, naming_nulls, read
from .edge_input import EdgeInput, ReadRequest, checked_names
from .end_columns import Side
from .frame_access import is_single
from .kinds import KeyPairs
from .text_options import NO_OPTIONS, TextOptions

if TYPE_CHECKING:
    from .streams import Chunk, Source
    from .weight_bound import WeightBound

__all__ = [
    "NOTHING",
    "check_one_id",
    "check_text",
    "check_vertices",
    "named_ends",
    "read",
    "read_chunk",
    "read_pairs",
    "source_of",
]


def read_chunk(chunk: Chunk, nulls: str, bound: WeightBound | None = None) -> EdgeInput:
    """Return the checked edges of a chunk that are within a bound.

    Their ledger counts all rows of the chunk. An error for nulls names the file and the first row.
    """
    request = ReadRequest(chunk.source, chunk.destination)
    frame, ledger = chunk.frame, Ledger(sum(chunk.left_out.values()), left_out=chunk.left_out)
    if bound is not None:
        chunk_bound = bound if chunk.weight is None else replace(bound, weight=chunk.weight)
        bounded = adapter_of(frame).bounded(frame, request, chunk_bound)
        frame, ledger = bounded.edges, ledger.plus(bounded.ledger)
    with naming_nulls(chunk.path, chunk.frame, request.sides, chunk.first):
        edge_input = read(frame, chunk.source, chunk.destination, nulls=nulls)
    rows = edge_input.rows
    if bound is not None:  # the ledger of the bound counts these rows already
        rows = rows._replace(given=0)
    return replace(edge_input, ledger=ledger.plus(rows))


def source_of(
    edges: Any,
    source: Side | None,
    destination: Side | None,
    options: TextOptions = NO_OPTIONS,
    bound: WeightBound | None = None,
    skips_unreadable: bool | None = None,
    adapter: Adapter | None = None,
) -> Source:
    """Return the source for streamed edges; raise an InputError if the object is not edges.

    Chunks contain the weights that ``bound`` needs, and :func:`read_chunk` applies the bound.
    ``skips_unreadable`` is None if the caller's function has no such option. ``adapter`` is the
    adapter of the edges if it is already known.
    """
    checked_names(source, destination)  # raises an error if these are not names
    adapter = adapter or adapter_of(edges)
    check_text(adapter, edges, options)
    request = ReadRequest(
        source, destination, options=options, bound=bound, skips_unreadable=skips_unreadable
    )
    weight = None if bound is None else bound.weight
    stream = adapter.source(edges, adapter.named(edges, request, weight))
    if skips_unreadable and not stream.skips:
        raise ArgumentTypeError(
            "unreadable='skip' is for paths, patterns, folders and datasets of files: leave it out"
        )
    return stream


def named_ends(
    edges: Any,
    source: Side | None,
    destination: Side | None,
    weight: Any = None,
    adapter: Adapter | None = None,
) -> tuple[Side | None, Side | None]:
    """Return the columns of both ends; :meth:`Adapter.ends` chooses the columns that are None."""
    return (adapter or adapter_of(edges)).ends(edges, source, destination, weight)


def read_pairs(
    pairs: Any,
    source: Side | None,
    destination: Side | None,
    options: TextOptions,
    width: int = 1,
    methods: tuple[str, str] = ("connected()", "same_component(first, second)"),
) -> EdgeInput:
    """Read pairs of ids for a query, without dropping any pair.

    ``width`` is the number of columns of an id. Two single ids raise an ArgumentTypeError, which
    names both ``methods``: the called method, and the method for two single ids.
    """
    ids: Any = ()  # what may be two single ids by mistake
    if destination is None and source is not None and not isinstance(source, list):
        is_file = isinstance(pairs, str) and os.path.exists(pairs)
        ids = () if is_file else (pairs, source)  # as in connected(1, 2)
    elif source is None and isinstance(pairs, tuple | list) and len(pairs) == 2:
        are_edges = width == 1 and any(isinstance(item, tuple) for item in pairs)
        ids = () if are_edges else pairs  # as in connected((1, 2))
    if ids and all(map(is_single, ids)):
        first, second = map(shown, ids)
        raise ArgumentTypeError(
            f"{methods[0]} answers for many pairs, but {first} and {second} are two single ids:"
            f" call {methods[1]}, or pass a frame, or a pair of columns"
        )
    # an empty list or empty columns do not tell the number of columns of an id
    if width > 1 and isinstance(pairs, tuple | list) and not any(map(len, pairs)):
        pairs = KeyPairs([[]] * width, [[]] * width)
    return read(pairs, source, destination, options=options, droppable=False)


def check_one_id(name: str, vertex: Any, method: str = "connected()") -> None:
    """Raise an ArgumentTypeError unless a value is a single id; suggest a method for many pairs."""
    if not is_single(vertex):
        raise ArgumentTypeError(
            f"{name} must be one id, an integer, a string, or a tuple for ids of several columns,"
            f" not {shown(vertex)}: {method} answers for many pairs"
        )


NOTHING = read(([], []), "src", "dst", None, None, "raise")  # an input without edges


def check_vertices(num_vertices: Any, vertices: Any) -> int | None:
    """Check and return the number of vertices, which may be None.

    Raise an InputError if the number is not a count, or if ``vertices`` are given as well.
    """
    if num_vertices is None:
        return None
    # reading no edges checks both arguments, and makes a range of the number
    dense_range = read(([], []), "src", "dst", vertices, num_vertices, "raise").vertices
    return len(dense_range) if isinstance(dense_range, range) else None
