"""Choose the design that ``"auto"`` runs, by measured rules or by the paper's decision tree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from ..backends import Backend, SharedMemoryLimits
from ..errors import DesignError, unknown
from ..graph.edges import Adjacency
from ..kernels import csr_sampling, shared_filter
from ..kernels.partition import IDS
from .design import Design, as_listed, splices

RULES = ("measured", "paper")
REM = "rem-cas"
PROBES = 1024  # vertices at which coverage is estimated


@dataclass(frozen=True)
class AutoRule:
    """One row of the table of ``"auto"``: a design and the conditions under which it is fastest.

    ``edges``, ``edges_per_vertex``, ``locality`` and ``vertices`` are minimum values. Without
    ``most_vertices`` and ``most_edges``, which are 0 then, there is no maximum. ``shared_words`` is
    the shared memory that the machine must have.
    """

    design: Design
    record: str
    engine: str | None = None
    edges: int = 0
    edges_per_vertex: float = 0.0
    symmetric: bool = False
    is_list: bool = False
    locality: float = 0.0
    vertices: int = 0
    most_vertices: int = 0
    most_edges: int = 0
    shared_words: int = 0

    def __str__(self) -> str:
        where = f" on {self.engine}" if self.engine else ""
        form = " for rows in both directions" if self.symmetric else ""
        form = " for edge lists" if self.is_list else form
        ids = f"{self.vertices:,} to {self.most_vertices:,} ids"
        described = (
            (self.edges, f"at least {self.edges:,} edges"),
            (self.most_edges, f"at most {self.most_edges:,} edges"),
            (self.most_vertices, ids),
            (self.vertices and not self.most_vertices, f"at least {self.vertices:,} ids"),
            (self.edges_per_vertex, f"at least {self.edges_per_vertex:g} edges per vertex"),
            (self.locality, f"a locality of at least {self.locality:.0%}"),
        )
        limits = [words for limit, words in described if limit]
        conditions = f" with {', '.join(limits)}" if limits else ""
        return f"fastest{where}{form}{conditions} in benchmarks/records/{self.record}"


PARTITIONED = Design("none(order=partitioned)", REM, "splice")
SAMPLED = Design("strided(every=4, order=partitioned)", REM, "splice")
IN_BLOCKS = Design("none(tiles=16384)")
MIN_LOCALITY = 2 / 3  # minimum locality for blocks
MIN_BLOCK_EDGES = 4_000_000  # minimum number of edges for blocks
MIN_BLOCK_IDS = 1 << 20  # minimum number of ids for blocks: fewer leave most of a GPU idle

# Bits in shared memory pay if they exceed L1 and one shared bit stands for at most four ids. They
# need a sample that joins most vertices: 1.5 sampled edges per vertex.
SHARED = tuple(
    AutoRule(
        Design(f"strided(every={every}, bits=shared)", REM, "splice"),
        "experiments.jsonl",
        "cuda",
        edges_per_vertex=least,
        vertices=shared_filter.IDS.start,
        most_vertices=shared_filter.IDS.stop - 1,
        shared_words=shared_filter.MAX_WORDS,
    )
    for every, least in ((20, 28), (8, 15), (7, 9))
)

# (minimum edges per vertex, sampling period). A sample has 0.75 edges per vertex, or 1 where a
# sampled edge is cheaper than a later one.
SAMPLES: dict[str, tuple[tuple[float, int], ...]] = {
    "partitioned": ((16, 20), (11, 14), (5.5, 7), (3.5, 4)),
    "listed": ((16, 20), (11, 14), (5.5, 7), (3.5, 5)),
}


def _sampled(edges_per_vertex: float, every: int, order: str) -> AutoRule:
    """Return the rule for edge lists with a sample, and for rows with only one direction."""
    is_partitioned = order == "partitioned"
    return AutoRule(
        Design(f"strided(every={every}, order={order})", REM, "splice"),
        "experiments.jsonl",
        "cuda",
        edges=1_000_000,
        edges_per_vertex=edges_per_vertex,
        vertices=IDS.start if is_partitioned else 0,
        most_vertices=IDS.stop - 1 if is_partitioned else 0,
    )


# The first matching rule is used. On a GPU, sampling pays from four edges per vertex on: it saves
# more than a third on the uniform list and nothing on social22. With fewer edges it changes little.
# For small lists, and for lists on CPU threads, it costs more than it saves. k-out reads two
# entries per row and then the rows outside the giant component. This saves nothing at the 2.4
# entries per vertex of road. A sample should have at least 0.75 edges per vertex.
# After a sample on a GPU, Rem's rule with splices is fastest, or at most 2 % slower than the
# fastest; for rows, only if the labels fit into the cache. For lists whose labels exceed the cache,
# edges are partitioned.
# If neighbours in the list are neighbours in the graph, blocks with strided order take a half to a
# fifth of the time. This holds for any number of edges, if there are enough blocks for the whole
# GPU. With fewer blocks, or few edges, Rem's rule is fastest. Rows are sorted by vertex and start
# with blocks.
AUTO = (
    AutoRule(
        Design("kout", "async", "split"),
        "experiments.jsonl",
        "cuda",
        1_000_000,
        3,
        symmetric=True,
        vertices=IDS.start,
    ),
    AutoRule(
        Design("kout", REM, "splice"), "design_space.jsonl", "cuda", 1_000_000, 3, symmetric=True
    ),
    AutoRule(
        IN_BLOCKS,
        "experiments.jsonl",
        "cuda",
        MIN_BLOCK_EDGES,
        locality=MIN_LOCALITY,
        vertices=MIN_BLOCK_IDS,
    ),
    *SHARED,
    *(_sampled(*each, order) for order, samples in SAMPLES.items() for each in samples),
    AutoRule(
        PARTITIONED,
        "experiments.jsonl",
        "cuda",
        MIN_BLOCK_EDGES,
        is_list=True,
        vertices=IDS.start,
        most_vertices=IDS.stop - 1,
    ),
    AutoRule(
        Design("none", REM, "splice"), "experiments.jsonl", "cuda", MIN_BLOCK_EDGES, is_list=True
    ),
    AutoRule(IN_BLOCKS, "experiments.jsonl", "cuda", MIN_BLOCK_EDGES),
    AutoRule(Design("kout"), "bench.jsonl", "threads", 100_000, 3, symmetric=True),
    AutoRule(Design(), "design_choice.jsonl"),
)


# The design of runs in one launch (see one_launch.py). For a list of few edges, waiting between
# threads dominates. Rem's rule is the fastest for all lists except trees. On a path in order, it is
# the only fast rule, because it does not climb to the root of the growing tree.
ONE_LAUNCH_RULE = AutoRule(
    Design("none", REM, "splice"), "experiments.jsonl", "cuda", most_edges=MIN_BLOCK_EDGES - 1
)


@lru_cache
def _rules_of(engine: str) -> list[AutoRule]:
    """Return the rules for an engine."""
    return [rule for rule in AUTO if rule.engine in (None, engine)]


STAGED = 1.5  # minimum edges per vertex for which a device links its part in stages


def in_stages(design: Design, n: int, m: int) -> bool:
    """Return whether one of several devices links its m edges of a list in stages.

    See :mod:`cc_rapids.algorithms.staged`. ``design`` is the design for the part of this device.
    """
    return design in (PARTITIONED, SAMPLED) and STAGED * n <= m and n < IDS.stop - 1


@dataclass(frozen=True)
class PaperDecision:
    """A leaf of the paper's decision tree: a design, and the reason."""

    design: Design
    why: str

    def __str__(self) -> str:
        return f"{self.why} (Hong et al. 2020, 4.7, Figure 12)"


