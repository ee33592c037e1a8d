"""Exceptions and the text of their messages.

Each message names the column or argument, the type, the count, and a way to correct the problem.
All exceptions derive from ``CcRapidsError`` and from a matching built-in exception. Names, ids and
paths from callers may be long or contain control characters: :func:`brief` shortens and escapes
them in errors and warnings.
"""

import difflib
import functools
import re
import sysconfig
from collections.abc import Callable, Iterable
from typing import Any

SHOWN = 12  # maximum number of words of a list in a message
COMPARED = 64  # leading characters compared when similar words are searched

LONGEST = 600  # maximum number of characters of a message
_SEARCHED = 100 * LONGEST  # characters searched for long parts; cutting the rest bounds the time
_PART_LENGTHS = 160, 80, 41  # lengths of a part, tried in turn; 41 leaves 18 characters each side
LEFT_OUT = " ... "  # replaces the middle of a text that is too long
_QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""", re.DOTALL)
_WORDS = re.compile(r"\S+")


class _BriefError(Exception):
    """An error or a warning whose message has at most 600 characters."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(brief(a) if isinstance(a, str) else a for a in arguments))

    def __reduce__(self) -> tuple[object, ...]:
        """Return the class, the message and the attributes for pickling.

        Without this method, some libraries, such as tblib in Dask's workers, would add their own,
        which fails for an exception with two built-in bases.
        """
        # attributes of OSError, which are not in the dictionary of the error
        attributes = {name: getattr(self, name, None) for name in ("errno", "filename")}
        attributes = {name: value for name, value in attributes.items() if value is not None}
        return _remade, (type(self), self.args, attributes | vars(self))


class CcRapidsError(_BriefError):
    """Base class of all errors that cc_rapids raises; its message has at most 600 characters."""


def brief(message: str) -> str:
    """Return a message shortened to at most 600 printable characters.

    The middle of the longest quoted values is removed first, then the middle of the longest words,
    then the middle of the message. This keeps the cause at the start and the advice at the end.

    Examples
    --------
    >>> message = brief(f"column {'x' * 1000!r} is float64: cast it")
    >>> len(message), message[:10], message[-22:]
    (187, "column 'xx", "x' is float64: cast it")
    """
    message = printable(_elide(message, _SEARCHED))
    if len(message) <= LONGEST:
        return message
    for pattern in (_QUOTED, _WORDS):
        for max_length in _PART_LENGTHS:
            message = pattern.sub(functools.partial(_shorter, max_length), message)
            if len(message) <= LONGEST:
                return message
    return _elide(message, LONGEST)


