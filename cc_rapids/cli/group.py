"""The command itself: how errors are told, and how examples are shown."""

from __future__ import annotations

import sys
from typing import Any

import click

from .. import __version__
from ..errors import CcRapidsError

INTERRUPTED = 130  # what a shell reports of a process that Ctrl-C ended


class OneLineErrors(click.Group):
    """A group whose errors are one line on stderr and exit code 2, with no usage around them."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, and leave the process with its exit code."""
        kwargs["standalone_mode"] = False
        try:
            status = super().main(*args, **kwargs)
        except click.ClickException as error:
            _fail(error.format_message())
        except (CcRapidsError, MemoryError) as error:
            _fail(str(error) or "out of memory")
        except click.Abort:
            sys.exit(INTERRUPTED)
        sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str) -> None:
    click.echo(f"Error: {' '.join(message.splitlines())}", err=True)
    sys.exit(2)


def examples(*lines: str) -> str:
    """An epilog of examples: commands, each with a line of words ahead if that ends in a colon."""
    shown = [f"  {line}" if line.endswith(":") else f"    {line}" for line in lines]
    return "\n".join(["\b", "Examples:", *shown])


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    epilog=examples(
        "A first graph, its components, and the proof that they are right:",
        "cc-rapids generate uniform pairs.parquet --nodes 1000 --edges 700 --seed 1",
        "cc-rapids calculate pairs.parquet --output labels.parquet --top 3",
        "cc-rapids verify pairs.parquet labels.parquet",
    ),
)
@click.version_option(__version__, prog_name="cc-rapids")
@click.pass_context
def main(context: click.Context) -> None:
    """Connected components of edge lists, on NVIDIA GPUs and on CPU threads."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
