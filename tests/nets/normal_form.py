"""The text of a kernel without the names that people gave, and with what these stand for.

Two kernels have one normal form if they compute the same by the same statements: names of
functions, modules, variables and constants, docstrings, comments and line breaks do not count;
constants count by type and value, parts of a kernel by their own normal form, and the words of the
backend by their names.
"""

from __future__ import annotations

import ast
import builtins
import functools
import hashlib
import inspect
import textwrap
import types
from typing import Any

import numpy as np

from cc_rapids.backends.device_function import Atom, Part


@functools.cache
def normal_form(part: Part) -> str:
    """Return a part's statements as one text; parts that it reaches stand there as digests."""
    function = part.function
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return ast.unparse(_Normal(function, part.closure).visit(tree))


@functools.cache
def digest(part: Part) -> str:
    """Return 16 hexadecimal digits that change with the normal form."""
    return hashlib.sha256(normal_form(part).encode()).hexdigest()[:16]


class _Normal(ast.NodeTransformer):
    """Puts values in the place of names, and numbers in the place of those that are left."""

    def __init__(self, function: types.FunctionType, closure: dict[str, Any]) -> None:
        self.known = function.__globals__ | closure
        code = function.__code__
        self.own = {*code.co_varnames, *code.co_cellvars}
        self.numbers: dict[str, str] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, node.decorator_list, node.returns = "kernel", [], None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        for argument in node.args.args:
            argument.arg, argument.annotation = self._number(argument.arg), None
        if node.args.vararg:
            node.args.vararg.arg = self._number(node.args.vararg.arg)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.own:
            return ast.Name(self._number(node.id), node.ctx)
        if node.id in self.known:
            return ast.Name(spelled(self.known[node.id]), node.ctx)
        assert hasattr(builtins, node.id), f"{node.id} stands for nothing"
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        of = node.value
        if isinstance(of, ast.Name) and of.id not in self.own:
            module = self.known.get(of.id)
            if isinstance(module, types.ModuleType):
                return ast.Name(spelled(getattr(module, node.attr)), node.ctx)
        return self.generic_visit(node)

    def _number(self, name: str) -> str:
        return self.numbers.setdefault(name, f"v{len(self.numbers)}")


def spelled(value: Any) -> str:
    """Return what stands in the place of a name: a type, a value with its type, or a digest."""
    if isinstance(value, Part):
        return f"part_{digest(value)}"
    if isinstance(value, Atom):
        return f"word_{value.name}"
    if isinstance(value, type):
        return f"type_{value.__name__}"
    if isinstance(value, bool | int | np.generic):
        return f"{type(value).__name__}({value})"
    if isinstance(value, tuple):
        return f"({', '.join(map(spelled, value))})"
    raise TypeError(f"a kernel reaches {value!r}, which has no normal form")
