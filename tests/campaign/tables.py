"""Random tables of text at every door: the answer of pandas with the same options, or our error.

pandas splits the records; SciPy joins them. A file without a fault may be refused only where it is
not said how its fields are separated, or whether its first line names them.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import os
import re
import tempfile
import threading
import warnings
import zipfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids.data.files import delimited
from cc_rapids.data.files.text_ids import MISSING

FIRST = {"negative": [-15], "far": [2**62, -(2**62)], "high": [2**63], "signs": [2**63, -15]}
SUFFIXES = ["csv", "tsv", "tab", "txt", "snap", "edges", "el"]
SEPARATORS = [",", ",", "\t", ";", "|", " ", "~", "\x01"]
UNMARKED = ["utf-16-le", "utf-16-be", "utf-32-le", "latin-1", "cp1252"]  # have to be given
ENCODINGS = ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32", *UNMARKED]
FAULTS = ["short", "long", "header", "comment", "bytes", "last"]
WAYS_OUT = ("delimiter=", "header=", "comment=")  # of files that could mean two things
LATIN = ["ann", "bob", "New York", "Zürich", "x'y", '5"', "a#b", "#tag", "%", "né", "v1.0", "-"]
WIDE = [*LATIN, "東京", "\U0001f600"]
ODD = ["a,b", "x;y", "p|q", "t\tu", 'say "hi"', "two\nlines", "in  ner"]  # in quotes alone


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
    bound: tuple | None = None  # the column of weights, and the least of them
    quoted: bool = False  # whether each field is in quotes


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
    kinds = ["int", "int", "padded", "word", "late", "missing", "late missing"]
    kinds += ["negative", "far", "high", "signs", "float", "late float"]
    kind, quoting = pick(kinds), pick(["none", "none", "some", "all"])
    odd = ODD if quoting != "none" and newline != "\r" else []
    if separator == " ":
        odd = [word for word in odd if "\n" not in word]

    def cell(row):
        if random.random() < 0.05 and separator != " ":
            return ""
        number = int(random.integers(0, 30))
        late = kind.startswith("late") and row < rows // 2
        if kind == "int" or late or (kind.endswith("missing") and random.random() < 0.9):
            return str(number)
        if kind in ("missing", "late missing"):
            return pick([word for word in MISSING if separator != " " or " " not in word])
        if kind in ("float", "late float"):
            return pick([f"{number}.0", f"{number}e2", f"{number}.5", str(number)])
        if kind in ("negative", "far", "high", "signs"):
            return str(number + pick(FIRST[kind]))
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
    weighed = width > 2 and random.random() < 0.3
    whole = random.random() < 0.5
    for record in table if weighed else []:
        weight = int(random.integers(-3, 9))
        record[-1] = str(weight if whole else weight / 4)
        if random.random() < 0.1:
            record[-1] = pick(["inf", "1e1", "-2.5E-1", "nan", "7"])
        if separator != " " and random.random() < 0.1:
            record[-1] = ""
    header = None
    names = ["src", "dst", *(f"c{k}" for k in range(2, width))]
    if random.random() < 0.7:
        pair = pick([("src", "dst"), ("source", "target"), ("u", "v"), ("one", "two")])
        names[:2] = pair
        order = random.permutation(width)
        header = names = [names[k] for k in order]
        table = [[record[k] for k in order] for record in table]
    blank = lambda: " " * int(random.integers(1, 4)) if separator == " " else separator  # noqa: E731
    pads = quoting == "none" and separator in (",", ";", "|") and random.random() < 0.2
    lines = []
    for record in ([header] if header else []) + table:
        if pads and record is not header:
            blanks = [pick(["", " ", "\t ", "  "]) for _ in range(2 * width)]
            record = [blanks[2 * k] + word + blanks[2 * k + 1] for k, word in enumerate(record)]
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
    told = random.random() < 0.6 or separator in "~\x01"
    if told:
        options["delimiter"] = separator
        options["header"] = header is not None
    if encoding in UNMARKED:
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
    bound = (f"c{width - 1}", int(random.integers(-2, 8)) / 4) if weighed else None
    if bound:
        options |= {"weight": bound[0] if header else f"col{width - 1}", "at_least": bound[1]}
    if kind.endswith("float") and fault is None:
        fault = "float"
    return Text(
        content, pick(SUFFIXES), options, reading, names, fault, told, bound, quoting == "all"
    )


def expected(text):
    """The groups of ids by pandas and SciPy, and the number of edges; None if pandas fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # of which pandas loses an empty field behind a carriage return
            plain = text.content.decode(text.reading["encoding"], "surrogateescape")
            plain = plain.replace("\r\n", "\n").replace("\r", "\n")
            frame = pd.read_csv(io.StringIO(plain), **text.reading)
    except (ValueError, pd.errors.ParserError, pd.errors.ParserWarning, csv.Error):
        return None
    return answer(text, frame)


