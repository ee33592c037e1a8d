"""Connected components of edges in Ray datasets, by merging one forest per block.

The functions use the cluster that ``ray.init`` has started or joined and need no other setup. If
Ray is not installed, the ImportError says how to install it.
"""

try:
    from .incremental.progress import DistributedProgress
    from .integrations.ray.api import RayComponents, components
except ModuleNotFoundError as error:
    from .errors import install_advice

    raise ImportError(
        f"cc_rapids.ray needs {error.name}, which is not installed: {install_advice('ray')}",
        name=error.name,
    ) from error

__all__ = ["DistributedProgress", "RayComponents", "components"]
