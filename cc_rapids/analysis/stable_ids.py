"""Component numbers that persist from one answer to the next, and their changes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from hashlib import blake2b
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data import html
from ..data.arguments import check_count, check_path, check_word
from ..data.column import Column, of, of_key_columns
from ..data.dtypes import is_integer
from ..data.frame_access import check_columns, column_of, columns_of, frame_in_memory, numbers_of
from ..data.frame_kind import describe_frames
from ..errors import ColumnTypeError, FormatError, InputError, NullsError, counted, inflected
from ..graph.sorting import begins, first_of, order_of
from ..keywords import suggest_keywords_of_methods
from ..results.answer import Answer, ComponentsT
from ..results.labels import NumberLabels, check_labels, ranks_of_unknown
from ..results.lookup import check_one_each, ids_in_frame, rows_of_ids
from ..results.preview import preview
from ..results.written import arrow_of
from .deduplicate import numbers_of_ids

if TYPE_CHECKING:
    import pyarrow as pa

    from ..verify.numbers import Numbered, NumbersAudit

FORMAT = "cc_rapids stable ids 2"
METADATA = b"cc_rapids"  # the key of the Parquet metadata
MAX_NUMBER = np.iinfo(np.int64).max
NULLS_REMEDY = "drop rows with a null, or fill the nulls first"


class StableChanges(NamedTuple):
    """The changes of the numbers between two answers, as five frames of the caller's kind.

    Attributes
    ----------
    splits, merges : frame, columns ``before``, ``after`` and ``shared``, int64
        For each previous component that is now in several components, ``splits`` has one row per
        current component. For each component that was in several previous components, ``merges``
        has one row per previous component. ``before`` and ``after`` are the numbers of the previous
        and the current component, and ``shared`` counts the members of both.
    births, deaths : frame, columns ``labels`` and ``size``, int64
        The new numbers with the number of current members, and the retired numbers with the number
        of previous members.
    sizes : frame, columns ``labels``, ``before`` and ``after``, int64
        The kept numbers whose member count changed, and the member counts in both answers. A
        component that grows without a merge is only in ``sizes``.
    """

    splits: Any
    merges: Any
    births: Any
    deaths: Any
    sizes: Any


class StableLabels(NumberLabels):
    """Labels of :class:`StableIds`.

    ``numbers`` has the number of each component, in the order of the least ids, and ``next_id`` is
    the least number that was never used.
    """

    numbers: Array
    next_id: int

    name = "stable"
    is_saved = False

    def __init__(self, numbers: Array, next_id: int) -> None:
        self.numbers, self.next_id = numbers, next_id

    @property
    def audited_as(self) -> str:
        return "any"  # any distinct numbers are right, because edges do not determine them

    def labels_of_rows(self, answer: Answer) -> Array:
        return self.numbers[answer.dense]

    def of_component(self, answer: Answer, component: Array) -> Array:
        return self.numbers[component]

    def find(self, answer: Answer, label: Any) -> int | None:
        if not isinstance(label, int | np.integer) or not 0 <= int(label) <= MAX_NUMBER:
            return None
        rows = answer.backend.xp.flatnonzero(self.numbers == int(label))
        return int(rows[0]) if rows.size else None

    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return new numbers in the order of the ids; equal ids get equal numbers."""
        return ranks_of_unknown(column, unknown, answer.backend).astype(np.int64) + self.next_id


@dataclass(frozen=True)
class Previous:
    """The vertices of a previous answer, and their numbers.

    Attributes
    ----------
    ids : Column, optional
        The distinct vertices; None if there are no vertices.
    numbers : (m,) array of int64
        The number of each vertex.
    next_id : int
        The least number that was never used.
    """

    ids: Column | None
    numbers: Array
    next_id: int


@dataclass(frozen=True)
class Step:
    """The pairs of a previous and a current component that have common members.

    Attributes
    ----------
    former, sizes : (j,) arrays of int64
        The previous numbers, ascending, and the vertex count of each previous component.
    before, after, shared : (p,) arrays of int64
        For each pair, the index of the previous number in ``former``, the index of the current
        component, and the count of common members. Pairs are sorted by ``before``, then by
        ``after``.
    """

    former: Array
    sizes: Array
    before: Array
    after: Array
    shared: Array


def _by_majority(former: Array, shared: Array) -> Array:
    return -shared


def _by_largest(former: Array, shared: Array) -> Array:
    return -former


