"""Choose how edges are solved: the only place that decides.

:func:`choose` makes a :class:`Plan` from :class:`Facts` and the caller's options. Facts are plain
values, so a plan needs no edges, no arrays and no backend. Facts become known in steps, and a plan
is chosen again after each step:

1. before ids are read: a short list may be solved by one launch, which reads them itself;
2. once ids are scanned: the encoding, and the design by the possible number of vertices;
3. once ids are encoded: the design by the actual number of vertices.

:mod:`.run` runs a plan.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol

from ..algorithms import boruvka
from ..algorithms.auto import (
    AUTO,
    ONE_LAUNCH_RULE,
    AutoRule,
    choose_by_paper,
    for_forest,
    in_stages,
)
from ..algorithms.design import Design, as_listed, shares_bits, starts_plainly
from ..algorithms.run import bytes_besides_parents, bytes_of_pairs
from ..backends import DEVICE_MEMORY, SINGLE_BLOCK_THREADS, Backend, SharedMemoryLimits
from ..data import html
from ..data.edge_input import EdgeInput
from ..data.weights import ForestWeight
from ..errors import DesignError, unknown
from ..graph.memory_bound import ids_at_once
from ..ids import encode
from ..ids.encode import BITMAP, COLUMNS, HASHED, IdEncoding, IdFacts, choose_encoding
from ..ids.multi_column import MULTI_COLUMN
from ..ids.range import ORDER_OF_TYPE, UNKNOWN_ORDER, EdgeOrder, all_fit, last_of
from ..kernels.shared_filter import IDS, words_for
from . import one_launch

log: logging.Logger = logging.getLogger(__name__)

# Measured thresholds. None changes an answer. A name in brackets is a page of
# docs/design/decisions.
SPLIT_EDGES = 1 << 22  # min. edges to link in two parts; rows are counted between them, [host]
ONE_LAUNCH_EDGES = ONE_LAUNCH_RULE.most_edges  # max. edges of one launch on a GPU, [short-lists]
HASHED_AT_ONCE = 1 << 15  # max. edges of one launch that has a hash table (3 MiB), [short-lists]
BATCH_WINDOW_EDGES = 1 << 23  # max. edges of batches whose columns are read in one step, [batches]
JOINED_BATCH_EDGES = 1 << 20  # max. edges of batches that are joined into one, [batches]
SCAN_BYTES = 8 * SINGLE_BLOCK_THREADS  # partial sums of the ranks of vertices
BY_SCIPY, BY_SCIPY_WHY = "scipy until compiled", "the kernels are being compiled in the background"
IDS_PER_ROW = 4  # max. ids per row of a list that SciPy solves
SCIPY_BYTES = 40  # bytes per edge of SciPy's matrices
SCIPY_VERTEX_BYTES = 20  # bytes per vertex for SciPy's labels
ANY = "any"  # any spanning forest, without weights
BY_WEIGHT = LIGHTEST, HEAVIEST = "lightest", "heaviest"


class ChoiceOptions(Protocol):
    """The caller's options that affect the plan, see :class:`cc_rapids.options.Options`."""

    @property
    def policy(self) -> DesignPolicy:
        """The rule that chooses the design."""

    @property
    def engine(self) -> str | None:
        """The engine that the caller passed."""

    @property
    def memory(self) -> str:
        """The kind of memory from which kernels read the edges."""

    @property
    def forest(self) -> bool:
        """True if the edges of a spanning forest are recorded."""

    @property
    def spanning(self) -> ForestWeight | None:
        """The weights of a minimum or maximum spanning forest, if one is recorded."""


class SolveOptions(ChoiceOptions, Protocol):
    """The options of a complete solve, including those of the label frame."""

    @property
    def speculates(self) -> bool:
        """True if rows of the label frame may be gathered before they are counted."""

    @property
    def expected_rows(self) -> int | None:
        """The number of rows of the label frame, if the caller passed it."""


