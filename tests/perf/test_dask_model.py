"""The model of runs on clusters, against graphs, against records, and the page made from it."""

import importlib

import numpy as np
import pytest

from cc_rapids import oracle
from cc_rapids.integrations.dask import gather
from cc_rapids.integrations.dask.gather import CARDS


@pytest.fixture
def larger():
    """The script that makes the tables of docs/larger.md."""
    return importlib.import_module("cluster_pages")


@pytest.fixture
def model():
    """The model of distributed vertices."""
    return importlib.import_module("cluster_model")


@pytest.mark.parametrize("degree", [0.3, 1.0, 2.0, 6.0])
def test_random_graphs_are_as_the_formulae_say(model, degree):
    n = 100_000
    m = int(degree * n / 2)
    ends = np.random.default_rng(1).integers(0, n, (2, m))
    assert len(np.unique(ends)) == pytest.approx(gather.touched(n, m), rel=0.01)
    count = len(np.unique(oracle.union_find(*ends, n)))
    assert count == pytest.approx(model.random_components(n, degree), rel=0.05)


def test_one_worker_sends_nothing(model):
    for cost_of in (gather.tree_cost, gather.gather_cost, model.vertices_cost):
        assert cost_of(model.Job(1e6, 1e5, 1), CARDS).bytes == 0


def test_more_crossing_costs_more_and_rounds_stay_within_their_bound(model):
    costs = [
        model.vertices_cost(model.Job(1e9, 1e8, 64, share, share), CARDS)
        for share in (0.001, 0.1, 0.9)
    ]
    assert sorted(cost.bytes for cost in costs) == [cost.bytes for cost in costs]
    assert costs[-1].rounds <= np.log2(1e8)
    assert model.vertices_cost(model.tiles(1e9, 1e8, 64), CARDS).rounds == 0


def test_forests_are_gathered_where_they_fit():
    assert gather.gather_pays(1e6, [10**6] * 2, CARDS, 80e9)
    assert not gather.gather_pays(1e6, [10**6] * 2, CARDS, 1e6)


def test_the_rate_of_a_card_is_that_of_a_record(larger):
    """It is an H100's."""
    rates = {
        row["device"]: row["m"] / (row["wall_ms"]["median"] / 1e3)
        for row in larger.load("main_job")
        if (row["graph"], row["dtype"], row["rmm_pool"]) == ("uniform25M", "int64", False)
    }
    assert rates["NVIDIA H100 80GB HBM3"] == pytest.approx(CARDS.rate, rel=0.3)


def test_what_was_measured_is_what_the_model_says(larger):
    known = larger.several(importlib.import_module("harness").HERE)
    rows = [row for row in known if row["workers"] > 1]
    assert {row["graph"] for row in rows} == {"random", "tiles"}
    for row in rows:
        cost, way = larger.predicted(row, known), row.get("partition")
        tree = row["graph"] == "tiles" and way is None  # not random: the model is a bound
        low, high = (0.4, 1.1) if tree else (0.6, 1.5)
        if larger.sent(row) is not None:
            assert low * cost.bytes <= larger.sent(row) <= high * cost.bytes, row
        assert row.get("rounds", 0) <= cost.rounds, row
        if row["engine"] == "threads" and row["graph"] == "random":
            assert cost.seconds / 2 <= row["wall_ms"]["median"] / 1e3 <= 2 * cost.seconds, row
