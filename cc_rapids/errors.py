"""What can go wrong, in words for the person who called.

Every message names the column or the argument, the type, the count, and a way out. All of them
are ``CcRapidsError``; each is also the built-in exception that a caller would expect there.
"""


from typing import Any


class CcRapidsError(Exception):
    """Any error that cc_rapids raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """The class called with the message again: what libraries that pickle errors do otherwise
        (tblib's, by which Dask's workers send them) fails where there are two built-in bases.
        """
        own = {name: getattr(self, name, None) for name in ("errno", "filename")}
        own = {name: value for name, value in own.items() if value is not None}
        return _remade, (type(self), self.args, own | vars(self))


def _remade(kind: type[CcRapidsError], arguments: tuple[Any, ...], own: dict[str, Any]) -> Any:
    error = kind(*arguments)
    for name, value in own.items():
        setattr(error, name, value)
    return error


class InputError(CcRapidsError, ValueError):
    """The edges, the vertices or an argument cannot be used as they are."""


class ColumnTypeError(InputError, TypeError):
    """A column holds a type that cannot name vertices (floats, booleans, dates, ...)."""


class ArgumentTypeError(InputError, TypeError):
    """An argument cannot be given together with such an input, or is of no known type."""


class GraphStateError(InputError):
    """A graph object holds its edges where they cannot be read; says who can."""


class MissingColumnError(InputError, KeyError):
    """A named column is not in the frame."""

    __str__ = Exception.__str__  # KeyError would print the message in quotation marks


class UnknownVertexError(InputError, KeyError):
    """A vertex that is asked for occurs in no edge, and was not named besides them."""

    __str__ = Exception.__str__


class NullsError(InputError):
    """A column holds nulls, and the policy is to refuse them."""


class FormatError(InputError):
    """A file is missing, of an unknown format, or malformed; names the file and the line."""


class ChangedFileError(FormatError):
    """A file was cut, rewritten or replaced while it was read; names the file and what changed."""


class CheckpointError(InputError):
    """A checkpoint is of another input than the one that is given; says which part differs."""


class OutputError(InputError, OSError):
    """A file cannot be written: the path is no place for it, or the disk is full; says which."""

    __str__ = Exception.__str__  # OSError would print the number of the error, and the path twice


class DesignError(InputError):
    """No algorithm has that name; names the nearest ones."""


class EngineError(CcRapidsError, RuntimeError):
    """The engine is unknown, or this machine cannot run it; says how to get it."""


class MissingExtraError(CcRapidsError, ImportError):
    """A library that an extra brings is not installed; names the extra."""


class CapacityError(CcRapidsError, MemoryError):
    """The run would need more memory than there is; names the bytes."""


class VerificationError(CcRapidsError, AssertionError):
    """An answer is wrong; names the first counter-example."""