def _by_least(former: Array, shared: Array) -> Array:
    return former


# A policy returns a sort key for each pair, from the index of the previous number and the count of
# common members. Of the numbers that a component inherits, it keeps the number with the least key.
POLICIES: dict[str, Callable[[Array, Array], Array]] = {
    "majority": _by_majority,
    "largest": _by_largest,
    "least": _by_least,
}


@dataclass(frozen=True)
class Numbers:
    """Numbers of the components of an answer.

    Attributes
    ----------
    answer : Answer
        The answer with the numbers as labels.
    numbers, next_id
        See :class:`StableLabels`.
    step : Step, optional
        The common members with previous components; None if the numbers were loaded from a file.
    first_birth : int
        The least number that new components could get.
    """

    answer: Answer
    numbers: Array
    next_id: int
    step: Step | None = None
    first_birth: int = 0

    @classmethod
    def of(
        cls,
        answer: Answer,
        numbers: Array,
        next_id: int,
        step: Step | None = None,
        first_birth: int = 0,
    ) -> Numbers:
        """Return the numbers of an answer, with a copy of the answer whose labels they are."""
        labelled = copy(answer)
        labelled.kind = StableLabels(numbers, next_id)
        return cls(labelled, numbers, next_id, step, first_birth)


def number(answer: Answer, previous: Any, policy: str, next_id: Any) -> Numbers:
    """Return the numbers of an answer's components: see :meth:`Components.stable_ids`."""
    check_word("policy", policy, POLICIES)
    with answer.backend.scope():
        earlier = _previous(answer, previous, next_id)
        step = _step(answer, earlier)
        count = int(answer.counts.size)
        numbers = _numbers(step, policy, count, earlier.next_id, answer.backend)
        births = count - int((numbers < earlier.next_id).sum())
    return Numbers.of(answer, numbers, earlier.next_id + births, step, earlier.next_id)


def _step(answer: Answer, previous: Previous) -> Step:
    """Return the pairs of previous and current components with common members."""
    backend, xp = answer.backend, answer.backend.xp
    former, former_index = xp.unique(previous.numbers, return_inverse=True)
    sizes = backend.counts(former_index, int(former.size)).astype(np.int64)
    if previous.ids is None or not answer.forest.vertices:
        no_pairs = xp.zeros(0, np.int64)
        return Step(former, sizes, before=no_pairs, after=no_pairs, shared=no_pairs)
    rows, is_common = rows_of_ids(answer, previous.ids, missing="null")
    before = former_index[is_common].astype(np.int64)
    after = answer.dense[rows[is_common]].astype(np.int64)
    order = order_of([before, after], xp)
    before, after = before[order], after[order]
    starts = xp.flatnonzero(begins([before, after], xp))
    shared = xp.diff(xp.concatenate([starts, xp.full(1, before.size, starts.dtype)]))
    return Step(former, sizes, before[starts], after[starts], shared.astype(np.int64))


def _numbers(step: Step, policy: str, count: int, next_id: int, backend: Backend) -> Array:
    """Return the number of each of ``count`` components, in the order of the least ids."""
    xp = backend.xp
    # The heir of a previous number is the component that has most of the number's members. Of the
    # numbers that a component inherits, the policy chooses one.
    heirs = first_of(step.before, -step.shared, xp)
    before, after, shared = (part[heirs] for part in (step.before, step.after, step.shared))
    chosen = first_of(after, POLICIES[policy](before, shared), xp)
    born = xp.ones(count, bool)
    born[after[chosen]] = False
    births = xp.flatnonzero(born)
    if next_id > MAX_NUMBER - births.size:
        raise InputError(
            f"the numbers of {counted(births.size, 'new component')}, from {next_id:,} upwards,"
            " would exceed the greatest int64: number all components anew, without previous="
        )
    numbers = xp.empty(count, np.int64)
    numbers[after[chosen]] = step.former[before[chosen]]
    numbers[births] = next_id + xp.arange(births.size, dtype=np.int64)
    return numbers


