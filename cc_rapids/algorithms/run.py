"""Static connectivity: from edges to a flat forest. Hong et al. 2020, Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..backends import DEVICE_MEMORY, Array, Backend
from ..errors import CapacityError
from ..graph.edges import Adjacency, Edges, list_of_rows, rows_of
from ..graph.forest import MOST_BYTES_OF_BITS, Forest
from ..graph.speculative_rows import SpeculativeRows
from ..kernels import giant as sampling
from ..kernels.partition import IDS, TILE, WORD, blocks_of, tiles_of
from ..kernels.spec import AuxArray
from .compiled import CompiledDesign, build, build_mixed
from .design import Design, partitions
from .phases import Remaining

# A long list is divided into PARTS parts, or PARTS_QUEUED if edges wait in queues. The last part is
# linked while the host allocates the rows of the answer.
PARTS, PARTS_QUEUED = 8, 4


class Trees(NamedTuple):
    """The parents, the link's auxiliary array, and the edges by which vertices were hooked."""

    parent: Array
    aux: Array
    hook_edge: Array


class Flags(NamedTuple):
    """The bit set of present vertices, and a flag for edges with an invalid endpoint."""

    present: Array
    out_of_range: Array


class Blocks(NamedTuple):
    """The number of vertex blocks, and the first edge of each block, as ``number + 1`` offsets."""

    number: int
    offsets: Array


class Partition(NamedTuple):
    """Buffers for edges in the order of blocks of vertices, see kernels/partition.py.

    Attributes
    ----------
    capacity : int
        The maximum number of edges in the buffers.
    blocks, shift : int
        The number of blocks, each of ``2 ** shift`` vertices.
    arrays : (larger, smaller, starts)
        The endpoints of each edge, and the start of each block in each tile of edges.
    """

    capacity: int
    blocks: int
    shift: int
    arrays: tuple[Array, Array, Array]


@dataclass
class Giant:
    """The giant component, the largest tree after a sample, and the arrays used to find it.

    Attributes
    ----------
    root_word : (2,) array of int64
        The word ``count << 48 | root`` of kernels/giant.py, and the number of vertices that the
        sample has linked; initially 0. Without a sample, only the first element.
    in_giant : ((n + 31) // 32,) array of uint32
        The bit set of the giant component's vertices.
    probed : array of vertices
        The roots of the probed vertices; the most frequent one is the giant component's.
    warp_queues : array of uint32
        The queues in which edges wait to be linked; empty for a design without queues.
    outside, outside_count : arrays of uint32 and int64
        The vertices outside the giant component and their number, for a design that gathers them.
        Allocated before the first launch, because freeing memory between two launches would wait
        for the device.
    """

    root_word: Array
    in_giant: Array
    probed: Array
    warp_queues: Array
    outside: Array
    outside_count: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All arrays."""
        shared = self.root_word, self.in_giant, self.probed, self.warp_queues
        return *shared, self.outside, self.outside_count


@dataclass
class RunState:
    """The arrays of one run, shared by the phases of a design.

    The arrays that the run allocates share no memory. An array that a design does not use is None,
    or empty and of the right type (see :meth:`cc_rapids.backends.base.Backend.unused`).

    Attributes
    ----------
    backend : Backend
    n, m : int
        The number of vertices, and of edges or entries of rows.
    edges : (src, dst, low), or (offsets, indices, 0) if rows are read
        The caller's arrays, which may share memory with each other. Vertex v has the id v + low.
    csr : Adjacency, optional
        The same edges as rows of an adjacency list.
    trees : (parent, aux, hook_edge)
        Arrays of n vertices; ``aux`` only if the link needs it, ``hook_edge`` only if a spanning
        forest is recorded.
    flags : (present, out_of_range)
    giant : Giant, optional
        For designs with a sample or rounds.
    blocks : Blocks, optional
        For designs that start with blocks of vertices.
    partition : Partition, optional
        For designs that copy edges in the order of blocks of vertices.
    remaining : Remaining, optional
        The copied edges that rounds run over.
    record_forest : bool
        Whether a spanning forest is recorded.
    memory : str
        The kind of memory of the edges (see :mod:`cc_rapids.backends.base`).
    """

    backend: Backend
    n: int
    m: int
    edges: tuple[Array, Array, int]
    csr: Adjacency | None
    trees: Trees
    flags: Flags
    giant: Giant | None = None
    blocks: Blocks | None = None
    partition: Partition | None = None
    remaining: Remaining | None = None
    record_forest: bool = False
    memory: str = "device"

    @property
    def symmetric(self) -> bool:
        """True if every edge occurs in the rows of both endpoints."""
        return self.csr is not None and self.csr.symmetric

    @property
    def extra_bytes(self) -> int:
        """The bytes of the run's own arrays besides the forest and the partition."""
        arrays = [self.trees.aux, self.trees.hook_edge, *(self.giant.arrays if self.giant else ())]
        arrays += [self.blocks.offsets] if self.blocks else []
        return sum(int(array.nbytes) for array in arrays)

    def reset(self) -> None:
        """Reset the arrays, so that the run can start again."""
        if self.giant:
            self.backend.fill(self.giant.root_word, 0)


