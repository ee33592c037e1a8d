"""Make pages from the code: a run, algorithms, operations, commands, measurements, changes."""

import contextlib
import inspect
import pathlib
import re
import sys
import tempfile
import textwrap
import tomllib

import click
import numpy as np
from click.testing import CliRunner

import cc_rapids
from cc_rapids import designs
from cc_rapids.algorithms.design import EXCLUDED
from cc_rapids.backends.device_function import Part
from cc_rapids.backends.dry_run import recorded_launches
from cc_rapids.backends.words import THEMES
from cc_rapids.cli import main
from cc_rapids.integrations import networkx_info
from cc_rapids.kernels.spec import CHOICES, COUNT
from cc_rapids.results.labels import LABEL_KINDS
from cc_rapids.tools.cli.group import LINE_SECONDS

ROOT = pathlib.Path(__file__).parent.parent
HEAD = {
    "sample": "The edges that are linked first, so that most of the others can be skipped.",
    "link": "How two trees are joined, or a standalone algorithm with its own loop.",
    "compress": "How a vertex finds its root, and how the path to it is shortened.",
}

DESIGN = "strided+async+halve"
FACTORY = {
    "on": "the backend",
    "vertex": "the unsigned type of vertices, of 32 or 64 bits",
    "wide": "the unsigned type of the distance of an id from the lowest id",
    "edge_index": "a function: the number of the i-th edge of a pass",
    "load_edge": "a function: the two ends of an edge",
    "find": "a function: the root of a vertex",
    "link": "a function: the union of two vertices",
}
ARRAYS = {
    "src, dst": "the caller's columns of the edges",
    "low": "the lowest id, which is vertex 0",
    "n": "the number of ids from the lowest to the greatest",
    "parent": "for each vertex an ancestor, or the vertex itself if it is a root",
    "aux": "the auxiliary array of a union rule; empty here",
    "hook_edge": "for each vertex the edge by which it was hooked, if a forest is requested",
    "present": "the vertices that occur, as bits; those with a parent are added at the end",
    "out_of_range": "nonzero once an end lies outside the estimated range",
    "root_word": "the root of the giant",
    "in_giant": "the vertices of the giant, as bits",
    "totals": "the numbers of vertices and of components",
    "before": "for each block of bits, the number of set bits before it",
}
#: What happens in each kernel of that design, by the name of its factory.
STEPS = {
    "find_bounds": (
        "Find the range of the ids",
        "Find the least and the greatest id of both columns. The vertex of an id is its distance"
        " from the least id, so nothing has to be renumbered. For long lists the range is first"
        " estimated from a sample of the rows.",
    ),
    "init_singletons": (
        "Make every vertex a tree",
        "A vertex that is its own parent is a root. From now on `parent[v] <= v` always holds:"
        " every climb ends, and the root of a finished tree is its least vertex.",
    ),
    "every_edge": (
        "Link a sample",
        "Link every fifth block of edges. `asynchronous` is the union and `halve` the find of this"
        " design; the code around them is the same for all unions and finds. An edge whose ends"
        " have the same parent costs two reads.",
    ),
    "probe": (
        "Find the giant: probe some vertices",
        "After the sample, most vertices are usually in one tree, the giant. This kernel writes the"
        " roots of some vertices.",
    ),
    "most_frequent": (
        "Find the giant: elect its root",
        "Find the most frequent of these roots.",
    ),
    "mark_in_giant": (
        "Flatten, and mark the giant",
        "Nothing is linked in this phase, so each vertex can be pointed at its root. Each vertex of"
        " the giant gets a bit. The bits take 32 times fewer bytes than the parents, so they fit"
        " into a cache.",
    ),
    "link_edges_outside": (
        "Link the rest",
        "Read the edges outside the sample. If the two bits of an edge show that both ends are"
        " inside the giant, the edge is skipped. All other edges are linked as in the sample.",
    ),
    "flatten": (
        "Flatten",
        "Point every vertex at its root, the least vertex of its component: the labels are done.",
    ),
    "complete": (
        "Count",
        "A vertex occurs if its bit is set or if it has a parent. The numbers of vertices and"
        " components are the only values that the host waits for.",
    ),
    "count_blocks": (
        "Rank: count each block",
        "Count the vertices that occur in each block of bits.",
    ),
    "sum_all": (
        "Rank: sum the counts",
        "Compute running sums of the counts, so that the row of a vertex is one look-up and a"
        " count of bits.",
    ),
    "gather": (
        "Gather the rows of the answer",
        "Write the id of each vertex that occurs, in order, and the id of its root.",
    ),
}


