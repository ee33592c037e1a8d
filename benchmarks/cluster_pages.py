"""The tables of docs/larger.md: measurements compared with the cost model.

:mod:`cc_rapids.integrations.dask.gather` has the model of the tree and the all-gather, by which the
package chooses between them. This script adds the bytes, rounds and seconds of distributed
vertices. The graph is random by default, the most expensive case. For e random edges on n vertices,
d = 2e/n is the degree. ``outside`` is the share s of the vertices outside the giant component: the
solution of s = exp(-d (1 - s)). The components outside are trees, so there are n (s - d s^2 / 2)
components (Erdos and Renyi 1960).
"""

import math
from dataclasses import dataclass, replace

import pages
from harness import load, newest
from pages import size, table

from cc_rapids.integrations.dask import gather
from cc_rapids.integrations.dask.gather import CARDS, ID_BYTES, Cost, Machine, forest_rows
from cc_rapids.solver import spreading

EDGES, VERTICES, WORKERS = 1e12, 1e11, 64
LINK, LATENCY, JOIN = 1e9, 0.03, 5e6  # of processes of one machine: assumed, as CARDS' are
CONNECT_IT = (  # of Dhulipala, Hong and Shun 2020, its abstract
    *("Hyperlink2012: ConnectIt, on 72 CPU cores (its paper)", "128,000 M", "0", ""),
    *("under 10,000", "", "", ""),
)


@dataclass(frozen=True)
class Job(gather.Job):
    """A graph on workers that own its vertices.

    ``crossing`` is the share of the edges whose ends have different owners. ``stray`` is the share
    of the edges on a worker that owns neither end. The defaults are those of random edges.
    """

    crossing: float | None = None
    stray: float | None = None


def tiles(edges: float, vertices: float, workers: int, reach: float = 1.0) -> Job:
    """Return the job of a lattice in square tiles, whose links are ``reach`` points long.

    A share of ``reach`` / side of the links cross a border.
    """
    return Job(edges, vertices, workers, reach / math.sqrt(vertices / workers), 0.0)


def outside(degree: float) -> float:
    """Return the share of vertices outside the giant component of a random graph."""
    share = 1.0 if degree <= 1 else 0.5
    for _ in range(200):
        share = math.exp(-degree * (1 - share))
    return share


def vertices_cost(job: Job, machine: Machine) -> Cost:
    """Return the cost of distributed vertices, step by step as in ``distributed.vertices``.

    The numbers are those of one part: ``forest`` edges of its partitions, ``cross`` crossing edges
    among them, ``border`` components at its border, and ``rest`` edges in their forest.
    """
    pair, parts, share = 2 * ID_BYTES, job.workers, job.edges / job.workers
    own, others = job.vertices / parts, (parts - 1) / parts
    crossing = others if job.crossing is None else job.crossing
    forest = forest_rows(own if job.stray == 0 else job.vertices, share)
    degree = 2 * forest * parts * (1 - crossing) / job.vertices
    cross = crossing * forest
    cross = min(cross, job.vertices - own + cross * outside(degree))
    alone = outside(degree)  # of random components
    border = min(cross, max(1.0, own * (alone - degree * alone**2 / 2)))
    rest = min(cross, parts * border)
    sent = (others if job.stray is None else job.stray) * forest * pair + cross * pair
    joined, batches, rounds = own + 2 * cross, 2, 0
    while parts * rest > own and border >= 1:
        finds = math.log2(parts * border) + 2
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
    peak_bytes = 2 * own * pair + (forest + 2 * cross) * pair + min(parts * rest, own) * pair
    return Cost(sent * parts, rounds, batches, seconds, peak_bytes)


def least_workers(job: Job, machine: Machine) -> int:
    """Return the number of workers whose memory suffices: 1, 2, 4, ... times that of the job."""
    while vertices_cost(job, machine).peak_bytes > machine.memory:
        job = replace(job, workers=2 * job.workers)
    return job.workers


def contents(folder):
    """Return the tables of the page."""
    return {
        "measured": lambda: measured(folder),
        "scaling": lambda: scaling(folder),
        "devices": lambda: on_devices(folder),
        "streams": lambda: on_streams(folder),
        "model": model,
    }


def several(folder, peer=False):
    """Return the newest record of each cluster and method, or with ``peer`` of cuGraph."""
    rows = [r for r in load("several", folder) if "wall_ms" in r and "threads" not in r]
    rows = [row for row in rows if ("way" in row) == peer]
    return newest(rows, "engine", "workers", "graph", "scaling", "combine", "partition")