def printable(text: str) -> str:
    r"""Return a text with escapes for characters that a terminal or a log would interpret.

    Control characters, line ends, marks that change the direction of writing, and lone surrogates
    are escaped as in the ``repr`` of a string.

    Examples
    --------
    >>> print(printable("a file called \x1b[2J\nERROR"))
    a file called \x1b[2J\nERROR
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def shown(value: object) -> str:
    """Return how a message shows an argument: the value of a number or string, or the type.

    The contents of other objects are not read, because this could be slow or fail.

    Examples
    --------
    >>> shown("a"), shown(-1), shown([1, 2]), shown(10**5000)
    ("'a'", '-1', 'a list of 2', 'an integer of 16,610 bits')
    """
    kind = type(value)
    if isinstance(value, int) and value.bit_length() > 4096:
        return f"an integer of {value.bit_length():,} bits"
    if isinstance(value, range):
        return f"range({', '.join(map(shown, (value.start, value.stop, value.step)))})"
    if isinstance(value, str | bytes | int | float | complex) or value is None:
        return repr(value)
    if kind.__module__ == "numpy" and getattr(value, "shape", None) == ():
        return repr(value)
    items = f" of {len(value):,}" if isinstance(value, list | tuple | dict | set) else ""
    return f"a {kind.__name__}{items}"


def id_shown(value: object) -> str:
    """Return how a message shows an id, with each part of a composite id.

    Examples
    --------
    >>> id_shown(("user", 7)), id_shown(7)
    ("('user', 7)", '7')
    """
    return f"({', '.join(map(shown, value))})" if isinstance(value, tuple) else shown(value)


def _shorter(max_length: int, match: re.Match[str]) -> str:
    return _elide(match[0], max_length)


def _elide(text: str, max_length: int) -> str:
    """Return the text without its middle if it is longer than ``max_length``."""
    if len(text) <= max_length:
        return text
    kept = max_length - len(LEFT_OUT)
    return text[: kept - kept // 2] + LEFT_OUT + text[len(text) - kept // 2 :]


def add_advice(error: BaseException, advice: str) -> None:
    """Add advice to an error: to the message of a cc_rapids error, or as a note to any other.

    Examples
    --------
    >>> error = CapacityError("no memory")
    >>> add_advice(error, "raise memory_limit")
    >>> str(error)
    'no memory; raise memory_limit'
    """
    if isinstance(error, CcRapidsError) and error.args and isinstance(error.args[0], str):
        error.args = (brief(f"{error.args[0].rstrip('.')}; {advice}"), *error.args[1:])
    else:
        error.add_note(advice)


def _remade(
    kind: type[_BriefError], arguments: tuple[object, ...], attributes: dict[str, object]
) -> _BriefError:
    """Return an unpickled error."""
    error = kind(*arguments)
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


class InputError(CcRapidsError, ValueError):
    """The edges, the vertices or an argument cannot be used."""


class ColumnTypeError(InputError, TypeError):
    """A column has a type that cannot name vertices (floats, booleans, dates, ...)."""


class ArgumentTypeError(InputError, TypeError):
    """An argument does not fit this input, or is of an unknown type."""


class GraphStateError(InputError):
    """The edges of a graph object cannot be read; the message names a function that reads them."""


class MissingColumnError(InputError, KeyError):
    """A named column is not in the frame."""

    __str__ = Exception.__str__  # KeyError would put quotation marks around the message


class UnknownVertexError(InputError, KeyError):
    """No edge contains the requested vertex, and ``vertices=`` did not add it."""

    __str__ = Exception.__str__


class NullsError(InputError):
    """A column contains nulls, and ``nulls="raise"`` refuses them."""


class FormatError(InputError):
    """A file is missing, of an unknown format, or malformed; the message names file and line."""


class ChangedFileError(FormatError):
    """A file was changed while it was read; the message names the file and the change."""


class CheckpointError(InputError):
    """A checkpoint belongs to a different input; the message names the part that differs."""


class OutputError(InputError, OSError):
    """A file cannot be written; the message names the reason, such as the path or a full disk."""

    __str__ = Exception.__str__  # OSError would print the error number and repeat the path


class DesignError(InputError):
    """A design is unknown or cannot be used here; the message names the nearest designs."""


class ImageError(InputError, RuntimeError, AssertionError, OverflowError):
    """An argument does not fit an image.

    The class derives from all types of errors that SciPy and scikit-image raise for such an
    argument. Code that catches any of these types therefore catches this error.
    """


class EngineError(CcRapidsError, RuntimeError):
    """The engine is unknown, or this machine cannot run it; the message names what is missing."""


class MissingExtraError(CcRapidsError, ImportError):
    """An optional library is not installed; the message names the extra that installs it."""


class CapacityError(CcRapidsError, MemoryError):
    """The run needs more memory than is available; the message names the number of bytes."""


class LedgerError(CcRapidsError, RuntimeError):
    """A run lost or repeated rows, so it returns no answer; the message names both row counts."""


class CcRapidsWarning(_BriefError, UserWarning):  # noqa: N818
    """Base class of all cc_rapids warnings; its message has at most 600 characters."""


class CapacityWarning(CcRapidsWarning):
    """A sample shows that the vertices of a stream will not fit into its memory limit."""


class UnmatchedWarning(CcRapidsWarning):
    """No id of a frame is a vertex of the answer."""


class VerificationError(CcRapidsError, AssertionError):
    """An answer is wrong. The message names the first counterexample."""


def unknown(what: str, word: object, words: Iterable[str]) -> str:
    """Return a message like "unknown labels 'mim': did you mean 'min'? one of dense, max, ...".

    ``what`` is the kind of the words, such as ``"labels"``. A list of more than a dozen words is
    cut to the first few and the total. A word that is not a string is shown by its value or type.
    """
    words = sorted(words)
    return f"unknown {what} {shown(word)}:{hint_of(word, words)} one of {listed(words)}"


def hint_of(word: object, words: Iterable[str]) -> str:
    """Return the text " did you mean ...?" with the nearest words, or an empty text."""
    return did_you_mean(nearest_words(word, words, 3, 0.5)) if isinstance(word, str) else ""


def listed(words: list[str]) -> str:
    """Return words joined by commas, or the first few and the total if there are over a dozen."""
    few = words if len(words) <= SHOWN else [*words[: SHOWN // 2], f"... ({len(words):,} in all)"]
    return ", ".join(few)


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun, in the singular for one and in the plural otherwise.

    Examples
    --------
    >>> counted(1, "link"), counted(2000, "link"), counted(0, "batch", "batches")
    ('1 link', '2,000 links', '0 batches')
    """
    return f"{count:,} {inflected(count, noun, plural or f'{noun}s')}"


