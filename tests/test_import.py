"""What imports what: light at the top, and one way from room to room."""

import ast
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import cc_rapids

PACKAGE = (ROOT := Path(__file__).parent.parent) / "cc_rapids"


@dataclass(frozen=True)
class Room:
    """What a room may import: of ours, of others, and of others within functions."""

    ours: str = ""
    others: str = ""
    late: str = ""


# A room imports from rooms above it only. What a type checker alone reads does not count.
ROOMS = {
    "errors": Room(),
    "catalog": Room("errors"),
    "edges": Room(others="numpy"),
    "bits": Room(others="numpy"),
    "offsets": Room("errors", "numpy"),
    "reading": Room("bits", "numpy"),
    "kernels": Room("catalog bits reading", "numpy"),
    "algorithms": Room("catalog bits reading kernels", "numpy"),
    "engines": Room(
        "errors catalog", "llvmlite numba numpy", "cuda cudf cupy numba numba_cuda pylibcudf rmm"
    ),
    "passes": Room("bits reading kernels", "numpy"),
    "design": Room("errors catalog kernels algorithms"),
    "libraries": Room("errors engines"),
    "listing": Room("design"),
    "program": Room("errors catalog reading passes kernels algorithms engines design"),
    "ranks": Room("bits kernels engines passes", "numpy"),
    "memory": Room(),
    "forest": Room(ours="bits edges kernels engines passes ranks memory", others="numpy"),
    "buffers": Room(others="numpy", late="cupy"),
    "columns": Room(
        ours="errors buffers", others="numpy", late="cupy narwhals pandas polars pyarrow"
    ),
    "given": Room(ours="columns errors"),
    "adjacency": Room(
        ours="errors edges reading passes kernels engines design forest offsets given",
        others="numpy",
    ),
    "choosing": Room("errors catalog kernels engines passes design adjacency", "numpy"),
    "solve": Room("edges kernels engines design program forest adjacency", "numpy"),
    "formats": Room("errors offsets", late="numpy pyarrow scipy"),
    "tables": Room("errors catalog columns given", "numpy", "cudf narwhals pandas pylibcudf"),
    "graphs": Room("errors columns given tables", late="cudf pylibcugraph"),
    "pick": Room("errors columns", "numpy", "cupy narwhals pyarrow"),
    "alike": Room("errors columns pick", "numpy", "cudf narwhals pandas pyarrow"),
    "parts": Room("errors columns pick", "numpy"),
    "frames": Room(
        ours="errors catalog formats columns given tables graphs parts offsets",
        others="numpy",
        late="cudf",
    ),
    "spans": Room(ours="errors reading kernels engines passes given memory", others="numpy"),
    "ways": Room("errors spans"),
    "names": Room("engines", "numpy"),
    "slots": Room("errors kernels engines passes forest names ways", "numpy"),
    "texts": Room("errors kernels engines passes slots", "numpy"),
    "strings": Room("buffers columns engines texts", "numpy", "cudf pyarrow"),
    "rows": Room("errors columns engines names spans strings", "numpy"),
    "vertices": Room(
        "bits edges kernels engines passes forest given names ranks rows slots spans strings ways",
        "numpy",
    ),
    "one_launch": Room(
        "bits edges reading passes kernels choosing engines design program ranks forest given names"
        " spans ways vertices memory",
        "numpy",
    ),
    "plan": Room("errors catalog design choosing engines forest given one_launch strings vertices"),
    "spanning": Room("errors columns design given", "numpy", "cupy"),
    "index": Room("errors columns engines given names rows spans strings", "numpy", "cudf"),
    "batches": Room(
        "edges kernels passes engines design choosing forest solve columns given index", "numpy"
    ),
    "plots": Room("errors formats columns pick", "numpy", "matplotlib networkx"),
    "alone": Room("columns engines pick spans strings", "numpy"),
    "lookup": Room(
        "errors catalog columns alike engines forest given parts pick vertices alone", "numpy"
    ),
    "scores": Room("errors columns engines pick", "numpy", "cudf narwhals pyarrow"),
    "selection": Room("errors catalog engines lookup pick plots scores", "numpy"),
    "inputs": Room(
        "errors catalog edges engines design adjacency frames columns given batches parts pick",
        "numpy",
        "cudf pyarrow",
    ),
    "oracle": Room(
        "errors columns frames given", "numba numpy", "cudf cugraph cupy networkx scipy"
    ),
    "sources": Room("errors catalog formats columns frames index batches", late="fsspec pyarrow"),
    "audit": Room(
        "errors catalog engines forest frames columns given offsets parts pick oracle sources",
        "numpy",
        "cudf pyarrow",
    ),
    "result": Room(
        "errors catalog columns engines forest given names pick strings lookup selection spanning"
        " vertices audit",
        "numpy",
    ),
    "archive": Room("errors formats", "numpy"),
    "framekind": Room("columns frames given pick", "numpy", "cudf cupy polars pyarrow"),
    "checkpoint": Room(
        "errors columns engines forest index batches inputs archive framekind", "numpy", "pyarrow"
    ),
    "snapshots": Room("engines design forest index batches inputs result"),
    "insertions": Room("errors engines design frames columns given batches inputs"),
    "connectivity": Room(
        "engines design frames index batches checkpoint inputs insertions pick alike result"
        " snapshots sources"
    ),
    "bars": Room(late="rich"),
    "streams": Room(
        "errors bars engines design frames columns given index batches framekind checkpoint inputs"
        " insertions sources result snapshots",
    ),
    "cuts": Room("errors lookup result", "numpy"),
    "thresholds": Room(
        "errors catalog engines design columns given frames batches inputs pick sources result"
        " snapshots cuts",
        "numpy",
    ),
    "job": Room(
        "engines design choosing forest adjacency solve frames columns given names plan spanning"
        " vertices one_launch spans result sources streams",
        "numpy",
    ),
    "api": Room("design plan result streams job"),
    "generators": Room("errors catalog kernels engines", "numpy"),
    "bench": Room(
        "errors edges reading kernels engines design program plots memory forest adjacency solve"
        " graphs job api generators oracle",
        "numpy",
        "cudf cugraph cupy pyarrow rmm scipy",
    ),
    "evaluate": Room("errors engines design formats plots api oracle bench", "numpy", "pyarrow"),
    "doctor": Room("__version__ api"),
    "scipy": Room("api", "numpy scipy", "cupyx cupy"),
    "interfaces": Room(
        "errors catalog bars engines columns graphs frames spans design spanning result job api",
        "dask distributed networkx numpy",
        "cugraph cupy dask_cuda networkx pandas pyarrow scipy",
    ),
    "__main__": Room("interfaces"),
    "dask": Room("interfaces"),
    "accessor": Room("interfaces"),
    "cli": Room(
        "__version__ errors engines listing formats plots generators oracle audit bench evaluate"
        " doctor api",
        "click",
        "numpy pyarrow rich",
    ),
}