def write(docs):
    """Write all pages, each only if it has changed, so that builds stay quick."""
    pages = {
        "algorithms.md": algorithms(),
        "claim.txt": claim(),
        "commands.md": commands(),
        "labels.txt": label_kinds(),
        "links.txt": links(),
        "measured.txt": measured(),
        "networkx.txt": networkx_functions(),
        "run.md": run(),
        "words.md": words(),
    }
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
        if old.is_file():
            old.unlink()
    for name, text in pages.items():
        page = folder / name
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def launched():
    """Return the kernels of one run of ``DESIGN`` on a GPU, in the order in which they start."""
    edges = np.array([5, 2, 9], np.int32), np.array([2, 7, 9], np.int32)
    with recorded_launches() as backend:
        cc_rapids.components(edges, design=DESIGN).labels()
    return list(backend.launched.values())


def factories(function):
    """Return the factories of a device function and of all that it calls, by module and name."""
    python = function.function
    name = python.__qualname__.partition(".<locals>")[0]
    made = {(python.__module__, name): getattr(sys.modules[python.__module__], name)}
    for value in function.closure.values():
        if isinstance(value, Part):
            made |= {key: call for key, call in factories(value).items() if key not in made}
    return made


def run():
    """Return a page with every function of ``DESIGN``, in the order in which it runs."""
    kernels = [(kernel, factories(kernel.part)) for kernel in launched()]
    parts = [
        "# One run, from its first kernel to its last",
        "",
        f'This page shows all functions that a GPU runs for `components(frame, design="{DESIGN}")'
        ".labels()`, in order of execution. The functions are copied from the package, each at its"
        " first call. {doc}`words` explains the operations of `on`, {doc}`algorithms` lists the"
        " alternatives to this sample, union and find, and {doc}`../design/why` gives the reasons."
        ' `"auto"` uses other unions for many lists, and runs the same phases in one launch for'
        " short ones (`kernels/one_launch.py`).",
        "",
        "Each function below is a factory: it takes the backend `on`, types of integers and the"
        " functions that it builds on, and returns a kernel or a device function that closes over"
        " them. So a union does not depend on the find that it calls, and the pass over the edges"
        " does not depend on the union. The arguments of the factories are",
        "",
        "| argument | is |",
        "| --- | --- |",
        *(f"| `{name}` | {meaning} |" for name, meaning in FACTORY.items()),
        "",
        "and the arrays and numbers of the kernels are",
        "",
        "| array or number | holds |",
        "| --- | --- |",
        *(f"| `{name}` | {meaning} |" for name, meaning in ARRAYS.items()),
        "",
        "The kernels, in order:",
        "",
        "| | kernel | runs as | in |",
        "| --: | --- | --- | --- |",
    ]
    for number, (kernel, made) in enumerate(kernels, 1):
        module, name = next(iter(made))
        parts.append(f"| {number} | `{name}` | `on.{kernel.shape}` | `{path_of(module)}` |")
    shown = set()
    for number, (_, made) in enumerate(kernels, 1):
        title, words = STEPS[next(iter(made))[1]]
        parts += ["", f"## {number}. {title}", "", words]
        for (module, _), factory in made.items():
            if factory not in shown:
                shown.add(factory)
                code = inspect.getsource(factory).rstrip()
                parts += ["", f"`{path_of(module)}`:", "", "```python", code, "```"]
    return "\n".join(parts) + "\n"


def path_of(module):
    """Return the file of a module, for a reader."""
    return module.replace(".", "/") + ".py"


def words():
    """Return a page with the operations of a backend, from the list that backends use."""
    parts = [
        "# Operations for writing kernels",
        "",
        "A kernel is a Python function over 1-d arrays and unsigned integers. Its factory takes a"
        " backend, `on`, whose operations are listed here. The indices of one kernel run in no"
        " particular order, and every kernel sees everything that earlier ones wrote.",
    ]
    for theme, known in THEMES.items():
        parts += ["", f"## {theme}", "", "| operation | meaning |", "| --- | --- |"]
        parts += [f"| `on.{word.call}` | {word.meaning.replace('``', '`')} |" for word in known]
    return "\n".join(parts) + "\n"


