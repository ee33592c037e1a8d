"""Components of Ray datasets, by the same forests as on a Dask cluster.

Nothing is set up but Ray itself: a cluster that ``ray.init`` has started or connected to is all it
takes. Without Ray, the import says how to get it.
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
