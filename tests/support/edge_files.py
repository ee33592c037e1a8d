"""Files of edges, read as a whole with options by their names."""

from cc_rapids.data.files.input_file import ColumnRequest, format_of
from cc_rapids.data.files.read import read_wanted
from cc_rapids.data.text_options import TextOptions


def read_edges(
    path,
    *,
    source=None,
    destination=None,
    format=None,
    weights=False,
    weight=None,
    on_progress=None,
    **text,
):
    """Return the EdgeFile of a path."""
    kind = "" if format is None else format_of(str(path), format)
    options = TextOptions.of(text)
    request = ColumnRequest(source, destination, kind, options, weights, weight)
    return read_wanted(path, request, on_progress)