def algorithms():
    """Return a page with each choice: its docstring, paper, needs and module."""
    parts = [
        "# Algorithms by name",
        "",
        f"{len(designs())} designs are combinations of these parts: a *sample*, a *link* and, if"
        " the link takes one, a way to *compress*. The names are joined by `+`, with options in"
        " parentheses: `kout(k=3)+rem-cas+splice`. The following texts are the docstrings of the"
        " kernels.",
    ]
    for axis, choices in CHOICES.items():
        parts += ["", f"## {axis.capitalize()}", "", HEAD[axis]]
        for choice in choices.values():
            parts += ["", *entry(choice)]
    parts += ["", "## Invalid combinations", "", "These raise an error with the reason:", ""]
    parts += [f"- {row.reason}." for row in EXCLUDED]
    return "\n".join(parts) + "\n"


def label_kinds():
    """Return a list of the kinds of labels, with the label of a component in each."""
    kinds = [(name, inspect.getdoc(type(kind))) for name, kind in LABEL_KINDS.items()]
    lines = [f'- `"{name}"`: {markdown(text)}\n' for name, text in kinds]
    return "".join(line.replace("\n", "\n  ").rstrip(" ") for line in lines)


def entry(choice):
    """Yield the lines of one choice."""
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
        yield f"Needs, in addition to the edges and 4 bytes per vertex: {choice.asks}."
    where = choice.make.__module__.replace(".", "/")
    yield ""
    yield f"Source: `{where}.py`."


def option(name, allowed):
    """Return an option with its values, the default first."""
    if isinstance(allowed, int):
        return f"`{name}={allowed}`, any count"
    words = [
        word if word == COUNT else f"`{name}={word}`" if name else f"`{word}`" for word in allowed
    ]
    return " or ".join(words)


def markdown(text):
    """Return a docstring, whose only reStructuredText is code, as Markdown."""
    return textwrap.dedent(text).replace("``", "`").replace("*", "\\*")


def commands():
    """Return a page with each command: its prose, its options as tables, and what it prints."""
    parts = [
        "# Command line",
        "",
        "`cc-rapids COMMAND --help` prints the text of this page. Progress and errors go to"
        " standard error. An error is one line, and the exit code is 2. An interrupted command"
        " exits with 130. If the reader of the output closes it, the command exits with 1.",
        "",
        "If standard error is a terminal, a bar shows the progress of work that takes more than a"
        " second. In a script, a log or a pipe, nothing is shown; with `--progress`, a line is"
        f" printed at the start and every {LINE_SECONDS} seconds. `--no-progress` turns both off.",
    ]
    with click.Context(main, info_name="cc-rapids") as above:
        parts += ["", *HelpInMarkdown.of(main, above)]
        shown = samples()
        for name in main.list_commands(above):
            command = main.get_command(above, name)
            with click.Context(command, info_name=name, parent=above) as context:
                parts += ["", f"## {name}", "", *HelpInMarkdown.of(command, context)]
            if name in shown:
                parts += ["", "It prints, for example:", "", "```text", *shown[name], "```"]
    return "\n".join(parts) + "\n"


class HelpInMarkdown(click.HelpFormatter):
    """What a command would print as its help, as lines of Markdown, whatever its sections are."""

    def __init__(self):
        super().__init__()
        self.lines, self.heading = [], ""

    @classmethod
    def of(cls, command, context):
        """Return the help of a command."""
        formatter = cls()
        command.format_help(context, formatter)
        return formatter.lines

    def write_usage(self, prog, args="", prefix=None):
        """Show how the command is typed."""
        self.lines += ["```text", f"{prog} {args}".rstrip(), "```"]

    def write_heading(self, heading):
        """Keep the title of the table that follows."""
        self.heading = heading

    def write_paragraph(self):
        """Begin a new paragraph."""
        self.lines.append("")

    def write_text(self, text):
        """Show paragraphs; those that keep their lines, such as examples, as they are typed."""
        for paragraph in inspect.cleandoc(text).split("\n\n"):
            mark, _, kept = paragraph.lstrip("\n").partition("\n")
            if mark.strip() == "\b":
                first, _, rest = textwrap.dedent(kept).partition("\n")
                words, lines = (first, rest) if first.endswith(":") else ("", kept)
                self.lines += ["", words, "", "```text", textwrap.dedent(lines), "```"]
            else:
                self.lines += ["", literal(" ".join(paragraph.split()))]

    def write_dl(self, rows, col_max=30, col_spacing=2):
        """Show options, arguments or commands as a table."""
        one = "option" if rows[0][0].startswith("-") else "name"
        self.lines += ["", f"**{self.heading}**", "", f"| {one} | meaning |", "| --- | --- |"]
        for name, words in rows:
            names = ", ".join(f"`{one.strip()}`" for one in name.replace("|", "\\|").split(", "))
            self.lines.append(f"| {names} | {literal(words)} |")
        self.lines.append("")


