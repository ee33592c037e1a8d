"""Scopes in which a pool gives memory: it is in use until they end, whatever ends them."""

from contextlib import contextmanager

import pytest

from cc_rapids.backends.base import Scope
from cc_rapids.backends.cuda import _generator_of
from cc_rapids.errors import CapacityError


@contextmanager
def _noted(steps):
    steps.append("in use")
    try:
        yield
    finally:
        steps.append("as before")


class _Noted:
    """The same, which is made of no generator."""

    def __init__(self, steps):
        self.steps = steps

    def __enter__(self):
        self.steps.append("in use")

    def __exit__(self, *error):
        self.steps.append("as before")


@pytest.mark.parametrize("manager", [_noted, _Noted])
@pytest.mark.parametrize("error", [None, ValueError, MemoryError, KeyboardInterrupt])
def test_a_pool_is_in_use_until_the_scope_ends(manager, error):
    steps = []
    scope = Scope("cuda", _generator_of(manager)(steps), "arena")
    assert not steps
    raised = []
    try:
        with scope as arena:
            assert arena == "arena"
            assert steps == ["in use"]
            if error:
                raise error
    except BaseException as found:
        raised.append(type(found))
    assert steps == ["in use", "as before"]
    assert raised == ([CapacityError if error is MemoryError else error] if error else [])


def test_contextlib_is_not_gone_through():
    assert _generator_of(_noted) is _noted.__wrapped__
