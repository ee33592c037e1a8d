"""Time the labels of images and volumes, compared with other libraries.

images: blobs and noise in two and three dimensions, with neighbours along the axes, or also along
diagonals; compared with CuPy on a GPU, and on threads with SciPy and, if installed, cc3d and
scikit-image. The methods are timed in turn, and labels are compared after the timing. For cc3d,
only the number of labels is compared, because it numbers components in another order.
"""

import importlib.util

import harness
import numpy as np
from scipy import ndimage

import cc_rapids


def picture(name, side, backend):
    """Return an image of bytes, as blobs or noise. Half of its pixels are not 0."""
    axes = int(name[-2])
    noise = np.random.default_rng(0).standard_normal((side,) * axes, np.float32)
    if name.startswith("blobs"):
        ndimage.gaussian_filter(noise, 3, output=noise, mode="wrap", truncate=3)
    return backend.asarray((noise > 0).view(np.uint8))


def peers(image, structure, backend):
    """Return functions by name that return labels and their number."""
    if backend.on_device:
        from cupyx.scipy.ndimage import label

        return {"cupy": lambda: label(image, structure)}
    ways = {"scipy": lambda: ndimage.label(image, structure)}
    full = bool(structure.all())
    if importlib.util.find_spec("cc3d"):
        import cc3d

        which = {2: (4, 8), 3: (6, 26)}[image.ndim][full]
        ways["cc3d"] = lambda: cc3d.connected_components(
            image, connectivity=which, binary_image=True, return_N=True
        )
    if full and importlib.util.find_spec("skimage"):
        from skimage.measure import label

        ways["skimage"] = lambda: label(image, return_num=True)
    return ways


@harness.job("images")
def images(args, backend):
    """Yield the times of each image, for both kinds of neighbours."""
    for name, side in (
        ("blobs 3d", args.volume),
        ("noise 3d", args.volume),
        ("blobs 2d", args.image),
        ("noise 2d", args.image),
    ):
        image = picture(name, side, backend)
        for connectivity in (1, image.ndim):
            facts = {"image": name, "shape": list(image.shape), "connectivity": connectivity}
            yield facts | times_of(image, connectivity, backend, args.runs)


def times_of(image, connectivity, backend, runs):
    """Return the number of components and the times of all methods; their labels are compared."""
    structure = ndimage.generate_binary_structure(image.ndim, connectivity)
    others = peers(image, structure, backend)
    ways = {"ours": lambda: cc_rapids.ndimage.label(image, structure)} | others
    times = harness.timed(ways, backend, runs, device=True)
    labels, count = ways["ours"]()
    for way, work in others.items():
        theirs, most = work()
        assert int(most) == count, way
        assert way == "cc3d" or bool((theirs == labels).all()), way
    return {"components": count} | times


if __name__ == "__main__":
    parser = harness.arguments(__doc__, runs=5, volume=512, image=8192)
    harness.run(parser, "numpy", "scipy")
