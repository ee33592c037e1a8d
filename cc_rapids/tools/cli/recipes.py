"""Parse the recipes of ``--generate``, ``NAME(option=value, ...)``.

A recipe is parsed like the arguments ``NAME --option value ...`` of ``cc-rapids generate``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from .generators import COMMON, GENERATORS, Params

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ..generators.pieces import Pieces


@dataclass(frozen=True)
class Recipe:
    """Edges to generate, with their seed and, if they have weights, the range of the weights."""

    pieces: Pieces
    seed: int
    weights: tuple[int, int] | None


def make(name: str, params: Params) -> Recipe:
    """Return the recipe for a generator and the values of its options."""
    from ..generators import pieces

    weights = params["weights"]
    if weights is not None and weights[0] > weights[1]:
        raise InputError(f"--weights MIN MAX needs MIN <= MAX, not {weights[0]} {weights[1]}")
    if "of" in params:
        params = params | {"of": recipe(params["of"]).pieces}
    return Recipe(GENERATORS[name].make(pieces, params), params["seed"], weights)


def recipe(text: str) -> Recipe:
    """Parse ``NAME(option=value, ...)``; raise an InputError or a UsageError if it is invalid."""
    name, arguments = _parse(text)
    if name not in GENERATORS:
        raise click.UsageError(f"No generator {name!r}: choose from {', '.join(GENERATORS)}.")
    options: list[click.Parameter] = [*GENERATORS[name].options, *COMMON]
    command = click.Command(name, params=options, add_help_option=False)
    try:
        context = command.make_context(name, arguments)
    except click.UsageError as error:
        raise click.UsageError(f"{text}: {error.format_message()}") from None
    return make(name, context.params)


def _parse(text: str) -> tuple[str, list[str]]:
    """Return the name of the generator, and its options as command-line arguments."""
    error = InputError(f"expected NAME(option=value, ...), found {text!r}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise error from None
    if isinstance(tree, ast.Name):
        return tree.id, []
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name) or tree.args:
        raise error
    arguments: list[str] = []
    for keyword in tree.keywords:
        if keyword.arg is None:
            raise error
        arguments += _option(keyword.arg, keyword.value, error)
    return tree.func.id, arguments


def _option(name: str, tree: ast.expr, error: Exception) -> list[str]:
    """Return an option as command-line arguments; raise ``error`` if its value is no literal."""
    flag = f"--{name.replace('_', '-')}"
    if isinstance(tree, ast.Call | ast.Name):  # a recipe, such as the value of ``of``
        return [flag, ast.unparse(tree)]
    try:
        value = ast.literal_eval(tree)
    except (ValueError, TypeError):
        raise error from None
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag[2:]}"]
    if isinstance(value, tuple):
        return [flag, *map(str, value)]
    if isinstance(value, list):
        return [flag, ",".join(map(str, value))]
    return [flag, str(value)]


def complete_recipe(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the names of the generators, for completion in a shell."""
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(f"{name}(", help=generator.help)
        for name, generator in GENERATORS.items()
        if name.startswith(incomplete)
    ]
