"""Classify objects of other libraries by type, and hold graphs as columns."""

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
# the objects of these libraries are not read by Arrow's protocols
NATIVE_LIBRARIES = {*_ARRAYS, *_FRAMES, *_TABLES}


def speaks_arrow(kind: type) -> bool:
    """Return whether objects of a type can be read only by Arrow's protocols."""
    is_native = kind.__module__.partition(".")[0] in NATIVE_LIBRARIES
    return not is_native and any(hasattr(kind, protocol) for protocol in PROTOCOLS)


def frame_of_levels(thing: Any) -> Any:
    """Return an index of several levels as a frame; return other objects unchanged."""
    kind = type(thing)
    has_levels = kind.__name__ == "MultiIndex" and kind.__module__.startswith(("pandas", "cudf"))
    return thing.to_frame(index=False) if has_levels else thing


class KeyPairs(dict[str, Any]):
    """Edges between composite ids, as columns by name; the columns of the sources come first.

    Attributes
    ----------
    key_names : tuple of str
        The names of the columns of an id; empty for ids from tuples, which have no names.
    """

    def __init__(
        self, sources: list[Any], destinations: list[Any], key_names: tuple[str, ...] = ()
    ) -> None:
        self.key_names = key_names
        names = [name for side in self.names_of(len(sources)) for name in side]
        super().__init__(zip(names, [*sources, *destinations], strict=True))

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
    _cached: dict[str, Any] = field(init=False, default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        if name not in self._cached:
            self._cached[name] = self.columns_by_name[name]()
        return self._cached[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns_by_name)

    def __len__(self) -> int:
        return len(self.columns_by_name)

    def ends(self) -> list[Any]:
        """Return the first column of the sources, and the first column of the destinations."""
        names = list(self)
        return [self[names[0]], self[next(name for name in names if name.startswith(DESTINATION))]]

    def where(self, select: Callable[[Any], Any]) -> Graph:
        """Return the graph with some of its edges; ``select`` returns their values of a column."""
        columns_by_name = {name: partial(self._selected, name, select) for name in self}
        return Graph(self.kind, columns_by_name, self.vertices)

    def _selected(self, name: str, select: Callable[[Any], Any]) -> Any:
        return select(self[name])
