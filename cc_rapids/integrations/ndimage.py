"""Label images as :func:`scipy.ndimage.label` does; see :mod:`cc_rapids.ndimage`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import backends
from ..algorithms.pixels import Joined, label_pixels
from ..backends import Array, Backend
from ..data.arguments import as_array
from ..data.dtypes import is_boolean, is_complex, is_float, is_number
from ..errors import ArgumentTypeError, ImageError, shown
from .images import backend_of, in_chunks, label_type, neighbourhood, readable


def label(input: Any, structure: Any = None, output: Any = None) -> Any:
    """Label the connected pixels of an image, as :func:`scipy.ndimage.label` does.

    Parameters
    ----------
    input : array_like of numbers or bool, of NumPy, CuPy, Dask or Zarr, of any number of axes
        The image. Pixels other than 0 are labelled, including NaN. The image is copied only if it
        is not C-contiguous. The chunks of a Dask array are read twice: now, to find out which
        labels touch across chunks, and when the labels are computed. Arrays of Zarr and h5py are
        read as Dask arrays, so Dask must be installed.
    structure : array_like of shape (3, ..., 3), optional
        Which neighbours are connected with the pixel in the centre. It must be symmetric about
        its centre. By default, pixels are connected along each axis, but not diagonally.
    output : dtype, or array with the shape of the input, optional
        The type of the labels, or an array for the labels, which may be the input. For a Dask
        array, ``output`` must be a type. By default the labels are int32, or int64 for an image of
        2^31 - 2 pixels or more.

    Returns
    -------
    labels : array with the shape of the input
        0 for the background, and 1, 2, ... for the components in raster order. The array is of the
        library of the input. It is not returned if ``output`` is an array.
    num_features : int
        The number of components.

    Raises
    ------
    ImageError
        The input is a file name, a generator or None; the structure is not of this shape or not
        symmetric; the output has another shape, or its type has too few bits. The error is also of
        the type that SciPy raises.
    ArgumentTypeError
        The image is complex, or not of numbers.

    See Also
    --------
    cc_rapids.measure.label : Connect pixels of equal values, as scikit-image does.
    scipy.ndimage.label : The function of SciPy.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.array([[1, 1, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])
    >>> labels, count = label(image)
    >>> count
    3
    >>> labels
    array([[1, 1, 0, 2],
           [0, 1, 0, 0],
           [0, 0, 3, 0]], dtype=int32)
    >>> label(image, structure=np.ones((3, 3)))[1]
    2
    """
    if (chunked := in_chunks(input)) is not None:
        return _label_blocks(chunked, structure, output)
    backend, image = backend_of(input)
    is_numeric = is_number(image.dtype) or is_boolean(image.dtype) or is_complex(image.dtype)
    if not image.ndim and not is_numeric:  # such as a file name, which NumPy makes an array of
        raise ImageError(
            f"input is {shown(input)}, not an image: pass an array, or a dask array, whose blocks"
            " are read one after another"
        )
    joined = Joined(_structure(structure, image))
    writes_to_output = isinstance(output, backend.xp.ndarray)
    if writes_to_output and output.shape != image.shape:
        raise ImageError("output shape not correct")
    labels = output if writes_to_output else backend.xp.empty(image.shape, _dtype_of(output, image))
    if not image.ndim or not image.size:  # one pixel, or none: there are no neighbours
        count = int(image.ndim == 0 and _is_nonzero(image))
        labels[...] = count
    else:
        count = _write(image, joined, labels, backend)
    return count if writes_to_output else (labels, count)


def _dtype_of(output: Any, image: Any) -> Any:
    """Return the type of the labels of an image if ``output`` is a type or None."""
    if output is None:
        return label_type(image)
    try:
        return np.dtype(output)
    except Exception as error:  # NumPy raises errors of many types
        raise ArgumentTypeError(f"output= is {shown(output)}, not a type ({error})") from error


def _is_nonzero(pixel: Array) -> bool:
    """Return whether an image without axes is not 0."""
    try:
        return bool(pixel != 0)
    except Exception as error:  # the comparison of an object may raise any error
        raise ArgumentTypeError(f"the image is {shown(pixel[()])}, not a number") from error


def _label_blocks(image: Any, structure: Any, output: Any) -> tuple[Any, int]:
    """Return the labels of a Dask array as a Dask array, and their number."""
    import dask.array as da

    from .image_blocks import label_blocks

    if not image.ndim or not image.size:  # one pixel, or none: there are no blocks to merge
        labels, count = label(image.compute(), structure, output)
        return da.from_array(labels), count
    joined = Joined(_structure(structure, image))
    dtype = _dtype_of(output, image)
    labels, count = label_blocks(image, joined, dtype)
    _check_depth(dtype, count)  # the number of components is known only now
    return labels, count


def _structure(structure: Any, image: Array) -> npt.NDArray[np.bool_]:
    """Return the structure as an array of bool; raise SciPy's errors, also for a complex image."""
    if is_complex(image.dtype):
        raise ArgumentTypeError("Complex type not supported")
    if structure is None:
        return neighbourhood(image.ndim, 1)
    if hasattr(structure, "__cuda_array_interface__"):
        structure = backends.get("cuda").xp.asarray(structure).get()
    checked: npt.NDArray[np.bool_] = as_array("structure=", structure, bool)
    if checked.ndim != image.ndim:
        raise ImageError("structure and input must have equal rank")
    if checked.shape != (3,) * image.ndim:
        raise ImageError("structure dimensions must be equal to 3")
    if image.size and not (checked == np.flip(checked)).all():  # SciPy accepts it without pixels
        raise ImageError("Structuring element is not symmetric")
    return checked


def _write(image: Array, joined: Joined, out: Array, backend: Backend) -> int:
    """Write the labels of an image to an array of any type, and return their number.

    As in SciPy, a NumPy image is numbered by lines along the axis of least stride in the output.
    """
    image, default_type = readable(image), label_type(image)
    if not is_number(out.dtype) and not is_boolean(out.dtype):
        raise ArgumentTypeError(f"labels are numbers and do not fit into {out.dtype}")
    if not backend.on_device:
        if not out.flags.writeable:
            raise ImageError("output is read-only")
        axis = _scanned_axis(out)
        image, out = np.moveaxis(image, axis, -1), np.moveaxis(np.asarray(out), axis, -1)
        joined = Joined(np.moveaxis(joined.structure, axis, -1))
        # SciPy writes the numbers themselves into the bytes of a bool output
        if is_boolean(out.dtype):
            out = out.view(np.uint8)
    with backend.scope():
        # Kernels write labels directly only to a C-contiguous array of the default type or int64
        if out.flags.c_contiguous and out.dtype in (default_type, np.int64):
            return label_pixels(image, joined, out.dtype, backend, out)[1]
        labels, count = label_pixels(image, joined, default_type, backend)
        _check_depth(out.dtype, count)
        out[...] = labels
    return count


def _check_depth(dtype: Any, count: int) -> None:
    """Raise an error unless a type represents all numbers to ``count``; accept bool as in SciPy."""
    if is_boolean(dtype):
        return
    # Floats represent all integers up to 2^(bits of the mantissa + 1)
    greatest = 1 << (np.finfo(dtype).nmant + 1) if is_float(dtype) else np.iinfo(dtype).max
    if count > greatest:
        raise ImageError("insufficient bit-depth in requested output type")


def _scanned_axis(array: npt.NDArray[Any]) -> int:
    """Return the first axis with the least positive stride, as NumPy's iterator chooses it."""
    best_axis, least_stride = 0, next((stride for stride in array.strides if stride), 0)
    for axis, stride in enumerate(array.strides):
        if 0 < stride < least_stride:
            best_axis, least_stride = axis, stride
    return best_axis
