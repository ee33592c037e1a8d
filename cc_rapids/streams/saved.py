"""Saved: how far a stream has come, in a checkpoint with the trees, and whose it is."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import checkpoint
from ..batches import State
from ..engines import Engine
from ..errors import FormatError, InputError
from ..sources import Cursor

FORMAT = "stream 1"


@dataclass
class Saver:
    """Writes a checkpoint every so often.

    Parameters
    ----------
    path : path, or None for none at all
    every : float
        Seconds between two of them; 0 writes one after each chunk.
    identity : dict
        What the arguments were.
    """

    path: str | os.PathLike[str] | None
    every: float
    identity: dict[str, Any]
    design: str
    last: float = 0.0

    def due(self) -> bool:
        """Whether it is time for one."""
        return self.path is not None and time.monotonic() - self.last >= self.every

    def write(self, state: State, cursor: Cursor, done: bool = False) -> None:
        """Write one now, if there is a path."""
        if self.path is not None:
            notes = {
                "format": FORMAT,
                "cursor": list(cursor),
                "done": done,
                "dropped": state.given.dropped,
                "identity": self.identity,
            }
            with state.engine.scope():
                checkpoint.write(self.path, state, self.design, json.dumps(notes))
            self.last = time.monotonic()

    def read(self, engine: Engine) -> tuple[State, Cursor, bool, int] | None:
        """The state, the place in the stream, whether all is done and edges dropped; or None.

        Raises
        ------
        InputError
            The checkpoint is of other inputs.
        FormatError
            The file is no checkpoint of a stream.
        """
        self.last = time.monotonic()
        if self.path is None:
            return None
        self._tidy(Path(self.path))
        if not os.path.exists(self.path):
            return None
        with engine.scope():
            state, _, words = checkpoint.read_noted(self.path, engine)
        try:
            notes = json.loads(words)
            if notes["format"] != FORMAT:
                raise ValueError(notes["format"])
            cursor, theirs = Cursor(*notes["cursor"]), notes["identity"]
        except (ValueError, LookupError, TypeError):
            raise FormatError(
                f"{self.path} is a file of Connectivity.save(), or of another version, and no"
                " checkpoint of a stream: name another path"
            ) from None
        self._compare(theirs)
        return state, cursor, bool(notes["done"]), int(notes["dropped"])

    def _compare(self, theirs: dict[str, Any]) -> None:
        mine = json.loads(json.dumps(self.identity))
        other = [name for name in mine if mine[name] != theirs.get(name)]
        if other:
            was, now = (_short(each.get(other[0])) for each in (theirs, mine))
            raise InputError(
                f"the checkpoint {self.path} is of other inputs ({', '.join(other)}: {was} then,"
                f" {now} now): delete it to start anew, or name another path"
            )

    @staticmethod
    def _tidy(path: Path) -> None:
        """Remove what a run that was killed while it wrote has left."""
        for part in path.parent.glob(f".{glob_escape(path.name)}.*.part"):
            part.unlink(missing_ok=True)


def glob_escape(name: str) -> str:
    """A name as a pattern that matches it alone."""
    import glob

    return glob.escape(name)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:120] + " ... " + text[-70:]
