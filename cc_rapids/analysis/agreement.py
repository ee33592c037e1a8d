"""Scores of clusters against true clusters, computed from their contingency table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data.arguments import check_word
from ..data.codes import coded
from ..data.column import Column, of, of_key_columns
from ..data.frame_access import collected, column_of, columns_of
from ..data.rules import is_table
from ..errors import ArgumentTypeError, InputError, counted, inflected, shown
from ..results.answer import Answer
from ..results.lookup import check_one_each, first_ids, ids_without_nulls, rows_of_ids, warn
from .deduplicate import numbers_of_ids

LABELS = "labels"
MISSING = "drop", "self", "raise"
MAX_SHARE_LEFT_OUT = 0.1  # share of the true vertices that may be left out without a warning
LEAST_IS_BEST = "variation_of_information"
METRICS = (
    *("pairwise_precision", "pairwise_recall", "pairwise_f1"),
    *("bcubed_precision", "bcubed_recall", "bcubed_f1"),
    *("cluster_precision", "cluster_recall", "cluster_f1"),
    *(LEAST_IS_BEST, "adjusted_rand_index"),
)


@dataclass(frozen=True)
class Labelling:
    """The cluster of each id of a list.

    Attributes
    ----------
    ids : Column
        The k ids, of one or several columns.
    code : (k,) array of integers
        The cluster of each id, from 0; -1 for an id without a label.
    columns : list of columns
        The id columns that the caller passed; empty for an answer.
    """

    ids: Column
    code: Any
    columns: list[Any]


class Table(NamedTuple):
    """The nonzero cells of the contingency table of two labellings of n vertices.

    A cell is a cluster and a true cluster that share vertices.

    Attributes
    ----------
    cells : (c,) array of int64
        The number of vertices of each cell.
    found, truth : (c,) arrays of int64
        For each cell, the sizes of its cluster and of its true cluster.
    sizes, true_sizes : arrays of int64
        The sizes of all clusters, and of all true clusters.
    """

    cells: Array
    found: Array
    truth: Array
    sizes: Array
    true_sizes: Array

    @classmethod
    def of(cls, found: Array, truth: Array, backend: Backend) -> Table:
        """Return the table of n > 0 vertices, given the two clusters of each vertex."""
        xp = backend.xp
        # a key has the bits of a cluster, followed by ``bits`` bits of a true cluster
        bits = int(truth.max()).bit_length()
        keys = found.astype(np.int64)
        keys <<= bits
        keys |= truth
        keys.sort()
        # the last position of each key
        ends = xp.flatnonzero(xp.append(keys[1:] != keys[:-1], xp.ones(1, bool)))
        cells = xp.diff(ends, prepend=xp.full(1, -1, ends.dtype)).astype(np.int64, copy=False)
        keys = keys[ends]
        sizes, true_sizes = (
            backend.counts(codes, int(codes.max()) + 1).astype(np.int64) for codes in (found, truth)
        )
        sizes_of_cells = sizes[keys >> bits], true_sizes[keys & ((1 << bits) - 1)]
        return cls(cells, *sizes_of_cells, sizes[sizes > 0], true_sizes[true_sizes > 0])

    def scores(self, backend: Backend) -> dict[str, float]:
        """Return the scores: see :func:`cc_rapids.score_clusters`."""
        xp, cells = backend.xp, self.cells
        pairs_of_both, pairs, true_pairs = (
            int((sizes * (sizes - 1) // 2).sum()) for sizes in (cells, self.sizes, self.true_sizes)
        )
        shares = cells / self.found, cells / self.truth
        precision, recall = (float((cells * share).sum()) for share in shares)
        exact = int(((cells == self.found) & (cells == self.truth)).sum())
        # n times the sum of the conditional entropies of both labellings
        information = -float((cells * xp.log(shares[0] * shares[1])).sum())
        counts = pairs_of_both, pairs, true_pairs
        clusters = exact, int(self.sizes.size), int(self.true_sizes.size)
        sums = precision, recall, information
        return scores_of_sums(int(self.sizes.sum()), counts, clusters, sums)


def scores_of_sums(
    n: int,
    pairs: tuple[int, int, int],
    clusters: tuple[int, int, int],
    sums: tuple[float, float, float],
) -> dict[str, float]:
    """Return the scores of n vertices: see :func:`cc_rapids.score_clusters`.

    Parameters
    ----------
    pairs : (right, found, true)
        The number of vertex pairs inside one cluster: in both labellings, in the labelling, and in
        the truth.
    clusters : (right, found, true)
        The number of clusters: those that are equal in both labellings, those of the labelling, and
        those of the truth.
    sums : (precision, recall, information)
        B-cubed precision and recall and the variation of information, each summed over the
        vertices.
    """
    precision, recall = sums[0] / n, sums[1] / n
    return {
        **_ratios("pairwise", *pairs),
        "bcubed_precision": precision,
        "bcubed_recall": recall,
        "bcubed_f1": 2 * precision * recall / (precision + recall),
        **_ratios("cluster", *clusters),
        "variation_of_information": max(0.0, sums[2] / n),
        "adjusted_rand_index": adjusted_rand_index(*pairs, n),
    }


def _ratios(name: str, right: int, found: int, true: int) -> dict[str, float]:
    """Return precision, recall and F1 from counts; 1 instead of 0 / 0."""
    return {
        f"{name}_precision": right / found if found else 1.0,
        f"{name}_recall": right / true if true else 1.0,
        f"{name}_f1": 2 * right / (found + true) if found + true else 1.0,
    }


def adjusted_rand_index(right: int, found: int, true: int, n: int) -> float:
    """Return the adjusted Rand index of n vertices; only the last division rounds.

    The other arguments count the vertex pairs, as ``pairs`` of :func:`scores_of_sums`.
    """
    wrong, missed = found - right, true - right  # only in one cluster, only in one true cluster
    separate = n * (n - 1) // 2 - right - wrong - missed  # pairs that are in neither
    if not (wrong or missed):
        return 1.0
    return (
        2.0
        * (right * separate - missed * wrong)
        / ((right + missed) * (missed + separate) + (right + wrong) * (wrong + separate))
    )


def width_of_ids(clusters: Any) -> int | None:
    """Return the number of id columns of a frame with label columns; None for other arguments."""
    if not is_table(clusters):
        return None
    names = columns_of(clusters)
    label_names = _label_columns(names)
    return len(names) - len(label_names) if label_names else None


def _label_columns(names: list[Any]) -> list[Any]:
    """Return the names of the label columns: ``labels``, or names that end in ``_labels``."""
    return [name for name in names if str(name) == LABELS or str(name).endswith(f"_{LABELS}")]


def labelling_of(clusters: Any, name: str, width: int | None = None) -> Labelling:
    """Return the ids and clusters of an answer, a frame, or a pair of columns.

    ``name`` is the name of the argument in errors. ``width`` is the number of columns of an id; by
    default, all columns of a frame except the labels are ids, or the first if none is named so.
    """
    answer = getattr(clusters, "answer", None)
    if isinstance(answer, Answer):
        with answer.backend.scope():
            return Labelling(of_key_columns(answer.ids()), answer.dense, columns=[])
    is_named = hasattr(clusters, "_fields")  # a named tuple is a frame of arrays
    if isinstance(clusters, tuple) and not is_named and len(clusters) == 2:
        ids, labels = [clusters[0]], [clusters[1]]
    elif is_table(clusters):
        frame = clusters if isinstance(clusters, Mapping) else collected(clusters)
        names = columns_of(frame)
        named_labels = _label_columns(names)
        label_names = named_labels or names[width or 1 :]  # otherwise, the columns after the ids
        id_names = [column for column in names if column not in label_names]
        has_width = not width or len(id_names) == width
        if not (id_names and has_width and label_names):
            raise InputError(
                f"{name} has the columns {', '.join(map(str, names)) or 'none'}, but must have"
                " the columns of the ids, such as 'vertex', and then 'labels': select these columns"
            )
        if len(label_names) > 1 and not named_labels:
            raise InputError(
                f"the ids have {counted(len(id_names), 'column')}, but {name} has"
                f" {len(label_names)} other columns, {', '.join(map(str, label_names))}: select the"
                f" ids and the labels, {name}=frame[[id,label]] (--on and --label)"
            )
        ids = [column_of(frame, column) for column in id_names]
        labels = [column_of(frame, column) for column in label_names]
    else:
        raise ArgumentTypeError(
            f"{name} must be an answer, a frame of vertices and labels, or a pair of columns, not"
            f" {shown(clusters)}"
        )
    return _labelling(ids, labels, name)


def _labelling(ids: list[Any], labels: list[Any], name: str) -> Labelling:
    """Return the labelling of one or more id columns and one or more label columns.

    Rows have the same cluster if all their labels are equal; with a null label, they have none.
    """
    code, _ = coded(LABELS, labels[0], f"{name}=")
    for column in labels[1:]:
        column_code, values = coded(LABELS, column, f"{name}=")
        is_null = (code < 0) | (column_code < 0)
        code = code * len(values) + column_code
        code[is_null] = -1
    names = (f"{name} {k}" if k else name for k in range(len(ids)))
    column, mask = ids_without_nulls(dict(zip(names, ids, strict=True)))
    code = code if mask is None else code[mask]
    check_one_each(name, column.size, code.size, "label")
    return Labelling(column, code, columns=ids)


def _check_once(answer: Answer, rows: Array, name: str) -> None:
    """Raise an InputError if two of the ``rows`` of the answer that ``name`` lists are equal."""
    times = answer.backend.counts(rows, max(answer.forest.vertices, 1))
    if bool((times > 1).any()):
        vertex = answer.vertex(times.argmax().reshape(1))
        ids = of_key_columns([of("vertices", part) for part in vertex.values()])
        count = int((times > 1).sum())
        raise InputError(
            f"{counted(count, 'vertex', 'vertices')} of {name} {inflected(count, 'is', 'are')}"
            f" listed more than once, such as {first_ids(ids, [0])}: pass one label for each vertex"
        )


def codes_of_rows(answer: Answer, labelling: Labelling, name: str) -> Array:
    """Return the cluster of each row of an answer as int64; -1 for rows without a label."""
    backend, xp = answer.backend, answer.backend.xp
    with backend.scope():
        rows, known = rows_of_ids(answer, labelling.ids, "null")
        _check_once(answer, rows[known], name)
        code = xp.full(answer.forest.vertices, -1, np.int64)
        code[rows[known]] = backend.asarray(labelling.code)[known]
        return code


def check_missing(missing: Any) -> None:
    """Raise an InputError unless ``missing`` is a known policy or None."""
    if missing is not None:
        check_word("policy for vertices that are not in found, missing,", missing, MISSING)


def scores_of(
    answer: Answer,
    code: Any,
    other: Labelling,
    names: tuple[str, str] = ("found", "truth"),
    missing: str | None = None,
) -> dict[str, Any]:
    """Return the scores that compare clusters of the rows of an answer with another labelling.

    The parameters and errors are those of :func:`sides_of`.
    """
    with answer.backend.scope():
        sides, counts = sides_of(answer, code, other, names, missing)
        table = Table.of(sides["found"], sides["truth"], answer.backend)
        return counts | table.scores(answer.backend)


def sides_of(
    answer: Answer,
    code: Any,
    other: Labelling,
    names: tuple[str, str] = ("found", "truth"),
    missing: str | None = None,
) -> tuple[dict[str, Array], dict[str, int]]:
    """Return the cluster and the true cluster of each scored vertex, and the counts of vertices.

    With ``missing="self"``, vertices of the truth without a cluster come last, each in a new one.

    Parameters
    ----------
    code : (n,) array of integers
        The cluster of each row of the answer; -1 for a row without a cluster.
    other : Labelling
        The other clusters.
    names : ("found", "truth") or ("truth", "found")
        What ``code`` and ``other`` are, in this order.
    missing : {"drop", "self", "raise"}, optional
        See :func:`cc_rapids.score_clusters`.

    Raises
    ------
    InputError
        A vertex of ``other`` is listed twice, or no vertex is in both.
    """
    backend, xp = answer.backend, answer.backend.xp
    row_codes, other_codes = backend.asarray(code), backend.asarray(other.code)
    rows, known = rows_of_ids(answer, other.ids, "null")
    # for each vertex in both: its row in the answer, its position in ``other``, and both clusters
    positions, rows = xp.flatnonzero(known), rows[known]
    _check_once(answer, rows, names[1])
    of_rows, of_others = row_codes[rows], other_codes[positions]
    has_both = (of_rows >= 0) & (of_others >= 0)
    common = int(has_both.sum())
    if not common:
        raise InputError(f"no vertex is in both {names[0]} and {names[1]}: are ids spelled alike?")
    if common < int(has_both.size):
        of_rows, of_others = of_rows[has_both], of_others[has_both]
        rows, positions = rows[has_both], positions[has_both]
    pairs = zip(names, (row_codes, other_codes), strict=True)
    only = {name: int((codes >= 0).sum()) - common for name, codes in pairs}
    sides = dict(zip(names, (of_rows, of_others), strict=True))
    _check_left_out(missing, only["truth"], common)
    if missing == "self":
        if names[1] == "truth":  # ids outside the answer may repeat; rows of the answer do not
            _check_unknown_once(answer, other.ids, xp.flatnonzero(~known))
            true_codes, scored = other_codes, positions
        else:
            true_codes, scored = row_codes, rows
        is_unscored = true_codes >= 0
        is_unscored[scored] = False
        codes = true_codes[is_unscored]
        new_clusters = int(sides["found"].max()) + 1 + xp.arange(codes.size, dtype=np.int64)
        sides = {
            "found": xp.concatenate([sides["found"], new_clusters]),
            "truth": xp.concatenate([sides["truth"], codes]),
        }
    counts = {f"only_in_{name}": only[name] for name in ("found", "truth")}
    return sides, {"vertices": int(sides["found"].size)} | counts


def _check_left_out(missing: str | None, count: int, common: int) -> None:
    """Raise an InputError if ``count`` > 0 true vertices have no cluster and ``missing="raise"``.

    If ``missing`` is None and many are left out, warn. ``common`` true vertices have a cluster.
    """
    fact = f"found lacks {count:,} of the {count + common:,} vertices of truth"
    advice = "missing='self' makes each of these a cluster of its own"
    if missing == "raise" and count:
        raise InputError(f"{fact}: {advice}, and missing='drop' leaves out such vertices")
    if missing is None and count > MAX_SHARE_LEFT_OUT * (count + common):
        warn(f"{fact}, which are not scored: {advice}, and missing='drop' hides this warning")


def _check_unknown_once(answer: Answer, ids: Column, rows: Array) -> None:
    """Raise an InputError if truth lists an id twice in ``rows``; the answer has none of these."""
    if not rows.size:
        return
    numbers, size = numbers_of_ids(ids, rows, answer.backend)
    times = answer.backend.counts(numbers, size)[numbers]
    if bool((times > 1).any()):
        shown_ids = first_ids(ids, rows[times.argmax().reshape(1)])
        raise InputError(
            f"{counted(int((times > 1).sum()), 'row')} of truth list a vertex more than once, such"
            f" as {shown_ids}: pass one label for each vertex"
        )
