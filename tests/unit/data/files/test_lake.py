"""Tables that are folders are read by their logs, and never as loose files."""

import json
import shutil
import sys
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import cc_rapids
from cc_rapids import components, errors
from cc_rapids.cli import main
from cc_rapids.data.files import lake

FIRST = pa.table({"src": [1, 2], "dst": [2, 3], "w": [0.1, 0.2]})
SECOND = pa.table({"src": [7, 17], "dst": [8, 18], "w": [0.3, 0.4]})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def delta():
    """Return the path of a table with files of an earlier state."""
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake("pairs", FIRST)
    deltalake.write_deltalake("pairs", SECOND, mode="overwrite")
    return "pairs"


@pytest.fixture
def iceberg(folder):
    """Return a table of a catalog, one of whose rows was deleted."""
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    (folder / "house").mkdir()
    catalog = sql.SqlCatalog("c", uri="sqlite:///house/c.db", warehouse=f"file://{folder}/house")
    catalog.create_namespace("db")
    table = catalog.create_table("db.pairs", schema=FIRST.schema)
    table.append(FIRST)
    table.append(SECOND)
    table.delete("src == 1")
    return table


def groups(answer):
    assert sum(answer.ledger.values()) == 2 * answer.ledger["given"]
    return sorted(sorted(np.asarray(ids).tolist()) for _, ids in answer)


def check(edges, rows):
    """Check all doors that take a table against its rows."""
    pairs = [(row["src"], row["dst"]) for row in rows]
    wanted = groups(components(pairs))
    answer = components(edges)
    assert groups(answer) == wanted
    assert answer.ledger["given"] == len(rows)
    assert groups(cc_rapids.stream_components(edges, memory_limit="200MB")) == wanted
    assert cc_rapids.Connectivity().insert(edges).num_components == len(wanted)
    answer.audit(edges)
    heavy = [pair for pair, row in zip(pairs, rows, strict=True) if row["w"] >= 0.35]
    assert groups(components(edges, weight="w", at_least=0.35)) == groups(components(heavy))
    forest = cc_rapids.minimum_spanning_forest(edges, weight="w")
    assert sorted(forest["weight"].to_pylist()) == sorted(row["w"] for row in rows)
    with pytest.raises(errors.MissingColumnError, match="'nope'"):
        components(edges, "nope", "dst")


def test_delta(delta):
    from deltalake import DeltaTable

    rows = SECOND.to_pylist()
    for edges in (delta, Path(delta), f"{delta}/", f"file://{Path(delta).absolute()}"):
        check(edges, rows)
    check(DeltaTable(delta), rows)
    check(DeltaTable(delta, version=0), FIRST.to_pylist())
    assert groups(components(pyarrow.dataset.dataset(delta))) == [[1, 2, 3], [7, 8], [17, 18]]


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_delta_with_partitions_and_without_rows():
    deltalake = pytest.importorskip("deltalake")
    table = pa.table({"src": [1, 2, 3], "dst": [2, 3, 9], "day": [1, 1, 2]})
    deltalake.write_deltalake("days", table, partition_by=["day"])
    assert groups(components("days")) == [[1, 2, 3, 9]]
    deltalake.DeltaTable.create("none", FIRST.schema)
    assert groups(components("none")) == []


def test_iceberg(iceberg):
    rows = iceberg.scan().to_arrow().to_pylist()
    assert len(rows) == 3
    check(iceberg, rows)
    check("house/db/pairs", rows)
    metadata = sorted(Path("house/db/pairs/metadata").glob("*.metadata.json"))[-1]
    shutil.copy(metadata, metadata.with_name(metadata.name.replace("-", "-0", 1)))
    with pytest.raises(errors.FormatError, match=r"several files .* could be the newest"):
        components("house/db/pairs")


