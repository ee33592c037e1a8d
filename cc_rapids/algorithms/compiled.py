"""The kernels of a design, composed for a backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from .. import kernels
from ..backends import Backend, Kernel
from ..errors import EngineError
from ..kernels import blocks, edges, giant, partition, primitives, shared_filter
from ..kernels.spec import AuxArray, Step
from . import phases
from .design import Design, find_after_union, partitions


@dataclass(frozen=True)
class CompiledDesign:
    """The kernels and steps of a design on a backend; a step takes the state of a run (run.py)."""

    init_singletons: Kernel
    link_in_blocks: Step | None  # replaces init_singletons: links the edges inside vertex blocks
    window: int  # vertices per block; 0 without blocks
    aux_array: AuxArray | None  # the auxiliary array of the link
    pack: Kernel | None  # fills an auxiliary array that contains the parents
    unpack: Kernel | None  # writes the parents back from this array
    sample: kernels.sampling.Sample | None
    probe: Kernel  # finds the roots of some vertices; see giant.py for this and four more kernels
    most_frequent: Kernel
    mark_in_giant: Kernel
    count_linked: Kernel
    mark_frequent: Kernel
    queue_words: int  # words of the queues in which edges wait to be linked; 0 without queues
    partitions: bool  # whether edges are copied and linked in the order of blocks of vertices
    connect_rest: Step  # the phase after the sample, or the only phase
    link_edge: Kernel | None  # links all edges of a list, if the design needs only one launch
    flatten: Kernel
    # Whether the finish phase needs the giant component. Designs with rounds rename the vertices by
    # the giant component, even without a sample.
    needs_giant: bool
    reroots: bool  # whether a root may be a vertex other than the least of its tree
    min_of_trees: Kernel
    reroot: Kernel


@cache
def build(
    design: Design,
    backend: Backend,
    vertex: type,
    wide: type,
    reads_csr: bool,
    record_forest: bool,
    form: edges.EdgeForm = edges.LIST,
) -> CompiledDesign:
    """Create the kernels of a design on a backend; each kernel is compiled when it first runs.

    ``vertex`` is the unsigned type of vertices, and ``wide`` is that of ids minus the lowest id; if
    ``wide`` is narrower, ``vertex`` is used for both. ``reads_csr`` is whether the edges are an
    adjacency list; otherwise they are loaded by ``form``. ``record_forest`` is whether the edges of
    a spanning forest are recorded.
    """
    wide = np.promote_types(vertex, wide).type
    form = edges.ROWS if reads_csr else form
    composer = KernelComposer(design, backend, vertex, wide, reads_csr, record_forest, form)
    link = design.words[1].spec
    aux = link.aux_array
    if aux and aux.has_locks and not backend.has_locks:
        raise EngineError(
            f"{design} uses locks, but the threads of {backend.device_name} are not scheduled"
            " independently of each other, as they are on Volta and newer GPUs: use rem-cas instead"
        )
    forest = kernels.forest
    climb = kernels.find.find_with_skip(backend)
    sample = composer.sample()
    connect_rest = composer.connect_rest(sample)
    link_edge: Kernel | None = None
    if isinstance(connect_rest, phases.AsListed) and not aux:
        link_edge = connect_rest.link_edge
    links_in_rounds = link.iterative and not link.standalone
    return CompiledDesign(
        init_singletons=forest.init_singletons(backend, vertex),
        link_in_blocks=composer.link_in_blocks() if design.window else None,
        window=design.window,
        aux_array=aux,
        pack=aux.pack(backend) if aux and aux.pack else None,
        unpack=aux.unpack(backend, vertex) if aux and aux.unpack else None,
        sample=sample,
        probe=giant.probe(backend, climb),
        most_frequent=giant.most_frequent(backend),
        mark_in_giant=giant.mark_in_giant(backend, vertex, climb),
        count_linked=giant.count_linked(backend),
        mark_frequent=giant.mark_frequent(backend),
        queue_words=composer.queue_words(sample),
        partitions=composer.partitions,
        connect_rest=connect_rest,
        link_edge=link_edge,
        flatten=forest.flatten(backend, kernels.find.with_prefetch(backend, climb)),
        needs_giant=links_in_rounds or sample is not None,
        reroots=link.packed or not link.root_is_min or (links_in_rounds and sample is not None),
        min_of_trees=forest.least_of_trees(backend, vertex),
        reroot=forest.reroot(backend),
    )


@cache
def build_mixed(design: Design, backend: Backend, vertex: type, wide: type) -> Kernel:
    """Return the kernel of a batch that mixes insertions and queries, for a union-find design."""
    wide = np.promote_types(vertex, wide).type
    composer = KernelComposer(design, backend, vertex, wide, reads_csr=False, record_forest=False)
    _, link_word, compress = design.words
    link, queries = link_word.spec, kernels.queries
    # Finds climb in the parents (mask: all bits) or, if packed, in words that also have other bits.
    parent_mask = link.aux_array.parent_bits if link.packed else primitives.none_of(vertex)
    word = type(parent_mask)
    find = kernels.find.naive
    if compress and link.takes_find:
        find = link.finds[compress.spec.name]
    same = queries.same(backend, word, parent_mask, find(backend))
    join, load_edge = composer.join(sampling=False), composer.load_edge()
    kernel: Kernel = queries.insert_or_query(backend, vertex, word, join, load_edge, same)
    return kernel


@dataclass(frozen=True)
class KernelComposer:
    """Builder of a design's sample, link and find; the fields are parameters of :func:`build`."""

    design: Design
    backend: Backend
    vertex: type
    wide: type
    reads_csr: bool
    record_forest: bool
    form: edges.EdgeForm = edges.LIST

    def link_in_blocks(self) -> Step:
        """Return the step that links the edges inside each vertex block, in shared memory."""
        on, window = self.backend, self.design.window
        # blocks have no auxiliary array: a union rule that needs one is replaced by async+halve
        inner_design = self.design if not self.design.words[1].spec.aux_array else Design()
        link = replace(self, design=inner_design, vertex=blocks.LOCAL).link()
        link_in_block = blocks.link_in_block(on, link, self._record())
        if self.reads_csr:
            link_share = blocks.share_of_rows(on, link_in_block)
            first_edge = blocks.first_of_rows(on)
        else:
            link_share = blocks.share_of_list(on, self.load_edge(), link_in_block)
            first_edge = blocks.first_of_list(on, self.wide)
        flatten_block = blocks.flatten_block(on, self.vertex, kernels.find.halve(on))
        solve = blocks.solve_blocks(on, window, link_share, flatten_block)
        find_block_offsets = blocks.find_block_offsets(on, window, first_edge)
        return partial(phases.from_blocks, window, find_block_offsets, solve)

    def sample(self) -> kernels.sampling.Sample | None:
        """Return the step that links the sample; designs with rounds use async+halve for it."""
        word = self.design.words[0]
        if word.spec.meta:
            return None
        sample: kernels.sampling.Sample | None = self._make(word, self.join(sampling=True))
        return sample

    def connect_rest(self, sample: kernels.sampling.Sample | None) -> Step:
        """Return the phase after the sample, or the only phase if there is no sample."""
        sample_word, link, _ = self.design.words
        if sample_word.spec.meta:  # calls the link on groups of edges
            return self._stages(sample_word)
        if link.spec.standalone:
            step: Step = self._make(link, None)
            return step
        if link.spec.iterative:
            copy_edges = kernels.sampling.copy_edge(
                self.backend, self.vertex, self.wide, self.load_edge(), sample is not None
            )
            return partial(phases.by_rounds, copy_edges, self._make(link, None), sample is not None)
        join = self.join(sampling=False)
        if sample is None:
            return self._all_edges(join)
        link_outside = giant.unless_in_giant(self.backend, self.vertex, join)
        link_edges = self._edges_outside(link_outside, sample)
        if self.reads_csr and sample.gather:  # only the rows outside the giant component
            link_rows = kernels.csr_sampling.every_row(self.backend, self.vertex, link_outside)
            return partial(phases.rows_outside, giant.members(self.backend), link_rows, link_edges)
        return link_edges

    def _stages(self, sample_word: Any) -> Step:
        """Return the step of a sample that calls the link on one group of edges after another."""
        plain = Design("none", self.design.link, self.design.compress)
        of_group = KernelComposer(
            plain, self.backend, self.vertex, wide=self.vertex, reads_csr=False, record_forest=False
        )
        aux = self.design.words[1].spec.aux_array
        unpack = aux.unpack(self.backend, self.vertex) if aux and aux.unpack else None
        step: Step = self._make(sample_word, join=None)(of_group.connect_rest(sample=None), unpack)
        return step

    def queue_words(self, sample: kernels.sampling.Sample | None) -> int:
        """Return the number of words of the queues of edges, two per edge; 0 without queues."""
        has_queues = sample is not None and sample.shared and not self.record_forest
        has_queues = has_queues and self.vertex is shared_filter.WORD
        return shared_filter.words_for(self.backend.shared_memory_limits()) if has_queues else 0

    def _edges_outside(self, link_outside: Any, sample: kernels.sampling.Sample) -> Step:
        """Return the step that links the edges of a list that are outside the sample."""
        types = self.backend, self.vertex, self.wide
        if self.queue_words(sample):  # edges wait while shared memory holds the giant's bits
            load_edge = self.form.load_streaming(self.backend, self.wide)
            link = shared_filter.filter_by_blocks(*types, load_edge, sample.left, link_outside)
            return partial(phases.filtered_edges_outside, link, sample.left_count)
        link = kernels.sampling.link_edges_outside(
            *types, link_outside, self.load_edge(), sample.left
        )
        return partial(phases.edges_outside, link, sample.left_count)

    def _all_edges(self, join: Any) -> Step:
        """Return the finish phase without a sample: every edge, or every entry of every row."""
        on, deep, rows = self.backend, not self.design.window, kernels.csr_sampling
        if not self.reads_csr and not self._takes_strided_order():
            return self._link_edges(join, deep)(edges.every(on))
        one_edge, load_edge = self._one_edge(join, deep), self.load_edge()
        if not self.reads_csr:
            permuted = blocks.strided_permutation(on)
            return phases.AsListed(blocks.link_permuted(on, one_edge, load_edge, permuted))
        return partial(
            phases.all_rows,
            rows.short_rows(on, self.wide, one_edge),
            rows.long_rows(on, self.wide, one_edge, edges.row_of(on)),
        )

    def _takes_strided_order(self) -> bool:
        """Return whether edges are linked in strided order after vertex blocks, as on GPUs.

        CPU threads need no such order, because they start at distant places of the list.
        """
        return bool(self.design.window) and self.backend.warp_size > 1

    def load_edge(self) -> Any:
        """Return the function that loads an edge."""
        return self.form.load(self.backend, self.wide)

    def _record(self) -> Any:
        """Return the function that records the edge of a hook, or a function that does nothing."""
        forest = kernels.forest
        return (forest.record_hook if self.record_forest else forest.no_hook_record)(self.backend)

    def link_edge(self) -> Any:
        """Return the function that links one edge in a pass over all edges."""
        return self._one_edge(self.join(sampling=False), deep=True)

    def _one_edge(self, join: Any, deep: bool) -> Any:
        """Return the function that links one edge.

        If trees may be ``deep``, climbs start at the endpoints, to shorten their paths; otherwise
        climbs start at the parents, which are loaded already.
        """
        begin = (edges.from_vertex if deep else edges.from_parent)(self.backend)
        return edges.one_edge(self.backend, self.vertex, self.wide, join, begin)

    @property
    def partitions(self) -> bool:
        """True if edges are linked in the order of blocks of vertices, not in listed order."""
        is_requested = partitions(self.design) and not self.reads_csr
        return is_requested and self.vertex is partition.WORD and not self.record_forest

    def _link_edges(self, join: Any, deep: bool) -> Callable[[Any], phases.LinkEdges]:
        """Return a function that takes an order of edges and returns the step that links them.

        ``deep`` is as for :meth:`_one_edge`.
        """
        on, load_edge = self.backend, self.load_edge()

        def as_listed(edge_index: Any) -> phases.LinkEdges:
            """Return the step that links edges in the order ``edge_index``."""
            prefetch_edge = self.form.prefetch(on, self.wide, edge_index)
            arguments = self._one_edge(join, deep), load_edge, edge_index, prefetch_edge
            return phases.AsListed(edges.every_edge(on, *arguments))

        def partitioned(edge_index: Any) -> phases.LinkEdges:
            """Return the step that links edges in the order of blocks of vertices."""
            read = edges.checked(on, self.vertex, self.wide, load_edge)
            begin = (edges.from_vertex if deep else edges.from_parent)(on)
            return partial(
                phases.in_blocks,
                partition.partition_tile(on, read, edge_index),
                partition.link_blocks(on, self.vertex, join, begin),
            )

        return partitioned if self.partitions else as_listed

    def join(self, sampling: bool) -> Any:
        """Return the function that links an edge and records the hook.

        The function applies the union rule of the design. If there is no such rule, for example in
        designs with rounds, the function joins a sample (``sampling``) by async+halve, or is None.
        """
        if self.design.words[1].spec.is_union:
            return kernels.forest.joining(self.backend, self.vertex, self.link(), self._record())
        return replace(self, design=Design()).join(sampling) if sampling else None

    def link(self) -> Any:
        """Return the design's union of two vertices, see :mod:`cc_rapids.kernels.union`."""
        _, link, compress = self.design.words
        on = self.backend
        find = compress and link.spec.finds[compress.spec.name](on)
        make_compress = kernels.find.AFTER_UNION.get(find_after_union(self.design))
        compress_after = make_compress and make_compress(on)
        parts = {"find": find, "step": find, "compress_after_union": compress_after}
        return link.spec.make(on, self.vertex, *(parts[part] for part in link.spec.requires))

    def _make(self, word: Any, join: Any) -> Any:
        """Call the factory of a sample or an algorithm with its options, and return the result."""
        parts = {
            "every_edge": join and self._link_edges(join, deep=False),
            "join": join,
            "read": edges.checked(self.backend, self.vertex, self.wide, self.load_edge()),
            "prefetch_edge": self.form.prefetch(self.backend, self.wide, edges.every(self.backend)),
            "note": self._record(),
            "record_forest": self.record_forest,
        }
        required = (parts[part] for part in word.spec.requires)
        options = {key or "rule": value for key, value in word.options}  # "": liu-tarjan(PRF)
        return word.spec.make(self.backend, self.vertex, *required, **options)
