"""Show answers, batches, plans and audits as HTML in notebooks; all text is escaped.

Text has the colour of the page (``currentColor``). Bars have a colour that is readable on light and
dark pages. Only :func:`page` adds a style sheet; no function adds a script.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, overload

from ..errors import CcRapidsError
from ..keywords import suggest_keywords_of_methods
from .arguments import check_path

MAX_CHARACTERS = 400  # of a value; the end of a longer value is cut
BAR = "#4a90d9"  # at least 3 : 1 against white and against #111
# Follows the reader's light or dark theme; wide tables scroll.
STYLE = (
    ":root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5;"
    "--line:#d0d7de;--head:#f3f5f7}"
    "@media(prefers-color-scheme:dark){:root{--line:#3d444d;--head:#262c36}}"
    "main{max-width:72em;margin:auto;padding:1em;overflow-x:auto}h1{font-size:1.5em}"
    "table{border-collapse:collapse;margin:1.5em 0}caption{text-align:left;font-weight:bold;"
    "padding-bottom:.4em}td,th{text-align:left;padding:.3em .9em .3em .5em;"
    "border-bottom:1px solid var(--line)}thead th{background:var(--head)}"
    "td{font-variant-numeric:tabular-nums}"
)
WIDTH, HEIGHT, LABEL = 220, 14, 110  # pixels: the size of a bar, and the width of its label


def text(value: Any) -> str:
    """Return a value as escaped text: numbers with separators, long text truncated.

    Examples
    --------
    >>> text(12345), text("<a & b>")
    ('12,345', '&lt;a &amp; b&gt;')
    """
    is_number = isinstance(value, int) and not isinstance(value, bool)
    full_text = f"{value:,}" if is_number and value.bit_length() <= 64 else str(value)
    full_text = full_text.encode("utf-8", "replace").decode("utf-8")  # without surrogates
    return escape(
        full_text if len(full_text) <= MAX_CHARACTERS else full_text[: MAX_CHARACTERS - 3] + "..."
    )


def panel(title: str, *parts: str) -> str:
    """Return HTML parts under a title."""
    return f'<div class="cc-rapids"><p><strong>{escape(title)}</strong></p>{"".join(parts)}</div>'


def panel_or_none(make: Callable[[], str]) -> str | None:
    """Return a panel; None if it cannot be made, so that the notebook shows plain text."""
    try:
        return make()
    except (CcRapidsError, MemoryError):
        return None


def page(title: str, *parts: str) -> str:
    """Return HTML parts as a complete page with a heading."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{''.join(parts)}</main></body></html>"
    )


@suggest_keywords_of_methods
class Page(ABC):
    """Results that a notebook shows as a panel, and that can be written as a page."""

    @abstractmethod
    def _title(self) -> str:
        """Return the title of the panel and of the page."""

    @abstractmethod
    def _parts(self) -> list[str]:
        """Return the tables and notes as HTML."""

    def _repr_html_(self) -> str:
        return panel(self._title(), *self._parts())

    @overload
    def to_html(self) -> str: ...
    @overload
    def to_html(self, path: str | os.PathLike[str]) -> None: ...
    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write a self-contained HTML page, or return the page.

        Parameters
        ----------
        path : str or path, optional
            The file to write. An existing file is replaced atomically. By default the page is
            returned as a string.

        Returns
        -------
        str or None
            The page; None if ``path`` is given.

        Raises
        ------
        OutputError
            The file cannot be written; an existing file is unchanged.

        See Also
        --------
        cc_rapids.Components.report : Return a report on all components.
        cc_rapids.Components.explain_pair : Explain why two vertices are in one component.

        Examples
        --------
        >>> import cc_rapids, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "report.html")
        >>> cc_rapids.components(([1], [2])).report(([1], [2])).to_html(path)
        >>> path.read_text()[:15]
        '<!DOCTYPE html>'
        """
        html = page(self._title(), *self._parts())
        if path is None:
            return html
        from .files.write import replacing

        with replacing(check_path("path", path)) as stream:
            stream.write(html.encode())
        return None


def note(content: str) -> str:
    """Return text as a paragraph."""
    return f"<p>{escape(content)}</p>"


def facts(rows: Mapping[str, Any]) -> str:
    """Return a table of names and values."""
    cells = (
        f'<tr><th scope="row">{text(name)}</th><td>{text(value)}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table>{''.join(cells)}</table>"


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table with a caption and column names."""
    names = "".join(f'<th scope="col">{text(name)}</th>' for name in head)
    cells = "".join(
        f"<tr>{''.join(f'<td>{text(value)}</td>' for value in row)}</tr>" for row in rows
    )
    return (
        f"<table><caption>{text(caption)}</caption><thead><tr>{names}</tr></thead>"
        f"<tbody>{cells}</tbody></table>"
    )


def bars(caption: str, rows: Sequence[tuple[str, int]]) -> str:
    """Return an SVG of named counts as horizontal bars, with alternative text."""
    max_count, parts = max((count for _, count in rows), default=0), []
    for k, (name, count) in enumerate(rows):
        y = k * (HEIGHT + 4)
        # a count above 0 is at least one pixel wide
        bar_width = max(count * WIDTH // max(max_count, 1), 1 if count else 0)
        baseline = y + HEIGHT - 3
        parts.append(
            f'<text x="{LABEL - 6}" y="{baseline}" text-anchor="end">{text(name)}</text>'
            f'<rect x="{LABEL}" y="{y}" width="{bar_width}" height="{HEIGHT}" fill="{BAR}"></rect>'
            f'<text x="{LABEL + bar_width + 5}" y="{baseline}">{text(count)}</text>'
        )
    alt = f"{caption}: " + ", ".join(f"{name}: {count:,}" for name, count in rows)
    width, height = LABEL + WIDTH + 110, max(len(rows) * (HEIGHT + 4), 1)
    return (
        f'<svg role="img" aria-label="{escape(alt)}" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" fill="currentColor" font-size="11"'
        f' font-family="sans-serif"><title>{escape(alt)}</title>{"".join(parts)}</svg>'
    )


def folded(summary: str, *parts: str) -> str:
    """Return parts that are hidden until the reader expands them."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(parts)}</details>"


def plan(title: str, lines: Mapping[str, str], shown: Sequence[str]) -> str:
    """Return a plan as a table of the lines named in ``shown``; the other lines are collapsed."""
    collapsed = {name: line for name, line in lines.items() if name not in shown}
    table_of_shown = facts({name: lines[name] for name in shown})
    return panel(title, table_of_shown, folded("what would run", facts(collapsed)))
