"""Functions that workers run: find forests of partitions, merge forests, and return labels.

A forest is sent between workers as a frame of its edges in the caller's ids, with columns
``source`` and ``destination`` (``0_source``, ... if ids have several columns). An isolated vertex
is a self-loop. The frame therefore has n - 1 rows for a component of n > 1 vertices, and one row
for a component of one vertex. Labels of vertices are never sent.

A forest also carries its number of edges, and the ledger of the rows that were reduced to it. The
worker that solves a forest compares the number of edges with the rows that the kernels linked. The
caller's process compares the ledger of the answer with separate counts of the given rows. If a
partition, a block or a forest is lost, repeated or truncated, a check raises a LedgerError.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import Any, NamedTuple

import numpy as np

from ...api import components
from ...data.column import is_cudf
from ...data.dtypes import is_integer
from ...data.edge_input import checked_names, lists_of_ends
from ...data.end_columns import Side
from ...data.frame_build import type_for_pandas
from ...errors import ColumnTypeError, InputError, MissingColumnError, counted, shown
from ...ids.range import type_of
from ...ledger import Ledger, lost_rows
from ...results.components import Components

Ends = tuple[Side, Side]  # the columns of both ends


class Forest(NamedTuple):
    """The edges of a spanning forest, their number, and the ledger of the rows reduced to them.

    The number comes from the solver, not from the length of the frame.
    """

    edges: Any
    rows: int
    ledger: Ledger = Ledger()

    def checked(self) -> Any:
        """Return the edges; raise a LedgerError if their number is not ``rows``."""
        return of_length(self.edges, self.rows, "the edges of a forest")


class Kind(NamedTuple):
    """The type of a nonempty column of ids, and the least and the greatest id, None for strings."""

    dtype: str
    low: int | None = None
    high: int | None = None


def sides(source: Side) -> tuple[Side, Side]:
    """Return the column names of a forest, for ids with as many columns as ``source``."""
    if isinstance(source, str):
        return "source", "destination"
    positions = range(len(source))
    return [f"{k}_source" for k in positions], [f"{k}_destination" for k in positions]


def as_list(side: Side) -> list[str]:
    """Return the names of one or several columns as a list."""
    return side if isinstance(side, list) else [side]


def names_of_ends(source: Side | None, destination: Side | None) -> Ends:
    """Return the checked or default columns of both ends; a list of one name becomes the name."""
    ends = lists_of_ends(*checked_names(source, destination))
    source, destination = (side[0] if len(side) == 1 else side for side in ends)
    return source, destination


def as_pandas(partition: Any) -> Any:
    """Convert an Arrow or Polars partition to a pandas frame, without copying integers and strings.

    Nulls stay nulls, and integer columns with nulls stay integers. All other objects, including
    frames of pandas and cuDF, are returned unchanged.
    """
    import pyarrow as pa

    if hasattr(partition, "to_arrow") and not is_cudf(partition):
        partition = partition.to_arrow()
    if not isinstance(partition, pa.Table):
        return partition
    import pandas as pd

    fields = [field.with_type(type_for_pandas(field.type)) for field in partition.schema]
    if fields != list(partition.schema):
        partition = partition.cast(pa.schema(fields))

    def pandas_type(arrow_type: Any) -> Any:  # None: PyArrow converts dictionaries to categories
        return None if pa.types.is_dictionary(arrow_type) else pd.ArrowDtype(arrow_type)

    return partition.to_pandas(types_mapper=pandas_type, ignore_metadata=True)


def kind_of(column: Any) -> Kind:
    """Return the :class:`Kind` of a column of a forest, which holds integers or strings."""
    if not is_integer(column.dtype):
        return Kind(str(column.dtype))
    return Kind(str(column.dtype), int(column.min()), int(column.max()))


def common_integer_type(
    name: str, kinds: list[Kind], vertex_range: range | None = None
) -> str | None:
    """Return the integer type that holds all columns of these kinds.

    The type also holds the ids of ``vertex_range``. Return None if the columns are strings, or if
    there are neither columns nor a range. ``name`` is the caller's name of the column.
    """
    text_types = sorted({kind.dtype for kind in kinds if kind.low is None})
    integer_types = sorted({kind.dtype for kind in kinds if kind.low is not None})
    if text_types and integer_types:
        raise ColumnTypeError(
            f"column {name!r} is {' or '.join(integer_types)} in some partitions and"
            f" {' or '.join(text_types)}"
            " in others: ids must be integers in all of them, or strings in all; cast the column"
        )
    range_ends = [vertex_range[0], vertex_range[-1]] if vertex_range else []
    if text_types or not (integer_types or range_ends):
        return None
    bounds = [id for kind in kinds for id in (kind.low, kind.high) if id is not None] + range_ends
    dtypes = tuple(map(np.dtype, integer_types or ["int64"]))
    return str(type_of(dtypes, min(bounds), max(bounds)))


def united(frames: list[Any], ends: Ends, id_names: Ends) -> Any:
    """Concatenate the edges of forests, with integers in the type of :func:`common_integer_type`.

    ``ends`` are the columns of the frames, and ``id_names`` are the caller's names of them.
    """
    nonempty = [frame for frame in frames if len(frame)]
    names, caller_names = (as_list(left) + as_list(right) for left, right in (ends, id_names))
    for name, caller_name in zip(names, caller_names, strict=True):
        if len({str(frame[name].dtype) for frame in nonempty}) > 1:
            kinds = [kind_of(frame[name]) for frame in nonempty]
            integer_type = common_integer_type(caller_name, kinds)
            if integer_type:  # strings of different types are concatenated as they are
                nonempty = [frame.astype({name: integer_type}) for frame in nonempty]
    return concat(nonempty or frames)


def concat(frames: list[Any]) -> Any:
    """Concatenate frames; empty frames and their types are ignored."""
    nonempty = [frame for frame in frames if len(frame)]
    if len(nonempty) < 2:
        return (nonempty or frames)[0]
    if is_cudf(nonempty[0]):
        import cudf

        return cudf.concat(nonempty, ignore_index=True)
    import pandas as pd

    return pd.concat(nonempty, ignore_index=True)


def library(array: Any) -> Any:
    """Return NumPy, or CuPy for arrays on a GPU."""
    if isinstance(array, np.ndarray):
        return np
    import cupy

    return cupy


def select_rows(frame: Any, mask: Any) -> Any:
    """Return the rows of a frame where an array is true, with a new index."""
    return frame.take(library(mask).flatnonzero(mask)).reset_index(drop=True)


def of_length(frame: Any, rows: int, what: str) -> Any:
    """Return a frame; raise a LedgerError unless it has ``rows`` rows."""
    if len(frame) != rows:
        raise lost_rows(what, rows, len(frame))
    return frame


def solved_by(frame: Any, ends: Ends, id_names: Ends, rows: int, **options: Any) -> Components:
    """Return the components of forests of ``rows`` edges; errors name the caller's columns."""
    left, right = ends
    result: Components
    if isinstance(left, str):
        result = components((frame[left], frame[right]), *id_names, **options)
    else:  # a pair of series cannot hold ids of several columns
        result = components(frame, *ends, **options).with_key_names(None)  # named 0_source, ...
    ledger_of(result, rows, "the edges of forests")
    return result


