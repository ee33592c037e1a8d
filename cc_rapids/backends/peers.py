"""Copies between GPUs, and one thread for each of them that stays for later runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

log = logging.getLogger(__name__)

ALREADY = 704  # cudaErrorPeerAccessAlreadyEnabled


class Peers:
    """Table of the GPUs that read the memory of others, as far as this process has asked."""

    def __init__(self, runtime: Any) -> None:
        self.runtime = runtime
        self.known: dict[tuple[int, int], bool] = {}

    def connect(self, own: int, other: int) -> bool:
        """Let the current GPU ``own`` read the memory of another; return whether it can directly.

        If it cannot, which is logged once, the driver makes each copy by way of the host.
        """
        if (own, other) not in self.known:
            why = self._refusal(own, other)
            self.known[own, other] = why is None
            if why is not None:
                log.warning("GPU %d gets what GPU %d holds by way of the host: %s", own, other, why)
        return self.known[own, other]

    def _refusal(self, own: int, other: int) -> str | None:
        if not self.runtime.deviceCanAccessPeer(own, other):
            return "this machine does not connect them"
        try:
            self.runtime.deviceEnablePeerAccess(other)
        except self.runtime.CUDARuntimeError as error:
            return None if getattr(error, "status", None) == ALREADY else str(error)
        return None


class Workers:
    """One thread for each device, which is started when it is needed and kept.

    Threads keep small buffers, of pinned pages among others, which take longer to allocate than
    some runs do. Runs follow one another.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._threads: dict[int, ThreadPoolExecutor] = {}

    def start(self, number: int, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Run a function in the thread of a device."""
        if number not in self._threads:
            self._threads[number] = ThreadPoolExecutor(1, f"cc_rapids-device-{number}")
        return self._threads[number].submit(work, *arguments)

    def stop(self) -> None:
        """End the threads, and free their buffers; the next run starts them again."""
        with self.lock:
            for thread in self._threads.values():
                thread.shutdown()
            self._threads.clear()


workers = Workers()