class Machine(NamedTuple):
    """The attributes of a backend on which choices depend, named as in Backend."""

    name: str
    device_name: str
    on_device: bool
    in_one_launch: bool
    shared_memory: SharedMemoryLimits
    uncompiled_rows: int = 0  # 0 once kernels are compiled

    @classmethod
    def of(cls, backend: Backend, explained: bool = False) -> Machine:
        """Return the attributes of a backend; the name of its device only if ``explained``."""
        device = backend.device_name if explained else ""
        flags = backend.on_device, backend.in_one_launch
        uncompiled_rows = 0 if backend.is_compiled else backend.uncompiled_rows
        return cls(backend.name, device, *flags, backend.shared_memory_limits(), uncompiled_rows)


class Counted(NamedTuple):
    """The numbers that are known once ids are encoded.

    Attributes
    ----------
    vertices, expected : int
        The number of vertices that memory is allocated for, and the number likely to occur.
    encoding : IdEncoding, optional
        The encoding that has run, if ids were scanned for it.
    order : EdgeOrder
        The order of the edges between the vertices.
    hook_coverage : float, optional
        The fraction of vertices that hook-based sampling joins into one tree, if a rule needs it.
    """

    vertices: int
    expected: int
    encoding: IdEncoding | None = None
    order: EdgeOrder = UNKNOWN_ORDER
    hook_coverage: float | None = None


class Facts(NamedTuple):
    """The facts about edges from which a plan is chosen: plain values.

    Attributes
    ----------
    machine : Machine
    edges : int
        The number of rows of a list, or of entries of an adjacency list.
    is_list, symmetric : bool
        Whether the edges are a list, and whether they are rows that store each edge in both
        directions.
    launches_once : bool
        Whether one launch supports the column types, and its memory suffices for the vertices.
    has_table : bool
        Whether the one launch has memory for a hash table.
    weight_type : str
        The type of weights, if there are any.
    ids : IdFacts, optional
        The facts about ids, once they are scanned.
    free_bytes : int
        The free memory of the machine, once ids are scanned, if the choice depends on it.
    counted : Counted, optional
        The numbers of vertices, once ids are encoded.
    parts : int
        The number of devices; each solves a part of the edges.
    joins_trees : bool
        Whether the edges are a batch that is linked into existing trees.
    """

    machine: Machine
    edges: int
    is_list: bool = True
    symmetric: bool = False
    launches_once: bool = False
    has_table: bool = False
    weight_type: str = ""
    ids: IdFacts | None = None
    free_bytes: int = 0
    counted: Counted | None = None
    parts: int = 1
    joins_trees: bool = False

    @classmethod
    def of(
        cls,
        edge_input: EdgeInput,
        columns: list[Any],
        backend: Backend,
        policy: DesignPolicy,
        ids: IdFacts | None = None,
        explained: bool = False,
    ) -> Facts:
        """Return the facts about a caller's edges; ``ids`` are facts from a scan, if it has run.

        ``explained`` is whether the plan is for the caller to read, and not to be run.
        """
        m, weights = edge_input.src.size, edge_input.weights
        is_list = edge_input.row_offsets is None
        once = backend.in_one_launch and _launches_once(edge_input, columns)
        needs_free_bytes = ids is not None and (  # whether the choice may depend on them
            ids.id_range.size > encode.SMALL_RANGE or not policy.is_measured
        )
        return cls(
            Machine.of(backend, explained),
            edges=m,
            is_list=is_list,
            symmetric=not is_list and edge_input.symmetric,
            launches_once=once,
            has_table=once and m <= HASHED_AT_ONCE and last_of(edge_input) < 0,  # no num_vertices
            weight_type="" if weights is None else weights.dtype.str,
            ids=ids,
            free_bytes=backend.free_bytes() if needs_free_bytes else 0,
        )


