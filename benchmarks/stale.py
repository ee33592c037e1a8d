"""List each figure of README and docs whose record is older than the code that it measures.

    python benchmarks/stale.py    # or: make stale; the exit status is 1 if there is one

A line names the page and the figure, what has changed, and the command that measures it again. A
time of the device is as old as the kernels that ran, and a wall time as these and the files that
were entered: a record keeps their hashes (:mod:`measured_code`). One that has none is as old as its
commit: it is stale if any file of the package has another syntax tree now, docstrings apart.
What ``records.is_history`` is left as it was measured, and the pages say so.
"""

import argparse
import functools
import pathlib
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import bench_figures
import datasets
import design_tables
import files
import first_use
import larger
import measured_code
import numbers_and_sides
import paper_tables
import records
import report
import spanning_forests
import trust
from measured_code import NOT_MEASURED, Tree

MOST = 4  # changes that a line names
GPU, THREADS = "--engines cuda", "--engines threads"


class Figure(NamedTuple):
    """A table, a picture or a sentence of a page, and the records that it is made from.

    Attributes
    ----------
    page : str
        The file that prints it.
    name : str
        The mark of the table, the file of the picture, and what of it.
    record : str
        The name of the benchmark, as of its file in ``benchmarks/records``.
    kind : {"wall", "device"}
        The hash that its times stand on.
    rows : callable
        Returns its records, from the folder of all.
    again : str
        The command that measures it, after ``python benchmarks/``.
    field : str
        Of the record, with the code that ran.
    """

    page: str
    name: str
    record: str
    kind: str
    rows: Callable[[pathlib.Path], list[dict[str, Any]]]
    again: str
    field: str = "code"


def gpu(folder):
    """Return the newest records of the reference graphs on a GPU."""
    return bench_figures.newest(folder, "cuda")


def threads(folder):
    """Return the newest records of the reference graphs on threads."""
    return bench_figures.newest(folder, "threads")


def space(name):
    """Return how to read the newest records of one part of the design space."""
    return lambda folder: getattr(design_tables.Space(folder), name)


def papers(experiment):
    """Return how to read the newest records of one paper's experiments."""
    return lambda folder: paper_tables.Runs(folder, experiment).rows


def main_job(folder):
    """Return the records of the README's table."""
    return report.measured(folder)[0]


def first_uses(folder, on_gpu):
    """Return the newest records of first uses, on GPUs or on threads."""
    return [row for row in first_use.newest(folder) if records.is_on_gpu(row) == on_gpu]


def audits(folder, on_gpu):
    """Return the newest records of audits, on GPUs or on threads."""
    return [row for row in trust.audits(folder) if records.is_on_gpu(row) == on_gpu]


def workers(folder, engine):
    """Return the newest records of several workers; cuGraph's have no code of ours."""
    return [row for row in larger.several(folder=folder) if row["engine"] == engine]


README, BENCH, SPACE = "README.md", "docs/benchmarks.md", "docs/design-space.md"
START = "docs/guides/start.md"
LARGER, TRUST, PAPERS = "docs/larger.md", "docs/trust.md", "docs/papers.md"
DATASETS = "cc_rapids/datasets"
SEVERAL = {"cuda": "several_gpus.py --gpus 1 2", "threads": "several_gpus.py --processes 1 2"}
SEVERAL |= {"threads": f"{SEVERAL['threads']} --edges 2000000 --side 500"}
DESIGNS = "design_space.py"
RUN_GPU, RUN_THREADS = f"run.py {GPU}", f"run.py {THREADS}"

