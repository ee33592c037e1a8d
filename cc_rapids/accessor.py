"""``import cc_rapids.accessor`` gives pandas, cuDF and Polars frames the accessor ``.cc``."""

from __future__ import annotations

import importlib
import importlib.util

from .integrations.accessor import NAME, Accessor
from .integrations.lazy import LazyAccessor

__all__ = ["Accessor", "LazyAccessor", "register"]

#: By library, the module that registers accessors, and its function for frames.
LIBRARIES = {
    "pandas": ("pandas.api.extensions", "register_dataframe_accessor"),
    "cudf": ("cudf.api.extensions", "register_dataframe_accessor"),
    "polars": ("polars.api", "register_dataframe_namespace"),
}


def register() -> list[str]:
    """Register the accessor on frames of pandas, cuDF and Polars, as far as they are installed.

    Lazy frames of Polars have it, too, and answer with lazy frames.

    Returns
    -------
    list of str
        The libraries whose frames have the accessor. A second call changes nothing.

    See Also
    --------
    Accessor : The attribute ``cc`` of frames.
    """
    done = []
    for library, (module, function) in LIBRARIES.items():
        if importlib.util.find_spec(library) is None:
            continue
        extensions = importlib.import_module(module)
        frames = importlib.import_module(library)
        if not hasattr(frames.DataFrame, NAME):
            getattr(extensions, function)(NAME)(Accessor)
        if library == "polars" and not hasattr(frames.LazyFrame, NAME):
            extensions.register_lazyframe_namespace(NAME)(LazyAccessor)
        done.append(library)
    return done


register()
