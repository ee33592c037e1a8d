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

    # (count,): the raster position in the image of the first pixel of the labels 1, 2, ...
    first: npt.NDArray[np.int64]
    faces: list[tuple[Face, Face]]  # the first and the last pixels along each axis

    @classmethod
    def of(cls, block: Any, joined: Joined, start: Position, shape: Position) -> Summary:
        """Label a block, and return its summary.

        ``start`` is the position of the block's first pixel in an image of shape ``shape``.
        """
        labels, block, backend = labels_of(block, joined)
        # Labels are numbered in raster order, so their maximum grows at the first pixel of a label
        running_max = np.maximum.accumulate(backend.to_host(labels).ravel())
        first_in_block = np.flatnonzero(np.diff(running_max, prepend=0))
        coordinates = np.unravel_index(first_in_block, labels.shape)
        in_image = tuple(along + begin for along, begin in zip(coordinates, start, strict=True))
        first = np.ravel_multi_index(in_image, shape)

        def face(axis: int, end: int) -> Face:
            at_end = (slice(None),) * axis + (end,)
            labels_at_end = backend.to_host(labels[at_end]).copy()  # a view would keep the block
            if not joined.by_value:  # then values are not compared
                return labels_at_end, labels_at_end
            return labels_at_end, backend.to_host(block[at_end]).copy()

        return cls(first, [(face(axis, 0), face(axis, -1)) for axis in range(labels.ndim)])

    def side(self, step: Position) -> Face:
        """Return labels and values of the pixels next to the block that is ``step`` away."""
        axis = next(axis for axis, delta in enumerate(step) if delta)
        end_towards = {-1: 0, 0: slice(None), 1: -1}
        index = tuple(end_towards[delta] for delta in (*step[:axis], *step[axis + 1 :]))
        first_face, last_face = self.faces[axis]
        labels, values = first_face if step[axis] < 0 else last_face
        return labels[index], values[index]


def label_blocks(image: Any, joined: Joined, dtype: Any) -> tuple[Any, int]:
    """Label a Dask array; return the labels as a Dask array of ``dtype``, and their number.

    The blocks are arrays of NumPy or CuPy, loaded here and again when the labels are computed.
    """
    import dask.array as da
    from dask import compute, delayed
    from dask.array.utils import meta_from_array

    if np.isnan(image.shape).any():
        raise InputError("a chunk has an unknown size: call compute_chunk_sizes() first")
    chunks = tuple(tuple(size for size in sizes if size) for sizes in image.chunks)
    image = image.rechunk(chunks)  # without empty chunks, because pixels do not touch across them
    starts = [np.cumsum([0, *sizes]).tolist() for sizes in chunks]  # of blocks, along each axis
    blocks, summarise = image.to_delayed(), delayed(Summary.of, pure=False)
    merge = Merge(joined)
    # One layer (the blocks at one position on axis 0) at a time, so that few faces are in memory
    for _, positions in groupby(np.ndindex(blocks.shape), key=lambda position: position[0]):
        layer = list(positions)
        tasks = []
        for position in layer:
            start = tuple(starts[axis][k] for axis, k in enumerate(position))
            tasks.append(summarise(blocks[position], joined, start, image.shape))
        merge.add(dict(zip(layer, compute(*tasks), strict=True)))
    numbers, count = merge.numbers()  # numbers[begin:end] are those of the labels of one block
    relabelled, meta = np.empty(blocks.shape, object), meta_from_array(image, dtype=dtype)
    replace = delayed(_relabel, pure=False)
    for position, (begin, end) in merge.labels.items():
        block = replace(blocks[position], joined, numbers[begin:end], dtype)
        shape = tuple(chunks[axis][k] for axis, k in enumerate(position))
        relabelled[position] = da.from_delayed(block, shape, dtype, meta)
    return da.block(relabelled.tolist()), count


def _relabel(block: Any, joined: Joined, numbers: npt.NDArray[np.int64], dtype: Any) -> Array:
    """Label a block, and return the number of the component of each pixel.

    ``numbers`` are the components of the block's labels 1, 2, ...
    """
    labels, _, backend = labels_of(block, joined)
    number_of_label = np.concatenate([[0], numbers]).astype(dtype)
    return backend.asarray(number_of_label)[labels]


class Merge:
    """The components of the labels of all blocks, which are added layer by layer."""

    def __init__(self, joined: Joined) -> None:
        self.joined = joined
        self.count: int = 0  # the number of labels so far
        # the labels of all blocks are numbered from 0: for each block, the range of its labels
        self.labels: dict[Position, tuple[int, int]] = {}
        self.first: list[npt.NDArray[np.int64]] = []  # Summary.first of each block
        self.connected_labels: Connectivity = Connectivity(engine="threads")
        self._near: dict[Position, Summary] = {}  # the blocks of this layer and of the layer before

    def add(self, layer: dict[Position, Summary]) -> None:
        """Add a layer of blocks, in raster order."""
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
        labels, values = self._near[position].side(step)
        step_back = tuple(-delta for delta in step)
        other_labels, other_values = self._near[neighbour].side(step_back)
        for here, there in self._overlaps(step, labels.shape):
            is_labelled = (labels[here] != 0) & (other_labels[there] != 0)
            if self.joined.by_value:
                is_labelled &= values[here] == other_values[there]
            pairs = np.stack([labels[here][is_labelled], other_labels[there][is_labelled]])
            if pairs.size:
                # Label 1 of a block is the first label in the range of the block
                pairs = np.unique(pairs.astype(np.int64), axis=1) - 1
                begin, other_begin = self.labels[position][0], self.labels[neighbour][0]
                self.connected_labels.insert((pairs[0] + begin, pairs[1] + other_begin))

    def _overlaps(self, step: Position, shape: Position) -> Iterator[tuple[Any, Any]]:
        """Yield pairs of indices, of pixels of a block and of their neighbours one ``step`` away.

        The first index applies to the side of the block in direction ``step``, the second to the
        opposite side of the next block, both of this ``shape``. There is a pair for each neighbour
        of the structure in this direction.
        """
        choices = [(delta,) if delta else (-1, 0, 1) for delta in step]
        for offset in product(*choices):
            if not self.joined.structure[tuple(delta + 1 for delta in offset)]:
                continue
            # Along the axes of the sides, the pixel at p has its neighbour at p + delta
            deltas = [delta for delta, towards in zip(offset, step, strict=True) if not towards]
            sizes = list(zip(deltas, shape, strict=True))
            here = tuple(slice(max(-delta, 0), size - max(delta, 0)) for delta, size in sizes)
            there = tuple(slice(max(delta, 0), size - max(-delta, 0)) for delta, size in sizes)
            yield here, there

    def numbers(self) -> tuple[npt.NDArray[np.int64], int]:
        """Return the number of the component of each label, and the number of components.

        Components are numbered from 1 in the order of their first pixels.
        """
        first_pixel = np.concatenate([np.empty(0, np.int64), *self.first])
        root = np.arange(first_pixel.size)  # of each label
        if len(self.connected_labels):
            label, label_root = map(np.asarray, self.connected_labels.components().labels())
            root[label] = label_root
            # The first pixel of a root becomes the first pixel of its whole component
            np.minimum.at(first_pixel, label_root, first_pixel[label])
        roots = np.flatnonzero(root == np.arange(root.size))
        roots_in_order = roots[np.argsort(first_pixel[roots])]
        number_of_root = np.empty(root.size, np.int64)
        number_of_root[roots_in_order] = np.arange(1, roots.size + 1)
        return number_of_root[root], int(roots.size)
