"""Numbers of components that stay the same from one answer to the next, and how they change."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
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
from ..data.frame_kind import kind_words
from ..errors import ColumnTypeError, FormatError, InputError, NullsError, counted
from ..graph.sorting import begins, first_of, order_of
from ..results.answer import Answer, ComponentsT
from ..results.labels import NumberLabels, check_labels, numbers_alone
from ..results.lookup import ids_in_frame, rows_of_ids
from ..results.preview import preview
from ..results.written import arrow_of
from .deduplicate import numbers_of_ids

if TYPE_CHECKING:
    import pyarrow as pa

    from ..verify.numbers import Numbered, NumbersAudit

FORMAT = "cc_rapids stable ids 2"
METADATA = b"cc_rapids"  # the key in the metadata of a Parquet file
MOST = np.iinfo(np.int64).max
FILL = "drop these rows, or fill them first"


class StableChanges(NamedTuple):
    """The changes of the numbers between two answers: four frames of the caller's kind.

    Attributes
    ----------
    splits, merges : frame, columns ``before``, ``after`` and ``shared``, int64
        A row for each part of a previous component whose members are in several components now, and
        for each part of a component whose members were in several; ``shared`` members are in both.
    births, deaths : frame, columns ``labels`` and ``size``, int64
        The numbers that are new, and those that are retired, with the number of members.
    """

    splits: Any
    merges: Any
    births: Any
    deaths: Any


class StableLabels(NumberLabels):
    """Labels that are numbers of :class:`StableIds`.

    Parameters
    ----------
    numbers : (k,) array of int64
        The number of each component, in the order of the least ids.
    next_id : int
        The least number that was never used.
    """

    name = "stable"
    is_saved = False

    def __init__(self, numbers: Array, next_id: int) -> None:
        self.numbers, self.next_id = numbers, next_id

    @property
    def audited_as(self) -> str:
        return "any"

    def rows(self, answer: Answer) -> Array:
        return self.numbers[answer.dense]

    def of_component(self, answer: Answer, component: Array) -> Array:
        return self.numbers[component]

    def find(self, answer: Answer, label: Any) -> int | None:
        if not isinstance(label, int | np.integer) or not 0 <= int(label) <= MOST:
            return None
        rows = answer.backend.xp.flatnonzero(self.numbers == int(label))
        return int(rows[0]) if rows.size else None

    def of_unknown(self, answer: Answer, column: Column, unknown: Array) -> Array:
        """Return numbers from the next one on, in the order of the ids, equal ids alike."""
        return numbers_alone(column, unknown, answer.backend).astype(np.int64) + self.next_id


@dataclass(frozen=True)
class Previous:
    """Numbered vertices from which components go on.

    Attributes
    ----------
    ids : Column, optional
        The vertices, each once; None without any.
    numbers : (m,) array of int64
        The number of each.
    next_id : int
        The least number that was never used.
    """

    ids: Column | None
    numbers: Array
    next_id: int


@dataclass(frozen=True)
class Step:
    """The members that components share with the previous ones.

    Attributes
    ----------
    former, sizes : (j,) arrays of int64
        The previous numbers in their order, and how many vertices each had.
    before, after, shared : (p,) arrays of int64
        For each pair that shares members, its places in ``former`` and among the components, and
        how many members it shares; in the order of the places.
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


