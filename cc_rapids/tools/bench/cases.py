"""Measure cases of a benchmark: a graph in one form, ids of one width, a design, and a peer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...algorithms.compiled import build
from ...algorithms.design import Design
from ...algorithms.run import arranged, prepare, run
from ...api import find_components
from ...backends import Backend
from ...errors import VerificationError
from ...graph.forest import Forest
from ...graph.memory_bound import memory_bound
from ...options import Options as JobOptions
from ...verify import oracle
from ...verify.oracle.columns import label_columns
from ..generators import Graph
from .inputs import Input, inputs
from .limits import limit_facts
from .peers import Peer, peer_of
from .timing import Times, spread, timed, with_peak

FORMS, IDS = ("coo", "csr"), ("int32", "int64")
Truth = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Options:
    """The options of a measurement."""

    runs: int = 9  # timed, after one warm-up run
    check: bool = True  # compare every answer with sequential union-find, after the timing
    peers: bool = True  # time SciPy or cuGraph on the same inputs
    patience: float = 60.0  # seconds after which no 4th or later timed run of a peer begins


@dataclass(frozen=True)
class Measured:
    """A graph in the memory of a backend, its correct answer, and its measurements.

    ``weights`` is a third column of the edge list, or None.
    """

    graph: Graph
    backend: Backend
    options: Options
    weights: Any

    @cached_property
    def truth(self) -> Truth:
        """The least vertex of each vertex's component, from an independent oracle."""
        src, dst = map(self.backend.to_host, self.graph.edges)
        return oracle.union_find(src, dst, self.graph.num_vertices)

    @cached_property
    def occurs(self) -> npt.NDArray[np.bool_]:
        """For each vertex, whether it occurs in an edge."""
        is_end = np.zeros(self.graph.num_vertices, bool)
        for column in self.graph.edges:
            is_end[self.backend.to_host(column)] = True
        return is_end

    def records(self, form: str, ids: str, designs: list[str]) -> list[dict[str, Any]]:
        """Return a record per design for one form of the graph, each with the time of the peer."""
        runs = self.options.runs
        copies = inputs(self.graph, form, ids, self.backend, runs, self.weights)
        facts = {
            "graph": self.graph.name,
            "engine": self.backend.name,
            "form": form,
            "ids": ids,
            "n": self.graph.num_vertices,
            "m": self.graph.num_edges,
            "input_bytes": copies[0].nbytes,
            "inputs": len(copies),
        }
        if copies[0].rows:
            facts["entries"] = copies[0].rows.m
        peer = self._peer(copies) if self.options.peers else {}
        return [facts | self._case(form, ids, name, copies) | peer for name in designs]

    def _case(self, form: str, ids: str, name: str, copies: list[Input]) -> dict[str, Any]:
        """Return the record of one design, without the time of the peer."""
        options = JobOptions.check(design=name, engine=self.backend.name, wants_labels=True)

        def job(copy: Input) -> Any:
            components: Any = find_components(copy.given, options)
            return components, components.labels()

        times = timed(self.backend, job, copies, self.options.runs)
        components, labels = times.answer
        _, peak = with_peak(self.backend, lambda: job(copies[0]))
        summary = components.summary()
        design = Design.parse(summary["design"])
        assert design is not None  # the summary names the design that ran, never "auto"
        alone, all_labels, rows = self._time_design(design, copies)
        facts = {
            "design": name,
            "ran": str(design),
            "reads": "list" if rows is None else "rows",
            "vertices": summary["vertices"],
            "components": len(components),
            "peak_bytes": peak,
            **times.facts("job"),
            **alone.facts("solve"),
            "paper": self._traffic_facts(design, rows, ids, alone),
        }
        facts |= self._bound(form, ids, name, facts)
        if self.options.check:
            self._check(form, labels, all_labels, facts)
        return facts

    def _bound(self, form: str, ids: str, name: str, facts: dict[str, Any]) -> dict[str, Any]:
        """Return the memory bound of an edge list, and whether the peak was within it."""
        if facts["peak_bytes"] is None or (form, name) != ("coo", "auto"):
            return {}  # memory_bound() does not hold for rows and named designs
        answer_bytes = 2 * np.dtype(ids).itemsize * facts["vertices"]  # ids and labels
        bound = memory_bound(self.graph.num_vertices, answer_bytes, self.graph.num_edges)
        return {"bound_bytes": bound, "within_bound": facts["peak_bytes"] <= bound}

    def _time_design(self, design: Design, copies: list[Input]) -> tuple[Times, Any, Any]:
        """Return the times and the labels of a design alone, and the CSR rows if it reads them.

        The edges or rows are in the memory of the backend before the time starts.
        """
        forest = Forest(self.backend, self.graph.num_vertices, all_present=True)
        runs = []
        for copy in copies:
            edges, rows = arranged(design, copy.edges, copy.rows, forest)
            compiled = build(
                design,
                self.backend,
                forest.vertex,
                edges.wide,
                reads_csr=rows is not None,
                record_forest=False,
            )
            runs.append((compiled, prepare(compiled, edges, forest, rows)))

        def run_once(prepared_run: Any) -> None:
            compiled, state = prepared_run
            state.reset()
            run(compiled, state)

        times = timed(self.backend, run_once, runs, self.options.runs)
        return times, forest.parent, rows

    def _traffic_facts(self, design: Design, rows: Any, ids: str, alone: Times) -> dict[str, Any]:
        """Return the computed memory traffic of a run, and the shortest time that it can take."""
        n, m = self.graph.num_vertices, rows.m if rows else self.graph.num_edges
        spent_ms = spread(alone.device or alone.wall)["median"]
        item, device = np.dtype(ids).itemsize, self.backend.device_name
        return limit_facts(design, rows is not None, n, m, item, device, spent_ms)

    def _check(self, form: str, labels: Any, all_labels: Any, facts: dict[str, Any]) -> None:
        """Compare labels with union-find: note it in ``facts``, or raise a VerificationError.

        ``labels`` is the frame of :func:`components`; for an edge list ("coo"), it lacks vertices
        without edges. ``all_labels`` is the array of the design alone, with all vertices.
        """
        vertex, label = label_columns(labels)
        all_vertices = np.arange(self.truth.size)
        expected_vertices = np.flatnonzero(self.occurs) if form == "coo" else all_vertices
        what = f"{facts['ran']} on {self.graph.name} ({form}, {self.backend.name})"
        if not np.array_equal(vertex, expected_vertices):
            raise VerificationError(
                f"{what}: {vertex.size:,} vertices have labels, not {expected_vertices.size:,}"
            )
        _check_labels(what, expected_vertices, label, self.truth[expected_vertices])
        _check_labels(f"{what}, alone", all_vertices, self.backend.to_host(all_labels), self.truth)
        facts["checked"] = "equal to sequential union-find"

    def _peer(self, copies: list[Input]) -> dict[str, Any]:
        """Return the times of a peer, or the reason why it did not run."""
        peer = peer_of(self.backend, self.graph.num_vertices)
        if peer is None:
            return {"peer": {"not_run": "cuGraph is not installed"}}
        try:
            runs, patience = self.options.runs, self.options.patience
            times = timed(self.backend, peer.solve, copies, runs, patience)
            _, peak = with_peak(self.backend, lambda: peer.solve(copies[0]))
        except Exception as error:  # an error of the peer must not discard our times
            return {"peer": {"name": peer.name, "not_run": _short(error)}}
        facts = {"name": peer.name, "what": peer.what, **times.facts("job")}
        if self.options.check:
            facts["same_partition"] = self._agrees(peer, times.answer)
        return {"peer": facts | {"peak_bytes": peak}}

    def _agrees(self, peer: Peer, answer: Any) -> bool:
        """Return whether a peer's components of the vertices that it labels are right.

        Peers number components in any way, so the number of a component is replaced by its least
        vertex before the comparison.
        """
        peer_labels = peer.to_numpy(answer)
        vertex = np.flatnonzero(peer_labels >= 0)  # -1: the peer has no label for the vertex
        label = peer_labels[vertex]
        least = np.full(int(label.max(initial=0)) + 1, peer_labels.size)
        np.minimum.at(least, label, vertex)
        return bool(np.array_equal(least[label], self.truth[vertex]))


