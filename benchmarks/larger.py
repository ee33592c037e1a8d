"""Write the tables of docs/larger.md: what was measured beside the model, and what that says."""

import pathlib
from dataclasses import replace

import records
from cluster_model import Job, least_workers, tiles, vertices_cost
from report import fill

from cc_rapids.integrations.dask import gather
from cc_rapids.integrations.dask.gather import CARDS
from cc_rapids.solver import spreading

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "larger.md"
EDGES, VERTICES, WORKERS = 1e12, 1e11, 64
OWN = ("strong", True), ("weak", False)  # runs on one GPU: of the same list, of a GPU's share
DEVICE_KEYS = "graph", "scaling", "gpus", "m", "on", "way"
LINK, LATENCY, JOIN = 1e9, 0.03, 5e6  # of processes of one machine: assumed, as CARDS' are


def several(peer=False, folder=records.HERE):
    """Return the newest records of each cluster, and way; cuGraph's, if a ``peer`` is asked for."""
    newest = {}
    for row in records.load("several", folder):
        if "wall_ms" in row and ("way" in row) == peer:
            key = [row["engine"], row["workers"], row["graph"], row["scaling"]]
            newest[*key, row.get("combine"), row.get("partition")] = row
    return list(newest.values())


def machine_of(row):
    """Workers as fast as one alone was on the same device, by the tree on random edges."""
    if row["engine"] == "cuda":
        return replace(CARDS, read=float("inf"))
    alone = next(
        one
        for one in several()
        if (one["engine"], one["workers"], one["graph"]) == ("threads", 1, "random")
        and one.get("combine") == "tree"
    )
    rate = (alone["m"] + alone["n"]) / (alone["wall_ms"]["median"] / 1e3)
    return replace(CARDS, rate=rate, join=JOIN, read=float("inf"), link=LINK, latency=LATENCY)


def predicted(row):
    """Return the model's cost of what a record has measured."""
    share = row.get("crossing", 0) / row["m"] if row["graph"] == "tiles" else None
    job = Job(row["m"], row["n"], row["workers"], share, 0.0 if share is not None else None)
    if row.get("partition") == "vertices":
        return vertices_cost(job, machine_of(row))
    if row.get("combine") == "gather":
        return gather.gather_cost(job, machine_of(row))
    return gather.tree_cost(job, machine_of(row))


def sent(row):
    """Return the bytes that a record says were sent: of the batches, or all that Dask has counted.

    None for what NCCL has sent, which Dask does not count.
    """
    return None if row.get("combine") == "gather" else row.get("bytes", row["moved_bytes"])


def measured():
    """Return a row for each way on several workers."""
    lines = [
        "| workers | edge list | edges | method | bytes (model) | rounds (at most)"
        " | seconds (model) |",
        "| --- | --- | --: | --- | --: | --: | --: |",
    ]
    rows = [row for row in several() if row["workers"] > 1]
    for row in rows:
        cost, way = predicted(row), row.get("partition") or row["combine"]
        rounds = f"{row.get('rounds', '')} ({cost.rounds})" if way == "vertices" else ""
        counted = sent(row)
        told = "not counted" if counted is None else size(counted)
        where = "GPUs" if row["engine"] == "cuda" else "processes"
        lines.append(
            f"| {row['workers']} {where} | {row['graph']}, {row['scaling']}"
            f" | {row['m'] / 1e6:.1f} M | {way} | {told} ({size(cost.bytes)}) | {rounds}"
            f" | {row['wall_ms']['median'] / 1e3:.2g} ({cost.seconds:.2g}) |"
        )
    made = _made(rows)
    return "\n".join([*lines, "", f"Medians{made}; every answer equals one process's."])


def scaling():
    """Return a row for each list and way: seconds on one worker and on more."""
    ways = {}
    for row in [*several(), *several(peer=True)]:
        way = row.get("partition") or row.get("combine") or "cuGraph: graph + components"
        known = ways.setdefault((row["engine"], row["graph"], row["scaling"], way), {})
        known[row["workers"]] = row
    lines = [
        "| edge list | method | on one worker | on several | most memory |",
        "| --- | --- | --: | --: | --: |",
    ]
    for (engine, graph, kind, way), known in ways.items():
        if set(known) == {1}:
            continue
        alone = ways.get((engine, graph, kind, "tree" if way == "gather" else way), {}).get(1)
        kept = known[max(known)].get("peak_bytes")
        one, several_of = ("GPU", "GPUs") if engine == "cuda" else ("process", "processes")
        lines.append(
            f"| {graph}, {kind} | {way} | {measured_on(alone, f'1 {one}')}"
            f" | {measured_on(known[max(known)], f'{max(known)} {several_of}')}"
            f" | {size(kept) if kept else ''} |"
        )
    return "\n".join(lines)


def measured_on(row, workers):
    """Return the seconds of a record, for its edges, on some workers."""
    if row is None:
        return ""
    spent = row["wall_ms"]["median"] + row.get("build_ms", {"median": 0})["median"]
    return f"{spent / 1e3:.2g} s for {row['m'] / 1e6:.1f} M on {workers}"


def rated(folder=records.HERE):
    """Return the record that the rate of a card is from: int64 ids of random pairs, without a pool.

    The last one; ``tests/perf/test_dask_model.py`` compares the rate with it.
    """
    rows = records.load("main_job", folder)
    own = "uniform25M", "int64", False
    return [row for row in rows if (row["graph"], row["dtype"], row["rmm_pool"]) == own][-1:]


