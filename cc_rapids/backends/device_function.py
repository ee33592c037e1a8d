"""The functions of a kernel before compilation.

A kernel is a tree of small functions, each a closure over other functions, numbers and atomic
operations of a backend. Here they are plain Python functions with a fingerprint. A backend compiles
the tree (``compiled``) only if its kernel cache does not contain the fingerprint.
"""

from __future__ import annotations

import hashlib
import linecache
import types
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

Jit = Callable[[types.FunctionType], Any]


class Atom:
    """An operation that each backend implements itself, such as compare-and-swap."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def fingerprint(self) -> str:
        return f"atom {self.name}"


class Part:
    """A device function before compilation: its source and the values of its closure."""

    def __init__(self, function: types.FunctionType) -> None:
        names, variables = function.__code__.co_names, function.__globals__
        global_parts = [name for name in names if isinstance(variables.get(name), Part | Atom)]
        if global_parts:  # only parts in the closure are compiled with the function
            raise TypeError(
                f"{function.__name__} uses the global variable {global_parts[0]!r}: define"
                f" {function.__name__} inside a function in which this variable is local"
            )
        self.function = function

    @cached_property
    def closure(self) -> dict[str, Any]:
        cells = self.function.__closure__ or ()
        names = self.function.__code__.co_freevars
        return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the source of this function and of everything that it uses.

        The name of the module is included, because compiled code is loaded by this name.
        """
        function = self.function
        names = {n for n in function.__code__.co_names if n in function.__globals__}
        used = {name: function.__globals__[name] for name in sorted(names)} | self.closure
        lines = [f"{name}={_fingerprint(value)}" for name, value in used.items()]
        text = "\n".join([function.__module__, _text(function), *lines])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def symbol(self) -> str:
        """A unique name for the compiled code.

        Numba tells functions of one name apart by numbers, which start again in each process. Two
        cached functions could thus have the same name and number, and the linker would use either.
        """
        return f"{self.function.__name__}_{self.fingerprint[:16]}"

    def compiled(
        self, jit: Jit, atoms: dict[str, Any], done: dict[str, Any] | None = None, kind: str = ""
    ) -> Any:
        """Compile the parts in the closure, then the function, by ``jit``; return the function.

        ``atoms`` maps the name of each Atom to the engine's operation. ``done`` maps fingerprints
        to parts that ``jit`` has compiled; new parts are added. ``kind`` is appended to symbols.
        Two ``jit`` whose code is linked together need different kinds, so that no symbols merge.
        """
        parts: dict[str, Any] = {} if done is None else done

        def compiled_value(value: Any) -> Any:
            if isinstance(value, Atom):
                return atoms[value.name]
            return value.compiled(jit, atoms, parts, kind) if isinstance(value, Part) else value

        if self.fingerprint not in parts:
            cells = tuple(types.CellType(compiled_value(value)) for value in self.closure.values())
            code, variables = self.function.__code__, self.function.__globals__
            symbol = f"{self.symbol}{kind}"
            copy = types.FunctionType(code, variables, symbol, None, cells)  # with a new closure
            copy.__qualname__ = symbol
            parts[self.fingerprint] = jit(copy)
        return parts[self.fingerprint]


def _text(function: types.FunctionType) -> str:
    """Return the source lines of a function.

    They end with the line of the last instruction. ``inspect`` would tokenise the source to find
    the end, which takes half of the time of a first small run.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    last_line = max(end or line or 0 for line, end, *_ in code.co_positions())
    text = "".join(lines[code.co_firstlineno - 1 : last_line])
    if not text:
        raise OSError(f"{function.__name__} has no source: {code.co_filename} does not exist")
    return text


def _fingerprint(value: Any) -> str:
    """Return the text that identifies a value of a closure."""
    if isinstance(value, Part | Atom):
        return value.fingerprint
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, type) and issubclass(value, np.generic):
        return f"type {value.__name__}"
    if isinstance(value, int | np.generic):
        return f"{type(value).__name__} {value!r}"
    raise TypeError(
        f"a kernel may close over numbers, NumPy types and other parts, not over {value!r}"
    )
