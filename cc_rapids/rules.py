"""Record linkage under rules: clusters of matched pairs that no rule forbids."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .api import components, find_components
from .data.adapters import adapter_of
from .data.files.opening import planned
from .data.foreign import opened, with_own_weights
from .data.key_names import key_names_of
from .data.read import named_ends
from .data.rules import check_limit, check_per_dataset, pairs_of_rule, split_vertices
from .data.text_options import KEYWORDS
from .errors import InputError
from .keywords import suggest_keywords, unknown_argument
from .options import Options
from .results.components import Components, LinkedPairs


@suggest_keywords
def link_pairs(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    weight: Any = None,
    at_least: float | None = None,
    at_most: float | None = None,
    vertices: Any = None,
    datasets: Any = None,
    per_dataset: Any = 1,
    cannot_link: Any = None,
    must_link: Any = None,
    max_size: int | None = None,
    num_vertices: int | None = None,
    labels: str | None = None,
    nulls: str = "raise",
    engine: str | None = None,
    frames: str | None = None,
    memory: str = "device",
    explain: bool = False,
    **text: Any,
) -> Any:
    """Group records into clusters by scored pairs, under rules about which records may be together.

    The clusters are the same as with Kruskal's algorithm: pairs are taken by descending weight, and
    pairs of equal weight by row. A pair joins the clusters of its two records. If the union would
    break a rule, the pair is refused for good. The clusters depend only on the pairs and rules, not
    on the engine or the run.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, or path
        The pairs, as for :func:`components`. They are read twice, so they must fit into memory.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    weight : str, or (m,) array
        The scores, as for :func:`maximum_spanning_forest`.
    at_least, at_most : float, optional
        As for :func:`components`: pairs with a weight outside these bounds are left out.
    vertices : column, array, frame or range, optional
        As for :func:`components`. If ``datasets`` is the name of a column, ``vertices`` is a frame
        of the ids and this column. If it has further columns, the ids are in column ``vertex``,
        ``id``, ``unique_id`` or ``record_id``; composite ids are in columns named like those of
        ``edges`` without the prefix, such as ``kind`` and ``id`` for ``src_kind`` and ``src_id``.
    datasets : str, frame, or pair (vertices, datasets), optional
        The dataset of each record: the name of a column of ``vertices``, or a frame whose columns
        are the ids and then the dataset. Values are of any type that can be compared. A record
        without a dataset, or with a null, has no limit. Records that are not vertices are ignored,
        but an error is raised if no record is a vertex.
    per_dataset : int, or dict of int
        The maximum number of records of one dataset in a cluster. A dict maps datasets to limits;
        datasets that are not in the dict have no limit.
    cannot_link : pairs of ids, optional
        Pairs of records that must not be in one cluster: a frame, a pair of columns, or a list of
        pairs, as ``edges``. The columns of a frame may have the same names as the columns of
        ``edges``, or known names. Pairs with a record that is not a vertex are ignored.
    must_link : pairs of ids, optional
        Pairs of records that are joined before all scored pairs. Each record must be a vertex. An
        error is raised if the clusters of these pairs break a rule.
    max_size : int, optional
        The maximum number of records of a cluster.
    num_vertices, labels, nulls, engine, frames, memory, explain : optional
        As for :func:`components`.
    **text
        ``header``, ``delimiter``, ``encoding``, ``comment`` and ``format`` of text files, as for
        :func:`components`.

    Returns
    -------
    LinkedPairs
        The clusters: a :class:`Components` with :meth:`LinkedPairs.refused`. With ``explain=True``,
        the plan of the components instead.

    Raises
    ------
    InputError
        A rule or an argument cannot be used; a record has two datasets; ``must_link`` breaks a
        rule; the edges are read in chunks. All errors of :func:`maximum_spanning_forest` occur too.
    UnknownVertexError
        A record of ``must_link`` is not a vertex.

    See Also
    --------
    link_records : Link records that share the value of a key.
    components : Link all pairs, without rules.
    LinkedPairs.refused : Return the pairs that a rule refused.

    Notes
    -----
    A component of all pairs that breaks no rule is a cluster. In the other components, a pair that
    is the best pair of both its clusters merges them; all such pairs merge their clusters at the
    same time. See :mod:`cc_rapids.algorithms.rules`, which also proves that these are the clusters
    of Kruskal's algorithm. The algorithm is greedy: other clusters may have a greater total weight.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> pairs = pd.DataFrame({
    ...     "src": ["a1", "a2", "a2"], "dst": ["b1", "b1", "b2"], "score": [0.8, 0.9, 0.7],
    ... })
    >>> people = pd.DataFrame({"id": ["a1", "a2", "b1", "b2"], "file": ["a", "a", "b", "b"]})
    >>> found = cc_rapids.link_pairs(pairs, weight="score", vertices=people, datasets="file")
    >>> found.labels()["labels"].tolist()
    ['a1', 'a2', 'a2', 'b2']
    >>> found.refused()[["row", "source", "destination", "rule"]]
       row source destination         rule
    0    0     a1          b1  per_dataset
    1    2     a2          b2  per_dataset
    """
    limit = check_per_dataset(per_dataset, datasets is not None)
    max_records = None if max_size is None else check_limit("max_size=", max_size)
    for name in text.keys() - set(KEYWORDS):
        raise unknown_argument(name, link_pairs)
    edges, weight = with_own_weights(opened(edges), weight)
    if weight is None:
        raise InputError("clusters under rules are built by descending weight: pass weight=")
    source, destination = named_ends(edges, source, destination, weight, adapter_of(edges))
    keys: tuple[str, ...] = ()
    if isinstance(source, list) and isinstance(destination, list):
        keys = key_names_of(source, destination)
    id_columns = max(len(source), 1) if isinstance(source, list) else 1
    vertices, record_datasets = split_vertices(vertices, datasets, id_columns, keys)
    options = Options.check(
        source=source,
        destination=destination,
        weight=weight,
        at_least=at_least,
        at_most=at_most,
        vertices=vertices,
        num_vertices=num_vertices,
        labels=labels,
        nulls=nulls,
        engine=engine,
        frames=frames,
        memory=memory,
        explain=explain,
        forest="max",
        **text,
    )
    assert options.spanning is not None
    # The first run finds the components of all pairs. A forest is built later, if a rule needs it.
    first_run = replace(options, spanning=replace(options.spanning, later=True))
    if options.explain:
        return planned(find_components, edges, first_run)
    components_of_pairs = find_components(edges, first_run)
    if not isinstance(components_of_pairs, Components):
        return components_of_pairs
    from .analysis.rules import link

    limits = None if record_datasets is None else record_datasets.limits(limit)
    cannot = pairs_of_rule("cannot_link", cannot_link, source, destination)
    must = pairs_of_rule("must_link", must_link, source, destination)
    answer, rules = components_of_pairs.answer, (record_datasets, limits, cannot, must, max_records)
    return LinkedPairs(link(answer, *rules, plain=Options.check(), spanning=options))


@suggest_keywords
def score_clusters(found: Any, truth: Any, *, missing: str | None = None) -> dict[str, Any]:
    """Score clusters against true clusters, over the vertices that are in both.

    All scores come from one contingency table: the number of vertices that each cluster shares with
    each true cluster.

    Parameters
    ----------
    found, truth : Components, frame, or pair (vertices, labels)
        The clusters and the true clusters: answers, frames whose columns are the ids and then the
        labels, as :meth:`Components.labels` returns them, or pairs of columns. Labels are of any
        type that can be compared. A vertex with a null label has no cluster.
    missing : {"drop", "self", "raise"}, optional
        How to handle vertices of ``truth`` without a cluster in ``found``, such as records without
        a pair above the threshold: leave these vertices out of the scores, make each a cluster of
        its own, or raise an error. If they are left out, recall ignores the pairs that a strict
        threshold loses. By default they are left out, with a warning if they are more than a tenth
        of the vertices of ``truth``. Vertices that are only in ``found`` are always left out.

    Returns
    -------
    dict
        Counts as int: the ``vertices`` that are scored, ``only_in_found`` and ``only_in_truth``.
        Scores as float, from 0 to 1 unless stated otherwise:

        - ``pairwise_precision``, ``pairwise_recall``, ``pairwise_f1``: scores of the pairs of
          vertices in one cluster. A ratio without pairs is 1.
        - ``bcubed_precision``: the mean share of a vertex's cluster that is in its true cluster;
          ``bcubed_recall``: the mean share of its true cluster that is in its cluster (Bagga and
          Baldwin, 1998); ``bcubed_f1``: the harmonic mean of precision and recall.
        - ``cluster_precision``, ``cluster_recall``, ``cluster_f1``: scores of whole clusters, which
          are right if they equal a true cluster.
        - ``variation_of_information``: in nats, 0 for equal clusters (Meilă, 2007).
        - ``adjusted_rand_index``: 1 for equal clusters, about 0 by chance, and at least -1
          (Hubert and Arabie, 1985).

    Raises
    ------
    InputError
        No vertex is in both; a vertex is listed twice; a frame has more than one column of labels;
        or ``missing`` is ``"raise"``, and vertices are only in ``truth``.
    ArgumentTypeError, ColumnTypeError
        An argument is not clusters, or labels cannot be compared.

    See Also
    --------
    link_pairs : Find clusters under rules.
    Cuts.scores : Score the components at several thresholds.

    Examples
    --------
    >>> import cc_rapids
    >>> found = cc_rapids.components([(1, 2), (3, 4), (4, 5)])
    >>> scores = cc_rapids.score_clusters(found, ([1, 2, 3, 4, 5], ["a", "a", "b", "b", "c"]))
    >>> scores["pairwise_precision"], scores["pairwise_recall"], scores["cluster_f1"]
    (0.5, 1.0, 0.4)
    >>> truth = [1, 2, 8, 9], ["a", "a", "b", "b"]
    >>> cc_rapids.score_clusters(found, truth, missing="drop")["pairwise_recall"]
    1.0
    >>> cc_rapids.score_clusters(found, truth, missing="self")["pairwise_recall"]
    0.5
    """
    from .analysis.agreement import (
        check_missing,
        codes_of_rows,
        labelling_of,
        scores_of,
        width_of_ids,
    )

    check_missing(missing)
    # The ids of sides[1] are looked up in an answer: sides[0], or one made of the ids of sides[0].
    # If only ``truth`` is an answer, it becomes sides[0].
    names, sides = ("found", "truth"), (found, truth)
    if isinstance(truth, Components) and not isinstance(found, Components):
        names, sides = names[::-1], sides[::-1]
    if isinstance(sides[0], Components):
        answer = sides[0].answer
        with answer.backend.scope():
            codes = answer.dense
        other = labelling_of(sides[1], names[1], width=max(len(answer.given.src.key_columns), 1))
    else:
        width = next(filter(None, map(width_of_ids, sides)), None)
        labelling, other = (labelling_of(*side, width) for side in zip(sides, names, strict=True))
        # Self-loops of the ids: each vertex is a component of its own.
        columns = {f"{end}{k}": ids for end in "ab" for k, ids in enumerate(labelling.columns)}
        ends = [[name for name in columns if name[0] == end] for end in "ab"]
        answer = components(columns, *ends, nulls="drop").answer
        codes = codes_of_rows(answer, labelling, names[0])
    return scores_of(answer, codes, other, names, missing)
