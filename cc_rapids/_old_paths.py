"""Modules that have moved, under their earlier documented names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# A package that has moved takes its modules along, unless they stand here themselves. These do so
# under the new name of the package, too: ``from package import module`` asks for that one.
MOVED = {
    "catalog": "kernels.spec",
    "doctor": "tools.doctor",
    "engines": "backends",
    "plan": "solver.plan",
    "streams": "incremental.stream",
    "integrations.dask_model": "integrations.dask.gather",
    "integrations.dask.local": "integrations.distributed.forests",
    "integrations.dask.vertices": "integrations.distributed.vertices",
    "integrations.dask_vertices": "integrations.distributed.vertices",
    "integrations.labels": "integrations.connected_components",
    "interfaces": "integrations",
    "interfaces.dask_model": "integrations.dask.gather",
    "interfaces.dask_vertices": "integrations.distributed.vertices",
    "interfaces.labels": "integrations.connected_components",
    "kernels.compress": "kernels.find",
    "kernels.link": "kernels.union",
}


def new_path(old: str) -> str | None:
    """Return where a module is now, by its full name; None if it has not moved."""
    words = old.removeprefix("cc_rapids.").split(".")
    for k in range(len(words), 0, -1):
        moved = MOVED.get(".".join(words[:k]))
        if moved is not None:
            return ".".join(["cc_rapids", moved, *words[k:]])
    return None


class _Finder(MetaPathFinder, Loader):
    """Import finder that makes a moved module available under two names, without a copy."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module that has moved is imported; None for all others."""
        new = new_path(fullname) if fullname.startswith("cc_rapids.") else None
        return ModuleSpec(fullname, self, origin=new) if new else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the module under its own name; its own specification is kept for it."""
        module = importlib.import_module(str(spec.origin))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own specification, which the import has replaced."""
        spec: Any = module.__spec__
        module.__spec__ = spec.loader_state


def install() -> None:
    """Install the finder for the old names of modules."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
