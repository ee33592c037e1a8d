"""One solve of one edge list: scan the ids, encode them, decide on a design, run; retry once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms import run
from ..algorithms.auto import AT_ONCE, RULES, Branch, Rule, choose, choose_by_paper, for_forest
from ..algorithms.design import Design
from ..algorithms.run import arranged, check_pairs, placed
from ..backends import Array, Engine
from ..data.edge_input import EdgeInput
from ..graph.edges import Adjacency, check_offsets, rows_of
from ..graph.forest import Ahead
from ..ids import encode as vertices
from ..ids.decoders import Offset
from ..ids.encode import Numbered
from ..ids.range import NOT_SEEN, Span
from . import one_launch

if TYPE_CHECKING:
    pass

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Task:
    """How a job runs: on which engine, by which design or rule, and what is wanted of it.

    ``noted``: a spanning forest. ``listed``: the label frame, at once, of so many vertices if that
    is known.
    """

    engine: Engine
    design: Design | str | None
    memory: str
    noted: bool
    listed: bool | int


@dataclass(frozen=True)
class Solved:
    """A solved forest, the rows of the edges of a spanning forest if they are wanted, and what
    gives a label frame that was made on the task.
    """

    numbered: Numbered
    design: Design
    chosen: Array | None
    frame: Any = None


def solve(given: EdgeInput, columns: list[Any], offsets: list[Any], task: Task) -> Solved:
    """Solve one edge list, again with the exact range of its ids if some lay outside the guess.

    Raises
    ------
    InputError
        The offsets are wrong, or the columns have changed meanwhile.
    """
    for starts in offsets:
        check_offsets(given, task.engine.asarray(starts), task.engine)
    whole = task.noted or given.row_offsets or task.design == "paper"
    whole = whole or (isinstance(task.design, Design) and task.design.counts_vertices)
    solved = _solve(given, columns, offsets, task, sure=bool(whole))
    if not solved.numbered.forest.complete:
        log.info("some ids lie beyond what a glance at the columns showed: reading all of them")
        solved = _solve(given, columns, offsets, task, sure=True)
        if not solved.numbered.forest.complete:
            raise given.changed()
    return solved


def _at_once(given: EdgeInput, columns: list[Any], task: Task) -> Solved | Span | None:
    """A list solved in one launch; None if it is none of those, or the span of its ids, if it has
    to be solved as others.
    """
    if not one_launch.fits(given, columns, task.engine):
        return None
    made: list[Any] = []
    then = _framing(given, task, made.append)
    rows = one_launch.Rows(int(task.listed), then) if then else None
    numbered = one_launch.solved(given, columns, task.engine, rows)
    if numbered is None or isinstance(numbered, Span):
        return numbered
    log.debug("%s, in one launch: %s", AT_ONCE.design, AT_ONCE)
    return Solved(numbered, AT_ONCE.design, None, *made)


def _solve(
    given: EdgeInput, columns: list[Any], offsets: list[Any], task: Task, sure: bool
) -> Solved:
    engine, design, memory, noted = task.engine, task.design, task.memory, task.noted
    plain = design == RULES[0] and memory == "device" and not noted
    at_once = _at_once(given, columns, task) if plain else None
    if isinstance(at_once, Solved):
        return at_once
    numbered = vertices.number(given, columns, engine, sure, at_once)
    edges, forest = numbered.edges, numbered.forest
    order = NOT_SEEN if offsets else numbered.order
    rows = Adjacency(engine.asarray(offsets[0]), edges.dst, given.symmetric) if offsets else None
    if not isinstance(design, Design):
        found: Rule | Branch
        if design == "paper":
            found = choose_by_paper(
                engine, forest.n, edges.m, lambda: rows or rows_of(edges, forest, noted)
            )
            rows = found.rows or rows
        else:
            both = bool(rows and rows.symmetric)
            found = choose(engine, numbered.about, edges.m, both, order.near, not offsets)
        log.debug("%s: %s", found.design, found)
        design = for_forest(found.design) if noted else found.design
    falls = order.falls and _turns(task)
    edges = edges.backwards() if falls else edges
    check_pairs(design, forest.n, engine, memory)
    edges, rows = placed(*arranged(design, edges, rows, forest, noted), engine, memory)
    if not noted:
        made: list[Any] = []
        ahead = _ahead(given, numbered, task, made.append) if task.listed else None
        run.solve(edges, forest, design, rows, memory=memory, ahead=ahead)
        return Solved(numbered, design, None, *made)
    wide = np.uint32 if max(edges.m, rows.m if rows else 0) < (1 << 32) - 1 else np.uint64
    by_vertex = engine.fill(engine.empty(forest.n, wide), 0xFF)
    run.solve(edges, forest, design, rows, by_vertex, memory)
    chosen = by_vertex[by_vertex != np.iinfo(wide).max]
    chosen = engine.xp.sort(wide(edges.m - 1) - chosen if falls else chosen)
    if rows is not None and rows.edge_of is not None:
        chosen = engine.xp.sort(rows.edge_of[chosen])
    return Solved(numbered, design, chosen)


def _turns(task: Task) -> bool:
    """Whether a list that falls is read from its end: where many threads at once link the same
    trees, and the caller has not said how.
    """
    return task.design == RULES[0] and task.memory == "device" and task.engine.on_device


def _ahead(
    given: EdgeInput, numbered: Numbered, task: Task, made: Callable[[Any], None]
) -> Ahead | None:
    """The rows of the label frame, if vertices are in the order of the ids before they are solved.

    Without vertices that are named otherwise there are at most as many as ends of edges. Where it
    is known how many there are, and the rows are those of the frame, that is ``made`` of them.
    """
    forest, names, count = numbered.forest, numbered.names, task.listed
    if names is None:
        return None
    ends = forest.n if given.vertices is not None else 2 * numbered.edges.m
    most, least = min(forest.n, ends), forest.n if forest.everyone else 0
    known = isinstance(names, Offset) and count <= most
    then = _framing(given, task, made) if known else None
    if then:
        most = least = count
    return Ahead(names.low, names.dtype, most, least, then)


def _framing(
    given: EdgeInput, task: Task, made: Callable[[Any], None]
) -> Callable[[Array, Array], None] | None:
    """What gives ``made`` the label frame of the first of these rows before they are counted; None
    unless it is known how many there are, and they lie where the frame does.
    """
    count = task.listed
    if isinstance(count, bool) or not count or task.engine.on_device != given.on_device:
        return None

    def frame(ids: Array, labels: Array) -> None:
        if ids.size > count:
            ids, labels = ids[:count], labels[:count]
        made(given.make_frame({"vertex": ids, "labels": labels}))

    return frame
