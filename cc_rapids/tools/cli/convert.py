"""``cc-rapids convert``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.formats import COUNTED, WRITTEN
from ...data.files.read import EdgeFile
from ...data.files.text_ids import plain
from ...data.files.write import PIECE_EDGES, EdgeList, check_edges_output, write_edges
from ...ledger import Ledger
from .group import OUTPUT, command, examples, option_of_input
from .options import (
    FILES_IN_WORDS,
    FilePath,
    check_apart,
    edge_file_options,
    format_option,
    is_shown,
    report_options,
    written_to,
)
from .paths import name_of
from .show import progress, report, seconds
from .sources import check_single, read_one

if TYPE_CHECKING:
    import pyarrow as pa


@command(
    epilog=examples(
        "cc-rapids convert pairs.csv pairs.parquet",
        "cc-rapids convert pairs.csv pairs.csv.zst",
        "From standard input to standard output:",
        "cc-rapids convert - - --from csv --to tsv < pairs.csv > pairs.tsv",
        "With formats that the suffixes do not determine:",
        "cc-rapids convert download.dat pairs.egr --from snap",
        "cc-rapids convert pairs.csv pairs.dat --to metis",
        "With weights from another column:",
        "cc-rapids convert links.csv links.tsv.gz --source buyer --destination seller"
        " --weight price",
        after=FILES_IN_WORDS,
    )
)
@click.argument("file", type=FilePath(path_type=Path, allow_dash=True))
@click.argument("output", type=FilePath(path_type=Path, allow_dash=True))
@edge_file_options("--from")
@format_option("--to", "to", "Format of OUTPUT; from its suffix by default.", OUTPUT, WRITTEN)
@option_of_input(
    "--weight", metavar="NAME", help="Column of weights; by default weight, if FILE has it."
)
@option_of_input("--weights/--no-weights", default=True, help="Keep the weights (default), or not.")
@report_options
def convert(
    file: Path, output: Path, to: str | None, quiet: bool, json_output: bool, **reading: Any
) -> None:
    """Write the edges of FILE to OUTPUT, in another format.

    FILE may be - for standard input, whose format is given by --from or determined by its first
    bytes. OUTPUT may be - for standard output (csv unless --to names another format).

    The output has the two ends of each edge. It has weights if FILE has a column named weight, or
    if the format of FILE stores weights. The formats he and gr need weights, so edges without
    weights get the weight 1. All edges must fit into memory.

    The formats metis and egr store each edge once, without self-loops. The command reports how many
    rows it leaves out. Duplicates with different weights are an error.

    The formats gr, metis and mtx number the vertices 1 to n; he, egr and npz number them 0 to
    n - 1. A conversion between these two groups of formats shifts all ids by one. If edges with the
    id 0 are converted to a format that counts from 1, all ids are shifted, too. The command reports
    the shift. Other conversions do not change ids.
    """
    output, to = written_to(output, to)
    kind = check_edges_output(output, to)
    shown = is_shown(output, quiet, json_output)
    check_apart(output, file)
    start = time.perf_counter()
    with progress(f"reading {name_of(file.name)}", quiet) as on_progress:
        edge_file = read_one(file, on_progress, **reading)
    check_single(edge_file.source_format)
    layout = edge_file.source_format.facts()
    facts: dict[str, Any] = {"input": str(file), "from": layout.pop("format"), **layout}
    facts["output"] = str(output)
    with progress(f"writing {output.name}", quiet, "edges") as on_progress:
        edges = as_list(edge_file, kind)
        left_out = write_edges(edges, output, format=to, on_progress=on_progress)
    id_shift = 0  # what the output format adds to each id if it numbers the vertices from 0 or 1
    if kind in COUNTED and edges.vertices is not None:
        id_shift = COUNTED[kind] - edges.vertices.start
    written = edges.num_edges - sum(left_out.values())
    # In the ledger of this command, the linked rows are those that are written
    ledger = edge_file.ledger._replace(linked=written).plus(Ledger(left_out=left_out))
    facts |= {
        "to": kind,
        "edges": written,
        "ledger": ledger.check().facts(),
        "weights": edges.weighted,
        "vertices": None if edges.vertices is None else len(edges.vertices),
        "id_shift": id_shift,
        "isolated_lost": 0 if kind in COUNTED else _count_isolated(edge_file),
        "seconds": time.perf_counter() - start,
    }
    report(facts, _rows(facts, str(edge_file.source_format)), shown, json_output)


def as_list(edge_file: EdgeFile, kind: str) -> EdgeList:
    """Return the edges of a file for writing in the format ``kind``.

    The list has a range of vertices if the file states one, or if ``kind`` numbers the vertices and
    all ids are integers.
    """
    import pyarrow as pa

    names = ["src", "dst", "weight"][: edge_file.table.num_columns]
    table = plain(edge_file.table).rename_columns(names)
    stated: Any = edge_file.vertices  # a range, a column of vertices, or None
    vertices = stated if isinstance(stated, range) else None
    if vertices is None and kind in COUNTED:
        if not len(table) and stated is None:
            vertices = range(COUNTED[kind], COUNTED[kind])
        elif all(map(pa.types.is_integer, table.schema.types[:2])):
            vertices = _span([*table.columns[:2], *([] if stated is None else [stated])], kind)
    return EdgeList(_pieces(table), len(table), vertices, table.schema)


def _pieces(table: pa.Table) -> Iterator[pa.Table]:
    """Yield slices of at most ``PIECE_EDGES`` rows."""
    for start in range(0, len(table), PIECE_EDGES):
        yield table.slice(start, PIECE_EDGES)


def _span(columns: list[Any], kind: str) -> range:
    """Return the range of vertices, from 0 or 1 to the largest id.

    The range starts at 1 if the format counts from 1 and no id is less than 1.
    """
    import pyarrow.compute as pc

    ends = [pc.min_max(column).as_py() for column in columns]
    least = min((end["min"] for end in ends if end["min"] is not None), default=1)
    largest = max((end["max"] for end in ends if end["max"] is not None), default=0)
    start = 1 if COUNTED[kind] == 1 and least >= 1 else 0
    return range(start, largest + 1)


def _count_isolated(edge_file: EdgeFile) -> int:
    """Return the number of vertices of a file that are in no edge."""
    import pyarrow as pa

    if edge_file.vertices is None:
        return 0
    ends = [chunk for column in edge_file.table.columns[:2] for chunk in column.chunks]
    return len(edge_file.vertices) - (len(pa.chunked_array(ends).unique()) if ends else 0)


def _rows(facts: dict[str, Any], source_format: str) -> dict[str, str | None]:
    """Return the facts as the rows of the printed report."""
    shift, lost, n = facts["id_shift"], facts["isolated_lost"], facts["vertices"]
    direction = "more" if shift > 0 else "less"
    lost_in_words = f"{lost:,} vertices without edges, which {facts['to']} does not store"
    return {
        "from": f"{facts['input']} ({source_format})",
        "columns": ", ".join(facts["columns"]),
        "to": f"{facts['output']} ({facts['to']})",
        "edges": f"{facts['edges']:,}" + (", with weights" if facts["weights"] else ""),
        "rows": str(Ledger.of_facts(facts["ledger"])).replace("linked", "written"),
        "vertices": None if n is None else f"{n:,}",
        "ids": f"each {abs(shift)} {direction} than before" if shift else None,
        "lost": lost_in_words if lost else None,
        "time": seconds(facts["seconds"]),
    }
