"""Checks of single arguments: choices, flags, paths, column names and callables."""

from __future__ import annotations

import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from ..errors import ArgumentTypeError, InputError, shown, unknown
from .lazy import np

UNREADABLE = ("raise", "skip")


def check_word(what: str, word: Any, words: Iterable[str]) -> str:
    """Return ``word`` if it is one of ``words``; otherwise raise an error with a similar word.

    Examples
    --------
    >>> check_word("order", "least", ("least", "greatest"))
    'least'
    """
    if not isinstance(word, str) or word not in words:
        raise InputError(unknown(what, word, words))
    return word


def check_flag(what: str, flag: Any) -> bool:
    """Return whether a flag is set: a bool, 0, 1 or None; otherwise raise an error."""
    if flag is None or flag is False or flag is True:
        return bool(flag)
    if isinstance(flag, np.bool_) or (isinstance(flag, int) and flag in (0, 1)):
        return bool(flag)
    raise ArgumentTypeError(f"{what}= must be True or False, not {shown(flag)}")


def check_count(what: str, count: Any, least: int = 0, meaning: str = "", advice: str = "") -> int:
    """Return a count, an integer of at least ``least``; otherwise raise an error.

    In the error, ``meaning`` follows the number and says what is counted; ``advice`` comes last.
    """
    message = f"{what}= must be a count of at least {least}{meaning}, not {shown(count)}{advice}"
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise ArgumentTypeError(message)
    if count < least:
        raise InputError(message)
    return int(count)


def as_array(what: str, values: Any, dtype: Any = None) -> Any:
    """Return an argument as a NumPy array; raise an error if NumPy cannot convert it."""
    try:
        return np.asarray(values, dtype)
    except Exception as error:  # NumPy and frame libraries raise errors of many types
        raise ArgumentTypeError(f"{what} is {shown(values)}, not an array ({error})") from error


def check_seconds(what: str, seconds: Any) -> None:
    """Raise an error unless the argument is a number of seconds, of at least 0."""
    is_number = isinstance(seconds, Real) and not isinstance(seconds, bool)
    if not (is_number and seconds >= 0):
        raise ArgumentTypeError(f"{what}= must be seconds, 0 or more, not {shown(seconds)}")


def local(path: str | os.PathLike[str]) -> str:
    """Return a path as a string, without ``file://``, and with ``~`` and ``~user`` expanded."""
    name = os.fspath(path)
    is_chained = "::" in name  # an address of fsspec, such as zip://edges.csv::file://all.zip
    return os.path.expanduser(name if is_chained else name.removeprefix("file://"))


def check_path(what: str, path: Any) -> str:
    """Return a path that can name a file, with ``~`` expanded; otherwise raise an error."""
    try:
        name = os.fspath(path)
    except TypeError:
        name = None
    if not isinstance(name, str):
        raise ArgumentTypeError(f"{what}= must be a path, a str or os.PathLike, not {shown(path)}")
    if not name:
        raise InputError(f"{what}= must be the path of a file, but is empty")
    try:
        is_file_name = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        is_file_name = False
    if not is_file_name:
        raise InputError(
            f"{what}={name!r} contains a character that a file name cannot have (NUL, or half of a"
            " surrogate pair)"
        )
    return os.path.expanduser(name)


def check_names(what: str, names: Any) -> None:
    """Raise an error unless the argument can be a column name or a list of column names."""
    for name in names if isinstance(names, list) else [names]:
        try:
            hash(name)
            bool(name == name)  # raises for pd.NA
        except Exception:
            raise ArgumentTypeError(
                f"{what} must name a column, but {shown(name)} is not a name"
            ) from None


def check_progress(progress: Any) -> Any:
    """Return the argument ``progress``, a callable or a bool; otherwise raise an error."""
    if callable(progress):
        return progress
    try:
        return check_flag("progress", progress)
    except ArgumentTypeError:
        raise ArgumentTypeError(
            f"progress= must be True, False or a function, not {shown(progress)}"
        ) from None


def consumed(edges: Any) -> InputError:
    """Return the error of explain= for edges that can be read only once, called ``edges``."""
    return InputError(
        f"explain=True (--explain) reads edges, but {edges} can be read only once: write it to a"
        " file and pass its path, or leave out explain="
    )
