"""Any list by any door, with options at random: the answer, and its ledger, by SciPy's count.

What is expected comes from NumPy, pandas and SciPy over dense numbers. A refusal is right where a
line of ``refusals`` says so, and then it has to come.
"""

from __future__ import annotations

import io
import math
import tempfile
import uuid
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import scipy.sparse as sp
from scipy.sparse import csgraph
from support import sizes

import cc_rapids
from cc_rapids import (
    CapacityError,
    CcRapidsError,
    CcRapidsWarning,
    CheckpointError,
    DesignError,
    InputError,
    LedgerError,
    NullsError,
)
from cc_rapids.data import memory_budget

from . import trials

LABELS = ["min", "max", "dense", "size"]
HUGE = [2**62, -(2**62) + 1, 2**53 + 1, 2**53, -(2**53) - 1]
FLOATS = [1e300, -1e300, math.inf, -math.inf, -0.0, 0.0, 5e-324, 0.1, 0.7]
AMPLE = 1 << 29  # bytes, in which every list of a trial fits


class Stopped(Exception):  # noqa: N818
    """What a caller's own code raises."""


# ---------------------------------------------------------------------------------- the edge list


@dataclass
class Edges:
    """An edge list by dense numbers, and as a table of PyArrow's."""

    kind: str
    ids: list  # of each number, in increasing order
    src: np.ndarray
    dst: np.ndarray
    hole: np.ndarray  # rows with a null end
    table: pa.Table
    source: list
    destination: list
    weights: pd.Series  # of Python's numbers; None where there is none
    weight: str
    wide: bool  # whether no weight is a 32-bit float

    def __len__(self):
        return self.src.size

    def part(self, low, high):
        """Some of the rows, in a row."""
        sides = (side[low:high] for side in (self.src, self.dst, self.hole))
        table = self.table.slice(low, high - low)
        rest = self.source, self.destination, self.weights[low:high], self.weight, self.wide
        return Edges(self.kind, self.ids, *sides, table, *rest)

    def taken(self, rows):
        """Rows in another order."""
        sides = (side[rows] for side in (self.src, self.dst, self.hole))
        weights = self.weights.iloc[rows].reset_index(drop=True)
        rest = self.source, self.destination, weights, self.weight, self.wide
        return Edges(self.kind, self.ids, *sides, self.table.take(pa.array(rows)), *rest)

    @property
    def integers(self):
        return self.kind in ("near", "far", "high", "negative", "spread", "int8")

    @property
    def words(self):
        return self.kind in ("words", "odd words", "uuid", "category")

    @property
    def plain(self):
        """Whether columns of NumPy's hold all ids: one column a side, and no nulls."""
        return len(self.source) == 1 and not self.hole.any()

    def column(self, side):
        """One side, as NumPy's array or as a list."""
        name = (self.source, self.destination)[side][0]
        found = self.table.column(name).combine_chunks()
        if self.integers and not found.null_count:
            return found.to_numpy(zero_copy_only=False)
        return found.to_pylist()


