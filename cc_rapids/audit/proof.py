"""Proof: what an audit says of an answer that is right."""

from __future__ import annotations

from dataclasses import dataclass


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
