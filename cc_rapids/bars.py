"""Bars: the progress of a call that lasts, where someone watches."""

from __future__ import annotations

from typing import Any


def terminal_bar(stage: str, total: int | None = None) -> tuple[Any, Any]:
    """A bar of rich's on stderr, begun, and its only task; (None, None) if that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    terminal = Console(stderr=True, markup=False, highlight=False)
    if not terminal.is_terminal:
        return None, None
    words = TextColumn("{task.description}", markup=False)
    bar = Progress(BarColumn(bar_width=20), words, console=terminal, transient=True)
    bar.start()
    return bar, bar.add_task(stage, total=total)
