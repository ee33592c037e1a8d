"""What runs under the sanitizer runs without it, on threads too."""

from support import sanitized


def test_a_small_share(capsys):
    sanitized.main(["0", "100", "--engine", "threads"])
    assert capsys.readouterr().out.startswith("done: share 0 of 100, ")
