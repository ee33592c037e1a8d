"""The scope of a run: where it allocates, and what its errors of memory say."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from ..errors import CapacityError


class Scope:
    """A context in which errors of memory are ours; a class, as small lists open it twice."""

    def __init__(self, engine: str, pool: AbstractContextManager[Any]) -> None:
        self.engine, self.pool = engine, pool

    def __enter__(self) -> None:
        self.pool.__enter__()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.pool.__exit__(kind, error, trace)
        if isinstance(error, MemoryError) and not isinstance(error, CapacityError):
            said = str(error).strip() or "no more is said"
            raise CapacityError(
                f"engine {self.engine!r} ran out of memory ({said}): components(..., explain=True)"
                " says how much a run takes; num_vertices= and stream_components() take less"
            ) from error
