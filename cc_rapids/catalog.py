"""The registry: every algorithmic choice by its axis and its name.

A kernel factory enters it by the decorator :func:`choice`; nothing else does. A design is one
name from each axis (see :mod:`cc_rapids.design`).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .errors import DesignError

AXES = ("sample", "link", "compress")


@dataclass(frozen=True)
class Choice:
    """One value of one axis: a factory that takes an engine and gives the part of a kernel."""

    axis: str
    name: str
    make: Callable[..., Any]
    takes: tuple[str, ...]
    paper: str

    @property
    def line(self) -> str:
        """The first line of the factory's docstring: its entry in the table of designs."""
        return (self.make.__doc__ or "").strip().splitlines()[0]


CHOICES: dict[str, dict[str, Choice]] = {axis: {} for axis in AXES}


def choice(
    axis: str, name: str, *, takes: tuple[str, ...] = (), paper: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a factory ``make(on, *parts)`` as the value ``name`` of ``axis``.

    ``takes`` names the axes whose parts the factory closes over, in the order of its arguments
    after ``on``; ``paper`` is where the rule was published.
    """

    def register(make: Callable[..., Any]) -> Callable[..., Any]:
        if name in CHOICES[axis]:
            raise ValueError(f"{axis} {name!r} is registered already")
        CHOICES[axis][name] = Choice(axis, name, make, takes, paper)
        return make

    return register


def find(axis: str, name: str) -> Choice:
    """The choice ``name`` of ``axis``; a DesignError with the nearest words if there is none."""
    known = CHOICES[axis].get(name)
    if known is None:
        raise DesignError(unknown(axis, name, CHOICES[axis]))
    return known


def unknown(what: str, word: str, words: Iterable[str]) -> str:
    """'unknown link "asynk": did you mean async? One of async, ...' for any list of words."""
    words = sorted(words)
    near = difflib.get_close_matches(word, words, n=3, cutoff=0.5)
    hint = f" did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"unknown {what} {word!r}:{hint} one of {', '.join(words)}"
