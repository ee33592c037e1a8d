"""The cost of runs with distributed vertices on a cluster: bytes, rounds and seconds.

Goes on with the model of :mod:`cc_rapids.integrations.dask.gather`, of the tree and the all-gather,
by which the package chooses between these. docs/larger.md is written from both.

The graph that it counts on is random unless told otherwise, which is the dearest. Of e random
edges on n vertices, ``touched`` is how many vertices they name, 2e/n = d is the degree, and
``outside`` the share s of vertices outside the giant component: the root of s = exp(-d (1 - s)).
What is outside are trees, so that there are n (s - d s^2 / 2) components (Erdos and Renyi 1960).
"""

import math
from dataclasses import dataclass, replace

from cc_rapids.integrations.dask import gather
from cc_rapids.integrations.dask.gather import ID_BYTES, Cost, Machine, forest_rows


@dataclass(frozen=True)
class Job(gather.Job):
    """A graph on some workers that own its vertices.

    Attributes
    ----------
    edges, vertices, workers : numbers
    crossing, stray : float, optional
        Share of the edges whose ends have two owners, and of those that lie on a worker that owns
        neither end; by default those of random edges.
    finds : float, optional
        Finds in a round of hooks; by default the bound.
    """

    crossing: float | None = None
    stray: float | None = None
    finds: float | None = None


def tiles(edges: float, vertices: float, workers: int, reach: float = 1.0) -> Job:
    """Return a lattice in square tiles, of whose links, so many points long, reach / side cross."""
    side = math.sqrt(vertices / workers)
    return Job(edges, vertices, workers, crossing=reach / side, stray=0.0)


def outside(degree: float) -> float:
    """Return the share of vertices outside the giant component of a random graph."""
    share = 1.0 if degree <= 1 else 0.5
    for _ in range(200):
        share = math.exp(-degree * (1 - share))
    return share


def random_components(vertices: float, degree: float) -> float:
    """Return the components of a random graph."""
    share = outside(degree)
    return max(1.0, vertices * (share - degree * share**2 / 2))


def vertices_cost(job: Job, machine: Machine) -> Cost:
    """Distributed vertices: to owners, borders, rounds of hooks, the rest, and the way back.

    Of one part: ``forest`` edges of the forest of its partitions, ``cross`` of them that cross,
    ``border`` components at the border, and ``rest`` edges in the forest over those.
    """
    pair, parts, share = 2 * ID_BYTES, job.workers, job.edges / job.workers
    own, others = job.vertices / parts, (parts - 1) / parts
    crossing = others if job.crossing is None else job.crossing
    forest = forest_rows(own if job.stray == 0 else job.vertices, share)
    degree = 2 * forest * parts * (1 - crossing) / job.vertices
    cross = crossing * forest
    cross = min(cross, job.vertices - own + cross * outside(degree))
    border = min(cross, random_components(own, degree))
    rest = min(cross, parts * border)
    sent = (others if job.stray is None else job.stray) * forest * pair + cross * pair
    joined, batches, rounds = own + 2 * cross, 2, 0
    while parts * rest > own and border >= 1:
        finds = job.finds if job.finds is not None else math.log2(parts * border) + 2
        ends = 2 * min(rest, parts * border)  # whose roots are looked up
        answers = (finds + 1) * border + ends  # one of the finds returns
        sent += (ends * pair + answers * (ID_BYTES + pair)) * others
        batches += 1 + math.ceil(2 * finds) + 4 + 2
        joined += answers + 2 * rest
        border, rounds = border / 2, rounds + 1
        rest = min(rest, parts * border)
    sent += (rest * pair + border * pair) * (others if cross else 0.0)
    batches += 2
    seconds = share * pair / machine.read + (share + 2 * forest) / machine.rate
    seconds += joined / machine.join + sent / machine.link + batches * machine.latency
    held = 2 * own * pair + (forest + 2 * cross) * pair + min(parts * rest, own) * pair
    return Cost(sent * parts, rounds, batches, seconds, held)


def least_workers(job: Job, machine: Machine) -> int:
    """Return how many workers a distributed graph needs: 1, 2, 4, ... times those of the job."""
    while vertices_cost(job, machine).held > machine.memory:
        job = replace(job, workers=2 * job.workers)
    return job.workers
