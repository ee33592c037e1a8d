"""What a process of its own does: forks and spawns others while its threads compute."""

import multiprocessing
import os
import sys
import threading

import numpy as np

import cc_rapids
from cc_rapids import oracle


def edges(seed):
    return np.random.default_rng(seed).integers(0, 100_000, (2, 200_000))


def right(seed, engine="threads"):
    """Whether an answer is that of sequential union-find, on several threads."""
    src, dst = edges(seed)
    found = cc_rapids.components((src, dst), num_vertices=100_000, engine=engine)
    labels = found.labels().labels
    return bool((labels == oracle.union_find(src, dst, 100_000)).all())


def said_of_gpu(seed):
    """What a forked process says of the GPU that its parent has used."""
    try:
        return right(seed, "cuda")
    except cc_rapids.EngineError as error:
        return str(error)


def main(method, count, engine):
    """As many processes as are asked for, a few at a time, while a thread computes."""
    assert right(0, engine)
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            right(1, engine)

    thread = threading.Thread(target=busy)
    thread.start()
    work = said_of_gpu if engine == "cuda" else right
    try:
        with multiprocessing.get_context(method).Pool(2, maxtasksperchild=1) as pool:
            answers = pool.map_async(work, range(count), chunksize=1).get()
    finally:
        stop.set()
        thread.join()
    assert right(2, engine)
    print(*answers, sep="\n")


if __name__ == "__main__":
    os.environ.setdefault("CC_RAPIDS_THREADS", "3")
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
