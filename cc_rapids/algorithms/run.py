"""Static connectivity: from edges to a flat forest. Hong et al. 2020, Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..backends import MEMORY, Array, Engine
from ..errors import CapacityError
from ..graph.edges import Adjacency, Edges, listed, rows_of
from ..graph.forest import ROOM_FOR_BITS, Forest, SpeculativeRows
from ..kernels.giant import PROBES
from .compiled import Program, build, build_mixed
from .design import Design

MANY = 1 << 16  # vertices from which on more threads meet at a bit than a launch costs
LONG = 1 << 22  # edges of a list that is worth two launches, to tell early how many vertices occur
LAST, LAST_FILTERED = 8, 4  # the part of it that is linked while the host makes room for the rows


@dataclass
class Work:
    """The arrays of one run, as the procedures of :mod:`cc_rapids.kernels` take them.

    Attributes
    ----------
    n, m : int
        Vertices, and edges or entries of rows.
    edges : (src, dst, low), or (offsets, indices, 0) if rows are what is read
    rows : (offsets, indices) if there are rows, else empty
    symmetric : bool
        Whether every edge stands in the rows of both ends.
    trees : (parent, extra, chosen)
        The forest, what a link keeps beside it, and the edges that it hooked by. A design that
        keeps nothing, or notes nothing, is given the parents there, and never looks at them.
    notes : (seen, stray)
    best, inside, roots : arrays
        The giant's root, with how many vertices the sample has linked, the vertices inside it, and
        room to find it; after a sample only.
    queues : array of uint32
        Where edges wait to be linked, if they do.
    outside : (listed, count) or ()
        Room for the vertices outside it, for a design that gathers them. All such room is there
        before the first launch: to release it in between would wait for the device.
    sampled, noted : bool
        Whether there was a sample, and whether a spanning forest is wanted.
    memory : str
        The kind of memory that the edges are read in (see :mod:`cc_rapids.backends.base`).
    firsts : (tiles + 1,) array of uint64 or ()
        Where the edges of each tile begin, see :mod:`cc_rapids.kernels.blocks`.
    kept : arrays
        The edges that rounds run over.
    """

    engine: Engine
    n: int
    m: int
    edges: tuple[Array, Array, int]
    rows: tuple[Array, ...]
    symmetric: bool
    trees: tuple[Array, Array, Array]
    notes: tuple[Array, Array]
    best: Array
    inside: Array
    roots: Array
    queues: Array
    outside: tuple[Array, ...]
    firsts: Array
    sampled: bool
    noted: bool
    memory: str = "device"
    kept: tuple[Array, ...] = field(default=())

    @property
    def beside(self) -> int:
        """The bytes of arrays that are neither the forest's nor the caller's."""
        extra, chosen = self.trees[1:]
        made = [self.best, self.inside, self.roots, self.queues, *self.outside, self.firsts]
        made += [extra, chosen] if self.noted else [extra]
        own = {id(array) for array in (self.trees[0], *self.notes)}
        return sum(array.nbytes for array in made if id(array) not in own and len(array))


def solve(
    edges: Edges,
    forest: Forest,
    design: Design,
    rows: Adjacency | None,
    chosen: Array = None,
    memory: str = "device",
    speculative: SpeculativeRows | None = None,
) -> None:
    """Give every vertex the root of its component, and count them.

    Parameters
    ----------
    edges : Edges
        On the forest's engine; not written.
    forest : Forest
        Over the vertices of the edges; ``seen`` holds those that occur besides the edges.
    design : Design
        The algorithm.
    rows : Adjacency, optional
        The edges as rows, for a design that takes them.
    chosen : (n,) array of unsigned integers, all bits set, optional
        Filled with the edges of a spanning forest: for each vertex but the roots the one by which
        it was hooked, in an order of its own.
    memory : str
        The kind of memory that the edges are in, and that a matrix is to be made in.
    speculative : SpeculativeRows, optional
        Rows to gather while the forest is counted. There is no more room for them than surely is
        needed, and may be taken in vain: see :func:`cc_rapids.memory_bound`. Of a long list it is
        told how many there are at least while its last part is linked.
    """
    noted = chosen is not None
    wide = edges.wide_for(forest.n)
    program = build(design, forest.engine, forest.vertex, wide, rows is not None, noted)
    work = prepare(program, edges, forest, rows, chosen, memory)
    sample(program, work)
    if speculative is None:
        finish(program, work)
        forest.count()
        return
    least, spare = speculative.min_rows, forest.spare(work.beside)
    told = None
    if speculative.capacity(least, spare) < speculative.max_rows and _may_be_parted(program, work):
        work, told = _link_most(program, work)
    finish(program, work)
    if told:
        least = max(least, told())
    capacity = speculative.capacity(least, spare)
    # while the arrays of the work live: without a pool their release waits
    worth = spare >= 0 and (told or capacity == speculative.max_rows)
    forest.count(speculative if worth else None, capacity)


def _may_be_parted(program: Program, work: Work) -> bool:
    """Whether the edges that a sample has left can be linked in two parts, and vertices that have a
    parent be counted in between.
    """
    plain = not (program.rounds or program.rerooted or program.unpack or work.noted or work.rows)
    period = program.sample.period if plain and program.sample else 0
    return bool(period) and work.m >= max(LONG, 2 * period)


def _link_most(program: Program, work: Work) -> tuple[Work, Callable[[], int]]:
    """Link all but the last part of the edges; return that part, and what waits for how many
    vertices have a parent by now.
    """
    assert program.sample is not None
    parts = LAST_FILTERED if program.queues else LAST
    period = program.sample.period
    first = (work.m - work.m // parts) // period * period
    src, dst, low = work.edges
    program.finish(replace(work, m=first, edges=(src[:first], dst[:first], low)))
    linked = work.engine.fill(work.best[1:], 0)
    program.count_linked(work.n, work.trees[0], linked)
    told = work.engine.later(linked)
    last = replace(work, m=work.m - first, edges=(src[first:], dst[first:], low))
    return last, lambda: int(told()[0])


def join(edges: Edges, forest: Forest, design: Design) -> None:
    """Join the trees of a forest by further edges, by a design that hooks roots alone.

    Hong et al. 2020, Algorithm 3: edges of earlier batches are not looked at again. An edge with
    both ends in the giant after a sample joins nothing, whatever batches made that of.

    Parameters
    ----------
    edges : Edges
        On the forest's engine, between vertices of it; not written.
    forest : Forest
        Whose parents are set; neither flat nor counted afterwards.
    design : Design
        Rooted, and without a sample, or with one of the list.
    """
    program, work = _resumed(edges, forest, design)
    if program.sample:
        _find_giant(program, work)
    program.finish(work)
    _unpack(program, work)


def join_and_ask(edges: Edges, forest: Forest, design: Design, queries: Array) -> Array:
    """Join trees by those rows that are no queries, and answer those that are, at the same time.

    Parameters
    ----------
    queries : (m,) array of uint8
        Not 0 where a row is a query.

    Returns
    -------
    new (m,) array of uint8: 1 where a query has found both its ends in one tree
    """
    engine = forest.engine
    answers = engine.fill(engine.empty(edges.m, np.uint8), 0)
    mixed = build_mixed(design, engine, forest.vertex, edges.wide_for(forest.n))
    program, work = _resumed(edges, forest, design)
    parent, extra, _ = work.trees
    trees = extra if program.extra == "ranks" else parent
    mixed(edges.m, edges.src, edges.dst, forest.n, parent, extra, trees, queries, answers)
    _unpack(program, work)
    return answers


def _resumed(edges: Edges, forest: Forest, design: Design) -> tuple[Program, Work]:
    """A run that goes on from the trees there are: what the link keeps is made of them."""
    wide = edges.wide_for(forest.n)
    program = build(design, forest.engine, forest.vertex, wide, False, False)
    work = prepare(program, edges, forest)
    _start_extra(program, work)
    return program, work


def run(program: Program, work: Work) -> None:
    """The phases: sample, find the giant, finish what is outside it, and flatten."""
    sample(program, work)
    finish(program, work)


def sample(program: Program, work: Work) -> None:
    """Make every vertex a tree; if there is a sample, link it and find the giant."""
    program.start(work)
    if not program.sample or not work.n:
        _start_extra(program, work)
        return
    if program.sample.before:
        program.sample.before(work)
    _start_extra(program, work)
    _find_giant(program, work)


def _find_giant(program: Program, work: Work) -> None:
    """Link the sample, flatten all trees, and note the vertices of the largest."""
    parent = work.trees[0]
    if program.sample and program.sample.link:
        program.sample.link(work)
    _unpack(program, work)
    program.probe(PROBES, work.n, parent, work.roots)
    program.most_frequent(PROBES, work.roots, work.best)
    octets = work.inside.view(np.uint8)
    program.mark_inside(octets.size, work.n, parent, work.best, work.best[1:], octets)


def finish(program: Program, work: Work) -> None:
    """Link what the sample has left, and point every vertex at its root."""
    parent = work.trees[0]
    program.finish(work)
    _unpack(program, work)
    if work.n >= MANY:
        program.mark_frequent(PROBES, work.n, parent, work.notes[0])
    program.flatten(work.n, parent, work.notes[0])
    if program.rerooted:
        lowest = work.engine.fill(work.engine.empty(work.n, parent.dtype), 0xFF)
        program.least(work.n, parent, lowest)
        program.reroot(work.n, lowest, parent, work.notes[0])


def prepare(
    program: Program,
    edges: Edges,
    forest: Forest,
    rows: Adjacency | None = None,
    chosen: Array = None,
    memory: str = "device",
) -> Work:
    """The arrays of a run; before it runs again, ``best`` is to be 0."""
    engine, n, sampled = forest.engine, forest.n, program.sample is not None
    types = {"hooks": forest.vertex, "locks": np.uint32, "ranks": np.uint64}
    extra = engine.empty(n, types[program.extra]) if program.extra else forest.parent
    best, inside, roots, queues = _of_sample(program, forest)
    noted = chosen is not None
    symmetric = rows is not None and rows.symmetric
    gathers = symmetric and program.sample is not None and program.sample.gather
    return Work(
        engine=engine,
        n=n,
        m=edges.m if rows is None else rows.m,
        edges=(edges.src, edges.dst, edges.low) if rows is None else (*rows.arrays, 0),
        rows=() if rows is None else rows.arrays,
        symmetric=symmetric,
        trees=(forest.parent, extra, chosen if noted else forest.parent),
        notes=(forest.seen, forest.stray),
        best=best,
        inside=inside,
        roots=roots,
        queues=queues,
        outside=(engine.empty(n, np.uint32), engine.empty(1, np.int64)) if gathers else (),
        firsts=engine.empty(-(-n // program.window) + 1, np.uint64) if program.window else (),
        sampled=sampled,
        noted=noted,
        memory=memory,
    )


def _of_sample(program: Program, forest: Forest) -> tuple[Array, ...]:
    """``best``, ``inside``, ``roots`` and ``queues``; another stands for what a run has none of."""
    engine = forest.engine
    if program.sample is not None:
        bits, waiting = (forest.seen.size, np.uint32), (program.queues, np.uint32)
        made = tuple(engine.pieces((2, np.int64), bits, (PROBES, forest.vertex), waiting))
    elif program.rounds:
        made = engine.empty(1, np.int64), forest.seen, forest.parent, forest.seen
    else:
        return forest.stray, forest.seen, forest.parent, forest.seen
    engine.fill(made[0], 0)
    return made


def _start_extra(program: Program, work: Work) -> None:
    parent, extra, _ = work.trees
    if program.extra == "ranks":
        program.pack(work.n, parent, extra)
    elif program.extra:
        work.engine.fill(extra, 0xFF if program.extra == "hooks" else 0)


def _unpack(program: Program, work: Work) -> None:
    parent, extra, _ = work.trees
    if program.unpack:
        program.unpack(work.n, extra, parent)


def arranged(
    design: Design, edges: Edges, rows: Adjacency | None, forest: Forest, noted: bool = False
) -> tuple[Edges, Adjacency | None]:
    """The edges as the design takes them: as a list, or as rows too.

    What is given as it takes it is not touched.
    """
    sample, link, _ = design.words
    if rows is None:
        return edges, rows_of(edges, forest, noted) if design.takes_rows else None
    both_ways = link.choice.whole and design.takes_rows and not rows.symmetric
    if sample.choice.name != "strided" and not both_ways:
        return edges, rows
    edges = listed(rows, edges, forest.engine)
    return edges, rows_of(edges, forest, noted) if both_ways else None


def placed(
    edges: Edges, rows: Adjacency | None, engine: Engine, memory: str
) -> tuple[Edges, Adjacency | None]:
    """What a design reads, its rows or else its list, in a kind of memory: the engine's own is
    where they are.
    """

    def at(array: Array) -> Array:
        return engine.placed(array, memory)

    if memory == MEMORY[0]:
        return edges, rows
    if rows is None:
        return replace(edges, src=at(edges.src), dst=at(edges.dst)), None
    return edges, replace(rows, offsets=at(rows.offsets), indices=at(rows.indices))


def beyond(design: Design, n: int, m: int, rows: bool, forest: bool) -> int:
    """The bytes that a design takes beside the forest, for m edges (entries, if rows are given)."""
    sample, link, word = design.words[0], design.words[1].choice, 4 if n < 1 << 32 else 8
    rounds, staged = "edges" in link.takes and not link.whole, sample.choice.around
    sampled = sample.choice.name != "none"
    size = {"": 0, "hooks": word, "locks": 4, "ranks": 8}[link.extra] * n
    if link.extra == "ranks" or not link.least or (rounds and sampled):
        size += word * n
    if (sampled and not staged) or n // 8 <= ROOM_FOR_BITS:
        size += n // 8
    if design.window:
        size += 8 * (n // design.window + 2)
    if design.takes_rows and not rows:
        size += (80 if forest else 48) * m + 8 * n
        m *= 2
    if rounds:
        size += (2 * word + 8 * forest) * m + 2 * word * n
    group = min(sample["q"] * n, m) if staged else m
    size += word * (link.room[0] * n + (link.room[1] + 2 * staged) * group)
    if sample.choice.queues or link.queues:
        size += (4 + 2 * word) * n
    return size + link.pairs * n * n + (8 * n if forest else 0)


def check_pairs(design: Design, n: int, engine: Engine, memory: str) -> None:
    """Refuse a design that keeps something for each pair of vertices, if that does not fit.

    A matrix is made in the kind of memory that is asked for, all else on the engine.

    Raises
    ------
    CapacityError
        With the bytes that it would take, and those that are free.
    """
    link = design.words[1].choice
    needed = link.pairs * n * n
    if not needed:
        return
    memory = memory if "edges" in link.takes else "device"
    free = engine.free_bytes_of(memory)
    if needed > free:
        each = "byte" if link.pairs == 1 else f"{link.pairs} bytes"
        raise CapacityError(
            f"{design} takes {each} for each pair of vertices: {needed:,} bytes for {n:,} ids"
            f" between the least and the greatest, and {free:,} are free; take one that grows with"
            f" the edges, such as {Design()}, or number the vertices without gaps if they are fewer"
        )
