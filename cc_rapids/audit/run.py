"""The audit: one pass over the edges, and one over the vertices; and another over the edges of an
answer that is wrong, to find the first of them that tells.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from .. import frames, inputs
from ..catalog import unknown
from ..errors import InputError, VerificationError
from ..given import Given
from ..oracle.peers import PEERS
from ..sources import Budget, Chunk, Cursor, ahead, bytes_of, is_stream, source_of
from .places import Places
from .trees import Trees


@dataclass(frozen=True)
class Audit:
    """What was proved.

    Attributes
    ----------
    edges, vertices, components : int
        How many there are.
    oracle : str or None
        Who found the same components.
    seconds : float
        What the audit took.
    """

    edges: int
    vertices: int
    components: int
    oracle: str | None
    seconds: float

    def __str__(self) -> str:
        also = f"; {self.oracle} finds the same" if self.oracle else ""
        return (
            f"right: {self.components:,} components of {self.vertices:,} vertices, by"
            f" {self.edges:,} edges{also}"
        )


def audit(
    places: Places,
    edges: Any,
    source: Any,
    destination: Any,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    nulls: str = "raise",
    oracle: str | None = None,
    memory_limit: int | str | None = None,
) -> Audit:
    """Prove an answer; see :meth:`cc_rapids.Components.audit`."""
    started = perf_counter()
    if oracle is not None and oracle not in PEERS:
        raise InputError(unknown("oracle", str(oracle), PEERS))
    path = isinstance(edges, str | os.PathLike) and isinstance(source, str)
    trees = Trees(places)
    if is_stream(edges) or (path and oracle is None):
        if oracle is not None:
            raise InputError(
                f"oracle={oracle!r} takes all edges at once: read the stream into one frame, or"
                " leave it out"
            )
        budget = Budget(bytes_of(memory_limit), 0)
        for given in _chunks(edges, source, destination, nulls, budget, places):
            trees.take(given, at_hand=False)
        count = inputs.check_vertices(num_vertices, vertices)
        trees.name(range(count) if count is not None else vertices)
        found = trees.close()
    else:
        given = frames.read(edges, source, destination, vertices, num_vertices, nulls)
        found = _at_hand(trees, given)
        if oracle is not None:
            trees.compare(given, oracle)
    return Audit(trees.edges, places.forest.vertices, found, oracle, perf_counter() - started)


def _at_hand(trees: Trees, given: Given) -> int:
    """The number of components, by edges that can be read again if the answer is wrong."""
    try:
        trees.take(given)
        return trees.close()
    except VerificationError:
        trees.explain(given)
        raise


def _chunks(
    edges: Any, source: Any, destination: Any, nulls: str, budget: Budget, places: Places
) -> Iterator[Given]:
    """The chunks of a stream, each checked."""
    if isinstance(source, list) or isinstance(destination, list):
        raise InputError(
            f"ids of edges that are read in chunks are one column a side, not source={source!r} and"
            f" destination={destination!r}: read them into one frame"
        )
    stream = source_of(edges, source, destination)
    budget.fixed, strings = stream.fixed, places.column.strings
    budget.update("strings" if strings else "range", places.forest.n)
    read: Generator[Chunk, None, None] = stream.read(Cursor(), budget, strings)
    taken: Iterator[Chunk] = ahead(read, stream.readers) if stream.threaded else read
    with closing(taken):  # type: ignore[type-var]
        for chunk in taken:
            yield frames.read(
                chunk.frame, chunk.source, chunk.destination, chunk.vertices, None, nulls
            )