def ledger_of(result: Components, rows: int, what: str) -> Ledger:
    """Return the ledger of an answer; raise a LedgerError unless it accounts for ``rows`` rows."""
    return result.answer.facts.rows._replace(given=rows).check(what)


def local_forest(
    frame: Any, source: Side, destination: Side, nulls: str, options: dict[str, Any]
) -> Forest:
    """Return the forest of one partition; ``nulls`` is "raise" or "drop"."""
    if description := not_frame(frame):  # the client adds the number of the partition
        raise TypeError(f"a partition is {description}")
    columns = list(dict.fromkeys([*as_list(source), *as_list(destination)]))
    lacking = [name for name in columns if name not in frame.columns]
    if lacking:
        raise MissingColumnError(
            f"a partition has no column {', '.join(map(repr, lacking))}, but"
            f" {', '.join(map(str, frame.columns)) or 'none'}: all partitions must have the columns"
            " of source= and destination="
        )
    rows, frame = len(frame), frame[columns]
    result = components(frame, source, destination, nulls=nulls, forest=True, **options)
    ledger = ledger_of(result, rows, "a partition")
    if isinstance(source, list):
        result = result.with_key_names(None)  # named 0_source, ...
    return _forest(result, frame, (source, destination), (source, destination), ledger)


def _values(frame: Any) -> Any:
    """Return a frame with values in place of categories, whose codes differ between partitions."""
    value_types = {
        name: column.cat.categories.dtype
        for name, column in frame.items()
        if column.dtype == "category"
    }
    return frame.astype(value_types) if value_types else frame


def not_frame(value: Any, series: bool = False) -> str:
    """Describe an object that is not a frame of pandas or cuDF; return "" for a frame.

    If ``series`` is true, return "" for a series, too.
    """
    if is_cudf(value):
        is_frame = series or hasattr(value, "columns")
    else:
        import pandas as pd

        accepted = (pd.DataFrame, pd.Series, pd.Index) if series else pd.DataFrame
        is_frame = isinstance(value, accepted)
    package = type(value).__module__.partition(".")[0]
    description = shown(value) if package == "builtins" else f"a {package} {type(value).__name__}"
    return "" if is_frame else description


