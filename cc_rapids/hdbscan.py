"""HDBSCAN: clusters of varying density, from the minimum spanning forest by mutual reachability."""

from __future__ import annotations

import copy
import inspect
import logging
from dataclasses import replace
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from .algorithms.condensed_tree import SELECTION, CondensedTree, Selection
from .backends import Array
from .data.arguments import check_count, check_flag, check_word
from .data.frame_access import on_host
from .data.neighbors import Neighbors, read_distances, read_neighbors, read_symmetric
from .errors import (
    ArgumentTypeError,
    InputError,
    MissingExtraError,
    VerificationError,
    shown,
)
from .keywords import unknown_argument
from .options import Options
from .results.lookup import warn
from .solver.neighbors import NeighborRules
from .solver.reachability import complete_forest, reachability_forest

if TYPE_CHECKING:
    from .verify.audit import Audit

try:
    from sklearn.base import BaseEstimator, ClusterMixin
except ModuleNotFoundError:

    class BaseEstimator:  # type: ignore[no-redef]
        """The parameters of an estimator, without scikit-learn."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name.

            Parameters
            ----------
            deep : bool
                Not used, as no parameter is an estimator.

            Returns
            -------
            dict

            See Also
            --------
            cc_rapids.HDBSCAN.set_params : Set parameters.
            """
            names = list(inspect.signature(type(self)).parameters)
            return {name: getattr(self, name) for name in names}

        def set_params(self, **params: Any) -> Any:
            """Set parameters by name.

            Parameters
            ----------
            **params
                The parameters and their values.

            Returns
            -------
            HDBSCAN
                The estimator.

            See Also
            --------
            cc_rapids.HDBSCAN.get_params : Return the parameters.
            """
            for name, value in params.items():
                if name not in self.get_params():
                    raise unknown_argument(name, type(self).__init__)
                setattr(self, name, value)
            return self

    class ClusterMixin:  # type: ignore[no-redef]
        """A base class without methods, in place of the class of scikit-learn."""


log: logging.Logger = logging.getLogger(__name__)

COMPLETE = 2048  # maximum number of points for which all distances are computed
FEWEST_NEIGHBORS = 16  # minimum number of neighbours of each point, for more points than COMPLETE
ALGORITHMS = "auto", "brute", "kd_tree", "ball_tree"
# (of points with infinite values, of points with NaN): labels, probabilities and outlier scores
NONFINITE = (-2, -3), (0.0, np.nan), (1.0, np.nan)


