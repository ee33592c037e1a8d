"""Types of edges and answers for editors and type checkers.

Protocols describe frames by their attributes. An answer therefore has the type of the given frame
even if the library of this frame is not installed or has no type hints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    FrameT = TypeVar("FrameT", default=Any)
else:
    from typing import TypeVar

    FrameT = TypeVar("FrameT")


class Frame(Protocol):
    """A frame of cuDF, pandas, Polars or PyArrow."""

    @property
    def columns(self) -> Any: ...

    def equals(self, other: Any, /) -> bool: ...


GivenT = TypeVar("GivenT", bound=Frame)
MadeT = TypeVar("MadeT", covariant=True)


class Lazy(Protocol[MadeT]):
    """A lazy frame, which is collected before it is read."""

    def collect(self) -> MadeT: ...


class Series(Protocol[MadeT]):
    """A column of a frame library; answers are frames of that library."""

    def to_frame(self) -> MadeT: ...
