"""Pages made from the code: algorithms, commands, what was measured, and the change log."""

import inspect
import pathlib
import re
import textwrap

import click

from cc_rapids import designs
from cc_rapids.algorithms.design import EXCLUDED
from cc_rapids.cli import main
from cc_rapids.kernels.spec import CHOICES, COUNT
from cc_rapids.results.labels import LABEL_KINDS

ROOT = pathlib.Path(__file__).parent.parent
HEAD = {
    "sample": "What is linked first, so that most of the other edges can be left out.",
    "link": "How two trees become one; or an algorithm of its own, with its own loop.",
    "compress": "How a vertex finds its root, and what becomes of the path to it.",
}


def write(docs):
    """Write all pages, each only if it has changed, so that builds stay quick."""
    pages = {"algorithms.md": algorithms(), "commands.md": commands(), "measured.txt": measured()}
    pages["labels.txt"] = label_kinds()
    changes = ROOT / "CHANGELOG.md"
    if changes.exists():
        pages["changes.md"] = unlinked(changes.read_text(encoding="utf-8"))
    fill(docs / "made", pages)
    notebooks = (ROOT / "notebooks").glob("*.ipynb")  # here too: links are relative to a page
    fill(docs / "notebooks", {path.name: path.read_text(encoding="utf-8") for path in notebooks})


def fill(folder, pages):
    """Let a folder hold these pages, and no others."""
    folder.mkdir(exist_ok=True)
    for old in set(folder.iterdir()) - {folder / name for name in pages}:
        old.unlink()
    for name, text in pages.items():
        page = folder / name
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def algorithms():
    """A page with each choice of each axis: its docstring, paper, needs and where it stands."""
    parts = [
        "# Every algorithm, with its paper",
        "",
        f"{len(designs())} designs come of these parts: a *sample*, a *link* and, where the link"
        " takes one, a way to *compress*. Their names are joined by `+`, options stand in"
        " parentheses: `kout(k=3)+rem-cas+splice`. What follows are the docstrings of the kernels.",
    ]
    for axis, choices in CHOICES.items():
        parts += ["", f"## {axis.capitalize()}", "", HEAD[axis]]
        for choice in choices.values():
            parts += ["", *entry(choice)]
    parts += ["", "## What does not go together", "", "Refused, with the reason:", ""]
    parts += [f"- {row.reason}." for row in EXCLUDED]
    return "\n".join(parts) + "\n"


def label_kinds():
    """A list of the kinds of labels: what each calls a component."""
    kinds = [(name, inspect.getdoc(type(kind))) for name, kind in LABEL_KINDS.items()]
    lines = [f'- `"{name}"`: {markdown(text)}\n' for name, text in kinds]
    return "".join(line.replace("\n", "\n  ").rstrip(" ") for line in lines)


def entry(choice):
    """What is said of one choice."""
    first, _, rest = inspect.getdoc(choice.make).partition("\n")
    yield f"### `{choice.name}`"
    yield ""
    yield f"{markdown(first)} *{choice.paper}.*"
    if rest.strip():
        yield ""
        yield markdown(rest.strip())
    if choice.options:
        yield ""
        yield f"Options: {'; '.join(option(*item) for item in choice.options.items())}."
    if choice.asks:
        yield ""
        yield f"Needs beyond the edges and 4 bytes a vertex: {choice.asks}."
    where = choice.make.__module__.replace(".", "/")
    yield ""
    yield f"Written in `{where}.py`."


def option(name, allowed):
    """An option with what it may be, its default first."""
    if isinstance(allowed, int):
        return f"`{name}={allowed}`, any count"
    words = [
        word if word == COUNT else f"`{name}={word}`" if name else f"`{word}`" for word in allowed
    ]
    return " or ".join(words)


def markdown(text):
    """A docstring's reStructuredText, of which kernels use code alone, as Markdown."""
    return textwrap.dedent(text).replace("``", "`").replace("*", "\\*")


def commands():
    """A page with what each command says of itself."""
    parts = ["# Commands", "", "What `cc-rapids --help` and its commands say."]
    with click.Context(main, info_name="cc-rapids", terminal_width=80) as above:
        for name in main.list_commands(above):
            command = main.get_command(above, name)
            with click.Context(command, info_name=name, parent=above) as context:
                words = command.get_help(context)
            parts += ["", f"## {name}", "", "```text", words, "```"]
    return "\n".join(parts) + "\n"


def measured():
    """The README's tables, which are made from the records."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tables = re.findall(r"<!-- table: \w+ -->\n(.*?)\n<!-- end -->", readme, re.DOTALL)
    return unlinked("\n\n".join(tables)) + "\n"


def unlinked(text):
    """Markdown without its links to files, which lead elsewhere from a page of another folder."""
    return re.sub(r"\[([^]]+)\]\((?!https?:|#)[^)]*\)", r"\1", text)