def loops(vertices: Any, source: Side, options: dict[str, Any]) -> Forest:
    """Return vertices that the caller has passed, as a forest of one self-loop for each of them."""
    if description := not_frame(vertices, series=True):
        raise TypeError(f"a partition of vertices is {description}")
    frame = vertices if hasattr(vertices, "columns") else vertices.to_frame()
    ends, width = sides(source), len(as_list(source))
    check_width(len(frame.columns), width)
    columns = [frame[name].reset_index(drop=True) for name in frame.columns]
    names = as_list(ends[0]) + as_list(ends[1])
    loop_frame = type(frame)(dict(zip(names, columns + columns, strict=True)))
    id_names = ("vertices", "vertices") if width == 1 else ends  # names in errors
    # Solving checks the ids, and drops repeated vertices
    result = solved_by(loop_frame, ends, id_names, len(frame), forest=True, **options)
    return _forest(result, loop_frame, ends, id_names, Ledger())


def check_width(columns: int, expected: int) -> None:
    """Raise an InputError unless vertices have the same number of columns as the edges' ids."""
    if columns != expected:
        raise InputError(
            f"vertices have {columns} columns, but the edges have {expected} per side: pass a"
            f" series, or a frame of {counted(expected, 'column')} of ids"
        )


def merged(id_names: Ends, options: dict[str, Any], *forests: Forest) -> Forest:
    """Merge forests into one forest, which is a forest of all of their edges."""
    ends = sides(id_names[0])
    frame = united([forest.edges for forest in forests], ends, id_names)
    rows = sum(forest.rows for forest in forests)
    result = solved_by(frame, ends, id_names, rows, forest=True, **options)
    ledger = reduce(Ledger.plus, (forest.ledger for forest in forests))
    return _forest(result, frame, ends, id_names, ledger)


def _forest(result: Components, frame: Any, ends: Ends, id_names: Ends, ledger: Ledger) -> Forest:
    """Return the spanning forest in ``result``, with self-loops for isolated vertices.

    ``result`` are the components of the edges in ``frame``, whose columns are ``ends``. Errors name
    the columns ``id_names``. ``ledger`` is that of the rows that were reduced to the forest.
    """
    rows = result.num_vertices - len(result)  # edges of a spanning forest
    forest_ends = sides(id_names[0])
    names = as_list(forest_ends[0]) + as_list(forest_ends[1])
    edges = _values(result.forest()[names])
    if not _may_have_loops(frame, *map(as_list, ends)):  # then no vertex is isolated
        return Forest(edges, rows, ledger)
    isolated = _values(result.filter(max_size=1))
    ids = [isolated[name] for name in isolated.columns if name.endswith("vertex")]
    self_loops = type(edges)(dict(zip(names, ids + ids, strict=True)))
    edges = united([edges, self_loops], forest_ends, id_names)
    return Forest(edges, rows + len(isolated), ledger)


def _may_have_loops(frame: Any, source: list[str], destination: list[str]) -> bool:
    """Return whether a frame may contain a self-loop; ends of different types are not compared."""
    pairs = list(zip(source, destination, strict=True))
    dtypes = [(frame[left].dtype, frame[right].dtype) for left, right in pairs]
    if any(left != right or left == "category" for left, right in dtypes):
        return True
    same = reduce(and_, (frame[left] == frame[right] for left, right in pairs))
    return bool(same.any())


def solved(forest: Forest, id_names: Ends, options: dict[str, Any]) -> Components:
    """Return the components of a forest, with labels and vertices as in the options."""
    return solved_by(forest.edges, sides(id_names[0]), id_names, forest.rows, **options)


def labelled(forest: Forest, id_names: Ends, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the labels of all vertices of a forest, and the facts of the run."""
    result = solved(forest, id_names, options)
    facts = result.summary()
    fact_names = ("engine", "device", "vertices", "components", "largest")
    return result.labels(), {name: facts[name] for name in fact_names} | row_facts(forest.ledger)


def row_facts(ledger: Ledger) -> dict[str, Any]:
    """Return the number of rows that were dropped for nulls, and the ledger, as facts of a run."""
    return {"dropped": ledger.left_out.get("null_end", 0), "ledger": ledger.facts()}


def chunk(answer: tuple[Any, Any], k: int, count: int) -> Any:
    """Return the k-th of ``count`` equal ranges of the rows of an answer, a pair (frame, facts)."""
    frame, _ = answer
    start, end = k * len(frame) // count, (k + 1) * len(frame) // count
    return frame.iloc[start:end].reset_index(drop=True)


def edges_of(forest: Forest, source: Side) -> Any:
    """Return the edges of a forest without self-loops."""
    frame, (left, right) = forest.checked(), sides(source)
    pairs = zip(as_list(left), as_list(right), strict=True)
    same = reduce(and_, (frame[a] == frame[b] for a, b in pairs))
    return frame[~same].reset_index(drop=True)


def copied(value: Any) -> Any:
    """Return the value unchanged; a task on another worker thereby copies the value to it."""
    return value


def empty_of(frame: Any) -> Any:
    """Return the frame without its rows."""
    return frame.iloc[:0]
