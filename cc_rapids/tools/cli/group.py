"""The main command, the layout of help, the format of errors, and exit codes."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import Any, NoReturn

import click

from ... import __version__
from ...errors import CcRapidsError, CcRapidsWarning, LedgerError, nearest_words

INTERRUPTED = 130  # the exit code of a process that was interrupted by Ctrl-C
ENDING = (signal.SIGTERM, signal.SIGHUP)  # signals that end a command as Ctrl-C does
LINE_SECONDS = 10  # the interval between two lines of progress
PROGRESS = "cc_rapids.progress"  # the key of --progress in click's context; None by default
EXIT_CODES = (
    "Exit codes: 0 if the command succeeds; 1 if an answer is wrong (verify, evaluate), the engine"
    " is broken (doctor), rows were lost, or the reader of the output, such as head, closed the"
    " pipe; 2 if there is an error, which is printed as one line on stderr;"
    f" {INTERRUPTED} if Ctrl-C ends the command, 143 for SIGTERM, 129 for SIGHUP. Data goes to"
    " stdout. Messages and progress go to stderr. If stderr is a terminal, a bar shows the progress"
    " of work that takes more than a second. Otherwise --progress prints a line at the start and"
    f" every {LINE_SECONDS} seconds."
)

GRAPH, INPUT, METHOD, OUTPUT, OTHER = "Graph", "Input", "Method", "Output", "Other options"
SECTIONS = (GRAPH, INPUT, METHOD, OUTPUT, OTHER)  # the sections of help, in this order
FLAG_WIDTH = 14  # characters; the help of a longer flag starts on the next line
_OTHER_COMMANDS = {  # other words for a command
    "calculate": "components connected-components connected_components component connected cc run"
    " solve compute find group cluster label labels",
    "deduplicate": "dedup dedupe deduplication",
    "link": "link-records link_records records entities resolve",
    "bridges": "articulation-points biconnected cut-edges",
    "forest": "mst spanning-forest spanning-tree",
    "bench": "benchmark",
    "verify": "check audit",
    "doctor": "info",
}
_OTHER_OPTIONS = {  # other words for an option
    "--at-least": "--threshold --minimum",
    "--at-most": "--maximum",
    "--delimiter": "--sep --separator",
    "--engine": "--cpu --gpu --device",
    "--checkpoint": "--resume",
    "--explain": "--plan --dry-run",
    "--output": "--out",
    "--quiet": "--silent",
    "--by": "--sort-by",
}
SYNONYMS = {word: name for name, words in _OTHER_COMMANDS.items() for word in words.split()}
OPTION_SYNONYMS = {word: name for name, words in _OTHER_OPTIONS.items() for word in words.split()}
# Keyword arguments before their options in parentheses, which alone are kept:
# header=False (--no-header), or source= and destination= (--source, --destination)
_KEYWORDS = re.compile(r"""\w+=(?:'[^']*'|[^\s'(]*)(?: and \w+=)? \((--[^()]*)\)""")
# Quoted text, which is kept, or a keyword argument: nulls='drop', num_vertices=2, source=['a', 'b']
_NAMED = re.compile(r"""(?<![\w=])'[^']*'|(?<![\w./-])(\w+)=('[^']*'|\['[^\]]*'\]|[\w.]*\w)?""")
_LIMIT = re.compile(r"(?<![\w./'\"-])memory_limit(?![\w./'\"])=?")  # not in quotes or a path
_CONTINUATION_INDENT = 4  # indent of the continuation lines of an example
_EXAMPLE_WIDTH = 72  # maximum width of a line of an example: 80 without indent and backslash


class Option(click.Option):
    """An option that the help of its command lists in a section."""

    def __init__(self, *arguments: Any, section: str = OTHER, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.section = section

    def get_help_extra(self, context: click.Context) -> Any:
        """Return the facts that help shows in brackets: the default value, but no range."""
        extra = super().get_help_extra(context)
        extra.pop("range", None)
        return extra


class _InSections(click.Command):
    """A command with the flag ``-h``, whose help lists the options by section."""

    def get_help_option_names(self, context: click.Context) -> list[str]:
        return ["-h", "--help"]

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for section, options in sections(self, context).items():
            with formatter.section(section):
                rows = [option.get_help_record(context) for option in options]
                formatter.write_dl([row for row in rows if row], col_max=FLAG_WIDTH)


def sections(command: click.Command, context: click.Context) -> dict[str, list[click.Option]]:
    """Return the options of a command by the section of its help, without empty sections."""
    options_of_section: dict[str, list[click.Option]] = {section: [] for section in SECTIONS}
    for option in command.get_params(context):
        if isinstance(option, click.Option):
            options_of_section[getattr(option, "section", OTHER)].append(option)
    return {section: options for section, options in options_of_section.items() if options}


class Command(_InSections):
    """A command without subcommands."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse arguments; the error for an unknown option suggests a known one."""
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            unknown = error.option_name
            # If click has no suggestion, the option may be a misspelt synonym
            near = [] if error.possibilities else nearest_words(unknown, OPTION_SYNONYMS, 1, 0.8)
            suggestion = OPTION_SYNONYMS.get(near[0] if near else unknown)
            if suggestion is None or all(suggestion not in known.opts for known in self.params):
                raise
            raise click.UsageError(
                f"No such option {unknown!r}. Did you mean {suggestion!r}?", context
            ) from error


