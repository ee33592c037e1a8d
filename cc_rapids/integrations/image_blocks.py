"""Label images in blocks, which Dask loads one after another.

A first pass labels each block and keeps only the labels at its faces. Labels that touch across a
face are joined. Components are numbered in the order of their first pixels. When Dask computes the
result, a second pass labels each block again, and replaces its labels by the numbers of components.
No pass holds the whole image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..algorithms.pixels import Joined
from ..backends import Array
from ..errors import InputError
from ..incremental.connectivity import Connectivity
from .images import labels_of

# The position of a block in the grid of blocks, or of a pixel; or a step between two positions
Position = tuple[int, ...]
Face = tuple[Array, Array]  # the labels and the values of the first or last pixels along an axis


@dataclass(frozen=True)
class Summary:
    """The first pixels of the labels of a block, and the pixels at its faces."""

    # (count,): the position in the image of the first pixel of each label, in raster order
    first: npt.NDArray[np.int64]
    faces: list[tuple[Face, Face]]  # the first and the last pixels along each axis

    @classmethod
    def of(cls, block: Any, joined: Joined, start: Position, shape: Position) -> Summary:
        """Label a block, and return its summary.

        ``start`` is the position of the block's first pixel in an image of shape ``shape``.
        """
        labels, block, backend = labels_of(block, joined)
        # Labels are in raster order, so the first pixel of a label exceeds all labels before it
        running_max = np.maximum.accumulate(backend.to_host(labels).ravel())
        first_pixels = np.flatnonzero(np.diff(running_max, prepend=0))
        positions = np.unravel_index(first_pixels, labels.shape)
        first_positions = np.ravel_multi_index(
            tuple(inside + begin for inside, begin in zip(positions, start, strict=True)), shape
        )

        def face(axis: int, end: int) -> Face:
            at_end = (slice(None),) * axis + (end,)
            side = backend.to_host(labels[at_end]).copy()  # a view would keep the whole block
            # values are compared only if pixels are joined by value
            return side, backend.to_host(block[at_end]).copy() if joined.by_value else side

        return cls(
            first_positions, [(face(axis, 0), face(axis, -1)) for axis in range(labels.ndim)]
        )

    def side(self, step: Position) -> Face:
        """Return the labels and values of the pixels at the block's side in direction ``step``."""
        axis = next(axis for axis, delta in enumerate(step) if delta)
        index = tuple(_index_along(delta) for delta in (*step[:axis], *step[axis + 1 :]))
        labels, values = self.faces[axis][step[axis] > 0]
        return labels[index], values[index]


def _index_along(delta: int) -> Any:
    """Return the index of the pixels of a block that are next to the block ``delta`` away."""
    if not delta:
        return slice(None)
    return 0 if delta < 0 else -1


def label_blocks(image: Any, joined: Joined, dtype: Any) -> tuple[Any, int]:
    """Label a Dask array; return the labels as a Dask array of ``dtype``, and their number.

    The blocks are arrays of NumPy or CuPy. They are loaded here, and again when the labels are
    computed.
    """
    import dask.array as da
    from dask import compute, delayed
    from dask.array.utils import meta_from_array

    if np.isnan(image.shape).any():
        raise InputError("a chunk has an unknown size: call compute_chunk_sizes() first")
    chunks = tuple(tuple(size for size in sizes if size) for sizes in image.chunks)
    image = image.rechunk(chunks)  # without empty chunks, because pixels do not touch across them
    starts = [np.cumsum([0, *sizes]).tolist() for sizes in chunks]
    blocks, summarise = image.to_delayed(), delayed(Summary.of, pure=False)
    merge = Merge(joined)
    # Only one layer of blocks along the first axis at a time, so that few faces are in memory
    for _, positions in groupby(np.ndindex(blocks.shape), key=lambda position: position[0]):
        layer = list(positions)
        tasks = []
        for position in layer:
            start = tuple(along[k] for along, k in zip(starts, position, strict=True))
            tasks.append(summarise(blocks[position], joined, start, image.shape))
        merge.add(dict(zip(layer, compute(*tasks), strict=True)))
    numbers, count = merge.numbers()
    relabelled, meta = np.empty(blocks.shape, object), meta_from_array(image, dtype=dtype)
    replace = delayed(_relabel, pure=False)
    for position, (begin, end) in merge.labels.items():
        block = replace(blocks[position], joined, numbers[begin:end], dtype)
        shape = tuple(sizes[k] for sizes, k in zip(chunks, position, strict=True))
        relabelled[position] = da.from_delayed(block, shape, dtype, meta)
    return da.block(relabelled.tolist()), count


