"""Images of NumPy, CuPy and Dask, and their labels, for the functions of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import backends
from ..algorithms.pixels import Joined, label_pixels
from ..backends import Array, Backend
from ..data.arguments import as_array
from ..data.dtypes import is_boolean, is_number
from ..errors import ArgumentTypeError, MissingExtraError

MOST_INT32 = (1 << 31) - 2  # pixels from which SciPy's labels are int64
NATIVE = [
    "b1",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f4",
    "f8",
]  # types of pixels that kernels read


def neighbourhood(axes: int, connectivity: Any) -> npt.NDArray[np.bool_]:
    """Return the structure of the neighbours that at most ``connectivity`` axes separate."""
    steps = np.abs(np.indices((3,) * axes) - 1).sum(axis=0) if axes else np.zeros(())
    return np.asarray(steps <= connectivity)


def is_dask_array(image: Any) -> bool:
    """Return whether an image is a Dask array, without importing Dask."""
    return hasattr(image, "__dask_graph__") and hasattr(image, "rechunk")


def in_chunks(image: Any) -> Any:
    """Return the Dask array of an image in chunks, as of Dask, Zarr or h5py; None for others.

    Raises
    ------
    MissingExtraError
        The image is not of Dask, and Dask is not installed.
    """
    if is_dask_array(image):
        return image
    chunks = getattr(image, "chunks", None)
    if not (isinstance(chunks, tuple) and chunks and all(isinstance(one, int) for one in chunks)):
        return None
    try:
        import dask.array as da
    except ImportError as error:
        raise MissingExtraError(
            "Dask reads images in chunks, but is not installed: pip install 'dask[array]', or pass"
            " an array that holds the whole image, such as image[:]"
        ) from error
    return da.from_array(image, chunks=chunks)


def backend_of(image: Any) -> tuple[Backend, Array]:
    """Return the backend for an image, and the image as an array of its library."""
    if hasattr(image, "__cuda_array_interface__"):
        backend = backends.get("cuda")
        return backend, backend.xp.asarray(image)
    return backends.get("threads"), as_array("the image", image)


def label_type(image: Any) -> Any:
    """Return the type of labels that SciPy chooses for an image."""
    return np.dtype(np.int64 if image.size >= MOST_INT32 else np.int32)


def readable(image: Array) -> Array:
    """Return an image of a type that kernels read: the image, or whether its pixels are not 0."""
    if not is_number(image.dtype) and not is_boolean(image.dtype):
        raise ArgumentTypeError(f"an image of {image.dtype}, not of numbers, cannot be labelled")
    native = image.dtype in NATIVE and image.dtype.isnative
    return image if native else image != 0


def labels_of(image: Any, joined: Joined) -> tuple[Array, Array, Backend]:
    """Return the labels of an image, the image as an array, and its backend."""
    backend, image = backend_of(image)
    with backend.scope():
        labels, _ = label_pixels(readable(image), joined, label_type(image), backend)
    return labels, image, backend
