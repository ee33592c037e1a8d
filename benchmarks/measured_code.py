"""The code that a measurement ran, as hashes that a later tree can be compared with.

A run is watched once, outside what is timed: which files of the package are entered, and which
kernels are launched, with the functions that these call. A file counts by its syntax tree without
docstrings; a function of a kernel by that of its factory, without docstrings, annotations and the
names of variables, and with the constants and functions of the package that it refers to. So
comments, line breaks and docstrings change no hash, nor does it matter where a kernel's function
lies and what it is called. Hashes are the same on every version of Python.
"""

import ast
import contextlib
import functools
import hashlib
import io
import pathlib
import subprocess
import sys
import tarfile
import threading
from unittest import mock

from cc_rapids.backends.base import Kernel
from cc_rapids.backends.device_function import Atom, Part

PACKAGE = "cc_rapids"
ROOT = pathlib.Path(__file__).parent.parent
LOADED = pathlib.Path(sys.modules[PACKAGE].__file__).parent  # the package that is measured
NOT_MEASURED = ("tools/",)  # files that measure, generate and draw
NEVER_ENTERED = ("tuning.py",)  # sizes that every run reads as attributes
DIGITS = 8  # of the hash of a file or a function


class Tree:
    """The files of the package in one state, by their paths below its folder.

    Parameters
    ----------
    texts : dict of str to str
    """

    def __init__(self, texts):
        self.texts = texts
        self._modules, self._forms, self._files = {}, {}, {}

    @classmethod
    def in_folder(cls, folder):
        """Return the files below a folder, as they are now."""
        paths = sorted(folder.rglob("*.py"))
        return cls({str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in paths})

    @classmethod
    def at(cls, commit, root=ROOT):
        """Return the files of a commit, or None if git does not know it."""
        git = ["git", "-C", str(root), "archive", commit, PACKAGE]
        done = subprocess.run(git, capture_output=True, check=False)
        if done.returncode:
            return None
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            files = [m for m in archive if m.isfile() and m.name.endswith(".py")]
            return cls(
                {
                    m.name.removeprefix(f"{PACKAGE}/"): archive.extractfile(m).read().decode()
                    for m in files
                }
            )

    def file(self, path):
        """Return the hash of a file without docstrings, or None if it is not there."""
        if path not in self._files:
            text = self.texts.get(path)
            self._files[path] = None if text is None else short(plain(ast.parse(text)))
        return self._files[path]

    def function(self, name):
        """Return the hash of what a module defines, ``path:name``, or None if it is not there.

        What it refers to in the package counts with it.
        """
        return self._hash(tuple(name.split(":")), {})

    @functools.cached_property
    def functions(self):
        """The hashes of all functions of the package's modules."""
        names = (
            f"{path}:{name}"
            for path in self.texts
            for name, node in self.module(path).items()
            if isinstance(node, ast.FunctionDef)
        )
        return {self.function(name) for name in names}

    def module(self, path):
        """Return what a file defines and imports, by name."""
        if path not in self._modules:
            self._modules[path] = dict(bindings(ast.parse(self.texts[path]).body))
        return self._modules[path]

    def _hash(self, key, done):
        if key in done:
            return done[key]
        path, name = key
        node = self.module(path).get(name) if path in self.texts else None
        if node is None:
            return None
        done[key] = "itself"  # until it is known: functions may refer to each other
        if key not in self._forms:
            self._forms[key] = normal_form(node, functools.partial(self._resolved, path))
        form, references = self._forms[key]
        parts = [form, *(self._hash(each, done) or "" for each in references)]
        done[key] = short("\n".join(parts))
        return done[key]

    def _resolved(self, path, names):
        """Return where the package defines a name, or an attribute of a module; or None."""
        name, *rest = names
        found = self.module(path).get(name)
        if found is None:
            return None
        if not isinstance(found, ast.ImportFrom):
            return (path, name) if not rest else None
        (alias,) = found.names
        folder = self._folder(path, found)
        if folder is None:
            return None
        for inside in (f"{folder}{alias.name}.py", f"{folder}{alias.name}/__init__.py"):
            if inside in self.texts:  # a module
                return self._resolved(inside, rest) if rest else None
        of = next((p for p in (f"{folder}__init__.py", f"{folder[:-1]}.py") if p in self.texts), "")
        return self._resolved(of, [alias.name, *rest]) if of and of != path else None

    def _folder(self, path, found):
        """Return the folder, with a slash, that a module imports from, or None if outside."""
        module = (found.module or "").replace(".", "/")
        if found.level:
            above = pathlib.PurePosixPath(path).parents[found.level - 1]
            folder = str(above / module)
        elif module.split("/")[0] == PACKAGE:
            folder = module.removeprefix(PACKAGE).lstrip("/") or "."
        else:
            return None
        return "" if folder == "." else f"{folder}/"


