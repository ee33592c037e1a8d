"""Classification of objects of other libraries by type, and a graph as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

SOURCE, DESTINATION = "src", "dst"  # the default columns of edges in memory
PROTOCOLS = "__arrow_c_stream__", "__arrow_c_array__", "__arrow_c_device_array__"
_ARRAYS = "numpy", "cupy"
_FRAMES = "pandas", "modin", "polars", "pyarrow", "cudf", "narwhals", "dask", "ibis"
_TABLES = "duckdb", "_duckdb", "deltalake", "pyiceberg"
KNOWN = {*_ARRAYS, *_FRAMES, *_TABLES}  # libraries that are read as they are


def speaks_arrow(kind: type) -> bool:
    """Return whether objects of a type can be read only by Arrow's protocols."""
    is_known = kind.__module__.partition(".")[0] in KNOWN
    return not is_known and any(hasattr(kind, word) for word in PROTOCOLS)


def frame_of_levels(thing: Any) -> Any:
    """Return an index of several levels as a frame; return other objects unchanged."""
    kind = type(thing)
    levels = kind.__name__ == "MultiIndex" and kind.__module__.startswith(("pandas", "cudf"))
    return thing.to_frame(index=False) if levels else thing


class KeyPairs(dict[str, Any]):
    """Edges between ids of several columns, as columns by name; the sources come first.

    Attributes
    ----------
    key_names : tuple of str
        The names of the columns of an id; empty if the ids are tuples.
    """

    def __init__(self, sides: list[list[Any]], key_names: tuple[str, ...] = ()) -> None:
        self.key_names = key_names
        names = zip(self.names_of(len(sides[0])), sides, strict=True)
        super().__init__(
            (name, column) for side in names for name, column in zip(*side, strict=True)
        )

    @staticmethod
    def names_of(width: int) -> list[list[str]]:
        """Return the names of the columns of both ends, for ids of ``width`` columns."""
        return [[f"{end}_{k}" for k in range(width)] for end in (SOURCE, DESTINATION)]


@dataclass(eq=False)
class Graph(Mapping[str, Any]):
    """The edges of a graph or matrix as columns by name, and its vertices.

    Parameters
    ----------
    kind : str
        The name of the graph in errors.
    columns_by_name : mapping of str to callable
        A function that makes each column; the columns of both ends come first.
    vertices : range, or list of ids
    """

    kind: str
    columns_by_name: Mapping[str, Callable[[], Any]]
    vertices: Any
    _made: dict[str, Any] = field(init=False, default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self.columns_by_name[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns_by_name)

    def __len__(self) -> int:
        return len(self.columns_by_name)

    def ends(self) -> list[Any]:
        """Return the first id column of the source and the first of the destination."""
        names = list(self)
        return [self[names[0]], self[next(name for name in names if name.startswith(DESTINATION))]]

    def where(self, rows: Callable[[Any], Any]) -> Graph:
        """Return the graph with some of its edges: ``rows`` selects the rows of each column."""
        made = {name: partial(self._rows_of, name, rows) for name in self}
        return Graph(self.kind, made, self.vertices)

    def _rows_of(self, name: str, rows: Callable[[Any], Any]) -> Any:
        return rows(self[name])
