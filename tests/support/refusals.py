"""What every test of a refusal asks of it."""

import pytest

from cc_rapids import components


def refused(error, edges, *parts, **options):
    """One call that raises exactly this error, with these parts of its message."""
    with pytest.raises(error) as raised:
        components(edges, **options)
    assert type(raised.value) is error
    message = str(raised.value)
    assert "\n" not in message
    for part in parts:
        assert part in message
    return message
