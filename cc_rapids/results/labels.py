"""Kinds of labels, one class each.

A kind has a public name; it labels the rows of an answer and its components, finds the component of
a label, and labels vertices that are not in the answer. Other modules take kinds from
:data:`LABEL_KINDS`, where a new kind is registered, and call their methods; they never compare
names. An answer keeps its components in the order of their least ids, by which they are numbered
0 .. k - 1 here, and its rows in the order of the ids.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.arguments import check_word
from ..data.column import Column, borrowed_columns, of, of_key_columns
from ..data.frame_access import is_single, of_one_kind, rows_of
from ..errors import InputError, id_shown
from ..ids.range import bounds, type_of
from ..ids.strings import different, factorise, hashes_of, take_rows, where
from .answer import Answer, LabelKind
from .lookup import rows_of_ids, single_id


class IdLabels(LabelKind):
    """Labels that are ids: each component is named by one of its vertices."""

    is_id = True

    def columns(self, answer: Answer, name: str, labels: Array) -> dict[str, Any]:
        return answer.columns(name, labels)

    def find(self, answer: Answer, label: Any) -> int | None:
        if not is_single(label):
            return None
        column, ids = single_id(label), answer.given.src
        if len(answer) and not of_one_kind(ids, column):
            raise InputError(
                f"label {id_shown(label)} cannot be one of this answer, whose labels are"
                f" {ids.dtype}: pass one as labels() returns them"
            )
        rows, valid = rows_of_ids(answer, column, "null")
        if not bool(valid.all()):
            return None
        row = int(rows[0])
        return int(answer.dense[row]) if self.is_named_by(answer, row) else None

    @abstractmethod
    def is_named_by(self, answer: Answer, row: int) -> bool:
        """Return whether the id of a row is the label of its component."""

    def columns_of_ids(
        self,
        answer: Answer,
        column: Column,
        valid: Array,
        labels: Array,
        name: str,
        rows: Array | None,
    ) -> dict[str, Any]:
        """Return labels, and for unknown ids the ids themselves."""
        names = [f"{k}_{name}" for k in range(len(column.key_columns))] or [name]
        values = list(self.columns(answer, name, labels).values())
        columns = ids_or_own(column, valid, values, answer.given.src, rows, answer.backend)
        return dict(zip(names, columns, strict=True))


class MinLabels(IdLabels):
    """The least vertex id of the component."""

    name = "min"
    is_root = True

    def rows(self, answer: Answer) -> Array:
        return answer.rows()[1]

    def vertices_and_rows(self, answer: Answer) -> tuple[Array, Array]:
        return answer.rows()

    def is_named_by(self, answer: Answer, row: int) -> bool:
        vertex = (int(answer.numbered[0][row]) - answer.decoder.id_base) & ((1 << 64) - 1)
        return int(answer.forest.parent[vertex]) == vertex

    def of_component(self, answer: Answer, component: Array) -> Array:
        vertex, least = answer.rows()
        return vertex[vertex == least][component]


class MaxLabels(IdLabels):
    """The greatest vertex id of the component, its owner in Lehr et al. 2022."""

    name = "max"

    def rows(self, answer: Answer) -> Array:
        return self.vertices_and_rows(answer)[1]

    def vertices_and_rows(self, answer: Answer) -> tuple[Array, Array]:
        vertex, _ = answer.rows()
        return vertex, vertex[answer.last][answer.dense]

    def is_named_by(self, answer: Answer, row: int) -> bool:
        return int(answer.last[answer.dense[row]]) == row

    def of_component(self, answer: Answer, component: Array) -> Array:
        return answer.rows()[0][answer.last][component]


class NumberLabels(LabelKind):
    """Labels that are numbers, in one column."""

    @abstractmethod
    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return labels for the unknown ids of a column, in their order.

        Parameters
        ----------
        unknown : (m,) array of bool
            True for the ids that are not vertices of the answer.
        """

    def columns(self, answer: Answer, name: str, labels: Array) -> dict[str, Any]:
        return {name: labels}

    def columns_of_ids(
        self,
        answer: Answer,
        column: Column,
        valid: Array,
        labels: Array,
        name: str,
        rows: Array | None,
    ) -> dict[str, Any]:
        more = self.of_unknown(answer, column, ~valid)
        numbers = answer.backend.xp.empty(valid.size, np.promote_types(labels.dtype, more.dtype))
        numbers[~valid] = more
        if labels.size:
            numbers[valid] = labels[valid]
        return {name: numbers if rows is None else numbers[rows]}


