"""The options for reading files, shared by all functions; most are for text files."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from ..errors import ArgumentTypeError, InputError, shown, unknown
from .arguments import check_flag, check_word

COMMENTS = "#%"


class TextKeywords(TypedDict, total=False):
    """The keywords of functions that read files."""

    header: bool | None
    delimiter: str | None
    encoding: str | None
    comment: str | None
    format: str | None


@dataclass(frozen=True)
class TextOptions:
    """The options for reading files, and text in particular.

    By default, the byte order mark of a file gives its encoding, which is UTF-8 without a mark. The
    suffix or the first bytes of the file give its format. Callers do not set ``as_text``: an
    earlier reading has detected whether each column of an id is text; None if unknown.
    """

    header: bool | None = None  # whether the first line names the columns
    delimiter: str | None = None  # between fields; a blank stands for runs of blanks and tabs
    encoding: str | None = None
    comment: str | None = COMMENTS  # characters that begin comments before the first record
    format: str | None = None
    as_text: tuple[bool | None, ...] = ()

    @classmethod
    def check(
        cls,
        header: Any = None,
        delimiter: Any = None,
        encoding: Any = None,
        comment: Any = COMMENTS,
        format: Any = None,
    ) -> TextOptions:
        """Return checked options; raise an InputError for an invalid one."""
        if header is not None:
            header = check_flag("header", header)
        if delimiter is not None:
            delimiter = _delimiter(delimiter)
        if encoding is not None:
            _check_encoding(encoding)
        if comment is not None and not _is_ascii(comment):
            raise InputError(
                f"comment= (--comment) must be one or more ASCII characters that begin comments,"
                f" such as '#', or None, not {shown(comment)}"
            )
        if format is not None:
            from .files.formats import FORMATS

            check_word("format", format, FORMATS)
        return cls(header, delimiter, encoding, comment, format)

    @classmethod
    def of(cls, keywords: Mapping[str, Any]) -> TextOptions:
        """Return checked options from keywords; raise an ArgumentTypeError for other keywords."""
        for name in keywords:
            if name not in KEYWORDS:
                raise ArgumentTypeError(unknown("argument", name, KEYWORDS))
        return cls.check(**keywords) if keywords else NO_OPTIONS

    @classmethod
    def among(cls, options: Mapping[str, Any]) -> TextOptions:
        """Return checked options from those keywords that are options; ignore other keywords."""
        return cls.check(**{name: options[name] for name in KEYWORDS if name in options})

    def as_dict(self) -> dict[str, Any]:
        """Return the options that callers can set, by name, as JSON values."""
        return {name: getattr(self, name) for name in KEYWORDS}

    def with_text(self, as_text: Sequence[bool | None]) -> TextOptions:
        """Return the options with newly detected types; None keeps the type detected before."""
        earlier = self.as_text or (None,) * len(as_text)
        merged = (old if new is None else new for new, old in zip(as_text, earlier, strict=True))
        return replace(self, as_text=tuple(merged))

    @property
    def given(self) -> str:
        """The first option that the caller has set, written as in a call; empty if none is set."""
        changed = (name for name in KEYWORDS if getattr(self, name) != getattr(NO_OPTIONS, name))
        return next(changed, "")


NO_OPTIONS, KEYWORDS = TextOptions(), tuple(TextKeywords.__annotations__)


def _delimiter(delimiter: Any) -> str:
    """Return the delimiter as one character; raise an InputError for an invalid one."""
    spellings = {r"\s+": " ", r"\t": "\t"}  # as written for pandas or in shells
    delimiter = spellings.get(delimiter, delimiter) if isinstance(delimiter, str) else delimiter
    if not (_is_ascii(delimiter) and len(delimiter) == 1) or delimiter in '"\n\r\0':
        raise InputError(
            "delimiter= (--delimiter) must be one ASCII character other than a quotation mark, such"
            rf" as ',', ';', '|' or '\t', or ' ' for runs of blanks, not {shown(delimiter)}"
        )
    return str(delimiter)


def _is_ascii(value: Any) -> bool:
    """Return whether a value is a string of one or more ASCII characters."""
    return isinstance(value, str) and value != "" and value.isascii()


def _check_encoding(encoding: Any) -> None:
    """Raise an InputError unless Python knows the encoding."""
    try:
        if not isinstance(encoding, str):
            raise TypeError
        "".encode(codecs.lookup(encoding).name)  # refuses codecs of bytes, such as base64
    except (LookupError, TypeError, ValueError):
        raise InputError(
            "encoding= (--encoding) must be an encoding that Python knows, such as 'utf-16' or"
            f" 'latin-1', not {shown(encoding)}"
        ) from None