def _previous(answer: Answer, previous: Any, next_id: Any) -> Previous:
    """Return the argument ``previous`` as numbered vertices, with the numbers on the backend."""
    backend = answer.backend
    if isinstance(previous, str | os.PathLike):
        previous = load(previous)
    # ``counter`` is the next_id of ``previous``; None if it has none
    ids, numbers, counter = None, backend.xp.zeros(0, np.int64), None
    if isinstance(previous, Numbers | NumberedComponents):
        saved = previous if isinstance(previous, Numbers) else previous.numbers
        former, counter = saved.answer, saved.next_id
        with former.backend.scope():
            ids = of_key_columns(former.ids()) if former.forest.vertices else None
            numbers = saved.numbers[former.dense]
        numbers = backend.asarray(numbers)
    elif hasattr(type(previous), "stable_ids"):  # on the type: columns of frames are attributes
        raise InputError(
            f"previous is a {type(previous).__name__}, whose components have labels, not numbers:"
            " pass the result of its stable_ids()"
        )
    elif previous is not None:
        ids, numbers, counter = _of_frame(answer, previous)
    if next_id is None:
        if counter is None and previous is not None:
            raise InputError(
                "a frame does not list retired numbers: pass the StableIds, or the path of their"
                " file, or next_id=, greater than every number ever used"
            )
        return Previous(ids, numbers, counter or 0)
    next_id = check_count("next_id", next_id)
    least = counter or 0
    if numbers.size:
        least = max(least, int(numbers.max()) + 1)
    if next_id < least:
        raise InputError(f"next_id={next_id:,} may already be used: pass at least {least:,}")
    return Previous(ids, numbers, next_id)


def _of_frame(answer: Answer, frame: Any) -> tuple[Column | None, Array, int | None]:
    """Return the ids and numbers of the vertices in a frame, and the next_id in its metadata.

    The ids are None if there are no vertices. Only tables of saved files have the metadata.
    """
    backend = answer.backend
    frame = frame._asdict() if hasattr(frame, "_asdict") else frame_in_memory(frame)
    ids = _names_of_ids(answer, columns_of(frame))
    advice = "name the columns as StableIds.labels() does"
    check_columns(frame, [*ids, "labels"], "in the previous numbers", advice)
    column, _ = ids_in_frame(answer, frame, ids, "raise", NULLS_REMEDY)
    numbers = _checked_numbers(column_of(frame, "labels"), backend)
    check_one_each("previous", column.size, numbers.size, "number")
    if column.size:
        id_codes, bound = numbers_of_ids(column, backend.xp.arange(column.size), backend)
        distinct = int((backend.counts(id_codes, bound) > 0).sum())
        if repeated := column.size - distinct:
            raise InputError(
                f"{counted(repeated, 'row')} of {column.size:,} in previous name a vertex again:"
                " keep one row for each vertex"
            )
    has_metadata = hasattr(type(frame), "column_names")  # a PyArrow table
    metadata = (frame.schema.metadata or {}) if has_metadata else {}
    counter = _header_of(metadata)["next_id"] if METADATA in metadata else None
    return column if column.size else None, numbers, counter


def _checked_numbers(column: Any, backend: Backend) -> Array:
    """Return a column of numbers as int64 on a backend; raise an error if it is not valid."""
    values, valid = numbers_of(column, "the numbers in column 'labels' of previous")
    missing = values.size - int(valid.sum())
    if missing:
        raise NullsError(
            f"{missing:,} of {values.size:,} numbers in column 'labels' of previous"
            f" {inflected(missing, 'is', 'are')} null: {NULLS_REMEDY}"
        )
    if not is_integer(values.dtype):
        raise ColumnTypeError(
            f"the numbers in column 'labels' of previous are {values.dtype} ({values.size:,}"
            " values): cast them to int64 first"
        )
    values = backend.asarray(values)
    if values.size and (int(values.min()) < 0 or int(values.max()) >= MAX_NUMBER):
        raise InputError(
            f"the numbers in column 'labels' of previous, from {int(values.min()):,} to"
            f" {int(values.max()):,}, must be at least 0 and below 2^63 - 1: number them anew"
        )
    return values.astype(np.int64)


