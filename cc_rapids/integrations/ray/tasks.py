"""Run tasks on the nodes of a Ray cluster; the names of the tasks begin with ``cc_rapids``.

Results stay in the object stores of the nodes. Ray repeats the calls that a lost process was
running, and the calls whose results were on a lost node.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ...errors import CcRapidsError


class Result(NamedTuple):
    """References to a result of a call."""

    value: Any  # the result, which may be large
    done: Any  # a small object that exists once the call has ended: None, or an error


class Tasks:
    """The tasks of one run.

    This is the :class:`~cc_rapids.integrations.distributed.protocol.Executor` of Ray. Its workers
    are the nodes of the cluster. ``resources`` are those of each task: ``num_cpus`` and
    ``num_gpus``, as for Ray's tasks.
    """

    def __init__(self, resources: dict[str, float]) -> None:
        self.resources = resources
        self._call = ray.remote(_call)

    def submit(self, function: Any, *arguments: Any, worker: str | None = None) -> Result:
        """Return the result of a call on a preferred node; by default Ray chooses the node."""
        return self.split(function, *arguments, count=1, worker=worker)[0]

    def split(
        self, function: Any, *arguments: Any, count: int, worker: str | None = None
    ) -> list[Result]:
        """Start a call that returns ``count`` values; return a separate result for each value."""
        options: dict[str, Any] = {"num_returns": count + 1, **self.resources}
        options["name"] = f"cc_rapids-{function.__name__.strip('_').replace('_', '-')}"
        if worker:
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(worker, soft=True)
        values = (
            argument.value if isinstance(argument, Result) else argument for argument in arguments
        )
        *refs, done = self._call.options(**options).remote(count, function, *values)
        return [Result(value, done) for value in refs]

    def gather(self, results: list[Result]) -> list[Any]:
        """Return the results of small tasks; raise the error of a worker."""
        return [_checked(value) for value in ray.get([result.value for result in results])]

    def completed(self, results: list[Result]) -> Iterator[Result]:
        """Iterate over results as they are complete, without reading them."""
        return self._completed(list(results))  # copied now: the caller may empty its list

    def _completed(self, waiting: list[Result]) -> Iterator[Result]:
        """Yield results of ``waiting`` as they are complete."""
        while waiting:
            done, waiting = self.ready(waiting, None)
            yield from done

    def ready(
        self, results: list[Result], timeout: float | None
    ) -> tuple[list[Result], list[Result]]:
        """Return the complete and the pending results; raise an error of a complete result.

        ``timeout`` is in seconds; None waits for the first result without limit.
        """
        if not results:
            return [], []
        waiting = [result.done for result in results]
        count = len(results) if timeout == 0 else 1  # without a wait, all that are complete
        done, _ = ray.wait(waiting, num_returns=count, timeout=timeout, fetch_local=False)
        for value in ray.get(done):
            _checked(value)
        complete = set(done)
        return (
            [result for result in results if result.done in complete],
            [result for result in results if result.done not in complete],
        )

    def places(self, results: list[Result]) -> list[str]:
        """Return the node that holds each result; "" for small results, which no node holds."""
        values = [result.value for result in results]
        locations = ray.experimental.get_object_locations(values)
        return [next(iter(locations[value]["node_ids"]), "") for value in values]

    def cpus(self) -> int:
        """Return the number of CPUs of the cluster, at least one."""
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def workers(self) -> list[str]:
        """Return the ids of all nodes that are alive."""
        return sorted(node["NodeID"] for node in ray.nodes() if node["Alive"])


def _call(count: int, function: Any, *arguments: Any) -> tuple[Any, ...]:
    """Call a function on a worker; return its results, and None as a marker of completion.

    An error of this library, raised by the function or passed as an argument, is returned in place
    of all results and of the marker. Ray would wrap a raised error and log it for each result.
    """
    try:
        result = function(*map(_checked, arguments))
    except CcRapidsError as error:
        return (error,) * (count + 1)
    return (result, None) if count == 1 else (*result, None)


def _checked(value: Any) -> Any:
    """Return ``value``, or raise it if it is an error of this library."""
    if isinstance(value, CcRapidsError):
        raise value
    return value
