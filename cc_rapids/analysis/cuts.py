"""Thresholds, the trees of their cuts in one forest, and the answers built from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from ..algorithms.design import Design
from ..backends import Array, Backend
from ..data.arguments import check_word
from ..data.dtypes import is_float
from ..data.edge_input import EdgeInput
from ..data.frame_access import numbers_of
from ..data.weight_bound import WeightBound, float_bound, integer_limits, whole_bound
from ..errors import InputError
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..ids.decoders import IdDecoder
from ..kernels import cuts as kernels
from ..kernels import find
from ..kernels import forest as trees
from ..ledger import Ledger
from ..results.answer import Answer, ComponentsT, Facts, LabelKind
from ..solver.choose import choose_for_cut
from ..solver.run import join

DIRECTIONS = ("at_least", "at_most")
RUN = 1 << 24  # weights counted at once


@dataclass(frozen=True)
class Levels:
    """Weight thresholds, strictest first.

    Attributes
    ----------
    values : (t,) array of numbers
        The distinct thresholds, on the host.
    direction : {"at_least", "at_most"}
        Whether a cut contains the edges of at least, or of at most, the threshold's weight.
    """

    values: Any
    direction: str

    @classmethod
    def of(cls, thresholds: Any, direction: str) -> Levels:
        """Return the distinct thresholds of a list or column.

        Raises
        ------
        InputError
            The list is empty, a threshold is null or NaN, or the direction is unknown.
        ColumnTypeError
            The thresholds are not numbers.
        """
        check_word("direction", direction, DIRECTIONS)
        levels, valid = _numbers(thresholds)
        if not levels.size:
            raise InputError("thresholds must be one number or more, and these are empty")
        if not valid.all():
            raise InputError("a threshold is null or nan, which no weight reaches: leave it out")
        levels = np.unique(levels)  # of objects too, which are compared one by one
        return cls(levels[::-1] if direction == "at_least" else levels, direction)

    def __len__(self) -> int:
        return int(self.values.size)

    def cuts_of(self, weights: Array, backend: Backend) -> Array:
        """Return the strictest cut that contains each weight, or ``len()`` if no cut does."""
        levels, first = self._comparable(weights.dtype)
        weights = weights.astype(_type_read(weights.dtype), copy=False)
        cuts = backend.empty(weights.size, np.min_scalar_type(len(self)))
        admits = backend.kernel(getattr(kernels, self.direction))
        number = backend.kernel(kernels.number_cuts, levels.dtype.type, admits)
        number(weights.size, weights, backend.asarray(levels), first, cuts)
        return cuts

    def beyond(self, cuts: Array, backend: Backend) -> Array:
        """Return for each cut the number of weights outside it, on the host.

        They are counted from the cut of each weight, independently of the sorted rows.
        """
        counts = np.zeros(len(self) + 1, np.int64)
        for first in range(0, cuts.size, RUN):  # each block is widened to 64 bits
            counts += backend.to_host(backend.counts(cuts[first : first + RUN], len(self) + 1))
        return counts.sum() - np.cumsum(counts)[:-1]

    def bounds_of(self, cuts: Array, backend: Backend) -> list[int]:
        """Return the position of the first row of each cut, and the number of rows.

        ``cuts`` is the cut of each row, in ascending order.
        """
        numbers = backend.xp.arange(len(self) + 1).astype(cuts.dtype)
        bounds: list[int] = backend.to_host(backend.xp.searchsorted(cuts, numbers)).tolist()
        return bounds

    def _comparable(self, dtype: np.dtype[Any]) -> tuple[Any, int]:
        """Return the thresholds in the type of the weights, and the number of thresholds left out.

        Thresholds beyond all integers of that type are left out; they come first.
        """
        sign = ">=" if self.direction == DIRECTIONS[0] else "<="
        levels = self.values.tolist()
        read = _type_read(dtype)
        limits = integer_limits(dtype.name)
        if limits is None:
            float_levels = [float_bound(sign, level, dtype.name) for level in levels]
            return np.array(float_levels, read), 0
        integer_levels = [whole_bound(sign, level, *limits) for level in levels]
        within = [level for level in integer_levels if level is not None]
        return np.array(within, read), len(integer_levels) - len(within)


def _numbers(thresholds: Any) -> tuple[Any, Any]:
    """Return thresholds as a host array, and a mask of those that are neither null nor NaN.

    The array has dtype object if the numbers fit no single type.
    """
    if isinstance(thresholds, list | tuple):
        plain = [value.item() if isinstance(value, np.generic) else value for value in thresholds]
        if plain and all(type(value) in (int, float) for value in plain):
            made = np.array(plain, object)
            with suppress(OverflowError):  # an integer beyond 64 bits, or larger than any float
                near = np.asarray(plain)
                if near.dtype != object and near.tolist() == plain:
                    made = near
            return made, made == made
    levels, valid = numbers_of(thresholds, "thresholds")
    return (levels.get(), valid.get()) if hasattr(levels, "get") else (levels, valid)


def _type_read(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which kernels read weights: native, with floats of 32 or 64 bits."""
    width = min(max(dtype.itemsize, 4), 8) if is_float(dtype) else dtype.itemsize
    return np.dtype(f"{dtype.kind}{width}")


