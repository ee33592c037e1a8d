"""Random tables of text at every door: the answer of pandas with the same options, or our error.

pandas splits the records; SciPy joins them. A file without a fault may be refused only where it is
not said how its fields are separated, or whether its first line names them.
"""

from __future__ import annotations

import csv
import io
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids.data.files import delimited

SUFFIXES = ["csv", "tsv", "tab", "txt", "snap", "edges", "el"]
SEPARATORS = [",", ",", "\t", ";", "|", " "]
ENCODINGS = ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252"]
FAULTS = ["short", "long", "header", "comment", "bytes", "last"]
WAYS_OUT = ("delimiter=", "header=", "comment=")  # of files that could mean two things
LATIN = ["ann", "bob", "New York", "Zürich", "x'y", '5"', "a#b", "#tag", "%", "né", "v1.0", "-"]
WIDE = [*LATIN, "東京", "\U0001f600"]
ODD = ["a,b", "x;y", "p|q", "t\tu", 'say "hi"', "two\nlines", " lead"]  # in quotes alone


@dataclass
class Text:
    """A file, what it is read with, and the pairs of ids in it."""

    content: bytes
    suffix: str
    options: dict
    reading: dict  # the same for pandas
    names: list[str] = field(default_factory=list)
    fault: str | None = None
    told: bool = True  # whether the options say what the file may not


