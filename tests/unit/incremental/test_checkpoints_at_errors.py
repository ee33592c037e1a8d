"""Runs that end by an error, of which the checkpoint holds all that was linked."""

import io
import os
import re
import signal
import subprocess
import sys
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.choices import some
from support.stream_inputs import same

import cc_rapids
from cc_rapids import CapacityError, CheckpointError, FormatError, InputError, NullsError
from cc_rapids.data.streams import Items
from cc_rapids.incremental import checkpoint as module

ROOT = Path(__file__).parents[3]
AGAIN = "run the same call again to go on"
PARTS = [
    pa.table({"src": [10 * k, 10 * k + 1], "dst": [10 * k + 1, 10 * k + 2], "w": [1, 2]})
    for k in range(4)
]


def folder(path):
    path.mkdir()
    for k, part in enumerate(PARTS):
        pq.write_table(part, path / f"{k}.parquet")
    return path


FORMS = {"files": lambda path: f"{path}/*.parquet", "dataset": ds.dataset}
BROKEN = {
    "half written": (lambda path: path.write_bytes(b"PAR1half"), FormatError, {}),
    "nulls": (
        lambda path: pq.write_table(pa.table({"src": [1, None], "dst": [2, 3]}), path),
        NullsError,
        {},
    ),
    "out of range": (
        lambda path: pq.write_table(pa.table({"src": [30, 999], "dst": [0, 1]}), path),
        InputError,
        {"num_vertices": 50},
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_file_is_mended_and_the_run_goes_on(form, broken, tmp_path):
    edges = folder(tmp_path / "edges")
    spoil, error, options = BROKEN[broken]
    options = {"checkpoint": tmp_path / "state", **options}
    spoil(edges / "2.parquet")
    first = "repair the file or leave it out, then " if error is FormatError else ""
    says = f"the checkpoint {tmp_path / 'state'} has 4 edges: {first}{AGAIN}"
    for _ in range(2):  # of which the second reads nothing new
        with pytest.raises(error, match=re.escape(says)):
            cc_rapids.stream_components(FORMS[form](edges), **options)
    pq.write_table(PARTS[2], edges / "2.parquet")
    (edges / "3.parquet").unlink()
    pq.write_table(PARTS[3], edges / "added.parquet")
    found = cc_rapids.stream_components(FORMS[form](edges), **options)
    assert found.summary()["resumed"].startswith("4 edges were linked")
    assert found.summary()["edges"] == 8
    want = cc_rapids.components(pa.concat_tables(PARTS), num_vertices=options.get("num_vertices"))
    assert found.labels().equals(want.labels())
    pq.write_table(PARTS[3], edges / "0.parquet")
    with pytest.raises(CheckpointError, match=r"0\.parquet"):
        cc_rapids.stream_components(FORMS[form](edges), **options)


def test_progress_does_not_read_a_broken_file_first(tmp_path):
    edges = folder(tmp_path / "edges")
    (edges / "2.parquet").write_bytes(b"PAR1half")
    seen = []
    with pytest.raises(FormatError, match=r"2\.parquet"):
        cc_rapids.stream_components(edges, memory_limit="1GB", progress=seen.append)
    assert seen[-1].edges > 0


def test_a_file_without_rows_may_be_filled_later(tmp_path):
    edges = folder(tmp_path / "edges")
    pq.write_table(PARTS[1][:0], edges / "1.parquet")
    (edges / "3.parquet").write_bytes(b"PAR1half")
    with pytest.raises(FormatError, match="has 4 edges"):
        cc_rapids.stream_components(edges, checkpoint=tmp_path / "state")
    for k in (1, 3):
        pq.write_table(PARTS[k], edges / f"{k}.parquet")
    same(cc_rapids.stream_components(edges, checkpoint=tmp_path / "state"), pa.concat_tables(PARTS))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("where", ["iterator", "progress"])
def test_foreign_errors_have_a_note(where, error, tmp_path):
    def items(whole):
        for k, part in enumerate(PARTS):
            if k == 2 and not whole and where == "iterator":
                raise error("mine")
            yield part

    def progress(facts):
        raise error("mine")

    options = {"checkpoint": tmp_path / "state"}
    failing = {"progress": progress} if where == "progress" else {}
    with pytest.raises(error, match="mine") as raised:
        cc_rapids.stream_components(items(False), **options, **failing)
    edges = 4 if where == "iterator" else 2
    assert raised.value.__notes__ == [
        f"the checkpoint {tmp_path / 'state'} has {edges} edges: {AGAIN}"
    ]
    found = cc_rapids.stream_components(items(True), **options)
    same(found, pa.concat_tables(PARTS))
    assert found.summary()["resumed"] == f"{edges} edges were linked by earlier runs"


def test_a_run_that_met_its_limit_goes_on_with_another(tmp_path):
    rng = np.random.default_rng(1)
    edges = pa.table({"src": rng.integers(0, 10**9, 60_000), "dst": rng.integers(0, 99, 60_000)})
    options = {"checkpoint": tmp_path / "state"}
    parts = [edges.slice(k, 5000) for k in range(0, 60_000, 5000)]
    limit = Items.fixed + (2 << 20)  # for some of the 60,000 vertices
    with pytest.raises(CapacityError) as raised:
        cc_rapids.stream_components(iter(parts), memory_limit=limit, **options)
    assert "run again with a larger memory_limit to go on" in str(raised.value)
    found = cc_rapids.stream_components(iter(parts), memory_limit="256MB", **options)
    assert 0 < int(found.summary()["resumed"].split()[0].replace(",", "")) < 60_000
    same(found, edges)


def test_an_error_of_writing_does_not_replace_that_of_the_run(tmp_path, monkeypatch):
    edges = folder(tmp_path / "edges")
    (edges / "2.parquet").write_bytes(b"PAR1half")

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(module, "write", full)
    with pytest.raises(FormatError, match=r"2\.parquet .* could not be written: disk full"):
        cc_rapids.stream_components(edges, checkpoint=tmp_path / "state")


CHILD = """
import os, signal, sys
from cc_rapids.cli import main
from cc_rapids.incremental.stream import Run
plan, calls = Run._plan_chunk, []
def planned(self, state):
    calls.append(state)
    if len(calls) == 3 and "--checkpoint-every" not in sys.argv:
        os.kill(os.getpid(), int(os.environ["SIGNAL"]))
    return plan(self, state)
Run._plan_chunk = planned
main()
"""


@pytest.mark.slow
@some(
    ("name", "saved"),
    product(["SIGINT", "SIGTERM", "SIGHUP"], [True, False]),
    usual=[("SIGTERM", True)],
)
def test_signals_end_a_command_with_a_checkpoint(name, saved, tmp_path):
    edges, number = folder(tmp_path / "edges"), getattr(signal, name)
    more = ["--checkpoint", str(tmp_path / "state")] if saved else []
    command = [sys.executable, "-c", CHILD, "calculate", str(edges), "--engine", "cpu", *more]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "SIGNAL": str(int(number))}
    # A command under nohup ignores SIGHUP, and the processes that it starts do.
    heard = partial(signal.signal, number, signal.SIG_DFL)
    run = partial(subprocess.run, env=environment, capture_output=True, text=True)
    done = run(command, check=False, preexec_fn=heard)
    assert done.returncode == 128 + number, done.stderr
    if not saved:
        assert done.stderr.startswith("Interrupted: nothing was saved; with --checkpoint PATH")
        return
    says = f"the checkpoint {tmp_path / 'state'} has 4 edges: run the same command again to go on"
    assert done.stderr == f"Interrupted: {says}\n"
    command += ["--checkpoint-every", "60"]
    done = run(command, check=True)
    assert "4 edges were linked by earlier runs" in done.stdout


def test_a_command_restores_the_handlers_of_signals(run, tmp_path):
    edges = folder(tmp_path / "edges")
    before = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)]
    assert run("calculate", edges, "--quiet").exit_code == 0
    assert [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)] == before