def answer(text, frame):
    """The groups of ids of a frame of strings, and the number of edges; None if it is refused."""
    pairs = [("src", "dst"), ("source", "target"), ("u", "v"), ("one", "two")]
    pair = next((pair for pair in pairs if {*pair} <= {*frame.columns}), None)
    if pair is None:
        return None
    frame = frame.map(lambda word: word.strip(" \t") or np.nan, na_action="ignore")
    if text.bound is not None:
        name, least = text.bound
        try:
            frame = frame[frame[name].astype(float) >= least]
        except ValueError:
            return None
    frame = frame[list(pair)]
    kinds = set(map(kind_of, frame.to_numpy().ravel())) - {"missing"}
    if not text.quoted and kinds <= {"integer", "float"}:
        if "float" in kinds:
            return None
        frame = frame.mask(frame.isin(MISSING))
    frame = frame.dropna()
    codes, ids = pd.factorize(frame.to_numpy().ravel())
    ends = codes.reshape(-1, 2).T
    matrix = sp.coo_array((np.ones(len(frame), bool), tuple(ends)), (len(ids),) * 2)
    _, labels = csgraph.connected_components(matrix, directed=False)
    return groups(ids, labels), len(frame)


def kind_of(word):
    """What a field is by itself; a fraction or an exponent makes a float."""
    if not isinstance(word, str) or word in MISSING:
        return "missing"
    if re.fullmatch(r"0|-?[1-9][0-9]*", word):
        return "integer"
    return "float" if re.fullmatch(r"[0-9]+(\.[0-9]+|e[0-9]+)", word) else "word"


def groups(ids, labels):
    """Sets of ids that are one component."""
    found: dict = {}
    for one, label in zip(ids, labels, strict=True):
        found.setdefault(label, set()).add(str(one))
    return sorted(map(sorted, found.values()))


PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def doors(text, folder, other):
    """The ways to read a file, by name: those of each trial, and others."""
    options = text.options | {"nulls": "drop"}
    components, stream = cc_rapids.components, cc_rapids.stream_components
    name = f"t.{text.suffix}"
    path = folder / name
    path.write_bytes(text.content)

    def opened(by=components):
        with path.open("rb") as file:
            return by(file, **options)

    def inserted():
        return cc_rapids.Connectivity().insert([path], **options).components()

    def packed(suffix):
        target = other / f"{name}{suffix}"
        target.write_bytes(PACKED[suffix](text.content))
        return components(target, **options)

    def packed_open():
        with gzip.open(io.BytesIO(gzip.compress(text.content))) as file:
            return components(file, **options)

    def zipped():
        with zipfile.ZipFile(other / "t.zip", "w") as file:
            file.writestr(name, text.content)
        return components(f"zip://{name}::{other / 't.zip'}", **options)

    def as_text():
        content = text.content.decode(text.reading["encoding"], "surrogateescape")
        return components(io.StringIO(content, newline=""), **options)

    def pipe():
        os.mkfifo(other / name)
        write = threading.Thread(target=_fed, args=(other / name, text.content))
        write.start()
        try:
            return components(other / name, **options)
        finally:
            write.join()

    ways = {
        "path": lambda: components(path, **options),
        "folder": lambda: components(folder, **options),
        "stream": lambda: stream(path, memory_limit="256MiB", **options),
        "open": opened,
        "command": lambda: command(text, path, other),
    }
    others = {
        "insert": inserted,
        "bytes": lambda: components(io.BytesIO(text.content), **options),
        "list": lambda: components([path], **options),
        "pattern": lambda: components(f"{folder}/t.*", **options),
        "address": lambda: components(f"file://{path}", **options),
        "open stream": lambda: opened(stream),
        "gzip": packed_open,
        "zip": zipped,
        "text": as_text,
        "pipe": pipe,
    }
    others |= {suffix: lambda suffix=suffix: packed(suffix) for suffix in PACKED}
    if text.fault == "bytes":
        del others["text"]
    if text.bound:
        del others["insert"]
    return ways, others


