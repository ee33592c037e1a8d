"""The stage of NeMo Curator: what it reads and writes, and what an error or interruption leaves."""

import ast
import copy
import errno
import importlib.util
import inspect
import json
import logging
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.curator_tasks import (
    DOCUMENT,
    GROUP,
    FileGroupTask,
    X,
    Y,
    executed,
    read,
    tasks_of,
    to_remove,
)
from support.ray_apart import ray_apart

import cc_rapids
from cc_rapids import errors, oracle
from cc_rapids.curator import ConnectedComponentsStage
from cc_rapids.incremental import stream
from cc_rapids.integrations.curator import MANIFEST

RANDOM = np.random.default_rng(8)
EDGES = RANDOM.integers(0, 3000, (2000, 2)) * 10**12
CHAIN = np.array([[1, 2], [2, 3], [9, 3], [7, 8], [8, 7], [5, 5]])
ANSWER = {DOCUMENT: [1, 2, 3, 5, 7, 8, 9], GROUP: [1, 1, 1, 5, 7, 7, 1]}


def expected(edges):
    vertices, places = np.unique(edges, return_inverse=True)
    pairs = places.reshape(-1, 2)
    least = oracle.union_find(pairs[:, 0], pairs[:, 1], len(vertices))
    return {DOCUMENT: vertices.tolist(), GROUP: vertices[least].tolist()}


def left_in(folder):
    """The names in a folder, apart from that of a manifest."""
    return sorted(path.name for path in folder.rglob("*") if path.name != MANIFEST)


