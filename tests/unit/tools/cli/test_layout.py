"""Help and tables on a terminal of 80 columns: whole lines, sections, and the order of use."""

import click
import pytest
from click.testing import CliRunner
from support.releases import before

from cc_rapids.cli import main
from cc_rapids.tools.cli.designs import _authors
from cc_rapids.tools.cli.group import SECTIONS, examples, sections

WIDTH, LONGEST = 80, 60


def commands(command, *words):
    """Every command under one, by its words."""
    yield words, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, *words, word)


COMMANDS = dict(commands(main))
NAMES = {" ".join(("cc-rapids", *words)): words for words in COMMANDS}


@pytest.fixture
def shown(monkeypatch):
    """The lines of a command's output at 80 columns."""
    monkeypatch.setenv("COLUMNS", str(WIDTH))

    def lines(*words):
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert (done.exit_code, done.stderr) == (0, "")
        return [line.rstrip() for line in done.stdout.splitlines()]

    return lines


@pytest.mark.parametrize("name", NAMES)
def test_help_has_a_whole_line_for_each_option_in_its_section(shown, name):
    command, lines = COMMANDS[NAMES[name]], shown(*NAMES[name], "-h")
    assert lines == shown(*NAMES[name], "--help")
    assert max(map(len, lines)) <= WIDTH
    assert any("Examples:" in line for line in lines)
    context = click.Context(command)
    for option in command.get_params(context):
        if isinstance(option, click.Option):
            _, text = option.get_help_record(context)
            assert 0 < len(text) <= LONGEST, option.name
            assert [line for line in lines if line.endswith(text)], option.name
    found = sections(command, context)
    heads = [line[:-1] for line in lines if line[:-1] in SECTIONS and line.endswith(":")]
    assert heads == list(found) == [section for section in SECTIONS if section in found]
    assert found[SECTIONS[-1]][-1].opts == ["-h", "--help"]
    for word, inner in getattr(command, "commands", {}).items():
        text = inner.help.splitlines()[0]
        assert 0 < len(text) <= LONGEST
        assert text.endswith(".")
        row = next(line for line in lines if line.split()[:1] == [word])
        assert row.split(maxsplit=1)[1] == text


def test_commands_stand_in_the_order_of_use(shown):
    order = ["doctor", "compile", "generate", "convert", "calculate", "verify"]
    order += [
        "bridges",
        "forest",
        "deduplicate",
        "link",
        "link-pairs",
        "score-clusters",
        "designs",
        "bench",
        "evaluate",
        "completion",
    ]
    assert main.list_commands(click.Context(main)) == order
    named = [words[0] for line in shown("-h") if (words := line.split()) and words[0] in order]
    assert named == order


def test_exit_codes_are_documented(shown):
    text = " ".join(shown("-h"))
    assert all(f"{code} " in text.split("Exit codes:")[1] for code in (0, 1, 2, 130))


def test_long_examples_go_on_as_a_shell_takes_them():
    text = examples("cc-rapids a --b " + "c" * 40 + " --d " + "e" * 40)
    assert text.splitlines()[2:] == [
        "    cc-rapids a --b " + "c" * 40 + " \\",
        "        --d " + "e" * 40,
    ]


class TestTables:
    def test_designs_are_one_line_each(self, shown):
        lines = shown("designs")
        assert max(map(len, lines)) <= WIDTH
        rows = [line for line in lines if "+" in line.split(" ")[0]]
        names = shown("designs", "--markdown")[2:]
        assert len([line for line in names if "+" in line.split("`")[1]]) == len(rows)
        (row,) = [line.split() for line in lines if line.startswith("kout+async+naive ")]
        assert row == ["kout+async+naive", "rows", "Hong", "2020,", "Sutton", "2018"]

    def test_designs_by_the_papers_of_many(self, shown):
        (row,) = [line for line in shown("designs", "stages+parent-check") if "+full" in line]
        assert row.split(maxsplit=2)[2] == "Cong 2014 +3"

    def test_a_rule_of_ones_own_needs_no_paper(self):
        assert _authors("own") == "own"

    def test_bench_has_a_row_for_each_case(self, shown):
        words = ["--generate", "gnm(nodes=300, density=0.01)", "--nodes", 20, "--rounds", 1]
        lines = shown(
            "bench",
            *words,
            "--engine",
            "cpu",
            "--design",
            "kout(pick=random)+rem-lock(find=split)+halve-one",
        )
        assert max(map(len, lines)) <= WIDTH
        assert len([line for line in lines if line.startswith(("coo int", "csr int"))]) == 8
        (head, *_) = [line for line in lines if line.startswith("input")]
        assert head.split() == ["input", "design", "to", "labels", "alone", "scipy"]
        assert "gnm(300, 448)" in lines

    def test_evaluate(self, shown, tmp_path):
        name = "a-graph-with-quite-a-long-name-of-a-file.csv"
        shown("generate", "path", tmp_path / name, "--nodes", 50, "--quiet")
        words = [
            "--rounds",
            1,
            "--engine",
            "cpu",
            "--algorithm",
            "stages+rem-lock(find=split)+splice",
        ]
        assert max(map(len, shown("evaluate", tmp_path, *words))) <= WIDTH

    def test_calculate(self, shown, tmp_path):
        path = tmp_path / ("long" * 30 + ".csv")
        path.write_text("src,dst\n1,2\n")
        lines = shown("calculate", path, "--top", 1)
        assert max(map(len, lines)) <= WIDTH
        cells = "".join(line.split("│")[2].strip() for line in lines if line.count("│") == 3)
        assert str(path) in cells


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("calculate a.csv --treshold 3", "--at-least"),
        ("calculate a.csv --threshold 3", "--at-least"),
        ("calculate a.csv --otput b.csv", "--output"),
        ("calculate a.csv --resume b", "--checkpoint"),
        ("deduplicate a b --sort-by x", "--by"),
        ("generate uniform a.csv --sed 3", "--seed"),
        ("generate uniform a.csv --threshold 3", None),
        ("calculate a.csv --xyzzy 3", None),
    ],
)
def test_an_unknown_option_is_told_with_the_one_that_is_meant(words, meant):
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 2
    if before("click", "8.4") and " option: " in done.stderr:
        assert (meant or "No such option: --") in done.stderr  # in Click's words then
        return
    assert done.stderr.startswith("Error: No such option '--")
    assert "Did you mean" in done.stderr if meant else "Did you mean" not in done.stderr
    assert meant is None or f"'{meant}'" in done.stderr
