"""Types for type checkers: the type of the answer to array inputs, and the type of the options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from ..data.edge_input import Histogram, Labels, Members, Sizes, SpanningForest
from .components import Components

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from ..algorithms.design import Design


class ArrayComponents(Components[Any]):
    """The answer to array inputs, whose frames are named tuples of arrays."""

    if TYPE_CHECKING:

        def labels(self, kind: str | None = None) -> Labels: ...
        def filter(self, min_size: int = 1, max_size: int | None = None) -> Labels: ...
        def largest(self, count: int = 1) -> Labels: ...
        def representatives(self, by: Any = None, ascending: bool = False) -> Labels: ...
        def members(self) -> Members: ...
        def sizes(
            self, count: int | None = None, *, min_size: int = 1, max_size: int | None = None
        ) -> Sizes: ...
        def size_histogram(self) -> Histogram: ...
        def forest(self) -> SpanningForest: ...


class ComponentsOptions(TypedDict, total=False):
    """The keywords of :func:`cc_rapids.components`, except ``explain``."""

    vertices: Any
    num_vertices: int | None
    header: bool | None
    delimiter: str | None
    encoding: str | None
    comment: str | None
    format: str | None
    weight: Any
    at_least: float | None
    at_most: float | None
    frames: str | None
    labels: str | None
    nulls: str
    design: str | Design
    engine: str | None
    memory: str
    forest: bool | str
    devices: str | Sequence[int] | None
    memory_limit: int | str | None
    progress: bool | Callable[..., object]
    checkpoint: str | os.PathLike[str] | None
    checkpoint_every: float
