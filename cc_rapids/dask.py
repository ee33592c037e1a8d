"""Components of edge lists that Dask spreads over workers, in dask or dask_cudf frames.

Nothing is set up but the cluster itself: a ``distributed.Client`` that is connected is all it
takes. Without Dask, the import says how to get it.
"""

try:
    from .interfaces.dask_answer import DaskComponents
    from .interfaces.dask_api import components
    from .interfaces.dask_cluster import local_gpus
    from .interfaces.dask_cugraph import weakly_connected_components
    from .interfaces.dask_progress import DaskProgress
except ModuleNotFoundError as error:
    raise ImportError(
        f"cc_rapids.dask needs {error.name}, which is not installed: pip install"
        " 'cc_rapids[dask]', and dask-cudf and dask-cuda for frames on GPUs",
        name=error.name,
    ) from error

__all__ = [
    "DaskComponents",
    "DaskProgress",
    "components",
    "local_gpus",
    "weakly_connected_components",
]