@pytest.mark.parametrize("form", ["pattern", "folder", "list"])
@pytest.mark.parametrize("broken", [*BROKEN, "missing"])
def test_insert_keeps_the_files_before_a_broken_one(form, broken, tmp_path):
    edges = folder(tmp_path / "edges")
    paths = [str(edges / f"{k}.parquet") for k in range(4)]
    if broken == "missing":
        form, spoil, error, options = "list", Path.unlink, FormatError, {}
    else:
        spoil, error, options = BROKEN[broken]
    given = {"pattern": f"{edges}/*.parquet", "folder": edges, "list": paths}[form]
    want = cc_rapids.Connectivity(**options).insert(paths[:2])
    spoil(edges / "2.parquet")
    seen = cc_rapids.Connectivity(**options)
    with pytest.raises(error):
        seen.insert(given)
    assert seen.components().summary()["edges"] == 0
    kept = f"{paths[2]} was not inserted; kept 2 files before it: {paths[0]}, {paths[1]}"
    with pytest.raises(error, match=re.escape(kept)):
        seen.insert(given, on_error="keep")
    assert seen.components().summary()["edges"] == 4
    assert seen.components().labels().equals(want.components().labels())
    pq.write_table(PARTS[2], paths[2])
    changed = seen.insert(paths[2:], on_error="keep", return_changes=True)
    assert seen.components().summary()["edges"] == 8
    if not options:
        assert changed["vertex"].to_pylist() == [20, 21, 22, 30, 31, 32]


