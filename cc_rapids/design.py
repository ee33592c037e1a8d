"""A design: one choice from each axis, by a name that can be typed.

``str(Design(link="async", compress="halve"))`` is ``none+async+halve``: sample, link, compress.
``Design.parse`` is its inverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from . import kernels
from .catalog import AXES, CHOICES, choice, find, unknown
from .engines import Engine, Kernel
from .errors import DesignError


@choice("sample", "none", paper="Hong et al. 2020, Algorithm 1")
def none(on: Any) -> None:
    """Link every edge in one phase."""


@dataclass(frozen=True)
class Design:
    """One algorithm for connected components.

    Parameters
    ----------
    sample, link, compress : str
        The names of the choices; a DesignError names the axis and the nearest words if one is
        unknown.

    Examples
    --------
    >>> str(Design(compress="naive"))
    'none+async+naive'
    >>> Design.parse("none+async+halve") == Design()
    True
    """

    sample: str = "none"
    link: str = "async"
    compress: str = "halve"

    def __post_init__(self) -> None:
        for axis in AXES:
            find(axis, getattr(self, axis))

    def __str__(self) -> str:
        return "+".join(getattr(self, axis) for axis in AXES)

    @classmethod
    def parse(cls, name: str | Design) -> Design:
        """The design of that name, ``"auto"`` for the one that is chosen by default."""
        if isinstance(name, Design):
            return name
        if not isinstance(name, str):
            raise DesignError(f"a design is a name such as {str(cls())!r}, not {name!r}")
        if name == "auto":
            return cls()
        words = name.split("+")
        if len(words) != len(AXES):
            raise DesignError(unknown("design", name, ["auto", *map(str, designs())]))
        return cls(**dict(zip(AXES, words, strict=True)))


def designs() -> list[Design]:
    """All designs, in the order of the catalog.

    Examples
    --------
    >>> [str(design) for design in designs()]
    ['none+async+naive', 'none+async+halve']
    """
    return [
        Design(sample, link, compress)
        for sample in CHOICES["sample"]
        for link in CHOICES["link"]
        for compress in CHOICES["compress"]
    ]


@dataclass(frozen=True)
class Program:
    """The kernels of one design on one engine, for one width of vertices."""

    start: Kernel
    finish: Kernel
    flatten: Kernel
    tally: Kernel


@cache
def build(design: Design, engine: Engine, vertex: type) -> Program:
    """Introduce the kernels of a design to an engine; nothing is compiled before it runs."""
    chosen = {axis: find(axis, getattr(design, axis)) for axis in AXES}

    def part(axis: str) -> Any:
        return chosen[axis].make(engine, *map(part, chosen[axis].takes))

    forest = kernels.forest
    return Program(
        start=forest.start(engine, vertex),
        finish=forest.every_edge(engine, vertex, part("link")),
        flatten=forest.flatten(engine, kernels.compress.naive(engine)),
        tally=forest.tally(engine, vertex),
    )