# The paper gives no numbers for its figure. These thresholds separate the graphs of its Tables 1 to
# 3: sampling does not pay at 2.1 and 2.4 entries per vertex and pays from 6.0 on; hook-based
# sampling wins at a coverage of 96 % or more and loses at 89 % or less.
FEW_ENTRIES, HIGH_COVERAGE = 4.0, 0.95


def entries_per_vertex(n: int, m: int) -> float:
    """Return the average number of entries per row, for n vertices and m undirected edges."""
    return 2 * m / max(n, 1)


def choose_by_paper(n: int, m: int, coverage: float | None) -> PaperDecision:
    """Choose a design by the paper's decision tree, for n vertices and m undirected edges.

    ``coverage`` is the result of :func:`hook_coverage`; None selects the design for low coverage.
    It is ignored if there are few edges.
    """
    degree = entries_per_vertex(n, m)
    reason = f"{degree:.1f} entries per vertex"
    if degree < FEW_ENTRIES:
        return PaperDecision(Design(), f"{reason}, fewer than {FEW_ENTRIES:g}: no sample")
    reason += f", at least {FEW_ENTRIES:g}"
    if coverage is None:
        reason += f"; once rows are made: hook+ecl if first hooks cover {HIGH_COVERAGE:.0%}"
        return PaperDecision(Design(sample="kout"), reason)
    reason += f"; first hooks cover {coverage:.0%} of the probed vertices"
    if coverage >= HIGH_COVERAGE:
        reason += f", at least {HIGH_COVERAGE:.0%}"
        return PaperDecision(Design("hook", "ecl", None), reason)
    return PaperDecision(Design(sample="kout"), f"{reason}, less than {HIGH_COVERAGE:.0%}")


def hook_coverage(rows: Adjacency, n: int, backend: Backend) -> float:
    """Return a lower bound on the fraction of vertices that hook sampling joins into one tree.

    It is estimated from PROBES vertices.
    """
    if not n:
        return 0.0
    roots = backend.empty(PROBES, np.uint64)
    backend.kernel(csr_sampling.first_roots)(PROBES, n, *rows.arrays, roots)
    [(_, count)] = Counter(backend.to_host(roots).tolist()).most_common(1)
    return count / PROBES


