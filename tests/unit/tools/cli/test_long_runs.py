"""Long runs of ``cc-rapids calculate``: planned, resumed, and with labels in several files."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cc_rapids
from cc_rapids.incremental import stream

EDGES = "src,dst\n5,2\n2,7\n9,9\n4,8\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The edges, and two files of others."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.csv").write_text(EDGES)
    (tmp_path / "parts").mkdir()
    for k in range(2):
        table = pa.table({"src": [10 * k, 10 * k + 1], "dst": [10 * k + 1, 10 * k + 2]})
        pq.write_table(table, f"parts/{k}.parquet")
    return tmp_path


@pytest.fixture
def given(run):
    """What a command prints that succeeds."""

    def told(*words):
        done = run(*words)
        assert (done.exit_code, done.stderr) == (0, ""), done.stderr
        return done.stdout

    return told


@pytest.fixture
def refused(run):
    """The error of a command."""

    def said(*words):
        done = run(*words)
        assert (done.exit_code, done.stdout) == (2, ""), done.stdout
        return done.stderr

    return said


class TestExplain:
    def test_a_plan_is_printed_as_in_python(self, given):
        plan = cc_rapids.components("pairs.csv", explain=True, engine="cpu")
        assert given("calculate", "pairs.csv", "--engine", "cpu", "--explain") == f"{plan}\n"
        told = given("calculate", "parts", "--explain")
        assert "pieces    2" in told
        assert "edges     4" in told
        facts = json.loads(given("calculate", "parts", "--explain", "--json"))
        assert (facts["pieces"], facts["edges"], facts["fits"]) == (2, 4, True)
        facts = json.loads(given("calculate", "pairs.csv", "--explain", "--json"))
        assert facts["edges"] == 4
        assert set(facts) > {"engine", "design", "bytes"}

    def test_nothing_is_written_and_output_may_be_named(self, given, folder):
        for output in ("labels.csv", "labels/", "-"):
            told = given("calculate", "pairs.csv", "--explain", "--output", output)
            assert told.startswith("engine")
        assert not (folder / "labels.csv").exists()
        assert not (folder / "labels").exists()
        assert given("calculate", "pairs.csv", "--explain", "--quiet") == ""

    def test_generated_edges(self, given):
        assert "edges     2" in given("calculate", "--generate", "path(nodes=3)", "--explain")


class TestCheckpoint:
    def test_a_run_is_resumed_with_added_files(self, given, folder):
        words = ["calculate", "parts", "--checkpoint", "state", "--checkpoint-every", "0"]
        first = json.loads(given(*words, "--json"))
        assert (first["edges"], first["streamed"]) == (4, True)
        assert "resumed" not in first
        again = json.loads(given(*words, "--json"))
        assert again["resumed"].startswith("4 edges were linked by earlier runs")
        assert again["components"] == first["components"] == 2
        assert "4 edges were linked" in given(*words)
        pq.write_table(pa.table({"src": [2], "dst": [10]}), "parts/2.parquet")
        more = json.loads(given(*words, "--json"))
        assert (more["edges"], more["components"]) == (5, 1)

    @pytest.mark.parametrize("bound", [[], ["--weight", "w", "--at-least", "0.5"]])
    def test_an_interrupted_run_goes_on(self, run, given, refused, monkeypatch, bound):
        for k in range(2):  # of three edges each, the last of which is out of bounds
            path = f"parts/{k}.parquet"
            ends = {"src": [10 * k, 10 * k + 1, 2], "dst": [10 * k + 1, 10 * k + 2, 12]}
            pq.write_table(pa.table(ends | {"w": [1.0, 0.5, 0.25]}), path)
        options = ["--checkpoint", "state", "--checkpoint-every", "0", "--json"]
        words = ["calculate", "parts", *bound, *options]
        insert, seen = stream.Run._plan_chunk, []

        def interrupted(self, state):
            seen.append(state.edges)
            if len(seen) == 3:  # when both chunks are linked
                raise KeyboardInterrupt
            return insert(self, state)

        with monkeypatch.context() as patch:
            patch.setattr(stream.Run, "_plan_chunk", interrupted)
            assert run(*words).exit_code == 130
        edges = 4 if bound else 6
        facts = json.loads(given(*words))
        assert (facts["edges"], facts["components"]) == (edges, 2 if bound else 1)
        assert facts["resumed"].startswith(f"{edges} edges were linked by earlier runs")
        other = ["--weight", "w", "--at-least", "0.9"]
        assert "other inputs (weight: " in refused("calculate", "parts", *other, *options)

    def test_one_file_is_read_in_chunks(self, given):
        facts = json.loads(given("calculate", "pairs.csv", "--checkpoint", "state", "--json"))
        assert (facts["streamed"], facts["components"]) == (True, 3)

    def test_what_is_refused(self, given, refused, folder):
        given("calculate", "parts", "--checkpoint", "state", "--quiet")
        assert "delete it" in refused("calculate", "pairs.csv", "--checkpoint", "state")
        state = folder / "state"
        before = state.read_bytes()
        assert "the same file" in refused(
            "calculate", "parts", "--checkpoint", "state", "--output", state, "--output-format=csv"
        )
        assert state.read_bytes() == before
        assert "needs --checkpoint" in refused("calculate", "parts", "--checkpoint-every", "3")
        words = ["--generate", "path(nodes=3)", "--checkpoint", "state"]
        assert "leave out --checkpoint" in refused("calculate", *words)
        assert "not a file saved" in refused("calculate", "parts", "--checkpoint", "pairs.csv")


class TestMemoryLimit:
    def test_the_error_names_the_option(self, refused):
        pq.write_table(pa.table({"src": range(300_000), "dst": range(300_000)}), "many.parquet")
        for limit in ("10MB", "40MB"):
            said = refused("calculate", "many.parquet", "--memory-limit", limit)
            assert "--memory-limit is" in said
            assert "memory_limit" not in said
        said = refused("calculate", "many.parquet", "--memory-limit", "100kB")
        assert "memory_limit" not in said


class TestFolder:
    @pytest.mark.parametrize("source", [["pairs.csv"], ["pairs.csv", "--memory-limit", "1GiB"]])
    def test_labels_in_several_files(self, given, source):
        facts = json.loads(given("calculate", *source, "--output", "out/", "--json"))
        assert (facts["output"], facts["output_files"]) == ("out", 1)
        told = given("calculate", *source, "--output", "some", "--rows-per-file", 4)
        assert "some: 2 files" in told
        assert [path.name for path in sorted(Path("some").iterdir())] == [
            "part-00000.parquet",
            "part-00001.parquet",
        ]
        table = pq.read_table("some")
        assert table["vertex"].to_pylist() == [2, 4, 5, 7, 8, 9]
        assert table["labels"].to_pylist() == [2, 4, 2, 2, 4, 9]
        assert pq.read_table("out").equals(table)

    def test_the_kind_of_labels(self, given):
        given("calculate", "pairs.csv", "--output", "out/", "--labels", "dense")
        assert pq.read_table("out")["labels"].to_pylist() == [0, 1, 0, 0, 1, 2]

    def test_what_is_refused(self, refused, folder):
        (folder / "out").mkdir()
        (folder / "out/notes").write_text("")
        assert "not an empty folder" in refused("calculate", "pairs.csv", "--output", "out")
        words = ["--output", "new/", "--output-format", "csv"]
        assert "Parquet files" in refused("calculate", "pairs.csv", *words)
        words = ["--output", "-", "--rows-per-file", "3"]
        assert "standard output" in refused("calculate", "pairs.csv", *words)
        assert "needs --output" in refused("calculate", "pairs.csv", "--rows-per-file", "3")
        assert "no directory" in refused("calculate", "pairs.csv", "--output", "no/such/")


class TestVerify:
    @pytest.mark.parametrize("labels", ["out", "out/*.parquet", "out/part-0000*"])
    def test_labels_in_several_files(self, given, labels):
        given("calculate", "pairs.csv", "--output", "out", "--rows-per-file", 2)
        assert given("verify", "pairs.csv", labels).startswith("right: 3 components of 6 vertices")
        facts = json.loads(given("verify", "pairs.csv", labels, "--json"))
        assert (facts["correct"], facts["labels"]) == (True, labels)

    def test_wrong_labels_and_files(self, run, given, refused, folder):
        given("calculate", "pairs.csv", "--output", "out", "--rows-per-file", 2)
        table = pa.table({"vertex": ["a"], "labels": ["a"]})
        pq.write_table(table, "out/part-00002.parquet")
        assert "have columns of different types: int64, int64 and string, string" in refused(
            "verify", "pairs.csv", "out"
        )
        (folder / "out/part-00002.parquet").unlink()
        done = run("verify", "pairs.csv", "out")
        assert done.exit_code == 1
        assert "wrong" in done.stdout
        assert "no file matches" in refused("verify", "pairs.csv", "none*.parquet")


class TestTop:
    def test_members_of_the_largest(self, given, refused):
        def top(*words):
            return json.loads(given("calculate", "pairs.csv", "--json", *words))["top"]

        assert top("--top", 1) == [{"labels": 2, "size": 3, "members": [2, 5, 7]}]
        assert [one["members"] for one in top("--top", 3)] == [[2, 5, 7], [4, 8], [9]]
        assert [one["members"] for one in top("--top", 2, "--members", 2)] == [[2, 5], [4, 8]]
        assert [one["members"] for one in top("--top", 2, "--members", 0)] == [[], []]
        assert "..." not in given("calculate", "pairs.csv", "--top", 2, "--members", 0)
        assert top("--top", 0) == []
        assert "needs --top" in refused("calculate", "pairs.csv", "--members", 2)

    def test_members_in_the_table(self, given, folder):
        (folder / "pairs.csv").write_text("src,dst\n" + "".join(f"1,{k}\n" for k in range(1, 10)))
        row = given("calculate", "pairs.csv", "--top", 1).splitlines()[-2]
        assert row.count(",") == 6
        assert row.endswith("... │")
        row = given("calculate", "pairs.csv", "--top", 1, "--members", 9).splitlines()[-2]
        assert "1, 2, 3, 4, 5, 6, 7, 8, 9" in row
        assert "..." not in row
