"""The answers at several weight thresholds, whose trees are stored in one forest."""

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
CHUNK = 1 << 24  # maximum number of weights that are counted in one call


@dataclass(frozen=True)
class Levels:
    """Weight thresholds, strictest first.

    The *cut* at a threshold has the edges that the threshold admits.

    Attributes
    ----------
    values : (t,) array of numbers
        The distinct thresholds, on the host.
    direction : {"at_least", "at_most"}
        Whether a cut contains the edges whose weight is at least, or at most, the threshold.
    """

    values: Any
    direction: str

    @classmethod
    def of(cls, thresholds: Any, direction: str) -> Levels:
        """Return the distinct thresholds of a list or column; raise an error if one is invalid."""
        check_word("direction", direction, DIRECTIONS)
        levels, valid = _numbers(thresholds)
        if not levels.size:
            raise InputError("thresholds must be one number or more, but there are none")
        if not valid.all():
            raise InputError(
                "a threshold is null or nan, which no weight reaches: leave out this threshold"
            )
        levels = np.unique(levels)  # also sorts an array of objects
        return cls(levels[::-1] if direction == "at_least" else levels, direction)

    def __len__(self) -> int:
        return int(self.values.size)

    def cuts_of(self, weights: Array, backend: Backend) -> Array:
        """Return, for each weight, the number of the strictest cut that contains the weight.

        If no cut contains a weight, its number is ``len()``.
        """
        levels, empty_cuts = self._levels_of_type(weights.dtype)
        weights = weights.astype(_kernel_type(weights.dtype), copy=False)
        cuts = backend.empty(weights.size, np.min_scalar_type(len(self)))
        admits = backend.kernel(getattr(kernels, self.direction))
        number_cuts = backend.kernel(kernels.number_cuts, levels.dtype.type, admits)
        number_cuts(weights.size, weights, backend.asarray(levels), empty_cuts, cuts)
        return cuts

    def count_outside(self, cuts: Array, backend: Backend) -> Array:
        """Return, for each cut, the number of weights outside the cut, as an array on the host.

        ``cuts`` is the cut of each weight. A ledger is checked against these counts, so they are
        computed independently of :meth:`bounds_of`.
        """
        counts = np.zeros(len(self) + 1, np.int64)
        for begin in range(0, cuts.size, CHUNK):  # counting widens each chunk to 64 bits
            counts += backend.to_host(backend.counts(cuts[begin : begin + CHUNK], len(self) + 1))
        return counts.sum() - np.cumsum(counts)[:-1]

    def bounds_of(self, cuts: Array, backend: Backend) -> list[int]:
        """Return where the rows of each cut begin, and where the rows of the last cut end.

        ``cuts`` is the cut of each row, in ascending order.
        """
        numbers = backend.xp.arange(len(self) + 1).astype(cuts.dtype)
        bounds: list[int] = backend.to_host(backend.xp.searchsorted(cuts, numbers)).tolist()
        return bounds

    def _levels_of_type(self, dtype: np.dtype[Any]) -> tuple[Any, int]:
        """Return the thresholds in the type of the weights, and the number of thresholds left out.

        These are the strictest ones if no integer of that type can satisfy them: empty cuts.
        """
        sign = ">=" if self.direction == DIRECTIONS[0] else "<="
        levels = self.values.tolist()
        kernel_dtype = _kernel_type(dtype)
        limits = integer_limits(dtype.name)
        if limits is None:
            float_levels = [float_bound(sign, level, dtype.name) for level in levels]
            return np.array(float_levels, kernel_dtype), 0
        integer_levels = [whole_bound(sign, level, *limits) for level in levels]
        reachable = [level for level in integer_levels if level is not None]
        return np.array(reachable, kernel_dtype), len(integer_levels) - len(reachable)


def _numbers(thresholds: Any) -> tuple[Any, Any]:
    """Return thresholds as an array on the host, and a mask of the thresholds that are numbers.

    A null or NaN is not a number. The array has the dtype object if the numbers fit no single type.
    """
    if isinstance(thresholds, list | tuple):
        plain = [value.item() if isinstance(value, np.generic) else value for value in thresholds]
        if plain and all(type(value) in (int, float) for value in plain):
            levels = np.array(plain, object)
            with suppress(OverflowError):  # an integer beyond 64 bits, or larger than any float
                native = np.asarray(plain)
                if native.dtype != object and native.tolist() == plain:  # nothing was rounded
                    levels = native
            return levels, levels == levels  # only NaN differs from itself; isnan() needs floats
    levels, valid = numbers_of(thresholds, "thresholds")
    return (levels.get(), valid.get()) if hasattr(levels, "get") else (levels, valid)


