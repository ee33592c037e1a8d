"""``cc-rapids designs``."""

from __future__ import annotations

from dataclasses import asdict

import click

from .group import examples
from .show import as_json, print_json, print_table


@click.command(
    epilog=examples(
        "cc-rapids designs",
        "Those with a k-out sample and Rem's rule:",
        "cc-rapids designs kout rem-cas",
        "As a table for documentation:",
        "cc-rapids designs --markdown",
    )
)
@click.argument("words", nargs=-1)
@click.option("--markdown", is_flag=True, help="Print a table in Markdown.")
@as_json
def designs(words: tuple[str, ...], markdown: bool, json_output: bool) -> None:
    """List the designs: name, where it was published, and what it needs beyond an edge list.

    WORDS that are given have to stand in the name.
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
        from rich.table import Table

        table = Table("design", "published", "needs", caption=f"{len(listed)} designs")
        table.columns[0].no_wrap = True
        for row in listed:
            table.add_row(row.name, row.paper, row.needs)
        print_table(table)
