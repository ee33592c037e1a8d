"""The audit of clusters under rules: each edge is decided again from the accepted ones.

By induction over the edges in Kruskal's order, the accepted edges before an edge form the clusters
that Kruskal's algorithm has when it examines this edge. The audit proves that

1. accepted edges and pairs that must be linked form a forest, whose trees are the clusters;
2. no cluster breaks a rule, so no accepted edge did, because rules are monotone;
3. every other edge has both ends in one of those clusters, or in two whose union breaks a rule.

It shares no code with the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.column import values_of
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
    most : int, optional
        The most rows of a cluster.
    """

    code: Array
    limits: Array
    cannot: tuple[Array, Array]
    must: tuple[Array, Array]
    most: int | None


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
        kept = None if given.row_index is None else backend.asarray(given.row_index())
        weights = backend.asarray(given.weights)
        if weights.dtype == np.float16:
            weights = weights.astype(np.float32)
        m = int(src.size)
        chosen = places_of(backend.asarray(forest.rows()), kept, m, "forest", xp)
        forest.check_ends(answer, _listed(chosen, kept), [src[chosen], dst[chosen]])
        forest.check_weights(_listed(chosen, kept), weights[chosen], backend.asarray)
        keys = weights[chosen]
        ordered = chosen[keys.size - 1 - xp.argsort(keys[::-1], kind="stable")[::-1]]
        slots = answer.ids.slots().astype(np.int64)
        one, other = (backend.to_host(slots[side]) for side in rules.must)
        must = _forest_of(one, other, backend)
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
        _check_verdicts(verdict, kept, others, answer, (src, dst), backend)
        refused_count = int((verdict < kernels.ACCEPTED).sum())
    seconds = perf_counter() - started
    return RulesAudit(m, answer.rows, count, int(chosen.size), refused_count, seconds)


def _listed(places: Array, kept: Array | None) -> Array:
    """Return the caller's rows of edges at the given places."""
    return places if kept is None else kept[places]


def _row(e: int, kept: Array | None) -> str:
    return f"edge {e if kept is None else int(kept[e]):,}"


def _checked_heads(
    answer: LabelFrame,
    given: EdgeInput,
    src: Array,
    dst: Array,
    columns: list[Any],
    rules: RuleRows,
    backend: Backend,
) -> Array:
    """Return the slot of the label of each slot; check that exactly the named vertices have one."""
    xp, n = backend.xp, answer.ids.n
    none = np.iinfo(answer.ids.vertex).max
    named = xp.zeros(n, bool)
    vertices = [answer.find(column) for column in columns[2:]]
    if isinstance(given.vertices, range):
        vertices.append(answer.find(values_of(given.vertices, xp)))
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
    """Return the pairs that join two trees of earlier pairs, as int64."""
    from scipy.cluster.hierarchy import DisjointSet

    trees = DisjointSet(np.union1d(first, second).tolist())
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    chosen = [k for k, (u, v) in enumerate(pairs) if trees.merge(u, v)]
    one, other = (backend.asarray(side[chosen].astype(np.int64)) for side in (first, second))
    return one, other


def _clusters(
    answer: LabelFrame, heads: Array, slots: Array, up: Array, edges: int, backend: Backend
) -> tuple[Array, int]:
    """Return the number of the cluster of each slot and the number of clusters.

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
            f"vertex {answer.name(v)} has the label {answer.label(v)}, but no accepted edges"
            " join it to the vertex of that label"
        )
    if answer.rule.is_vertex:
        beyond = head < slots if answer.rule.is_greatest else head > slots
        if bool(beyond.any()):
            v = int(slots[beyond.argmax()])
            raise VerificationError(
                f"vertex {answer.name(v)} has the label {answer.label(v)}, but the"
                f" {answer.rule.extreme} vertex of a cluster labels it"
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
    if rules.most is not None:
        sizes = xp.bincount(cluster[slots], minlength=count)
        if bool((sizes > rules.most).any()):
            at = int((cluster[slots] == int(sizes.argmax())).argmax())
            raise VerificationError(
                f"the cluster of vertex {answer.name(int(slots[at]))} has {int(sizes.max()):,}"
                f" vertices, but max_size={rules.most:,}"
            )
    one, other = (cluster[slots[side]] for side in rules.cannot)
    together = one == other
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
    """Return the arguments of the kernel that describe the rules."""
    xp, none = backend.xp, backend.xp.zeros(0, np.int64)
    bounds = xp.arange(count + 1)

    def by_cluster(items: Array, keys: Array, step: int = 1) -> tuple[Array, Array]:
        order = xp.argsort(keys, kind="stable")
        return items[order], xp.searchsorted(keys[order], bounds * step)

    limited = begins = pair = ends = heads = members = starts = none
    if rules.code.size:
        datasets = int(rules.limits.size)
        limited = slots[code[slots] >= 0]
        limited, begins = by_cluster(limited, cluster[limited] * datasets + code[limited], datasets)
    if rules.cannot[0].size:
        pair = slots[xp.stack(rules.cannot, axis=1).ravel()]
        ends, heads = by_cluster(xp.arange(pair.size), cluster[pair])
    if rules.most is not None:
        members, starts = by_cluster(slots, cluster[slots])
    tables = code, rules.limits, limited, begins, pair, ends, heads, members, starts
    return [*tables, rules.most or 0]


def _check_verdicts(
    verdict: Array,
    kept: Array | None,
    shown: ShownRows,
    answer: LabelFrame,
    ends: tuple[Array, Array],
    backend: Backend,
) -> None:
    """Raise an error for an edge that was decided wrongly, or a wrong frame of refused edges."""
    xp = backend.xp
    words = {
        kernels.EARLY: "comes before the last accepted edge between its ends, but was not accepted",
        kernels.FREE: "joins two clusters whose union breaks no rule, but was not accepted",
    }
    for fault, what in words.items():
        wrong = verdict == fault
        if bool(wrong.any()):
            raise VerificationError(f"{_row(int(wrong.argmax()), kept)} {what}")
    places = xp.flatnonzero(verdict < kernels.ACCEPTED)
    listed = backend.asarray(shown.rows())
    rows = _listed(places, kept)
    if listed.size != rows.size or bool((listed != rows).any()):
        raise VerificationError(
            f"the refused rows are {counted(int(rows.size), 'edge')}, but the frame shows"
            f" {counted(int(listed.size), 'edge')}, or different ones"
        )
    shown.check_ends(answer, rows, [side[places] for side in ends])
    right, named = verdict[places], backend.asarray(shown.numbers("rule"))
    if bool((right != named).any()):
        k = int((right != named).argmax())
        rules = (RULES[int(column[k]) - 1] for column in (right, named))
        raise VerificationError(
            f"{_row(int(places[k]), kept)} was refused by {' and not by '.join(rules)}"
        )
