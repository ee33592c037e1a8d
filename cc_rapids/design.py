"""A design: one choice from each axis, by a name that can be typed.

``str(Design(link="async", compress="halve"))`` is ``none+async+halve``: sample, link, compress.
``Design.parse`` is its inverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from . import kernels
from .catalog import AXES, CHOICES, find, unknown
from .engines import Engine, Kernel
from .errors import DesignError


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
    def parse(cls, name: str | Design) -> Design | None:
        """The design of that name, None for ``"auto"``."""
        if isinstance(name, Design):
            return name
        if not isinstance(name, str):
            raise DesignError(f"a design is a name such as {str(cls())!r}, not {name!r}")
        if name == "auto":
            return None
        words = name.split("+")
        if len(words) != len(AXES):
            raise DesignError(unknown("design", name, ["auto", *map(str, designs())]))
        return cls(**dict(zip(AXES, words, strict=True)))


def designs() -> list[Design]:
    """All designs, in the order of the catalog.

    Examples
    --------
    >>> [str(design) for design in designs()]
    ['none+async+naive', 'none+async+halve', 'strided+async+naive', 'strided+async+halve']
    """
    return [
        Design(sample, link, compress)
        for sample in CHOICES["sample"]
        for link in CHOICES["link"]
        for compress in CHOICES["compress"]
    ]


@dataclass(frozen=True)
class Program:
    """The kernels of one design on one engine, for one width of vertices.

    Without a sample, ``sample`` is None and ``finish`` links every edge.
    """

    start: Kernel
    sample: Kernel | None
    largest: Kernel
    mark_inside: Kernel
    finish: Kernel
    flatten: Kernel


@cache
def build(design: Design, engine: Engine, vertex: type, wide: type) -> Program:
    """Introduce the kernels of a design to an engine; nothing is compiled before it runs.

    ``vertex`` and ``wide`` are the unsigned types of vertices, and of ids less the lowest one.
    """
    chosen = {axis: find(axis, getattr(design, axis)) for axis in AXES}

    def part(axis: str) -> Any:
        return chosen[axis].make(engine, *map(part, chosen[axis].takes))

    forest, sample = kernels.forest, kernels.sample
    link, climb = part("link"), kernels.compress.naive(engine)
    first = part("sample")
    if first:
        begin = forest.from_parent(engine)
        sampling = forest.every_edge(engine, vertex, wide, link, first[0], begin)
        finish = sample.every_other_edge(engine, vertex, wide, link, first[1])
    else:
        begin, sampling = forest.from_vertex(engine), None
        finish = forest.every_edge(engine, vertex, wide, link, sample.every(engine), begin)
    return Program(
        start=forest.start(engine, vertex),
        sample=sampling,
        largest=sample.largest(engine, vertex, climb),
        mark_inside=sample.mark_inside(engine, vertex, climb),
        finish=finish,
        flatten=forest.flatten(engine, climb),
    )


@dataclass(frozen=True)
class Rule:
    """A row of the table that ``"auto"`` reads: a design, and when it was measured to be best."""

    design: Design
    record: str
    engine: str | None = None
    edges: int = 0
    edges_per_vertex: float = 0.0

    def __str__(self) -> str:
        where = f" on {self.engine}" if self.engine else ""
        edges = f", from {self.edges:,} edges" if self.edges else ""
        ratio = f" and {self.edges_per_vertex:g} a vertex on" if self.edges_per_vertex else ""
        return f"fastest{where}{edges}{ratio} in benchmarks/records/{self.record}"

    def fits(self, engine: str, n: int, m: int) -> bool:
        """Whether the row is for this engine and an edge list of this size."""
        mine = self.engine in (None, engine)
        return mine and m >= self.edges and m >= self.edges_per_vertex * n


# The first row that fits. On a GPU a sample pays at four edges a vertex (by more than a third
# on the uniform list; on social22 it makes no difference); with fewer it changes little, and on
# threads and on small lists it costs more than it saves.
AUTO = (
    Rule(Design(sample="strided"), "design_choice.jsonl", "cuda", 1_000_000, 3.5),
    Rule(Design(), "design_choice.jsonl"),
)


def choose(engine: Engine, n: int, m: int) -> Rule:
    """The row that says what ``"auto"`` runs for m edges whose ids span n vertices."""
    return next(rule for rule in AUTO if rule.fits(engine.name, n, m))
