"""Saving the state of incremental connectivity to one file, and loading it.

The file is an archive with a header of values and several arrays. The arrays have the sorted ids,
and for each id the position of the least id of its component. Strings are stored as in Arrow, as
UTF-8 bytes and offsets.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.design import check_batch_design
from ..backends import Backend
from ..data.column import Content, text_of_buffers
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput
from ..data.files import archive
from ..data.files.read import SourceFormat
from ..data.files.write import drafts_of
from ..data.frame_kind import describe_frames, input_from_description
from ..data.streams import Cursor, Source
from ..errors import (
    CapacityError,
    CcRapidsError,
    ChangedFileError,
    CheckpointError,
    FormatError,
    LedgerError,
    add_advice,
    counted,
)
from ..graph.forest import Forest, check_parents
from ..ids.growing import Index, Integers, Range, Texts, Tuples, inverse
from ..ids.strings import Text
from ..kernels.forgetting import HALF, LOW
from ..ledger import Ledger
from ..solver.run import check_spanning
from .kept import KeptForest
from .removed import renumbered
from .state import ConnectivityState, kind_of

# Max. number of items of a stream that have an entry each, 200 KiB in all. Further items share one
# hash.
NOTED_ITEMS = 4096
FORMAT = "cc_rapids connectivity 2"
#: The kinds of the expiry times of a kept forest; the kind is empty before the first batch.
TIMES = ("", "integers", "floats", "datetimes", "nanoseconds")


def write(
    path: str | os.PathLike[str],
    state: ConnectivityState,
    design: str,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Write to a file a state, the name of its design, and the notes of a stream's checkpoint."""
    index_header, arrays = _parts(state.index, state.backend)
    kept = state.kept
    header = {
        "format": FORMAT,
        "design": design,
        "edges": state.edges,
        "batches": state.batches,
        "dropped": state.given.dropped_rows,
        "ledger": state.ledger.check().facts(),
        "answers": describe_frames(state.given),
        "taken": [asdict(source) for source in state.given.formats],  # how files were read
        **index_header,
        "kept": None if kept is None else {"expiry": kept.expiry, "kind": kept.kind},
        "notes": notes,
    }
    arrays["parent"] = state.backend.to_host(state.flat().parent)
    if kept is not None:
        arrays |= _arrays_of_kept(kept, state)
    removed = state.removed
    if removed is not None:
        places, backend = state.index.places, state.backend
        if places is not None:  # the file numbers vertices in the order of their ids, as flat()
            removed = renumbered(removed, inverse(places, backend), backend)
        arrays["removed"] = backend.to_host(removed)
    archive.write(path, header, arrays)


def _arrays_of_kept(kept: KeptForest, state: ConnectivityState) -> dict[str, Any]:
    """Return the arrays of a kept forest on the host, as :func:`_kept_forest_of` reads them.

    Vertices are replaced by their positions among the sorted ids.
    """
    places, backend = state.index.places, state.backend
    if places is not None:
        kept = kept.renumbered(inverse(places, backend))
    edge_arrays = {"kept_src": kept.src, "kept_dst": kept.dst}
    if kept.until is not None:
        cut = np.array([] if kept.cut is None else [kept.cut], _type_of_times(kept))
        times = {"kept_until": kept.until, "kept_cut": backend.asarray(cut)}
        edge_arrays |= {name: values.view(np.int64) for name, values in times.items()}
    return {name: backend.to_host(array) for name, array in edge_arrays.items()}


def _type_of_times(kept: KeptForest) -> Any:
    """Return the type of expiry times; ``until`` may have another type before an edge is kept."""
    return {"floats": np.float64}.get(kept.kind, np.int64)


