"""The few calls by which a run asks workers for work, wherever these are, and their GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

Handle = Any  # a result that a worker makes or holds: a future, or a reference to an object
GPUS = {"threads": 0.0, "cuda": 1.0}  # of a worker, for each engine


class Executor(Protocol):
    """Workers that run functions, and hold the results until they are asked for.

    A result that is lost with its worker is made again from the arguments of its call, whose
    handles the executor therefore keeps, or the run fails: no call sees half of the results.
    """

    def submit(self, function: Any, *arguments: Any, worker: str | None = None) -> Handle:
        """Start a call and return its handle; handles among the arguments become their results.

        Parameters
        ----------
        worker : str, optional
            The place where the call should run, if that still exists.
        """

    def gather(self, handles: list[Handle]) -> list[Any]:
        """Wait for small results and return them; raise the error of a call that failed."""

    def completed(self, handles: list[Handle]) -> Iterator[Handle]:
        """Iterate over handles as their calls end; raise the error of one.

        The list may be emptied meanwhile: a handle that the caller lets go is not kept.
        """

    def places(self, handles: list[Handle]) -> list[str]:
        """Return for each result the worker that holds it; "" if that is lost or unknown."""

    def workers(self) -> list[str]:
        """Return all workers there are now, at least one, in a fixed order."""