def draw(random):
    """A random file."""
    pick = lambda values: values[int(random.integers(len(values)))]  # noqa: E731
    separator, encoding, newline = (
        pick(SEPARATORS),
        pick(ENCODINGS),
        pick(["\n", "\n", "\r\n", "\r"]),
    )
    rows, width = int(2 ** random.uniform(0, 6)), int(random.integers(2, 6))
    words = LATIN if encoding in ("latin-1", "cp1252") else WIDE
    kinds = ["int", "int", "padded", "word", "late"]
    kind, quoting = pick(kinds), pick(["none", "none", "some", "all"])
    odd = ODD if quoting != "none" and newline != "\r" else []
    if separator == " ":
        odd = [word for word in odd if "\n" not in word]

    def cell(row):
        if random.random() < 0.05 and separator != " ":
            return ""
        number = int(random.integers(0, 30))
        if kind == "int" or (kind == "late" and row < rows // 2):
            return str(number)
        if kind == "padded":
            return f"{number:03}"
        word = pick([*words, *odd])
        return word if separator != " " or quoting == "all" or " " not in word else word.split()[-1]

    def written(word):
        special = any(c in word for c in (separator, '"', "\n", "\r", "\t", " ") if c)
        if not word or not (
            quoting == "all"
            or (quoting == "some" and special)
            or (quoting == "none" and (separator in word or word[:1] == '"'))
        ):
            return word
        return '"' + word.replace('"', '""') + '"'

    table = [[cell(row) for _ in range(width)] for row in range(rows)]
    header = None
    names = ["src", "dst", *(f"c{k}" for k in range(2, width))]
    if random.random() < 0.7:
        pair = pick([("src", "dst"), ("source", "target"), ("u", "v"), ("one", "two")])
        names[:2] = pair
        names = [names[k] for k in random.permutation(width)]
        header = names
    blank = lambda: " " * int(random.integers(1, 4)) if separator == " " else separator  # noqa: E731
    lines = []
    for record in ([header] if header else []) + table:
        lines.append(
            "".join(c for w in record for c in (written(w), blank()))[:-1].rstrip(" ")
            if separator == " "
            else separator.join(map(written, record))
        )
    fault = pick(FAULTS) if random.random() < 0.15 else None
    at = int(random.integers(len(lines)))
    if fault == "short":
        lines.insert(max(at, 1), "1")
    elif fault == "long":
        lines.insert(max(at, 1), lines[at] + (" 1 2" if separator == " " else separator * 2))
    elif fault == "header" and header:
        lines.append(lines[0])
    elif fault == "comment":
        lines.insert(max(at, 1), "# a comment of five words")
    elif fault == "last":
        lines[-1] = lines[-1][: len(lines[-1]) // 2]
    comments = [
        pick(["# made by hand", "% 1 2 3", "#", "%%"]) for _ in range(int(random.integers(0, 3)))
    ]
    comments = comments if random.random() < 0.4 else []
    like_comment = header is None and lines[0][:1] in ("#", "%")
    comments = [] if like_comment else comments
    if random.random() < 0.2:
        lines.insert(at, "")
    text = newline.join(comments + lines) + (newline if random.random() < 0.7 else "")
    content = text.encode(encoding)
    if fault == "bytes" and encoding.startswith("utf-8"):
        content = content[: len(content) // 2] + b"\xff" + content[len(content) // 2 :]
    options: dict = {}
    if like_comment:
        options["comment"] = None
    told = random.random() < 0.6
    if told:
        options["delimiter"] = separator
        options["header"] = header is not None
    if encoding in ("utf-16-le", "latin-1", "cp1252"):
        options["encoding"] = encoding
    if header and not {"src", "u", "source"} & {*names}:
        options |= {"source": "one", "destination": "two"}
    elif header is None:
        options |= {"source": "src", "destination": "dst"} if random.random() < 0.3 else {}
    reading = {
        "sep": r"\s+" if separator == " " else separator,
        "header": 0 if header else None,
        "names": None if header else names,
        "encoding": encoding,
        "skiprows": len(comments),
        "dtype": str,
        "keep_default_na": False,
        "na_values": [""],
        "index_col": False,
    }
    return Text(content, pick(SUFFIXES), options, reading, names, fault, told)


def expected(text):
    """The groups of ids by pandas and SciPy, and the number of edges; None if pandas fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # of which pandas loses an empty field behind a carriage return
            plain = text.content.decode(text.reading["encoding"], "surrogateescape")
            plain = plain.replace("\r\n", "\n").replace("\r", "\n")
            content = plain.encode(text.reading["encoding"], "surrogateescape")
            frame = pd.read_csv(io.BytesIO(content), **text.reading)
    except (ValueError, pd.errors.ParserError, pd.errors.ParserWarning, csv.Error):
        return None
    pairs = [("src", "dst"), ("source", "target"), ("u", "v"), ("one", "two")]
    pair = next((pair for pair in pairs if {*pair} <= {*frame.columns}), None)
    if pair is None:
        return None
    frame = frame[list(pair)].dropna()
    codes, ids = pd.factorize(frame.to_numpy().ravel())
    ends = codes.reshape(-1, 2).T
    matrix = sp.coo_array((np.ones(len(frame), bool), tuple(ends)), (len(ids),) * 2)
    _, labels = csgraph.connected_components(matrix, directed=False)
    return groups(ids, labels), len(frame)


def groups(ids, labels):
    """Sets of ids that are one component."""
    found: dict = {}
    for one, label in zip(ids, labels, strict=True):
        found.setdefault(label, set()).add(str(one))
    return sorted(map(sorted, found.values()))


def doors(text, folder):
    """The ways to read a file, by name."""
    options = text.options | {"nulls": "drop"}
    path = folder / f"t.{text.suffix}"
    path.write_bytes(text.content)

    def stream():
        return cc_rapids.stream_components(path, memory_limit="256MiB", **options)

    def inserted():
        return cc_rapids.Connectivity().insert([path], **options).components()

    def opened():
        with path.open("rb") as file:
            return cc_rapids.components(file, **options)

    def in_memory():
        return cc_rapids.components(io.BytesIO(text.content), **options)

    return {
        "path": lambda: cc_rapids.components(path, **options),
        "folder": lambda: cc_rapids.components(folder, **options),
        "stream": stream,
        "insert": inserted,
        "open": opened,
        "bytes": in_memory,
    }


def command(text, folder):
    """The labels that the command line writes; its error as ours."""
    from .trials import _command

    path, output = folder / f"t.{text.suffix}", folder / "labels.parquet"
    words = ["calculate", path, "--output", output, "--nulls", "drop", "--quiet"]
    for name, value in text.options.items():
        flag = f"--{name}"
        if name == "header" or value is None:
            words.append(flag if value else f"--no-{name}")
        else:
            words += [flag, value]
    code, said = _command(*words)
    if code:
        assert code == 2, said
        raise cc_rapids.InputError(said)
    labels = pd.read_parquet(output)
    return groups(labels["vertex"], labels["labels"])


def tables(random, engine):
    """One file at every door."""
    text = draw(random)
    want = expected(text)
    counts: Counter = Counter()
    block = int(random.choice([40, 1000, 16 << 20]))
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.object(delimited, "BLOCK", block),
    ):
        folder = Path(name)
        ways = doors(text, folder)
        if random.random() < 0.1:
            ways["command"] = lambda: command(text, folder)
        refused = {}
        for door, way in ways.items():
            try:
                found = way()
            except cc_rapids.CcRapidsError as error:
                refused[door] = str(error)
                continue
            if want is None and text.fault is None:
                raise AssertionError(f"{door}: pandas cannot read {text}")
            if want is None:
                counts["pandas refuses"] += 1
                continue
            edges = None
            if not isinstance(found, list):
                edges = found.ledger["linked"]
                labels = found.labels()
                found = groups(labels["vertex"].to_pylist(), labels["labels"].to_pylist())
            right = found == want[0] and edges in (None, want[1])
            if not right and text.fault is None:
                raise AssertionError(f"{door}: {found} and {edges} edges, not {want}: {text}")
            counts["same" if right else "other"] += 1
            if not right:
                raise AssertionError(f"{door}, a fault: {found}, {edges} not {want}: {text}")
        if refused and len(refused) < len(ways):
            raise AssertionError(f"refused at some doors alone, {refused}: {text}")
        if refused and text.fault is None:
            said = next(iter(refused.values()))
            ways_out = WAYS_OUT[2:] if text.told else WAYS_OUT
            if not any(way in said for way in ways_out):
                raise AssertionError(f"refused: {refused}: {text}")
        counts["refused"] += len(refused)
    return dict(counts)
