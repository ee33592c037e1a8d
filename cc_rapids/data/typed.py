"""Types of edges and answers, by which editors and type checkers know the kind of a frame.

Frames are known by what they have, and not by their library: whichever libraries are installed, and
whether they have types or stubs or neither, an answer has the type of the frame that was given.
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
    """A frame that is collected before it is read."""

    def collect(self) -> MadeT: ...


class Series(Protocol[MadeT]):
    """A column of a library of frames, whose answers are frames of that library."""

    def to_frame(self) -> MadeT: ...
