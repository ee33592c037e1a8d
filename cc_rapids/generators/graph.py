"""What a generator returns, and what generators share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import engines, kernels
from ..engines import Array, Engine
from ..errors import InputError

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Graph:
    """An edge list over the vertices 0 .. num_vertices - 1, and what is known of it.

    Parameters
    ----------
    src, dst : (m,) arrays of one integer type
        The two ends of each edge: NumPy's, or CuPy's from the engine "cuda".
    num_vertices : int
        The number of vertices, whether or not an edge names them.
    name : str
        What the graph is, for tables and messages.
    components : int, optional
        The number of connected components, where it is known.
    expected : callable, optional
        Makes what :meth:`labels` returns, where that is known.
    engine : {"threads", "cuda"}
        Where it was made, and where :func:`permuted` and :func:`duplicated` run.
    """

    src: Array = field(repr=False)
    dst: Array = field(repr=False)
    num_vertices: int
    name: str
    components: int | None = None
    expected: Callable[[], Labels] | None = field(default=None, repr=False)
    engine: str = field(default="threads", repr=False)

    @property
    def edges(self) -> tuple[Array, Array]:
        """``(src, dst)``, as :func:`cc_rapids.components` takes them."""
        return self.src, self.dst

    @property
    def num_edges(self) -> int:
        """The number of rows, duplicates and self-loops included."""
        return int(self.src.size)

    def labels(self) -> Labels:
        """The least vertex of each vertex's component, known by construction.

        Returns
        -------
        (num_vertices,) NumPy array of int64, new each time

        Raises
        ------
        InputError
            The graph is random: :func:`cc_rapids.oracle.union_find` finds its labels.
        """
        if self.expected is None:
            raise InputError(
                f"the labels of {self.name} are not known by construction: oracle.union_find(src,"
                " dst, num_vertices) finds them"
            )
        return self.expected()


def count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise InputError(f"{name} is a whole number from 0 on, not {value!r}")
    return int(value)


def empty(n: int, m: int, name: str, dtype: npt.DTypeLike, engine: str) -> Graph:
    """A graph whose edges are still to be written."""
    n, m, dtype, runner = count("n", n), count("m", m), np.dtype(dtype), engines.get(engine)
    if dtype.kind not in "iu" or n - 1 > min(np.iinfo(dtype).max, (1 << 32) - 1):
        raise InputError(f"{n:,} vertices do not fit {dtype} (generated graphs have at most 2^32)")
    with runner.scope():
        src, dst = (runner.empty(m, dtype) for _ in range(2))
    return Graph(src, dst, n, name, engine=engine)


def launch(make: Callable[[Any], Any], engine: str, n: int, *arguments: Any) -> None:
    runner: Engine = engines.get(engine)
    kernels.kernel(make, runner)(n, *arguments)


def keys(seed: int, count: int) -> list[int]:
    """Keys for independent draws; NumPy promises that a seed gives the same ones for ever."""
    return np.random.SeedSequence(count("seed", seed)).generate_state(count).tolist()


def connected(graph: Graph) -> Graph:
    n = graph.num_vertices
    return replace(graph, components=min(n, 1), expected=lambda: np.zeros(n, np.int64))


def apart(graph: Graph) -> Graph:
    n = graph.num_vertices
    return replace(graph, components=n, expected=lambda: np.arange(n))
