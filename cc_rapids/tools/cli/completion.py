"""``cc-rapids completion``: the script for completion in a shell."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from .group import command, examples

SHELLS = ("bash", "zsh", "fish")


@command(
    epilog=examples(
        "In this shell, or as a line of ~/.bashrc (or ~/.zshrc, with zsh):",
        'eval "$(cc-rapids completion bash)"',
        "For fish:",
        "cc-rapids completion fish > ~/.config/fish/completions/cc-rapids.fish",
    )
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for completion in SHELL.

    It completes commands, options and file names.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(context.find_root().command, {}, "cc-rapids", "_CC_RAPIDS_COMPLETE")
    # Bash's own source() looks for a bash to ask for its version, though none need be here
    click.echo(ShellComplete.source(script))