@suggest_keywords_of_methods
class NumberedComponents(Generic[ComponentsT]):
    """Numbers of the components of an answer: see :class:`cc_rapids.StableIds`."""

    components: ComponentsT
    next_id: int

    def __init__(self, components: ComponentsT, numbers: Numbers) -> None:
        self.components, self.next_id = components, numbers.next_id
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.components.answer)

    def __repr__(self) -> str:
        vertices = counted(self.components.answer.forest.vertices, "vertex", "vertices")
        return (
            f"<StableIds: {counted(len(self), 'component')} of {vertices}, the next number is"
            f" {self.next_id:,}>"
        )

    def _repr_html_(self) -> str:
        facts = {
            "components": len(self),
            "vertices": self.components.answer.forest.vertices,
            "next number": self.next_id,
        }
        return html.panel("StableIds", html.facts(facts), preview(self.components.answer))

    def labels(self) -> Any:
        """Return the number of each vertex's component.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels`` (int64)
            One row per vertex, sorted by id. Composite ids have their own column names, as in
            :meth:`Components.labels`.

        See Also
        --------
        StableIds.save : Write this frame with the counter.
        """
        return self.components.answer.label_frame()

    def changes(self) -> StableChanges:
        """Return how the components changed since the previous numbers.

        Returns
        -------
        StableChanges
            ``splits`` are sorted by the previous and then by the current component, and ``merges``
            by the current and then by the previous component. ``births``, ``deaths`` and ``sizes``
            are sorted by number. If a part keeps the number of its previous component, the number
            is in ``splits`` but not in ``deaths``. A number that was merged into another number is
            in both ``merges`` and ``deaths``. Components of one vertex, such as records without a
            match, are included: select ``births[births["size"] > 1]`` for new groups.

        Raises
        ------
        InputError
            The numbers were loaded from a file, which does not store changes.

        See Also
        --------
        Components.stable_ids : Number the components of an answer.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> frame = pd.DataFrame({"src": [1, 2, 7], "dst": [2, 3, 8]})
        >>> monday = cc_rapids.components(frame).stable_ids()
        >>> frame = pd.DataFrame({"src": [1, 3], "dst": [2, 7]})
        >>> changes = cc_rapids.components(frame).stable_ids(monday).changes()
        >>> changes.splits
           before  after  shared
        0       0      0       2
        1       0      1       1
        >>> changes.merges
           before  after  shared
        0       0      1       1
        1       1      1       1
        >>> len(changes.births), len(changes.deaths)
        (0, 0)
        >>> changes.sizes
           labels  before  after
        0       0       3      2
        """
        step, answer = self.numbers.step, self.components.answer
        if step is None:
            raise InputError(
                "a file stores numbers without their changes: call changes() of the StableIds that"
                " stable_ids() returned"
            )
        backend, numbers = answer.backend, self.numbers.numbers
        with backend.scope():
            xp, counts = backend.xp, answer.counts.astype(np.int64)
            part_counts = backend.counts(step.before, int(step.former.size))[step.before]
            split_pairs = xp.flatnonzero(part_counts > 1)
            source_counts = backend.counts(step.after, len(self))[step.after]
            merged_pairs = xp.flatnonzero(source_counts > 1)
            order = order_of([step.after[merged_pairs], step.before[merged_pairs]], xp)
            splits, merges = (
                {
                    "before": step.former[step.before[pairs]],
                    "after": numbers[step.after[pairs]],
                    "shared": step.shared[pairs],
                }
                for pairs in (split_pairs, merged_pairs[order])
            )
            born = xp.flatnonzero(numbers >= self.numbers.first_birth)
            births = {"labels": numbers[born], "size": counts[born]}
            retired = xp.flatnonzero(~xp.isin(step.former, numbers))
            deaths = {"labels": step.former[retired], "size": step.sizes[retired]}
            kept = xp.flatnonzero(xp.isin(numbers, step.former))
            kept = kept[xp.argsort(numbers[kept])]
            size_before = step.sizes[xp.searchsorted(step.former, numbers[kept])]
            resized = xp.flatnonzero(size_before != counts[kept])
            sizes = {
                "labels": numbers[kept[resized]],
                "before": size_before[resized],
                "after": counts[kept[resized]],
            }
            return StableChanges(*map(answer.frame, (splits, merges, births, deaths, sizes)))

    def audit(
        self, previous: Any = None, policy: str = "majority", *, next_id: int | None = None
    ) -> NumbersAudit:
        """Verify that the numbers continue the previous numbers correctly.

        The numbers are recomputed on the host from the frames of both answers, independently of
        :meth:`Components.stable_ids`. Different components must have different numbers. Each
        component that inherits numbers must keep the number that the policy selects. New components
        must get the next unused numbers in the order of the least ids. :meth:`changes` must list
        exactly the changes between both answers. To verify the components themselves, use
        ``ids.components.audit(edges)``.

        Parameters
        ----------
        previous : StableIds, path or frame, optional
            The ``previous`` argument of :meth:`Components.stable_ids`.
        policy : {"majority", "largest", "least"}
            The ``policy`` argument of :meth:`Components.stable_ids`.
        next_id : int, optional
            The ``next_id`` argument of :meth:`Components.stable_ids`.

        Returns
        -------
        NumbersAudit
            The counts of kept, new and retired numbers.

        Raises
        ------
        VerificationError
            A number is wrong. The error names the first vertex, component or row of the changes.
        InputError
            An argument cannot be used, as in :meth:`Components.stable_ids`.

        See Also
        --------
        Components.audit : Verify the components against the edges.

        Examples
        --------
        >>> import cc_rapids
        >>> monday = cc_rapids.components(([1, 2, 7], [2, 3, 8])).stable_ids()
        >>> tuesday = cc_rapids.components(([2, 7, 5], [3, 8, 6])).stable_ids(monday)
        >>> print(tuesday.audit(monday))
        right: 3 numbers of 6 vertices, 2 kept, 1 birth, 0 deaths
        """
        from ..verify.numbers import (  # a numbering needs none of this
            NumbersAudit,
            audit,
            check_vertices,
        )

        started = perf_counter()
        check_word("policy", policy, POLICIES)
        answer = self.components.answer
        before = _numbered(answer, previous, next_id)
        labels = arrow_of(self.labels())
        now = _as_numbered(labels, labels.column_names[:-1], self.next_id)  # without "labels"
        # only the ids are compared: any kind of labels would do
        check_vertices(now, arrow_of(answer.label_frame(check_labels("min"))))
        with answer.backend.scope():
            _, least_of_component = answer.rows()
            least_vertices = answer.backend.to_host(least_of_component)
        changes = None  # numbers without a step, as loaded from a file, have no changes to verify
        if self.numbers.step is not None:
            changes = {name: arrow_of(frame) for name, frame in self.changes()._asdict().items()}
        counts = audit(now, least_vertices, before, policy, changes)
        return NumbersAudit(len(self), labels.num_rows, *counts, perf_counter() - started)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the numbers to one Parquet file atomically.

        Parameters
        ----------
        path : str or path
            The path of the file; an existing file is replaced. The file has the columns of
            :meth:`labels`, which any Parquet reader can read. The metadata contain the counter and
            a checksum of all ids and numbers.

        Raises
        ------
        OutputError
            The file cannot be written, or the disk is full. An existing file is not changed.

        See Also
        --------
        StableIds.load : Load saved numbers.

        Examples
        --------
        >>> import cc_rapids, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "monday.parquet")
        >>> monday = cc_rapids.components(([1, 2, 7], [2, 3, 8])).stable_ids()
        >>> monday.save(path)
        >>> cc_rapids.components(([2, 7], [3, 1])).stable_ids(path).labels().labels
        array([1, 0, 0, 1])
        """
        import pyarrow.parquet as pq

        from ..data.files.write import replacing  # most answers write no files

        path = check_path("path", path)
        answer = self.components.answer
        header = {
            "format": FORMAT,
            "next_id": self.next_id,
            "answers": describe_frames(answer.given),
            "facts": answer.facts.to_json(),
        }
        table = arrow_of(answer.in_memory().label_frame())
        sealed = _sealed(header, _table_checksum(table))
        metadata = dict(table.schema.metadata or {}) | {METADATA: sealed}
        with replacing(path, sync=True) as file:
            pq.write_table(table.replace_schema_metadata(metadata), file)


def load(path: str | os.PathLike[str], engine: str | None = None) -> Numbers:
    """Return numbers that were saved: see :meth:`cc_rapids.StableIds.load`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = check_path("path", path)
    # what PyArrow and _loaded() raise for damaged files
    damage = pa.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError
    try:
        table = pq.ParquetFile(path).read()
        return _loaded(table, engine)
    except FileNotFoundError as error:
        raise FormatError(f"there is no file {os.fspath(path)!r}") from error
    except (*damage, OverflowError) as error:  # next_id may be Infinity in JSON
        raise FormatError(
            f"{os.fspath(path)!r} is not a file of StableIds.save(), or is damaged ({error}):"
            " save the numbers again"
        ) from error