def _launches_once(edge_input: EdgeInput, columns: list[Any]) -> bool:
    """Return whether edges are a short list of integers whose vertices fit into one launch.

    Either the edges define the vertices, or the vertices are 0 .. n - 1 and fit into the memory of
    the launch.
    """
    src = edge_input.src
    if not 0 < src.size <= ONE_LAUNCH_EDGES:
        return False
    if edge_input.row_offsets or src.strings or src.key_columns:
        return False
    if ORDER_OF_TYPE[columns[0].dtype] != ORDER_OF_TYPE[columns[1].dtype]:
        return False
    if edge_input.vertices is None and not edge_input.vertices_are_dense_range:
        return True
    last = last_of(edge_input)
    return last < ids_at_once(src.size) and all_fit(columns[:2], last)  # False for -1


@dataclass(frozen=True)
class FixedDesign:
    """Policy that returns the design named by the caller."""

    design: Design
    is_measured = False  # whether measured rules choose the design
    looks_at_hooks = False  # whether the choice depends on ``Counted.hook_coverage``

    @property
    def needs_exact_range(self) -> bool:
        """True if an estimate of the range of the ids is not sufficient."""
        return self.design.counts_vertices

    def decide(self, facts: Facts, counted: Counted) -> tuple[Design, object]:
        """Return the named design, and the reason as an object that ``str`` describes."""
        return self.design, "asked for"


@lru_cache
def _rules_of(engine: str) -> list[AutoRule]:
    """Return the rules for an engine."""
    return [rule for rule in AUTO if rule.engine in (None, engine)]


class MeasuredRules:
    """Policy of ``"auto"``: the first rule of ``AUTO`` that matches.

    A rule must match the engine and the number, form and order of the edges. The machine must have
    the shared memory that the rule needs.
    """

    is_measured: bool = True
    needs_exact_range: bool = False
    looks_at_hooks: bool = False

    def decide(self, facts: Facts, counted: Counted) -> tuple[Design, object]:
        """Return the design that was fastest in measurements, and its rule."""
        n, m, machine, order = counted.expected, facts.edges, facts.machine, counted.order
        for rule in _rules_of(machine.name):
            has_direction = facts.symmetric or not rule.symmetric
            has_form = has_direction and (facts.is_list or not rule.is_list)
            is_near = order.locality >= rule.locality
            has_minima = n >= rule.vertices and m >= max(rule.edges, rule.edges_per_vertex * n)
            has_maxima = m <= (rule.most_edges or m) and n <= (rule.most_vertices or n)
            has_memory = machine.shared_memory.words >= rule.shared_words
            if has_form and is_near and has_minima and has_maxima and has_memory:
                # edges that are in the order of blocks need not be partitioned
                return as_listed(rule.design) if order.blocked else rule.design, rule
        raise AssertionError("the last row is for all edges")


class PaperTree:
    """Policy of ``"auto(rule=paper)"``: the decision tree of Hong et al. 2020, 4.7."""

    is_measured: bool = False
    needs_exact_range: bool = True
    looks_at_hooks: bool = True

    def decide(self, facts: Facts, counted: Counted) -> tuple[Design, object]:
        """Return the design at the leaf of the tree, and the leaf."""
        leaf = choose_by_paper(counted.vertices, facts.edges, counted.hook_coverage)
        return leaf.design, leaf


DesignPolicy = FixedDesign | MeasuredRules | PaperTree
POLICIES: dict[str, DesignPolicy] = {"measured": MeasuredRules(), "paper": PaperTree()}
MEASURED = POLICIES["measured"]


def _policy_of_auto(name: str | Design) -> DesignPolicy:
    """Return the policy of ``auto``, ``auto(paper)``, ``auto(rule=paper)`` or other rules.

    Raises
    ------
    DesignError
        The rule does not exist.
    """
    options = str(name).strip().removeprefix("auto").strip()
    if not options:
        return MEASURED
    text = options.removeprefix("(").removesuffix(")").replace('"', "").replace("'", "")
    key, _, rule = (part.strip() for part in text.rpartition("="))
    if key not in ("", "rule") or rule not in POLICIES:
        raise DesignError(unknown("rule of auto", text, [f"rule={rule}" for rule in POLICIES]))
    return POLICIES[rule]


