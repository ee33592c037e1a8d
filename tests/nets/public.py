"""Public names as documentation shows them, with their signatures and fields."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from typing import Any

import numpy as np
from support.machine import ROOT

import cc_rapids

# What examples and entry points import besides.
ALSO = (
    "integrations.cugraph", "integrations.pylibcugraph", "integrations.networkx",
    "integrations.networkx_info.get_info", "integrations.cugraph.connected_components",
    "integrations.pylibcugraph.weakly_connected_components", "tools.doctor.check", "cli.main",
    "backends.base.Backend", "backends.base.Kernel",
)  # fmt: skip


def documented() -> list[str]:
    """Return the names that docs/api/index.rst lists, and those of ``ALSO``."""
    text = (ROOT / "docs" / "api" / "index.rst").read_text(encoding="utf-8")
    names, prefix = [], ""
    for line in text.splitlines():
        module = re.match(r"\.\. (?:currentmodule|automodule):: (\S+)", line)
        if module:
            prefix = module[1].removeprefix("cc_rapids").removeprefix(".")
        entry = re.match(r"   ~?(\w[\w.]*)$", line)
        if entry:
            names.append(".".join(filter(None, [prefix, entry[1]])))
    return sorted({*names, *cc_rapids.__all__, *ALSO})


def reached(name: str) -> Any:
    """Return what a public path leads to: a module, or something in one."""
    path = ["cc_rapids", *name.split(".")]
    for k in range(len(path), 0, -1):
        try:
            found = importlib.import_module(".".join(path[:k]))
        except ModuleNotFoundError:
            continue
        for attribute in path[k:]:
            found = getattr(found, attribute)
        return found
    raise AttributeError(name)


def signature(value: Any) -> str:
    """Return how something is called; annotations in the words of the source."""
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return type(value).__name__


def described(value: Any) -> Any:
    """Return the signature of a function, the members of a class, the kind of anything else."""
    if inspect.isclass(value):
        members = {
            name: signature(member) if callable(member) else "property"
            for name, member in inspect.getmembers(value)
            if not name.startswith("_")
        }
        bases = [base.__name__ for base in value.__mro__[1:-1] if not _private(base)]
        fields = (
            [field.name for field in dataclasses.fields(value)]
            if dataclasses.is_dataclass(value)
            else []
        )
        return {"bases": bases, "call": signature(value), "members": members, "fields": fields}
    if inspect.ismodule(value):
        return "module"
    return signature(value)


def _private(base: type) -> bool:
    """Whether a base is of the package, but no public name of it."""
    return base.__module__.startswith("cc_rapids") and base.__name__ not in cc_rapids.__all__


def public() -> dict[str, Any]:
    """Return all that a user can rely on by its name."""
    edges = np.array([1, 2]), np.array([2, 3])
    found = cc_rapids.components(edges)
    return {
        "names": {name: described(reached(name)) for name in documented()},
        "summary": {k: type(v).__name__ for k, v in found.summary().items()},
        "designs": list(map(str, cc_rapids.designs())),
    }