def _numbered(answer: Answer, previous: Any, next_id: Any) -> Numbered:
    """Return the argument ``previous`` as numbered vertices on the host, to audit its successor."""
    with answer.backend.scope():
        next_id = _previous(answer, previous, next_id).next_id  # also checks the arguments
    if isinstance(previous, str | os.PathLike):
        previous = load(previous)
    if previous is None:
        no_vertices = arrow_of({"vertex": [], "labels": np.zeros(0, np.int64)})
        return _as_numbered(no_vertices, ["vertex"], next_id)
    if isinstance(previous, NumberedComponents):
        previous = previous.numbers
    if isinstance(previous, Numbers):
        table = arrow_of(previous.answer.in_memory().label_frame())
        return _as_numbered(table, table.column_names[:-1], next_id)  # without "labels"
    frame = previous if hasattr(previous, "_asdict") else frame_in_memory(previous)
    return _as_numbered(arrow_of(frame), _names_of_ids(answer, columns_of(frame)), next_id)


def _as_numbered(table: pa.Table, ids: list[str], next_id: int) -> Numbered:
    """Return the rows of a table as numbered vertices; ``ids`` are the names of the id columns."""
    from ..verify.numbers import Numbered

    numbers = table.column("labels").to_numpy().astype(np.int64)
    return Numbered(table.select(ids), numbers, next_id)