def _fed(path, content):
    with suppress(BrokenPipeError), path.open("wb") as file:
        file.write(content)


def command(text, path, folder):
    """The labels that the command line writes; its error as ours."""
    from .trials import _command

    output = folder / "labels.parquet"
    words = ["calculate", path, "--output", output, "--nulls", "drop", "--quiet"]
    for name, value in text.options.items():
        flag = f"--{name.replace('_', '-')}"
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


def several(random, engine):
    """The rows of one list in several files, whose types may differ: one answer at every door."""
    kinds = [str(random.choice(["int", "word", "padded", "missing", "wide"])) for _ in range(3)]
    spelled = {
        "int": lambda v: str(v),
        "word": lambda v: f"v{v}",
        "padded": lambda v: f"{v:03}",
        "missing": lambda v: str(v) if v % 7 else "NA",
        "wide": lambda v: str(2**63 + v),
    }
    pairs = [random.integers(0, 20, (int(random.integers(0, 30)), 2)).tolist() for _ in kinds]
    rows = [
        [[spelled[kind](v) for v in pair] for pair in part]
        for kind, part in zip(kinds, pairs, strict=True)
    ]
    frame = pd.DataFrame([pair for part in rows for pair in part], columns=["src", "dst"])
    text = Text(b"", "csv", {}, {})
    want = answer(text, frame)
    suffixes = [str(random.choice(["csv", "tsv", "csv.gz"])) for _ in kinds]
    counts: Counter = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(delimited, "BLOCK", int(random.choice([40, 16 << 20]))),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", cc_rapids.CcRapidsWarning)
        paths = []
        for k, (suffix, part) in enumerate(zip(suffixes, rows, strict=True)):
            between = "\t" if suffix == "tsv" else ","
            order = (0, 1) if random.random() < 0.7 else (1, 0)
            lines = [between.join(("src", "dst")[k] for k in order)]
            lines += [between.join(pair[k] for k in order) for pair in part]
            content = "\n".join(lines).encode()
            paths.append(Path(folder, f"{k}.{suffix}"))
            paths[-1].write_bytes(gzip.compress(content) if suffix == "csv.gz" else content)
        options = {"nulls": "drop"}
        ways = {
            "folder": lambda: cc_rapids.components(folder, **options),
            "list": lambda: cc_rapids.components(paths, **options),
            "pattern": lambda: cc_rapids.components(f"{folder}/*", **options),
            "stream": lambda: cc_rapids.stream_components(paths, memory_limit="256MiB", **options),
            "insert": lambda: cc_rapids.Connectivity().insert(paths, **options).components(),
        }
        for door, way in ways.items():
            try:
                found = way()
            except cc_rapids.CcRapidsError as error:
                counts["refused"] += 1
                counts[str(error)[-60:]] += 1
                continue
            edges = found.ledger["linked"]
            labels = found.labels()
            found = groups(labels["vertex"].to_pylist(), labels["labels"].to_pylist())
            assert (found, edges) == want, f"{door}: {found}, {edges}, not {want}: {rows} {paths}"
            counts["same"] += 1
    return dict(counts)


def tables(random, engine):
    """One file at every door."""
    text = draw(random)
    want = expected(text)
    counts: Counter = Counter()
    block = int(random.choice([40, 1000, 16 << 20]))
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as other,
        mock.patch.object(delimited, "BLOCK", block),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", cc_rapids.CcRapidsWarning)
        ways, others = doors(text, Path(folder), Path(other))
        ways |= {door: others[door] for door in random.choice(list(others), 3, replace=False)}
        refused = {}
        for door, way in ways.items():
            try:
                found = way()
            except cc_rapids.CcRapidsError as error:
                if door == "pipe" and "all earlier ids were integers" in str(error):
                    counts["pipe"] += 1
                else:
                    refused[door] = str(error)
                continue
            except BaseException as error:
                raise AssertionError(f"{door}: {error!r}: {text}") from error
            if want is None and text.fault in (None, "float"):
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
        if refused and len(refused) + counts["pipe"] < len(ways):
            raise AssertionError(f"refused at some doors alone, {refused}: {text}")
        if refused and text.fault is None:
            said = next(iter(refused.values()))
            ways_out = WAYS_OUT[2:] if text.told else WAYS_OUT
            if not any(way in said for way in ways_out):
                raise AssertionError(f"refused: {refused}: {text}")
        counts["refused"] += len(refused)
    return dict(counts)
