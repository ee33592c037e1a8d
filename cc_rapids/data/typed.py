"""Types of edges and answers for editors and type checkers.

An answer has the type of the given frame. Protocols describe frames by their attributes, because
the libraries of frames may be missing or have no type hints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    FrameT = TypeVar("FrameT", default=Any)  # ``typing`` has no default= before Python 3.13
else:
    from typing import TypeVar

    FrameT = TypeVar("FrameT")


class Frame(Protocol):
    """A frame of cuDF, pandas, Polars or PyArrow."""

    @property
    def columns(self) -> Any: ...

    def equals(self, other: Any, /) -> bool: ...


GivenT = TypeVar("GivenT", bound=Frame)  # the caller's frame, and frames of answers
MadeT = TypeVar("MadeT", covariant=True)  # frames of answers, if the caller passes no frame


class Lazy(Protocol[MadeT]):
    """A lazy frame, which is collected before it is read."""

    def collect(self) -> MadeT: ...


class Series(Protocol[MadeT]):
    """A column, whose library makes the frames of answers."""

    def to_frame(self) -> MadeT: ...