def solve(
    edges: Edges,
    forest: Forest,
    design: Design,
    rows: Adjacency | None,
    hook_edge: Array = None,
    memory: str = "device",
    speculative: SpeculativeRows | None = None,
    in_two_parts: bool = False,
) -> None:
    """Compute the component of every vertex, and count vertices and components.

    Parameters
    ----------
    edges : Edges
        Edges on the forest's backend; not written.
    forest : Forest
        A forest over the vertices of the edges; ``present`` contains the vertices that are in the
        answer even without an edge.
    design : Design
        The algorithm.
    rows : Adjacency, optional
        The edges as rows, for a design that takes them.
    hook_edge : (n,) array of unsigned integers, all bits set, optional
        Receives a spanning forest: for each vertex that is not a root, the edge by which it was
        hooked.
    memory : str
        The kind of memory of the edges, and of the adjacency matrix of a design that needs one.
    speculative : SpeculativeRows, optional
        Rows to gather while the forest is counted. Memory is allocated for a lower bound of their
        number, plus a tolerated surplus: see :func:`cc_rapids.memory_bound`.
    in_two_parts : bool
        Whether the list is long enough to be linked in two parts. The lower bound is then counted
        before the last part is linked.
    """
    record_forest = hook_edge is not None
    types = forest.vertex, edges.wide
    compiled = build(design, forest.backend, *types, rows is not None, record_forest, edges.form)
    state = prepare(compiled, edges, forest, rows, hook_edge, memory)
    sample(compiled, state)
    if speculative is None:
        connect_rest(compiled, state)
        forest.count()
        return
    min_rows, spare = speculative.min_rows, forest.spare(state.extra_bytes)
    read_linked = None
    can_split = in_two_parts and _can_split(compiled, state)
    if can_split and speculative.capacity(min_rows, spare) < speculative.max_rows:
        state, read_linked = _link_first_part(compiled, state)
    connect_rest(compiled, state)

    def capacity() -> int | None:
        """Return the number of rows to allocate, or None if too many might be wasted."""
        needed_rows = max(min_rows, read_linked()) if read_linked else min_rows
        rows = speculative.capacity(needed_rows, spare)
        is_likely_enough = bool(read_linked) or rows == speculative.max_rows
        return rows if spare >= 0 and is_likely_enough else None

    # Count while the run's arrays still exist: without a pool, freeing them waits for the device.
    forest.count(speculative, capacity)


