"""Generate lists like those of users: pairs of documents in small clusters, records with keys."""

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
    proportional to ``k ** -exponent``. Sizes above ``most`` are reduced to it, and the last cluster
    is truncated so that the sizes add up. Documents and rows are in random order.

    Parameters
    ----------
    documents : int
        The number of vertices; at most 2^32.
    pairs : int
        The number of rows, at least the number of documents minus the number of clusters. One row
        joins each document that is not the first of its cluster to an earlier document of the
        cluster. Every other row pairs a random document with another one of its cluster, so
        pairs may repeat.
    exponent : float
        The exponent of the Zipf law of cluster sizes, above 1.
    most : int
        The maximum size of a cluster, at least 2.
    seed : int
        Any nonnegative integer.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        The engine that makes and stores the edges, and a number for each cluster.

    Returns
    -------
    Graph
        One component per cluster, with known labels. If the last cluster has a single document, it
        is in no pair, or in pairs with itself.

    Raises
    ------
    InputError
        An argument is out of range, or there are too few pairs to connect each cluster.

    See Also
    --------
    cc_rapids.generators.banded_pairs : The same with each pair repeated several times.
    cc_rapids.generators.cliques : Clusters of given sizes, with all of their pairs.

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
    """Make near-duplicate pairs, each listed once per band, as by locality-sensitive hashing.

    Every band has the pairs of :func:`near_duplicate_pairs`, in its own random order. The bands
    follow one another.

    Parameters
    ----------
    documents : int
        The number of vertices; at most 2^32.
    pairs : int
        The number of rows: ``pairs / bands`` in each band, and the rest in the last one.
    bands : int
        The number of times that a pair occurs, at least 1.
    exponent : float
        The exponent of the Zipf law of cluster sizes, above 1.
    most : int
        The maximum size of a cluster, at least 2.
    seed : int
        Any nonnegative integer.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        The engine that makes and stores the edges, and a number for each cluster.

    Returns
    -------
    Graph
        One component per cluster, with known labels.

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
        The numbers of records and keys, whose sum is the number of vertices; at most 2^32.
    each : int
        The number of keys of a record, drawn independently, in consecutive rows.
    power : float
        Key number ``keys * u ** power``, rounded down, is drawn with u uniform in 0 .. 1. With a
        power of 1, all keys are equally frequent. The power must be above 0. The distribution is
        exact if u is a multiple of 2^-16.
    seed : int
        Any nonnegative integer.
    permute : bool
        Permute records and keys at random. Otherwise records precede keys, and keys with small
        numbers are the most frequent if ``power`` is above 1.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        The engine that makes and stores the edges.

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
