"""Ahead: one chunk is read in a background thread while another is linked."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, TypeVar

T = TypeVar("T")


def ahead(items: Generator[T, None, None]) -> Iterator[T]:
    """The same items, each of which is made while the one before it is used; never two ahead.

    What the maker raises is raised here. When this generator is closed the maker is closed too,
    at its next item.
    """
    ready: SimpleQueue[Any] = SimpleQueue()
    free = Semaphore(1)
    stopped = False

    def make() -> None:
        try:
            while True:
                free.acquire()
                if stopped:
                    break
                item = next(items, ready)
                ready.put((item, None))
                if item is ready:
                    break
                del item
        except BaseException as error:
            ready.put((None, error))
        finally:
            items.close()

    thread = Thread(target=make, name="cc_rapids reads ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            if item is ready:
                return
            free.release()
            yield item
            del item
    finally:
        stopped = True
        free.release()
        thread.join()
