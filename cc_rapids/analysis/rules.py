"""The clusters of an answer's edges under rules: see :func:`cc_rapids.link_pairs`."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from ..algorithms.rules import (
    RULES,
    BrokenRule,
    Clusters,
    Rules,
    is_accepted,
    is_refused,
    order_keys,
)
from ..backends import Array
from ..data.column import of, of_key_columns
from ..data.edge_input import plain_frame
from ..data.read import read_pairs
from ..data.rules import Datasets
from ..data.text_options import NO_OPTIONS
from ..errors import InputError, counted
from ..graph.chosen_edges import ChosenEdges
from ..graph.edges import BorrowedEdges, Edges
from ..graph.forest import Forest
from ..ids.decoders import OffsetDecoder, at_places
from ..kernels import forest as trees
from ..results.answer import Answer
from ..results.lookup import (
    check_one_each,
    first_ids,
    ids_without_nulls,
    rows_of_borrowed,
    rows_of_edges,
    rows_of_ids,
    warn,
)
from ..results.rules import Refused, Ruled
from ..solver.choose import SolveOptions
from ..solver.run import rows_of_forest
from .bipartition import check_kept, least_of_components

# If a greater share of the edges is in components that break a rule, all edges are decided.
ALL_EDGES_SHARE = 0.9


def pairs_of(
    answer: Answer, name: str, pairs: Any, source: Any, destination: Any
) -> tuple[Array, Array]:
    """Return, for both ends of each ``must_link`` or ``cannot_link`` pair, the row in the answer.

    ``name`` is the name of the argument. ``pairs``, ``source`` and ``destination`` are the results
    of :func:`~cc_rapids.data.rules.pairs_of_rule`. An unknown id in ``must_link`` raises an error,
    but pairs of ``cannot_link`` with one are left out: no cluster can break them.
    """
    backend = answer.backend
    if pairs is None:
        no_rows = backend.xp.zeros(0, np.int64)
        return no_rows, no_rows
    width = max(len(answer.given.src.key_columns), 1)
    usages = f"{name}=", f"{name}=[(first, second)]"
    given = read_pairs(pairs, source, destination, NO_OPTIONS, width, usages)
    missing = "raise" if name == "must_link" else "null"
    remedy = f"records of {name}= must be vertices: include them in vertices= (--records)"
    with BorrowedEdges(backend, given) as (source_ids, destination_ids, *_):
        (first, first_known), (second, second_known) = (
            rows_of_borrowed(answer, side, ids, missing, remedy)
            for side, ids in ((given.src, source_ids), (given.dst, destination_ids))
        )
    if name == "cannot_link":
        known = first_known & second_known
        if given.src.size and not bool(known.any()):
            warn(
                f"of {counted(given.src.size, 'pair')} of cannot_link=, none has two ids that are"
                " vertices: are ids spelled alike?"
            )
        first, second = first[known], second[known]
        is_same = first == second
        if bool(is_same.any()):
            vertex = _shown(answer, first[is_same])
            raise InputError(
                f"{counted(int(is_same.sum()), 'pair')} of cannot_link= name one record twice, such"
                f" as {vertex}: leave out these pairs"
            )
    return first, second


def codes_in(answer: Answer, datasets: Datasets | None, limits: Any) -> tuple[Array, Array]:
    """Return the code of the dataset of each row of the answer, and the limit of each code.

    The code of a row is -1 if the row has no dataset, or a dataset without a limit.
    """
    backend, xp = answer.backend, answer.backend.xp
    if datasets is None:
        return xp.zeros(0, np.int64), xp.zeros(0, np.int64)
    rows, code = _rows_with_dataset(answer, datasets)
    code_of_row = xp.full(answer.forest.vertices, -1, np.int64)
    code_of_row[rows] = code
    differs = code_of_row[rows] != code  # the vertex is listed twice, with two datasets
    if bool(differs.any()):
        k = int(differs.argmax())
        raise InputError(
            f"{counted(int(differs.sum()), 'row')} of datasets= give a second dataset to a vertex,"
            f" such as {_shown(answer, rows[k:])}: give each vertex one dataset"
        )
    limits = backend.asarray(limits)
    if bool((limits < 0).any()):  # -1 means no limit
        is_unlimited = limits[xp.maximum(code_of_row, 0)] < 0
        code_of_row[(code_of_row >= 0) & is_unlimited] = -1
    return code_of_row, xp.maximum(limits, 1)  # -1 is now the limit of no row's code


def _rows_with_dataset(answer: Answer, datasets: Datasets) -> tuple[Array, Array]:
    """Return the row in the answer of each vertex in ``datasets``, and the code of its dataset."""
    backend = answer.backend
    names = (f"datasets {k}" if k else "datasets" for k in range(len(datasets.ids)))
    column, mask = ids_without_nulls(dict(zip(names, datasets.ids, strict=True)))
    code = backend.asarray(datasets.code)
    if mask is not None:
        code = code[backend.asarray(mask)]
    check_one_each("datasets=", column.size, code.size, "value")
    rows, known = rows_of_ids(answer, column, "null")
    if column.size and answer.forest.vertices and not bool(known.any()):
        raise InputError(
            "datasets= names no vertex of the edges, so the rule would hold for no vertex: are ids"
            " spelled alike, and does the column of ids come before the column of datasets?"
        )
    known &= code >= 0  # the code of a null is -1
    return (rows, code) if bool(known.all()) else (rows[known], code[known])


def _shown(answer: Answer, rows: Array) -> str:
    """Return the id of the vertex in the first of the given rows, for an error."""
    columns = [of("vertices", ids) for ids in answer.vertex(rows[:1]).values()]
    return first_ids(of_key_columns(columns), [0])


def link(
    answer: Answer,
    datasets: Datasets | None,
    limits: Any,
    cannot: Any,
    must: Any,
    max_size: int | None,
    plain: SolveOptions,
    spanning: SolveOptions,
) -> Answer:
    """Return the clusters of an answer's edges under rules: see :func:`cc_rapids.link_pairs`.

    Components that break no rule stay unchanged, and their accepted edges are the edges of a
    maximum spanning forest. The edges of all other components are decided one by one. If most edges
    are in components that break a rule, all edges are decided, so that no forest is needed.
    ``limits`` has the limit of each dataset. ``cannot`` and ``must`` are the last three arguments
    of :func:`pairs_of`. ``plain`` are the options for finding components, and ``spanning`` those
    for a maximum spanning forest.
    """
    check_kept(answer, "clusters under rules")
    started, backend, xp = perf_counter(), answer.backend, answer.backend.xp
    with backend.scope():
        code, limit = codes_in(answer, datasets, limits)
        rules = Rules(code, limit, *pairs_of(answer, "cannot_link", *cannot), max_size)
        must_link = pairs_of(answer, "must_link", *must)
        groups, count = answer.dense, len(answer)
        if must_link[0].size:  # components that pairs of must_link join are one group
            ends = Edges(groups[must_link[0]], groups[must_link[1]], low=0)
            least = least_of_components(answer, ends, count, plain, "components")
            groups = least[groups]
        is_decided = rules.broken(groups, count, backend)
        is_decided[groups[must_link[0]]] = True  # must_link may join components without an edge
        if bool(is_decided.any()):
            grouping = groups, count, is_decided
            rows, refused, forest = _decide_edges(answer, rules, must_link, grouping, spanning)
        else:
            rows, forest = rows_of_forest(answer.given, backend, spanning), answer.forest
            dtypes = np.int64, np.uint8, np.int64, np.int64
            refused = Refused(*(xp.zeros(0, dtype) for dtype in dtypes))
    seconds = answer.facts.seconds
    compute = (seconds.get("compute") or 0.0) + perf_counter() - started
    facts = replace(answer.facts, seconds=seconds | {"compute": compute})
    accepted_edges, ruled = ChosenEdges(backend, rows), Ruled(rules, must_link, refused)
    decoder, kind = answer.decoder, answer.kind
    return Answer(answer.given, backend, decoder, forest, kind, facts, accepted_edges, ruled=ruled)


def _decide_edges(
    answer: Answer,
    rules: Rules,
    must_link: tuple[Array, Array],
    grouping: tuple[Array, int, Array],
    spanning: SolveOptions,
) -> tuple[Array, Refused, Forest]:
    """Return the accepted edges of all groups, the refused edges, and the forest of the clusters.

    ``grouping`` has the group of each row of the answer, the number of groups, and a mask of the
    groups whose edges are decided one by one. The accepted edges of all other groups are the edges
    of a maximum spanning forest. Raise an InputError if a pair of ``must_link`` breaks a rule.
    """
    backend, xp = answer.backend, answer.backend.xp
    groups, group_count, is_decided = grouping
    rows_are_vertices = _rows_are_vertices(answer)
    src, dst = _ends(answer, rows_are_vertices)
    row_is_decided = is_decided[groups]
    edge_is_decided = row_is_decided[src]
    decides_all = int(edge_is_decided.sum()) > ALL_EDGES_SHARE * src.size
    if decides_all:
        edges, us, vs = xp.arange(src.size), src, dst
    else:
        forest_rows = rows_of_forest(answer.given, backend, spanning)
        edges = xp.flatnonzero(edge_is_decided)
        us, vs = (at_places(column, edges, backend) for column in (src, dst))
    keys = order_keys(backend.asarray(answer.given.weights), edges, backend)
    clusters = Clusters(answer.forest.vertices, rules, backend)
    try:
        clusters.merge_pairs(*must_link)
    except BrokenRule as error:
        ids = (_shown(answer, column[error.pair :]) for column in must_link)
        raise InputError(
            f"must_link= puts {' and '.join(ids)} into one cluster, which breaks the rule"
            f" {error.rule}=: remove the pair, or relax the rule"
        ) from None
    verdict = clusters.decide(us, vs, keys, groups, group_count)
    clusters.name_rules(us, vs, keys, verdict)
    accepted = edges[is_accepted(verdict)]
    if not decides_all:  # add the forest edges outside the decided groups
        is_kept = xp.zeros(src.size, bool)
        is_kept[accepted] = is_kept[forest_rows[~edge_is_decided[forest_rows]]] = True
        accepted = xp.flatnonzero(is_kept)
    positions = xp.flatnonzero(is_refused(verdict))
    sources, destinations = (column[positions].astype(np.int64) for column in (us, vs))
    refused = Refused(edges[positions], verdict[positions], sources, destinations)
    forest = _with_clusters(answer, rows_are_vertices, row_is_decided, clusters.roots())
    return accepted, refused, forest


def _rows_are_vertices(answer: Answer) -> bool:
    """Return whether row k of the answer is vertex k, and its id is k plus a constant.

    The rows of ids are then known without a search.
    """
    forest, backend, src = answer.forest, answer.backend, answer.given.src
    if src.strings or src.key_columns or not isinstance(answer.decoder, OffsetDecoder):
        return False
    # rows are present vertices in order: vertex k is in row k only if 0 .. k - 1 are all present
    last = forest.vertices - 1
    row, present = forest.rows_of(
        backend.asarray(np.array([last], np.uint64)), backend.xp.ones(1, bool)
    )
    return bool(present[0]) and int(row[0]) == last


def _ends(answer: Answer, rows_are_vertices: bool) -> tuple[Array, Array]:
    """Return, for both ends of each edge, the row in the answer, as integers of any type."""
    given, forest, decoder = answer.given, answer.forest, answer.decoder
    if not rows_are_vertices:
        return rows_of_edges(answer)
    with BorrowedEdges(answer.backend, given) as columns:
        src, dst = map(answer.backend.asarray, columns[:2])  # vertices= may follow
        if decoder.id_base:
            src, dst = (column.astype(np.int64) - decoder.id_base for column in (src, dst))
        return src.astype(forest.vertex), dst.astype(forest.vertex)


def _with_clusters(
    answer: Answer, rows_are_vertices: bool, row_is_decided: Array, roots: Array
) -> Forest:
    """Return a copy of the answer's forest in which decided rows have the trees of their clusters.

    ``roots`` has, for each row, the row of the vertex that is the root of its cluster. In the
    result, each tree is rooted at its least vertex.
    """
    backend, original = answer.backend, answer.forest
    forest = Forest(backend, original.n, original.all_present)
    forest.present[:] = original.present
    forest.parent[:] = original.parent
    if rows_are_vertices:
        parent = forest.parent[: original.vertices]
        parent[:] = backend.xp.where(row_is_decided, roots, parent)
    else:
        vertices, _ = original.rows(low=0, dtype=np.int64)
        rows = backend.xp.flatnonzero(row_is_decided)
        forest.parent[vertices[rows]] = vertices[roots[rows]].astype(forest.vertex)
    lowest = backend.fill(backend.empty(original.n, forest.vertex), 0xFF)
    backend.kernel(trees.least_of_trees, forest.vertex)(original.n, forest.parent, lowest)
    backend.kernel(trees.reroot)(original.n, lowest, forest.parent, forest.present)
    forest.count()
    return forest


def refused_frame(answer: Answer) -> Any:
    """Return the frame of refused edges: see :meth:`cc_rapids.LinkedPairs.refused`."""
    refused = answer.required_rules().refused
    with answer.backend.scope():
        rules = answer.backend.to_host(refused.rule).astype(np.int64)
        names = text_column(answer, np.array(RULES)[rules - 1])  # rules are numbered from 1
        columns = answer.columns_of_refused() | {"rule": names}
        for side, rows in (("source", refused.source), ("destination", refused.destination)):
            columns |= answer.label(rows, f"{side}_labels")
        return answer.frame(columns, nan_free=("weight",))


def text_column(answer: Answer, texts: Any) -> Any:
    """Return an array of strings as a column for frames of the answer."""
    if answer.given.on_device and answer.given.make_frame is not plain_frame:
        import cudf

        return cudf.Series(texts.tolist(), dtype="str")
    return texts