class Group(_InSections, click.Group):
    """A command with subcommands; help lists them in the order in which they were added."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(context, formatter)
        self.format_commands(context, formatter)

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
option: Callable[..., Decorator] = partial(click.option, cls=Option)
option_of_input = partial(option, section=INPUT)
option_of_method = partial(option, section=METHOD)
option_of_output = partial(option, section=OUTPUT)
command: Callable[..., Callable[[Any], Command]] = partial(click.command, cls=Command)


class OneLineErrors(Group):
    """A group that prints an error as one line on stderr, without usage, and exits with code 2.

    Output that cannot be written is such an error. If the reader closes the pipe, nothing is
    printed and the exit code is 1.
    """

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return a command and its arguments; for a synonym, raise an error with the command."""
        if args[0] not in self.commands and args[0] in SYNONYMS:
            raise click.UsageError(
                f"No such command {args[0]!r}. Did you mean {SYNONYMS[args[0]]!r}?"
            )
        return super().resolve_command(context, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, and exit with its code or the code of its error."""
        kwargs["standalone_mode"] = False
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _warn
                warnings.simplefilter("default", CcRapidsWarning)
                status = super().main(*args, **kwargs)
            if sys.stdout is not None:
                sys.stdout.flush()
        except click.ClickException as error:
            _fail(error.format_message())
        except LedgerError as error:
            _fail(str(error), status=1)  # rows were lost
        except (CcRapidsError, MemoryError) as error:
            if getattr(error, "errno", None) == errno.EPIPE:  # the reader closed the pipe
                _exit_silently()
            _fail(as_options(str(error)) or "out of memory")  # a MemoryError may have no text
        except click.Abort:
            sys.exit(INTERRUPTED)
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                _exit_silently()
            _discard_output()
            subject = error.filename or "cannot write to standard output"
            _fail(f"{subject}: {error.strerror or error}")
        sys.exit(status if isinstance(status, int) else 0)


def as_options(message: str) -> str:
    """Replace the keyword arguments in a message of the library by command-line options."""
    message = message.partition(", such as by pd.")[0]  # advice for users of frames
    message = message.replace("the same call", "the same command")
    message = message.replace("cc_rapids.designs()", "`cc-rapids designs`")
    message = _NAMED.sub(_option_of_argument, _KEYWORDS.sub(r"\1", message))
    return _LIMIT.sub("--memory-limit", message)


def _option_of_argument(match: re.Match[str]) -> str:
    """Return the option for a keyword argument; text that is no option is returned unchanged.

    ``match`` is a match of ``_NAMED``. Its groups are the name and the value of the argument.
    """
    if match[1] is None:  # quoted text
        return match[0]
    option = f"--{match[1].replace('_', '-')}"
    value = (match[2] or "").strip("[']").replace("', '", ",")  # ['a', 'b'] becomes a,b
    if value in ("None", "True", "False") or option not in _all_options():
        return match[0]  # not written as an option
    return f"{option} {value}".rstrip()


@cache
def _all_options() -> set[str]:
    """Return the options of all commands."""
    commands: list[click.Command] = [main]
    options: set[str] = set()
    for command in commands:  # the subcommands of a group are appended during the loop
        commands += getattr(command, "commands", {}).values()
        options |= {name for option in command.params for name in option.opts}
    return options


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as a line on stderr, unless the command is quiet."""
    context = click.get_current_context(silent=True)
    if context is None or not context.params.get("quiet"):
        with suppress(OSError):
            text = as_options(" ".join(str(message).splitlines()))
            click.echo(f"Warning: {text}", err=True)


def _fail(message: str, status: int = 2) -> NoReturn:
    """Print an error as one line on stderr, and exit."""
    with suppress(OSError):
        click.echo(f"Error: {' '.join(map(str.strip, message.splitlines()))}", err=True)
    sys.exit(status)


class _Ended(SystemExit):
    """The exit of a command that a signal ends."""


def _end(number: int, _: object) -> NoReturn:
    """Handle a signal by exiting with the code of a process that the signal ends."""
    raise _Ended(128 + number)


@contextmanager
def reporting_interruption(unsaved: str) -> Iterator[None]:
    """Print a line on stderr, and exit, if Ctrl-C, SIGTERM or SIGHUP ends the context.

    The line has the notes on a checkpoint that the library adds to the exception or, without notes,
    the text ``unsaved``. Signals that are ignored, for example by nohup, stay ignored.
    """
    old_handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for ending in ENDING:
            if signal.getsignal(ending) is signal.SIG_DFL:
                old_handlers[ending] = signal.signal(ending, _end)
    try:
        yield
    except (KeyboardInterrupt, _Ended) as error:
        notes = getattr(error, "__notes__", None)
        text = as_options(" ".join(notes)) if notes else unsaved
        with suppress(OSError):
            click.echo(f"Interrupted: {text}", err=True)
        sys.exit(error.code if isinstance(error, _Ended) else INTERRUPTED)
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)


