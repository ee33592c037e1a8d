"""Label images as ``skimage.measure.label`` does; see :mod:`cc_rapids.measure`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..algorithms.pixels import Joined, label_pixels
from ..data.arguments import check_flag
from ..data.dtypes import is_float, is_integer
from ..errors import ArgumentTypeError, ImageError, counted, inflected, shown
from ..results.lookup import warn
from .images import backend_of, in_chunks, is_dask_array, neighbourhood
from .ndimage import label as label_nonzero


def label(
    label_image: Any,
    background: Any = None,
    return_num: bool = False,
    connectivity: int | None = None,
) -> Any:
    """Label the connected pixels of equal values, as ``skimage.measure.label`` does.

    Parameters
    ----------
    label_image : array of integers or bool, of NumPy, CuPy, Dask or Zarr, of any number of axes
        The image. Floats are truncated to int64 first, as in scikit-image. The image is copied only
        if it is not C-contiguous. For Dask arrays, see :func:`cc_rapids.ndimage.label`.
    background : int, optional
        The value of the background, 0 by default. If the type of the image cannot represent this
        value, no pixel is background. In an image of bool, False is the background unless
        ``background`` is 1.
    return_num : bool
        Whether to return the number of components as well.
    connectivity : int, optional
        The maximum number of axes along which two neighbours may differ. 1 connects neighbours
        along an axis. The default, the number of axes, also connects all diagonal neighbours.

    Returns
    -------
    labels : array with the shape of the image
        0 for the background, and 1, 2, ... for the components in raster order. The type is int64,
        or int32 for an image of bool with fewer than 2^31 - 2 pixels. The array is of the library
        of the image.
    num : int
        The number of components; returned only if ``return_num`` is true.

    Raises
    ------
    ImageError
        The connectivity is not an integer between 1 and the number of axes, or the background is
        not an integer of 64 bits.
    ArgumentTypeError
        The image is not an array of numbers, or another argument is of a wrong type.

    Warns
    -----
    CcRapidsWarning
        No integer of type int64 represents some pixels, such as NaN.

    See Also
    --------
    cc_rapids.ndimage.label : Connect all pixels other than 0, as SciPy does.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.array([[1, 1, 0, 5], [5, 1, 0, 0], [0, 0, 1, 0]])
    >>> label(image)
    array([[1, 1, 0, 2],
           [3, 1, 0, 0],
           [0, 0, 1, 0]])
    >>> label(image, connectivity=1, return_num=True)[1]
    4
    """
    if not hasattr(label_image, "dtype"):
        raise ArgumentTypeError(f"label_image is {shown(label_image)}, not an array")
    return_num = check_flag("return_num", return_num)
    chunked = in_chunks(label_image)
    image = backend_of(label_image)[1] if chunked is None else chunked
    axes = image.ndim
    if not axes and image.dtype == object:  # such as a sparse matrix
        raise ArgumentTypeError(f"label_image is {shown(label_image)}, not an array")
    max_axes = axes if connectivity is None else _integer("connectivity", connectivity)
    if not 1 <= max_axes <= axes:
        raise ImageError(
            f"Connectivity for {axes}D image should be in [1, ..., {axes}]. Got {max_axes}."
        )
    structure = neighbourhood(axes, max_axes)
    background_value = 0 if background is None else _integer("background", background)
    if not -(1 << 63) <= background_value < 1 << 64:
        raise ImageError(f"background= is {shown(background)}, which has more than 64 bits")
    if image.dtype == bool:
        labels, count = label_nonzero(~image if background_value == 1 else image, structure)
    else:
        labels, count = _label_values(image, background_value, structure)
    return (labels, count) if return_num else labels


def _integer(name: str, value: Any) -> int:
    """Return an argument as an int; raise an error unless it is an integer."""
    if not isinstance(value, int | float | np.integer | np.floating | np.bool_):
        raise ArgumentTypeError(f"{name}= is {shown(value)}, not an integer")
    if value != value // 1:  # a fraction, infinity or NaN
        raise ImageError(f"{name}= is {shown(value)}, not an integer")
    return int(value)


def _to_integers(image: Any) -> Any:
    """Return an image truncated to int64; warn of pixels that no integer represents."""
    unrepresentable = 0
    with np.errstate(invalid="ignore", over="ignore"):
        if is_float(image.dtype):
            unrepresentable = image.size - int(((image >= -(2.0**63)) & (image < 2.0**63)).sum())
        integers = image.astype(np.int64)
    if unrepresentable:
        warn(
            f"{counted(unrepresentable, 'pixel')} {inflected(unrepresentable, 'is', 'are')} NaN or"
            " beyond int64, and the integers for them depend on the machine: replace them first, as"
            " by numpy.nan_to_num"
        )
    return integers


def _label_values(image: Any, background: int, structure: npt.NDArray[np.bool_]) -> tuple[Any, int]:
    """Label the connected pixels of equal value; return the labels and the number of components.

    Pixels of ``background`` have the label 0. Pixels of other types than integers are truncated to
    int64 first. As in scikit-image, an image of shape (m, n, 1), m, n > 1, is numbered by column.
    """
    if is_integer(image.dtype):
        image = image if image.dtype.isnative else image.astype(image.dtype.newbyteorder("="))
    else:
        try:
            if is_dask_array(image):
                image = image.map_blocks(_to_integers, dtype=np.int64)
            else:
                image = _to_integers(image)
        except (TypeError, ValueError) as error:
            raise ArgumentTypeError(
                f"pixels of {image.dtype} are not integers ({error})"
            ) from error
    if not image.size:
        return image.astype(np.int64), 0
    by_column = image.ndim == 3 and image.shape[2] == 1 and min(image.shape[:2]) > 1
    if by_column:
        image = image.swapaxes(0, 2)
    joined, dtype = Joined(structure, by_value=True, background=background), np.dtype(np.int64)
    if is_dask_array(image):
        from .image_blocks import label_blocks

        labels, count = label_blocks(image, joined, dtype)
    else:
        backend = backend_of(image)[0]
        with backend.scope():
            labels, count = label_pixels(image, joined, dtype, backend)
    return labels.swapaxes(0, 2) if by_column else labels, count