def for_forest(design: Design) -> Design:
    """Return the design with edges in listed order and without splicing.

    Spanning forests identify edges by their rows, and splicing designs cannot record them.
    """
    design = as_listed(design)
    return replace(design, compress="split-one") if splices(design) else design


def rule_of(name: str | Design) -> str:
    """Return the rule in a name such as ``auto(rule=paper)``; by default "measured".

    Raises
    ------
    DesignError
        The rule does not exist.
    """
    options = str(name).strip().removeprefix("auto").strip()
    if not options:
        return RULES[0]
    text = options.removeprefix("(").removesuffix(")").replace('"', "").replace("'", "")
    key, _, rule = (part.strip() for part in text.rpartition("="))
    if key not in ("", "rule") or rule not in RULES:
        raise DesignError(unknown("rule of auto", text, [f"rule={rule}" for rule in RULES]))
    return rule


class EdgeFacts(NamedTuple):
    """The facts about edges by which a design is chosen.

    Attributes
    ----------
    vertices, expected_vertices : int
        The number of vertices that memory is allocated for, and the number likely to occur.
    edges : int
        The number of rows of an edge list, or of entries of an adjacency list.
    is_list, symmetric : bool
        Whether the edges are an edge list, and whether they are rows with both directions.
    locality : float
        The fraction of near rows in an edge list, see :class:`cc_rapids.ids.range.EdgeOrder`.
    blocked : bool
        Whether the edges are already ordered by blocks of their larger endpoints.
    hook_coverage : float, optional
        The fraction of vertices that hook-based sampling joins into one tree, if it was measured.
    """

    vertices: int
    expected_vertices: int
    edges: int
    is_list: bool = True
    symmetric: bool = False
    locality: float = 0.0
    blocked: bool = False
    hook_coverage: float | None = None


class Machine(Protocol):
    """The properties of a backend that rules use."""

    @property
    def name(self) -> str:
        """The name of the engine."""

    @property
    def shared_memory(self) -> SharedMemoryLimits:
        """The limits of blocks with shared memory."""


class Decision(NamedTuple):
    """A design and the rule that chose it; ``str`` describes the rule."""

    design: Design
    why: object


@dataclass(frozen=True)
class FixedDesign:
    """Policy that returns the design named by the caller."""

    design: Design
    is_measured = looks_at_hooks = False

    @property
    def needs_exact_range(self) -> bool:
        """True if an estimate of the range of the ids is not sufficient."""
        return self.design.counts_vertices

    def decide(self, facts: EdgeFacts, machine: Machine) -> Decision:
        """Return the named design."""
        return Decision(self.design, "asked for")


class MeasuredRules:
    """Policy of ``"auto"``: the first rule of ``AUTO`` that matches.

    A rule must match the engine and the number, form and order of the edges, and the machine must
    have its shared memory.
    """

    is_measured: bool = True
    needs_exact_range: bool = False
    looks_at_hooks: bool = False

    def decide(self, facts: EdgeFacts, machine: Machine) -> Decision:
        """Return the design that was fastest in measurements."""
        n, m = facts.expected_vertices, facts.edges
        for rule in _rules_of(machine.name):
            has_form = facts.symmetric >= rule.symmetric and facts.is_list >= rule.is_list
            is_near = facts.locality >= rule.locality
            has_minima = n >= rule.vertices and m >= max(rule.edges, rule.edges_per_vertex * n)
            has_maxima = m <= (rule.most_edges or m) and n <= (rule.most_vertices or n)
            if has_form and is_near and has_minima and has_maxima:
                words = rule.shared_words
                if not words or machine.shared_memory.words >= words:
                    return Decision(as_listed(rule.design) if facts.blocked else rule.design, rule)
        raise AssertionError("the last row is for all edges")


class PaperTree:
    """Policy of ``"auto(rule=paper)"``: the decision tree of Hong et al. 2020, 4.7."""

    is_measured: bool = False
    needs_exact_range: bool = True
    looks_at_hooks: bool = True

    def decide(self, facts: EdgeFacts, machine: Machine) -> Decision:
        """Return the design at the leaf of the tree."""
        leaf = choose_by_paper(facts.vertices, facts.edges, facts.hook_coverage)
        return Decision(leaf.design, leaf)


DesignPolicy = FixedDesign | MeasuredRules | PaperTree
POLICIES: dict[str, DesignPolicy] = {"measured": MeasuredRules(), "paper": PaperTree()}
MEASURED = POLICIES["measured"]


@lru_cache(maxsize=256)
def policy_of(design: str | Design) -> DesignPolicy:
    """Return the policy for the design name that the caller passed.

    Raises
    ------
    DesignError
        The design, or the rule of ``"auto"``, does not exist.
    """
    named = Design.parse(design)
    return FixedDesign(named) if named else POLICIES[rule_of(design)]
