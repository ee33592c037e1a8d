"""The audit of clusters under rules: each edge is decided again from the accepted edges.

By induction over the edges in Kruskal's order, the accepted edges before an edge form the clusters
that Kruskal's algorithm has when it examines this edge. The audit proves that

1. accepted edges and pairs that must be linked form a forest, whose trees are the clusters;
2. no cluster breaks a rule, so no accepted edge broke one: a union never mends a broken rule;
3. every other edge has, when it is examined, both ends in one cluster, or in two clusters whose
   union breaks a rule.

The audit shares no code with the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.column import array_of_range
from ..data.edge_input import EdgeInput, Lending
from ..data.frame_access import check_kinds
from ..errors import VerificationError, counted
from ..kernels import audit_forest
from ..kernels import audit_rules as kernels
from ..kernels.audit import kernel
from .forests import levels, places_of
from .label_frame import LabelFrame
from .shown_rows import ShownRows
from .vertex_lookup import Tally, vertex_for

RULES = "per_dataset", "cannot_link", "max_size"


@dataclass(frozen=True)
class RuleRows:
    """Rules over the rows of a label frame.

    Attributes
    ----------
    code : (n,) array of integers
        The dataset of each row, -1 for no limit; empty without datasets.
    limits : (datasets,) array of integers
    cannot, must : pairs of arrays of integers
        The rows of both ends of pairs that must not, or must, be in one cluster.
    max_size : int, optional
        The maximum number of rows of a cluster.
    """

    code: Array
    limits: Array
    cannot: tuple[Array, Array]
    must: tuple[Array, Array]
    max_size: int | None


@dataclass(frozen=True)
class RulesAudit:
    """The result of an audit of clusters under rules.

    Attributes
    ----------
    edges, vertices, clusters, accepted, refused : int
        The numbers of edges, vertices, clusters, accepted and refused edges.
    seconds : float
        The duration of the audit.
    """

    edges: int
    vertices: int
    clusters: int
    accepted: int
    refused: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"right: {counted(self.clusters, 'cluster')} of"
            f" {counted(self.vertices, 'vertex', 'vertices')}, by {self.accepted:,} of"
            f" {counted(self.edges, 'edge')}; {self.refused:,} refused"
        )


def audit_rules(
    answer: LabelFrame,
    accepted: Any,
    refused: Any,
    rules: RuleRows,
    given: EdgeInput,
    backend: Backend,
) -> RulesAudit:
    """Prove clusters under rules: see :meth:`cc_rapids.LinkedPairs.audit`.

    Parameters
    ----------
    accepted, refused : dict of columns
        The accepted and the refused edges, as the answer shows them; ``rule`` is the number of the
        rule that refused an edge.
    given : EdgeInput
        The edges, with weights.
    """
    started = perf_counter()
    width = max(len(answer.column.key_columns), 1)
    forest, others = (
        ShownRows(frame, what, width)
        for frame, what in ((accepted, "forest"), (refused, "refused rows"))
    )
    with answer.borrow_for(backend), Lending(given) as (columns, _), backend.scope():
        xp = backend.xp
        answer.assign_slots(Tally(lambda: backend.fill(backend.empty(3, np.uint64), 0)))
        first = backend.fill(backend.empty(16, np.uint64), 0xFF)
        answer.scatter_labels(first)
        check_kinds(answer.column, given.src)
        src, dst = (answer.find(column) for column in columns[:2])
        heads = _checked_heads(answer, given, src, dst, columns, rules, backend)
        caller_rows = None if given.row_index is None else backend.asarray(given.row_index())
        weights = backend.asarray(given.weights)
        if weights.dtype == np.float16:
            weights = weights.astype(np.float32)
        m = int(src.size)
        chosen = places_of(backend.asarray(forest.rows()), caller_rows, m, "forest", xp)
        forest.check_ends(answer, _listed(chosen, caller_rows), [src[chosen], dst[chosen]])
        forest.check_weights(_listed(chosen, caller_rows), weights[chosen], backend.asarray)
        keys = weights[chosen]  # a stable sort in descending order
        ordered = chosen[keys.size - 1 - xp.argsort(keys[::-1], kind="stable")[::-1]]
        slots = answer.ids.slots().astype(np.int64)
        first_slots, second_slots = (backend.to_host(slots[side]) for side in rules.must)
        must = _forest_of(first_slots, second_slots, backend)
        node = vertex_for(2 * answer.ids.n + 1)
        us, vs = (
            xp.concatenate([linked, ends[ordered].astype(np.int64)]).astype(node)
            for linked, ends in zip(must, (src, dst), strict=True)
        )
        up, numbers = levels(us, vs, answer.ids.n, node, backend)
        cluster, count = _clusters(answer, heads, slots, up, int(us.size), backend)
        code = _check_clusters(answer, rules, slots, cluster, count, backend)
        verdict = backend.fill(backend.empty(m, np.uint8), 0)
        verdict[chosen] = kernels.ACCEPTED
        tables = _tables(rules, code, slots, cluster, count, backend)
        judge = kernel(kernels.judge, backend, kernel(audit_forest.is_heavier, backend))
        trees = up, numbers, ordered, int(must[0].size), cluster
        judge(m, src, dst, weights, *trees, *tables, verdict)
        _check_verdicts(verdict, caller_rows, others, answer, (src, dst), backend)
        refused_count = int((verdict < kernels.ACCEPTED).sum())
    seconds = perf_counter() - started
    return RulesAudit(m, answer.rows, count, int(chosen.size), refused_count, seconds)


def _listed(places: Array, caller_rows: Array | None) -> Array:
    """Return the caller's rows of edges, given as positions among those that were read."""
    return places if caller_rows is None else caller_rows[places]


