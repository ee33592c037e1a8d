"""The kinds of labels, each as a class.

A kind computes the label of each row and of each component of an answer, finds the component of a
label, and labels ids that are not in the answer. :data:`LABEL_KINDS` registers the kinds by their
public names. Other modules call methods of kinds, and never compare names. Components are numbered
0 .. k - 1 in the order of their least ids, and rows are sorted by id.
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
from ..ids.encode import bounds
from ..ids.range import type_of
from ..ids.strings import distinct, factorise, hashes_of, take_rows, where
from .answer import Answer, LabelKind
from .lookup import rows_of_ids, single_id


class IdLabels(LabelKind):
    """Labels that are ids: the label of a component is the id of one of its vertices."""

    is_id = True

    def columns(self, answer: Answer, name: str, labels: Array) -> dict[str, Any]:
        return answer.columns(name, labels)

    def find(self, answer: Answer, label: Any) -> int | None:
        if not is_single(label):
            return None
        column, ids = single_id(label), answer.given.src
        if len(answer) and not of_one_kind(ids, column):
            raise InputError(
                f"{id_shown(label)} cannot be a label of this answer, whose labels are"
                f" {ids.dtype}: pass a label that labels() returns"
            )
        rows, valid = rows_of_ids(answer, column, missing="null")
        if not bool(valid.all()):
            return None
        row = int(rows[0])
        return int(answer.dense[row]) if self.is_label(answer, row) else None

    @abstractmethod
    def is_label(self, answer: Answer, row: int) -> bool:
        """Return whether the id in a row of the answer is the label of its component."""

    def columns_of_ids(
        self,
        answer: Answer,
        column: Column,
        valid: Array,
        labels: Array,
        name: str,
        rows: Array | None,
    ) -> dict[str, Any]:
        """Return label columns in which the label of an unknown id is the id itself."""
        by_name, source = self.columns(answer, name, labels), answer.given.src
        known_labels = list(by_name.values())
        columns = labels_or_ids(column, valid, known_labels, source, rows, answer.backend)
        return dict(zip(by_name, columns, strict=True))


class MinLabels(IdLabels):
    """The least vertex id of the component."""

    name = "min"
    is_root = True

    def labels_of_rows(self, answer: Answer) -> Array:
        return answer.rows()[1]

    def vertices_and_labels(self, answer: Answer) -> tuple[Array, Array]:
        return answer.rows()

    def is_label(self, answer: Answer, row: int) -> bool:
        # numbered[0] has vertex + id_base, modulo 2^64
        vertex = (int(answer.numbered[0][row]) - answer.decoder.id_base) & ((1 << 64) - 1)
        return int(answer.forest.parent[vertex]) == vertex  # a root, which is the least vertex

    def of_component(self, answer: Answer, component: Array) -> Array:
        vertex, least = answer.rows()
        return vertex[vertex == least][component]


class MaxLabels(IdLabels):
    """The greatest vertex id of the component, which Lehr et al. (2022) call its owner."""

    name = "max"

    def labels_of_rows(self, answer: Answer) -> Array:
        return self.vertices_and_labels(answer)[1]

    def vertices_and_labels(self, answer: Answer) -> tuple[Array, Array]:
        vertex, _ = answer.rows()
        return vertex, vertex[answer.greatest_rows][answer.dense]

    def is_label(self, answer: Answer, row: int) -> bool:
        return int(answer.greatest_rows[answer.dense[row]]) == row

    def of_component(self, answer: Answer, component: Array) -> Array:
        return answer.rows()[0][answer.greatest_rows][component]


class NumberLabels(LabelKind):
    """Labels that are numbers, in one column."""

    @abstractmethod
    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return the label of each unknown id of a column.

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
        unknown = self.of_unknown(answer, column, ~valid)
        dtype = np.promote_types(labels.dtype, unknown.dtype)
        numbers = answer.backend.xp.empty(valid.size, dtype)
        numbers[~valid] = unknown
        if labels.size:
            numbers[valid] = labels[valid]
        return {name: numbers if rows is None else numbers[rows]}


class PlaceLabels(NumberLabels):
    """Labels 0 .. k - 1 in an order of the components.

    Their type is int32 as in SciPy, or int64 if there are too many components.
    """

    def labels_of_rows(self, answer: Answer) -> Array:
        return self.of_component(answer, answer.dense)

    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return the labels k, k + 1, ... in the order of the ids; equal ids get equal labels."""
        ranks = ranks_of_unknown(column, unknown, answer.backend)
        greatest = len(answer) + (int(ranks.max()) if ranks.size else 0)
        return (ranks + len(answer)).astype(np.int32 if greatest < 1 << 31 else np.int64)


