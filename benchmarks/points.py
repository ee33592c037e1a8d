"""Time HDBSCAN of neighbour arrays, compared with other libraries on the same points.

hdbscan: points in blobs of different density, with noise. cc_rapids and its audit, which is timed
on threads, get the nearest neighbours. scikit-learn and, on a GPU, cuML get the points, so their
times include the search. Clusters are compared by the adjusted Rand index.
"""

import importlib.util
from functools import partial

import harness
import numpy as np
from scipy.spatial import cKDTree

import cc_rapids


def blobs(n):
    """Return n points in the plane: 50 blobs, and a quarter of the points as noise."""
    rng = np.random.default_rng(0)
    centre = 100 * rng.random((50, 2))
    spread = 2 * rng.random((n, 1)) * rng.normal(size=(n, 2))
    points = centre[rng.integers(0, 50, n)] + spread
    points[: n // 4] = 100 * rng.random((n // 4, 2))
    return points


def peers(points, backend, most):
    """Return named functions that return labels of points; slow ones up to ``most`` points."""
    ways = {}
    if backend.on_device and importlib.util.find_spec("cuml"):
        from cuml.cluster import HDBSCAN

        on_device = backend.xp.asarray(points, np.float32)
        ways["cuml"] = lambda: HDBSCAN(min_cluster_size=5, min_samples=5).fit_predict(on_device)
    elif not backend.on_device and len(points) <= most and importlib.util.find_spec("sklearn"):
        from sklearn.cluster import HDBSCAN

        ways["sklearn"] = lambda: HDBSCAN(copy=True).fit_predict(points)
    return ways


@harness.job("hdbscan")
def hdbscan(args, backend):
    """Yield the times for each number of points."""
    for n in (args.points // 100, args.points):
        points = blobs(n)
        distances, indices = cKDTree(points).query(points, args.neighbors, workers=-1)
        given = indices.astype(np.int32), distances.astype(np.float32)
        given = tuple(map(backend.asarray, given))
        model = cc_rapids.HDBSCAN(metric="precomputed", engine=backend.name)
        others = peers(points, backend, args.most)
        ways = {"ours": partial(model.fit_predict, given)} | others
        if not backend.on_device:  # the audit runs on the host
            ways["audit"] = partial(model.audit, given)
        times = harness.timed(ways, backend, args.runs)
        labels = backend.to_host(model.labels_)
        facts = {"points": n, "neighbors": args.neighbors, "clusters": int(labels.max()) + 1}
        for way, work in others.items():
            theirs = np.asarray(work().get() if backend.on_device else work())
            scores = cc_rapids.score_clusters(
                (np.arange(n), labels), (np.arange(n), theirs), missing="drop"
            )
            facts[f"{way}_adjusted_rand"] = round(scores["adjusted_rand_index"], 4)
        yield facts | times


if __name__ == "__main__":
    parser = harness.arguments(__doc__, runs=3, points=1_000_000, neighbors=16, most=20_000)
    harness.run(parser, "numpy", "scipy")
