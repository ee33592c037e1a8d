"""What type checkers know of answers, with and without types of the libraries of frames."""

import ast
import importlib.util
import inspect
import runpy
import subprocess
import sys

import pytest
from support.machine import ROOT

import cc_rapids

ANSWERS = ROOT / "tests" / "typing" / "answers.py"
UNTYPED = "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"


def test_the_types_are_those_at_run_time():
    runpy.run_path(str(ANSWERS))


@pytest.mark.slow
@pytest.mark.extended
def test_mypy_knows_the_frames_of_an_answer(tmp_path):
    """Also without types of some libraries: what mypy knows of all others is in its cache then."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    options = ["--strict", "--ignore-missing-imports", "--follow-imports=silent", "--config-file="]
    command = [sys.executable, "-m", "mypy", *options, f"--cache-dir={tmp_path / 'cache'}"]
    environment = {"MYPYPATH": f"{tmp_path}:{ROOT}", "PATH": "/usr/bin:/bin"}
    for without in ((), ("pandas", "pyarrow")):
        for library in without:
            (tmp_path / library).mkdir()
            (tmp_path / library / "__init__.pyi").write_text(UNTYPED)
        done = subprocess.run(
            [*command, str(ANSWERS)], capture_output=True, text=True, env=environment, cwd=tmp_path
        )
        assert done.returncode == 0, f"without {without}: {done.stdout}{done.stderr}"


def attributes_of_classes():
    """Yield the name, the bases, the typed attributes and the assigned ones of each class."""
    for path in (ROOT / "cc_rapids").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for kind in (one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)):
            typed, assigned = {"case_sensitive"}, {}  # an attribute of click
            for node in kind.body:  # names for attributes of other classes and modules
                if isinstance(node, ast.Assign) and any(
                    isinstance(one, ast.Attribute) for one in ast.walk(node.value)
                ):
                    for one in ast.walk(node.targets[0]):
                        if isinstance(one, ast.Name):
                            assigned[one.id] = f"{path.name}:{node.lineno}"
            for node in ast.walk(kind):
                if isinstance(node, ast.FunctionDef):
                    typed.add(node.name)  # a property
                if isinstance(node, ast.AnnAssign):
                    typed.add(getattr(node.target, "id", getattr(node.target, "attr", None)))
                if not isinstance(node, ast.Assign):
                    continue
                for target in node.targets:
                    if isinstance(target, ast.Attribute) and isinstance(node.value, ast.Name):
                        continue  # a parameter, which has a type
                    for one in ast.walk(target):
                        stored = isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
                        if stored and ast.unparse(one.value) == "self":
                            assigned.setdefault(one.attr, f"{path.name}:{node.lineno}")
            bases = [ast.unparse(base).split("[")[0].split(".")[-1] for base in kind.bases]
            yield kind.name, bases, typed, assigned


@pytest.mark.slow
def test_public_attributes_have_types():
    """Type checkers infer other types differently; `pyright --verifytypes` reports them."""
    classes = list(attributes_of_classes())

    def typed(names, seen):
        found = [one for one in classes if one[0] in names and one[0] not in seen]
        inherited = [typed(bases, {*seen, name}) for name, bases, _, _ in found]
        return set().union(*(known for _, _, known, _ in found), *inherited)

    missing = [
        f"{where} {name}.{attribute}"
        for name, bases, known, assigned in classes
        if not name.startswith("_")
        for attribute, where in assigned.items()
        if not attribute.startswith("_") and attribute not in known | typed(bases, {name})
    ]
    assert missing == []


def test_parameters_and_results_of_public_functions_have_types():
    missing = []
    for name in cc_rapids.__all__:
        value = getattr(cc_rapids, name)
        members = inspect.getmembers(value, inspect.isroutine) if inspect.isclass(value) else []
        for inner, function in [("", value), *members]:
            own = (getattr(function, "__module__", None) or "").startswith("cc_rapids")
            if not inspect.isroutine(function) or not own or inner.startswith("__"):
                continue
            signature = inspect.signature(function)
            parts = [
                one for one in signature.parameters.values() if one.name not in ("self", "cls")
            ]
            kinds = [*(one.annotation for one in parts), signature.return_annotation]
            if inspect.Signature.empty in kinds:
                missing.append(f"{name} {inner}")
    assert missing == []