def _exit_silently() -> NoReturn:
    """Exit silently, because the reader of the output, such as head, has closed the pipe."""
    _discard_output()
    sys.exit(1)


def _discard_output() -> None:
    """Discard buffered standard output, because Python would fail again to write it at exit."""
    with suppress(OSError, ValueError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, sys.stdout.fileno())
        os.close(null_device)


def examples(*lines: str, after: str = "") -> str:
    """Return the help text of examples, preceded by the text ``after``.

    A line that ends in a colon is a description; any other line is a command. Long commands are
    broken with a backslash, as in a shell.
    """
    shown = []
    for line in lines:
        if line.endswith(":"):
            shown.append(f"  {line}")
        else:
            parts = _command_lines(line)
            continuations = (f"{' ' * _CONTINUATION_INDENT}{part}" for part in parts[1:])
            shown += [f"    {part}" for part in (parts[0], *continuations)]
    text = "\n".join(["\b", "Examples:", *shown])
    return f"{after}\n\n{text}" if after else text


def _command_lines(command: str) -> list[str]:
    """Break a long command before its options; all lines but the last end in a backslash."""
    beginning, *options = command.split(" --")
    parts = [beginning]
    for option_text in options:
        longer = f"{parts[-1]} --{option_text}"
        indent = _CONTINUATION_INDENT if len(parts) > 1 else 0
        if len(longer) <= _EXAMPLE_WIDTH - indent:
            parts[-1] = longer
        else:
            parts[-1] += " \\"
            parts.append(f"--{option_text}")
    return parts


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    epilog=examples(
        "Generate a graph, find its components, and prove that they are right:",
        "cc-rapids generate uniform pairs.parquet --nodes 1000 --edges 700 --seed 1",
        "cc-rapids calculate pairs.parquet --output labels.parquet --top 3",
        "cc-rapids verify pairs.parquet labels.parquet",
        after=EXIT_CODES,
    ),
)
@click.version_option(__version__, prog_name="cc-rapids")
@click.pass_context
def main(context: click.Context) -> None:
    """Connected components of edge lists, on NVIDIA GPUs and on CPU threads."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
