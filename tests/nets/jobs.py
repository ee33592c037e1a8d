"""Some fifty jobs, and what each launches on a GPU, found without one."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import numpy as np
from support import launches

import cc_rapids
from cc_rapids.backends import Kernel
from cc_rapids.backends import compile as compiler
from cc_rapids.backends.dry_run import Rehearsal, rehearsed
from cc_rapids.tuning import tuning
from nets.normal_form import digest


def jobs() -> dict[str, Any]:
    """Return each job by its name, as a function without arguments."""
    found: dict[str, Any] = {}
    for dtype in (np.int32, np.int64):
        for design in launches.CHOSEN:
            found[f"{design} on {dtype.__name__}"] = functools.partial(
                launches.solve, design, dtype
            )
        found[f"one launch of {dtype.__name__}"] = functools.partial(launches.at_once, dtype)
    uses = launches.ids, launches.lookups, launches.strings, launches.records, launches.graphs
    uses += (launches.forests_by_weight,)
    found |= {use.__name__: use for use in uses}
    for design in filter(launches.takes_batches, map(cc_rapids.Design.parse, named())):
        found[f"{design} in batches"] = functools.partial(launches.batches, design)
    for name in named():
        found[f"{name} by name"] = functools.partial(
            launches.solve, cc_rapids.Design.parse(name), np.int32
        )
    return found


def named() -> list[str]:
    """Return designs that together have every choice of each axis, in an order of their own."""
    seen: set[str] = set()
    names = []
    for design in sorted(map(str, cc_rapids.designs())):
        words = set(design.replace("+", " ").split())
        if words - seen:
            seen |= words
            names.append(design)
    return names


class _Order(Rehearsal):
    """A dry run that keeps every launch in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []

    def launch(self, kernel: Kernel, n: int, arguments: tuple[Any, ...]) -> None:
        types = ", ".join(compiler.signature_of(arguments))
        shape = f"{kernel.shape}[{kernel.shared_words}]"
        self.order.append(f"{shape} {digest(kernel.part)} ({types})")
        super().launch(kernel, n, arguments)


def traces() -> dict[str, dict[str, Any]]:
    """Return, by job, how many kernels it launches, and a digest of these in their order.

    Kernels of a job stand beside it once each, so that a difference can be named.
    """
    found = {}
    with rehearsed(_Order) as backend, tuning.override(frequent_root_vertices=0):
        for name, job in jobs().items():
            backend.order.clear()
            job()
            text = "\n".join(backend.order)
            found[name] = {
                "launches": len(backend.order),
                "order": hashlib.sha256(text.encode()).hexdigest()[:16],
                "kernels": sorted({*backend.order}),
            }
    return found
