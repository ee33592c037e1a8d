"""The reporter that streams, clusters and commands share: whom it tells, and how often."""

import re

import pytest
from rich.console import Console

from cc_rapids.incremental import progress
from cc_rapids.incremental.progress import Reporter


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def step_by_step(reporter, clock, seconds, made):
    for done in range(1, 6):
        clock[0] += seconds

        def facts(spent, done=done):
            made.append(done)
            return f"{done} after {spent:g} s"

        reporter.report(done, 5, facts, last=done == 5)


def test_a_callable_is_told_first_and_last_and_every_so_often(clock):
    told, made = [], []
    with Reporter(told.append, call=2.0, logged=0.0) as reporter:
        step_by_step(reporter, clock, 0.75, made)
        assert reporter.seconds == 3.75
    assert told == ["1 after 0.75 s", "4 after 3 s", "5 after 3.75 s"]
    assert made == [1, 4, 5]  # facts may cost a pass over the vertices


@pytest.mark.parametrize("wanted", [False, True])
def test_without_a_terminal_lines_go_to_the_log(clock, caplog, capsys, wanted):
    with caplog.at_level("INFO", "cc_rapids"), Reporter(wanted, logged=1.0) as reporter:
        step_by_step(reporter, clock, 0.5, [])
    assert caplog.messages == ["2 after 1 s", "4 after 2 s", "5 after 2.5 s"]
    assert capsys.readouterr().err == ""


def test_a_bar_waits_for_its_time_and_goes_away():
    terminal = Console(record=True, force_terminal=True, width=80, stderr=True)
    with Reporter(True, bar=1e9, terminal=terminal) as reporter:
        reporter.report(1, 2, lambda _: "one of two")
    assert terminal.export_text() == ""
    with Reporter(True, terminal=terminal) as reporter:
        reporter.report(1, None, lambda _: "one of [b]some")
        reporter.report(1, 2, lambda _: "one of [b]two")
    assert "one of [b]some" in (shown := terminal.export_text())
    assert "one of [b]two" in shown


@pytest.mark.parametrize("total", [None, 20_000_000_000])
def test_the_bar_of_a_stream_is_whole_at_80_columns(total):
    terminal = Console(record=True, force_terminal=True, width=80, stderr=True)
    left = None if total is None else 123.4
    facts = progress.StreamProgress(9_999_999_999, total, 10**9, 10**8, 9e3, 12_345_678.9, left)
    with Reporter(True, terminal=terminal) as reporter:
        reporter.report(9_999_999_999, total, lambda _: facts)
    lines = terminal.export_text().splitlines()
    (line,) = lines  # of frames, each drawn over the one before it
    *_, shown = re.findall("[━╸╺]+[^━╸╺]+", line.rstrip())
    assert len(shown) <= 80
    assert "…" not in shown
    assert shown.count("━") + shown.count("╸") + shown.count("╺") == progress.BAR_WIDTH
    of, time = ("", "") if total is None else (" of 20.0 G", ", 2:03 left")
    assert shown.endswith(f" 10.0 G{of} edges, 12.3 M/s{time}; 100 M components")


def test_the_longest_line_of_a_stream_fits_80_columns():
    facts = progress.StreamProgress(*[999_400_000_000_000] * 2, 10**12, 10**12, 1, 999.4e9, 9e9)
    assert len(f"{'-' * progress.BAR_WIDTH} {facts.short}") <= 80


def test_a_wide_terminal_shows_all_facts_in_a_line():
    terminal = Console(record=True, force_terminal=True, width=160, stderr=True)
    facts = progress.StreamProgress(9_999, 20_000, 300, 20, 1.0, 9_999.0, 1.0)
    with Reporter(True, terminal=terminal) as reporter:
        reporter.report(9_999, 20_000, lambda _: facts)
    (line,) = terminal.export_text().splitlines()
    assert str(facts) in line
