"""The registry: every algorithmic choice by its axis and its name.

A kernel factory enters it by the decorator :func:`choice`; nothing else does. A design is one
name from each axis (see :mod:`cc_rapids.algorithms.design`), with options in parentheses:
``kout(k=3)``, ``liu-tarjan(PRF)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Step = Callable[[Any], None]  # takes the work: the arrays of one run, see cc_rapids.algorithms.run

AXES = ("sample", "link", "compress")
ROWS = "rows: of an edge list, 48 bytes an edge while they are made"
COUNT = "a count from 1 on"  # among the words of an option: any such number


@dataclass(frozen=True)
class Choice:
    """One value of one axis: a factory that takes an engine and gives the part of a kernel.

    Attributes
    ----------
    takes : tuple of str
        The parts that the factory closes over, in the order of its arguments: see ``design.build``.
    finds : mapping of str to factory
        The words of the compress axis that a link composes with; empty if it has its own.
    options : mapping of str to int or tuple of str
        What stands in parentheses: a count from 1 on by its default, or one of some words, the
        first by default; ``COUNT`` among them stands for any count. An option named "" has no
        default, and its value stands alone.
    variants : tuple of str
        The words that the list of designs shows.
    needs : str
        What it asks for beyond an edge list, or rows, in words.
    extra : str
        The array that a link keeps beside the parents: "hooks", "locks", "ranks" or none.
    rooted : bool
        Whether only roots are hooked, so that batches and spanning forests are right.
    whole : bool
        Whether it is an algorithm of its own that takes no sample.
    least : bool
        Whether the root of a tree is its least vertex in the end.
    room : (int, int)
        Of an algorithm of its own on a list, the most labels that it keeps a vertex and an edge.
    pairs : int
        Of an algorithm of its own, the bytes that it keeps for each pair of vertices.
    around : bool
        Of a sample, whether it links nothing itself, but calls the link on groups of edges.
    staged : bool
        Whether, if it is an algorithm of its own, it goes on from the trees of earlier edges.
    rows : bool
        Whether it works on an adjacency list.
    queues : bool
        Whether it keeps the depths and the two queues of a search.

    See Also
    --------
    cc_rapids.kernels.choice : Register one.
    """

    axis: str
    name: str
    make: Callable[..., Any]
    paper: str
    takes: tuple[str, ...] = ()
    finds: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    options: Mapping[str, int | tuple[str, ...]] = field(default_factory=dict)
    variants: tuple[str, ...] = ()
    needs: str = ""
    extra: str = ""
    rooted: bool = True
    whole: bool = False
    least: bool = True
    room: tuple[int, int] = (0, 0)
    pairs: int = 0
    around: bool = False
    staged: bool = False
    rows: bool = False
    queues: bool = False

    @property
    def asks(self) -> str:
        """All that it asks for beyond an edge list, in words; empty if nothing."""
        return "; ".join(filter(None, [ROWS if self.rows else "", self.needs]))

    @property
    def line(self) -> str:
        """The first line of the factory's docstring: its entry in the table of designs."""
        return (self.make.__doc__ or "").strip().splitlines()[0]


CHOICES: dict[str, dict[str, Choice]] = {axis: {} for axis in AXES}


def choice(
    axis: str, name: str, *, paper: str, **facts: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a factory as the value ``name`` of ``axis``.

    ``paper`` is where the rule was published; for the other facts see :class:`Choice`.

    See Also
    --------
    cc_rapids.kernels.spec.Choice : The facts that it takes.
    cc_rapids.designs : The designs that are registered.
    """

    def register(make: Callable[..., Any]) -> Callable[..., Any]:
        if name in CHOICES[axis]:
            raise ValueError(f"{axis} {name!r} is registered already")
        CHOICES[axis][name] = Choice(axis, name, make, paper, **facts)
        return make

    return register
