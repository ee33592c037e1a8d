"""Snapshots on disk, and how one differs from what is there now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def kept(name: str) -> Any:
    """Return a snapshot."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each place where two trees of JSON differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if key not in new:
                yield f"{path}/{key} is gone"
            elif key not in old:
                yield f"{path}/{key} is new"
            else:
                yield from differences(old[key], new[key], f"{path}/{key}")
    elif isinstance(old, list) and isinstance(new, list) and old != new:
        yield from (f"{path}: {value} is gone" for value in old if value not in new)
        yield from (f"{path}: {value} is new" for value in new if value not in old)
        if sorted(map(str, old)) == sorted(map(str, new)):
            yield f"{path}: another order"
    elif old != new:
        yield f"{path}: {old} is now {new}"