def _parts(index: Index, backend: Backend) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the saved parts of an index: values for the header, and arrays."""
    if isinstance(index, Range):
        return {"ids": "range", "dtype": str(index.dtype)}, {}
    if isinstance(index, Integers):
        return {"ids": "integers", "dtype": str(index.dtype)}, {"ids": backend.to_host(index.ids)}
    if isinstance(index, Tuples):
        return _parts_of_columns(index, backend)
    octets, offsets = map(backend.to_host, index.sorted_buffers())
    return {"ids": "strings"}, {"offsets": offsets, "octets": octets}


def _parts_of_columns(index: Tuples, backend: Backend) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the saved parts of composite ids, as values for the header and arrays.

    The arrays have the distinct values of each column, and for each id, in ascending order, the
    rank of its value in each column.
    """
    header: list[Any] = []
    arrays: dict[str, Any] = {}
    for k, (column, ranks) in enumerate(zip(index.columns, index.ranks(), strict=True)):
        column_header, column_arrays = _parts(column, backend)
        header.append(column_header)
        arrays |= {f"{k}_{name}": value for name, value in column_arrays.items()}
        arrays[f"{k}_ranks"] = backend.to_host(ranks)
    return {"ids": "rows", "columns": header}, arrays


def read(
    path: str | os.PathLike[str], backend: Backend
) -> tuple[ConnectivityState, str, dict[str, Any] | None]:
    """Return what :func:`write` wrote: the state, on a backend, its design's name, and notes."""
    header, arrays = archive.read(path)
    if header.get("format") != FORMAT:
        version = str(header.get("format"))[:80]
        hint = "save it again with this version, or start again"
        if version.startswith("cc_rapids components"):
            hint = "it is an answer, for Components.load; Connectivity.save writes a state"
        raise FormatError(
            f"{path} has format {version!r}, but this version of cc_rapids reads {FORMAT!r}: {hint}"
        )
    try:
        check_batch_design(header["design"])
        return _state(header, arrays, backend), header["design"], header["notes"]
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise FormatError(
            f"{path} is not a file of Connectivity.save(), or is damaged ({error}): save it again"
        ) from error


def _state(header: dict[str, Any], arrays: dict[str, Any], backend: Backend) -> ConnectivityState:
    """Return the state of a file; raise a ValueError if the contents contradict each other."""
    parent = arrays["parent"]
    check_parents(parent)
    n = int(parent.size)
    counts = {name: int(header[name]) for name in ("edges", "batches", "dropped")}
    if min(counts.values()) < 0:
        raise ValueError("a count is negative")
    index = _index(header, arrays, n, backend)
    given = kind_of(input_from_description(header["answers"], index.kinds), before=None)
    forest = Forest(backend, n, all_present=True)
    forest.parent[:] = backend.asarray(parent)
    formats = tuple(
        SourceFormat(**source | {"columns": tuple(source["columns"])}) for source in header["taken"]
    )
    given = replace(given, dropped_rows=counts["dropped"], formats=formats)
    ledger = Ledger.of_facts(header["ledger"])
    state = ConnectivityState(
        backend, index, forest, given, counts["edges"], counts["batches"], ledger=ledger
    )
    if "removed" in arrays:
        state = replace(state, removed=backend.asarray(_removed(arrays["removed"], n)))
    if header["kept"] is None:
        return state
    return replace(state, kept=_kept_forest_of(header["kept"], arrays, forest))


def _removed(keys: Any, n: int) -> Any:
    """Return the keys of removed pairs, after checking that they are sorted pairs of vertices."""
    if keys.dtype != np.uint64 or bool((keys[1:] <= keys[:-1]).any()):
        raise ValueError("the keys of removed pairs are not sorted")
    low, high = keys >> HALF, keys & LOW
    if bool(((low >= high) | (high >= n)).any()):
        raise ValueError("a removed pair is not a pair of vertices")
    return keys


