"""Small data sets in the package, for examples and notebooks.

>>> from cc_rapids import datasets
>>> words = datasets.word_ladders("pyarrow")
>>> words.num_rows, words.column_names
(51604, ['word', 'neighbour'])
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

from ..errors import InputError, MissingExtraError, unknown
from ..keywords import suggest_keywords

__all__ = ["licences", "measurements", "word_ladders"]

LIBRARIES = "cudf", "pandas", "polars", "pyarrow"
MEASURED = "designs", "main_job", "networkx"


@suggest_keywords
def word_ladders(frames: str | None = None) -> Any:
    """Return pairs of English words that differ in exactly one letter, each pair once.

    The 51,604 pairs are read from a file in the package into a new frame.

    Parameters
    ----------
    frames : {"cudf", "pandas", "polars", "pyarrow"}, optional
        The library of the frame; by default that of :func:`cc_rapids.frame_library`.

    Returns
    -------
    frame
        The columns ``word`` and ``neighbour``, both strings without nulls, sorted by pair. Of each
        pair, the column ``word`` has the word that comes first in the alphabet.

    Raises
    ------
    InputError
        There is no such library.
    MissingExtraError
        The library is not installed.

    See Also
    --------
    cc_rapids.components : Find the groups of words that ladders connect.
    cc_rapids.frame_library : Return the library that is used by default.

    Notes
    -----
    The words are those of Debian's ``wamerican``, which is made from SCOWL, copyright 2000-2011 by
    Kevin Atkinson and others. The notices are in ``LICENCE-wamerican.txt`` in the same folder.

    Examples
    --------
    >>> import cc_rapids
    >>> words = cc_rapids.datasets.word_ladders("pandas")
    >>> islands = cc_rapids.components(words, source="word", destination="neighbour")
    >>> len(islands)
    6019
    """
    return _frame("word_ladders", frames)


@suggest_keywords
def licences(frames: str | None = None) -> Any:
    """Return the licences of the SPDX licence list 3.27, one row per web page of a licence.

    The 933 rows of 699 licences are read from a file in the package into a new frame.

    Parameters
    ----------
    frames : {"cudf", "pandas", "polars", "pyarrow"}, optional
        The library of the frame; by default that of :func:`cc_rapids.frame_library`.

    Returns
    -------
    frame
        The columns ``licence`` (the identifier of the licence), ``name``, ``deprecated`` (bool) and
        ``url`` (an empty string if a licence has no page), without nulls.

    Raises
    ------
    InputError
        There is no such library.
    MissingExtraError
        The library is not installed.

    See Also
    --------
    cc_rapids.link_records : Find the licences that share a page or a name.

    Notes
    -----
    The list is in the public domain (CC0 1.0).

    Examples
    --------
    >>> import cc_rapids
    >>> rows = cc_rapids.datasets.licences("pandas")
    >>> len(cc_rapids.link_records(rows, keys=["url", "name"], id="licence"))
    632
    """
    return _frame("spdx_licences", frames)


@suggest_keywords
def measurements(name: str, frames: str | None = None) -> Any:
    """Return measured times that the documentation shows.

    The times are read from a file in the package into a new frame. The notebooks draw these times.

    Parameters
    ----------
    name : {"designs", "main_job", "networkx"}
        "designs": the time of each design on each reference graph on a GPU, and the time of some
        designs on smaller graphs on CPU threads. "main_job": the time from frame to labels, with
        the time of cuGraph. "networkx": the speed-up of the backend for NetworkX.
    frames : {"cudf", "pandas", "polars", "pyarrow"}, optional
        The library of the frame; by default that of :func:`cc_rapids.frame_library`.

    Returns
    -------
    frame
        One row per case, with the ``device`` and ``date`` of the measurement. Columns whose names
        end in ``ms`` are median times in milliseconds.

    Raises
    ------
    InputError
        There is no such data set, or no such library.
    MissingExtraError
        The library is not installed.

    See Also
    --------
    cc_rapids.plots.times : Draw the times of ``"main_job"`` with the limits of the card.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.datasets.measurements("main_job", "pyarrow")["graph"].unique().to_pylist()
    ['kron21', 'social22', 'road', 'uniform25M', 'rmat24']
    """
    if name not in MEASURED:
        raise InputError(unknown("measurements", name, MEASURED))
    return _frame(f"measured_{name}", frames)


def _frame(name: str, frames: str | None) -> Any:
    """Read a file of the package as a frame; empty numbers are null, empty strings are not."""
    from pyarrow import csv

    with files(__name__).joinpath(f"{name}.csv").open("rb") as file:
        table = csv.read_csv(file, convert_options=csv.ConvertOptions(null_values=[""]))
    if frames is None:
        from ..tools.frame_library import frame_library

        frames = frame_library().__name__
    if frames not in LIBRARIES:
        raise InputError(unknown("frames", frames, LIBRARIES))
    if frames == "pyarrow":
        return table
    try:
        library = import_module(frames)
    except ImportError as error:
        raise MissingExtraError(
            f"frames={frames!r} needs {frames}, which is not installed ({error}): install it, or"
            " pass frames='pyarrow', which comes with cc_rapids"
        ) from None
    if frames == "pandas":
        return table.to_pandas()
    return library.from_arrow(table) if frames == "polars" else library.DataFrame.from_arrow(table)
