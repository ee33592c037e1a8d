"""A model of the runs on clusters: bytes, rounds and seconds, from formulae and measured rates.

The choice between the tree and the all-gather is made by it, docs/larger.md is written from it,
and a test holds it against what was measured (benchmarks/records/several.jsonl).

The graph that it counts on is random, which is the dearest: of e edges that fall anywhere on n
vertices, ``touched(n, e)`` is how many vertices they name, and a forest of them has at most as
many rows, and at most e. ``away`` is the share of a part's edges that another part has to be asked
about; in tiles it is the length of the borders.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

ID_BYTES = 8


@dataclass(frozen=True)
class Machine:
    """Workers, and what is between them.

    Attributes
    ----------
    rate : float
        Edges that one worker makes a forest of in a second.
    link : float
        Bytes a second from one worker to another.
    collective : float
        The same within NCCL.
    latency : float
        Seconds of a batch in which all wait for one another.
    memory : float
        Bytes of one worker.
    """

    rate: float
    link: float
    collective: float
    latency: float
    memory: float


# The rate is that of random edges of int64 on an H100 (uniform25M in benchmarks/records/main_job);
# the others are assumed: a network of 400 Gb/s at half its speed, NVLink, and batches by Dask.
CARDS = Machine(rate=15e9, link=25e9, collective=200e9, latency=0.05, memory=80e9)


@dataclass(frozen=True)
class Job:
    """A graph on some workers.

    Attributes
    ----------
    edges, vertices, workers : int
    away : float
        Share of the edges of a part that cross, and that lie where neither end is owned.
    finds : float, optional
        Batches of finds in a round of hooks; by default the bound.
    halving : float
        By how much a round divides the vertices that have neighbours: 2 is the bound.
    """

    edges: float
    vertices: float
    workers: int
    away: float = 1.0
    finds: float | None = None
    halving: float = 2.0


@dataclass(frozen=True)
class Cost:
    """What a run takes.

    Attributes
    ----------
    bytes : float
        Sent between workers, by all of them.
    rounds : int
        Levels of the tree, or rounds of hooks.
    batches : int
        How often all wait for one another.
    seconds : float
    held : float
        Bytes on the worker that holds most, beside the edges that it reads.
    """

    bytes: float
    rounds: int
    batches: int
    seconds: float
    held: float


def touched(vertices: float, edges: float) -> float:
    """The vertices that so many random edges name: n (1 - exp(-2 e / n))."""
    return -vertices * math.expm1(-2 * edges / vertices) if vertices else 0.0


def forest_rows(vertices: float, edges: float) -> float:
    """The most rows of a forest of random edges."""
    return min(edges, touched(vertices, edges))


def tree_cost(job: Job, machine: Machine) -> Cost:
    """Forests that merge pairwise, and the labels of all vertices spread from the last worker."""
    row, share = 2 * ID_BYTES, job.edges / job.workers
    levels = math.ceil(math.log2(job.workers)) if job.workers > 1 else 0
    seconds, sent, rows = share / machine.rate, 0.0, forest_rows(job.vertices, share)
    for level in range(1, levels + 1):
        pairs = max(1.0, job.workers / 2**level)
        sent += pairs * rows * row
        seconds += rows * row / machine.link + 2 * rows / machine.rate + machine.latency
        rows = forest_rows(job.vertices, min(2**level, job.workers) * share)
    spread = job.vertices * row * (job.workers - 1) / job.workers
    seconds += job.vertices / machine.rate + spread / machine.link + machine.latency
    held = 2 * rows * row + job.vertices * (row + ID_BYTES)
    return Cost(sent + spread, levels, levels + 1, seconds, held)


def gather_cost(job: Job, machine: Machine) -> Cost:
    """Forests that all workers get, and that each solves."""
    row, others = 2 * ID_BYTES, job.workers - 1
    rows = forest_rows(job.vertices, job.edges / job.workers)
    seconds = job.edges / job.workers / machine.rate + machine.latency
    seconds += others * rows * row / machine.collective
    seconds += job.workers * rows / machine.rate + job.vertices / machine.rate
    held = 2 * job.workers * rows * row + job.vertices * (row + ID_BYTES)
    return Cost(job.workers * others * rows * row, 0, 1, seconds, held)


def gather_pays(vertices: float, rows: list[int], machine: Machine, free: float) -> bool:
    """Whether forests of so many rows are better gathered: they fit, and it is no slower."""
    workers, most = len(rows), float(max(rows, default=0))
    job = Job(workers * most, max(vertices, 1.0), workers)
    gather = gather_cost(job, machine)
    return gather.held <= free / 2 and gather.seconds <= tree_cost(job, machine).seconds


def vertices_cost(job: Job, machine: Machine) -> Cost:
    """Distributed vertices: to owners, borders, rounds of hooks, the rest, and the way back."""
    pair, parts, edges = 2 * ID_BYTES, job.workers, job.edges / job.workers
    own = job.vertices / parts
    forest = forest_rows(job.vertices, edges)
    wrong = forest * job.away * (parts - 1) / parts  # neither end is owned where they were read
    cross = forest * job.away
    sent = [wrong * pair, cross * pair]
    work, batches, rounds = edges + 2 * forest, 2, 0
    border = min(own, cross)  # vertices of a part that still have neighbours
    rest = min(cross, parts * border)
    while parts * rest > own and border >= 1:
        finds = job.finds if job.finds is not None else math.log2(parts * border) + 2
        hooks = min(2 * rest, parts * border) * pair
        find = border * (ID_BYTES + pair)
        edge = 2 * min(rest, parts * border) * (ID_BYTES + pair)
        sent += [hooks, finds * find, edge, find]  # the last on the way back
        batches += 1 + math.ceil(2 * finds) + 4 + 2
        work += finds * border + 3 * rest
        border /= job.halving
        rest, rounds = min(rest, parts * border), rounds + 1
    sent += [rest * pair, min(parts * border, parts * rest) * pair / parts]
    others, batches = (parts - 1) / parts, batches + 2
    each = sum(sent) * others
    seconds = (work + own) / machine.rate + each / machine.link + batches * machine.latency
    held = own * 2 * pair + (forest + 2 * cross) * pair + min(parts * rest, own) * pair
    return Cost(each * parts, rounds, batches, seconds, held)