def _kept_forest_of(header: dict[str, Any], arrays: dict[str, Any], forest: Forest) -> KeptForest:
    """Return the kept forest, after checking that its edges span the trees.

    With a column of expiry times, "kept_until" has the time of each edge, and "kept_cut" has the
    latest time passed to ``expire``, if any. Floats are stored as their bits.
    """
    src, dst, until = arrays["kept_src"], arrays["kept_dst"], arrays.get("kept_until")
    kept = KeptForest(src, dst, until, header["expiry"], header["kind"])
    if kept.kind not in TIMES or not isinstance(kept.expiry, str | None):
        raise ValueError("the expiry times are of an unknown kind")
    if (until is None) != (kept.expiry is None):
        raise ValueError("expiry times are missing or unexpected")
    if until is not None:
        dtype = _type_of_times(kept)
        cut = arrays["kept_cut"].view(dtype)
        if until.shape != src.shape:
            raise ValueError(f"the {src.size:,} kept edges have {until.size:,} expiry times")
        if until.dtype != np.int64:
            raise ValueError(f"the expiry times are {until.dtype}, not int64")
        if cut.size > 1:
            raise ValueError(f"there are {cut.size:,} latest times, not one")
        until = until.view(dtype)
        if bool(np.isnan(until).any()):
            raise ValueError("an expiry time is nan")
        kept = replace(kept, until=until, cut=cut[0].item() if cut.size else None)
    check_spanning(src, dst, forest)
    return kept.to(forest.backend)


def _index(header: dict[str, Any], arrays: dict[str, Any], n: int, backend: Backend) -> Index:
    """Return the index over n vertices in the order of their ids."""
    if header["ids"] == "range":
        return Range(n, _type_of(header["dtype"], 0, max(n - 1, 0)))
    if header["ids"] == "integers":
        return _integers(arrays["ids"], header["dtype"], n, backend)
    if header["ids"] == "rows":
        return _tuples(header["columns"], arrays, n, backend)
    if header["ids"] != "strings":
        raise ValueError(f"ids of kind {header['ids']!r}")
    return _texts(arrays["offsets"], arrays["octets"], n, backend)


def _type_of(name: str, low: int, high: int) -> np.dtype[Any]:
    """Return the type of integers that has a name.

    Raise a ValueError unless ids from ``low`` to ``high`` fit into this type.
    """
    dtype = np.dtype(name)
    if not is_integer(dtype) or low < np.iinfo(dtype).min or high > np.iinfo(dtype).max:
        raise ValueError(f"its ids, from {low:,} to {high:,}, have the type {dtype}")
    return dtype


def _integers(ids: Any, dtype: str, n: int, backend: Backend) -> Integers:
    """Return the index of sorted integers."""
    if ids.shape != (n,) or ids.dtype not in (np.int64, np.uint64) or (ids[1:] <= ids[:-1]).any():
        raise ValueError(f"its ids are not {n:,} distinct integers in ascending order")
    if not n:
        return Integers.empty(backend)
    low, high = int(ids[0]), int(ids[-1])
    return Integers.of(backend.asarray(ids), low, high, _type_of(dtype, low, high))


def _texts(offsets: Any, octets: Any, n: int, backend: Backend) -> Index:
    """Return the index of sorted strings."""
    text_of_buffers(octets, offsets, n)  # raises an error if they are invalid
    index = Texts.of(Text.of(octets, offsets, backend))
    if index.n != n or (backend.to_host(index.places) != np.arange(n)).any():
        raise ValueError(f"its ids are not {n:,} distinct strings in lexicographic order")
    return index


def _tuples(headers: list[Any], arrays: dict[str, Any], n: int, backend: Backend) -> Tuples:
    """Return the index of sorted composite ids, which :func:`_parts_of_columns` saved."""
    columns: list[Integers | Texts] = []
    ranks = []
    for k, header in enumerate(headers):
        part = {name: arrays[name] for name in arrays if name.startswith(f"{k}_")}
        part = {name.removeprefix(f"{k}_"): array for name, array in part.items()}
        size = int(part["offsets"].size - 1 if header["ids"] == "strings" else part["ids"].size)
        column, rank = _index(header, part, size, backend), part["ranks"]
        if rank.shape != (n,) or rank.dtype != np.int64 or not isinstance(column, Integers | Texts):
            raise ValueError(f"its column {k} does not have {n:,} ids")
        if n and not 0 <= rank.min() <= rank.max() < size:
            raise ValueError(f"its column {k} has no values of some ids")
        columns.append(column)
        ranks.append(backend.asarray(rank))
    index = Tuples.of(backend, columns, ranks)
    if index.n != n or (backend.to_host(index.places) != np.arange(n)).any():
        raise ValueError(f"its ids are not {n:,} distinct rows in ascending order")
    return index