def model():
    """Return a row for each way to do it on the cards."""
    random, lattice = Job(EDGES, VERTICES, WORKERS), tiles(EDGES, VERTICES, WORKERS, 2.0)
    ways = {
        "random edges, tree": (random, gather.tree_cost),
        "random edges, distributed vertices": (random, vertices_cost),
        "lattice in tiles, distributed vertices": (lattice, vertices_cost),
    }
    lines = [
        "| graph and method | bytes sent | rounds | batches | seconds | on the fullest card"
        " | cards |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]
    for name, (job, cost_of) in ways.items():
        cost = cost_of(job, CARDS)
        cards = "none suffices" if cost_of is gather.tree_cost else cards_for(job)
        lines.append(
            f"| {name} | {size(cost.bytes)} | {cost.rounds} | {cost.batches}"
            f" | {cost.seconds:,.0f} | {size(cost.held)} | {cards} |"
        )
    return "\n".join([*lines, "", assumptions()])


def cards_for(job):
    """Return how many cards hold it."""
    return f"{least_workers(job, CARDS):,}"


def assumptions():
    """Return the rates, in words."""
    return (
        f"For {EDGES:.0e} edges and {VERTICES:.0e} vertices on {WORKERS} cards of"
        f" {size(CARDS.memory)} each; *cards* is the number that would suffice. Measured: a card"
        f" reduces {CARDS.rate:.2g} edges a second to forests. Assumed: it looks up"
        f" {CARDS.join:.2g} rows, reads {size(CARDS.read)} of files and sends {size(CARDS.link)} a"
        f" second, and a batch has a latency of {CARDS.latency:g} s. Made by `make figures`."
    )


def size(count):
    """Return bytes for people."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 999.5 or unit == "TB":
            return f"{count:.3g} {unit}" if count < 999.5 else f"{count:,.0f} {unit}"
        count /= 1000
    raise AssertionError


def devices(folder=records.HERE):
    """Return the newest records of lists on several GPUs without a cluster, and on one beside."""
    rows = (row for row in records.load("devices", folder) if row["scaling"] != "stream")
    return list({tuple(row.get(k) for k in DEVICE_KEYS): row for row in rows}.values())


def streams(folder=records.HERE):
    """Return the newest records of streams on several GPUs without a cluster, and on one."""
    rows = (row for row in records.load("devices", folder) if row["scaling"] == "stream")
    return list({(row["m"], row["counted"], row["on"]): row for row in rows}.values())


def on_devices():
    """Return a row for each list on several GPUs: on one, on several, and by the model."""
    lines = [
        "| edge list | edges | GPUs | on one, ms | on several, ms (model) | times the rate"
        " | with labels, ms | most memory beyond the edges |",
        "| --- | --: | --: | --: | --: | --: | --: | --: |",
    ]
    rows = devices()
    own = [row for row in rows if row["on"] == 1 and (row["scaling"], row["gpus"] > 1) in OWN]
    alone = {(row["graph"], row["scaling"]): row for row in own}
    lines += [_device_row(row, alone) for row in rows if row["on"] > 1]
    return "\n".join([*lines, "", f"Medians{_made(rows)}; every answer is that of one GPU."])


def _device_row(row, alone):
    """Return the line of a list on several GPUs; of cuGraph's, if it is that."""
    m, kept = f"{row['m'] / 1e6:,.0f} M", size(row.get("peak_bytes", 0))
    if "way" in row:
        known = "wall_ms" in row
        took = row["build_ms"]["median"] + row["wall_ms"]["median"] if known else row["why_not"]
        took = f"{took:,.0f}" if known else took
        name = "cuGraph on Dask, graph + components"
        return f"| {row['graph']}: {name} | {m} | {row['on']} | | {took} | | | {kept} |"
    one = alone.get((row["graph"], row["scaling"]))
    cost = 1e3 * spreading.seconds_on(row["m"], row["n"], row["on"], 4, "devices")
    spent, before = row["wall_ms"]["median"], one and one["wall_ms"]["median"]
    rate = before and row["m"] / one["m"] * before / spent
    told = (f"{before:.1f} for {one['m'] / 1e6:,.0f} M", f"{rate:.2f}") if before else ("", "")
    return (
        f"| {row['graph']}, {row['scaling']} | {m} | {row['on']} | {told[0]}"
        f" | {spent:.1f} ({cost:.0f}) | {told[1]} | {row['labels_ms']['median']:.1f} | {kept} |"
    )


def on_streams():
    """Return a row for each stream from Parquet files: seconds and rates on one GPU and on more."""
    lines = [
        "| edges | ids | GPUs | seconds | edges a second | files a second |",
        "| --: | --- | --: | --: | --: | --: |",
    ]
    rows = streams()
    for row in rows:
        spent = row["wall_ms"]["median"] / 1e3
        ids = "counted by `num_vertices`" if row["counted"] else "numbered as they arrive"
        lines.append(
            f"| {row['m'] / 1e6:,.0f} M | {ids} | {row['on']} | {spent:.2f}"
            f" | {row['m'] / spent / 1e6:,.0f} M | {size(row['file_bytes'] / spent)} |"
        )
    return "\n".join(
        [*lines, "", f"Parquet files in the memory of the host; medians{_made(rows)}."]
    )


def _made(rows):
    """Return on what the records of a benchmark were made, in words."""
    made = sorted({f"{row['device']}, {records.dated(row)}" for row in rows})
    return f" on {'; '.join(made)}" if made else ", not measured yet"


TABLES = {
    "measured": measured,
    "scaling": scaling,
    "devices": on_devices,
    "streams": on_streams,
    "model": model,
}

if __name__ == "__main__":
    fill(PAGE, TABLES)