def _kernel_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which kernels read weights: native, with floats of 32 or 64 bits."""
    width = min(max(dtype.itemsize, 4), 8) if is_float(dtype) else dtype.itemsize
    return np.dtype(f"{dtype.kind}{width}")


class GrowingTrees:
    """Trees that grow from the strictest cut to the loosest, with the cut that hooked each vertex.

    ``forest``, initially of single vertices, is modified. ``edges`` has the number of rows within
    each cut so far; ``above`` and ``cut`` are those of :class:`CutTrees`. ``design`` is a design
    for batches, and ``uses_default`` is whether the caller names neither a design nor an engine.
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
        self.cut_type: Any = np.min_scalar_type(cuts).type
        self.forest, self.edges = forest, list[int]()
        self.design, self.uses_default = design, uses_default
        self.above = backend.empty(n, forest.vertex)
        self.cut = backend.fill(backend.empty(n, self.cut_type), 0xFF)  # no vertex is hooked
        self.started = perf_counter()

    def join(self, edges: Edges, count: int) -> None:
        """Link the edges that the next cut adds to the previous cut.

        ``count`` is the number of rows that these edges represent.
        """
        forest, backend, n = self.forest, self.forest.backend, self.forest.n
        if edges.m and n:
            plan = choose_for_cut(backend, n, edges.m, self.design, self.uses_default)
            join(plan, edges, forest)
            climb = backend.kernel(find.find_with_skip)
            record_hooks = backend.kernel(kernels.note_hooks, forest.vertex, self.cut_type, climb)
            record_hooks(n, forest.parent, self.cut, self.above, len(self.edges))  # this cut
        self.edges.append(count + (self.edges[-1] if self.edges else 0))

    def grown(
        self,
        given: EdgeInput,
        decoder: IdDecoder,
        ids: str,
        rows: Ledger,
        outside: Sequence[int],
        greatest: bool | None = None,
    ) -> CutTrees:
        """Return the trees of all cuts; answers make frames of the same library as ``given``.

        ``ids`` describes the encoding of the ids. ``rows`` has the number of rows given and the
        rows that every cut leaves out, but no linked rows. ``outside`` has the number of rows whose
        weight is outside each cut. ``greatest`` is True if the cuts have a maximum spanning forest,
        False for a minimum one, and None without a forest. Raise a LedgerError if edges of a cut
        were lost or linked twice.
        """
        seconds = {"copy": None, "compute": perf_counter() - self.started}
        facts, design = [], str(self.design)
        for number, (edges, left_out) in enumerate(zip(self.edges, outside, strict=True)):
            ledger = rows._replace(linked=edges).leaving_out("out_of_bounds", left_out)
            ledger.check(f"cut {number}")
            cut_facts = Facts(design, ids, edges, seconds=seconds, greatest=greatest, ledger=ledger)
            facts.append(cut_facts)
        _, link_word, _ = self.design.words
        root_is_least = link_word.spec.root_is_min and not link_word.spec.packed
        present = None if self.forest.all_present else self.forest.present.copy()
        arrays = present, self.cut, self.above
        return CutTrees(given, self.forest.backend, decoder, *arrays, root_is_least, tuple(facts))


@dataclass(frozen=True)
class CutTrees:
    """The trees of several cuts, from the strictest to the loosest, over vertices in id order.

    A cut hooks only vertices that are roots in all stricter cuts, so every vertex is hooked at most
    once. Therefore one forest stores the trees of all cuts, together with the cut of each hook.

    Attributes
    ----------
    given : EdgeInput
        The input without its edges, which determines the kind of frames.
    backend : Backend
    decoder : IdDecoder
    present : words of uint32, or None
        The present vertices, as a bit set; None if all are present.
    cut, above : (n,) arrays of unsigned integers
        The cut that hooked each vertex (all bits set if none did), and the root above the vertex
        after this hook.
    root_is_least : bool
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
    root_is_least: bool
    facts: tuple[Facts, ...]

    def at(self, number: int) -> Forest:
        """Return the trees of one cut as a new, counted forest; each vertex points at its root."""
        backend, n = self.backend, int(self.cut.size)
        flat = Forest(backend, n, all_present=self.present is None)
        if self.present is not None:
            flat.present[:] = self.present
        climb = backend.kernel(kernels.roots_at, flat.vertex)
        climb(n, self.cut, self.above, number, flat.parent)
        if not self.root_is_least:
            least = backend.fill(backend.empty(n, flat.vertex), 0xFF)
            backend.kernel(trees.least_of_trees, flat.vertex)(n, flat.parent, least)
            backend.kernel(trees.reroot)(n, least, flat.parent, flat.present)
        flat.count()
        return flat


class CutAnswers(Mapping[Any, ComponentsT]):
    """The answer at each threshold, built on first access and cached.

    ``levels`` are the thresholds of the cuts, which are the keys of this mapping. ``make`` returns
    the object that users receive, such as :class:`cc_rapids.Components`. With a ``direction``, a
    threshold also bounds the edges that users later pass to methods of its answer. ``fields``
    returns further fields of the :class:`Answer` of a cut, given the cut's number.
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
        self._make, self._fields = make, fields
        self._number = {level: number for number, level in enumerate(levels)}
        self._made: dict[Any, ComponentsT] = {}

    def __len__(self) -> int:
        return len(self._number)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._number)

    def __getitem__(self, level: Any) -> ComponentsT:
        if level in self._made:
            return self._made[level]
        trees, number = self._trees, self._number[level]
        given = trees.given
        if self._direction is not None:
            bound = (given.bound or WeightBound(weight=None)).tightened(level, self._direction)
            given = replace(given, bound=bound)
        with trees.backend.scope():
            forest = trees.at(number)
        facts, fields = trees.facts[number], self._fields(number) if self._fields else {}
        answer = Answer(given, trees.backend, trees.decoder, forest, self._labels, facts, **fields)
        self._made[level] = self._make(answer)
        return self._made[level]
