"""Run every design on every file, with each kind of memory and number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ...algorithms.design import Design
from ...api import components
from ...backends import Backend
from ...data.text_options import NO_OPTIONS, TextOptions
from ...errors import CcRapidsError, InputError, VerificationError, unknown
from ...verify import oracle
from ...verify.oracle.columns import label_columns
from ..bench.timing import Times, spread, timed
from .files import Source, density, reason
from .processes import Ends, start_processes
from .sampling import start_sampling

Report = Callable[[int, int], object]
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A run of a file: the design, and optionally a kind of memory, threads or processes.

    ``threads`` is the number of threads of this process or, with processes, of each process.
    """

    design: str
    memory: str | None = None
    threads: int | None = None
    processes: int | None = None
    reduction: str | None = None


@dataclass(frozen=True)
class Plan:
    """The runs of an evaluation.

    ``memory`` has values for the option ``memory`` of :func:`cc_rapids.components`. With such a
    value, edges start on the host, and the time includes copying. If there is none, edges start in
    the memory of the engine. ``threads`` are for the engine "threads" only. If there are neither
    threads nor processes, all threads are used. If there are both, each number of threads and each
    number of processes gives separate runs. Processes need integer ids.
    ``reductions`` are the ways in which processes combine their results. "pairs" merges forests in
    pairs, for designs that make spanning forests; see :mod:`cc_rapids.tools.evaluate.processes`.
    "samples" contracts components of samples; see :mod:`cc_rapids.tools.evaluate.sampling`.
    """

    designs: Sequence[str]  # names of algorithms
    memory: Sequence[str] = ()
    threads: Sequence[int] = ()  # numbers of threads
    processes: Sequence[int] = ()  # numbers of processes
    threads_per_process: Sequence[int] = (1,)
    reductions: Sequence[str] = ("pairs",)
    rounds: int = 9  # timed runs, after one warm-up run
    patience: float = 60.0  # seconds after which the timing of a case ends, after three runs
    check: bool = True  # prove the first answer of each file, and compare the others with it
    source: str | None = None
    destination: str | None = None
    text: TextOptions = NO_OPTIONS

    def cases(self) -> list[Case]:
        """Return the runs of a file."""
        thread_counts: Sequence[int | None] = self.threads
        if not self.threads and not self.processes:
            thread_counts = (None,)  # all threads
        pools = list(product(self.threads_per_process or (1,), self.processes, self.reductions))
        cases = []
        for design in self.designs:
            for memory, threads in product(self.memory or (None,), thread_counts):
                cases.append(Case(design, memory, threads))
            for threads, processes, reduction in pools:
                cases.append(Case(design, None, threads, processes, reduction))
        return cases


def evaluate(
    paths: Sequence[Path], plan: Plan, backend: Backend, on_progress: Report | None = None
) -> Iterator[Row]:
    """Run a plan over files, and yield one row per run as soon as the run is done.

    A row has ``file``, ``edges``, ``vertices``, ``density``, the fields of the :class:`Case`,
    ``ran`` (the design that was run), ``wall_ms``, and on a GPU ``device_ms``. Both times are
    measured from the edges to the labels. The evaluation continues after errors. A file that cannot
    be read or a design that cannot run gives a row with ``not_run``, and a wrong answer gives a row
    with ``wrong`` and without times. ``on_progress`` gets the numbers of finished runs, with those
    of unreadable files, and of all runs. Raise a DesignError or an InputError if a design or a
    reduction does not exist.
    """
    for design in plan.designs:
        Design.parse(design)
    for name in plan.reductions:
        if name not in REDUCTIONS:
            raise InputError(unknown("reduction", name, REDUCTIONS))
    cases = plan.cases()
    done, total = 0, len(paths) * len(cases)
    for path in paths:
        try:
            source = Source.read(path, plan.text, plan.source, plan.destination)
        except (CcRapidsError, MemoryError) as error:
            yield {"file": path.name, "not_run": reason(error)}
            done += len(cases)
            if on_progress is not None:
                on_progress(done, total)
            continue
        truth = _Truth(source)
        for case in cases:
            yield _row(source, truth, plan, backend, case)
            done += 1
            if on_progress is not None:
                on_progress(done, total)


