"""The main command, the format of errors, and examples in help."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, NoReturn

import click

from ... import __version__
from ...errors import CcRapidsError

INTERRUPTED = 130  # the exit code of a process that was ended by Ctrl-C


class OneLineErrors(click.Group):
    """A group whose errors are one line on stderr and exit code 2, without usage.

    Output that cannot be written is such an error; a pipe that is closed is exit code 1 alone.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, and exit with its code."""
        kwargs["standalone_mode"] = False
        try:
            status = super().main(*args, **kwargs)
            if sys.stdout is not None:
                sys.stdout.flush()
        except click.ClickException as error:
            _fail(error.format_message())
        except (CcRapidsError, MemoryError) as error:
            _fail(str(error) or "out of memory")
        except click.Abort:
            sys.exit(INTERRUPTED)
        except OSError as error:
            _no_more_output()
            if isinstance(error, BrokenPipeError):
                sys.exit(1)  # who read it, such as head, has seen enough
            what = error.filename or "cannot write to standard output"
            _fail(f"{what}: {error.strerror or error}")
        sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str) -> NoReturn:
    with suppress(OSError):
        click.echo(f"Error: {' '.join(message.splitlines())}", err=True)
    sys.exit(2)


def _no_more_output() -> None:
    """Discard buffered standard output, on which Python would fail again at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def examples(*lines: str) -> str:
    """Return the help text of examples.

    Each is a command, with a line of words ahead if that ends in a colon.
    """
    shown = [f"  {line}" if line.endswith(":") else f"    {line}" for line in lines]
    return "\n".join(["\b", "Examples:", *shown])


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    epilog=examples(
        "Generate a graph, find its components, and prove that they are right:",
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