def _relabel(block: Any, joined: Joined, numbers: npt.NDArray[np.int64], dtype: Any) -> Array:
    """Label a block, and return the number of the component of each pixel.

    ``numbers`` are the numbers of the components of its labels 1, 2, ...
    """
    labels, _, backend = labels_of(block, joined)
    table = np.concatenate([[0], numbers]).astype(dtype)
    return backend.asarray(table)[labels]


class Merge:
    """The components of the labels of all blocks, which are added layer by layer."""

    def __init__(self, joined: Joined) -> None:
        self.joined = joined
        self.count: int = 0  # the number of labels so far
        # for each block, the range of its labels among the labels of all blocks
        self.labels: dict[Position, tuple[int, int]] = {}
        self.first: list[npt.NDArray[np.int64]] = []
        self.touching: Connectivity = Connectivity(engine="threads")
        self._near: dict[Position, Summary] = {}  # the blocks of this layer and of the layer before

    def add(self, layer: dict[Position, Summary]) -> None:
        """Add the blocks with one position on the first axis, in raster order."""
        self._near = self._near | layer
        for position, summary in layer.items():
            begin, self.count = self.count, self.count + summary.first.size
            self.labels[position] = begin, self.count
            self.first.append(summary.first)
            for step in product((-1, 0, 1), repeat=len(position)):
                neighbour = tuple(at + delta for at, delta in zip(position, step, strict=True))
                # Only neighbours that precede the block, so each pair of blocks is joined once
                if step < (0,) * len(position) and neighbour in self._near:
                    self._join(position, neighbour, step)
        self._near = layer

    def _join(self, position: Position, neighbour: Position, step: Position) -> None:
        """Join the labels of two neighbouring blocks where their pixels touch.

        ``step`` leads from ``position`` to ``neighbour``.
        """
        (labels, values), (other_labels, other_values) = (
            self._near[position].side(step),
            self._near[neighbour].side(tuple(-delta for delta in step)),
        )
        for here, there in self._touching(step, labels.shape):
            is_labelled = (labels[here] != 0) & (other_labels[there] != 0)
            if self.joined.by_value:
                is_labelled &= values[here] == other_values[there]
            pairs = np.stack([labels[here][is_labelled], other_labels[there][is_labelled]])
            if pairs.size:
                # Labels of a block begin at 1, which is the first label in the range of the block
                pairs = np.unique(pairs.astype(np.int64), axis=1) - 1
                first_label, other_first_label = self.labels[position][0], self.labels[neighbour][0]
                self.touching.insert((pairs[0] + first_label, pairs[1] + other_first_label))

    def _touching(self, step: Position, shape: Position) -> Iterator[tuple[Any, Any]]:
        """Yield pairs of indices of two sides, at which their pixels are joined neighbours.

        ``step`` leads from one block to the other, and ``shape`` is the shape of their sides. There
        is a pair for each neighbour of the structure in this direction.
        """
        choices = [(delta,) if delta else (-1, 0, 1) for delta in step]
        for offset in product(*choices):
            if not self.joined.structure[tuple(delta + 1 for delta in offset)]:
                continue
            # Along the other axes, the sides overlap where both a pixel and its neighbour exist
            deltas_along = [delta for delta, fixed in zip(offset, step, strict=True) if not fixed]
            sizes = list(zip(deltas_along, shape, strict=True))
            here = tuple(slice(max(-delta, 0), size - max(delta, 0)) for delta, size in sizes)
            there = tuple(slice(max(delta, 0), size - max(-delta, 0)) for delta, size in sizes)
            yield here, there

    def numbers(self) -> tuple[npt.NDArray[np.int64], int]:
        """Return the number of each label in the whole image, and the number of components.

        Components are numbered from 1 in the order of their first pixels.
        """
        first_pixel = np.concatenate([np.empty(0, np.int64), *self.first])
        root = np.arange(first_pixel.size)
        if len(self.touching):
            vertex, label = map(np.asarray, self.touching.components().labels())
            root[vertex] = label
            # The first pixel of a root becomes the first pixel of its whole component
            np.minimum.at(first_pixel, label, first_pixel[vertex])
        roots = np.flatnonzero(root == np.arange(root.size))
        number_of_root = np.empty(root.size, np.int64)
        number_of_root[roots[np.argsort(first_pixel[roots])]] = np.arange(1, roots.size + 1)
        return number_of_root[root], int(roots.size)
