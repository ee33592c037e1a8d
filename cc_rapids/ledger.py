"""The ledger of a run: rows given = rows linked + rows left out, by reason.

The two sides are counted in different places. ``given`` comes from the input: the length of a
frame, the footers of Parquet files, the lines of a text file, or a ``count(*)`` of a relation.
``linked`` comes from the columns that kernels read, after all filters. If a reader loses, repeats
or truncates rows, the two sides differ, and :meth:`Ledger.check` raises an error. An iterator has
no independent count: ``given`` is the number of rows that it has yielded, and ``unchecked`` is
True.

=================  =============================================================================
Reason             Rows that were left out
=================  =============================================================================
``null_end``       rows with a null end, under ``nulls="drop"``
``null_weight``    rows with a null or NaN weight, under a bound or ``nulls="drop"``
``out_of_bounds``  rows whose weight is not within ``at_least`` and ``at_most``
``row_group``      rows of row groups that were skipped: their statistics are out of bounds
``filtered``       rows that the filter of a dataset excludes
``comment``        comments of a text file
``blank``          blank lines of a text file
``missing``        entries of a neighbour array without a neighbour
``self``           entries of a neighbour array that name their own row
``one_sided``      entries whose neighbour does not list the row, under ``mutual=True``
``not_core``       entries that neither join two core points nor a border point, for clusters
``not_in_forest``  rows that are not in the spanning forest, if only the forest was available
``removed``        rows that :meth:`~cc_rapids.Connectivity.remove` removed
``self_loop``      self-loops that ``cc-rapids convert`` leaves out of METIS and ECL files
``duplicate``      repeated edges, in either direction, that METIS and ECL files list once
``expired``        rows of the kept forest that :meth:`~cc_rapids.Connectivity.expire` removed
=================  =============================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .errors import LedgerError, counted

NO_ROWS: Mapping[str, int] = {}  # no row is left out


def lost_rows(where: str, given: int, accounted: int) -> LedgerError:
    """Return the error for a source with missing or surplus rows."""
    fault = "lost" if given > accounted else "too many"
    return LedgerError(
        f"{where}: {given:,} rows were given, but {accounted:,} are accounted for:"
        f" {abs(given - accounted):,} {fault}, so there is no answer. If the input changed while it"
        " was read, pass a copy; otherwise this is a bug of cc_rapids: please report it"
    )


class Ledger(NamedTuple):
    """The counts of rows that were given, linked, and left out.

    Attributes
    ----------
    given : int
        Rows of the input, counted before they are read.
    linked : int
        Rows of the columns that kernels read.
    left_out : mapping of str to int
        Rows left out, by reason.
    unchecked : bool
        True if ``given`` counts rows that an iterator has yielded.
    unreadable_files : int
        Files that were skipped under ``unreadable="skip"``.
    """

    given: int = 0
    linked: int = 0
    left_out: Mapping[str, int] = NO_ROWS
    unchecked: bool = False
    unreadable_files: int = 0

    def plus(self, other: Ledger) -> Ledger:
        """Return the sum of two ledgers of disjoint rows."""
        left_out = self.left_out
        if other.left_out:
            left_out = dict(left_out)
            for reason, rows in other.left_out.items():
                left_out[reason] = left_out.get(reason, 0) + rows
        return Ledger(
            self.given + other.given,
            self.linked + other.linked,
            left_out,
            self.unchecked or other.unchecked,
            self.unreadable_files + other.unreadable_files,
        )

    def minus(self, other: Ledger) -> Ledger:
        """Return the counts since ``other``, an earlier ledger of the same run."""
        left_out = {
            reason: rows - other.left_out.get(reason, 0) for reason, rows in self.left_out.items()
        }
        return Ledger(
            self.given - other.given,
            self.linked - other.linked,
            left_out,
            self.unchecked,
            self.unreadable_files - other.unreadable_files,
        )

    def leaving_out(self, reason: str, rows: int) -> Ledger:
        """Return the ledger with ``rows`` more rows left out for a reason."""
        return self.plus(Ledger(left_out={reason: rows})) if rows else self

    def taking_out(self, reason: str, rows: int) -> Ledger:
        """Return the ledger with up to ``rows`` linked rows counted as left out instead."""
        rows = min(rows, self.linked)
        return self.plus(Ledger(linked=-rows, left_out={reason: rows})) if rows else self

    @property
    def records(self) -> int:
        """The rows that were given, without comments and blank lines."""
        return self.given - self.left_out.get("comment", 0) - self.left_out.get("blank", 0)

    @property
    def accounted_for(self) -> int:
        """The rows that were linked or left out."""
        return self.linked + sum(self.left_out.values())

    def check(self, where: str = "") -> Ledger:
        """Return the ledger if it balances.

        Raises
        ------
        LedgerError
            The ledger does not balance. The error names both numbers.
        """
        accounted = self.linked + sum(self.left_out.values())  # as in accounted_for, but faster
        if self.given != accounted:
            raise lost_rows(f"{where or 'the edges'} ({self._counts()})", self.given, accounted)
        return self

    def facts(self) -> dict[str, Any]:
        """Return the ledger as a dict: ``given``, ``linked``, and each reason that occurred."""
        facts: dict[str, Any] = {"given": self.given, "linked": self.linked}
        facts |= {reason: rows for reason, rows in sorted(self.left_out.items()) if rows}
        if self.unreadable_files:
            facts["unreadable_files"] = self.unreadable_files
        return facts | ({"unchecked": True} if self.unchecked else {})

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Ledger:
        """Return the ledger from the dict that :meth:`facts` returned.

        Raises
        ------
        ValueError
            A number is negative, or the ledger does not balance.
        """
        numbers = {name: int(rows) for name, rows in facts.items() if name != "unchecked"}
        if min(numbers.values(), default=0) < 0:
            raise ValueError("a number of rows is negative")
        given, linked = numbers.pop("given"), numbers.pop("linked")
        skipped = numbers.pop("unreadable_files", 0)
        ledger = cls(given, linked, numbers, bool(facts.get("unchecked")), skipped)
        if ledger.given != ledger.accounted_for:
            raise ValueError(f"its ledger does not balance: {ledger}")
        return ledger

    def _counts(self) -> str:
        """Return a text like "8 linked + 1 missing + 1 self"."""
        parts = [f"{self.linked:,} linked"]
        parts += [f"{n:,} {reason}" for reason, n in sorted(self.left_out.items()) if n]
        return " + ".join(parts)

    def __str__(self) -> str:
        unchecked = " (unchecked: counted as they were read)" if self.unchecked else ""
        skipped = counted(self.unreadable_files, "unreadable file")
        files = f"; {skipped} skipped" if self.unreadable_files else ""
        return f"{self.given:,} rows given = {self._counts()}{unchecked}{files}"


class Reading:
    """The formats of the files that have been read, and the ledger of their rows.

    Attributes
    ----------
    formats : list of SourceFormat
        The distinct formats of the files.
    ledger : Ledger
    """

    formats: list[Any]
    ledger: Ledger

    def __init__(self, formats: Iterable[Any] = (), ledger: Ledger | None = None) -> None:
        self.formats = list(formats)
        self.ledger = Ledger() if ledger is None else ledger

    def add(self, source_format: Any, ledger: Ledger) -> None:
        """Add a file that has been read."""
        if source_format not in self.formats:
            self.formats.append(source_format)
        self.ledger = self.ledger.plus(ledger)