def contents(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def full_after(files):
    """PyArrow's function on a disk that has room for so many files."""
    write, written = pq.write_table, []

    def write_table(table, place, **words):
        if len(written) == files:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(place)
        write(table, place, **words)

    return write_table


# what somebody else may do in the folder of an answer of two files
PLANTS = {
    "a file": lambda folder: (folder / "notes.txt").write_text("a word"),
    "an empty folder": lambda folder: (folder / "more").mkdir(),
    "no manifest": lambda folder: (folder / MANIFEST).unlink(),
    "a broken manifest": lambda folder: (folder / MANIFEST).write_text("{"),
    "other content": lambda folder: (folder / "0_0_0_1.parquet").write_bytes(b"word"),
    "other columns": lambda folder: pq.write_table(
        pq.read_table(folder / "0_0_0_0.parquet").select([GROUP]), folder / "0_0_0_0.parquet"
    ),
    "a folder of that name": lambda folder: (
        (folder / "0_0_0_1.parquet").unlink() or (folder / "0_0_0_1.parquet").mkdir()
    ),
}


class TestAnswers:
    def test_the_next_stage_finds_what_it_reads(self, tmp_path, engine):
        tasks = tasks_of(tmp_path / "edges", EDGES, files=7)
        cache = tmp_path / "cache"
        [done] = executed(ConnectedComponentsStage(str(cache), engine=engine), tasks)
        assert done.data == [f"{cache}/ConnectedComponentsStage/0_0_0.parquet"]
        assert isinstance(done, FileGroupTask)
        assert (done.dataset_name, done.task_id) == ("web_edges", "")
        table = read([done])
        assert table.schema.equals(pa.schema({DOCUMENT: pa.int64(), GROUP: pa.int64()}))
        assert table.to_pydict() == expected(EDGES)
        ledger = {"given": len(EDGES), "linked": len(EDGES)}
        facts = {"storage_options": None, "num_vertices": len(table), "ledger": ledger}
        assert done._metadata == facts
        assert json.loads(table.schema.metadata[b"cc_rapids.ledger"]) == ledger
        kept = len(set(table[GROUP].to_pylist()))
        assert len(to_remove(table)) == len(table) - kept
        assert left_in(cache) == ["0_0_0.parquet", "ConnectedComponentsStage"]

    def test_many_documents_have_several_files_with_a_task_each(self, tmp_path):
        tasks = tasks_of(tmp_path / "edges", CHAIN)
        stage = ConnectedComponentsStage(str(tmp_path), rows_per_file=3)
        done = executed(stage, tasks)
        names = [f"0_0_0_{k}.parquet" for k in range(3)]
        assert [task.data for task in done] == [[f"{stage.output_path}/{name}"] for name in names]
        assert [task._metadata["num_vertices"] for task in done] == [3, 3, 1]
        assert read(done).to_pydict() == ANSWER
        assert to_remove(read(done)) == [2, 3, 8, 9]

    def test_columns_of_other_names_and_options_of_files(self, tmp_path):
        pq.write_table(pa.table({"a": [3], "b": [4], "c": [1.5]}), tmp_path / "e.parquet")
        stage = ConnectedComponentsStage(
            str(tmp_path / "out"),
            "a",
            "b",
            read_kwargs={"storage_options": {}},
            write_kwargs={"compression": "zstd", "row_group_size_rows": 1, "index": False},
        )
        [done] = stage.process_batch([FileGroupTask("d", [str(tmp_path / "e.parquet")])])
        assert done.data[0].endswith("/components.parquet")
        stored = pq.read_metadata(done.data[0])
        assert stored.num_row_groups == 2
        assert stored.row_group(0).column(0).compression == "ZSTD"
        assert read([done]).to_pydict() == {DOCUMENT: [3, 4], GROUP: [3, 3]}

    @pytest.mark.parametrize("files", [1, 3])
    def test_without_edges_there_is_a_file_without_rows(self, tmp_path, files):
        tasks = tasks_of(tmp_path / "edges", np.empty((0, 2), int), files)
        [done] = executed(ConnectedComponentsStage(str(tmp_path)), tasks)
        assert read([done]).schema.equals(pa.schema({DOCUMENT: pa.int64(), GROUP: pa.int64()}))
        assert done._metadata["num_vertices"] == 0

    def test_files_without_rows_count_for_nothing(self, tmp_path):
        tasks = tasks_of(tmp_path / "edges", CHAIN[:2], files=5)
        assert any(pq.read_schema(path).types[0] == pa.null() for path in tasks[1].data)
        [done] = executed(ConnectedComponentsStage(str(tmp_path)), tasks)
        assert read([done]).to_pydict() == {DOCUMENT: [1, 2, 3], GROUP: [1, 1, 1]}

    @pytest.mark.parametrize("kind", ["int32", "uint32", "uint64"])
    def test_groups_have_the_type_of_the_documents(self, tmp_path, kind):
        tasks = tasks_of(tmp_path / "edges", CHAIN.astype(kind))
        table = read(executed(ConnectedComponentsStage(str(tmp_path)), tasks))
        assert {str(own) for own in table.schema.types} == {kind}
        assert table.to_pydict() == ANSWER

    def test_a_memory_limit_makes_chunks_and_an_error_leaves_nothing(self, tmp_path):
        tasks = tasks_of(tmp_path / "edges", EDGES)
        stage = ConnectedComponentsStage(str(tmp_path / "out"), memory_limit="1MiB")
        with pytest.raises(errors.CapacityError, match="memory_limit"):
            executed(stage, tasks)
        assert left_in(tmp_path / "out") == ["ConnectedComponentsStage"]

    def test_edges_with_nulls_are_dropped_on_demand(self, tmp_path):
        pq.write_table(pa.table({X: [1, None, 5], Y: [2, 3, 4]}), tmp_path / "e.parquet")
        task = FileGroupTask("d", [str(tmp_path / "e.parquet")])
        stage = ConnectedComponentsStage(str(tmp_path / "out"), nulls="drop")
        assert read(executed(stage, [task])).to_pydict() == {
            DOCUMENT: [1, 2, 4, 5],
            GROUP: [1, 1, 4, 4],
        }

    @pytest.mark.parametrize("fault", [lambda files: files[:-1], lambda files: [*files, files[0]]])
    def test_edges_that_are_lost_are_an_error_and_no_file(self, tmp_path, monkeypatch, fault):
        find = stream.stream_components
        monkeypatch.setattr(
            stream, "stream_components", lambda edges, *names, **own: find(fault(edges), *names)
        )
        with pytest.raises(errors.LedgerError, match=r"the files of edges .*6 rows were given"):
            executed(ConnectedComponentsStage(str(tmp_path)), tasks_of(tmp_path / "edges", CHAIN))
        assert left_in(tmp_path / "ConnectedComponentsStage") == []

    def test_one_line_tells_what_was_done(self, tmp_path, caplog):
        caplog.set_level(logging.INFO, logger="cc_rapids.integrations.curator")
        executed(ConnectedComponentsStage(str(tmp_path)), tasks_of(tmp_path / "edges", CHAIN))
        assert caplog.messages == [
            "ConnectedComponentsStage: 7 documents in 3 groups, by 6 edges of 4 files; ledger: 6"
            " rows given = 6 linked"
        ]

    @settings(
        max_examples=30,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
    @given(
        edges=st.lists(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 2), max_size=12),
        files=st.integers(1, 4),
        rows=st.integers(1, 5),
    )
    def test_any_edges_in_any_files_have_the_components_of_all(
        self, tmp_path_factory, edges, files, rows
    ):
        place = tmp_path_factory.mktemp("any")
        edges = np.array(edges, np.int64).reshape(-1, 2)
        tasks = tasks_of(place / "edges", edges, files, per_task=1)
        stage = ConnectedComponentsStage(str(place), rows_per_file=rows)
        assert read(executed(stage, tasks)).to_pydict() == expected(edges)


class TestInterruptions:
    @pytest.fixture
    def links(self, monkeypatch):
        """The numbers of edges that were linked; an interruption after the third chunk at first."""
        link, linked = stream.Run._link, []

        def counting(run, state, chunk, file):
            if len(linked) == 3:
                linked.append(0)
                raise KeyboardInterrupt
            linked.append(len(chunk.loaded().frame))
            return link(run, state, chunk, file)

        monkeypatch.setattr(stream.Run, "_link", counting)
        return linked

    def test_a_stage_goes_on_where_it_was_interrupted(self, tmp_path, links):
        tasks = tasks_of(tmp_path / "edges", EDGES, files=8)
        options = {"checkpoint": tmp_path / "state", "checkpoint_every": 0}
        with pytest.raises(KeyboardInterrupt):
            executed(ConnectedComponentsStage(str(tmp_path / "out"), **options), tasks)
        assert left_in(tmp_path / "out") == ["ConnectedComponentsStage"]
        before = sum(links)
        [done] = executed(ConnectedComponentsStage(str(tmp_path / "out"), **options), tasks)
        assert sum(links) == len(EDGES)
        assert 0 < before < len(EDGES)
        assert read([done]).to_pydict() == expected(EDGES)

    def test_what_was_solved_is_only_written_after_a_full_disk(self, tmp_path, monkeypatch):
        tasks = tasks_of(tmp_path / "edges", CHAIN)
        options = {"checkpoint": tmp_path / "state", "rows_per_file": 3}
        stage = ConnectedComponentsStage(str(tmp_path / "out"), **options)
        with monkeypatch.context() as patched:
            patched.setattr(pq, "write_table", full_after(1))
            with pytest.raises(errors.OutputError, match="No space left on device"):
                stage.process_batch(tasks)
        assert left_in(tmp_path / "out") == ["ConnectedComponentsStage"]
        monkeypatch.setattr(stream.Run, "_link", None)
        assert read(stage.process_batch(tasks)).to_pydict() == ANSWER

    def test_a_checkpoint_of_other_edges_is_refused(self, tmp_path):
        checkpoint = tmp_path / "state"
        stage = ConnectedComponentsStage(str(tmp_path / "out"), checkpoint=checkpoint)
        stage.process_batch(tasks_of(tmp_path / "edges", CHAIN))
        again = ConnectedComponentsStage(str(tmp_path / "out"), checkpoint=checkpoint)
        with pytest.raises(errors.CheckpointError, match="is not among the files now"):
            again.process_batch(tasks_of(tmp_path / "others", CHAIN))


class TestFolder:
    def test_the_answer_of_an_earlier_run_is_replaced_at_the_end(self, tmp_path, monkeypatch):
        tasks = tasks_of(tmp_path / "edges", CHAIN)
        executed(ConnectedComponentsStage(str(tmp_path / "out"), rows_per_file=2), tasks)
        earlier = contents(tmp_path / "out")
        assert len(left_in(tmp_path / "out")) == 5
        stage = ConnectedComponentsStage(str(tmp_path / "out"))
        with monkeypatch.context() as patched:
            patched.setattr(pq, "write_table", full_after(0))
            with pytest.raises(errors.OutputError, match="No space"):
                executed(stage, tasks)
        with pytest.raises(errors.FormatError, match=r"none\.parquet cannot be read"):
            executed(stage, [FileGroupTask("d", [str(tmp_path / "none.parquet")])])
        assert contents(tmp_path / "out") == earlier
        executed(stage, tasks)
        executed(stage, tasks)  # by a worker that took the place of another
        assert left_in(tmp_path / "out") == ["0_0_0.parquet", "ConnectedComponentsStage"]

    @pytest.mark.parametrize("plant", PLANTS)
    def test_what_no_run_wrote_is_refused_and_kept(self, tmp_path, plant, monkeypatch):
        tasks = tasks_of(tmp_path / "edges", CHAIN)
        executed(ConnectedComponentsStage(str(tmp_path / "out"), rows_per_file=4), tasks)
        folder = tmp_path / "out" / "ConnectedComponentsStage"
        PLANTS[plant](folder)
        before = contents(tmp_path)
        stage = ConnectedComponentsStage(str(tmp_path / "out"))
        assert contents(tmp_path) == before
        monkeypatch.setattr(stream.Run, "_link", None)  # refused before an edge is read
        with pytest.raises(errors.OutputError, match=r"has \d files? that no run of Conn.*: move"):
            executed(stage, tasks)
        assert contents(tmp_path) == before

    def test_a_file_that_comes_while_edges_are_read_is_kept(self, tmp_path, monkeypatch):
        tasks = tasks_of(tmp_path / "edges", CHAIN)
        stage = ConnectedComponentsStage(str(tmp_path / "out"))
        executed(stage, tasks)
        new, link = Path(stage.output_path) / "new", stream.Run._link
        monkeypatch.setattr(
            stream.Run, "_link", lambda *given: (new.write_text("a word"), link(*given))[1]
        )
        before = contents(Path(stage.output_path))
        with pytest.raises(errors.OutputError, match="1 file that no run"):
            executed(stage, tasks)
        assert contents(Path(stage.output_path)) == before | {new: b"a word"}

    def test_a_folder_that_is_a_link_is_refused(self, tmp_path):
        (tmp_path / "target").mkdir()
        (tmp_path / "target" / "own").write_text("")
        (tmp_path / "ConnectedComponentsStage").symlink_to(tmp_path / "target")
        with pytest.raises(errors.OutputError, match="it is a link"):
            ConnectedComponentsStage(str(tmp_path))
        assert left_in(tmp_path / "target") == ["own"]

    def test_a_path_that_is_too_long_is_an_error_at_once(self, tmp_path):
        with pytest.raises(errors.OutputError, match="File name too long"):
            ConnectedComponentsStage(str(tmp_path / ("x" * 5000)))

    def test_a_folder_that_cannot_be_made_is_an_error_at_once(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(errors.OutputError, match=r"cannot write .*file/Connected"):
            ConnectedComponentsStage(str(tmp_path / "file"))
        assert left_in(tmp_path) == ["file"]

    def test_addresses_are_read_and_written_by_fsspec(self, tmp_path):
        fsspec = pytest.importorskip("fsspec")
        system = fsspec.filesystem("memory")
        paths = [f"memory://edges/{k}.parquet" for k in range(3)]
        for path, kind, rows in zip(paths, ("int32", "int64", None), (3, 3, 0), strict=True):
            part = CHAIN[:3] if kind == "int32" else CHAIN[3:]
            columns = [part[:rows, k].astype(kind) if kind else pa.nulls(0) for k in (0, 1)]
            with system.open(path, "wb") as file:
                pq.write_table(pa.table({X: columns[0], Y: columns[1]}), file)
        options = {"storage_options": {"skip_instance_cache": True}}
        stage = ConnectedComponentsStage(
            "memory://out/", read_kwargs=options, write_kwargs=options, rows_per_file=4
        )
        tasks = [FileGroupTask("d", paths)]
        done = stage.process_batch(tasks)
        names = [f"memory://out/ConnectedComponentsStage/components_{k}.parquet" for k in range(2)]
        assert [task.data for task in done] == [[name] for name in names]
        assert done[0]._metadata["storage_options"] == {"skip_instance_cache": True}
        found = pa.concat_tables(pq.read_table(system.open(name)) for name in names)
        assert found.to_pydict() == ANSWER
        again = ConnectedComponentsStage("memory://out", "", "", options, options)
        assert len(system.find("/out")) == 3
        again.process_batch(tasks)
        assert [Path(path).name for path in system.find("/out")] == [MANIFEST, "components.parquet"]
        system.pipe("/out/ConnectedComponentsStage/deep/notes", b"a word")
        before = system.cat(system.find("/out"))
        with pytest.raises(errors.OutputError, match=r"1 file that no run of .* 'deep/notes'"):
            again.process_batch(tasks)
        assert system.cat(system.find("/out")) == before
        system.rm_file("/out/ConnectedComponentsStage/deep/notes")
        again = ConnectedComponentsStage("memory://out", write_kwargs=options)
        with pytest.raises(errors.FormatError, match=r"memory://edges/9\.parquet cannot be read"):
            again.process_batch([FileGroupTask("d", ["memory://edges/9.parquet"])])
        system.rm("/edges", recursive=True)
        system.rm("/out", recursive=True)

    def test_an_address_gets_all_files_or_none(self, tmp_path, monkeypatch):
        system = pytest.importorskip("fsspec").filesystem("memory")
        stage = ConnectedComponentsStage("memory://half", rows_per_file=3)
        tasks = tasks_of(tmp_path / "edges", CHAIN)
        monkeypatch.setattr(pq, "write_table", full_after(1))
        with pytest.raises(errors.OutputError, match=r"cannot write memory://half/.*: No space"):
            stage.process_batch(tasks)
        assert system.find("/half") == []


class TestErrors:
    def test_addresses_need_fsspec(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "fsspec.core", None)
        with pytest.raises(errors.MissingExtraError, match=r"^s3://cache/Conn.* needs fsspec"):
            ConnectedComponentsStage("s3://cache")

    @pytest.mark.parametrize(
        ("columns", "error", "words"),
        [
            ({X: [1], "other": [2]}, errors.MissingColumnError, "unknown column '_curator_dedup_"),
            ({X: [1, None], Y: [2, 3]}, errors.NullsError, r"0\.parquet, row 1 \(from 0\): column"),
            (
                {X: ["a"], Y: ["b"]},
                errors.ColumnTypeError,
                "is string, but ids of documents are integer",
            ),
            (
                {X: [1.5], Y: [2.0]},
                errors.ColumnTypeError,
                "is double, but ids of documents are integer",
            ),
            (
                {X: pa.nulls(2), Y: [1, 2]},
                errors.ColumnTypeError,
                "is null, but ids of documents are",
            ),
        ],
    )
    def test_columns_that_are_no_edges(self, tmp_path, columns, error, words):
        pq.write_table(pa.table(columns), tmp_path / "0.parquet")
        stage = ConnectedComponentsStage(str(tmp_path / "out"))
        with pytest.raises(error, match=words):
            executed(stage, [FileGroupTask("d", [str(tmp_path / "0.parquet")])])
        assert left_in(tmp_path / "out") == ["ConnectedComponentsStage"]

    def test_files_that_cannot_be_read(self, tmp_path):
        (tmp_path / "text.parquet").write_text("no Parquet")
        stage = ConnectedComponentsStage(str(tmp_path / "out"))
        for name in ("text.parquet", "none.parquet"):
            with pytest.raises(errors.FormatError, match=f"{name} cannot be read"):
                executed(stage, [FileGroupTask("d", [str(tmp_path / name)])])

    @pytest.mark.parametrize("tasks", [[], [FileGroupTask("d", []), FileGroupTask("d", [])]])
    def test_without_files(self, tmp_path, tasks):
        with pytest.raises(errors.InputError, match=r"no edges, because [02] tasks name no files"):
            ConnectedComponentsStage(str(tmp_path)).process_batch(tasks)

    def test_edges_in_two_batches_are_refused(self, tmp_path):
        first, second = tasks_of(tmp_path / "edges", CHAIN)
        stage = ConnectedComponentsStage(str(tmp_path))
        stage.process_batch([first])
        with pytest.raises(
            errors.InputError, match="has already processed 2 files and now gets 2 other files"
        ):
            stage.process_batch([second])
        with pytest.raises(NotImplementedError, match="all tasks together: call process_batch"):
            stage.process(first)

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"engine": "gpus"}, errors.EngineError, "unknown engine 'gpus'"),
            ({"nulls": "keep"}, errors.InputError, "unknown nulls policy 'keep'"),
            ({"memory_limit": "2 apples"}, errors.InputError, "memory_limit must be"),
            ({"rows_per_file": 0}, errors.InputError, "rows_per_file must be at least 1, not 0"),
            ({"rows_per_file": 1.5}, errors.InputError, "rows_per_file must be a number of rows"),
            ({"checkpoint": 7}, errors.ArgumentTypeError, "checkpoint= must be a path"),
            ({"read_kwargs": {"filters": []}}, errors.InputError, r"option in read_kwargs= 'filt"),
            ({"write_kwargs": {"compress": 1}}, errors.InputError, "did you mean 'compression'?"),
            ({"write_kwargs": 3}, errors.ArgumentTypeError, "write_kwargs= must be a dictionary"),
            ({"write_kwargs": {"compression": "zst"}}, errors.InputError, "did you mean 'zstd'?"),
            ({"write_kwargs": {"compression": 3}}, errors.InputError, "compression in write_kw"),
            ({"write_kwargs": {"row_group_size_rows": -1}}, errors.InputError, "rows, not -1"),
            ({"write_kwargs": {"row_group_size_rows": True}}, errors.InputError, "number of rows"),
        ],
    )
    def test_arguments_are_checked_before_the_folder_is_made(self, tmp_path, options, error, words):
        with pytest.raises(error, match=words):
            ConnectedComponentsStage(str(tmp_path), **options)
        assert left_in(tmp_path) == []

    @pytest.mark.parametrize("name", ["state", "deep/state", "../ConnectedComponentsStage", ""])
    def test_a_checkpoint_in_the_folder_of_the_answer(self, tmp_path, name):
        folder = tmp_path / "ConnectedComponentsStage"
        folder.mkdir()
        (folder / "state").write_text("")
        with pytest.raises(errors.InputError, match=r"checkpoint .* is in the folder of"):
            ConnectedComponentsStage(str(tmp_path), checkpoint=folder / name)
        assert left_in(tmp_path) == ["ConnectedComponentsStage", "state"]

    def test_edges_in_the_folder_of_the_answer(self, tmp_path):
        folder = tmp_path / "ConnectedComponentsStage"
        tasks = tasks_of(folder, CHAIN)
        before = contents(folder)
        stage = ConnectedComponentsStage(str(tmp_path))
        with pytest.raises(errors.InputError, match=r"edges .*0\.parquet is in the folder of"):
            stage.process_batch(tasks)
        assert contents(folder) == before
        pytest.importorskip("fsspec")
        remote = ConnectedComponentsStage("memory://inside")
        with pytest.raises(errors.InputError, match="move the file, or pass another output_pa"):
            remote.process_batch([FileGroupTask("d", [f"{remote.output_path}/0.parquet"])])

    @pytest.mark.parametrize("path", [None, 3, ""])
    def test_the_folder_is_a_path(self, path):
        with pytest.raises(errors.InputError, match="output_path="):
            ConnectedComponentsStage(path)