# Keys of the places of previous numbers, and of the members shared: the least one goes on
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
        Its labels are the numbers; it has no edges.
    numbers : (k,) array of int64
        The number of each component, in the order of the least ids.
    next_id : int
        The least number that was never used.
    step : Step, optional
        What the components share with the previous ones; None of numbers from a file.
    first_birth : int
        The number that the first birth could take.
    """

    answer: Answer
    numbers: Array
    next_id: int
    step: Step | None = None
    first_birth: int = 0

    @classmethod
    def of(cls, answer: Answer, numbers: Array, next_id: int, *step: Any) -> Numbers:
        """Return the numbers of an answer, and the answer that has them as its labels."""
        named = copy(answer)
        named.kind = StableLabels(numbers, next_id)
        return cls(named, numbers, next_id, *step)

    def as_previous(self, backend: Backend) -> Previous:
        """Return the numbered vertices, the numbers on a backend."""
        answer = self.answer
        with answer.backend.scope():
            ids = of_key_columns(answer.ids()) if answer.forest.vertices else None
            numbers = self.numbers[answer.dense]
        return Previous(ids, backend.asarray(numbers), self.next_id)


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
    """Return the members that the components of an answer share with previous ones."""
    backend, xp = answer.backend, answer.backend.xp
    former, place = xp.unique(previous.numbers, return_inverse=True)
    sizes = backend.counts(place, int(former.size)).astype(np.int64)
    if previous.ids is None or not answer.forest.vertices:
        none = xp.zeros(0, np.int64)
        return Step(former, sizes, none, none, none)
    rows, valid = rows_of_ids(answer, previous.ids, "null")
    before = place[valid].astype(np.int64)
    after = answer.dense[rows[valid]].astype(np.int64)
    order = order_of([before, after], xp)
    before, after = before[order], after[order]
    starts = xp.flatnonzero(begins([before, after], xp))
    shared = xp.diff(xp.concatenate([starts, xp.full(1, before.size, starts.dtype)]))
    return Step(former, sizes, before[starts], after[starts], shared.astype(np.int64))


def _numbers(step: Step, policy: str, count: int, next_id: int, backend: Backend) -> Array:
    """Return the number of each component, in the order of the least ids."""
    xp = backend.xp
    heirs = first_of(step.before, -step.shared, xp)
    before, after, shared = (part[heirs] for part in (step.before, step.after, step.shared))
    chosen = first_of(after, POLICIES[policy](before, shared), xp)
    born = xp.ones(count, bool)
    born[after[chosen]] = False
    births = xp.flatnonzero(born)
    if next_id > MOST - births.size:
        raise InputError(
            f"{births.size:,} births from {next_id:,} on go beyond numbers of 64 bits with sign:"
            " number all components anew, without previous="
        )
    numbers = xp.empty(count, np.int64)
    numbers[after[chosen]] = step.former[before[chosen]]
    numbers[births] = next_id + xp.arange(births.size, dtype=np.int64)
    return numbers


def _previous(answer: Answer, previous: Any, next_id: Any) -> Previous:
    """Return the numbered vertices that the caller passes, on the backend of an answer.

    Raises
    ------
    InputError
        They cannot be gone on from; see :meth:`Components.stable_ids`.
    """
    backend = answer.backend
    if isinstance(previous, str | os.PathLike):
        previous = load(previous)
    if previous is None:
        earlier, used = Previous(None, backend.xp.zeros(0, np.int64), 0), None
    elif isinstance(previous, Numbers | NumberedComponents):
        numbers = previous if isinstance(previous, Numbers) else previous.numbers
        earlier, used = numbers.as_previous(backend), numbers.next_id
    elif hasattr(type(previous), "stable_ids"):  # an answer; a frame may have such a column
        raise InputError(
            f"previous is a {type(previous).__name__}, whose components have labels and no numbers:"
            " pass its stable_ids(), which the next answer goes on from"
        )
    else:
        earlier, used = _of_frame(answer, previous)
    if next_id is None:
        if used is None and previous is not None:
            raise InputError(
                "a frame does not tell which numbers were retired: pass the StableIds, or the path"
                " of their file, or next_id=, more than the largest number ever used"
            )
        return replace(earlier, next_id=used or 0)
    given = check_count("next_id", next_id)
    least = used or 0
    if earlier.numbers.size:
        least = max(least, int(earlier.numbers.max()) + 1)
    if given < least:
        raise InputError(
            f"next_id={given:,} was used: births may take numbers from {least:,} on, so pass that,"
            " or more"
        )
    return replace(earlier, next_id=given)


def _of_frame(answer: Answer, frame: Any) -> tuple[Previous, int | None]:
    """Return the numbered vertices of a frame, and the counter if it has one."""
    backend = answer.backend
    frame = frame._asdict() if hasattr(frame, "_asdict") else frame_in_memory(frame)
    ids = _names_of_ids(answer, columns_of(frame))
    way = "name the columns as StableIds.labels() does"
    check_columns(frame, [*ids, "labels"], "in the previous numbers", way)
    column, _ = ids_in_frame(answer, frame, ids, "raise", FILL)
    numbers = _checked_numbers(column_of(frame, "labels"), backend)
    if numbers.size != column.size:
        raise InputError(
            f"previous has {column.size:,} vertices and {numbers.size:,} numbers: pass one for each"
        )
    if column.size:
        rows = backend.xp.arange(column.size)
        again = column.size - int(_distinct(*numbers_of_ids(column, rows, backend), backend))
        if again:
            raise InputError(
                f"{counted(again, 'row')} of {column.size:,} in previous name a vertex again: keep"
                " one row for each vertex"
            )
    metadata = (frame.schema.metadata or {}) if hasattr(type(frame), "column_names") else {}
    used = _words(metadata)["next_id"] if METADATA in metadata else None
    return Previous(column if column.size else None, numbers, 0), used


def _distinct(numbers: Array, size: int, backend: Backend) -> int:
    """Return how many different numbers there are below a bound."""
    return int((backend.counts(numbers, size) > 0).sum())


def _checked_numbers(column: Any, backend: Backend) -> Array:
    """Return a column of numbers as int64 on a backend.

    Raises
    ------
    NullsError, ColumnTypeError, InputError
        Some are null, they are no integers, or some have more than 64 bits with sign, or are -1 or
        less.
    """
    values, there = numbers_of(column, "the numbers in column 'labels' of previous")
    missing = values.size - int(there.sum())
    if missing:
        raise NullsError(
            f"{missing:,} of {values.size:,} numbers in column 'labels' of previous are null:"
            f" {FILL}"
        )
    if not is_integer(values.dtype):
        raise ColumnTypeError(
            f"the numbers in column 'labels' of previous are {values.dtype} ({values.size:,}"
            " values): cast them to int64 first"
        )
    values = backend.asarray(values)
    if values.size and (int(values.min()) < 0 or int(values.max()) >= MOST):
        raise InputError(
            f"the numbers in column 'labels' of previous, from {int(values.min()):,} to"
            f" {int(values.max()):,}, must be at least 0 and below 2^63 - 1: number them anew"
        )
    return values.astype(np.int64)


class NumberedComponents(Generic[ComponentsT]):
    """Numbers of the components of an answer: see :class:`cc_rapids.StableIds`.

    Parameters
    ----------
    components : Components
        The answer, whose labels are the numbers.
    numbers : Numbers
    """

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
            One row per vertex, in the order of the ids; ids of several columns have their own
            names, as in :meth:`Components.labels`.

        See Also
        --------
        StableIds.save : Write this frame with the counter.
        """
        return self.components.answer.label_frame()

    def changes(self) -> StableChanges:
        """Return what became of the previous numbers, and which are new.

        Returns
        -------
        StableChanges
            ``splits`` and ``merges`` in the order of the components that are whole, then of the
            parts; ``births`` in the order of the numbers, and so are ``deaths``. A number that goes
            on in a part of its component is in ``splits`` and not in ``deaths``; one that was
            merged into another is in ``merges`` and in ``deaths``.

        Raises
        ------
        InputError
            They were loaded from a file, which holds the numbers alone.

        See Also
        --------
        Components.stable_ids : Which component goes on with a number.

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
        """
        step, answer = self.numbers.step, self.components.answer
        if step is None:
            raise InputError(
                "a file holds the numbers and not how they came about: ask the StableIds that"
                " stable_ids() has returned for their changes()"
            )
        with answer.backend.scope():
            xp, backend = answer.backend.xp, answer.backend
            parts = backend.counts(step.before, int(step.former.size))[step.before]
            wholes = backend.counts(step.after, len(self))[step.after]
            merged = xp.flatnonzero(wholes > 1)
            merged = merged[order_of([step.after[merged], step.before[merged]], xp)]
            pairs = [
                {
                    "before": step.former[step.before[rows]],
                    "after": self.numbers.numbers[step.after[rows]],
                    "shared": step.shared[rows],
                }
                for rows in (xp.flatnonzero(parts > 1), merged)
            ]
            born = xp.flatnonzero(self.numbers.numbers >= self.numbers.first_birth)
            dead = xp.flatnonzero(~xp.isin(step.former, self.numbers.numbers))
            births = {
                "labels": self.numbers.numbers[born],
                "size": answer.counts[born].astype(np.int64),
            }
            deaths = {"labels": step.former[dead], "size": step.sizes[dead]}
            return StableChanges(*map(answer.frame, (*pairs, births, deaths)))

    def audit(
        self, previous: Any = None, policy: str = "majority", *, next_id: int | None = None
    ) -> NumbersAudit:
        """Prove that the numbers go on from previous ones as they should.

        Everything is found again on the host from the frames of both answers, without what numbers
        components: each component has one number that is its own; each that is
        an heir goes on with the number that the policy chooses; births take the next numbers from
        the counter on, which no number before has reached, in the order of the least ids; and
        :meth:`changes` says what became of each number. That the components are right, their own
        audit proves: ``ids.components.audit(edges)``.

        Parameters
        ----------
        previous : StableIds, path or frame, optional
            The previous numbers that were passed to :meth:`Components.stable_ids`.
        policy : {"majority", "largest", "least"}
            The policy that was passed to it.
        next_id : int, optional
            The first number that births could take, if it was passed.

        Returns
        -------
        NumbersAudit
            The proof: how many numbers went on, are new, and are retired.

        Raises
        ------
        VerificationError
            A number is wrong; names the first vertex or component, or the first row of the changes.
        InputError
            An argument cannot be used, as in :meth:`Components.stable_ids`.

        See Also
        --------
        Components.audit : Prove the components from the edges.

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

        started, answer = perf_counter(), self.components.answer
        check_word("policy", policy, POLICIES)
        before = _numbered(answer, previous, next_id)
        labels = arrow_of(self.labels())
        now = _split(labels, labels.column_names[:-1], self.next_id)
        check_vertices(now, arrow_of(answer.label_frame(check_labels("min"))))
        with answer.backend.scope():
            parts = answer.backend.to_host(answer.rows()[1])  # the least vertex of each
        changes = None
        if self.numbers.step is not None:
            changes = {name: arrow_of(frame) for name, frame in self.changes()._asdict().items()}
        counts = audit(now, parts, before, policy, changes)
        return NumbersAudit(len(self), labels.num_rows, *counts, perf_counter() - started)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the numbers to one Parquet file, completely or not at all.

        Parameters
        ----------
        path : str or path
            The path of the file; an existing file is replaced. Any reader of Parquet finds the
            columns of :meth:`labels`; the counter, and a checksum of all ids and numbers, are in
            the metadata of the file.

        Raises
        ------
        OutputError
            The file cannot be written, or the disk is full; an old file stays.

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
        words = {
            "format": FORMAT,
            "next_id": self.next_id,
            "answers": kind_words(answer.given),
            "facts": answer.facts.words(),
        }
        table = arrow_of(answer.in_memory().label_frame())
        metadata = dict(table.schema.metadata or {}) | {METADATA: _sealed(words, _digest_of(table))}
        with replacing(path, sync=True) as file:
            pq.write_table(table.replace_schema_metadata(metadata), file)


def load(path: str | os.PathLike[str], engine: str | None = None) -> Numbers:
    """Return numbers that were saved: see :meth:`cc_rapids.StableIds.load`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = check_path("path", path)
    try:
        table = pq.ParquetFile(path).read()
        return _loaded(table, engine)
    except FileNotFoundError as error:
        raise FormatError(f"there is no file {os.fspath(path)!r}") from error
    except (
        *(pa.ArrowException, OSError, ValueError, LookupError, TypeError),
        *(AttributeError, OverflowError),
    ) as error:
        raise FormatError(
            f"{os.fspath(path)!r} is not a file of StableIds.save(), or is damaged ({error}):"
            " save the numbers again"
        ) from error


