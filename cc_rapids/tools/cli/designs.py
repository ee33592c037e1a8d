"""``cc-rapids designs``."""

from __future__ import annotations

import re
from dataclasses import asdict

import click

from .group import OUTPUT, command, examples, option
from .options import as_json
from .show import compact, print_json, print_table

_PAPER = re.compile(r"([A-Z]\w+)(?: and [A-Z]\w+| et al\.)? (\d{4})")
_WIDTH = 23  # columns beside the longest name


@command(
    epilog=examples(
        "cc-rapids designs",
        "Those with a k-out sample and Rem's rule:",
        "cc-rapids designs kout rem-cas",
        "As a table for documentation:",
        "cc-rapids designs --markdown",
    )
)
@click.argument("words", nargs=-1)
@option(
    "--markdown", is_flag=True, section=OUTPUT, help="Print a table in Markdown, with everything."
)
@as_json
def designs(words: tuple[str, ...], markdown: bool, json_output: bool) -> None:
    """List the algorithms: their names, for --design.

    WORDS that are given have to stand in the name. The table has what a design reads, an edge list
    or rows (sorted, of both directions), and the first authors of the papers; --json and --markdown
    have the papers, and what a design needs beyond an edge list, in full.
    """
    from ...algorithms import design

    listed = [row for row in design.rows() if all(word in row.name for word in words)]
    if not listed:
        raise click.UsageError(f"no design has {' and '.join(map(repr, words))} in its name")
    if json_output:
        print_json({"designs": [asdict(row) for row in listed]})
    elif markdown:
        click.echo(design.markdown(listed))
    else:
        table = compact("design", "reads", "published")
        for row in listed:
            reads = "rows" if row.needs.startswith("rows") else "list"
            table.add_row(row.name, reads, _authors(row.paper))
        print_table(table)
        click.echo(f"\n{len(listed)} designs; --json has papers and needs in full")


def _authors(papers: str) -> str:
    """Return the first authors and years of papers: as many as fit, and how many more."""
    named = list(dict.fromkeys(" ".join(found) for found in _PAPER.findall(papers)))
    shown = next(k for k in range(len(named), 0, -1) if len(_listed(named, k)) <= _WIDTH or k == 1)
    return _listed(named, shown)


def _listed(named: list[str], shown: int) -> str:
    more = f" +{len(named) - shown}" if shown < len(named) else ""
    return ", ".join(named[:shown]) + more