def machine_of(row, rows):
    """Return a machine with the rate of one worker, as measured by the tree on random edges."""
    if row["engine"] == "cuda":
        return replace(CARDS, read=float("inf"))
    alone = next(
        one
        for one in rows
        if (one["engine"], one["workers"], one["graph"]) == ("threads", 1, "random")
        and one.get("combine") == "tree"
    )
    rate = (alone["m"] + alone["n"]) / (alone["wall_ms"]["median"] / 1e3)
    return replace(CARDS, rate=rate, join=JOIN, read=float("inf"), link=LINK, latency=LATENCY)


def predicted(row, rows):
    """Return the cost that the model predicts for a record."""
    share = row.get("crossing", 0) / row["m"] if row["graph"] == "tiles" else None
    job = Job(row["m"], row["n"], row["workers"], share, 0.0 if share is not None else None)
    if row.get("partition") == "vertices":
        return vertices_cost(job, machine_of(row, rows))
    cost_of = gather.gather_cost if row.get("combine") == "gather" else gather.tree_cost
    return cost_of(job, machine_of(row, rows))


def sent(row):
    """Return the sent bytes of a record: of batches, or as counted by Dask.

    None if NCCL sent them, which Dask does not count.
    """
    return None if row.get("combine") == "gather" else row.get("bytes", row["moved_bytes"])


def measured(folder):
    """Return the table of measurements: a row for each method on several workers."""
    known, lines = several(folder), []
    rows = [row for row in known if row["workers"] > 1]
    for row in rows:
        cost, way = predicted(row, known), row.get("partition") or row["combine"]
        workers = f"{row['workers']} {'GPUs' if row['engine'] == 'cuda' else 'processes'}"
        counted = "not counted" if (counted := sent(row)) is None else size(counted)
        rounds = f"{row.get('rounds', '')} ({cost.rounds})" if way == "vertices" else ""
        facts = workers, f"{row['graph']}, {row['scaling']}", pages.millions(row), way
        seconds = f"{row['wall_ms']['median'] / 1e3:.2g} ({cost.seconds:.2g})"
        lines.append([*facts, f"{counted} ({size(cost.bytes)})", rounds, seconds])
    head = "workers", "edge list", "edges", "method", "bytes (model)", "rounds (at most)"
    text = table((*head, "seconds (model)"), lines, (0, 1, 3))
    return f"{text}\n\n{made(rows)} Every answer equals that of one process."


def scaling(folder):
    """Return the table of scaling: for each list and method, seconds on one worker and on more."""
    ways = {}
    for row in [*several(folder), *several(folder, peer=True)]:
        way = row.get("partition") or row.get("combine") or "cuGraph: graph + components"
        known = ways.setdefault((row["engine"], row["graph"], row["scaling"], way), {})
        known[row["workers"]] = row
    lines = []
    for (engine, graph, kind, way), known in ways.items():
        if set(known) == {1}:
            continue
        alone = ways.get((engine, graph, kind, "tree" if way == "gather" else way), {}).get(1)
        most = known[max(known)].get("peak_bytes")
        one, more = ("GPU", "GPUs") if engine == "cuda" else ("process", "processes")
        cells = [measured_on(alone, f"1 {one}")]
        cells += [measured_on(known[max(known)], f"{max(known)} {more}")]
        lines.append([f"{graph}, {kind}", way, *cells, size(most) if most else ""])
    return table(("edge list", "method", "on one worker", "on several", "most memory"), lines, 2)


def measured_on(row, workers):
    """Return a cell such as "0.2 s for 50.0 M on 1 GPU"."""
    if row is None:
        return ""
    spent = row["wall_ms"]["median"] + row.get("build_ms", {"median": 0})["median"]
    return f"{spent / 1e3:.2g} s for {row['m'] / 1e6:.1f} M on {workers}"


