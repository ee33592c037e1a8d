"""No input makes a kernel read or write outside its arrays: with every access checked."""

from unittest import mock

import lies
import numpy as np
import pytest
from lies import FAR, LIES, engine_of, no_hang, running_on, same_kind

import cc_rapids
from cc_rapids import CcRapidsError, generators
from cc_rapids.graphs import Csr

N, M = 300, 500


def edges(dtype=np.int64):
    return tuple(np.random.default_rng(1).integers(0, N, (2, M)).astype(dtype))


def rows(dtype=np.int64):
    """The offsets and indices of both directions."""
    src, dst = edges(dtype)
    both, other = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.argsort(both, kind="stable")
    starts = np.searchsorted(both[order], np.arange(N + 1)).astype(dtype)
    return starts, other[order].copy()


def any_answer(given, **options):
    """Whether there was an answer; an error of ours is as good, and nothing else is."""
    try:
        with no_hang():
            found = cc_rapids.components(given, **options)
            found.labels(), found.sizes()
            if options.get("forest"):
                found.forest()
    except CcRapidsError as error:
        assert len(str(error)) < 600
        return False
    return True


def unseen():
    """No look at the offsets before they are used."""
    return mock.patch("cc_rapids.job.check_offsets", lambda *_: None)


@pytest.mark.parametrize("symmetric", [True, False])
def test_rows_that_lie(design, symmetric):
    offsets, indices = rows()
    forest = design.makes_forests
    with running_on(engine_of("checked")), unseen():
        for lie in LIES.values():
            given = Csr(lie(offsets), indices, symmetric)
            assert any_answer(given, design=design, forest=forest)