class HDBSCAN(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """HDBSCAN: clusters of points of varying density, with scikit-learn's parameters.

    The *mutual reachability* of two points is the greatest of their distance and both *core
    distances*. The core distance of a point is the distance to its neighbour number
    ``min_samples``; the point itself is number 1. The minimum spanning forest by mutual
    reachability gives the clusters at every density. The clusters that last longest are selected.

    Parameters
    ----------
    min_cluster_size : int
        The minimum number of points of a cluster, at least 2.
    min_samples : int, optional
        The number of the neighbour at the core distance. The point itself is counted, even if its
        row does not list it. Defaults to ``min_cluster_size``.
    cluster_selection_epsilon : float
        Clusters that split at a smaller distance are not split.
    max_cluster_size : int, optional
        The maximum number of points of a cluster that ``"eom"`` selects, unless
        ``cluster_selection_epsilon`` selects a larger cluster.
    metric : str or callable
        A metric of scikit-learn, for an array of points; ``"precomputed"`` for distances.
    metric_params : dict, optional
        Arguments of the metric.
    alpha : float
        The divisor of the distances. As in scikit-learn, core distances are also divided if
        distances are precomputed or from ``algorithm="brute"``.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}
        How scikit-learn searches for neighbours.
    leaf_size : int
        The leaf size of scikit-learn's trees.
    n_jobs : int, optional
        The number of processes or threads of scikit-learn's searches.
    cluster_selection_method : {"eom", "leaf"}
        Select the clusters with the greatest excess of mass, or the clusters that do not split.
    allow_single_cluster : bool
        Whether ``"eom"`` may select the root of the tree, as the only cluster.
    store_centers : None
        Only None: centres are not computed.
    copy : bool
        Not used, because the input is never written.
    n_neighbors : int, optional
        The number of nearest neighbours of each point that are its edges, the point itself
        included. Defaults to the number of points, or, for more than 2,048 points, to the greater
        of 16 and twice ``min_samples``.
    engine : {"threads", "cuda"}, optional
        Where to run. Defaults to the location of the distances.

    Attributes
    ----------
    labels_ : (n,) array of int64
        0, 1, ... for clusters, -1 for noise, -2 for points with infinite values, and -3 for points
        with NaN.
    probabilities_ : (n,) array of float64
        The density at which a point leaves its cluster, divided by the greatest such density in the
        cluster. 0 for noise and points with infinite values, NaN for points with NaN.
    outlier_scores_ : (n,) array of float64
        The scores of GLOSH, from 0 to 1 for outliers; NaN for points with NaN.
    n_features_in_ : int
        The number of columns of the input.

    See Also
    --------
    cc_rapids.components_of_neighbors : Find the clusters of DBSCAN from neighbours.
    cc_rapids.minimum_spanning_forest : Find the forest of an edge list.

    Notes
    -----
    If the distances are on the GPU, so are the answers, as CuPy arrays.

    If all distances are known, scikit-learn returns the same labels and probabilities, even if
    several merges have the same height: Prim's algorithm runs on the host, and ``np.argsort`` sorts
    the merges. The order of merges of the same height can differ between processors.

    For neighbours, and for arrays on the GPU with more than 2,048 points, merges of the same height
    are in another order: a merge comes first if there are fewer forest edges between it and the
    first point. Further ties are broken by position in the array.

    If only some neighbours are known, the forest may have several trees. They are joined at an
    infinite distance: each tree of at least ``min_cluster_size`` points is a cluster below the
    root.

    Examples
    --------
    >>> import numpy as np, cc_rapids
    >>> points = np.array([[0.0], [0.1], [0.3], [5.0], [5.1], [5.4], [90.0]])
    >>> distances = abs(points - points.T)
    >>> model = cc_rapids.HDBSCAN(min_cluster_size=2, metric="precomputed").fit(distances)
    >>> model.labels_
    array([ 0,  0,  0,  1,  1,  1, -1])
    """

    labels_: Array
    probabilities_: Array
    outlier_scores_: Array
    n_features_in_: int

    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 40,
        n_jobs: int | None = None,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        store_centers: None = None,
        copy: bool = True,
        n_neighbors: int | None = None,
        engine: str | None = None,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy
        self.n_neighbors = n_neighbors
        self.engine = engine

    def fit(self, X: Any, y: Any = None) -> HDBSCAN:  # noqa: N803  # scikit-learn's names
        """Find the clusters.

        Parameters
        ----------
        X : (n, d) array of numbers, or distances of n points
            Points, for scikit-learn. With ``metric="precomputed"``: a symmetric (n, n) array, with
            infinity for a missing distance; a sparse matrix whose entries are neighbours, such as
            scikit-learn's ``kneighbors_graph(mode="distance")``, which need not be symmetric; or a
            tuple of (n, k) arrays (indices, distances), as for
            :func:`cc_rapids.components_of_neighbors`. The arrays are of NumPy, CuPy or any library
            with DLPack.
        y : None
            Ignored.

        Returns
        -------
        HDBSCAN
            The estimator.

        Raises
        ------
        InputError, ArgumentTypeError
            A parameter is invalid, or X is not as described; ``min_samples`` is greater than n; the
            metric of some points is NaN.
        MissingExtraError
            X are points, and scikit-learn is not installed.
        CapacityError, EngineError
            The run needs more memory than is available, or the engine is unknown.

        See Also
        --------
        cc_rapids.HDBSCAN.fit_predict : Find the clusters, and return the labels.
        """
        selection, rank = self._check_parameters()
        neighbors, by_tree, row_sums = self._neighbors_in(X, rank)
        _check_samples(neighbors.n, rank, row_sums)
        on_device = neighbors.given.on_device
        backend = Options.check(engine=self.engine).backend(on_device)
        started = perf_counter()
        with backend.scope():
            # if a tree is used, alpha divides distances but not core distances, as in scikit-learn
            scale = float(self.alpha) if by_tree else 1.0
            # Prim's algorithm runs on the host, to which a large array on the GPU is not copied.
            if neighbors.complete and (neighbors.n <= COMPLETE or not on_device):
                forest = complete_forest(neighbors, rank, backend, scale, by_tree)
            else:
                forest = reachability_forest(neighbors, rank, backend, scale)
            ends, min_size = (forest.parent, forest.child), int(self.min_cluster_size)
            tree = CondensedTree.of(ends, forest.heights, forest.vertex_of, min_size, backend)
            clusters = tree.select(selection)
            columns: list[Any] = [clusters.labels, clusters.probabilities, clusters.outlier_scores]
            if not on_device:
                columns = [backend.to_host(column) for column in columns]
        if rank > neighbors.max_columns + 1:
            warn(
                f"every point is noise: min_samples={rank} (by default min_cluster_size) requires"
                f" {rank - 1:,} neighbours per point, but no point lists more than"
                f" {neighbors.max_columns:,}: pass a smaller min_samples=, or more neighbours"
            )
        log.info("%d points are clustered in %.3f s", neighbors.n, perf_counter() - started)
        self._tree, self._row_sums = tree, row_sums
        if row_sums is not None:
            columns = [
                _with_nonfinite(values, row_sums, infinite, missing)
                for values, (infinite, missing) in zip(columns, NONFINITE, strict=True)
            ]
        self.labels_, self.probabilities_, self.outlier_scores_ = columns
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:  # noqa: N803
        """Find the clusters, and return ``labels_``; see :meth:`fit`.

        Parameters
        ----------
        X : (n, d) array of numbers, or distances of n points
            As for :meth:`fit`.
        y : None
            Ignored.

        Returns
        -------
        (n,) array of int64
            The labels.

        See Also
        --------
        cc_rapids.HDBSCAN.fit : Find the clusters, and return the estimator.
        """
        return self.fit(X).labels_

    def audit(self, X: Any) -> Audit:  # noqa: N803
        """Verify the tree and the answers against the input; raise an error if they are wrong.

        One host thread computes what the answers should be. Only the reading of X, and
        scikit-learn's search for neighbours, are shared with :meth:`fit`. NumPy computes core
        distances and mutual reachability again, and :func:`cc_rapids.oracle.single_linkage`
        computes the merges again. At each density, the clusters of ``condensed_tree_`` must be the
        components of at least ``min_cluster_size`` points. Labels, probabilities and outlier scores
        must follow from the tree and the parameters.

        Parameters
        ----------
        X : (n, d) array of numbers, or distances of n points
            The input of :meth:`fit`. It is copied to the host from a GPU.

        Returns
        -------
        Audit
            The numbers of clusters (as ``components``), points (as ``vertices``) and edges.

        Raises
        ------
        VerificationError
            The answer is wrong, or a parameter has been changed. The error names the first point,
            cluster, edge or density that proves it.
        InputError
            The estimator is not fitted, or was fitted to another number of points; or the distances
            are symmetric only after rounding, as ``algorithm="brute"`` can make them.

        See Also
        --------
        cc_rapids.NeighborComponents.audit : Verify components or the clusters of DBSCAN.

        Notes
        -----
        If merges have the same height, several trees are right, and all are accepted. With
        ``metric="precomputed"`` and a dense matrix, merges of the same height may be in any order,
        as in scikit-learn. Numbers are compared without a tolerance, with one exception, because
        sums are rounded: if the excess of mass of a cluster differs from the sum of its children by
        less than a billionth, either may be selected.

        All known distances are listed in memory. With 16 neighbours per point, 20,000 points take
        0.2 s, and a million points less than a minute.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> points = np.array([[0.0], [0.1], [0.3], [5.0], [5.1], [5.4], [90.0]])
        >>> distances = abs(points - points.T)
        >>> model = cc_rapids.HDBSCAN(min_cluster_size=2, metric="precomputed").fit(distances)
        >>> print(model.audit(distances))
        right: 2 components of 7 vertices, by 21 edges
        """
        from .analysis.neighbors import ListedEdges  # runs do not need these imports
        from .verify.audit import Audit
        from .verify.condensed_tree import AuditedTree, reachability

        started = perf_counter()
        selection, rank = self._check_parameters()
        reader = copy.copy(self)  # reading sets attributes
        neighbors, by_tree, row_sums = reader._neighbors_in(X, rank)
        finite = np.ones(neighbors.n, bool) if row_sums is None else np.isfinite(row_sums)
        if getattr(self, "labels_", finite[:0]).shape != finite.shape:
            raise InputError(f"the estimator is not fitted to {finite.size:,} points: call fit()")
        finite_only = NeighborRules(at_most=float(np.finfo(np.float64).max))
        listed = ListedEdges(neighbors, finite_only)
        no_entries = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        pieces = [no_entries, *listed.pieces()]
        entries = [np.concatenate(arrays) for arrays in zip(*pieces, strict=True)]
        scale = float(self.alpha) if by_tree else 1.0
        edges = reachability(entries, neighbors.n, rank, scale, neighbors.complete)
        tree = AuditedTree(self.condensed_tree_, finite)
        tree.check_against(edges, int(self.min_cluster_size), neighbors.complete and not by_tree)
        labels = np.asarray(on_host(self.labels_))
        rules = selection.allow_single_cluster, selection.epsilon, selection.max_cluster_size
        columns = tree.labels_and_scores(selection.method == "leaf", *rules, labels[finite])
        names = "labels_", "probabilities_", "outlier_scores_"
        for name, expected, outliers in zip(names, columns, NONFINITE, strict=True):
            if row_sums is not None:
                expected = _with_nonfinite(expected, row_sums, *outliers)
            _check_column(name, np.asarray(on_host(getattr(self, name))), expected)
        clusters, seconds = np.unique(labels[labels >= 0]).size, perf_counter() - started
        return Audit(edges[0].size, finite.size, clusters, oracle=None, seconds=seconds, ledger={})

    @property
    def condensed_tree_(self) -> Any:
        """The condensed tree, as a structured array of NumPy in the form of the package hdbscan.

        Each row is a point, or a cluster of ``child_size`` points, that leaves the cluster
        ``parent`` at the density ``lambda_val``, the inverse of a distance. Of n points, cluster n
        is the root, and the other clusters are n + 1, n + 2, ...
        """
        if "_tree" not in vars(self):
            raise AttributeError("there is no condensed_tree_ yet: call fit()")
        return self._tree.rows(None if self._row_sums is None else np.isfinite(self._row_sums))

    def _check_parameters(self) -> tuple[Selection, int]:
        """Return the rules for selecting clusters, and ``min_samples``; check all parameters.

        ``min_samples`` is the rank of the neighbour at the core distance, and is called ``rank``.
        """
        rank = check_count("min_cluster_size", self.min_cluster_size, 2)
        if self.min_samples is not None:
            rank = check_count("min_samples", self.min_samples, 1)
        if self.max_cluster_size is not None:
            check_count("max_cluster_size", self.max_cluster_size, 1)
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors, max(rank, 2))
        for name, value in (
            ("cluster_selection_epsilon", self.cluster_selection_epsilon),
            ("alpha", self.alpha),
        ):
            if isinstance(value, bool) or not isinstance(value, Real):
                raise ArgumentTypeError(f"{name}= must be a number, not {shown(value)}")
            if not (0 <= value < np.inf) or (name == "alpha" and value == 0):
                bound = "positive" if name == "alpha" else "at least 0"
                raise InputError(f"{name}= must be {bound} and finite, not {shown(value)}")
        method = check_word("cluster_selection_method", self.cluster_selection_method, SELECTION)
        check_word("algorithm", self.algorithm, ALGORITHMS)
        if self.store_centers is not None:
            raise InputError("centres are not computed: leave out store_centers=")
        single = check_flag("allow_single_cluster", self.allow_single_cluster)
        epsilon = float(self.cluster_selection_epsilon)
        return Selection(method, single, epsilon, self.max_cluster_size), rank

    def _neighbors_in(self, X: Any, rank: int) -> tuple[Neighbors, bool, Any]:  # noqa: N803
        """Return (neighbors, by_tree, row_sums): the neighbours of the finite points of X.

        If ``by_tree``, a tree of scikit-learn has found the neighbours. Otherwise, their distances
        are already divided by ``alpha``. A point is finite if its row sum is, as in scikit-learn;
        ``row_sums`` is None if all points are finite.
        """
        if not isinstance(self.metric, str) or self.metric != "precomputed":
            return self._search(X, rank)
        neighbors = read_distances(X)
        self.n_features_in_ = neighbors.n
        return self._scaled(neighbors), False, None

    def _scaled(self, neighbors: Neighbors) -> Neighbors:
        """Return neighbours with distances divided by ``alpha``."""
        if self.alpha == 1.0:
            return neighbors
        distances = neighbors.distances.astype(np.float64) / float(self.alpha)
        return replace(neighbors, distances=distances)

    def _search(self, X: Any, rank: int) -> tuple[Neighbors, bool, Any]:  # noqa: N803
        """Search for neighbours with scikit-learn; return the tuple of :meth:`_neighbors_in`."""
        try:
            from sklearn.utils.validation import validate_data
        except ImportError as error:
            raise MissingExtraError(
                "scikit-learn 1.6 or newer searches for the neighbours of points, but is not"
                " installed: pip install scikit-learn, or pass metric='precomputed' and distances"
            ) from error
        X = validate_data(  # noqa: N806
            self, X, accept_sparse="csr", ensure_all_finite=False, dtype=np.float64
        )
        with np.errstate(invalid="ignore", over="ignore"):
            row_sums = np.asarray(X.sum(axis=1)).reshape(-1)
        finite = np.isfinite(row_sums)
        by_tree = self._uses_tree(X)
        neighbors = self._neighbors_of(X[finite], rank, by_tree)
        undefined = np.isnan(neighbors.distances)
        if undefined.any():
            finite_row, _, _ = neighbors.place(int(undefined.argmax()))
            row = np.flatnonzero(finite)[finite_row]
            raise InputError(
                f"metric={shown(self.metric)} is NaN for {int(undefined.sum()):,} of"
                f" {neighbors.m:,} distances, such as one of X[{row}]: leave out points for which"
                " it is undefined"
            )
        neighbors = neighbors if by_tree else self._scaled(neighbors)
        return neighbors, by_tree, None if finite.all() else row_sums

    def _uses_tree(self, X: Any) -> bool:  # noqa: N803
        """Return whether scikit-learn uses a tree for the points and parameters.

        Raises
        ------
        InputError
            ``algorithm`` names a tree that scikit-learn cannot use.
        """
        from sklearn.neighbors import BallTree, KDTree

        metrics_of = {"kd_tree": KDTree.valid_metrics, "ball_tree": BallTree.valid_metrics}
        names_tree = self.algorithm in metrics_of
        of_either = [*metrics_of["kd_tree"], *metrics_of["ball_tree"]]
        metrics = metrics_of.get(self.algorithm, of_either)
        has_metric = isinstance(self.metric, str) and self.metric in metrics
        is_dense = not hasattr(X, "tocsr")
        if names_tree and not (has_metric and is_dense):
            raise InputError(
                f"algorithm={self.algorithm!r} is for dense points and some metrics, not for"
                f" metric={shown(self.metric)}: pass algorithm='auto'"
            )
        return has_metric and is_dense and self.algorithm != "brute"

    def _neighbors_of(self, points: Any, rank: int, by_tree: bool) -> Neighbors:
        """Return the nearest neighbours of finite points, or all points as neighbours."""
        from sklearn.metrics import DistanceMetric, pairwise_distances
        from sklearn.neighbors import NearestNeighbors

        n, k = points.shape[0], self.n_neighbors
        metric, parameters = self.metric, self.metric_params or {}
        if k is None:
            k = n if n <= COMPLETE else max(FEWEST_NEIGHBORS, 2 * rank)
        if k < n:
            search = NearestNeighbors(
                n_neighbors=k,
                algorithm=self.algorithm,
                leaf_size=self.leaf_size,
                metric=metric,
                metric_params=parameters,
                n_jobs=self.n_jobs,
            )
            distances, indices = search.fit(points).kneighbors(points)
            return read_neighbors(indices, distances)
        if not n:
            distances = np.zeros((0, 0))
        elif by_tree:  # distances as the trees compute them
            distances = DistanceMetric.get_metric(metric, **parameters).pairwise(points)
        else:
            distances = pairwise_distances(points, metric=metric, n_jobs=self.n_jobs, **parameters)
        return read_symmetric(distances)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.metric != "precomputed"
        return tags