@lru_cache(maxsize=256)
def policy_of(design: str | Design) -> DesignPolicy:
    """Return the policy for the design name that the caller passed.

    Raises
    ------
    DesignError
        The design, or the rule of ``"auto"``, does not exist.
    """
    named = Design.parse(design)
    return FixedDesign(named) if named else _policy_of_auto(design)


class Numbers(NamedTuple):
    """A plan's encoding of strings as numbers."""

    name: str
    why: str
    bytes: int  # that it allocates


@dataclass(frozen=True)
class Plan:
    """The plan of a run of :func:`cc_rapids.components` with the given arguments.

    It holds plain values, and can be pickled. ``str()`` returns a few lines of text.

    Attributes
    ----------
    engine, device : str
        The backend that would run, and its device.
    edges : int
        Rows of the list, without those dropped for nulls.
    ids, ids_why : str
        The encoding of ids as vertices, and the reason.
    design, design_why : str
        The algorithm, and which rule chose it.
    vertices : int
        The largest possible number of vertices.
    bytes : int
        The maximum memory that the run allocates beyond the input, including the label frame. The
        average length of string labels is assumed to be at most that of the vertices.
    devices : (list of int, str), optional
        With ``devices=``, the devices that would run, and the reason. ``bytes`` is then the memory
        of each device.

    See Also
    --------
    components : Return this with ``explain=True``.
    Components.summary : The facts about a run.
    StreamPlan : The plan of a stream.
    """

    SHOWN: ClassVar = (  # the attributes above, in this order, for repr() and JSON
        *("engine", "device", "edges", "ids", "ids_why", "design", "design_why"),
        *("vertices", "bytes", "devices"),
    )

    facts: Facts
    algorithm: Design
    design: str
    rule: object  # why it runs; str() describes it
    encoding: IdEncoding | None = None  # None until ids are scanned
    vertices: int = 0
    memory: str = DEVICE_MEMORY
    forest: str = ""  # ANY, LIGHTEST or HEAVIEST, if the edges of a spanning forest are recorded
    by_scipy: bool = False  # whether SciPy links the edges, because kernels are not compiled
    in_one_launch: bool = False
    room_for_one_launch: bool = False  # whether one launch gets memory before ids are read
    backwards: bool = False  # whether a list is read from its end
    reads_in_place: bool = False  # whether a list is read where it is, from its beginning
    in_two_parts: bool = False  # whether most of a list is linked before its rows are counted
    staged: bool = False  # whether a part of a list is linked in stages
    numbers: Numbers | None = None  # the encoding of strings as numbers
    devices: tuple[tuple[int, ...], str] | None = None
    more_bytes: int = 0  # additional bytes per device
    edges_elsewhere: int = 0  # edges in the parts of other devices

    @property
    def engine(self) -> str:
        return self.facts.machine.name

    @property
    def device(self) -> str:
        return self.facts.machine.device_name

    @property
    def edges(self) -> int:
        return self.facts.edges + self.edges_elsewhere

    @property
    def ids(self) -> str:
        encoding, facts = self._scanned
        name = encoding.name_for(facts)
        return self.numbers.name if self.numbers else name

    @property
    def ids_why(self) -> str:
        encoding, facts = self._scanned
        why = encoding.reason(facts)
        if facts.are_integers:
            ids = facts.id_range
            ends = f"the {facts.rows:,} ends of edges have ids from {ids.low:,} to {ids.high:,}"
            why = f"{ends}: {why}"
        return f"{self.numbers.why}: {why}" if self.numbers else why

    @property
    def design_why(self) -> str:
        return str(self.rule)

    @property
    def bytes(self) -> int:
        encoding, ids = self._scanned
        facts, n, m = self.facts, self.vertices, self.facts.edges
        size = encoding.max_bytes(ids) + ids.answer_bytes + SCAN_BYTES + self.more_bytes
        size += self.numbers.bytes if self.numbers else 0
        if self.room_for_one_launch:
            size += one_launch.bytes_for(m, facts.has_table)
        if self.by_scipy:
            size += SCIPY_BYTES * m + SCIPY_VERTEX_BYTES * n
        elif self.forest in BY_WEIGHT:
            size += boruvka.bytes_beyond_parents(n, m, not facts.is_list, facts.weight_type)
        else:
            size += bytes_besides_parents(
                self.algorithm, n, m, facts.is_list, facts.symmetric, bool(self.forest)
            )
        has_queues = shares_bits(self.algorithm) or n in IDS  # a Forest of n in IDS has them
        return size + (4 * words_for(facts.machine.shared_memory) if has_queues else 0)

    @property
    def _scanned(self) -> tuple[IdEncoding, IdFacts]:
        """Return the encoding and the facts about ids, which must be known."""
        assert self.encoding is not None
        assert self.facts.ids is not None
        return self.encoding, self.facts.ids

    def __repr__(self) -> str:
        return f"Plan({', '.join(f'{name}={getattr(self, name)!r}' for name in self.SHOWN)})"

    def _repr_html_(self) -> str:
        lines = dict(line.split(maxsplit=1) for line in str(self).splitlines())
        return html.plan("Plan", lines, ("edges", "vertices", "memory"))

    def __str__(self) -> str:
        size, devices = self.bytes, self.devices
        memory = f"{size / 2**30:,.2f} GiB" if size >= 2**28 else f"{size:,} bytes"
        lines = [
            f"engine    {self.engine}: {self.device}",
            f"edges     {self.edges:,}",
            f"ids       {self.ids}: {self.ids_why}",
            f"design    {self.design}: {self.design_why}",
            f"vertices  at most {self.vertices:,}",
            f"memory    at most {memory} beyond the input",
        ]
        if devices is not None:
            lines.append(f"devices   {', '.join(map(str, devices[0]))}: {devices[1]}")
        return "\n".join(lines)


