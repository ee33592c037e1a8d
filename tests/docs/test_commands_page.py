"""The page of commands: it follows the parser, and shows what commands print."""

import re
from pathlib import Path

import click
import pytest

from cc_rapids.cli import main


@pytest.fixture(scope="module")
def made():
    """The module that makes pages from the code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
        import made_pages

        yield made_pages


def section(made, name):
    """The help of a command as Markdown."""
    with click.Context(main, info_name="cc-rapids") as above:
        command = main.get_command(above, name)
        with click.Context(command, info_name=name, parent=above) as context:
            return command, context, "\n".join(made.HelpInMarkdown.of(command, context))


@pytest.mark.parametrize("name", sorted(main.commands))
def test_each_option_is_a_row_of_a_table(made, name):
    command, context, text = section(made, name)
    rows = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    for option in command.get_params(context):
        if isinstance(option, click.Option) and not option.hidden:
            assert re.search(rf"`{re.escape(option.opts[0])}\b", rows), option.name


def test_help_is_prose_usage_tables_and_examples(made):
    _, _, text = section(made, "calculate")
    assert text.startswith("```text\ncc-rapids calculate [OPTIONS] [FILE]")
    assert "| option | meaning |" in text
    assert re.search(r"```text\n(?:.*\n)*?.*cc-rapids calculate pairs.csv\n", text)
    assert text.count("```") % 2 == 0


def test_words_are_no_markup(made):
    assert made.literal("a*b_c <d> [e] `f` |g") == r"a\*b\_c \<d> \[e] \`f\` \|g"


@pytest.mark.extended
def test_what_commands_print_is_shown(made):
    shown = made.samples()
    assert set(shown) == set(main.commands) - {"completion"}
    assert shown["verify"][0] == "$ cc-rapids verify pairs.parquet labels.parquet"
    assert shown["verify"][1].startswith("right: 85 components of 763 vertices")
    for lines in shown.values():
        assert 1 < len(lines) <= made.MOST + 2
        assert not any(str(Path.home()) in line for line in lines)


def test_the_claim_of_the_front_page_is_a_row_of_the_readme(made):
    words = made.claim()
    numbers = re.findall(r"[\d.,]*\d", words)
    table = made.measured()
    assert len(numbers) >= 6
    assert all(number in table for number in numbers)
    assert "times faster" in words