class GrowingTrees:
    """Trees that grow from the strictest cut to the loosest, with the hooks of each cut.

    Parameters
    ----------
    forest : Forest
        A forest of single vertices, whose parents are overwritten.
    cuts : int
        The number of cuts.
    design : Design
        A design for batches.
    uses_default : bool
        Whether the caller names neither a design nor an engine.
    """

    forest: Forest
    edges: list[int]
    design: Design
    uses_default: bool
    above: Array
    cut: Array
    started: float

    def __init__(self, forest: Forest, cuts: int, design: Design, uses_default: bool) -> None:
        backend, n = forest.backend, forest.n
        backend.leave_arena()  # the following arrays belong to the answer
        self.number: Any = np.min_scalar_type(cuts).type
        self.forest, self.edges = forest, list[int]()
        self.design, self.uses_default = design, uses_default
        self.above = backend.empty(n, forest.vertex)
        self.cut = backend.fill(backend.empty(n, self.number), 0xFF)
        self.started = perf_counter()

    def join(self, edges: Edges, count: int) -> None:
        """Link the edges that the next cut adds to the stricter ones.

        ``count`` is the number of rows that these edges represent.
        """
        forest, backend, n = self.forest, self.forest.backend, self.forest.n
        if edges.m and n:
            plan = choose_for_cut(backend, n, edges.m, self.design, self.uses_default)
            join(plan, edges, forest)
            climb = backend.kernel(find.find_with_skip)
            note = backend.kernel(kernels.note_hooks, forest.vertex, self.number, climb)
            note(n, forest.parent, self.cut, self.above, len(self.edges))
        self.edges.append(count + (self.edges[-1] if self.edges else 0))

    def grown(
        self,
        given: EdgeInput,
        decoder: IdDecoder,
        ids: str,
        rows: Ledger,
        beyond: Sequence[int],
        greatest: bool | None = None,
    ) -> CutTrees:
        """Return the trees of all cuts, for answers of the type of ``given``.

        Parameters
        ----------
        rows : Ledger
            The rows given, and the rows left out of every cut; linked rows are not included.
        beyond : sequence of int
            For each cut, the number of rows with a weight outside it.
        greatest : bool, optional
            Whether the cuts have a maximum or a minimum spanning forest; None without a forest.

        Raises
        ------
        LedgerError
            Edges of a cut were lost or linked twice.
        """
        seconds = {"copy": None, "compute": perf_counter() - self.started}
        facts = tuple(
            Facts(
                *(str(self.design), ids, edges),
                seconds=seconds,
                greatest=greatest,
                ledger=rows._replace(linked=edges)
                .leaving_out("out_of_bounds", out)
                .check(f"cut {number}"),
            )
            for number, (edges, out) in enumerate(zip(self.edges, beyond, strict=True))
        )
        rule = self.design.words[1].spec
        least = rule.root_is_min and not rule.packed
        present = None if self.forest.all_present else self.forest.present.copy()
        return CutTrees(
            given, self.forest.backend, decoder, present, self.cut, self.above, least, facts
        )


@dataclass(frozen=True)
class CutTrees:
    """The trees of several cuts, from the strictest to the loosest, over vertices in id order.

    A cut only hooks roots of the stricter cuts. One forest therefore stores all cuts, with the cut
    number of each hook.

    Attributes
    ----------
    given : EdgeInput
        The edges without their rows, which determine the type of answers.
    backend : Backend
    decoder : IdDecoder
    present : words of uint32, or None
        The present vertices, as a bit set; None if all are present.
    cut, above : (n,) arrays of unsigned integers
        The cut that hooked each vertex (all bits set for none), and the root that it hooked to.
    least : bool
        Whether every root is the least vertex of its tree.
    facts : tuple of Facts
        The facts of each cut.
    """

    given: EdgeInput
    backend: Backend
    decoder: IdDecoder
    present: Array | None
    cut: Array
    above: Array
    least: bool
    facts: tuple[Facts, ...]

    def at(self, number: int) -> Forest:
        """Return the trees of one cut as a new, flat and counted forest."""
        backend, n = self.backend, int(self.cut.size)
        flat = Forest(backend, n, all_present=self.present is None)
        if self.present is not None:
            flat.present[:] = self.present
        climb = backend.kernel(kernels.roots_at, flat.vertex)
        climb(n, self.cut, self.above, number, flat.parent)
        if not self.least:
            lowest = backend.fill(backend.empty(n, flat.vertex), 0xFF)
            backend.kernel(trees.least_of_trees, flat.vertex)(n, flat.parent, lowest)
            backend.kernel(trees.reroot)(n, lowest, flat.parent, flat.present)
        flat.count()
        return flat


class CutAnswers(Mapping[Any, ComponentsT]):
    """The answer at each threshold, built on first access and cached.

    Parameters
    ----------
    fields : callable, optional
        Returns other fields of the answer of a cut, given its number.
    """

    def __init__(
        self,
        trees: CutTrees,
        levels: Sequence[Any],
        labels: LabelKind,
        make: Callable[[Answer], ComponentsT],
        direction: str | None = None,
        fields: Callable[[int], dict[str, Any]] | None = None,
    ) -> None:
        self._trees, self._labels, self._direction = trees, labels, direction
        self._fields = fields
        self._make = make
        self._number = {level: number for number, level in enumerate(levels)}
        self._made: dict[Any, ComponentsT] = {}

    def __len__(self) -> int:
        return len(self._number)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._number)

    def __getitem__(self, level: Any) -> ComponentsT:
        if level not in self._made:
            trees, number = self._trees, self._number[level]
            given = trees.given
            if self._direction is not None:  # the threshold also bounds edges that are read later
                bound = (given.bound or WeightBound(None)).tightened(level, self._direction)
                given = replace(given, bound=bound)
            with trees.backend.scope():
                forest = trees.at(number)
            answer = *(given, trees.backend, trees.decoder, forest), self._labels
            fields = {} if self._fields is None else self._fields(number)
            self._made[level] = self._make(Answer(*answer, trees.facts[number], **fields))
        return self._made[level]
