"""Components of partitions on a pool of processes: an executor of ``concurrent.futures``.

Only the standard library is needed. Executors of other libraries with the same interface, such as
that of mpi4py on several machines, also work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from concurrent.futures import FIRST_COMPLETED, Executor, Future, as_completed, wait
from contextlib import closing
from functools import partial
from typing import Any

from ..algorithms.design import Design
from ..data import read
from ..errors import ArgumentTypeError, InputError, LedgerError, counted, inflected, shown
from ..incremental.progress import DistributedProgress, Reporter
from ..keywords import suggest_keywords
from ..options import Options
from ..results.components import Components
from .distributed.forests import (
    Ends,
    Forest,
    as_pandas,
    local_forest,
    names_of_ends,
    not_frame,
    solved,
)
from .distributed.run import Run

AHEAD = 2 * (os.cpu_count() or 1)  # the maximum number of partitions in flight


class Tasks:
    """The tasks of one run; all results are in the memory of this process.

    This is the :class:`~cc_rapids.integrations.distributed.protocol.Executor` of a pool.
    """

    def __init__(self, executor: Executor) -> None:
        self.executor = executor

    def submit(self, function: Any, *arguments: Any, worker: str | None = None) -> Future[Any]:
        """Return the future of a call, which starts once its argument futures are done."""
        future: Future[Any] = Future()
        self._try_submit(future, function, arguments)
        return future

    def _try_submit(
        self, future: Future[Any], function: Any, arguments: tuple[Any, ...], _: Any = None
    ) -> None:
        """Submit a call once all of its arguments are done; ``future`` receives its result.

        A pending argument calls this method again when it is done, and is then passed as ``_``.
        """
        for argument in arguments:
            if isinstance(argument, Future) and not argument.done():
                argument.add_done_callback(partial(self._try_submit, future, function, arguments))
                return
        try:
            values = [
                argument.result() if isinstance(argument, Future) else argument
                for argument in arguments
            ]
            call = self.executor.submit(function, *values)
        except Exception as error:
            future.set_exception(error)
        else:
            call.add_done_callback(partial(_copy_result, future))

    def gather(self, futures: list[Future[Any]]) -> list[Any]:
        """Return the results; raise the error of a process."""
        return [future.result() for future in futures]

    def completed(self, futures: list[Future[Any]]) -> Iterator[Future[Any]]:
        """Iterate over futures as they are done."""
        return map(_checked, as_completed(list(futures)))

    def places(self, futures: list[Future[Any]]) -> list[str]:
        """Return "" for each future, because all results are in this process."""
        return [""] * len(futures)

    def workers(self) -> list[str]:
        """Return a single empty name, because the processes of a pool have no names."""
        return [""]


def _copy_result(future: Future[Any], call: Future[Any]) -> None:
    """Complete ``future`` with the result or the error of ``call``."""
    try:
        future.set_result(call.result())
    except BaseException as error:  # including the CancelledError of a cancelled call
        future.set_exception(error)


def _checked(future: Future[Any]) -> Future[Any]:
    """Return a future that is done; raise its error if it has one."""
    future.result()
    return future


@suggest_keywords
def components(
    partitions: Iterable[Any],
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    executor: Executor,
    vertices: Any = None,
    num_vertices: int | None = None,
    labels: str | None = None,
    nulls: str = "raise",
    design: str | Design = "auto",
    engine: str | None = None,
    progress: bool | Callable[[DistributedProgress], object] = False,
) -> Components:
    """Find the connected components of partitions of edges with a pool of processes.

    Each process reduces partitions to forests, the pool merges forests pairwise, and this process
    solves the last forest. Use this function if Python functions read the partitions, for example
    if they parse text. For edges in memory, use :func:`cc_rapids.components`, which uses all cores.

    Parameters
    ----------
    partitions : iterable of frames, or of functions that return a frame
        Frames of pandas, Polars or Arrow, or functions without arguments, for example
        ``functools.partial(pandas.read_csv, path)``. Frames are sent to a process; functions are
        called by a process.
    source, destination : str, or lists of str of equal length, optional
        The columns with the two ends of each edge, by default a known pair of names, as for
        :func:`cc_rapids.components`.
    executor : concurrent.futures.Executor
        The pool that runs the tasks; it is not shut down.
    vertices : column, array or range of ids, optional
        Vertices to include even if no edge names them.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    labels : {"min", "max", "dense", "size"}, optional
        The labels of components, as for :func:`cc_rapids.components`.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end.
    design : str or Design
        As for :func:`cc_rapids.components`; the design must make spanning forests.
    engine : {"threads", "cuda"}, optional
        As for :func:`cc_rapids.components`.
    progress : bool or callable
        If True, show a bar on stderr if stderr is a terminal. A callable is called with a
        ``DistributedProgress`` after each finished task. Otherwise lines are written to the log.

    Returns
    -------
    Components
        The components, with a spanning forest. The column ``row`` of the forest has row numbers in
        the last merge, not in the partitions.

    Raises
    ------
    InputError
        The partitions or an argument cannot be used, as for :func:`cc_rapids.components`. Counts in
        the message refer to one partition.
    concurrent.futures.BrokenExecutor
        A process was lost. The executor accepts no further tasks.

    See Also
    --------
    cc_rapids.components : Find the components of edges in memory.
    cc_rapids.stream_components : Find the components of edges in files, chunk by chunk.
    cc_rapids.ray.components : Use a Ray cluster, which recovers from lost processes.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import pandas as pd, cc_rapids.pool
    >>> parts = [pd.DataFrame({"src": [k], "dst": [k + 2]}) for k in range(4)]
    >>> with ThreadPoolExecutor() as executor:
    ...     found = cc_rapids.pool.components(parts, executor=executor)
    >>> len(found)
    2
    """
    Options.check(
        labels=labels, nulls=nulls, design=design, engine=engine, forest=True, progress=progress
    )
    # If partitions are frames in a list, look up the default columns before the run.
    if isinstance(partitions, list) and partitions and hasattr(partitions[0], "columns"):
        source, destination = read.named_ends(partitions[0], source, destination)
    id_names = names_of_ends(source, destination)
    if not (hasattr(executor, "submit") and hasattr(executor, "shutdown")):
        raise InputError(
            f"executor must be an executor of concurrent.futures, not {shown(executor)}: pass a"
            " ProcessPoolExecutor(), for example"
        )
    options = {"design": design, "engine": engine}
    tasks, counts = Tasks(executor), list[int]()
    with (
        Reporter(progress) as watch,
        closing(_leaves(tasks, partitions, id_names, nulls, options, counts)) as leaves,
    ):
        run = Run(tasks, id_names, nulls, options, watch, "the partitions")
        folded = run.fold(leaves, None)
        if not folded:
            raise InputError("there are no partitions: pass at least one, which may have no rows")
        [(_, root)] = folded  # one forest, because all results are in this process
        [forest] = tasks.gather([root])
    ledger = forest.ledger._replace(given=sum(counts)).check(run.parts_name)
    if not isinstance(partitions, Sized):
        ledger = ledger._replace(unchecked=True)  # the number of partitions is unknown
    elif len(counts) != (size := len(partitions)):
        raise LedgerError(
            f"{counted(size, 'partition')} {inflected(size, 'was', 'were')} given, but"
            f" {len(counts):,} were read: pass a list that does not change during the run"
        )
    vertex_options = {"vertices": vertices, "num_vertices": num_vertices}
    options_of_answer = options | vertex_options | {"labels": labels, "forest": True}
    result = solved(forest, id_names, options_of_answer)
    return type(result)(result.answer.with_ledger(ledger))


def _leaves(
    tasks: Tasks,
    partitions: Iterable[Any],
    id_names: Ends,
    nulls: str,
    options: dict[str, Any],
    counts: list[int],
) -> Generator[Future[Any], None, None]:
    """Iterate over the forests of partitions as they are complete; an error cancels the rest.

    Partitions are drawn only as the pool needs them. The number of rows of each partition is
    appended to ``counts``: before a frame of known length is sent, otherwise after its task.
    """
    waiting: set[Future[Any]] = set()
    uncounted: set[Future[Any]] = set()  # tasks that count the rows of their partition

    def with_counts(done: set[Future[Any]]) -> Iterator[Future[Any]]:
        """Yield completed forests; append the row counts that their tasks have made."""
        for future in map(_checked, done):
            if future in uncounted:
                counts.append(future.result().ledger.given)
                uncounted.remove(future)
            yield future

    try:
        for index, partition in enumerate(partitions):
            arguments = index, partition, id_names, nulls, options
            waiting.add(future := tasks.executor.submit(forest_of, *arguments))
            if callable(partition) or not hasattr(partition, "__len__"):
                uncounted.add(future)
            else:
                counts.append(len(partition))
            if len(waiting) >= AHEAD:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from with_counts(done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from with_counts(done)
    finally:
        for future in waiting:
            future.cancel()


def forest_of(
    number: int, partition: Any, id_names: Ends, nulls: str, options: dict[str, Any]
) -> Forest:
    """Return the forest of partition ``number``, a frame or a function, in a task of the pool."""
    partition = partition() if callable(partition) else partition
    frame = as_pandas(partition)
    if description := not_frame(frame):
        raise ArgumentTypeError(
            f"partition {number} is {description}, not a frame of pandas, Polars or Arrow, nor a"
            " function that returns one"
        )
    forest = local_forest(frame, *id_names, nulls, options)
    # Compare with the rows before the conversion to pandas, if they can be counted.
    rows = len(partition if hasattr(partition, "__len__") else frame)
    forest.ledger._replace(given=rows).check(f"partition {number}")
    return forest
