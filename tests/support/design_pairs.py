"""A few designs in which every two choices that go together meet: pairwise covering."""

from itertools import combinations

import cc_rapids


def choices(design):
    """What a design chooses, each option and each letter of Liu and Tarjan's by itself."""
    sample, link, compress = design.words
    made = {("sample", str(sample)), ("link", link.spec.name)}
    made |= {("compress", compress.spec.name)} if compress else set()
    made |= {("find", value) for key, value in link.options if key == "find"}
    rule = dict(link.options).get("", "")
    return made | {("rule", k, letter) for k, letter in enumerate(f"{rule:.<4}") if rule}


def pairs(designs):
    """Greedily, the design with the most pairs that no earlier one has."""
    left = {design: set(combinations(sorted(choices(design)), 2)) for design in designs}
    chosen = []
    while any(left.values()):
        best = max(left, key=lambda design: len(left[design]))
        chosen.append(best)
        met = left.pop(best)
        for rest in left.values():
            rest -= met
    return chosen


def selected(which):
    """All designs, or those of the pairs, in the order of the catalogue."""
    every = cc_rapids.designs()
    if which == "all":
        return every
    few = set(pairs(every))
    return [design for design in every if design in few]
