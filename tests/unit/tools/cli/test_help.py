"""Help that can be followed: every example of every command runs. And completion, and progress."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.choices import some
from support.common_jobs import few_kernels

from cc_rapids.cli import main
from cc_rapids.incremental import progress
from cc_rapids.tools import ahead
from cc_rapids.tools.cli import show

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]


def commands(command, name="cc-rapids"):
    """Every command under one, by its words."""
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {word}")


COMMANDS = dict(commands(main))
EXAMPLES = {
    name: [
        " ".join(line.split())
        for line in (command.epilog or "").replace("\\\n", " ").splitlines()
        if "cc-rapids " in line
    ]
    for name, command in COMMANDS.items()
}


@pytest.fixture(scope="module")
def shell_path(tmp_path_factory):
    """A PATH on which cc-rapids is the one under test."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "cc-rapids"
    start = "from cc_rapids.cli import main; main(prog_name='cc-rapids')"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}" "$@"\n')
    script.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.fixture
def shell(shell_path, tmp_path):
    """Run lines of a shell in a folder of their own."""

    def run(lines, program="bash"):
        environment = os.environ | {
            "PATH": shell_path,
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
        }
        return subprocess.run(
            [program, "-c", lines], env=environment, cwd=tmp_path, capture_output=True, text=True
        )

    return run


@pytest.fixture
def files(tmp_path, monkeypatch):
    """What the examples speak of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    edges = "src,dst\n5,2\n2,7\n9,9\n4,8\n"
    Path("pairs.csv").write_text(edges)
    Path("links.csv").write_text("buyer,seller,price\na,b,1\n,c,2\nb,d,3\n")
    Path("scored.csv").write_text("src,dst,score\n1,2,.9\n2,3,.5\n")
    Path("records.csv").write_text("id,file\n1,a\n2,a\n3,b\n")
    Path("download.dat").write_text("# a comment\n1 2\n2 3\n")
    Path("labels.csv").write_text("vertex,labels\n2,2\n4,4\n5,2\n7,2\n8,4\n9,9\n")
    Path("labels_of_another.csv").write_text("vertex,labels\n2,1\n4,7\n5,1\n7,1\n8,7\n9,3\n")
    Path("docs.csv").write_text("doc_id,length,corpus\n5,4,web\n2,9,web\n3,1,books\n")
    Path("people.csv").write_text(
        "record_id,email,name,birthday\n1,a@x.org,A,2000\n2,a@x.org,B,2000\n3,,B,2000\n"
    )
    Path(".config/fish/completions").mkdir(parents=True)
    for density in (0.05, 0.1):
        made = ["--nodes", "40", "--density", str(density), "--quiet"]
        Path("graphs").mkdir(exist_ok=True)
        words = ["generate", "gnm", f"graphs/{density}.he", *made]
        assert CliRunner().invoke(main, words).exit_code == 0
    for words in (
        ["convert", "pairs.csv", "pairs.parquet", "--quiet"],
        ["calculate", "pairs.csv", "--output", "labels", "--rows-per-file", "4", "--quiet"],
    ):
        assert CliRunner().invoke(main, words).exit_code == 0
    return tmp_path


@contextmanager
def standard_output_to(path):
    """What is written to the standard output of this process goes to a file."""
    before = os.dup(1)
    with open(path, "wb") as file:
        os.dup2(file.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)


REDIRECTED = re.compile(r"([^$<>|~]+) < (\S+) > (\S+)")  # what takes no shell


@pytest.fixture
def few_compiled(monkeypatch):
    """The examples of compiling compile some kernels, in this process: test_ahead.py has all."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0})
    monkeypatch.setattr(ahead, "kernels_of_common_jobs", few_kernels)


@some("name", COMMANDS, usual=[name for name in COMMANDS if name != "cc-rapids compile"])
def test_every_example_runs(name, files, shell, request):
    assert EXAMPLES[name], "a command without an example"
    if name == "cc-rapids compile":
        request.getfixturevalue("few_compiled")
    for line in EXAMPLES[name]:
        if found := REDIRECTED.fullmatch(line):
            program, *words = shlex.split(found[1])
            assert program == "cc-rapids"
            with standard_output_to(found[3]):
                done = CliRunner().invoke(main, words, input=Path(found[2]).read_bytes())
            assert (done.exit_code, done.output) == (0, ""), line
            assert Path(found[3]).stat().st_size, line
        elif any(sign in line for sign in "$>"):
            done = shell(line)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), line
        else:
            program, *words = shlex.split(line)
            assert program == "cc-rapids"
            done = CliRunner().invoke(main, words)
            assert (done.exit_code, done.stderr) == (0, ""), line
            assert done.stdout, line


class TestJson:
    """One object on stdout, and nothing else there."""

    def test_calculate(self, run, files):
        done = run("calculate", "pairs.csv", "--json", "--top", 2, "--output", "o.csv")
        facts = json.loads(done.stdout)
        assert (facts["file"], facts["columns"]) == ("pairs.csv", ["src", "dst"])
        assert (facts["vertices"], facts["edges"], facts["components"]) == (6, 4, 3)
        assert facts["top"] == [
            {"labels": 2, "size": 3, "members": [2, 5, 7]},
            {"labels": 4, "size": 2, "members": [4, 8]},
        ]
        assert facts["output"] == "o.csv"
        assert set(facts["seconds"]) == {"read", "kernels", "copy", "compute"}
        assert facts["kernels_compiled"] >= 0

    def test_doctor(self, run):
        facts = json.loads(run("doctor", "--json").stdout)
        known = {"python", "packages", "driver", "cpus", "engine", "why", "advice"}
        assert known | {"healthy", "broken"} == set(facts)

    def test_an_error_is_on_stderr(self, run):
        done = run("calculate", "none.csv", "--json")
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr == "Error: none.csv does not exist\n"


