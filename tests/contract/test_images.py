"""Labels of images: SciPy's own tests, its answers, and those of scikit-image."""

import functools
import importlib
import inspect
import warnings

import numpy as np
import pytest
from scipy import ndimage

import cc_rapids
from cc_rapids import CcRapidsError, oracle

PEER = importlib.import_module("scipy.ndimage.tests.test_measurements")
TESTS = [
    name
    for name, test in inspect.getmembers(PEER, inspect.isfunction)
    if name.startswith(("test_label", "test_gh_issue_3025"))
]
DTYPES = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.mark.parametrize("name", TESTS)
def test_a_test_of_scipy(name, monkeypatch):
    calls = []

    @functools.wraps(ndimage.label)
    def counted(*args, **kwargs):
        calls.append(args)
        return cc_rapids.ndimage.label(*args, **kwargs)

    monkeypatch.setattr(ndimage, "label", counted)
    test = getattr(PEER, name)
    test(np) if "xp" in inspect.signature(test).parameters else test()
    assert calls


def test_all_tests_of_scipy_are_there():
    assert len(TESTS) >= 18


def answer(function, *args, **kwargs):
    """What a call returns, its arrays as type, shape and bytes; or the type of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(*args, **kwargs)
    except Exception as error:
        return error
    many = found if isinstance(found, tuple) else (found,)
    return [(x.dtype, x.shape, x.tobytes()) if hasattr(x, "dtype") else x for x in many]


def same(function, peer, *args, **kwargs):
    got, expected = answer(function, *args, **kwargs), answer(peer, *args, **kwargs)
    if isinstance(expected, Exception):
        assert isinstance(got, CcRapidsError)
        assert isinstance(got, type(expected))
    else:
        assert got == expected


def some_image(random, dtype, most_axes=4):
    """A random image with few or many values, in C or Fortran order, or a view of every second."""
    axes = random.integers(1, most_axes + 1)
    shape = random.choice([0, 1, 2, 31, 32, 33, 65] if axes < 3 else [1, 2, 3, 33], axes)
    image = random.integers(0, random.choice([2, 3, 200]), shape).astype(dtype)
    image *= (random.random(shape) < 0.7).astype(dtype)
    if dtype[0] == "f":
        image *= np.where(random.random(shape) < 0.1, np.nan, -0.5)
    kind = random.integers(4)
    if kind == 1:
        return np.asfortranarray(image)
    return np.repeat(image, 2, axis=-1)[..., ::2] if kind == 2 else image


def some_structure(random, axes):
    structure = random.random((3,) * axes) < random.random()
    return structure | np.flip(structure)


@pytest.mark.parametrize("dtype", DTYPES)
def test_labels_are_those_of_scipy(dtype):
    random = np.random.default_rng(int(np.dtype(dtype).num))
    for _ in range(12):
        image = some_image(random, dtype)
        structure = some_structure(random, image.ndim)
        same(cc_rapids.ndimage.label, ndimage.label, image)
        same(cc_rapids.ndimage.label, ndimage.label, image, structure)
        output = DTYPES[random.integers(1, len(DTYPES))]
        same(cc_rapids.ndimage.label, ndimage.label, image, structure, output)
        given, expected = (np.zeros(image.shape, "i4", order="F") for _ in "ab")
        count = cc_rapids.ndimage.label(image, structure, given)
        assert count == ndimage.label(image, structure, expected)
        np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda label: label(np.ones((2, 2)), [[0, 1, 0], [1, 1, 0], [0, 0, 0]]),
        lambda label: label(np.ones((2, 2)), np.zeros((3, 3))),
        lambda label: label(np.ones(2), np.ones((3, 3))),
        lambda label: label(np.ones(2), np.ones(4)),
        lambda label: label(np.ones(2), output=np.zeros(3)),
        lambda label: label(np.ones(2, complex)),
        lambda label: label(np.ones(2, object)),
        lambda label: label(np.array(["a", ""])),
        lambda label: label(np.ones(2), output="c8"),
        lambda label: label(np.ones(2), output=object),
        lambda label: label(np.ones((0, 2), object)),
        lambda label: label(np.array([1, 0] * 128), output="i1"),
        lambda label: label(np.array([1, 0] * 60), output=bool),
        lambda label: label(np.array([1, 0] * 300), output=bool),
        lambda label: label(np.nan),
        lambda label: label(0),
        lambda label: label(1, False),
        lambda label: label(1, [1, 1, 1]),
        lambda label: label(1, output=np.zeros((), "u1")),
        lambda label: label([[1, 0, 1]]),
        lambda label: label(np.ma.array([1, 1, 1], mask=[0, 1, 0])),
        lambda label: label(np.zeros((2, 0, 3)), np.ones((3, 3, 3)), np.int16),
    ],
)
def test_edge_cases_are_those_of_scipy(call):
    same(lambda: call(cc_rapids.ndimage.label), lambda: call(ndimage.label))


def test_the_image_is_left_as_it_was_unless_it_is_the_output():
    image = np.array([[3, 0, 3], [0, 3, 3]], np.uint8)
    before = image.copy()
    cc_rapids.ndimage.label(image)
    cc_rapids.measure.label(image)
    np.testing.assert_array_equal(image, before)
    assert cc_rapids.ndimage.label(image, output=image) == 2
    assert image.tolist() == [[1, 0, 2], [0, 2, 2]]


def test_kinds_of_arrays():
    image = np.array([[3, 0, 3], [0, 3, 3]], np.uint8)
    expected = [[1, 0, 2], [0, 2, 2]]
    fixed = image.copy()
    fixed.setflags(write=False)
    for given in (fixed, image.astype(">i4"), image.astype(np.float16), image.tolist()):
        assert cc_rapids.ndimage.label(given)[0].tolist() == expected
    with pytest.raises(ValueError, match="read-only"):
        cc_rapids.ndimage.label(image, output=fixed)
    made = np.ma.zeros((2, 3), int)
    assert cc_rapids.ndimage.label(image, output=made) == 2
    assert made.tolist() == expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_labels_of_equal_values_are_those_of_a_search(dtype):
    """As scikit-image has them, by an oracle of ours: see the test below."""
    random = np.random.default_rng(int(np.dtype(dtype).num))
    for _ in range(6):
        image = np.nan_to_num(some_image(random, dtype))
        connectivity = int(random.integers(1, image.ndim + 1))
        background = None if dtype == "b1" else random.choice([None, 0, 2, -1])
        labels, count = cc_rapids.measure.label(image, background, True, connectivity)
        assert labels.dtype == (np.int32 if dtype == "b1" else np.int64)
        assert count == labels.max(initial=0)
        if dtype != "b1" and image.ndim == 3 and image.shape[2] == 1:  # numbered by column
            image, labels = image.swapaxes(0, 2), labels.swapaxes(0, 2)
        oracle.certify_image(
            labels,
            image.astype(np.int64),
            ndimage.generate_binary_structure(image.ndim, connectivity),
            by_value=True,
            background=background or 0,
        )


def test_labels_of_equal_values_are_those_of_scikit_image():
    theirs = pytest.importorskip("skimage.measure").label
    random = np.random.default_rng(0)
    for dtype in DTYPES * 6:
        image = some_image(random, dtype, most_axes=3)
        connectivity = random.choice([None, *range(1, image.ndim + 1)])
        background = random.choice([None, 0, 1, 2, -1])
        same(cc_rapids.measure.label, theirs, image, background, True, connectivity)


def known_facts():
    """Calls, and what scikit-image 0.26 returns."""
    column = np.array([[[2], [1], [1]], [[1], [0], [2]]])
    flags = np.array([[True, False, True]])
    yield column, {"connectivity": 1}, [[[1], [3], [3]], [[2], [0], [4]]]
    yield np.array([1.2, 1.7, 0.5, -0.5, 2]), {}, [1, 1, 0, 0, 2]
    yield np.array([255, 2, 0], np.uint8), {"background": -1}, [1, 2, 3]
    yield flags, {"background": 1}, [[0, 1, 0]]
    yield flags, {"background": 2}, [[1, 0, 2]]
    yield np.eye(2, dtype=int), {"connectivity": 1}, [[1, 0], [0, 2]]
    yield np.eye(2, dtype=int), {}, [[1, 0], [0, 1]]
    yield np.array([["1", "2", "2"]]), {}, [[1, 2, 2]]


@pytest.mark.parametrize(("image", "options", "expected"), list(known_facts()))
def test_facts_of_scikit_image(image, options, expected):
    assert cc_rapids.measure.label(image, **options).tolist() == expected


@pytest.mark.parametrize(
    ("dtype", "background", "expected"),
    [
        ("u8", -1, [1, 2, 3]),
        ("u8", 2**64 - 1, [0, 1, 2]),
        ("i8", -1, [0, 1, 2]),
        ("i8", 2**64 - 1, [1, 2, 3]),
        ("u8", 2.0, [1, 0, 2]),
        (">u8", 2**64 - 1, [0, 1, 2]),
    ],
)
def test_only_values_of_the_type_are_background(dtype, background, expected):
    """scikit-image reads 2^64 - 1 as -1."""
    image = np.array([2**64 - 1, 2, 0], np.uint64)
    image = image.view(dtype) if dtype[0] != ">" else image.astype(dtype)
    assert cc_rapids.measure.label(image, background).tolist() == expected
    lazy = pytest.importorskip("dask.array").from_array(image, chunks=2)
    assert cc_rapids.measure.label(lazy, background).compute().tolist() == expected


def test_pixels_that_are_no_integers_are_counted():
    with pytest.warns(cc_rapids.CcRapidsWarning, match="2 pixels are NaN or beyond int64"):
        cc_rapids.measure.label(np.array([-(2.0**63), np.nan, 1e30]))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"connectivity": 0}, ValueError),
        ({"connectivity": 3}, ValueError),
        ({"connectivity": 1.5}, cc_rapids.ImageError),
        ({"background": "1"}, TypeError),
        ({"background": 1.5}, cc_rapids.ImageError),
        ({"background": float("inf")}, cc_rapids.ImageError),
        ({"background": 2**70}, OverflowError),
        ({"return_num": "yes"}, TypeError),
    ],
)
def test_errors_of_equal_values(options, error):
    with pytest.raises(error):
        cc_rapids.measure.label(np.eye(2, dtype=int), **options)
    with pytest.raises(TypeError):
        cc_rapids.measure.label([[1]])
    with pytest.raises(ValueError, match="0D"):
        cc_rapids.measure.label(np.array(1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[1, 1, 0, 2], [0, 0, 0, 0]], r"pixel \(0, 1\) is background, but its label is 1"),
        ([[1, 0, 0, 0], [0, 0, 0, 0]], r"pixel \(0, 3\) is not background"),
        ([[1, 0, 0, 1], [0, 0, 0, 1]], r"pixels \(0, 0\) and \(0, 3\) of label 1 are not"),
        (
            [[1, 0, 0, 2], [0, 0, 0, 3]],
            r"\(0, 3\) and \(1, 3\) are connected, but .* 2 and 3$",
        ),
        ([[2, 0, 0, 1], [0, 0, 0, 1]], "raster order"),
        ([[1, 0, 0, 2]], "shape"),
    ],
)
def test_wrong_labels_are_refuted(wrong, message):
    image = [[5, 0, 0, 5], [0, 0, 0, 5]]
    oracle.certify_image([[1, 0, 0, 2], [0, 0, 0, 2]], image)
    with pytest.raises(cc_rapids.VerificationError, match=message):
        oracle.certify_image(wrong, image)
    with pytest.raises(cc_rapids.InputError, match="structure= is not symmetric"):
        oracle.certify_image([[1, 2]], [[1, 1]], [[0, 0, 0], [0, 1, 1], [0, 0, 0]])


def test_refuted_labels_name_the_option_that_differs():
    image = np.array([7, 8])
    with pytest.raises(cc_rapids.VerificationError, match="pass by_value=True"):
        oracle.certify_image(cc_rapids.measure.label(image), image)
    with pytest.raises(cc_rapids.VerificationError, match="leave out by_value=True"):
        oracle.certify_image(cc_rapids.ndimage.label(image)[0], image, by_value=True)


@pytest.mark.parametrize("given", ["image.tif", None, iter(())])
def test_objects_that_are_no_images_are_refused(given):
    with pytest.raises(cc_rapids.ImageError, match="not an image: pass an array, or a dask array"):
        cc_rapids.ndimage.label(given)
