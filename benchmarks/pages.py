"""Functions for scripts that make pages from records: tables, figures and descriptions."""

import sys

import harness

from cc_rapids.tools import charts

ROOT = harness.HERE.parents[1]
DOCS = ROOT / "docs"
MOST = 5  # maximum number of lines, or bars of a group, in a figure
END = "<!-- end -->"


def fill(page, tables):
    """Replace the text between the marks of each table in a page."""
    text = page.read_text(encoding="utf-8")
    for name, make in tables.items():
        start = f"<!-- table: {name} -->"
        before, rest = text.split(start)
        after = rest.split(END, 1)[1]
        text = f"{before}{start}\n{make()}\n{END}{after}"
    page.write_text(text, encoding="utf-8")


def table(head, lines, words=1):
    """Return a Markdown table whose columns are right-aligned, as numbers are, except ``words``.

    ``words`` is the number of text columns at the start, or a tuple of their positions.
    """
    texts = range(words) if isinstance(words, int) else words
    rule = ["---" if k in texts else "--:" for k in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines))


def columns(rows, cells, words=1):
    """Return a Markdown table with a row per record; ``cells`` has a function for each column."""
    return table(tuple(cells), [[cell(row) for cell in cells.values()] for row in rows], words)


def millions(row, decimals=1):
    """Return the number of edges of a record in millions."""
    return f"{row.get('m', row.get('edges')) / 1e6:,.{decimals}f} M"


def number(value, unit=""):
    """Format a number with three significant digits, or as an integer from 1000; "-" for None."""
    if value is None:
        return "-"
    return f"{value:,.0f}{unit}" if value >= 1000 else f"{value:.3g}{unit}"


def size(count):
    """Format a number of bytes."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB" if count < 999.5 else f"{count:,.0f} TB"


def dated(row):
    """Describe the device, commit and date of a record."""
    return f"{row['device']}, commit {row['commit']} ({row['date']})"


def versions(row):
    """Describe the versions of a record."""
    return ", ".join(f"{name} {number}" for name, number in row["versions"].items())


def picture(path, words):
    """Return the Markdown of a figure beside a page, or nothing if there is none."""
    return f"![{words}](figures/{path.name})" if path.exists() else ""


def save(figure, path, words):
    """Write a figure with its title, unless it is None; refuse figures with too many lines."""
    if figure is None:
        return
    axes = figure.axes[0]
    legend = axes.get_legend()
    lines = [text.get_text() for text in legend.get_texts()] if legend else []
    if len(lines) > MOST:
        raise ValueError(f"{words}: {len(lines)} lines, of which {MOST} can be told apart: {lines}")
    axes.set_title(words, loc="left", fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    charts.save(figure, path)


def darken(figure):
    """Write the version of a figure for dark pages into the folder ``dark`` beside it.

    Only the README's figures need it: the build of the documentation makes those of its pages.
    """
    sys.path.append(str(DOCS))
    from darken import darkened

    dark = figure.parent / "dark" / figure.name
    dark.parent.mkdir(exist_ok=True)
    dark.write_text(darkened(figure.read_text(encoding="utf-8")), encoding="utf-8")


def foremost(series, value, least=False):
    """Return the five series with the greatest or least values, in their original order."""
    kept = sorted(series, key=lambda name: value(series[name]), reverse=not least)[:MOST]
    return {name: values for name, values in series.items() if name in kept}
