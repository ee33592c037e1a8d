"""Pages made from the code: every algorithm by its paper, and the change log if there is one."""

import inspect
import pathlib
import textwrap

from cc_rapids import designs, listing
from cc_rapids.catalog import CHOICES, COUNT
from cc_rapids.design import EXCLUDED

ROOT = pathlib.Path(__file__).parent.parent
HEAD = {
    "sample": "What is linked first, so that most of the other edges can be left out.",
    "link": "How two trees become one; or an algorithm of its own, with its own loop.",
    "compress": "How a vertex finds its root, and what becomes of the path to it.",
}


def write(folder):
    """Write all pages to a folder, each only if it has changed, so that builds stay quick."""
    folder.mkdir(exist_ok=True)
    pages = {"algorithms.md": algorithms(), "designs.md": every_design()}
    changes = ROOT / "CHANGELOG.md"
    if changes.exists():
        pages["changes.md"] = changes.read_text(encoding="utf-8")
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
        yield f"Options: {', '.join(option(*item) for item in choice.options.items())}."
    if choice.needs:
        yield ""
        yield f"Needs beyond the edges and 4 bytes a vertex: {choice.needs}."
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


def every_design():
    """A page with the table of all designs."""
    return f"# All {len(designs())} designs\n\n{listing.markdown()}\n"
