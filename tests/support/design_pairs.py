"""A few designs in which each choice occurs, or in which every two meet that go together."""

from functools import cache
from itertools import combinations

import cc_rapids
from support.cover import cover

TOGETHER = {"each": 1, "pairs": 2}  # choices that meet in some design of a selection


def choices(design):
    """What a design chooses, each option and each letter of Liu and Tarjan's by itself."""
    sample, link, compress = design.words
    made = {("sample", str(sample)), ("link", link.spec.name)}
    made |= {("compress", compress.spec.name)} if compress else set()
    made |= {("find", value) for key, value in link.options if key == "find"}
    rule = dict(link.options).get("", "")
    return made | {("rule", k, letter) for k, letter in enumerate(f"{rule:.<4}") if rule}


def asked(config):
    """The selection that the command line of pytest asks for: all of them for a GPU."""
    return "all" if config.getoption("--gpu") else config.getoption("--designs")


def selected(which, among=None):
    """All designs, or those in which each choice or each pair of them occurs, in their order."""
    return _selected(which, None if among is None else tuple(among))


@cache
def _selected(which, among):
    every = tuple(cc_rapids.designs()) if among is None else among
    if which == "all":
        return every
    size = TOGETHER[which]
    few = set(cover({design: combinations(sorted(choices(design)), size) for design in every}))
    return [design for design in every if design in few]
