"""Runs of designs on one prepared graph: device time, the giant of a sample, and edges read."""

import contextlib
import functools
import itertools
import time

import numpy as np
import records

from cc_rapids.algorithms.compiled import build
from cc_rapids.algorithms.run import connect_rest, prepare, run, sample
from cc_rapids.graph.edges import Edges, rows_of
from cc_rapids.graph.forest import Forest
from cc_rapids.kernels.edges import sampled_count

BRIEF, SLOW = 100, 400  # ms: from the one on a design is run twice, from the other on once
LIMIT = 4.0  # s: a design that waits for the host is stopped after these


class TooLongError(Exception):
    """A run was stopped."""


class Prepared:
    """The edges of a graph as a list and as sorted rows of both directions, and a forest."""

    def __init__(self, graph, backend, runs=1, tiny=None):
        """``tiny``: another one, on which the kernels of a design are loaded before it is timed."""
        self.backend, self.n, self.m = backend, graph.num_vertices, graph.num_edges
        self.runs, self.tiny = runs, tiny
        self.edges = Edges(graph.src, graph.dst, 0)
        self.forest = Forest(backend, self.n, all_present=True)
        self.expected = None

    @functools.cached_property
    def rows(self):
        """Rows of both directions, made when they are asked for."""
        return rows_of(self.edges, self.forest)

    def prepared(self, design, form):
        """Return a design, compiled, and the state of its run."""
        rows = self.rows if form == "rows" else None
        types = self.forest.vertex, self.edges.wide
        compiled = build(design, self.backend, *types, rows is not None, False)
        return compiled, prepare(compiled, self.edges, self.forest, rows)

    def solve(self, design, form):
        """Run a design once; gives the labels."""
        run(*self.prepared(design, form))
        return self.forest.parent

    def clock(self, *steps):
        """Milliseconds of each step: of the device on a GPU, else of the wall."""
        marks = [self.backend.mark()]
        for step in steps:
            step()
            marks.append(self.backend.mark())
        self.backend.synchronize()
        return [self.backend.elapsed(*pair) for pair in itertools.pairwise(marks)]

    def times(self, design, form):
        """Milliseconds of the sample and of the rest in each of some runs.

        Arrays that a run begins with are there before; those of rounds and searches come from the
        pool, which has them from the first run on, that counts only if it was slow.
        """
        if self.tiny:
            self.tiny.solve(design, form)
        made, state = self.prepared(design, form)

        def once():
            state.reset()
            with limited(self.backend, LIMIT):
                return self.clock(lambda: sample(made, state), lambda: connect_rest(made, state))

        first = once()
        if sum(first) >= SLOW:
            return [first]
        return [once() for _ in range(self.runs if sum(first) < BRIEF else 2)]

    def right(self):
        """Return whether the labels are those of the first design that ran."""
        if self.expected is None:
            self.expected = self.forest.parent.copy()
        return bool((self.forest.parent == self.expected).all())

    def components(self):
        """Return the number of components, once a design ran."""
        self.forest.count()
        return self.forest.components

    def record(self, design, form):
        """Return the times of a design, and whether it was right."""
        facts = {"design": str(design), "form": form}
        try:
            times = self.times(design, form)
        except TooLongError:
            return facts | {"not_run": f"stopped after {LIMIT:g} s"}
        whole = records.spread([sum(pair) for pair in times])
        sampling = records.spread([first for first, _ in times])
        return facts | {"ms": whole, "sample_ms": sampling["median"], "right": self.right()}


@contextlib.contextmanager
def limited(backend, seconds):
    """Stop what waits for the host later than that."""
    read, last = backend.to_host, time.perf_counter() + seconds

    def to_host(array):
        if time.perf_counter() > last:
            raise TooLongError
        return read(array)

    backend.to_host = to_host
    try:
        yield
    finally:
        del backend.to_host


def sampling(prepared, design, form):
    """Return what a sample does: its share of the time, the giant, and the edges left."""
    facts = prepared.record(design, form)
    if "ms" not in facts:
        return facts
    made, state = prepared.prepared(design, form)
    xp, parent, rows = prepared.backend.xp, prepared.forest.parent, prepared.rows
    degrees = rows.offsets[1:] - rows.offsets[:-1]
    read = sampled_entries(prepared, design, made, state, degrees)
    state.reset()
    sample(made, state)
    inside = members(xp, state.giant.in_giant, prepared.n)
    src, dst = (column.astype(np.int64) for column in (prepared.edges.src, prepared.edges.dst))
    left = 1 - (inside[src] & inside[dst]).mean()
    entries, outside = state.m, int(degrees[~inside].sum())
    return (
        facts
        | read
        | {
            "entries": entries,
            "coverage": float(inside.mean()),
            "outside_giant": float(left),
            "between_trees": float((parent[src] != parent[dst]).mean()),
            "finish_entries": outside if form == "rows" else entries - read["sample_entries"],
        }
    )


def members(xp, words, n):
    """Return the bits of a set of n vertices, as booleans."""
    return xp.unpackbits(words.view(np.uint8), bitorder="little")[:n].astype(bool)


def sampled_entries(prepared, design, made, state, degrees):
    """Return how many entries (or edges of a list) a sample reads, and how that was counted."""
    word, xp = design.words[0], prepared.backend.xp
    if word.spec.name == "strided":
        return {"sample_entries": sampled_count(prepared.m, word["every"]), "counted": "exactly"}
    if word.spec.name == "kout":
        return {"sample_entries": int(xp.minimum(degrees, word["k"]).sum()), "counted": "exactly"}
    if word.spec.name == "hook":
        made.init_forest(state)
        made.sample.before(state)
        parent = state.trees.parent
        roots = parent == xp.arange(state.n, dtype=parent.dtype)
        linked = int(xp.minimum(degrees, word["n"])[roots].sum())
        first = int((degrees > 0).sum())
        return {
            "sample_entries": first + linked,
            "first_entries": first,
            "counted": "at most: a root that is hooked meanwhile is not linked",
        }
    sample(made, state)
    visited = int(degrees[members(xp, state.giant.in_giant, state.n)].sum())
    return {
        "sample_entries": visited,
        "counted": "on paper: a search from above reads every entry of what it reaches, and one"
        " from below stops earlier",
    }


def empty_pool(backend):
    """Give back what the pool keeps of a graph that is gone."""
    if backend.on_device:
        backend.xp.get_default_memory_pool().free_all_blocks()