def files_of(table):
    [first, *_] = sorted(map(str, Path(table).rglob("*.parquet")))
    fsspec.filesystem("memory").put(table, f"/{table}", recursive=True)
    return {
        "a file": first,
        "a path": Path(first),
        "a list": [first],
        "a pattern": f"{Path(first).parent}/*.parquet",
        "a folder above": str(Path(table).parent.absolute()),
        "the table in a list": [table],
        "an address": f"memory://{first}",
        "a pattern of addresses": f"memory://{Path(first).parent}/*.parquet",
    }


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_files_of_a_table_are_refused(kind, request):
    table = request.getfixturevalue(kind)
    path = table if kind == "delta" else "house/db/pairs"
    for what, edges in files_of(path).items():
        for door in (components, cc_rapids.stream_components, cc_rapids.Connectivity().insert):
            with pytest.raises(
                errors.InputError, match=r"is a file of a table of .*pass '.*pairs'"
            ):
                print(what, door(edges))
        with pytest.raises(errors.InputError, match="is a file of a table of"):
            cc_rapids.stream_components(edges, unreadable="skip")
    with (
        open(files_of(path)["a file"], "rb") as file,
        pytest.raises(errors.InputError, match="is a file of a table of"),
    ):
        components(file)


def test_each_folder_above_files_is_looked_at_once(monkeypatch):
    system, looked = fsspec.filesystem("memory"), []
    for part in range(20):
        with system.open(f"/many/k={part % 2}/{part}.parquet", "wb") as file:
            pq.write_table(FIRST, file)
    look = lake._table
    monkeypatch.setattr(lake, "_table", lambda *words: looked.append(words[0]) or look(*words))
    assert components("memory://many/**/*.parquet").ledger["linked"] == 40
    assert sorted(looked) == ["/", "/many", "/many/k=0", "/many/k=1"]


def test_commands(delta):
    assert CliRunner().invoke(main, ["calculate", delta, "--output", "out.csv"]).exit_code == 0
    lines = Path("out.csv").read_text().split()
    assert sorted(lines[1:]) == ["17,17", "18,17", "7,7", "8,7"]
    done = CliRunner().invoke(main, ["calculate", f"{delta}/*.parquet"])
    assert (done.exit_code, "is a file of a table" in done.stderr) == (2, True)
    words = ["link", delta, "--key", "src", "--output", "out.csv"]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert len(Path("out.csv").read_text().split()) == 3
    for words in (["convert", delta, "out.parquet"], ["evaluate", delta]):
        done = CliRunner().invoke(main, words)
        assert (done.exit_code, f"{delta} is a table of Delta Lake" in done.stderr) == (2, True)
    done = CliRunner().invoke(main, ["calculate", delta, "--no-header"])
    assert "--header applies only to text files, but edges are the table pairs" in done.stderr


def test_a_table_that_its_library_cannot_read(delta, monkeypatch):
    fsspec.filesystem("memory").put(delta, f"/{delta}", recursive=True)
    with pytest.raises(errors.FormatError, match="its library cannot read"):
        components(f"memory://{delta}")
    log = Path(delta, "_delta_log", "00000000000000000001.json")
    features = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"]}
    protocol = {"protocol": features | {"writerFeatures": ["deletionVectors"]}}
    log.write_text(f"{json.dumps(protocol)}\n{log.read_text()}")
    with pytest.raises(errors.FormatError, match=r"deletionVectors.*spark\.read\.format"):
        components(delta)
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(errors.MissingExtraError, match=r"pip install '\.\[delta\]'"):
        components(delta)


def test_files_that_are_not_what_the_log_says(delta):
    log = Path(delta, "_delta_log", "00000000000000000001.json")
    log.write_text(log.read_text().replace('\\"numRecords\\":2', '\\"numRecords\\":4'))
    with pytest.raises(errors.FormatError, match="has 2 rows, but the log says 4"):
        components(delta)
    for path in Path(delta).glob("*.parquet"):
        path.unlink()
    with pytest.raises(errors.FormatError, match=r"the table .* cannot be read: [^\x1b\n]*$"):
        components(delta)
    log.write_text("no json")
    with pytest.raises(errors.FormatError, match=r"its library cannot read it \([^\n]*\): open"):
        components(delta)


def test_hudi():
    Path("pairs/.hoodie").mkdir(parents=True)
    pq.write_table(FIRST, "pairs/a.parquet")
    with pytest.raises(errors.MissingExtraError, match=r"hudi\.HudiTableBuilder.*'pairs'"):
        components("pairs")
    with pytest.raises(errors.InputError, match="is a file of a table of Hudi"):
        components("pairs/a.parquet")
