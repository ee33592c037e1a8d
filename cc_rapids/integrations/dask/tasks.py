"""Run tasks on the workers of a Dask cluster.

The dashboard shows the tasks under names that begin with ``cc_rapids``. To merge two forests, Dask
sends the smaller one to the worker of the larger one.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from distributed import Client, Future, as_completed

from ...incremental.progress import DistributedProgress

DaskProgress = DistributedProgress  # the public name in cc_rapids.dask
FAILED = ("error", "cancelled")


class Tasks:
    """The tasks of one run, with unique keys, which the dashboard groups by their prefix.

    This is the :class:`~cc_rapids.integrations.distributed.protocol.Executor` of Dask.
    """

    client: Any

    def __init__(self, client: Client) -> None:
        self.client, self._run, self._count = client, uuid.uuid4().hex[:12], 0
        self._futures: WeakValueDictionary[str, Future] = WeakValueDictionary()

    @contextmanager
    def all_or_none(self) -> Iterator[Tasks]:
        """Release all tasks made in the context if it raises an error, so that workers free them.

        Otherwise the stack frames of the error would keep the futures alive. Futures are released
        but not cancelled. Dask's scheduler would close the connection to the client if a task
        depended on a cancelled task whose future was already released.
        """
        before = set(self._futures)
        try:
            yield self
        except BaseException:
            for key, future in list(self._futures.items()):
                if key not in before:
                    future.release()
            raise

    def submit(
        self, function: Any, *arguments: Any, worker: str | None = None, pinned: bool = False
    ) -> Future:
        """Return the future of a call; with ``pinned``, no other worker than ``worker`` runs it."""
        future: Future = self.client.submit(
            function,
            *arguments,
            key=self.key(function),
            workers=[worker] if worker else None,
            allow_other_workers=bool(worker) and not pinned,
            priority=1,  # above 0, the priority of :meth:`compute`, so merges precede new forests
        )
        self._futures[future.key] = future
        return future

    def compute(self, calls: list[Any]) -> list[Future]:
        """Start lazy calls, and return their futures."""
        futures: list[Future] = self.client.compute(calls)
        self._futures.update((future.key, future) for future in futures)
        return futures

    def key(self, function: Any) -> str:
        """Return a new key for a call; the dashboard shows the beginning of the key."""
        self._count += 1
        name = function.__name__.strip("_").replace("_", "-")
        return f"cc_rapids-{name}-{self._run}-{self._count}"

    def gather(self, futures: list[Future]) -> list[Any]:
        """Return the results of tasks, which must be small; if a task failed, raise its error."""
        return list(self.client.gather(futures))

    def completed(
        self, futures: list[Future], fail: Callable[[Future], object] | None = None
    ) -> Iterator[Future]:
        """Iterate over futures as they are done, without keeping references to the futures.

        ``fail`` is called with a future that has failed; by default, its error is raised.
        """
        return map(partial(_checked, fail or Future.result), as_completed(futures))

    def places(self, futures: list[Future]) -> list[str]:
        """Return, for each result, the address of a worker that holds it; "" if none does."""
        workers_of = self.client.who_has(futures)
        return [next(iter(workers_of.get(future.key, ())), "") for future in futures]

    def workers(self) -> list[str]:
        """Return the addresses of all workers; wait until there is at least one.

        A worker that is too busy to respond counts as lost until it responds.
        """
        while True:
            addresses = sorted(self.client.scheduler_info(n_workers=-1)["workers"])  # -1: all
            if addresses:
                return addresses
            self.client.wait_for_workers(1)


def _checked(fail: Callable[[Future], object], future: Future) -> Future:
    """Return a future that is done, after calling ``fail`` if it has failed."""
    if future.status in FAILED:
        fail(future)
    return future
