"""``cc-rapids completion``: print a completion script for a shell."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from .group import command, examples

SHELLS = ("bash", "zsh", "fish")


@command(
    epilog=examples(
        "For this shell, or as a line of ~/.bashrc (with zsh, of ~/.zshrc):",
        'eval "$(cc-rapids completion bash)"',
        "For fish:",
        "cc-rapids completion fish > ~/.config/fish/completions/cc-rapids.fish",
    )
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for completion in SHELL: bash, zsh or fish.

    The shell then completes commands, options and file names.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(context.find_root().command, {}, "cc-rapids", "_CC_RAPIDS_COMPLETE")
    # click's source() for bash runs bash to check its version, but bash may be missing
    click.echo(ShellComplete.source(script))
