"""The rules of ``"auto"``: a table of measured rules, and the decision tree of Hong et al. 2020.

:mod:`cc_rapids.solver.choose` applies these rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..backends import Backend
from ..graph.edges import Adjacency
from ..kernels import csr_sampling, shared_filter
from ..kernels.partition import IDS
from .design import Design, as_listed, splices

REM = "rem-cas"
PROBES = 1024  # vertices at which coverage is estimated


@dataclass(frozen=True)
class AutoRule:
    """One row of the table of ``"auto"``: a design and the conditions under which it is fastest.

    ``engine`` is None for a rule of all engines. A ``symmetric`` rule is only for rows that hold
    each edge in both directions, and an ``is_list`` rule is only for edge lists. ``edges``,
    ``edges_per_vertex``, ``locality`` and ``vertices`` are minimum values. ``most_vertices`` and
    ``most_edges`` are maximum values; 0 means no maximum. ``shared_words`` is the shared memory
    that the machine must have, in words. ``record`` is the file with the measurements.
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
        ids = f"at least {self.vertices:,} ids"
        if self.most_vertices:
            ids = f"{self.vertices:,} to {self.most_vertices:,} ids"
        described = (
            (self.edges, f"at least {self.edges:,} edges"),
            (self.most_edges, f"at most {self.most_edges:,} edges"),
            (self.vertices or self.most_vertices, ids),
            (self.edges_per_vertex, f"at least {self.edges_per_vertex:g} edges per vertex"),
            (self.locality, f"a locality of at least {self.locality:.0%}"),
        )
        limits = [words for limit, words in described if limit]
        conditions = f" with {', '.join(limits)}" if limits else ""
        return f"fastest{where}{form}{conditions} in benchmarks/records/{self.record}"


on_gpu = partial(AutoRule, record="experiments.jsonl", engine="cuda")

PARTITIONED = Design("none(order=partitioned)", REM, "splice")
SAMPLED = Design("strided(every=4, order=partitioned)", REM, "splice")
IN_BLOCKS = Design("none(tiles=16384)")
MIN_LOCALITY = 2 / 3  # minimum locality for blocks
MIN_BLOCK_EDGES = 4_000_000  # minimum number of edges for blocks
MIN_BLOCK_IDS = 1 << 20  # minimum number of ids for blocks; with fewer ids, most of a GPU is idle

# Shared memory for the giant component's bits pays if all bits exceed L1, and one shared bit stands
# for at most four ids. The sample must then join most vertices: it has 1.5 edges per vertex.
SHARED = tuple(
    on_gpu(
        Design(f"strided(every={every}, bits=shared)", REM, "splice"),
        edges_per_vertex=least,
        vertices=shared_filter.IDS.start,
        most_vertices=shared_filter.IDS.stop - 1,
        shared_words=shared_filter.MAX_WORDS,
    )
    for every, least in ((20, 28), (8, 15), (7, 9))
)

# (minimum edges per vertex, sampling period). A sample should have at least 0.75 edges per vertex,
# or 1 edge if a sampled edge takes less time than a later edge.
SAMPLES: dict[str, tuple[tuple[float, int], ...]] = {
    "partitioned": ((16, 20), (11, 14), (5.5, 7), (3.5, 4)),
    "listed": ((16, 20), (11, 14), (5.5, 7), (3.5, 5)),
}


def _strided_rule(edges_per_vertex: float, every: int, order: str) -> AutoRule:
    """Return the rule of a strided sample, for lists and for rows that hold each edge once."""
    is_partitioned = order == "partitioned"
    return on_gpu(
        Design(f"strided(every={every}, order={order})", REM, "splice"),
        edges=1_000_000,
        edges_per_vertex=edges_per_vertex,
        vertices=IDS.start if is_partitioned else 0,
        most_vertices=IDS.stop - 1 if is_partitioned else 0,
    )


