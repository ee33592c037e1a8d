"""Phases of a run on the host: how trees begin, and which edges are linked after the sample.

Each takes kernels and gives a procedure over one run's work. Hong et al. 2020, Alg. 1 and 3.5.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels.blocks import MOST
from ..kernels.spec import Step


def all_edges(link_edges: Any) -> Step:
    """Link every edge."""

    def finish(work: Any) -> None:
        link_edges(work.m, *work.edges, work.n, *work.trees, *work.notes)

    return finish


def all_rows(link_short: Any, link_long: Any) -> Step:
    """Link every entry: those of a short row by one thread, those of a long one by one each.

    Where every edge stands in both rows, it is linked from that of its larger end.
    """

    def finish(work: Any) -> None:
        many = work.engine.fill(work.engine.empty(1, np.int64), 0)
        rest, once = (work.n, *work.trees, *work.notes), int(work.symmetric)
        link_short(work.n, once, many, *work.rows, *rest)
        link_long(work.m, once, many, *work.edges, *rest)

    return finish


def edges_outside(link_edges: Any, left: Callable[[int], int]) -> Step:
    """Link every edge that the sample has left, except those inside the giant."""

    def finish(work: Any) -> None:
        count = left(work.m)
        link_edges(count, *work.edges, work.n, *work.trees, *work.notes, work.best, work.inside)

    return finish


def rows_outside(members: Any, link_rows: Any, rest: Step) -> Step:
    """Link the rows of the vertices outside the giant, gathered first (vertex gathering, 3.5).

    Where not every edge stands in both rows, an edge out of the giant may be in the giant's row
    alone: then all rows are read.
    """

    def finish(work: Any) -> None:
        if not work.symmetric:
            rest(work)
            return
        engine, (seen, stray), (listed, count) = work.engine, work.notes, work.outside
        members(work.n, work.rows[0], work.inside, engine.fill(count, 0), listed)
        rest_of_work = stray, *work.rows, *work.trees, seen, work.best, work.inside
        link_rows(work.n * engine.threads_per_row, count, listed, *rest_of_work)

    return finish


def by_rounds(keep_edge: Any, rounds: Step) -> Step:
    """Copy the edges that are left, and run rounds over the copy."""

    def finish(work: Any) -> None:
        engine, parent = work.engine, work.trees[0]
        us, vs = engine.empty(work.m, parent.dtype), engine.empty(work.m, parent.dtype)
        es = engine.empty(work.m if work.noted else 0, np.uint64)
        count = engine.fill(engine.empty(1, np.int64), 0)
        rest = work.best, work.inside, count, us, vs, es
        keep_edge(work.m, *work.edges, work.n, *work.notes, *rest)
        left = int(engine.to_host(count)[0]) if work.sampled else work.m
        work.kept = us[:left], vs[:left], es[:left]
        rounds(work)

    return finish


def changes(work: Any, kernel: Any, *arguments: Any) -> bool:
    """Launch a kernel that takes a flag after its other arguments: whether it has raised it."""
    flag = work.engine.fill(work.engine.empty(1, np.int64), 0)
    kernel(*arguments, flag)
    return bool(work.engine.to_host(flag)[0])


def filtered(run: Callable[..., None], left: Callable[[int], int]) -> Step:
    """Link what the sample has left, except inside the giant."""

    def finish(work: Any) -> None:
        best, inside = work.best, work.inside
        to = *work.trees, work.notes[0], best, inside
        run(left(work.m), work.edges, work.n, work.notes, inside, best, work.queues, to=to)

    return finish


def without(make_trees: Any) -> Step:
    """Make every vertex a tree of its own."""

    def start(work: Any) -> None:
        make_trees(work.n, work.trees[0])

    return start


def begin(window: int, find_firsts: Any, solve: Any) -> Step:
    """Make every vertex a tree of the tile that it is in."""

    def start(work: Any) -> None:
        tiles, (src, dst, low) = -(-work.n // window), work.edges
        parent, _, chosen = work.trees
        most, once = MOST * window * -(-work.m // max(work.n, 1)), int(work.symmetric)
        find_firsts(tiles + 1, work.m, work.n, src, low, work.firsts)
        solve(tiles, src, dst, low, work.n, most, once, parent, chosen, work.firsts)

    return start