def literal(text):
    """Return text in which Markdown finds no markup."""
    return re.sub(r"([*_<\[`|])", r"\\\1", text)


#: What is run to show the output of a command, in this order, in a folder of its own.
SAMPLES = (
    "generate uniform pairs.parquet --nodes 1000 --edges 700 --seed 1",
    "calculate pairs.parquet --output labels.parquet --top 3",
    "verify pairs.parquet labels.parquet",
    "bridges pairs.parquet --output bridges.csv",
    "forest pairs.parquet --output forest.csv",
    "deduplicate docs.csv near.csv --on doc_id --by length --output keep.csv",
    "link people.csv --key email --key name,birthday --id record_id --output entities.csv",
    "link-pairs scored.csv --weight score --max-size 2 --output clusters.csv",
    "score-clusters clusters.csv truth.csv",
    "convert pairs.parquet pairs.csv",
    "bench --nodes 1000 --rounds 3 --form coo --ids int32",
    "evaluate graphs --rounds 3 --algorithm auto --algorithm soman --out results",
    "designs",
    "compile --engine threads",
    "doctor",
)
MOST = 24  # lines of a sample
SAMPLE_FILES = {
    "docs.csv": "doc_id,length\n11,43\n12,41\n13,47\n14,51\n16,41\n17,27\n",
    "scored.csv": "src,dst,score\na1,b1,0.9\na2,b1,0.8\na2,b2,0.7\n",
    "truth.csv": "id,entity\na1,1\nb1,1\na2,2\nb2,3\n",
    "near.csv": "src,dst\n11,13\n13,14\n12,16\n",
    "people.csv": "record_id,email,name,birthday\n11,ann@x.org,Ann Lee,1990-05-01\n"
    "12,,A. Lee,1990-05-01\n13,ann@x.org,A. Lee,1990-05-01\n14,,Bo,\n",
}


def samples():
    """Return the lines that each command prints for an example, with the line that is typed."""
    runner, shown = CliRunner(), {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in SAMPLE_FILES.items():
            pathlib.Path(name).write_text(text)
        for line in SAMPLES:
            ran = runner.invoke(main, line.split(), env={"COLUMNS": "80"})
            assert ran.exit_code == 0, f"cc-rapids {line}: {ran.output}"
            printed = [row.rstrip() for row in ran.stdout.rstrip().splitlines()]
            more = ["..."] if len(printed) > MOST else []
            shown[line.split()[0]] = [f"$ cc-rapids {line}", *printed[:MOST], *more]
            if line.startswith("generate"):
                pathlib.Path("graphs").mkdir()
                pathlib.Path("graphs", "pairs.parquet").write_bytes(
                    pathlib.Path("pairs.parquet").read_bytes()
                )
    return shown


def claim():
    """Return a sentence on the times and the memory of both sides, from the README's table."""
    (row,) = re.findall(r"^\| uniform25M, int32 \|.*$", measured(), re.MULTILINE)
    _, edges, ours, theirs, faster, memory, their_memory = row.strip("| ").split(" | ")
    return (
        f"For {edges.replace('.0 M', ' million')} random pairs, cc_rapids takes {ours} and {memory}"
        f" of GPU memory, and cuGraph {theirs} and {their_memory}: {faster.replace(' x', ' times')}"
        " faster. {doc}`benchmarks` lists all times and describes the measurements.\n"
    )


def networkx_functions():
    """Return a list of the functions of the NetworkX backend, from the table of NetworkX."""
    functions = {}
    for name, told in networkx_info.get_info()["functions"].items():
        functions.setdefault(told["additional_docs"], []).append(f"`{name}`")
    lines = (f"- {', '.join(names)}: {markdown(text)}\n" for text, names in functions.items())
    return "".join(lines)


def links():
    """Return where the package's repository and its issues are, from its metadata."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return "".join(f"- [{name}]({link})\n" for name, link in project["urls"].items())


def measured():
    """Return the tables of the README's section on times, which are made from the records."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = readme.split("\n## Measured\n")[1].split("\n## ")[0]
    tables = re.findall(r"<!-- table: \w+ -->\n(.*?)\n<!-- end -->", readme, re.DOTALL)
    return unlinked("\n\n".join(tables)) + "\n"


def unlinked(text):
    """Return Markdown without links to files, which lead elsewhere from another folder."""
    return re.sub(r"\[([^]]+)\]\((?!https?:|#)[^)]*\)", r"\1", text)