def _row(source: Source, truth: _Truth, plan: Plan, backend: Backend, case: Case) -> Row:
    """Return the row of one run: its times, or the reason why there are none."""
    facts: Row = {"file": source.name, "edges": source.edges, "engine": backend.name}
    facts |= asdict(case)
    try:
        if case.processes:
            times = _by_processes(source, plan, backend, case)
        else:
            times = _in_this_process(source, plan, backend, case)
        result, labels = times.answer
        if plan.check:
            truth.check(result, labels)
    except VerificationError as error:
        return facts | {"wrong": reason(error)}
    except (CcRapidsError, MemoryError) as error:
        return facts | {"not_run": reason(error)}
    n = result.summary()["vertices"]
    facts |= {"ran": result.summary()["design"], "vertices": n, "components": len(result)}
    facts |= {"density": density(n, source.edges), "checked": plan.check}
    facts["wall_ms"] = spread(times.wall)
    return facts if times.device is None else facts | {"device_ms": spread(times.device)}


def _in_this_process(source: Source, plan: Plan, backend: Backend, case: Case) -> Times:
    """Return the times of a case on an engine in this process."""
    solve_options: dict[str, Any] = {"design": case.design, "engine": backend.name}
    if case.memory is not None:
        solve_options["memory"] = case.memory

    def job(edges: Any) -> Any:
        result = components(edges, vertices=source.all_vertices, **solve_options)
        return result, result.labels()

    with nullcontext() if case.threads is None else backend.using(case.threads):
        copies = source.copies(backend, plan.rounds, on_host=case.memory is not None)
        return timed(backend, job, copies, plan.rounds, plan.patience)


def _by_processes(source: Source, plan: Plan, backend: Backend, case: Case) -> Times:
    """Return the times of a case on processes, including the time to label their last forest.

    The processes already have the edges, so ``job`` takes only the function that solves them.
    """
    if source.ends is None or backend.on_device:
        raise InputError("processes need integer ids and run on CPU threads: pass engine='threads'")
    vertices = source.distinct_ids if source.all_vertices is None else source.all_vertices

    def job(find_forest: Any) -> Any:
        result = components(find_forest(), vertices=vertices, engine=backend.name)
        return result, result.labels()

    with REDUCTIONS[str(case.reduction)](source.ends, vertices, case) as find_forest:
        return timed(backend, job, [find_forest], plan.rounds, plan.patience)


def _process_options(case: Case) -> tuple[int, str, int]:
    """Return the number of processes, the design, and the number of threads of each process."""
    return case.processes or 1, case.design, case.threads or 1


@contextmanager
def _in_pairs(ends: Ends, vertices: Any, case: Case) -> Iterator[Callable[[], Ends]]:
    """Yield a function that merges the forests of processes in pairs; ``vertices`` is unused."""
    with start_processes(ends, *_process_options(case)) as pool:
        yield pool.forest


@contextmanager
def _by_samples(ends: Ends, vertices: Any, case: Case) -> Iterator[Callable[[], Ends]]:
    """Number the vertices, and yield a function that finds a forest by iterated sampling."""
    ids = np.asarray(vertices)
    # int32, or int64 if that is too small; negated, as min_scalar_type(-n) returns a signed type
    dtype = np.promote_types(np.int32, np.min_scalar_type(-max(ids.size, 1)))
    numbers = [np.searchsorted(ids, column).astype(dtype) for column in ends]
    with start_sampling((numbers[0], numbers[1]), ids.size, *_process_options(case)) as pool:

        def forest() -> Ends:
            src, dst = pool.forest()
            return ids[src], ids[dst]

        yield forest


REDUCTIONS = {"pairs": _in_pairs, "samples": _by_samples}


class _Truth:
    """The labels of the first answer for a file, kept after an audit has proved them right."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.labels: list[Any] = []

    def check(self, result: Any, labels: Any) -> None:
        """Raise a VerificationError if an answer is wrong.

        ``labels`` is the label frame of ``result``. The first answer is proved from the edges and
        kept. Other answers are compared with it.
        """
        columns = label_columns(labels)
        if not self.labels:
            oracle.certify_components(result, self.source.table, vertices=self.source.all_vertices)
            self.labels = columns
            return
        for name, new, right in zip(("vertex", "label"), columns, self.labels, strict=True):
            if not np.array_equal(new, right):
                # Columns of different lengths are reported as different in row 0
                row = np.flatnonzero(new != right)[0] if new.size == right.size else 0
                raise VerificationError(
                    f"row {row}: the {name} differs from that of a proved answer"
                )
