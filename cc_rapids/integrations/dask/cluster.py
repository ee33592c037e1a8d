"""Start a Dask cluster with one worker process for each GPU of this machine."""

from __future__ import annotations

import logging
import os
import subprocess
from importlib.util import find_spec
from typing import Any

from distributed import Nanny, Scheduler, SpecCluster

from ...errors import EngineError

log: logging.Logger = logging.getLogger(__name__)


def local_gpus(gpus: int | list[int] | None = None, **options: Any) -> Any:
    """Start one worker for each GPU of this machine.

    If dask-cuda is installed, its ``LocalCUDACluster`` is started. Otherwise one plain worker
    process is started for each GPU. The process sees only this GPU (``CUDA_VISIBLE_DEVICES``).
    Plain workers send frames to each other through host memory.

    Parameters
    ----------
    gpus : int or list of int, optional
        The number of GPUs, or a list of GPUs; by default all GPUs.
    **options
        Options of dask-cuda's cluster, such as ``rmm_pool_size`` or ``protocol="ucx"``. If
        dask-cuda is not installed, options of each worker (``distributed.Nanny``).

    Returns
    -------
    cluster
        The cluster, for ``distributed.Client(cluster)``. Close the cluster, or use it as a context.

    Raises
    ------
    EngineError
        There is no GPU.

    See Also
    --------
    cc_rapids.dask.components : Find components on the workers.

    Examples
    --------
    >>> import cc_rapids.dask
    >>> with cc_rapids.dask.local_gpus() as cluster, Client(cluster):  # doctest: +SKIP
    ...     found = cc_rapids.dask.components(dask_cudf.read_parquet("edges/*.parquet"))
    """
    gpu_ids = gpus if isinstance(gpus, list) else visible_gpus()[:gpus]
    if not gpu_ids:
        raise EngineError(
            "no NVIDIA GPU was found (see CUDA_VISIBLE_DEVICES, nvidia-smi): use"
            " distributed.LocalCluster() to run on CPU threads"
        )
    if find_spec("dask_cuda"):
        from dask_cuda import LocalCUDACluster

        return LocalCUDACluster(CUDA_VISIBLE_DEVICES=gpu_ids, **options)
    log.info("dask-cuda is not installed: starting one plain process per GPU")
    return plain_cluster(gpu_ids, **options)


def plain_cluster(gpus: list[Any], **options: Any) -> Any:
    """Start one worker for each given GPU, without dask-cuda; ``options`` are those of Nanny."""
    defaults: dict[str, Any] = {"nthreads": 1, "memory_limit": 0, "dashboard_address": None}
    workers = {}
    for index, gpu in enumerate(gpus):
        environment = {"CUDA_VISIBLE_DEVICES": str(gpu)}
        workers[index] = {"cls": Nanny, "options": defaults | {"env": environment} | options}
    scheduler = {"cls": Scheduler, "options": {"dashboard_address": ":0", "port": 0}}
    return SpecCluster(workers=workers, scheduler=scheduler, name="cc_rapids")


def visible_gpus() -> list[Any]:
    """Return the GPUs that this process may use, without creating a CUDA context."""
    environment = os.environ.get("CUDA_VISIBLE_DEVICES")
    if environment is not None:
        return [gpu.strip() for gpu in environment.split(",") if gpu.strip()]
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return list(range(sum(line.startswith("GPU ") for line in listed.stdout.splitlines())))
