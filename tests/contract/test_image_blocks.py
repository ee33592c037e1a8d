"""Labels of Dask arrays, block by block: those of the whole image."""

import sys

import dask
import numpy as np
import pytest

import cc_rapids
from cc_rapids.integrations import image_blocks

da = pytest.importorskip("dask.array")


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def chunks_of(random, shape):
    """Return random chunks. Some are empty."""
    cuts = (np.sort(random.integers(0, n + 1, random.integers(0, 4))) for n in shape)
    return tuple(tuple(np.diff([0, *cut, n]).tolist()) for cut, n in zip(cuts, shape, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_labels_are_those_of_the_whole(seed):
    random = np.random.default_rng(seed)
    for axes in (1, 2, 3, 4)[: 4 if seed else 3]:
        shape = tuple(random.integers(1, 12 if axes < 4 else 7, axes).tolist())
        image = random.integers(0, 3, shape) * random.integers(0, 2, shape)
        structure = random.random((3,) * axes) < random.random()
        structure |= np.flip(structure)
        blocks = da.from_array(image, chunks_of(random, shape))
        for function, argument in (
            (cc_rapids.ndimage.label, {"structure": structure}),
            (cc_rapids.ndimage.label, {"output": np.int16}),
            (cc_rapids.measure.label, {"return_num": True, "background": 1}),
            (cc_rapids.measure.label, {"return_num": True, "connectivity": 1}),
        ):
            expected, most = function(image, **argument)
            labels, count = function(blocks, **argument)
            assert (count, labels.dtype, labels.shape) == (most, expected.dtype, shape)
            np.testing.assert_array_equal(labels.compute(), expected)


def test_bool_and_columns_are_those_of_the_whole():
    image = np.array([[[2], [1], [1]], [[1], [0], [2]]])
    for given in (image, image > 0):
        expected = cc_rapids.measure.label(given, connectivity=1)
        labels = cc_rapids.measure.label(da.from_array(given, (1, 2, 1)), connectivity=1)
        assert labels.dtype == expected.dtype
        np.testing.assert_array_equal(labels.compute(), expected)


def test_only_faces_are_kept_of_a_block(monkeypatch):
    """No more blocks are loaded at once than Dask runs, and each of them twice."""
    loaded, kept = [], []

    def block(block_info=None):
        loaded.append(block_info[None]["chunk-location"])
        return np.ones(block_info[None]["chunk-shape"], np.uint8)

    of = image_blocks.Summary.of
    monkeypatch.setattr(
        image_blocks.Summary, "of", lambda *given: kept.append(of(*given)) or kept[-1]
    )
    image = da.map_blocks(block, chunks=((8, 8), (8, 8)), dtype=np.uint8, meta=np.empty((0, 0)))
    labels, count = cc_rapids.ndimage.label(image)
    assert (count, len(loaded)) == (1, 4)
    assert labels.max().compute() == 1
    assert len(loaded) == 8
    faces = [array for summary in kept for pair in summary.faces for face in pair for array in face]
    assert all(array.base is None and array.size == 8 for array in faces)


class Stored:
    """An array in chunks that is read by slices, like those of Zarr and h5py."""

    chunks = (3, 2)

    def __init__(self, pixels):
        self.pixels, self.read = pixels, 0
        self.shape, self.ndim, self.dtype = pixels.shape, pixels.ndim, pixels.dtype

    def __getitem__(self, at):
        part = self.pixels[at]
        self.read = max(self.read, part.size)
        return part


def test_stored_arrays_are_read_by_their_chunks(monkeypatch):
    pixels = (np.random.default_rng(0).random((10, 9)) < 0.6).astype(np.uint8)
    for function in (cc_rapids.ndimage.label, cc_rapids.measure.label):
        stored = Stored(pixels)
        labels = function(stored)
        labels = labels[0] if isinstance(labels, tuple) else labels
        expected = function(pixels)
        expected = expected[0] if isinstance(expected, tuple) else expected
        np.testing.assert_array_equal(labels.compute(), expected)
        assert stored.read < pixels.size
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(cc_rapids.MissingExtraError, match="Dask reads images in chunks"):
        cc_rapids.ndimage.label(Stored(pixels))


def test_arguments_that_blocks_do_not_take():
    image = da.ones((4, 4), chunks=2)
    with pytest.raises(RuntimeError, match="bit-depth"):
        cc_rapids.ndimage.label(da.from_array(np.arange(400) % 2, 100), output=np.int8)
    with pytest.raises(TypeError):
        cc_rapids.ndimage.label(image, output=np.zeros((4, 4), int))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        cc_rapids.ndimage.label(image[image > 0])
    with pytest.raises(TypeError, match="Complex"):
        cc_rapids.ndimage.label(image.astype(complex))
    labels, count = cc_rapids.ndimage.label(da.zeros((0, 3)))
    assert (labels.shape, count) == ((0, 3), 0)
    labels, count = cc_rapids.ndimage.label(da.ones(()))
    assert (int(labels.compute()), count) == (1, 1)
