"""Connected components of edges in Ray datasets, by merging one forest per block.

The functions use the cluster that ``ray.init`` has started or joined and need no other setup. If
Ray is not installed, each name of this module raises an ImportError that says how to install it.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["DistributedProgress", "RayComponents", "components"]

try:
    from .incremental.progress import DistributedProgress
    from .integrations.ray.api import RayComponents, components
except ModuleNotFoundError as _error:
    from .errors import missing_extra

    __getattr__: Callable[[str], Any] = missing_extra("ray", _error, __all__)
