"""The interface between a run and the workers of Dask, Ray or a process pool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

Handle = Any  # a result that a worker makes or holds: a future, or a reference to an object
GPUS = {"threads": 0.0, "cuda": 1.0}  # the number of GPUs of a worker, by engine


class Executor(Protocol):
    """Workers that run functions, and hold the results until the results are requested.

    If a result is lost with its worker, the executor repeats the call or the run fails. To repeat a
    call, the executor keeps the handles of its arguments.
    """

    def submit(self, function: Any, *arguments: Any, worker: str | None = None) -> Handle:
        """Start a call, which gets the results of handles among its arguments; return its handle.

        ``worker`` should run the call, if it still exists.
        """

    def gather(self, handles: list[Handle]) -> list[Any]:
        """Wait for small results and return them; raise the error of a call that failed."""

    def completed(self, handles: list[Handle]) -> Iterator[Handle]:
        """Iterate over handles as their calls end; raise the error of a call that failed.

        The caller may empty the list during the iteration, because the iterator does not use it.
        """

    def places(self, handles: list[Handle]) -> list[str]:
        """Return the worker that holds each result; "" if the worker is lost or unknown."""

    def workers(self) -> list[str]:
        """Return all current workers, at least one, in a fixed order."""