class Entry(NamedTuple):
    """The record of an item of a stream: its rows, the types of its columns, and its hash.

    Without rows, ``types`` is empty.
    """

    rows: int
    types: str
    digest: str


class Trace:
    """The items of a stream that were read so far, each with its rows, types and hash.

    A resumed run reads the items of the earlier run again, and compares them with this trace.
    ``notes`` are the items of the earlier run, as returned by :meth:`notes`.
    """

    def __init__(self, notes: dict[str, Any] | None = None) -> None:
        if notes and not _is_trace(notes):
            raise ValueError("the trace of its stream has values of wrong types")
        self.earlier = notes
        # whether the rows that are read were linked by the earlier run
        self.skipping: bool = bool(notes and notes["last"])
        self.items: list[Entry] = []  # entries of the first NOTED_ITEMS items before the last item
        self.count: int = 0  # the number of items before the last item
        self.beyond: str = ""  # the common hash of the items between ``items`` and ``last``
        self.last: Entry | None = None  # entry of the last item, if rows of it were read
        # the values of count, beyond and last after the last linked rows
        self._linked: tuple[int, str, Entry | None] = 0, "", None
        self._content = Content()  # the hash of the last item so far
        self._ended = False  # whether all rows of the last item were added

    def start(self) -> Cursor:
        """Return the position of the first row that the earlier run did not read.

        This row is in the last item of the earlier run, which may have more rows now.
        """
        if self.earlier is None or not self.earlier["last"]:
            return Cursor()
        return Cursor(int(self.earlier["count"]), 0, int(Entry(*self.earlier["last"]).rows))

    def notes(self) -> dict[str, Any]:
        """Return the trace of the linked items, as values for JSON."""
        count, beyond, last = self._linked
        return {"items": self.items[:count], "count": count, "beyond": beyond, "last": last}

    def record_linked(self) -> None:
        """Record that all rows that were added so far are linked."""
        self._linked = self.count, self.beyond, self.last

    def add(self, given: EdgeInput, after: Cursor) -> None:
        """Add rows of the current item to the trace, including rows that the run leaves out.

        ``after`` is the position after the rows. Raise a CheckpointError if an item differs from
        the same item of the earlier run.
        """
        if self._ended:
            self._complete_last()
        self._content.add(given.lent)  # the columns as they were read
        types = " ".join(column.dtype for column in given.lent if column.size)
        so_far = self.last or Entry(0, "", "")
        rows = so_far.rows + given.rows.given
        self.last = Entry(rows, so_far.types or types, self._content.digest())
        self._ended = not after.rows
        if self.skipping:
            self._compare()

    def _complete_last(self) -> None:
        """Add the last item to the complete items, because rows of another item follow."""
        assert self.last is not None
        if self.count < NOTED_ITEMS:
            self.items.append(self.last)
        else:
            hashed = repr((self.beyond, list(self.last))).encode()
            self.beyond = blake2b(hashed, digest_size=12).hexdigest()
        self.count, self.last = self.count + 1, None
        self._content, self._ended = Content(), False

    def _compare(self) -> None:
        """Raise a CheckpointError if the last item differs from the same item of the earlier run.

        An item that has an entry is compared when it ends. The common hash of the items without an
        entry is compared when the last item of the earlier run begins. This last item is compared
        when it ends, or as soon as it has as many rows as in the earlier run.
        """
        earlier, now = self.earlier, self.last
        assert earlier is not None
        assert now is not None
        if self.count < earlier["count"]:
            if self._ended and self.count < NOTED_ITEMS:
                _check_same(self.count, Entry(*earlier["items"][self.count]), now)
            return
        if self.beyond != earlier["beyond"]:
            raise CheckpointError(
                f"one of the items {NOTED_ITEMS:,} to {self.count - 1:,} has changed"
            )
        then = Entry(*earlier["last"])
        self.skipping = now.rows < then.rows
        if then.rows and (self._ended or not self.skipping):
            _check_same(self.count, then, now)

    def finish(self) -> None:
        """End the trace; raise a CheckpointError if the earlier run had more items."""
        if self.skipping and self.earlier is not None:
            then, now = self.earlier["count"] + 1, self.count + (self.last is not None)
            raise CheckpointError(f"{then:,} items then, but {now:,} now")