def _row(e: int, caller_rows: Array | None) -> str:
    return f"edge {e if caller_rows is None else int(caller_rows[e]):,}"


def _checked_heads(
    answer: LabelFrame,
    given: EdgeInput,
    src: Array,
    dst: Array,
    columns: list[Any],
    rules: RuleRows,
    backend: Backend,
) -> Array:
    """Return the slot of the label of each slot.

    ``columns`` are the borrowed ends and vertices, and ``src`` and ``dst`` are the slots of the
    ends.

    Raises
    ------
    VerificationError
        A vertex of the edges or of ``vertices=`` has no label, or another vertex has one.
    """
    xp, n = backend.xp, answer.ids.n
    none = np.iinfo(answer.ids.vertex).max
    named = xp.zeros(n, bool)
    vertices = [answer.find(column) for column in columns[2:]]
    if isinstance(given.vertices, range):
        vertices.append(answer.find(array_of_range(given.vertices, xp)))
    for slots in (src, dst, *vertices):
        unknown = (slots == none) | (slots.astype(np.uint64) >= np.uint64(n))
        if bool(unknown.any()):
            raise VerificationError(f"an end of edge {int(unknown.argmax()):,} has no label")
        named[slots] = True
    labelled = answer.label_of != none
    if bool((labelled & ~named).any()):
        v = int((labelled & ~named).argmax())
        raise VerificationError(
            f"vertex {answer.name(v)} has a label, but no edge names it (pass vertices= as for the"
            " run)"
        )
    if bool((named & ~labelled).any()):
        v = int((named & ~labelled).argmax())
        raise VerificationError(f"vertex {answer.name(v)} has no label that is a vertex")
    return answer.label_of


def _forest_of(first: Any, second: Any, backend: Backend) -> tuple[Array, Array]:
    """Return a spanning forest of pairs, as the int64 ends of its edges."""
    from scipy.cluster.hierarchy import DisjointSet

    trees = DisjointSet(np.union1d(first, second).tolist())
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    chosen = [k for k, (u, v) in enumerate(pairs) if trees.merge(u, v)]
    src, dst = (backend.asarray(side[chosen].astype(np.int64)) for side in (first, second))
    return src, dst


def _clusters(
    answer: LabelFrame, heads: Array, slots: Array, up: Array, edges: int, backend: Backend
) -> tuple[Array, int]:
    """Return the cluster number of each slot, and the count of clusters.

    ``heads`` has the slot of each slot's label, and ``up`` the tree of ``edges`` accepted edges.

    Raises
    ------
    VerificationError
        The clusters are not the trees of the accepted edges.
    """
    xp, n = backend.xp, answer.ids.n
    top = up
    while not bool(((further := top[top]) == top).all()):
        top = further
    head = heads[slots].astype(np.int64)
    wrong = (top[slots] != top[head]) | (heads[head] != head)
    if bool(wrong.any()):
        v = int(slots[wrong.argmax()])
        raise VerificationError(
            f"vertex {answer.name(v)} has the label {answer.label(v)}, but accepted edges do not"
            " join it to the vertex of that label"
        )
    if answer.rule.is_vertex:
        beyond = head < slots if answer.rule.is_greatest else head > slots
        if bool(beyond.any()):
            v = int(slots[beyond.argmax()])
            raise VerificationError(
                f"vertex {answer.name(v)} has the label {answer.label(v)}, but should have the"
                f" {answer.rule.extreme} vertex of its cluster"
            )
    is_head = xp.zeros(n, bool)
    is_head[head] = True
    count = int(is_head.sum())
    if count != answer.rows - edges:
        raise VerificationError(
            f"{counted(edges, 'accepted edge')} join {answer.rows:,} vertices to"
            f" {counted(answer.rows - edges, 'cluster')}, but there are {count:,} labels"
        )
    number = xp.cumsum(is_head) - 1
    cluster = xp.zeros(n, np.int64)
    cluster[slots] = number[head]
    return cluster, count


