"""Ahead: chunks are read in background threads while another is linked."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Semaphore, Thread

from .kinds import Chunk


def ahead(chunks: Generator[Chunk, None, None], readers: int = 1) -> Iterator[Chunk]:
    """The same chunks in the same order, loaded, and made while those before them are used.

    There are never more than so many beside the one in use, and each is loaded in one of so many
    threads. What a maker raises is raised here. When this generator is closed the maker is closed
    too, at its next chunk.
    """
    ready: SimpleQueue[Future[Chunk] | None] = SimpleQueue()
    free = Semaphore(readers)
    stopped = False

    def make(pool: ThreadPoolExecutor) -> None:
        try:
            while True:
                free.acquire()
                chunk = None if stopped else next(chunks, None)
                if chunk is None:
                    break
                ready.put(pool.submit(chunk.loaded))
                del chunk
            ready.put(None)
        except BaseException as error:
            broken: Future[Chunk] = Future()
            broken.set_exception(error)
            ready.put(broken)
        finally:
            chunks.close()

    with ThreadPoolExecutor(readers, "cc_rapids loads") as pool:
        maker = Thread(target=make, args=(pool,), name="cc_rapids reads ahead", daemon=True)
        maker.start()
        try:
            while (found := ready.get()) is not None:
                chunk = found.result()
                del found
                free.release()
                yield chunk
                del chunk
        finally:
            stopped = True
            free.release()
            maker.join()