def choose(facts: Facts, options: ChoiceOptions) -> Plan:
    """Return the plan for edges, given the facts known so far.

    Raises
    ------
    CapacityError
        No encoding of the ids fits into memory; the message has the bytes of each.
    """
    policy, memory, ids, counted = options.policy, options.memory, facts.ids, facts.counted
    forest = ANY if options.forest else ""
    if options.spanning is not None:
        forest = HEAVIEST if options.spanning.greatest else LIGHTEST
    uses_defaults = policy.is_measured and memory == DEVICE_MEMORY
    tries_one_launch = facts.launches_once and uses_defaults and not forest
    if counted is not None:
        encoding = counted.encoding
    elif ids is None:  # nothing is known yet: only one launch can be chosen
        once = ONE_LAUNCH_RULE.design
        return Plan(facts, once, str(once), ONE_LAUNCH_RULE, in_one_launch=tries_one_launch)
    else:  # scanned: assume the largest number of vertices that the encoding allows
        launches_with_table = tries_one_launch and facts.has_table
        if launches_with_table and ids.id_range.size > ids_at_once(facts.edges):
            encoding = HASHED
        else:
            if ids.kind == COLUMNS:
                encoding = MULTI_COLUMN
            else:
                encoding = choose_encoding(ids, facts.free_bytes, facts.machine.uncompiled_rows)
            if isinstance(policy, FixedDesign) and ids.max_vertices < ids.id_range.size:
                encoding = _encoding_for_pairs(encoding, facts, ids, policy.design)
        n = ids.id_range.size if encoding.counts_by_range else ids.max_vertices
        order = ids.order_of_slots if encoding == HASHED else ids.id_range.order
        counted = Counted(n, n, encoding, order)
    if not facts.is_list:
        counted = counted._replace(order=UNKNOWN_ORDER)
    n = counted.vertices
    design, rule = policy.decide(facts, counted)
    is_batch_by_rule = facts.joins_trees and policy.is_measured
    if forest or is_batch_by_rule:
        design = for_forest(design)
    if is_batch_by_rule and starts_plainly(design):
        design = Design()
    max_rows = facts.machine.uncompiled_rows
    is_default_run = uses_defaults and not (facts.joins_trees or forest or options.engine)
    by_scipy = is_default_run and max_rows > 0 and _is_short(n, facts.edges, max_rows)
    in_one_launch = False
    if tries_one_launch and encoding is not None and ids is not None:
        fits = ids.id_range.size <= ids_at_once(facts.edges)
        in_one_launch = fits or encoding.in_one_launch
    if in_one_launch:
        design, rule = ONE_LAUNCH_RULE.design, ONE_LAUNCH_RULE
    name = str(design)
    backwards = counted.order.descending and uses_defaults and facts.machine.on_device
    if by_scipy:
        name, rule = BY_SCIPY, BY_SCIPY_WHY
    elif forest in BY_WEIGHT:
        name, rule = boruvka.NAME, boruvka.WHY
    log.debug("%s: %s", name, rule)
    return Plan(
        facts,
        design,
        name,
        rule,
        encoding,
        n,
        memory,
        forest,
        by_scipy=by_scipy,
        in_one_launch=in_one_launch,
        room_for_one_launch=tries_one_launch,
        backwards=backwards,
        reads_in_place=not (backwards or design.counts_vertices or memory != DEVICE_MEMORY),
        in_two_parts=facts.edges >= SPLIT_EDGES,
        staged=facts.parts > 1 and policy.is_measured and in_stages(design, n, facts.edges),
    )


