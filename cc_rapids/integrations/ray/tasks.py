"""The workers of a Ray cluster: calls are Ray tasks, whose names begin with ``cc_rapids``.

Results stay in the object stores of the nodes. Ray starts the calls of a lost process again, and
makes the objects of a lost node again from the calls that made them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ...errors import CcRapidsError


class Result(NamedTuple):
    """References to the result of a call, and to an object that exists once it has succeeded."""

    value: Any
    done: Any


class Tasks:
    """The tasks of one run.

    This is the :class:`~cc_rapids.integrations.distributed.protocol.Executor` of Ray. Its workers
    are the nodes of the cluster.

    Parameters
    ----------
    resources : dict
        What each task needs: ``num_cpus`` and ``num_gpus``, as for Ray's tasks.
    """

    def __init__(self, resources: dict[str, float]) -> None:
        self.resources = resources
        self._call = ray.remote(_call)

    def submit(self, function: Any, *arguments: Any, worker: str | None = None) -> Result:
        """Return the result of a call, on a preferred node, or else near its arguments."""
        return self.split(function, *arguments, count=1, worker=worker)[0]

    def split(
        self, function: Any, *arguments: Any, count: int, worker: str | None = None
    ) -> list[Result]:
        """Return each of several results of a call, as objects of their own."""
        options: dict[str, Any] = {"num_returns": count + 1, **self.resources}
        options["name"] = f"cc_rapids-{function.__name__.strip('_').replace('_', '-')}"
        if worker:
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(worker, soft=True)
        values = (one.value if isinstance(one, Result) else one for one in arguments)
        *refs, done = self._call.options(**options).remote(count, function, *values)
        return [Result(value, done) for value in refs]

    def gather(self, results: list[Result]) -> list[Any]:
        """Return the results of small tasks; raise the error of a worker."""
        return [_checked(value) for value in ray.get([result.value for result in results])]

    def completed(self, results: list[Result]) -> Iterator[Result]:
        """Iterate over results as they are complete, without reading them."""
        return self._completed(list(results))

    def _completed(self, waiting: list[Result]) -> Iterator[Result]:
        while waiting:
            done, waiting = self.ready(waiting, None)
            yield from done

    def ready(
        self, results: list[Result], timeout: float | None = 0
    ) -> tuple[list[Result], list[Result]]:
        """Return the results that are complete, and those that are not; raise the error of one.

        Parameters
        ----------
        timeout : float or None
            Seconds to wait for the first; None waits for as long as it takes.
        """
        if not results:
            return [], []
        waiting, count = [result.done for result in results], len(results) if timeout == 0 else 1
        done, _ = ray.wait(waiting, num_returns=count, timeout=timeout, fetch_local=False)
        for value in ray.get(done):
            _checked(value)
        complete = set(done)
        return (
            [result for result in results if result.done in complete],
            [result for result in results if result.done not in complete],
        )

    def places(self, results: list[Result]) -> list[str]:
        """Return the nodes that hold results; "" for small ones, which go along with calls."""
        values = [result.value for result in results]
        locations = ray.experimental.get_object_locations(values)
        return [next(iter(locations[value]["node_ids"]), "") for value in values]

    def cpus(self) -> int:
        """Return the number of CPUs of the cluster, at least one."""
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def workers(self) -> list[str]:
        """Return the nodes that are there."""
        return sorted(node["NodeID"] for node in ray.nodes() if node["Alive"])


def _call(count: int, function: Any, *arguments: Any) -> tuple[Any, ...]:
    """Return the results of a function, and None, on a worker.

    An error of this library takes the place of each, also if it is an argument. Ray would wrap it,
    and would log it once more for each result that is not requested.
    """
    try:
        result = function(*map(_checked, arguments))
    except CcRapidsError as error:
        return (error,) * (count + 1)
    return (result, None) if count == 1 else (*result, None)


def _checked(value: Any) -> Any:
    """Return a result; raise it if it is an error."""
    if isinstance(value, CcRapidsError):
        raise value
    return value