def _check_clusters(
    answer: LabelFrame, rules: RuleRows, slots: Array, cluster: Array, count: int, backend: Backend
) -> Array:
    """Raise an error if a cluster breaks a rule; return the dataset of each slot."""
    xp = backend.xp
    if rules.max_size is not None:
        sizes = xp.bincount(cluster[slots], minlength=count)
        if bool((sizes > rules.max_size).any()):
            at = int((cluster[slots] == int(sizes.argmax())).argmax())
            raise VerificationError(
                f"the cluster of vertex {answer.name(int(slots[at]))} has {int(sizes.max()):,}"
                f" vertices, but max_size={rules.max_size:,}"
            )
    first, second = (cluster[slots[side]] for side in rules.cannot)
    together = first == second
    if bool(together.any()):
        k = int(together.argmax())
        names = (answer.name(int(slots[int(side[k])])) for side in rules.cannot)
        raise VerificationError(
            f"vertices {' and '.join(names)} are in one cluster, but cannot_link= has the pair"
        )
    code = xp.full(answer.ids.n, -1, np.int64) if rules.code.size else xp.zeros(0, np.int64)
    if not rules.code.size:
        return code
    code[slots] = rules.code
    limited = slots[code[slots] >= 0]
    datasets = int(rules.limits.size)
    keys, counts = xp.unique(cluster[limited] * datasets + code[limited], return_counts=True)
    over = counts > rules.limits[keys % datasets]
    if bool(over.any()):
        k = int(over.argmax())
        same = cluster[limited] == int(keys[k]) // datasets
        raise VerificationError(
            f"the cluster of vertex {answer.name(int(limited[int(same.argmax())]))} has"
            f" {int(counts[k]):,} vertices of one dataset, but its limit is"
            f" {int(rules.limits[int(keys[k]) % datasets]):,}"
        )
    return code


def _tables(
    rules: RuleRows, code: Array, slots: Array, cluster: Array, count: int, backend: Backend
) -> list[Any]:
    """Return the arguments of the kernel that describe the rules, grouped by cluster."""
    xp, empty = backend.xp, backend.xp.zeros(0, np.int64)
    bounds = xp.arange(count + 1)

    def by_cluster(items: Array, keys: Array, step: int = 1) -> tuple[Array, Array]:
        """Return items sorted by key, and the start of each cluster, of ``step`` keys each."""
        order = xp.argsort(keys, kind="stable")
        return items[order], xp.searchsorted(keys[order], bounds * step)

    limited = begins = pair = ends = heads = members = starts = empty
    if rules.code.size:
        datasets = int(rules.limits.size)
        limited = slots[code[slots] >= 0]
        limited, begins = by_cluster(limited, cluster[limited] * datasets + code[limited], datasets)
    if rules.cannot[0].size:
        pair = slots[xp.stack(rules.cannot, axis=1).ravel()]
        ends, heads = by_cluster(xp.arange(pair.size), cluster[pair])
    if rules.max_size is not None:
        members, starts = by_cluster(slots, cluster[slots])
    tables = code, rules.limits, limited, begins, pair, ends, heads, members, starts
    return [*tables, rules.max_size or 0]


def _check_verdicts(
    verdict: Array,
    caller_rows: Array | None,
    shown: ShownRows,
    answer: LabelFrame,
    ends: tuple[Array, Array],
    backend: Backend,
) -> None:
    """Raise an error for an edge that was decided wrongly, or a wrong frame of refused edges."""
    xp = backend.xp
    messages = {
        kernels.EARLY: "comes before the last accepted edge between its ends, but was not accepted",
        kernels.FREE: "joins two clusters whose union breaks no rule, but was not accepted",
    }
    for fault, message in messages.items():
        wrong = verdict == fault
        if bool(wrong.any()):
            raise VerificationError(f"{_row(int(wrong.argmax()), caller_rows)} {message}")
    places = xp.flatnonzero(verdict < kernels.ACCEPTED)
    listed = backend.asarray(shown.rows())
    rows = _listed(places, caller_rows)
    if listed.size != rows.size or bool((listed != rows).any()):
        raise VerificationError(
            f"the frame shows {counted(int(listed.size), 'refused edge')}, but should show"
            f" {counted(int(rows.size), 'edge')}, or other edges"
        )
    shown.check_ends(answer, rows, [side[places] for side in ends])
    expected, claimed = verdict[places], backend.asarray(shown.numbers("rule"))
    differs = expected != claimed
    if bool(differs.any()):
        k = int(differs.argmax())
        rules = (RULES[int(column[k]) - 1] for column in (expected, claimed))
        raise VerificationError(
            f"{_row(int(places[k]), caller_rows)} was refused by {' and not by '.join(rules)}"
        )
