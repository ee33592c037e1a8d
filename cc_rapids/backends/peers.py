"""Copies between GPUs, and one persistent worker thread per GPU."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from ..errors import InputError

log: logging.Logger = logging.getLogger(__name__)

ALREADY_ENABLED = 704  # cudaErrorPeerAccessAlreadyEnabled


class Peers:
    """The pairs of GPUs that this process has tried to connect, and whether they are connected."""

    def __init__(self, runtime: Any) -> None:
        self.runtime = runtime
        self.connected: dict[tuple[int, int], bool] = {}

    def connect(self, device: int, other: int) -> bool:
        """Enable GPU ``device`` to read the memory of ``other``; return whether it can.

        If it cannot, a warning is logged once, and the driver copies through the host.
        """
        if (device, other) not in self.connected:
            reason = self._enable(device, other)
            self.connected[device, other] = reason is None
            if reason is not None:
                log.warning(
                    "GPU %d receives data of GPU %d through the host: %s", device, other, reason
                )
        return self.connected[device, other]

    def _enable(self, device: int, other: int) -> str | None:
        """Enable peer access; return None, or the reason why it is impossible."""
        if not self.runtime.deviceCanAccessPeer(device, other):
            return "this machine does not connect them"
        try:
            self.runtime.deviceEnablePeerAccess(other)
        except self.runtime.CUDARuntimeError as error:
            return None if getattr(error, "status", None) == ALREADY_ENABLED else str(error)
        return None


class Workers:
    """One thread per device, started on first use and reused by later runs.

    Threads cache small buffers, such as pinned pages, whose allocation takes longer than some runs.
    Runs on several GPUs are serialised.
    """

    def __init__(self) -> None:
        self._local = threading.local()
        self.forget()
        os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        """Start with no threads and a new lock, as after a fork.

        A fork copies no threads, and a copied lock may be held by a thread that does not exist.
        """
        self.lock: threading.Lock = threading.Lock()
        self._threads: dict[int, ThreadPoolExecutor] = {}

    def check_outside(self) -> None:
        """Raise an InputError in a worker thread, where a new run would wait for this thread."""
        if self._is_inside:
            raise InputError(
                "this function was called by progress= of a run with devices=, and only one such"
                " run is possible at a time: start the next run after this run has returned"
            )

    @property
    def _is_inside(self) -> bool:
        return getattr(self._local, "inside", False)

    def start(self, number: int, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Run a function in the thread of device ``number``; return the future of its result."""
        if number not in self._threads:
            name = f"cc_rapids-device-{number}"
            mark_as_worker = partial(setattr, self._local, "inside", True)
            self._threads[number] = ThreadPoolExecutor(1, name, initializer=mark_as_worker)
        return self._threads[number].submit(work, *arguments)

    def stop(self) -> None:
        """Stop the threads and free their buffers; the next run restarts them.

        A call from a worker thread does nothing, because a run is using the threads.
        """
        if self._is_inside:
            return
        with self.lock:
            for thread in self._threads.values():
                thread.shutdown()
            self._threads.clear()


workers: Workers = Workers()
