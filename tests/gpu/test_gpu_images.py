"""Labels of CuPy arrays: those of SciPy and of threads, and they stay on the device."""

import numpy as np
import pytest
from scipy import ndimage

import cc_rapids
from cc_rapids import oracle

pytestmark = pytest.mark.gpu

SHAPES = [(7,), (1000,), (64, 257), (30, 40, 50), (3, 4, 5, 70)]


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


@pytest.mark.parametrize("dtype", ["b1", "u1", "i2", "u4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_labels_are_those_of_scipy(cupy, shape, dtype):
    image = (np.random.default_rng(0).random(shape) < 0.5).astype(dtype)
    for connectivity in {1, len(shape)}:
        structure = ndimage.generate_binary_structure(len(shape), connectivity)
        expected, most = ndimage.label(image != 0, structure)
        labels, count = cc_rapids.ndimage.label(cupy.asarray(image), structure)
        assert isinstance(labels, cupy.ndarray)
        assert (labels.dtype, count, type(count)) == (np.int32, most, int)
        np.testing.assert_array_equal(labels.get(), expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_labels_are_those_of_cupy(cupy, shape):
    from cupyx.scipy.ndimage import label

    image = cupy.random.default_rng(1).random(shape) < 0.6
    for given in (image, image[..., ::2], cupy.asfortranarray(image), image.astype(np.int16)):
        for output in (None, np.int64, np.uint16, np.float32):
            labels, count = cc_rapids.ndimage.label(given, output=output)
            expected, most = label(given, output=output)
            assert (labels.dtype, count) == (expected.dtype, int(most))
            assert (labels == expected).all()
        made = cupy.zeros(given.shape, np.int32, order="F")
        assert cc_rapids.ndimage.label(given, output=made) == most
        assert (made == expected.astype(np.int32)).all()
        if given.dtype == np.int16:
            assert cc_rapids.ndimage.label(given, output=given) == most
            assert (given == expected.astype(np.int16)).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_labels_of_equal_values_are_those_of_threads(cupy, shape):
    image = np.random.default_rng(2).integers(0, 3, shape, np.uint8)
    for options in ({}, {"background": 2}, {"connectivity": 1}):
        labels, count = cc_rapids.measure.label(cupy.asarray(image), return_num=True, **options)
        expected, most = cc_rapids.measure.label(image, return_num=True, **options)
        assert isinstance(labels, cupy.ndarray)
        assert (labels.dtype, count) == (expected.dtype, most)
        np.testing.assert_array_equal(labels.get(), expected)


def test_edge_cases_of_cupy(cupy):
    labels, count = cc_rapids.ndimage.label(cupy.asarray(np.nan))
    assert (int(labels), count) == (1, 1)
    labels, count = cc_rapids.ndimage.label(cupy.zeros((0, 3)))
    assert (labels.shape, count) == ((0, 3), 0)
    with pytest.raises(RuntimeError):
        cc_rapids.ndimage.label(cupy.ones(3), cupy.ones((3, 3)))
    with pytest.raises(RuntimeError, match="bit-depth"):
        cc_rapids.ndimage.label(cupy.arange(400) % 2, output=np.int8)
    with pytest.raises(TypeError):
        cc_rapids.ndimage.label(cupy.ones(3, complex))


def test_more_pixels_than_32_bits_number(cupy):
    """More than 2^32 pixels take 4 GiB, and their labels eight times as much."""
    if cupy.cuda.runtime.memGetInfo()[0] < 72 << 30:
        pytest.skip("needs 72 GiB")
    image = cupy.zeros((1 << 16, (1 << 16) + 32), np.uint8)
    image[::2, 1::2] = 1  # each is a component, but those of the last such row
    image[-1] = 1
    labels, count = cc_rapids.ndimage.label(image)
    assert (labels.dtype, count) == (np.int64, ((1 << 15) - 1) * ((1 << 15) + 16) + 1)
    assert int(labels[-2, -1]) == int(labels[-1, 0]) == count
    assert int(labels[-4, -1]) == count - 1


def test_answers_are_proved(cupy):
    image = np.random.default_rng(3).random((40, 50, 60)) < 0.3
    labels, _ = cc_rapids.ndimage.label(cupy.asarray(image))
    oracle.certify_image(labels.get(), image)
