"""The limits of cards that figures draw are those that were measured."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import card

from cc_rapids.plots import CARDS


@pytest.mark.parametrize("device", card.newest())
def test_limits_are_those_of_the_newest_record(device):
    known = CARDS[device]
    assert (known.copy, known.reads) == card.limits(card.newest()[device])


def test_two_digits():
    assert card.in_two_digits(126_700_000_000.0) == 130e9