def _is_trace(notes: dict[str, Any]) -> bool:
    """Return whether the notes of a trace have the right types."""
    last = [] if notes["last"] is None else [notes["last"]]
    entries = [Entry(*entry) for entry in (*notes["items"], *last)]
    counts = notes["count"], *(entry.rows for entry in entries)
    return (
        all(type(count) is int and count >= 0 for count in counts)  # bool is not a count
        and all(type(e.types) is str and type(e.digest) is str for e in entries)
        and len(notes["items"]) == min(notes["count"], NOTED_ITEMS)
        and isinstance(notes["beyond"], str)
    )


def _check_same(number: int, then: Entry, now: Entry) -> None:
    """Raise a CheckpointError unless two entries of an item are equal.

    ``number`` is the number of the item, from 0.
    """
    if then.rows != now.rows:
        raise CheckpointError(
            f"item {number:,} had {then.rows:,} rows then, but has {now.rows:,} now"
        )
    if then.types != now.types and then.types and now.types:
        raise CheckpointError(f"item {number:,} held {then.types} then, but holds {now.types} now")
    if then.digest != now.digest:
        raise CheckpointError(f"item {number:,}, of {then.rows:,} rows, now holds other ids")


STREAM_FORMAT = "stream 2"
DRAFT_SECONDS = 0.5  # the writer of a younger draft may not have locked it yet


@dataclass(frozen=True)
class Resumed:
    """The state from which a run resumes, and the position of the next rows in its stream."""

    state: ConnectivityState
    cursor: Cursor
    stream: Source  # its files are in the order in which the earlier run read them
    done: bool  # whether the earlier run had read the whole stream
    more: str  # a description of what was added to the stream since; empty if nothing was added


@contextmanager
def delay_interrupts(enabled: bool) -> Iterator[None]:
    """Delay SIGINT, SIGTERM and SIGHUP until the end of the context, if ``enabled``.

    The handlers of these signals may raise exceptions. They run at the end of the context, so they
    never interrupt the linking of a chunk. Only the main thread receives signals. Signals without a
    Python handler are not delayed.
    """
    if not enabled or threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[int, Callable[[int, Any], Any]] = {}
    for interrupt in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        call = signal.getsignal(interrupt)
        if callable(call):
            handlers[interrupt] = call
    pending: list[tuple[int, Any]] = []
    for number in handlers:
        signal.signal(number, lambda *received: pending.append(received))
    try:
        yield
    finally:
        for number, call in handlers.items():
            signal.signal(number, call)
        for number, frame in pending:
            handlers[number](number, frame)


