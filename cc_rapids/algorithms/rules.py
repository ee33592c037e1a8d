"""Clusters under rules: the answer of Kruskal's algorithm when a rule refuses some edges.

Kruskal's algorithm takes the edges in order. Under rules, an edge joins two clusters unless their
union would break a rule. Every rule is *monotone*: a set that contains a forbidden set is
forbidden. Clusters only grow, so an edge that was refused once would be refused at any later time.

1. If a component of the graph breaks no rule as a whole, no rule refuses an edge in it. Its edges
   are then those of its spanning forest by weight.
2. Elsewhere, call an edge *open* if its ends are in different clusters whose union breaks no rule.
   Suppose that an open edge e is the best one of both its clusters, A and B, in the total order of
   weight and row. Then Kruskal's algorithm joins A and B by e. By induction, both are clusters
   that it has built when it takes e: the edges that built them come before e, because they were
   the best at a time when e was open as well. When it takes e, they have not grown further: every
   edge that comes before e and leaves A or B is not open, and a refused edge stays refused. So
   all such edges can be accepted at once. A cluster is in one of these pairs at most; chains of
   best edges, which Boruvka's algorithm would join, are not used, because the union of three
   clusters may break a rule that no two of them break.
3. The best open edge of all is the best of both its clusters, so every round accepts an edge.

Rounds that decide few edges, as on stars and paths, are followed by one pass in Kruskal's order, by
one thread for each component.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..graph.sorting import rows_of_each, stable_order
from ..kernels import rules as kernels
from ..kernels.primitives import none_of

SETTLED = 100  # rounds end when one decides less than 1 of so many edges
RULES = "per_dataset", "cannot_link", "max_size"  # in the order in which they are tested
HALF = np.uint64(32)
BITS = 64  # datasets with a bit of their own in kernels.rules


@dataclass(frozen=True)
class Rules:
    """The rules of clusters over the vertices 0 .. n - 1, as arrays on the backend.

    Attributes
    ----------
    code : (n,) array of integers
        The dataset of each vertex, or -1 for a vertex without a limit; empty without datasets.
    limits : (datasets,) array of integers
        The most vertices of each dataset in a cluster.
    first, second : (p,) arrays of integers
        The vertices of pairs that must not be in one cluster.
    most : int, optional
        The most vertices of a cluster.
    """

    code: Array
    limits: Array
    first: Array
    second: Array
    most: int | None

    @property
    def kinds(self) -> int:
        """The number of kinds of rules that are given."""
        return bool(self.code.size) + bool(self.first.size) + (self.most is not None)

    @property
    def need_bits_only(self) -> bool:
        """Return whether the only rule is a limit of 1 for each of at most 64 datasets."""
        few = 0 < self.limits.size <= BITS and self.kinds == 1
        return few and bool((self.limits == 1).all())

    def broken(self, groups: Array, count: int, backend: Backend) -> Array:
        """Return a boolean mask of the groups of vertices that break a rule.

        Parameters
        ----------
        groups : (n,) array of integers
            The group of each vertex, below ``count``.
        """
        xp = backend.xp
        broken, n = xp.zeros(count, bool), int(groups.size)
        if self.first.size:
            one, other = groups[self.first], groups[self.second]
            broken[one[one == other]] = True
        by_count = []
        if self.most is not None:
            by_count.append((self.code[:0], xp.full(1, self.most, np.int64)))
        if self.code.size:
            datasets = int(self.limits.size)
            if count * datasets <= 4 * n:
                by_count.append((self.code, self.limits))
            else:
                keys = groups.astype(np.int64) * datasets + self.code
                keys = keys[self.code >= 0]
                keys.sort()
                last = xp.arange(keys.size) + self.limits[keys % datasets]
                inside = last < keys.size
                same = keys[last[inside]] == keys[inside]
                broken[keys[inside][same] // datasets] = True
        word: Any = np.uint32 if n < 1 << 32 else np.uint64
        for code, limits in by_count:
            counts = backend.fill(backend.empty(count * limits.size, word), 0)
            mark = backend.kernel(kernels.mark_broken, word)
            mark(n, groups, code, limits, counts, broken.view(np.uint8))
        return broken


def is_accepted(verdict: Array) -> Array:
    """Return a boolean mask of the accepted edges."""
    return verdict == kernels.ACCEPTED


def is_refused(verdict: Array) -> Array:
    """Return a boolean mask of the edges that a rule refused; the verdict is its number."""
    return (verdict > kernels.OPEN) & (verdict < kernels.ACCEPTED)


class BrokenRule(Exception):  # noqa: N818  # a signal: the caller knows the ids
    """A pair that must be linked breaks a rule: the number of the pair, and the rule."""

    pair: int
    rule: str

    def __init__(self, pair: int, rule: str) -> None:
        super().__init__(pair, rule)
        self.pair, self.rule = pair, rule


class Clusters:
    """Clusters that grow by edges under rules.

    Parameters
    ----------
    n : int
        The number of vertices.
    rules : Rules
    backend : Backend
    """

    backend: Backend
    word: Any
    n: int
    most: int
    parent: Array
    hook: Array
    size: Array
    after: Array
    time: Array
    code: Array
    limits: Any
    bits: Array
    head: Array
    pair: Any
    first: Array
    last: Array
    count: Array
    following: Array

    def __init__(self, n: int, rules: Rules, backend: Backend) -> None:
        word: Any = np.uint32 if n < 1 << 32 else np.uint64
        self.backend, self.word, self.n = backend, word, n
        self.most = n if rules.most is None else min(rules.most, n)
        self.parent, self.size = (backend.empty(n, word) for _ in range(2))
        dated = n * (rules.kinds > 1)
        self.hook, self.time = backend.empty(dated, word), backend.empty(dated, np.uint64)
        has_codes, none = bool(rules.code.size), none_of(word)
        listed = n * (has_codes and not rules.need_bits_only)
        self.head, self.after = (backend.empty(listed, word) for _ in range(2))
        self.code = rules.code.astype(word)  # -1 becomes all bits set
        self.limits = backend.xp.minimum(rules.limits, n).astype(word)
        self.bits = backend.empty(n * has_codes, np.uint64)
        ends = backend.xp.stack([rules.first, rules.second], axis=1).ravel()
        self.pair = ends.astype(word)
        has_pairs = bool(ends.size)
        self.first, self.last, self.count = (backend.empty(n * has_pairs, word) for _ in range(3))
        self.following = backend.fill(backend.empty(ends.size, word), 0xFF)
        start = backend.kernel(kernels.init_clusters, word)
        trees = self.parent, self.hook, self.time, self.size
        start(n, *trees, self.code, self.bits, self.head, self.after)
        if has_pairs:
            self.first[:] = none
            self.count[:] = 0
            order = backend.xp.argsort(self.pair, kind="stable")
            list_ends = backend.kernel(kernels.list_ends, word)
            list_ends(order.size, order, self.pair, *self._lists(True))

    def _lists(self, with_last: bool) -> list[Array]:
        last = [self.last] if with_last else []
        return [self.first, *last, self.count, self.following]

    @property
    def _tests(self) -> list[Any]:
        """The arguments of the test of a rule."""
        datasets = self.code, self.limits, self.bits, self.head, self.after
        return [self.most, self.parent, self.size, *datasets, self.pair, *self._lists(False)]

    @property
    def _merges(self) -> list[Array]:
        """The arguments of a merge."""
        trees = self.parent, self.hook, self.time, self.size
        datasets = self.code, self.bits, self.head, self.after
        return [*trees, *datasets, self.pair, *self._lists(True)]

    @property
    def _both(self) -> list[Any]:
        """The arguments of a test that is followed by a merge."""
        trees = self.parent, self.hook, self.time, self.size
        datasets = self.code, self.limits, self.bits, self.head, self.after
        return [self.most, *trees, *datasets, self.pair, *self._lists(True)]

    def contract(self, us: Array, vs: Array) -> None:
        """Merge the ends of pairs that must be linked.

        Raises
        ------
        BrokenRule
            A rule forbids the union of some pairs.
        """
        backend, count = self.backend, int(us.size)
        starts = backend.asarray(np.array([0, count]))
        keys = backend.fill(backend.empty(count, np.uint64), 0)
        verdict = self._decide_in_order(starts, us.astype(self.word), vs.astype(self.word), keys)
        refused = backend.xp.flatnonzero(is_refused(verdict))
        if refused.size:
            pair = int(refused[0])
            raise BrokenRule(pair, RULES[int(verdict[pair]) - 1])

    def _decide_in_order(self, starts: Array, us: Array, vs: Array, keys: Array) -> Array:
        """Decide the edges of each group in their order, on a thread for each group."""
        verdict = self.backend.fill(self.backend.empty(us.size, np.uint8), 0)
        decide = self.backend.kernel(kernels.decide_in_order, self.word)
        decide(int(starts.size) - 1, starts, us, vs, keys, verdict, *self._both)
        return verdict

    def decide(self, src: Array, dst: Array, keys: Array, groups: Array, count: int) -> Array:
        """Decide edges in the order of their keys; return the verdict on each.

        Parameters
        ----------
        src, dst : (m,) arrays of integers
            The vertices.
        keys : (m,) array of uint64
            Distinct keys.
        groups : (n,) array of integers
            The component of each vertex, below ``count``; an edge joins vertices of one component.
        """
        backend, xp = self.backend, self.backend.xp
        verdict = backend.fill(backend.empty(src.size, np.uint8), 0)
        us, vs = src.astype(self.word), dst.astype(self.word)
        at, left = None, int(us.size)
        if not backend.merges_in_order:
            best = backend.empty(self.n, np.uint64)
            propose = backend.kernel(kernels.propose, self.word)
            merge = backend.kernel(kernels.merge, self.word)
            settled = left
            while settled * SETTLED >= left > 0:
                part = backend.fill(backend.empty(left, np.uint8), 0)
                backend.fill(best, 0xFF)
                propose(left, us, vs, keys, part, best, *self._tests)
                merge(left, us, vs, keys, part, best, *self._merges)
                if at is None:
                    verdict = part
                else:
                    verdict[at] = part
                rest = xp.flatnonzero(part == kernels.OPEN)
                us, vs, keys = (column[rest] for column in (us, vs, keys))
                at = rest if at is None else at[rest]
                settled, left = left - int(rest.size), int(rest.size)
        if left:
            are_places = int(keys.max()) < left  # distinct keys: each from 0 to left - 1
            order = places_of(keys, xp) if are_places else stable_order(keys, xp)
            order = order.astype(np.int64)
            rows, starts = rows_of_each(groups[us[order].astype(np.int64)], count, xp)
            order = order[rows]
            part = self._decide_in_order(starts, us[order], vs[order], keys[order])
            verdict[order if at is None else at[order]] = part
        return verdict

    def name_rules(self, src: Array, dst: Array, keys: Array, verdict: Array) -> None:
        """Replace the rule of refused edges by the first rule that was broken at that time."""
        backend = self.backend
        if not self.time.size:
            return
        first = kernels.DATASET if self.code.size else kernels.CANNOT
        rows = backend.xp.flatnonzero((verdict > first) & (verdict < kernels.ACCEPTED))
        if not rows.size:
            return
        us, vs = (column[rows].astype(self.word) for column in (src, dst))
        part = verdict[rows]
        datasets = self.code, self.limits, self.head, self.after
        trees = self.parent, self.hook, self.time
        name = backend.kernel(kernels.earlier_rule, self.word)
        lists = *datasets, self.pair, *self._lists(False)
        name(rows.size, us, vs, keys[rows], part, *trees, *lists)
        verdict[rows] = part

    def roots(self) -> Array:
        """Return the root of each vertex."""
        roots = self.backend.empty(self.n, self.word)
        self.backend.kernel(kernels.all_roots)(self.n, self.parent, roots)
        return roots


def places_of(order: Array, xp: Any) -> Array:
    """Return the place of each row in an order, as uint64."""
    places = xp.empty(order.size, np.uint64)
    places[order] = xp.arange(order.size, dtype=np.uint64)
    return places


def order_keys(weights: Array, rows: Array, backend: Backend) -> Array:
    """Return distinct uint64 keys of rows by descending weight, and among ties by row.

    Parameters
    ----------
    weights : (m,) array of numbers
        The weights of all rows.
    rows : (k,) array of int64
        The rows to order, ascending.
    """
    from .boruvka import WeightOrder

    order = WeightOrder.of(weights[rows], True, backend)
    codes = order.integers(backend)
    xp = backend.xp
    if order.contains_row:
        codes <<= HALF
        codes |= xp.arange(rows.size, dtype=np.uint64)
        return codes
    return places_of(stable_order(codes, xp), xp)