def _check_samples(n: int, rank: int, row_sums: Any) -> None:
    """Raise an InputError if there are too few finite points; ``rank`` is ``min_samples``.

    ``row_sums`` are the row sums of the input, or None if all points are finite.
    """
    points, count = "points", f"n_samples={n}"
    if row_sums is not None:
        points, count = "finite points", f"{n} of {row_sums.size:,} points are finite"
    if n < 2:
        raise InputError(f"{count}, while HDBSCAN requires more than one sample")
    if rank > n:
        raise InputError(f"min_samples={rank} is greater than the number of {points}, {n:,}")


def _check_column(name: str, values: Any, expected: Any) -> None:
    """Raise a VerificationError if the attribute ``name`` differs from the expected values."""
    if values.shape != expected.shape:
        raise VerificationError(
            f"{name} has the shape {values.shape}, but should have {expected.shape}"
        )
    same = (values == expected) | (np.isnan(values) & np.isnan(expected))
    if not same.all():
        point = int(same.argmin())
        raise VerificationError(
            f"{name}[{point}] is {values[point]}, but must be {expected[point]}"
        )


def _with_nonfinite(values: Any, row_sums: Any, infinite: float, missing: float) -> Any:
    """Return ``values`` of the finite points, extended to all points.

    Points whose row sum is infinite get ``infinite``. Points whose row sum is NaN get ``missing``.
    """
    extended = np.where(np.isnan(row_sums), missing, infinite).astype(values.dtype)
    extended[np.isfinite(row_sums)] = values
    return extended
