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

MIN_INT64_PIXELS = (1 << 31) - 2  # SciPy labels images of at least this size as int64
# The types of pixels that kernels read
NATIVE = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


def neighbourhood(axes: int, connectivity: Any) -> npt.NDArray[np.bool_]:
    """Return the neighbours that a pixel is connected with, as a (3, ..., 3) array of bool.

    A neighbour is true if it differs from the centre along at most ``connectivity`` axes.
    """
    axes_that_differ = np.abs(np.indices((3,) * axes) - 1).sum(axis=0)
    return np.asarray(axes_that_differ <= connectivity)


def is_dask_array(image: Any) -> bool:
    """Return whether an image is a Dask array, without importing Dask."""
    return hasattr(image, "__dask_graph__") and hasattr(image, "rechunk")


def in_chunks(image: Any) -> Any:
    """Return an image of Dask, Zarr or h5py in chunks as a Dask array; None for other images."""
    if is_dask_array(image):
        return image
    chunks = getattr(image, "chunks", None)  # Zarr and h5py: the shape of a chunk
    if not (isinstance(chunks, tuple) and chunks and all(isinstance(size, int) for size in chunks)):
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
    return np.dtype(np.int64 if image.size >= MIN_INT64_PIXELS else np.int32)


def readable(image: Array) -> Array:
    """Return the image if kernels read its type, otherwise a bool array of its nonzero pixels."""
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
