"""Kruskal's algorithm under rules, one edge after the other: the oracle of link_pairs."""

from collections import Counter
from typing import Any, NamedTuple


class Decision(NamedTuple):
    """What the oracle decided: a cluster for each vertex, and the rows by decision."""

    cluster: dict[Any, frozenset[Any]]
    accepted: list[int]
    refused: dict[int, str]


def cluster(pairs, weights, vertices=(), *, at_least=None, dataset=None, per_dataset=1,
            cannot_link=(), must_link=(), max_size=None):  # fmt: skip
    """Take pairs by descending weight, ties by row, and join clusters that break no rule.

    ``dataset`` maps vertices to values; None has no rule.
    """
    dataset = dataset or {}
    rows = [k for k, w in enumerate(weights) if at_least is None or w >= at_least]
    ends = {v for k in rows for v in pairs[k]}
    members = {v: {v} for v in ends | set(vertices)}

    def broken(union):
        counts = Counter(dataset[v] for v in union if dataset.get(v) is not None)
        for name, count in counts.items():
            limit = per_dataset.get(name) if isinstance(per_dataset, dict) else per_dataset
            if limit is not None and count > limit:
                return "per_dataset"
        if any(a in union and b in union for a, b in cannot_link):
            return "cannot_link"
        if max_size is not None and len(union) > max_size:
            return "max_size"
        return None

    def join(a, b):
        union = members[a] | members[b]
        for v in union:
            members[v] = union

    for a, b in must_link:
        join(a, b)
        assert broken(members[a]) is None
    accepted, refused = [], {}
    for k in sorted(rows, key=lambda k: (-weights[k], k)):
        a, b = pairs[k]
        if members[a] is members[b]:
            continue
        rule = broken(members[a] | members[b])
        if rule is None:
            accepted.append(k)
            join(a, b)
        else:
            refused[k] = rule
    return Decision({v: frozenset(s) for v, s in members.items()}, sorted(accepted), refused)
