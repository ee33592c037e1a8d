"""The runs of an evaluation: every design, kind of memory and number of threads on every file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from .. import oracle
from ..api import components
from ..bench import spread, timed
from ..design import Design
from ..engines import Engine
from ..errors import CcRapidsError, VerificationError
from ..oracle.columns import label_columns
from .files import Source, density, reason

Report = Callable[[int, int], object]
Row = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What is run.

    Parameters
    ----------
    designs : sequence of str
        Algorithms by name.
    memory : sequence of str
        Kinds of memory that the edges are read from, each passed to ``components`` as ``memory=``;
        the edges then begin on the host, and what moves them counts. Empty: they lie on the engine.
    threads : sequence of int
        Numbers of threads; empty for all there are. On the engine "threads" alone.
    rounds : int
        Runs of each timing, after one to warm up.
    patience : float
        Seconds of one timing after which three runs are enough.
    check : bool
        Prove the first answer of each file by a certificate, and compare the others with it.
    """

    designs: Sequence[str]
    memory: Sequence[str] = ()
    threads: Sequence[int] = ()
    rounds: int = 9
    patience: float = 60.0
    check: bool = True

    def cases(self) -> list[tuple[str, str | None, int | None]]:
        """Design, kind of memory and number of threads of each run of a file."""
        return list(product(self.designs, self.memory or (None,), self.threads or (None,)))


def evaluate(
    paths: Sequence[Path], plan: Plan, engine: Engine, on_progress: Report | None = None
) -> Iterator[Row]:
    """Run a plan over files; a row a run, as soon as it is done.

    A file that cannot be read and a design that cannot run are rows too, with ``not_run``: the
    others go on. So does a wrong answer, which is a row with ``wrong`` and without times.

    Parameters
    ----------
    paths : sequence of Path
    plan : Plan
    engine : Engine
    on_progress : callable, optional
        Called with the runs done and to do.

    Raises
    ------
    DesignError
        There is no such design.

    Yields
    ------
    dict
        ``file``, ``edges``, ``vertices``, ``density``, ``design``, ``memory``, ``threads``, and
        ``wall_ms`` (and on a GPU ``device_ms``) from the edges to the labels.
    """
    for design in plan.designs:
        Design.parse(design)
    cases = plan.cases()
    for k, path in enumerate(paths):
        done = k * len(cases)
        try:
            source = Source.read(path)
        except (CcRapidsError, MemoryError) as error:
            yield {"file": path.name, "not_run": reason(error)}
            continue
        truth = _Truth(source)
        for j, (design, memory, threads) in enumerate(cases):
            yield _row(source, truth, plan, engine, design, memory, threads)
            if on_progress is not None:
                on_progress(done + j + 1, len(paths) * len(cases))


def _row(
    source: Source,
    truth: _Truth,
    plan: Plan,
    engine: Engine,
    design: str,
    memory: str | None,
    threads: int | None,
) -> Row:
    facts: Row = {"file": source.name, "edges": source.edges, "engine": engine.name}
    facts |= {"design": design, "memory": memory, "threads": threads}
    kinds = {} if memory is None else {"memory": memory}
    given = source.vertices if source.ends is not None else None

    def job(edges: Any) -> Any:
        found = components(edges, vertices=given, design=design, engine=engine.name, **kinds)
        return found, found.labels()

    try:
        with _using(engine, threads):
            copies = source.copies(engine, plan.rounds, on_host=memory is not None)
            times = timed(engine, job, copies, plan.rounds, plan.patience)
        found, labels = times.answer
        if plan.check:
            truth.check(found, labels)
    except VerificationError as error:
        return facts | {"wrong": reason(error)}
    except (CcRapidsError, MemoryError) as error:
        return facts | {"not_run": reason(error)}
    n = found.summary()["vertices"]
    facts |= {"ran": found.summary()["design"], "vertices": n, "components": len(found)}
    facts |= {"density": density(n, source.edges), "checked": plan.check}
    facts["wall_ms"] = spread(times.wall)
    return facts if times.device is None else facts | {"device_ms": spread(times.device)}


def _using(engine: Engine, threads: int | None) -> AbstractContextManager[Any]:
    return nullcontext() if threads is None else engine.using(threads)


class _Truth:
    """The right labels of a file: the first answer, proved, and then compared with."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.labels: list[Any] = []

    def check(self, found: Any, labels: Any) -> None:
        """Raise a VerificationError if an answer is wrong."""
        columns = label_columns(labels)
        if not self.labels:
            vertices = self.source.vertices if self.source.ends is not None else None
            oracle.certify_components(found, self.source.table, vertices=vertices)
            self.labels = columns
            return
        for name, own, right in zip(("vertex", "label"), columns, self.labels, strict=True):
            if not np.array_equal(own, right):
                wrong = np.flatnonzero(own != right) if own.size == right.size else np.zeros(1, int)
                raise VerificationError(
                    f"row {wrong[0]}: the {name} is not that of a proved answer"
                )
