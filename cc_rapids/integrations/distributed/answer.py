"""The common part of answers of runs on several workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import counted


@dataclass(frozen=True, eq=False, repr=False)
class DistributedComponents:
    """The connected components of an edge list on several workers.

    Attributes
    ----------
    facts : dict
        Facts about the run and the answer.
    """

    facts: dict[str, Any]

    def __len__(self) -> int:
        return int(self.facts["components"])

    def __repr__(self) -> str:
        facts = self.facts
        return (
            f"<{type(self).__name__}: {counted(len(self), 'component')} of"
            f" {counted(facts['vertices'], 'vertex', 'vertices')}, by"
            f" {facts['partition']} on {counted(facts['workers'], 'worker')} in"
            f" {facts['seconds']:.3g} s>"
        )
