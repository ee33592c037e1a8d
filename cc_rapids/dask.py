"""Connected components of edge lists in Dask or dask_cudf frames.

The functions use the connected ``distributed.Client`` and need no other setup. If Dask is not
installed, the ImportError says how to install it.
"""

try:
    from .integrations.dask.api import DaskComponents, components, weakly_connected_components
    from .integrations.dask.cluster import local_gpus
    from .integrations.dask.tasks import DaskProgress
except ModuleNotFoundError as error:
    from .errors import install_advice

    raise ImportError(
        f"cc_rapids.dask needs {error.name}, which is not installed: {install_advice('dask')};"
        " and dask-cudf and dask-cuda for frames on GPUs",
        name=error.name,
    ) from error

__all__ = [
    "DaskComponents",
    "DaskProgress",
    "components",
    "local_gpus",
    "weakly_connected_components",
]
