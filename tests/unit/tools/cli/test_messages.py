"""Messages of the library on the command line: options in place of keyword arguments."""

import pytest

from cc_rapids.tools.cli.group import as_options


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("nulls='drop' drops them", "--nulls drop drops them"),
        (
            "outside 0..1 of num_vertices=2: pass a larger number, or vertices=",
            "outside 0..1 of --num-vertices 2: pass a larger number, or --vertices",
        ),
        ("pass source= and destination= (--source, --destination)", "pass --source, --destination"),
        ("memory_limit=1,000 is too small", "--memory-limit 1,000 is too small"),
        ("source='a' and destination=['b', 'c d']", "--source a and --destination b,c d"),
        ("at_least=0.5, labels=", "--at-least 0.5, --labels"),
        ("found 'weight=3' in a/weight=3/x.csv", "found 'weight=3' in a/weight=3/x.csv"),
        ("weight=None, or forest=", "weight=None, or forest="),
        ("list each pair once, such as by pd.DataFrame(a, columns=b)", "list each pair once"),
        ("cc_rapids.designs() lists all designs", "`cc-rapids designs` lists all designs"),
    ],
)
def test_keyword_arguments_become_options(message, shown):
    assert as_options(message) == shown
