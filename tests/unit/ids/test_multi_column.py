"""Rows: several columns as one number."""

import pandas as pd
import pytest
from support.as_lists import columns

import cc_rapids


@pytest.mark.parametrize("span", [2**63 - 1, 2**63, 2**63 + 1])
@pytest.mark.parametrize("first", [0, 3])
def test_rows_of_which_there_are_as_many_as_64_bits_tell(span, first):
    low = -(2**62)
    frame = pd.DataFrame({"a": [0], "b": [low], "c": [first], "d": [low + span - 1]})
    found = cc_rapids.components(frame, ["a", "b"], ["c", "d"], labels="min")
    assert columns(found.labels()) == [[0, first], [low, low + span - 1], [0, 0], [low, low]]
    assert found.component_of((first, low + span - 1)) == (0, low)