def _numbered(answer: Answer, previous: Any, next_id: Any) -> Numbered:
    """Return the numbered vertices that the caller passes, on the host, for an audit."""
    with answer.backend.scope():
        counter = _previous(answer, previous, next_id).next_id  # refuses what cannot be used
    if isinstance(previous, str | os.PathLike):
        previous = load(previous)
    if previous is None:
        return _split(
            arrow_of({"vertex": [], "labels": np.zeros(0, np.int64)}), ["vertex"], counter
        )
    if isinstance(previous, NumberedComponents):
        previous = previous.numbers
    if isinstance(previous, Numbers):
        table = arrow_of(previous.answer.in_memory().label_frame())
        return _split(table, table.column_names[:-1], counter)
    frame = previous if hasattr(previous, "_asdict") else frame_in_memory(previous)
    return _split(arrow_of(frame), _names_of_ids(answer, columns_of(frame)), counter)


def _split(table: pa.Table, ids: list[str], next_id: int) -> Numbered:
    """Return the columns of ids and the numbers of a table."""
    from ..verify.numbers import Numbered

    numbers = table.column("labels").to_numpy().astype(np.int64)
    return Numbered(table.select(ids), numbers, next_id)


def _names_of_ids(answer: Answer, columns: list[str]) -> list[str]:
    """Return the names of the columns of ids in a frame of previous numbers."""
    given = answer.given
    ids = [f"{k}_vertex" for k in range(len(given.src.key_columns))] or ["vertex"]
    return list(given.key_names) if given.key_names and not set(ids) & set(columns) else ids