# The first matching rule is used. After a sample on a GPU, Rem's rule with splices is the fastest
# link, or at most 2 % slower than it, for lists and for rows whose labels fit into the cache.
AUTO = (
    # k-out sampling reads two entries per row, and then the rows outside the giant component. This
    # saves nothing on the graph road, which has 2.4 entries per vertex.
    on_gpu(
        Design("kout", "async", "split"),
        edges=1_000_000,
        edges_per_vertex=3,
        symmetric=True,
        vertices=IDS.start,
    ),
    on_gpu(
        Design("kout", REM, "splice"),
        record="design_space.jsonl",
        edges=1_000_000,
        edges_per_vertex=3,
        symmetric=True,
    ),
    # If neighbours in the list are neighbours in the graph, blocks with strided order take a half
    # to a fifth of the time, provided that there are enough blocks for the whole GPU. With fewer
    # blocks, or few edges, Rem's rule is fastest.
    on_gpu(IN_BLOCKS, edges=MIN_BLOCK_EDGES, locality=MIN_LOCALITY, vertices=MIN_BLOCK_IDS),
    # At four edges per vertex or more, samples save more than a third of the time on the uniform
    # list and nothing on social22. With fewer edges per vertex, samples change little; on small
    # lists, and on CPU threads, they cost more than they save.
    *SHARED,
    *(_strided_rule(*each, order) for order, samples in SAMPLES.items() for each in samples),
    on_gpu(  # the labels exceed the cache
        PARTITIONED,
        edges=MIN_BLOCK_EDGES,
        is_list=True,
        vertices=IDS.start,
        most_vertices=IDS.stop - 1,
    ),
    on_gpu(Design("none", REM, "splice"), edges=MIN_BLOCK_EDGES, is_list=True),
    on_gpu(IN_BLOCKS, edges=MIN_BLOCK_EDGES),  # rows, which are sorted by vertex
    AutoRule(
        Design("kout"),
        "bench.jsonl",
        "threads",
        edges=100_000,
        edges_per_vertex=3,
        symmetric=True,
    ),
    AutoRule(Design(), "design_choice.jsonl"),
)


# The design of runs in one launch (see one_launch.py). If a list has few edges, the time is spent
# mainly on threads that wait for each other. Rem's rule is the fastest rule for all lists except
# trees. On a path whose edges are listed in order, it is the only fast rule, because it does not
# climb to the root of the growing tree.
ONE_LAUNCH_RULE = on_gpu(Design("none", REM, "splice"), most_edges=MIN_BLOCK_EDGES - 1)


STAGED = 1.5  # minimum edges per vertex for which a device links its part in stages


def in_stages(design: Design, n: int, m: int) -> bool:
    """Return whether a device links its part of a list, m edges among n vertices, in stages.

    See :mod:`cc_rapids.algorithms.staged`, for 32-bit vertices. ``design`` is that of the part.
    """
    return design in (PARTITIONED, SAMPLED) and STAGED * n <= m and n < IDS.stop - 1


@dataclass(frozen=True)
class PaperDecision:
    """A leaf of the decision tree of Hong et al. 2020: a design, and the reason for it."""

    design: Design
    why: str

    def __str__(self) -> str:
        return f"{self.why} (Hong et al. 2020, 4.7, Figure 12)"


# The paper gives no numbers for its figure. These thresholds separate the graphs in Tables 1 to 3
# of the paper: sampling does not pay for graphs with 2.1 and 2.4 entries per vertex, and pays for
# graphs with 6.0 or more; hook-based sampling wins at a coverage of 96 % or more and loses at 89 %
# or less.
FEW_ENTRIES, HIGH_COVERAGE = 4.0, 0.95


def entries_per_vertex(n: int, m: int) -> float:
    """Return the average number of entries per row, for n vertices and m undirected edges."""
    return 2 * m / max(n, 1)


def choose_by_paper(n: int, m: int, coverage: float | None) -> PaperDecision:
    """Choose a design by the paper's decision tree, for n vertices and m undirected edges.

    ``coverage`` is the result of :func:`hook_coverage`, or None before rows are made, which selects
    the design for low coverage. If there are few edges, the choice does not depend on the coverage.
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
    """Estimate, from PROBES vertices, the fraction that hook sampling joins into one tree.

    Only joins by the first pass of hook sampling count, so the fraction may be greater.
    """
    if not n:
        return 0.0
    roots = backend.empty(PROBES, np.uint64)
    backend.kernel(csr_sampling.first_roots)(PROBES, n, *rows.arrays, roots)
    counts = Counter(backend.to_host(roots).tolist())
    return max(counts.values()) / PROBES


def for_forest(design: Design) -> Design:
    """Return the design with edges in listed order and without splicing.

    A spanning forest identifies edges by their rows in the list, and a design that splices cannot
    record the edges of a forest.
    """
    design = as_listed(design)
    return replace(design, compress="split-one") if splices(design) else design
