"""Parts of the papers' experiments: schedules of chunks, prices, and the rule for mixes."""

import importlib
import threading
import time

import pytest


@pytest.fixture
def papers():
    return importlib.import_module("papers")


@pytest.mark.parametrize("steals", [False, True])
def test_each_chunk_is_taken_once_by_the_thread_that_it_belongs_to_or_a_thief(papers, steals):
    shares, taken, begun = papers.Shares(range(0, 80, 10), 2, steals), {}, threading.Barrier(2)

    def work(name, seconds):
        taken[name] = [next(shares)]
        begun.wait()
        for start in shares:
            taken[name].append(start)
            time.sleep(seconds)

    threads = [threading.Thread(target=work, args=case) for case in (("slow", 0.1), ("fast", 0))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted([*taken["slow"], *taken["fast"]]) == list(range(0, 80, 10))
    assert len(taken["fast"]) > 4 if steals else set(map(len, taken.values())) == {4}


def test_a_share_whose_thread_never_starts_is_taken(papers):
    assert list(papers.Shares(range(5), 3, False)) == [0, 1, 2, 3, 4]


def test_prices_are_those_of_the_paper():
    price = importlib.import_module("prices").price
    gpu, cpus = {"ms": {"median": 1.0}}, {"ms": {"median": 12.02}}
    assert price(cpus, 6.669) / price(gpu, 3.06) == pytest.approx(26.2, abs=0.01)
    assert price({"ms": {"median": 3.6e6}}, 7.5) == 7.5


def test_the_rule_for_mixes_changes_between_the_degrees_that_were_measured(papers):
    rule = importlib.import_module("paper_pages").mix_rule
    text = rule({100.0: (8, 1, "pairs"), 25.0: (1, 8, "pairs"), 16.0: (1, 8, "pairs")})
    assert "1 x 8 by pairs, 8 x 1 by pairs from 50 edges per vertex on" in text
