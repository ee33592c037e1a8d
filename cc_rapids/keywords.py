"""Reword Python's errors for arguments that a public function does not have."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from .errors import ArgumentTypeError, counted, did_you_mean, hint_of, listed

Named = TypeVar("Named", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

#: Arguments of other libraries, and the arguments of this library with the same meaning.
MEANT: dict[str, tuple[str, ...]] = {
    "threshold": ("at_least", "at_most"),
    "threshold_match_probability": ("at_least",),
    "eps": ("at_most",),
    "keep": ("by",),
    "min_weight": ("at_least",),
    "max_weight": ("at_most",),
    "cutoff": ("at_least", "at_most"),
    "src": ("source",),
    "dst": ("destination",),
    "target": ("destination",),
    "from_": ("source",),
    "to": ("destination",),
    "score": ("weight", "by"),
    "n": ("num_vertices", "count"),
    "nodes": ("vertices",),
    "num_nodes": ("num_vertices",),
    "sep": ("delimiter",),
    "device": ("engine", "devices"),
    "backend": ("engine",),
    "algorithm": ("design",),
    "dropna": ("nulls",),
    "memory": ("memory_limit",),
    "plan": ("explain",),
    "resume": ("checkpoint",),
    "key": ("keys", "on", "columns"),
}
MORE = {  # the arguments that a ** parameter accepts, by the name of this parameter
    "text": ("header", "delimiter", "encoding", "comment", "format"),
    "chunked": ("memory_limit", "progress", "checkpoint", "checkpoint_every", "unreadable"),
}
_TOO_MANY = re.compile(r"(\S+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) ")
_UNEXPECTED = re.compile(r"\S+\(\) got an unexpected keyword argument '([^']*)'")


def suggest_keywords(function: Named) -> Named:
    """Return a function that raises clearer errors for wrong arguments and is otherwise the same.

    An unknown argument, or too many positional arguments, raises an
    :class:`.errors.ArgumentTypeError`, a TypeError that lists or suggests arguments. Errors of the
    calls inside the function are unchanged.
    """

    @wraps(function)
    def called(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            unexpected = _UNEXPECTED.match(str(error))
            name = unexpected[1] if unexpected else ""
            too_many = _TOO_MANY.match(str(error))
            if too_many and too_many[1] == function.__qualname__:
                reworded = _too_many(int(too_many[2]), int(too_many[3]), function)
            elif name in keywords and name not in _argument_names(function):
                reworded = unknown_argument(name, function)
            else:
                raise
        raise reworded  # outside the handler: the original error is not its context

    return called  # type: ignore[return-value]


def suggest_keywords_of_methods(kind: Class) -> Class:
    """Apply :func:`suggest_keywords` to the public methods of a class, and return the class."""
    for name, member in list(vars(kind).items()):
        if name.startswith("_"):
            continue
        if inspect.isfunction(member):
            setattr(kind, name, suggest_keywords(member))
        elif isinstance(member, classmethod):
            setattr(kind, name, classmethod(suggest_keywords(member.__func__)))
    return kind


def unknown_argument(word: str, function: Callable[..., Any]) -> ArgumentTypeError:
    """Return the error for an argument that a function does not have."""
    names = _argument_names(function)
    meant = [name for name in MEANT.get(word.lower(), ()) if name in names]
    hint = did_you_mean(meant) if meant else hint_of(word, names)
    return ArgumentTypeError(
        f"unknown argument {word!r} of {_name(function)}():{hint} one of {listed(names) or 'none'}"
    )


def _too_many(accepted: int, passed: int, function: Callable[..., Any]) -> ArgumentTypeError:
    """Return the error for more positional arguments than a function accepts.

    ``accepted`` and ``passed`` count ``self`` or ``cls``, as in Python's message; the returned
    error does not.
    """
    if next(iter(inspect.signature(function).parameters), "") in ("self", "cls"):
        accepted, passed = accepted - 1, passed - 1
    name, names = _name(function), _argument_names(function)
    message = f"{name}() takes {counted(accepted, 'positional argument')}, not {passed}"
    if not names:
        message = f"{name}() takes no arguments, but got {passed}"
    elif names[accepted:]:
        message += f": pass the others by name: {listed(names[accepted:])}"
    return ArgumentTypeError(message)


def _name(function: Callable[..., Any]) -> str:
    return function.__qualname__.removesuffix(".__init__").split(".")[-1]


def _argument_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments that a function accepts by name."""
    names: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            names.append(parameter.name)
        elif parameter.kind == parameter.VAR_KEYWORD:
            names += MORE.get(parameter.name, ())
    return [name for name in names if name not in ("self", "cls")]