def _is_short(n: int, m: int, max_rows: int) -> bool:
    """Return whether a list of m edges and n vertices is short enough for SciPy."""
    return m <= max_rows and n <= IDS_PER_ROW * max_rows


def _encoding_for_pairs(
    encoding: IdEncoding, facts: Facts, ids: IdFacts, design: Design
) -> IdEncoding:
    """Return the encoding, or a bit map if the design's memory per pair of vertices does not fit.

    With a bit map, only the ids that occur are vertices.
    """
    free_bytes = facts.free_bytes - ids.answer_bytes
    n = ids.id_range.size if encoding.counts_by_range else ids.max_vertices
    if bytes_of_pairs(design, n) <= free_bytes:
        return encoding
    return BITMAP if BITMAP.max_bytes(ids) <= free_bytes else encoding


@dataclass(frozen=True)
class BatchOptions:
    """The options of a batch: the design, if the caller passed one."""

    policy: DesignPolicy
    memory: str = DEVICE_MEMORY
    forest: bool = False
    spanning: ForestWeight | None = None
    engine: str | None = None


@lru_cache(maxsize=64)
def choose_for_batch(backend: Backend, n: int, m: int, design: Design | None = None) -> Plan:
    """Return the plan for a batch of m edges that is linked into existing trees of n vertices.

    The run starts from the trees of earlier batches, and hooks only roots. "auto" uses async+halve
    without a sample, which is fast for a batch in any order.
    """
    counted = Counted(n, n)
    facts = Facts(Machine.of(backend), m, counted=counted, joins_trees=True)
    return choose(facts, BatchOptions(FixedDesign(design) if design else MEASURED))


def choose_for_cut(backend: Backend, n: int, m: int, design: Design, uses_default: bool) -> Plan:
    """Return the plan for the edges that a cut adds to the trees of a stricter cut.

    ``uses_default`` is whether the caller passed neither a design nor an engine.
    """
    plan = choose_for_batch(backend, n, m, design)
    max_rows = backend.uncompiled_rows
    if uses_default and max_rows > 0 and _is_short(n, m, max_rows):
        return replace(plan, by_scipy=True, design=BY_SCIPY, rule=BY_SCIPY_WHY)
    return plan
