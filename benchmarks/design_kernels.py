"""Compile the kernels of all designs in several processes, so that a timed process loads them.

A rehearsal runs every design on a tiny graph, its kernels as plain Python, under the GPU's own
parameters, and notes what is launched with which types: no GPU is asked for. Each process then
compiles its share and keeps it in the store.
"""

import multiprocessing
import os
import time
import warnings

import design_stream
import numpy as np
from design_runs import Prepared

from cc_rapids import Design, engines, generators
from cc_rapids.engines import compiler, cuda
from cc_rapids.engines.parts import Atom
from cc_rapids.engines.threads import Threads

SCALE = 4  # log2 of the vertices of a rehearsal
UNSEEN = "link_pairs"  # asks for warps; what it would link is linked later, as nothing is timed


def read_and(change):
    """An atomic operation of one thread: gives what the array held before."""

    def operation(array, i, *values):
        before = array[i]
        array[i] = change(before, *values)
        return before

    return operation


PLAIN = {
    "cas": read_and(lambda held, old, new: new if held == old else held),
    "add": read_and(lambda held, value: held + held.dtype.type(value)),
    "min": read_and(min),
    "max": read_and(max),
    "bit_or": read_and(lambda held, value: held | value),
    "fence": lambda: None,
    "swap_pairs": lambda value: value,
}
PLAIN |= {"all_add": PLAIN["add"], "all_min": PLAIN["min"], "all_max": PLAIN["max"]}


class Rehearsal(Threads):
    """The GPU engine's parameters on NumPy arrays; notes what each kernel is stored under."""

    name = "cuda"
    group = cuda.Cuda.group
    swap_pairs = Atom("swap_pairs")

    def __init__(self):
        super().__init__()
        self.launched = {}

    def launch(self, kernel, n, arguments):
        signature = compiler.signature_of(arguments)
        self.launched[kernel.shape, kernel.part.fingerprint, signature] = kernel
        if kernel.part.function.__name__ == UNSEEN:
            return
        body = kernel.compiled.get("plain")
        if body is None:
            body = kernel.part.compiled(lambda function: function, PLAIN)
            kernel.compiled["plain"] = body
        arguments = [np.int64(a) if isinstance(a, int) else a for a in arguments]
        if kernel.shape == "sweep":
            body(np.uint64(0), np.uint64(n), np.uint64(1), *arguments)
        else:
            for i in range(n):
                body(np.uint64(i), *arguments)


def rehearse(names, graphs):
    """The kernels that designs of these names, generators of the graphs, and batches launch."""
    engine = Rehearsal()
    real, engines.get = engines.get, lambda name: engine
    try:
        with warnings.catch_warnings():  # integers wrap around, as they do on the GPU
            warnings.filterwarnings("ignore", ".*overflow encountered", RuntimeWarning)
            made = [generators.reference(name, SCALE, engine="cuda") for name in graphs]
            prepared = Prepared(made[0], engine)
            for name, form in names:
                prepared.solve(Design.parse(name), form)
            if design_stream.available():
                design_stream.touch(made[0], engine)
    finally:
        engines.get = real
    return engine.launched


def compile_share(names, graphs, capability, share, shares):
    """Compile every ``shares``-th kernel from ``share`` on, and keep it in the store."""
    launched = rehearse(names, graphs)
    for key in sorted(launched, key=str)[share::shares]:
        cuda.stored(launched[key], key[2], capability)


def fill_store(names, graphs, capability, processes=None):
    """Have all kernels of the designs in the store; gives what it took.

    Parameters
    ----------
    names : list of (str, str)
        Designs, and the form of the edges that each works on.
    """
    processes, started = processes or os.cpu_count(), time.perf_counter()
    context = multiprocessing.get_context("spawn")
    shares = [(names, graphs, capability, k, processes) for k in range(processes)]
    with context.Pool(processes) as pool:
        pool.starmap(compile_share, shares, chunksize=1)
    return {"processes": processes, "seconds": round(time.perf_counter() - started, 1)}
