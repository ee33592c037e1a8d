"""The accessor ``cc`` of pandas and cuDF frames; importing this file registers it.

>>> import pandas as pd, cc_rapids.accessor
>>> edges = pd.DataFrame({"a": [5, 2, 9], "b": [2, 7, 9]})
>>> edges.cc.labels("a", "b")
   vertex  labels
0       2       2
1       5       2
2       7       2
3       9       9
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from ..api import components
from ..results.components import Components

NAME = "cc"


class Accessor:
    """Connected components of a frame that is an edge list.

    Parameters
    ----------
    frame : pandas.DataFrame or cudf.DataFrame
        The edge list; an AttributeError is raised if it has fewer than two columns.

    See Also
    --------
    cc_rapids.accessor.register : Put it on the frames of pandas and cuDF.
    cc_rapids.components : The function behind it.
    """

    def __init__(self, frame: Any) -> None:
        if len(frame.columns) < 2:
            raise AttributeError(
                f"an edge list needs two columns of ids, but this frame has {len(frame.columns)}:"
                f" .{NAME} does not apply"
            )
        self._frame = frame

    def components(
        self, source: str = "src", destination: str = "dst", **options: Any
    ) -> Components:
        """Find the components of the frame, with the options of :func:`cc_rapids.components`.

        Parameters
        ----------
        source, destination : str, or list of as many str on each side, optional
            The columns, as for :func:`cc_rapids.components`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        Components
            Or the plan, with ``explain=True``.

        See Also
        --------
        Accessor.labels : The label frame at once.
        """
        found: Components = components(self._frame, source, destination, **options)
        return found

    def labels(self, source: str = "src", destination: str = "dst", **options: Any) -> Any:
        """Return the label frame: columns ``vertex`` and ``labels``.

        The plan, with ``explain=True``.

        Parameters
        ----------
        source, destination : str, or list of as many str on each side, optional
            The columns, as for :func:`cc_rapids.components`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        frame of the same library
            As :meth:`Components.labels` returns it.

        See Also
        --------
        Accessor.sizes : The size of each component.
        Accessor.components : The whole answer.
        """
        found = self.components(source, destination, **options)
        return found if options.get("explain") else found.labels()

    def sizes(self, source: str = "src", destination: str = "dst", **options: Any) -> Any:
        """Return the size of each component, the largest first: columns ``labels`` and ``size``.

        With ``explain=True`` the plan.

        Parameters
        ----------
        source, destination : str, or list of as many str on each side, optional
            The columns, as for :func:`cc_rapids.components`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        frame of the same library
            As :meth:`Components.sizes` returns it.

        See Also
        --------
        Accessor.labels : The component of each vertex.
        Accessor.components : The whole answer.
        """
        found = self.components(source, destination, **options)
        return found if options.get("explain") else found.sizes()


def register() -> list[str]:
    """Register the accessor on the frames of pandas and cuDF, as far as they are installed.

    Returns
    -------
    list of str
        The libraries whose frames have the accessor. A second call changes nothing.

    See Also
    --------
    Accessor : The attribute ``cc`` of frames.
    """
    done = []
    for library in ("pandas", "cudf"):
        if importlib.util.find_spec(library) is None:
            continue
        extensions = importlib.import_module(f"{library}.api.extensions")
        frame = importlib.import_module(library).DataFrame
        if not hasattr(frame, NAME):
            extensions.register_dataframe_accessor(NAME)(Accessor)
        done.append(library)
    return done
