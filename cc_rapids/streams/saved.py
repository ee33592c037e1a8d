"""Saved: how far a stream has come, in a checkpoint with the trees, and whose it is."""

from __future__ import annotations

import fcntl
import glob
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import checkpoint
from ..backends import Engine
from ..batches import State
from ..data.edge_input import Given
from ..data.streams import Cursor, Source
from ..errors import CheckpointError, FormatError
from .trace import Trace

STREAM_FORMAT = "stream 2"
DRAFT_SECONDS = 0.5  # a draft that is younger may not be locked yet by who writes it


@dataclass(frozen=True)
class Resumed:
    """Where a run goes on: the trees, the place in the stream, and the stream in the order in which
    it was read; whether all of it was done, and in words what it has beyond that.
    """

    state: State
    cursor: Cursor
    stream: Source
    done: bool
    more: str


@dataclass
class Saver:
    """Writes a checkpoint every so often.

    Parameters
    ----------
    path : path, or None for none at all
    every : float
        Seconds between two of them; 0 writes one after each chunk.
    options : dict
        What the arguments were, but for the edges.
    """

    path: str | os.PathLike[str] | None
    every: float
    options: dict[str, Any]
    design: str
    last: float = 0.0
    identity: dict[str, Any] = field(default_factory=dict)
    trace: Trace | None = None

    def due(self) -> bool:
        """Whether it is time for one."""
        return self.path is not None and time.monotonic() - self.last >= self.every

    def write(self, state: State, cursor: Cursor, done: bool = False) -> None:
        """Write one now, if there is a path."""
        if self.path is not None:
            notes = {
                "format": STREAM_FORMAT,
                "cursor": list(cursor),
                "done": done,
                "identity": self.identity,
                "options": self.options,
                "items": self.trace and self.trace.notes(),
            }
            with state.engine.scope():
                checkpoint.write(self.path, state, self.design, notes)
            self.last = time.monotonic()

    def read(self, engine: Engine, stream: Source) -> Resumed | None:
        """Where to go on with a stream; None if there is no checkpoint, or no path.

        Raises
        ------
        CheckpointError
            The checkpoint is of another input; says which part of it differs.
        FormatError
            The file is no checkpoint of a stream.
        """
        self.last = time.monotonic()
        if self.path is None:
            return None
        _tidy(Path(os.path.realpath(self.path)))
        if not os.path.exists(self.path):
            self._begin(stream, None)
            return None
        with engine.scope():
            state, _, notes = checkpoint.read_noted(self.path, engine)
        if not notes or notes.get("format") != STREAM_FORMAT:
            raise FormatError(
                f"{self.path} is a file of Connectivity.save(), or of another version, and no"
                " checkpoint of a stream: name another path"
            )
        self._compare(stream.identity(), notes)
        with self._naming():
            stream, more = stream.going_on(notes["identity"])
        self._begin(stream, notes["items"])
        cursor = self.trace.start() if self.trace else Cursor(*notes["cursor"])
        return Resumed(state, cursor, stream, bool(notes["done"]), more)

    def passed(self, given: Given, after: Cursor) -> None:
        """Note rows that pass; a CheckpointError if the checkpoint has others in their place."""
        if self.trace:
            with self._naming():
                self.trace.add(given, after)

    def finish(self) -> None:
        """Note that no more rows come; a CheckpointError if there were more in the checkpoint."""
        if self.trace:
            with self._naming():
                self.trace.finish()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """What differs of the edges, as an error that names the checkpoint."""
        try:
            yield
        except CheckpointError as error:
            raise self._other("edges", error) from error

    def _begin(self, stream: Source, items: dict[str, Any] | None) -> None:
        self.identity = stream.identity()
        self.trace = Trace(items) if self.identity["kind"] == "iterable" else None

    def _compare(self, identity: dict[str, Any], notes: dict[str, Any]) -> None:
        """A CheckpointError if an argument, or the kind of edges, is another; says which."""
        mine, options = json.loads(json.dumps(self.options)), notes["options"]
        theirs = notes["identity"]
        parts = [("edges", "kind ", theirs["kind"], identity["kind"])]
        parts += [(name, "", options.get(name), mine[name]) for name in mine]
        for name in ("schema", "filter"):
            parts.append(("edges", f"{name} ", theirs.get(name), identity.get(name)))
        for part, what, then, now in parts:
            if then != now:
                raise self._other(part, f"{what}{_short(then)} then, {_short(now)} now")

    def _other(self, name: str, difference: object) -> CheckpointError:
        """The error for a checkpoint of another input."""
        return CheckpointError(
            f"the checkpoint {self.path} is of other inputs ({name}: {difference}): delete it to"
            " start anew, or name another path"
        )


def _tidy(path: Path) -> None:
    """Remove what runs that were killed while they wrote have left: drafts that nobody locks."""
    for draft in path.parent.glob(f".{glob.escape(path.name[:40])}.*.part"):
        try:
            if time.time() - draft.stat().st_mtime < DRAFT_SECONDS:
                continue
            with open(draft, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                draft.unlink()
        except OSError:  # it is being written, or has its name by now
            continue


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else text[:70] + " ... " + text[-40:]
