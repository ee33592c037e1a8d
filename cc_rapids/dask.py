"""Connected components of edge lists in Dask or dask_cudf frames.

The functions use the connected ``distributed.Client`` and need no other setup. If Dask is not
installed, each name of this module raises an ImportError that says how to install it.
"""

from collections.abc import Callable
from typing import Any

__all__ = [
    "DaskComponents",
    "DaskProgress",
    "components",
    "local_gpus",
    "weakly_connected_components",
]

try:
    from .integrations.dask.api import DaskComponents, components, weakly_connected_components
    from .integrations.dask.cluster import local_gpus
    from .integrations.dask.tasks import DaskProgress
except ModuleNotFoundError as _error:
    from .errors import missing_extra

    _more = "; and dask-cudf and dask-cuda for frames on GPUs"
    __getattr__: Callable[[str], Any] = missing_extra("dask", _error, __all__, _more)