@dataclass
class Saver:
    """A writer of checkpoints at intervals; without a path, it writes none.

    ``replaces`` tells whether to replace an existing checkpoint instead of reading it.
    """

    path: str | os.PathLike[str] | None
    every: float  # seconds between two checkpoints; 0 writes a checkpoint after each chunk
    options: dict[str, Any]  # the arguments of the run, except the edges
    design: str
    replaces: bool = False
    last: float = 0.0  # the time of the last checkpoint, or of the start of the run
    identity: dict[str, Any] = field(default_factory=dict)  # of the stream, compared at a resume
    trace: Trace | None = None  # the items read so far, for an iterable
    edges: int | None = None  # the number of edges in the checkpoint, if there is a checkpoint
    files_begun: set[int] = field(default_factory=set)  # the files with linked rows

    def due(self) -> bool:
        """Return whether a checkpoint is due."""
        return self.path is not None and time.monotonic() - self.last >= self.every

    def write(self, state: ConnectivityState, cursor: Cursor, done: bool = False) -> None:
        """Write a checkpoint if there is a path; ``done`` if the whole stream was read."""
        if self.path is not None:
            identity, cursor = self._read_so_far(cursor)
            notes = {
                "format": STREAM_FORMAT,
                "cursor": list(cursor),
                "done": done,
                "identity": identity,
                "options": self.options,
                "items": self.trace and self.trace.notes(),
            }
            with state.backend.scope():
                write(self.path, state, self.design, notes)
            self.last, self.edges = time.monotonic(), state.edges

    def _read_so_far(self, cursor: Cursor) -> tuple[dict[str, Any], Cursor]:
        """Return the identity of the files that are begun, and the cursor among these files.

        Other files are not part of the identity, because they may still change.
        """
        if "files" not in self.identity:
            return self.identity, cursor
        files = [self.identity["files"][number] for number in sorted(self.files_begun)]
        position = sum(number < cursor.file for number in self.files_begun)
        begun = cursor.file in self.files_begun
        cursor = cursor._replace(file=position) if begun else Cursor(position)
        return self.identity | {"files": files}, cursor

    def save_after_error(
        self, state: ConnectivityState, cursor: Cursor, new: bool, error: BaseException
    ) -> None:
        """Write a checkpoint when an error ends the run, and add advice to the error.

        ``new`` tells whether the state has rows that are not in a checkpoint; if not, nothing is
        written. If writing fails, the advice says so, and no second error is raised.
        """
        if self.path is None or isinstance(error, CheckpointError | LedgerError):
            return
        if new and isinstance(error, ChangedFileError) and (cursor.group or cursor.rows):
            add_advice(
                error,
                "no checkpoint was written, because it would contain rows of the changed file",
            )
            return
        with delay_interrupts(enabled=True):
            try:
                if new:
                    self.write(state, cursor)
            except Exception as failure:
                add_advice(error, f"the checkpoint {self.path} could not be written: {failure}")
                return
            if self.edges is None:
                return
            is_damaged = isinstance(error, FormatError) and not isinstance(error, ChangedFileError)
            if isinstance(error, CapacityError):
                hint = ": run again with a larger memory_limit to go on"
            elif not is_damaged:
                hint = ": run the same call again to go on"
            elif cursor.group or cursor.rows:
                hint = ""  # rows of the file are linked, so a run cannot resume with another file
            else:
                hint = ": repair the file or leave it out, then run the same call again to go on"
            edges = counted(self.edges, "edge")
            add_advice(error, f"the checkpoint {self.path} has {edges}{hint}")

    def read(self, backend: Backend, stream: Source) -> Resumed | None:
        """Return the state from which to resume; None if there is no checkpoint or no path.

        Raise a CheckpointError that names the difference if the checkpoint is of another input.
        """
        self.last = time.monotonic()
        if self.path is None:
            return None
        _tidy(Path(os.path.realpath(self.path)))
        if self.replaces or not os.path.exists(self.path):
            self._begin(stream, None)
            return None
        with backend.scope():
            state, _, notes = read(self.path, backend)
        if not notes or notes.get("format") != STREAM_FORMAT:
            raise FormatError(
                f"{self.path} is a file of Connectivity.save(), or of another version, not a"
                " checkpoint of a stream: pass another path"
            )
        try:
            return self._resumed(state, stream, notes)
        except CcRapidsError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise FormatError(
                f"{self.path} is not a checkpoint of a stream, or is damaged ({error}): delete it"
                " to start again"
            ) from error

    def _resumed(self, state: ConnectivityState, stream: Source, notes: dict[str, Any]) -> Resumed:
        """Return the state from which to resume, given the state and the notes of a checkpoint.

        Check that the stream is the one of the notes, put its files into their order, and set the
        attributes of this object to continue from the notes.
        """
        self._compare(stream.identity(), notes)
        with self._naming_checkpoint():
            additions = stream.arrange_like(notes["identity"])
        self._begin(stream, notes["items"])
        self.edges = state.edges
        # the stream now begins with the files of the notes
        self.files_begun = set(range(len(notes["identity"].get("files", ()))))
        cursor = self.trace.start() if self.trace else Cursor(*notes["cursor"])
        # a Cursor has defaults, so it does not show that the notes lack a part of the position
        is_complete = len(notes["cursor"]) == len(cursor)
        if not is_complete or not all(type(part) is int and part >= 0 for part in cursor):
            raise ValueError("the position in its stream is invalid")
        return Resumed(state, cursor, stream, bool(notes["done"]), additions)

    def record_read(self, given: EdgeInput, after: Cursor) -> None:
        """Record rows that have been read; ``after`` is the position after them.

        Raise a CheckpointError if the checkpoint has other rows at this position.
        """
        if self.trace:
            with self._naming_checkpoint():
                self.trace.add(given, after)

    def record_linked(self, file: int, any_rows: bool) -> None:
        """Record that the rows read so far are linked.

        ``file`` is the number of the current file, and ``any_rows`` says whether rows of this file
        were among them.
        """
        if any_rows:
            self.files_begun.add(file)
        if self.trace:
            self.trace.record_linked()

    def finish(self) -> None:
        """Record that there are no more rows.

        Raise a CheckpointError if the checkpoint has more rows.
        """
        if self.trace:
            with self._naming_checkpoint():
                self.trace.finish()

    @contextmanager
    def _naming_checkpoint(self) -> Iterator[None]:
        """Return a context whose CheckpointErrors name the file of the checkpoint."""
        try:
            yield
        except CheckpointError as error:
            raise self._mismatch("edges", error) from error

    def _begin(self, stream: Source, items: dict[str, Any] | None) -> None:
        """Set the identity of the stream, and for an iterable the trace of its items."""
        self.identity = stream.identity()
        self.trace = Trace(items) if self.identity["kind"] == "iterable" else None

    def _compare(self, identity: dict[str, Any], notes: dict[str, Any]) -> None:
        """Raise a CheckpointError if the stream or an argument differs from the earlier run.

        The error names what differs. ``identity`` is the identity of the stream, and ``notes`` are
        the notes of the checkpoint.
        """
        # JSON turns tuples into lists, as it did for the saved options
        options, saved = json.loads(json.dumps(self.options)), notes["options"]
        earlier = notes["identity"]
        parts = [("edges", "kind ", earlier["kind"], identity["kind"])]
        parts += [(name, "", saved.get(name), options[name]) for name in options]
        for name in ("schema", "filter"):
            parts.append(("edges", f"{name} ", earlier.get(name), identity.get(name)))
        for argument, prefix, then, now in parts:
            if then != now:
                difference = f"{prefix}{_short(then)} then, {_short(now)} now"
                raise self._mismatch(argument, difference)

    def _mismatch(self, name: str, difference: object) -> CheckpointError:
        """Return the error for a checkpoint that was made from other edges or arguments."""
        return CheckpointError(
            f"the checkpoint {self.path} belongs to other inputs ({name}: {difference}): delete it"
            " to start again, or pass another path"
        )


def _tidy(path: Path) -> None:
    """Remove the drafts that no process has locked, because their runs were killed."""
    for draft in drafts_of(path):
        try:
            if time.time() - draft.stat().st_mtime < DRAFT_SECONDS:
                continue
            with open(draft, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                draft.unlink()
        except OSError:  # still being written, or already renamed
            continue


def _short(value: Any) -> str:
    """Return a value as text; the middle of a long text is left out."""
    text = str(value)
    return text if len(text) <= 120 else text[:70] + " ... " + text[-40:]
