"""Neighbour arrays: the connected components of points and their nearest neighbours."""

from __future__ import annotations

import logging
from time import perf_counter
from typing import Any

import numpy as np

from .data.arguments import check_count, check_flag, check_word
from .data.neighbors import check_distances, hint_of_bound, read_neighbors
from .data.weight_bound import WeightBound
from .errors import InputError
from .ids.decoders import OffsetDecoder
from .keywords import suggest_keywords
from .options import Options
from .results.answer import Answer, Facts
from .results.clusters import ClusterNumbers
from .results.components import NeighborComponents
from .results.labels import DEFAULT_KINDS
from .results.lookup import warn_of_bound
from .solver.neighbors import NeighborRules, solve

log: logging.Logger = logging.getLogger(__name__)

BORDERS = "first", "nearest"


@suggest_keywords
def components_of_neighbors(
    indices: Any,
    distances: Any = None,
    at_most: float | None = None,
    mutual: bool = False,
    min_samples: int | None = None,
    border: str = "first",
    *,
    labels: str | None = None,
    engine: str | None = None,
) -> NeighborComponents:
    """Find the connected components of points and their neighbours, or the clusters of DBSCAN.

    Entry ``indices[i, j]`` is an edge between the points i and ``indices[i, j]``, in either
    direction. Searches for neighbours return such arrays: cuVS, faiss, scikit-learn, cuML. The
    edges are computed from their positions, so no edge list is built and the array is not copied.

    A point's own index and missing neighbours are skipped and counted in the ledger. A missing
    neighbour is -1, a masked entry of NumPy, or, in arrays of unsigned integers, the greatest value
    of the type.

    Parameters
    ----------
    indices : (n, k) array of integers, or sparse matrix
        The neighbours of each of n points, of any order and strides: an array of NumPy or CuPy, a
        tensor with DLPack, a list of lists of one length, or a sparse matrix such as scikit-learn's
        ``kneighbors_graph`` or ``radius_neighbors_graph``, whose values are the distances.
    distances : (n, k) array of numbers, optional
        The distances. An entry with a NaN or masked distance is not an edge.
    at_most : float, optional
        The greatest distance of an edge, rounded to the type of the distances as NumPy does in
        ``distances <= at_most``. For similarities, negate the distances and the bound.
    mutual : bool
        Whether an entry is an edge only if both points list each other within ``at_most``. The row
        of each neighbour is searched from its beginning, which takes up to k steps per entry.
    min_samples : int, optional
        Return the clusters of DBSCAN. A point with ``min_samples`` neighbours or more, itself
        included, is a core point. Clusters are the components of core points. Any other point that
        a core point lists is a border point of that cluster. All other points are noise. Repeated
        entries of a row count repeatedly, as in scikit-learn.
    border : {"first", "nearest"}
        The cluster of a border point that core points of several clusters list. ``"first"``: the
        cluster with the least core point, as in scikit-learn. ``"nearest"``: the cluster of the
        nearest core point; the least of several equally near core points decides. This needs
        distances.
    labels : {"min", "max", "dense", "size", ...}, optional
        The default kind of labels. Defaults to ``"min"``, or to ``"dense"`` for clusters.
    engine : {"threads", "cuda"}, optional
        Where to run. Defaults to the location of ``indices``.

    Returns
    -------
    NeighborComponents
        The components, whose vertices are 0 .. n - 1. They have the type of ``indices``, or int64
        if this type is unsigned or shorter than 32 bits. A run allocates 4 bytes per point, or 12
        with ``min_samples``. Distances or ``mutual`` add one bit per entry, ``min_samples`` two
        bits per entry, and rows of unequal length 16 bytes per row. Before labels are made, this
        memory is freed, except 4 bytes per point, and one bit with ``min_samples``. Masked arrays,
        and arrays in reversed order, are copied.

    Raises
    ------
    InputError
        An index is not a point (the error names its row, column and value); distances are missing
        for ``at_most`` or ``"nearest"``; or the shapes of the arrays are wrong.
    ColumnTypeError
        ``indices`` are not integers, or ``distances`` not numbers.
    CapacityError, EngineError
        The run needs more memory than is available, or the engine is unknown.

    Warns
    -----
    CcRapidsWarning
        ``at_most`` leaves out every edge.

    See Also
    --------
    components : Find the components of an edge list.
    NeighborComponents.audit : Verify the answer.

    Notes
    -----
    Two core points are joined if one of them lists the other. If the other always lists it too, as
    in a graph of all neighbours within a radius, scikit-learn's ``dbscan(graph, eps=at_most,
    min_samples=min_samples, metric="precomputed")`` returns the same clusters, with the same
    numbers under ``"dense"``. With ``mutual``, ``graph`` has only pairs of points that list each
    other. Otherwise, scikit-learn's clusters may depend on the order of the points, and some of its
    clusters are joined here.

    Examples
    --------
    >>> import numpy as np, cc_rapids
    >>> indices = np.array([[1, 2], [0, 2], [1, 0], [4, -1], [3, 0]])
    >>> distances = np.array([[1.0, 2.0], [1.0, 1.5], [1.5, 2.0], [1.0, 0.0], [1.0, 9.0]])
    >>> found = cc_rapids.components_of_neighbors(indices, distances, at_most=3)
    >>> found.labels().labels
    array([0, 0, 0, 3, 3])
    >>> found.ledger
    {'given': 10, 'linked': 8, 'missing': 1, 'out_of_bounds': 1}
    >>> clusters = cc_rapids.components_of_neighbors(indices, distances, at_most=3, min_samples=3)
    >>> clusters.labels().labels
    array([ 0,  0,  0, -1, -1], dtype=int32)
    """
    options = Options.check(labels=labels, engine=engine)
    check_word("border", border, BORDERS)
    if min_samples is not None:
        min_samples = check_count("min_samples", min_samples, 1)
    elif border != "first":
        raise InputError(f"border={border!r} is for clusters: pass min_samples=")
    rules = NeighborRules(at_most, check_flag("mutual", mutual), min_samples, border == "nearest")
    neighbors = read_neighbors(indices, distances)
    check_distances(neighbors, at_most, rules.nearest, indices)
    given = neighbors.given
    backend = options.backend(given.on_device)
    started = perf_counter()
    with backend.scope():
        solved = solve(neighbors, rules, backend)
    seconds = {"copy": None, "compute": perf_counter() - started}
    forest, ledger = solved.forest, solved.ledger
    if not ledger.linked and not {"one_sided", "not_core"} & set(ledger.left_out):
        # Neither ``mutual`` nor ``min_samples`` left out an entry, so the bound may be wrong.
        bound = WeightBound("distances", at_most=at_most)
        warn_of_bound(ledger, bound, lambda: hint_of_bound(neighbors))
    facts = Facts(solved.design, "row numbers", ledger.linked, seconds=seconds, ledger=ledger)
    decoder = OffsetDecoder(0, np.dtype(given.src.dtype))
    kind = options.labels or DEFAULT_KINDS[False]  # the ids of points are not composite
    if min_samples is not None and labels in (None, "dense"):
        kind = ClusterNumbers(solved.facts.order)
    log.info("%d points are %d components", neighbors.n, forest.components)
    answer = Answer(given, backend, decoder, forest, kind, facts, neighbors=solved.facts)
    return NeighborComponents(answer)
