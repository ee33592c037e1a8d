"""The kernels of a design, composed and introduced to an engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from .. import kernels
from ..backends import Engine, Kernel
from ..errors import EngineError
from ..kernels import blocks, edges, giant, primitives, shared_filter
from ..kernels import shared_filter as queues
from . import phases
from .design import Design

Step = Callable[[Any], None]


@dataclass(frozen=True)
class Program:
    """The phases of one design on one engine; each takes the work of a run (see run.py).

    ``sample`` is None if there is none. ``window`` is how many ids a tile has, 0 if trees begin
    as single vertices. ``extra`` is what the link keeps beside the parents, which
    ``unpack`` brings up to date if they are not. ``queues`` is what edges wait in before they are
    linked, in words, 0 if they do not. ``rounds`` says that the finish runs over a copy
    of the edges, ``rerooted`` that roots are any vertices of their trees, not the least ones.
    """

    start: Step
    window: int
    extra: str
    pack: Kernel
    unpack: Kernel | None
    sample: kernels.sampling.Sample | None
    probe: Kernel
    most_frequent: Kernel
    mark_inside: Kernel
    count_linked: Kernel
    mark_frequent: Kernel
    queues: int
    finish: Step
    flatten: Kernel
    rounds: bool
    rerooted: bool
    least: Kernel
    reroot: Kernel


@cache
def build(
    design: Design, engine: Engine, vertex: type, wide: type, rows: bool, noted: bool
) -> Program:
    """Introduce the kernels of a design to an engine; nothing is compiled before it runs.

    Parameters
    ----------
    vertex, wide : type
        The unsigned types of vertices, and of ids less the lowest one.
    rows : bool
        Whether the edges are an adjacency list.
    noted : bool
        Whether the edges of a spanning forest are noted.
    """
    parts = Parts(design, engine, vertex, wide, rows, noted)
    link = design.words[1].choice
    if link.extra == "locks" and not engine.has_locks:
        raise EngineError(
            f"{design} waits for locks, and the threads of {engine.device_name} are not scheduled"
            " independently of each other (from Volta on they are): use rem-cas instead"
        )
    forest, jtb = kernels.forest, kernels.jtb
    climb = kernels.find.leap(engine)
    first = parts.sample()
    packed, rounds = link.extra == "ranks", "edges" in link.takes
    return Program(
        start=parts.start(),
        window=design.window,
        extra=link.extra,
        pack=jtb.pack(engine),
        unpack=jtb.unpack(engine, vertex) if packed else None,
        sample=first,
        probe=giant.probe(engine, climb),
        most_frequent=giant.most_frequent(engine),
        mark_inside=giant.mark_inside(engine, vertex, climb),
        count_linked=giant.count_linked(engine),
        mark_frequent=giant.mark_frequent(engine),
        queues=parts.waiting(first),
        finish=parts.finish(first),
        flatten=forest.flatten(engine, climb),
        rounds=rounds,
        rerooted=packed or not link.least or (rounds and first is not None),
        least=forest.least_of_trees(engine, vertex),
        reroot=forest.reroot(engine),
    )


@cache
def build_mixed(design: Design, engine: Engine, vertex: type, wide: type) -> Kernel:
    """The kernel of a batch in which insertions and queries are mixed, for a union-find design."""
    parts, batch = Parts(design, engine, vertex, wide, False, False), kernels.queries
    packed = design.words[1].choice.extra == "ranks"
    low = kernels.jtb.LOW if packed else primitives.none_of(vertex)
    find, word = parts.find() or kernels.find.naive(engine), type(low)
    same, join = batch.same(engine, word, low, find), parts.join(sampling=False)
    made: Kernel = batch.mixed(engine, vertex, word, join, parts.ends(), same)
    return made


@dataclass(frozen=True)
class Parts:
    """The parts of the kernels of one design."""

    design: Design
    on: Engine
    vertex: type
    wide: type
    rows: bool
    noted: bool

    def start(self) -> Step:
        """How trees begin: as vertices, or as the trees of tiles."""
        on, window = self.on, self.design.window
        if not window:
            return phases.without(kernels.forest.start(on, self.vertex))
        near = blocks.link_near(on, self._near_link(), self._note())
        share = (
            blocks.share_of_rows(on, near)
            if self.rows
            else blocks.share_of_list(on, self.ends(), near)
        )
        first = blocks.first_of_rows(on) if self.rows else blocks.first_of_list(on, self.wide)
        settle = blocks.settle(on, self.vertex, kernels.find.halve(on))
        solve = blocks.solve(on, window, share, settle)
        return phases.begin(window, blocks.find_firsts(on, window, first), solve)

    def _near_link(self) -> Any:
        """The union of two vertices of a tile: the design's, but async+halve for one that keeps
        something beside the parents.
        """
        own = self.design if not self.design.words[1].choice.extra else Design()
        return replace(self, design=own, vertex=blocks.NEAR).link()

    def sample(self) -> kernels.sampling.Sample | None:
        """What is linked before the finish phase, and how. Rounds are sampled by async+halve."""
        word = self.design.words[0]
        if word.choice.around:
            return None
        made: kernels.sampling.Sample | None = self._make(word, self.join(sampling=True))
        return made

    def finish(self, first: kernels.sampling.Sample | None) -> Step:
        """The phase after the sample, or the only one."""
        outer, link, _ = self.design.words
        if outer.choice.around:
            return self._stages(outer)
        if link.choice.whole:
            step: Step = self._make(link, None)
            return step
        if "edges" in link.choice.takes:
            return phases.by_rounds(self._keep(first), self._make(link, None))
        join = self.join(sampling=False)
        if first is None:
            return self._all(join)
        settle = giant.unless_inside(self.on, self.vertex, join)
        shape = self.on, self.vertex
        if self.rows and first.gather:
            members = giant.members(*shape)
            return phases.rows_outside(
                members, kernels.csr_sampling.every_row(*shape, settle), self._rest(settle, first)
            )
        return self._rest(settle, first)

    def _stages(self, outer: Any) -> Step:
        """The link as it runs on a list of vertices without a sample, called stage by stage."""
        alone = Design("none", self.design.link, self.design.compress)
        inner = replace(self, design=alone, wide=self.vertex, rows=False, noted=False)
        packed = self.design.words[1].choice.extra == "ranks"
        unpack = kernels.jtb.unpack(self.on, self.vertex) if packed else None
        step: Step = self._make(outer, None)(inner.finish(None), unpack)
        return step

    def waiting(self, first: kernels.sampling.Sample | None) -> int:
        """The words of the queues that edges wait in, two of them each."""
        filters = first is not None and first.shared and not self.noted
        filters = filters and self.vertex is queues.WORD
        return queues.words_for(self.on.largest_tiles()) if filters else 0

    def _rest(self, settle: Any, first: kernels.sampling.Sample) -> Step:
        if self.waiting(first):
            return self._filtered(settle, first)
        kernel = kernels.sampling.every_other_edge(
            self.on, self.vertex, self.wide, settle, self.ends(), first.left
        )
        return phases.edges_outside(kernel, first.left_count)

    def _filtered(self, settle: Any, first: kernels.sampling.Sample) -> Step:
        ends = self.ends() if self.rows else edges.listed_once(self.on, self.wide)
        run = shared_filter.by_tiles(self.on, self.vertex, self.wide, ends, first.left, settle)
        return phases.filtered(run, first.left_count)

    def _keep(self, first: kernels.sampling.Sample | None) -> Kernel:
        kept: Kernel = kernels.sampling.keep_edge(
            self.on, self.vertex, self.wide, self.ends(), first is not None
        )
        return kept

    def _all(self, join: Any) -> Step:
        """Without a sample: every edge of a list, or every entry of every row."""
        on, deep, rows = self.on, not self.design.window, kernels.csr_sampling
        if not self.rows and not self._in_stripes():
            return phases.all_edges(self._every_edge(join, deep)(edges.every(on)))
        one, ends = self._one_edge(join, deep), self.ends()
        if not self.rows:
            return phases.all_edges(blocks.between(on, one, ends, blocks.striped(on)))
        return phases.all_rows(
            rows.short_rows(on, self.wide, one),
            rows.long_rows(on, one, ends, edges.row_of(on)),
        )

    def _in_stripes(self) -> bool:
        """Whether edges are linked in stripes after tiles: where threads run side by side. A few
        that each take a part of the list do so anyway.
        """
        return bool(self.design.window) and self.on.warp_size > 1

    def ends(self) -> Any:
        """How an edge is read, of a list or of rows."""
        return (edges.adjacent if self.rows else edges.listed)(self.on, self.wide)

    def find(self) -> Any:
        """The find of whole paths that the link composes with; None if it climbs in its own way."""
        _, link, compress = self.design.words
        if compress is None or "find" not in link.choice.takes:
            return None
        return link.choice.finds[compress.choice.name](self.on)

    def _note(self) -> Any:
        forest = kernels.forest
        return (forest.remember if self.noted else forest.forget)(self.on)

    def link_edge(self) -> Any:
        """How one edge is linked where all are."""
        return self._one_edge(self.join(sampling=False), True)

    def _one_edge(self, join: Any, deep: bool) -> Any:
        begin = (edges.from_vertex if deep else edges.from_parent)(self.on)
        return edges.one_edge(self.on, self.vertex, self.wide, join, begin)

    def _every_edge(self, join: Any, deep: bool) -> Callable[[Any], Kernel]:
        one, ends = self._one_edge(join, deep), self.ends()
        look = edges.no_look if self.rows else edges.look_ahead

        def linking(place: Any) -> Kernel:
            ahead = look(self.on, self.wide, place)
            made: Kernel = edges.every_edge(self.on, one, ends, place, ahead)
            return made

        return linking

    def join(self, sampling: bool) -> Any:
        """The design's union-find, or for the sample of a design without one, async+halve."""
        link = self.design.words[1]
        if not link.choice.finds and ("edges" in link.choice.takes or link.choice.whole):
            return replace(self, design=Design()).join(sampling) if sampling else None
        linked = self.link()
        return kernels.forest.joining(self.on, self.vertex, linked, self._note())

    def link(self) -> Any:
        """The design's union of two vertices, see :mod:`cc_rapids.kernels.union`."""
        _, link, compress = self.design.words
        on = self.on
        made = compress and link.choice.finds[compress.choice.name](on)
        name = dict(link.options).get("find", compress and compress.choice.name)
        finds = kernels.find.FINDS | {"naive": kernels.find.nothing}
        known = {"find": made, "step": made, "tidy": finds[name](on) if name in finds else None}
        return link.choice.make(on, self.vertex, *(known[part] for part in link.choice.takes))

    def _make(self, word: Any, join: Any) -> Any:
        """What a factory of samples or of whole algorithms gives, with its options."""
        taken = {
            "every_edge": join and self._every_edge(join, False),
            "join": join,
            "read": edges.checked(self.on, self.vertex, self.wide, self.ends()),
            "note": self._note(),
            "noted": self.noted,
        }
        names = [name for name in word.choice.takes if name != "edges"]
        options = {key or "rule": value for key, value in word.options}
        return word.choice.make(self.on, self.vertex, *(taken[n] for n in names), **options)
