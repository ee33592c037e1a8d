"""Prove the labels of an image, without the kernels that computed them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ...data.arguments import as_array, check_flag
from ...errors import ArgumentTypeError, InputError, VerificationError, shown
from .certificate import unreached
from .columns import Indices


def certify_image(
    labels: npt.ArrayLike,
    image: npt.ArrayLike,
    structure: npt.ArrayLike | None = None,
    *,
    by_value: bool = False,
    background: Any = 0,
) -> None:
    """Prove the labels of :func:`cc_rapids.ndimage.label` or :func:`cc_rapids.measure.label`.

    Connected pixels must have the same label, and pixels of the same label must be connected. The
    background must have label 0. The components must be numbered 1, 2, ... in the raster order of
    their first pixels.

    Parameters
    ----------
    labels : array of integers
        The labels to check.
    image : array of numbers or bool, with the shape of the labels
        The image.
    structure : array of bool, of shape (3, ..., 3), optional
        Whether the pixel in the centre is connected with each neighbour; symmetric about the
        centre. By default, it is connected with all neighbours if ``by_value`` is True, and
        otherwise with the neighbours along the axes.
    by_value : bool
        Whether only pixels of equal values are connected.
    background : number
        The value of the background.

    Raises
    ------
    VerificationError
        The labels are wrong. The error names the first pixels that prove it.
    InputError
        An argument cannot be used.

    See Also
    --------
    cc_rapids.oracle.certify : Prove the labels of vertices.

    Notes
    -----
    The pairs of connected pixels are listed in memory. As in :func:`certify`, a breadth-first
    search then proves that pixels of the same label are connected.

    Examples
    --------
    >>> certify_image([1, 0, 2], [7, 0, 7])
    >>> certify_image([1, 0, 1], [7, 0, 7])
    Traceback (most recent call last):
        ...
    cc_rapids.errors.VerificationError: pixels (0) and (2) of label 1 are not connected
    """
    values, label = as_array("image=", image), as_array("labels=", labels)
    by_value = check_flag("by_value", by_value)
    if not isinstance(background, int | float | np.number):
        raise ArgumentTypeError(f"background= is {shown(background)}, not a number")
    if label.shape != values.shape:
        raise VerificationError(f"labels of shape {label.shape} for an image of {values.shape}")

    def position(pixel: int) -> str:
        return f"({', '.join(map(str, np.unravel_index(pixel, values.shape)))})"

    inside = (values != background).ravel()
    wrong = np.flatnonzero((label.ravel() != 0) != inside)
    if wrong.size:
        p = int(wrong[0])
        what = "not background" if inside[p] else "background"
        raise VerificationError(f"pixel {position(p)} is {what}, but its label is {label.flat[p]}")
    steps = _steps(structure, values.ndim, by_value)
    src, dst = _connected(inside.reshape(values.shape), steps)
    if by_value:
        equal = values.ravel()[src] == values.ravel()[dst]
        src, dst = src[equal], dst[equal]
    flat = label.ravel()
    split = np.flatnonzero(flat[src] != flat[dst])
    if split.size:
        p, q = int(dst[split[0]]), int(src[split[0]])
        advice = ""
        if not by_value and values.flat[p] != values.flat[q]:
            advice = ": pass by_value=True for labels of equal values"
        raise VerificationError(
            f"pixels {position(p)} and {position(q)} are connected, but have the labels"
            f" {flat[p]} and {flat[q]}{advice}"
        )
    # label each pixel by the first pixel with its label, and each background pixel by itself
    numbers, first, label_rank = np.unique(label, return_index=True, return_inverse=True)
    first_pixel = np.where(inside, first[label_rank.ravel()], np.arange(label.size))
    p = unreached(src, dst, first_pixel)
    if p >= 0:
        q = int(first_pixel[p])
        advice = ""
        if by_value and values.flat[p] != values.flat[q]:
            advice = ": leave out by_value=True for labels of all pixels that are not background"
        raise VerificationError(
            f"pixels {position(q)} and {position(p)} of label {flat[p]} are not connected{advice}"
        )
    numbers, first = numbers[numbers != 0], first[numbers != 0]
    if (numbers != np.arange(1, numbers.size + 1)).any() or (np.diff(first) < 0).any():
        raise VerificationError("the labels are not 1, 2, ... in raster order")


def _steps(structure: Any, axes: int, by_value: bool) -> list[tuple[int, ...]]:
    """Return the steps to connected neighbours, one of each two opposite steps."""
    steps = [step for step in product((-1, 0, 1), repeat=axes) if step < (0,) * axes]
    if structure is None:  # all neighbours by value, otherwise those along the axes
        return [step for step in steps if by_value or np.count_nonzero(step) == 1]
    joined = as_array("structure=", structure, bool)
    if joined.shape != (3,) * axes:
        raise InputError(f"structure= has shape {joined.shape}, not {(3,) * axes}")
    if (joined != np.flip(joined)).any():
        raise InputError("structure= is not symmetric about its centre")
    return [step for step in steps if joined[tuple(s + 1 for s in step)]]


def _connected(inside: Any, steps: list[tuple[int, ...]]) -> tuple[Indices, Indices]:
    """Return both pixels of each pair of ``inside`` pixels that are one of ``steps`` apart."""
    pixel = np.arange(inside.size).reshape(inside.shape)
    # the empty arrays give the type of the result if there is no step
    sides: tuple[list[Any], list[Any]] = ([pixel.ravel()[:0]], [pixel.ravel()[:0]])
    for step in steps:  # from the pixels ``here`` to the neighbours ``there``
        shifts = list(zip(step, inside.shape, strict=True))
        here = tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in shifts)
        there = tuple(slice(max(s, 0), n - max(-s, 0)) for s, n in shifts)
        both = inside[here] & inside[there]
        sides[0].append(pixel[here][both])
        sides[1].append(pixel[there][both])
    return np.concatenate(sides[0]), np.concatenate(sides[1])
