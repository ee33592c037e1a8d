"""Label the connected pixels of an image of any number of axes.

The pixels of 32 columns are packed into the bits of a word. A run of joined pixels in a row is one
vertex of a union-find, so the trees take memory for each run and not for each pixel. Runs of
neighbouring rows are linked where their bits touch. The root of a tree is its first run in raster
order, and the labels number the roots in this order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from ..backends import Array, Backend
from ..data.dtypes import is_boolean, is_integer, is_signed
from ..graph.forest import running_sums
from ..kernels import find, pixels, union
from ..kernels import forest as trees
from ..kernels.primitives import WORD

WIDE = 1 << 32  # for this number of pixels or more, runs have 64-bit numbers


@dataclass(frozen=True)
class Joined:
    """The neighbours that are joined.

    ``structure``, of shape (3, ..., 3), is True for the neighbours that are joined with the pixel
    in the centre. It is symmetric about the centre. If ``by_value``, only pixels of equal values
    are joined, and ``background`` is the value of the background; otherwise this value is 0.
    """

    structure: npt.NDArray[np.bool_]
    by_value: bool = False
    background: int = 0


def label_pixels(
    image: Array, joined: Joined, dtype: Any, backend: Backend, out: Array | None = None
) -> tuple[Array, int]:
    """Number the components of an image in raster order of their first pixels.

    Parameters
    ----------
    image : (n,), (m, n), ... array of numbers
        An image with at least one axis and one pixel. Copied only if it is not C-contiguous.
    out : C-contiguous array of ``dtype`` with the shape of the image, optional
        The array that receives the labels. It may be the image itself.

    Returns
    -------
    labels : array of ``dtype`` with the shape of the image
        0 for the background, and 1, 2, ... for the components.
    count : int
    """
    shape = image.shape
    flat = backend.asarray(backend.xp.ascontiguousarray(image).reshape(-1))
    background = bits_of(joined.background, flat.dtype)
    if is_boolean(flat.dtype) or is_signed(flat.dtype):  # kernels are compiled for fewer types
        flat = flat.view(f"u{flat.itemsize}")
    # axes of length 1 are left out, together with the neighbours along these axes
    axes = [axis for axis in range(image.ndim) if shape[axis] > 1] or [image.ndim - 1]
    structure = joined.structure[tuple(slice(None) if a in axes else 1 for a in range(image.ndim))]
    grid = Grid.of([shape[axis] for axis in axes], structure, backend)
    labels = backend.empty(flat.size, dtype) if out is None else out.reshape(-1)
    count = grid.label(flat, joined.by_value, background, labels)
    return labels.reshape(shape), count


def bits_of(value: int, dtype: Any) -> int | None:
    """Return a pixel value as kernels compare it: its unsigned bits in ``dtype``, as an int64.

    Return None if the value does not fit. If ``dtype`` is not a type of integers, return the value.
    """
    if not is_integer(dtype):
        return value
    limits = np.iinfo(dtype)
    if not limits.min <= value <= limits.max:
        return None
    bits = value % (1 << limits.bits)
    return bits - (1 << 64) if bits >= 1 << 63 else bits


@dataclass(frozen=True)
class Grid:
    """The rows of an image, and the earlier rows that each row is joined with."""

    rows: int  # the number of rows
    width: int  # the number of pixels in a row
    words: int  # the number of words of 32 pixels in a row
    in_row: bool  # whether neighbours in a row are joined
    # ``shape``, ``distance``, ``beyond`` and ``columns`` of kernels.pixels.link_rows
    neighbourhood: tuple[Array, ...]
    backend: Backend

    @classmethod
    def of(cls, shape: list[int], structure: npt.NDArray[np.bool_], backend: Backend) -> Grid:
        """Return the rows of an image of this shape, with the rows that ``structure`` joins.

        A row is a line along the last axis. Of two neighbouring rows, only the later row lists the
        other row.
        """
        *leading, width = shape
        strides = [math.prod(leading[k + 1 :]) for k in range(len(leading))]
        distance, beyond, columns = [], [], []
        for steps in product((-1, 0, 1), repeat=len(leading)):
            neighbours = structure[tuple(step + 1 for step in steps)]
            is_earlier = steps < (0,) * len(leading)  # the first step that is not 0 leads back
            if not is_earlier or not neighbours.any():
                continue
            distance.append(-sum(map(mul, strides, steps)))
            # the end of each axis at which the step leaves the image; axis 0 is the last
            axis_ends = [2 * k + (step > 0) for k, step in enumerate(steps[::-1]) if step]
            beyond.append(sum(1 << end for end in axis_ends))
            columns.append(int(neighbours @ [pixels.LEFT, pixels.SAME, pixels.RIGHT]))  # bit set
        arrays = (
            np.array(leading[::-1], np.int64),
            np.array(distance, np.int64),
            np.array(beyond, np.uint64),
            np.array(columns, np.uint8),
        )
        rows = math.prod(leading)
        in_row = bool(structure[(1,) * len(leading)][0])
        on_device = tuple(map(backend.asarray, arrays))
        return cls(rows, width, -(-width // WORD), in_row, on_device, backend)

    @property
    def vertex_type(self) -> Any:
        """The unsigned type of run numbers; at most one run starts at each bit of the words."""
        return np.uint32 if WORD * self.rows * self.words < WIDE else np.uint64

    def label(self, flat: Array, by_value: bool, background: int | None, labels: Array) -> int:
        """Write the label of each pixel, and return the number of components.

        ``flat`` has the values of the pixels, row after row. If ``by_value``, only pixels of equal
        values are joined. If ``background`` is None, no pixel is background; otherwise pixels of
        this value are or, if not ``by_value``, pixels of value 0. ``labels`` is the output.
        """
        backend, vertex = self.backend, self.vertex_type
        are_joined = pixels.if_equal if by_value else pixels.always
        inside, starts, before = self._runs(flat, by_value, background, are_joined)
        bits = inside, starts, before
        runs = int(backend.to_host(before[-1:])[0])
        parent = backend.empty(runs + 1, vertex)  # vertex 0 is the background
        backend.kernel(trees.init_singletons, vertex)(parent.size, parent)
        _, distance, *_ = self.neighbourhood
        if distance.size:  # rows are joined with earlier rows
            link = backend.kernel(union.asynchronous, vertex, backend.kernel(find.halve))
            link_rows = backend.kernel(pixels.link_rows, vertex, link, backend.kernel(are_joined))
            values = flat if by_value else backend.unused(np.uint8)
            sizes = self.rows * self.words, self.width, self.words
            link_rows(*sizes, *self.neighbourhood, values, *bits, parent)
        count = self._number(parent, labels)
        self._write(bits, parent, labels)
        return count

    def _runs(
        self, flat: Array, by_value: bool, background: int | None, are_joined: Any
    ) -> tuple[Array, Array, Array]:
        """Return a bit set of pixels, a bit set of the first pixel of each run, and counts of runs.

        The pixels are those outside the background. Counts are of the runs before each word, and
        then of all runs. ``are_joined`` makes the device function that returns whether two
        neighbours are joined; the other parameters are those of :meth:`label`.
        """
        backend, words = self.backend, self.rows * self.words
        inside, starts = (backend.empty(words, np.uint32) for _ in range(2))
        before = backend.empty(words + 1, self.vertex_type)
        is_inside = pixels.is_other if by_value else pixels.is_nonzero
        if background is None:
            is_inside, background = pixels.always, 0
        continues = backend.kernel(are_joined if self.in_row else pixels.never)
        pack = backend.kernel(pixels.pack, backend.kernel(is_inside), continues)
        pack(words, self.width, self.words, flat, background, inside, starts, before)
        running_sums(backend, before)
        return inside, starts, before

    def _write(self, bits: tuple[Array, ...], parent: Array, labels: Array) -> None:
        """Write the label of each pixel; ``parent`` has that of each run, ``bits`` are the runs."""
        backend = self.backend
        address = labels.ctypes.data if isinstance(labels, np.ndarray) else labels.data.ptr
        # A GPU is faster if one store writes two 32-bit labels, at an address divisible by 8.
        are_pairs = labels.itemsize == WORD // 8 and address % 8 == 0
        if backend.warp_size > 1 and self.width == WORD * self.words and are_pairs:
            write_pairs = backend.kernel(pixels.write_label_pairs)
            write_pairs(labels.size // 2, *bits, parent, labels.view(np.uint64))
        else:
            write, words = backend.kernel(pixels.write_labels), self.rows * self.words
            threads = words * backend.warp_size  # a warp writes the labels of a word of pixels
            write(threads, self.width, self.words, *bits, parent, labels)

    def _number(self, parent: Array, labels: Array) -> int:
        """Replace the parent of each run by its label, and return the number of components.

        The number of roots up to each run is counted in the memory of ``labels``, if it fits.
        """
        backend, n, vertex = self.backend, parent.size, parent.dtype.type
        fits = labels.nbytes >= parent.nbytes and labels.itemsize % parent.itemsize == 0
        roots = labels.view(vertex)[:n] if fits else backend.empty(n, vertex)
        climb = backend.kernel(find.with_prefetch, backend.kernel(find.find_with_skip))
        backend.kernel(pixels.mark_roots, vertex, climb)(n, parent, roots)
        running_sums(backend, roots)
        backend.kernel(pixels.number_runs, vertex)(n, parent, roots)
        return int(backend.to_host(roots[-1:])[0]) - 1  # without vertex 0, the background
