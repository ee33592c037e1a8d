"""Rows that a decoder has made ahead: given away once, and never pickled."""

import pickle

import numpy as np

from cc_rapids import backends
from cc_rapids.ids.decoders import SortedDecoder

IDS, PARENT = np.array([3, 5, 9]), np.array([0, 0, 2], np.uint32)


def test_they_are_given_away_once(engine):
    backend = backends.get(engine)
    decoder = SortedDecoder.of(backend.asarray(IDS))
    decoder.decode_ahead(backend.asarray(PARENT), backend)
    first = decoder.decode_all(backend.asarray(PARENT), backend)
    second = decoder.decode_all(backend.asarray(PARENT), backend)
    for ids, labels in (first, second):
        assert ids.tolist() == [3, 5, 9]
        assert labels.tolist() == [3, 3, 9]
    assert first[0] is not second[0]


def test_a_pickle_has_none(engine):
    backend = backends.get(engine)
    decoder = SortedDecoder.of(backend.asarray(IDS))
    decoder.decode_ahead(backend.asarray(PARENT), backend)
    copy = pickle.loads(pickle.dumps(decoder))
    assert copy._ahead == []
    assert copy.decode_all(backend.asarray(PARENT), backend)[1].tolist() == [3, 3, 9]