def inflected(count: int, singular: str, plural: str) -> str:
    """Return the singular or the plural of a word, such as a verb, for a count."""
    return singular if count == 1 else plural


def not_vertices(count: int, size: int, name: str, of: str) -> str:
    """Return the start of an error about ids of a column that are not vertices.

    ``of`` is the end of this text, such as "of this answer".

    Examples
    --------
    >>> not_vertices(1, 4, "src", "of this answer")
    "1 of 4 ids in 'src' is not a vertex of this answer"
    """
    verb = inflected(count, "is not a vertex", "are not vertices")
    return f"{count:,} of {counted(size, 'id')} in {name!r} {verb} {of}"


def no_attribute(owner: object, name: str, kind: type, instance: str) -> AttributeError:
    """Return the error for an attribute that ``owner`` lacks.

    If the class ``kind`` has the attribute, the message advises to call it on ``instance``, which
    is the text of an expression for an object of this class.

    Examples
    --------
    >>> str(no_attribute(1, "upper", str, "name"))
    "'int' object has no attribute 'upper': it is a method of name, so call name.upper"
    """
    message = f"{type(owner).__name__!r} object has no attribute {name!r}"
    if not name.startswith("_") and hasattr(kind, name):
        message += f": it is a method of {instance}, so call {instance}.{name}"
    return AttributeError(message, name=name, obj=owner)


def nearest_words(word: str, words: Iterable[str], max_count: int, cutoff: float) -> list[str]:
    """Return up to ``max_count`` words that are most similar, by their first 64 characters."""
    # Of words with the same start, the first one stays.
    word_of_start = {candidate[:COMPARED]: candidate for candidate in reversed(list(words))}
    starts = difflib.get_close_matches(word[:COMPARED], word_of_start, max_count, cutoff)
    return [word_of_start[start] for start in starts]


def did_you_mean(words: list[str]) -> str:
    """Return the text " did you mean ...?" that lists the words, or an empty text for no words."""
    if not words:
        return ""
    *others, last = map(repr, words)
    return f" did you mean {', '.join(others)} or {last}?" if others else f" did you mean {last}?"


def install_advice(extra: str) -> str:
    """Return a text on installing an extra; cc_rapids is not on a package index yet."""
    return (
        f"pip install '.[{extra}]' in a checkout of cc_rapids, or pip install 'WHEEL[{extra}]' with"
        " the path of its wheel"
    )


def missing_extra(
    extra: str, missing: ModuleNotFoundError, names: list[str], ending: str = ""
) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of module ``cc_rapids.EXTRA``, which needs a missing library.

    The module can then be imported and inspected; its public names raise an ImportError.
    """
    module, library = f"cc_rapids.{extra}", missing.name

    def refuse(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise ImportError(
            f"{module} needs {library}, which is not installed: {install_advice(extra)}{ending}",
            name=library,
        )

    return refuse


def unsupported_python() -> str | None:
    """Return why this build of Python cannot run kernels, with advice, or None if it can.

    Numba supports free-threaded builds only as an experiment. Its caches and dispatchers may fail
    when several threads enter them at the same time, as the threads of every run do.
    """
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    return (
        "this Python is a free-threaded build (without a GIL), which Numba supports only as an"
        " experiment, and cc_rapids does not support yet: use the ordinary build of the same"
        " version, in which kernels also run without the GIL"
    )
