"""Plan of a stream: edges, time and memory, said before anything is read but metadata."""

from __future__ import annotations

from dataclasses import dataclass

from ..backends import Engine
from ..data.memory_budget import LEAST_ROWS, Budget, in_words
from ..data.streams import Source
from ..ids.growing import Index, Integers, Range, Texts, Tuples

RATES = {"range": 20e6, "integers": 1.5e6, "strings": 0.3e6}  # edges a second on two CPU cores


@dataclass(frozen=True)
class StreamPlan:
    """What a stream would take; figures that metadata do not tell are None.

    Attributes
    ----------
    engine, device : str
        What would run.
    pieces : int or None
        Files, row groups, fragments or items.
    edges : int or None
        Rows of all pieces, as Parquet metadata have it.
    vertices : int or None
        The most that there may be.
    ids : str
        "range" (``num_vertices`` is given), "integers" or "strings".
    bytes : int or None
        The most memory: the vertices and the largest chunk, never more than ``limit``.
    limit : int
        The memory limit in bytes.
    fits : bool or None
        Whether the most vertices that there may be fit; if not, fewer may.
    rate : float
        Edges a second: a stated figure, for two CPU cores.
    seconds : float or None
        Edges by that rate.
    """

    engine: str
    device: str
    pieces: int | None
    edges: int | None
    vertices: int | None
    ids: str
    bytes: int | None
    limit: int
    fits: bool | None
    rate: float
    seconds: float | None

    def __str__(self) -> str:
        def shown(value: int | None, most: str = "") -> str:
            return "unknown before they are read" if value is None else f"{most}{value:,}"

        memory = "up to the limit" if self.bytes is None else f"at most {in_words(self.bytes)}"
        time = "unknown" if self.seconds is None else f"about {self.seconds:,.1f} s"
        room = "" if self.fits in (None, True) else "; the vertices may not fit"
        return "\n".join(
            (
                f"engine    {self.engine}: {self.device}",
                f"pieces    {shown(self.pieces)}",
                f"edges     {shown(self.edges)}",
                f"vertices  {shown(self.vertices, 'at most ')} ({self.ids})",
                f"memory    {memory}; memory_limit {in_words(self.limit)}{room}",
                f"time      {time}, at a stated {self.rate:,.0f} edges a second",
            )
        )


def plan(
    source: Source, count: int | None, engine: Engine, budget: Budget, width: int = 1
) -> StreamPlan:
    """What is known of a stream before it is read, of which chunks will be sized by a budget.

    ``width`` is how many columns an id has.
    """
    facts = source.measure()
    edges, span = facts["edges"], facts["span"]
    kind = "range" if count is not None else "integers" if span else "strings"
    vertices = count
    if vertices is None and edges is not None:
        vertices = min(2 * edges, span[1] - span[0] + 1) if span else 2 * edges
    most, fits = None, None
    if vertices is not None:
        held, edge = budget.held(kind, vertices, width=width), budget.an_edge(kind, width)
        rows = max(LEAST_ROWS, min(budget.most, edges or budget.most))
        fits = held + LEAST_ROWS * edge <= budget.limit
        most = min(budget.limit, held + rows * edge)
    rate = RATES[kind]
    return StreamPlan(
        engine=engine.name,
        device=engine.device_name,
        pieces=facts["pieces"],
        edges=edges,
        vertices=vertices,
        ids=kind,
        bytes=most,
        limit=budget.limit,
        fits=fits,
        rate=rate,
        seconds=None if edges is None else edges / rate,
    )


def memory_use(index: Index) -> tuple[str, int, int, int]:
    """Return what :meth:`Budget.update` is told of an index.

    These are its row of the table, how many vertices it has, the bytes of their strings, and how
    many columns an id has.
    """
    return _row_of(index), index.n, _text_of(index), index.width


def _row_of(index: Index) -> str:
    """Which row of the table an index is in; the dearest while no ids have come."""
    if isinstance(index, Range):
        return "range"
    if isinstance(index, Tuples):
        return "strings" if index.strings or not index.n else "integers"
    return "integers" if isinstance(index, Integers) and index.n else "strings"


def _text_of(index: Index) -> int:
    """The bytes of the strings that an index holds."""
    if isinstance(index, Tuples):
        return sum(map(_text_of, index.columns))
    return int(getattr(index.held, "nbytes", 0)) if isinstance(index, Texts) else 0