FILES = sorted(PACKAGE.rglob("*.py"))


def name(path):
    return str(path.relative_to(ROOT))


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path):
    """Each imported module with its dots resolved, and whether it is imported within a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    skipped = {id(inner) for node in typing for inner in ast.walk(node)}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    within = {id(inner) for node in functions for inner in ast.walk(node)}
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            named = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for module in named:
            yield module, id(node) in within


def strangers(path):
    """What a file imports against the table."""
    own = room_of(path)
    room = ROOMS[own]
    for module, late in imports(path):
        first, *rest = module.split(".")
        if first == "cc_rapids":
            if rest[0] not in {own, *room.ours.split()}:
                yield module
        elif first not in {*sys.stdlib_module_names, *room.others.split()} and not (
            late and first in room.late.split()
        ):
            yield module


def test_every_room_has_a_row_and_every_row_a_room():
    assert {room_of(path) for path in FILES} - {"__init__"} == set(ROOMS)


def test_the_table_goes_one_way():
    known = {"__version__"}
    for own, room in ROOMS.items():
        assert set(room.ours.split()) <= known, own
        known.add(own)


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.parent != PACKAGE or p.stem != "__init__"], ids=name
)
def test_rooms_import_only_what_the_table_grants(path):
    assert list(strangers(path)) == []


def test_kernels_know_no_machine():
    kernels = [path for path in FILES if room_of(path) == "kernels"]
    assert kernels
    found = {module.split(".")[0] for path in kernels for module, _ in imports(path)}
    assert found.isdisjoint({"numba", "cuda", "cupy", "threading", "concurrent"})


def modules_after(statement):
    """The top-level modules that a statement loads in a process of its own, but Python's."""
    code = (
        "import sys; before = set(sys.modules)\n"
        f"{statement}\n"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(done.stdout.split()) - sys.stdlib_module_names


@pytest.mark.parametrize(
    ("statement", "loaded"),
    [
        ("import cc_rapids", set()),
        ("import cc_rapids; dir(cc_rapids); cc_rapids.__version__", set()),
        ("import cc_rapids.errors; cc_rapids.InputError", set()),
        ("import cc_rapids.cli", {"click"}),
    ],
)
def test_imports_are_light(statement, loaded):
    assert modules_after(statement) == {"cc_rapids"} | loaded


def test_arrays_need_no_library_of_frames():
    edges = "(numpy.array([1]), numpy.array([2]))"
    statement = f"import numpy, cc_rapids; cc_rapids.components({edges}).sizes()"
    frames = {"cudf", "cupy", "dask", "narwhals", "networkx", "pandas", "polars", "pyarrow"}
    assert modules_after(statement).isdisjoint(frames)


def test_every_public_name_is_there():
    assert sorted(cc_rapids.__all__) == cc_rapids.__all__
    for public in cc_rapids.__all__:
        assert getattr(cc_rapids, public) is not None
        assert public in dir(cc_rapids)
    with pytest.raises(AttributeError, match="module 'cc_rapids' has no attribute 'component'"):
        cc_rapids.component  # noqa: B018
