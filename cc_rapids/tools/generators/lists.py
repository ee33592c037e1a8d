"""Generate lists as users have them: pairs of documents in small clusters, records with keys."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import pieces
from .graph import Graph


def near_duplicate_pairs(
    documents: int,
    pairs: int,
    exponent: float = 1.9,
    most: int = 5000,
    seed: int = 0,
    *,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make pairs of near-duplicate documents: many small clusters, each of them a component.

    Each document is in one cluster. Cluster sizes follow a Zipf law: size 1 + k has a probability
    proportional to ``k ** -exponent``. Sizes above ``most`` are reduced to ``most``. The last
    cluster is truncated to the documents that are left. Documents and rows are in random order.

    Parameters
    ----------
    documents : int
        The number of vertices; at most 2^32.
    pairs : int
        The number of rows, at least the number of documents minus the number of clusters. For each
        document that is not the first of its cluster, one row joins it to an earlier document of
        the cluster. Every other row pairs a random document with another document of its cluster,
        so pairs may repeat.
    exponent : float
        The exponent of the Zipf law of cluster sizes, above 1.
    most : int
        The maximum size of a cluster, at least 2.
    seed, dtype : int and numpy.dtype
        As for :func:`cc_rapids.generators.reference`.
    engine : {"threads", "cuda"}
        The engine that makes and stores the edges and one number per cluster.

    Returns
    -------
    Graph
        A graph with one component per cluster, whose labels are known. If the last cluster has a
        single document, this document is in no pair, or in pairs with itself.

    Raises
    ------
    InputError
        An argument is out of range, or there are too few pairs to connect each cluster.

    See Also
    --------
    cc_rapids.generators.banded_pairs : Repeat each of such pairs several times.
    cc_rapids.generators.cliques : Make clusters of given sizes, with all of their pairs.

    Examples
    --------
    >>> near_duplicate_pairs(1000, 2000)
    Graph(num_vertices=1000, name='near_duplicate_pairs(1000, 2000)', components=194)
    """
    edge_pieces = pieces.near_duplicate_pairs(documents, pairs, exponent, most, seed)
    return edge_pieces.graph(dtype, engine)


def banded_pairs(
    documents: int,
    pairs: int,
    bands: int = 10,
    exponent: float = 1.9,
    most: int = 5000,
    seed: int = 0,
    *,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make near-duplicate pairs as locality-sensitive hashing finds them: once per band.

    The pairs are made as by :func:`near_duplicate_pairs`. The bands follow one another. Each has
    these pairs in its own random order.

    Parameters
    ----------
    documents : int
        The number of vertices; at most 2^32.
    pairs : int
        The number of rows. Each band has ``pairs / bands`` rows, rounded up; the last band has the
        rows that are left.
    bands : int
        The number of times that a pair occurs, at least 1.
    exponent, most : float and int
        As for :func:`cc_rapids.generators.near_duplicate_pairs`.
    seed, dtype : int and numpy.dtype
        As for :func:`cc_rapids.generators.reference`.
    engine : {"threads", "cuda"}
        The engine that makes and stores the edges and one number per cluster.

    Returns
    -------
    Graph
        A graph with one component per cluster, whose labels are known.

    Raises
    ------
    InputError
        An argument is out of range, or a band has too few pairs to connect each cluster.

    See Also
    --------
    cc_rapids.generators.near_duplicate_pairs : Make each pair once.
    cc_rapids.generators.duplicated : Repeat each edge of a graph.

    Examples
    --------
    >>> banded_pairs(1000, 10_000, bands=5)
    Graph(num_vertices=1000, name='banded_pairs(1000, 10000, bands=5)', components=194)
    """
    edge_pieces = pieces.banded_pairs(documents, pairs, bands, exponent, most, seed)
    return edge_pieces.graph(dtype, engine)


def record_keys(
    records: int,
    keys: int,
    each: int = 2,
    power: float = 1.5,
    seed: int = 0,
    *,
    permute: bool = True,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make records joined to keys of unequal frequency.

    Parameters
    ----------
    records, keys : int
        The number of records and the number of keys. Their sum, the number of vertices, is at most
        2^32.
    each : int
        The number of keys of each record. The keys are drawn independently, and are in consecutive
        rows.
    power : float
        A key is drawn as the number ``keys * u ** power``, rounded down, with u uniform in 0 .. 1.
        With a power of 1, all keys are equally frequent. The power must be above 0. The
        numbers are exact if u is a multiple of 2^-16, and interpolated linearly in between.
    permute : bool
        Permute the vertices at random. Otherwise records precede keys, and if ``power`` is above 1,
        keys with small numbers are the most frequent.
    seed, dtype, engine : int, numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        Records in ``src`` and keys in ``dst``. Keys that were not drawn have no edge.

    Raises
    ------
    InputError
        An argument is out of range.

    See Also
    --------
    cc_rapids.link_records : Find the records of a frame that share keys.
    cc_rapids.generators.uniform : Make random pairs of vertices of one kind.

    Examples
    --------
    >>> graph = record_keys(3, 4, permute=False)
    >>> graph.src.tolist(), bool((graph.dst >= 3).all())
    ([0, 0, 1, 1, 2, 2], True)
    """
    edge_pieces = pieces.record_keys(records, keys, each, power, seed, permute)
    return edge_pieces.graph(dtype, engine)