def test_insert_keeps_only_files():
    for edges in (([1], [2]), iter([([1], [2])]), io.BytesIO(b"1,2\n")):
        with pytest.raises(InputError, match="on_error='keep' is for a path"):
            cc_rapids.Connectivity().insert(edges, on_error="keep")
    with pytest.raises(InputError, match="did you mean 'keep'"):
        cc_rapids.Connectivity().insert("x.csv", on_error="keeep")


@pytest.mark.parametrize("form", [*FORMS, "folder", "list", "weighted"])
@pytest.mark.parametrize("which", [0, 1, 3])
def test_unreadable_files_are_skipped_and_tried_again(form, which, tmp_path, caplog):
    edges = folder(tmp_path / "edges")
    forms = FORMS | {"folder": str, "list": lambda path: sorted(map(str, path.glob("*.parquet")))}
    given = forms.get(form, str)(edges)  # a dataset is made before
    options = {"checkpoint": tmp_path / "state", "unreadable": "skip"}
    if form == "weighted":
        options |= {"weight": "w", "at_least": 0}
    (edges / f"{which}.parquet").write_bytes(b"PAR1half")
    with pytest.raises(FormatError, match=rf"{which}\.parquet"):
        cc_rapids.stream_components(given)
    if form == "dataset":
        given = ds.dataset(edges, schema=PARTS[0].schema)
    for _ in range(2):
        found = cc_rapids.stream_components(given, **options)
        same(found, pa.concat_tables([part for k, part in enumerate(PARTS) if k != which]))
        assert found.ledger["unreadable_files"] == 1
        line = "6 rows given = 6 linked; 1 unreadable file skipped"
        assert found.summary()["ledger"] == line
        assert f"{which}.parquet cannot be read" in caplog.text
    pq.write_table(PARTS[which], edges / f"{which}.parquet")
    if form == "dataset":
        given = ds.dataset(edges)
    found = cc_rapids.stream_components(given, **options)
    same(found, pa.concat_tables(PARTS))
    assert "unreadable_files" not in found.ledger
    assert "6 edges were linked by earlier runs" in found.summary()["resumed"]


