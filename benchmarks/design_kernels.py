"""Compile the kernels of all designs in several processes, so that a timed process loads them.

A rehearsal of every design on a tiny graph notes what is launched with which types: no GPU is asked
for. Each process then compiles its share and keeps it in the store.
"""

import multiprocessing
import os
import time

import design_stream
from design_runs import Prepared

from cc_rapids import Design, generators
from cc_rapids.backends import compile as compiler
from cc_rapids.backends.dry_run import rehearsed

SCALE = 4  # log2 of the vertices of a rehearsal


def rehearse(names, graphs):
    """Return the kernels that these designs, generators of graphs, and batches launch."""
    with rehearsed() as backend:
        made = [generators.reference(name, SCALE, engine="cuda") for name in graphs]
        prepared = Prepared(made[0], backend)
        for name, form in names:
            prepared.solve(Design.parse(name), form)
        design_stream.touch(made[0], backend)
    return backend.launched


def compile_share(names, graphs, capability, share, shares):
    """Compile every ``shares``-th kernel from ``share`` on, and keep it in the store."""
    launched = rehearse(names, graphs)
    for key in sorted(launched, key=str)[share::shares]:
        compiler.stored(launched[key], key[2], capability)


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
