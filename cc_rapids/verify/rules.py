"""The audit of clusters under rules: the accepted edges prove the decision on each edge.

By induction over the edges in Kruskal's order, the accepted edges before an edge form the clusters
that Kruskal's algorithm has when it examines this edge. The audit proves that

1. accepted edges and pairs that must be linked form a forest, whose trees are the clusters;
2. no cluster breaks a rule. A union never mends a broken rule, so no accepted edge broke one;
3. every other edge has, when it is examined, both ends in one cluster, or in two clusters whose
   union breaks a rule.

The audit shares no code with the solver. It also checks the label frame, as a cluster under rules
is not a component, so no other audit has verified its labels.
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
from ..kernels.audit import FAULTS, ORDER, STRANGE, kernel
from .forests import boruvka_tree, stable_order
from .label_frame import LabelFrame
from .shown_rows import ShownRows, check_ascending, edge_in_words, places_of
from .vertex_lookup import ALL, Tally, slot_type

RULES = "per_dataset", "cannot_link", "max_size"


@dataclass(frozen=True)
class RuleRows:
    """Rules over the rows of a label frame.

    Attributes
    ----------
    code : (n,) array of integers
        The dataset of each row; -1 for a row without a limit. The array is empty if there are no
        datasets.
    limits : (datasets,) array of integers
        How many rows of each dataset a cluster may have.
    cannot : pair of arrays of integers
        The rows of the first and of the second vertices of pairs that must be in two clusters.
    must : pair of arrays of integers
        The rows of the first and of the second vertices of pairs that must be in one cluster.
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
    edges, vertices, clusters : int
        The numbers of edges, vertices and clusters.
    accepted, refused : int
        The numbers of accepted edges and of refused edges.
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

    ``accepted`` and ``refused`` are the columns of the accepted and of the refused edges, as the
    answer shows them. The column ``rule`` has the number of the rule that refused the edge.
    ``given`` has weights.
    """
    started = perf_counter()
    shown_forest = ShownRows(accepted, "forest", answer.width)
    shown_refused = ShownRows(refused, "refused rows", answer.width)
    with answer.borrow_for(backend), Lending(given) as (columns, _), backend.scope():
        check_kinds(answer.column, given.src)
        lookup_tally = _place_labels(answer, backend)
        src_ids, dst_ids, *vertex_columns = columns
        src, dst = answer.find(src_ids), answer.find(dst_ids)
        caller_rows = None if given.row_index is None else backend.asarray(given.row_index())
        _check_vertices(answer, given, caller_rows, [src, dst], vertex_columns, backend)
        weights = backend.asarray(given.weights)
        if weights.dtype == np.float16:  # kernels do not read this type
            weights = weights.astype(np.float32)
        m, xp = int(src.size), backend.xp
        listed = backend.asarray(shown_forest.rows())
        check_ascending(listed, "forest")
        chosen = places_of(listed, caller_rows, m, "forest", xp)
        shown_forest.check_ends(answer, listed, [src[chosen], dst[chosen]])
        shown_forest.check_weights(listed, weights[chosen], backend.asarray)
        ordered = chosen[stable_order(weights[chosen], descending=True, xp=xp)]
        slots = answer.ids.slots().astype(np.int64)
        must_src, must_dst = (backend.to_host(slots[side]) for side in rules.must)
        must = _forest_of(must_src, must_dst, backend)
        node = slot_type(2 * answer.ids.n + 1)  # boruvka_tree makes fewer than 2 n nodes
        # Kruskal's algorithm joins the pairs that must be linked before it examines edges.
        us, vs = (
            xp.concatenate([linked, ends[ordered].astype(np.int64)]).astype(node)
            for linked, ends in zip(must, (src, dst), strict=True)
        )
        up, edge_numbers = boruvka_tree(us, vs, answer.ids.n, node, backend)
        cluster, count = _clusters(answer, slots, up, int(us.size), backend)
        code = _check_clusters(answer, rules, slots, cluster, count, backend)
        verdict = backend.fill(backend.empty(m, np.uint8), 0)
        verdict[chosen] = kernels.ACCEPTED
        tables = _tables(rules, code, slots, cluster, count, backend)
        judge = kernel(kernels.judge, backend, kernel(audit_forest.is_heavier, backend))
        trees = up, edge_numbers, ordered, int(must[0].size), cluster
        judge(m, src, dst, weights, *trees, *tables, verdict)
        _check_verdicts(verdict, caller_rows, shown_refused, answer, (src, dst), backend)
        lookup_tally.read_and_check(backend)
        refused_count = int((verdict < kernels.ACCEPTED).sum())
    seconds = perf_counter() - started
    return RulesAudit(m, answer.rows, count, int(chosen.size), refused_count, seconds)


def _place_labels(answer: LabelFrame, backend: Backend) -> Tally:
    """Set the slots and the labels of an answer; return the tally of its id lookups.

    Raise a VerificationError if the rows of the answer are not sorted by id, an id is listed twice,
    or a label is not a vertex.
    """
    tally = Tally(lambda: backend.fill(backend.empty(3, np.uint64), 0))
    answer.assign_slots(tally)
    faults = backend.fill(backend.empty(FAULTS, np.uint64), 0xFF)
    answer.scatter_labels(faults)
    row_of_fault = backend.to_host(faults).tolist()
    for fault, message in ((ORDER, answer.out_of_order), (STRANGE, answer.unknown_label)):
        if row_of_fault[int(fault)] != ALL:
            raise VerificationError(message(row_of_fault[int(fault)]))
    return tally


def _check_vertices(
    answer: LabelFrame,
    given: EdgeInput,
    caller_rows: Array | None,
    ends: list[Array],
    vertex_columns: list[Any],
    backend: Backend,
) -> None:
    """Raise a VerificationError unless exactly the vertices of the edges have labels.

    ``ends`` are the slots of both ends of each edge, and ``caller_rows`` are as in
    :func:`edge_in_words`. The caller may list further vertices, as a range in ``given`` or in the
    borrowed columns ``vertex_columns``.
    """
    xp, n = backend.xp, answer.ids.n
    no_slot = np.iinfo(answer.ids.vertex).max
    occurs = xp.zeros(n, bool)
    vertices = [answer.find(column) for column in vertex_columns]
    if isinstance(given.vertices, range):
        vertices.append(answer.find(array_of_range(given.vertices, xp)))
    for k, slots in enumerate([*ends, *vertices]):
        unknown = (slots == no_slot) | (slots.astype(np.uint64) >= np.uint64(n))
        if bool(unknown.any()):
            row = int(unknown.argmax())
            name = f"row {row:,} of vertices="
            if k < len(ends):
                name = f"an end of {edge_in_words(row, caller_rows)}"
            raise VerificationError(f"{name} has no label")
        occurs[slots] = True
    labelled = answer.label_of != no_slot
    if bool((labelled & ~occurs).any()):
        v = int((labelled & ~occurs).argmax())
        raise VerificationError(
            f"vertex {answer.name(v)} has a label, but no edge names it (pass vertices= as for the"
            " run)"
        )
    if bool((occurs & ~labelled).any()):  # ids between two vertices may have slots
        v = int((occurs & ~labelled).argmax())
        raise VerificationError(f"vertex {answer.name(v)} has no label that is a vertex")


def _forest_of(first: Any, second: Any, backend: Backend) -> tuple[Array, Array]:
    """Return the pairs that form a spanning forest of all pairs, as two int64 arrays of slots."""
    from scipy.cluster.hierarchy import DisjointSet

    trees = DisjointSet(np.union1d(first, second).tolist())
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    chosen = [k for k, (u, v) in enumerate(pairs) if trees.merge(u, v)]
    src, dst = (backend.asarray(side[chosen].astype(np.int64)) for side in (first, second))
    return src, dst


def _clusters(
    answer: LabelFrame, slots: Array, up: Array, edges: int, backend: Backend
) -> tuple[Array, int]:
    """Return the cluster number of each slot, and the count of clusters.

    ``up`` has the parents of :func:`boruvka_tree` for the accepted edges and the linked pairs, and
    ``edges`` is their number. Raise a VerificationError if labels are not these clusters.
    """
    xp, n, label_of = backend.xp, answer.ids.n, answer.label_of
    top = up  # becomes the root of each node by pointer jumping
    while not bool(((further := top[top]) == top).all()):
        top = further
    label = label_of[slots].astype(np.int64)
    wrong = (top[slots] != top[label]) | (label_of[label] != label)
    if bool(wrong.any()):
        v = int(slots[wrong.argmax()])
        raise VerificationError(
            f"vertex {answer.name(v)} has the label {answer.label(v)}, but accepted edges do not"
            " join it to the vertex of that label"
        )
    if answer.rule.is_vertex:
        beyond = label < slots if answer.rule.is_greatest else label > slots
        if bool(beyond.any()):
            v = int(slots[beyond.argmax()])
            raise VerificationError(
                f"vertex {answer.name(v)} has the label {answer.label(v)}, but should have the"
                f" {answer.rule.extreme} vertex of its cluster"
            )
    is_label = xp.zeros(n, bool)
    is_label[label] = True
    count = int(is_label.sum())
    # boruvka_tree found no cycle: there are rows - edges trees, each with at least one label
    if count != answer.rows - edges:
        raise VerificationError(
            f"{counted(edges, 'accepted edge')} join {answer.rows:,} vertices to"
            f" {counted(answer.rows - edges, 'cluster')}, but there are {count:,} labels"
        )
    number = xp.cumsum(is_label) - 1
    cluster = xp.zeros(n, np.int64)
    cluster[slots] = number[label]
    return cluster, count


def _check_clusters(
    answer: LabelFrame, rules: RuleRows, slots: Array, cluster: Array, count: int, backend: Backend
) -> Array:
    """Return the dataset of each slot; raise a VerificationError if a cluster breaks a rule.

    The dataset is -1 for a slot without a limit. The array is empty if there are no datasets.
    """
    xp = backend.xp
    if rules.max_size is not None:
        sizes = xp.bincount(cluster[slots], minlength=count)
        if bool((sizes > rules.max_size).any()):
            row = int((cluster[slots] == int(sizes.argmax())).argmax())
            raise VerificationError(
                f"the cluster of vertex {answer.name(int(slots[row]))} has {int(sizes.max()):,}"
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
    if not rules.code.size:
        return xp.zeros(0, np.int64)
    code = xp.full(answer.ids.n, -1, np.int64)
    code[slots] = rules.code
    limited = slots[code[slots] >= 0]
    datasets = int(rules.limits.size)
    # count the vertices for each key, which is a pair of a cluster and a dataset
    keys, counts = xp.unique(cluster[limited] * datasets + code[limited], return_counts=True)
    limits = rules.limits[keys % datasets]
    is_over = counts > limits
    if bool(is_over.any()):
        k = int(is_over.argmax())
        in_cluster = cluster[limited] == int(keys[k]) // datasets
        raise VerificationError(
            f"the cluster of vertex {answer.name(int(limited[int(in_cluster.argmax())]))} has"
            f" {int(counts[k]):,} vertices of one dataset, but its limit is {int(limits[k]):,}"
        )
    return code


def _tables(
    rules: RuleRows, code: Array, slots: Array, cluster: Array, count: int, backend: Backend
) -> list[Any]:
    """Return the rules as the arguments of ``kernels.judge`` from ``code`` to ``most``.

    Each rule has an array sorted by cluster, and then the position at which each cluster starts.
    The arrays of a rule that was not passed are empty.
    """
    xp, empty = backend.xp, backend.xp.zeros(0, np.int64)
    bounds = xp.arange(count + 1)

    def by_cluster(items: Array, keys: Array, keys_per_cluster: int = 1) -> tuple[Array, Array]:
        """Return the items sorted by key, and the position at which each cluster starts.

        Keys ``c * keys_per_cluster`` to ``(c + 1) * keys_per_cluster - 1`` belong to cluster c.
        """
        order = xp.argsort(keys, kind="stable")
        return items[order], xp.searchsorted(keys[order], bounds * keys_per_cluster)

    limited = begins = pair = ends = heads = members = starts = empty
    if rules.code.size:  # within a cluster, slots are sorted by dataset
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
    """Raise a VerificationError for a wrong decision, or for a wrong frame of refused edges.

    ``shown`` is the frame of refused edges, and ``ends`` are the slots of both ends of each edge.
    ``verdict`` has the decision of the audit for each edge; numbers below ACCEPTED are those of the
    rules that refuse edges. ``caller_rows`` are as in :func:`edge_in_words`.
    """
    xp = backend.xp
    messages = {
        kernels.EARLY: "comes before the last accepted edge between its ends, but was not accepted",
        kernels.FREE: "joins two clusters whose union breaks no rule, but was not accepted",
    }
    for fault, message in messages.items():
        wrong = verdict == fault
        if bool(wrong.any()):
            raise VerificationError(f"{edge_in_words(int(wrong.argmax()), caller_rows)} {message}")
    places = xp.flatnonzero(verdict < kernels.ACCEPTED)
    listed = backend.asarray(shown.rows())
    rows = places if caller_rows is None else caller_rows[places]
    if listed.size != rows.size or bool((listed != rows).any()):
        raise VerificationError(
            f"the frame shows {counted(int(listed.size), 'refused edge')} that are not the"
            f" {counted(int(rows.size), 'edge')} that the rules refuse"
        )
    shown.check_ends(answer, rows, [side[places] for side in ends])
    expected, claimed = verdict[places], backend.asarray(shown.numbers("rule"))
    differs = expected != claimed
    if bool(differs.any()):
        k = int(differs.argmax())
        numbers = (int(column[k]) for column in (expected, claimed))
        names = dict(enumerate(RULES, 1))
        rules = (names.get(number, f"rule {number}") for number in numbers)
        raise VerificationError(
            f"{edge_in_words(int(places[k]), caller_rows)} was refused by"
            f" {' and not by '.join(rules)}"
        )
