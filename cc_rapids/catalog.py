"""The registry: every algorithmic choice by its axis and its name.

A kernel factory enters it by the decorator :func:`choice`; nothing else does. A design is one
name from each axis (see :mod:`cc_rapids.design`), with options in parentheses:
``kout(k=3)``, ``liu-tarjan(PRF)``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import DesignError, shown

AXES = ("sample", "link", "compress")
WORD = re.compile(r"([^()]+)(?:\((.*)\))?")
ROWS = "rows: of an edge list, 48 bytes an edge while they are made"
COUNT = "a count from 1 on"  # among the words of an option: any such number
MOST_DIGITS = 10  # less one: of such a count
SHOWN = 12  # words of a list that an error shows
COMPARED = 64  # characters of words that are compared


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


@dataclass(frozen=True)
class Word:
    """A choice with the values of its options; ``str`` of it shows those that are not default."""

    choice: Choice
    options: tuple[tuple[str, int | str], ...]

    def __str__(self) -> str:
        known = self.choice.options
        shown = [
            f"{key}={value}" if key else str(value)
            for key, value in self.options
            if not key or value != _default(known[key])
        ]
        return self.choice.name + (f"({', '.join(shown)})" if shown else "")

    def __getitem__(self, key: str) -> Any:
        return dict(self.options)[key]


CHOICES: dict[str, dict[str, Choice]] = {axis: {} for axis in AXES}


def choice(
    axis: str, name: str, *, paper: str, **facts: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a factory as the value ``name`` of ``axis``.

    ``paper`` is where the rule was published; for the other facts see :class:`Choice`.
    """

    def register(make: Callable[..., Any]) -> Callable[..., Any]:
        if name in CHOICES[axis]:
            raise ValueError(f"{axis} {name!r} is registered already")
        CHOICES[axis][name] = Choice(axis, name, make, paper, **facts)
        return make

    return register


def find(axis: str, text: str) -> Word:
    """The choice that ``text`` names, with its options.

    Raises
    ------
    DesignError
        With the axis and its nearest words.
    """
    matched = WORD.fullmatch(text.strip())
    known = CHOICES[axis].get(matched[1].strip()) if matched else None
    if matched is None or known is None:
        raise DesignError(unknown_choice(axis, text))
    values = {key: _default(value) for key, value in known.options.items() if key}
    for item in filter(None, (item.strip() for item in (matched[2] or "").split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        key, value = (key, value) if equals else ("", item)
        if key not in known.options:
            raise DesignError(unknown(f"option of {axis} {known.name}", item, known.options))
        values[key] = _value(f"{axis} {known.name}", key, value, known.options[key])
    missing = set(known.options) - set(values)
    if missing:
        words = known.options[""]
        raise DesignError(f"{axis} {known.name} asks for one of {words}: {known.name}({words[0]})")  # type: ignore[index]
    return Word(known, tuple(sorted(values.items())))


def _default(allowed: int | tuple[str, ...]) -> int | str:
    return allowed if isinstance(allowed, int) else allowed[0]


def _value(where: str, key: str, text: str, allowed: int | tuple[str, ...]) -> int | str:
    count = int(text) if text.isdecimal() and len(text) < MOST_DIGITS else 0
    if isinstance(allowed, tuple):
        if COUNT in allowed and count > 0:
            return count
        if text not in allowed or text == COUNT:
            raise DesignError(unknown(f"{key or 'rule'} of {where}", text, allowed))
        return text
    if count < 1:
        raise DesignError(f"{key} of {where} is a count from 1 on, not {text!r}")
    return count


def unknown(what: str, word: object, words: Iterable[str]) -> str:
    """Return 'unknown labels 'mim': did you mean 'min'? one of dense, max, ...' for some words.

    Of more than a dozen words the first few and how many there are. What is no string is shown as
    what it is.
    """
    words = sorted(words)
    named = shown(word)
    hint = _did_you_mean(near(word, words, 3, 0.5)) if isinstance(word, str) else ""
    listed = (
        words if len(words) <= SHOWN else [*words[: SHOWN // 2], f"... ({len(words):,} in all)"]
    )
    return f"unknown {what} {named}:{hint} one of {', '.join(listed)}"


def unknown_choice(axis: str, word: str, words: Iterable[str] | None = None) -> str:
    """Return the same for a word of a design: the nearest five of its axis, and where all stand."""
    known = CHOICES[axis] if words is None else words
    hint = _did_you_mean(near(word, known, 5, 0.5))
    return f"unknown {axis} {word!r}:{hint} cc_rapids.designs() lists all designs"


def near(word: str, words: Iterable[str], most: int, cutoff: float) -> list[str]:
    """Return the words that are most like a word, by their first characters if they are long."""
    full = {each[:COMPARED]: each for each in reversed(list(words))}
    return [full[each] for each in difflib.get_close_matches(word[:COMPARED], full, most, cutoff)]


def _did_you_mean(words: list[str]) -> str:
    *others, last = map(repr, words or [""])
    listed = f"{', '.join(others)} or {last}" if others else last
    return f" did you mean {listed}?" if words else ""
