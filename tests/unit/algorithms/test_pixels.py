"""Labels of pixels on each engine, against SciPy's."""

import math

import numpy as np
import pytest
from scipy import ndimage
from support import fake_gpu
from support.machine import SIMULATED

from cc_rapids import backends, oracle
from cc_rapids.algorithms import pixels
from cc_rapids.algorithms.pixels import Joined, label_pixels
from cc_rapids.integrations.images import label_type, neighbourhood
from cc_rapids.measure import label as measure_label
from cc_rapids.ndimage import label as ndimage_label

SHAPES = [(1,), (70,), (3, 1), (5, 33), (2, 3, 34), (2, 3, 64), (3, 1, 1, 2), (2, 2, 3, 5)]


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_labels_are_those_of_scipy(on, shape, wide, monkeypatch):
    if wide:
        monkeypatch.setattr(pixels, "WIDE", 0)
    random = np.random.default_rng(len(shape))
    for _ in range(2 if SIMULATED else 8):
        image = random.random(shape) < random.choice([0.3, 0.6, 0.9])
        structure = random.random((3,) * len(shape)) < random.random()
        structure |= np.flip(structure)
        labels, count = label_pixels(on.asarray(image), Joined(structure), np.int32, on)
        expected, most = ndimage.label(image, structure)
        np.testing.assert_array_equal(on.to_host(labels), expected)
        assert count == most


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_labels_of_equal_values(on, shape):
    random = np.random.default_rng(len(shape))
    for connectivity in (1, len(shape)):
        image = random.integers(0, 3, shape, np.uint8)
        structure = neighbourhood(len(shape), connectivity)
        joined = Joined(structure, True, 2)
        labels = label_pixels(on.asarray(image), joined, np.int64, on)[0]
        oracle.certify_image(on.to_host(labels), image, structure, by_value=True, background=2)


def test_positions_beyond_32_bits_have_64_bits():
    for width, vertex in ((2**32 - 32, np.uint32), (2**32, np.uint64)):
        grid = pixels.Grid(1, width, width // 32, True, (), backends.get("threads"))
        assert grid.vertex_type is vertex


def test_labels_are_of_64_bits_where_those_of_scipy_are():
    for pixels_of_image, expected in ((2**31 - 3, np.int32), (2**31 - 2, np.int64)):
        image = np.broadcast_to(np.uint8(1), (pixels_of_image,))
        assert label_type(image) == expected


def test_memory_is_3_bits_for_each_pixel_and_4_bytes_for_each_run(monkeypatch):
    image, on = np.random.default_rng(0).random((1024, 1024)) < 0.5, backends.get("threads")
    allocate, taken = on.empty, []

    def empty(n, dtype):
        taken.append(n * np.dtype(dtype).itemsize)
        return allocate(n, dtype)

    monkeypatch.setattr(on, "empty", empty)
    out = np.empty(image.shape, np.int32)
    label_pixels(image, Joined(neighbourhood(2, 2)), np.int32, on, out)
    runs = int((np.diff(image.astype(int), axis=1, prepend=0) > 0).sum())
    expected = 3 * image.size / 8 + 4 * runs
    assert expected < sum(taken) < 1.05 * expected


def test_neighbourhoods_are_those_of_scipy():
    for axes in range(5):
        for connectivity in range(1, axes + 1):
            expected = ndimage.generate_binary_structure(axes, connectivity)
            np.testing.assert_array_equal(neighbourhood(axes, connectivity), expected)


def test_arrays_of_a_device_stay_there(monkeypatch):
    """The backend of GPUs itself: the host reads the number of runs and of components alone."""
    image = np.random.default_rng(0).random((3, 5, 40)) < 0.4
    expected, most = ndimage.label(image)
    with fake_gpu.installed() as gpu:
        array = fake_gpu.Array
        monkeypatch.setattr(array, "__cuda_array_interface__", {}, raising=False)
        monkeypatch.setattr(
            gpu.xp, "empty", lambda shape, dtype: array((math.prod(shape),), dtype).reshape(shape)
        )
        given = image.view(array)
        fake_gpu.Driver.calls.clear()
        labels, count = ndimage_label(given)
        assert fake_gpu.Driver.calls.count("wait") == 2
        assert isinstance(labels, array)
        assert (labels.dtype, count) == (np.int32, most)
        np.testing.assert_array_equal(labels, expected)
        for output in (np.int64, np.uint8):
            np.testing.assert_array_equal(ndimage_label(given, output=output)[0], expected)
        marks = ndimage_label(given, output=bool)[0]  # as CuPy converts them
        np.testing.assert_array_equal(np.asarray(marks), image)
        made = np.zeros((40, 5, 3), np.int32).T.view(array)
        assert ndimage_label(given, output=made) == most
        np.testing.assert_array_equal(made, expected)  # in raster order, as CuPy numbers them
        values = measure_label((image * 2).astype(np.uint8).view(array), connectivity=1)
        assert (type(values), values.dtype) == (array, np.int64)
        np.testing.assert_array_equal(values, expected)
