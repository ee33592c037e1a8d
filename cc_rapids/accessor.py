"""Register the accessor ``.cc`` on pandas, cuDF and Polars frames on import."""

from __future__ import annotations

import importlib
import importlib.util

from .integrations.accessor import NAME, Accessor
from .integrations.lazy import LazyAccessor

__all__ = ["Accessor", "LazyAccessor", "register"]

#: For each library, the module and the function that register an accessor on frames.
LIBRARIES = {
    "pandas": ("pandas.api.extensions", "register_dataframe_accessor"),
    "cudf": ("cudf.api.extensions", "register_dataframe_accessor"),
    "polars": ("polars.api", "register_dataframe_namespace"),
}


def register() -> list[str]:
    """Register the accessor on frames of the installed libraries among pandas, cuDF and Polars.

    Polars lazy frames get an accessor whose methods return lazy frames. Repeated calls are safe.

    Returns
    -------
    list of str
        The libraries whose frames have the accessor.

    See Also
    --------
    Accessor : The attribute ``cc`` of frames.
    """
    registered = []
    for library, (module, function) in LIBRARIES.items():
        if importlib.util.find_spec(library) is None:
            continue
        extensions = importlib.import_module(module)
        frames = importlib.import_module(library)
        if not hasattr(frames.DataFrame, NAME):
            getattr(extensions, function)(NAME)(Accessor)
        if library == "polars" and not hasattr(frames.LazyFrame, NAME):
            extensions.register_lazyframe_namespace(NAME)(LazyAccessor)
        registered.append(library)
    return registered


register()
