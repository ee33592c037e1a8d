"""What runs under the sanitizer runs without it, on threads too."""

import pytest

from support import sanitized


@pytest.mark.extended
def test_a_small_share(capsys):
    sanitized.main(["0", "100", "--engine", "threads"])
    assert capsys.readouterr().out.startswith("done: share 0 of 100, ")