def _can_split(compiled: CompiledDesign, state: RunState) -> bool:
    """Return whether the edges outside the sample can be linked in two parts.

    The vertices that have a parent are then counted between the parts. The second part begins where
    the pattern of the sample repeats, which it does after each ``period`` edges.
    """
    is_plain = not (compiled.reroots or compiled.unpack or state.record_forest or state.csr)
    period = compiled.sample.period if is_plain and compiled.sample else 0
    return bool(period) and state.m >= 2 * period


def _link_first_part(
    compiled: CompiledDesign, state: RunState
) -> tuple[RunState, Callable[[], int]]:
    """Link all but the last part of the edges, and count the vertices that then have a parent.

    Return the state over the last part, and a function that waits for the device and returns the
    count, from which :func:`solve` gets a lower bound of the number of rows.
    """
    assert compiled.sample is not None
    assert state.giant is not None
    parts = PARTS_QUEUED if compiled.queue_words else PARTS
    period = compiled.sample.period
    first_count = (state.m - state.m // parts) // period * period
    src, dst, low = state.edges
    first_edges = src[:first_count], dst[:first_count], low
    compiled.connect_rest(replace(state, m=first_count, edges=first_edges))
    linked = state.backend.fill(state.giant.root_word[1:], 0)
    compiled.count_linked(state.n, state.trees.parent, linked)
    read_linked = state.backend.read_async(linked)
    last_edges = src[first_count:], dst[first_count:], low
    last_part = replace(state, m=state.m - first_count, edges=last_edges)
    return last_part, lambda: int(read_linked()[0])


def link(
    edges: Edges, forest: Forest, design: Design, rows: Adjacency | None, memory: str = "device"
) -> None:
    """Compute the root of every vertex, without counting; parameters as for :func:`solve`."""
    types = forest.vertex, edges.wide
    compiled = build(design, forest.backend, *types, rows is not None, False, edges.form)
    run(compiled, prepare(compiled, edges, forest, rows, None, memory))


def join(edges: Edges, forest: Forest, design: Design) -> None:
    """Link more edges into an existing forest, with a design that hooks only roots.

    Edges of earlier batches are not read again (Hong et al. 2020, Algorithm 3). The giant component
    may be a tree of earlier batches: an edge inside it is redundant in any case.

    Parameters
    ----------
    edges : Edges
        Edges on the forest's backend, between its vertices; not written.
    forest : Forest
        A forest whose parents are set; neither flat nor counted afterwards.
    design : Design
        A design that hooks only roots, without a sample or with a sample of an edge list.
    """
    backend, vertex, parent = forest.backend, forest.vertex, forest.parent
    compiled = build(design, backend, vertex, edges.wide, reads_csr=False, record_forest=False)
    if compiled.link_edge:  # one launch links all edges, without an auxiliary array
        trees = parent, backend.unused(vertex), backend.unused(vertex)
        ends, flags = (edges.src, edges.dst, edges.low), (forest.present, forest.out_of_range)
        compiled.link_edge(edges.m, *ends, forest.n, *trees, *flags)
        return
    state = _resumed(compiled, edges, forest)
    if compiled.sample:
        _link_sample_and_mark_giant(compiled, state)
    compiled.connect_rest(state)
    if compiled.unpack:
        compiled.unpack(state.n, state.trees.aux, state.trees.parent)


def join_and_ask(edges: Edges, forest: Forest, design: Design, queries: Array) -> Array:
    """Link the rows that are insertions and answer those that are queries, concurrently.

    ``queries``, an (m,) array of uint8, is nonzero where a row is a query; the other parameters are
    those of :func:`join`. The result, a new (m,) array of uint8, is 1 where a query found both
    endpoints in one tree.
    """
    backend = forest.backend
    answers = backend.fill(backend.empty(edges.m, np.uint8), 0)
    types = forest.vertex, edges.wide
    mixed = build_mixed(design, backend, *types)
    compiled = build(design, backend, *types, reads_csr=False, record_forest=False)
    state = _resumed(compiled, edges, forest)
    parent, aux, _ = state.trees
    current = aux if compiled.unpack else parent  # a packed ``aux`` contains the current parents
    mixed(edges.m, edges.src, edges.dst, forest.n, parent, aux, current, queries, answers)
    if compiled.unpack:
        compiled.unpack(state.n, aux, parent)
    return answers


def _resumed(compiled: CompiledDesign, edges: Edges, forest: Forest) -> RunState:
    """Return a run that continues from existing trees; the auxiliary array is built from them."""
    state = prepare(compiled, edges, forest)
    if compiled.aux_array:
        _init_aux(compiled, state, compiled.aux_array)
    return state


def run(compiled: CompiledDesign, state: RunState) -> None:
    """Run the phases: sample, find the giant component, link the remaining edges, and flatten."""
    sample(compiled, state)
    connect_rest(compiled, state)


def sample(compiled: CompiledDesign, state: RunState) -> None:
    """Make the initial trees; with a sample, link it and find the giant component."""
    edge_sample = compiled.sample if state.n else None
    if compiled.link_in_blocks:
        compiled.link_in_blocks(state)
    else:
        compiled.init_singletons(state.n, state.trees.parent)
    if edge_sample and edge_sample.before:
        edge_sample.before(state)
    if compiled.aux_array:
        _init_aux(compiled, state, compiled.aux_array)
    if edge_sample:
        _link_sample_and_mark_giant(compiled, state)


def _link_sample_and_mark_giant(compiled: CompiledDesign, state: RunState) -> None:
    """Link the sample, point every vertex at its root, and mark the giant component's vertices."""
    assert state.giant is not None
    (parent, aux, _), giant = state.trees, state.giant
    if compiled.sample and compiled.sample.link:
        compiled.sample.link(state)
    if compiled.unpack:
        compiled.unpack(state.n, aux, parent)
    probes = int(giant.probed.size)
    compiled.probe(probes, state.n, parent, giant.probed)
    compiled.most_frequent(probes, giant.probed, giant.root_word)
    octets, linked = giant.in_giant.view(np.uint8), giant.root_word[1:]
    compiled.mark_in_giant(octets.size, state.n, parent, giant.root_word, linked, octets)


def connect_rest(compiled: CompiledDesign, state: RunState) -> None:
    """Link the remaining edges, and point every vertex at the least vertex of its tree."""
    (parent, aux, _), present = state.trees, state.flags.present
    compiled.connect_rest(state)
    if compiled.unpack:  # the link keeps the parents in ``aux``
        compiled.unpack(state.n, aux, parent)
    if state.n >= sampling.MANY_VERTICES:  # many threads of ``flatten`` would mark the same root
        compiled.mark_frequent(sampling.PROBES, state.n, parent, present)
    compiled.flatten(state.n, parent, present)
    if compiled.reroots:  # a root may be greater than other vertices of its tree
        lowest = state.backend.fill(state.backend.empty(state.n, parent.dtype), 0xFF)
        compiled.min_of_trees(state.n, parent, lowest)
        compiled.reroot(state.n, lowest, parent, present)


def prepare(
    compiled: CompiledDesign,
    edges: Edges,
    forest: Forest,
    rows: Adjacency | None = None,
    hook_edge: Array = None,
    memory: str = "device",
) -> RunState:
    """Return the arrays of a run; call :meth:`RunState.reset` before running it again.

    The parameters are those of :func:`solve`; without ``hook_edge``, no forest is recorded.
    """
    backend, n, vertex, aux = forest.backend, forest.n, forest.vertex, compiled.aux_array
    record_forest = hook_edge is not None
    return RunState(
        backend=backend,
        n=n,
        m=edges.m if rows is None else rows.m,
        edges=(edges.src, edges.dst, edges.low) if rows is None else (*rows.arrays, 0),
        csr=rows,
        trees=Trees(
            forest.parent,
            backend.empty(n, aux.dtype or vertex) if aux else backend.unused(vertex),
            hook_edge if record_forest else backend.unused(vertex),
        ),
        flags=Flags(forest.present, forest.out_of_range),
        giant=_giant(compiled, forest, rows) if compiled.needs_giant else None,
        blocks=_blocks(backend, n, compiled.window) if compiled.window else None,
        partition=_partition(compiled, backend, n, edges.m) if compiled.partitions else None,
        record_forest=record_forest,
        memory=memory,
    )


def _giant(compiled: CompiledDesign, forest: Forest, rows: Adjacency | None) -> Giant:
    """Allocate the arrays for the giant component."""
    backend, n, vertex, unused = forest.backend, forest.n, forest.vertex, forest.backend.unused
    if compiled.sample is None:  # the giant component is then vertex 0, and its bit set is empty
        root_word = backend.fill(backend.empty(1, np.int64), 0)
        return Giant(
            root_word,
            in_giant=unused(np.uint32),
            probed=unused(vertex),
            warp_queues=unused(np.uint32),
            outside=unused(np.uint32),
            outside_count=unused(np.int64),
        )
    shapes = (2, np.int64), (forest.present.size, np.uint32), (sampling.PROBES, vertex)
    root_word, in_giant, probed, warp_queues = backend.alloc_packed(
        *shapes, (compiled.queue_words, np.uint32)
    )
    backend.fill(root_word, 0)
    if compiled.sample.gather and rows is not None and rows.symmetric:
        outside, count = backend.empty(n, np.uint32), backend.empty(1, np.int64)
    else:
        outside, count = unused(np.uint32), unused(np.int64)
    return Giant(root_word, in_giant, probed, warp_queues, outside, count)


def _blocks(backend: Backend, n: int, window: int) -> Blocks:
    """Return the number of blocks of ``window`` vertices, and allocate their offsets."""
    block_count = -(-n // window)
    return Blocks(block_count, backend.empty(block_count + 1, np.uint64))


def _partition(compiled: CompiledDesign, backend: Backend, n: int, m: int) -> Partition:
    """Return the buffers for edges in the order of blocks of vertices.

    After a sample, only the edges of the sample are linked in this order.
    """
    count = m - compiled.sample.left_count(m) if compiled.sample else m
    blocks, shift = blocks_of(n)
    tiles = tiles_of(count, m, blocks)
    shapes = [(tiles * TILE, WORD)] * 2 + [((blocks + 1) * tiles, WORD)]
    larger, smaller, starts = backend.alloc_packed(*shapes)
    return Partition(tiles * TILE, blocks, shift, (larger, smaller, starts))


def _init_aux(compiled: CompiledDesign, state: RunState, aux_array: AuxArray) -> None:
    """Fill the link's auxiliary array, from the parents or with one byte value."""
    parent, aux, _ = state.trees
    if compiled.pack:
        compiled.pack(state.n, parent, aux)
    else:
        state.backend.fill(aux, aux_array.initial_byte)


def arranged(
    design: Design,
    edges: Edges,
    rows: Adjacency | None,
    forest: Forest,
    record_forest: bool = False,
) -> tuple[Edges, Adjacency | None]:
    """Return the edges in the form that the design needs: as a list, or also as rows.

    Edges that already have that form are returned unchanged. ``record_forest`` tells whether a
    spanning forest is requested.
    """
    sample, link, _ = design.words
    if rows is None:
        return edges, rows_of(edges, forest, record_forest) if design.takes_rows else None
    # a standalone algorithm needs each edge in the rows of both endpoints
    needs_symmetry = link.spec.standalone and design.takes_rows and not rows.symmetric
    if not (sample.spec.needs_list or needs_symmetry):
        return edges, rows
    edges = list_of_rows(rows, edges, forest.backend)
    return edges, rows_of(edges, forest, record_forest) if needs_symmetry else None


def placed(
    edges: Edges, rows: Adjacency | None, backend: Backend, memory: str
) -> tuple[Edges, Adjacency | None]:
    """Return the rows or the list that a design reads, in memory of the kind ``memory``."""

    def move(array: Array) -> Array:
        return backend.placed(array, memory)

    if memory == DEVICE_MEMORY:
        return edges, rows
    if rows is None:
        return replace(edges, src=move(edges.src), dst=move(edges.dst)), None
    return edges, replace(rows, offsets=move(rows.offsets), indices=move(rows.indices))


def bytes_besides_parents(
    design: Design, n: int, m: int, is_list: bool, symmetric: bool, record_forest: bool
) -> int:
    """Return the bytes that a design needs besides the parents, for n vertices.

    ``m`` is the number of edges of a list (``is_list``), or of entries of rows, which may be
    ``symmetric``. ``record_forest`` tells whether a spanning forest is requested.
    """
    sample, link, word = design.words[0], design.words[1].spec, 4 if n < 1 << 32 else 8
    rounds, in_stages = link.iterative and not link.standalone, sample.spec.meta
    sampled, aux = sample.spec.samples, link.aux_array
    size = (np.dtype(aux.dtype).itemsize if aux.dtype else word) * n if aux else 0
    if link.packed or not link.root_is_min or (rounds and sampled):
        size += word * n  # the least vertex of each tree, for a design that reroots
    if (sampled and not in_stages) or n // 8 <= MOST_BYTES_OF_BITS:
        size += n // 8  # the bits of the giant component; if few, they are allocated in any case
    if design.window:
        size += 8 * (n // design.window + 2)  # the first edge of each vertex block
    if partitions(design) and is_list and not record_forest and n < IDS.stop:
        size += 4 * m  # a copy of part of the edges, in the order of blocks
    makes_rows = design.takes_rows and (is_list or (link.standalone and not symmetric))
    if not is_list and (sample.spec.needs_list or makes_rows):
        size += 8 * m  # the row of each entry
    if makes_rows:
        size += (80 if record_forest else 48) * m + 24 * n
        m *= 2  # rows hold each edge twice
    elif sample.spec.needs_csr and symmetric:
        size += 4 * n  # the vertices outside the giant component
    if rounds:
        size += (2 * word + (8 if record_forest else 0)) * m + 2 * word * n  # edges, and labels
    group = min(sample["q"] * n, m) if in_stages else m  # the edges of one stage
    by_vertex, by_edge = link.label_arrays
    size += word * (by_vertex * n + (by_edge + (2 if in_stages else 0)) * group)
    if sample.spec.breadth_first or link.breadth_first:
        size += (4 + 2 * word) * n  # depths and two queues
    return int(size + link.bytes_per_vertex_pair * n * n + (8 * n if record_forest else 0))


def bytes_of_pairs(design: Design, n: int) -> int:
    """Return the bytes that a design needs for pairs of n vertices: 0 for nearly all designs."""
    link = design.words[1].spec
    return link.bytes_per_vertex_pair * n * n if link.standalone else 0


def check_pairs(design: Design, n: int, backend: Backend, memory: str) -> None:
    """Raise a CapacityError if a design's memory for pairs of vertices does not fit.

    An adjacency matrix is allocated in ``memory``, other arrays in the backend's default memory.
    """
    needed = bytes_of_pairs(design, n)
    if not needed:
        return
    link = design.words[1].spec
    memory = memory if link.iterative else "device"  # other designs search rows, not a matrix
    free = backend.free_bytes_of(memory)
    if needed > free:
        pair = link.bytes_per_vertex_pair
        unit = "one byte" if pair == 1 else f"{pair} bytes"
        raise CapacityError(
            f"{design} takes {unit} for each pair of vertices: {needed:,} bytes for {n:,} ids"
            f" between the least and the greatest, but {free:,} are free; use a design whose memory"
            f" grows with the number of edges, such as {Design()}, or, if there are fewer"
            " vertices, number them without gaps"
        )