@pytest.mark.parametrize("form", ["folder", "dataset"])
@pytest.mark.parametrize("which", [0, 1, 3])
def test_plans_and_audits_skip_unreadable_files(form, which, tmp_path, caplog):
    edges = folder(tmp_path / "edges")
    (edges / f"{which}.parquet").write_bytes(b"PAR1half")
    given = edges if form == "folder" else ds.dataset(edges, schema=PARTS[0].schema)
    skip = {"unreadable": "skip"}
    plan = cc_rapids.stream_components(given, explain=True, **skip)
    assert (plan.pieces, plan.edges) == (3, 6)
    assert f"skipped as unreadable: {edges}/{which}.parquet" in caplog.text
    found = cc_rapids.stream_components(given, **skip)
    assert found.audit(given, **skip).ledger == {"given": 6, "linked": 6, "unreadable_files": 1}
    leaves_out = rf"{which}\.parquet cannot be read.*; unreadable='skip' leaves this file out"
    for call in (
        lambda: cc_rapids.stream_components(given),
        lambda: cc_rapids.stream_components(given, explain=True),
        lambda: found.audit(given),
    ):
        with pytest.raises(FormatError, match=leaves_out):
            call()
    with pytest.raises(FormatError) as raised:  # insert() has no such option
        cc_rapids.Connectivity().insert(given)
    assert "unreadable=" not in str(raised.value)
    for path in edges.iterdir():
        path.write_bytes(b"PAR1half")
    with pytest.raises(FormatError, match="none of 4 files can be read"):
        cc_rapids.stream_components(edges, explain=True, **skip)


def test_a_file_of_text_ids_after_integers_is_not_unreadable(tmp_path):
    (tmp_path / "a.csv").write_text("src,dst\n1,2\n")
    (tmp_path / "b.csv").write_text("src,dst\nx,y\n")
    found = cc_rapids.stream_components(tmp_path, unreadable="skip")
    assert found.ledger == {"given": 2, "linked": 2}
    assert sorted(found.labels()["vertex"].to_pylist()) == ["1", "2", "x", "y"]


@pytest.mark.slow
def test_what_is_not_skipped(tmp_path, run, tuned):
    edges = folder(tmp_path / "edges")
    skip = {"unreadable": "skip"}
    with pytest.raises(InputError, match="is for paths"):
        cc_rapids.stream_components(iter(PARTS), **skip)
    with pytest.raises(InputError, match="did you mean 'skip'"):
        cc_rapids.components(edges, unreadable="skips")
    late = tmp_path / "late.csv"  # broken after rows of it were linked
    tuned(text_block_bytes=1 << 20)
    late.write_text("src,dst\n" + f"{'a' * 1000},b\n" * 4000 + "1,2,3,4\n")
    with pytest.raises(FormatError, match=r"late\.csv"):
        cc_rapids.stream_components([late, edges / "0.parquet"], **skip)
    missing = [str(edges / "0.parquet"), str(tmp_path / "none.parquet")]
    assert cc_rapids.components(missing, **skip).ledger["unreadable_files"] == 1
    (edges / "1.parquet").write_bytes(b"PAR1half")
    assert "1 unreadable file" in run("calculate", edges, "--unreadable", "skip").stdout
    for path in edges.iterdir():
        path.write_bytes(b"PAR1half")
    with pytest.raises(FormatError, match="none of 4 files can be read"):
        cc_rapids.components(edges, **skip)


def test_a_path_that_is_too_long_is_refused_by_name(tmp_path):
    with pytest.raises(cc_rapids.OutputError, match=r"cannot write .*: File name too long"):
        cc_rapids.stream_components([([1], [2])], checkpoint=tmp_path / ("x" * 5000) / "a.ckpt")


def test_unreadable_files_of_a_batch_are_skipped(tmp_path):
    whole, damaged = tmp_path / "a.csv", tmp_path / "b.parquet"
    whole.write_text("src,dst\n1,2\n2,3\n")
    damaged.write_bytes(b"PAR1 and nothing else")
    seen = cc_rapids.Connectivity().insert(tmp_path, unreadable="skip")
    assert len(seen) == 1
    assert "1 unreadable file skipped" in seen.components().summary()["ledger"]
    with pytest.raises(InputError, match=r"b\.parquet"):
        seen.insert(tmp_path)
    for edges, options, says in (
        (([1], [2]), {}, "unreadable='skip' is for patterns"),
        ([([1], [2])], {}, "unreadable='skip' is for paths"),
        (tmp_path, {"on_error": "keep"}, "pass only one of them"),
    ):
        with pytest.raises(InputError, match=says):
            seen.insert(edges, unreadable="skip", **options)