def _words(metadata: dict[bytes, bytes]) -> dict[str, Any]:
    """Return what the metadata of a file say; raise a FormatError if it is of another format."""
    sealed: dict[str, Any] = json.loads(metadata.get(METADATA, b"{}"))
    words: dict[str, Any] = sealed.get("words", {})
    if words.get("format") != FORMAT:
        raise FormatError(f"its format is {str(words.get('format'))[:80]!r}, not {FORMAT!r}")
    if sealed.get("checksum") != _digest(words):
        raise FormatError("the checksum of what its metadata say does not match")
    return words


def _sealed(words: dict[str, Any], content: str) -> bytes:
    """Return the metadata of a file: words, the checksum of its columns, and that of both."""
    words = json.loads(json.dumps(words | {"content": content}))
    return json.dumps({"words": words, "checksum": _digest(words)}).encode()


def _digest(words: dict[str, Any]) -> str:
    return blake2b(json.dumps(words, sort_keys=True).encode(), digest_size=16).hexdigest()


def _digest_of(table: pa.Table) -> str:
    """Return a checksum of all ids and numbers of a table, however they are stored."""
    from ..results import saved  # most numbers are neither written nor read

    ids, labels = _ids_and_numbers(table)
    content = blake2b(labels.tobytes(), digest_size=16)
    for words, arrays in saved.parts_on_host(ids):
        content.update(json.dumps(words).encode())
        for array in arrays.values():
            content.update(np.ascontiguousarray(array).data)
    return content.hexdigest()


