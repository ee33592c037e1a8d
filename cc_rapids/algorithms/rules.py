"""Clusters under rules: the answer of Kruskal's algorithm when a rule refuses some edges.

Kruskal's algorithm takes the edges in order. Under rules, an edge joins two clusters unless their
union would break a rule. Every rule is *monotone*: a set that contains a forbidden set is
forbidden. Clusters only grow, so an edge that was refused once would be refused at any later time.

1. If a component of the graph breaks no rule as a whole, no rule refuses an edge of the component.
   The accepted edges are then the spanning forest of the component by weight.
2. Elsewhere, call an edge *open* if its ends are in different clusters whose union breaks no rule.
   Suppose that an open edge e is the best open edge of both its clusters, A and B, in the total
   order of weight and row. Then Kruskal's algorithm joins A and B by e. By induction, it has built
   A and B when it takes e: the edges that built A and B come before e, because they were the best
   edges at a time when e was open as well. A and B have not grown further when it takes e, because
   no edge that comes before e and leaves A or B is open, and a refused edge stays refused. So one
   round can accept all edges like e. Each cluster has at most one such edge. Boruvka's algorithm
   would also join chains of clusters, by the best edge of each cluster. This is not possible here,
   because the union of three clusters may break a rule that no union of two of them breaks.
3. The best of all open edges is the best of both its clusters, so every round accepts an edge.

On stars and paths, a round may decide few edges. Then the rounds end, and one pass in Kruskal's
order follows, with one thread for each component.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..graph.sorting import rows_of_each, stable_order
from ..kernels import rules as kernels
from ..kernels.primitives import none_of

# Rounds end when more than this number of edges are left for each edge that a round decided.
END_RATIO = 100
RULES = "per_dataset", "cannot_link", "max_size"  # in the order of tests and of verdicts
HALF = np.uint64(32)  # bits of a row in a key
BITS = 64  # number of datasets that kernels.rules can represent by one bit each


@dataclass(frozen=True)
class Rules:
    """The rules of clusters over the vertices 0 .. n - 1, as arrays of integers on the backend."""

    # (n,) the dataset of each vertex, or -1 for a vertex without a limit; empty without datasets
    code: Array
    limits: Array  # (datasets,) the maximum number of vertices of each dataset in a cluster
    first: Array  # (p,) the first vertex of each pair that must not be in one cluster
    second: Array  # (p,) the second vertex of each pair
    most: int | None  # the maximum number of vertices of a cluster

    @property
    def kinds(self) -> int:
        """The number of kinds of rules that apply, from 0 to 3."""
        return bool(self.code.size) + bool(self.first.size) + (self.most is not None)

    @property
    def need_bits_only(self) -> bool:
        """Return whether the only rule is a limit of 1 for each of at most 64 datasets."""
        only_datasets = 0 < self.limits.size <= BITS and self.kinds == 1
        return only_datasets and bool((self.limits == 1).all())

    def broken(self, groups: Array, count: int, backend: Backend) -> Array:
        """Return a boolean mask of the groups of vertices that break a rule.

        ``groups``, an (n,) array of integers, is the group of each vertex, below ``count``.
        """
        xp = backend.xp
        broken, n = xp.zeros(count, bool), int(groups.size)
        if self.first.size:
            first_group, second_group = groups[self.first], groups[self.second]
            broken[first_group[first_group == second_group]] = True
        by_table = []  # codes and limits; without codes, all vertices are in one dataset
        if self.most is not None:
            by_table.append((self.code[:0], xp.full(1, self.most, np.int64)))
        if self.code.size:
            datasets = int(self.limits.size)
            if count * datasets <= 4 * n:  # the table of counts is small
                by_table.append((self.code, self.limits))
            else:
                keys = groups.astype(np.int64) * datasets + self.code
                keys = keys[self.code >= 0]
                keys.sort()
                # A sorted key occurs too often if the key ``limit`` places after it is equal.
                further = xp.arange(keys.size) + self.limits[keys % datasets]
                exists = further < keys.size
                exceeds = keys[further[exists]] == keys[exists]
                broken[keys[exists][exceeds] // datasets] = True
        word: Any = np.uint32 if n < 1 << 32 else np.uint64
        for code, limits in by_table:
            counts = backend.fill(backend.empty(count * limits.size, word), 0)
            mark = backend.kernel(kernels.mark_broken, word)
            mark(n, groups, code, limits, counts, broken.view(np.uint8))
        return broken


def is_accepted(verdict: Array) -> Array:
    """Return a boolean mask of the accepted edges."""
    return verdict == kernels.ACCEPTED


def is_refused(verdict: Array) -> Array:
    """Return a boolean mask of the refused edges, whose verdict is the number of a rule."""
    return (verdict > kernels.OPEN) & (verdict < kernels.ACCEPTED)


class BrokenRule(Exception):  # noqa: N818  # a signal: the caller names the ids
    """Signal that the pair number ``pair``, which must be linked, breaks ``rule`` of RULES."""

    def __init__(self, pair: int, rule: str) -> None:
        super().__init__(pair, rule)
        self.pair = pair
        self.rule = rule


class Clusters:
    """Clusters of n vertices that grow by edges under rules.

    The arrays are those of :mod:`cc_rapids.kernels.rules`; an array that no rule needs is empty.
    """

    def __init__(self, n: int, rules: Rules, backend: Backend) -> None:
        word: Any = np.uint32 if n < 1 << 32 else np.uint64
        self._n, self._backend, self._word = n, backend, word
        most = n if rules.most is None else min(rules.most, n)
        parent, size = (backend.empty(n, word) for _ in range(2))
        hook_size = n if rules.kinds > 1 else 0  # only name_rules reads these arrays
        hook, time = backend.empty(hook_size, word), backend.empty(hook_size, np.uint64)
        bits = backend.empty(n if rules.code.size else 0, np.uint64)
        list_size = 0 if rules.need_bits_only else bits.size
        head, after = (backend.empty(list_size, word) for _ in range(2))
        code = rules.code.astype(word)  # -1 becomes all bits set
        limits = backend.xp.minimum(rules.limits, n).astype(word)
        init_clusters = backend.kernel(kernels.init_clusters, word)
        init_clusters(n, parent, hook, time, size, code, bits, head, after)
        pair = backend.xp.stack([rules.first, rules.second], axis=1).ravel().astype(word)
        first, last, count = (backend.empty(n if pair.size else 0, word) for _ in range(3))
        following = backend.fill(backend.empty(pair.size, word), 0xFF)
        if pair.size:
            first[:] = none_of(word)
            count[:] = 0
            order = backend.xp.argsort(pair, kind="stable")
            list_ends = backend.kernel(kernels.list_ends, word)
            list_ends(order.size, order, pair, first, last, count, following)
        self._parent, self._has_times = parent, hook_size > 0
        self._first_rule = kernels.DATASET if code.size else kernels.CANNOT
        trees, lists = (parent, hook, time), (first, count, following)
        lists_with_last = first, last, count, following
        self._propose_arguments = most, parent, size, code, limits, bits, head, after, pair, *lists
        self._merge_arguments = *trees, size, code, bits, head, after, pair, *lists_with_last
        datasets = code, limits, bits, head, after
        self._decide_arguments = most, *trees, size, *datasets, pair, *lists_with_last
        self._earlier_rule_arguments = *trees, code, limits, head, after, pair, *lists

    def merge_pairs(self, us: Array, vs: Array) -> None:
        """Merge the clusters of ``us[k]`` and ``vs[k]`` for each pair k that must be linked.

        Called before any edge is decided. Raise a BrokenRule for the first pair that breaks a rule.
        """
        backend, count = self._backend, int(us.size)
        starts = backend.asarray(np.array([0, count]))  # one group: a thread takes pairs in order
        keys = backend.fill(backend.empty(count, np.uint64), 0)  # no edge has a smaller key
        verdict = self._decide_in_order(starts, us.astype(self._word), vs.astype(self._word), keys)
        refused = backend.xp.flatnonzero(is_refused(verdict))
        if refused.size:
            pair = int(refused[0])
            raise BrokenRule(pair, RULES[int(verdict[pair]) - int(kernels.DATASET)])

    def _decide_in_order(self, starts: Array, us: Array, vs: Array, keys: Array) -> Array:
        """Decide the edges of each group in the given order, by one thread for each group.

        The edges of group g, with the endpoints ``us`` and ``vs`` and the ``keys``, are in the rows
        from ``starts[g]`` to ``starts[g + 1] - 1``. Return the verdict on each edge, see
        :meth:`decide`.
        """
        verdict = self._backend.fill(self._backend.empty(us.size, np.uint8), 0)
        decide = self._backend.kernel(kernels.decide_in_order, self._word)
        decide(int(starts.size) - 1, starts, us, vs, keys, verdict, *self._decide_arguments)
        return verdict

    def decide(self, src: Array, dst: Array, keys: Array, groups: Array, count: int) -> Array:
        """Decide edges in the order of their keys; return the verdict on each edge.

        ``src`` and ``dst``, (m,) arrays of integers, are the endpoints of the edges. ``keys`` are
        distinct uint64, in Kruskal's order. ``groups``, an (n,) array of integers, is the component
        of each vertex, below ``count``; an edge joins vertices of one component. A verdict, as
        uint8, is ACCEPTED, WITHIN or the number of a rule, see :mod:`cc_rapids.kernels.rules`.
        """
        backend, xp = self._backend, self._backend.xp
        verdict = backend.fill(backend.empty(src.size, np.uint8), 0)
        us, vs = src.astype(self._word), dst.astype(self._word)
        rows, left_count = None, int(us.size)  # the rows of the open edges; None for all rows
        if not backend.merges_in_order:  # rounds are faster than one pass in order
            best = backend.empty(self._n, np.uint64)
            propose = backend.kernel(kernels.propose, self._word)
            merge = backend.kernel(kernels.merge, self._word)
            decided_count = left_count
            while decided_count * END_RATIO >= left_count > 0:
                round_verdict = backend.fill(backend.empty(left_count, np.uint8), 0)
                backend.fill(best, 0xFF)
                propose(left_count, us, vs, keys, round_verdict, best, *self._propose_arguments)
                merge(left_count, us, vs, keys, round_verdict, best, *self._merge_arguments)
                if rows is None:
                    verdict = round_verdict
                else:
                    verdict[rows] = round_verdict
                still_open = xp.flatnonzero(round_verdict == kernels.OPEN)
                us, vs, keys = (column[still_open] for column in (us, vs, keys))
                rows = still_open if rows is None else rows[still_open]
                decided_count = left_count - int(still_open.size)
                left_count = int(still_open.size)
        if left_count:
            order, starts = _by_group_and_key(groups[us.astype(np.int64)], count, keys, xp)
            last_verdict = self._decide_in_order(starts, us[order], vs[order], keys[order])
            verdict[order if rows is None else rows[order]] = last_verdict
        return verdict

    def name_rules(self, src: Array, dst: Array, keys: Array, verdict: Array) -> None:
        """Replace the rule of each refused edge by the first rule that it broke in Kruskal's order.

        A round may refuse an edge before all edges with lesser keys are decided. Some of these may
        then enlarge the clusters of the edge, whose union may break a rule that is tested earlier.
        ``verdict`` is the result of :meth:`decide` for the same arguments; it is changed in place.
        """
        if not self._has_times:
            return
        is_later_rule = (verdict > self._first_rule) & (verdict < kernels.ACCEPTED)
        rows = self._backend.xp.flatnonzero(is_later_rule)
        if not rows.size:
            return
        us, vs = (column[rows].astype(self._word) for column in (src, dst))
        rules = verdict[rows]
        find_rule = self._backend.kernel(kernels.earlier_rule, self._word)
        find_rule(rows.size, us, vs, keys[rows], rules, *self._earlier_rule_arguments)
        verdict[rows] = rules

    def roots(self) -> Array:
        """Return the root of each vertex."""
        roots = self._backend.empty(self._n, self._word)
        self._backend.kernel(kernels.all_roots)(self._n, self._parent, roots)
        return roots


def _by_group_and_key(groups: Array, count: int, keys: Array, xp: Any) -> tuple[Array, Array]:
    """Return the order of rows by group, then by distinct keys, and the start of each group.

    ``groups`` are below ``count``. Group g has the rows ``order[starts[g]:starts[g + 1]]``.
    """
    # distinct keys below the number of keys are a permutation
    are_ranks = int(keys.max()) < int(keys.size)
    order = inverse_of(keys, xp) if are_ranks else stable_order(keys, xp)
    order = order.astype(np.int64)
    by_group, starts = rows_of_each(groups[order], count, xp)
    return order[by_group], starts


def inverse_of(order: Array, xp: Any) -> Array:
    """Return the inverse of a permutation as uint64: for each row, its position in ``order``."""
    positions = xp.empty(order.size, np.uint64)
    positions[order] = xp.arange(order.size, dtype=np.uint64)
    return positions


def order_keys(weights: Array, rows: Array, backend: Backend) -> Array:
    """Return distinct uint64 keys that order rows by descending weight, and ties by row.

    ``weights`` are the weights of all rows. ``rows``, ascending and int64, are the rows to order.
    """
    from .boruvka import WeightOrder

    order = WeightOrder.of(weights[rows], True, backend)
    codes = order.integers(backend)
    xp = backend.xp
    if order.contains_row:  # a code has at most 32 bits, so a key also has room for the row
        codes <<= HALF
        codes |= xp.arange(rows.size, dtype=np.uint64)
        return codes
    return inverse_of(stable_order(codes, xp), xp)