class PlaceLabels(NumberLabels):
    """Labels 0 .. k - 1, ranks of components in an order; int32, as in SciPy, if they fit."""

    def rows(self, answer: Answer) -> Array:
        return self.of_component(answer, answer.dense)

    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return k, k + 1, ... in the order of the ids, equal ids alike."""
        more = numbers_alone(column, unknown, answer.backend)
        last = len(answer) + (int(more.max()) if more.size else 0)
        return (more + len(answer)).astype(np.int32 if last < 1 << 31 else np.int64)


class DenseLabels(PlaceLabels):
    """0 .. k - 1 in the order of the least ids, like SciPy's labels."""

    name = "dense"

    def of_component(self, answer: Answer, component: Array) -> Array:
        return answer.small(component)

    def find(self, answer: Answer, label: Any) -> int | None:
        return int(label) if is_below(label, len(answer)) else None


class SizeLabels(PlaceLabels):
    """0 for the largest component, then 1, ...; ties in the order of the least ids."""

    name = "size"

    def of_component(self, answer: Answer, component: Array) -> Array:
        return answer.small(answer.place[component])

    def find(self, answer: Answer, label: Any) -> int | None:
        return int(answer.by_size[label]) if is_below(label, len(answer)) else None


class FingerprintLabels(NumberLabels):
    """A 64-bit hash of the set of the component's vertices, which changes only with that set.

    The same ids give the same label in any answer, whatever the order of the rows, the engine, the
    library of the frame and the width of the integers. Two different sets have the same label as
    rarely as two random 64-bit numbers are equal: among k components in all compared answers, with
    a probability of about k^2 / 2^65. It does not protect against ids chosen to collide.
    """

    name = "fingerprint"

    @property
    def audited_as(self) -> str:
        return "any"  # that labels differ where components do; no hash is made again

    def rows(self, answer: Answer) -> Array:
        return self._fingerprints(answer)[answer.dense]

    def of_component(self, answer: Answer, component: Array) -> Array:
        return self._fingerprints(answer)[component]

    def find(self, answer: Answer, label: Any) -> int | None:
        if not is_below(label, 1 << 64):
            return None
        rows = answer.backend.xp.flatnonzero(self._fingerprints(answer) == np.uint64(label))
        return int(rows[0]) if rows.size else None

    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return the labels of components of one vertex each."""
        hashes = hashes_of_ids(column, answer.backend)[unknown]
        return fingerprints(hashes, answer.backend.xp.ones(hashes.size, np.int64))

    def _fingerprints(self, answer: Answer) -> Array:
        """Return the label of each component: the sum of its vertices' hashes.

        They are in no particular order.
        """
        xp, backend = answer.backend.xp, answer.backend
        ids = hashes_of_ids(of_key_columns(answer.ids()), backend)
        running = xp.cumsum(ids[xp.argsort(answer.dense, kind="stable")], dtype=np.uint64)
        sums = running[xp.cumsum(answer.counts) - 1]
        sums[1:] -= sums[:-1].copy()
        return fingerprints(sums, answer.counts)


LABEL_KINDS: dict[str, LabelKind] = {
    kind.name: kind
    for kind in (MinLabels(), MaxLabels(), DenseLabels(), SizeLabels(), FingerprintLabels())
}


def check_labels(name: str) -> LabelKind:
    """Return the named kind of labels; raise an InputError with the nearest names if unknown.

    Examples
    --------
    >>> check_labels("dense").is_id
    False
    """
    return LABEL_KINDS[check_word("labels", name, LABEL_KINDS)]


def is_below(label: Any, count: int) -> bool:
    """Return whether a label is an integer of 0 .. count - 1."""
    whole = isinstance(label, int | np.integer) and not isinstance(label, bool)
    return whole and 0 <= int(label) < count


def numbers_alone(column: Column, is_alone: Array, backend: Backend) -> Array:
    """Return 0, 1, ... for the sorted isolated ids of a column; equal ids get equal numbers."""
    xp, ranks = backend.xp, None
    if not bool(is_alone.any()):
        return backend.empty(0, np.int64)
    with column.borrow() as borrowed:
        for part, ids in borrowed_columns(column, borrowed):
            if part.strings:
                words = rows_of(ids, is_alone, backend)
                codes = factorise([words], Column.to_native, backend)[0][0]
                rank = backend.asarray(codes).astype(np.int64)
            else:
                rank = xp.unique(backend.asarray(ids)[is_alone], return_inverse=True)[1]
            if ranks is not None:  # columns compare one after the other
                ranks = ranks * (int(rank.max()) + 1)
            both = rank if ranks is None else ranks + rank
            ranks = xp.unique(both, return_inverse=True)[1]
    return ranks


def ids_or_own(
    column: Column,
    valid: Array,
    labels: list[Any],
    given: Column,
    rows: Array | None,
    backend: Backend,
) -> list[Any]:
    """Return for each id of a column its label, or the id itself if it is unknown.

    Parameters
    ----------
    column : Column
        The ids.
    valid : (m,) array of bool
    labels : list of (m,) arrays, or columns of strings of the caller's kind
        The label of each known id, any value for others; empty if the answer has no vertex.
    given : Column
        A column of the answer's edges, which converts ids to the caller's kind.
    rows : array of int64, optional
        The rows that are wanted; by default all.

    Returns
    -------
    list of arrays of the type that labels and ids fit, and columns of strings of the caller's kind

    Raises
    ------
    ColumnTypeError
        No type of integers holds both.
    """
    columns = []
    with column.borrow() as borrowed:
        pairs = zip(
            borrowed_columns(column, borrowed), labels, given.key_columns or (given,), strict=True
        )
        for (part, ids), label, like in pairs:
            if part.strings:
                columns.append(_words_or_own(ids, valid, label, like, rows, backend))
                continue
            ids_of_rows = backend.asarray(ids)
            dtype = type_of(
                (label.dtype, ids_of_rows.dtype), *bounds([label, ids_of_rows], backend)
            )
            values = ids_of_rows.astype(dtype)
            if label.size:
                values = backend.xp.where(valid, label.astype(dtype), values)
            columns.append(values if rows is None else values[rows])
    return columns


def _words_or_own(
    ids: Any, valid: Array, label: Any, like: Column, rows: Array | None, backend: Backend
) -> Any:
    if len(label):
        with of("labels", label).borrow() as words:
            ids = where(valid, words, ids, backend)
    ids = ids if rows is None else take_rows(ids, rows, backend)
    return like.to_native(ids, partial(different, ids))


SALT, NEGATIVE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mixed(words: Array) -> Array:
    """Mix the bits of 64-bit words as in SplitMix64."""
    words = words + SALT
    words = (words ^ (words >> np.uint64(30))) * MIX_1
    words = (words ^ (words >> np.uint64(27))) * MIX_2
    return words ^ (words >> np.uint64(31))


def hashes_of_ids(column: Column, backend: Backend) -> Array:
    """Return a hash of the value of each id of a column, independent of its type."""
    hashes = None
    with column.borrow() as borrowed:
        for part, part_ids in borrowed_columns(column, borrowed):
            if part.strings:
                part_hashes = hashes_of(part_ids, backend)
            else:
                ids = backend.asarray(part_ids)
                # -1 and 2^64 - 1 have the same bits
                part_hashes = mixed(
                    ids.astype(np.uint64) ^ backend.xp.where(ids < 0, NEGATIVE, np.uint64(0))
                )
            hashes = part_hashes if hashes is None else mixed(hashes) + part_hashes
    assert hashes is not None
    return mixed(hashes)


def fingerprints(sums: Array, counts: Array) -> Array:
    """Return the fingerprints of sets, from their sizes and the sums of their hashes."""
    return mixed(sums ^ mixed(counts.astype(np.uint64)))
