"""Tally: the rows that an audit has seen, against those that there are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ..backends import Array
from ..errors import VerificationError

ALL = (1 << 64) - 1


class Tally:
    """How many rows were seen, the sum of their numbers and that of the squares of these.

    Whatever enumerates the rows, a kernel adds what it has really looked at. Of m rows, each once,
    the sums are known by formula; they tell a row that was left out, looked at twice, or taken for
    another one, and any two such faults together.

    Parameters
    ----------
    make : callable
        Gives a (3,) array of uint64 that are 0, which kernels add to, modulo 2^64; called once, if
        there are any rows.
    """

    def __init__(self, make: Callable[[], Array]) -> None:
        self._make = make
        self.rows = self.total = self.squares = 0

    @cached_property
    def words(self) -> Array:
        """What kernels add to."""
        return self._make()

    def add(self, m: int) -> Array:
        """Expect the rows 0 .. m - 1 of one more list; returns ``words``, for the kernel."""
        self.rows += m
        self.total += m * (m - 1) // 2
        self.squares += m * (m - 1) * (2 * m - 1) // 6
        return self.words

    def check(self, seen: list[int]) -> None:
        """A VerificationError unless each row was seen once; ``seen`` are the words on the host."""
        if seen == [self.rows & ALL, self.total & ALL, self.squares & ALL]:
            return
        many = f"{seen[0]:,} of {self.rows:,} rows"
        if seen[0] == self.rows:
            many = f"{self.rows:,} rows, but not each of them once"
        raise VerificationError(
            f"the audit itself has failed: it has looked at {many}, so that it proves nothing;"
            " please report this with the versions that `cc-rapids doctor` prints"
        )