class DenseLabels(PlaceLabels):
    """Labels 0 .. k - 1 in the order of the least ids, as in SciPy."""

    name = "dense"

    def of_component(self, answer: Answer, component: Array) -> Array:
        return answer.as_integers(component)

    def find(self, answer: Answer, label: Any) -> int | None:
        return int(label) if is_below(label, len(answer)) else None


class SizeLabels(PlaceLabels):
    """Labels 0 .. k - 1 in the order of the sizes, the largest component first.

    Components of equal size are in the order of the least ids.
    """

    name = "size"

    def of_component(self, answer: Answer, component: Array) -> Array:
        return answer.as_integers(answer.place[component])

    def find(self, answer: Answer, label: Any) -> int | None:
        return int(answer.by_size[label]) if is_below(label, len(answer)) else None


class FingerprintLabels(NumberLabels):
    """Labels that are a 64-bit hash of the vertex set of the component.

    Equal sets have equal labels in any answer. The label does not depend on the order of the rows,
    the engine, the library of the frames, or the width of the integers. Among k components, the
    probability that two different sets have the same label is about k^2 / 2^65. The hash is not
    cryptographic: with chosen ids, two sets can have the same label.
    """

    name = "fingerprint"

    @property
    def audited_as(self) -> str:
        return "any"  # this rule checks that components have different labels, and hashes no ids

    def labels_of_rows(self, answer: Answer) -> Array:
        return self._fingerprints(answer)[answer.dense]

    def of_component(self, answer: Answer, component: Array) -> Array:
        return self._fingerprints(answer)[component]

    def find(self, answer: Answer, label: Any) -> int | None:
        if not is_below(label, 1 << 64):
            return None
        components = answer.backend.xp.flatnonzero(self._fingerprints(answer) == np.uint64(label))
        return int(components[0]) if components.size else None

    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return the label of a component of one vertex for each unknown id."""
        hashes = hashes_of_ids(column, answer.backend)[unknown]
        return fingerprints(hashes, answer.backend.xp.ones(hashes.size, np.int64))

    def _fingerprints(self, answer: Answer) -> Array:
        """Return the label of each component, from the sum of the hashes of its vertices."""
        xp, backend = answer.backend.xp, answer.backend
        hashes = hashes_of_ids(of_key_columns(answer.ids()), backend)
        # With vertices sorted by component, each sum is a difference of two running sums, mod 2^64.
        running = xp.cumsum(hashes[xp.argsort(answer.dense, kind="stable")], dtype=np.uint64)
        sums = running[xp.cumsum(answer.counts) - 1]  # at the last vertex of each component
        sums[1:] -= sums[:-1].copy()  # a copy, because the subtraction changes ``sums``
        return fingerprints(sums, answer.counts)


LABEL_KINDS: dict[str, LabelKind] = {
    kind.name: kind
    for kind in (MinLabels(), MaxLabels(), DenseLabels(), SizeLabels(), FingerprintLabels())
}


#: The default kind of labels, by whether ids have several columns.
DEFAULT_KINDS = {False: LABEL_KINDS["min"], True: LABEL_KINDS["dense"]}


def check_labels(name: str) -> LabelKind:
    """Return the kind of labels that has a name; raise an InputError if the name is unknown."""
    return LABEL_KINDS[check_word("labels", name, LABEL_KINDS)]


def is_below(label: Any, count: int) -> bool:
    """Return whether a label is one of the integers 0 .. count - 1."""
    is_integer = isinstance(label, int | np.integer) and not isinstance(label, bool)
    return is_integer and 0 <= int(label) < count


def ranks_of_unknown(column: Column, unknown: Array, backend: Backend) -> Array:
    """Return the rank of each unknown id among the distinct unknown ids, to number new labels.

    ``unknown`` is a mask of the ids. Composite ids are ranked lexicographically.
    """
    xp, ranks = backend.xp, None
    if not bool(unknown.any()):
        return backend.empty(0, np.int64)
    with column.borrow() as borrowed:
        for part, ids in borrowed_columns(column, borrowed):
            if part.strings:
                strings = rows_of(ids, unknown, backend)
                # codes are ranks; no string is converted, so any to_native will do
                (codes,), _ = factorise([strings], Column.to_native, backend)
                part_ranks = backend.asarray(codes).astype(np.int64)
            else:
                part_ranks = xp.unique(backend.asarray(ids)[unknown], return_inverse=True)[1]
            if ranks is not None:  # sort by the earlier key columns first
                part_ranks = ranks * (int(part_ranks.max()) + 1) + part_ranks
            ranks = xp.unique(part_ranks, return_inverse=True)[1]
    return ranks


def labels_or_ids(
    column: Column,
    valid: Array,
    labels: list[Any],
    source: Column,
    rows: Array | None,
    backend: Backend,
) -> list[Any]:
    """Return the label of each id of a column; the label of an unknown id is the id itself.

    Parameters
    ----------
    column : Column
        The m ids.
    valid : (m,) array of bool
        True for the ids that are vertices of the answer.
    labels : list of (m,) arrays or text columns
        The labels, one item per key column, as in the result. Values of unknown ids are ignored.
        Arrays are empty if the answer has no vertex.
    source : Column
        The sources of the answer's edges. String labels are returned in the same kind of column.
    rows : (r,) array of int64, optional
        The rows of ``column`` to return. Defaults to all rows.

    Raises
    ------
    ColumnTypeError
        No integer type represents both labels and ids.
    """
    columns = []
    with column.borrow() as borrowed:
        source_parts = source.key_columns or (source,)
        parts = zip(borrowed_columns(column, borrowed), labels, source_parts, strict=True)
        for (part, ids), label, source_part in parts:
            if part.strings:
                if len(label):
                    with of("labels", label).borrow() as strings:
                        ids = where(valid, strings, ids, backend)
                ids = ids if rows is None else take_rows(ids, rows, backend)
                categories = partial(distinct, ids)
                columns.append(source_part.to_native(ids, categories))
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


SALT, NEGATIVE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mixed(values: Array) -> Array:
    """Return a hash of each uint64 as a new array; the bits are mixed as in SplitMix64."""
    values = values + SALT
    values = (values ^ (values >> np.uint64(30))) * MIX_1
    values = (values ^ (values >> np.uint64(27))) * MIX_2
    return values ^ (values >> np.uint64(31))


def hashes_of_ids(column: Column, backend: Backend) -> Array:
    """Return a uint64 hash of each id of a column; equal ids of any types have equal hashes."""
    hashes = None
    with column.borrow() as borrowed:
        for part, part_ids in borrowed_columns(column, borrowed):
            if part.strings:
                part_hashes = hashes_of(part_ids, backend)
            else:
                ids = backend.asarray(part_ids)
                # NEGATIVE makes the hashes of -1 and of 2^64 - 1 differ, which have the same bits
                part_hashes = mixed(
                    ids.astype(np.uint64) ^ backend.xp.where(ids < 0, NEGATIVE, np.uint64(0))
                )
            hashes = part_hashes if hashes is None else mixed(hashes) + part_hashes
    assert hashes is not None
    return mixed(hashes)


def fingerprints(sums: Array, counts: Array) -> Array:
    """Return the fingerprints of vertex sets, given the sum of the hashes and the size of each."""
    return mixed(sums ^ mixed(counts.astype(np.uint64)))