def bindings(body):
    """Yield each name that statements of a module bind, with its definition or its import."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, ast.ImportFrom(node.module, [alias], node.level)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from assigned(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value:
            yield from assigned(node.target, node.value)
        elif isinstance(node, ast.If | ast.Try):
            yield from bindings([*node.body, *node.orelse])


def assigned(target, value):
    """Yield each name of a target of an assignment, with its value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
        for each, own in zip(target.elts, values, strict=False):
            yield from assigned(each, own)


def normal_form(node, resolved):
    """Return a definition as text, and what it refers to in the package, in order.

    Parameters
    ----------
    node : ast.AST
    resolved : callable
        Returns where a list of a name and attributes is defined, or None.
    """
    own = {} if isinstance(node, ast.ClassDef) else variables(node)
    references = []

    def said(node):
        names = dotted(node)
        if isinstance(node, ast.Name) and node.id in own:
            return own[node.id]
        if names and names[0] not in own:
            key = resolved(names)
            if key and not isinstance(top, ast.ClassDef):
                if key not in references:
                    references.append(key)
                return f"@{references.index(key)}"
        return None

    top = node
    return plain(node, said, own), references


def dotted(node):
    """Return the words of ``name`` or ``name.attribute``, or an empty list."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return [node.value.id, node.attr]
    return []


def variables(top):
    """Return numbers for the names that a function binds, in order; its own name is the first."""
    names = []
    for node in walked(top):
        if isinstance(node, ast.FunctionDef):
            names.append(node.name)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
    return {name: f"v{k}" for k, name in enumerate(dict.fromkeys(names))}


def walked(node):
    """Yield a node and all below, each before what follows it in the text."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from walked(child)


def plain(node, said=lambda node: None, own=None):
    """Return a syntax tree as text, without docstrings and what is empty.

    With ``own``, a definition of a kernel: without annotations, and without the decorators of the
    definition itself, which register it.
    """
    top = node

    def text(node):
        if isinstance(node, list):
            return f"[{','.join(map(text, node))}]"
        if not isinstance(node, ast.AST):
            return f"{type(node).__name__} {node!r}"
        known = said(node)
        if known is not None:
            return known
        parts = []
        for name, value in ast.iter_fields(node):
            if name in ("ctx", "kind", "type_comment") or value is None:
                continue
            if name == "body" and isinstance(value, list) and has_docstring(node):
                value = value[1:]
            if own is not None:
                if name in ("annotation", "returns"):
                    continue
                if name == "decorator_list" and node is top:
                    continue
                if name in ("name", "arg") and not isinstance(node, ast.keyword):
                    value = own.get(value, value)
            if value != []:
                parts.append(f"{name}={text(value)}")
        return f"{type(node).__name__}({','.join(parts)})"

    return text(node)


def has_docstring(node):
    """Return whether the first statement of a module, class or function is a string."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    first = node.body[0] if node.body else None
    return isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str)


def short(text, digits=DIGITS):
    """Return the first digits of a hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def of_run(work):
    """Return the code that a run enters and launches, for its record; see :func:`hashed`.

    ``work`` runs once and should be warm: what a first call compiles is not what is timed.
    """
    begin()
    try:
        work()
    finally:
        code = ended()
    return code


