"""The accessor ``cc`` of lazy frames of Polars, whose answers are lazy frames.

An answer is a Polars IO source (:func:`polars.io.plugins.register_io_source`). No row is read
before the answer is collected. Then only the columns of ids and weights of the edges are collected.
Polars passes the requested columns, rows and predicates to the source. They apply to the answer,
not to the edges, because a filter of the edges would change the components.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from .. import backends
from ..api import components
from ..backends.choice import has_gpu
from ..data.edge_input import checked_names, lists_of_ends
from ..data.end_columns import Side
from ..data.read import named_ends
from ..errors import ArgumentTypeError, shown
from ..options import CHUNKED
from ..results.components import Components
from .accessor import NO_ROWS, Accessor

# Options that do not change the schema of an answer
NO_SCHEMA_EFFECT = "weight", "at_least", "at_most", "forest", *CHUNKED


class LazyAccessor(Accessor):
    """Connected components of a lazy frame of Polars that is an edge list.

    The methods return lazy frames with a known schema. A lazy frame is computed each time it is
    collected, by any engine of Polars. If a query uses a frame several times, such as in a join
    with itself, collect the frame first. Errors about columns, types and arguments are raised by
    the method. Errors about rows (nulls, ids that are not vertices, weights) are raised when a
    frame is collected.

    Parameters
    ----------
    frame : polars.LazyFrame
        The edge list.

    See Also
    --------
    cc_rapids.accessor.register : Add the accessor to the frames of pandas, cuDF and Polars.
    cc_rapids.accessor.Accessor : The accessor of other frames, with the same methods.

    Examples
    --------
    >>> import polars as pl, cc_rapids.accessor
    >>> edges = pl.LazyFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
    >>> labels = edges.cc.labels()
    >>> labels.filter(pl.col("labels") == 2).select("vertex").collect()["vertex"].to_list()
    [2, 5, 7]
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def components(
        self, source: Side | None = None, destination: Side | None = None, **options: Any
    ) -> Components:
        frame = _collected(self._needed(source, destination, options), options.get("engine"))
        answer: Components = components(frame, source, destination, **options)
        return answer

    def _needed(self, source: Any, destination: Any, options: dict[str, Any]) -> Any:
        """Return a lazy frame with only the columns of ids and weights.

        A missing column raises an error here instead of when an answer is collected.
        """
        weight = options.get("weight")
        source, destination = named_ends(self._frame, source, destination, weight)
        ends = lists_of_ends(*checked_names(source, destination))
        columns = [*ends[0], *ends[1], *([weight] if isinstance(weight, str) else [])]
        schema = self._frame.collect_schema()
        if any(name not in schema for name in columns):
            components(schema.to_frame(), source, destination, **options)  # raises the error
        return self._frame.select(list(dict.fromkeys(columns)))

    def _answer(
        self,
        answer: Callable[..., Any],
        source: Side | None,
        destination: Side | None,
        options: dict[str, Any],
        rows: Any = NO_ROWS,
        keys: Sequence[str | list[str] | None] = (),
    ) -> Any:
        """Return ``answer(components)`` or ``answer(components, rows)`` as a lazy frame.

        ``keys`` are the columns of ``rows``, or lists of them, that ``answer`` always reads.
        """
        if options.get("explain"):
            return self.components(source, destination, **options)
        from polars.io.plugins import register_io_source

        edges = self._needed(source, destination, options)
        # The answer for one edge, with an empty frame of rows, has the schema of the whole answer
        solution = components(_sample(edges), source, destination, **_for_a_sample(options))
        lazy_rows = None if rows is NO_ROWS else _lazy(rows)
        empty_rows = [] if lazy_rows is None else [lazy_rows.collect_schema().to_frame()]
        schema = answer(solution, *empty_rows).schema
        key_columns = [name for key in keys for name in (key if isinstance(key, list) else [key])]

        def read(
            columns: list[str] | None, condition: Any, count: int | None, batch: int | None
        ) -> Iterator[Any]:
            """Yield frames of at most ``batch`` rows; Polars calls this with what a query needs."""
            collected_rows: list[Any] = []
            if lazy_rows is not None:
                names = lazy_rows.collect_schema().names()
                if columns is not None:
                    names = [name for name in names if name in key_columns or name in columns]
                collected_rows = [_collected(lazy_rows.select(names), options.get("engine"))]
            solution = self.components(source, destination, **options)
            frame = answer(solution, *collected_rows)
            types = {name: schema[name] for name in frame.columns}
            if frame.schema != types:  # the types of an answer without rows may differ
                frame = frame.cast(types)
            if count is not None:  # Polars requires that the count is applied before the condition
                frame = frame.head(count)
            if columns is not None:
                frame = frame.select(columns)
            if condition is not None:
                frame = frame.filter(condition)
            yield from frame.iter_slices(batch) if batch and frame.height else [frame]

        return register_io_source(read, schema=schema)


def _lazy(frame: Any) -> Any:
    """Return a frame of Polars as a lazy frame; raise an error for any other object."""
    if hasattr(frame, "lazy") and hasattr(frame, "select"):
        return frame.lazy()
    raise ArgumentTypeError(
        f"a lazy frame can be joined only with frames of Polars, not with {shown(frame)}: pass"
        " polars.from_pandas(frame), or collect the edges"
    )


def _sample(edges: Any) -> Any:
    """Return a frame with the schema of a lazy frame, and one row, unless a type has no values."""
    import polars as pl

    schema = edges.collect_schema()
    columns = []
    for name, kind in schema.items():
        if isinstance(kind, pl.Enum):
            categories = kind.categories.to_list()
            if not categories:  # no value of this type exists
                return schema.to_frame()
            columns.append(pl.Series(name, categories[:1], kind))
        else:
            is_text = kind in (pl.String, pl.Categorical)
            columns.append(pl.Series(name, [""] if is_text else [0]).cast(kind))
    return pl.DataFrame(columns)


def _for_a_sample(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options for a sample, so that its answer has the schema of the whole answer."""
    backends.named(options.get("engine"))  # only a check: one row is solved on CPU threads
    sample_options = {key: value for key, value in options.items() if key not in NO_SCHEMA_EFFECT}
    vertices: Any = sample_options.get("vertices")
    if isinstance(vertices, range | np.ndarray):
        sample_options["vertices"] = vertices[:1]
    elif hasattr(vertices, "head"):
        sample_options["vertices"] = vertices.head(1)
    count = sample_options.get("num_vertices")
    # An invalid number is kept, and raises an error
    if isinstance(count, int | np.integer) and not isinstance(count, bool) and count >= 0:
        sample_options["num_vertices"] = 1
    return sample_options | {"engine": "threads"}


def _collected(frame: Any, engine: str | None) -> Any:
    """Collect a lazy frame, on the GPU if the engine of cc_rapids runs there."""
    on_gpu = (
        backends.named(engine) != "threads" and has_gpu() and find_spec("cudf_polars") is not None
    )
    return frame.collect(engine="gpu" if on_gpu else "streaming")
