"""Lists as users hold them: pairs of documents in many small clusters, and records with keys."""

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

    Each document is in one cluster. Its size is 1 more than a number of a Zipf law: 1 + k has a
    probability in proportion to ``k ** -exponent``, and larger ones than ``most`` are cut to that.
    The last cluster is cut so that the sizes add up. Numbers of documents, and rows, are in random
    order.

    Parameters
    ----------
    documents : int
        The number of vertices; at most 2^32.
    pairs : int
        The number of rows, at least one for each document but the first of its cluster: these
        rows join it to one of its cluster, at random. In the others are a document drawn from all
        and another of its cluster, so pairs may occur more than once.
    exponent : float
        Above 1.
    most : int
        The size of the largest clusters, at least 2.
    seed : int
        Any number from 0 on.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie. Beyond them it takes 8 bytes for each cluster.

    Returns
    -------
    Graph
        As many components as clusters, whose labels are known. Only a cluster of one document, the
        last if one is left over, may be in no pair, or in pairs with itself.

    Raises
    ------
    InputError
        An argument is out of its range, or there are too few pairs to join each cluster.

    See Also
    --------
    cc_rapids.generators.banded_pairs : The same with each pair found several times.
    cc_rapids.generators.cliques : Clusters of given sizes, with all of their pairs.

    Examples
    --------
    >>> near_duplicate_pairs(1000, 2000)
    Graph(num_vertices=1000, name='near_duplicate_pairs(1000, 2000)', components=194)
    """
    made = pieces.near_duplicate_pairs(documents, pairs, exponent, most, seed)
    return made.graph(dtype, engine)


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
    """Make pairs as a search by bands of hashes finds them: the same pair in each of many bands.

    The different pairs are those of :func:`near_duplicate_pairs`. One band follows the other, each
    in a random order of its own.

    Parameters
    ----------
    documents : int
        As for :func:`near_duplicate_pairs`.
    pairs : int
        The number of rows. A band has ``pairs / bands`` of them, and the last what remains.
    bands : int
        How often a pair is found, at least 1.
    exponent : float
        As for :func:`near_duplicate_pairs`.
    most : int
        As for :func:`near_duplicate_pairs`.
    seed : int
        Any number from 0 on.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie. Beyond them it takes 8 bytes for each cluster.

    Returns
    -------
    Graph
        As many components as clusters, whose labels are known.

    Raises
    ------
    InputError
        An argument is out of its range, or a band has too few pairs to join each cluster.

    See Also
    --------
    cc_rapids.generators.near_duplicate_pairs : Each pair once.
    cc_rapids.generators.duplicated : Give each edge of a graph several times.

    Examples
    --------
    >>> banded_pairs(1000, 10_000, bands=5)
    Graph(num_vertices=1000, name='banded_pairs(1000, 10000, bands=5)', components=194)
    """
    made = pieces.banded_pairs(documents, pairs, bands, exponent, most, seed)
    return made.graph(dtype, engine)


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
    """Make records that are each joined to some keys, of which some are more frequent than others.

    Parameters
    ----------
    records, keys : int
        Their numbers, together that of the vertices: at most 2^32.
    each : int
        The number of rows of a record, one after the other; its keys are drawn independently.
    power : float
        A key is number ``keys * u ** power`` of all, rounded down, with u between 0 and 1: with 1,
        all are equally frequent. It is above 0, and exact at multiples of 2^-16 of u.
    seed : int
        Any number from 0 on.
    permute : bool
        Give records and keys random numbers; otherwise records are first, and then keys, of which
        those of small numbers are the most frequent if ``power`` is above 1.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        ``src`` holds records, and ``dst`` keys. Keys that are never drawn have no edge.

    Raises
    ------
    InputError
        An argument is out of its range.

    See Also
    --------
    cc_rapids.link_records : Find the records that share keys in a frame.
    cc_rapids.generators.uniform : Random pairs of vertices of one kind.

    Examples
    --------
    >>> graph = record_keys(3, 4, permute=False)
    >>> graph.src.tolist(), bool((graph.dst >= 3).all())
    ([0, 0, 1, 1, 2, 2], True)
    """
    made = pieces.record_keys(records, keys, each, power, seed, permute)
    return made.graph(dtype, engine)
