"""Listing: all designs as rows and as a table, for the command line and the documentation."""

from __future__ import annotations

from dataclasses import dataclass

from .design import Design, designs


@dataclass(frozen=True)
class Row:
    """A design and what is known of it before it runs.

    Parameters
    ----------
    name : str
        What :meth:`Design.parse` reads.
    sample, link, compress : str
        Its choices; ``compress`` is empty where the link has a way of its own.
    paper : str
        Where its parts were published.
    needs : str
        What it asks for beyond an edge list and 4 bytes a vertex; empty if nothing.
    """

    name: str
    sample: str
    link: str
    compress: str
    paper: str
    needs: str


def rows() -> list[Row]:
    """All designs with their default options, in the order of the catalog.

    Examples
    --------
    >>> first = rows()[0]
    >>> first.name, first.sample, first.link, first.compress, first.needs
    ('none+async+naive', 'none', 'async', 'naive', '')
    """
    return [row(design) for design in designs()]


def row(design: Design) -> Row:
    """What is known of a design.

    Examples
    --------
    >>> row(Design.parse("kout+ecl")).needs
    'rows: of an edge list, 48 bytes an edge while they are made'
    """
    papers = dict.fromkeys(design.paper.split("; "))
    needs = dict.fromkeys(filter(None, design.needs.split("; ")))
    return Row(
        name=str(design),
        sample=design.sample,
        link=design.link,
        compress=design.compress or "",
        paper="; ".join(papers),
        needs="; ".join(needs),
    )


def markdown(listed: list[Row] | None = None) -> str:
    """A table of designs, all of them unless some are given.

    Examples
    --------
    >>> len(markdown(rows()[:5]).splitlines())
    7
    """
    lines = ["| design | published | needs |", "| --- | --- | --- |"]
    for each in rows() if listed is None else listed:
        lines.append(f"| `{each.name}` | {each.paper} | {each.needs} |")
    return "\n".join(lines)