def _check_labels(what: str, vertex: Any, labels: Any, expected: Truth) -> None:
    """Raise a VerificationError for the first wrong label."""
    wrong = np.flatnonzero(labels != expected)
    if wrong.size:
        v = wrong[0]
        raise VerificationError(
            f"{what}: vertex {vertex[v]} has the label {labels[v]}, but sequential union-find gives"
            f" {expected[v]} ({wrong.size:,} labels differ)"
        )


def measure(
    graph: Graph,
    backend: Backend,
    designs: list[str],
    forms: tuple[str, ...] = FORMS,
    ids: tuple[str, ...] = IDS,
    options: Options | None = None,
    weights: Any = None,
) -> Any:
    """Yield the records of a graph as they are measured.

    ``job_wall_ms`` (and on a GPU ``job_device_ms``) is the time of :func:`cc_rapids.components`,
    from the input to the labels. ``solve_*`` is the time of the design alone, on edges that are
    already in the memory of the backend. ``paper`` has the facts of
    :mod:`cc_rapids.tools.bench.limits`, and ``peer`` the time of another library. Raise a
    VerificationError if an answer is wrong.
    """
    measured = Measured(graph, backend, options or Options(), weights)
    for form in forms:
        for width in ids:
            yield from measured.records(form, width, designs)


def _short(error: Exception) -> str:
    """Return the type of an error and the end of its first line.

    The signature of a C++ function at the beginning, which ends in "]: ", is left out.
    """
    line = (str(error).splitlines() or [""])[0].rpartition("]: ")[2]
    return f"{type(error).__name__}: {line[-200:]}"
