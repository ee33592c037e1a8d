"""No circle of files, and no private member of another class, anywhere in the package."""

import ast
from pathlib import Path

import networkx as nx

import cc_rapids
from nets import counts

# Private members of libraries that have no public way to the same, by file; dask's and PyArrow's
# are in use everywhere.
OTHERS = {
    "backends/threads.py": {"_cache", "_rebuild", "_reduce"},  # Numba's compiled functions
    "data/adapters.py": {"_plc_graph"},  # cuGraph's edges
    "data/cugraph_graphs.py": {"_Impl", "_plc_graph"},
    "data/streams.py": {"_scan_options"},  # the filter of a dataset
    "integrations/dask/api.py": {"_meta"},
    "results/lookup.py": {"_getframe"},
}
OF_TUPLES = {"_asdict", "_fields", "_make", "_replace"}


def imports(module):
    """Return the modules of ours that a module imports anywhere, also for type checkers."""
    path = counts.FILES[module]
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in counts.FILES else base
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_files_import_each_other_in_a_circle():
    graph = nx.DiGraph(
        (module, other)
        for module in counts.FILES
        for other in imports(module)
        if other in counts.FILES and other != module
    )
    circles = [part for part in nx.strongly_connected_components(graph) if len(part) > 1]
    named = [{module.removeprefix("cc_rapids.") for module in part} for part in circles]
    assert named == []


def privates(tree):
    """Yield what a file reads of others' private members: all but those of the same class."""

    def walk(node, own):
        if isinstance(node, ast.ClassDef):
            own = own | {
                part.name if isinstance(part, ast.FunctionDef) else part.attr
                for part in ast.walk(node)
                if isinstance(part, ast.FunctionDef)
                or (isinstance(part, ast.Attribute) and is_self(part.value))
            }
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            above = isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
            if not (is_self(node.value) or above or node.attr in own):
                yield node.attr
        for child in ast.iter_child_nodes(node):
            yield from walk(child, own)

    return walk(tree, frozenset())


def is_self(node):
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def is_private(name):
    return name.startswith("_") and not name.endswith("__") and name not in OF_TUPLES


def test_no_private_member_of_another_class_is_read():
    package, found = Path(cc_rapids.__file__).parent, {}
    for path in sorted(package.rglob("*.py")):
        name = str(path.relative_to(package))
        read = {*privates(ast.parse(path.read_text(encoding="utf-8")))} - OTHERS.get(name, set())
        if read:
            found[name] = read
    assert found == {}


def test_private_members_are_found_where_they_are_read():
    text = "class A:\n    def _own(self, other):\n        other._own(); return other._theirs\n"
    assert [*privates(ast.parse(text + "def f(a):\n    a._own\n"))] == ["_theirs", "_own"]
