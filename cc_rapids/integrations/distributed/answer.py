"""The common part of answers of runs on several workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import counted
from ...keywords import suggest_keywords_of_methods
from ...ledger import Ledger


@suggest_keywords_of_methods
@dataclass(frozen=True, eq=False, repr=False)
class DistributedComponents:
    """The connected components of an edge list on several workers."""

    facts: dict[str, Any]  # about the run and the answer

    @property
    def ledger(self) -> dict[str, Any]:
        """The row counts of the run: rows given = rows linked + rows left out for each reason.

        ``given`` is the number of rows of all partitions, counted separately. ``linked`` is the
        number of rows that the kernels of all workers linked. If the counts do not balance, because
        a partition or a forest was lost, repeated or truncated, the run raises a LedgerError. See
        :attr:`cc_rapids.Components.ledger`.

        Returns
        -------
        dict
        """
        return dict(self.facts["ledger"])

    def summary(self) -> dict[str, Any]:
        """Return facts about the run and the answer.

        Returns
        -------
        dict
            The items of ``facts``, with ``ledger`` as one line of text.

        See Also
        --------
        cc_rapids.Components.summary : Return the facts of an answer on one machine.
        """
        return self.facts | {"ledger": str(Ledger.of_facts(self.ledger))}

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
