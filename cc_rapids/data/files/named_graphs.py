"""Read graphs whose vertices have names, by NetworkX."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ...errors import FormatError, MissingExtraError
from ..lazy import pa
from .binary import columns_of, format_errors, with_weights
from .delimited import not_utf8
from .handle import marked_encoding

if TYPE_CHECKING:
    from .input_file import ColumnRequest, File

COPIES = 60  # bytes of memory per byte of a file, because NetworkX stores Python objects

_XML_ENCODING = r"""^(<\?xml[^>]{,200}?)\sencoding\s?=\s?["'][^"'>]*["']"""
# the encodings of XML without a byte order mark, by the first two bytes
_WIDE_XML = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}


def read_named(
    file: File,
    request: ColumnRequest,
    reader: Callable[[Any, BytesIO], Any],
    title: str,
    edge: bytes,
    graph: bytes,
    ignored: bytes,
) -> tuple[pa.Table, Any]:
    """Return the edges of a graph file, and the names of all vertices.

    ``reader`` returns a graph, given the module ``networkx`` and a stream. ``title`` is the name of
    the format in messages. The patterns ``edge`` and ``graph`` match the beginning of each edge and
    of each graph in the file, outside the comments and strings that ``ignored`` matches. A
    FormatError is raised if NetworkX has left out edges, or would leave out graphs.
    """
    try:
        import networkx as nx
    except ImportError as error:
        raise MissingExtraError(
            f"{file.path} is {title}, which NetworkX reads: pip install networkx, or convert the"
            " file to an edge list"
        ) from error
    file.check_bound(file.size, COPIES)
    data = in_utf8(b"".join(file.pieces()), file.path)
    with format_errors(file, title):
        try:
            parsed = reader(nx, BytesIO(data))
        except nx.NetworkXException as error:
            raise FormatError(f"{file.path} cannot be read as {title}: {error}") from error
        except UnicodeDecodeError as error:
            raise undecodable(file.path, data, error) from None
    # the reader has rejected comments that do not end, for which the pattern takes quadratic time
    content = re.sub(ignored, b"", data)
    if (graphs := len(re.findall(graph, content))) > 1:
        raise FormatError(
            f"{file.path} holds {graphs} graphs, and NetworkX reads one: write each graph to a"
            " file of its own"
        )
    declared = len(re.findall(edge, content))
    if declared != parsed.number_of_edges():
        raise FormatError(
            f"{file.path} has {declared} edges, but NetworkX reads {parsed.number_of_edges()}:"
            " it leaves out nested edges, and edges whose id repeats; convert the file to an edge"
            " list"
        )
    file.groups = {0: declared}
    default = parsed.graph.get("edge_default") or {}  # the default values of attributes
    edges = [(u, v, {**default, **attributes}) for u, v, attributes in parsed.edges(data=True)]
    return columns_of_names(file, request, edges, list(parsed))


def in_utf8(data: bytes, path: str, encoding: str | None = None) -> bytes:
    """Convert a text from ``encoding`` to UTF-8; by default, only convert UTF-16 and UTF-32.

    The encoding that the first line of a converted XML text declares is removed.
    """
    encoding = encoding or marked_encoding(data) or _WIDE_XML.get(data[:2])
    if encoding is None:
        return data
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
        return re.sub(_XML_ENCODING, r"\1", text).encode()
    except UnicodeError as error:
        raise FormatError(f"{path} is not text in {encoding}: {error}") from None


def decoded(path: str, data: bytes) -> str:
    """Return the text of a file; raise a FormatError that names the line if it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise undecodable(path, data, error) from None


def undecodable(path: str, data: bytes, error: UnicodeDecodeError) -> FormatError:
    """Return the error for the line that cannot be decoded, in a format without ``encoding=``."""
    start = data.rfind(b"\n", 0, error.start) + 1
    number, line = data.count(b"\n", 0, start) + 1, data[start:].partition(b"\n")[0]
    return not_utf8(path, number, line, "convert the file, such as by iconv -f latin1 -t utf-8")


def columns_of_names(
    file: File, request: ColumnRequest, edges: list[tuple[Any, Any, dict[str, Any]]], names: Any
) -> tuple[pa.Table, Any]:
    """Return edges (source, destination, attributes) as a table, and the names of all vertices.

    Ids are int64 if ``names`` are a range or int64 integers, not bools; otherwise strings.
    """
    integers = isinstance(names, range) or all(
        type(name) is int and abs(name) < 1 << 63 for name in names
    )
    convert: Callable[[Any], Any] = int if integers else str
    id_type = pa.int64() if integers else pa.string()
    columns = {
        side: pa.array([convert(edge[end]) for edge in edges], id_type)
        for end, side in enumerate(("src", "dst"))
    }
    available = [*columns]
    if request.weights:
        available += dict.fromkeys(name for *_, attributes in edges for name in attributes)
    if edges:  # columns_of takes a schema, but reads only its names
        picked = columns_of(file, request, pa.schema([(name, pa.null()) for name in available]))
    else:  # no attribute is known, so the weight may be missing
        picked = [available[i] for i in request.columns(file.path, available)]
    with format_errors(file, "weights"):
        for name in set(picked) - set(columns):  # the weight
            columns[name] = pa.array([attributes.get(name) for *_, attributes in edges])
        table = with_weights(file, request, pa.table(columns).select(picked))
    if isinstance(names, range):
        return table, names
    return table, pa.array(list(map(convert, names)), id_type)
