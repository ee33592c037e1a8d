"""Read GEXF files of Gephi by NetworkX; the ids of nodes are strings."""

import re
from io import BytesIO
from typing import Any

from .graphml import xml_format

_NAMESPACE = b"http://gexf.net/1.3"  # a namespace that NetworkX knows
_ROOT = re.compile(rb"(<(?:(\w+):)?gexf\b)([^>]*)")  # the first element


def parse(nx: Any, stream: BytesIO) -> Any:
    """Parse a file by NetworkX, which does not know all namespaces that programs write."""
    return nx.read_gexf(BytesIO(_ROOT.sub(_with_known_namespace, stream.read(), count=1)))


def _with_known_namespace(root: re.Match[bytes]) -> bytes:
    """Return the tag of the first element with ``_NAMESPACE`` in place of its namespace."""
    tag, prefix, attributes = root.groups()
    name = b"xmlns:" + prefix if prefix else b"xmlns"
    others = re.sub(rb"\s%s\s*=\s*([\"']).*?\1" % name, b"", attributes)
    return b'%s %s="%s"%s' % (tag, name, _NAMESPACE, others)


FORMATS = (xml_format("gexf", "GEXF", parse),)