class TestCompletion:
    @pytest.mark.parametrize("program", ["bash", "zsh", "fish"])
    def test_the_script_is_one_of_its_shell(self, run, files, shell, program):
        done = run("completion", program)
        assert done.exit_code == 0
        Path("script").write_text(done.stdout)
        if shutil.which(program):
            assert shell(f"{program} -n script").returncode == 0

    @some(
        ("words", "completed"),
        [
            ("ver", {"verify"}),
            ("c", {"calculate", "compile", "convert", "completion"}),
            ("generate u", {"uniform"}),
            ("generate path out.csv --s", {"--seed", "--shuffle"}),
            ("calculate --format p", {"pajek", "parquet"}),
            ("calculate --generate gr", {"grid("}),
            ("completion ", {"bash", "zsh", "fish"}),
        ],
        usual=[("generate path out.csv --s", {"--seed", "--shuffle"})],
    )
    def test_bash_completes(self, shell, words, completed):
        split = words.split(" ")
        asked = shell(
            'eval "$(cc-rapids completion bash)"\n'
            f"COMP_WORDS=(cc-rapids {words}); COMP_CWORD={len(split)}\n"
            "_cc_rapids_completion cc-rapids\n"
            f"compgen -W \"${{COMPREPLY[*]}}\" -- '{split[-1]}'"
        )
        assert set(asked.stdout.split()) == completed, asked.stderr

    def test_bash_knows_the_command(self, shell):
        done = shell('eval "$(cc-rapids completion bash)"; complete -p cc-rapids')
        assert "-F _cc_rapids_completion cc-rapids" in done.stdout

    def test_the_shells_are_named_without_tabs(self, run):
        done = run("completion")
        assert (done.exit_code, done.stdout) == (2, "")
        assert "Choose from: bash, zsh, fish" in done.stderr
        assert "\t" not in done.stderr
        assert "bash, zsh or fish" in run("completion", "--help").stdout


class TestProgress:
    @pytest.fixture
    def terminal(self, monkeypatch):
        """A watched terminal, and what is drawn on it."""
        from rich.console import Console

        drawn = Console(record=True, force_terminal=True, width=100, stderr=True)
        monkeypatch.setattr(show, "console", lambda stderr=False: drawn)
        return drawn

    @pytest.mark.parametrize(
        ("unit", "parts"), [("B", ["500 B of 1.0 kB"]), ("edges", ["500 of 1.0 k edges"])]
    )
    def test_long_work_shows_a_bar(self, terminal, tuned, unit, parts):
        tuned(silent_seconds=0)
        with show.progress("writing [b]a.csv", False, unit) as report:
            report(500, 1000)
        text = terminal.export_text()
        for part in ["writing [b]a.csv", *parts]:
            assert part in text

    @pytest.mark.parametrize("unit", ["B", "edges", "cases"])
    @pytest.mark.parametrize("name", ["a.csv", f"{'transactions-' * 9}.parquet"])
    def test_the_bar_is_whole_at_80_columns(self, monkeypatch, tuned, unit, name):
        from rich.console import Console

        tuned(silent_seconds=0)
        drawn = Console(record=True, force_terminal=True, width=80, stderr=True)
        monkeypatch.setattr(show, "console", lambda stderr=False: drawn)
        with show.progress(f"reading {name}", False, unit) as report:
            for done in (1, 999_999_999_999):
                time.sleep(0.01)
                report(done, 999_999_999_999)
        *_, frame = drawn.export_text().split("reading ")
        assert len("reading " + frame.rstrip()) <= 80
        assert frame.count("━") == show.BAR
        assert "…" not in frame
        assert name[-4:] in frame
        assert "1.0 TB of 1.0 TB" in frame or f"1.0 T of 1.0 T {unit}" in frame

    def test_short_work_shows_none(self, terminal, tuned):
        tuned(silent_seconds=1e9)
        with show.progress("reading a.csv", False) as report:
            report(500, 1000)
            report(1000, 1000)
        assert terminal.export_text() == ""

    def test_quiet_work_shows_none(self, terminal):
        with show.progress("reading a.csv", True) as report:
            assert report is None

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (["calculate", "pairs.csv"], "reading pairs.csv: 24 B of 24 B"),
            (["calculate", "pairs.csv", "pairs.parquet"], "edges/s"),
            (["convert", "pairs.csv", "o.tsv"], "writing o.tsv: 4 of 4 edges"),
            (["link", "people.csv", "--key", "email"], "reading people.csv: "),
        ],
    )
    def test_off_a_terminal_there_are_lines_if_they_are_asked_for(self, run, files, words, line):
        assert run(*words).stderr == ""
        assert line in run(*words, "--progress").stderr
        assert run(*words, "--progress", "--quiet").stderr == ""

    def test_lines_are_some_seconds_apart(self, run, files, monkeypatch):
        Path("long.csv").write_text("src,dst\n" + "1,2\n" * 1_000_000)
        monkeypatch.setattr(progress.time, "monotonic", lambda: 100.0)
        done = run("calculate", "long.csv", "--progress")
        assert done.stderr.count("reading long.csv: ") == 1

    def test_on_a_terminal_it_can_be_left_out(self, run, files, terminal, tuned):
        tuned(silent_seconds=0)
        assert run("convert", "pairs.csv", "o.tsv", "--no-progress").exit_code == 0
        assert "reading" not in terminal.export_text()
        assert run("convert", "pairs.csv", "o.tsv").exit_code == 0
        assert "reading" in terminal.export_text()

    def test_the_page_says_when_it_is_shown(self, run):
        assert "--progress" in run("--help").stdout