FIGURES = (
    Figure(README, "table main_job", "bench", "wall", main_job, RUN_GPU),
    Figure(README, "table main_job: lists", "lists", "wall", report.user_lists, "lists.py"),
    Figure(README, "main-job.svg", "bench", "wall", main_job, RUN_GPU),
    Figure(
        README,
        "table main_job: CPU threads",
        "threads",
        "wall",
        lambda folder: records.load("threads", folder)[-1:],
        "threads.py --runs 15",
    ),
    Figure(README, "table ids: other ids", "ids", "wall", report.other_ids, "ids.py"),
    Figure(
        README,
        "table ids: built graphs",
        "ids",
        "wall",
        report.built_graphs,
        "ids.py",
        "built_graph_code",
    ),
    Figure(README, "table ids: streams", "streams", "wall", report.many_files, "streams.py"),
    Figure(
        README,
        "table forests",
        "spanning_forests",
        "wall",
        spanning_forests.newest,
        "spanning_forests.py --engine cuda",
    ),
    *(
        Figure(
            START,
            f"table first_use: {engine}",
            "first_use",
            "wall",
            functools.partial(first_uses, on_gpu=engine == "GPU"),
            again,
        )
        for engine, again in (("GPU", "first_use.py --gpu"), ("threads", "first_use.py"))
    ),
    Figure(BENCH, "table gpu: to labels", "bench", "wall", gpu, RUN_GPU),
    Figure(BENCH, "bench-faster-gpu.svg", "bench", "wall", gpu, RUN_GPU),
    Figure(BENCH, "table gpu: alone", "bench", "device", gpu, RUN_GPU, "solve_code"),
    Figure(
        BENCH,
        "bench-limit-gpu.svg",
        "bench",
        "device",
        lambda folder: bench_figures.newest(folder, "cuda", limited=True),
        RUN_GPU,
        "solve_code",
    ),
    Figure(BENCH, "table files", "files", "wall", files.newest, "files.py"),
    Figure(
        BENCH,
        "table numbers_and_sides",
        "numbers_and_sides",
        "wall",
        numbers_and_sides.newest,
        "numbers_and_sides.py --engine threads",
    ),
    Figure(
        BENCH,
        "table spanning_forests",
        "spanning_forests",
        "wall",
        lambda folder: spanning_forests.newest(folder) + spanning_forests.alone(folder),
        "spanning_forests.py --engine cuda",
    ),
    Figure(BENCH, "table threads: to labels", "bench", "wall", threads, RUN_THREADS),
    Figure(BENCH, "bench-faster-threads.svg", "bench", "wall", threads, RUN_THREADS),
    Figure(BENCH, "table threads: alone", "bench", "wall", threads, RUN_THREADS, "solve_code"),
    Figure(
        TRUST,
        "table audits: GPU",
        "audit",
        "wall",
        functools.partial(audits, on_gpu=True),
        "audit.py --hashed",
    ),
    Figure(
        TRUST,
        "table audits: threads",
        "audit",
        "wall",
        functools.partial(audits, on_gpu=False),
        "audit.py --hashed --most 95000000 --engine threads",
    ),
    *(
        Figure(
            LARGER,
            f"table {table}: {engine}",
            "several",
            "wall",
            functools.partial(workers, engine=engine),
            again,
        )
        for table in ("measured", "scaling")
        for engine, again in SEVERAL.items()
    ),
    Figure(LARGER, "table model: rate of a card", "main_job", "wall", larger.rated, "main_job.py"),
    Figure(
        DATASETS, "measured_main_job.csv", "main_job", "wall", datasets.main_jobs, "main_job.py"
    ),
    Figure(LARGER, "table devices", "devices", "wall", larger.devices, "devices.py"),
    Figure(
        LARGER, "table streams", "devices", "wall", larger.streams, "devices.py --stream 1000000000"
    ),
    Figure(
        DATASETS,
        "measured_networkx.csv",
        "networkx_gain",
        "wall",
        datasets.gains,
        "networkx_gain.py",
    ),
    Figure(DATASETS, "measured_designs.csv", "design_space", "device", space("runs"), DESIGNS),
    *(
        Figure(SPACE, name, record, "device", space(rows), DESIGNS)
        for record, rows, names in (
            ("design_space", "runs", ("table times", "table winners", "table left_out")),
            ("design_space", "runs", ("union-rules.svg", "rounds.svg")),
            ("design_sampling", "samples", ("table sampling", "table counting")),
            ("design_sampling", "samples", ("samples.svg", "entries.svg")),
            ("design_ablation", "steps", ("table ablation", "options-of-k-out.svg")),
            ("design_stream", "batches", ("table batches", "batches.svg", "queries.svg")),
        )
        for name in names
    ),
    Figure(SPACE, "table layouts", "layouts", "wall", space("layouts"), "layouts.py"),
    *(
        Figure(PAPERS, name, "papers", "device", papers(experiment), "papers.py")
        for experiment, names in (
            ("sutton", ("table sutton", "sutton-steps.svg", "sutton-segments.svg")),
            ("cong", ("table cong", "cong-stages.svg", "cong-ranking.svg")),
            ("lehr", ("table lehr", "lehr-all.svg", "lehr-dense.svg", "lehr-fixpoint.svg")),
            ("lehr", ("lehr-memory.svg", "lehr-dense-memory.svg", "lehr-owner.svg")),
            ("balduzzi", ("table balduzzi", "balduzzi-dense.svg", "balduzzi-medium.svg")),
            ("balduzzi", ("balduzzi-sparse.svg",)),
        )
        for name in names
    ),
)