class TestCurator:
    @pytest.mark.parametrize(
        ("engine", "gpus"), [(None, 1.0), ("gpu", 1.0), ("cpu", 0.0), ("threads", 0.0)]
    )
    def test_resources(self, tmp_path, engine, gpus):
        stage = ConnectedComponentsStage(str(tmp_path), engine=engine)
        assert (stage.resources.cpus, stage.resources.gpus) == (1.0, gpus)
        assert (stage.name, stage.is_resumable) == ("ConnectedComponentsStage", False)
        assert copy.deepcopy(stage).output_path == stage.output_path

    @pytest.fixture
    def protocol(self, monkeypatch):
        """Modules in Curator's place that hold the base class of stages, as it is."""
        modules = ("nemo_curator", "nemo_curator.stages", "nemo_curator.stages.base")
        made = {name: ModuleType(name) for name in (*modules, "nemo_curator.stages.resources")}

        class Meta(type):
            def __call__(cls, *arguments, **options):
                stage = super().__call__(*arguments, **options)
                stage.sized = stage.num_workers()
                return stage

        class ProcessingStage(metaclass=Meta):
            def __init_subclass__(cls, **options):
                super().__init_subclass__(**options)
                assert not isinstance(vars(cls).get("resources"), property)

        made["nemo_curator.stages.base"].ProcessingStage = ProcessingStage
        made["nemo_curator.stages.resources"].Resources = SimpleNamespace
        for name, module in made.items():
            monkeypatch.setitem(sys.modules, name, module)
        return made["nemo_curator.stages.base"]

    def copied(self):
        """A second copy of the module, made by what is importable now."""
        name = "cc_rapids.integrations.curator"
        spec = importlib.util.find_spec(name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def test_the_base_class_is_curators_where_it_is_installed(self, tmp_path, protocol):
        stage = self.copied().ConnectedComponentsStage(str(tmp_path))
        assert isinstance(stage, protocol.ProcessingStage)
        assert stage.sized == 1
        done = stage.process_batch(tasks_of(tmp_path / "edges", CHAIN))
        assert read(done).to_pydict() == ANSWER

    def test_a_curator_that_lacks_a_library_says_so(self, monkeypatch, protocol):
        class Broken:
            def __getattr__(self, name):
                raise ModuleNotFoundError("No module named 'ray'", name="ray")

        monkeypatch.setitem(sys.modules, "nemo_curator.stages.base", Broken())
        with pytest.raises(ModuleNotFoundError, match="ray"):
            self.copied()

    def test_the_module_is_found_from_the_package(self):
        assert "curator" in dir(cc_rapids)
        assert cc_rapids.curator.ConnectedComponentsStage is ConnectedComponentsStage


class TestInstalledCurator:
    """The same with Curator itself, where that is installed; cuDF need not be."""

    @pytest.fixture
    def curator(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pytest.importorskip("nemo_curator.backends.base")

    def words(self, path):
        """The constants of one of Curator's modules, without the libraries that it imports."""
        root = Path(importlib.util.find_spec("nemo_curator").origin).parent
        return ast.parse((root / "stages/deduplication" / path).read_text())

    def constants(self, path):
        assigned = [node for node in self.words(path).body if isinstance(node, ast.Assign)]
        return {
            node.targets[0].id: node.value.value
            for node in assigned
            if isinstance(node.value, ast.Constant)
        }

    def test_names_of_columns_and_arguments_are_those_of_curators_stage(self, curator):
        assert self.constants("id_generator.py")["CURATOR_DEDUP_ID_STR"] == DOCUMENT
        assert self.constants("fuzzy/utils.py")["CURATOR_FUZZY_DUPLICATE_GROUP_FIELD"] == GROUP
        tree = self.words("fuzzy/connected_components.py")
        [theirs] = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        [made] = [node for node in theirs.body if getattr(node, "name", "") == "__init__"]
        ours = inspect.signature(ConnectedComponentsStage.__init__).parameters
        shared = [name for name, own in ours.items() if own.kind is not own.KEYWORD_ONLY][1:]
        assert [argument.arg for argument in made.args.args[1:]] == shared
        assert theirs.name == ConnectedComponentsStage.name

    def test_its_adapter_runs_the_stage(self, curator, tmp_path, monkeypatch):
        from nemo_curator.stages.base import ProcessingStage
        from nemo_curator.tasks import FileGroupTask as Task

        monkeypatch.setattr(curator, "is_resumability_actor_active", lambda: False)
        stage = ConnectedComponentsStage(str(tmp_path), engine="cpu", rows_per_file=4)
        assert isinstance(stage, ProcessingStage)
        assert stage.supports_batch_processing()
        assert stage.with_(name="other").get_config()["batch_size"] == stage.batch_size
        tasks = [
            Task(dataset_name="web", data=task.data)
            for task in tasks_of(tmp_path / "edges", CHAIN, files=6)
        ]
        done = curator.BaseStageAdapter(stage).process_batch(tasks)
        assert {type(task) for task in done} == {Task}
        assert [task._metadata["num_vertices"] for task in done] == [4, 3]
        assert all(task.task_id for task in done)
        assert read(done).to_pydict() == ANSWER

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore")
    def test_a_pipeline_of_ray_actors_runs_it(self, curator, tmp_path):
        from nemo_curator.backends.ray_actor_pool import RayActorPoolExecutor
        from nemo_curator.pipeline import Pipeline
        from nemo_curator.tasks import FileGroupTask as Task

        options = {"engine": "cpu", "checkpoint": tmp_path / "state"}
        stage = ConnectedComponentsStage(str(tmp_path / "out"), **options)
        tasks = [
            Task(dataset_name="web", data=task.data)
            for task in tasks_of(tmp_path / "edges", EDGES, files=6, per_task=1)
        ]
        pipeline = Pipeline(name="components", stages=[stage])
        with ray_apart():
            done = pipeline.run(executor=RayActorPoolExecutor(), initial_tasks=tasks)
        assert len(done) == 1
        assert read(done).to_pydict() == expected(EDGES)
        # the guide's way to go on: the files of edges in one task, to a new stage
        files = sorted(map(str, (tmp_path / "edges").glob("*.parquet")))
        again = ConnectedComponentsStage(str(tmp_path / "out"), **options)
        pipeline = Pipeline(name="again", stages=[again])
        tasks = [Task(dataset_name="edges", data=files)]
        with ray_apart():
            done = pipeline.run(RayActorPoolExecutor(), initial_tasks=tasks)
        assert read(done).to_pydict() == expected(EDGES)