def _names_of_ids(answer: Answer, columns: list[str]) -> list[str]:
    """Return the names of the id columns in a frame of previous numbers, given all its columns."""
    given = answer.given
    ids = [f"{k}_vertex" for k in range(len(given.src.key_columns))] or ["vertex"]
    return list(given.key_names) if given.key_names and not set(ids) & set(columns) else ids


def _header_of(metadata: dict[bytes, bytes]) -> dict[str, Any]:
    """Return the header in a file's metadata; raise a FormatError for another format."""
    sealed: dict[str, Any] = json.loads(metadata.get(METADATA, b"{}"))
    header: dict[str, Any] = sealed.get("words", {})
    if header.get("format") != FORMAT:
        raise FormatError(f"its format is {str(header.get('format'))[:80]!r}, not {FORMAT!r}")
    if sealed.get("checksum") != _header_checksum(header):
        raise FormatError("the checksum of its metadata does not match")
    return header


def _sealed(header: dict[str, Any], table_checksum: str) -> bytes:
    """Return a header as JSON, with the checksums of the table and of the header itself."""
    # The header as a reader will parse it, so that both compute the checksum of the same values.
    header = json.loads(json.dumps(header | {"content": table_checksum}))
    return json.dumps({"words": header, "checksum": _header_checksum(header)}).encode()


def _header_checksum(header: dict[str, Any]) -> str:
    return blake2b(json.dumps(header, sort_keys=True).encode(), digest_size=16).hexdigest()


def _table_checksum(table: pa.Table) -> str:
    """Return a checksum of all ids and numbers of a table, independent of its storage."""
    from ..results import saved  # most numbers are neither written nor read

    ids, labels = _ids_and_numbers(table)
    content = blake2b(labels.tobytes(), digest_size=16)
    for header, arrays in saved.parts_on_host(ids):
        content.update(json.dumps(header).encode())
        for array in arrays.values():
            content.update(np.ascontiguousarray(array).data)
    return content.hexdigest()


def _ids_and_numbers(table: pa.Table) -> tuple[list[Column], np.ndarray]:
    """Return the id columns of a table, and the numbers, which are its last column.

    Raise a ValueError if the numbers are not int64, or some are null.
    """
    labels = table.column("labels").to_numpy()
    if labels.dtype != np.int64:
        raise ValueError(f"its numbers are {labels.dtype}, not int64")
    columns = [table.column(k).combine_chunks() for k in range(table.num_columns - 1)]
    return [of("vertex", column) for column in columns], labels


def _loaded(table: pa.Table, engine: str | None) -> Numbers:
    """Return the numbers of a table that was read from a file."""
    from ..results import saved  # most numbers are neither written nor read

    header = _header_of(table.schema.metadata or {})
    ids, labels = _ids_and_numbers(table)
    if header["content"] != _table_checksum(table):
        raise ValueError("the checksum of its ids and numbers does not match")
    next_id = int(header["next_id"])
    if labels.size and not 0 <= labels.min() <= labels.max() < next_id <= MAX_NUMBER:
        raise ValueError(f"its numbers are not below its counter, {next_id:,}")
    # rows are sorted by id: the first row of each component has the least id
    _, first_row, component = np.unique(labels, return_index=True, return_inverse=True)
    answer = saved.of_columns(ids, first_row[component], header, engine)
    with answer.backend.scope():
        numbers = answer.backend.asarray(labels[np.sort(first_row)])
    return Numbers.of(answer, numbers, next_id)
