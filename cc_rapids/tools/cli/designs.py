"""``cc-rapids designs``."""

from __future__ import annotations

import re
from dataclasses import asdict

import click

from .group import command, examples, option_of_output
from .options import as_json
from .show import compact, print_json, print_table

# The first author and the year of a paper
_PAPER = re.compile(r"([A-Z]\w+)(?: and [A-Z]\w+| et al\.)? (\d{4})")
_WIDTH = 23  # characters of the column of papers in a terminal of 80 columns


@command(
    epilog=examples(
        "cc-rapids designs",
        "Designs with a k-out sample and Rem's rule:",
        "cc-rapids designs kout rem-cas",
        "As a table for documentation:",
        "cc-rapids designs --markdown",
    )
)
@click.argument("words", nargs=-1)
@option_of_output("--markdown", is_flag=True, help="Print a table in Markdown, with all columns.")
@as_json
def designs(words: tuple[str, ...], markdown: bool, json_output: bool) -> None:
    """List the algorithms, whose names --design accepts.

    Only names that contain all WORDS are listed. The table shows the input of a design (an edge
    list, or CSR rows with both directions of each edge) and the first authors of the papers. --json
    and --markdown show the full papers and all requirements of a design.
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
        click.echo(f"\n{len(listed)} designs; --json shows all papers and requirements")


def _authors(papers: str) -> str:
    """Return the first authors and years of as many papers as fit, and a count of the others."""
    authors = list(dict.fromkeys(" ".join(match) for match in _PAPER.findall(papers)))
    if not authors:  # a rule that users added has no paper
        return papers
    shown = len(authors)
    while shown > 1 and len(_listed(authors, shown)) > _WIDTH:
        shown -= 1
    return _listed(authors, shown)


def _listed(authors: list[str], shown: int) -> str:
    """Return the first ``shown`` authors, and a count of the others."""
    more = f" +{len(authors) - shown}" if shown < len(authors) else ""
    return ", ".join(authors[:shown]) + more
