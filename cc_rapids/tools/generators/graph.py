"""The class :class:`Graph`, the result of a generator, and shared functions of generators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import backends
from ...backends import Array
from ...data.dtypes import is_integer
from ...errors import InputError

Labels = npt.NDArray[np.int64]
MAX_VERTICES = 1 << 32  # because random vertices are drawn from 32 bits


@dataclass(frozen=True, eq=False)
class Graph:
    """An edge list over the vertices 0 .. num_vertices - 1, and facts about its components.

    Attributes
    ----------
    src, dst : (m,) arrays of one integer type
        The two ends of each edge: NumPy arrays, or CuPy arrays for the engine "cuda".
    num_vertices : int
        The number of vertices, including isolated ones.
    name : str
        A description of the graph, for tables and messages.
    components : int, optional
        The number of connected components, if it is known.
    expected : callable, optional
        The function that returns the result of :meth:`labels`, if the labels are known.
    engine : {"threads", "cuda"}
        The engine that holds the edges, on which :func:`permuted` and :func:`duplicated` run.

    See Also
    --------
    cc_rapids.generators.reference : Make a graph of the benchmarks.
    cc_rapids.components : Find its components.
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
        """The number of rows, including duplicates and self-loops."""
        return int(self.src.size)

    def labels(self) -> Labels:
        """Return the least vertex of the component of each vertex, which the construction gives.

        Returns
        -------
        (num_vertices,) NumPy array of int64, new each time

        Raises
        ------
        InputError
            The labels are unknown, because the graph is random: use
            :func:`cc_rapids.oracle.union_find`.

        See Also
        --------
        cc_rapids.oracle.union_find : Compute the labels from the edges.
        """
        if self.expected is None:
            raise InputError(
                f"the labels of {self.name} are not known by construction: use"
                " oracle.union_find(src, dst, num_vertices)"
            )
        return self.expected()


def as_count(name: str, value: Any) -> int:
    """Convert a value to int; raise an InputError unless it is an integer of at least 0."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise InputError(f"{name} must be an integer of at least 0, not {value!r}")
    return int(value)


def check_vertices(num_vertices: int, dtype: npt.DTypeLike = np.int64) -> int:
    """Return ``num_vertices`` as an int; raise an InputError if a vertex does not fit ``dtype``."""
    n, kind = as_count("num_vertices", num_vertices), np.dtype(dtype)
    if not is_integer(kind):
        raise InputError(f"vertices must be integers, not {kind}")
    if n - 1 > min(np.iinfo(kind).max, MAX_VERTICES - 1):
        raise InputError(
            f"{n:,} vertices do not fit {kind} (and no generator makes more than {MAX_VERTICES:,})"
        )
    return n


def new_columns(size: int, dtype: npt.DTypeLike, engine: str) -> tuple[Array, Array]:
    """Return uninitialized arrays for both ends of ``size`` edges."""
    runner = backends.get(engine)
    with runner.scope():
        return runner.empty(size, np.dtype(dtype)), runner.empty(size, np.dtype(dtype))


def launch(make: Callable[[Any], Any], engine: str, n: int, *arguments: Any) -> None:
    """Run a kernel on an engine for the indices 0 .. n - 1; ``make`` returns it for a backend."""
    runner = backends.get(engine)
    runner.kernel(make)(n, *arguments)


def keys(seed: int) -> tuple[int, int]:
    """Return two independent keys for a seed, which are the same in all versions of NumPy."""
    first, second = np.random.SeedSequence(as_count("seed", seed)).generate_state(2).tolist()
    return first, second


def bit_length(n: int) -> int:
    """Return the number of bits that represent every number in 0 .. n - 1."""
    return max(n - 1, 0).bit_length()
