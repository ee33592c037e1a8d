"""Names that contributors' code may hold still, each with a warning."""

import numpy as np
import pytest

import cc_rapids
from cc_rapids.backends import base


def test_engine_is_the_class_of_backends():
    with pytest.warns(DeprecationWarning, match=r"base.Engine is now Backend"):
        assert base.Engine is base.Backend
    with pytest.raises(AttributeError, match="has no attribute 'Motor'"):
        base.Motor  # noqa: B018


@pytest.mark.parametrize(("old", "new"), base.RENAMED.items())
def test_methods_of_a_backend_have_their_old_names(old, new):
    backend = cc_rapids.backends.get("threads")
    with pytest.warns(DeprecationWarning, match=f"{old} of a backend is now {new}"):
        assert getattr(backend, old) == getattr(backend, new)


def test_what_was_read_later_is_read():
    backend = cc_rapids.backends.get("threads")
    with pytest.warns(DeprecationWarning, match="read_async"):
        read = backend.later(np.arange(3))
    assert read().tolist() == [0, 1, 2]


def test_a_design_says_by_its_old_name_whether_it_hooks_roots_only():
    design = cc_rapids.Design()
    with pytest.warns(DeprecationWarning, match="rooted is now hooks_roots_only"):
        assert design.rooted
    assert design.hooks_roots_only
