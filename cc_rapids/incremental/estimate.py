"""Estimates of a stream from a sample: the number of distinct ids, the bytes per id, and the time.

The sample is the beginning of about 1 % of the row groups (at least one), spread over the input,
or the first rows of a text file. Two bounds on the number of distinct ids always hold:

- The lower bound is the number of distinct ids in the sample.
- The upper bound assumes that every unread row contains two new ids. It never exceeds the integer
  range in Parquet metadata.

Two further numbers are estimates. They determine warnings and the estimated time:

- ``probable`` is a low estimate, which assumes that the sample is representative. It is the maximum
  of three estimates: for all ids, for the sources, and for the destinations. Each uses the
  estimator of Chao and Lin (2012) for ids drawn without replacement, from the numbers of ids that
  occur once and twice. If the numbers of ids that occur three and four times match random draws,
  the estimate of :func:`_at_random` is also used. If too few ids occur twice, or if equal ids are
  clustered as in a sorted list, the estimate is the number of distinct ids in the sample. Row
  groups with equal row counts and id ranges count as one. Rows with fewer bytes than sampled rows
  count proportionally less. If statistics show disjoint id ranges, the other row groups are assumed
  to have about the same number of ids as the sampled row groups.
- ``likely`` is a high estimate: each row group adds as many new ids as a sampled row group has.
"""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from ..data.files.formats.parquet import Footer
from ..data.files.input_file import Mark
from ..data.files.opening import opened
from ..data.files.text_head import TEXT
from ..data.memory_budget import LEAST_ROWS, Budget, bytes_of
from ..data.streams import (
    COPIES_OF_TEXT,
    TEXT_ROW_BYTES,
    Cursor,
    Files,
    Fragments,
    Part,
    Source,
)
from ..errors import CapacityWarning, FormatError
from ..results.lookup import warn

Ids = np.ndarray[Any, np.dtype[np.int64]]
Counts = np.ndarray[Any, np.dtype[np.float64]]
Sides = list[Ids]
Sample = tuple[Any, Any, Any]  # a table, and the columns of its sides

SHARE = 100  # 1 / SHARE of the row groups are sampled
MOST_SAMPLED = 1 << 18  # max. rows of a sample
DEVIATIONS = 2.5  # standard deviations by which a count in the sample may be too low
FEWEST = 30  # min. number of repeated ids from which a number of ids is estimated
MOST_CLUSTERED = 1.3  # ids count as random draws if moments are at most this multiple of Poisson's
MOST_UNEVEN = 1.05  # max. rate of equal ids in a side or between sides, relative to the mean rate
BLOCKS = 8  # blocks of a sample
MOST_UNEVEN_BLOCKS = 1.5  # max. rate of equal ids in or between blocks, relative to the mean rate
OFFSET_BYTES = 8  # bytes of a string in addition to its text
LONG, LONG_TEXT = 500_000, 200_000_000  # inputs with fewer edges, or bytes of text, are not sampled
LONG_INTEGERS = 10_000_000  # LONG for integer ids, whose runs are faster
MARGIN_OF_ONE, MARGIN = 1.5, 1.1  # factors of the high estimate from one row group, or from several
SHARE_OF_SORTED = 0.5  # min. ids per row of a sorted row group, relative to the sampled ones
TEXT_SAMPLE, TEXT_PLACES = 1 << 16, 8  # bytes read at each position of a text file, and positions
UNPACKED_SAMPLE = 1 << 22  # bytes read from a compressed text file
EDGE_SECONDS = {"range": 1 / 30e6, "integers": 1 / 8e6, "strings": 0.5e-6}
BYTE_SECONDS = 8e-9  # per byte of the strings of an edge
PARSED_SECONDS = 0.1e-6  # per row and column of ids of text files
MERGED_SECONDS = {"strings": 0.5e-6}  # for each chunk, per vertex so far
MERGED_BYTE_SECONDS = 6e-9  # for each chunk, per byte of the text of the vertices so far
START_SECONDS = 0.05
WHOLE_SHARE = 0.3  # the time for strings in one piece, relative to the time in chunks