def draw(random, engine):
    """A random list."""
    graph = trials.Graph(random, 8000 if random.random() < 0.15 else 300 * trials.SCALE[engine])
    kinds = ["near", "int8", "negative", "far", "high", "spread", "words", "odd words"]
    kind = str(random.choice([*kinds, "near", "near", "uuid", "category", "pairs"]))
    if graph.n > 2000 and kind in ("odd words", "pairs"):
        kind = "words"
    n, m = graph.n, graph.src.size
    types = [None]
    if kind == "uuid":
        ids = sorted(str(uuid.UUID(bytes=random.bytes(16))) for _ in range(n))
    elif kind == "pairs":
        first, per = str(random.choice(["int", "word"])), int(random.integers(1, 9))
        ids = [(v // per, v % per * 7) for v in range(n)]
        ids = [(f"k{a:05}", b) if first == "word" else (a - 3, b) for a, b in ids]
        types = [pa.string() if first == "word" else pa.int16(), pa.int64()]
    else:
        made = trials.names(random, n, "words" if kind == "category" else kind)
        ids, dtype = made.tolist(), made.dtype
        types = [None if dtype.kind == "O" else pa.from_numpy_dtype(dtype)]
    if types == [None]:
        types = [random.choice([pa.string(), pa.large_string()])]
    if kind == "category":
        types = [pa.dictionary(pa.int32(), pa.string())]
    rate = float(random.choice([0, 0, 0, 0.02, 0.3, 1 if random.random() < 0.1 else 0.1]))
    holes = [random.random(m) < rate for _ in range(2)]
    plain = [("src", "dst"), ("id_l", "id_r"), ("a", "b"), ("from", "to")]
    pair = plain[int(random.integers(len(plain)))]
    sides, names = {}, []
    for side, codes, hole in zip(pair, (graph.src, graph.dst), holes, strict=True):
        values = [None if h else ids[v] for v, h in zip(codes.tolist(), hole.tolist(), strict=True)]
        if kind != "pairs":
            sides[side] = _array(values, types[0])
            names.append([side])
            continue
        which = random.random(m) < 0.5  # of the two columns, which has the null
        for k in range(2):
            part = [
                (None if w == k else 0 if k or types[0] != pa.string() else "k") if v is None
                else v[k]
                for v, w in zip(values, which.tolist(), strict=True)
            ]  # fmt: skip
            sides[f"{side}_{'ki'[k]}"] = pa.array(part, types[k])
        names.append([f"{side}_k", f"{side}_i"])
    weight = str(random.choice(["w", "score"]))
    weights = _weights(random, m)
    columns = sides | {weight: weights}
    if random.random() < 0.5:
        columns["x"] = pa.array(random.integers(0, 4, m), pa.int8())
    order = list(columns)
    if random.random() < 0.3:
        order = list(random.permutation(order))
    table = pa.table({name: columns[name] for name in order})
    numbers = [None if w is None or w != w else w for w in weights.to_pylist()]
    edges = Edges(
        kind, ids, graph.src, graph.dst, holes[0] | holes[1], table, *names,
        pd.Series(numbers, dtype=object), weight, weights.type != pa.float32(),
    )  # fmt: skip
    if m and random.random() < 0.3:  # by weight
        key = [-math.inf if w is None else w for w in numbers]
        edges = edges.taken(np.array(sorted(range(m), key=key.__getitem__)))
    return edges


def _array(values, kind):
    if pa.types.is_dictionary(kind):
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, kind)


def _weights(random, m):
    """A column of weights of some type."""
    kind = random.choice([pa.int32(), pa.int64(), pa.float32(), pa.float64()])
    shape = str(random.choice(["even", "equal", "negative", "huge", "few"]))
    if pa.types.is_integer(kind):
        values = {
            "even": random.integers(0, 100, m), "equal": np.full(m, 5), "few": np.arange(m) % 2,
            "negative": -random.integers(0, 100, m), "huge": random.choice(HUGE, m),
        }[shape].tolist()  # fmt: skip
        if kind == pa.int32():
            values = [v % 2**31 for v in values] if shape == "huge" else values
    else:
        values = {
            "even": random.random(m), "equal": np.full(m, 0.1), "few": np.arange(m) % 2 / 2,
            "negative": -random.random(m), "huge": random.choice(FLOATS, m),
        }[shape]  # fmt: skip
        with np.errstate(over="ignore"):
            values = values.astype(kind.to_pandas_dtype()).tolist()
    rate = float(random.choice([0, 0, 0.05, 0.5]))
    lost = random.random(m) < rate
    nan = float("nan") if pa.types.is_floating(kind) else None
    gone = [nan if random.random() < 0.5 else None for _ in range(m)]
    return pa.array([g if h else v for v, h, g in zip(values, lost, gone, strict=True)], kind)


# ------------------------------------------------------------------------------ what is expected


@dataclass
class Expected:
    """The answer over the kept rows of a list."""

    labels: dict  # kind -> label of each id
    components: int
    kept: np.ndarray  # rows
    reasons: dict  # -> rows


def within(weights, low, high, narrow):
    """Which weights are within bounds; 32-bit floats are compared as such."""
    found = []
    if narrow:
        with np.errstate(over="ignore"):
            low, high = (None if b is None else float(np.float32(b)) for b in (low, high))
    for w in weights:
        inside = w is not None and (low is None or w >= low) and (high is None or w <= high)
        found.append(inside)
    return np.array(found, bool)


def expect(edges, bound=None, narrow=False, filtered=None, extra=(), least_labels=False):
    """The answer by SciPy; ``extra`` are numbers of further vertices."""
    rows, reasons = np.ones(len(edges), bool), {}
    if filtered is not None:
        rows &= ~filtered
        reasons["filtered"] = int(filtered.sum())
    if bound is not None:
        there = np.array([w is not None for w in edges.weights], bool)
        reasons["null_weight"] = int((rows & ~there).sum())
        inside = within(edges.weights, *bound, narrow)
        reasons["out_of_bounds"] = int((rows & there & ~inside).sum())
        rows &= inside
    reasons["null_end"] = int((rows & edges.hole).sum())
    rows = rows & ~edges.hole
    labels, count = solved(edges, rows, extra)
    return Expected(labels, count, rows, {k: v for k, v in reasons.items() if v})


def solved(edges, rows, extra=()):
    """The labels of each kind for the rows, and the number of components."""
    n = len(edges.ids)
    src, dst = edges.src[rows], edges.dst[rows]
    matrix = sp.coo_array((np.ones(src.size, bool), (src, dst)), shape=(n, n))
    group = csgraph.connected_components(matrix, directed=False)[1]
    present = np.unique(np.concatenate([src, dst, np.asarray(extra, np.int64)])).astype(np.int64)
    frame = pd.DataFrame({"v": present, "g": group[present]})
    by = frame.groupby("g")["v"].agg(["min", "max", "size"]).sort_values("min")
    by["dense"] = np.arange(len(by))
    order = by.sort_values(["size", "min"], ascending=[False, True]).index
    by["place"] = pd.Series(np.arange(len(by)), index=order)
    of = by.loc[frame["g"]] if len(frame) else by
    ids = edges.ids
    vertex = [ids[v] for v in present.tolist()]
    labels = {
        "min": [ids[v] for v in of["min"].tolist()],
        "max": [ids[v] for v in of["max"].tolist()],
        "dense": of["dense"].tolist(),
        "size": of["place"].tolist(),
    }
    return {kind: dict(zip(vertex, found, strict=True)) for kind, found in labels.items()}, len(by)


def is_cupy(column):
    """Whether a column is an array of CuPy."""
    return type(column).__module__.startswith("cupy")


def columns_of(frame):
    """The columns of an answer's frame, as lists."""
    if hasattr(frame, "collect"):
        frame = frame.collect()
    if type(frame).__module__.startswith(("duckdb", "_duckdb")):
        frame = frame.to_arrow_table()
    if isinstance(frame, tuple):
        return [np.asarray(c.get() if is_cupy(c) else c).tolist() for c in frame]
    if isinstance(frame, pd.DataFrame):
        return [frame[name].tolist() for name in frame.columns]
    if isinstance(frame, dict):
        return [list(np.asarray(column)) for column in frame.values()]
    if hasattr(frame, "to_arrow"):
        frame = frame.to_arrow()
    return [column.to_pylist() for column in frame.columns]


def labels_of(frame, width, is_id):
    """The label of each vertex, in the order of the rows."""
    columns = columns_of(frame)
    vertex, labels = columns[:width], columns[width:]
    if width == 1:
        assert len(labels) == 1, len(columns)
        return dict(zip(vertex[0], labels[0], strict=True))
    label = list(zip(*labels, strict=True)) if is_id else labels[0]
    return dict(zip(zip(*vertex, strict=True), label, strict=True))


# -------------------------------------------------------------------------------------- the doors


@dataclass
class Given:
    """How a list is handed in."""

    make: object  # a function that returns it, each time the same
    options: dict = field(default_factory=dict)
    named: bool = True  # whether weights are a column
    weights: object = None  # else these
    narrow: bool = True  # whether 32-bit floats stay such
    comments: int = 0
    blanks: int = 0
    filtered: np.ndarray | None = None
    groups: bool = False  # whether statistics may leave rows out
    stream: bool = False  # whether it is read in chunks
    files: bool = False
    text: bool = False
    rows: bool = True  # whether a forest can number its rows
    orders: object = None  # another order of the same input
    order: np.ndarray | None = None  # of the rows


def _names(edges, optional=False, random=None):
    """The arguments of the columns, or none where they are the default."""
    one = len(edges.source) == 1
    if one and edges.source == ["src"] and (random is None or random.random() < 0.5):
        return {}
    if one and optional and edges.source[0] in ("id_l", "from") and random.random() < 0.5:
        return {}
    word = one and (random is None or random.random() < 0.8)
    sides = ((s[0] if word else s) for s in (edges.source, edges.destination))
    return dict(zip(("source", "destination"), sides, strict=True))


def frame_of(name):
    """A door through which a frame is handed in."""

    def door(edges, random, folder):
        frame = FRAMES[name](edges, random)
        return Given(lambda: frame, _names(edges, random=random), rows=name not in ("duckdb",))

    return door


def pandas_frame(edges, random):
    how = str(random.choice(["plain", "nullable", "arrow", "index"]))
    if how == "arrow":
        return edges.table.to_pandas(types_mapper=pd.ArrowDtype)
    kinds = {
        pa.int8(): pd.Int8Dtype(), pa.int16(): pd.Int16Dtype(), pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(), pa.uint16(): pd.UInt16Dtype(), pa.uint32(): pd.UInt32Dtype(),
        pa.uint64(): pd.UInt64Dtype(), pa.string(): pd.StringDtype(),
    }  # fmt: skip
    integers = any(pa.types.is_integer(f.type) for f in edges.table.schema)
    if how == "nullable" or (integers and any(c.null_count for c in edges.table.columns)):
        return edges.table.to_pandas(types_mapper=kinds.get)
    frame = edges.table.to_pandas()
    if how == "index":
        index = random.choice(["twice", "words", "far"])
        rows = np.arange(len(frame))
        frame.index = {
            "twice": rows // 2, "words": [f"r{k}" for k in rows], "far": rows * 1000 - 7,
        }[str(index)]  # fmt: skip
    return frame


def polars_frame(edges, random):
    import polars

    return polars.from_arrow(edges.table)


def arrow_table(edges, random):
    return edges.table


def chunked(edges, random):
    cuts = np.sort(random.integers(0, len(edges) + 1, int(random.integers(0, 4)))).tolist()
    ends = zip([0, *cuts], [*cuts, len(edges)], strict=True)
    return pa.concat_tables([edges.table.slice(a, b - a) for a, b in ends])


def record_batch(edges, random):
    table = edges.table.combine_chunks()
    batches = table.to_batches()
    return batches[0] if len(batches) == 1 else table


def cudf_frame(edges, random):
    import cudf

    return cudf.DataFrame.from_arrow(edges.table)


def relation(edges, random):
    import duckdb

    return duckdb.from_arrow(edges.table)


FRAMES = {
    "pandas": pandas_frame,
    "polars": polars_frame,
    "lazy": lambda edges, random: polars_frame(edges, random).lazy(),
    "arrow": arrow_table,
    "chunked": chunked,
    "batch": record_batch,
    "cudf": cudf_frame,
    "duckdb": relation,
}


def _weight_array(edges, random):
    column = edges.table.column(edges.weight).combine_chunks()
    if column.null_count and pa.types.is_integer(column.type):
        mask = column.is_null().to_numpy(zero_copy_only=False)
        values = column.fill_null(0).to_numpy(zero_copy_only=False)
        return (random.choice([0, 1]) and column) or np.ma.masked_array(values, mask)
    return column.to_numpy(zero_copy_only=False)


def columns(edges, random, folder):
    """A tuple of two columns."""
    names = edges.source[0], edges.destination[0]
    how = str(random.choice(["arrays", "lists", "series", "arrow", "mixed", "masked"]))
    sides = [edges.table.column(name).combine_chunks() for name in names]
    if edges.hole.any() and how in ("arrays", "series"):
        how = "lists"
    if how == "arrays":
        sides = [edges.column(k) for k in range(2)]
        sides = [np.array(s, object) if isinstance(s, list) else s for s in sides]
    elif how == "lists":
        sides = [side.to_pylist() for side in sides]
    elif how == "series":
        sides = [side.to_pandas() for side in sides]
    elif how == "mixed":
        sides = [sides[0], sides[1].to_pylist() if edges.words else sides[1].slice(0)]
    elif how == "masked" and edges.integers:
        sides = [
            np.ma.masked_array(s.fill_null(0).to_numpy(zero_copy_only=False),
                               s.is_null().to_numpy(zero_copy_only=False))
            for s in sides
        ]  # fmt: skip
    weights = _weight_array(edges, random)
    if how == "series" and type(weights) is np.ndarray:  # with nulls it would be of floats
        weights = pd.Series(weights)
    return Given(lambda: tuple(sides), named=False, weights=weights)


def edge_array(edges, random, folder):
    """An array of shape (E, 2)."""
    both = np.stack([edges.column(0), edges.column(1)], 1)
    if random.random() < 0.3:
        both = np.asfortranarray(both)
    return Given(lambda: both, named=False, weights=_weight_array(edges, random))


def pair_list(edges, random, folder):
    """A list of pairs."""
    sides = [edges.table.column(n).to_pylist() for n in (edges.source[0], edges.destination[0])]
    pairs = list(zip(*sides, strict=True))
    if random.random() < 0.3:
        pairs = [list(pair) for pair in pairs]
    return Given(lambda: pairs, named=False, weights=_weight_array(edges, random))


def mapping(edges, random, folder):
    """A dictionary of columns."""
    found = {}
    for name in edges.table.column_names:
        column = edges.table.column(name).combine_chunks()
        ends = name != edges.weight
        plain = not column.null_count and pa.types.is_integer(column.type)
        if name == edges.weight:
            found[name] = _weight_array(edges, random)
        elif ends and plain and random.random() < 0.5:
            found[name] = column.to_numpy(zero_copy_only=False)
        else:
            some = column.null_count < len(column)  # a list of None alone has no type
            found[name] = column.to_pylist() if some and random.random() < 0.5 else column
    return Given(lambda: found, _names(edges, random=random))


def matrix(edges, random, folder):
    """A sparse matrix of SciPy's; rows are its stored entries."""
    kind = str(random.choice(["coo", "csr", "csc", "lil", "dok", "bsr", "dia"]))
    n = len(edges.ids)
    if n > 400 and kind in ("dia", "bsr"):
        kind = "csr"
    coo = sp.coo_array((np.ones(len(edges)), (edges.src, edges.dst)), shape=(n, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of SciPy's, that a format is inefficient
        found = coo.asformat(kind)
    return Given(lambda: found, rows=False, stream=False)


def text(suffix):
    """A door of a text file."""

    def door(edges, random, folder):
        return text_file(edges, random, folder / f"edges.{suffix}", suffix)

    return door


def text_file(edges, random, path, suffix, header=None):
    """Write rows as text, perhaps with comments and blank lines."""
    separator = {"csv": ",", "tsv": "\t", "txt": " "}[suffix]
    blanks = comments = 0
    names = [*edges.source, *edges.destination, edges.weight]
    table = edges.table.select(names)
    form = header or str(random.choice(["header", "header", "none"]))
    sides = len(edges.source)
    if form == "none" and (sides > 1 or suffix == "txt"):
        form = "header"
    if suffix == "txt":
        form = "comment"
    lists = [column.to_pylist() for column in table.columns]
    lines = []
    end = str(random.choice(["\n", "\n", "\r\n"]))
    sparse = random.random() < 0.3 and len(names) > 1

    def word(value):
        if value is None or value != value:
            return "" if suffix != "txt" else "nan"
        if isinstance(value, str):
            return value if suffix == "txt" else '"' + value.replace('"', '""') + '"'
        return repr(value)

    if form == "header":
        lines.append(separator.join(names))
    elif form == "comment" and len(edges):  # a file of comments alone is refused
        comments = 2 if sparse else 1  # all of them above the first record
        lines += ["# a comment", "# " + " ".join(names)][-comments:]
    for row in zip(*lists, strict=True):
        lines.append(separator.join(map(word, row)))
        if sparse and random.random() < 0.1:
            lines.append("")
            blanks += 1
    if lines and not lines[-1]:
        lines.pop()
        blanks -= 1
    data = end.join(lines) + (end if lines and random.random() < 0.8 else "")
    packed = str(random.choice(["", "", "gz", "zst"]))
    path = Path(f"{path}.{packed}") if packed else Path(path)
    raw = data.encode()
    if packed:
        with pa.CompressedOutputStream(str(path), {"gz": "gzip", "zst": "zstd"}[packed]) as out:
            out.write(raw)
    else:
        path.write_bytes(raw)
    options = {}
    if form == "none":
        options["header"] = False
    else:
        options = _names(edges, True, random)
        if form == "header" and random.random() < 0.3:
            options["header"] = True
    weight = None
    if form == "none":
        weight = "col2"
    found = Given(
        lambda: random_path(path), options, narrow=False, comments=comments, blanks=blanks,
        files=True, text=True,
    )  # fmt: skip
    found.weights = weight
    return found


def random_path(path):
    return path if len(path.name) % 2 else str(path)


def parquet_file(edges, random, path):
    size = int(random.choice([1, 7, 100, 1000, 100_000])) if len(edges) < 3000 else 1000
    options = {"compression": str(random.choice(["none", "snappy", "zstd"]))}
    if random.random() < 0.3:
        options["write_statistics"] = False
    if random.random() < 0.3:
        options["use_dictionary"] = False
    pq.write_table(edges.table, path, row_group_size=size, **options)


def parquet(edges, random, folder):
    """A Parquet file of random row groups."""
    path = folder / "edges.parquet"
    parquet_file(edges, random, path)
    return Given(lambda: path, _names(edges, True, random), files=True, groups=True)


def arrow_file(edges, random, folder):
    """An Arrow file, or a stream of it."""
    path = folder / "edges.arrow"
    made = random.choice([pa.ipc.new_file, pa.ipc.new_stream])
    table = chunked(edges, random).unify_dictionaries()
    with made(str(path), table.schema) as out:
        out.write_table(table, max_chunksize=int(random.choice([3, 100, 10_000])))
    return Given(lambda: path, _names(edges, True, random), files=True)


def npz(edges, random, folder):
    """NumPy's arrays."""
    path = folder / "edges.npz"
    np.savez(path, src=edges.column(0), dst=edges.column(1))
    return Given(lambda: path, files=True, named=False)


def market(edges, random, folder):
    """A Matrix Market file, whose vertices are 1 .. n: ids are the numbers and one."""
    path, n = folder / "edges.mtx", len(edges.ids)
    lines = ["%%MatrixMarket matrix coordinate pattern general", "% a comment"]
    lines += [f"{n} {n} {len(edges)}"]
    lines += [f"{a + 1} {b + 1}" for a, b in zip(edges.src, edges.dst, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return Given(lambda: path, files=True, named=False)


def opened(edges, random, folder):
    """A file that is open, or bytes in memory."""
    kind = str(random.choice(["csv", "tsv", "txt", "parquet", "arrow"]))
    if kind == "txt" and not fits_blanks(edges):
        kind = "csv"
    if kind in ("csv", "tsv", "txt") and odd_lines(edges):
        kind = "parquet"
    if kind == "parquet":
        given = parquet(edges, random, folder)
    elif kind == "arrow":
        given = arrow_file(edges, random, folder)
    else:
        given = text(kind)(edges, random, folder)
    path = given.make()
    in_memory = random.random() < 0.5

    def make():
        return io.BytesIO(Path(path).read_bytes()) if in_memory else Path(path).open("rb")

    given.make = make
    return given


def fits_blanks(edges):
    """Whether text separated by blanks can hold the ids as they are."""
    return not edges.hole.any() and (edges.integers or edges.kind in ("uuid", "words"))


def odd_lines(edges):
    """Whether text holds the ids otherwise than a plain writer would expect."""
    return edges.words and len(edges) == 0


def cut(edges, random, most=4):
    """The rows in some parts."""
    cuts = np.sort(random.integers(0, len(edges) + 1, int(random.integers(0, most)))).tolist()
    return [edges.part(a, b) for a, b in zip([0, *cuts], [*cuts, len(edges)], strict=True)]


def several(how):
    """A door of several files."""

    def door(edges, random, folder):
        folder = folder / "parts"
        folder.mkdir()
        suffix = str(random.choice(["parquet", "parquet", "csv", "arrow"]))
        if suffix == "csv" and (odd_lines(edges) or edges.kind == "odd words"):
            suffix = "parquet"
        found = Given(None, files=True, groups=suffix == "parquet", narrow=suffix != "csv")
        found.text = suffix == "csv"
        paths = []
        for k, part in enumerate(cut(edges, random)):
            path = folder / f"{k}.{suffix}"
            if suffix == "parquet":
                parquet_file(part, random, path)
            elif suffix == "arrow":
                with pa.ipc.new_file(str(path), part.table.schema) as out:
                    out.write_table(part.table)
            else:
                one = text_file(part, random, path, "csv", "header")
                path = Path(one.make())
                found.blanks += one.blanks
            paths.append(path)
        found.options = _names(edges, False, random)
        if len(edges.source) == 1 and edges.source != ["src"]:
            found.options = {"source": edges.source[0], "destination": edges.destination[0]}
        if how == "folder":
            found.make = lambda: folder
        elif how == "pattern":
            found.make = lambda: str(folder / f"*.{suffix}*")
        else:
            found.make = lambda: list(paths)
            found.orders = lambda: list(reversed(paths))
        return found

    return door


def dataset(edges, random, folder):
    """A dataset of PyArrow's, partitioned or filtered."""
    folder = folder / "set"
    found = Given(None, stream=True, files=False, groups=True)
    if "x" in edges.table.column_names and random.random() < 0.6:
        part = np.array(edges.table.column("x").to_pylist(), np.int64)
        for value in np.unique(part).tolist():
            rows = np.flatnonzero(part == value)
            (folder / f"x={value}").mkdir(parents=True)
            piece = edges.taken(rows)
            piece.table = piece.table.drop_columns(["x"])
            parquet_file(piece, random, folder / f"x={value}" / "0.parquet")
        if not len(edges):
            folder.mkdir()
            parquet_file(edges, random, folder / "0.parquet")
        schema = None if not len(edges) else "hive"
        made = ds.dataset(folder, partitioning=schema)
        found.order = np.argsort(part, kind="stable")
    else:
        folder.mkdir()
        for k, piece in enumerate(cut(edges, random)):
            parquet_file(piece, random, folder / f"{k}.parquet")
        made = ds.dataset(folder)
    if "x" in edges.table.column_names and len(edges) and random.random() < 0.5:
        value = int(random.integers(0, 4))
        made = made.filter(ds.field("x") <= value)
        found.filtered = np.array(edges.table.column("x").to_pylist(), np.int64) > value
        order = np.arange(len(edges)) if found.order is None else found.order
        found.order = order[~found.filtered[order]]
    found.make, found.options = lambda: made, _names(edges, random=random)
    return found


def reader(edges, random, folder):
    """A RecordBatchReader."""
    size = int(random.choice([1, 10, 1000])) if len(edges) < 500 else 1000
    table = edges.table.combine_chunks()
    return Given(lambda: table.to_reader(size), _names(edges, random=random), stream=True)


def frames_of(how):
    """A door of several frames."""

    def door(edges, random, folder):
        kinds = [k for k in ("pandas", "polars", "arrow", "chunked", "batch", "cudf") if usable(k)]
        kind = str(random.choice(kinds))
        parts = [FRAMES[kind](part, random) for part in cut(edges, random)]
        options = _names(edges, random=random)
        if how == "list":
            return Given(lambda: list(parts), options, stream=True)
        return Given(lambda: (part for part in parts), options, stream=True)

    return door


def always(edges):
    return True


def one_column(edges):
    return len(edges.source) == 1


def numbered(edges):
    """Whether ids are the numbers themselves."""
    return edges.kind == "near" and not edges.hole.any()


def in_text(edges):
    return not odd_lines(edges)


DOORS = {
    **{name: (always, frame_of(name)) for name in FRAMES},
    "columns": (one_column, columns),
    "array": (lambda e: e.plain and e.integers and len(e) > 0, edge_array),
    "pairs": (lambda e: one_column(e) and len(e) > 0, pair_list),
    "mapping": (always, mapping),
    "matrix": (numbered, matrix),
    "csv": (in_text, text("csv")),
    "tsv": (in_text, text("tsv")),
    "snap": (lambda e: fits_blanks(e) and in_text(e), text("txt")),
    "parquet": (always, parquet),
    "arrow file": (always, arrow_file),
    "npz": (lambda e: e.plain and e.integers, npz),
    "mtx": (numbered, market),
    "opened": (always, opened),
    "folder": (always, several("folder")),
    "pattern": (always, several("pattern")),
    "paths": (always, several("paths")),
    "dataset": (always, dataset),
    "reader": (always, reader),
    "frames": (always, frames_of("list")),
    "generator": (always, frames_of("generator")),
}


LIBRARY = {"polars": "polars", "lazy": "polars", "duckdb": "duckdb", "cudf": "cudf"}


def usable(name):
    """Whether the library of a door is installed."""
    return name not in LIBRARY or find_spec(LIBRARY[name]) is not None


# -------------------------------------------------------------------------------------- the trial

VERBS = ["components"] * 6 + ["stream"] * 3 + ["insert"] * 3
VERBS += ["at", "at", "forest", "min", "max", "bridges"]
CHOICES = ["bound", "nulls", "limit", "checkpoint", "labels", "vertices", "design", "frames"]
CHOICES += ["header", "progress", "bound", "nulls", "checkpoint", "limit"]
LIMITS = ["1KiB", 30 << 20, "48MiB", 70_000_000, "120MB", "200MiB", AMPLE]
BATCH_DESIGNS = [
    "none+async+halve",
    "none+rem-cas+halve-one",
    "shiloach-vishkin",
    "liu-tarjan(PRF)",
]


def doors(random, engine):
    """One list, one door, one question, some options; returns what happened, as counts."""
    edges = draw(random, engine)
    verb = str(random.choice(VERBS))
    names = [name for name, (fits, _) in DOORS.items() if fits(edges) and usable(name)]
    if engine == "cuda" and usable("cudf"):
        names += ["cudf"] * 6
    name = str(random.choice(names))
    if name == "mtx" and verb != "insert":
        edges.ids = [v + 1 for v in range(len(edges.ids))]
    asked = {str(one) for one in random.choice(CHOICES, int(random.integers(2, 6)), False)}
    told = [f"{edges.kind}, {len(edges)} rows, {len(edges.ids)} ids, {verb} by {name}, {asked}"]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        least = int(random.choice([16, 200, 1024]))
        stack.enter_context(mock.patch.object(memory_budget, "LEAST_ROWS", least))
        changed = {"progress_call_seconds": 0.0}
        if random.random() < 0.5:
            changed["text_block_bytes"] = int(random.choice([512, 5000]))
        stack.enter_context(sizes.override(**changed))
        stack.enter_context(warnings.catch_warnings())
        for text in ".* holds? no edges", ".* leaves? out every", "most edges are listed in both":
            warnings.filterwarnings("ignore", text, CcRapidsWarning)
        told.append(f"LEAST_ROWS {least}, {changed}")
        try:
            run = Trial(random, engine, edges, name, verb, asked, Path(folder), told)
            outcome = run.insert() if verb == "insert" else run.ask()
        except BaseException as error:
            error.add_note("\n".join(told))
            raise
    return {f"door {name}": 1, f"verb {verb}": 1, outcome: 1} | {f"with {one}": 1 for one in asked}


class Trial:
    """A question about a list, and the check of what comes."""

    def __init__(self, random, engine, edges, name, verb, asked, folder, told):
        self.random, self.engine, self.edges = random, engine, edges
        self.name, self.verb, self.asked, self.folder = name, verb, asked, folder
        self.told = told
        self.engine_option = {} if engine == "threads" and random.random() < 0.5 else {
            "engine": engine}  # fmt: skip
        default = "dense" if len(self.edges.source) > 1 else "min"
        self.kind = str(random.choice(LABELS)) if "labels" in asked else default
        self.drop = "nulls" in asked or (edges.hole.any() and random.random() < 0.5)
        self.design = None
        if "design" in asked:
            batch = verb in ("stream", "insert", "at") or random.random() < 0.5
            pool = BATCH_DESIGNS if batch else trials.DESIGNS
            self.design = str(random.choice(pool))
        self.extra = np.zeros(0, np.int64)
        self.vertices = {}
        if "vertices" in asked and name != "mtx":
            self.add_vertices()

    def add_vertices(self):
        edges, random = self.edges, self.random
        if edges.kind == "near" and random.random() < 0.5 and self.name != "mtx":
            count = len(edges.ids) + int(random.integers(0, 9))
            edges.ids = list(range(count))
            self.extra, self.vertices = np.arange(count), {"num_vertices": count}
            return
        self.extra = random.integers(0, len(edges.ids), int(random.integers(1, 9)))
        values = [edges.ids[v] for v in self.extra.tolist()]
        if edges.integers and edges.kind != "int8" and random.random() < 0.6:
            values = np.array(values, np.uint64 if edges.kind == "high" else np.int64)
        elif edges.words and random.random() < 0.5:
            values = pa.array(values)
        self.vertices = {"vertices": values}

    def bound(self):
        """A bound of weights near those of the list."""
        random = self.random
        known = [w for w in self.edges.weights if w is not None] or [0.5]
        ends = [known[int(random.integers(len(known)))] for _ in range(2)]
        if random.random() < 0.2:
            ends[0] = float(random.choice([0.0, 0.5, 1e301, -1.5, 2.5]))
        if random.random() < 0.1:
            ends[0] = int(random.choice(HUGE))
        low, high = min(ends), max(ends)
        if random.random() < 0.7:
            low, high = (low, None) if random.random() < 0.5 else (None, high)
        return low, high

    # ------------------------------------------------------------------------------- one question

    def ask(self):
        random, edges, verb, asked = self.random, self.edges, self.verb, self.asked
        given = DOORS[self.name][1](edges, random, self.folder)
        self.given = given
        options = given.options | self.engine_option | self.vertices
        weighs = verb in ("min", "max", "at")
        bound = self.bound() if "bound" in asked and verb != "at" else None
        weight = edges.weight if given.named and given.weights is None else given.weights
        if bound or weighs:
            options["weight"] = weight
        if bound:
            options |= {k: b for k, b in zip(("at_least", "at_most"), bound, strict=True)
                        if b is not None}  # fmt: skip
        if self.drop:
            options["nulls"] = "drop"
        if "labels" in asked:
            options["labels"] = self.kind
        if self.design:
            options["design"] = self.design
        if "header" in asked and "header" not in options and not given.text:
            options["header"] = True
        if verb in ("forest", "min", "max", "bridges") and random.random() < 0.8:
            asked -= {"limit", "progress", "checkpoint"}  # which are refused
        if verb != "at":
            if "limit" in asked:
                options["memory_limit"] = self.limit()
            if "frames" in asked:
                options["frames"] = str(random.choice(
                    [f for f in ("pyarrow", "pandas", "polars", "cudf") if find_spec(f)]
                ))  # fmt: skip
            if "progress" in asked:
                options["progress"] = lambda state: None
            if "checkpoint" in asked:
                options["checkpoint"] = self.folder / "state"
                options["checkpoint_every"] = float(random.choice([0.0, 60.0]))
        if verb in ("forest", "min", "max"):
            options["forest"] = True if verb == "forest" else verb
        shown = {k: v for k, v in options.items() if k not in ("weight", "vertices")}
        self.told.append(f"{shown}, weight of {edges.table.schema.field(edges.weight).type}")
        why = refusals(self.name, verb, given, options, edges)
        found, error = self.answer(options)
        if error is not None and not isinstance(error, InputError | CapacityError):
            raise AssertionError("an error that no input deserves") from error
        if why:
            if not isinstance(error, InputError):
                raise AssertionError(f"taken, and documented as refused: {why}") from error
            return f"refused: {why[0]}"
        if isinstance(error, CapacityError):
            limit = options.get("memory_limit", AMPLE)
            assert memory_budget.bytes_of(limit) < AMPLE, error
            return "CapacityError"
        if isinstance(error, DesignError) and self.design:
            return "DesignError"
        forest = verb in ("forest", "min", "max", "bridges")
        if forest and options.get("engine") == "cuda" and "read in chunks" in str(error):
            return "refused: a forest of several files on a GPU"
        wanted = self.expected(bound)
        lost = self.lost_weights(bound)
        if not self.drop and ("null_end" in wanted.reasons or lost):
            if not isinstance(error, NullsError):
                raise AssertionError(f"{wanted.reasons}, {lost} lost weights") from error
            return "NullsError"
        if error is not None:
            raise AssertionError("refused without a documented reason") from error
        getattr(self, f"check_{verb}", self.check)(found, wanted, lost)
        return "answer"

    def limit(self):
        return LIMITS[int(self.random.integers(len(LIMITS)))]

    def expected(self, bound):
        edges, given = self.edges, self.given
        extra = self.extra
        if self.name in ("matrix", "mtx"):
            extra = np.arange(len(edges.ids))
        narrow = not edges.wide and given.narrow
        return expect(edges, bound, narrow, given.filtered, extra)

    def lost_weights(self, bound):
        """Rows without a weight, which a question by weight cannot take."""
        if self.verb not in ("min", "max", "at") or bound is not None:
            return 0
        kept = np.ones(len(self.edges), bool) if self.given.filtered is None else (
            ~self.given.filtered)  # fmt: skip
        return int(sum(w is None for w in self.edges.weights[kept]))

    def call(self, options):
        edges = self.given.make()
        if self.verb == "stream":
            return cc_rapids.stream_components(edges, **options)
        if self.verb == "at":
            known = sorted({w for w in self.edges.weights if w is not None}) or [0.5]
            pick = self.random.choice(len(known), min(3, len(known)), False)
            self.thresholds = [known[int(k)] for k in pick]
            self.direction = str(self.random.choice(["at_least", "at_most"]))
            ways = {"thresholds": self.thresholds, "direction": self.direction}
            return cc_rapids.components_at(edges, **options | ways)
        if self.verb == "bridges":
            return cc_rapids.bridges(edges, **options)
        return cc_rapids.components(edges, **options)

    def answer(self, options):
        """What comes, after some interruptions if there is a checkpoint; or an error of ours."""
        random, stops = self.random, 0
        if "checkpoint" in options:
            stops = int(random.integers(0, 4))
        for stop in range(stops):
            ways = options | {"progress": _stopping(int(random.integers(1, 6)))}
            if random.random() < 0.4:
                ways["memory_limit"] = self.limit()
            if random.random() < 0.2:
                ways["labels"] = str(random.choice(LABELS))
            try:
                self.call(ways)
            except Stopped:
                self.told.append(f"stopped {stop}")
            except LedgerError:
                raise
            except CapacityError:
                self.told.append(f"{stop} did not fit")
            except CcRapidsError as error:
                return None, error
        if stops and self.given.orders and random.random() < 0.4:
            self.given.make = self.given.orders
            self.told.append("in another order")
        try:
            return self.call(options), None
        except LedgerError:
            raise
        except CheckpointError as error:
            raise AssertionError("the same input, by its checkpoint") from error
        except CcRapidsError as error:
            return None, error

    # ---------------------------------------------------------------------------------- the checks

    def check(self, found, wanted, lost=0):
        """The partition, the labels, the number of components, and the ledger."""
        edges = self.edges
        width = len(edges.source)
        got = labels_of(found.labels(), width, self.kind in ("min", "max"))
        right = wanted.labels[self.kind]
        trials.same(got, right, f"labels {self.kind}")
        assert list(got) == list(right), "another order of the rows"
        other = str(self.random.choice(LABELS))
        again = labels_of(found.labels(other), width, other in ("min", "max"))
        trials.same(again, wanted.labels[other], f"labels {other}")
        assert len(found) == wanted.components, (len(found), wanted.components)
        self.check_ledger(dict(found.ledger), wanted)

    def check_ledger(self, ledger, wanted):
        given, edges = self.given, self.edges
        unchecked = ledger.pop("unchecked", False)
        assert not unchecked or given.stream, ledger
        total, linked = ledger.pop("given"), ledger.pop("linked")
        reasons = dict(wanted.reasons)
        if self.name == "matrix":
            pairs = {*zip(edges.src.tolist(), edges.dst.tolist(), strict=True)}
            assert total == linked + ledger.get("zero", 0), ledger
            assert linked in (len(edges), len(pairs)), (linked, len(edges), len(pairs))
            return
        more = {"comment": given.comments, "blank": given.blanks}
        reasons |= {k: v for k, v in more.items() if v}
        assert total == len(edges) + given.comments + given.blanks, (total, len(edges), ledger)
        assert linked == int(wanted.kept.sum()), (linked, int(wanted.kept.sum()), ledger)
        if ledger.get("row_group"):
            assert given.groups, ledger
            one = [ledger.pop(k, 0) for k in ("row_group", "out_of_bounds", "null_weight",
                                              "filtered", "null_end")]  # fmt: skip
            two = [reasons.pop(k, 0) for k in ("out_of_bounds", "null_weight", "filtered",
                                               "null_end")]  # fmt: skip
            assert sum(one) == sum(two), (one, two)
        assert ledger == reasons, (ledger, reasons)

    def check_at(self, cuts, wanted, lost):
        edges, given = self.edges, self.given
        narrow = not edges.wide and given.narrow
        there = np.array([w is not None for w in edges.weights], bool)
        rows = wanted.kept & there
        vertices = np.unique(np.concatenate([edges.src[rows], edges.dst[rows], self.extra]))
        for t in self.thresholds:
            bound = (t, None) if self.direction == "at_least" else (None, t)
            kept = rows & within(edges.weights, *bound, narrow)
            labels, count = solved(edges, kept, vertices)
            one = cuts.at(t)
            got = labels_of(one.labels(), len(edges.source), self.kind in ("min", "max"))
            trials.same(got, labels[self.kind], f"at {t}")
            assert len(one) == count
            ledger = dict(one.ledger)
            ledger.pop("unchecked", None)
            total, linked = ledger.pop("given"), ledger.pop("linked")
            assert total == len(edges) + given.comments + given.blanks, (total, ledger)
            assert total == linked + sum(ledger.values())
            self.told.append(f"{t} {self.direction}: {one.ledger}")

    def check_forest(self, found, wanted, lost):
        if lost:
            wanted = self.with_weights(wanted, lost)
        self.check(found, wanted)
        edges = self.edges
        frame = found.forest()
        rows = self.rows_of(frame)
        taken = np.zeros(len(edges), bool)
        taken[rows] = True
        assert self.name == "matrix" or not (taken & ~wanted.kept).any(), (
            "an edge that was left out is in the forest"
        )
        vertices = len(wanted.labels["min"])
        if self.name == "matrix":  # which numbers its entries in its own order
            assert len(rows) == vertices - wanted.components, (len(rows), vertices)
            return
        assert len(rows) == vertices - wanted.components, (len(rows), vertices)
        labels, _ = solved(edges, taken, [])
        extra = {v: v for v in wanted.labels["min"]} | labels["min"]
        trials.same(extra, wanted.labels["min"], "the forest")
        if self.verb in ("min", "max"):
            order = self.given.order if self.given.order is not None else np.arange(len(edges))
            right = kruskal(edges, order[wanted.kept[order]], self.verb == "max")
            assert sorted(rows) == right, (sorted(rows)[:5], right[:5])

    check_min = check_max = check_forest

    def with_weights(self, wanted, lost):
        """What is expected where rows without a weight are left out, too."""
        there = np.array([w is not None for w in self.edges.weights], bool)
        kept = wanted.kept & there
        labels, count = solved(self.edges, kept, self.extra)
        null_end = wanted.reasons.get("null_end", 0)
        reasons = dict(wanted.reasons)
        reasons["null_weight"] = int((wanted.kept & ~there).sum())
        reasons["null_end"] = null_end
        return Expected(labels, count, kept, {k: v for k, v in reasons.items() if v})

    def rows_of(self, frame):
        """The numbers of the rows of a frame of edges."""
        if isinstance(frame, pd.DataFrame):
            found = frame["row"].tolist()
        elif isinstance(frame, tuple):
            found = np.asarray(frame.row.get() if hasattr(frame.row, "get") else frame.row).tolist()
        else:
            if hasattr(frame, "collect"):
                frame = frame.collect()
            frame = frame.to_arrow() if hasattr(frame, "to_arrow") else frame
            frame = frame.to_arrow_table() if hasattr(frame, "to_arrow_table") else frame
            found = frame.column("row").to_pylist()
        if self.given.order is not None:
            found = self.given.order[found].tolist()
        return found

    def check_bridges(self, frame, wanted, lost):
        right = bridge_rows(self.edges, wanted.kept)
        rows = self.rows_of(frame)
        assert sorted(rows) == right, (sorted(rows)[:9], right[:9])

    # -------------------------------------------------------------------------------- in batches

    def insert(self):
        random, edges = self.random, self.edges
        options = dict(self.engine_option)
        if self.design:
            options["design"] = self.design
        if random.random() < 0.2 and not self.design:
            options["keep_forest"] = True
        state = cc_rapids.Connectivity(**options, **self.vertices)
        done, comments = 0, 0
        try:
            for number, part in enumerate(cut(edges, random, 6)):
                names = [n for n, (fits, _) in DOORS.items()
                         if fits(part) and usable(n) and n not in ("matrix", "mtx")]  # fmt: skip
                name = str(random.choice(names))
                folder = self.folder / str(number)
                folder.mkdir()
                given = DOORS[name][1](part, random, folder)
                if given.filtered is not None or given.order is not None:
                    given = parquet(part, random, folder)
                nulls = {"nulls": "drop"} if self.drop else {}
                ways = given.options | nulls
                self.told.append(f"batch {number} of {len(part)} by {name}, {ways}")
                state.insert(given.make(), **ways)
                done += len(part)
                comments += given.comments + given.blanks
                if random.random() < 0.3:
                    state.save(self.folder / "saved")
                    state = cc_rapids.Connectivity.load(self.folder / "saved", **self.engine_option)
                    self.told.append("saved and loaded")
        except LedgerError:
            raise
        except NullsError as error:
            if self.drop or not part.hole.any():
                raise AssertionError("no nulls") from error
            edges = edges.part(0, done)
            outcome = "answer after a NullsError"
        else:
            assert self.drop or not edges.hole.any(), "nulls were taken"
            outcome = "answer"
        wanted = expect(edges, extra=self.extra)
        found = state.components(self.kind)
        width = len(edges.source)
        right = wanted.labels[self.kind]
        if right:
            got = labels_of(found.labels(), width, self.kind in ("min", "max"))
            trials.same(got, right, f"labels {self.kind}")
            assert list(got) == list(right), "another order of the rows"
        assert len(found) == len(state) == wanted.components
        for ledger in (dict(state.ledger), dict(found.ledger)):
            ledger.pop("unchecked", None)
            lines = ledger.pop("comment", 0) + ledger.pop("blank", 0)
            assert lines == comments, (lines, comments, ledger)
            right = {"given": len(edges) + comments, "linked": int(wanted.kept.sum())}
            assert ledger == right | wanted.reasons, (ledger, right, wanted.reasons)
        return outcome


def _stopping(calls):
    left = [calls]

    def progress(state):
        left[0] -= 1
        if not left[0]:
            raise Stopped

    return progress


def kruskal(edges, rows, greatest):
    """The rows of the spanning forest of least or greatest weight; of equal ones the first."""
    weights, parent = list(edges.weights), list(range(len(edges.ids)))

    def root(v):
        while parent[v] != v:
            parent[v] = v = parent[parent[v]]
        return v

    rows = rows.tolist()
    rows.sort(key=lambda row: -weights[row] if greatest else weights[row])
    found = []
    src, dst = edges.src.tolist(), edges.dst.tolist()
    for row in rows:
        a, b = root(src[row]), root(dst[row])
        if a != b:
            parent[a] = b
            found.append(row)
    return sorted(found)


def bridge_rows(edges, kept):
    """The rows whose removal parts a component, by a search for low points."""
    around = [[] for _ in edges.ids]
    src, dst = edges.src.tolist(), edges.dst.tolist()
    for row in np.flatnonzero(kept).tolist():
        if src[row] != dst[row]:
            around[src[row]].append((dst[row], row))
            around[dst[row]].append((src[row], row))
    depth, low, found = {}, {}, []
    for start in range(len(around)):
        if start in depth:
            continue
        depth[start] = low[start] = 0
        stack = [(start, -1, iter(around[start]))]
        while stack:
            v, by, rest = stack[-1]
            for w, row in rest:
                if row == by:
                    continue
                if w in depth:
                    low[v] = min(low[v], depth[w])
                    continue
                depth[w] = low[w] = depth[v] + 1
                stack.append((w, row, iter(around[w])))
                break
            else:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    low[above] = min(low[above], low[v])
                    if low[v] > depth[above]:
                        found.append(by)
    return sorted(found)


def refusals(name, verb, given, options, edges):
    """The reasons, as the documentation states them, for which a call has to be refused."""
    found = []
    chunked = options.keys() & {"memory_limit", "progress", "checkpoint"}
    files = (given.files and name != "opened") or name in ("dataset", "reader")
    if verb in ("forest", "min", "max", "bridges"):
        if chunked:
            found.append("forest of edges in chunks")
        elif name in ("frames", "generator"):
            found.append("forest of a stream")
    if verb in ("min", "max") and options.get("design", "auto") != "auto":
        found.append("design of a forest by weight")
    if name in ("matrix", "mtx", "npz") and "weight" in options:
        found.append("weights of a matrix")
    if verb == "bridges" and name == "matrix":
        found.append("bridges of a matrix")
    if name == "opened" and "checkpoint" in options:
        found.append("a checkpoint of an open file")
    if name == "matrix" and (verb == "stream" or chunked):
        found.append("a matrix in chunks")
    if name == "matrix" and options.keys() & {"vertices", "num_vertices"}:
        found.append("vertices of a matrix")
    if "frames" in options and not files and name != "opened":
        found.append("frames of edges in memory")
    if "header" in options and not given.text:
        found.append("header of what is no text")
    return found