_seen = {"files": set(), "kernels": {}}
_undo = contextlib.ExitStack()


def begin():
    """Note from now on, in this thread and in those that start later, until :func:`ended`."""
    _seen["files"].clear()
    _seen["kernels"].clear()
    call = Kernel.__call__

    def noted(kernel, n, *arguments):
        if n:
            _seen["kernels"][kernel] = None
        return call(kernel, n, *arguments)

    def entered(frame, event, argument):
        if event == "call":
            _seen["files"].add(frame.f_code.co_filename)

    _undo.enter_context(mock.patch.object(Kernel, "__call__", noted))
    _undo.callback(sys.setprofile, sys.getprofile())
    _undo.callback(threading.setprofile, threading.getprofile())
    threading.setprofile(entered)
    sys.setprofile(entered)


def ended():
    """Note no more, and return the code that was noted; see :func:`hashed`."""
    _undo.close()
    return hashed(**entries(_seen))


def entries(seen):
    """Return the names of the files and of the functions of kernels, sorted."""
    inside = [pathlib.Path(file) for file in seen["files"]]
    files = {p.relative_to(LOADED).as_posix() for p in inside if p.is_relative_to(LOADED)}
    files |= {path for path in NEVER_ENTERED if (LOADED / path).exists()}
    kernels = set()
    for kernel in seen["kernels"]:
        kernels |= set(functions_of(kernel.part, intrinsics_of(kernel)))
    return {
        "files": sorted(path for path in files if not path.startswith(NOT_MEASURED)),
        "kernels": sorted(kernels),
    }


def intrinsics_of(kernel):
    """Return what a GPU runs for the words of the backend, by name: none on threads.

    There the file that defines them is entered by every launch.
    """
    if kernel.backend.name != "cuda":
        return {}
    from cc_rapids.backends import cuda_intrinsics

    return cuda_intrinsics.ATOMS


def functions_of(part, intrinsics):
    """Yield where the functions of a kernel are made: of itself, and of all that it calls."""
    yield from place_of(part.function)
    for value in part.closure.values():
        if isinstance(value, Part):
            yield from functions_of(value, intrinsics)
        elif isinstance(value, Atom):
            yield from place_of(intrinsics.get(value.name))


def place_of(function):
    """Yield the file and the name under which a function of the package, if it is one, is made."""
    function = getattr(function, "py_func", getattr(function, "fn", function))  # if it is compiled
    package, _, module = getattr(function, "__module__", "").partition(".")
    if package == PACKAGE:
        yield f"{module.replace('.', '/')}.py:{function.__qualname__.partition('.')[0]}"


def hashed(files, kernels, tree=None):
    """Return the field ``code`` of a record.

    Returns
    -------
    dict
        ``device`` and ``wall``: the hashes that a time of the device and one of the wall stand on;
        ``kernels`` and ``files``: the hash of each function and file that they are made of.
    """
    tree = tree or loaded()
    by_kernel = {name: tree.function(name) for name in kernels}
    by_file = {path: tree.file(path) for path in files}
    return summed(by_kernel, by_file)


def summed(kernels, files):
    """Return the field ``code`` of a record, from the hashes of its functions and files."""
    of_kernels = " ".join(sorted(str(own) for own in kernels.values()))
    of_files = " ".join(f"{path} {own}" for path, own in sorted(files.items()))
    return {
        "device": short(of_kernels, 12),
        "wall": short(f"{of_files} {of_kernels}", 12),
        "kernels": kernels,
        "files": files,
    }


def merged(codes):
    """Return one field ``code`` of several, as of the processes of one run."""
    kernels, files = {}, {}
    for code in codes:
        kernels |= code["kernels"]
        files |= code["files"]
    return summed(dict(sorted(kernels.items())), dict(sorted(files.items())))


@functools.cache
def loaded():
    """Return the tree of the package that this process has imported."""
    return Tree.in_folder(LOADED)