@dataclass(frozen=True)
class Estimate:
    """The estimated ids of a list of edges.

    ``least`` and ``most`` are bounds on the number of distinct ids. ``probable`` and ``likely`` are
    a low and a high estimate of it: see the docstring of this module.
    """

    least: int
    most: int
    strings: bool  # whether the ids are strings, in at least one column
    text: float  # the mean bytes of the strings of an id, with their offsets
    rows: int  # the number of rows of the sample
    probable: int = 0
    likely: int = 0


def estimate(
    source: Source, edges: int | None, limit: int, rows: int = MOST_SAMPLED
) -> Estimate | None:
    """Return the estimate for a list of length ``edges`` from a sample of at most ``rows`` rows.

    ``limit`` is the memory limit in bytes. The sample includes rows that a filter leaves out, so
    only ``most``, ``text`` and ``strings`` hold for a filtered source. Return None for sources
    without statistics.
    """
    if edges is None or not isinstance(source, Files | Fragments):
        return None
    facts = source.measure()
    places = _places(facts.get("groups"), facts.get("footers"))
    parts = [_sample_at(source, place, rows // len(places), limit) for place in places]
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return Estimate(0, 0, False, 0.0, 0)
    codes, text = _coded(parts)
    sampled = sum(len(frame) for frame, _, _ in parts)
    comparable = max(sampled, _comparable_rows(facts, places, edges))
    seen = _distinct(np.concatenate([ids for sides in codes for ids in sides]))
    max_ids = seen + 2 * max(0, edges - sampled)
    if span := facts["span"]:  # the least and the greatest integer id
        max_ids = min(max_ids, span[1] - span[0] + 1)
    probable = max(_probable(codes, comparable), _probable_sorted(codes, facts, comparable))
    probable = min(probable, max_ids)
    likely = max(probable, min(_likely(codes, edges), max_ids))
    return Estimate(seen, max_ids, text > 0, text, sampled, probable, likely)


def _places(groups: list[int] | None, footers: list[Footer] | None) -> list[Cursor]:
    """Return the positions of 1 % of the row groups that have rows (at least one), evenly spaced.

    ``groups`` has the number of row groups of each file, or None for text.
    """
    if not groups:
        return [Cursor()]
    ends = np.cumsum(groups)
    with_rows = np.arange(int(ends[-1]))
    if footers is not None:
        with_rows = np.flatnonzero([footer.rows > 0 for footer in footers])
    total = with_rows.size
    if not total:
        return []
    count = max(1, total // SHARE)
    sampled = with_rows[((np.arange(count) + 0.5) * total / count).astype(np.int64)]
    files = np.searchsorted(ends, sampled, side="right")
    groups_in_files = sampled - (ends - groups)[files]
    return [
        Cursor(int(file), int(group)) for file, group in zip(files, groups_in_files, strict=True)
    ]


def _comparable_rows(facts: dict[str, Any], places: list[Cursor], edges: int) -> int:
    """Return the number of rows that may add new ids at the rate of the sample.

    Row groups with equal row counts and id ranges are treated as repetitions of one. Rows that
    have fewer bytes than the rows of the sample count proportionally less.
    """
    footers = facts.get("footers")
    if not footers:
        return edges
    first_groups = np.cumsum([0, *facts["groups"]])  # by file
    sampled = [footers[int(first_groups[place.file]) + place.group] for place in places]
    sampled_rows = sum(footer.rows for footer in sampled)
    bytes_per_row = sum(footer.size for footer in sampled) / max(1, sampled_rows) or 1.0
    distinct = {(footer.rows, *footer.bounds): footer for footer in footers}.values()
    rows: float = sum(min(footer.rows, footer.size / bytes_per_row) for footer in distinct)
    return math.ceil(rows)


def _sample_at(source: Files | Fragments, place: Cursor, rows: int, limit: int) -> Sample:
    """Return the first rows, about ``rows``, of a row group or of text files, and their columns."""
    if source.parts[place.file].format == "parquet":  # a page may be larger than the run's limit
        limit = max(limit, bytes_of(None))
    budget = Budget(limit, source.fixed, rows=max(LEAST_ROWS, rows))
    with closing(source.unfiltered().read(place, budget, None)) as chunks:
        try:
            for chunk in chunks:
                if len(chunk.frame):
                    return chunk.frame, chunk.source, chunk.destination
        except FormatError:  # a run skips the file
            if not source.skips:
                raise
    return [], [], []  # no rows, or a skipped file


def _coded(parts: list[Sample]) -> tuple[list[Sides], float]:
    """Return the ids of each side of each part as codes, and the mean bytes of an id's strings.

    Equal ids have equal codes. Ids with a null are left out. The bytes are 0 for integers.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    sides = []
    for frame, *ends in parts:
        for names in ends:
            names_of_side = [names] if isinstance(names, str) else names
            columns = [_plain(frame.column(name)) for name in names_of_side]
            valid = reduce(pc.and_, map(pc.is_valid, columns))
            sides.append([column.filter(valid) for column in columns])
    # A value of the first column is coded by its number among the distinct values. Each further
    # column numbers the distinct pairs (code so far, number of the value in this column).
    id_codes: Ids = np.zeros(0, np.int64)
    text = 0.0
    for k in range(len(sides[0])):
        columns = [side[k] for side in sides]
        if len({str(column.type) for column in columns}) > 1:
            columns = [column.cast(pa.large_string()) for column in columns]
        coded = pa.concat_arrays(columns).dictionary_encode()
        values, numbers = coded.dictionary, coded.indices.to_numpy().astype(np.int64)
        if not pa.types.is_integer(values.type) and len(values):
            text += float(pc.mean(pc.binary_length(values)).as_py()) + OFFSET_BYTES
        id_codes = np.unique(id_codes << 32 | numbers, return_inverse=True)[1] if k else numbers
    ends_of_sides = np.cumsum([len(side[0]) for side in sides])
    codes: Sides = np.split(id_codes, ends_of_sides[:-1])
    return [codes[k : k + 2] for k in range(0, len(codes), 2)], text


def _plain(column: Any) -> Any:
    """Return a column as one array without a dictionary, with all integers of one type."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_integer(column.type):
        return column if column.type == pa.uint64() else column.cast(pa.int64())
    return column.cast(pa.large_string())


def _probable(codes: list[Sides], edges: int) -> int:
    """Return the greatest of the low estimates for all ids, for the sources and the destinations.

    ``codes`` are the ids of the sample, and ``edges`` is the number of rows that they represent.
    """
    src, dst = (np.concatenate([sides[k] for sides in codes]) for k in (0, 1))
    size = 1 + max((int(ids.max()) for ids in (src, dst) if ids.size), default=0)
    of_src, of_dst = _by_block(src, size), _by_block(dst, size)
    of_both = of_src + of_dst
    counts_of_src, counts_of_dst = (table.sum(0).astype(np.float64) for table in (of_src, of_dst))
    counts = counts_of_src + counts_of_dst
    distinct = int(np.count_nonzero(counts))
    for table, counts_of_side in ((of_src, counts_of_src), (of_dst, counts_of_dst)):
        if _is_even(table):
            distinct = max(distinct, _chao_lin(counts_of_side, edges, factor=1.0))
    if not _is_even(of_both):
        return distinct
    factor = _unevenness(counts_of_src, counts_of_dst)
    distinct = max(distinct, _chao_lin(counts, 2 * edges, factor))
    if factor <= MOST_UNEVEN:
        distinct = max(distinct, _at_random(counts, 2 * edges, factor))
    return distinct


def _unevenness(counts_of_src: Counts, counts_of_dst: Counts) -> float:
    """Return the maximum rate of equal ids in or between sides, relative to the mean; at least 1.

    The counts are how often each id occurs among the sources and among the destinations.
    """
    src, dst, counts = counts_of_src, counts_of_dst, counts_of_src + counts_of_dst
    # lower bounds of the rates in the sources, in the destinations, and between both
    rates = [
        _rate(float((src * (src - 1)).sum()), float(src.sum() * (src.sum() - 1))),
        _rate(float((dst * (dst - 1)).sum()), float(dst.sum() * (dst.sum() - 1))),
        _rate(float((src * dst).sum()), float(src.sum() * dst.sum())),
    ]
    end_count = float(counts.sum())
    mean = float((counts * (counts - 1)).sum()) / max(1.0, end_count * (end_count - 1))
    return max(1.0, max(rates) / mean) if mean else 1.0


def _by_block(ids: Ids, size: int) -> Ids:
    """Count each id in each of BLOCKS consecutive equal parts of the sample: one row per part."""
    blocks = np.arange(ids.size) * BLOCKS // max(1, ids.size)
    return np.bincount(blocks * size + ids, minlength=BLOCKS * size).reshape(BLOCKS, size)


def _is_even(table: Ids) -> bool:
    """Return whether equal ids are about as frequent in every block and between any two blocks.

    This fails for a sorted list, where equal ids are adjacent, and for a list that repeats itself.
    ``table`` is a result of :func:`_by_block`.
    """
    sizes = table.sum(1).astype(np.float64)
    repeated = table[:, table.sum(0) > 1].astype(np.float64)  # other ids form no pairs
    # the numbers of pairs of equal ids, and of all pairs, for any two blocks; pairs of an end with
    # itself are subtracted
    equal = repeated @ repeated.T - np.diag(repeated.sum(1))
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    mean = equal.sum() / max(1.0, pairs.sum())
    min_equal = equal - DEVIATIONS * np.sqrt(equal)
    return bool((min_equal <= MOST_UNEVEN_BLOCKS * mean * pairs).all())


def _distinct(codes: Ids) -> int:
    """Return the number of distinct codes, which are small integers."""
    return int(np.count_nonzero(np.bincount(codes)))


def _rate(equal: float, pairs: float) -> float:
    """Return a lower bound of the proportion of pairs of equal ids among all pairs."""
    return max(0.0, equal - DEVIATIONS * math.sqrt(equal)) / max(1.0, pairs)


def _chao_lin(counts: Counts, total: int, factor: float) -> int:
    """Return a low Chao-Lin estimate of the number of distinct ids of a list.

    The estimate is low because it uses an upper confidence bound of the number of ids that occur
    twice. ``counts`` are how often each id occurs in the sample, and ``total`` is the number of
    ends in the whole list. The greater ``factor`` is, the more repeated ids are assumed. It is a
    result of :func:`_unevenness`.
    """
    size = float(counts.sum())
    seen, once, twice = (int(n.sum()) for n in (counts > 0, counts == 1, counts == 2))
    if size >= total or twice < FEWEST:
        return seen
    share = size / total
    # an upper bound of the mean of a Poisson distribution, given a count
    max_twice = factor * (twice + DEVIATIONS * math.sqrt(twice) + DEVIATIONS**2 / 2)
    # the estimator of Chao and Lin, with ``max_twice`` in place of ``twice``
    unseen = once**2 / (2 * max_twice + share / (1 - share) * once) if once else 0.0
    return min(total, seen + int(unseen))


def _at_random(counts: Counts, total: int, factor: float) -> int:
    """Return a low estimate of the number of distinct ids of a list whose ids are random draws.

    The counts of N ids in the list are assumed to have a binomial distribution with the parameters
    n and p. The sums of their factorial moments are then

    - total  = N n p,
    - second = N n (n - 1) p^2,
    - third  = N n (n - 1) (n - 2) p^3,

    which determine N, n and p. Each sum is estimated by the sum in the sample, divided by a power
    of the sampling fraction. Return 0 if the sample has too few repeated ids, or if ids are more
    clustered than random draws. The parameters are as in :func:`_chao_lin`.
    """
    share = float(counts.sum()) / total
    if share >= 1:
        return 0
    # the numbers of pairs, triples and quadruples of equal ids in the sample
    falling = np.cumprod([counts - k for k in range(4)], axis=0)  # c, c (c - 1), ...
    pairs, triples, quadruples = falling[1:].sum(axis=1) / (2, 6, 24)
    if min(pairs, triples) < FEWEST:
        return 0
    second = 2 * pairs / share**2
    third, fourth = 6 * triples / share**3, 24 * quadruples / share**4
    # for a Poisson distribution, both sides are equal without MOST_CLUSTERED
    if total * third > MOST_CLUSTERED * second**2:
        return 0
    if quadruples >= FEWEST and total**2 * fourth > MOST_CLUSTERED * second**3:
        return 0
    # A greater second and a smaller third moment make the estimate low.
    second *= factor * (1 + DEVIATIONS / math.sqrt(pairs))
    third *= 1 - DEVIATIONS / math.sqrt(triples)
    ratio = min(total * third / second**2, 1 - 1e-6)  # (n - 2) / (n - 1)
    n = max((2 - ratio) / (1 - ratio), second / total + 1)  # the second bound makes p at most 1
    p = min(1.0, second / total / (n - 1))
    ids = total / (n * p)
    return int(ids * (1 - (1 - p) ** n))  # ids that occur at least once


def _probable_sorted(codes: list[Sides], facts: dict[str, Any], edges: int) -> int:
    """Return the low estimate if row groups have disjoint ranges of ids of one column; otherwise 0.

    ``edges`` is the number of rows that the sample represents.
    """
    distinct = 0
    bounds = [footer.bounds for footer in facts.get("footers") or () if footer.rows]
    columns = list(zip(*bounds, strict=True))  # the ranges of ids in all row groups, by column
    for k, ranges in enumerate(columns if len(columns) <= 2 else ()):
        if len(ranges) < 2 or not _disjoint(list(ranges)):
            continue
        ratios = [_distinct(sides[k]) / sides[k].size for sides in codes if sides[k].size]
        low = min(ratios, default=0.0) * SHARE_OF_SORTED * edges
        # the last id of a row group may be the first id of the next
        distinct = max(distinct, int(low) - len(ranges))
    return distinct


def _disjoint(ranges: list[tuple[Any, Any]]) -> bool:
    """Return whether the ranges of row groups overlap at most at their ends."""
    if any(low is None for low, _ in ranges):
        return False
    try:
        ranges = sorted(ranges)
        return all(range_[1] <= next_range[0] for range_, next_range in pairwise(ranges))
    except TypeError:
        return False


def _likely(codes: list[Sides], edges: int) -> int:
    """Return the high estimate: each row group adds as many ids as a sampled row group has."""
    ids_of_parts = [np.concatenate(sides) for sides in codes]
    ratios = np.array([_distinct(part) / part.size for part in ids_of_parts if part.size])
    if not ratios.size:
        return 0
    sampled = sum(part.size for part in ids_of_parts)
    if sampled >= 2 * edges:
        return _distinct(np.concatenate(ids_of_parts))
    margin = MARGIN_OF_ONE
    if ratios.size > 1:  # add three standard errors of the mean ratio
        margin = MARGIN + 3 * float(ratios.std(ddof=1) / ratios.mean()) / math.sqrt(ratios.size)
    return min(2 * edges, math.ceil(margin * float(ratios.mean()) * 2 * edges) + 1)


def bounds_of_ids(source: Source, max_vertices: int | None) -> tuple[int, int] | None:
    """Return upper bounds on the number of distinct ids and on their bytes; None if unknown.

    For Parquet files, the number is ``max_vertices``. The bytes of their strings are at most the
    decompressed bytes of the columns. In an uncompressed text file, an id takes at least two bytes
    with its delimiter. In UTF-8, it takes at most twice as many bytes as in the file.
    """
    if not isinstance(source, Files | Fragments):
        return None
    footers = source.measure().get("footers")
    if footers is not None and max_vertices is not None:
        texts = [footer.text for footer in footers if footer.text is not None]
        return (max_vertices, sum(texts)) if len(texts) == len(footers) else None
    size = 0
    for part in source.parts:
        mark = _mark_of_local_text(part)
        if mark is None:
            return None
        with opened(part.path, mark) as file:
            if not file.is_plain:
                return None
        size += mark.size + 1
    return size // 2, 2 * size


def text_rows(source: Source) -> int | None:
    """Return an estimate of the rows of text files from a few positions; None if unknown."""
    if not isinstance(source, Files):
        return None
    total = 0.0
    for part in source.parts:
        mark = _mark_of_local_text(part)
        if mark is None:
            return None
        try:
            lines, size = _lines(part.path, mark)
        except FormatError:  # a run skips the file
            if not source.skips:
                raise
            continue
        total += mark.size * lines / size if size else 0
    return round(total)


def _mark_of_local_text(part: Part) -> Mark | None:
    """Return the mark of a local text file, which has its size; None for other parts."""
    return part.mark if part.format in TEXT and "://" not in part.path else None


def _lines(path: str, mark: Mark) -> tuple[int, int]:
    """Count the lines and bytes at a few positions of a file, or at its start if compressed."""
    lines = size = 0
    with opened(path, mark) as file:
        if not file.is_plain:
            block = file.read(UNPACKED_SAMPLE)
            return block.count(b"\n"), file.raw.tell()  # compressed bytes, as the size of the file
        step = max(TEXT_SAMPLE, mark.size // TEXT_PLACES)
        for position in range(0, mark.size, step):
            file.raw.seek(position)
            block = file.raw.read(TEXT_SAMPLE) or b""
            lines, size = lines + block.count(b"\n"), size + len(block)
    return lines, size


def run_seconds(
    kind: str,
    edges: int,
    vertices: int,
    text: float,
    width: int,
    text_files: bool,
    whole: bool,
    budget: Budget,
) -> float:
    """Return the estimated seconds of a run on two CPU cores, excluding kernel compilation.

    Each chunk of strings is merged with all strings so far. With a small memory limit there are
    many chunks, so the run takes longer.

    ``kind`` is the kind of ids, see :class:`Budget`. An id has ``width`` columns, and its strings
    have ``text`` bytes on average. ``text_files`` tells whether text files are parsed, and
    ``whole`` whether edges that fit into memory are solved in one piece.
    """
    seconds_per_edge = EDGE_SECONDS[kind] * width + 2 * text * BYTE_SECONDS
    if text_files:
        seconds_per_edge += PARSED_SECONDS * width
    seconds = START_SECONDS + seconds_per_edge * edges
    if kind not in MERGED_SECONDS or not edges:
        return seconds
    merge_seconds = MERGED_SECONDS[kind] * width + text * MERGED_BYTE_SECONDS
    size = edges * (TEXT_ROW_BYTES + COPIES_OF_TEXT * 2 * text)
    if whole and size <= budget.limit:
        in_chunks = seconds_per_edge * edges + merge_seconds * vertices
        return START_SECONDS + WHOLE_SHARE * in_chunks
    # Chunks become smaller as the vertices take more of the limit.
    bytes_per_edge = budget.edge_bytes(kind, width)
    linked_edges, vertices_per_edge = 0, vertices / edges
    while linked_edges < edges:
        linked_vertices = linked_edges * vertices_per_edge
        free_bytes = budget.limit - budget.vertex_bytes(
            kind, int(linked_vertices), int(linked_vertices * text), width
        )
        if free_bytes < LEAST_ROWS * bytes_per_edge:
            break
        linked_edges += min(budget.max_rows, int(free_bytes // bytes_per_edge))
        seconds += merge_seconds * min(linked_edges, edges) * vertices_per_edge
    return seconds


def warn_ahead(source: Source, count: int | None, budget: Budget, width: int) -> None:
    """Warn before reading if the probable number of vertices does not fit into the budget.

    A short list is not sampled, because its run would fail soon. A list that certainly fits is not
    sampled either. ``count`` is the argument ``num_vertices``, and ``width`` is the number of
    columns of an id.
    """
    facts = source.measure()
    edges, span = facts["edges"], facts["span"]
    if count is not None or source.filtered or not isinstance(source, Files | Fragments):
        return
    if edges is None and isinstance(source, Files):
        size = sum(part.mark.size for part in source.parts if part.mark)
        edges = text_rows(source) if size >= LONG_TEXT else None
    if edges is None or edges < (LONG_INTEGERS if span else LONG):
        return
    if span:
        max_vertices = min(2 * edges, span[1] - span[0] + 1)
        if budget.needed("integers", max_vertices, width=width) <= budget.limit:
            return
    edges_per_row = 600 if span else 20  # runs of integers are faster, so fewer rows are sampled
    rows = min(MOST_SAMPLED, edges // edges_per_row, budget.free_bytes // budget.edge)
    ids = estimate(source, edges, budget.limit, rows)
    if ids is None:
        return
    kind = "strings" if ids.strings else "integers"
    needed = budget.needed(kind, ids.probable, ids.text if ids.strings else 0.0, width)
    if needed <= budget.limit:
        return
    suggested_limit = budget.in_words(needed + needed // 20)
    warn(
        f"the {edges:,} edges probably have {ids.probable:,} distinct ids or more, according to"
        f" a sample of {ids.rows:,} rows. These ids take {budget.in_words(needed)}, but"
        f" memory_limit is {budget.in_words(budget.limit)}: the run is likely to fail; raise the"
        f" limit to {suggested_limit}",
        CapacityWarning,
    )