class Clock:
    """The changes of the code since records were made, by the trees of now and of their commits.

    Parameters
    ----------
    now : measured_code.Tree
        The package as it is now.
    at : callable
        Returns the tree of a commit, or None.
    """

    def __init__(self, now, at=Tree.at):
        self.now, self.at = now, functools.cache(at)
        self._since = functools.cache(self._found_since)

    def changes(self, row, kind, field="code"):
        """Return what a record's times stand on and is another now: nothing if it is fresh."""
        code = row.get(field)
        if code is None:
            return self._since(row["commit"].removesuffix("-dirty").removesuffix("+"))
        kernels = {name: self._kernel(name, own) for name, own in code["kernels"].items()}
        files = {path: self.now.file(path) for path in code["files"]}
        if measured_code.summed(kernels, files)[kind] == code[kind]:
            return ()
        old, new = dict(code["kernels"]), kernels
        if kind == "wall":
            old, new = old | code["files"], new | files
        return tuple(name for name in old if new[name] != old[name]) or ("its hash",)

    def _kernel(self, name, own):
        """Return the hash of a function of kernels now; that on record, if it has only moved."""
        found = self.now.function(name)
        return own if found != own and own in self.now.functions else found

    def _found_since(self, commit):
        then = self.at(commit)
        if then is None:
            return (f"all, as git does not know {commit}",)
        paths = sorted({*then.texts, *self.now.texts})
        paths = [path for path in paths if then.texts.get(path) != self.now.texts.get(path)]
        return tuple(
            path
            for path in paths
            if not path.startswith(NOT_MEASURED) and then.file(path) != self.now.file(path)
        )


class Outdated(NamedTuple):
    """A figure with records that are older than the code.

    Attributes
    ----------
    figure : Figure
        What prints them.
    rows : int
        The number of all of its records.
    old : list of dict
        Those that are older.
    changes : list of str
        The kernels and files that have changed since.
    """

    figure: Figure
    rows: int
    old: list[dict[str, Any]]
    changes: list[str]

    def __str__(self) -> str:
        commits = ", ".join(dict.fromkeys(row["commit"] for row in self.old))
        more = f" and {len(self.changes) - MOST} more" if len(self.changes) > MOST else ""
        return (
            f"{self.figure.page}, {self.figure.name}: {len(self.old)} of {self.rows}"
            f" {self.figure.kind} times, at {commits}; changed since:"
            f" {', '.join(self.changes[:MOST])}{more}; again: python benchmarks/{self.figure.again}"
        )


def outdated(clock, folder=records.HERE, figures=FIGURES):
    """Yield each figure of which a record is older than the code, except history."""
    for figure in figures:
        rows = figure.rows(folder)
        rows = [row for row in rows if not records.is_history(figure.record, row)]
        since = [(row, clock.changes(row, figure.kind, figure.field)) for row in rows]
        old = [(row, changes) for row, changes in since if changes]
        if old:
            names = list(dict.fromkeys(name for _, changes in old for name in changes))
            yield Outdated(figure, len(rows), [row for row, _ in old], names)


def of_now(folder=records.HERE):
    """Return the figures whose records are older than the code of the working tree."""
    now = Tree.in_folder(measured_code.ROOT / measured_code.PACKAGE)
    return list(outdated(Clock(now), folder))


def main():
    """Print the lines, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=pathlib.Path, default=records.HERE)
    args = parser.parse_args()
    found = of_now(args.records)
    for each in found:
        print(each)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