def model():
    """Return the table of predictions: a row for each method on ``CARDS``."""
    random, lattice = Job(EDGES, VERTICES, WORKERS), tiles(EDGES, VERTICES, WORKERS, 2.0)
    ways = {
        "random edges, tree": (random, gather.tree_cost),
        "random edges, distributed vertices": (random, vertices_cost),
        "lattice in tiles, distributed vertices": (lattice, vertices_cost),
    }
    lines = []
    for name, (job, cost_of) in ways.items():
        cost, tree = cost_of(job, CARDS), cost_of is gather.tree_cost
        cards = "no number suffices" if tree else f"{least_workers(job, CARDS):,}"
        counts = size(cost.bytes), str(cost.rounds), str(cost.batches), f"{cost.seconds:,.0f}"
        lines.append([name, *counts, size(cost.peak_bytes), cards])
    head = "graph and method", "bytes sent", "rounds", "batches", "seconds", "on the fullest card"
    return (
        f"{table((*head, 'cards'), lines)}\n\nFor {EDGES:.0e} edges and {VERTICES:.0e} vertices on"
        f" {WORKERS} cards of {size(CARDS.memory)} each. *Cards* is the number of cards with enough"
        f" memory. As measured, a card reduces {CARDS.rate:.2g} edges per second to forests. The"
        f" model assumes that a card looks up {CARDS.join:.2g} rows, reads {size(CARDS.read)} of"
        f" files and sends {size(CARDS.link)} per second, and that a batch has a latency of"
        f" {CARDS.latency:g} s."
    )


def on_devices(folder):
    """Return the table of ``devices=``: times on one GPU, on several, and by the model."""
    rows = [row for row in load("devices", folder) if row["scaling"] != "stream"]
    rows = newest(rows, "device", "graph", "scaling", "gpus", "m", "on", "way")
    alone = {(row["device"], row["graph"], row["m"]): row for row in rows if row["on"] == 1}
    head = (
        *("edge list, card", "edges", "GPUs", "on one, ms", "on several, ms (model)"),
        *("ratio of rates", "with labels, ms", "most memory beyond the edges"),
    )
    lines = [device_cells(row, alone) for row in rows if row["on"] > 1]
    lines.append(CONNECT_IT)
    return f"{table(head, lines)}\n\n{made(rows)} Every answer equals that of one GPU."


def device_cells(row, alone):
    """Return the cells of a list on several GPUs, or of cuGraph's."""
    edges, most = f"{row['m'] / 1e6:,.0f} M", size(row.get("peak_bytes", 0))
    if "way" in row:
        spent = row.get("why_not")
        if "wall_ms" in row:
            spent = f"{row['build_ms']['median'] + row['wall_ms']['median']:,.0f}"
        name = f"{row['graph']}: cuGraph on Dask, graph + components"
        return [name, edges, str(row["on"]), "", spent, "", "", most]
    of_graph = row["device"], row["graph"]  # the same list on one GPU, otherwise the share of a GPU
    one = alone.get((*of_graph, row["m"])) or alone.get((*of_graph, row["m"] // row["on"]))
    cost = 1e3 * spreading.seconds_on(row["m"], row["n"], row["on"], 4, "devices")
    spent, cells = row["wall_ms"]["median"], ["", ""]
    if one:
        before = one["wall_ms"]["median"]
        rate = row["m"] / one["m"] * before / spent
        cells = [f"{before:.1f} for {one['m'] / 1e6:,.0f} M", f"{rate:.2f}"]
    several_ms, labels_ms = f"{spent:.1f} ({cost:.0f})", f"{row['labels_ms']['median']:.1f}"
    name = f"{row['graph']}, {row['scaling']}, {card(row)}"
    return [name, edges, str(row["on"]), cells[0], several_ms, cells[1], labels_ms, most]


def card(row):
    """Return the short name of the card of a record, such as "H200"."""
    return row["device"].split()[1]


def on_streams(folder):
    """Return a row for each stream from Parquet files: seconds and rates on one GPU and on more."""
    rows = [row for row in load("devices", folder) if row["scaling"] == "stream"]
    rows, lines = newest(rows, "device", "m", "counted", "on"), []
    for row in rows:
        spent = row["wall_ms"]["median"] / 1e3
        ids = "below `num_vertices`" if row["counted"] else "numbered as they arrive"
        rates = f"{row['m'] / spent / 1e6:,.0f} M", size(row["file_bytes"] / spent)
        about = f"{row['m'] / 1e6:,.0f} M", f"{ids}, {card(row)}", str(row["on"])
        lines.append([*about, f"{spent:.2f}", *rates])
    head = "edges", "ids, card", "GPUs", "seconds", "edges per second", "bytes of files per second"
    text = table(head, lines, (1,))
    return f"{text}\n\n{made(rows)} The Parquet files are in host memory."


def made(rows):
    """Describe the device and versions of the records of a benchmark."""
    where = sorted({pages.dated(row) for row in rows})
    return f"Times are medians on {', and on '.join(where)}."
