"""Choosing: which design ``"auto"`` runs."""

from __future__ import annotations

from dataclasses import dataclass

from .design import Design
from .engines import Engine


@dataclass(frozen=True)
class Rule:
    """A row of the table that ``"auto"`` reads: a design, and when it was measured to be best."""

    design: Design
    record: str
    engine: str | None = None
    edges: int = 0
    edges_per_vertex: float = 0.0
    rows: bool = False

    def __str__(self) -> str:
        where = f" on {self.engine}" if self.engine else ""
        edges = f", from {self.edges:,} edges" if self.edges else ""
        ratio = f" and {self.edges_per_vertex:g} a vertex on" if self.edges_per_vertex else ""
        return f"fastest{where}{edges}{ratio} in benchmarks/records/{self.record}"

    def fits(self, engine: str, n: int, m: int, rows: bool) -> bool:
        """Whether the row is for this engine and an edge list (or rows) of this size."""
        mine = self.engine in (None, engine) and rows >= self.rows
        return mine and m >= self.edges and m >= self.edges_per_vertex * n


# The first row that fits. On a GPU a sample pays at four edges a vertex (by more than a third
# on the uniform list; on social22 it makes no difference); with fewer it changes little, and on
# threads and on small lists it costs more than it saves.
AUTO = (
    Rule(Design(sample="strided"), "design_choice.jsonl", "cuda", 1_000_000, 3.5),
    Rule(Design(), "design_choice.jsonl"),
)


def choose(engine: Engine, n: int, m: int, rows: bool = False) -> Rule:
    """The row that says what ``"auto"`` runs for m edges whose ids span n vertices."""
    return next(rule for rule in AUTO if rule.fits(engine.name, n, m, rows))