def _ids_and_numbers(table: pa.Table) -> tuple[list[Column], np.ndarray]:
    """Return the columns of ids of a table, and the numbers, which are at last.

    Raises
    ------
    ValueError
        The numbers are others than int64, or some are null.
    """
    labels = table.column("labels").to_numpy()
    if labels.dtype != np.int64:
        raise ValueError(f"its numbers are {labels.dtype}")
    columns = [table.column(k).combine_chunks() for k in range(table.num_columns - 1)]
    return [of("vertex", column) for column in columns], labels


def _loaded(table: pa.Table, engine: str | None) -> Numbers:
    """Return the numbers in a table that was read from a file."""
    from ..results import saved  # most numbers are neither written nor read

    words = _words(table.schema.metadata or {})
    ids, labels = _ids_and_numbers(table)
    if words["content"] != _digest_of(table):
        raise ValueError("the checksum of its ids and numbers does not match")
    next_id = int(words["next_id"])
    if labels.size and not 0 <= labels.min() <= labels.max() < next_id <= MOST:
        raise ValueError(f"its numbers are not below the next one, {next_id:,}")
    first, place = np.unique(labels, return_index=True, return_inverse=True)[1:]
    answer = saved.of_columns(ids, first[place], words, engine)
    with answer.backend.scope():
        numbers = answer.backend.asarray(labels[np.sort(first)])
    return Numbers.of(answer, numbers, next_id)
