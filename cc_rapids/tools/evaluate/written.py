"""Write an evaluation to files: one row per run as CSV and JSON Lines, and the figures."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...data.files.write import make_folder, replacing
from .. import charts
from .figures import drawn

COLUMNS = (
    "file", "vertices", "edges", "density", "engine", "design", "ran", "memory", "threads",
    "processes", "reduction", "components", "wall_ms", "wall_least_ms", "wall_greatest_ms",
    "device_ms", "device_least_ms", "device_greatest_ms", "runs", "checked", "not_run", "wrong",
)  # fmt: skip


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a run in the CSV table, with a column for each statistic of its times."""
    cells = {name: row.get(name) for name in COLUMNS}
    for clock in ("wall", "device"):
        times = row.get(f"{clock}_ms", {})
        cells[f"{clock}_ms"] = times.get("median")
        for end in ("least", "greatest"):
            cells[f"{clock}_{end}_ms"] = times.get(end)
    cells["runs"] = row.get("wall_ms", {}).get("runs")
    return cells


def write(
    rows: Sequence[dict[str, Any]], base: dict[str, Any], folder: Path, baseline: str, figures: bool
) -> list[Path]:
    """Write all files of an evaluation, each atomically, and return their paths.

    ``base`` has the common fields of all JSON lines: device, versions and date. The folder is
    created if it does not exist. Figures need matplotlib, and compare designs with ``baseline``.
    Raise an OutputError, with the path and the reason, if a file cannot be written.
    """
    make_folder(folder)
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(flat, rows))
    texts = {
        "runs.csv": table.getvalue(),
        "runs.jsonl": "".join(json.dumps(base | row) + "\n" for row in rows),
    }
    for name, text in texts.items():
        with replacing(folder / name) as stream:
            stream.write(text.encode())
    written = [folder / name for name in texts]
    for name, figure in drawn(rows, baseline) if figures else ():
        written.append(folder / f"{name}.png")
        charts.save(figure, written[-1])
    return written
